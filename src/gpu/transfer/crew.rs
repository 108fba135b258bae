//! The threads that consume a download, and the shares that they consume.

use crate::threads::Team;

/// Bytes that a thread consumes at once: so few that many threads end together.
pub(crate) const SHARE: usize = 64 << 10;

/// Ids of a share, packed or not.
pub(crate) const SHARE_IDS: usize = SHARE / size_of::<i32>();

/// The work that all threads of the team do while a download lands.
pub struct Crew<'a> {
    pub team: &'a Team,
    /// Takes a share of the download, with its number; each once.
    pub consume: &'a (dyn Fn(usize, &[u8]) + Sync),
    /// Does a little other work; false where none is left.
    pub background: &'a (dyn Fn() -> bool + Sync),
}
