//! Fixed-radius search on the CPU: counts per row, then rows in place, each in the caller's numbering and ascending.
//! Every thread takes block after block; a block is searched by fixed-point coordinates where a frame fits it, otherwise
//! by the caller's own. What counting finds out is kept for filling, as far as memory allows.

mod fill;

use std::sync::atomic::AtomicI64;

use super::counted::{Counted, Found, Kept, Limits};
use super::fixed;
use super::leaf::LeafTest;
use super::query::{Query, is_pair};
use super::simd::Width;
use super::worker::{Count, Filter, Scratch, Worker};
use crate::error::{Error, Result};
use crate::grid::{Block, Frame};
use crate::list::{as_atomic_i64, push, resize_discarding};
use crate::points::PointsView;
use crate::threads::Team;

/// A block has at most this many points: what is in reach of it then stays in the second-level cache.
const BLOCK: usize = 8192;

/// And at least this many, however many threads want a share.
const BLOCK_AT_LEAST: usize = 256;

/// Blocks each thread gets, so that the last ones finish together.
const BLOCKS_PER_THREAD: usize = 16;

/// Fixed-radius search with a query.
pub struct Pairs<'a, T> {
    pub query: Query<'a, T>,
}

impl<T: Width> Pairs<'_, T> {
    /// Writes the length of row `i` to `lengths[i]`, and to `counted` what the fill can use, `most` words of records at most.
    pub fn count(
        &self,
        team: &Team,
        workers: &mut [Worker<T>],
        counted: &mut Counted,
        most: usize,
        lengths: &mut [i64],
    ) -> Result<()> {
        if self.query.classes.is_some() {
            lengths.fill(0); // not every point has a row
        }
        let lengths = as_atomic_i64(lengths);
        let Counted {
            blocks,
            found,
            kept,
            longest,
            are_few,
            few,
            needs_points,
        } = counted;
        *are_few = self.are_few(most);
        if *are_few {
            *needs_points = false;
            return self.count_few(&mut workers[0], few, lengths);
        }
        self.blocks(team, blocks)?;
        resize_discarding(found, blocks.len(), Found::Nothing, "the list of blocks")?;
        found.fill(Found::Nothing);
        while kept.len() < workers.len() {
            push(kept, Kept::default(), "the list of workers")?;
        }
        let limits = Limits::new(self.query.grid.len(), most, workers.len());
        let around = self.most_around(blocks);
        for (worker, kept) in workers.iter_mut().zip(&mut *kept) {
            worker.reserve(around, self.query.grid.dim())?;
            kept.restart(&limits)?;
        }
        let mut states = Vec::new();
        for (number, (worker, kept)) in workers.iter_mut().zip(kept).enumerate() {
            let state = Counting {
                number: number as u32,
                worker,
                kept,
                found: Vec::new(),
                longest: 0,
            };
            push(&mut states, state, "the list of workers")?;
        }
        team.run(&mut states, blocks.len(), |state, k| {
            let what = self.count_block(state, &blocks[k], lengths, &limits)?;
            push(&mut state.found, (k, what), "the list of blocks")
        })?;
        *longest = states.iter().map(|state| state.longest).max().unwrap_or(0);
        for (k, what) in states.into_iter().flat_map(|state| state.found) {
            found[k] = what;
        }
        *needs_points = found.iter().any(|what| matches!(what, Found::Nothing));
        Ok(())
    }

    /// Cuts the grid into what threads work on at a time.
    pub fn blocks(&self, team: &Team, blocks: &mut Vec<Block>) -> Result<()> {
        let share = self.query.grid.len() / (team.threads() * BLOCKS_PER_THREAD);
        let limit = if team.threads() == 1 {
            BLOCK
        } else {
            share.clamp(BLOCK_AT_LEAST, BLOCK)
        };
        self.query.grid.blocks(limit, self.query.fixed.as_ref(), blocks)
    }

    /// The most points around any block that is searched in a frame, and around any other box of cells.
    pub(super) fn most_around(&self, blocks: &[Block]) -> [usize; 2] {
        let (grid, mut most) = (self.query.grid, [0; 2]);
        for block in blocks {
            if let &Block::Box { lo, hi, .. } = block {
                let frame = self.query.fixed.as_ref().and_then(|fixed| grid.frame(block, fixed));
                let mut around = 0;
                grid.reach(lo, hi, |run| around += run.len());
                let most = &mut most[usize::from(frame.is_none())];
                *most = around.max(*most);
            }
        }
        [most[0].min(fixed::AROUND), most[1]]
    }

    pub(super) fn filter(&self, base: i32) -> Filter<'_> {
        Filter {
            classes: self.query.classes,
            base,
        }
    }

    pub(super) fn points(&self) -> Result<&PointsView<'_, T>> {
        self.query.view.ok_or(Error::NO_POINTS)
    }

    /// Brings a block's neighborhood, except for points numbered below `least`, into its frame. None where the block is to be
    /// searched by the caller's coordinates.
    pub(super) fn frame(
        &self,
        block: &Block,
        least: u32,
        neighborhood: &mut fixed::Neighborhood,
    ) -> Result<Option<Framed<'_>>> {
        let Some(fixed) = &self.query.fixed else {
            return Ok(None);
        };
        let Some(frame) = self.query.grid.frame(block, fixed) else {
            return Ok(None);
        };
        let search = fixed::Search {
            grid: self.query.grid,
            fixed,
            classes: self.query.classes,
            cells: self.query.cells,
            simd: self.query.simd(),
            full: self.query.full,
            least,
        };
        if !neighborhood.load(&search, block, &frame)? {
            return Ok(None);
        }
        let own = self.query.grid.points_of(block);
        Ok(Some(Framed { search, frame, own }))
    }

    fn count_block(
        &self,
        state: &mut Counting<T>,
        block: &Block,
        lengths: &[AtomicI64],
        limits: &Limits,
    ) -> Result<Found> {
        let (worker, view, bound) = (&mut *state.worker, self.points()?, self.query.bound);
        let Kept { records, answers } = &mut *state.kept;
        let Some(framed) = self.frame(block, 0, &mut worker.neighborhood)? else {
            let filter = self.filter(0);
            worker.by_coordinates(&self.query, view, 0, block, |scratch| Count {
                lengths,
                filter,
                scratch,
            })?;
            return Ok(Found::Nothing);
        };
        if worker.neighborhood.is_empty() {
            return Ok(Found::Empty);
        }
        let (start, first) = (records.len(), answers.len());
        let most = limits.of_block(start, framed.own);
        // Of half a word a number at the least.
        let mut keeps = start + worker.neighborhood.ids().len() / 2 < most;
        if keeps {
            records.push_block(worker.neighborhood.ids())?;
        }
        let Scratch {
            ranks, words, allowed, ..
        } = &mut worker.scratch;
        let mut failed = Ok(());
        let mut test = LeafTest {
            fixed: framed.search.fixed,
            simd: framed.search.simd,
            full: self.query.full,
            ranks,
            allowed: self.query.classes.zip(Some(allowed)),
            decide: &mut |pair| {
                let answer = is_pair(view, self.query.periods, bound, pair);
                if let Err(error) = answers.push(answer) {
                    failed = Err(error);
                }
                answer
            },
        };
        worker.neighborhood.leaves(&framed.search, &framed.frame, &mut |leaf| {
            state.longest = leaf.targets.len.max(state.longest);
            let members = test.members(leaf)?;
            leaf.prefetch_lengths(&test.ranks[..members], lengths);
            test.test(leaf, 0..members, words, &mut |tested| {
                tested.store_lengths(leaf, lengths);
                if keeps {
                    records.push_leaf(&leaf.way, tested.hits.ranks, tested.hits.words)?;
                    keeps = records.len() <= most;
                }
                Ok(())
            })
        })?;
        failed?;
        let (worker, end) = (state.number, records.len());
        if !keeps {
            records.truncate(start);
            return Ok(Found::Answers { worker, first });
        }
        Ok(Found::Records { worker, start, end })
    }
}

