//! The kernels, once for all instruction sets.
//!
//! ```text
//! for each vector of targets:  d2 = sum over axes, left to right, of (p - t)^2
//!     hit = d2 <= bound, lanes past the range's end cleared
//!     count: add the bits of hit        emit: append the ids under hit        measure: append ids and d2 under hit
//!     rows: for each of some points the bits themselves
//! select: the same with p - t replaced by the distance from a box, and the targets under hit appended; near: the bits
//! rank: for each value, lanes of all values less those where value <= lane
//! ```

use std::ops::Range;

use super::vector::Vector;
use super::{Among, Near, Reach, Selection, Targets};
use crate::axes::per_axis;
use crate::domain::Periods;

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

/// The difference `d` to the nearest image, except for its sign: the lesser of `|d|` and `length - |d|`, as rounding is monotone
/// and half a length less itself exact.
///
/// # Safety
/// V is available.
#[inline(always)]
pub(super) unsafe fn nearest<V: Vector>(d: V, length: V) -> V {
    // SAFETY: the caller runs where V is available.
    unsafe {
        let zero = length.sub(length);
        let size = d.max(zero.sub(d));
        zero.sub(size).max(size.sub(length))
    }
}

/// A point's coordinate less those of the targets from `at` on; of a periodic axis, to the nearest image, except for its sign.
/// (A function, for a closure is not always compiled for the instruction set.)
///
/// # Safety
/// V is available, and whole vectors of targets are readable from `at` on.
#[inline(always)]
unsafe fn difference<V: Vector>(point: V, targets: &Targets<V::Real>, axis: usize, at: usize, length: Option<V>) -> V {
    // SAFETY: the caller runs where V is available; the targets are padded.
    unsafe {
        let d = point.sub(V::load(targets.coords[axis].as_ptr().add(at)));
        match length {
            Some(length) => nearest(d, length),
            None => d,
        }
    }
}

/// How far coordinates are outside of `lo .. hi`, and of a periodic axis their nearest images.
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

/// Calls `each` with the start, the distances squared and the hits of every vector of `range`.
///
/// # Safety
/// V is available, and targets are padded behind `range`.
#[inline(always)]
unsafe fn run<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: &Range<usize>,
    reach: &Reach<V::Real>,
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
/// V is available, and targets are padded behind `range`.
#[inline(always)]
unsafe fn run_in<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: &Range<usize>,
    reach: &Reach<V::Real>,
    lengths: &[Option<V>; DIM],
    mut each: impl FnMut(usize, V, u32),
) {
    // SAFETY: the caller runs where V is available; every vector starts inside the range, which is padded.
    unsafe {
        let point: [V; DIM] = per_axis(|axis| V::splat(reach.point[axis]));
        let bound = V::splat(reach.bound);
        for at in range.clone().step_by(V::LANES) {
            let mut d2 = difference(point[0], targets, 0, at, lengths[0]).square();
            for axis in 1..DIM {
                d2 = d2.add_square(difference(point[axis], targets, axis, at, lengths[axis]));
            }
            each(at, d2, cut::<V>(d2.le(bound), at, range.end));
        }
    }
}

/// See [`Kernels::count`](super::Kernels::count).
///
/// # Safety
/// V is available, and targets are padded behind `range`.
#[inline(always)]
pub unsafe fn count<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: Range<usize>,
    reach: &Reach<V::Real>,
) -> usize {
    let mut count = 0;
    // SAFETY: the caller runs where V is available and the range is padded.
    unsafe { run::<V, DIM>(targets, &range, reach, |_, _, hits| count += hits.count_ones() as usize) };
    count
}

/// See [`Kernels::rows`](super::Kernels::rows).
///
/// # Safety
/// V is available, targets are padded behind the range, and each bit of `of` is that of a target.
#[inline(always)]
pub unsafe fn rows<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    among: &Among<V::Real>,
    mut of: u32,
    rows: &mut [u32; 32],
) {
    // SAFETY: the caller runs where V is available, the range is padded and the points are there.
    unsafe {
        let lengths = lengths::<V, DIM>(among.periods);
        while of != 0 {
            let at = of.trailing_zeros() as usize;
            of &= of - 1;
            let mut point = [V::Real::default(); 3];
            for (axis, coord) in point.iter_mut().enumerate().take(DIM) {
                *coord = *targets.coords[axis].get_unchecked(among.points + at);
            }
            let reach = Reach {
                point,
                bound: among.bound,
                periods: among.periods,
            };
            let (mut bits, start) = (0, among.range.start);
            run_in::<V, DIM>(targets, &among.range, &reach, &lengths, |at, _, hits| {
                bits |= hits << (at - start)
            });
            *rows.get_unchecked_mut(at) = bits;
        }
    }
}

