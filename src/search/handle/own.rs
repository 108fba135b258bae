//! The points of this rank alone, for searches beside that of points and ghosts.

use std::ops::Range;

use super::Search;
use crate::error::{Error, Result, Words, words};
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

    /// Gives `other`, which has the points, the queries.
    pub(crate) fn share_queries<T: Precision>(&self, other: &mut Search) -> Result<()> {
        let view = self.held::<T>()?.view().part(self.queries_held()?);
        other.set_queries(&view)
    }

    /// The numbers of the queries, among those of points and ghosts.
    pub(crate) fn queries_held(&self) -> Result<Range<usize>> {
        let queries = self.inputs.queries_set()?;
        Ok(self.inputs.len..self.inputs.len + queries)
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

    /// Whether the labels are those of the current points and settings.
    pub(crate) fn has_labels(&self) -> bool {
        self.groups.has(&self.inputs.fof_of(self.session.stamp()))
    }

    /// The box, for ranks to compare.
    pub(crate) fn box_in_words(&self) -> Words {
        words(format_args!("{:?}", self.inputs.settings.domain))
    }
}
