//! Points, index and scratch in the precision of the points set last.

use std::ops::Range;

use super::fof::Attached;
use super::radii::ByRadii;
use super::skin::Skin;
use super::{NeighborsKind, Search, knn};
use crate::cpu::counted::Counted;
use crate::cpu::listed::Listed;
use crate::cpu::pairs::Pairs as CpuPairs;
use crate::cpu::query::Query;
use crate::cpu::simd::Width;
use crate::cpu::spanned::Spanned;
use crate::cpu::spans::{Batch, Spans};
use crate::cpu::worker::Worker;
use crate::domain::{Periods, bound};
use crate::error::Result;
use crate::gpu::{Gpu, Rule, Want};
use crate::grid::{Block, Grid};
use crate::kinds::Classes;
use crate::list::{Delivery, Rows, scan};
use crate::plan::{Plan, Settings};
use crate::points::{Points, PointsView};
use crate::radii::{Radii, Radius};
use crate::threads::Team;

/// Points, index and scratch of one precision.
#[derive(Debug, Default)]
pub struct Session<T> {
    pub points: Points<T>,
    /// The points as they are searched, where that is not the order they stand in.
    pub ordered: Points<T>,
    pub grid: Grid,
    pub workers: Vec<Worker<T>>,
    /// What the last count on the CPU leaves for the fill.
    pub counted: Counted,
    /// What is kept while a result is delivered in chunks, and the blocks that it is searched in.
    pub spans: Spans,
    pub blocks: Vec<Block>,
    pub skin: Skin<T>,
    pub knn: knn::Index<T>,
    pub by_radii: ByRadii<T>,
    pub attached: Attached<T>,
}

/// What a query asks of a session.
pub struct Job<'a> {
    pub plan: &'a Plan,
    pub settings: &'a Settings,
    pub kind: NeighborsKind,
    pub classes: Option<&'a Classes<'a>>,
    pub radii: &'a Radii,
    /// Points and queries.
    pub counts: [usize; 2],
    pub team: &'a Team,
    /// All rows that there are of this kind.
    pub rows: Range<usize>,
}

impl Job<'_> {
    /// Which rows a GPU is to count, and whether it may fill them right away.
    pub fn rows_wanted(&self, eager: bool) -> Rule<'_> {
        Rule {
            full: self.kind != NeighborsKind::Half,
            classes: self.classes,
            base: self.settings.index_base,
            eager,
        }
    }
}

/// The session of the precision of the points set last.
#[derive(Debug, Default)]
pub enum Sessions {
    #[default]
    None,
    F32(Box<Session<f32>>),
    F64(Box<Session<f64>>),
}

/// The precision of points: `f32` or `f64`. Sealed.
pub trait Precision: Width + Radius {
    /// The session of this precision, made anew if the handle has another one.
    #[doc(hidden)]
    fn session(search: &mut Search) -> &mut Session<Self>;
    /// The session, if the points are of this precision.
    #[doc(hidden)]
    fn session_held(search: &Search) -> Option<&Session<Self>>;
}

macro_rules! precision {
    ($type:ident, $variant:ident) => {
        impl Precision for $type {
            fn session(search: &mut Search) -> &mut Session<$type> {
                if !matches!(search.session, Sessions::$variant(_)) {
                    search.session = Sessions::$variant(Box::default());
                }
                match &mut search.session {
                    Sessions::$variant(session) => session,
                    _ => unreachable!("set just above"),
                }
            }
            fn session_held(search: &Search) -> Option<&Session<$type>> {
                match &search.session {
                    Sessions::$variant(session) => Some(session),
                    _ => None,
                }
            }
        }
    };
}
precision!(f32, F32);
precision!(f64, F64);

impl<T: Precision> Session<T> {
    /// Builds the index of `view`, or of the points held, on the GPU where one is given.
    pub fn build(
        &mut self,
        view: Option<&PointsView<T>>,
        settings: &Settings,
        team: &Team,
        gpu: Option<&mut Gpu>,
    ) -> Result<()> {
        let (cutoff, bound) = radius::<T>(settings)?;
        let Session {
            points, ordered, grid, ..
        } = self;
        let version = (view.is_none() && ordered.len() == 0).then(|| points.first_version());
        let points = searched(points, ordered);
        let held = points.view();
        let (view, periods) = (view.unwrap_or(&held), points.periods());
        periods.check_cutoff(T::from_f64(cutoff))?;
        match gpu {
            Some(gpu) => gpu.index((view, version), periods, cutoff, bound, team),
            None => grid.build(view, periods, cutoff, team),
        }
    }

