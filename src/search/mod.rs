//! The search handle: settings, points, index and results, reused from call to call.
//!
//! A query goes count -> offsets -> fill, each step done once: what is already there for the points and settings of now
//! is not done again, so asking for a list after its count, or again with larger arrays, costs only the filling.

mod chunks;
mod fof;
mod held;
mod ids;
mod kinds;
mod knn;
mod list;
mod memory;
mod points;
mod radii;
mod report;
mod session;
mod settings;
mod skin;
mod steps;
mod update;

use std::time::Instant;

use crate::domain::bound;
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::ids::GlobalIds;
use crate::kinds::Kinds;
use crate::list::Rows;
use crate::plan::{Backend, Environment, Plan, Settings};
use crate::points::PointsView;
use crate::radii::Radii;
use crate::threads::Team;

pub use chunks::{Chunk, Chunks};
pub use fof::Fof;
use ids::Layout;
pub use knn::{Knn, KnnKind, MAX_K, Measure};
use list::Ids;
pub use report::{Counter, Phase};
pub use session::Precision;
use session::Sessions;

/// Which side of each pair a row of neighbors lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighborsKind {
    /// Row `i` lists `j > i`: each pair once. Where points have global ids, these are compared.
    Half,
    /// Row `i` lists all `j`: each pair twice.
    Full,
    /// Row `q` lists the points in reach of query `q`.
    Queries,
}

/// All pairs, ordered by `(left, right)`, `left < right`, or by their global ids where points have them; in the handle's index base.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    /// `pair_i`.
    pub left: &'a [i32],
    /// `pair_j`.
    pub right: &'a [i32],
}

/// Neighbors as CSR, in the handle's index base: row `i` is `ids[offsets[i] - base .. offsets[i + 1] - base]`.
#[derive(Clone, Copy, Debug)]
pub struct Neighbors<'a> {
    /// One more than there are points.
    pub offsets: &'a [i64],
    /// Ascending within a row, or by ascending global ids where points have them.
    pub ids: &'a [i32],
}

/// What a query counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Count,
    /// All will be filled next.
    Fill(Layout),
    /// They will be delivered in chunks, and the search may keep so many bytes meanwhile.
    Chunks {
        kept: usize,
    },
}

/// What was counted last: offsets are there for it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counted {
    kind: NeighborsKind,
    total: i64,
}

/// A neighbor search over one set of points. Distinct handles are independent; a handle is used by one thread at a time.
#[derive(Debug)]
pub struct Search {
    settings: Settings,
    kinds: Kinds,
    global_ids: GlobalIds,
    /// The points stand in the order in which they are searched.
    arranged: bool,
    radii: Radii,
    session: Sessions,
    len: usize,
    /// Queries, which stand behind the points.
    queries: usize,
    /// The index is of these points and this cutoff,
    indexed: bool,
    /// and stands on this backend.
    indexed_on: Backend,
    /// By radii: it was made for rows of queries.
    indexed_for_queries: bool,
    /// The points were the caller's during [`Search::count_pairs_of`]: the handle cannot index them again.
    borrowed: bool,
    counted: Option<Counted>,
    /// Which list `left` (where filled) and `ids` hold.
    listed: Option<(Counted, Layout)>,
    left_listed: bool,
    offsets: Vec<i64>,
    /// Offsets of the rows by the caller's numbers, where points are searched by others; none until they are asked for.
    placed_offsets: Vec<i64>,
    left: Vec<i32>,
    ids: Ids,
    /// A result that is delivered in chunks; ids are those of a batch then.
    stream: Option<chunks::Stream>,
    chunk_offsets: Vec<i64>,
    in_parallel: fn() -> bool,
    plan: Option<Plan>,
    /// The last query was for k nearest, or for groups.
    asked_tree: bool,
    fof: fof::Found,
    /// Made at the first query that a GPU searches.
    gpu: Option<Box<Gpu>>,
    /// Buffers made for it before it was made anew.
    gpu_allocations: u64,
    /// Why the GPU is not asked again, where the backend is chosen automatically.
    gpu_failure: Option<String>,
    seconds: [f64; 6],
    index_builds: i64,
    counts: i64,
    fills: i64,
    lists_made: i64,
    skin_used: f64,
}

