//! The k nearest neighbors: a query by the index along the curve, without a cutoff.

use std::time::Instant;

use super::counted::Run;
use super::inputs::Inputs;
use super::precision::{Family, InPrecision};
use super::report::Phase;
use super::session::{Session, workers_of};
use crate::cpu::knn::{Knn as CpuKnn, KnnRows, KnnWorker};
use crate::domain::bound;
use crate::error::{Error, Result, Status};
use crate::gpu::{Asking, Wanted};
use crate::ids::Entry;
use crate::list::{Rows, holds, resize_discarding};
use crate::measure::Measure;
use crate::plan::{Plan, Settings};
use crate::points::{Precision, Real};
use crate::threads::Team;
use crate::version::{Derived, Version};

/// The largest `k`.
pub const MAX_K: usize = 1024;

/// The points whose nearest are searched, and those among which.
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
    /// Neighbors of each row: `k`, or fewer if there are not enough points, or not within the radius of
    /// [`set_knn_within`](crate::Search::set_knn_within).
    pub counts: &'a [i32],
}

/// The state of a handle for the k nearest.
#[derive(Debug, Default)]
pub struct Nearest {
    /// For each point how many global ids are below its own.
    ranks: Derived<Version, Vec<u32>>,
    /// The ids in ascending order.
    by_id: Derived<Version, Vec<Entry>>,
    own: InPrecision<OfOwn>,
}

holds! { Nearest { ranks, by_id, own } }

/// Rows and scratch of all precisions.
#[derive(Debug)]
struct OfOwn;

impl Family for OfOwn {
    type Of<T: Precision> = Own<T>;
}

/// Rows in memory of the handle, and scratch of the threads.
#[derive(Debug, Default)]
struct Own<T> {
    list: NearestRows<T>,
    workers: Vec<KnnWorker<T>>,
}

holds! { Own<T> { list, workers } }

/// Rows in memory of the handle.
#[derive(Debug, Default)]
pub struct NearestRows<T> {
    ids: Vec<i32>,
    distances: Vec<T>,
    counts: Vec<i32>,
}

holds! { NearestRows<T> { ids, distances, counts } }

impl<T: Precision> NearestRows<T> {
    /// Makes room for `rows` rows.
    pub fn resize(&mut self, k: usize, rows: usize) -> Result<()> {
        const WHAT: &str = "the list of k nearest neighbors";
        resize_discarding(&mut self.ids, rows * k, 0, WHAT)?;
        resize_discarding(&mut self.distances, rows * k, T::INFINITY, WHAT)?;
        resize_discarding(&mut self.counts, rows, 0, WHAT)
    }

    /// The memory that rows are written to.
    pub fn rows(&mut self) -> KnnRows<'_, T> {
        KnnRows {
            ids: Rows::new(&mut self.ids),
            distances: Some(Rows::new(&mut self.distances)),
        }
    }
}

/// A request for the nearest points.
#[derive(Clone, Copy)]
pub struct Ask {
    pub kind: KnnKind,
    pub k: usize,
    pub measure: Measure,
    pub rows: usize,
}

impl Ask {
    /// A request about points that are held, after all checks.
    pub fn new(inputs: &Inputs, kind: KnnKind, k: i64, measure: Measure) -> Result<Ask> {
        if !(1..=MAX_K as i64).contains(&k) {
            let allowed = format_args!("1 to {MAX_K}");
            return Err(Error::not_allowed(Status::BadCount, "k", k, allowed));
        }
        inputs.check_no_cell()?;
        inputs.check_all_take_part()?;
        inputs.ids.check(inputs.len)?;
        let (k, rows) = (k as usize, rows_of(inputs, kind)?);
        inputs.check_ids()?;
        Ok(Ask { kind, k, measure, rows })
    }
}

/// The number of rows of a kind: the number of active points, or of queries.
pub fn rows_of(inputs: &Inputs, kind: KnnKind) -> Result<usize> {
    match kind {
        KnnKind::Queries => inputs.queries_set(),
        _ if inputs.kinds.own_roles().are_mixed() => Err(Error::NotSupported {
            what: "nearest points of active points behind ghosts (set_roles)",
        }),
        _ => inputs.kinds.own_roles().active_of(inputs.owned()),
    }
}

/// The bound on distances squared in the precision of the points, where the nearest are searched within a radius.
pub fn bound_of<T: Real>(settings: &Settings) -> Result<Option<T>> {
    let within = settings.knn_within.map(|radius| bound(radius, settings.tie_rule));
    within.transpose().map_err(|error| match error {
        Error::NotAllowed { value, allowed, .. } => Error::NotAllowed {
            status: Status::BadRadius,
            argument: "the radius of set_knn_within",
            value,
            allowed,
        },
        error => error,
    })
}

