//! A row: the k nearest of the points found, in order.

#![allow(unsafe_code)]

use std::cmp::Ordering;
use std::ops::Range;

use crate::cpu::kernels::exact::{Ball, Measure, Rank, Targets};
use crate::error::Result;
use crate::list::{Rows, grow, holds, push, reserve_discarding};
use crate::measure;
use crate::memory::PADDING;
use crate::real::Real;
use crate::simd::{Simd, Width};

pub(super) const WHAT: &str = "the search for k nearest neighbors";

/// Up to this many hits are ordered by counting for each how many are nearer; more are sorted.
const RANKED: usize = 96;

/// The memory of the rows, `k` elements each.
pub struct KnnRows<'a, T> {
    pub ids: Rows<'a>,
    pub distances: Option<Rows<'a, T>>,
}

impl<T: Copy + Send> KnnRows<'_, T> {
    /// The same, for as long as this is borrowed.
    pub fn again(&mut self) -> KnnRows<'_, T> {
        KnnRows {
            ids: self.ids.again(),
            distances: self.distances.as_mut().map(Rows::again),
        }
    }

    /// Other writers of the same rows.
    ///
    /// # Safety
    /// As for [`Rows::alias`], of ids and of distances.
    pub unsafe fn alias(&self) -> KnnRows<'_, T> {
        // SAFETY: the caller's promise.
        unsafe {
            KnnRows {
                ids: self.ids.alias(),
                distances: self.distances.as_ref().map(|distances| distances.alias()),
            }
        }
    }
}

/// Points found near a query, and the row made of them.
#[derive(Debug, Default)]
pub struct Hits<T> {
    len: usize,
    /// Numbers and distances squared of what was measured,
    ids: Vec<i32>,
    squares: Vec<T>,
    ranks: Vec<u32>,
    /// and of what is kept, where it is sorted.
    pub(super) pairs: Vec<(T, i32)>,
    row_ids: Vec<i32>,
    row: Vec<T>,
    measure: measure::Measure,
    base: i32,
    /// Neighbors in the row; the rest of it is missing.
    filled: usize,
    /// Distances tested by the task.
    pub(super) tests: usize,
}

holds! { Hits<T> { ids, squares, ranks, pairs, row_ids, row; len, measure, base, filled, tests } }

impl<T: Width> Hits<T> {
    /// Makes room for `most` hits of a measurement.
    pub fn reserve(&mut self, most: usize, k: usize) -> Result<()> {
        grow(&mut self.ids, most + PADDING, 0, WHAT)?;
        grow(&mut self.squares, most + 2 * PADDING, T::INFINITY, WHAT)?;
        grow(&mut self.ranks, RANKED, 0, WHAT)?;
        grow(&mut self.row_ids, k, 0, WHAT)?;
        grow(&mut self.row, k, T::INFINITY, WHAT)?;
        reserve_discarding(&mut self.pairs, most, WHAT)
    }

    /// Begins with a row of `k` elements, all of which are missing.
    pub fn restart(&mut self, (measure, base): (measure::Measure, i32), k: usize) {
        (self.measure, self.base) = (measure, base);
        self.row_ids.truncate(k);
        self.row.truncate(k);
        self.filled = k;
        self.leave_out(0);
    }

    /// Ends the row after `found` neighbors; those of the row before are missing.
    #[inline(always)]
    fn leave_out(&mut self, found: usize) {
        if found < self.filled {
            self.row_ids[found..self.filled].fill(self.base - 1);
            self.row[found..self.filled].fill(T::INFINITY);
        }
        self.filled = found;
    }

    /// The number of neighbors in the row.
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// The number of points that the last measurement found.
    pub fn len(&self) -> usize {
        self.len
    }

    /// A point that the last measurement found.
    pub fn hit(&self, at: usize) -> (T, i32) {
        (self.squares[at], self.ids[at])
    }

