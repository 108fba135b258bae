//! Fixed-point coordinates, 32 targets at a time: what the kernels need of an instruction set ([`Lanes16`]), what they take
//! ([`Targets`], [`Test`], [`Emit`], ...), and their table. The algorithms stand in `kernel`.

pub(super) mod kernel;
mod table;

pub(super) use table::fixed_kernels;

use crate::domain::Bounds;
use crate::grid::Packed;
use crate::list::{Delivery, Stores};

/// Targets of a word.
pub(crate) const WORD: usize = 32;

/// Elements that every array of targets has beyond its last one.
pub(crate) const PADDING: usize = 2 * WORD;

/// Members of a leaf that are tested, and whose rows are stored, at once: their words then take no more than some hundred
/// kilobytes, however many targets.
pub(crate) const BATCH: usize = 64;

/// Rows that there is room for, of those that are packed before they are stored.
const ROWS: usize = 8;

/// Elements from one row among `len` targets to the next where they are packed, in whole lines.
fn stride(len: usize) -> usize {
    (len + PADDING).next_multiple_of(16)
}

/// Elements for rows among `len` targets.
pub fn rows_room(len: usize) -> usize {
    ROWS * stride(len)
}

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
    /// Unaligned store.
    unsafe fn store(self, to: *mut i16);
    /// Times `2^bits`; no lane overflows.
    unsafe fn shl(self, bits: u32) -> Self;
    /// Difference, modulo 2^16.
    unsafe fn sub(self, other: Self) -> Self;
    /// Difference, saturated.
    unsafe fn saturating_sub(self, other: Self) -> Self;
    /// `self^2 / 2^16`, rounded down.
    unsafe fn square(self) -> Self;
    /// Sum of squares: three are less than 2^16.
    unsafe fn add(self, other: Self) -> Self;
    /// The greater one, signed.
    unsafe fn max(self, other: Self) -> Self;
    /// One bit per lane: self is 0.
    unsafe fn is_zero(self) -> u32;
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
    /// Writes `id` to all of `IDS` elements.
    #[inline(always)]
    unsafe fn repeat(id: i32, to: *mut i32) {
        for k in 0..Self::IDS {
            // SAFETY: the caller keeps them writable.
            unsafe { to.add(k).write(id) };
        }
    }
    /// Copies `len` ids and nothing beyond; `from` is readable for [`WORD`] more.
    unsafe fn copy(from: *const i32, to: *mut i32, len: usize);
    /// The same, whole lines of `to` past the caches: it is memory of [`Stores`] that may be written so.
    unsafe fn stream(from: *const i32, to: *mut i32, len: usize) {
        // SAFETY: the caller's promise.
        unsafe { Self::copy(from, to, len) }
    }
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

impl Targets<'_> {
    /// Where each target stands in the block's neighborhood.
    pub fn numbers(&self) -> &[u16] {
        bytemuck::cast_slice(&self.index[..self.len])
    }
}

/// Where selected targets are written: arrays as long as those of the targets. Which they are is written as a bit for each
/// target, to `picks`.
pub struct Selection<'a> {
    pub coords: [&'a mut [i16]; 3],
    pub index: &'a mut [i16],
    pub picks: &'a mut [u32],
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

/// Rows to be written, [`BATCH`] at most: `ids` are those of the targets, padded, the base of the labels with them.
pub struct Emit<'a, 's> {
    pub ids: &'a [i32],
    pub ranks: &'a [u16],
    pub words: &'a [u32],
    pub full: bool,
    pub delivery: Delivery<'a>,
    pub stores: &'a mut Stores<'s>,
    /// Whether rows may have few of the targets.
    pub sparse: bool,
    /// Room for [rows](rows_room), and for the ranks of the targets of one, padded.
    pub row: &'a mut [i32],
    pub listed: &'a mut [u16],
    /// Room that labels need beside a row.
    pub spare: &'a mut [i32],
}

/// Rows to be kept as places: `index` tells where each target stands, padded; `words` are the bits of one member's row after
/// the other's.
pub struct Ranked<'a> {
    pub index: &'a [i16],
    /// Number of targets.
    pub len: usize,
    pub ranks: &'a [u16],
    pub words: &'a [u32],
    pub full: bool,
}

impl Ranked<'_> {
    /// Elements that may be written behind the last row.
    pub fn padding(&self) -> usize {
        self.len.next_multiple_of(WORD)
    }
}

