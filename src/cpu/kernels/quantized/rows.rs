//! Kernels that make rows of hits, once for all instruction sets.
//!
//! ```text
//! Emit:     a row for each member: the ids under its bits, in order, stored at the row's place
//! List:     a row for each member: where the targets under its bits are, row after row
//! ```

use std::ops::Range;

use super::{Hits, TARGET_PADDING, first_word, words_of};
use crate::room::Room;
use crate::simd::{InstructionSet, Kernel, Lanes16, WORD};

/// Rows that there is room for, of those that are packed before they are stored.
const ROWS: usize = 8;

/// Ids of a row whose memory is fetched before it is packed: of a longer one the processor itself fetches the rest.
const FETCHED: usize = 1024;

/// Ids of a row that is in three lines at most.
const SHORT: usize = 33;

/// Ids of a row from which on, where rows are stored past the caches, it is: of a shorter one too few lines are whole.
const LONG: usize = 48;

/// Elements from one row among `len` targets to the next where they are packed, in whole lines.
fn stride(len: usize) -> usize {
    (len + TARGET_PADDING).next_multiple_of(16)
}

/// Elements for rows among `len` targets.
pub fn rows_room(len: usize) -> usize {
    ROWS * stride(len)
}

/// Brings the ids of a row to what is stored.
pub type Relabel<'a> = dyn FnMut(&mut [i32]) + 'a;

/// Stores the rows of members.
///
/// The memory of all rows is fetched first. Each is stored some rows after it was packed: to read what was stored just
/// now would wait for all stores before it, and those of other rows wait for memory.
pub struct Emit<'a, 'r> {
    pub hits: Hits<'a>,
    /// Those of the targets, padded.
    pub ids: &'a [i32],
    /// The place of each row.
    pub places: &'a [Range<usize>],
    pub to: Room<'r>,
    /// Room for [rows](rows_room).
    pub row: &'a mut [i32],
    /// Brings ids of a row to what is stored; `None`: they are.
    pub relabel: Option<&'a mut Relabel<'a>>,
}

impl Kernel for Emit<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet>(mut self, _: S) {
        let hits = self.hits;
        hits.check();
        assert!(self.ids.len() >= hits.len + TARGET_PADDING);
        assert!(self.row.len() >= rows_room(hits.len) && self.places.len() == hits.ranks.len());
        // SAFETY: S is there; there are words for all members, room to pack their rows, and ids are padded (checked
        // above).
        unsafe { self.emit::<S::I16>() }
    }
}

impl Emit<'_, '_> {
    /// # Safety
    /// V is available, ids are padded, there are words for all ranks, and there is room to pack their rows.
    #[inline(always)]
    unsafe fn emit<V: Lanes16>(&mut self) {
        const BEHIND: usize = ROWS - 1;
        let places = self.places;
        for place in places {
            match self.streams(place.len()) {
                true => self.to.prefetch_ends(place.clone(), false),
                false if place.len() <= SHORT => self.to.prefetch_ends(place.clone(), true),
                false => self.to.prefetch(place.start..place.end.min(place.start + FETCHED)),
            }
        }
        let (len, mut word) = (self.hits.len, self.hits.words.as_ptr());
        for (k, place) in places.iter().enumerate() {
            // SAFETY: the caller runs where V is available; ids and rows are padded.
            unsafe {
                let row = self.row.as_mut_ptr().add(k % ROWS * stride(len));
                let found = self.pack::<V>(self.hits.ranks[k], &mut word, row);
                assert_eq!(place.len(), found, "the row of a point changed between count and fill");
                if let Some(relabel) = &mut self.relabel {
                    relabel(std::slice::from_raw_parts_mut(row, found));
                }
                if k >= BEHIND {
                    self.store::<V>(k - BEHIND);
                }
            }
        }
        for k in places.len().saturating_sub(BEHIND)..places.len() {
            // SAFETY: as above.
            unsafe { self.store::<V>(k) };
        }
    }

    /// Whether a row of that many ids is stored past the caches.
    #[inline(always)]
    fn streams(&self, ids: usize) -> bool {
        self.to.is_past_caches() && ids >= LONG
    }

    /// Packs the row of the member at `rank`, whose words begin at `word` and are passed by, to `row`; returns how many
    /// ids it has.
    ///
    /// # Safety
    /// V is available, `word` points to the member's words, and `row` has room for ids of all of them and a word more.
    #[inline(always)]
    unsafe fn pack<V: Lanes16>(&self, rank: u16, word: &mut *const u32, row: *mut i32) -> usize {
        let Hits { len, full, .. } = self.hits;
        let (mut at, mut to) = (first_word(rank.into(), full).0 * WORD, row);
        // SAFETY: the caller runs where V is available, has the words, and room for a row.
        unsafe {
            while at < len {
                to = compressed::<V>(self.ids.as_ptr().add(at), word.read(), to);
                *word = word.add(1);
                at += WORD;
            }
            to.offset_from(row) as usize
        }
    }

