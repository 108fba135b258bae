//! All inputs of a handle except the coordinates.

use std::ops::Range;

use super::neighbors::{Layout, NeighborsKind, Sought};
use crate::cell::Cell;
use crate::domain::{Periods, bound};
use crate::error::{Error, Result, Status};
use crate::exclusions::Exclusions;
use crate::ids::{GlobalIds, Order};
use crate::kinds::{Kinds, TypeTable};
use crate::memory::holds;
use crate::plan::{Backend, Settings};
use crate::points::{PointsView, Precision, Real};
use crate::radii::{Radii, RadiusRule};
use crate::threads::Team;
use crate::version::Version;

/// The most excluded pairs of a point whose rows a GPU finds: a lane looks for them one after the other (shaders/README.md).
const MOST_EXCLUDED: usize = 256;

/// A query, as far as its plan depends on what it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Rows of neighbors.
    Rows(Sought),
    /// Sums over rows of neighbors. Where a GPU does not evaluate them: why.
    Sums(Sought, Option<&'static str>),
    /// Runs of a formula, whose values stay where they are made.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))] // there is no device
    Run(Sought),
    /// The k nearest.
    Nearest,
    /// Groups.
    Groups,
}

/// Settings, and what was set for each point beside its coordinates.
#[derive(Debug)]
pub(super) struct Inputs {
    pub settings: Settings,
    pub kinds: Kinds,
    pub ids: GlobalIds,
    pub radii: Radii,
    pub exclusions: Exclusions,
    /// The cell, of which only images are rows.
    pub cell: Option<Cell>,
    /// The axes of points.
    pub dim: usize,
    /// Points, ghosts of other ranks among them.
    pub len: usize,
    /// Ghosts of other ranks, which are the last points. They have no rows.
    pub ghosts: usize,
    /// Queries, which are after the points; `None` where none were set since the points changed.
    pub queries: Option<usize>,
    /// Whether a call comes from inside a parallel region of the caller.
    pub in_parallel: fn() -> bool,
}

holds! { Inputs { kinds, ids, radii, exclusions; settings, cell, dim, len, ghosts, queries, in_parallel } }

impl Inputs {
    pub fn new(settings: Settings) -> Inputs {
        Inputs {
            settings,
            kinds: Kinds::default(),
            ids: GlobalIds::default(),
            radii: Radii::default(),
            exclusions: Exclusions::default(),
            cell: None,
            dim: 0,
            len: 0,
            ghosts: 0,
            queries: None,
            in_parallel: || false,
        }
    }

    /// Points and queries.
    pub fn counts(&self) -> [usize; 2] {
        [self.len, self.queries.unwrap_or(0)]
    }

    /// Points without the ghosts of other ranks, and queries.
    pub fn own_counts(&self) -> [usize; 2] {
        [self.owned(), self.queries.unwrap_or(0)]
    }

    /// Points and queries together.
    pub fn everyone(&self) -> usize {
        self.counts().iter().sum()
    }

    /// The number of queries, which may be 0; refused where none were set.
    pub fn queries_set(&self) -> Result<usize> {
        self.queries.ok_or(Error::NO_QUERIES)
    }

    /// Points without the ghosts of other ranks.
    pub fn owned(&self) -> usize {
        self.len - self.ghosts
    }

    /// There are this many points now, without ghosts of other ranks and without queries.
    pub fn set_len(&mut self, len: usize) {
        if self.ghosts > 0 || len != self.len {
            self.kinds.set_foreign(None);
        }
        (self.len, self.ghosts, self.queries) = (len, 0, None);
    }

    /// The rows of a kind.
    pub fn rows_of(&self, kind: NeighborsKind) -> Range<usize> {
        match kind {
            NeighborsKind::Queries => self.searched_rows(kind),
            _ => 0..self.owned(),
        }
    }

    /// The rows of a kind by the numbers of a search: among them are those of ghosts of other ranks, which list nothing.
    pub fn searched_rows(&self, kind: NeighborsKind) -> Range<usize> {
        match kind {
            NeighborsKind::Queries => self.len..self.everyone(),
            _ => 0..self.len,
        }
    }

    /// The threads for work on `items`, by the rules of a query on as many points.
    pub fn team_for(&self, items: usize) -> Result<Team> {
        Team::new(self.settings.threads(items, self.in_parallel).0)
    }

    /// Whether queries for `kind` are answered from a list with a skin, where the handle holds the points.
    pub fn has_skin(&self, kind: NeighborsKind) -> bool {
        self.settings.skin > 0.0 && !kind.is_of_queries()
    }

    /// Whether rows of a kind are found by radii.
    pub fn is_by_radii(&self, kind: NeighborsKind) -> bool {
        self.radii.are_for(kind.is_of_queries())
    }

    /// The rule of rows of a kind that are found by radii.
    pub fn radius_rule(&self, kind: NeighborsKind) -> Option<RadiusRule> {
        let rule = self.radii.rule(kind.is_of_queries());
        self.is_by_radii(kind).then_some(rule)
    }