/// A block whose neighborhood is in its frame.
pub(super) struct Framed<'a> {
    pub search: fixed::Search<'a>,
    pub frame: Frame,
    /// Points of the block itself.
    pub own: usize,
}

/// One worker's part of a count.
struct Counting<'a, T> {
    number: u32,
    worker: &'a mut Worker<T>,
    kept: &'a mut Kept,
    found: Vec<(usize, Found)>,
    /// The most targets that a leaf of it had.
    longest: usize,
}

#[cfg(test)]
mod tests {
    use super::super::simd::Isa;
    use super::*;
    use crate::domain::Periods;
    use crate::list::{Delivery, Labels, Places, Rows, scan};
    use crate::{TieRule, oracle};

    /// A cloud with a clump, so that around some blocks there are more points than an index of 16 bits can tell (fewer, in
    /// tests), and around others not.
    fn cloud() -> Vec<f64> {
        let mut state = 1u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..9000)
            .map(|k| if k < 3000 { 0.3 + 0.1 * uniform() } else { uniform() })
            .collect()
    }

    /// Blocks are filled by the caller's coordinates where they are crowded, by records where there is memory for them, and
    /// else by another search: all three alike.
    #[test]
    fn every_way_to_fill() {
        let coords = cloud();
        let view = PointsView::interleaved(3, &coords).unwrap();
        let truth = oracle::pairs(&view, 0.04, TieRule::Inclusive);
        let bound = 0.04 * 0.04;
        let ways = [(1, Isa::best()), (2, Isa::best()), (1, Isa::Avx2), (1, Isa::Scalar)];
        let mosts = [0, 4000, usize::MAX];
        for ((threads, isa), most) in ways.into_iter().flat_map(|way| mosts.map(|most| (way, most))) {
            if !isa.is_available() {
                continue;
            }
            let team = Team::new(threads).unwrap();
            let mut grid = crate::grid::Grid::default();
            grid.build(&view, &Periods::default(), 0.04, &team).unwrap();
            let query = Query {
                grid: &grid,
                fixed: grid.fixed(bound, 0.0),
                view: Some(&view),
                periods: &Periods::default(),
                classes: None,
                cells: &[],
                bound,
                full: false,
                isa,
            };
            let mut workers: Vec<Worker<f64>> = (0..threads).map(|_| Worker::default()).collect();
            let (mut counted, mut offsets) = (Counted::default(), vec![0; 3001]);
            let pairs = Pairs { query };
            pairs
                .count(&team, &mut workers, &mut counted, most, &mut offsets[1..])
                .unwrap();
            let kinds = |want: fn(&Found) -> bool| counted.found.iter().filter(|found| want(found)).count();
            assert!(
                kinds(|found| matches!(found, Found::Nothing)) > 0,
                "no block was crowded"
            );
            let [again, kept] = [
                kinds(|found| matches!(found, Found::Answers { .. })),
                kinds(|found| matches!(found, Found::Records { .. })),
            ];
            assert_eq!((again > 0, kept > 0), (most < usize::MAX, most > 0), "{most} words");
            assert!(counted.needs_points());
            let mut ids = vec![-1; scan(&mut offsets, 0) as usize];
            let rows = Rows::new(&mut ids);
            let delivery = Delivery {
                places: Places {
                    offsets: &offsets,
                    order: None,
                },
                labels: Labels::plain(0),
            };
            pairs
                .fill(&team, &mut workers, &counted, delivery, (rows, None))
                .unwrap();
            let found = (0..3000).flat_map(|i| {
                let row = &ids[offsets[i] as usize..offsets[i + 1] as usize];
                row.iter().map(move |&j| (i as i32, j))
            });
            assert!(
                found.eq(truth.iter().copied()),
                "{threads} threads, {isa:?}, {most} words"
            );
        }
    }
}
