//! Rows of blocks in little memory, in the order in which they are returned. For a block searched in its frame, the
//! numbers of all points around it are kept once, and the rows as places among them, of 16 bits each; for other blocks
//! the rows are kept as they are. The rows of a block are read one after the other, so that its numbers stay in the
//! caches.

pub mod reading;

use std::ops::Range;

use super::kernels::quantized::rows::List;
use super::rows::LeafRows;
use crate::error::Result;
use crate::list::{ArenaWriter, grow, holds, push, reserve_discarding, resize_keeping};
use crate::simd::Simd;

const WHAT: &str = "rows kept for chunks";

/// Places that are copied at once. A copy may write this many after a row; the next row overwrites them.
const COPIED: usize = 32;

/// Places of a number that is kept as it is.
const WHOLE: usize = size_of::<u32>() / size_of::<u16>();

/// A row that was found: of which point, as a place among those around or a number; where its entries begin, and how
/// long they are.
#[derive(Clone, Copy, Debug, Default)]
struct RowHead {
    row: u32,
    start: usize,
    len: usize,
}

holds! { nothing for RowHead }

/// Rows of the block that is searched, in the order in which they are found.
#[derive(Debug, Default)]
#[repr(align(128))] // no line of it is another thread's too
pub struct FoundRows {
    heads: Vec<RowHead>,
    /// Entries of all rows: kept at its full length; only `len` elements are in use.
    entries: Vec<u16>,
    len: usize,
    /// For each place among the points around which row is that point's, plus one.
    rows: Vec<u32>,
    sorted: Vec<RowHead>,
}

holds! { FoundRows { heads, entries, rows, sorted; len } }

/// The place in the arena where what is kept of a block begins, part after part.
#[derive(Debug)]
pub struct Part {
    /// The numbers of the points around, where rows are places among them,
    numbers: Option<usize>,
    /// which point's each row is, a place among these or a number,
    rows: usize,
    /// where each row begins, after the first,
    starts: usize,
    /// and the rows one after the other, places or numbers.
    entries: usize,
    end: usize,
    /// Rows.
    len: usize,
    /// From the first to the last of them, as rows of the output.
    span: Range<usize>,
}

holds! { nothing for Part }

impl Part {
    /// The most bytes of rows, except for one that is longer.
    pub(super) const MOST: usize = (u32::MAX / 2) as usize;

    /// Words that the row of one of `points` points takes at the most.
    pub fn most(points: usize) -> usize {
        let near = points.min(1 << u16::BITS);
        points + near + 5 + COPIED
    }
}