impl Search {
    /// A handle with default settings and no points. Fails if a `NEARGRID_*` variable is invalid.
    pub fn new() -> Result<Search> {
        Ok(Search {
            settings: Settings {
                environment: Environment::read()?,
                ..Settings::default()
            },
            kinds: Kinds::default(),
            global_ids: GlobalIds::default(),
            arranged: false,
            radii: Radii::default(),
            session: Sessions::None,
            len: 0,
            queries: 0,
            indexed: false,
            indexed_on: Backend::Cpu,
            indexed_for_queries: false,
            borrowed: false,
            counted: None,
            listed: None,
            left_listed: false,
            offsets: Vec::new(),
            placed_offsets: Vec::new(),
            left: Vec::new(),
            ids: Ids::default(),
            stream: None,
            chunk_offsets: Vec::new(),
            in_parallel: || false,
            plan: None,
            asked_tree: false,
            fof: fof::Found::default(),
            gpu: None,
            gpu_allocations: 0,
            gpu_failure: None,
            seconds: [0.0; 6],
            index_builds: 0,
            counts: 0,
            fills: 0,
            lists_made: 0,
            skin_used: 0.0,
        })
    }

    /// Counts the pairs of `view` without copying it: the search reads the caller's arrays. The pairs can be asked for
    /// afterwards, but another query, or a changed setting, needs the points again. On failure the handle has no points.
    pub fn count_pairs_of<T: Precision>(&mut self, view: &PointsView<T>) -> Result<i64> {
        let by_radii = self.radii.are_set();
        if !by_radii {
            bound::<T>(self.settings.cutoff()?, self.settings.tie_rule)?;
        }
        if by_radii || self.global_ids.are_set() || !self.settings.domain.periods::<T>(view.dim())?.is_open() {
            self.set_points(view)?; // a copy: wrapped, or brought into another order
            return self.count_pairs();
        }
        let view = &self.checked(view)?;
        self.forget(true);
        (self.len, self.queries, self.borrowed) = (view.len(), 0, true);
        self.seconds = [0.0; 6];
        let start = Instant::now();
        T::session(self).clear();
        let mut counted = self.count_borrowed(view);
        if let Err(error) = &counted
            && self.gives_up_gpu(error)
        {
            counted = self.count_borrowed(view);
        }
        if counted.is_err() {
            self.session = Sessions::None;
            self.len = 0;
        }
        (self.indexed, self.index_builds) = (counted.is_ok(), self.index_builds + 1);
        self.take_gpu_seconds();
        self.seconds[Phase::Total as usize] = start.elapsed().as_secs_f64();
        counted
    }

    fn count_borrowed<T: Precision>(&mut self, view: &PointsView<T>) -> Result<i64> {
        let plan = self.plan()?;
        let team = Team::new(plan.threads)?;
        let settings = self.settings.clone();
        self.timed(Phase::Index, |search| {
            let mut gpu = search.gpu.take();
            let on_gpu = gpu.as_deref_mut().filter(|_| plan.backend == Backend::Gpu);
            let built = T::session(search).build(Some(view), &settings, &team, on_gpu);
            search.gpu = gpu;
            built
        })?;
        self.count_by(
            &plan,
            &team,
            NeighborsKind::Half,
            Purpose::Fill(Layout::Pairs),
            |search, job, offsets, gpu| T::session(search).count(Some(view), job, offsets, gpu),
        )
    }

    /// For benchmarks: the last query's search once more, from the points on the device to the rows on the device. Returns
    /// the seconds it took by the host's clock; timings tell the phases by the device's.
    #[doc(hidden)]
    pub fn again_on_device(&mut self) -> Result<f64> {
        let Some(gpu) = &mut self.gpu else { return Ok(0.0) };
        let seconds = gpu.again(&self.offsets)?;
        self.seconds = [0.0; 6];
        self.take_gpu_seconds();
        Ok(seconds)
    }