    /// Counts the rows of `view`, or of the points held, into `offsets`; returns the total. A GPU may be told to fill them
    /// right away.
    pub fn count(
        &mut self,
        view: Option<&PointsView<T>>,
        job @ &Job {
            plan, settings, team, ..
        }: &Job,
        offsets: &mut [i64],
        gpu: Option<(&mut Gpu, bool)>,
    ) -> Result<i64> {
        if let Some((gpu, eager)) = gpu {
            return gpu.count(radius::<T>(settings)?.1, job.rows_wanted(eager), team, offsets);
        }
        let Session {
            points,
            ordered,
            grid,
            workers,
            counted,
            spans,
            ..
        } = self;
        *spans = Spans::default();
        let workers = workers_of(workers, plan);
        offsets[0] = 0;
        let those = searched(points, ordered);
        let held = those.view();
        let query = query(grid, view.unwrap_or(&held), those.periods(), job)?;
        // Of a memory limit a quarter: the list that is filled takes the rest.
        let most = (settings.memory_limit).map_or(usize::MAX, |limit| {
            (limit as usize).saturating_sub(8 * offsets.len()) / 4
        });
        CpuPairs { query }.count(team, workers, counted, most / 4, &mut offsets[1..])?;
        if let Some(view) = view.filter(|_| counted.needs_points()) {
            points.set(view, &Periods::default(), team)?;
        }
        Ok(scan(offsets, settings.index_base))
    }

    /// Fills the rows counted last and, where it is wanted, the column of left points, as they are to be delivered.
    pub fn fill(
        &mut self,
        job @ &Job { plan, team, .. }: &Job,
        delivery: Delivery,
        [ids, left]: [Option<Rows>; 2],
        gpu: Option<&mut Gpu>,
    ) -> Result<()> {
        match (gpu, ids) {
            (Some(gpu), Some(ids)) => gpu.fill(team, Want { delivery, ids, left }),
            (None, Some(ids)) => {
                let Session {
                    points,
                    ordered,
                    grid,
                    workers,
                    counted,
                    ..
                } = self;
                let workers = workers_of(workers, plan);
                let points = searched(points, ordered);
                let held = points.view();
                let query = query(grid, &held, points.periods(), job)?;
                CpuPairs { query }.fill(team, workers, counted, delivery, (ids, left))
            }
            (_, None) => delivery.fill_left(team, left),
        }
    }

    /// No points any more; the memory is kept for the next.
    pub fn clear(&mut self) {
        self.points.clear();
        self.ordered.clear();
    }

    /// Brings the points into the order that they are searched in, if there is one.
    pub fn arrange(&mut self, order: Option<&[u32]>, team: &Team) -> Result<()> {
        let Session { points, ordered, .. } = self;
        match order {
            Some(order) => ordered.set_in_order(points, order, team),
            None => {
                ordered.clear();
                Ok(())
            }
        }
    }

    /// Counts the rows of the points held into `offsets`, and keeps what it can of the first of them in `kept` bytes; returns the
    /// total.
    pub fn count_spans(&mut self, job: &Job, offsets: &mut [i64], kept: usize) -> Result<i64> {
        self.counted = Counted::default();
        let Session {
            points,
            ordered,
            grid,
            workers,
            spans,
            blocks,
            ..
        } = self;
        let workers = workers_of(workers, job.plan);
        offsets[0] = 0;
        let points = searched(points, ordered);
        let held = points.view();
        let query = query(grid, &held, points.periods(), job)?;
        let (rows, pairs) = ((job.rows.clone(), kept), CpuPairs { query });
        pairs.blocks(job.team, blocks)?;
        let source = Spanned { pairs: &pairs, blocks };
        spans.count(&source, job.team, workers, rows, &mut offsets[1..])?;
        Ok(scan(offsets, job.settings.index_base))
    }