impl FoundRows {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.len = 0;
    }

    /// Bytes that the numbers will take, the number of rows, and bytes of these, except for what fills words up.
    pub fn sizes(&self, numbers: Option<&[u32]>) -> [usize; 3] {
        let each = size_of::<u32>() + if numbers.is_some() { 2 } else { 4 };
        let numbers = numbers.filter(|_| !self.is_empty()).unwrap_or(&[]);
        [
            size_of_val(numbers),
            self.heads.len(),
            self.len * 2 + each * self.heads.len(),
        ]
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Appends the rows of some members of a leaf; their lengths are `counts`.
    pub fn push_leaf(&mut self, simd: Simd, rows: &LeafRows) -> Result<()> {
        let &LeafRows {
            hits, counts, index, ..
        } = rows;
        let total: usize = counts.iter().map(|&count| count as usize).sum();
        self.reserve(total + hits.padding())?;
        let to = &mut self.entries[self.len..];
        simd.run(List { hits, index, to });
        for (&rank, &len) in hits.ranks.iter().zip(counts) {
            self.push_head(u32::from(index[usize::from(rank)] as u16), len as usize)?;
        }
        Ok(())
    }

    /// Appends the row of point `number` as it is, in a block that has only such.
    pub fn push_row(&mut self, number: u32, row: &[i32]) -> Result<()> {
        let entries: &[u16] = bytemuck::cast_slice(row);
        self.reserve(entries.len())?;
        self.entries[self.len..][..entries.len()].copy_from_slice(entries);
        self.push_head(number, entries.len())
    }

    /// Takes up a row whose entries are the next `len`, if there are any.
    fn push_head(&mut self, row: u32, len: usize) -> Result<()> {
        let start = self.len;
        self.len += len;
        match len {
            0 => Ok(()),
            _ => push(&mut self.heads, RowHead { row, start, len }, WHAT),
        }
    }

    /// Keeps the rows, whose sizes were asked for, in a piece of the arena, in the order of output; where they are
    /// places, `numbers` are those of the points around. `None` where there is no room.
    pub fn keep(
        &mut self,
        numbers: Option<&[u32]>,
        order: Option<&[u32]>,
        arena: &ArenaWriter,
    ) -> Result<Option<Part>> {
        self.sort(numbers.unwrap_or(&[]), order)?;
        let (rows, len) = (numbers.map_or(0, <[u32]>::len), self.heads.len());
        let starts = rows + len.div_ceil(if numbers.is_some() { 2 } else { 1 });
        let entries = starts + len;
        let end = entries + (self.len + COPIED).div_ceil(2);
        let Some((start, piece)) = arena.piece(end) else {
            return Ok(None);
        };
        let (list, rest) = piece.split_at_mut(rows);
        let (to_rows, rest) = rest.split_at_mut(starts - rows);
        let (to_starts, to_entries) = rest.split_at_mut(len);
        match numbers {
            Some(numbers) => {
                list.copy_from_slice(numbers);
                let to_rows = bytemuck::cast_slice_mut::<u32, u16>(to_rows).iter_mut();
                to_rows.zip(&self.heads).for_each(|(to, head)| *to = head.row as u16);
            }
            None => {
                let to_rows = to_rows.iter_mut();
                to_rows.zip(&self.heads).for_each(|(to, head)| *to = head.row);
            }
        }
        let (to, mut at) = (bytemuck::cast_slice_mut::<u32, u16>(to_entries), 0);
        for (head, start) in self.heads.iter().zip(to_starts) {
            *start = at as u32;
            for k in (0..head.len).step_by(COPIED) {
                let from = &self.entries[head.start + k..][..COPIED];
                to[at + k..][..COPIED].copy_from_slice(from);
            }
            at += head.len;
        }
        let row = |head: &RowHead| row_of(head, numbers.unwrap_or(&[]), order);
        let span = row(&self.heads[0])..row(&self.heads[len - 1]) + 1;
        let [rows, starts, entries, end] = [rows, starts, entries, end].map(|word| start + word);
        Ok(Some(Part {
            numbers: numbers.map(|_| start),
            rows,
            starts,
            entries,
            end,
            len,
            span,
        }))
    }

    /// Brings the rows into the order of output.
    fn sort(&mut self, numbers: &[u32], order: Option<&[u32]>) -> Result<()> {
        if numbers.is_empty() || order.is_some() {
            self.heads.sort_unstable_by_key(|head| row_of(head, numbers, order));
            return Ok(());
        }
        grow(&mut self.rows, numbers.len(), 0, WHAT)?;
        let rows = &mut self.rows[..numbers.len()];
        rows.fill(0);
        for (head, k) in self.heads.iter().zip(1..) {
            rows[head.row as usize] = k;
        }
        // Without a branch, for which places have rows is not to be foreseen.
        let mut count = 0;
        for place in 0..rows.len() {
            rows[count] = rows[place];
            count += usize::from(rows[place] > 0);
        }
        self.sorted.clear();
        reserve_discarding(&mut self.sorted, self.heads.len(), WHAT)?;
        self.sorted
            .extend(rows[..count].iter().map(|&k| self.heads[k as usize - 1]));
        std::mem::swap(&mut self.heads, &mut self.sorted);
        Ok(())
    }

    fn reserve(&mut self, more: usize) -> Result<()> {
        let need = self.len + more + COPIED;
        if self.entries.len() < need {
            resize_keeping(&mut self.entries, need + need / 4, 0, WHAT)?;
        }
        Ok(())
    }
}

/// The row of the output that a row is.
fn row_of(head: &RowHead, numbers: &[u32], order: Option<&[u32]>) -> usize {
    let number = match numbers {
        [] => head.row,
        numbers => numbers[head.row as usize],
    };
    order.map_or(number, |order| order[number as usize]) as usize
}
