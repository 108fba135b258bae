//! Kernels in the caller's precision, once for all instruction sets.
//!
//! ```text
//! for each vector of targets:  d2 = sum over axes, left to right, of (p - t)^2
//!     hit = d2 <= bound, lanes past the range's end cleared
//!     Emit: append the ids under hit        Measure: append ids and d2 under hit        Squares: append d2 under hit
//!     RowBits: for each of some points the bits themselves
//! Rank: for each value, lanes of all values less those where value <= lane
//! ```

pub mod near;

use std::ops::Range;

use crate::axes::per_axis;
use crate::domain::Periods;
use crate::memory::PADDING;
use crate::simd::{InstructionSet, Kernel, KernelIn, Vector, Width};

/// Points tested against: coordinates per axis (only `dim` are read) and ids, each with [`PADDING`] elements more than
/// any range tested.
#[derive(Clone, Copy)]
pub struct Targets<'a, T> {
    pub coords: [&'a [T]; 3],
    pub ids: &'a [i32],
    /// One more column, for searches with a radius for each point; else empty.
    pub bounds: &'a [T],
}

impl<T> Targets<'_, T> {
    /// Checks that vectors of `DIM` coordinates that start inside the range stay inside the slices.
    #[inline(always)]
    pub(super) fn check<const DIM: usize>(&self, range: &Range<usize>) {
        let padded = range.end + PADDING;
        assert!(range.start <= range.end && self.ids.len() >= padded);
        assert!(self.coords[..DIM].iter().all(|coords| coords.len() >= padded));
    }
}

/// A point to test targets against: those at most `bound` away, squared, are in reach.
pub struct Ball<'a, T> {
    pub point: [T; 3],
    pub bound: T,
    /// Axes along which the nearest image of a target counts.
    pub periods: &'a Periods<T>,
}

/// Targets, 32 at most, that the points from number `points` on are tested against.
pub struct Among<'a, T> {
    pub points: usize,
    pub range: Range<usize>,
    pub bound: T,
    pub periods: &'a Periods<T>,
}

/// Lanes from `end` on cleared.
#[inline(always)]
fn cut<V: Vector>(mask: u32, at: usize, end: usize) -> u32 {
    if end - at >= V::LANES {
        mask
    } else {
        mask & ((1 << (end - at)) - 1)
    }
}

/// The lengths of the periodic axes; `None` of open ones.
///
/// # Safety
/// V is available.
#[inline(always)]
pub(super) unsafe fn lengths<V: Vector, const DIM: usize>(periods: &Periods<V::Real>) -> [Option<V>; DIM] {
    let mut lengths = [None; DIM];
    for (length, period) in lengths.iter_mut().zip(&periods.0) {
        if let Some(period) = period {
            // SAFETY: the caller runs where V is available.
            *length = Some(unsafe { V::splat(period.length) });
        }
    }
    lengths
}

/// The difference `d` to the nearest image, except for its sign: the lesser of `|d|` and `length - |d|`, as rounding is
/// monotone and half a length less itself exact.
///
/// # Safety
/// V is available.
#[inline(always)]
unsafe fn nearest<V: Vector>(d: V, length: V) -> V {
    // SAFETY: the caller runs where V is available.
    unsafe {
        let zero = length.sub(length);
        let size = d.max(zero.sub(d));
        zero.sub(size).max(size.sub(length))
    }
}

/// The distance squared, summed from left to right, along periodic axes to the nearest image.
///
/// # Safety
/// V is available.
#[inline(always)]
pub(super) unsafe fn distance2<V: Vector, const DIM: usize>(
    a: &[V; DIM],
    b: &[V; DIM],
    lengths: &[Option<V>; DIM],
) -> V {
    // SAFETY: the caller runs where V is available.
    unsafe {
        let mut d2 = difference(a[0], b[0], lengths[0]).square();
        for axis in 1..DIM {
            d2 = d2.add_square(difference(a[axis], b[axis], lengths[axis]));
        }
        d2
    }
}

