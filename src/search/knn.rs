//! The k nearest neighbors: a query with its own index and without a cutoff.

use std::mem::take;
use std::time::Instant;

use super::inputs::Inputs;
use super::session::{Precision, workers_of};
use super::{Phase, Search};
use crate::cpu::knn::{Knn as CpuKnn, KnnRows, Worker};
use crate::error::{Error, Result, Status};
use crate::gpu::{Asking, Gpu, Wanted};
use crate::ids::Entry;
use crate::list::{Rows, holds, resize_discarding};
use crate::measure::Measure;
use crate::plan::{Plan, Query};
use crate::points::Points;
use crate::search::session::InSessions;
use crate::threads::Team;
use crate::version::{Derived, Version};
use crate::ztree::ZTree;

/// The largest `k`.
pub const MAX_K: usize = 1024;

/// Whose nearest points are searched, and among which points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnnKind {
    /// Of each active point, among all others.
    Others,
    /// Of each active point, among all points, including itself.
    All,
    /// Of each query, among all points.
    Queries,
}

/// The k nearest neighbors of each row, ordered by squared distance and then by id, in the handle's index base. Row `i` is
/// `ids[i * k .. (i + 1) * k]`. Only the first `counts[i]` entries are neighbors; the rest have the index base minus 1 as id
/// and an infinite distance.
#[derive(Clone, Copy, Debug)]
pub struct Knn<'a, T> {
    /// Elements of a row.
    pub k: usize,
    /// Point numbers.
    pub ids: &'a [i32],
    /// Distances, squared distances or radii, as requested.
    pub distances: &'a [T],
    /// Neighbors of each row: `k`, or fewer if there are not enough points.
    pub counts: &'a [i32],
}

/// The index along the curve, and scratch, of one precision.
#[derive(Debug, Default)]
pub struct Index<T> {
    /// Of the points; numbered by the ranks of global ids of a version, where they have such.
    points: Derived<(Version, Option<Version>), ZTree<T>>,
    queries: Derived<[Version; 2], ZTree<T>>,
    workers: Vec<Worker<T>>,
    /// Rows in memory of the handle.
    rows: List<T>,
}

holds! { Index<T> { points, queries, workers, rows } }

/// Rows in memory of the handle.
#[derive(Debug, Default)]
struct List<T> {
    ids: Vec<i32>,
    distances: Vec<T>,
    counts: Vec<i32>,
}

holds! { List<T> { ids, distances, counts } }

impl<T: Precision> Index<T> {
    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.points.get().leaves()
    }

    /// The index of the points.
    pub fn points_tree(&self) -> &ZTree<T> {
        self.points.get()
    }

    /// Builds the index of the first `len` points, by their own numbers or by their ranks, where it is not there; whether it was
    /// built.
    pub fn index_points(
        &mut self,
        points: &Points<T>,
        len: usize,
        ranks: Option<(Version, &[u32])>,
        team: &Team,
    ) -> Result<bool> {
        let of = (points.stamp().points, ranks.map(|(version, _)| version));
        let ranks = ranks.map(|(_, ranks)| ranks);
        (self.points).make(of, |tree| tree.build(points.axes(), 0..len, ranks, team))
    }

    /// Builds the index of the queries, which stand behind the first `len` points, where it is not there; whether it was built.
    fn index_queries(&mut self, points: &Points<T>, len: usize, team: &Team) -> Result<bool> {
        let stamp = points.stamp();
        let of = [stamp.points, stamp.queries];
        (self.queries).make(of, |tree| tree.build(points.axes(), len..points.len(), None, team))
    }
}

/// What is asked.
#[derive(Clone, Copy)]
struct Job<'a> {
    kind: KnnKind,
    k: usize,
    measure: Measure,
    rows: usize,
    len: usize,
    plan: &'a Plan,
    base: i64,
    /// The ids in ascending order, and for each point its place there, where they do not ascend by point.
    ids: Option<(&'a [Entry], Version, &'a [u32])>,
    team: &'a Team,
}

