//! Points, their order and their indexes, in the precision of the points set last; and the one driver of a search on the CPU.

use super::inputs::Inputs;
use super::job::Job;
use super::made_from::{CellsOf, IndexOf, OrderOf};
use super::neighbors::NeighborsKind;
use super::precision::{Family, InPrecision, in_precision};
use crate::cpu::by_radii::{self, ByRadii};
use crate::cpu::by_types::ByTypes;
use crate::cpu::pairs::Searched;
use crate::cpu::query::Query;
use crate::cpu::worker::Worker;
use crate::domain::TieRule;
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::grid::{Block, Grid};
use crate::ids::Order;
use crate::list::holds;
use crate::points::{Points, PointsView, Precision, Real, Stamp};
use crate::radii::{RadiusRule, Reach};
use crate::threads::Team;
use crate::version::{Derived, Version};
use crate::ztree::ZTree;

/// Points and indexes of one precision.
#[derive(Debug, Default)]
pub struct Session<T> {
    pub points: Points<T>,
    /// The points in the order in which they are searched, where they are not in it.
    ordered: Derived<(Stamp, OrderOf), Points<T>>,
    /// The index for a cutoff, and the one for a radius per point.
    grid: Derived<IndexOf, Grid>,
    tree: Derived<IndexOf, ZTree<T>>,
    /// The classes of the points in each cell of the grid, a bit each.
    cells: Derived<CellsOf, Vec<u128>>,
    /// The index along the curve, of the points and of the queries. Numbered by the ranks of global ids of a version, where points
    /// have such.
    curve: Derived<(Version, Option<Version>), ZTree<T>>,
    curve_of_queries: Derived<[Version; 2], ZTree<T>>,
    /// Scratch of the threads, by a cutoff and by radii.
    workers: Vec<Worker<Searched<T>>>,
    workers_by_radii: Vec<by_radii::Worker>,
}

holds! { Session<T> { points, ordered, grid, tree, cells, curve, curve_of_queries, workers, workers_by_radii } }

/// The sessions of all precisions.
#[derive(Debug)]
pub struct OfSession;

impl Family for OfSession {
    type Of<T: Precision> = Session<T>;
}

impl InPrecision<OfSession> {
    /// The versions of the points; those of no points where there are none.
    pub fn stamp(&self) -> Stamp {
        in_precision!(self, session => session.points.stamp(), none => Stamp::default())
    }

    /// Refuses a handle that holds no points of its own.
    pub fn check_held(&self) -> Result<()> {
        match in_precision!(self, session => session.points.are_held(), none => return Err(Error::NO_POINTS)) {
            true => Ok(()),
            false => Err(Error::LENT_POINTS),
        }
    }
}

/// A search on the CPU for rows, and the scratch of its threads.
pub enum Finder<'a, T> {
    /// Over a grid, by a cutoff.
    Cells(Query<'a, T>, &'a mut [Worker<Searched<T>>]),
    /// Over a tree, by radii.
    Tree(ByRadii<'a, T>, &'a mut [by_radii::Worker]),
}

/// The blocks that a search takes up one by one.
#[derive(Debug, Default)]
pub struct Cut {
    pub cells: Vec<Block>,
    pub tree: by_radii::Counted,
}

holds! { Cut { cells, tree } }

impl Cut {
    /// Cuts the index of a search into blocks.
    pub fn make<T: Precision>(&mut self, finder: &Finder<T>, team: &Team) -> Result<()> {
        match finder {
            Finder::Cells(query, _) => query.cut(team, &mut self.cells),
            Finder::Tree(search, _) => search.cut_anew(team, &mut self.tree).map(|_| ()),
        }
    }
}

