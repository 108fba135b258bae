//! The hits of all blocks, as a count left them on the device, and what they were made of.
//!
//! in: a count; out: whether its hits are those that a sum wants, which then does not count.

use crate::kinds::ClassesOf;
use crate::version::Version;

/// The inputs that hits are made of: the index on the device, and what says which of its points are neighbors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitsOf {
    pub index: Version,
    pub bound: [u32; 2],
    pub full: u32,
    pub classes: Option<ClassesOf>,
    pub excluded: Option<Version>,
    /// Rows that can list nothing have blocks too.
    pub every_block: bool,
}

/// The hits of all blocks and of all windows of crowds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hits {
    pub blocks: u32,
    pub crowds: u32,
    /// The most windows of a crowd.
    pub rounds: u32,
    /// The number of neighbors of all rows.
    pub entries: i64,
}
