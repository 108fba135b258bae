//! The kernels of fixed-point coordinates, once for all instruction sets. They work on words of 32 targets, a bit each.
//!
//! ```text
//! d2 = sum over axes of round((p - t)^2 / 2^15), differences and sums saturated
//! filter:   brings points into a frame and keeps those near its box
//! select:   keeps the targets whose distance from a box is at most upper
//! members:  the ranks of the targets inside a box
//! test:     a word for each member and 32 targets: the bits of d2 <= upper; those with d2 > lower are doubtful
//! emit:     a row for each member: the ids under its bits, in order, stored at the row's place
//! ```
//!
//! Doubt is rare and is settled by a call out of the loop, in which all vectors may be spilled.

use crate::domain::Bounds;
use crate::grid::Packed;
use crate::list::{Rows, prefetch};

/// Targets of a word.
pub(crate) const WORD: usize = 32;

/// Elements that every array of targets has beyond its last one.
pub(crate) const PADDING: usize = 2 * WORD;

/// Rows whose memory is fetched before they are written: about as many as take the time of a miss.
const AHEAD: usize = 6;

/// A vector of 16-bit coordinates. All methods are unsafe because an instance may only run where its instruction set is
/// available, and because loads and stores go through raw pointers.
pub trait Lanes16: Copy {
    /// Lanes: a divisor of [`WORD`].
    const LANES: usize;
    /// Ids that are compressed at once: a divisor of [`WORD`].
    const IDS: usize;
    /// Points that `filter` takes at once.
    const POINTS: usize;

    /// All lanes alike.
    unsafe fn splat(value: i16) -> Self;
    /// Unaligned load.
    unsafe fn load(from: *const i16) -> Self;
    /// Saturated difference.
    unsafe fn sub(self, other: Self) -> Self;
    /// `self^2 / 2^15`, rounded to nearest or not at all.
    unsafe fn square(self) -> Self;
    /// Saturated unsigned sum.
    unsafe fn add(self, other: Self) -> Self;
    /// The greater one, signed.
    unsafe fn max(self, other: Self) -> Self;
    /// One bit per lane: self <= other, unsigned.
    unsafe fn le(self, other: Self) -> u32;
    /// One bit per lane: `lo <= self <= hi`, signed.
    unsafe fn within(self, lo: Self, hi: Self) -> u32;
    /// From each pair of places, writes those of the first's [`WORD`] elements whose bit is set, packed, to the second; may
    /// write up to `WORD` elements there.
    unsafe fn compress(lists: &[(*const i16, *mut i16)], mask: u32);
    /// The bits of the lanes from `part` on, at their place in a word.
    #[inline(always)]
    fn at(bits: u32, part: usize) -> u32 {
        bits << part
    }
    /// Writes `at` plus the number of each bit set to `to`; may write up to `WORD` elements.
    unsafe fn ranks(mut mask: u32, at: usize, to: *mut u16) {
        let mut found = 0;
        while mask != 0 {
            // SAFETY: the caller's promise.
            unsafe { to.add(found).write((at + mask.trailing_zeros() as usize) as u16) };
            found += 1;
            mask &= mask - 1;
        }
    }
    /// Writes those of the `IDS` ids whose bit is set, packed, to `to`; may write up to `IDS` elements.
    unsafe fn compress_ids(ids: *const i32, mask: u32, to: *mut i32);
    /// Copies `len` ids and nothing beyond; `from` is readable for [`WORD`] more.
    unsafe fn copy(from: *const i32, to: *mut i32, len: usize);
    /// Brings `POINTS` packed points into the frame by adding both `offsets` to their coordinates, saturated, and writes
    /// those of the first `count` within `lo` and `hi`, and their ids; may write `POINTS` elements. Returns how many.
    unsafe fn filter(
        points: *const Packed,
        ids: *const u32,
        count: usize,
        filter: &Filter,
        to: (*mut Packed, *mut u32),
    ) -> usize;
}

/// How points come into a frame, all words of four 16-bit lanes, the last one for the fine bits.
pub struct Filter {
    /// Added one after the other, for their sum may not fit.
    pub offsets: [u64; 2],
    pub lo: u64,
    pub hi: u64,
}

