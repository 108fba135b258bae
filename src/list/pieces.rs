//! Memory divided into pieces, each written by the thread that takes it.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use super::rows::Rows;
use crate::error::Result;
use crate::memory::{push, reserve_discarding};

/// Memory that is written in pieces: any thread may take a piece, and no other can take it again.
pub struct Pieces<'a, T = i32> {
    rows: Rows<'a, T>,
    /// The places where pieces begin, and the end of the last.
    cuts: Vec<usize>,
    taken: Vec<AtomicBool>,
    /// Elements of the pieces that were stored as a whole.
    written: AtomicUsize,
}

impl<'a, T: Copy + Send> Pieces<'a, T> {
    /// Pieces from each of `cuts` to the next; these ascend.
    pub fn new(rows: Rows<'a, T>, cuts: impl Iterator<Item = usize>) -> Result<Pieces<'a, T>> {
        const WHAT: &str = "the pieces of a result";
        let (mut all, mut taken) = (Vec::new(), Vec::new());
        let expected = cuts.size_hint().0;
        reserve_discarding(&mut all, expected, WHAT)?;
        reserve_discarding(&mut taken, expected, WHAT)?;
        for cut in cuts {
            assert!(
                all.last().is_none_or(|&before| before <= cut) && cut <= rows.len(),
                "cuts ascend, inside the memory"
            );
            if !all.is_empty() {
                push(&mut taken, AtomicBool::new(false), WHAT)?;
            }
            push(&mut all, cut, WHAT)?;
        }
        Ok(Pieces {
            rows,
            cuts: all,
            taken,
            written: AtomicUsize::new(0),
        })
    }

    /// Pieces of `step` elements each, at least 1; the last may have less.
    pub fn every(rows: Rows<'a, T>, step: usize) -> Result<Pieces<'a, T>> {
        let (len, step) = (rows.len(), step.max(1));
        let cuts = 0..=len.div_ceil(step);
        Pieces::new(rows, cuts.map(|k| len.min(k * step)))
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.taken.len()
    }

    /// The elements of piece `k`.
    pub fn range(&self, k: usize) -> Range<usize> {
        self.cuts[k]..self.cuts[k + 1]
    }

    /// The writer of piece `k`, which was not taken before.
    pub fn take(&self, k: usize) -> Rows<'_, T> {
        assert!(
            !self.taken[k].swap(true, Relaxed),
            "a piece of a result is written twice"
        );
        // SAFETY: cuts ascend, so pieces do not overlap, and no two calls return the same one (checked above).
        unsafe { self.rows.alias() }.into_part(self.range(k))
    }
}

impl<'a> Pieces<'a> {
    /// Stores all of piece `k`, which was not taken before.
    pub fn store(&self, k: usize, ids: &[i32]) {
        self.take(k).stores(true, |stores| stores.stream(0, ids));
        assert_eq!(ids.len(), self.range(k).len());
        self.note_stored(ids.len());
    }

    /// That many elements, all of a piece, were stored.
    pub fn note_stored(&self, elements: usize) {
        self.written.fetch_add(elements, Relaxed);
    }

    /// All of the memory, of which each piece was stored.
    pub fn into_stored(self) -> &'a mut [i32] {
        let Pieces { mut rows, written, .. } = self;
        assert_eq!(written.into_inner(), rows.len(), "a piece of a result is missing");
        // SAFETY: as many elements were stored as there are, in pieces, each of which is stored once, so all hold
        // values. This was their one writer, and those that it handed out are gone.
        unsafe { std::slice::from_raw_parts_mut(rows.at(0..rows.len()), rows.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::Team;

    /// Pieces are written by all threads, each at its place, and come back as a whole.
    #[test]
    fn pieces_make_a_whole() {
        let team = Team::new(4).unwrap();
        for (len, step) in [(0, 7), (1, 7), (7, 7), (1000, 7), (1001, 13)] {
            let mut ids = vec![-1; len];
            let pieces = Pieces::every(Rows::new(&mut ids), step).unwrap();
            assert_eq!(pieces.len(), len.div_ceil(step));
            team.run(&mut [(); 4], pieces.len(), |(), k| {
                let values: Vec<_> = pieces.range(k).map(|at| at as i32).collect();
                pieces.store(k, &values);
                Ok(())
            })
            .unwrap();
            let whole: Vec<_> = (0..len as i32).collect();
            assert_eq!(pieces.into_stored(), whole);
            assert_eq!(ids, whole);
        }
    }

    /// No piece has two writers.
    #[test]
    #[should_panic(expected = "written twice")]
    fn a_piece_is_taken_once() {
        let mut ids = [0; 5];
        let pieces = Pieces::every(Rows::new(&mut ids), 2).unwrap();
        let (_first, _last) = (pieces.take(0), pieces.take(2));
        pieces.take(2);
    }

    /// Nothing is read that was not stored.
    #[test]
    #[should_panic(expected = "missing")]
    fn all_pieces_must_be_stored() {
        let mut ids = [0; 5];
        let pieces = Pieces::every(Rows::new(&mut ids), 2).unwrap();
        pieces.store(0, &[1, 2]);
        pieces.store(2, &[5]);
        pieces.into_stored();
    }

    /// Pieces that would overlap are refused.
    #[test]
    #[should_panic(expected = "ascend")]
    fn cuts_ascend() {
        let mut ids = [0; 5];
        let _ = Pieces::new(Rows::new(&mut ids), [0, 3, 2].into_iter());
    }
}
