//! The kernels, once for all instruction sets.
//!
//! ```text
//! for each vector of targets:  d2 = sum over axes, left to right, of (p - t)^2
//!     mask = d2 <= bound, lanes past the range's end cleared
//!     count: add the bits of mask and (id > above)       emit: append the ids under mask
//! ```

use std::ops::Range;

use super::vector::Vector;
use super::{Probe, Targets};

/// The targets of the vector at `at` that are in reach, lanes from `end` on cleared.
#[inline(always)]
unsafe fn in_reach<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    point: &[V; DIM],
    bound: V,
    at: usize,
    end: usize,
) -> u32 {
    // SAFETY: the caller runs where V is available and keeps `at + LANES` inside the slices.
    unsafe {
        let difference = |axis: usize| point[axis].sub(V::load(targets.coords[axis].as_ptr().add(at)));
        let mut d2 = difference(0).square();
        for axis in 1..DIM {
            d2 = d2.add_square(difference(axis));
        }
        let mask = d2.le(bound);
        if end - at >= V::LANES {
            mask
        } else {
            mask & ((1 << (end - at)) - 1)
        }
    }
}

#[inline(always)]
unsafe fn splat_point<V: Vector, const DIM: usize>(probe: &Probe<V::Real>) -> [V; DIM] {
    // SAFETY: the caller runs where V is available.
    std::array::from_fn(|axis| unsafe { V::splat(probe.point[axis]) })
}

/// See [`Kernels::count`](super::Kernels::count).
#[inline(always)]
pub unsafe fn count<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: Range<usize>,
    probe: &Probe<V::Real>,
    above: i32,
) -> usize {
    // SAFETY: the caller runs where V is available; vectors start inside the range, which is padded.
    unsafe {
        let (point, bound) = (splat_point::<V, DIM>(probe), V::splat(probe.bound));
        let mut count = 0;
        let mut at = range.start;
        while at < range.end {
            let mask = in_reach(targets, &point, bound, at, range.end);
            count += (mask & V::ids_above(targets.ids.as_ptr().add(at), above)).count_ones() as usize;
            at += V::LANES;
        }
        count
    }
}

/// See [`Kernels::emit`](super::Kernels::emit).
#[inline(always)]
pub unsafe fn emit<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: Range<usize>,
    probe: &Probe<V::Real>,
    row: *mut i32,
) -> usize {
    // SAFETY: as in `count`; at most one id is written per target, plus the rest of the last vector.
    unsafe {
        let (point, bound) = (splat_point::<V, DIM>(probe), V::splat(probe.bound));
        let mut len = 0;
        let mut at = range.start;
        while at < range.end {
            let mask = in_reach(targets, &point, bound, at, range.end);
            V::compress(targets.ids.as_ptr().add(at), mask, row.add(len));
            len += mask.count_ones() as usize;
            at += V::LANES;
        }
        len
    }
}

/// The table of kernels of one precision: each instance wrapped so that it is compiled for its instruction set.
macro_rules! kernels {
    ($vector:ty, $real:ty, $($feature:literal)?) => {
        use std::ops::Range;

        use super::super::{Kernels, Probe, Targets, kernel};

        $(#[target_feature(enable = $feature)])?
        unsafe fn count<const DIM: usize>(
            targets: &Targets<$real>,
            range: Range<usize>,
            probe: &Probe<$real>,
            above: i32,
        ) -> usize {
            // SAFETY: the caller vouches for the instruction set and the padding.
            unsafe { kernel::count::<$vector, DIM>(targets, range, probe, above) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn emit<const DIM: usize>(
            targets: &Targets<$real>,
            range: Range<usize>,
            probe: &Probe<$real>,
            row: *mut i32,
        ) -> usize {
            // SAFETY: the caller vouches for the instruction set, the padding and the room in `row`.
            unsafe { kernel::emit::<$vector, DIM>(targets, range, probe, row) }
        }

        pub const KERNELS: [Kernels<$real>; 3] = [
            Kernels { dim: 1, count: count::<1>, emit: emit::<1> },
            Kernels { dim: 2, count: count::<2>, emit: emit::<2> },
            Kernels { dim: 3, count: count::<3>, emit: emit::<3> },
        ];
    };
}
pub(super) use kernels;
