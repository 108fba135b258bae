//! The job of a query for rows: made once, and read by all its steps.

use std::ops::Range;

use super::inputs::Inputs;
use super::made_from::{CountOf, IndexOf, OrderOf};
use super::neighbors::{Layout, NeighborsKind, Sought};
use crate::cpu::rows::ListLimit;
use crate::domain::bound;
use crate::error::Result;
use crate::exclusions::ExcludedPairs;
use crate::gpu::Rule;
use crate::ids::Order;
use crate::kinds::Classes;
use crate::plan::Plan;
use crate::points::{Precision, Real, Stamp};
use crate::radii::Reach;
use crate::threads::Team;
use crate::version::{Derived, Version};

/// The job of all steps of a query.
pub struct Job<'a> {
    pub inputs: &'a Inputs,
    pub plan: &'a Plan,
    pub team: &'a Team,
    /// The order in which points are searched.
    arranged: &'a Derived<OrderOf, Order>,
    /// The excluded pairs in that order, where it is not the caller's.
    in_order: &'a ExcludedInOrder,
    pub kind: NeighborsKind,
    excluded_too: bool,
    pub classes: Option<Classes<'a>>,
    /// Pairs that no row lists, by the numbers of the search.
    pub excluded: Option<&'a ExcludedPairs>,
    /// Of no use where there are radii. With the skin, for a list with one.
    cutoff: f64,
    /// That of a list with a skin; 0 elsewhere.
    skin: f64,
    /// The rows are for a list in memory of the handle.
    is_listed: bool,
}

/// Makes the order in which points are searched for rows of a kind. `is_list`: they are only listed.
pub fn make_order(
    inputs: &Inputs,
    order: &mut Derived<OrderOf, Order>,
    kind: NeighborsKind,
    is_list: bool,
) -> Result<()> {
    let of = inputs.order_of(kind, is_list)?;
    if !(order.of().is_some_and(|made| made.is_of_same(&of)) && order.get().suits_all()) {
        let (ids, counts, roles) = (&inputs.ids, inputs.counts(), inputs.kinds.roles());
        let ghosts = (|point: usize| roles.is_ghost(point), roles.are_mixed());
        order.make(of, |order| order.make(ids, counts, ghosts, of.arrangement()))?;
    }
    Ok(())
}

/// The key of an order, where the search is not that of the points as they are.
pub fn key_of(order: &Derived<OrderOf, Order>) -> Option<OrderOf> {
    order.of().copied().filter(|_| !order.get().is_plain())
}

/// The excluded pairs by the numbers of a search: what they were made from, where these are not the caller's.
pub type ExcludedInOrder = Derived<(Version, OrderOf), ExcludedPairs>;

/// Makes the excluded pairs for rows of a kind, in the order in which points are searched, where that is not theirs.
pub fn arrange_excluded(
    inputs: &Inputs,
    order: &Derived<OrderOf, Order>,
    kind: NeighborsKind,
    excluded: &mut ExcludedInOrder,
) -> Result<()> {
    let pairs = inputs.exclusions.pairs().filter(|_| !kind.is_of_queries());
    if let (Some(pairs), Some(points), Some(&of)) = (pairs, order.get().points(), order.of()) {
        let of = (inputs.exclusions.version(), of);
        excluded.make(of, |excluded| excluded.arrange(pairs, points))?;
    }
    Ok(())
}

