//! Rows of blocks in little memory, in the order in which they are delivered. Of a block searched in its frame the numbers of
//! all points around are kept once, and rows as places among these, 16 bits each, as they are found; of others rows as they
//! are. A block's rows are read one after the other, so that its numbers stay in the caches meanwhile.

use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::simd::fixed::{Kernels, Ranked};
use super::simd::{store_each, store_row};
use crate::error::Result;
use crate::list::{Delivery, Pile, Places, Rows, Taking, grow, prefetch, push, reserve_discarding, resize_keeping};

const WHAT: &str = "rows kept for chunks";

/// Numbers may be kept as so many, as a power of two, that share one that is whole: the first that will do, or each is whole.
const SHARED: [u32; 5] = [7, 6, 5, 4, 3];

/// Rows that are fetched before they are read.
const AHEAD: usize = 6;

/// So many rows of a block at once need most of its numbers, which are fetched before, a line of bytes at a time.
const MANY: usize = 16;
const LINE: usize = 64;

/// A row that was found: of which point, as a place among those around or a number; where its entries begin, and how many.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    row: u32,
    start: u32,
    len: u32,
}

/// Rows of the block that is searched, in the order in which they are found.
#[derive(Debug, Default)]
pub struct Found {
    heads: Vec<Head>,
    /// Kept at its full length; only `len` elements are in use.
    entries: Vec<u16>,
    len: usize,
    /// For each place among the points around which row is that point's, plus one.
    rows: Vec<u32>,
    sorted: Vec<Head>,
    /// How many of the numbers of the points around may share one that is whole.
    shared: u32,
}

/// Where what is kept of a block begins in the pile, part after part.
#[derive(Debug)]
pub struct Part {
    /// Numbers that are whole, one for so many,
    wholes: usize,
    shared: Option<u32>,
    /// by how much each is more than that,
    lows: usize,
    /// which point's each row is, a place among these or a number,
    rows: usize,
    /// and the rows one after the other, places or numbers.
    entries: usize,
    end: usize,
    len: usize,
    /// Rows that were read, and their entries.
    read: [AtomicUsize; 2],
}

impl Part {
    /// Words that the row of one of `points` points takes at the most.
    pub fn most(points: usize) -> usize {
        points + 2 * points.min(1 << u16::BITS) + 2
    }

    /// Bytes of the numbers, of which point's each row is, and of entries; numbers of rows and of entries.
    pub fn sizes(&self) -> [usize; 5] {
        let [lists, rows, entries] = [
            self.rows - self.wholes,
            self.entries - self.rows,
            self.end - self.entries,
        ];
        let bytes = [lists, rows, entries].map(|words| words * size_of::<u32>());
        let entry = if self.shared.is_some() { 2 } else { 4 };
        [bytes[0], bytes[1], bytes[2], self.len, bytes[2] / entry]
    }
}

