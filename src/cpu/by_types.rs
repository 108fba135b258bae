//! Cutoffs by pairs of types: a search by the largest one, in which the types of two points decide how far they reach.
//!
//! in: [`TypeBounds`], the units of a grid; out: [`ByTypes`], the bounds of any two classes, and [`Uppers`], those of a
//! leaf's targets for the kernels.

use super::kernels::quantized::find::{TestByTypes, TestFixed};
use super::kernels::quantized::{TARGET_PADDING, WORD};
use super::quantized::LeafBox;
use crate::error::Result;
use crate::grid::{FixedBounds, Grid, ZOOMS};
use crate::kinds::{MAX_TYPES, TypeBounds, type_of};
use crate::list::{Aligned, grow, holds, push};
use crate::real::Real;

const WHAT: &str = "the cutoffs of a leaf's targets";

/// The bounds of pairs of types in the units of a grid.
#[derive(Debug)]
pub struct ByTypes {
    ntypes: usize,
    fixed: Vec<FixedBounds>,
    /// A hit whose distance is at least so much below its upper bound is sure, whatever the types are: for each zoom.
    margins: [i16; ZOOMS],
}

impl ByTypes {
    /// The bounds of points of a precision, whose differences err by `slack` along periodic axes.
    pub fn new<T: Real>(exact: &TypeBounds, grid: &Grid, slack: f64) -> Result<ByTypes> {
        let (mut fixed, mut margins) = (Vec::new(), [0; ZOOMS]);
        for &bound in exact.all() {
            let bounds = grid.fixed_bounds(T::from_f64(bound), slack);
            for (margin, coarse) in margins.iter_mut().zip(&bounds.coarse) {
                *margin = coarse.upper.saturating_sub(coarse.lower).max(*margin);
            }
            push(&mut fixed, bounds, WHAT)?;
        }
        let ntypes = exact.ntypes();
        Ok(ByTypes { ntypes, fixed, margins })
    }

    /// The bounds of points of two classes.
    #[inline]
    pub fn fixed(&self, row: u8, other: u8) -> &FixedBounds {
        &self.fixed[type_of(row) * self.ntypes + type_of(other)]
    }

    /// The bounds of a type and each other one, in fixed point.
    fn row(&self, row: usize) -> &[FixedBounds] {
        &self.fixed[row * self.ntypes..(row + 1) * self.ntypes]
    }

    /// The margin of sure hits in a leaf.
    pub fn margin(&self, zoom: u32) -> i16 {
        self.margins[zoom as usize]
    }
}

/// The upper bounds of a leaf's targets: for each type that a member has, one for each target.
#[derive(Debug, Default)]
pub struct Uppers {
    /// The type of each target.
    types: Vec<u8>,
    uppers: Aligned<i16>,
    /// For each member, the start of the bounds of its type.
    starts: Vec<u32>,
}

holds! { Uppers { types, uppers, starts } }

impl Uppers {
    /// Takes up the targets of a leaf, for the members at `ranks`.
    pub fn load(&mut self, by_types: &ByTypes, leaf: &LeafBox, ranks: &[u16]) -> Result<()> {
        let (len, stride) = (
            leaf.targets.len,
            (leaf.targets.len + TARGET_PADDING).next_multiple_of(WORD),
        );
        grow(&mut self.types, len, 0, WHAT)?;
        let types = self.types[..len].iter_mut().enumerate();
        types.for_each(|(rank, to)| *to = type_of(leaf.around.classes[leaf.number(rank)]) as u8);
        // For each type of members, the start of its bounds.
        let (mut starts, mut end) = ([u32::MAX; MAX_TYPES], 0);
        self.starts.clear();
        for &rank in ranks {
            let start = &mut starts[usize::from(self.types[usize::from(rank)]) % MAX_TYPES];
            if *start == u32::MAX {
                (*start, end) = (end, end + stride as u32);
            }
            push(&mut self.starts, *start, WHAT)?;
        }
        self.uppers.grow(end as usize, WHAT)?;
        for (row, &start) in starts.iter().enumerate().filter(|&(_, &start)| start != u32::MAX) {
            let mut table = [0; MAX_TYPES];
            for (to, bounds) in table.iter_mut().zip(by_types.row(row)) {
                *to = bounds.coarse[leaf.zoom.bits as usize].upper;
            }
            let uppers = self.uppers[start as usize..][..len].iter_mut();
            (uppers.zip(&self.types)).for_each(|(to, &other)| *to = table[usize::from(other) % MAX_TYPES]);
        }
        Ok(())
    }

    /// A test of members by the bounds of their types, of those from `first` on.
    pub fn test<'a>(&'a self, test: TestFixed<'a>, first: usize, margin: i16) -> TestByTypes<'a> {
        TestByTypes {
            test,
            uppers: &self.uppers,
            starts: &self.starts[first..],
            margin,
        }
    }
}
