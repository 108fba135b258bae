//! Points of a handle: set, added behind those that are there, sent ahead to a GPU.

use super::session::Sessions;
use super::{Precision, Search};
use crate::error::Result;
use crate::plan::Backend;
use crate::points::PointsView;
use crate::threads::Team;

impl Search {
    /// Copies the points. On failure the handle keeps the points it had, except when memory runs out: then it has none.
    pub fn set_points<T: Precision>(&mut self, view: &PointsView<T>) -> Result<()> {
        let periods = self.settings.domain.periods(view.dim())?;
        self.checked(view)?;
        view.check_wraps(&periods, self.settings.index_base)?;
        self.forget(true);
        (self.len, self.queries) = (0, 0);
        self.drop_skin();
        let team = Team::new(self.settings.threads(view.len(), self.in_parallel).0)?;
        let copied = T::session(self).points.set(view, &periods, &team);
        if copied.is_err() {
            self.session = Sessions::None;
        }
        copied?;
        (self.len, self.borrowed) = (view.len(), false);
        self.send(view, &team);
        Ok(())
    }

    /// Sets more points, of the dim and precision of those that are there, behind them: ghosts, say, that come later. Queries are
    /// forgotten; all else as for [`set_points`](Search::set_points), but on failure the points stay.
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
        let points = self.len;
        let session = T::session(self);
        session.points.truncate(points);
        let added = session.points.extend(view);
        if added.is_err() {
            session.points.truncate(points);
        }
        self.queries = 0;
        self.drop_skin();
        self.forget(true);
        added?;
        self.len = points + view.len();
        Ok(())
    }

    /// Sends the points, which are those of `view`, ahead to the GPU that searched those before, if they will be searched as they
    /// stand there. What goes wrong with it the search will find out.
    fn send<T: Precision>(&mut self, view: &PointsView<T>, team: &Team) {
        let was_there = self.plan.is_some_and(|plan| plan.backend == Backend::Gpu) && !self.asked_tree;
        let as_they_stand = !self.radii.are_set() && !self.global_ids.are_set() && self.settings.skin == 0.0;
        let Some(mut gpu) = self.gpu.take() else { return };
        if was_there && as_they_stand {
            let points = &T::session(self).points;
            // The caller's coordinates where they are not wrapped: most stand point after point, as on the device.
            let (held, is_open) = (points.view(), points.periods().is_open());
            let _ = gpu.send(if is_open { view } else { &held }, points.first_version(), team);
            gpu.take_seconds(); // of no query
        }
        self.gpu = Some(gpu);
    }

    /// `view`, if all its coordinates are finite, and what was seen of it on the way.
    pub(super) fn checked<'a, T: Precision>(&self, view: &PointsView<'a, T>) -> Result<PointsView<'a, T>> {
        let team = Team::new(self.settings.threads(view.len(), self.in_parallel).0)?;
        view.checked(self.settings.index_base, &team)
    }
}
