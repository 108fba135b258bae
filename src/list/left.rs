//! The column of left points: the label of each row's point, as often as the row has ids.

use std::ops::Range;

use super::Rows;
use super::stream::{self, Fence};
use crate::error::Result;
use crate::threads::Team;

/// Rows that a thread fills at a time.
const ROWS: usize = 1024;

/// Elements that are written at once.
const FILLED: usize = 32;

/// Elements that are made before they are stored past the caches: few enough to stay in the first-level cache.
const PIECE: usize = 1024;

/// Elements that are written at once there: for most rows, as often, which a processor foresees.
const GROUP: usize = 32;

/// Elements of a cache line.
const LINE: usize = 16;

/// The left points of rows: row `i`'s elements all become `label(i)`. `offsets` ascend.
pub struct LeftColumn<'a, L> {
    offsets: &'a [i64],
    label: L,
    left: Rows<'a>,
    streams: bool,
}

/// Writes the left points.
pub fn fill_left(team: &Team, offsets: &[i64], label: impl Fn(usize) -> i32 + Sync, left: Rows) -> Result<()> {
    let column = LeftColumn::new(offsets, label, left);
    team.run_in_shares(&mut vec![(); team.threads()], column.pieces(), |(), piece| {
        column.fill(piece);
        Ok(())
    })
}

impl<'a, L: Fn(usize) -> i32> LeftColumn<'a, L> {
    pub fn new(offsets: &'a [i64], label: L, left: Rows<'a>) -> Self {
        let len = (offsets[offsets.len() - 1] - offsets[0]) as usize;
        LeftColumn {
            offsets,
            label,
            left,
            streams: stream::pays(len),
        }
    }

    /// Pieces that it is filled in.
    pub fn pieces(&self) -> usize {
        (self.offsets.len() - 1).div_ceil(ROWS)
    }

    /// Fills a piece. Who does keeps other threads off it.
    pub fn fill(&self, piece: usize) {
        let start = |i: usize| (self.offsets[i] - self.offsets[0]) as usize;
        let rows = piece * ROWS..((piece + 1) * ROWS).min(self.offsets.len() - 1);
        let all = start(rows.start)..start(rows.end);
        let places = rows.map(|i| (start(i)..start(i + 1), (self.label)(i)));
        // SAFETY: offsets ascend (they are a running sum of lengths), so ranges of different pieces do not overlap, and one
        // thread does each.
        unsafe {
            match self.streams {
                true => self.left.stream_each(all.start, places),
                false => self.left.fill_each(all.end, places),
            }
        }
    }
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