/// Targets in ascending order of their ids, padded: coordinates per axis (only `dim` are read).
#[derive(Clone, Copy)]
pub struct Targets<'a> {
    pub coords: [&'a [i16]; 3],
    /// Where each target stands in the block's neighborhood.
    pub index: &'a [i16],
    pub len: usize,
}

/// Where selected targets are written: arrays as long as those of the targets.
pub struct Selection<'a> {
    pub coords: [&'a mut [i16]; 3],
    pub index: &'a mut [i16],
}

/// A box, both corners included.
pub struct Box16 {
    pub lo: [i16; 3],
    pub hi: [i16; 3],
}

/// Settles doubt: `(rank of the member, first target, doubtful bits)` to the bits of those in reach.
pub type Settle<'a> = dyn FnMut(usize, usize, u32) -> u32 + 'a;

/// What the members of a leaf are tested for.
pub struct Test<'a> {
    pub bounds: Bounds<i16>,
    /// Rows of all targets but the member itself, or of those behind it.
    pub full: bool,
    pub settle: &'a mut Settle<'a>,
}

/// Rows to be written: `ids` are those of the targets, padded; row `i` of id `id` begins at `offsets[id - base]`.
pub struct Emit<'a> {
    pub ids: &'a [i32],
    pub ranks: &'a [u16],
    pub words: &'a [u32],
    pub full: bool,
    pub base: i32,
    pub offsets: &'a [i64],
    pub rows: &'a Rows<'a>,
    /// Room for a row, padded.
    pub row: &'a mut [i32],
}

/// The first word of a member's row, and its bits.
#[inline(always)]
fn first_word(rank: usize, full: bool) -> (usize, u32) {
    if full {
        (0, u32::MAX)
    } else {
        ((rank + 1) / WORD, u32::MAX << ((rank + 1) % WORD))
    }
}

/// Words of the row of a member among `len` targets.
#[inline(always)]
pub fn words_of(rank: usize, len: usize, full: bool) -> usize {
    len.div_ceil(WORD).saturating_sub(first_word(rank, full).0)
}

#[inline(always)]
pub(super) unsafe fn filter<V: Lanes16>(
    points: &[Packed],
    ids: &[u32],
    count: usize,
    how: &Filter,
    to: (&mut [Packed], &mut [u32]),
) -> usize {
    let mut kept = 0;
    for at in (0..count).step_by(V::POINTS) {
        // SAFETY: the caller runs where V is available; both sides are padded, and no more is written than was read.
        unsafe {
            let room = (to.0.as_mut_ptr().add(kept), to.1.as_mut_ptr().add(kept));
            kept += V::filter(points.as_ptr().add(at), ids.as_ptr().add(at), count - at, how, room);
        }
    }
    kept
}

/// Lanes from `len` on cleared.
#[inline(always)]
fn cut(mask: u32, at: usize, len: usize) -> u32 {
    if len - at >= WORD {
        mask
    } else {
        mask & ((1 << (len - at)) - 1)
    }
}

#[inline(always)]
pub(super) unsafe fn select<V: Lanes16, const DIM: usize>(
    targets: &Targets,
    around: &Box16,
    upper: i16,
    to: &mut Selection,
) -> [usize; 2] {
    // SAFETY: the caller runs where V is available; both sides are padded; no more is written than was read.
    unsafe {
        let lo: [V; DIM] = std::array::from_fn(|axis| V::splat(around.lo[axis]));
        let hi: [V; DIM] = std::array::from_fn(|axis| V::splat(around.hi[axis]));
        let (upper, zero) = (V::splat(upper), V::splat(0));
        let (mut selected, mut own) = (0, 0);
        for at in (0..targets.len).step_by(WORD) {
            let (mut hits, mut inside) = (0, 0);
            for part in (0..WORD).step_by(V::LANES) {
                let outside = |axis: usize| {
                    let coord = V::load(targets.coords[axis].as_ptr().add(at + part));
                    lo[axis].sub(coord).max(coord.sub(hi[axis])).max(zero)
                };
                let first = outside(0);
                let (mut d2, mut most) = (first.square(), first);
                for axis in 1..DIM {
                    let next = outside(axis);
                    d2 = d2.add(next.square());
                    most = most.max(next);
                }
                hits |= V::at(d2.le(upper), part);
                inside |= V::at(most.le(zero), part);
            }
            let hits = cut(hits, at, targets.len);
            own += (inside & hits).count_ones() as usize;
            let list = |from: &[i16], to: &mut [i16]| (from.as_ptr().add(at), to.as_mut_ptr().add(selected));
            let mut lists = [list(targets.index, to.index); 4];
            for (entry, axis) in lists[1..].iter_mut().zip(0..DIM) {
                *entry = list(targets.coords[axis], to.coords[axis]);
            }
            V::compress(&lists[..=DIM], hits);
            selected += hits.count_ones() as usize;
        }
        [selected, own]
    }
}

