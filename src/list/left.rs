//! The column of left points: the label of each row's point, as often as the row has ids.

use std::ops::Range;

use super::Rows;
use super::stream::{self, Fence};
use crate::error::Result;
use crate::threads::Team;

/// Rows that a thread fills at a time.
const ROWS: usize = 4096;

/// Elements that are written at once.
const FILLED: usize = 8;

/// Elements that are made before they are stored past the caches: few enough to stay in the first-level cache.
const PIECE: usize = 1024;

/// Elements that are written at once there: for most rows, as often, which a processor foresees.
const GROUP: usize = 32;

/// Elements of a cache line.
const LINE: usize = 16;

/// Writes the left points: row `i`'s elements all become `label(i)`. `offsets` ascend.
pub fn fill_left(team: &Team, offsets: &[i64], label: impl Fn(usize) -> i32 + Sync, left: Rows) -> Result<()> {
    let rows = offsets.len() - 1;
    let start = |i: usize| (offsets[i] - offsets[0]) as usize;
    let streams = stream::pays(start(rows));
    let chunks = rows.div_ceil(ROWS);
    team.run(&mut vec![(); team.threads()], chunks, |(), chunk| {
        let chunk = chunk * ROWS..((chunk + 1) * ROWS).min(rows);
        let all = start(chunk.start)..start(chunk.end);
        let places = chunk.map(|i| (start(i)..start(i + 1), label(i)));
        // SAFETY: offsets ascend (they are a running sum of lengths), so ranges of different chunks do not overlap, and one
        // thread does each.
        unsafe {
            match streams {
                true => left.stream_each(all.start, places),
                false => left.fill_each(all.end, places),
            }
        }
        Ok(())
    })
}

impl Rows<'_> {
    /// Writes values, each to all of a range, one range behind the other, the last up to `end`.
    ///
    /// # Safety
    /// As for [`copy`](Rows::copy), for all of the ranges.
    unsafe fn fill_each(&self, end: usize, places: impl Iterator<Item = (Range<usize>, i32)>) {
        for (range, value) in places {
            // SAFETY: the caller's promise; what is written behind a range is overwritten by those after it.
            unsafe { self.fill(range, end, value) }
        }
    }

    /// Writes `value` to all of `range`, and may do so to as much as [`FILLED`] elements behind it, up to `end`.
    ///
    /// # Safety
    /// As for [`copy`](Rows::copy), for all that may be written.
    #[inline]
    unsafe fn fill(&self, range: Range<usize>, end: usize, value: i32) {
        assert!(range.start <= range.end && range.end <= end && end <= self.len);
        let mut at = range.start;
        // SAFETY: inside the borrowed memory (checked above), and the caller keeps other threads off it.
        unsafe {
            while at < range.end && at + FILLED <= end {
                self.start
                    .add(at)
                    .cast::<[i32; FILLED]>()
                    .write_unaligned([value; FILLED]);
                at += FILLED;
            }
            while at < range.end {
                self.start.add(at).write(value);
                at += 1;
            }
        }
    }

    /// [`fill_each`](Rows::fill_each) past the caches, for ranges that follow each other from `at` on: whole lines are made in a
    /// piece of memory of its own first.
    ///
    /// # Safety
    /// As for [`copy`](Rows::copy), for all of the ranges.
    unsafe fn stream_each(&self, mut at: usize, places: impl Iterator<Item = (Range<usize>, i32)>) {
        let _fence = Fence::new();
        let mut piece = Piece([0; PIECE + GROUP]);
        // Lines of the piece are lines of the column.
        let mut first = self.start.wrapping_add(at).addr() / size_of::<i32>() % LINE;
        let mut end = first;
        for (range, value) in places {
            let mut rest = range.len();
            while rest > 0 {
                let len = rest.min(PIECE - end);
                piece.fill(end..end + len, value);
                (end, rest) = (end + len, rest - len);
                if end == PIECE {
                    // SAFETY: the caller's promise.
                    unsafe { self.stream(at, &piece.0[first..end]) }
                    at += end - first;
                    (first, end) = (0, 0);
                }
            }
        }
        // SAFETY: the caller's promise.
        unsafe { self.stream(at, &piece.0[first..end]) }
    }
}

/// A part of the column on its way, and elements that may be written behind it.
#[repr(align(64))]
struct Piece([i32; PIECE + GROUP]);

impl Piece {
    /// Writes `value` to all of `range`, and to less than [`GROUP`] elements behind it.
    #[inline]
    fn fill(&mut self, range: Range<usize>, value: i32) {
        let whole = range.start..range.start + range.len().next_multiple_of(GROUP);
        let (groups, _) = self.0[whole].as_chunks_mut::<GROUP>();
        groups.fill([value; GROUP]);
    }
}