/// Evaluates an expression with the source of rows that a [`Finder`] is with the blocks of a [`Cut`], and its workers.
macro_rules! with_source {
    ($finder:expr, $cut:expr, |$source:ident, $workers:ident| $body:expr) => {
        match $finder {
            $crate::search::session::Finder::Cells(query, $workers) => {
                let $source = &$crate::cpu::pairs::Pairs {
                    query,
                    blocks: &$cut.cells,
                };
                $body
            }
            $crate::search::session::Finder::Tree(search, $workers) => {
                let $source = &$crate::cpu::by_radii::Spanned {
                    search,
                    blocks: $cut.tree.blocks(),
                };
                $body
            }
        }
    };
}
pub(super) use with_source;

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

    /// The index for a cutoff.
    pub fn grid(&self) -> &Grid {
        self.grid.get()
    }

    /// The index of the points along the curve.
    pub fn curve(&self) -> &ZTree<T> {
        self.curve.get()
    }

    /// That of the queries.
    pub fn curve_of_queries(&self) -> &ZTree<T> {
        self.curve_of_queries.get()
    }

    /// Whether rows of a kind are taken out of a list with a skin.
    pub fn has_skin(&self, inputs: &Inputs, kind: NeighborsKind) -> bool {
        self.points.are_held() && inputs.has_skin(kind)
    }

    /// Brings the points into an order, where they are not in it.
    pub fn arrange(&mut self, order: &Derived<OrderOf, Order>, team: &Team) -> Result<()> {
        if let (Some(order), Some(&of)) = (order.get().points(), order.of()) {
            let (from, of) = (&self.points, (self.points.stamp(), of));
            self.ordered.make(of, |to| to.set_in_order(from, order, team))?;
        }
        Ok(())
    }

    /// The version of the index on the CPU, if it was made from `of`.
    pub fn version_of_index(&self, of: &IndexOf) -> Option<Version> {
        self.grid.version_of(of).or_else(|| self.tree.version_of(of))
    }

    /// Makes the index of `view`, or of the points held, where there is none. Returns whether it was made, and its version.
    pub fn index(&mut self, view: Option<&PointsView<T>>, job: &Job) -> Result<(bool, Option<Version>)> {
        let of = job.index_of(self.points.stamp());
        let searched = searched(&self.points, &self.ordered, job.order());
        if job.is_in_tree() {
            let made = self.tree.make(of, |tree| {
                known(view, &self.points, &searched.view())?;
                index_in_tree(tree, searched, job)
            })?;
            return Ok((made, self.tree.version()));
        }
        let made = self.grid.make(of, |grid| {
            let held = searched.view();
            let view = known(view, &self.points, &held)?;
            grid.build(view, searched.periods(), job.cutoff::<T>(), job.team)
        })?;
        Ok((made, self.grid.version()))
    }

    /// Makes the index on a GPU, for a cutoff or by radii.
    pub fn index_on(&self, gpu: &mut Gpu, view: Option<&PointsView<T>>, job: &Job) -> Result<()> {
        let searched = searched(&self.points, &self.ordered, job.order());
        let (held, periods) = (searched.view(), searched.periods());
        let given = known(view, &self.points, &held)?;
        if job.is_by_radii() {
            let reach = job.reach::<T>()?;
            let radius = needed(&reach, job.order());
            return gpu.index_by_radii(&held, periods, (reach.largest(), reach.rule), radius, job.team);
        }
        let stamp = (view.is_none() && job.order().points().is_none()).then(|| searched.stamp());
        if self.points.on_device().is_some() && !stamp.is_some_and(|stamp| gpu.has_points(stamp)) {
            return Err(Error::Internal {
                text: "points are searched where they are not".into(),
            });
        }
        gpu.index((given, stamp), periods, job.cutoff::<T>(), job.bound()?, job.team)
    }

    /// Makes the index of the points along the curve, by their own numbers or by their ranks, where it is not there; whether it
    /// was made.
    pub fn index_curve(&mut self, len: usize, ranks: Option<(Version, &[u32])>, team: &Team) -> Result<bool> {
        let of = (self.points.stamp().points, ranks.map(|(version, _)| version));
        let (axes, ranks) = (self.points.axes(), ranks.map(|(_, ranks)| ranks));
        self.curve.make(of, |tree| tree.build(axes, 0..len, ranks, team))
    }

    /// The same of the queries, which are after the first `len` points.
    pub fn index_curve_of_queries(&mut self, len: usize, team: &Team) -> Result<bool> {
        let (points, stamp) = (&self.points, self.points.stamp());
        let of = [stamp.points, stamp.queries];
        (self.curve_of_queries).make(of, |tree| tree.build(points.axes(), len..points.len(), None, team))
    }

    /// Calls `act` with the points as they are numbered, and the search for the rows of a job, of `view` or of the points held.
    /// Here alone is decided whether it goes by cells or by a tree.
    pub fn find<R>(
        &mut self,
        view: Option<&PointsView<T>>,
        job: &Job,
        act: impl FnOnce(&Points<T>, Finder<T>) -> Result<R>,
    ) -> Result<R> {
        let numbered = &self.points;
        let searched = searched(&self.points, &self.ordered, job.order());
        let (periods, classes, full) = (searched.periods(), job.classes.as_ref(), job.is_full());
        let (isa, cost, threads) = (job.plan.isa, job.team.cost(), job.plan.threads);
        if job.is_in_tree() {
            let search = ByRadii {
                tree: self.tree.get(),
                reach: job.reach()?,
                periods,
                classes,
                excluded: job.excluded,
                full,
                isa,
                wanted: None,
                cost,
            };
            return act(
                numbered,
                Finder::Tree(search, workers_of(&mut self.workers_by_radii, threads)?),
            );
        }
        if let Some(classes) = classes {
            let of = CellsOf {
                grid: self.grid.version(),
                kinds: job.inputs.kinds.version(),
            };
            let grid = self.grid.get();
            self.cells
                .make(of, |cells| grid.classes_by_cell(classes, job.team, cells))?;
        }
        let (held, bound, grid) = (searched.view(), job.bound()?, self.grid.get());
        let bounds = classes.and_then(|classes| Some((classes, classes.bounds.as_ref()?)));
        let by_types = bounds
            .map(|(classes, bounds)| ByTypes::new::<T>(classes, bounds, grid, periods.slack()))
            .transpose()?;
        let query = Query {
            grid,
            fixed: grid.fixed(bound, periods.slack()),
            view: Some(view.unwrap_or(&held)).filter(|view| view.len() == grid.len()),
            periods,
            classes,
            by_types: by_types.as_ref(),
            cells: self.cells.get(),
            excluded: job.excluded,
            bound,
            full,
            isa,
            list_limit: job.list_limit(),
            cost,
        };
        act(numbered, Finder::Cells(query, workers_of(&mut self.workers, threads)?))
    }

    /// The points as they are searched.
    pub fn searched(&self, order: &Order) -> &Points<T> {
        searched(&self.points, &self.ordered, order)
    }
}