#[inline(always)]
pub(super) unsafe fn members<V: Lanes16, const DIM: usize>(
    targets: &Targets,
    inside: &Box16,
    ranks: &mut [u16],
) -> usize {
    // SAFETY: the caller runs where V is available; the targets are padded, and so is the room for their ranks.
    unsafe {
        let lo: [V; DIM] = std::array::from_fn(|axis| V::splat(inside.lo[axis]));
        let hi: [V; DIM] = std::array::from_fn(|axis| V::splat(inside.hi[axis]));
        let mut found = 0;
        for at in (0..targets.len).step_by(WORD) {
            let mut hits = 0;
            for part in (0..WORD).step_by(V::LANES) {
                let mut within = u32::MAX;
                for axis in 0..DIM {
                    let coord = V::load(targets.coords[axis].as_ptr().add(at + part));
                    within &= coord.within(lo[axis], hi[axis]);
                }
                hits |= V::at(within & (u32::MAX >> (WORD - V::LANES)), part);
            }
            let hits = cut(hits, at, targets.len);
            V::ranks(hits, at, ranks.as_mut_ptr().add(found));
            found += hits.count_ones() as usize;
        }
        found
    }
}

#[inline(always)]
pub(super) unsafe fn test<V: Lanes16, const DIM: usize>(
    targets: &Targets,
    ranks: &[u16],
    how: &mut Test,
    words: &mut [u32],
    counts: &mut [u32],
) -> usize {
    // SAFETY: the caller runs where V is available; targets are padded, far ones behind the last; `words` has room.
    unsafe {
        let (lower, upper) = (V::splat(how.bounds.lower), V::splat(how.bounds.upper));
        let coords: [*const i16; DIM] = std::array::from_fn(|axis| targets.coords[axis].as_ptr());
        let mut word = words.as_mut_ptr();
        for (&rank, count) in ranks.iter().zip(counts) {
            let rank = rank as usize;
            let point: [V; DIM] = std::array::from_fn(|axis| V::splat(*coords[axis].add(rank)));
            let (first, mut mask) = first_word(rank, how.full);
            let own = if how.full { rank / WORD * WORD } else { usize::MAX };
            let mut found = 0;
            for at in (first * WORD..targets.len).step_by(WORD) {
                let (mut hits, mut sure) = (0, 0);
                for part in (0..WORD).step_by(V::LANES) {
                    let square = |axis: usize| point[axis].sub(V::load(coords[axis].add(at + part))).square();
                    let mut d2 = square(0);
                    for axis in 1..DIM {
                        d2 = d2.add(square(axis));
                    }
                    hits |= V::at(d2.le(upper), part);
                    sure |= V::at(d2.le(lower), part);
                }
                if at == own {
                    mask = !(1 << (rank % WORD));
                }
                if at + WORD > targets.len {
                    mask = cut(mask, at, targets.len);
                }
                hits &= mask;
                mask = u32::MAX;
                let doubtful = hits & !sure;
                if doubtful != 0 {
                    hits = sure & hits | settled(how, rank, at, doubtful);
                }
                word.write(hits);
                word = word.add(1);
                found += hits.count_ones();
            }
            *count = found;
        }
        word.offset_from(words.as_ptr()) as usize
    }
}

/// Out of the loop, or all its vectors would live in memory.
#[cold]
#[inline(never)]
fn settled(how: &mut Test, rank: usize, at: usize, doubtful: u32) -> u32 {
    (how.settle)(rank, at, doubtful)
}

