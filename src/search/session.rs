//! Points, indexes and scratch in the precision of the points set last.

use super::NeighborsKind;
use super::fof::Attached;
use super::inputs::Inputs;
use super::knn;
use super::made_from::{CellsOf, IndexOf, OrderOf, SkinListOf};
use super::skin::SkinList;
use super::verlet::RowsOfCaller;
use crate::cpu::by_radii;
use crate::cpu::pairs::{Counted, Searched};
use crate::cpu::window::RowWindow;
use crate::cpu::worker::Worker;
use crate::domain::{TieRule, bound};
use crate::error::Result;
use crate::gpu::Rule;
use crate::grid::{Block, Grid};
use crate::kinds::Classes;
use crate::list::{Holds, boxed, holds};
use crate::plan::Plan;
pub use crate::points::Precision;
use crate::points::{Choice, Points, Real, Stamp};
use crate::radii::Radii;
use crate::threads::Team;
use crate::version::{Derived, Version};
use crate::ztree::ZTree;

/// Points, indexes and scratch of one precision.
#[derive(Debug, Default)]
pub struct Session<T> {
    pub points: Points<T>,
    /// The points in the order in which they are searched, where they do not stand in it.
    pub ordered: Derived<(Stamp, OrderOf), Points<T>>,
    /// The index for a cutoff, and the one for a radius per point.
    pub grid: Derived<IndexOf, Grid>,
    /// The classes of the points in each cell of the grid, a bit each.
    pub cells: Derived<CellsOf, Vec<u128>>,
    pub tree: Derived<IndexOf, ZTree<T>>,
    /// What the last count leaves for the fill, and scratch.
    pub kept: Kept<T>,
    pub skin: Derived<SkinListOf, SkinList<T>>,
    /// The list with the skin as it is delivered, where points are not searched as they are numbered; for a version of the list.
    pub verlet: Derived<Option<Version>, RowsOfCaller>,
    pub knn: knn::Index<T>,
    pub attached: Attached<T>,
}

holds! { Session<T> { points, ordered, grid, cells, tree, kept, skin, verlet, knn, attached } }

/// What the last count on the CPU leaves for the fill, and scratch of the threads.
#[derive(Debug, Default)]
pub struct Kept<T> {
    pub workers: Vec<Worker<Searched<T>>>,
    pub counted: Counted,
    /// By radii.
    pub by_radii_workers: Vec<by_radii::Worker>,
    pub by_radii: by_radii::Counted,
    /// While a result is delivered in chunks: rows, and the blocks in which they are searched.
    pub spans: RowWindow,
    pub blocks: Vec<Block>,
}

holds! { Kept<T> { workers, counted, by_radii_workers, by_radii, spans, blocks } }

/// What a step of a search is asked for.
pub struct Job<'a> {
    pub plan: &'a Plan,
    pub team: &'a Team,
    pub kind: NeighborsKind,
    pub classes: Option<Classes<'a>>,
    /// Of what classes depend on beside the index.
    pub kinds: Version,
    pub radii: &'a Radii,
    /// Points and queries.
    pub counts: [usize; 2],
    /// Not used where there are radii.
    pub cutoff: f64,
    pub tie_rule: TieRule,
    /// Of offsets.
    pub base: i64,
    pub memory_limit: Option<u64>,
    /// The rows are for a list in memory of the handle.
    pub is_listed: bool,
    /// The handle holds the points; otherwise they are the caller's.
    pub has_points: bool,
}

impl Job<'_> {
    /// Both sides of each pair are wanted.
    pub fn is_full(&self) -> bool {
        self.kind != NeighborsKind::Half
    }

    /// All rows that there are of this kind.
    pub fn rows(&self) -> std::ops::Range<usize> {
        let [points, queries] = self.counts;
        match self.kind {
            NeighborsKind::Queries => points..points + queries,
            _ => 0..points,
        }
    }

    /// Which rows a GPU is to count, and whether it may fill them right away.
    pub fn rows_wanted(&self, eager: bool) -> Rule<'_> {
        Rule {
            full: self.is_full(),
            classes: self.classes.as_ref(),
            base: self.base,
            eager,
        }
    }

    /// The bound on distances squared, in the precision of the points.
    pub fn bound<T: Real>(&self) -> Result<T> {
        bound(self.cutoff, self.tie_rule)
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

/// Evaluates an expression with the session that there is, in its precision; `$none` where there are no points.
macro_rules! in_precision {
    ($sessions:expr, $session:ident => $body:expr, none => $none:expr) => {
        match $sessions {
            $crate::search::session::Sessions::F32($session) => $body,
            $crate::search::session::Sessions::F64($session) => $body,
            $crate::search::session::Sessions::None => $none,
        }
    };
}
pub(super) use in_precision;

/// A precision that has a session.
pub trait InSessions: Precision {
    /// The session of this precision, made where the handle has none of it.
    fn session(sessions: &mut Sessions) -> Result<&mut Session<Self>> {
        Self::choose(Made(sessions))
    }

    /// The session, if the points are of this precision.
    fn session_held(sessions: &Sessions) -> Option<&Session<Self>> {
        Self::choose(Held(sessions))
    }
}

impl<T: Precision> InSessions for T {}

/// The session of a precision, made where there is none.
struct Made<'a>(&'a mut Sessions);

/// The session that there is.
struct Held<'a>(&'a Sessions);

macro_rules! choices {
    ($($choice:ident: $variant:ident $type:ident),*) => {
        impl<'a> Choice for Made<'a> {
            type Of<T: Precision> = Result<&'a mut Session<T>>;
            $(fn $choice(self) -> Result<&'a mut Session<$type>> {
                if !matches!(self.0, Sessions::$variant(_)) {
                    *self.0 = Sessions::$variant(boxed(Session::default(), "a handle")?);
                }
                match self.0 {
                    Sessions::$variant(session) => Ok(session),
                    _ => unreachable!("set just above"),
                }
            })*
        }
        impl<'a> Choice for Held<'a> {
            type Of<T: Precision> = Option<&'a Session<T>>;
            $(fn $choice(self) -> Option<&'a Session<$type>> {
                match self.0 {
                    Sessions::$variant(session) => Some(session),
                    _ => None,
                }
            })*
        }
    };
}
choices!(single: F32 f32, double: F64 f64);

impl Sessions {
    /// The versions of the points; those of no points where there are none.
    pub fn stamp(&self) -> Stamp {
        in_precision!(self, session => session.points.stamp(), none => Stamp::default())
    }

    /// Whether there are no points.
    pub fn is_none(&self) -> bool {
        matches!(self, Sessions::None)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        in_precision!(self, session => session.bytes(), none => 0)
    }
}

impl<T: Precision> Session<T> {
    /// Gives back all that the points do not need.
    pub fn trim(&mut self) {
        self.points.trim();
        let points = std::mem::take(&mut self.points);
        *self = Session {
            points,
            ..Session::default()
        };
    }
}

/// The first `threads` workers; missing ones are made.
pub fn workers_of<W: Default>(workers: &mut Vec<W>, threads: usize) -> Result<&mut [W]> {
    while workers.len() < threads {
        crate::list::push(workers, W::default(), "the threads' scratch")?;
    }
    Ok(&mut workers[..threads])
}

/// The cutoff in the precision of the points, and the bound on distances squared.
pub fn radius<T: Real>(inputs: &Inputs) -> Result<(f64, T)> {
    let cutoff = inputs.settings.cutoff()?;
    Ok((T::from_f64(cutoff).to_f64(), bound(cutoff, inputs.settings.tie_rule)?))
}