/// The points in `order`, once they are brought into it.
fn searched<'a, T, Of>(points: &'a Points<T>, ordered: &'a Derived<Of, Points<T>>, order: &Order) -> &'a Points<T> {
    match order.points() {
        Some(_) => ordered.get(),
        None => points,
    }
}

/// The points to be indexed: those of the caller, or of the handle, where it holds them.
fn known<'a, T: Real>(
    view: Option<&'a PointsView<'a, T>>,
    points: &Points<T>,
    held: &'a PointsView<'a, T>,
) -> Result<&'a PointsView<'a, T>> {
    match view {
        None if !points.are_held() => Err(Error::LENT_POINTS),
        view => Ok(view.unwrap_or(held)),
    }
}

fn index_in_tree<T: Precision>(tree: &mut ZTree<T>, points: &Points<T>, job: &Job) -> Result<()> {
    let reach = job.reach::<T>()?;
    let by_radii = needed(&reach, job.order());
    let bounds = (job.classes.as_ref()).and_then(|classes| Some((classes, classes.bounds.as_ref()?)));
    let radius = |i: usize| match bounds {
        Some((classes, bounds)) => T::from_f64(bounds.shortest(classes.of(i))),
        None => by_radii(i),
    };
    let len = match job.kind {
        NeighborsKind::Queries => points.len(),
        _ => job.inputs.len, // queries are after the points
    };
    let classes = job.classes.as_ref();
    match classes.is_none() && job.inputs.settings.tie_rule == TieRule::Inclusive {
        true => tree.build(points.axes(), 0..len, None, job.team)?,
        false => tree.build_in_groups(
            points.axes(),
            len,
            &|i| reach.group(classes.map_or(0, |classes| classes.alike(i)), radius(i)),
            job.team,
        )?,
    }
    tree.set_radii(radius, job.team)
}

/// The radius of each point, in the order in which points are searched, as far as pairs need it.
fn needed<T: Real>(reach: &Reach<T>, order: &Order) -> impl Fn(usize) -> T + Sync {
    let farthest = reach.farthest().filter(|_| reach.rule == RadiusRule::Min);
    move |i| {
        let radius = reach.of(order.points().map_or(i, |order| order[i] as usize));
        reach.needed(radius, farthest.as_ref())
    }
}

/// The first `threads` workers; missing ones are made.
pub fn workers_of<W: Default>(workers: &mut Vec<W>, threads: usize) -> Result<&mut [W]> {
    while workers.len() < threads {
        crate::list::push(workers, W::default(), "the threads' scratch")?;
    }
    Ok(&mut workers[..threads])
}