/// The number of neighbors in each row.
#[derive(Clone, Copy, Debug)]
pub enum Lengths {
    /// The same in all rows.
    Same(usize),
    /// As many as there are ids before the first one below the index base.
    OfIds { base: i64 },
}

impl Lengths {
    /// Those of the rows of `k` ids.
    pub fn of(self, ids: &[i32], k: usize) -> impl Iterator<Item = i32> {
        ids.chunks_exact(k).map(move |row| match self {
            Lengths::Same(found) => found as i32,
            Lengths::OfIds { base } => row.partition_point(|&id| i64::from(id) >= base) as i32,
        })
    }
}

impl Nearest {
    /// The list, of which the memory is taken for new rows.
    pub fn take_list<T: Precision>(&mut self) -> Result<NearestRows<T>> {
        Ok(std::mem::take(&mut self.own.of::<T>()?.list))
    }

    /// Keeps the rows of a list and shows them.
    pub fn keep_list<T: Precision>(
        &mut self,
        k: usize,
        lengths: Lengths,
        mut list: NearestRows<T>,
    ) -> Result<Knn<'_, T>> {
        let lengths = lengths.of(&list.ids, k);
        list.counts
            .iter_mut()
            .zip(lengths)
            .for_each(|(to, length)| *to = length);
        let kept = &mut self.own.of::<T>()?.list;
        *kept = list;
        Ok(Knn {
            k,
            ids: &kept.ids,
            distances: &kept.distances,
            counts: &kept.counts,
        })
    }

    /// Forgets what is of a precision.
    pub fn forget(&mut self) {
        self.own = InPrecision::None;
    }

    /// Finds the rows; returns how many neighbors each has.
    pub fn find<T: Precision>(
        &mut self,
        run: &mut Run,
        inputs: &Inputs,
        (plan, team): (&Plan, &Team),
        session: &mut Session<T>,
        ask: Ask,
        into: KnnRows<T>,
    ) -> Result<Lengths> {
        into.ids.prefer_huge_pages(ask.rows * ask.k);
        if let Some(distances) = &into.distances {
            distances.prefer_huge_pages(ask.rows * ask.k);
        }
        let start = Instant::now();
        let (of_queries, len, base) = (ask.kind == KnnKind::Queries, inputs.len, inputs.settings.index_base);
        let skips_self = ask.kind == KnnKind::Others;
        let within = bound_of::<T>(&inputs.settings)?;
        let indexed;
        let (found, built) = if let Some(device) = &mut run.device {
            let (gpu, view) = (device.gpu()?, session.points.view());
            let asking = Asking {
                view: &view,
                stamp: session.points.stamp(),
                periods: session.points.periods(),
                points: len,
                of_queries,
            };
            let built = gpu.index_nearest(asking, team)?;
            indexed = start.elapsed().as_secs_f64();
            let mut wanted = Wanted {
                k: ask.k,
                rows: ask.rows,
                skips_self,
                within,
                measure: ask.measure,
                base,
                ids: into.ids,
                distances: into.distances,
            };
            gpu.fill_nearest(asking, &mut wanted, team)?;
            (ask.k.min(len - usize::from(skips_self && len > 0)), built)
        } else {
            let ids = &inputs.ids;
            self.ranks.make(ids.version(), |ranks| ids.rank(ranks))?;
            self.by_id.make(ids.version(), |entries| ids.ascending(entries))?;
            let ranks = (!ids.ascend()).then(|| (ids.version(), &self.ranks.get()[..]));
            let mut built = session.index_curve(len, ranks, team)?;
            if of_queries {
                built |= session.index_curve_of_queries(len, team)?;
            }
            indexed = start.elapsed().as_secs_f64();
            let search = CpuKnn {
                tree: session.curve(),
                queries: of_queries.then(|| session.curve_of_queries()),
                periods: session.points.periods(),
                k: ask.k,
                skips_self,
                rows: ask.rows,
                within,
                measure: ask.measure,
                base: base as i32,
                by_id: ranks.map(|_| &self.by_id.get()[..]),
                isa: plan.isa,
            };
            search.run(team, workers_of(&mut self.own.of::<T>()?.workers, plan.threads)?, into)?;
            (search.found(), built)
        };
        run.report.index_builds += i64::from(built);
        run.report.fills += 1;
        let phases = &mut run.report.seconds;
        phases[Phase::Index as usize] = indexed;
        phases[Phase::Fill as usize] = start.elapsed().as_secs_f64() - indexed;
        Ok(match within {
            Some(_) => Lengths::OfIds { base },
            None => Lengths::Same(found),
        })
    }
}