impl Search {
    /// The `k` nearest points of each active point or query, with `k` from 1 to 1024, in memory of the handle. `T` is the
    /// precision of the points. No cutoff is needed.
    ///
    /// Rows are ordered by squared distance and then by id, or by global id if points have them. The squared distance is that of
    /// [`pair_distances`](Search::pair_distances) before the root, and may be infinite. Along a periodic axis of any length, each
    /// point counts once, at its nearest image. With [`KnnKind::Others`] a point is not its own neighbor, but points that
    /// coincide with it are. Every point can be a neighbor, including ghosts, whatever its type; ghosts have no row.
    ///
    /// ```
    /// use neargrid::{Measure, KnnKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 3.0])?)?;
    /// let nearest = search.knn::<f64>(KnnKind::Others, 1, Measure::Distance)?;
    /// assert_eq!((nearest.ids, nearest.distances), (&[1, 0, 1][..], &[1.0, 1.0, 2.0][..]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn knn<T: Precision>(&mut self, kind: KnnKind, k: usize, measure: Measure) -> Result<Knn<'_, T>> {
        const WHAT: &str = "the list of k nearest neighbors";
        let rows = self.check_knn::<T>(kind, k as i64)?;
        let bytes = (rows * k * (size_of::<i32>() + size_of::<T>()) + rows * size_of::<i32>()) as u64;
        self.inputs.check_limit(WHAT, bytes)?;
        let mut list = take(&mut T::session(&mut self.sessions)?.knn.rows); // its memory, for the new rows
        resize_discarding(&mut list.ids, rows * k, 0, WHAT)?;
        resize_discarding(&mut list.distances, rows * k, T::INFINITY, WHAT)?;
        resize_discarding(&mut list.counts, rows, 0, WHAT)?;
        let into = KnnRows {
            ids: Rows::new(&mut list.ids),
            distances: Some(Rows::new(&mut list.distances)),
        };
        let found = self.knn_into_rows(kind, k, measure, into)?;
        list.counts.fill(found as i32);
        let index = &mut T::session(&mut self.sessions)?.knn;
        index.rows = list;
        Ok(Knn {
            k,
            ids: &index.rows.ids,
            distances: &index.rows.distances,
            counts: &index.rows.counts,
        })
    }

    /// Copies the rows of [`knn`](Search::knn) to `ids` and `distances`, which have `k` elements for each row. Returns the number
    /// of neighbors of each row: `k`, or fewer if there are not enough points.
    pub fn knn_into<T: Precision>(
        &mut self,
        kind: KnnKind,
        k: usize,
        measure: Measure,
        ids: &mut [i32],
        distances: &mut [T],
    ) -> Result<usize> {
        let elements = self.check_knn::<T>(kind, k as i64)? * k;
        crate::arguments::check_len("the length of ids", ids.len(), elements)?;
        crate::arguments::check_len("the length of distances", distances.len(), elements)?;
        let into = KnnRows {
            ids: Rows::new(ids),
            distances: Some(Rows::new(distances)),
        };
        self.knn_into_rows(kind, k, measure, into)
    }

    /// The number of rows of a kind: the number of active points, or of queries.
    pub fn knn_rows(&self, kind: KnnKind) -> Result<usize> {
        self.check_points_held()?;
        match kind {
            KnnKind::Queries => self.inputs.queries_set(),
            _ => self.inputs.kinds.active_of(self.inputs.len),
        }
    }

    /// The number of rows, after all checks.
    pub(crate) fn check_knn<T: Precision>(&self, kind: KnnKind, k: i64) -> Result<usize> {
        self.held::<T>()?;
        if !(1..=MAX_K as i64).contains(&k) {
            let allowed = format_args!("1 to {MAX_K}");
            return Err(Error::not_allowed(Status::BadCount, "k", k, allowed));
        }
        self.inputs.ids.check(self.inputs.len)?;
        self.knn_rows(kind)
    }

    /// [`knn_into`](Search::knn_into) for memory that need not be initialised, all of it checked.
    pub(crate) fn knn_into_rows<T: Precision>(
        &mut self,
        kind: KnnKind,
        k: usize,
        measure: Measure,
        mut into: KnnRows<T>,
    ) -> Result<usize> {
        let rows = self.check_knn::<T>(kind, k as i64)?;
        self.report.begin();
        let start = Instant::now();
        let mut found = self.attempt_knn(kind, [k, rows], measure, into.again());
        if let Err(error) = &found
            && self.gives_up_gpu(error)
        {
            found = self.attempt_knn(kind, [k, rows], measure, into);
        }
        self.report.end(start, &mut self.device);
        found
    }

    /// Decides. Ties by global ids that do not ascend are decided on the CPU.
    fn plan_knn(&mut self) -> Result<Plan> {
        if self.inputs.ids.ascend() {
            return self.decide(None);
        }
        let why = Some("auto: k nearest neighbors with global ids that do not ascend are searched on the CPU");
        let Inputs {
            settings, in_parallel, ..
        } = &self.inputs;
        Plan::new(
            settings,
            (self.inputs.everyone(), Query::Neighbors),
            in_parallel,
            why,
            |_| {
                Err(Error::NotSupported {
                    what: "backend gpu for k nearest neighbors with global ids that do not ascend",
                })
            },
        )
    }

    fn attempt_knn<T: Precision>(
        &mut self,
        kind: KnnKind,
        [k, rows]: [usize; 2],
        measure: Measure,
        into: KnnRows<T>,
    ) -> Result<usize> {
        let plan = self.plan_knn()?;
        (self.report.plan, self.report.asked_tree) = (Some(plan), true);
        let team = Team::new(plan.threads)?;
        let ids = &self.inputs.ids;
        self.ranks.make(ids.version(), |ranks| ids.rank(ranks))?;
        let job = Job {
            kind,
            k,
            measure,
            rows,
            len: self.inputs.len,
            plan: &plan,
            base: self.inputs.settings.index_base,
            ids: (!ids.ascend()).then(|| (ids.ascending(), ids.version(), &self.ranks.get()[..])),
            team: &team,
        };
        let elements = rows * k;
        into.ids.prefer_huge_pages(elements);
        if let Some(distances) = &into.distances {
            distances.prefer_huge_pages(elements);
        }
        let session = T::session(&mut self.sessions)?;
        let Done { found, built, seconds } = match self.device.planned(&plan) {
            Some(device) => session.knn_on_gpu(device.gpu()?, job, into),
            None => session.knn_on_cpu(job, into),
        }?;
        self.report.tested(&team);
        self.report.index_builds += i64::from(built);
        self.report.fills += 1;
        let phases = &mut self.report.seconds;
        [phases[Phase::Index as usize], phases[Phase::Fill as usize]] = seconds;
        Ok(found)
    }
}

