//! The points of this rank alone, for searches beside that of points and ghosts.

use super::Search;
use crate::error::{Error, Result};
use crate::plan::Settings;
use crate::points::Precision;
use crate::search::knn::bound_of;
use crate::version::Version;

impl Search {
    /// The version of the points that were set together. With [`len`](Search::len) it tells all points without ghosts.
    pub(crate) fn version_of_own(&self) -> Version {
        self.session.stamp().first
    }

    /// Gives `other` the settings of this handle.
    pub(crate) fn share_settings(&self, other: &mut Search) {
        other.inputs.in_parallel = self.inputs.in_parallel;
        other.inputs.settings = Settings {
            skin: 0.0,
            ..self.inputs.settings.clone()
        };
    }

    /// Gives `other` the points without ghosts.
    pub(crate) fn share_points<T: Precision>(&mut self, other: &mut Search) -> Result<()> {
        self.points_home()?;
        let view = self.held::<T>()?.view().part(0..self.len());
        other.set_points(&view)
    }

    /// The largest square of the k nearest, where they are searched within a radius.
    pub(crate) fn knn_bound<T: Precision>(&self) -> Result<Option<T>> {
        bound_of::<T>(&self.inputs.settings)
    }

    /// Finds the groups of points and ghosts, whose [`labels`](Search::labels) and coordinates can be read after that.
    pub(crate) fn prepare_groups(&mut self) -> Result<()> {
        if self.inputs.kinds.primary_of(self.inputs.len)?.is_some() {
            let what = "groups with primary types (set_primary_types) across ranks";
            return Err(Error::NotSupported { what });
        }
        self.fof()?;
        self.points_home()
    }

    /// The labels of points and ghosts, found last.
    pub(crate) fn labels(&self) -> &[i32] {
        self.groups.show().labels
    }
}
