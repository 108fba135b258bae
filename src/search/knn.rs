//! The k nearest neighbors: a query of its own, with an index of its own and no cutoff.

use std::time::Instant;

use super::session::{Precision, Sessions};
use super::{Phase, Search};
use crate::cpu::knn::{Into, Knn as CpuKnn, Worker};
use crate::error::{Error, Result, Status};
use crate::gpu::{Asking, Gpu, Wanted};
use crate::ids::GlobalIds;
use crate::list::{Rows, resize_discarding};
use crate::plan::{Backend, Plan};
use crate::points::Points;
use crate::threads::Team;
use crate::ztree::ZTree;

/// The most neighbors a row may have.
pub const MAX_K: usize = 1024;

/// Whose nearest points are sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnnKind {
    /// Of each active point, among all others.
    Others,
    /// Of each active point, among all, itself included.
    All,
    /// Of each query, among all points.
    Queries,
}

/// What a row says beside the ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Distances: correctly rounded roots of the distances squared.
    Distance,
    /// Distances squared.
    Square,
}

/// The k nearest of each row, ordered by (distance squared, id); in the handle's index base. Row `i` is
/// `ids[i * k .. (i + 1) * k]`, of which the first `counts[i]` are there; the rest is the index base less one, infinitely far.
#[derive(Clone, Copy, Debug)]
pub struct Knn<'a, T> {
    /// Elements of a row.
    pub k: usize,
    /// Numbers of points.
    pub ids: &'a [i32],
    /// Distances or their squares, as asked.
    pub distances: &'a [T],
    /// Neighbors that each row has: `k`, or all where there are less.
    pub counts: &'a [i32],
}

/// Index and scratch of one precision, and what was found last.
#[derive(Debug, Default)]
pub struct Index<T> {
    points: ZTree<T>,
    queries: ZTree<T>,
    /// Which points and which queries these are of.
    of_points: Option<u64>,
    of_queries: Option<u64>,
    /// Points are numbered by the ranks of their ids.
    ranked: bool,
    /// Which points and queries a device has, and its stamp of them.
    on_device: Option<(u64, [u64; 2])>,
    workers: Vec<Worker<T>>,
    ids: Vec<i32>,
    distances: Vec<T>,
    counts: Vec<i32>,
}

impl<T: Precision> Index<T> {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.points.bytes()
            + self.queries.bytes()
            + self.workers.iter().map(Worker::bytes).sum::<usize>()
            + (self.ids.capacity() + self.counts.capacity()) * size_of::<i32>()
            + self.distances.capacity() * size_of::<T>()
    }

    /// The points' ids are no longer those of the index.
    pub fn forget(&mut self) {
        self.of_points = None;
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.points.leaves()
    }

    /// The index of the points.
    pub fn points_tree(&self) -> &ZTree<T> {
        &self.points
    }

    /// Builds the index of the first `len` points, by their own numbers, where it is not there yet; whether it was built.
    pub fn index_points(&mut self, points: &Points<T>, len: usize, team: &Team) -> Result<bool> {
        self.build(points, len, KnnKind::All, None, team)
    }

    /// Builds what is not there yet; `len` points stand before the queries, numbered by their `ranks` where there are any. Whether
    /// something was built.
    fn build(
        &mut self,
        points: &Points<T>,
        len: usize,
        kind: KnnKind,
        ranks: Option<&[u32]>,
        team: &Team,
    ) -> Result<bool> {
        let [of_points, of_queries] = points.versions().map(Some);
        let builds = [
            self.of_points != of_points || self.ranked != ranks.is_some(),
            kind == KnnKind::Queries && self.of_queries != of_queries,
        ];
        if builds[0] {
            (self.of_points, self.of_queries) = (None, None);
            self.points.build(points.axes(), 0..len, ranks, team)?;
            (self.of_points, self.ranked) = (of_points, ranks.is_some());
        }
        if builds[1] || builds[0] && kind == KnnKind::Queries {
            self.of_queries = None;
            self.queries.build(points.axes(), len..points.len(), None, team)?;
            self.of_queries = of_queries;
        }
        Ok(builds[0] || builds[1])
    }
}

/// What is asked.
#[derive(Clone, Copy)]
struct Job<'a> {
    kind: KnnKind,
    k: usize,
    measure: Measure,
    rows: usize,
    plan: &'a Plan,
    base: i64,
    ids: &'a GlobalIds,
    team: &'a Team,
}

