//! What counts as a neighbor: the tie rule and the domain.

use crate::error::{Error, Result, Status, number};
use crate::points::{Real, check_dim};

/// What happens to a pair whose distance squared equals the cutoff squared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TieRule {
    /// It is a pair: `d2 <= c2`.
    #[default]
    Inclusive,
    /// It is not: `d2 < c2`.
    Exclusive,
}

/// A target at most `lower` away (squared) is in reach, one more than `upper` away is not; between the two it is doubtful.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<T> {
    pub lower: T,
    pub upper: T,
}

/// The bound of a search in the caller's precision: a pair is two points with `d2 <= bound`.
///
/// `cutoff` is rounded to `T` and squared with one rounding, as the caller's own loop would. The exclusive rule is the
/// inclusive one against the next smaller number, so that no backend needs two comparisons.
pub fn bound<T: Real>(cutoff: f64, rule: TieRule) -> Result<T> {
    let rounded = T::from_f64(cutoff);
    let square = rounded.mul(rounded);
    let range = T::CUTOFF2_MIN..=T::CUTOFF2_MAX;
    if !(rounded.to_f64() > 0.0 && range.contains(&square.to_f64())) {
        let allowed = format!(
            "finite, greater than 0, and its square within {:.3e} to {:.3e} in {}",
            T::CUTOFF2_MIN,
            T::CUTOFF2_MAX,
            T::NAME
        );
        return Err(Error::not_allowed(Status::BadCutoff, "cutoff", number(cutoff), allowed));
    }
    Ok(match rule {
        TieRule::Inclusive => square,
        TieRule::Exclusive => square.next_down(),
    })
}

/// The part of a cutoff's check that needs no precision.
pub fn check_cutoff(cutoff: f64) -> Result<f64> {
    if cutoff.is_finite() && cutoff > 0.0 {
        return Ok(cutoff);
    }
    Err(Error::not_allowed(
        Status::BadCutoff,
        "cutoff",
        number(cutoff),
        "finite and greater than 0",
    ))
}

/// An axis-aligned box, open or periodic along each axis; the default is open everywhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Domain {
    lo: Vec<f64>,
    length: Vec<f64>,
    periodic: Vec<bool>,
}

impl Domain {
    /// A box of one to three axes: its lower corner, its edges, and which axes are periodic.
    pub fn new(lo: &[f64], length: &[f64], periodic: &[bool]) -> Result<Domain> {
        let dim = check_dim(lo.len() as i64)?;
        for (what, len) in [("length", length.len()), ("periodic", periodic.len())] {
            if len != dim {
                return Err(Error::not_allowed(Status::BadDim, what, len, format!("of {dim} axes")));
            }
        }
        for (&lo, &length) in lo.iter().zip(length) {
            if !lo.is_finite() {
                return Err(Error::not_allowed(Status::BadDomain, "lo", number(lo), "finite"));
            }
            if !(length.is_finite() && length > 0.0) {
                let allowed = "finite and greater than 0";
                return Err(Error::not_allowed(Status::BadDomain, "length", number(length), allowed));
            }
        }
        Ok(Domain {
            lo: lo.to_vec(),
            length: length.to_vec(),
            periodic: periodic.to_vec(),
        })
    }

    /// Whether the same axes repeat, in the same place.
    pub fn repeats_as(&self, other: &Domain) -> bool {
        let repeats = |domain: &Domain| domain.periodic.contains(&true);
        if repeats(self) && repeats(other) {
            self == other
        } else {
            repeats(self) == repeats(other)
        }
    }

    /// The periodic axes of points of `dim` axes, in their precision.
    pub fn periods<T: Real>(&self, dim: usize) -> Result<Periods<T>> {
        let mut periods = Periods::default();
        if !self.periodic.contains(&true) {
            return Ok(periods);
        }
        if self.lo.len() != dim {
            let allowed = format!("{}, as for the box", self.lo.len());
            return Err(Error::not_allowed(Status::BadDim, "dim", dim, allowed));
        }
        for axis in (0..dim).filter(|&axis| self.periodic[axis]) {
            let (lo, length) = (T::from_f64(self.lo[axis]), T::from_f64(self.length[axis]));
            if !lo.is_finite() || !length.is_finite() || length <= T::default() {
                let what = if lo.is_finite() { "length" } else { "lo" };
                let value = if lo.is_finite() {
                    self.length[axis]
                } else {
                    self.lo[axis]
                };
                let allowed = format!("finite and not 0 in {}", T::NAME);
                return Err(Error::not_allowed(Status::BadDomain, what, number(value), allowed));
            }
            let half = length.mul(T::from_f64(0.5));
            periods.0[axis] = Some(Period { lo, length, half });
        }
        Ok(periods)
    }
}

/// An axis `lo .. lo + length` that repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Period<T> {
    pub lo: T,
    pub length: T,
    /// Half of the length, exactly.
    pub half: T,
}

/// Which axes repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Periods<T>(pub [Option<Period<T>>; 3]);

impl<T: Real> Periods<T> {
    /// Whether no axis repeats.
    pub fn is_open(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// How far the difference of two wrapped coordinates is from exact, to the nearest image: it was rounded when it still
    /// was about a length.
    pub fn slack(&self) -> f64 {
        let lengths = self.0.iter().flatten().map(|period| period.length.to_f64());
        T::ROUNDOFF * lengths.fold(0.0, f64::max)
    }

    /// Lengths of the axes in real64; `None` of open ones.
    pub fn lengths(&self) -> [Option<f64>; 3] {
        self.0.map(|period| period.map(|period| period.length.to_f64()))
    }

    /// A coordinate as searches use it: along an open axis as it is, along a periodic one wrapped, in `0 .. length`.
    #[inline(always)]
    pub fn wrap(&self, axis: usize, coord: T) -> T {
        let Some(Period { lo, length, .. }) = self.0[axis] else {
            return coord;
        };
        let zero = T::default();
        let mut wrapped = coord.sub(lo);
        if wrapped < zero || wrapped >= length {
            wrapped = wrapped.rem(length);
            if wrapped < zero {
                wrapped = wrapped.add(length);
            }
            if wrapped >= length {
                wrapped = zero;
            }
        }
        wrapped
    }

    /// The difference of two wrapped coordinates, to the nearest image; of two equally near ones as it is.
    #[inline(always)]
    pub fn difference(&self, axis: usize, a: T, b: T) -> T {
        let d = a.sub(b);
        match self.0[axis] {
            Some(Period { length, half, .. }) if d > half => d.sub(length),
            Some(Period { length, half, .. }) if d < T::default().sub(half) => d.add(length),
            _ => d,
        }
    }

    /// Refuses a box with a periodic axis shorter than twice `reach`, which messages call `what`: a pair would then have several
    /// images in reach.
    pub fn check_reach(&self, reach: T, what: &str) -> Result<()> {
        let arguments = ["length of axis x", "length of axis y", "length of axis z"];
        for (period, argument) in self.0.iter().zip(arguments) {
            let Some(period) = period.filter(|period| period.half < reach) else {
                continue;
            };
            let allowed = format!(
                "at least {}, twice {what} ({})",
                number(reach.add(reach)),
                number(reach)
            );
            return Err(Error::not_allowed(
                Status::BadDomain,
                argument,
                number(period.length),
                allowed,
            ));
        }
        Ok(())
    }

    /// [`check_reach`](Periods::check_reach) of a cutoff.
    pub fn check_cutoff(&self, cutoff: T) -> Result<()> {
        self.check_reach(cutoff, "the cutoff")
    }
}