/// `a - b`; along a periodic axis to the nearest image, except for its sign. (A function, for a closure is not always
/// compiled for the instruction set.)
///
/// # Safety
/// V is available.
#[inline(always)]
unsafe fn difference<V: Vector>(a: V, b: V, length: Option<V>) -> V {
    // SAFETY: the caller runs where V is available.
    unsafe {
        match length {
            Some(length) => nearest(a.sub(b), length),
            None => a.sub(b),
        }
    }
}

/// Calls `each` with the start, the distances squared and the hits of every vector of `range`.
///
/// # Safety
/// V is available, and targets are padded after `range`.
#[inline(always)]
unsafe fn run<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: &Range<usize>,
    reach: &Ball<V::Real>,
    each: impl FnMut(usize, V, u32),
) {
    // SAFETY: the caller's promise.
    unsafe {
        if reach.periods.is_open() {
            run_in::<V, DIM>(targets, range, reach, &[None; DIM], each);
        } else {
            run_in::<V, DIM>(targets, range, reach, &lengths(reach.periods), each);
        }
    }
}

/// # Safety
/// V is available, and targets are padded after `range`.
#[inline(always)]
unsafe fn run_in<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: &Range<usize>,
    reach: &Ball<V::Real>,
    lengths: &[Option<V>; DIM],
    mut each: impl FnMut(usize, V, u32),
) {
    // SAFETY: the caller runs where V is available; every vector starts inside the range, which is padded.
    unsafe {
        let point: [V; DIM] = per_axis(|axis| V::splat(reach.point[axis]));
        let bound = V::splat(reach.bound);
        for at in range.clone().step_by(V::LANES) {
            let target = per_axis(|axis| V::load(targets.coords[axis].as_ptr().add(at)));
            let d2 = distance2(&point, &target, lengths);
            each(at, d2, cut::<V>(d2.le(bound), at, range.end));
        }
    }
}

/// Targets of a range that each of some points reaches, as bits, the lowest for the first: `rows[k]` is written for
/// those bits `k` of `of` that are set.
pub struct RowBits<'a, T> {
    pub targets: Targets<'a, T>,
    pub among: Among<'a, T>,
    pub of: u32,
    pub rows: &'a mut [u32; 32],
}

impl<T: Width> KernelIn for RowBits<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) {
        let RowBits {
            targets,
            among,
            mut of,
            rows,
        } = self;
        targets.check::<DIM>(&among.range);
        assert!(among.range.len() <= 32);
        targets.check::<DIM>(&(among.points..among.points + 32 - of.leading_zeros() as usize));
        // SAFETY: S is there, the range is padded, and the points are targets too (checked above).
        unsafe {
            let lengths = lengths::<T::Vector<S>, DIM>(among.periods);
            while of != 0 {
                let at = of.trailing_zeros() as usize;
                of &= of - 1;
                let mut point = [T::default(); 3];
                for (axis, coord) in point.iter_mut().enumerate().take(DIM) {
                    *coord = *targets.coords[axis].get_unchecked(among.points + at);
                }
                let reach = Ball {
                    point,
                    bound: among.bound,
                    periods: among.periods,
                };
                let (mut bits, start) = (0, among.range.start);
                run_in::<T::Vector<S>, DIM>(&targets, &among.range, &reach, &lengths, |at, _, hits| {
                    bits |= hits << (at - start)
                });
                *rows.get_unchecked_mut(at) = bits;
            }
        }
    }
}

/// Writes the ids of the targets of `range` in reach, in their order, to the front of `row`, and returns how many.
/// `row` needs room for [`PADDING`] more than the range is long.
pub struct Emit<'a, T> {
    pub targets: Targets<'a, T>,
    pub range: Range<usize>,
    pub reach: &'a Ball<'a, T>,
    pub row: &'a mut [i32],
}

