//! Rows of blocks in little memory, in the order in which they are returned. For a block searched in its frame, the numbers of
//! all points around it are kept once, and the rows as [gaps](delta) between places among them; for other blocks the rows are
//! kept as they are. The rows of a block are read one after the other, so that its numbers stay in the caches.

pub mod reading;

use std::ops::Range;

use super::id_coding;
use super::rows::LeafRows;
use super::simd::Simd;
use super::simd::delta::{self, Pack};
use super::simd::quantized::rows::List;
use crate::error::Result;
use crate::list::{ArenaWriter, grow, push, reserve_discarding, resize_keeping};

const WHAT: &str = "rows kept for chunks";

/// The start is recorded for one of this many rows of a block.
const STRIDE: usize = 4;

/// A row that was found: of which point, as a place among those around or a number; where its bytes begin, and how many.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    row: u32,
    start: usize,
    len: usize,
}

/// Rows of the block that is searched, in the order in which they are found.
#[derive(Debug, Default)]
#[repr(align(128))] // no line of it is another thread's too
pub struct FoundRows {
    heads: Vec<Head>,
    /// Rows of a leaf as places.
    places: Vec<u16>,
    /// Entries of all rows, and the rows' bytes: kept at its full length; only `len` bytes are in use.
    entries: usize,
    bytes: Vec<u8>,
    len: usize,
    /// For each place among the points around which row is that point's, plus one.
    rows: Vec<u32>,
    sorted: Vec<Head>,
    /// How many of the numbers of the points around may share one that is whole.
    shared: u32,
}

/// Where what is kept of a block begins in the arena, part after part.
#[derive(Debug)]
pub struct Part {
    /// Numbers that are whole, one for that many,
    wholes: usize,
    shared: Option<u32>,
    /// by how much each is more than that,
    lows: usize,
    /// which point's each row is, a place among these or a number,
    rows: usize,
    /// where every [`STRIDE`]th row begins, in bytes or numbers behind the first,
    starts: usize,
    /// and the rows one after the other, packed or numbers.
    bytes: usize,
    end: usize,
    /// Rows, and their entries.
    len: usize,
    entries: usize,
    /// From the first to the last of them, as rows of the output.
    span: Range<usize>,
}

impl Part {
    /// The most bytes of rows, except for one that is longer.
    pub(super) const MOST: usize = (u32::MAX / 2) as usize;

    /// Words that the row of one of `points` points takes at the most.
    pub fn most(points: usize) -> usize {
        let near = points.min(1 << u16::BITS);
        points.max(delta::most(near)) + 2 * near + 3 + delta::BEHIND
    }

    /// Bytes of the numbers, of which point's each row is, and of entries; numbers of rows and of entries.
    pub fn sizes(&self) -> [usize; 5] {
        let words = [self.rows - self.wholes, self.bytes - self.rows, self.end - self.bytes];
        let [lists, rows, entries] = words.map(|words| words * size_of::<u32>());
        [lists, rows, entries, self.len, self.entries]
    }
}

