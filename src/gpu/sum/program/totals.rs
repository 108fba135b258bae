//! Statements for each point: what they make, and the words of totals.

use crate::formula::program::Reduction;

/// Lanes of a workgroup: `WIDTH` in `shaders/shared/totals.wgsl`.
const WIDTH: usize = 256;

/// The alignment in bytes that a driver may give the shared variables of a workgroup.
const ALIGNMENT: usize = 16;

/// The thing that a statement for each point makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Makes {
    Field,
    /// The positions of the points.
    Positions,
    /// A number of the terms of all points.
    Total(Reduction),
}

/// The words that a workgroup makes of terms: flags, digits of exact sums, bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TotalWords {
    pub flags: usize,
    /// Digits of one sum, which are 16 bits apart, and of all.
    pub of_sum: usize,
    pub digits: usize,
    pub bounds: usize,
}

impl TotalWords {
    pub(super) fn new(makes: &[Makes], is_double: bool) -> TotalWords {
        let sums = makes
            .iter()
            .filter(|makes| matches!(makes, Makes::Total(Reduction::Sum)));
        let totals = makes.iter().filter(|makes| matches!(makes, Makes::Total(_)));
        let (sums, totals) = (sums.count(), totals.count());
        // `SUM_DIGITS` in `shaders/shared/digits.wgsl` and its form for real64.
        let (of_sum, words) = if is_double { (133, 2) } else { (19, 1) };
        TotalWords {
            flags: 1 + sums,
            of_sum,
            digits: of_sum * sums,
            bounds: words * (totals - sums),
        }
    }

    pub fn all(&self) -> usize {
        self.flags + self.digits + self.bounds
    }

    /// The bytes of workgroup memory: `digits`, `flags` and, where a total takes them, `bounds` in `shaders/shared/totals.wgsl`.
    pub fn shared_bytes(&self, is_double: bool) -> usize {
        let number = if is_double { 8 } else { 4 };
        let bounds = if self.bounds > 0 { number * WIDTH } else { 0 };
        let parts = [4 * self.digits.max(1), 4 * self.flags.max(1), bounds];
        parts.iter().map(|bytes| bytes.next_multiple_of(ALIGNMENT)).sum()
    }
}
