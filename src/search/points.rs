//! The points of a handle: setting them, appending to them, sending them ahead to a GPU.

use super::inputs::Inputs;
use super::{Precision, Search};
use crate::domain::Periods;
use crate::error::Result;
use crate::plan::Backend;
use crate::points::{Points, PointsView};
use crate::search::session::InSessions;
use crate::threads::Team;

impl Search {
    /// Sets the points; the handle keeps a copy. On failure it keeps its previous points, but if memory runs out it has none.
    pub fn set_points<T: Precision>(&mut self, view: &PointsView<T>) -> Result<()> {
        let (periods, team) = self.check_points(view)?;
        self.take_points(view, &periods, &team, Points::set)
    }

    /// Refuses `view` unless all its coordinates are finite and can be wrapped along the periodic axes.
    pub(super) fn check_points<T: Precision>(&self, view: &PointsView<T>) -> Result<(Periods<T>, Team)> {
        let periods = self.inputs.settings.domain.periods(view.dim())?;
        self.inputs.checked(view)?;
        view.check_wraps(&periods, self.inputs.settings.index_base)?;
        Ok((periods, self.inputs.team_for(view.len())?))
    }

    /// Makes the points of `view`, which `take` copies, those of the handle.
    pub(super) fn take_points<T: Precision>(
        &mut self,
        view: &PointsView<T>,
        periods: &Periods<T>,
        team: &Team,
        take: impl FnOnce(&mut Points<T>, &PointsView<T>, &Periods<T>, &Team) -> Result<()>,
    ) -> Result<()> {
        let points = &mut T::session(&mut self.sessions)?.points;
        if let Err(error) = take(points, view, periods, team) {
            self.drop_points();
            return Err(error);
        }
        (self.inputs.len, self.inputs.queries, self.inputs.borrowed) = (view.len(), None, false);
        self.send(view, team);
        Ok(())
    }

    /// Appends points to those already set, with the same dimension and precision; for example ghosts that arrive later. Queries
    /// are discarded and everything else stays set. On failure the handle keeps its points.
    ///
    /// ```
    /// # use neargrid::{PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.5)?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0])?)?;
    /// search.add_points(&PointsView::interleaved(1, &[2.0])?)?;
    /// assert_eq!(search.pairs()?.right, [1, 2]);
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn add_points<T: Precision>(&mut self, view: &PointsView<T>) -> Result<()> {
        self.check_behind(view, "precision of points")?;
        let len = self.inputs.len;
        let points = &mut T::session(&mut self.sessions)?.points;
        points.truncate(len);
        self.inputs.queries = None;
        let added = points.extend(view);
        if added.is_err() {
            points.truncate(len);
        }
        added?;
        self.inputs.len = len + view.len();
        Ok(())
    }

    /// Sends the points, which are those of `view`, ahead to the GPU that searched those before, if they will be searched as they
    /// stand there. What goes wrong with it the search will find out.
    fn send<T: Precision>(&mut self, view: &PointsView<T>, team: &Team) {
        let (inputs, report) = (&self.inputs, &self.report);
        let was_there = report.plan.is_some_and(|plan| plan.backend == Backend::Gpu) && !report.asked_tree;
        let as_they_stand = !inputs.radii.are_set() && !inputs.ids.are_set() && inputs.settings.skin == 0.0;
        let Some(gpu) = self.device.held_mut().filter(|_| was_there && as_they_stand) else {
            return;
        };
        let Some(points) = T::session_held(&self.sessions).map(|session| &session.points) else {
            return;
        };
        // The caller's coordinates where they are not wrapped: most stand point after point, as on the device.
        let (held, is_open) = (points.view(), points.periods().is_open());
        let _ = gpu.send(if is_open { view } else { &held }, points.stamp(), team);
        gpu.take_seconds(); // they belong to no query
    }
}

impl Inputs {
    /// `view`, if all its coordinates are finite, and what was seen of it on the way.
    pub fn checked<'a, T: Precision>(&self, view: &PointsView<'a, T>) -> Result<PointsView<'a, T>> {
        view.checked(self.settings.index_base, &self.team_for(view.len())?)
    }
}
