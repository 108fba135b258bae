//! The part of a handle that its ranks make: the communicator, the plan, and what ghosts have of the points that they are.
//!
//! in: a call that all ranks make, and the search of this rank; out: the same search with ghosts, or the same failure on all ranks. A call
//! first agrees on its arguments and on what all ranks must have alike ([`Ranks::together`]). Then what is missing is made
//! (`prepare`), and the rest is the search of one rank.

mod contacts;
mod ghosts;
mod groups;
mod migration;
mod nearest;
mod prepare;
mod run;
mod update;

#[cfg(test)]
mod tests;

use std::cell::Cell;

use super::agree::{self, Fact, Shared};
use super::comm::Comm;
use super::plan::{Plan, Workshop};
use crate::error::{Error, Result, Words, words};
use crate::exclusions::ExcludedIds;
use crate::points::Values;
use crate::search::{NeighborsKind, Search};
use crate::version::{Derived, Version};

/// The ranks of a handle.
pub struct Ranks {
    comm: Comm,
    /// The ids that the caller gave the points of this rank; `None`: points are numbered rank by rank.
    given: Option<Vec<i64>>,
    given_version: Version,
    /// The global ids of the points of this rank.
    numbered: Derived<NumberedOf, Vec<i64>>,
    /// The search has these ids.
    named: Derived<(Option<Version>, Version), ()>,
    plan: Derived<PlanOf, Plan>,
    /// The skin within which points have moved with their ghosts since this plan was made.
    moved: Derived<Option<Version>, f64>,
    workshop: Workshop,
    /// Of ghosts: the ids, and the ranks that own them.
    ghost_ids: Vec<i64>,
    ghost_ranks: Vec<i32>,
    /// Their coordinates, as they were delivered last.
    positions: Values,
    /// The excluded pairs of this rank's points.
    excluded: ExcludedIds,
    /// Pair fields have the rows of points numbered so.
    paired: Derived<Option<Version>, ()>,
    /// The types, roles, radii and excluded pairs of ghosts.
    of_ghosts: Derived<OfGhosts, ()>,
    plans: i64,
    nearest: nearest::State,
    groups: groups::State,
    migration: migration::State,
}

/// The inputs of global ids.
#[derive(Clone, Copy, Debug, PartialEq)]
struct NumberedOf {
    points: usize,
    given: Version,
    base: i64,
}

/// The inputs of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PlanOf {
    /// With the ghosts that it brought. They move with it.
    lineage: Version,
    numbered: Option<Version>,
    reach: f64,
    cell: Option<crate::cell::Cell>,
}

/// The inputs of the types, roles, radii and excluded pairs of ghosts, once they are there.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OfGhosts {
    plan: Option<Version>,
    kinds_and_radii: [Version; 2],
    excluded: Version,
}

/// The ghosts that a call needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Need {
    /// None.
    Nothing,
    /// None, but global ids of this rank's points.
    Ids,
    /// Those within reach of rows of a kind, which are taken out of a list with a skin where one is set.
    Rows(NeighborsKind),
    /// The same for rows that are taken out of no list.
    Direct(NeighborsKind),
    /// Those of a list with a skin that is delivered as it is.
    Verlet(NeighborsKind),
    /// Those within a distance of rows of a kind.
    Within(NeighborsKind, f64),
    /// Those that may link with points into groups, by the one cutoff.
    Links,
}

impl Need {
    /// Whether rows of the cutoff are all that it is for. A cell has no others.
    fn is_by_rows(self) -> bool {
        !matches!(self, Need::Ids | Need::Within(..))
    }

    /// The kind of rows that it is for, by whatever distance.
    fn rows(self) -> Option<NeighborsKind> {
        match self {
            Need::Within(kind, _) => Some(kind),
            Need::Links => None,
            _ => self.kind(),
        }
    }

    /// The kind of rows, by the cutoff or by radii, that it is for.
    fn kind(self) -> Option<NeighborsKind> {
        match self {
            Need::Rows(kind) | Need::Direct(kind) | Need::Verlet(kind) => Some(kind),
            Need::Links => Some(NeighborsKind::Full),
            _ => None,
        }
    }

    /// The distance within which points of other ranks may be in rows now, if ghosts are needed.
    fn distance(self, search: &Search) -> Option<Result<f64>> {
        match self {
            Need::Nothing | Need::Ids => None,
            Need::Rows(kind) | Need::Direct(kind) | Need::Verlet(kind) => Some(search.distance_of(kind)),
            Need::Within(_, distance) => Some(Ok(distance)),
            Need::Links => Some(search.linking_distance()),
        }
    }

    /// The same for a plan that lasts while points move within the skin.
    fn reach(self, search: &Search) -> Option<Result<f64>> {
        let skin = match self {
            Need::Rows(kind) | Need::Direct(kind) | Need::Verlet(kind) => search.skin_of(kind),
            Need::Links if search.has_a_skin() => search.skin_of(NeighborsKind::Full),
            _ => 0.0,
        };
        let distance = self.distance(search)?;
        Some(distance.map(|distance| search.rounded(distance + skin)))
    }
}

/// The agreements of a call. After the first failure there are no more: all ranks know of it.
pub struct Meeting<'a> {
    comm: Option<&'a Comm>,
    is_over: Cell<bool>,
}

