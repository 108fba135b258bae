//! Points that move: a list made with a skin is kept while no point has moved by more than half the skin, and filtered by the
//! exact test at every query (Verlet 1967, "Computer experiments on classical fluids"). Delivered as it is, it is a Verlet list: a
//! loop over it decides by its own distances what is in reach.

use super::counted::{Query, place};
use super::inputs::Inputs;
use super::lists::{check_list, fill_ids};
use super::made_from::{SkinListOf, SkinUseOf};
use super::neighbors::{Layout, Neighbors};
use super::precision::{Family, InPrecision, in_precision};
use super::skin_list::SkinList;
use crate::cpu::verlet::copy_rows;
use crate::domain::Periods;
use crate::drift::Drift;
use crate::error::{Error, Result};
use crate::ids::{Offsets, OutputMap, Places};
use crate::list::{Rows, holds, resize_discarding};
use crate::points::{Points, PointsView, Precision, Real};
use crate::threads::Team;
use crate::version::{Derived, Version};

/// The state of a handle for the skin.
#[derive(Debug, Default)]
pub struct Skin {
    list: InPrecision<OfList>,
    /// The list as it was delivered last; nothing where points are searched as they are numbered. For a version of the list.
    delivered: Derived<Version, RowsOfCaller>,
    /// The part of the skin that the last update used.
    used: Derived<SkinUseOf, f64>,
    /// The points that were dropped last, where another box was the reason: they may come again, moved.
    left: Option<Came>,
}

holds! { Skin { list, delivered; used, left } }

/// Points that may have moved: their lineage and their number.
pub type Came = (Version, usize);

/// The lists of all precisions.
#[derive(Debug)]
struct OfList;

impl Family for OfList {
    type Of<T: Precision> = Derived<SkinListOf, SkinList<T>>;
}

/// Rows in the caller's order, with the caller's numbers.
#[derive(Debug, Default)]
struct RowsOfCaller {
    offsets: Offsets,
    ids: Vec<i32>,
}

holds! { RowsOfCaller { offsets, ids } }

impl Skin {
    /// Makes the list, unless there is one that `serves` for this one; returns it with its version.
    pub fn make<T: Precision>(
        &mut self,
        query: &mut Query<T>,
        serves: fn(&SkinListOf, &SkinListOf) -> bool,
    ) -> Result<(Version, &mut SkinList<T>)> {
        let (list, job) = (self.list.of::<T>()?, &query.job);
        let of = (job.inputs).skin_list_of(query.session.points.stamp(), job.kind, job.order_of());
        if !list.of().is_some_and(|made| serves(made, &of)) {
            let query = &mut Query {
                job: job.with_skin::<T>()?,
                session: &mut *query.session,
                view: None,
                skin: None,
                device: query.device.as_deref_mut(),
                report: &mut *query.report,
                counted: &mut *query.counted,
            };
            let from = query.index()?;
            query.count(from, Some(Layout::Searched))?;
            check_list(query, 1)?;
            let made = list.begin();
            fill_ids(&mut made.ids, query, Layout::Searched, None)?;
            std::mem::swap(&mut made.offsets, &mut query.counted.counts.begin().offsets);
            made.reference.copy_from(&query.session.points)?;
            list.finish(of);
            query.report.lists_made += 1;
        }
        let version = list.version().ok_or(Error::NO_POINTS)?;
        Ok((version, list.scratch()))
    }

    /// Whether there is a list that `serves` for this one.
    pub fn has_list(&self, of: &SkinListOf, serves: fn(&SkinListOf, &SkinListOf) -> bool) -> bool {
        in_precision!(&self.list, list => list.of().is_some_and(|made| serves(made, of)), none => false)
    }

    /// Makes the list as it is delivered, unless it is there; returns whether it is another one than that delivered last.
    pub fn deliver<T: Precision>(&mut self, query: &mut Query<T>) -> Result<bool> {
        let (version, _) = self.make(query, |made, of| made == of)?;
        let SkinList { offsets, ids, .. } = self.list.of::<T>()?.get();
        query.report.entries = ids.len() as i64;
        let job = &query.job;
        let order = job.order();
        let labels = order.labels(&job.inputs.ids, job.base());
        if !labels.are_plain() {
            let need = 2 * (8 * offsets.len() + 4 * ids.len()) as u64;
            (job.inputs).check_limit("a Verlet list and the list that it is made from", need)?;
        }
        self.delivered.make(version, |to| {
            if labels.are_plain() {
                *to = RowsOfCaller::default();
                return Ok(());
            }
            to.offsets.make(job.team, |to| match order.points() {
                Some(order) => place(offsets, order, to),
                None => {
                    resize_discarding(to, offsets.len(), 0, "the offsets of the result")?;
                    to.copy_from_slice(offsets);
                    Ok(())
                }
            })?;
            resize_discarding(&mut to.ids, ids.len(), 0, "the list of ids")?;
            let places = Places::of_caller(&to.offsets, order);
            let output = OutputMap { places, labels };
            copy_rows(job.team, (offsets, ids), output, Rows::new(&mut to.ids))
        })
    }