/// The first word of a member's row, and its bits.
#[inline(always)]
pub(super) fn first_word(rank: usize, full: bool) -> (usize, u32) {
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

type FilterFn = unsafe fn(&[Packed], &[u32], usize, &Filter, (&mut [Packed], &mut [u32])) -> usize;
type SelectFn = unsafe fn(&Targets, &Box16, i16, &mut Selection) -> [usize; 2];
type ZoomFn = unsafe fn(&mut [i16], usize, i16, u32);
type MembersFn = unsafe fn(&Targets, &Box16, &mut [u16]) -> usize;
type TestFn = unsafe fn(&Targets, &[u16], &mut Test, &mut [u32], &mut [u32]) -> usize;
type PickFn = unsafe fn(&[i32], &[u32], &mut [i32]) -> usize;
type EmitFn = unsafe fn(&mut Emit, usize);
type ListFn = unsafe fn(&Ranked, &mut [u16]);

/// The kernels of one dim and instruction set.
#[derive(Clone, Copy)]
pub struct Kernels {
    pub(super) dim: usize,
    pub(super) filter: FilterFn,
    pub(super) select: SelectFn,
    pub(super) zoom: ZoomFn,
    pub(super) members: MembersFn,
    pub(super) test: TestFn,
    pub(super) pick: PickFn,
    /// The second one for rows that may be sparse.
    pub(super) emit: [EmitFn; 2],
    pub(super) list: ListFn,
}

impl Kernels {
    /// Brings the first `count` of `points` into a frame; those near its box, and their ids, are written to the front of
    /// `to`. All slices have [`PADDING`](crate::grid::PADDING) elements more than `count`, those of the grid, not of targets.
    /// Returns how many were written.
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
        // slices are padded by at least a vector (checked above).
        unsafe { (self.filter)(points, ids, count, filter, to) }
    }

    /// Copies the targets within reach of the box `around`, by `upper`, in their order. Returns how many, and how many of
    /// them lie in the box.
    #[inline]
    pub fn select(&self, targets: &Targets, around: &Box16, upper: i16, to: &mut Selection) -> [usize; 2] {
        let padded = self.check(targets);
        assert!(to.index.len() >= padded && to.coords[..self.dim].iter().all(|coords| coords.len() >= padded));
        assert!(to.picks.len() >= targets.len.div_ceil(WORD));
        // SAFETY: as in `filter`; never more is written than was read, into arrays as long.
        unsafe { (self.select)(targets, around, upper, to) }
    }

    /// Moves the first `len` of `coords` by `-origin`, and multiplies them by `2^bits`; `coords` is padded.
    #[inline]
    pub fn zoom(&self, coords: &mut [i16], len: usize, origin: i16, bits: u32) {
        assert!(coords.len() >= len + PADDING);
        // SAFETY: as in `filter`.
        unsafe { (self.zoom)(coords, len, origin, bits) }
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

    /// Writes those of `len` ids whose bit is set in `picks` to the front of `to`, in their order; returns how many. Both have
    /// [`PADDING`] elements more.
    #[inline]
    pub fn pick(&self, ids: &[i32], len: usize, picks: &[u32], to: &mut [i32]) -> usize {
        let padded = len + PADDING;
        assert!(ids.len() >= padded && to.len() >= padded && picks.len() == len.div_ceil(WORD));
        // SAFETY: as in `select`.
        unsafe { (self.pick)(ids, picks, to) }
    }

    /// Stores the rows of the members at `ranks` among `len` targets.
    #[inline]
    pub fn emit(&self, emit: &mut Emit, len: usize) {
        let lists = [emit.ids.len(), emit.listed.len()];
        assert!(lists.into_iter().all(|list| list >= len + PADDING));
        assert!(emit.row.len() >= rows_room(len) && emit.ranks.len() <= BATCH);
        let words = emit.ranks.iter().map(|&rank| words_of(rank.into(), len, emit.full));
        assert!(emit.words.len() >= words.sum());
        // SAFETY: as in `select`; there are words for all members, and room to pack their rows (checked above). Where a row is
        // stored, the kernel asks `stores`.
        unsafe { (self.emit[usize::from(emit.sparse)])(emit, len) }
    }

    /// Writes rows of places, one after the other, to the front of `to`, which has room for all and the padding.
    #[inline]
    pub fn list(&self, ranked: &Ranked, to: &mut [u16]) {
        assert!(ranked.index.len() >= ranked.len + PADDING);
        let ranks = ranked.ranks.iter();
        let words = ranks.map(|&rank| words_of(rank.into(), ranked.len, ranked.full));
        assert!(ranked.words.len() >= words.sum());
        assert!(ranked.ranks.iter().all(|&rank| usize::from(rank) < ranked.len));
        // SAFETY: `kernels` hands out instances of available instruction sets only; the index is padded, and there are words for
        // all members (checked above). The kernel checks the room of each row.
        unsafe { (self.list)(ranked, to) }
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
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        Isa::Neon if isa.is_available() => super::neon::fixed::KERNELS,
        _ => super::scalar::fixed::KERNELS,
    };
    kernels[dim - 1]
}