/// See [`Kernels::emit`](super::Kernels::emit).
///
/// # Safety
/// V is available, targets are padded behind `range`, and `row` is writable for as many ids and a vector more.
#[inline(always)]
pub unsafe fn emit<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: Range<usize>,
    reach: &Reach<V::Real>,
    row: *mut i32,
) -> usize {
    let mut len = 0;
    // SAFETY: as in `count`; at most one id is written per target, plus the rest of the last vector.
    unsafe {
        run::<V, DIM>(targets, &range, reach, |at, _, hits| {
            V::compress_ids(targets.ids.as_ptr().add(at), hits, row.add(len));
            len += hits.count_ones() as usize;
        });
    }
    len
}

/// See [`Kernels::measure`](super::Kernels::measure).
///
/// # Safety
/// V is available, targets are padded behind `range`, and both lists are writable for as many elements and a vector more.
#[inline(always)]
pub unsafe fn measure<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: Range<usize>,
    reach: &Reach<V::Real>,
    ids: *mut i32,
    squares: *mut V::Real,
) -> usize {
    let mut len = 0;
    // SAFETY: as in `emit`, of both arrays.
    unsafe {
        run::<V, DIM>(targets, &range, reach, |at, d2, hits| {
            V::compress_ids(targets.ids.as_ptr().add(at), hits, ids.add(len));
            d2.compress(hits, squares.add(len));
            len += hits.count_ones() as usize;
        });
    }
    len
}

/// See [`Kernels::rank`](super::Kernels::rank).
///
/// # Safety
/// V is available, `values` is readable for `len` elements and a vector more, and `ranks` writable for `len`.
#[inline(always)]
pub unsafe fn rank<V: Vector>(values: *const V::Real, len: usize, ranks: *mut u32) {
    let lanes = len.next_multiple_of(V::LANES);
    for k in 0..len {
        // SAFETY: the caller runs where V is available, and keeps whole vectors readable and `len` ranks writable.
        unsafe {
            let value = V::splat(values.add(k).read());
            let mut not_less = 0;
            for at in (0..lanes).step_by(V::LANES) {
                not_less += value.le(V::load(values.add(at))).count_ones();
            }
            ranks.add(k).write(lanes as u32 - not_less);
        }
    }
}

/// See [`Kernels::select`](super::Kernels::select).
///
/// # Safety
/// V is available, targets are padded behind `len`, and the selection has room for as many and a vector more.
#[inline(always)]
pub unsafe fn select<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    len: usize,
    near: &Near<V::Real>,
    selection: &mut Selection<V::Real>,
) -> usize {
    let mut selected = 0;
    // SAFETY: the caller runs where V is available; both sides are padded; no more is written than was read.
    unsafe {
        run_near::<V, DIM>(targets, 0..len, near, |at, coords, hits| {
            for (axis, coord) in coords.iter().enumerate() {
                coord.compress(hits, selection.coords[axis].as_mut_ptr().add(selected));
            }
            V::compress_ids(
                targets.ids.as_ptr().add(at),
                hits,
                selection.ids.as_mut_ptr().add(selected),
            );
            selected += hits.count_ones() as usize;
        });
    }
    selected
}

/// See [`Kernels::near`](super::Kernels::near).
///
/// # Safety
/// V is available, and targets are padded behind `range`, which is at most 32 long.
#[inline(always)]
pub unsafe fn near<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: Range<usize>,
    near: &Near<V::Real>,
) -> u32 {
    let (mut bits, start) = (0, range.start);
    // SAFETY: the caller runs where V is available and the range is padded.
    unsafe { run_near::<V, DIM>(targets, range, near, |at, _, hits| bits |= hits << (at - start)) };
    bits
}

