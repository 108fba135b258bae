//! Rules of neighbors: the tie rule and the domain.

mod ties;

use crate::arguments::check_dim;
use crate::error::{Error, Result, Status, number, words};
use crate::real::Real;
pub use ties::{Bounds, TieRule, bound, check_cutoff};

/// An axis-aligned box, open or periodic along each axis; the default is open everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Domain {
    dim: usize,
    lo: [f64; 3],
    length: [f64; 3],
    periodic: [bool; 3],
}

impl Domain {
    /// A box of one to three axes: its lower corner, its edges, and which axes are periodic. Corner and edge of an open
    /// axis mean nothing, and may be any numbers.
    pub fn new(lo: &[f64], length: &[f64], periodic: &[bool]) -> Result<Domain> {
        let dim = check_dim(lo.len() as i64)?;
        for (what, len) in [("size of length", length.len()), ("size of periodic", periodic.len())] {
            if len != dim {
                return Err(Error::not_allowed(
                    Status::BadDim,
                    what,
                    len,
                    format_args!("{dim}, the size of lo"),
                ));
            }
        }
        // Boxes that differ only along open axes are the same.
        let mut domain = Domain::default();
        for axis in (0..dim).filter(|&axis| periodic[axis]) {
            let (lo, length) = (lo[axis], length[axis]);
            if !lo.is_finite() {
                return Err(refused(axis, "lo", lo, "finite"));
            }
            if !(length.is_finite() && length > 0.0) {
                return Err(refused(axis, "length", length, "finite and greater than 0"));
            }
            check_period::<f64>(axis, lo, length)?;
            (domain.dim, domain.periodic[axis]) = (dim, true);
            (domain.lo[axis], domain.length[axis]) = (lo, length);
        }
        Ok(domain)
    }

    /// Whether the same axes are periodic as in `other`, with whatever lengths.
    pub fn has_axes_of(&self, other: &Domain) -> bool {
        (self.dim, self.periodic) == (other.dim, other.periodic)
    }

    /// The length of the longest periodic axis; 0: there is none.
    pub fn longest_period(&self) -> f64 {
        let lengths = self.periodic.iter().zip(self.length);
        lengths.fold(
            0.0,
            |most, (&periodic, length)| if periodic { length.max(most) } else { most },
        )
    }

    /// The periodic axes of points of `dim` axes, in their precision.
    pub fn periods<T: Real>(&self, dim: usize) -> Result<Periods<T>> {
        let mut periods = Periods::default();
        if !self.periodic.contains(&true) {
            return Ok(periods);
        }
        if self.dim != dim {
            let allowed = format_args!("{}, the dimension of the box", self.dim);
            return Err(Error::not_allowed(Status::BadDim, "dim", dim, allowed));
        }
        for axis in (0..dim).filter(|&axis| self.periodic[axis]) {
            periods.0[axis] = Some(check_period(axis, self.lo[axis], self.length[axis])?);
        }
        Ok(periods)
    }
}

/// A periodic axis in precision `T`, if that can hold it: both ends are finite, the upper one is above the lower, and
/// half of the length is exact.
fn check_period<T: Real>(axis: usize, lo: f64, length: f64) -> Result<Period<T>> {
    let (period, at) = (Period::new(T::from_f64(lo), T::from_f64(length)), number(lo));
    if !period.lo.is_finite() {
        return Err(refused(axis, "lo", lo, format_args!("finite in {}", T::NAME)));
    }
    let least = 2.0 * T::LEAST_NORMAL;
    let allowed = if !period.length.is_finite() || period.length.to_f64() < least {
        words(format_args!(
            "finite and at least {} in {} for a periodic axis",
            number(least),
            T::NAME
        ))
    } else if !period.hi.is_finite() {
        words(format_args!(
            "small enough that lo + length is finite in {}, with lo = {at}",
            T::NAME
        ))
    } else if period.hi <= period.lo {
        words(format_args!(
            "large enough that lo + length is above lo in {}, with lo = {at}",
            T::NAME
        ))
    } else {
        return Ok(period);
    };
    Err(refused(axis, "length", length, allowed))
}