    /// Stores row `k` of a leaf, which is packed.
    ///
    /// # Safety
    /// V is available, and row `k` is packed.
    #[inline(always)]
    unsafe fn store<V: Lanes16>(&mut self, k: usize) {
        let (place, streams) = (self.places[k].clone(), self.streams(self.places[k].len()));
        let found = place.len();
        // SAFETY: the caller runs where V is available and has packed the row; `at` checks its place, which may be
        // written.
        unsafe {
            let (row, to) = (
                self.row.as_ptr().add(k % ROWS * stride(self.hits.len)),
                self.to.at(place),
            );
            match streams {
                true => V::stream(row, to, found),
                false => V::copy(row, to, found),
            }
        }
    }
}

/// Writes the ids under the bits of a word to `to`; returns where the next go.
///
/// # Safety
/// V is available, a word of ids is readable, and a word and a vector more writable at `to`.
#[inline(always)]
unsafe fn compressed<V: Lanes16>(ids: *const i32, word: u32, mut to: *mut i32) -> *mut i32 {
    let mut part = 0;
    while part < WORD {
        let hits = word >> part & (u32::MAX >> (WORD - V::IDS));
        // SAFETY: the caller runs where V is available, and has ids and room for a word.
        unsafe {
            V::compress_ids(ids.add(part), hits, to);
            to = to.add(hits.count_ones() as usize);
        }
        part += V::IDS;
    }
    to
}

/// Writes rows of places, one after the other, to the front of `to`, which has room for all and the padding.
pub struct List<'a> {
    pub hits: Hits<'a>,
    /// The place of each target, padded.
    pub index: &'a [i16],
    pub to: &'a mut [u16],
}

impl Kernel for List<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet>(self, _: S) {
        let List { hits, index, to } = self;
        hits.check();
        assert!(index.len() >= hits.len + TARGET_PADDING);
        let (mut found, mut word) = (0, hits.words.as_ptr());
        for &rank in hits.ranks {
            let words = words_of(rank.into(), hits.len, hits.full);
            assert!(to.len() - found >= words * WORD);
            let first = first_word(rank.into(), hits.full).0;
            // SAFETY: S is there; the index is padded, there are words for all rows, and room for all targets of this
            // one (checked above).
            unsafe {
                let mut index = index.as_ptr().add(first * WORD);
                for _ in 0..words {
                    let hits = word.read();
                    S::I16::compress(&[(index, to.as_mut_ptr().add(found).cast())], hits);
                    found += hits.count_ones() as usize;
                    (index, word) = (index.add(WORD), word.add(1));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::Rows;
    use crate::simd::{Isa, Simd};

    /// Copies all of `from`.
    struct Copy<'a> {
        from: &'a [i32],
        len: usize,
        to: Room<'a>,
    }

    impl Kernel for Copy<'_> {
        type Output = ();

        #[inline(always)]
        fn run<S: InstructionSet>(mut self, _: S) {
            assert!(self.from.len() >= self.len + WORD);
            let (from, to) = (self.from.as_ptr(), self.to.at(0..self.len));
            // SAFETY: S is there, and both sides are long enough.
            unsafe {
                match self.to.is_past_caches() {
                    true => S::I16::stream(from, to, self.len),
                    false => S::I16::copy(from, to, self.len),
                }
            }
        }
    }

    /// Rows of all lengths, wherever they begin in a line: copied whole, and nothing beside them.
    #[test]
    fn rows_of_all_lengths() {
        const GUARD: i32 = -7;
        let from: Vec<i32> = (0..200).collect();
        let cases = (0..=100).flat_map(|len| (0..16).map(move |start| (len, start)));
        for (isa, (len, start)) in Isa::ALL
            .into_iter()
            .flat_map(|isa| cases.clone().map(move |case| (isa, case)))
        {
            for past_caches in [false, true] {
                let mut to = vec![GUARD; start + len + 16];
                Rows::new(&mut to)
                    .part(start..start + len)
                    .stores(past_caches, |stores| {
                        let (from, to) = (&from[..], stores.room());
                        Simd::new(isa).run(Copy { from, len, to });
                    });
                let guards = to[..start].iter().chain(&to[start + len..]);
                assert!(guards.copied().all(|id| id == GUARD), "{isa:?}: {len} ids from {start}");
                assert_eq!(to[start..][..len], from[..len], "{isa:?}: {len} ids from {start}");
            }
        }
    }
}
