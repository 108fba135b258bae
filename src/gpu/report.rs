//! The reports of a device on the blocks of a search.

use super::fault::UNIT;

/// The device's report on the blocks of a search, after the low words of offsets: twin of what `size_all` in `shaders/block_sizes.wgsl` writes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct BlockCounts {
    /// The last offset and the tests, in 64 bits: the low word is the first. Searches by radii say nothing else.
    total: [u32; 2],
    tests: [u32; 2],
    /// Blocks and windows of crowds, also those there was no room for; windows are at least as many as crowds.
    pub blocks: u32,
    pub windows: u32,
    /// Blocks without room for their hits.
    pub unkept: u32,
    pub crowds: u32,
    /// The most windows that a crowd has.
    pub most_windows: u32,
    reserved: u32,
}

/// Words of them, and of those that searches by radii have.
pub(crate) const COUNTS_WORDS: usize = size_of::<BlockCounts>() / size_of::<u32>();
pub(crate) const COUNTS_WORDS_BY_RADII: usize = 4;

/// Bytes of the buffer of keys: half of it has a length for each point, and the report after them.
pub(crate) fn keys_bytes(points: u64) -> u64 {
    2 * (4 * (points + COUNTS_WORDS as u64)).next_multiple_of(UNIT)
}

impl BlockCounts {
    /// The first block, and the number of all, as the device has them in front of the blocks.
    pub fn all(&self) -> [u32; 2] {
        [0, self.blocks + self.windows]
    }

    /// Neighbors in all rows.
    pub fn total(&self) -> u64 {
        both_words(self.total)
    }

    /// Distance tests.
    pub fn tests(&self) -> usize {
        both_words(self.tests) as usize
    }
}

/// A number in 64 bits, whose low word is the first.
fn both_words([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The device's report on blocks: twin of the front of `Blocks` in `shaders/shared/blocks.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct BlockProgress {
    pub begin: u32,
    pub next: u32,
    pub whole: u32,
    pub wanted: u32,
    pub count: u32,
    pub crowds: u32,
    pub unkept: u32,
    pub words: u32,
    entries: [u32; 2],
    pub ranges: u32,
    pub most_windows: u32,
    round: u32,
    tests: [u32; 2],
}

impl BlockProgress {
    /// Distance tests.
    pub fn tests(&self) -> usize {
        both_words(self.tests) as usize
    }

    /// Neighbors that were summed over.
    pub fn entries(&self) -> i64 {
        both_words(self.entries) as i64
    }
}
