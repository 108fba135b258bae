//! The kernels, once for all instruction sets.
//!
//! ```text
//! for each vector of targets:  d2 = sum over axes, left to right, of (p - t)^2
//!     hit = d2 <= upper, lanes past the range's end cleared
//!     doubtful = hit and not d2 <= lower
//!     count: add the bits of hit        emit: append the ids under hit
//! select: the same with p - t replaced by the distance from a box, and the targets under hit appended
//! ```
//!
//! Doubt is rare: the fast pass only notices it, and then the range is done again with every doubtful target decided. A
//! call in the fast loop would cost its registers.

use std::ops::Range;

use super::vector::{Counting, Vector};
use super::{Decide, Probe, Reach, Selection, Targets};
use crate::domain::Bounds;

/// Lanes from `end` on cleared.
#[inline(always)]
fn cut<V: Vector>(mask: u32, at: usize, end: usize) -> u32 {
    if end - at >= V::LANES {
        mask
    } else {
        mask & ((1 << (end - at)) - 1)
    }
}

/// What the kernels of points keep in registers.
struct Splat<V, const DIM: usize> {
    point: [V; DIM],
    lower: V,
    upper: V,
}

impl<V: Vector, const DIM: usize> Splat<V, DIM> {
    #[inline(always)]
    unsafe fn new(point: &[V::Real; 3], bounds: &Bounds<V::Real>) -> Self {
        // SAFETY: the caller runs where V is available.
        unsafe {
            Splat {
                point: std::array::from_fn(|axis| V::splat(point[axis])),
                lower: V::splat(bounds.lower),
                upper: V::splat(bounds.upper),
            }
        }
    }

    /// The targets of the vector at `at` that are in reach, and those of them that are doubtful.
    #[inline(always)]
    unsafe fn hits(&self, targets: &Targets<V::Real>, at: usize, end: usize) -> (u32, u32) {
        // SAFETY: the caller runs where V is available and keeps `at + LANES` inside the slices.
        unsafe {
            let difference = |axis: usize| self.point[axis].sub(V::load(targets.coords[axis].as_ptr().add(at)));
            let mut d2 = difference(0).square();
            for axis in 1..DIM {
                d2 = d2.add_square(difference(axis));
            }
            let hits = cut::<V>(d2.le(self.upper), at, end);
            (hits, hits & !d2.le(self.lower))
        }
    }

    /// Calls `each` with the start and the hits of every vector. Without `decide`, stops being right once a target is
    /// doubtful, and tells so at the end.
    #[inline(always)]
    unsafe fn run(
        &self,
        targets: &Targets<V::Real>,
        range: &Range<usize>,
        decide: Option<&dyn Decide>,
        mut each: impl FnMut(usize, u32),
    ) -> bool {
        let (mut at, mut doubt) = (range.start, 0);
        while at < range.end {
            // SAFETY: the vector starts inside the range, which is padded.
            let (mut hits, doubtful) = unsafe { self.hits(targets, at, range.end) };
            if let Some(decide) = decide
                && doubtful != 0
            {
                hits = hits & !doubtful | decide.decide(at, doubtful);
            }
            doubt |= doubtful;
            each(at, hits);
            at += V::LANES;
        }
        doubt != 0
    }
}

/// See [`Kernels::count`](super::Kernels::count).
#[inline(always)]
pub unsafe fn count<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: Range<usize>,
    reach: &Reach<V::Real>,
) -> usize {
    // SAFETY: the caller runs where V is available and the range is padded.
    unsafe {
        let probe = Splat::<V, DIM>::new(&reach.point, &reach.bounds);
        let pass = |decide: Option<&dyn Decide>| {
            let mut count = 0;
            let doubt = probe.run(targets, &range, decide, |_, hits| count += hits.count_ones() as usize);
            (count, doubt)
        };
        let (count, doubt) = pass(None);
        if doubt && reach.decide.is_some() {
            pass(reach.decide).0
        } else {
            count
        }
    }
}

/// See [`Kernels::emit`](super::Kernels::emit).
#[inline(always)]
pub unsafe fn emit<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: Range<usize>,
    reach: &Reach<V::Real>,
    row: *mut i32,
) -> usize {
    // SAFETY: as in `count`; at most one id is written per target, plus the rest of the last vector.
    unsafe {
        let probe = Splat::<V, DIM>::new(&reach.point, &reach.bounds);
        let pass = |decide: Option<&dyn Decide>| {
            let mut len = 0;
            let doubt = probe.run(targets, &range, decide, |at, hits| {
                V::compress_ids(targets.ids.as_ptr().add(at), hits, row.add(len));
                len += hits.count_ones() as usize;
            });
            (len, doubt)
        };
        let (len, doubt) = pass(None);
        if doubt && reach.decide.is_some() {
            pass(reach.decide).0
        } else {
            len
        }
    }
}