impl Found {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.heads.capacity() + self.sorted.capacity()) * size_of::<Head>()
            + self.entries.capacity() * 2
            + self.rows.capacity() * 4
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.len = 0;
    }

    /// Bytes that the numbers will take, the number of rows, and bytes of these, but for what fills words up.
    pub fn sizes(&mut self, numbers: Option<&[u32]>) -> [usize; 3] {
        let each = if numbers.is_some() { 2 } else { 4 };
        let numbers = numbers.filter(|_| !self.is_empty()).unwrap_or(&[]);
        self.shared = shared(numbers);
        let lists = words(numbers.len(), self.shared).iter().sum::<usize>() * size_of::<u32>();
        [lists, self.heads.len(), 2 * self.len + each * self.heads.len()]
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Appends the rows of some members of a leaf; their lengths are `counts`.
    pub fn push_leaf(&mut self, kernels: &Kernels, ranked: &Ranked, counts: &[u32]) -> Result<()> {
        let total: usize = counts.iter().map(|&count| count as usize).sum();
        let mut start = self.len;
        self.reserve(total + ranked.padding())?;
        kernels.list(ranked, &mut self.entries[start..]);
        for (&rank, &len) in ranked.ranks.iter().zip(counts) {
            if len > 0 {
                let row = u32::from(ranked.index[usize::from(rank)] as u16);
                let head = Head {
                    row,
                    start: start as u32,
                    len,
                };
                push(&mut self.heads, head, WHAT)?;
                start += len as usize;
            }
        }
        self.len = start;
        Ok(())
    }

    /// Appends the row of point `number` as it is, in a block that has only such.
    pub fn push_row(&mut self, number: u32, row: &[i32]) -> Result<()> {
        if !row.is_empty() {
            let words: &[u16] = bytemuck::cast_slice(row);
            let (start, end) = (self.len, self.len + words.len());
            self.reserve(words.len())?;
            self.entries[start..end].copy_from_slice(words);
            self.len = end;
            let head = Head {
                row: number,
                start: start as u32,
                len: words.len() as u32,
            };
            push(&mut self.heads, head, WHAT)?;
        }
        Ok(())
    }

    /// Keeps the rows, whose sizes were asked for, in a piece of the pile, in the order of delivery; where they are places,
    /// `numbers` are those of the points around. `None` where there is no room.
    pub fn keep(&mut self, numbers: Option<&[u32]>, order: Option<&[u32]>, pile: &Taking) -> Result<Option<Part>> {
        self.sort(numbers.unwrap_or(&[]), order)?;
        let shared = numbers.map(|_| self.shared);
        let [lows, after] = numbers.map_or([0; 2], |numbers| words(numbers.len(), self.shared));
        let rows = lows + after;
        let entries = rows + self.heads.len().div_ceil(if shared.is_some() { 2 } else { 1 });
        let end = entries + self.len.div_ceil(2);
        let Some((start, piece)) = pile.piece(end) else {
            return Ok(None);
        };
        let (list, rest) = piece.split_at_mut(rows);
        let (to_rows, to_entries) = rest.split_at_mut(entries - rows);
        match numbers.zip(shared) {
            Some((numbers, shared)) => {
                split(numbers, shared, list.split_at_mut(lows));
                let to_rows = bytemuck::cast_slice_mut::<u32, u16>(to_rows).iter_mut();
                to_rows.zip(&self.heads).for_each(|(to, head)| *to = head.row as u16);
            }
            None => {
                let to_rows = to_rows.iter_mut();
                to_rows.zip(&self.heads).for_each(|(to, head)| *to = head.row);
            }
        }
        let (to, mut at) = (bytemuck::cast_slice_mut::<u32, u16>(to_entries), 0);
        for head in &self.heads {
            let (start, len) = (head.start as usize, head.len as usize);
            to[at..at + len].copy_from_slice(&self.entries[start..start + len]);
            at += len;
        }
        let [wholes, lows, rows, entries, end] = [0, lows, rows, entries, end].map(|word| start + word);
        Ok(Some(Part {
            wholes,
            shared,
            lows,
            rows,
            entries,
            end,
            len: self.heads.len(),
            read: Default::default(),
        }))
    }

    /// Brings the rows into the order of delivery.
    fn sort(&mut self, numbers: &[u32], order: Option<&[u32]>) -> Result<()> {
        if numbers.is_empty() || order.is_some() {
            let number = |head: &Head| match numbers {
                [] => head.row,
                numbers => numbers[head.row as usize],
            };
            let row = |head: &Head| order.map_or(number(head), |order| order[number(head) as usize]);
            self.heads.sort_unstable_by_key(row);
            return Ok(());
        }
        grow(&mut self.rows, numbers.len(), 0, WHAT)?;
        let rows = &mut self.rows[..numbers.len()];
        rows.fill(0);
        for (head, k) in self.heads.iter().zip(1..) {
            rows[head.row as usize] = k;
        }
        self.sorted.clear();
        reserve_discarding(&mut self.sorted, self.heads.len(), WHAT)?;
        let sorted = rows.iter().filter(|&&k| k > 0).map(|&k| self.heads[k as usize - 1]);
        self.sorted.extend(sorted);
        std::mem::swap(&mut self.heads, &mut self.sorted);
        Ok(())
    }

    fn reserve(&mut self, more: usize) -> Result<()> {
        let need = self.len + more;
        if self.entries.len() < need {
            resize_keeping(&mut self.entries, need + need / 4, 0, WHAT)?;
        }
        Ok(())
    }
}

