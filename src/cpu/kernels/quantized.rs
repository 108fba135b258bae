//! Fixed-point coordinates, 32 targets at a time. The kernels that [`find`] hits make words of bits; those of [`rows`]
//! make rows of them. What both share is here.

pub mod find;
pub mod rows;

pub(crate) use crate::simd::WORD;

/// Elements that every array of targets has beyond its last one.
pub(crate) const TARGET_PADDING: usize = 2 * WORD;

/// Members of a leaf that are tested, and whose rows are stored, at once: their words then take no more than some
/// hundred kilobytes, however many targets.
pub(crate) const BATCH: usize = 64;

/// Targets in ascending order of their ids, padded: coordinates per axis (only `dim` are read).
#[derive(Clone, Copy)]
pub struct FixedTargets<'a> {
    pub coords: [&'a [i16]; 3],
    /// The place of each target in the block's neighborhood.
    pub index: &'a [i16],
    pub len: usize,
}

impl FixedTargets<'_> {
    /// Checks that the arrays are padded; returns the length that they must have.
    #[inline(always)]
    fn check<const DIM: usize>(&self) -> usize {
        let padded = self.len + TARGET_PADDING;
        assert!(self.index.len() >= padded);
        assert!(self.coords[..DIM].iter().all(|coords| coords.len() >= padded));
        padded
    }
}

/// A box, both corners included.
#[derive(Clone, Copy)]
pub struct Box16 {
    pub lo: [i16; 3],
    pub hi: [i16; 3],
}

/// The hits of some members of a leaf.
#[derive(Clone, Copy)]
pub struct Hits<'a> {
    /// Number of targets.
    pub len: usize,
    /// The ranks of the members among the targets.
    pub ranks: &'a [u16],
    /// The bits of one member's row after the other's.
    pub words: &'a [u32],
    /// Rows of all targets, or of those after the member.
    pub full: bool,
}

impl Hits<'_> {
    /// Elements that may be written after the last row.
    pub fn padding(&self) -> usize {
        self.len.next_multiple_of(WORD)
    }

    /// Checks that members are targets, and that there are words for all of them.
    #[inline(always)]
    pub(super) fn check(&self) {
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
