//! Points, index and scratch in the precision of the points set last.

use super::{NeighborsKind, Search};
use crate::cpu::pairs::{Pairs as CpuPairs, Worker};
use crate::cpu::query::Query;
use crate::cpu::simd::Width;
use crate::domain::bound;
use crate::error::Result;
use crate::grid::Grid;
use crate::list::Rows;
use crate::plan::{Plan, Settings};
use crate::points::{Points, PointsView};
use crate::threads::Team;

/// Points, index and scratch of one precision.
#[derive(Debug, Default)]
pub struct Session<T> {
    pub points: Points<T>,
    pub grid: Grid<T>,
    pub workers: Vec<Worker<T>>,
    /// A number for each point, of the count under way.
    pub counters: Vec<u32>,
}

/// The session of the precision of the points set last.
#[derive(Debug)]
pub enum Sessions {
    None,
    F32(Box<Session<f32>>),
    F64(Box<Session<f64>>),
}

/// The precision of points: `f32` or `f64`. Sealed.
pub trait Precision: Width {
    /// The session of this precision, made anew if the handle has another one.
    #[doc(hidden)]
    fn session(search: &mut Search) -> &mut Session<Self>;
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
        }
    };
}
precision!(f32, F32);
precision!(f64, F64);

impl<T: Precision> Session<T> {
    /// Builds the index of `view`, or of the points held.
    pub fn build(&mut self, view: Option<&PointsView<T>>, settings: &Settings, team: &Team) -> Result<()> {
        let cutoff = settings.cutoff()?;
        bound::<T>(cutoff, settings.tie_rule)?;
        let rounded = T::from_f64(cutoff).to_f64();
        let Session { points, grid, .. } = self;
        grid.build(view.unwrap_or(&points.view()), rounded, team)
    }

    pub fn count(
        &mut self,
        plan: &Plan,
        settings: &Settings,
        kind: NeighborsKind,
        team: &Team,
        lengths: &mut [i64],
    ) -> Result<()> {
        let Session {
            grid,
            workers,
            counters,
            ..
        } = self;
        let workers = workers_of(workers, plan);
        pairs(grid, plan, settings, kind)?.count(team, workers, counters, lengths)
    }

    pub fn fill(
        &mut self,
        plan: &Plan,
        settings: &Settings,
        kind: NeighborsKind,
        team: &Team,
        offsets: &[i64],
        rows: Rows,
    ) -> Result<()> {
        let Session { grid, workers, .. } = self;
        let workers = workers_of(workers, plan);
        pairs(grid, plan, settings, kind)?.fill(team, workers, offsets, settings.index_base, &rows)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.points.bytes()
            + self.grid.bytes()
            + self.workers.iter().map(Worker::bytes).sum::<usize>()
            + self.counters.capacity() * 4
    }
}

/// The fixed-radius search over a grid.
fn pairs<'a, T: Precision>(
    grid: &'a Grid<T>,
    plan: &Plan,
    settings: &Settings,
    kind: NeighborsKind,
) -> Result<CpuPairs<'a, T>> {
    let cutoff = settings.cutoff()?;
    let query = Query {
        grid,
        cutoff: T::from_f64(cutoff).to_f64(),
        bound: bound::<T>(cutoff, settings.tie_rule)?,
        full: kind == NeighborsKind::Full,
        isa: plan.isa,
    };
    Ok(CpuPairs { query })
}

/// A worker for each thread.
fn workers_of<'a, T: Precision>(workers: &'a mut Vec<Worker<T>>, plan: &Plan) -> &'a mut [Worker<T>] {
    if workers.len() < plan.threads {
        workers.resize_with(plan.threads, Worker::default);
    }
    &mut workers[..plan.threads]
}
