//! Fixed-point coordinates, 32 targets at a time. The kernels that [`find`] hits make words of bits; those of [`rows`] make rows of
//! them. What both share, and what they need of an instruction set ([`Lanes16`]), is here.

pub mod find;
pub mod rows;

/// Targets of a word.
pub(crate) const WORD: usize = 32;

/// Elements that every array of targets has beyond its last one.
pub(crate) const PADDING: usize = 2 * WORD;

/// Members of a leaf that are tested, and whose rows are stored, at once: their words then take no more than some hundred
/// kilobytes, however many targets.
pub(crate) const BATCH: usize = 64;

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
    /// The same, whole lines of `to` past the caches: it is memory of a [`Room`](super::Room) that may be written so.
    unsafe fn stream(from: *const i32, to: *mut i32, len: usize) {
        // SAFETY: the caller's promise.
        unsafe { Self::copy(from, to, len) }
    }
    /// Brings `POINTS` packed points into the frame by adding both `offsets` to their coordinates, saturated, and writes
    /// those of the first `count` within `lo` and `hi`, and their ids; may write `POINTS` elements. Returns how many.
    unsafe fn filter(
        points: *const u64,
        ids: *const u32,
        count: usize,
        into: &IntoFrame,
        to: (*mut u64, *mut u32),
    ) -> usize;
}

/// How points come into a frame, all words of four 16-bit lanes, the last one for the fine bits.
pub struct IntoFrame {
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

    /// Checks that the arrays are padded; returns the length that they must have.
    #[inline(always)]
    fn check<const DIM: usize>(&self) -> usize {
        let padded = self.len + PADDING;
        assert!(self.index.len() >= padded);
        assert!(self.coords[..DIM].iter().all(|coords| coords.len() >= padded));
        padded
    }
}

/// A box, both corners included.
pub struct Box16 {
    pub lo: [i16; 3],
    pub hi: [i16; 3],
}

/// The hits of some members of a leaf.
#[derive(Clone, Copy)]
pub struct Hits<'a> {
    /// Number of targets.
    pub len: usize,
    /// Which of the targets the members are.
    pub ranks: &'a [u16],
    /// The bits of one member's row after the other's.
    pub words: &'a [u32],
    /// Rows of all targets, or of those behind the member.
    pub full: bool,
}

impl Hits<'_> {
    /// Elements that may be written behind the last row.
    pub fn padding(&self) -> usize {
        self.len.next_multiple_of(WORD)
    }

    /// Checks that members are targets, and that there are words for all of them.
    #[inline(always)]
    fn check(&self) {
        assert!(self.ranks.iter().all(|&rank| usize::from(rank) < self.len));
        let ranks = self.ranks.iter();
        let words = ranks.map(|&rank| words_of(rank.into(), self.len, self.full));
        assert!(self.words.len() >= words.sum());
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