impl<T: Width> KernelIn for Emit<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) -> usize {
        let Emit {
            targets,
            range,
            reach,
            row,
        } = self;
        targets.check::<DIM>(&range);
        assert!(row.len() >= range.len() + PADDING);
        let (row, mut len) = (row.as_mut_ptr(), 0);
        // SAFETY: S is there, and the range is padded (checked above); at most one id is written per target, plus the
        // rest of the last vector, for which there is room.
        unsafe {
            run::<T::Vector<S>, DIM>(&targets, &range, reach, |at, _, hits| {
                T::Vector::<S>::compress_ids(targets.ids.as_ptr().add(at), hits, row.add(len));
                len += hits.count_ones() as usize;
            });
        }
        len
    }
}

/// Writes ids and distances squared of the targets of `range` in reach, in their order, to the front of `ids` and
/// `squares`, and returns how many. Both need room for [`PADDING`] more than the range is long.
pub struct Measure<'a, T> {
    pub targets: Targets<'a, T>,
    pub range: Range<usize>,
    pub reach: &'a Ball<'a, T>,
    pub ids: &'a mut [i32],
    pub squares: &'a mut [T],
}

impl<T: Width> KernelIn for Measure<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) -> usize {
        let Measure {
            targets, range, reach, ..
        } = self;
        targets.check::<DIM>(&range);
        assert!(self.ids.len().min(self.squares.len()) >= range.len() + PADDING);
        let (ids, squares, mut len) = (self.ids.as_mut_ptr(), self.squares.as_mut_ptr(), 0);
        // SAFETY: as in `Emit`, of both arrays.
        unsafe {
            run::<T::Vector<S>, DIM>(&targets, &range, reach, |at, d2, hits| {
                T::Vector::<S>::compress_ids(targets.ids.as_ptr().add(at), hits, ids.add(len));
                d2.compress(hits, squares.add(len));
                len += hits.count_ones() as usize;
            });
        }
        len
    }
}

/// Writes the distances squared of the targets of `range` in reach, in their order, to the front of `squares`, and returns
/// how many. `squares` needs room for [`PADDING`] more than the range is long.
pub struct Squares<'a, T> {
    pub targets: Targets<'a, T>,
    pub range: Range<usize>,
    pub reach: &'a Ball<'a, T>,
    pub squares: &'a mut [T],
}

impl<T: Width> KernelIn for Squares<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) -> usize {
        let Squares {
            targets, range, reach, ..
        } = self;
        targets.check::<DIM>(&range);
        assert!(self.squares.len() >= range.len() + PADDING);
        let (squares, mut len) = (self.squares.as_mut_ptr(), 0);
        // SAFETY: as in `Emit`.
        unsafe {
            run::<T::Vector<S>, DIM>(&targets, &range, reach, |_, d2, hits| {
                d2.compress(hits, squares.add(len));
                len += hits.count_ones() as usize;
            });
        }
        len
    }
}

/// Writes to `ranks[k]` how many of the first `len` of `values` are less than the `k`-th. The [`PADDING`] after them
/// are not less than any.
pub struct Rank<'a, T> {
    pub values: &'a [T],
    pub len: usize,
    pub ranks: &'a mut [u32],
}

impl<T: Width> Kernel for Rank<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet>(self, _: S) {
        let Rank { values, len, ranks } = self;
        assert!(values.len() >= len + PADDING && ranks.len() >= len);
        let lanes = len.next_multiple_of(T::Vector::<S>::LANES);
        let (values, ranks) = (values.as_ptr(), ranks.as_mut_ptr());
        for k in 0..len {
            // SAFETY: S is there; vectors start before `len`, and as many ranks are written (checked above).
            unsafe {
                let value = T::Vector::<S>::splat(values.add(k).read());
                let mut not_less = 0;
                for at in (0..lanes).step_by(T::Vector::<S>::LANES) {
                    not_less += value.le(T::Vector::<S>::load(values.add(at))).count_ones();
                }
                ranks.add(k).write(lanes as u32 - not_less);
            }
        }
    }
}
