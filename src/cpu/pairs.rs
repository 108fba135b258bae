//! Fixed-radius search on the CPU: counts per row, then rows in place, each in the caller's numbering and ascending.
//! Every thread takes block after block; a block is searched by fixed-point coordinates where a frame fits it,
//! otherwise by the caller's own. What counting finds out is kept for filling, as far as memory allows.
//!
//! [`Pairs`] finds the rows of a block, whatever they are for; [`Counted`] is what lists need.

#![allow(unsafe_code)]

#[cfg(test)]
mod once;

use super::count::CountResult;
use super::doubt::Doubt;
use super::exact;
use super::kernels::few::Bits;
use super::leaf::{LeafPass, Tests};
use super::quantized;
use super::query::Query;
use super::rows::{ListLimit, Memory, Sink, Source, Wanted};
use super::worker::Worker;
use crate::error::{Error, Result};
use crate::grid::{AROUND, Block, Frame};
use crate::ids::OutputMap;
use crate::list::{Rows, as_atomic_i64, holds};
use crate::points::PointsView;
use crate::simd::{Simd, Width};
use crate::threads::Team;

/// A block has at most this many points: what is in reach of it then stays in the second-level cache.
const BLOCK: usize = 8192;

/// And at least this many, however many threads want a share.
const BLOCK_AT_LEAST: usize = 256;

/// Blocks each thread gets, so that the last ones finish together.
const BLOCKS_PER_THREAD: usize = 16;

/// Fixed-radius search with a query, block by block.
pub struct Pairs<'a, T> {
    pub query: Query<'a, T>,
    pub blocks: &'a [Block],
}

/// A block whose neighborhood is in its frame.
struct Framed<'a> {
    search: quantized::FixedSearch<'a>,
    frame: Frame,
}

impl<T> Query<'_, T> {
    /// Cuts the grid into what threads work on at a time.
    pub fn cut(&self, team: &Team, blocks: &mut Vec<Block>) -> Result<()> {
        let share = self.grid.len() / (team.threads() * BLOCKS_PER_THREAD);
        let limit = if team.threads() == 1 {
            BLOCK
        } else {
            share.clamp(BLOCK_AT_LEAST, BLOCK)
        };
        self.grid.blocks(limit, self.fixed.as_ref(), blocks)
    }

    /// The points, where they are at hand.
    pub(super) fn points(&self) -> Result<&PointsView<'_, T>> {
        self.view.ok_or(Error::NO_POINTS)
    }
}

/// Memory with which a worker searches a block.
#[derive(Debug, Default)]
pub struct Searched<T> {
    neighborhood: quantized::Neighborhood,
    exact: exact::Memory<T>,
    tests: Tests,
}

holds! { Searched<T> { neighborhood, exact, tests } }

impl<T: Width> Memory for Searched<T> {
    fn reserve_leaves(&mut self, len: usize) -> Result<()> {
        self.tests.reserve(len)
    }
}

/// Results of a count that the fill after it uses.
#[derive(Debug, Default)]
pub struct Counted {
    blocks: Vec<Block>,
    result: CountResult,
    /// Whether points are few, and all that was found out then.
    are_few: bool,
    few: Vec<Bits>,
}

holds! { Counted { blocks, result, few; are_few } }

impl Counted {
    /// Whether the fill will need the points' coordinates.
    pub fn needs_points(&self) -> bool {
        !self.are_few && self.result.needs_points()
    }

    /// Writes the length of row `i` to `lengths[i]`, and keeps what the fill can use, `most` words of records at most.
    pub fn count<T: Width>(
        &mut self,
        query: Query<T>,
        team: &Team,
        workers: &mut [Worker<Searched<T>>],
        most: usize,
        lengths: &mut [i64],
    ) -> Result<()> {
        if query.classes.is_some() {
            lengths.fill(0); // not every point has a row
        }
        self.are_few = query.are_few(most);
        if self.are_few {
            return query.count_few(
                &mut workers[0].search.exact.levels[0],
                &mut self.few,
                as_atomic_i64(lengths),
            );
        }
        query.cut(team, &mut self.blocks)?;
        let blocks = &self.blocks;
        self.result
            .count(&Pairs { query, blocks }, team, workers, most, lengths)
    }