    /// Fills some of the rows counted last by [`count_spans`](Session::count_spans).
    pub fn fill_batch(&mut self, job: &Job, batch: &Batch, ids: Rows) -> Result<()> {
        let Session {
            points,
            ordered,
            grid,
            workers,
            spans,
            blocks,
            ..
        } = self;
        let workers = workers_of(workers, job.plan);
        let points = searched(points, ordered);
        let held = points.view();
        let query = query(grid, &held, points.periods(), job)?;
        let pairs = CpuPairs { query };
        spans.fill(&Spanned { pairs: &pairs, blocks }, job.team, workers, batch, ids)
    }

    /// Gives back all that the points do not need.
    pub fn trim(&mut self) {
        self.points.trim();
        self.ordered = Points::default();
        (self.grid, self.workers, self.counted) = (Grid::default(), Vec::new(), Counted::default());
        (self.spans, self.blocks, self.skin) = (Spans::default(), Vec::new(), Skin::default());
        self.knn = knn::Index::default();
        self.by_radii = ByRadii::default();
        self.attached = Attached::default();
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.points.bytes()
            + self.ordered.bytes()
            + self.grid.bytes()
            + self.workers.iter().map(Worker::bytes).sum::<usize>()
            + self.counted.bytes()
            + self.spans.bytes()
            + self.blocks.capacity() * size_of::<Block>()
            + self.skin.bytes()
            + self.knn.bytes()
            + self.by_radii.bytes()
            + self.attached.bytes()
    }

    /// The list with the skin is made, of the points of now.
    pub fn keep_skin(&mut self, kind: NeighborsKind) -> Result<()> {
        self.skin.reference.copy_from(&self.points)?;
        self.skin.kind = Some(kind);
        Ok(())
    }

    /// Counts the rows that the list with the skin has into `offsets`; returns the total.
    pub fn count_listed(&mut self, job: &Job, offsets: &mut [i64]) -> Result<i64> {
        offsets[0] = 0;
        let mut decided = std::mem::take(&mut self.skin.decided);
        let counted = (self.listed(job)).and_then(|listed| listed.count(job.team, &mut decided, &mut offsets[1..]));
        self.skin.decided = decided;
        counted?;
        Ok(scan(offsets, job.settings.index_base))
    }

    /// Fills the rows counted last from the list with the skin and, where it is wanted, the column of left points.
    pub fn fill_listed(&self, job: &Job, delivery: Delivery, [ids, left]: [Option<Rows>; 2]) -> Result<()> {
        if let Some(ids) = ids {
            let decided = &self.skin.decided;
            self.listed(job)?.fill(job.team, decided, delivery, ids)?;
        }
        delivery.fill_left(job.team, left)
    }

    fn listed<'a>(&'a self, job: &'a Job) -> Result<Listed<'a, T>> {
        Ok(Listed {
            points: searched(&self.points, &self.ordered),
            offsets: &self.skin.offsets,
            ids: &self.skin.ids,
            bound: radius::<T>(job.settings)?.1,
            full: job.kind == NeighborsKind::Full,
            classes: job.classes,
        })
    }
}

/// The points as they are searched.
pub(super) fn searched<'a, T: Precision>(points: &'a Points<T>, ordered: &'a Points<T>) -> &'a Points<T> {
    if ordered.len() > 0 { ordered } else { points }
}

/// The cutoff in the precision of the points, and the bound on distances squared.
pub(super) fn radius<T: Precision>(settings: &Settings) -> Result<(f64, T)> {
    let cutoff = settings.cutoff()?;
    Ok((T::from_f64(cutoff).to_f64(), bound(cutoff, settings.tie_rule)?))
}

/// The fixed-radius search over a grid, of points that are at hand if there are as many as the grid has.
fn query<'a, T: Precision>(
    grid: &'a Grid,
    view: &'a PointsView<'a, T>,
    periods: &'a Periods<T>,
    job: &Job<'a>,
) -> Result<Query<'a, T>> {
    let (_, bound) = radius::<T>(job.settings)?;
    Ok(Query {
        grid,
        fixed: grid.fixed(bound, periods.slack()),
        view: Some(view).filter(|view| view.len() == grid.len()),
        periods,
        classes: job.classes,
        bound,
        full: job.kind != NeighborsKind::Half,
        isa: job.plan.isa,
    })
}

/// A worker for each thread.
fn workers_of<'a, T: Precision>(workers: &'a mut Vec<Worker<T>>, plan: &Plan) -> &'a mut [Worker<T>] {
    if workers.len() < plan.threads {
        workers.resize_with(plan.threads, Worker::default);
    }
    &mut workers[..plan.threads]
}