/// The refusal of what the box is along an axis.
fn refused(axis: usize, argument: &'static str, value: f64, allowed: impl std::fmt::Display) -> Error {
    let allowed = format_args!("{allowed} along {}", ["x", "y", "z"][axis]);
    Error::not_allowed(Status::BadDomain, argument, number(value), allowed)
}

/// An axis `lo .. hi` that repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Period<T> {
    pub lo: T,
    /// `lo + length`, rounded once. No number in `lo .. hi` is `length` or more above `lo`: it would be nearer to
    /// `lo + length` than `hi` is.
    pub hi: T,
    pub length: T,
    /// Half of the length, exactly.
    pub half: T,
}

impl<T: Real> Period<T> {
    /// The axis from `lo` on; the length and the upper end must be ones that [`Domain::periods`] allows.
    pub fn new(lo: T, length: T) -> Period<T> {
        Period {
            lo,
            hi: lo.add(length),
            length,
            half: length.mul(T::from_f64(0.5)),
        }
    }

    /// A coordinate from outside, brought inside. It is no number where its distance from `lo` is infinite.
    fn bring_in(&self, coord: T) -> T {
        let mut above = coord.sub(self.lo).rem(self.length);
        if above < T::default() {
            above = above.add(self.length);
        }
        let wrapped = self.lo.add(above);
        if wrapped >= self.hi { self.lo } else { wrapped }
    }
}

/// Axes that repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Periods<T>(pub [Option<Period<T>>; 3]);