/// How many neighbors each row has, whether an index was built, and the seconds of both.
struct Done {
    found: usize,
    built: bool,
    seconds: [f64; 2],
}

impl<T: Precision> super::session::Session<T> {
    fn knn_on_cpu(&mut self, job: Job, into: KnnRows<T>) -> Result<Done> {
        let start = Instant::now();
        let ranks = job.ids.map(|(_, version, ranks)| (version, ranks));
        let mut built = self.knn.index_points(&self.points, job.len, ranks, job.team)?;
        if job.kind == KnnKind::Queries {
            built |= self.knn.index_queries(&self.points, job.len, job.team)?;
        }
        let indexed = start.elapsed().as_secs_f64();
        let found = self.fill_knn(job, into)?;
        Ok(Done {
            found,
            built,
            seconds: [indexed, start.elapsed().as_secs_f64() - indexed],
        })
    }

    fn knn_on_gpu(&mut self, gpu: &mut Gpu, job: Job, into: KnnRows<T>) -> Result<Done> {
        let (start, view, len) = (Instant::now(), self.points.view(), job.len);
        let asking = Asking {
            view: &view,
            stamp: self.points.stamp(),
            periods: self.points.periods(),
            points: len,
            of_queries: job.kind == KnnKind::Queries,
        };
        let built = gpu.index_nearest(asking, job.team)?;
        let indexed = start.elapsed().as_secs_f64();
        let mut wanted = Wanted {
            k: job.k,
            rows: job.rows,
            skips_self: job.kind == KnnKind::Others,
            measure: job.measure,
            base: job.base,
            ids: into.ids,
            distances: into.distances,
        };
        gpu.fill_nearest(asking, &mut wanted, job.team)?;
        Ok(Done {
            found: job.k.min(len - usize::from(wanted.skips_self && len > 0)),
            built,
            seconds: [indexed, start.elapsed().as_secs_f64() - indexed],
        })
    }

    fn fill_knn(&mut self, job: Job, into: KnnRows<T>) -> Result<usize> {
        let Index {
            points,
            queries,
            workers,
            ..
        } = &mut self.knn;
        let workers = workers_of(workers, job.plan.threads)?;
        let search = CpuKnn {
            tree: points.get(),
            queries: (job.kind == KnnKind::Queries).then_some(queries.get()),
            periods: self.points.periods(),
            k: job.k,
            skips_self: job.kind == KnnKind::Others,
            rows: job.rows,
            measure: job.measure,
            base: job.base as i32,
            by_id: job.ids.map(|(by_id, ..)| by_id),
            isa: job.plan.isa,
        };
        search.run(job.team, workers, into)?;
        Ok(search.found())
    }
}