#[inline(always)]
pub(super) unsafe fn emit<V: Lanes16>(how: &mut Emit, len: usize) {
    // SAFETY: the caller runs where V is available; ids and row are padded; each row's place is its own, and inside.
    unsafe {
        let ids = how.ids.as_ptr();
        let place = |rank: u16| {
            let i = (how.ids[rank as usize] - how.base) as usize;
            (how.offsets[i] - how.offsets[0]) as usize..(how.offsets[i + 1] - how.offsets[0]) as usize
        };
        for &rank in how.ranks {
            prefetch(&how.offsets[(how.ids[rank as usize] - how.base) as usize]);
        }
        for &rank in how.ranks.iter().take(AHEAD) {
            how.rows.prefetch_ends(place(rank));
        }
        let mut word = how.words.as_ptr();
        let row = how.row.as_mut_ptr();
        for (k, &rank) in how.ranks.iter().enumerate() {
            if let Some(&later) = how.ranks.get(k + AHEAD) {
                how.rows.prefetch_ends(place(later));
            }
            let mut at = first_word(rank as usize, how.full).0 * WORD;
            let mut to = row;
            while at < len {
                let hits = word.read();
                word = word.add(1);
                let mut part = 0;
                while part < WORD {
                    let hits = hits >> part & (u32::MAX >> (WORD - V::IDS));
                    V::compress_ids(ids.add(at + part), hits, to);
                    to = to.add(hits.count_ones() as usize);
                    part += V::IDS;
                }
                at += WORD;
            }
            let (place, found) = (place(rank), to.offset_from(row) as usize);
            assert_eq!(place.len(), found, "the row of a point changed between count and fill");
            V::copy(row, how.rows.at(place), found);
        }
    }
}

type FilterFn = unsafe fn(&[Packed], &[u32], usize, &Filter, (&mut [Packed], &mut [u32])) -> usize;
type SelectFn = unsafe fn(&Targets, &Box16, i16, &mut Selection) -> [usize; 2];
type MembersFn = unsafe fn(&Targets, &Box16, &mut [u16]) -> usize;
type TestFn = unsafe fn(&Targets, &[u16], &mut Test, &mut [u32], &mut [u32]) -> usize;
type EmitFn = unsafe fn(&mut Emit, usize);

/// The kernels of one dim and instruction set.
#[derive(Clone, Copy)]
pub struct Kernels {
    dim: usize,
    filter: FilterFn,
    select: SelectFn,
    members: MembersFn,
    test: TestFn,
    emit: EmitFn,
}

impl Kernels {
    pub(super) const fn new(
        dim: usize,
        filter: FilterFn,
        select: SelectFn,
        members: MembersFn,
        test: TestFn,
        emit: EmitFn,
    ) -> Kernels {
        Kernels {
            dim,
            filter,
            select,
            members,
            test,
            emit,
        }
    }

    /// Brings the first `count` of `points` into a frame; those near its box, and their ids, are written to the front of
    /// `to`. All slices have [`PADDING`] elements more than `count`. Returns how many were written.
    #[inline]
    pub fn filter(
        &self,
        points: &[Packed],
        ids: &[u32],
        count: usize,
        filter: &Filter,
        to: (&mut [Packed], &mut [u32]),
    ) -> usize {
        let padded = count + crate::grid::PADDING;
        assert!(points.len() >= padded && ids.len() >= padded && to.0.len() >= padded && to.1.len() >= padded);
        // SAFETY: `kernels` hands out instances of available instruction sets only; vectors start before `count`, and all
        // slices are padded by at least a vector.
        unsafe { (self.filter)(points, ids, count, filter, to) }
    }

    /// Copies the targets within reach of the box `around`, by `upper`, in their order. Returns how many, and how many of
    /// them lie in the box.
    #[inline]
    pub fn select(&self, targets: &Targets, around: &Box16, upper: i16, to: &mut Selection) -> [usize; 2] {
        let padded = self.check(targets);
        assert!(to.index.len() >= padded && to.coords[..self.dim].iter().all(|coords| coords.len() >= padded));
        // SAFETY: as in `filter`; never more is written than was read, into arrays as long.
        unsafe { (self.select)(targets, around, upper, to) }
    }

    /// Writes the ranks of the targets in the box `inside` to the front of `ranks`, which is padded as the targets are;
    /// returns how many.
    #[inline]
    pub fn members(&self, targets: &Targets, inside: &Box16, ranks: &mut [u16]) -> usize {
        assert!(ranks.len() >= self.check(targets));
        // SAFETY: as in `select`.
        unsafe { (self.members)(targets, inside, ranks) }
    }

