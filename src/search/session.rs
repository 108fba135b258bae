//! Points, index and scratch in the precision of the points set last.

use super::{NeighborsKind, Search};
use crate::cpu::pairs::{Pairs as CpuPairs, Worker};
use crate::domain::bound;
use crate::error::Result;
use crate::grid::Grid;
use crate::list::Rows;
use crate::plan::{Plan, Settings};
use crate::points::{Points, PointsView, Real};
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

/// A precision that a handle can hold points of; sealed by [`Real`].
pub trait Held: Sized {
    /// The session of this precision, made anew if the handle has another one.
    #[doc(hidden)]
    fn session(search: &mut Search) -> &mut Session<Self>;
}

macro_rules! held {
    ($type:ident, $variant:ident) => {
        impl Held for $type {
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
held!(f32, F32);
held!(f64, F64);

impl<T: Real> Session<T> {
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
        let (pairs, workers, counters) = self.pairs(plan, settings, kind)?;
        pairs.count(team, workers, counters, lengths)
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
        let (pairs, workers, _) = self.pairs(plan, settings, kind)?;
        pairs.fill(team, workers, offsets, settings.index_base, &rows)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.points.bytes()
            + self.grid.bytes()
            + self.workers.iter().map(Worker::bytes).sum::<usize>()
            + self.counters.capacity() * 4
    }

    /// The fixed-radius search over this session's grid, and the workers that do it.
    fn pairs(
        &mut self,
        plan: &Plan,
        settings: &Settings,
        kind: NeighborsKind,
    ) -> Result<(CpuPairs<'_, T>, &mut [Worker<T>], &mut Vec<u32>)> {
        if self.workers.len() < plan.threads {
            self.workers.resize_with(plan.threads, Worker::default);
        }
        let pairs = CpuPairs {
            grid: &self.grid,
            cutoff: T::from_f64(settings.cutoff()?).to_f64(),
            bound: bound::<T>(settings.cutoff()?, settings.tie_rule)?,
            full: kind == NeighborsKind::Full,
            isa: plan.isa,
        };
        Ok((pairs, &mut self.workers[..plan.threads], &mut self.counters))
    }
}