    /// Whether there are pairs that rows do not list.
    pub fn excludes(&self, sought: Sought) -> bool {
        self.exclusions.are_set() && !sought.kind.is_of_queries() && !sought.excluded_too
    }

    /// The version of the pairs that rows do not list, where there are such.
    pub fn excluded(&self, sought: Sought) -> Option<Version> {
        self.excludes(sought).then(|| self.exclusions.version())
    }

    /// The cutoffs by types of rows of a kind, where there are such. Queries have no type.
    pub fn type_cutoffs(&self, kind: NeighborsKind) -> Option<&TypeTable> {
        self.kinds.cutoffs().filter(|_| !kind.is_of_queries())
    }

    /// Whether the CPU finds rows of a kind by the cutoff of each two types, as it does by radii, and not by the largest one.
    pub fn has_uneven_cutoffs(&self, kind: NeighborsKind, skin: f64) -> bool {
        !self.is_by_radii(kind) && self.type_cutoffs(kind).is_some() && self.kinds.are_uneven(self.dim, skin)
    }

    /// Whether all pairs of rows of a kind have the same cutoff.
    pub fn has_one_cutoff(&self, kind: NeighborsKind) -> bool {
        !self.is_by_radii(kind) && self.type_cutoffs(kind).is_none()
    }

    /// The cutoff of rows of a kind. With cutoffs by types it is the largest one of types that two points have. With radii it is 0.
    pub fn cutoff(&self, kind: NeighborsKind) -> Result<f64> {
        match self.type_cutoffs(kind) {
            _ if self.is_by_radii(kind) => Ok(0.0),
            Some(table) => Ok(self
                .kinds
                .largest_cutoff(self.cell.is_some())
                .unwrap_or(table.largest())),
            None => self.settings.cutoff(),
        }
    }

    /// The largest cutoff of two of `points` points.
    pub fn largest_cutoff<T: Precision>(&self, points: usize) -> Result<f64> {
        match self.radii.are_set() {
            true => {
                let reach = self.radii.reach::<T>([points, 0], false, self.settings.tie_rule)?;
                Ok(reach.largest().to_f64())
            }
            false => self.cutoff(NeighborsKind::Half),
        }
    }

    /// Why no GPU answers a query where the backend is chosen automatically, and what is refused where one is asked for.
    pub fn cpu_only(&self, asked: Asked) -> Option<(&'static str, Option<&'static str>)> {
        match asked {
            Asked::Sums(_, Some(why)) => Some((why, None)),
            Asked::Rows(sought) | Asked::Sums(sought, _) | Asked::Run(sought)
                if self.is_by_radii(sought.kind) && self.excludes(sought) =>
            {
                Some((
                    "auto: radii with exclusions are searched on the CPU",
                    Some("backend gpu with radii and exclusions"),
                ))
            }
            Asked::Rows(sought) | Asked::Sums(sought, _) | Asked::Run(sought)
                if self.excludes(sought) && self.exclusions.longest() > MOST_EXCLUDED =>
            {
                Some((
                    "auto: points with more than 256 excluded pairs are searched on the CPU",
                    Some("backend gpu for a point with more than 256 excluded pairs"),
                ))
            }
            // A GPU finds rows where they are counted, not where ids would have them.
            Asked::Rows(sought) | Asked::Sums(sought, _) | Asked::Run(sought)
                if self.is_by_radii(sought.kind) && !self.ids.ascend() =>
            {
                Some((
                    "auto: radii of points with global ids that do not ascend are searched on the CPU",
                    Some("backend gpu with radii and global ids that do not ascend"),
                ))
            }
            Asked::Rows(sought) | Asked::Sums(sought, _) | Asked::Run(sought)
                if self.is_by_radii(sought.kind)
                    && sought.kind == NeighborsKind::Half
                    && self.kinds.roles().are_mixed() =>
            {
                Some((
                    "auto: half rows by radii with ghosts among other points are searched on the CPU",
                    Some("backend gpu for half rows by radii with ghosts among other points (set_roles)"),
                ))
            }
            Asked::Nearest if !self.ids.ascend() => Some((
                "auto: k nearest neighbors with global ids that do not ascend are searched on the CPU",
                Some("backend gpu for k nearest neighbors with global ids that do not ascend"),
            )),
            Asked::Groups if !matches!(self.kinds.primary_of(self.len), Ok(None)) => Some((
                "auto: groups with primary types are searched on the CPU",
                Some("backend gpu for groups with primary types"),
            )),
            Asked::Rows(sought) | Asked::Sums(sought, _) | Asked::Run(sought) if self.has_large_box(sought.kind) => {
                Some((
                    "auto: a periodic axis has more than 4 million cutoffs, so that cells on a GPU would be larger than the cutoff",
                    None,
                ))
            }
            _ => None,
        }
    }

