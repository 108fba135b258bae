//! Reads rows of a part, those of a batch, each to its place.

use std::ops::Range;

use super::{Part, WHAT, WHOLE};
use crate::error::Result;
use crate::ids::{OutputMap, Places};
use crate::list::{Arena, Rows, grow, prefetch, push};

/// Rows that are fetched before they are read.
const AHEAD: usize = 6;

/// And words of rows.
const WORDS_AHEAD: usize = 1 << 9;

/// So many rows of a block at once need most of its numbers, which are fetched before.
const MANY: usize = 16;

/// Words of a cache line.
const LINE: usize = 16;

/// Memory that a thread needs to read rows.
#[derive(Default)]
#[repr(align(128))] // no line of it is another thread's too
pub struct Reading {
    places: Vec<Range<usize>>,
    /// A row as it is delivered, and what labels need beside it.
    row: Vec<i32>,
    spare: Vec<i32>,
}

impl Reading {
    /// Stores those of the first part's rows that are some of `rows` in the output; what is stored first of all is at
    /// the offset `first`. What the part after it needs is fetched meanwhile.
    pub fn read(
        &mut self,
        arena: &Arena,
        parts: &[Part],
        rows: Range<usize>,
        first: i64,
        output: &OutputMap,
        to: &mut Rows,
    ) -> Result<()> {
        let part = &parts[0];
        if part.span.start >= rows.end || part.span.end <= rows.start {
            return Ok(());
        }
        let heads = arena.words(part.rows..part.starts);
        let entries = arena.words(part.entries..part.end);
        let find = Find {
            part,
            starts: arena.words(part.starts..part.entries),
            rows,
            first,
            places: &output.places,
        };
        let base = output.labels.base as i32;
        let Some(numbers) = part.numbers else {
            let at = find.places(|k| heads[k], &mut self.places)?;
            let number = |&number: &u32| number as i32 + base;
            return self.store(&entries[at / WHOLE..], number, &[], output, to);
        };
        let next = parts.get(1).filter(|_| find.expected() >= MANY);
        let next = next.and_then(|part| Some(arena.words(part.numbers?..part.rows)));
        let numbers = arena.words(numbers..part.rows);
        let (heads, entries): (&[u16], &[u16]) = (bytemuck::cast_slice(heads), bytemuck::cast_slice(entries));
        let at = find.places(|k| numbers[usize::from(heads[k])], &mut self.places)?;
        let number = |&place: &u16| numbers[usize::from(place)] as i32 + base;
        self.store(&entries[at..], number, next.unwrap_or(&[]), output, to)
    }

    /// Stores rows of what `number` makes numbers of, and has a share of `next` fetched with each.
    fn store<E>(
        &mut self,
        entries: &[E],
        number: impl Fn(&E) -> i32,
        next: &[u32],
        output: &OutputMap,
        to: &mut Rows,
    ) -> Result<()> {
        let (labels, mut rest) = (output.labels, entries);
        let share = next.len().div_ceil(self.places.len().max(1));
        let mut shares = next.chunks(share.next_multiple_of(LINE).max(LINE));
        for (k, place) in self.places.iter().enumerate() {
            if let Some(later) = self.places.get(k + AHEAD) {
                to.prefetch(later.clone());
            }
            let lines = shares.next().unwrap_or(&[]).iter().step_by(LINE);
            lines.for_each(|word| prefetch(word));
            prefetch(rest.as_ptr().wrapping_add(WORDS_AHEAD));
            let len = place.len();
            grow(&mut self.row, len, 0, WHAT)?;
            grow(&mut self.spare, labels.spare(len), 0, WHAT)?;
            let (kept, behind) = rest.split_at(len);
            rest = behind;
            let row = &mut self.row[..len];
            row.iter_mut().zip(kept).for_each(|(to, entry)| *to = number(entry));
            labels.row(row, &mut self.spare);
            to.store(place.clone(), row);
        }
        Ok(())
    }
}

/// Those of a part's rows that are some of `rows`, and the places where they are stored.
struct Find<'a> {
    part: &'a Part,
    starts: &'a [u32],
    rows: Range<usize>,
    first: i64,
    places: &'a Places<'a>,
}

impl Find<'_> {
    /// About how many they are, if the part's are as far from each other everywhere.
    fn expected(&self) -> usize {
        let rows = self.part.span.end.min(self.rows.end) - self.part.span.start.max(self.rows.start);
        (rows as u64 * self.part.len as u64 / self.part.span.len() as u64) as usize
    }

    /// Puts their places into `found`, and returns where the first of them begins. Row `k` is that of point
    /// `number(k)`.
    fn places(&self, number: impl Fn(usize) -> u32, found: &mut Vec<Range<usize>>) -> Result<usize> {
        let (offsets, len) = (self.places.offsets(), self.part.len);
        let row = |k: usize| self.places.row(number(k) as usize);
        let from = self.first_row(row);
        found.clear();
        for row in (from..len).map(row).take_while(|row| self.rows.contains(row)) {
            let start = (offsets[row] - self.first) as usize;
            push(found, start..start + (offsets[row + 1] - offsets[row]) as usize, WHAT)?;
        }
        Ok(self.starts[from.min(len - 1)] as usize)
    }

    /// The first of them, or the one after all that are before: sought from where it would be if the part's rows were
    /// as far from each other everywhere, in steps that double.
    fn first_row(&self, row: impl Fn(usize) -> usize) -> usize {
        let (span, len) = (&self.part.span, self.part.len);
        let is_before = |k: usize| row(k) < self.rows.start;
        let before = self.rows.start.saturating_sub(span.start);
        let guess = (before as u64 * len as u64 / span.len() as u64) as usize;
        let (guess, mut step) = (guess.min(len - 1), 1);
        let (mut low, mut high) = match is_before(guess) {
            true => {
                while guess + step < len && is_before(guess + step) {
                    step *= 2;
                }
                (guess + step / 2 + 1, len.min(guess + step))
            }
            false => {
                while guess >= step && !is_before(guess - step) {
                    step *= 2;
                }
                ((guess + 1).saturating_sub(step), guess - step / 2)
            }
        };
        while low < high {
            let middle = low.midpoint(high);
            match is_before(middle) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}
