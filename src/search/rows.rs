//! The work of a search for rows: index, count and fill, for a cutoff or by a radius per point, on the CPU or on a GPU.

use super::made_from::{CellsOf, IndexOf};
use super::session::{Job, Kept, Precision, Session, workers_of};
use crate::cpu::by_radii::{self, ByRadii};
use crate::cpu::pairs::{Counted, Pairs};
use crate::cpu::query::Query;
use crate::cpu::rows::ListLimit;
use crate::cpu::verlet::Verlet;
use crate::cpu::window::{Batch, RowWindow};
use crate::domain::{Periods, TieRule};
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::grid::Grid;
use crate::ids::Order;
use crate::ids::OutputMap;
use crate::list::{Rows, scan};
use crate::points::{Points, PointsView, Real};
use crate::radii::{RadiusRule, Reach};
use crate::search::NeighborsKind;
use crate::search::inputs::Inputs;
use crate::version::{Derived, Version};
use crate::ztree::ZTree;

impl Job<'_> {
    /// Whether rows are found by radii.
    pub fn is_by_radii(&self) -> bool {
        self.radii.are_for(self.kind == NeighborsKind::Queries)
    }

    /// The radii in the precision of the points.
    fn reach<T: Precision>(&self) -> Result<Reach<'_, T>> {
        let of_queries = self.kind == NeighborsKind::Queries;
        self.radii.reach(self.counts, of_queries, self.tie_rule)
    }

    /// How much a list of the rows may take, where they are counted for one that is limited.
    fn list_limit(&self) -> Option<ListLimit> {
        let bytes = self.memory_limit.filter(|_| self.is_listed)?;
        let offsets = 8 * (self.counts[0] + self.counts[1] + 1) as u64;
        let entries = bytes.saturating_sub(offsets) / size_of::<i32>() as u64;
        Some(ListLimit { bytes, entries })
    }

    /// Refuses to index points that the handle does not hold.
    fn check_points<T>(&self, view: Option<&PointsView<T>>) -> Result<()> {
        match view.is_some() || self.has_points {
            true => Ok(()),
            false => Err(Error::NO_POINTS),
        }
    }
}

impl<T: Precision> Session<T> {
    /// Refuses a query for rows of a kind that cannot be answered, as far as can be said before a search.
    pub(super) fn check_rows(&self, inputs: &Inputs, kind: NeighborsKind, with_skin: bool) -> Result<()> {
        inputs.check_rows::<T>(kind)?;
        let periods = self.points.periods();
        if inputs.is_by_radii(kind) {
            let counts = inputs.counts();
            let of_queries = kind == NeighborsKind::Queries;
            let reach = inputs.radii.reach::<T>(counts, of_queries, inputs.settings.tie_rule)?;
            return reach.check_box(periods, inputs.settings.index_base);
        }
        let skin = if with_skin { inputs.settings.skin } else { 0.0 };
        let cutoff = inputs.settings.cutoff()?;
        crate::domain::bound::<T>(cutoff + skin, inputs.settings.tie_rule)?;
        match with_skin {
            true => periods.check_skin(cutoff, skin),
            false => periods.check_cutoff(T::from_f64(cutoff)),
        }
    }

    /// Makes the index for a cutoff of `view`, or of the points held, where there is none. Returns whether it was made, and its
    /// version.
    pub fn index(
        &mut self,
        of: IndexOf,
        view: Option<&PointsView<T>>,
        job: &Job,
        order: &Order,
    ) -> Result<(bool, Option<Version>)> {
        let Session {
            points, ordered, grid, ..
        } = self;
        let points = searched(points, ordered, order);
        let made = grid.make(of, |grid| {
            job.check_points(view)?;
            let held = points.view();
            let cutoff = T::from_f64(job.cutoff).to_f64();
            grid.build(view.unwrap_or(&held), points.periods(), cutoff, job.team)
        })?;
        Ok((made, grid.version()))
    }

    /// The same by radii.
    pub fn index_by_radii(&mut self, of: IndexOf, job: &Job, order: &Order) -> Result<(bool, Option<Version>)> {
        let Session {
            points, ordered, tree, ..
        } = self;
        let points = searched(points, ordered, order);
        let reach = job.reach::<T>()?;
        let radius = needed(&reach, order);
        let len = match job.kind {
            NeighborsKind::Queries => points.len(),
            _ => job.counts[0], // queries stand behind the points
        };
        let classes = job.classes.as_ref();
        let made = tree.make(of, |tree| {
            match classes.is_none() && job.tie_rule == TieRule::Inclusive {
                true => tree.build(points.axes(), 0..len, None, job.team)?,
                false => tree.build_in_groups(
                    points.axes(),
                    len,
                    &|i| reach.group(classes.map_or(0, |classes| classes.alike(i)), radius(i)),
                    job.team,
                )?,
            }
            tree.set_radii(radius, job.team)
        })?;
        Ok((made, tree.version()))
    }