impl Search {
    /// The `k` nearest points of each active point or query, 1 to 1024 of them, in memory of the handle. `T` is the precision
    /// of the points set; no cutoff is needed.
    ///
    /// Rows are ordered by (distance squared, id), with the distance squared that [`pair_distances`](Search::pair_distances)
    /// takes the root of; it may be infinite. Along a periodic axis, of any length, each point counts once, where it is
    /// nearest. A point is none of its own neighbors with [`KnnKind::Others`]; points that coincide with it are. Every
    /// point may be a neighbor, a ghost too, whatever its type; ghosts have no row. Where points have global ids, ties follow
    /// those.
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
        const WHAT: &str = "the list of k nearest";
        let rows = self.check_knn::<T>(kind, k as i64)?;
        let index = &mut T::session(self).knn;
        let (mut ids, mut distances) = (std::mem::take(&mut index.ids), std::mem::take(&mut index.distances));
        let mut counts = std::mem::take(&mut index.counts);
        let found = resize_discarding(&mut ids, rows * k, 0, WHAT)
            .and_then(|()| resize_discarding(&mut distances, rows * k, T::INFINITY, WHAT))
            .and_then(|()| resize_discarding(&mut counts, rows, 0, WHAT))
            .and_then(|()| {
                let into = Into {
                    ids: Rows::new(&mut ids),
                    distances: Some(Rows::new(&mut distances)),
                };
                self.knn_into_rows(kind, k, measure, into)
            });
        let index = &mut T::session(self).knn;
        (index.ids, index.distances, index.counts) = (ids, distances, counts);
        index.counts.fill(found? as i32);
        Ok(Knn {
            k,
            ids: &index.ids,
            distances: &index.distances,
            counts: &index.counts,
        })
    }

    /// Writes the rows of [`knn`](Search::knn) to `ids` and `distances`, which have `k` elements a row, and returns how
    /// many neighbors each row has: `k`, or all where there are less.
    pub fn knn_into<T: Precision>(
        &mut self,
        kind: KnnKind,
        k: usize,
        measure: Measure,
        ids: &mut [i32],
        distances: &mut [T],
    ) -> Result<usize> {
        let elements = self.check_knn::<T>(kind, k as i64)? * k;
        crate::displacement::check_len("the length of ids", ids.len(), elements)?;
        crate::displacement::check_len("the length of distances", distances.len(), elements)?;
        let into = Into {
            ids: Rows::new(ids),
            distances: Some(Rows::new(distances)),
        };
        self.knn_into_rows(kind, k, measure, into)
    }

    /// How many rows a kind has: as many as there are active points, or queries.
    pub fn knn_rows(&self, kind: KnnKind) -> Result<usize> {
        self.check_points_held()?;
        match kind {
            KnnKind::Queries => Ok(self.queries),
            _ => self.kinds.active_of(self.len),
        }
    }

    /// How many rows there are, once all that may be refused is checked.
    pub(crate) fn check_knn<T: Precision>(&self, kind: KnnKind, k: i64) -> Result<usize> {
        self.held::<T>()?;
        if !(1..=MAX_K as i64).contains(&k) {
            let allowed = format_args!("1 to {MAX_K}");
            return Err(Error::not_allowed(Status::BadCount, "k", k, allowed));
        }
        self.global_ids.check(self.len)?;
        self.knn_rows(kind)
    }

    /// [`knn_into`](Search::knn_into) for memory that need not be initialised, all of it checked.
    pub(crate) fn knn_into_rows<T: Precision>(
        &mut self,
        kind: KnnKind,
        k: usize,
        measure: Measure,
        into: Into<T>,
    ) -> Result<usize> {
        let rows = self.check_knn::<T>(kind, k as i64)?;
        self.seconds = [0.0; 6];
        self.stream = None;
        let start = Instant::now();
        let mut found = self.try_knn(kind, [k, rows], measure, &into);
        if let Err(error) = &found
            && self.gives_up_gpu(error)
        {
            found = self.try_knn(kind, [k, rows], measure, &into);
        }
        self.take_gpu_seconds();
        self.seconds[Phase::Total as usize] = start.elapsed().as_secs_f64();
        found
    }

    /// Decides. Ties by global ids that do not ascend are told on the CPU.
    fn plan_knn(&mut self) -> Result<Plan> {
        if self.global_ids.ranks().is_none() {
            return self.decide(None);
        }
        let why = Some("auto: k nearest with global ids that do not ascend are searched on the CPU");
        Plan::new(&self.settings, self.len + self.queries, self.in_parallel, why, |_| {
            Err(Error::NotSupported {
                what: "backend gpu for k nearest with global ids that do not ascend",
            })
        })
    }

    fn try_knn<T: Precision>(
        &mut self,
        kind: KnnKind,
        [k, rows]: [usize; 2],
        measure: Measure,
        into: &Into<T>,
    ) -> Result<usize> {
        self.global_ids.rank()?;
        let plan = self.plan_knn()?;
        (self.plan, self.asked_tree) = (Some(plan), true);
        let (team, ids) = (Team::new(plan.threads)?, std::mem::take(&mut self.global_ids));
        let job = Job {
            kind,
            k,
            measure,
            rows,
            plan: &plan,
            base: self.settings.index_base,
            ids: &ids,
            team: &team,
        };
        let elements = rows * k;
        into.ids.prefer_huge_pages(elements);
        if let Some(distances) = &into.distances {
            distances.prefer_huge_pages(elements);
        }
        let (len, mut gpu) = (self.len, self.gpu.take());
        let on_gpu = gpu.as_deref_mut().filter(|_| plan.backend == Backend::Gpu);
        let session = T::session(self);
        let found = match on_gpu {
            Some(gpu) => session.knn_on_gpu(gpu, job, len, into),
            None => session.knn_on_cpu(job, len, into),
        };
        (self.gpu, self.global_ids) = (gpu, ids);
        let Done { found, built, seconds } = found?;
        self.index_builds += i64::from(built);
        self.fills += 1;
        [self.seconds[Phase::Index as usize], self.seconds[Phase::Fill as usize]] = seconds;
        Ok(found)
    }

    /// Leaves of the index that the last query used, if that was one for k nearest or for groups.
    pub(super) fn leaves(&self) -> Option<usize> {
        let leaves = match &self.session {
            Sessions::F32(s) => s.knn.leaves(),
            Sessions::F64(s) => s.knn.leaves(),
            Sessions::None => 0,
        };
        self.asked_tree.then_some(leaves)
    }
}

