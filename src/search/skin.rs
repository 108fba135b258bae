//! Points that move: a list made with a skin is kept while no point has moved by more than half the skin, and filtered by the
//! exact test at every query (Verlet 1967, "Computer experiments on classical fluids").

use super::ids::Layout;
use super::list::Ids;
use super::made_from::SkinListOf;
use super::session::{Precision, Session};
use super::steps::{Ask, Run};
use super::{NeighborsKind, Search};
use crate::cpu::verlet::Decided;
use crate::drift::Drift;
use crate::error::{Error, Result};
use crate::ids::Offsets;
use crate::list::{holds, resize_discarding};
use crate::points::{Points, PointsView, Real};
use crate::search::session::InSessions;
use crate::threads::Team;
use crate::version::Version;

/// A list that holds more than is in reach, and where the points were when it was made.
#[derive(Debug, Default)]
pub struct SkinList<T> {
    offsets: Offsets,
    ids: Ids,
    reference: Points<T>,
    /// What the last count found out about the list.
    decided: Decided<T>,
}

holds! { SkinList<T> { offsets, ids, reference, decided } }

impl<T: Real> SkinList<T> {
    /// Where the points were when the list was made.
    pub fn reference(&self) -> &Points<T> {
        &self.reference
    }

    /// Offsets and ids.
    pub fn rows(&self) -> (&[i64], &[i32]) {
        (&self.offsets, &self.ids)
    }

    /// Offsets and ids, and what counting finds out about them.
    pub fn parts(&mut self) -> ((&[i64], &[i32]), &mut Decided<T>) {
        ((&self.offsets, &self.ids), &mut self.decided)
    }
}

impl Run<'_> {
    /// Builds the list with the skin, unless there is one that `serves` for this one; returns its version.
    pub fn skin_list<T: Precision>(
        &mut self,
        session: &mut Session<T>,
        kind: NeighborsKind,
        serves: fn(&SkinListOf, &SkinListOf) -> bool,
    ) -> Result<Version> {
        let of = (self.inputs).skin_list_of(session.points.stamp(), kind, self.order_of());
        let is_there = session.skin.of().is_some_and(|made| serves(made, &of));
        if let Some(version) = session.skin.version().filter(|_| is_there) {
            return Ok(version);
        }
        let settings = &self.inputs.settings;
        let ask = Ask {
            kind,
            cutoff: settings.cutoff()? + settings.skin,
            base: settings.index_base,
            layout: Some(Layout::Searched),
            kept: None,
            is_listed: true,
            from_verlet: false,
        };
        let from = self.index(session, None, &ask)?;
        self.count(session, None, &ask, from)?;
        self.check_list(session, 1)?;
        let mut ids = std::mem::take(&mut session.skin.begin().ids); // their memory, for the new list
        self.fill_ids(session, &mut ids, &ask, Layout::Searched, None)?;
        let list = session.skin.begin();
        list.ids = ids;
        std::mem::swap(&mut list.offsets, &mut self.found.counts.begin().offsets);
        list.reference.copy_from(&session.points)?;
        session.skin.finish(of);
        self.report.lists_made += 1;
        session.skin.version().ok_or(Error::NO_POINTS)
    }
}

impl Search {
    /// Sets the points as [`set_points`](Search::set_points) does, but keeps the list built with the skin if no point has moved
    /// too far since. Returns whether the list has to be rebuilt, which is also the case if settings, or the number, dimension or
    /// precision of the points changed.
    pub fn update<T: Precision>(&mut self, view: &PointsView<T>) -> Result<bool> {
        let (periods, team) = self.check_points(view)?;
        let moved = self.displacement(view, &team)?;
        let keeps = moved.is_some_and(|(drift, square)| drift.is_allowed(square));
        match keeps {
            true => self.take_points(view, &periods, &team, Points::move_to)?,
            false => self.take_points(view, &periods, &team, Points::set)?,
        }
        let of = self.inputs.skin_use_of(self.sessions.stamp());
        if let Some((drift, square)) = moved {
            *self.skin_used.begin() = drift.used(square);
            self.skin_used.finish(of);
        }
        Ok(!keeps)
    }

    /// How much of the skin the last update used: twice the largest displacement since the list was built, divided by the skin.
    /// It is 0 before an update, and if points or settings changed in another way since.
    pub fn skin_used(&self) -> f64 {
        let of = self.inputs.skin_use_of(self.sessions.stamp());
        if self.skin_used.is_of(&of) {
            *self.skin_used.get()
        } else {
            0.0
        }
    }

    /// The square of the largest displacement of the points of `view` since the list was made, and what measured it; `None`
    /// where there is no list of such points for the current settings.
    fn displacement<T: Precision>(&self, view: &PointsView<T>, team: &Team) -> Result<Option<(Drift, f64)>> {
        let Some(session) = T::session_held(&self.sessions) else {
            return Ok(None);
        };
        let of = self.inputs.skin_of(session.points.stamp());
        let (skin, reference) = (&session.skin, session.skin.get().reference());
        let has_list = skin.of().is_some_and(|made| made.skin() == of) && !self.inputs.borrowed;
        if !has_list || (reference.len(), reference.dim()) != (view.len(), view.dim()) {
            return Ok(None);
        }
        let settings = &self.inputs.settings;
        let drift = Drift::new(
            settings.cutoff()?,
            settings.skin,
            T::ROUNDOFF,
            reference.periods().slack(),
        );
        let square = largest_displacement(team, reference, view, &drift)?;
        Ok(Some((drift, square)))
    }
}

/// The square of the largest distance of a point from where it was, to its nearest image.
fn largest_displacement<T: Real>(
    team: &Team,
    reference: &Points<T>,
    view: &PointsView<T>,
    drift: &Drift,
) -> Result<f64> {
    const POINTS: usize = 1 << 14;
    let lengths = reference.periods().lengths();
    let mut largest: Vec<f64> = Vec::new();
    resize_discarding(&mut largest, team.threads(), 0.0, "displacements")?;
    team.run(&mut largest, view.len().div_ceil(POINTS), |largest, task| {
        for i in task * POINTS..((task + 1) * POINTS).min(view.len()) {
            let mut square = 0.0;
            for (axis, &length) in lengths.iter().enumerate().take(view.dim()) {
                let now = reference.periods().wrap(axis, view.get(axis, i)).to_f64();
                square += drift.square(reference.axes()[axis][i].to_f64(), now, length);
            }
            *largest = largest.max(square);
        }
        Ok(())
    })?;
    Ok(largest.into_iter().fold(0.0, f64::max))
}