    /// Writes row `i`'s labels to its place in `rows` and, where it is wanted, its point as often to `left`.
    pub fn fill<T: Width>(
        &self,
        query: Query<T>,
        team: &Team,
        workers: &mut [Worker<Searched<T>>],
        output: OutputMap,
        (rows, left): (Rows, Option<Rows>),
    ) -> Result<()> {
        if self.are_few {
            return query.fill_few(&mut workers[0].rows, &self.few, output, (rows, left));
        }
        let blocks = &self.blocks;
        self.result
            .fill(&Pairs { query, blocks }, team, workers, output, rows)?;
        output.fill_left(team, left)
    }
}

// SAFETY: each place of the grid is in one block. A block searched by coordinates gives the rows of its own places; one
// in a frame those of the points in its box, images left out, and boxes do not overlap. The leaves of a box do not
// overlap either.
unsafe impl<T: Width> Source for Pairs<'_, T> {
    type Memory = Searched<T>;

    /// Those of six of seven points of the standard case, whose result takes 5.5 times as much.
    const RECORDED: usize = 20;

    fn points(&self) -> usize {
        self.query.grid.len()
    }

    fn blocks(&self) -> usize {
        self.blocks.len()
    }

    fn is_full(&self) -> bool {
        self.query.full
    }

    fn leaves_out_rows(&self) -> bool {
        self.query.classes.is_some()
    }

    fn simd(&self) -> Simd {
        self.query.simd()
    }

    fn list_limit(&self) -> Option<ListLimit> {
        self.query.list_limit
    }

    fn prepare(&self, memories: &mut dyn Iterator<Item = &mut Searched<T>>) -> Result<()> {
        let [framed, others] = self.most_around();
        let dim = self.query.grid.dim();
        for memory in memories {
            memory.neighborhood.reserve(framed, dim)?;
            memory.exact.reserve(others, dim)?;
        }
        Ok(())
    }

    fn find<'w>(
        &self,
        memory: &'w mut Searched<T>,
        block: usize,
        wanted: &Wanted,
        doubt: &mut Doubt,
        sink: &mut dyn Sink,
    ) -> Result<Option<&'w [u32]>> {
        let (query, block) = (&self.query, &self.blocks[block]);
        if !wanted.is_all() && !self.has_rows(block, wanted) {
            return Ok(None);
        }
        if !matches!(doubt, Doubt::Recall(..)) {
            query.points()?;
        }
        let Searched {
            neighborhood,
            exact,
            tests,
        } = memory;
        let is_behind = !query.full && wanted.order.is_none();
        let least = if is_behind { wanted.rows.start as u32 } else { 0 };
        let Some(framed) = self.frame(block, (wanted, least), neighborhood)? else {
            let view = query.points()?;
            let search = exact::ExactSearch {
                query,
                view,
                wanted,
                sink,
            };
            return search.run(exact, block).map(|()| None);
        };
        let mut pass = LeafPass {
            query,
            search: &framed.search,
            tests,
            wanted,
            doubt,
            sink,
        };
        let outcome = neighborhood.leaves(&framed.search, &framed.frame, &mut |leaf| pass.leaf(leaf));
        query.cost.add(tests.take());
        outcome?;
        Ok(Some(neighborhood.ids()))
    }
}

