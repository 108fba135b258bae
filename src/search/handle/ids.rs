//! Global ids.

use super::Search;
use crate::error::Result;
use crate::version::Version;

impl Search {
    /// Sets a global id for each point, any values that no two active points share. Results then follow the ids instead of the
    /// point numbers, but still contain point numbers. `left` of a pair is the point with the smaller id, or the active point of an
    /// active point and a ghost. Pairs are ordered by the ids of left and right, and rows by the ids of their entries. A half row
    /// lists the points with a larger id than its own point, and ghosts. Points with the same id are ordered by their numbers. Row
    /// `i` is still the row of point `i`. Ids remain when points are set again, and the next query checks that they match the
    /// points. An empty slice removes them. On failure the previous ids remain.
    ///
    /// ```
    /// # use neargrid::{PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.5)?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.0])?)?;
    /// search.set_ids(&[70, -5, 1 << 40])?;
    /// let pairs = search.pairs()?;
    /// assert_eq!((pairs.left, pairs.right), (&[1, 1][..], &[0, 2][..]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn set_ids(&mut self, ids: &[i64]) -> Result<()> {
        let team = self.inputs.team_for(ids.len())?;
        let (base, roles) = (self.inputs.settings.index_base, self.inputs.kinds.roles());
        let is_active = |point: u32| roles.is_active(point as usize);
        self.inputs.ids.set(ids, base, is_active, &team)
    }

    /// The version of the ids that were set.
    pub(crate) fn version_of_ids(&self) -> Version {
        self.inputs.ids.version_of_set()
    }

    /// Sets the ids of the ghosts of other ranks. Those of the points stay.
    pub(crate) fn set_ghost_ids(&mut self, ids: &[i64]) -> Result<()> {
        let team = self.inputs.team_for(ids.len())?;
        let (own, base) = (self.inputs.owned(), self.inputs.settings.index_base);
        self.inputs.ids.set_after(own, ids, base, &team)
    }
}
