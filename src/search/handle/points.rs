//! The points of a handle: setting them, appending to them, sending them ahead to a GPU.

use super::Search;
use crate::arguments::MAX_POINTS;
use crate::domain::Periods;
use crate::error::{Error, Result, Status};
use crate::gpu::Gpu;
use crate::plan::Backend;
use crate::points::{Points, PointsView, Precision, Real};
use crate::search::precision::{InPrecision, in_precision};
use crate::search::report::Indexed;
use crate::search::session::Session;
use crate::threads::{Team, Vigil};

impl Search {
    /// Sets the points; the handle keeps a copy. On failure it keeps its previous points, but if memory runs out it has none.
    pub fn set_points<T: Precision>(&mut self, view: &PointsView<T>) -> Result<()> {
        let checked = self.check_points(view)?;
        self.take_checked(view, checked)
    }

    /// Takes points that were checked.
    pub(crate) fn take_checked<T: Precision>(
        &mut self,
        view: &PointsView<T>,
        (periods, team): (Periods<T>, Team),
    ) -> Result<()> {
        self.take_points(view, &periods, &team, Points::renew)
    }

    /// Refuses `view` unless all its coordinates are finite and can be wrapped along the periodic axes.
    pub(crate) fn check_points<T: Precision>(&self, view: &PointsView<T>) -> Result<(Periods<T>, Team)> {
        let periods = self.inputs.settings.domain.periods(view.dim())?;
        self.inputs.checked(view)?;
        view.check_wraps(&periods, self.inputs.settings.index_base)?;
        Ok((periods, self.inputs.team_for(view.len())?))
    }

    /// Makes the points of `view`, which `renew` gives a stamp, those of the handle.
    pub(super) fn take_points<T: Precision>(
        &mut self,
        view: &PointsView<T>,
        periods: &Periods<T>,
        team: &Team,
        renew: impl FnOnce(&mut Points<T>, usize),
    ) -> Result<()> {
        let sends = self.sends_ahead();
        let _awake = sends.then(Vigil::begin);
        self.session_of::<T>()?; // forgets points of another precision
        let points = &mut self.session.of::<T>()?.points;
        renew(points, view.len());
        let gpu = self.device.held_mut().filter(|_| sends);
        let copied = match gpu.map(|gpu| send(points, view, periods, gpu, team)) {
            Some(true) => Ok(()),
            _ => points.copy(view, periods, team),
        };
        if let Err(error) = copied {
            self.drop_points();
            return Err(error);
        }
        self.inputs.dim = view.dim();
        self.inputs.set_len(view.len());
        Ok(())
    }

    /// Whether points that are set go to the GPU right away: it searched those before, and these will be searched as they are there.
    fn sends_ahead(&self) -> bool {
        let inputs = &self.inputs;
        let was_there =
            (self.report.plan).is_some_and(|(plan, indexed)| plan.backend == Backend::Gpu && indexed != Indexed::Curve);
        was_there
            && inputs.cell.is_none()
            && !inputs.radii.are_set()
            && self.order.get().points().is_none()
            && inputs.settings.skin == 0.0
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
        self.check_added(view)?;
        self.append_checked(view, ())
    }

    /// Refuses points that cannot follow those held.
    pub(crate) fn check_added<T: Precision>(&self, view: &PointsView<T>) -> Result<()> {
        self.check_after(view, "precision of points")
    }

    /// Appends points that were checked.
    pub(crate) fn append_checked<T: Precision>(&mut self, view: &PointsView<T>, (): ()) -> Result<()> {
        self.points_home()?;
        self.set_ghosts::<T>(&[])?;
        let len = self.inputs.len;
        self.inputs.queries = None;
        let points = &mut self.session_of::<T>()?.points;
        points.truncate(len);
        let added = points.extend(view);
        if added.is_err() {
            points.truncate(len);
        }
        added?;
        self.inputs.len = len + view.len();
        Ok(())
    }