impl<T: Width> Pairs<'_, T> {
    /// Brings a block's neighborhood into its frame, except for points numbered below `least`. None if the search of the block
    /// needs the caller's coordinates.
    fn frame<'f>(
        &'f self,
        block: &Block,
        (wanted, least): (&'f Wanted, u32),
        neighborhood: &mut quantized::Neighborhood,
    ) -> Result<Option<Framed<'f>>> {
        let Some(fixed) = &self.query.fixed else {
            return Ok(None);
        };
        let Some(frame) = self.query.grid.frame(block, fixed) else {
            return Ok(None);
        };
        let search = quantized::FixedSearch {
            grid: self.query.grid,
            fixed,
            classes: self.query.classes,
            cells: self.query.cells,
            simd: self.query.simd(),
            full: self.query.full,
            least,
            wanted,
        };
        if !neighborhood.load(&search, block, &frame)? {
            return Ok(None);
        }
        Ok(Some(Framed { search, frame }))
    }

    /// The most points around any block that is searched in a frame, and around any other.
    fn most_around(&self) -> [usize; 2] {
        let (grid, mut most) = (self.query.grid, [0; 2]);
        for block in self.blocks {
            let frame = self.query.fixed.as_ref().and_then(|fixed| grid.frame(block, fixed));
            let mut around = 0;
            grid.reach(block, |run| around += run.len());
            let most = &mut most[usize::from(frame.is_none())];
            *most = around.max(*most);
        }
        [most[0].min(AROUND), most[1]]
    }

    fn has_rows(&self, block: &Block, wanted: &Wanted) -> bool {
        let (grid, mut has) = (self.query.grid, false);
        grid.places_of(block, |places| {
            has = has || grid.ids()[places].iter().any(|&id| wanted.has(id as usize));
        });
        has
    }
}

#[cfg(test)]
mod tests {
    use super::super::count::BlockFound;
    use super::*;
    use crate::domain::Periods;
    use crate::ids::{Labels, Offsets, Places};
    use crate::list::scan;
    use crate::random::Random;
    use crate::simd::Isa;
    use crate::{TieRule, oracle};

    /// A cloud with a clump, so that around some blocks there are more points than an index of 16 bits can tell (fewer,
    /// in tests), and around others not.
    fn cloud() -> Vec<f64> {
        let mut random = Random(1);
        let mut uniform = || random.uniform();
        (0..9000)
            .map(|k| if k < 3000 { 0.3 + 0.1 * uniform() } else { uniform() })
            .collect()
    }

    /// Blocks are filled by the caller's coordinates where they are crowded, by records where there is memory for them,
    /// and else by another search: all three alike.
    #[test]
    fn every_way_to_fill() {
        let coords = cloud();
        let view = PointsView::interleaved(3, &coords).unwrap();
        let truth = oracle::pairs(&view, 0.04, TieRule::Inclusive);
        let bound = 0.04 * 0.04;
        let ways = [(1, Isa::best()), (2, Isa::best()), (1, Isa::Avx2), (1, Isa::Scalar)];
        for ((threads, isa), most) in (ways.into_iter()).flat_map(|way| [0, 4000, usize::MAX].map(|most| (way, most))) {
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
                by_types: None,
                cells: &[],
                excluded: None,
                bound,
                full: false,
                isa,
                list_limit: None,
                cost: team.cost(),
            };
            let mut workers: Vec<Worker<Searched<f64>>> = (0..threads).map(|_| Worker::default()).collect();
            let (mut counted, mut offsets) = (Counted::default(), Offsets::default());
            let count = |offsets: &mut Vec<i64>| {
                offsets.resize(3001, 0);
                counted.count(query, &team, &mut workers, most, &mut offsets[1..])?;
                Ok(scan(offsets, 0))
            };
            let total = offsets.make(&team, count).unwrap();
            let kinds = |want: fn(&BlockFound) -> bool| counted.result.found.iter().filter(|found| want(found)).count();
            assert!(
                kinds(|found| matches!(found, BlockFound::Nothing)) > 0,
                "no block was crowded"
            );
            let [again, kept] = [
                kinds(|found| matches!(found, BlockFound::Answers { .. })),
                kinds(|found| matches!(found, BlockFound::HitRecords { .. })),
            ];
            assert_eq!((again > 0, kept > 0), (most < usize::MAX, most > 0), "{most} words");
            assert!(counted.needs_points());
            let mut ids = vec![-1; total as usize];
            let rows = Rows::new(&mut ids);
            let output = OutputMap {
                places: Places::as_searched(&offsets),
                labels: Labels::plain(0),
            };
            counted.fill(query, &team, &mut workers, output, (rows, None)).unwrap();
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