    /// Number of points set.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no point is set.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of pairs.
    pub fn count_pairs(&mut self) -> Result<i64> {
        self.count_neighbors(NeighborsKind::Half)
    }

    /// Number of ids in all rows.
    pub fn count_neighbors(&mut self, kind: NeighborsKind) -> Result<i64> {
        self.query(kind, Purpose::Count, |_, _, total| Ok(total))
    }

    /// All pairs, in memory of the handle.
    pub fn pairs(&mut self) -> Result<Pairs<'_>> {
        self.query(
            NeighborsKind::Half,
            Purpose::Fill(Layout::Pairs),
            |search, team, total| search.fill_lists(team, NeighborsKind::Half, total, Layout::Pairs),
        )?;
        let total = self.entries();
        Ok(Pairs {
            left: &self.left[..total],
            right: &self.ids[..total],
        })
    }

    /// All neighbors, in memory of the handle.
    pub fn neighbors(&mut self, kind: NeighborsKind) -> Result<Neighbors<'_>> {
        self.query(kind, Purpose::Fill(Layout::Rows), |search, team, total| {
            search.fill_lists(team, kind, total, Layout::Rows)
        })?;
        Ok(Neighbors {
            offsets: self.offsets_of(kind),
            ids: &self.ids[..self.entries()],
        })
    }

    /// Writes all pairs to the front of `left` and `right` and returns how many; the rest is not touched. Arrays that
    /// are too small stay untouched and the error tells the need; calling again then does not search again.
    pub fn pairs_into(&mut self, left: &mut [i32], right: &mut [i32]) -> Result<usize> {
        self.pairs_into_rows("capacity", Rows::new(left), Rows::new(right))
    }

    /// [`pairs_into`](Search::pairs_into) for memory that need not be initialised; `argument` names the capacity in
    /// errors.
    pub(crate) fn pairs_into_rows(&mut self, argument: &'static str, mut left: Rows, mut right: Rows) -> Result<usize> {
        self.query(
            NeighborsKind::Half,
            Purpose::Fill(Layout::Pairs),
            |search, team, total| {
                let need = check_capacity(argument, left.len().min(right.len()), total)?;
                search.fill(
                    team,
                    NeighborsKind::Half,
                    Layout::Pairs,
                    [Some(right.again()), Some(left.again())],
                )?;
                Ok(need)
            },
        )
    }

    /// Writes the ids of all rows to the front of `ids` and returns the offsets and how many ids there are; arrays that
    /// are too small as in [`pairs_into`](Search::pairs_into).
    pub fn neighbors_into(&mut self, kind: NeighborsKind, ids: &mut [i32]) -> Result<(&[i64], usize)> {
        self.neighbors_into_rows("capacity", kind, Rows::new(ids))
    }

    /// [`neighbors_into`](Search::neighbors_into) for memory that need not be initialised.
    pub(crate) fn neighbors_into_rows(
        &mut self,
        argument: &'static str,
        kind: NeighborsKind,
        mut ids: Rows,
    ) -> Result<(&[i64], usize)> {
        let need = self.query(kind, Purpose::Fill(Layout::Rows), |search, team, total| {
            let need = check_capacity(argument, ids.len(), total)?;
            search.fill(team, kind, Layout::Rows, [Some(ids.again()), None])?;
            Ok(need)
        })?;
        Ok((self.offsets_of(kind), need))
    }
}

fn check_capacity(argument: &'static str, capacity: usize, need: i64) -> Result<usize> {
    if capacity as i64 >= need {
        return Ok(need as usize);
    }
    Err(Error::Capacity {
        argument,
        capacity: capacity as i64,
        need,
    })
}

/// The status of a count that does not fit 32 bits.
pub fn check_32_bit(need: i64) -> Result<i32> {
    i32::try_from(need).map_err(|_| Error::TooManyPairs {
        need,
        limit: i64::from(i32::MAX),
    })
}