/// Words that so many numbers take: those that are whole, and by how much each is more, which is nothing if all are.
fn words(count: usize, shared: u32) -> [usize; 2] {
    let lows = if shared > 0 { count.div_ceil(2) } else { 0 };
    [count.div_ceil(1 << shared), lows]
}

/// How many numbers, as a power of two, may share one that is whole.
fn shared(numbers: &[u32]) -> u32 {
    let is_near = |part: &[u32]| part[part.len() - 1] - part[0] <= u16::MAX.into();
    let fits = |&shared: &u32| numbers.chunks(1 << shared).all(is_near);
    SHARED.into_iter().find(fits).unwrap_or(0)
}

/// Splits ascending numbers into those that are whole and by how much each is more.
fn split(numbers: &[u32], shared: u32, (wholes, lows): (&mut [u32], &mut [u32])) {
    if shared == 0 {
        return wholes.copy_from_slice(numbers);
    }
    let lows: &mut [u16] = bytemuck::cast_slice_mut(lows);
    let parts = numbers.chunks(1 << shared).zip(lows.chunks_mut(1 << shared));
    for (whole, (numbers, lows)) in wholes.iter_mut().zip(parts) {
        *whole = numbers[0];
        let more = numbers.iter().map(|number| (number - numbers[0]) as u16);
        lows.iter_mut().zip(more).for_each(|(low, more)| *low = more);
    }
}

/// Numbers by their places.
#[derive(Clone, Copy)]
struct Numbers<'a> {
    wholes: &'a [u32],
    shared: u32,
    lows: &'a [u16],
}

impl Numbers<'_> {
    #[inline(always)]
    fn of(&self, place: u16) -> u32 {
        let place = usize::from(place);
        match self.shared {
            0 => self.wholes[place],
            shared => self.wholes[place >> shared] + u32::from(self.lows[place]),
        }
    }

    /// Stores a row at its place; by itself, or the loop has no registers.
    #[inline(never)]
    fn store(self, to: &Rows, place: Range<usize>, row: &[u16], base: i32) {
        match self.shared {
            0 => store_each(to, place, row, |place| self.wholes[usize::from(place)] as i32 + base),
            _ => store_each(to, place, row, |place| self.of(place) as i32 + base),
        }
    }
}

/// What a thread needs to read rows.
#[derive(Default)]
pub struct Reading {
    row: Vec<i32>,
    spare: Vec<i32>,
    places: Vec<Range<usize>>,
}