impl<'a> Meeting<'a> {
    /// That of a handle without ranks.
    pub fn alone() -> Meeting<'a> {
        Meeting {
            comm: None,
            is_over: Cell::new(false),
        }
    }

    fn of(comm: &'a Comm) -> Meeting<'a> {
        Meeting {
            comm: Some(comm),
            ..Meeting::alone()
        }
    }

    /// The result, if no rank failed; otherwise the failure of the lowest rank that did.
    pub fn agree<R>(&self, local: Result<R>) -> Result<R> {
        match self.comm.filter(|_| !self.is_over.get()) {
            Some(comm) => agree::agree(comm, local).inspect_err(|_| self.is_over.set(true)),
            None => local,
        }
    }

    /// The same, but it also fails if `facts` differ between ranks.
    pub fn agree_on<R>(&self, facts: &[Fact], local: Result<R>) -> Result<R> {
        match self.comm.filter(|_| !self.is_over.get()) {
            Some(comm) => agree::meet(comm, local, [facts, &[]], None, &mut []).inspect_err(|_| self.is_over.set(true)),
            None => local,
        }
    }

    /// The result of what all ranks do together, so that a failure is that of all.
    fn by<R>(&self, work: impl FnOnce(&Comm) -> Result<R>) -> Result<R> {
        match self.comm {
            Some(comm) => work(comm).inspect_err(|_| self.is_over.set(true)),
            None => Err(Error::Internal {
                text: "a step of ranks without ranks".into(),
            }),
        }
    }
}

impl Ranks {
    /// Those of a communicator.
    pub fn new(comm: Comm) -> Ranks {
        Ranks {
            comm,
            given: None,
            given_version: Version::new(),
            numbered: Derived::default(),
            named: Derived::default(),
            plan: Derived::default(),
            moved: Derived::default(),
            workshop: Workshop::default(),
            ghost_ids: Vec::new(),
            ghost_ranks: Vec::new(),
            positions: Values::None,
            excluded: ExcludedIds::default(),
            paired: Derived::default(),
            of_ghosts: Derived::default(),
            plans: 0,
            nearest: nearest::State::default(),
            groups: groups::State::default(),
            migration: migration::State::default(),
        }
    }

    /// The communicator.
    pub fn comm(&self) -> &Comm {
        &self.comm
    }

    /// The times that a plan was made.
    pub fn plans(&self) -> i64 {
        self.plans
    }

    /// Sets the global ids of this rank's points; none at all: they are numbered rank by rank.
    pub fn set_ids(&mut self, ids: &[i64]) -> Result<()> {
        let mut given = None;
        if !ids.is_empty() {
            let mut copy = Vec::new();
            crate::memory::reserve_discarding(&mut copy, ids.len(), "the global ids")?;
            copy.extend_from_slice(ids);
            given = Some(copy);
        }
        (self.given, self.given_version) = (given, Version::new());
        Ok(())
    }

    /// Sets pairs of points that are not neighbors, by global ids.
    pub fn set_exclusions(&mut self, excluded: ExcludedIds) {
        self.excluded = excluded;
    }

    /// A call that all ranks make: all agree on it, `search` gets the ghosts that it needs, and `work` is done by each rank.
    pub fn together<A>(
        &mut self,
        search: &mut Search,
        call: &'static str,
        asked: Result<(Need, A)>,
        work: impl FnOnce(&mut Search, A, &Meeting) -> Result<()>,
    ) -> Result<()> {
        let asked = self.meet(search, call, &[], asked)?;
        let meeting = Meeting::of(&self.comm);
        let done = work(search, asked, &meeting);
        meeting.agree(done)
    }

    /// A call that sets what ranks need not have alike.
    pub fn each<A>(
        &mut self,
        search: &mut Search,
        call: &'static str,
        asked: Result<A>,
        work: impl FnOnce(&mut Search, A) -> Result<()>,
    ) -> Result<()> {
        let asked = agree::meet(&self.comm, asked, [&[(call, Words::Borrowed(""))], &[]], None, &mut [])?;
        let before = search.lineage();
        let done = work(search, asked);
        if search.lineage() != before {
            search.forget_ghosts();
        }
        agree::agree(&self.comm, done)
    }

    /// Takes part in the call that the other ranks make by a failure.
    pub fn refuse(&self, failure: Error) -> Result<()> {
        agree::meet(&self.comm, Err(failure), [&[], &[]], None, &mut [])
    }

    /// Agrees on a call, on its arguments, and on what ranks must have alike; then the search has the ghosts that it needs.
    fn meet<A>(
        &mut self,
        search: &mut Search,
        call: &'static str,
        more: &[Fact],
        asked: Result<(Need, A)>,
    ) -> Result<A> {
        let need = asked.as_ref().map_or(Need::Nothing, |(need, _)| *need);
        let facts = [(call, Words::Borrowed("")), ("kind", words(format_args!("{need:?}")))];
        let facts = [&facts[..], more];
        let (shared, local) = match (search.shared(need.kind()), asked) {
            (Ok(shared), Ok((_, asked))) => (
                shared,
                (search.check_across(need.is_by_rows(), need.rows(), &self.excluded)).map(|()| asked),
            ),
            (Ok(shared), Err(error)) => (shared, Err(error)),
            (Err(error), _) => (Shared::default(), Err(error)),
        };
        let mut made = self.made(search, need);
        let asked = agree::meet(&self.comm, local, facts, Some(&shared), &mut made)?;
        self.prepare(search, need, made)?;
        Ok(asked)
    }
}
