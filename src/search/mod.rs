//! The search handle: inputs, points, indexes and results, reused from call to call.
//!
//! in: checked values from `capi`; out: results in the handle's memory or the caller's. Here no pair is tested.
//!
//! A query goes index -> count -> deliver. Each step is done once: each result knows the inputs it was made from
//! (`made_from`), and is valid exactly while they are the current inputs. So a list requested after its count, or again with
//! larger arrays, costs only the filling.

mod chunks;
mod device;
mod fof;
mod found;
mod held;
mod ids;
mod inputs;
mod kinds;
mod knn;
mod list;
mod made_from;
mod points;
mod radii;
mod report;
mod rows;
mod session;
mod settings;
mod skin;
mod steps;
mod sum;
mod verlet;

use std::time::Instant;

use crate::domain::bound;
use crate::error::{Error, Result};
use crate::list::Rows;
use crate::plan::{Environment, Settings};
use crate::points::PointsView;
use crate::search::session::InSessions;
use crate::threads::Team;
use crate::version::{Derived, Version};

pub use crate::measure::Measure;
use chunks::Stream;
pub use chunks::{Chunk, Chunks};
use device::Device;
pub use fof::Fof;
use found::Found;
use ids::Layout;
use inputs::Inputs;
pub use knn::{Knn, KnnKind, MAX_K};
use list::Lists;
use made_from::{SkinUseOf, StreamOf};
use report::Report;
pub use report::{Counter, Phase};
pub use session::Precision;
use session::Sessions;
use steps::Deliver;
pub use verlet::VerletList;

/// Which neighbors a row lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighborsKind {
    /// Row `i` lists the neighbors `j > i`, so that each pair appears once. If points have global ids, the ids are compared
    /// instead.
    Half,
    /// Row `i` lists all neighbors `j`, so that each pair appears twice.
    Full,
    /// Row `q` lists the points within the cutoff of query `q`.
    Queries,
}

/// All pairs in the handle's index base, with `left < right` and ordered by `(left, right)`. If points have global ids, the
/// ids decide instead.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    /// `pair_i`.
    pub left: &'a [i32],
    /// `pair_j`.
    pub right: &'a [i32],
}

/// Rows of neighbors in compressed form (CSR), in the handle's index base: row `i` is
/// `ids[offsets[i] - base .. offsets[i + 1] - base]`.
#[derive(Clone, Copy, Debug)]
pub struct Neighbors<'a> {
    /// One more element than rows. The first is the index base.
    pub offsets: &'a [i64],
    /// Point numbers, ascending within a row, or ordered by the global ids if points have them.
    pub ids: &'a [i32],
}

/// A neighbor search: settings, points, index and results, all reused from call to call. Handles are independent of each
/// other. Different threads may use the same handle, one at a time.
#[derive(Debug)]
pub struct Search {
    /// All inputs except the coordinates.
    inputs: Inputs,
    /// Points and their indexes, in the precision of the points set last.
    sessions: Sessions,
    device: Device,
    /// Rows counted last, and lists of them.
    found: Found,
    lists: Lists,
    /// A result that is delivered in chunks.
    stream: Derived<StreamOf, Stream>,
    /// For each point how many global ids are below its own: for the k nearest.
    ranks: Derived<Version, Vec<u32>>,
    fof: fof::Found,
    skin_used: Derived<SkinUseOf, f64>,
    /// The list with the skin that was delivered last as it is.
    verlet_seen: Option<Version>,
    report: Report,
}

impl Search {
    /// A search with default settings and without points. Fails if an environment variable `NEARGRID_*` has an invalid value.
    pub fn new() -> Result<Search> {
        let environment = Environment::read()?;
        let settings = Settings {
            tie_rule: environment.tie_rule(),
            environment,
            ..Settings::default()
        };
        Ok(Search {
            inputs: Inputs::new(settings),
            sessions: Sessions::None,
            device: Device::default(),
            found: Found::default(),
            lists: Lists::default(),
            stream: Derived::default(),
            ranks: Derived::default(),
            fof: fof::Found::default(),
            skin_used: Derived::default(),
            verlet_seen: None,
            report: Report::new(),
        })
    }

    /// Counts the pairs of `view` without copying the points. The pairs can be requested afterwards, but another query or a
    /// changed setting needs the points again. On failure the handle has no points.
    pub fn count_pairs_of<T: Precision>(&mut self, view: &PointsView<T>) -> Result<i64> {
        let inputs = &self.inputs;
        if !inputs.radii.are_set() {
            bound::<T>(inputs.settings.cutoff()?, inputs.settings.tie_rule)?;
        }
        let is_open = inputs.settings.domain.periods::<T>(view.dim())?.is_open();
        if inputs.radii.are_set() || inputs.ids.are_set() || !is_open {
            self.set_points(view)?; // a copy: wrapped, or brought into another order
            return self.count_pairs();
        }
        let view = &inputs.checked(view)?;
        T::session(&mut self.sessions)?.points.clear();
        (self.inputs.len, self.inputs.queries, self.inputs.borrowed) = (view.len(), None, true);
        self.report.begin();
        let start = Instant::now();
        let mut total = self.attempt_of(view);
        if let Err(error) = &total
            && self.gives_up_gpu(error)
        {
            total = self.attempt_of(view);
        }
        if total.is_err() {
            self.drop_points();
        }
        self.report.end(start, &mut self.device);
        total
    }

