//! All inputs of a handle except the coordinates.

use std::ops::Range;

use super::NeighborsKind;
use super::session::Sessions;
use crate::domain::bound;
use crate::error::{Error, Result, Status};
use crate::ids::GlobalIds;
use crate::kinds::{Kinds, RowsOf};
use crate::memory::holds;
use crate::plan::{Backend, Settings};
use crate::points::Real;
use crate::radii::{Radii, RadiusRule};
use crate::threads::Team;

/// Settings, and what was set for each point beside its coordinates.
#[derive(Debug)]
pub(super) struct Inputs {
    pub settings: Settings,
    pub kinds: Kinds,
    pub ids: GlobalIds,
    pub radii: Radii,
    /// Points.
    pub len: usize,
    /// Queries, which stand behind the points; `None` where none were set since the points changed.
    pub queries: Option<usize>,
    /// The points were the caller's during [`count_pairs_of`](super::Search::count_pairs_of): the handle cannot index them again.
    pub borrowed: bool,
    /// Whether a call comes from inside a parallel region of the caller.
    pub in_parallel: fn() -> bool,
}

holds! { Inputs { kinds, ids, radii; settings, len, queries, borrowed, in_parallel } }

impl Inputs {
    pub fn new(settings: Settings) -> Inputs {
        Inputs {
            settings,
            kinds: Kinds::default(),
            ids: GlobalIds::default(),
            radii: Radii::default(),
            len: 0,
            queries: None,
            borrowed: false,
            in_parallel: || false,
        }
    }

    /// Points and queries.
    pub fn counts(&self) -> [usize; 2] {
        [self.len, self.queries.unwrap_or(0)]
    }

    /// Points and queries together.
    pub fn everyone(&self) -> usize {
        self.counts().iter().sum()
    }

    /// The number of queries, which may be 0; refused where none were set.
    pub fn queries_set(&self) -> Result<usize> {
        self.queries.ok_or(Error::NO_QUERIES)
    }

    /// The rows of a kind.
    pub fn rows_of(&self, kind: NeighborsKind) -> Range<usize> {
        match kind {
            NeighborsKind::Queries => self.len..self.everyone(),
            _ => 0..self.len,
        }
    }

    /// The threads for work on `items`, by the rules of a query on as many points.
    pub fn team_for(&self, items: usize) -> Result<Team> {
        Team::new(self.settings.threads(items, self.in_parallel).0)
    }

    /// Whether queries for `kind` are answered from a list with a skin.
    pub fn has_skin(&self, kind: NeighborsKind) -> bool {
        self.settings.skin > 0.0 && !self.radii.are_set() && !self.borrowed && kind != NeighborsKind::Queries
    }

    /// Whether rows of a kind are found by radii.
    pub fn is_by_radii(&self, kind: NeighborsKind) -> bool {
        self.radii.are_for(kind == NeighborsKind::Queries)
    }

    /// The rule of rows of a kind that are found by radii.
    pub fn radius_rule(&self, kind: NeighborsKind) -> Option<RadiusRule> {
        let rule = self.radii.rule(kind == NeighborsKind::Queries);
        self.is_by_radii(kind).then_some(rule)
    }

    /// The cutoff of rows of a kind, which radii make unnecessary.
    pub fn cutoff(&self, kind: NeighborsKind) -> Result<f64> {
        match self.is_by_radii(kind) {
            true => Ok(0.0),
            false => self.settings.cutoff(),
        }
    }

    /// Whether a GPU cannot search by the radii: it finds rows where they are counted, not where ids would have them.
    pub fn radii_are_for_cpu(&self, kind: NeighborsKind) -> bool {
        self.is_by_radii(kind) && !self.ids.ascend()
    }

    /// Whether a periodic axis has so many cutoffs that a GPU would search in larger cells. By radii there is no cutoff.
    pub fn box_is_for_cpu(&self) -> bool {
        const MOST: f64 = (1 << 22) as f64;
        let cutoff = self.settings.cutoff.unwrap_or(f64::INFINITY);
        !self.radii.are_set() && self.settings.domain.longest_period() / MOST > cutoff
    }

    /// Refuses a query for rows that cannot be answered, as far as can be said before a search.
    pub fn check_rows<T: Real>(&self, kind: NeighborsKind) -> Result<()> {
        if kind == NeighborsKind::Queries {
            self.queries_set()?;
        }
        self.ids.check(self.len)?;
        self.kinds.check(self.len)?;
        match self.is_by_radii(kind) {
            true => self.check_radii(kind),
            false => bound::<T>(self.settings.cutoff()?, self.settings.tie_rule).map(|_| ()),
        }
    }

    fn check_radii(&self, kind: NeighborsKind) -> Result<()> {
        if self.radii_are_for_cpu(kind) && self.settings.asked_backend() == Backend::Gpu {
            return Err(Error::NotSupported {
                what: "backend gpu with radii and global ids that do not ascend",
            });
        }
        if kind != NeighborsKind::Half || self.radii.rule(false).is_symmetric() {
            return Ok(());
        }
        let rule = self.radii.rule(false).name();
        let allowed = "max, min or mean for pairs and half rows";
        Err(Error::not_allowed(Status::BadValue, "radius rule", rule, allowed))
    }

    /// Refuses what would take more than the memory limit.
    pub fn check_limit(&self, what: &'static str, need: u64) -> Result<()> {
        match self.settings.memory_limit {
            Some(limit) if need > limit => Err(Error::MemoryLimit { what, need, limit }),
            _ => Ok(()),
        }
    }

    /// Refuses a handle that holds no points of its own.
    pub fn check_held(&self, sessions: &Sessions) -> Result<()> {
        match sessions.is_none() || self.borrowed {
            true => Err(Error::NO_POINTS),
            false => Ok(()),
        }
    }
}

/// The rows of a kind, as classes are computed for them.
pub(super) fn classes_of(kind: NeighborsKind) -> RowsOf {
    match kind {
        NeighborsKind::Half => RowsOf::Half,
        NeighborsKind::Full => RowsOf::Full,
        NeighborsKind::Queries => RowsOf::Queries,
    }
}