/// Calls `each` with the start, the coordinates and the hits of every vector of `range`.
///
/// # Safety
/// V is available, and targets are padded behind `range`.
#[inline(always)]
unsafe fn run_near<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    range: Range<usize>,
    near: &Near<V::Real>,
    mut each: impl FnMut(usize, &[V; DIM], u32),
) {
    // SAFETY: the caller runs where V is available; every vector starts inside the range, which is padded.
    unsafe {
        let splat = |corner: &[V::Real; 3]| -> [V; DIM] { per_axis(|axis| V::splat(corner[axis])) };
        let (lo, hi, upper) = (splat(&near.lo), splat(&near.hi), V::splat(near.upper));
        let lengths: [_; DIM] = lengths::<V, DIM>(near.periods);
        let zero = upper.sub(upper); // corners may be infinite
        let mut at = range.start;
        while at < range.end {
            let coords: [V; DIM] = per_axis(|axis| V::load(targets.coords[axis].as_ptr().add(at)));
            let mut d2 = outside(coords[0], lo[0], hi[0], lengths[0], zero).square();
            for axis in 1..DIM {
                d2 = d2.add_square(outside(coords[axis], lo[axis], hi[axis], lengths[axis], zero));
            }
            each(at, &coords, cut::<V>(d2.le(upper), at, range.end));
            at += V::LANES;
        }
    }
}

/// The table of kernels of one precision: each instance wrapped so that it is compiled for its instruction set.
macro_rules! kernels {
    ($vector:ty, $real:ty, $($feature:literal)?) => {
        use std::ops::Range;

        use super::super::{Among, Kernels, Near, Reach, Selection, Targets, few, kernel};

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
        unsafe fn rows<const DIM: usize>(targets: &Targets<$real>, among: &Among<$real>, of: u32, rows: &mut [u32; 32]) {
            // SAFETY: the caller vouches for the instruction set, the padding and the points.
            unsafe { kernel::rows::<$vector, DIM>(targets, among, of, rows) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn test<const DIM: usize>(
            targets: &Targets<$real>,
            within: &few::Within<$real>,
            rows: &mut [few::Bits],
            counts: &mut [u32],
        ) {
            // SAFETY: the caller vouches for the instruction set, the padding and the room.
            unsafe { few::test::<$vector, DIM>(targets, within, rows, counts) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn near<const DIM: usize>(targets: &Targets<$real>, range: Range<usize>, near: &Near<$real>) -> u32 {
            // SAFETY: the caller vouches for the instruction set and the padding.
            unsafe { kernel::near::<$vector, DIM>(targets, range, near) }
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
        unsafe fn measure<const DIM: usize>(
            targets: &Targets<$real>,
            range: Range<usize>,
            reach: &Reach<$real>,
            ids: *mut i32,
            squares: *mut $real,
        ) -> usize {
            // SAFETY: as for `emit`, of both arrays.
            unsafe { kernel::measure::<$vector, DIM>(targets, range, reach, ids, squares) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn rank(values: *const $real, len: usize, ranks: *mut u32) {
            // SAFETY: the caller vouches for the instruction set, the padding and the room.
            unsafe { kernel::rank::<$vector>(values, len, ranks) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn select<const DIM: usize>(
            targets: &Targets<$real>,
            len: usize,
            near: &Near<$real>,
            selection: &mut Selection<$real>,
        ) -> usize {
            // SAFETY: the caller vouches for the instruction set and the padding of both sides.
            unsafe { kernel::select::<$vector, DIM>(targets, len, near, selection) }
        }

        pub const KERNELS: [Kernels<$real>; 3] = [
            kernel::table!(1, rank),
            kernel::table!(2, rank),
            kernel::table!(3, rank),
        ];
    };
}
pub(super) use kernels;

/// The kernels of one dim, by the names that `kernels` gives its instances.
macro_rules! table {
    ($dim:literal, $rank:ident) => {
        Kernels {
            dim: $dim,
            count: count::<$dim>,
            rows: rows::<$dim>,
            test: test::<$dim>,
            emit: emit::<$dim>,
            measure: measure::<$dim>,
            select: select::<$dim>,
            near: near::<$dim>,
            rank: $rank,
        }
    };
}
pub(super) use table;