    /// Makes the index on a GPU, for a cutoff or by radii.
    pub fn index_on(&mut self, gpu: &mut Gpu, view: Option<&PointsView<T>>, job: &Job, order: &Order) -> Result<()> {
        job.check_points(view)?;
        let points = searched(&self.points, &self.ordered, order);
        let (held, periods) = (points.view(), points.periods());
        if job.is_by_radii() {
            let reach = job.reach::<T>()?;
            let radius = needed(&reach, order);
            return gpu.index_by_radii(&held, periods, (reach.largest(), reach.rule), radius, job.team);
        }
        let stamp = (view.is_none() && order.points().is_none()).then(|| points.stamp());
        let cutoff = T::from_f64(job.cutoff).to_f64();
        gpu.index((view.unwrap_or(&held), stamp), periods, cutoff, job.bound()?, job.team)
    }

    /// Counts the rows of `view`, or of the points held, into `offsets`; returns the total.
    pub fn count(
        &mut self,
        view: Option<&PointsView<T>>,
        job: &Job,
        order: &Order,
        offsets: &mut [i64],
    ) -> Result<i64> {
        let Session {
            points,
            ordered,
            grid,
            cells,
            tree,
            kept,
            ..
        } = self;
        let searched = searched(points, ordered, order);
        (kept.spans, offsets[0]) = (RowWindow::default(), 0);
        // A quarter of a memory limit: the list that is filled takes the rest.
        let most = (job.memory_limit).map_or(usize::MAX, |limit| {
            (limit as usize).saturating_sub(8 * offsets.len()) / 4
        });
        if job.is_by_radii() {
            let workers = workers_of(&mut kept.by_radii_workers, job.plan.threads)?;
            let search = by_radii(tree.get(), searched.periods(), job)?;
            search.count(job.team, workers, &mut kept.by_radii, most / 4, &mut offsets[1..])?;
            return Ok(scan(offsets, job.base));
        }
        let workers = workers_of(&mut kept.workers, job.plan.threads)?;
        let held = searched.view();
        let query = query((grid, cells), view.unwrap_or(&held), searched.periods(), job)?;
        (kept.counted).count(query, job.team, workers, most / 4, &mut offsets[1..])?;
        if let Some(view) = view.filter(|_| kept.counted.needs_points()) {
            points.copy(view, &Periods::default(), job.team)?;
        }
        Ok(scan(offsets, job.base))
    }

    /// Counts rows on a GPU, which may begin to fill them right away; returns the total.
    pub fn count_on(&mut self, gpu: &mut Gpu, job: &Job, eager: bool, offsets: &mut [i64]) -> Result<i64> {
        let rule = job.rows_wanted(eager);
        match job.is_by_radii() {
            true => gpu.count_by_radii(job.tie_rule, rule, job.team, offsets),
            false => gpu.count(job.bound::<T>()?, rule, job.team, offsets),
        }
    }

    /// Fills the rows counted last and, where it is wanted, the column of left points, as they are to be delivered.
    pub fn fill(&mut self, job: &Job, order: &Order, output: OutputMap, ids: Rows, left: Option<Rows>) -> Result<()> {
        let Session {
            points,
            ordered,
            grid,
            cells,
            tree,
            kept,
            ..
        } = self;
        let searched = searched(points, ordered, order);
        if job.is_by_radii() {
            let workers = workers_of(&mut kept.by_radii_workers, job.plan.threads)?;
            let search = by_radii(tree.get(), searched.periods(), job)?;
            search.fill(job.team, workers, &kept.by_radii, output, ids)?;
            return output.fill_left(job.team, left);
        }
        let workers = workers_of(&mut kept.workers, job.plan.threads)?;
        let held = searched.view();
        let query = query((grid, cells), &held, searched.periods(), job)?;
        (kept.counted).fill(query, job.team, workers, output, (ids, left))
    }

    /// Counts rows into `offsets`, and keeps what it can of the first of them in `room` bytes; returns the total.
    pub fn count_spans(&mut self, job: &Job, order: &Order, room: usize, offsets: &mut [i64]) -> Result<i64> {
        let Session {
            points,
            ordered,
            grid,
            cells,
            tree,
            kept,
            ..
        } = self;
        let searched = searched(points, ordered, order);
        let (rows, threads) = ((job.rows(), room), job.plan.threads);
        (kept.counted, offsets[0]) = (Counted::default(), 0);
        if job.is_by_radii() {
            let search = by_radii(tree.get(), searched.periods(), job)?;
            let workers = workers_of(&mut kept.by_radii_workers, threads)?;
            let source = by_radii::Spanned {
                search,
                blocks: search.cut_anew(job.team, &mut kept.by_radii)?,
            };
            (kept.spans).count(&source, job.team, workers, rows, &mut offsets[1..])?;
            return Ok(scan(offsets, job.base));
        }
        let workers = workers_of(&mut kept.workers, threads)?;
        let held = searched.view();
        let query = query((grid, cells), &held, searched.periods(), job)?;
        query.cut(job.team, &mut kept.blocks)?;
        let blocks = &kept.blocks;
        let source = Pairs { query, blocks };
        (kept.spans).count(&source, job.team, workers, rows, &mut offsets[1..])?;
        Ok(scan(offsets, job.base))
    }

