//! Rows of blocks in little memory, in the order in which they are delivered. Of a block searched in its frame the numbers of
//! all points around are kept once, and rows as places among these, 16 bits each, as they are found; of others the rows as
//! they are. A block's rows are read one after the other, so that its numbers stay in the caches meanwhile.

use std::ops::Range;

use super::simd::fixed::{Kernels, Ranked};
use super::simd::{store_listed, store_row};
use crate::error::Result;
use crate::list::{Delivery, Rows, grow, prefetch, push, reserve_exactly, resize_keeping};

const WHAT: &str = "rows kept for chunks";

/// Rows that are fetched before they are read, and lines of each: all of most rows.
const AHEAD: usize = 4;
const LINES: usize = 3;

/// Which row of a block one is, a place in the list of numbers or else a number, and where it begins, in words of 16 bits.
type Head = [u32; 2];

/// What is kept of a block: words `list .. codes` are the numbers around, or none; `codes .. heads` its rows.
#[derive(Clone, Debug)]
pub struct Part {
    list: usize,
    codes: usize,
    heads: usize,
    end: usize,
}

/// Rows of one worker, block after block.
#[derive(Debug, Default)]
pub struct Kept {
    /// Kept at its full length; only `len` words are in use.
    words: Vec<u32>,
    len: usize,
    /// Words that may be used.
    most: usize,
    /// Where the block that is being kept begins, and its rows.
    list: usize,
    codes: usize,
    heads: Vec<Head>,
    /// For each place in the list where the row of that point begins, plus one.
    starts: Vec<u32>,
}

impl Kept {
    /// Forgets all, and makes room for `bytes`; memory is touched only as it is used.
    pub fn restart(&mut self, bytes: usize) -> Result<()> {
        (self.len, self.most) = (0, bytes / size_of::<u32>());
        reserve_exactly(&mut self.words, self.most, WHAT)?;
        self.begin();
        Ok(())
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.words.capacity() + self.starts.capacity()) * size_of::<u32>() + self.heads.capacity() * size_of::<Head>()
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        (self.most - self.most.min(self.len + 2 * self.heads.len())) * size_of::<u32>()
    }

    /// Begins a block.
    pub fn begin(&mut self) {
        (self.list, self.codes) = (self.len, self.len);
        self.heads.clear();
    }

    /// Gives up the block begun.
    pub fn undo(&mut self) {
        self.len = self.list;
        self.begin();
    }

    /// Keeps the rows of some members of a leaf, whose targets stand at `ranked` places in the list of `numbers`; the lengths of the
    /// rows are `counts`. Returns the bytes that takes; where there are no more than `room`, nothing is done.
    pub fn push_leaf(
        &mut self,
        kernels: &Kernels,
        ranked: &Ranked,
        numbers: &[u32],
        counts: &[u32],
        room: usize,
    ) -> Result<usize> {
        let total: usize = counts.iter().map(|&count| count as usize).sum();
        let list = if self.heads.is_empty() { numbers.len() } else { 0 };
        let bytes = 2 * total + size_of::<Head>() * counts.len() + 4 * list;
        if total == 0 || bytes > room {
            return Ok(if total == 0 { 0 } else { bytes });
        }
        if self.heads.is_empty() {
            self.append(numbers)?;
            self.codes = self.len;
        }
        let padded = total + ranked.padding();
        self.reserve(padded.div_ceil(2))?;
        let first = 2 * (self.len - self.codes);
        let to = bytemuck::cast_slice_mut(&mut self.words[self.len..]);
        kernels.list(ranked, &mut to[..padded]);
        let mut start = first;
        for (&rank, &count) in ranked.ranks.iter().zip(counts) {
            if count > 0 {
                let row = ranked.index[usize::from(rank)] as u16;
                push(&mut self.heads, [row.into(), start as u32], WHAT)?;
                start += count as usize;
            }
        }
        self.len = self.codes + start.div_ceil(2);
        Ok(bytes)
    }

    /// Keeps a row as it is: that of point `number`, in a block that has only such. Returns the bytes that takes; where there
    /// are no more than `room`, nothing is done.
    pub fn push_row(&mut self, number: u32, row: &[i32], room: usize) -> Result<usize> {
        let bytes = if row.is_empty() {
            0
        } else {
            4 * row.len() + size_of::<Head>()
        };
        if !row.is_empty() && bytes <= room {
            let start = 2 * (self.len - self.codes) as u32;
            push(&mut self.heads, [number, start], WHAT)?;
            self.append(bytemuck::cast_slice(row))?;
        }
        Ok(bytes)
    }

    /// Ends a block whose rows are delivered as those that `row` says. None where it has none.
    pub fn end(&mut self, order: Option<&[u32]>) -> Result<Option<Part>> {
        if self.heads.is_empty() {
            return Ok(None);
        }
        let (list, codes, heads) = (self.list, self.codes, self.len);
        let mut rows = std::mem::take(&mut self.heads);
        let numbers = &self.words[list..codes];
        match order {
            None if list < codes => sort_by_place(&mut rows, &mut self.starts, numbers.len())?,
            _ => rows.sort_unstable_by_key(|head| delivered(number(numbers, head), order)),
        }
        self.append(bytemuck::cast_slice(&rows))?;
        self.heads = rows;
        let end = self.len;
        self.begin();
        Ok(Some(Part {
            list,
            codes,
            heads,
            end,
        }))
    }

    /// The numbers around a block, its rows, and their heads.
    fn part(&self, part: &Part) -> [&[u32]; 3] {
        let &Part {
            list,
            codes,
            heads,
            end,
        } = part;
        [list..codes, codes..heads, heads..end].map(|words| &self.words[words])
    }

    fn append(&mut self, words: &[u32]) -> Result<()> {
        self.reserve(words.len())?;
        self.words[self.len..self.len + words.len()].copy_from_slice(words);
        self.len += words.len();
        Ok(())
    }

    fn reserve(&mut self, words: usize) -> Result<()> {
        let need = self.len + words;
        if self.words.len() < need {
            const STEP: usize = 1 << 16;
            let len = (need + STEP).min(self.words.capacity()).max(need);
            resize_keeping(&mut self.words, len, 0, WHAT)?;
        }
        Ok(())
    }
}