    /// Tests the targets for the members at `ranks`: their words, one row after the other, go to the front of `words`, and
    /// the lengths of their rows to `counts`. Returns the number of words, which is the sum of [`words_of`].
    #[inline]
    pub fn test(
        &self,
        targets: &Targets,
        ranks: &[u16],
        test: &mut Test,
        words: &mut [u32],
        counts: &mut [u32],
    ) -> usize {
        self.check(targets);
        assert!(ranks.iter().all(|&rank| usize::from(rank) < targets.len));
        assert!(counts.len() >= ranks.len() && words.len() >= ranks.len() * targets.len.div_ceil(WORD));
        // SAFETY: as in `select`; ranks are below the targets' number, and words have room for all of every row.
        unsafe { (self.test)(targets, ranks, test, words, counts) }
    }

    /// Stores the rows of the members at `ranks` among `len` targets.
    #[inline]
    pub fn emit(&self, emit: &mut Emit, len: usize) {
        assert!(emit.ids.len() >= len + PADDING && emit.row.len() >= len + PADDING);
        let words = emit.ranks.iter().map(|&rank| words_of(rank.into(), len, emit.full));
        assert!(emit.words.len() >= words.sum());
        // SAFETY: as in `select`; each row's place is between its own offset and the next and is checked against the rows'
        // end, so rows do not overlap; the grid's ids are a permutation and each is a member of one leaf, which one thread
        // has, so no other thread stores this row. A row's words have at most `len` bits, and their ids fit `row`.
        unsafe { (self.emit)(emit, len) }
    }

    /// The length that arrays padded like the targets must have.
    fn check(&self, targets: &Targets) -> usize {
        let padded = targets.len + PADDING;
        assert!(targets.index.len() >= padded);
        assert!(targets.coords[..self.dim].iter().all(|coords| coords.len() >= padded));
        padded
    }
}

/// The kernels of an instruction set and dim.
pub fn kernels(isa: super::Isa, dim: usize) -> Kernels {
    use super::Isa;
    let kernels = match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 if isa.is_available() => super::avx512::fixed::KERNELS,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 if isa.is_available() => super::avx2::fixed::KERNELS,
        _ => super::scalar::fixed::KERNELS,
    };
    kernels[dim - 1]
}

/// The table of kernels, each wrapped so that it is compiled for its instruction set.
macro_rules! fixed_kernels {
    ($vector:ty, $($feature:literal)?) => {
        use super::super::fixed::{self, Box16, Emit, Filter, Kernels, Selection, Targets, Test};
        use crate::grid::Packed;

        $(#[target_feature(enable = $feature)])?
        unsafe fn filter(
            points: &[Packed],
            ids: &[u32],
            count: usize,
            how: &Filter,
            to: (&mut [Packed], &mut [u32]),
        ) -> usize {
            // SAFETY: the caller vouches for the instruction set and the padding.
            unsafe { fixed::filter::<$vector>(points, ids, count, how, to) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn select<const DIM: usize>(
            targets: &Targets,
            around: &Box16,
            upper: i16,
            to: &mut Selection,
        ) -> [usize; 2] {
            // SAFETY: as for `filter`.
            unsafe { fixed::select::<$vector, DIM>(targets, around, upper, to) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn members<const DIM: usize>(targets: &Targets, inside: &Box16, ranks: &mut [u16]) -> usize {
            // SAFETY: as for `filter`.
            unsafe { fixed::members::<$vector, DIM>(targets, inside, ranks) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn test<const DIM: usize>(
            targets: &Targets,
            ranks: &[u16],
            how: &mut Test,
            words: &mut [u32],
            counts: &mut [u32],
        ) -> usize {
            // SAFETY: as for `filter`; the caller vouches for the room and the ranks.
            unsafe { fixed::test::<$vector, DIM>(targets, ranks, how, words, counts) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn emit(how: &mut Emit, len: usize) {
            // SAFETY: as for `filter`; the caller vouches for the places of the rows.
            unsafe { fixed::emit::<$vector>(how, len) }
        }

        pub const KERNELS: [Kernels; 3] = [
            Kernels::new(1, filter, select::<1>, members::<1>, test::<1>, emit),
            Kernels::new(2, filter, select::<2>, members::<2>, test::<2>, emit),
            Kernels::new(3, filter, select::<3>, members::<3>, test::<3>, emit),
        ];
    };
}
pub(super) use fixed_kernels;