/// See [`Tally::tally`](super::Tally::tally).
#[inline(always)]
pub unsafe fn tally<V: Counting, const DIM: usize>(
    targets: &Targets<f32>,
    runs: &[Range<usize>],
    probe: &Probe,
    counters: &mut [u32],
    doubts: &mut [(u32, u32)],
) -> (u32, usize) {
    // SAFETY: the caller runs where V is available; runs are padded in the targets and end inside the counters.
    unsafe {
        let splat = Splat::<V, DIM>::new(&probe.point, &probe.bounds);
        let (mut found, mut doubtful) = (0, 0);
        for run in runs {
            let mut at = run.start;
            while at < run.end {
                let (mut hits, doubt) = splat.hits(targets, at, run.end);
                if doubt != 0 {
                    doubts[doubtful] = (at as u32, doubt);
                    doubtful += 1;
                    hits &= !doubt;
                }
                let mut others = hits;
                if !probe.full {
                    let above = V::ids_above(targets.ids.as_ptr().add(at), probe.id);
                    (hits, others) = (hits & above, hits & !above);
                }
                found += hits.count_ones();
                if at + V::LANES <= counters.len() {
                    V::increment(counters.as_mut_ptr().add(at), others);
                } else {
                    increment_each(&mut counters[at..], others);
                }
                at += V::LANES;
            }
        }
        (found, doubtful)
    }
}

/// Where a whole vector would reach beyond the counters.
#[cold]
fn increment_each(counters: &mut [u32], mut mask: u32) {
    while mask != 0 {
        counters[mask.trailing_zeros() as usize] += 1;
        mask &= mask - 1;
    }
}

/// See [`Kernels::select`](super::Kernels::select).
#[inline(always)]
pub unsafe fn select<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    len: usize,
    lo: &[V::Real; 3],
    hi: &[V::Real; 3],
    upper: V::Real,
    selection: &mut Selection<V::Real>,
) -> usize {
    // SAFETY: the caller runs where V is available; both sides are padded; no more is written than was read.
    unsafe {
        let splat = |corner: &[V::Real; 3]| -> [V; DIM] { std::array::from_fn(|axis| V::splat(corner[axis])) };
        let (lo, hi, upper) = (splat(lo), splat(hi), V::splat(upper));
        let zero = upper.sub(upper); // corners may be infinite
        let mut selected = 0;
        let mut at = 0;
        while at < len {
            let coords: [V; DIM] = std::array::from_fn(|axis| V::load(targets.coords[axis].as_ptr().add(at)));
            let outside = |axis: usize| lo[axis].sub(coords[axis]).max(coords[axis].sub(hi[axis])).max(zero);
            let mut d2 = outside(0).square();
            for axis in 1..DIM {
                d2 = d2.add_square(outside(axis));
            }
            let hits = cut::<V>(d2.le(upper), at, len);
            for (axis, coord) in coords.iter().enumerate() {
                coord.compress(hits, selection.coords[axis].as_mut_ptr().add(selected));
            }
            V::compress_ids(
                targets.ids.as_ptr().add(at),
                hits,
                selection.ids.as_mut_ptr().add(selected),
            );
            selected += hits.count_ones() as usize;
            at += V::LANES;
        }
        selected
    }
}

/// The table of kernels of one precision: each instance wrapped so that it is compiled for its instruction set.
macro_rules! kernels {
    ($vector:ty, $real:ty, $($feature:literal)?) => {
        use std::ops::Range;

        use super::super::{Kernels, Reach, Selection, Targets, kernel};

        $(#[target_feature(enable = $feature)])?
        unsafe fn count<const DIM: usize>(
            targets: &Targets<$real>,
            range: Range<usize>,
            reach: &Reach<$real>,
        ) -> usize {
            // SAFETY: the caller vouches for the instruction set and the padding.
            unsafe { kernel::count::<$vector, DIM>(targets, range, reach) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn emit<const DIM: usize>(
            targets: &Targets<$real>,
            range: Range<usize>,
            reach: &Reach<$real>,
            row: *mut i32,
        ) -> usize {
            // SAFETY: the caller vouches for the instruction set, the padding and the room in `row`.
            unsafe { kernel::emit::<$vector, DIM>(targets, range, reach, row) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn select<const DIM: usize>(
            targets: &Targets<$real>,
            len: usize,
            lo: &[$real; 3],
            hi: &[$real; 3],
            upper: $real,
            selection: &mut Selection<$real>,
        ) -> usize {
            // SAFETY: the caller vouches for the instruction set and the padding of both sides.
            unsafe { kernel::select::<$vector, DIM>(targets, len, lo, hi, upper, selection) }
        }

        pub const KERNELS: [Kernels<$real>; 3] = [
            Kernels { dim: 1, count: count::<1>, emit: emit::<1>, select: select::<1> },
            Kernels { dim: 2, count: count::<2>, emit: emit::<2>, select: select::<2> },
            Kernels { dim: 3, count: count::<3>, emit: emit::<3>, select: select::<3> },
        ];
    };
}
pub(super) use kernels;

/// The tallies of an instruction set, by dim minus one.
macro_rules! tally_kernels {
    ($vector:ty, $($feature:literal)?) => {
        use super::super::{Probe, Tally};

        $(#[target_feature(enable = $feature)])?
        unsafe fn tally<const DIM: usize>(
            targets: &Targets<f32>,
            runs: &[std::ops::Range<usize>],
            probe: &Probe,
            counters: &mut [u32],
            doubts: &mut [(u32, u32)],
        ) -> (u32, usize) {
            // SAFETY: the caller vouches for the instruction set, the padding and the counters.
            unsafe { kernel::tally::<$vector, DIM>(targets, runs, probe, counters, doubts) }
        }

        pub const TALLIES: [Tally; 3] = [
            Tally { dim: 1, tally: tally::<1> },
            Tally { dim: 2, tally: tally::<2> },
            Tally { dim: 3, tally: tally::<3> },
        ];
    };
}
pub(super) use tally_kernels;