    /// The rows of the first `points` points as they were delivered; `is_plain`: they are searched as they are numbered.
    pub fn rows(&self, points: usize, is_plain: bool) -> Neighbors<'_> {
        let RowsOfCaller { offsets, ids } = self.delivered.get();
        let none = Neighbors { offsets, ids };
        let rows = match is_plain {
            true => in_precision!(&self.list, list => {
                let SkinList { offsets, ids, .. } = list.get();
                Neighbors { offsets, ids }
            }, none => none),
            false => none,
        };
        Neighbors {
            offsets: &rows.offsets[..=points],
            ..rows
        }
    }

    /// The square of the largest displacement of the points of `view` since the list was made, and what measured it; `None`
    /// where there is no list of such points for the current settings. `periods` are the axes of the box now.
    pub fn displacement<T: Precision>(
        &self,
        inputs: &Inputs,
        (lineage, len): Came,
        (view, periods): (&PointsView<T>, &Periods<T>),
        team: &Team,
    ) -> Result<Option<(Drift, f64)>> {
        let of = inputs.skin_of(lineage);
        let list = self
            .list
            .held::<T>()
            .filter(|list| list.of().is_some_and(|made| made.skin() == of));
        let Some(reference) = list.map(|list| &list.get().reference) else {
            return Ok(None);
        };
        // A list that was made with queries after the points has their rows, too.
        if [reference.len(), view.len()] != [len; 2] || reference.dim() != view.dim() {
            return Ok(None);
        }
        let Ok(cutoff) = inputs.largest_cutoff::<T>(len) else {
            return Ok(None); // radii that are not those of the points: the query says so
        };
        let skin = inputs.settings.skin;
        let slack = reference.periods().slack().max(periods.slack());
        let drift = Drift::new(
            [cutoff, skin],
            T::ROUNDOFF,
            slack,
            periods.change_from(reference.periods()),
        );
        let square = largest_displacement(team, reference, (view, periods), &drift)?;
        Ok(Some((drift, square)))
    }

    /// Notes how much of the skin is used.
    pub fn use_up(&mut self, of: SkinUseOf, used: f64) {
        *self.used.begin() = used;
        self.used.finish(of);
    }

    /// The part of the skin that is used; 0 where that is of other inputs.
    pub fn used(&self, of: &SkinUseOf) -> f64 {
        match self.used.is_of(of) {
            true => *self.used.get(),
            false => 0.0,
        }
    }

    /// The points that another box has dropped.
    pub fn left(&self) -> Option<Came> {
        self.left
    }

    /// Notes that another box has dropped points, which may come again.
    pub fn leave(&mut self, left: Came) {
        self.left = Some(left);
    }

    /// Forgets the list.
    pub fn forget(&mut self) {
        (self.list, self.left) = (InPrecision::None, None);
        self.delivered.begin();
        *self.delivered.scratch() = RowsOfCaller::default();
    }
}

/// The square of the largest distance of a point from where it was, to its nearest image.
fn largest_displacement<T: Real>(
    team: &Team,
    reference: &Points<T>,
    (view, periods): (&PointsView<T>, &Periods<T>),
    drift: &Drift,
) -> Result<f64> {
    const POINTS: usize = 1 << 14;
    let lengths = periods.lengths();
    let mut largest: Vec<f64> = Vec::new();
    resize_discarding(&mut largest, team.threads(), 0.0, "displacements")?;
    team.run(&mut largest, view.len().div_ceil(POINTS), |largest, task| {
        for i in task * POINTS..((task + 1) * POINTS).min(view.len()) {
            let mut square = 0.0;
            for (axis, &length) in lengths.iter().enumerate().take(view.dim()) {
                let now = periods.wrap(axis, view.get(axis, i)).to_f64();
                square += drift.square(reference.axes()[axis][i].to_f64(), now, length);
            }
            *largest = largest.max(square);
        }
        Ok(())
    })?;
    Ok(largest.into_iter().fold(0.0, f64::max))
}
