//! Global ids: setting them, and the layouts of lists that follow from them.

use super::Search;
use crate::error::Result;

/// How a list is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// As it is searched: rows and numbers in that order.
    Searched,
    /// Rows as they are searched, of points as the caller calls them: pairs.
    Pairs,
    /// Rows and points as the caller calls them: neighbors.
    Rows,
}

impl Search {
    /// Sets a global id per point, each once, any numbers: pairs and neighbors then follow them, not the points' numbers, while
    /// what is delivered stays the numbers. `left` of a pair is the point of the smaller id, or of an active point and a
    /// ghost the active one; pairs ascend by the ids of left and right, rows by the ids in them, and a half row lists what
    /// has a larger id than its point, and ghosts. Row `i` remains that of point `i`. Ids are checked against the points by
    /// the next query, and stay when points are set anew; no ids at all undo them. On failure nothing changes.
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
        self.inputs.ids.set(ids, self.inputs.settings.index_base, &team)
    }
}
