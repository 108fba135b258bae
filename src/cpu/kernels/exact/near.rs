//! Kernels in the caller's precision that select the targets near a box.
//!
//! ```text
//! for each vector of targets:  d2 = sum over axes, left to right, of the distance from the box squared
//!     hit = d2 <= upper, lanes past the range's end cleared
//!     SelectNear: append the targets under hit        NearBits: the bits themselves
//! ```

use std::ops::Range;

use super::{Targets, cut, lengths};
use crate::axes::per_axis;
use crate::domain::Periods;
use crate::memory::PADDING;
use crate::simd::{InstructionSet, KernelIn, Vector, Width};

/// A box to select targets around: those at most `upper` away, squared, of which along a periodic axis the nearest
/// image.
pub struct Near<'a, T> {
    pub lo: [T; 3],
    pub hi: [T; 3],
    pub upper: T,
    pub periods: &'a Periods<T>,
}

/// Memory for selected targets: arrays as long as those of the targets.
pub struct Selection<'a, T> {
    pub coords: [&'a mut [T]; 3],
    pub ids: &'a mut [i32],
    pub bounds: &'a mut [T],
}

/// The distance of coordinates outside of `lo .. hi`, and of a periodic axis their nearest images.
///
/// # Safety
/// V is available.
#[inline(always)]
unsafe fn outside<V: Vector>(coord: V, lo: V, hi: V, length: Option<V>, zero: V) -> V {
    // SAFETY: the caller runs where V is available.
    unsafe {
        let distance = lo.sub(coord).max(coord.sub(hi));
        let Some(length) = length else {
            return distance.max(zero);
        };
        // Or from the images on either side, as differences are brought to the nearest; the least, negated.
        let (above, below) = (hi.sub(coord).sub(length), coord.sub(lo).sub(length));
        zero.sub(zero.sub(distance).max(above).max(below)).max(zero)
    }
}

/// Copies those of the first `len` targets that are `near` a box, in their order, and returns how many. No target in
/// reach of a point in the box is left out: rounding is monotone, so the rounded distance from the box never exceeds
/// the rounded distance from the point.
pub struct SelectNear<'a, T> {
    pub targets: Targets<'a, T>,
    pub len: usize,
    pub near: &'a Near<'a, T>,
    pub to: Selection<'a, T>,
}

impl<T: Width> KernelIn for SelectNear<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) -> usize {
        let SelectNear { targets, len, near, to } = self;
        // SAFETY: S is there.
        unsafe {
            let (upper, lengths) = (T::Vector::<S>::splat(near.upper), lengths(near.periods));
            select::<_, DIM>(&targets, len, (near.lo, near.hi), &lengths, |_| upper, to)
        }
    }
}

/// Copies those of the first `len` targets that are near a box, as [`run_near`] has it, with all their columns.
///
/// # Safety
/// V is available.
#[inline(always)]
pub(in crate::cpu::kernels) unsafe fn select<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    len: usize,
    corners: ([V::Real; 3], [V::Real; 3]),
    lengths: &[Option<V>; DIM],
    upper: impl Fn(usize) -> V,
    to: Selection<V::Real>,
) -> usize {
    targets.check::<DIM>(&(0..len));
    let padded = len + PADDING;
    assert!(to.ids.len() >= padded && to.coords[..DIM].iter().all(|coords| coords.len() >= padded));
    let has_bounds = !to.bounds.is_empty();
    assert!(!has_bounds || to.bounds.len().min(targets.bounds.len()) >= padded);
    let mut selected = 0;
    // SAFETY: the caller runs where V is available; both sides are padded (checked above); no more is written than was
    // read.
    unsafe {
        run_near(
            targets,
            0..len,
            corners,
            lengths,
            upper,
            |at, coords: &[V; DIM], hits| {
                for (axis, coord) in coords.iter().enumerate() {
                    coord.compress(hits, to.coords[axis].as_mut_ptr().add(selected));
                }
                if has_bounds {
                    V::load(targets.bounds.as_ptr().add(at)).compress(hits, to.bounds.as_mut_ptr().add(selected));
                }
                V::compress_ids(targets.ids.as_ptr().add(at), hits, to.ids.as_mut_ptr().add(selected));
                selected += hits.count_ones() as usize;
            },
        );
    }
    selected
}

/// The targets of `range`, 32 at most, that [`SelectNear`] would copy, as bits.
pub struct NearBits<'a, T> {
    pub targets: Targets<'a, T>,
    pub range: Range<usize>,
    pub near: &'a Near<'a, T>,
}

impl<T: Width> KernelIn for NearBits<'_, T> {
    type Output = u32;

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) -> u32 {
        let NearBits { targets, range, near } = self;
        targets.check::<DIM>(&range);
        assert!(range.len() <= u32::BITS as usize);
        let (mut bits, start) = (0, range.start);
        // SAFETY: S is there, and the range is padded (checked above).
        unsafe {
            let (upper, lengths) = (T::Vector::<S>::splat(near.upper), lengths(near.periods));
            let each = |at: usize, _: &[_; DIM], hits| bits |= hits << (at - start);
            run_near(&targets, range, (near.lo, near.hi), &lengths, |_| upper, each);
        }
        bits
    }
}

/// Calls `each` with the start, the coordinates and the hits of every vector of `range`: of the targets at most as far
/// from a box, squared, as `upper` says of the vector that starts there.
///
/// # Safety
/// V is available, and targets are padded after `range`.
#[inline(always)]
unsafe fn run_near<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: Range<usize>,
    (lo, hi): ([V::Real; 3], [V::Real; 3]),
    lengths: &[Option<V>; DIM],
    upper: impl Fn(usize) -> V,
    mut each: impl FnMut(usize, &[V; DIM], u32),
) {
    // SAFETY: the caller runs where V is available; every vector starts inside the range, which is padded.
    unsafe {
        let splat = |corner: [V::Real; 3]| -> [V; DIM] { per_axis(|axis| V::splat(corner[axis])) };
        let (lo, hi, zero) = (splat(lo), splat(hi), V::splat(V::Real::default()));
        let mut at = range.start;
        while at < range.end {
            let coords: [V; DIM] = per_axis(|axis| V::load(targets.coords[axis].as_ptr().add(at)));
            let mut d2 = outside(coords[0], lo[0], hi[0], lengths[0], zero).square();
            for axis in 1..DIM {
                d2 = d2.add_square(outside(coords[axis], lo[axis], hi[axis], lengths[axis], zero));
            }
            each(at, &coords, cut::<V>(d2.le(upper(at)), at, range.end));
            at += V::LANES;
        }
    }
}