impl<'a> Job<'a> {
    /// Rows of points of a precision whose order is made.
    pub fn new<T: Real>(
        inputs: &'a Inputs,
        plan: &'a Plan,
        team: &'a Team,
        arranged: &'a Derived<OrderOf, Order>,
        in_order: &'a ExcludedInOrder,
        sought: Sought,
    ) -> Result<Job<'a>> {
        let kind = sought.kind;
        let classes = inputs
            .kinds
            .classes(inputs.counts(), kind.classes_of(), arranged.get())?;
        let mut job = Job {
            inputs,
            plan,
            team,
            arranged,
            in_order,
            kind,
            excluded_too: sought.excluded_too,
            classes,
            excluded: None,
            cutoff: inputs.cutoff(kind)?,
            skin: 0.0,
            is_listed: false,
        };
        job.list_excluded(sought.excluded_too);
        job.with_bounds::<T>(0.0)
    }

    /// The same with the bounds of pairs of types, where these have cutoffs, for a search with a skin.
    fn with_bounds<T: Real>(mut self, skin: f64) -> Result<Job<'a>> {
        if let (Some(classes), Some(table)) = (&mut self.classes, self.inputs.type_cutoffs(self.kind)) {
            classes.set_bounds::<T>(table, skin, self.inputs.settings.tie_rule)?;
        }
        Ok(self)
    }

    /// Has rows list excluded pairs too, or not.
    pub fn list_excluded(&mut self, excluded_too: bool) {
        self.excluded_too = excluded_too;
        let pairs = self.pairs().filter(|_| self.inputs.excludes(self.sought()));
        self.excluded = pairs.map(|(_, pairs)| pairs);
    }

    /// The same for a list in memory of the handle, which ends once it takes more than the memory limit.
    pub fn listed(self, is_listed: bool) -> Job<'a> {
        Job { is_listed, ..self }
    }

    /// The same for a list with the skin.
    pub fn with_skin<T: Real>(&self) -> Result<Job<'a>> {
        let (inputs, skin) = (self.inputs, self.inputs.settings.skin);
        let classes = (inputs.kinds).classes(inputs.counts(), self.kind.classes_of(), self.order())?;
        let job = Job {
            classes,
            cutoff: self.cutoff + skin,
            skin,
            is_listed: true,
            ..*self
        };
        job.with_bounds::<T>(skin)
    }

    /// The rows that are searched.
    pub fn sought(&self) -> Sought {
        Sought {
            kind: self.kind,
            excluded_too: self.excluded_too,
        }
    }

    /// The order in which points are searched.
    pub fn order(&self) -> &'a Order {
        self.arranged.get()
    }

    /// The key of that order, where the search is not that of the points as they are.
    pub fn order_of(&self) -> Option<OrderOf> {
        key_of(self.arranged)
    }

    /// The key of an index of points.
    pub fn index_of(&self, stamp: Stamp) -> IndexOf {
        (self.inputs).index_of(stamp, self.order_of(), self.kind, [self.cutoff, self.skin])
    }

    /// The key of row lengths that are found in an index or a list of version `from`; `kept`: bytes kept for chunks.
    pub fn count_of(&self, from: Version, stamp: Stamp, kept: Option<usize>) -> CountOf {
        self.inputs.count_of(from, stamp, self.sought(), kept)
    }

    /// `layout` by the name of the simplest one that looks the same.
    pub fn plainest(&self, layout: Layout) -> Layout {
        self.inputs.plainest(self.order(), self.kind, layout)
    }

    /// Both sides of each pair are wanted.
    pub fn is_full(&self) -> bool {
        self.kind != NeighborsKind::Half
    }

    /// Whether rows are found by radii.
    pub fn is_by_radii(&self) -> bool {
        self.inputs.is_by_radii(self.kind)
    }

    /// Whether the CPU finds rows in a tree: by radii, or by the cutoffs of types.
    pub fn is_in_tree(&self) -> bool {
        self.is_by_radii() || self.inputs.has_uneven_cutoffs(self.kind, self.skin)
    }

    /// All rows that there are of this kind, by the numbers of the search.
    pub fn rows(&self) -> Range<usize> {
        self.inputs.searched_rows(self.kind)
    }

    /// The first number of an id, and of offsets.
    pub fn base(&self) -> i64 {
        self.inputs.settings.index_base
    }

    /// The cutoff, as the precision of the points has it.
    pub fn cutoff<T: Real>(&self) -> f64 {
        T::from_f64(self.cutoff).to_f64()
    }

    /// The bound on distances squared, in the precision of the points.
    pub fn bound<T: Real>(&self) -> Result<T> {
        bound(self.cutoff, self.inputs.settings.tie_rule)
    }

    /// The radii in the precision of the points, or the reach of points without such.
    pub fn reach<T: Precision>(&self) -> Result<Reach<'a, T>> {
        let (inputs, of_queries) = (self.inputs, self.kind.is_of_queries());
        if !self.is_by_radii() {
            return Ok(Reach::by_types(inputs.counts(), inputs.settings.tie_rule));
        }
        let reach = (inputs.radii).reach(inputs.counts(), of_queries, inputs.settings.tie_rule)?;
        Ok(reach.with_skin(self.skin))
    }

    /// The memory that a list of the rows may take, where they are counted for one that is limited.
    pub fn list_limit(&self) -> Option<ListLimit> {
        let bytes = self.inputs.settings.memory_limit.filter(|_| self.is_listed)?;
        let offsets = 8 * (self.inputs.everyone() + 1) as u64;
        let entries = bytes.saturating_sub(offsets) / size_of::<i32>() as u64;
        Some(ListLimit { bytes, entries })
    }

    /// The pairs that no row lists, and their version by the numbers of the search.
    pub fn excluded_of(&self) -> Option<(Version, &'a ExcludedPairs)> {
        self.pairs().filter(|_| self.excluded.is_some())
    }

    /// All excluded pairs, and their version by the numbers of the search.
    pub fn pairs(&self) -> Option<(Version, &'a ExcludedPairs)> {
        let exclusions = &self.inputs.exclusions;
        match self.order().points() {
            None => Some(exclusions.version()).zip(exclusions.pairs()),
            Some(_) => {
                let version = self.in_order.version().filter(|_| exclusions.are_set());
                version.map(|version| (version, self.in_order.get()))
            }
        }
    }

    /// The rows that a GPU is to count, and whether it may fill them right away.
    pub fn rule(&self, eager: bool) -> Rule<'_> {
        Rule {
            full: self.is_full(),
            classes: self.classes.as_ref(),
            excluded: self.excluded_of(),
            base: self.base(),
            lower_ghosts: (self.order().lower()).map_or([0; 2], |lower| [lower.start as u32, lower.end as u32]),
            eager,
        }
    }
}