    /// Refuses a query that no GPU answers, where one is asked for.
    pub fn check_backend(&self, asked: Asked) -> Result<()> {
        match self.cpu_only(asked) {
            Some((_, Some(what))) if self.settings.asked_backend() == Backend::Gpu => Err(Error::NotSupported { what }),
            _ => Ok(()),
        }
    }

    /// Whether a periodic axis has so many cutoffs that a GPU would search in larger cells. By radii there is no cutoff.
    fn has_large_box(&self, kind: NeighborsKind) -> bool {
        const MOST: f64 = (1 << 22) as f64;
        let cutoff = self.cutoff(kind).unwrap_or(f64::INFINITY);
        !self.radii.are_set() && self.settings.domain.longest_period() / MOST > cutoff
    }

    /// `layout` by the name of the simplest one that looks the same. Rows of queries are as they are searched anyway.
    pub fn plainest(&self, order: &Order, kind: NeighborsKind, layout: Layout) -> Layout {
        match layout {
            _ if order.labels(&self.ids, 0).are_plain() => Layout::Searched,
            Layout::Rows if order.points().is_none() || kind.is_of_queries() => Layout::Pairs,
            layout => layout,
        }
    }

    /// Refuses a query for rows of a kind that cannot be answered, as far as can be said before a search.
    pub fn check_rows<T: Precision>(&self, kind: NeighborsKind, with_skin: bool, periods: &Periods<T>) -> Result<()> {
        self.check_no_cell()?;
        if kind.is_of_queries() {
            self.queries_set()?;
        }
        self.kinds.check(self.len)?;
        self.check_ids()?;
        self.check_exclusions(kind)?;
        let tie_rule = self.settings.tie_rule;
        if let Some(table) = self.type_cutoffs(kind) {
            self.check_type_cutoffs::<T>(table, (kind, with_skin))?;
        }
        if self.is_by_radii(kind) {
            self.check_radii(kind)?;
            let reach = self.radii.reach::<T>(self.counts(), kind.is_of_queries(), tie_rule)?;
            let reach = reach.with_skin(if with_skin { self.settings.skin } else { 0.0 });
            reach.check_skin()?;
            return reach.check_box(periods, self.settings.index_base);
        }
        let cutoff = self.cutoff(kind)?;
        bound::<T>(cutoff, tie_rule)?;
        match with_skin {
            true => {
                bound::<T>(cutoff + self.settings.skin, tie_rule)?;
                periods.check_skin(cutoff, self.settings.skin)
            }
            false => periods.check_cutoff(T::from_f64(cutoff)),
        }
    }

    /// Refuses ids that are not those of the points. The active points are known.
    pub fn check_ids(&self) -> Result<()> {
        self.ids.check(self.len)?;
        let (base, roles) = (self.settings.index_base, self.kinds.roles());
        self.ids.check_active(base, |point| roles.is_active(point as usize))
    }

    /// Refuses points that take no part, for what knows none.
    pub fn check_all_take_part(&self) -> Result<()> {
        match self.kinds.own_roles().have_absent() {
            false => Ok(()),
            true => Err(Error::NotSupported {
                what: "groups or nearest points with absent points (set_roles)",
            }),
        }
    }

    /// Refuses a cell, for what knows none.
    pub fn check_no_cell(&self) -> Result<()> {
        match self.cell {
            None => Ok(()),
            Some(_) => Err(Error::NotSupported {
                what: "a query other than images and formulas in a cell (set_cell)",
            }),
        }
    }

    /// Refuses cutoffs by types that points of a precision do not have, or not beside the other inputs.
    pub fn check_type_cutoffs<T: Real>(
        &self,
        table: &TypeTable,
        (kind, with_skin): (NeighborsKind, bool),
    ) -> Result<()> {
        if self.is_by_radii(kind) {
            return Err(Error::NotSupported {
                what: "cutoffs by types (set_type_cutoffs) with radii (set_radii)",
            });
        }
        self.kinds.check_cutoffs(self.len)?;
        let skin = if with_skin { self.settings.skin } else { 0.0 };
        table.bounds::<T>(0.0, self.settings.tie_rule)?;
        table.bounds::<T>(skin, self.settings.tie_rule).map(|_| ())
    }

    fn check_radii(&self, kind: NeighborsKind) -> Result<()> {
        self.check_backend(Asked::Rows(kind.into()))?;
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

    /// `view`, if all its coordinates are finite, and what was seen of it on the way.
    pub fn checked<'a, T: Precision>(&self, view: &PointsView<'a, T>) -> Result<PointsView<'a, T>> {
        view.checked(self.settings.index_base, &self.team_for(view.len())?)
    }

    /// The cutoff in the precision of the points, and the bound on distances squared.
    pub fn radius<T: Real>(&self) -> Result<(f64, T)> {
        let cutoff = self.settings.cutoff()?;
        Ok((T::from_f64(cutoff).to_f64(), bound(cutoff, self.settings.tie_rule)?))
    }
}
