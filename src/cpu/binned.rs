//! Hits that are counted in bins of distance where they are found. No row is stored or put in order.
//!
//! in: a search, and bins; out: how many entries of rows are in each.

use std::ops::Range;

use super::doubt::Doubt;
use super::kernels::binned::{CountInBins, CountSquares, squares_room};
use super::kernels::quantized::{Hits, TARGET_PADDING};
use super::pairs::{Pairs, Searched};
use super::query::Query;
use super::rows::{LeafRows, Sink, Source, Wanted};
use super::worker::Worker;
use crate::displacement::Bins;
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{grow, push};
use crate::points::PointsView;
use crate::simd::{Simd, WORD, Width};
use crate::threads::Team;

const WHAT: &str = "the bins of distance";

/// Entries of a row that are counted at once, so that their coordinates stay in the first-level cache.
const AT_ONCE: usize = 511;

/// Counts the entries of `rows`; returns the [counters](Bins::counters), and how many entries there are.
pub fn count_in_bins<T: Width>(
    query: Query<T>,
    team: &Team,
    workers: &mut [Worker<Searched<T>>],
    rows: Range<usize>,
    bins: &Bins<T>,
) -> Result<(Vec<i64>, i64)> {
    let mut blocks = Vec::new();
    query.cut(team, &mut blocks)?;
    let source = &Pairs { query, blocks: &blocks };
    source.prepare(&mut workers.iter_mut().map(|worker| &mut worker.search))?;
    let (view, wanted) = (query.points()?, Wanted { rows, order: None });
    let mut states = Vec::new();
    for worker in workers {
        let counting = Counting {
            view,
            periods: query.periods,
            simd: query.simd(),
            bins,
            counters: bins.counters()?,
            around: Default::default(),
            is_around: false,
            coords: Default::default(),
            squares: Vec::new(),
        };
        push(&mut states, (worker, counting), WHAT)?;
    }
    team.run(&mut states, source.blocks(), |(worker, counting), k| {
        counting.is_around = false;
        source
            .find(&mut worker.search, k, &wanted, &mut Doubt::Decide, counting)
            .map(|_| ())
    })?;
    let mut total = bins.counters()?;
    for (_, counting) in states {
        total
            .iter_mut()
            .zip(counting.counters)
            .for_each(|(total, count)| *total += count);
    }
    let entries = total.iter().sum();
    Ok((total, entries))
}

/// One worker's counters, and room for coordinates of targets and squares.
#[repr(align(128))] // no line of it is another thread's too
struct Counting<'a, T> {
    view: &'a PointsView<'a, T>,
    periods: &'a Periods<T>,
    simd: Simd,
    bins: &'a Bins<T>,
    counters: Vec<i64>,
    /// The coordinates of the points around the block that is searched, once they are there.
    around: [Vec<T>; 3],
    is_around: bool,
    coords: [Vec<T>; 3],
    squares: Vec<T>,
}

impl<T: Width> Counting<'_, T> {
    /// Counts the hits of targets, whose coordinates are there.
    fn count(&mut self, hits: Hits) -> Result<()> {
        grow(&mut self.squares, squares_room(hits.len), T::default(), WHAT)?;
        let kernel = CountInBins {
            hits,
            coords: self.coords.each_ref().map(|coords| &coords[..]),
            periods: self.periods,
            squares: &mut self.squares,
            bins: self.bins,
            counters: &mut self.counters,
        };
        self.simd.run_in(self.view.dim(), kernel);
        Ok(())
    }
}

impl<T: Width> Sink for Counting<'_, T> {
    fn leaf(&mut self, rows: &LeafRows) -> Result<()> {
        let &LeafRows {
            hits, index, numbers, ..
        } = rows;
        let (view, dim) = (self.view, self.view.dim());
        for (axis, (around, coords)) in self.around[..dim].iter_mut().zip(&mut self.coords).enumerate() {
            if !self.is_around {
                grow(around, numbers.len(), T::default(), WHAT)?;
                let numbers = around.iter_mut().zip(numbers);
                numbers.for_each(|(to, &number)| *to = view.get(axis, number as usize));
            }
            grow(coords, hits.len + TARGET_PADDING, T::default(), WHAT)?;
            let targets = coords.iter_mut().zip(&index[..hits.len]);
            targets.for_each(|(to, &at)| *to = around[usize::from(at as u16)]);
        }
        self.is_around = true;
        self.count(hits)
    }

    fn row(&mut self, number: u32, row: &mut [i32]) -> Result<()> {
        // The point itself is the first target, and all after it are hits.
        let words = &mut [u32::MAX; (AT_ONCE + 1) / WORD];
        words[0] = u32::MAX << 1;
        for row in row.chunks(AT_ONCE) {
            let len = row.len() + 1;
            if len % WORD > 0 {
                words[len / WORD] &= (1 << (len % WORD)) - 1;
            }
            let hits = Hits {
                len,
                ranks: &[0],
                words,
                full: false,
            };
            let view = self.view;
            for (axis, coords) in self.coords[..view.dim()].iter_mut().enumerate() {
                grow(coords, len + TARGET_PADDING, T::default(), WHAT)?;
                let numbers = std::iter::once(number as usize).chain(row.iter().map(|&id| id as u32 as usize));
                (coords.iter_mut().zip(numbers)).for_each(|(to, number)| *to = view.get(axis, number));
            }
            self.count(hits)?;
        }
        Ok(())
    }

    fn wants_squares(&self) -> bool {
        true
    }

    fn squares(&mut self, squares: &[u8]) {
        self.simd.run(CountSquares {
            squares: bytemuck::cast_slice::<u8, T>(squares),
            bins: self.bins,
            counters: &mut self.counters,
        });
    }
}