/// How many neighbors each row has, whether an index was built, and the seconds of both.
struct Done {
    found: usize,
    built: bool,
    seconds: [f64; 2],
}

impl<T: Precision> super::session::Session<T> {
    fn knn_on_cpu(&mut self, job: Job, len: usize, into: &Into<T>) -> Result<Done> {
        let start = Instant::now();
        let ranks = job.ids.ranks().map(|(ranks, _)| ranks);
        let built = self.knn.build(&self.points, len, job.kind, ranks, job.team)?;
        let indexed = start.elapsed().as_secs_f64();
        let found = self.fill_knn(job, into)?;
        Ok(Done {
            found,
            built,
            seconds: [indexed, start.elapsed().as_secs_f64() - indexed],
        })
    }

    fn knn_on_gpu(&mut self, gpu: &mut Gpu, job: Job, len: usize, into: &Into<T>) -> Result<Done> {
        let (start, versions) = (Instant::now(), self.points.versions());
        let (view, of_queries) = (self.points.view(), job.kind == KnnKind::Queries);
        let asking = Asking {
            view: &view,
            periods: self.points.periods(),
            points: len,
            of_queries,
        };
        let stays = [0, 1].map(|k| self.knn.on_device.is_some_and(|(_, those)| those[k] == versions[k]));
        let before = self.knn.on_device.take().map(|(stamp, _)| stamp);
        let stamp = gpu.index_nearest(asking, stays, before, job.team)?;
        let of = if of_queries || stays[1] {
            versions
        } else {
            [versions[0], u64::MAX]
        };
        self.knn.on_device = Some((stamp, of));
        let indexed = start.elapsed().as_secs_f64();
        let wanted = Wanted {
            k: job.k,
            rows: job.rows,
            skips_self: job.kind == KnnKind::Others,
            squared: job.measure == Measure::Square,
            base: job.base,
            ids: into.ids,
            distances: into.distances,
        };
        gpu.fill_nearest(asking, &wanted, job.team)?;
        Ok(Done {
            found: job.k.min(len - usize::from(wanted.skips_self && len > 0)),
            built: before != Some(stamp),
            seconds: [indexed, start.elapsed().as_secs_f64() - indexed],
        })
    }

    fn fill_knn(&mut self, job: Job, into: &Into<T>) -> Result<usize> {
        let Index {
            points,
            queries,
            workers,
            ..
        } = &mut self.knn;
        if workers.len() < job.plan.threads {
            workers.resize_with(job.plan.threads, Worker::default);
        }
        let search = CpuKnn {
            tree: points,
            queries: (job.kind == KnnKind::Queries).then_some(&*queries),
            periods: self.points.periods(),
            k: job.k,
            skips_self: job.kind == KnnKind::Others,
            rows: job.rows,
            squared: job.measure == Measure::Square,
            base: job.base as i32,
            by_id: job.ids.ranks().map(|(_, by_id)| by_id),
            isa: job.plan.isa,
        };
        search.run(job.team, &mut workers[..job.plan.threads], into)?;
        Ok(search.found())
    }
}