    /// Refuses points that cannot follow the points held: another dimension or precision, or too many.
    pub(super) fn check_after<T: Precision>(&self, view: &PointsView<T>, argument: &'static str) -> Result<()> {
        let points = self.inputs.len;
        self.check_points_held()?;
        let session = self.session_held::<T>(argument)?;
        if (points + view.len()) as i64 > MAX_POINTS {
            let allowed = format_args!(
                "0 to {}, at most {MAX_POINTS} together with the points",
                MAX_POINTS - points as i64
            );
            return Err(Error::not_allowed(Status::BadCount, "n", view.len(), allowed));
        }
        self.inputs.checked(view)?;
        let dim = session.points.dim();
        if dim != view.dim() {
            let allowed = format_args!("{dim}, the dimension of the points");
            return Err(Error::not_allowed(Status::BadDim, "dim", view.dim(), allowed));
        }
        view.check_wraps(session.points.periods(), self.inputs.settings.index_base)
    }

    /// Removes the points.
    pub(super) fn drop_points(&mut self) {
        self.session = InPrecision::None;
        self.forget_precision();
        self.inputs.set_len(0);
    }

    /// Drops the points because the box has changed. A list with a skin stays for them.
    pub(super) fn leave_box(&mut self) {
        let left = match self.check_points_held() {
            Ok(()) if self.inputs.queries.is_none() => Some((self.session.stamp().lineage, self.inputs.len)),
            Ok(()) => None,
            Err(_) => self.skin.left(),
        };
        let skin = std::mem::take(&mut self.skin);
        self.drop_points();
        if let Some(left) = left {
            self.skin = skin;
            self.skin.leave(left);
        }
    }

    /// The session of precision `T`, made where there is none.
    pub(super) fn session_of<T: Precision>(&mut self) -> Result<&mut Session<T>> {
        if self.session.held::<T>().is_none() && self.is_single().is_some() {
            self.forget_precision();
        }
        self.session.of::<T>()
    }

    /// Forgets what was made of points of another precision.
    fn forget_precision(&mut self) {
        self.skin.forget();
        self.nearest.forget();
        self.groups.forget();
    }

    /// Number of points set.
    pub fn len(&self) -> usize {
        self.inputs.owned()
    }

    /// Whether no points are set.
    pub fn is_empty(&self) -> bool {
        self.inputs.owned() == 0
    }

    /// Fails if the handle has no points of its own.
    pub(crate) fn check_points_held(&self) -> Result<()> {
        self.session.check_held()
    }

    /// Dimension of the points held; 0 if there are none.
    pub(crate) fn dim(&self) -> usize {
        match self.check_points_held() {
            Ok(()) => in_precision!(&self.session, session => session.points.dim(), none => 0),
            Err(_) => 0,
        }
    }

    /// Whether the points set are in real32; `None` if there are none.
    pub(crate) fn is_single(&self) -> Option<bool> {
        match &self.session {
            InPrecision::F32(_) => Some(true),
            InPrecision::F64(_) => Some(false),
            InPrecision::None => None,
        }
    }

    /// The points held, in precision `T`: the only one there is.
    pub(crate) fn held<T: Precision>(&self) -> Result<&Points<T>> {
        self.check_points_held()?;
        Ok(&self.session_held::<T>("precision")?.points)
    }

    /// The session, if the points are in precision `T`; `argument` names that in errors.
    fn session_held<T: Precision>(&self, argument: &'static str) -> Result<&Session<T>> {
        let held = match self.is_single() {
            Some(true) => f32::NAME,
            _ => f64::NAME,
        };
        self.session.held::<T>().ok_or_else(|| {
            let allowed = format_args!("{held}, the precision of the points");
            Error::not_allowed(Status::BadValue, argument, T::NAME, allowed)
        })
    }

    /// The first number an id has.
    pub(crate) fn index_base(&self) -> i64 {
        self.inputs.settings.index_base
    }
}

/// Copies the points of `view`, and sends them to `gpu` in the same pass: while a thread waits for the bus, others copy. Says whether
/// that is done; if not, a search will report the failure.
fn send<T: Precision>(
    points: &mut Points<T>,
    view: &PointsView<T>,
    periods: &Periods<T>,
    gpu: &mut Gpu,
    team: &Team,
) -> bool {
    let (stamp, items) = (points.stamp(), [view.len(), view.dim() * size_of::<T>()]);
    let Ok(copying) = points.copying(view, periods, Gpu::share_of(team, items)) else {
        return false;
    };
    let sent = gpu.send(items, stamp, team, |range, put| copying.copy(range, put));
    gpu.take_seconds(); // they belong to no query
    sent.is_ok()
}