impl Reading {
    /// Stores those of a part's rows that are some of `rows` in the delivery; what is stored first of all is at the offset
    /// `first`.
    pub fn read(
        &mut self,
        pile: &Pile,
        part: &Part,
        rows: Range<usize>,
        first: i64,
        delivery: &Delivery,
        to: &Rows,
    ) -> Result<()> {
        let labels = delivery.labels;
        let (base, words) = (labels.base as i32, pile.words(part.entries..part.end));
        let heads = pile.words(part.rows..part.entries);
        let Some(shared) = part.shared else {
            let entry = self.find(part, |k| heads[k], rows, first, &delivery.places)?;
            let mut rest = &words[entry / 2..];
            for place in &self.places {
                let (numbers, behind) = rest.split_at(place.len());
                rest = behind;
                grow(&mut self.row, numbers.len(), 0, WHAT)?;
                grow(&mut self.spare, labels.spare(numbers.len()), 0, WHAT)?;
                let row = &mut self.row[..numbers.len()];
                row.iter_mut()
                    .zip(numbers)
                    .for_each(|(to, &number)| *to = number as i32 + base);
                labels.row(row, &mut self.spare);
                store_row(to, place.clone(), row);
            }
            return Ok(());
        };
        let numbers = Numbers {
            wholes: pile.words(part.wholes..part.lows),
            shared,
            lows: bytemuck::cast_slice(pile.words(part.lows..part.rows)),
        };
        let heads: &[u16] = bytemuck::cast_slice(heads);
        let entry = self.find(part, |k| numbers.of(heads[k]), rows, first, &delivery.places)?;
        let mut rest = &bytemuck::cast_slice::<u32, u16>(words)[entry..];
        if self.places.len() >= MANY {
            let list = pile.words(part.wholes..part.rows).iter();
            list.step_by(LINE / size_of::<u32>()).for_each(|word| prefetch(word));
        }
        for (k, place) in self.places.iter().enumerate() {
            if let Some(later) = self.places.get(k + AHEAD) {
                to.prefetch(later.clone());
            }
            let (entries, behind) = rest.split_at(place.len());
            rest = behind;
            if labels.are_plain() {
                numbers.store(to, place.clone(), entries, base);
                continue;
            }
            grow(&mut self.row, entries.len(), 0, WHAT)?;
            grow(&mut self.spare, labels.spare(entries.len()), 0, WHAT)?;
            let row = &mut self.row[..entries.len()];
            let number = |place: u16| numbers.of(place) as i32 + base;
            row.iter_mut().zip(entries).for_each(|(to, &place)| *to = number(place));
            labels.row(row, &mut self.spare);
            store_row(to, place.clone(), row);
        }
        Ok(())
    }

    /// Finds out where those of a part's rows that are some of `rows` are to be stored, and returns where their entries begin.
    /// Row `k` is that of point `number(k)`.
    fn find(
        &mut self,
        part: &Part,
        number: impl Fn(usize) -> u32,
        rows: Range<usize>,
        first: i64,
        places: &Places,
    ) -> Result<usize> {
        let row = |k: usize| places.row(number(k) as usize);
        let len = |row: usize| (places.offsets[row + 1] - places.offsets[row]) as usize;
        let width = if part.shared.is_some() { 1 } else { 2 };
        let [mut k, mut entry] = part.read.each_ref().map(|read| read.load(Relaxed));
        if k > 0 && row(k - 1) >= rows.start {
            (k, entry) = (0, 0);
        }
        while k < part.len && row(k) < rows.start {
            (k, entry) = (k + 1, entry + width * len(row(k)));
        }
        let start = entry;
        self.places.clear();
        while k < part.len && row(k) < rows.end {
            let at = (places.offsets[row(k)] - first) as usize;
            let place = at..at + len(row(k));
            (k, entry) = (k + 1, entry + width * place.len());
            push(&mut self.places, place, WHAT)?;
        }
        [k, entry]
            .into_iter()
            .zip(&part.read)
            .for_each(|(now, read)| read.store(now, Relaxed));
        Ok(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers come back as they were, however far apart they are.
    #[test]
    fn numbers_come_back() {
        for (count, step) in [
            (1, 1),
            (300, 1),
            (300, 500),
            (300, 3000),
            (300, 9000),
            (300, 60_000),
            (70, 50_000_000),
        ] {
            let numbers: Vec<u32> = (0..count).map(|k| k * step + k % 3 * (step / 4)).collect();
            let shared = shared(&numbers);
            assert!(shared == 7 || step > 500);
            let mut wholes = vec![0; numbers.len().div_ceil(1 << shared)];
            let mut lows = vec![0; words(numbers.len(), shared)[1]];
            split(&numbers, shared, (&mut wholes, &mut lows));
            let list = Numbers {
                wholes: &wholes,
                shared,
                lows: bytemuck::cast_slice(&lows),
            };
            assert!(
                (0..count as u16).map(|place| list.of(place)).eq(numbers),
                "steps of {step}"
            );
        }
    }
}