    /// Measures the targets of `range`; all in reach are found but the one of number `skipped`.
    #[inline(always)]
    pub fn measure(
        &mut self,
        (simd, dim): (Simd, usize),
        targets: Targets<T>,
        range: Range<usize>,
        reach: &Ball<T>,
        skipped: Option<i32>,
    ) {
        let (ids, squares, tests) = (&mut self.ids[..], &mut self.squares[..], range.len());
        let measure = Measure {
            targets,
            range,
            reach,
            ids,
            squares,
        };
        self.len = simd.run_in(dim, measure);
        self.tests += tests;
        if let Some(skipped) = skipped
            && let Some(at) = self.ids[..self.len].iter().position(|&id| id == skipped)
        {
            self.len -= 1;
            (self.ids[at], self.squares[at]) = (self.ids[self.len], self.squares[self.len]);
        }
    }

    /// Makes the row of the `found` least of the points measured, and returns the distance squared of the last, 0 without
    /// any.
    #[inline(always)]
    pub fn take(&mut self, simd: Simd, found: usize) -> Result<T> {
        let len = self.len;
        if found == 0 {
            return Ok(self.finish(0));
        }
        if len > RANKED || !self.take_ranked(simd, found) {
            self.pairs.clear();
            for at in 0..len {
                push(&mut self.pairs, (self.squares[at], self.ids[at]), WHAT)?;
            }
            self.sort(found);
            return Ok(self.take_sorted(found));
        }
        Ok(self.finish(found))
    }

    /// Whether no two of the points measured are equally near, as far as that matters; then the row is made.
    fn take_ranked(&mut self, simd: Simd, found: usize) -> bool {
        let len = self.len;
        self.squares[len..len + PADDING].fill(T::INFINITY);
        let (values, ranks) = (&self.squares[..], &mut self.ranks[..]);
        simd.run(Rank { values, len, ranks });
        // Each rank below `found` once, or some are missing and their sum is less, or there are more of them.
        let (mut taken, mut sum) = (0, 0);
        for at in 0..len {
            let rank = self.ranks[at] as usize;
            if rank < found {
                self.row[rank] = self.squares[at];
                self.row_ids[rank] = self.ids[at] + self.base;
                (taken, sum) = (taken + 1, sum + rank);
            }
        }
        taken == found && sum == found * (found - 1) / 2
    }

    /// Brings the `found` least of the pairs to their front, in order.
    pub fn sort(&mut self, found: usize) {
        self.keep_least(found);
        self.pairs.sort_unstable_by(compare);
    }

    /// Keeps the `found` least of the pairs, the last of them the farthest.
    pub fn keep_least(&mut self, found: usize) {
        if self.pairs.len() >= found {
            self.pairs.select_nth_unstable_by(found - 1, compare);
            self.pairs.truncate(found);
        }
    }

    /// Makes the row of the pairs, which are in order, and returns the distance squared of the last.
    pub fn take_sorted(&mut self, found: usize) -> T {
        for (at, &(square, id)) in self.pairs[..found].iter().enumerate() {
            (self.row[at], self.row_ids[at]) = (square, id + self.base);
        }
        self.finish(found)
    }

    /// Squares become what is wanted.
    fn finish(&mut self, found: usize) -> T {
        self.leave_out(found);
        let last = self.row[..found].last().copied().unwrap_or_default();
        let measure = self.measure;
        if measure != measure::Measure::Square {
            self.row[..found].iter_mut().for_each(|d| *d = measure.of(*d));
        }
        last
    }

    /// Numbers of the row become what `label` says of them.
    #[inline(never)]
    pub fn relabel(&mut self, label: impl Fn(i32) -> i32) {
        let base = self.base;
        self.row_ids[..self.filled]
            .iter_mut()
            .for_each(|id| *id = label(*id - base) + base);
    }

    /// Stores the row at its place.
    #[inline(always)]
    pub fn store(&self, into: &mut KnnRows<T>, place: Range<usize>) {
        if let Some(distances) = &mut into.distances {
            distances.store(place.clone(), &self.row);
        }
        into.ids.store(place, &self.row_ids);
    }
}

/// By distance, then by number; no distance is NaN.
fn compare<T: Real>(a: &(T, i32), b: &(T, i32)) -> Ordering {
    let by_distance = a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal);
    by_distance.then(a.1.cmp(&b.1))
}
