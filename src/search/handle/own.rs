//! The points of this rank alone, for searches beside that of points and ghosts.

use std::ops::Range;

use super::Search;
use crate::error::{Result, Words, words};
use crate::plan::Settings;
use crate::points::Precision;
use crate::search::knn::{KnnKind, bound_of};
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

    /// Gives `other` the number of active points, where k nearest of a kind have rows of these; refused where they do not come first.
    pub(crate) fn share_active(&self, other: &mut Search, kind: KnnKind) -> Result<()> {
        self.inputs.check_all_take_part()?;
        let active = match kind {
            KnnKind::Queries => None,
            _ => Some(self.knn_rows(kind)?),
        };
        other.inputs.kinds.set_active(active);
        Ok(())
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

    /// Finds the groups of points and ghosts, whose [`labels`](Search::labels) and coordinates can be read after that. Without points there
    /// are none.
    pub(crate) fn prepare_groups(&mut self) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        self.fof()?;
        self.points_home()
    }

    /// The labels of points and ghosts, found last.
    pub(crate) fn labels(&self) -> &[i32] {
        match self.is_empty() {
            true => &[],
            false => self.groups.show().labels,
        }
    }

    /// Whether the labels are those of the current points and settings.
    pub(crate) fn has_labels(&self) -> bool {
        self.is_empty() || self.groups.has(&self.inputs.fof_of(self.session.stamp()))
    }

    /// Whether points of some types link nothing, and join the group of the nearest point that links.
    pub(crate) fn has_primary_types(&self) -> bool {
        self.inputs.kinds.groups_versions().is_some()
    }

    /// The box, for ranks to compare.
    pub(crate) fn box_in_words(&self) -> Words {
        words(format_args!("{:?}", self.inputs.settings.domain))
    }
}
