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

/// Items that a thread brings into a staging buffer at once, at the least.
pub(super) const ITEMS: usize = 256;

/// Puts the bytes of items, from the number of the first on.
pub type PutItems<'a> = dyn FnMut(usize, &[u8]) + 'a;

/// Items of `size` bytes that a thread brings into a staging buffer at once, where there are `len` in all: so few that all threads have
/// some.
pub fn share_of(team: &Team, [len, size]: [usize; 2]) -> usize {
    let most = (SHARE / size / ITEMS).max(1) * ITEMS;
    len.div_ceil(4 * team.threads())
        .next_multiple_of(ITEMS)
        .clamp(ITEMS, most)
}
