//! Ghosts of other ranks: points after those of the handle, which rows list and which have no rows of their own.

use super::Search;
use super::skin::Moved;
use crate::error::Result;
use crate::points::{PointsView, Precision};
use crate::search::inputs::Inputs;
use crate::search::neighbors::NeighborsKind;
use crate::search::precision::in_precision;
use crate::version::Version;

impl Search {
    /// Makes the points of `parts` the ghosts, one part after the other, in the place of those before. Queries stay.
    pub(crate) fn set_ghosts<T: Precision>(&mut self, parts: &[PointsView<T>]) -> Result<()> {
        let (owned, queries) = (self.inputs.owned(), self.inputs.queries);
        self.inputs.kinds.set_active(Some(owned));
        if self.inputs.ghosts == 0 && parts.iter().all(PointsView::is_empty) {
            return Ok(());
        }
        self.points_home()?;
        let len = self.inputs.len;
        (self.inputs.len, self.inputs.ghosts, self.inputs.queries) = (owned, 0, None);
        let points = &mut self.session_of::<T>()?.points;
        let after = points.take_from(len)?;
        points.truncate(owned);
        let added = parts.iter().try_for_each(|part| points.extend(part));
        let ghosts = points.len() - owned;
        let back = added.and_then(|()| points.put_back(&after));
        if back.is_err() {
            points.truncate(owned);
        }
        back?;
        (self.inputs.len, self.inputs.ghosts, self.inputs.queries) = (owned + ghosts, ghosts, queries);
        Ok(())
    }

    /// The number of ghosts of other ranks.
    pub(crate) fn ghosts(&self) -> usize {
        self.inputs.ghosts
    }

    /// The points that the handle holds are these as long as the version is the same, wherever they move.
    pub(crate) fn lineage(&self) -> Version {
        self.session.stamp().lineage
    }

    /// The inputs.
    pub(crate) fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The same, to give the points of a kind what ghosts have of it.
    pub(crate) fn inputs_mut(&mut self) -> &mut Inputs {
        &mut self.inputs
    }

    /// The distance within which points may be neighbors in rows of a kind, from a list with a skin too. In real64, rounded as the points
    /// are.
    pub(crate) fn reach_of(&self, kind: NeighborsKind) -> Result<f64> {
        let inputs = &self.inputs;
        let cutoff = match inputs.is_by_radii(kind) {
            true => inputs.radii.most(),
            false => inputs.cutoff(kind)?,
        };
        let skin = if inputs.has_skin(kind) { inputs.settings.skin } else { 0.0 };
        Ok(in_precision!(&self.session, session => session.points.rounded(cutoff + skin), none => cutoff + skin))
    }

    /// Moves the points to those of `view`, after which are the ghosts, where a list with a skin keeps them all.
    pub(crate) fn move_with_ghosts<T: Precision>(&mut self, view: &PointsView<T>, moved: Option<Moved>) -> Result<()> {
        let ghosts = self.inputs.ghosts;
        self.take_moved(view, moved, true)?;
        self.inputs.ghosts = ghosts;
        Ok(())
    }
}
