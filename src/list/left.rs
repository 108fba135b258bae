//! The column of left points: the label of each row's point, repeated for each id of the row.

use std::ops::Range;

use super::pieces::Pieces;
use super::rows::Rows;
use super::stream::{self, Stores};
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
    /// Of [`ROWS`] rows each.
    left: Pieces<'a>,
    streams: bool,
}

/// Writes the left points.
pub fn fill_left(team: &Team, offsets: &[i64], label: impl Fn(usize) -> i32 + Sync, left: Rows) -> Result<()> {
    let column = LeftColumn::new(offsets, label, left)?;
    team.run_in_shares(&mut vec![(); team.threads()], column.pieces(), |(), piece| {
        column.fill(piece);
        Ok(())
    })
}

impl<'a, L: Fn(usize) -> i32> LeftColumn<'a, L> {
    pub fn new(offsets: &'a [i64], label: L, left: Rows<'a>) -> Result<Self> {
        let (rows, start) = (offsets.len() - 1, |i: usize| (offsets[i] - offsets[0]) as usize);
        let cuts = (0..=rows.div_ceil(ROWS)).map(|piece| start(rows.min(piece * ROWS)));
        Ok(LeftColumn {
            offsets,
            label,
            left: Pieces::new(left, cuts)?,
            streams: stream::pays(start(rows)),
        })
    }

    /// Pieces that it is filled in.
    pub fn pieces(&self) -> usize {
        self.left.len()
    }

    /// Fills a piece, once.
    pub fn fill(&self, piece: usize) {
        let first = self.offsets[piece * ROWS];
        let rows = piece * ROWS..((piece + 1) * ROWS).min(self.offsets.len() - 1);
        let start = |i: usize| (self.offsets[i] - first) as usize;
        let places = rows.map(|i| (start(i)..start(i + 1), (self.label)(i)));
        let mut left = self.left.take(piece);
        match self.streams {
            true => left.stores(true, |stores| stream_each(stores, places)),
            false => fill_each(&mut left, places),
        }
    }
}

/// Writes the left points of `entries`, the first at the front of `left`: what [`fill_left`] writes there.
#[cfg(feature = "gpu")]
pub fn store_left(offsets: &[i64], label: impl Fn(usize) -> i32, entries: Range<usize>, left: &mut Rows) {
    let base = offsets[0] + entries.start as i64;
    let first = offsets.partition_point(|&offset| offset <= base) - 1;
    let place = |i: usize| (offsets[i] - base).max(0) as usize..((offsets[i + 1] - base) as usize).min(entries.len());
    let rows = (first..offsets.len() - 1).take_while(|&i| offsets[i] - base < entries.len() as i64);
    left.stores(true, |stores| {
        stream_each(stores, rows.map(|i| (place(i), label(i))));
    });
}

/// Writes values, each to all of a range, one range after the other.
fn fill_each(left: &mut Rows, places: impl Iterator<Item = (Range<usize>, i32)>) {
    for (range, value) in places {
        fill(left, range, value); // what is written after a range is overwritten by those after it
    }
}

/// Writes `value` to all of `range`, and may do so to as much as [`FILLED`] elements after it.
#[inline]
fn fill(left: &mut Rows, range: Range<usize>, value: i32) {
    let (start, end, len) = (left.at(range.clone()), range.len(), left.len() - range.start);
    let mut at = 0;
    // SAFETY: `at` checks that the range lies inside the memory, of which there are `len` elements from its start on.
    unsafe {
        while at < end && at + FILLED <= len {
            start.add(at).cast::<[i32; FILLED]>().write_unaligned([value; FILLED]);
            at += FILLED;
        }
        while at < end {
            start.add(at).write(value);
            at += 1;
        }
    }
}

/// [`fill_each`] past the caches, for ranges that follow each other from the first element on: whole lines are made in
/// a piece of memory of its own first.
fn stream_each(left: &mut Stores, places: impl Iterator<Item = (Range<usize>, i32)>) {
    let mut piece = LeftPiece([0; PIECE + GROUP]);
    // Lines of the piece are lines of the column.
    let mut first = left.at(0..0).addr() / size_of::<i32>() % LINE;
    let (mut end, mut at) = (first, 0);
    for (range, value) in places {
        let mut rest = range.len();
        while rest > 0 {
            let len = rest.min(PIECE - end);
            piece.fill(end..end + len, value);
            (end, rest) = (end + len, rest - len);
            if end == PIECE {
                left.stream(at, &piece.0[first..end]);
                at += end - first;
                (first, end) = (0, 0);
            }
        }
    }
    left.stream(at, &piece.0[first..end]);
}

/// A part of the column on its way, and elements that may be written after it.
#[repr(align(64))]
struct LeftPiece([i32; PIECE + GROUP]);

impl LeftPiece {
    /// Writes `value` to all of `range`, and to less than [`GROUP`] elements after it.
    #[inline]
    fn fill(&mut self, range: Range<usize>, value: i32) {
        let whole = range.start..range.start + range.len().next_multiple_of(GROUP);
        let (groups, _) = self.0[whole].as_chunks_mut::<GROUP>();
        groups.fill([value; GROUP]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of all lengths, some of none, each written as often as it is long, whichever way, and nothing beside them.
    #[test]
    fn columns_are_alike() {
        const GUARD: i32 = -7;
        let lens = (0..3 * ROWS + 5).map(|i| [0, 1, 31, 32, 33, 0, 200][i % 7]);
        let offsets: Vec<i64> = (lens.scan(1, |end, len| Some(std::mem::replace(end, *end + len)))).collect();
        let rows = offsets.len() - 1;
        let label = |i: usize| 3 * i as i32;
        let len = (offsets[rows] - offsets[0]) as usize;
        let truth: Vec<i32> = (0..rows)
            .flat_map(|i| std::iter::repeat_n(label(i), (offsets[i + 1] - offsets[i]) as usize))
            .collect();
        let check = |fill: &dyn Fn(Rows)| {
            let mut left = vec![GUARD; len + FILLED];
            fill(Rows::new(&mut left));
            assert!(left[..len] == truth && left[len..].iter().all(|&id| id == GUARD));
        };
        let team = Team::new(3).unwrap();
        check(&|left| fill_left(&team, &offsets, label, left).unwrap());
        check(&|left| {
            let mut column = LeftColumn::new(&offsets, label, left).unwrap();
            column.streams = true;
            (0..column.pieces()).for_each(|piece| column.fill(piece));
        });
        #[cfg(feature = "gpu")]
        for step in [1 << 14, 1000, 77] {
            check(&|left| {
                let pieces = Pieces::every(left.into_part(0..len), step).unwrap();
                (0..pieces.len()).for_each(|k| store_left(&offsets, label, pieces.range(k), &mut pieces.take(k)));
            });
        }
    }

    /// No piece is written by two threads.
    #[test]
    #[should_panic(expected = "written twice")]
    fn a_piece_is_filled_once() {
        let mut left = [0; 4];
        let column = LeftColumn::new(&[0, 4], |_| 1, Rows::new(&mut left)).unwrap();
        column.fill(0);
        column.fill(0);
    }
}