    /// Fills some of the rows counted last by [`count_spans`](Session::count_spans).
    pub fn fill_batch(&mut self, job: &Job, order: &Order, batch: &Batch, ids: Rows) -> Result<()> {
        let Session {
            points,
            ordered,
            grid,
            cells,
            tree,
            kept,
            ..
        } = self;
        let searched = searched(points, ordered, order);
        let Kept {
            workers,
            by_radii_workers,
            by_radii: cut,
            spans,
            blocks,
            ..
        } = kept;
        if job.is_by_radii() {
            let source = by_radii::Spanned {
                search: by_radii(tree.get(), searched.periods(), job)?,
                blocks: cut.blocks(),
            };
            let workers = workers_of(by_radii_workers, job.plan.threads)?;
            return spans.fill(&source, job.team, workers, batch, ids);
        }
        let workers = workers_of(workers, job.plan.threads)?;
        let held = searched.view();
        let query = query((grid, cells), &held, searched.periods(), job)?;
        spans.fill(&Pairs { query, blocks }, job.team, workers, batch, ids)
    }

    /// Counts the rows that the list with the skin has into `offsets`; returns the total.
    pub fn count_from_verlet(&mut self, job: &Job, order: &Order, offsets: &mut [i64]) -> Result<i64> {
        let Session {
            points, ordered, skin, ..
        } = self;
        let searched = searched(points, ordered, order);
        let (list, decided) = skin.scratch().parts();
        offsets[0] = 0;
        verlet(searched, list, job)?.count(job.team, decided, &mut offsets[1..])?;
        Ok(scan(offsets, job.base))
    }

    /// Fills the rows counted last from the list with the skin.
    pub fn fill_from_verlet(&mut self, job: &Job, order: &Order, output: OutputMap, ids: Rows) -> Result<()> {
        let Session {
            points, ordered, skin, ..
        } = self;
        let searched = searched(points, ordered, order);
        let (list, decided) = skin.scratch().parts();
        verlet(searched, list, job)?.fill(job.team, decided, output, ids)
    }
}

/// The radius of each point, in the order in which points are searched, as far as pairs need it.
fn needed<T: Real>(reach: &Reach<T>, order: &Order) -> impl Fn(usize) -> T + Sync {
    let farthest = reach.farthest().filter(|_| reach.rule == RadiusRule::Min);
    move |i| {
        let radius = reach.of(order.points().map_or(i, |order| order[i] as usize));
        reach.needed(radius, farthest.as_ref())
    }
}

/// The points as they are searched, once they are brought into `order`.
pub(super) fn searched<'a, T, Of>(
    points: &'a Points<T>,
    ordered: &'a Derived<Of, Points<T>>,
    order: &Order,
) -> &'a Points<T> {
    match order.points() {
        Some(_) => ordered.get(),
        None => points,
    }
}

/// The rows out of a list with a skin.
fn verlet<'a, T: Precision>(
    points: &'a Points<T>,
    (offsets, ids): (&'a [i64], &'a [i32]),
    job: &'a Job,
) -> Result<Verlet<'a, T>> {
    Ok(Verlet {
        points,
        offsets,
        ids,
        bound: job.bound()?,
        full: job.is_full(),
        classes: job.classes.as_ref(),
    })
}

/// The fixed-radius search over a grid, of points that are at hand if there are as many as the grid has.
pub(super) fn query<'a, T: Precision>(
    (grid, cells): (&'a Derived<IndexOf, Grid>, &'a mut Derived<CellsOf, Vec<u128>>),
    view: &'a PointsView<'a, T>,
    periods: &'a Periods<T>,
    job: &'a Job,
) -> Result<Query<'a, T>> {
    if let Some(classes) = &job.classes {
        let of = CellsOf {
            grid: grid.version(),
            kinds: job.kinds,
        };
        cells.make(of, |cells| grid.get().classes_by_cell(classes, job.team, cells))?;
    }
    let (grid, bound) = (grid.get(), job.bound()?);
    Ok(Query {
        grid,
        fixed: grid.fixed(bound, periods.slack()),
        view: Some(view).filter(|view| view.len() == grid.len()),
        periods,
        classes: job.classes.as_ref(),
        cells: cells.get(),
        bound,
        full: job.is_full(),
        isa: job.plan.isa,
        list_limit: job.list_limit(),
        cost: job.team.cost(),
    })
}

/// The search by radii.
pub(super) fn by_radii<'a, T: Precision>(
    tree: &'a ZTree<T>,
    periods: &'a Periods<T>,
    job: &'a Job,
) -> Result<ByRadii<'a, T>> {
    Ok(ByRadii {
        tree,
        reach: job.reach()?,
        periods,
        classes: job.classes.as_ref(),
        full: job.is_full(),
        isa: job.plan.isa,
        wanted: None,
        cost: job.team.cost(),
    })
}