/// What a thread needs to read rows.
#[derive(Default)]
pub struct Reading {
    row: Vec<i32>,
    spare: Vec<i32>,
}

impl Reading {
    /// Stores those of a part's rows that are some of `rows` in the delivery; the offset of the first that is stored anywhere is
    /// `first`.
    pub fn read(
        &mut self,
        kept: &Kept,
        part: &Part,
        rows: Range<usize>,
        first: i64,
        delivery: &Delivery,
        to: &Rows,
    ) -> Result<()> {
        let (Delivery { places, labels }, base) = (*delivery, delivery.labels.base as i32);
        let [numbers, codes, heads] = kept.part(part);
        let heads: &[Head] = bytemuck::cast_slice(heads);
        let listed: &[u16] = bytemuck::cast_slice(codes);
        let row = |head: &Head| delivered(number(numbers, head), places.order);
        let heads = &heads[heads.partition_point(|head| row(head) < rows.start)..];
        for (k, head) in heads.iter().enumerate() {
            if let Some(later) = heads.get(k + AHEAD) {
                let start = listed.as_ptr().wrapping_add(later[1] as usize);
                (0..LINES).for_each(|line| prefetch(start.wrapping_add(32 * line)));
            }
            let (row, start) = (row(head), head[1] as usize);
            if row >= rows.end {
                break;
            }
            let place = (places.offsets[row] - first) as usize..(places.offsets[row + 1] - first) as usize;
            let len = place.len();
            if !numbers.is_empty() && labels.are_plain() {
                store_listed(to, place, &listed[start..start + len], numbers, base);
                continue;
            }
            grow(&mut self.row, len, 0, WHAT)?;
            grow(&mut self.spare, labels.spare(len), 0, WHAT)?;
            let ids = &mut self.row[..len];
            if numbers.is_empty() {
                let row = codes[start / 2..start / 2 + len].iter();
                ids.iter_mut().zip(row).for_each(|(id, &number)| *id = number as i32 + base);
            } else {
                let row = listed[start..start + len].iter();
                let number = |&place: &u16| numbers[usize::from(place)];
                ids.iter_mut().zip(row).for_each(|(id, place)| *id = number(place) as i32 + base);
            }
            labels.row(ids, &mut self.spare);
            store_row(to, place, ids);
        }
        Ok(())
    }
}

/// The number of the point that a row is of.
fn number(numbers: &[u32], head: &Head) -> usize {
    match numbers {
        [] => head[0] as usize,
        numbers => numbers[head[0] as usize] as usize,
    }
}

fn delivered(number: usize, order: Option<&[u32]>) -> usize {
    order.map_or(number, |order| order[number] as usize)
}

/// Sorts rows by their places among so many.
fn sort_by_place(rows: &mut [Head], starts: &mut Vec<u32>, places: usize) -> Result<()> {
    grow(starts, places, 0, WHAT)?;
    let starts = &mut starts[..places];
    starts.fill(0);
    rows.iter().for_each(|&[row, start]| starts[row as usize] = start + 1);
    let sorted = starts.iter().enumerate().filter(|(_, start)| **start > 0);
    rows.iter_mut()
        .zip(sorted)
        .for_each(|(to, (row, start))| *to = [row as u32, start - 1]);
    Ok(())
}
