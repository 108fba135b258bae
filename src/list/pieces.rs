//! Memory that is exchanged with a device in pieces: filled and emptied by all threads of a team, past the caches where no
//! cache would hold it. Part of the audited disjoint-write buffer of `list`.

use std::ops::Range;

use super::{Fence, Labels, Rows, grow, push};
use crate::error::Result;
use crate::threads::Team;

impl Rows<'_> {
    /// Copies `bytes` to the bytes from `at` on.
    ///
    /// # Safety
    /// As for [`copy`](Rows::copy).
    unsafe fn copy_bytes(&self, at: usize, bytes: &[u8]) {
        let len = size_of::<i32>() * self.len;
        assert!(at <= len && bytes.len() <= len - at);
        // SAFETY: the range lies inside the borrowed memory (checked above), and the caller keeps other threads off it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start.cast::<u8>().add(at), bytes.len()) }
    }
}

/// Fills `items` of `size` bytes each in parallel, `block` items a task: `make` gets a task's range and a function that
/// puts the bytes of items at the range's first item or behind it. Nobody else writes to `memory` meanwhile.
pub fn fill_blocks(
    team: &Team,
    memory: Rows,
    [items, size, block]: [usize; 3],
    make: impl Fn(Range<usize>, &mut dyn FnMut(usize, &[u8])) + Sync,
) -> Result<()> {
    team.run(&mut vec![(); team.threads()], items.div_ceil(block), |(), task| {
        let range = task * block..((task + 1) * block).min(items);
        make(range.clone(), &mut |first, bytes| {
            assert!(range.start <= first && first * size + bytes.len() <= range.end * size);
            // SAFETY: inside this task's range (checked above); ranges of tasks do not overlap, and one thread does each.
            unsafe { memory.copy_bytes(first * size, bytes) }
        });
        Ok(())
    })
}

/// Copies `piece` to `first` of `ids`. Nobody else writes there meanwhile.
pub fn store(piece: &[i32], first: usize, ids: Rows) {
    let _fence = Fence::new();
    // SAFETY: nobody else writes there, by this function's own rule.
    unsafe { ids.stream(first, piece) };
}

/// Copies `piece` to `first` of `to`. Nobody else writes there meanwhile.
pub fn store_values<T: Copy + Send>(piece: &[T], first: usize, to: Rows<T>) {
    // SAFETY: nobody else writes there, by this function's own rule.
    unsafe { to.copy(first, piece) };
}

/// Writes the left points of `entries`: what [`fill_left`](super::fill_left) writes there. Nobody else writes there meanwhile.
pub fn store_left(offsets: &[i64], labels: &Labels, entries: Range<usize>, left: Rows) {
    const BLOCK: usize = 2048;
    let _fence = Fence::new();
    let base = offsets[0];
    let end_of = |i: usize| (offsets[i + 1] - base) as usize;
    let mut i = offsets.partition_point(|&offset| offset - base <= entries.start as i64) - 1;
    let mut block = [0; BLOCK];
    for first in entries.clone().step_by(BLOCK) {
        let len = BLOCK.min(entries.end - first);
        let mut at = 0;
        while at < len {
            let stop = (end_of(i) - first).min(len);
            block[at..stop].fill(labels.of(i));
            at = stop;
            i += usize::from(stop < len || end_of(i) == first + len);
        }
        // SAFETY: nobody else writes there, by this function's own rule.
        unsafe { left.stream(first, &block[..len]) };
    }
}

/// Rows that a thread labels at once.
const LABELED: usize = 1024;

/// Brings `rows`, whose offsets are `offsets`, to labels. All their ids are written, the first at the front of `ids`, and nobody
/// else reads or writes them meanwhile.
pub fn label_rows(team: &Team, offsets: &[i64], rows: Range<usize>, labels: &Labels, ids: Rows) -> Result<()> {
    if labels.are_plain() {
        return Ok(());
    }
    let mut spares = Vec::new();
    for _ in 0..team.threads() {
        push(&mut spares, Vec::new(), "rows of the threads")?;
    }
    let place = |row: usize| (offsets[row] - offsets[rows.start]) as usize;
    team.run(&mut spares, rows.len().div_ceil(LABELED), |spare, task| {
        let start = rows.start + task * LABELED;
        for row in start..rows.end.min(start + LABELED) {
            let len = (offsets[row + 1] - offsets[row]) as usize;
            grow(spare, labels.spare(len), 0, "a row")?;
            // SAFETY: `at` checks that the row lies inside the borrowed memory, where the caller has written it; offsets ascend,
            // so rows do not overlap, and one thread does each.
            let ids = unsafe { std::slice::from_raw_parts_mut(ids.at(place(row)..place(row + 1)), len) };
            labels.row(ids, spare);
        }
        Ok(())
    })
}