impl FoundRows {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.heads.capacity() + self.sorted.capacity()) * size_of::<Head>()
            + self.places.capacity() * 2
            + self.bytes.capacity()
            + self.rows.capacity() * 4
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.heads.clear();
        (self.entries, self.len) = (0, 0);
    }

    /// Bytes that the numbers will take, the number of rows, and bytes of these, except for what fills words up.
    pub fn sizes(&mut self, numbers: Option<&[u32]>) -> [usize; 3] {
        let each = if numbers.is_some() { 2 } else { 4 };
        let numbers = numbers.filter(|_| !self.is_empty()).unwrap_or(&[]);
        self.shared = id_coding::shared(numbers);
        let lists = id_coding::words(numbers.len(), self.shared).iter().sum::<usize>() * size_of::<u32>();
        let starts = self.heads.len().div_ceil(STRIDE) * size_of::<u32>();
        [lists, self.heads.len(), self.len + each * self.heads.len() + starts]
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
        let behind = hits.padding().max(delta::PLACES_BEHIND);
        grow(&mut self.places, total + behind, 0, WHAT)?;
        self.reserve(total * delta::most(1) + delta::BEHIND)?;
        let to = &mut self.places[..];
        simd.run(List { hits, index, to });
        let mut rest = &self.places[..];
        for (&rank, &len) in hits.ranks.iter().zip(counts) {
            if len > 0 {
                let (places, len, to) = (rest, len as usize, &mut self.bytes[self.len..]);
                let bytes = simd.run(Pack { places, len, to });
                rest = &rest[len..];
                let row = u32::from(index[usize::from(rank)] as u16);
                let head = Head {
                    row,
                    start: self.len,
                    len: bytes,
                };
                push(&mut self.heads, head, WHAT)?;
                self.len += bytes;
            }
        }
        self.entries += total;
        Ok(())
    }

    /// Appends the row of point `number` as it is, in a block that has only such.
    pub fn push_row(&mut self, number: u32, row: &[i32]) -> Result<()> {
        if !row.is_empty() {
            let bytes: &[u8] = bytemuck::cast_slice(row);
            let (start, end) = (self.len, self.len + bytes.len());
            self.reserve(bytes.len() + delta::BEHIND)?;
            self.bytes[start..end].copy_from_slice(bytes);
            let head = Head {
                row: number,
                start,
                len: bytes.len(),
            };
            push(&mut self.heads, head, WHAT)?;
            (self.entries, self.len) = (self.entries + row.len(), end);
        }
        Ok(())
    }

    /// Keeps the rows, whose sizes were asked for, in a piece of the arena, in the order of output; where they are places,
    /// `numbers` are those of the points around. `None` where there is no room.
    pub fn keep(
        &mut self,
        numbers: Option<&[u32]>,
        order: Option<&[u32]>,
        arena: &ArenaWriter,
    ) -> Result<Option<Part>> {
        self.sort(numbers.unwrap_or(&[]), order)?;
        let shared = numbers.map(|_| self.shared);
        let [lows, after] = numbers.map_or([0; 2], |numbers| id_coding::words(numbers.len(), self.shared));
        let rows = lows + after;
        let starts = rows + self.heads.len().div_ceil(if shared.is_some() { 2 } else { 1 });
        let bytes = starts + self.heads.len().div_ceil(STRIDE);
        let end = bytes + (self.len + delta::BEHIND).div_ceil(size_of::<u32>());
        let Some((start, piece)) = arena.piece(end) else {
            return Ok(None);
        };
        let (list, rest) = piece.split_at_mut(rows);
        let (to_rows, rest) = rest.split_at_mut(starts - rows);
        let (to_starts, to_bytes) = rest.split_at_mut(bytes - starts);
        match numbers.zip(shared) {
            Some((numbers, shared)) => {
                id_coding::split(numbers, shared, list.split_at_mut(lows));
                let to_rows = bytemuck::cast_slice_mut::<u32, u16>(to_rows).iter_mut();
                to_rows.zip(&self.heads).for_each(|(to, head)| *to = head.row as u16);
            }
            None => {
                let to_rows = to_rows.iter_mut();
                to_rows.zip(&self.heads).for_each(|(to, head)| *to = head.row);
            }
        }
        let unit = if shared.is_some() { 1 } else { size_of::<u32>() };
        let (to, mut at) = (bytemuck::cast_slice_mut::<u32, u8>(to_bytes), 0);
        for (heads, start) in self.heads.chunks(STRIDE).zip(to_starts) {
            *start = (at / unit) as u32;
            for head in heads {
                // As many at once as may be behind a row: the next one is written over them.
                for k in (0..head.len).step_by(delta::BEHIND) {
                    let from = &self.bytes[head.start + k..][..delta::BEHIND];
                    to[at + k..][..delta::BEHIND].copy_from_slice(from);
                }
                at += head.len;
            }
        }
        let row = |head: &Head| row_of(head, numbers.unwrap_or(&[]), order);
        let span = row(&self.heads[0])..row(&self.heads[self.heads.len() - 1]) + 1;
        let [wholes, lows, rows, starts, bytes, end] = [0, lows, rows, starts, bytes, end].map(|word| start + word);
        Ok(Some(Part {
            wholes,
            shared,
            lows,
            rows,
            starts,
            bytes,
            end,
            len: self.heads.len(),
            entries: self.entries,
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
        let need = self.len + more;
        if self.bytes.len() < need {
            resize_keeping(&mut self.bytes, need + need / 4, 0, WHAT)?;
        }
        Ok(())
    }
}

/// Which row of the output a row is.
fn row_of(head: &Head, numbers: &[u32], order: Option<&[u32]>) -> usize {
    let number = match numbers {
        [] => head.row,
        numbers => numbers[head.row as usize],
    };
    order.map_or(number, |order| order[number as usize]) as usize
}