    fn attempt_of<T: Precision>(&mut self, view: &PointsView<T>) -> Result<i64> {
        let plan = self.plan_rows_of_caller(NeighborsKind::Half)?;
        let team = Team::new(plan.threads)?;
        let (mut run, sessions, lists) = self.run(&plan, &team);
        let session = T::session(sessions)?;
        let total = run.answer(session, lists, Some(view), NeighborsKind::Half, &mut Deliver::Count);
        self.report.tested(&team);
        total
    }

    /// For benchmarks: repeats the search of the last query, from the points on the device to the rows on the device. Returns
    /// the seconds by the host's clock; timings have the phases by the clock of the device.
    #[doc(hidden)]
    pub fn again_on_device(&mut self) -> Result<f64> {
        let Some(gpu) = self.device.held_mut() else {
            return Ok(0.0);
        };
        let seconds = gpu.again(&self.found.counts.get().offsets)?;
        self.report.seconds = [0.0; 6];
        self.report.take_gpu_seconds(&mut self.device);
        Ok(seconds)
    }

    /// Number of points set.
    pub fn len(&self) -> usize {
        self.inputs.len
    }

    /// Whether no points are set.
    pub fn is_empty(&self) -> bool {
        self.inputs.len == 0
    }

    /// Number of rows of a kind.
    pub(crate) fn rows(&self, kind: NeighborsKind) -> usize {
        self.inputs.rows_of(kind).len()
    }

    /// Counts the pairs.
    pub fn count_pairs(&mut self) -> Result<i64> {
        self.count_neighbors(NeighborsKind::Half)
    }

    /// Counts the ids in all rows.
    pub fn count_neighbors(&mut self, kind: NeighborsKind) -> Result<i64> {
        self.query(kind, &mut Deliver::Count)
    }

    /// All pairs, in memory of the handle.
    pub fn pairs(&mut self) -> Result<Pairs<'_>> {
        self.query(NeighborsKind::Half, &mut Deliver::Own(Layout::Pairs))?;
        Ok(Pairs {
            left: self.lists.left.get(),
            right: self.lists.ids.get(),
        })
    }

    /// The rows of neighbors, in memory of the handle.
    pub fn neighbors(&mut self, kind: NeighborsKind) -> Result<Neighbors<'_>> {
        self.query(kind, &mut Deliver::Own(Layout::Rows))?;
        Ok(Neighbors {
            offsets: self.found.offsets_of(&self.inputs, kind),
            ids: self.lists.ids.get(),
        })
    }

    /// Copies all pairs to the start of `left` and `right` and returns their number; further elements are not changed. If the
    /// slices are too small, they are not changed and the error reports the size needed. Another call with larger slices does not
    /// repeat the search.
    pub fn pairs_into(&mut self, left: &mut [i32], right: &mut [i32]) -> Result<usize> {
        self.pairs_into_rows("capacity", Rows::new(left), Rows::new(right), &|_| Ok(()))
    }

    /// [`pairs_into`](Search::pairs_into) for memory that need not be initialised; `argument` names the capacity in
    /// errors, and `check` may refuse arrays of which that many elements would be written.
    pub(crate) fn pairs_into_rows(
        &mut self,
        argument: &'static str,
        left: Rows,
        right: Rows,
        check: &dyn Fn(usize) -> Result<()>,
    ) -> Result<usize> {
        let mut into = Deliver::Into {
            layout: Layout::Pairs,
            argument,
            ids: right,
            left: Some(left),
            check,
        };
        self.query(NeighborsKind::Half, &mut into).map(|total| total as usize)
    }

    /// Copies the ids of all rows to the start of `ids`. Returns the offsets and the number of ids. If `ids` is too small, the
    /// same applies as for [`pairs_into`](Search::pairs_into).
    pub fn neighbors_into(&mut self, kind: NeighborsKind, ids: &mut [i32]) -> Result<(&[i64], usize)> {
        self.neighbors_into_rows("capacity", kind, Rows::new(ids), &|_| Ok(()))
    }

    /// [`neighbors_into`](Search::neighbors_into) for memory that need not be initialised; `argument` and `check` as for
    /// `pairs_into_rows`.
    pub(crate) fn neighbors_into_rows(
        &mut self,
        argument: &'static str,
        kind: NeighborsKind,
        ids: Rows,
        check: &dyn Fn(usize) -> Result<()>,
    ) -> Result<(&[i64], usize)> {
        let mut into = Deliver::Into {
            layout: Layout::Rows,
            argument,
            ids,
            left: None,
            check,
        };
        let total = self.query(kind, &mut into)?;
        Ok((self.found.offsets_of(&self.inputs, kind), total as usize))
    }
}

/// The status of a count that does not fit 32 bits.
pub fn check_32_bit(need: i64) -> Result<i32> {
    i32::try_from(need).map_err(|_| Error::TooManyPairs {
        need,
        limit: i64::from(i32::MAX),
    })
}