impl<T: Real> Periods<T> {
    /// Whether no axis repeats.
    pub fn is_open(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// The error of the difference of two wrapped coordinates, to the nearest image: it was rounded when it still
    /// was about a length. Where the axis begins does not matter: a difference is rounded relative to itself.
    pub fn slack(&self) -> f64 {
        let lengths = self.0.iter().flatten().map(|period| period.length.to_f64());
        T::ROUNDOFF * lengths.fold(0.0, f64::max)
    }

    /// The length of the vector by which the edges along periodic axes differ from those of `other`.
    pub fn change_from(&self, other: &Periods<T>) -> f64 {
        let [mine, others] = [self.lengths(), other.lengths()];
        let changes = mine
            .iter()
            .zip(others)
            .map(|(a, b)| a.zip(b).map_or(0.0, |(a, b)| (a - b).abs()));
        changes.fold(0.0, f64::hypot)
    }

    /// Lengths of the axes in real64; `None` of open ones.
    pub fn lengths(&self) -> [Option<f64>; 3] {
        self.0.map(|period| period.map(|period| period.length.to_f64()))
    }

    /// A coordinate as searches use it: as it is along an open axis and inside a periodic one; from outside it is
    /// brought in.
    #[inline(always)]
    pub fn wrap(&self, axis: usize, coord: T) -> T {
        match &self.0[axis] {
            Some(period) if !(period.lo <= coord && coord < period.hi) => period.bring_in(coord),
            _ => coord,
        }
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

    /// The distance squared of two wrapped points with `dim` axes, along each of which `ends` tells where both are: by
    /// the arithmetic of the oracle, which decides about pairs.
    #[inline(always)]
    pub fn distance2(&self, dim: usize, ends: impl Fn(usize) -> [T; 2]) -> T {
        let difference = |axis: usize| {
            let [a, b] = ends(axis);
            self.difference(axis, a, b)
        };
        let first = difference(0);
        (1..dim).fold(first.mul(first), |d2, axis| d2.add_square(difference(axis)))
    }

    /// Refuses a box with a periodic axis shorter than twice `reach`, which messages call `what`: a pair would then
    /// have several images in reach.
    pub fn check_reach(&self, reach: T, what: &str) -> Result<()> {
        let arguments = ["length of axis x", "length of axis y", "length of axis z"];
        for (period, argument) in self.0.iter().zip(arguments) {
            let Some(period) = period.filter(|period| period.half < reach) else {
                continue;
            };
            let allowed = format_args!(
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

    /// [`check_reach`](Periods::check_reach) of a cutoff and a skin. A sum of both is rounded twice, or once in this
    /// precision, as the caller may have rounded it for the length; with the lesser one, too, no pair within both has
    /// two images.
    pub fn check_skin(&self, cutoff: f64, skin: f64) -> Result<()> {
        let (once, twice) = (T::from_f64(cutoff + skin), T::from_f64(cutoff).add(T::from_f64(skin)));
        self.check_reach(if twice < once { twice } else { once }, "the sum of cutoff and skin")
    }

    /// [`check_reach`](Periods::check_reach) of a cutoff.
    pub fn check_cutoff(&self, cutoff: T) -> Result<()> {
        self.check_reach(cutoff, "the cutoff")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn periods<T: Real>(lo: f64, length: f64) -> Periods<T> {
        let domain = Domain::new(&[lo], &[length], &[true]).unwrap();
        domain.periods(1).unwrap()
    }

    #[test]
    fn a_point_inside_keeps_its_coordinate() {
        let cases: [(f64, f64, &[[f32; 2]]); 4] = [
            (
                -0.5,
                1.0,
                &[
                    [1e-9, 1e-9],
                    [-0.0, -0.0],
                    [-0.5, -0.5],
                    [0.5, -0.5],
                    [0.75, -0.25],
                    [-0.75, 0.25],
                    [7.0, 0.0],
                ],
            ),
            // Between 524288 and 1048576 real32 numbers are 1/16 apart, beyond 1/8.
            (
                1e6,
                1.0,
                &[
                    [1e6, 1e6],
                    [1e6 + 0.9375, 1e6 + 0.9375],
                    [1_000_001.0, 1e6],
                    [1e6 - 0.0625, 1e6 + 0.9375],
                    [0.0, 1e6],
                ],
            ),
            // A point that is rounded up to the end is at the beginning.
            (
                1.0,
                1.0,
                &[[1.0f32.next_down(), 1.0], [2.0, 1.0], [-1e-9, 1.0], [0.25, 1.25]],
            ),
            (
                0.0,
                1.0,
                &[[-1e-9, 0.0], [1.0f32.next_down(), 1.0f32.next_down()], [-0.25, 0.75]],
            ),
        ];
        for (lo, length, pairs) in cases {
            for &[coord, wrapped] in pairs {
                let found = periods::<f32>(lo, length).wrap(0, coord);
                assert_eq!(found.to_bits(), wrapped.to_bits(), "{coord} from {lo} on: {found}");
            }
        }
    }

    /// Lower corner and length of an open axis may be any numbers, and boxes that differ only in them are the same.
    #[test]
    fn open_axes_mean_nothing() {
        let any = [
            0.0,
            -1.0,
            1e308,
            -1e308,
            1e-320,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        let slab = Domain::new(&[0.0; 3], &[10.0; 3], &[true, true, false]).unwrap();
        for lo in any {
            for length in any {
                let open = Domain::new(&[lo; 3], &[length; 3], &[false; 3]);
                assert_eq!(open, Ok(Domain::default()), "{lo} {length}");
                let given = Domain::new(&[0.0, 0.0, lo], &[10.0, 10.0, length], &[true, true, false]);
                assert_eq!(given, Ok(slab), "{lo} {length}");
                let periodic = Domain::new(&[0.0, lo], &[10.0, length], &[false, true]);
                let is_fine = lo.is_finite() && length > 1e-300 && (lo + length).is_finite() && lo + length > lo;
                assert_eq!(periodic.is_ok(), is_fine, "{lo} {length}");
            }
        }
    }

    /// No number below the upper end is a length or more above the lower one, however the end was rounded.
    #[test]
    fn inside_is_less_than_a_length_wide() {
        let mut random = Random(5);
        let mut next = || (random.bits() >> 40) as f32 / (1u64 << 24) as f32;
        for k in 0..100_000 {
            let (lo, length) = ((next() - 0.5) * 2f32.powi(k % 30), next() + 1e-3);
            let period = Period::new(lo, length);
            if period.hi > lo {
                let last = f64::from(period.hi.next_down());
                assert!(last < f64::from(lo) + f64::from(length), "{period:?}"); // exact in real64
            }
        }
    }
}
