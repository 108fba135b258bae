//! Types, active points and ghosts.

use super::Search;
use crate::arguments::MAX_POINTS;
use crate::error::{Error, Result, Status};
use crate::kinds::{GhostPairs, GhostRows, Role};

impl Search {
    /// Sets a type for each point, numbered from the index base, and which types interact: `mask` is a symmetric
    /// `ntypes * ntypes` table of at most 32 types. Points whose types do not interact are not neighbors. Types remain when
    /// points are set again, and the next query checks that they match the points. An empty slice removes them. Queries have no
    /// type: their rows list every point in reach.
    pub fn set_types(&mut self, types: &[i32], mask: &[bool]) -> Result<()> {
        self.inputs
            .kinds
            .set_types(types, self.inputs.settings.index_base, mask)
    }

    /// Sets a cutoff for each pair of types: `cutoffs` is a symmetric `ntypes * ntypes` table for the types of
    /// [`set_types`](Search::set_types), whose mask still holds. Points of types with the cutoff 0 are not neighbors. The table
    /// replaces the cutoff of [`set_cutoff`](Search::set_cutoff) for rows of points. Cutoffs have the range of a single one; for `f32` points
    /// each is rounded to `f32`. The table remains when types are set again, and the next query checks that it matches them. An
    /// empty slice removes it. Rows of queries, which have no type, groups and k nearest neighbors do not depend on it.
    ///
    /// ```
    /// # use neargrid::{PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 1.5, 2.5])?)?;
    /// search.set_types(&[0, 0, 1, 1], &[true; 4])?;
    /// search.set_type_cutoffs(&[1.0, 0.5, 0.5, 0.0])?;
    /// let pairs = search.pairs()?;
    /// assert_eq!((pairs.left, pairs.right), (&[0, 1][..], &[1, 2][..]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn set_type_cutoffs(&mut self, cutoffs: &[f64]) -> Result<()> {
        self.inputs.kinds.set_cutoffs(cutoffs, self.inputs.settings.index_base)
    }

    /// Sets how many of the points are active. The first `active` points are active and the rest are ghosts, which are neighbors
    /// of active points but not of other ghosts. `None` (default) means that all points are active.
    pub fn set_active(&mut self, active: Option<i64>) -> Result<()> {
        if let Some(active) = active.filter(|active| !(0..=MAX_POINTS).contains(active)) {
            let allowed = format_args!("0 to {MAX_POINTS}");
            return Err(Error::not_allowed(Status::BadCount, "n_active", active, allowed));
        }
        self.inputs.kinds.set_active(active.map(|active| active as usize));
        Ok(())
    }

    /// Sets the role of each point, so that active points, ghosts and points that take no part may come in any order. Roles
    /// replace what [`set_active`](Search::set_active) has set, and `set_active` replaces them. They remain when points are set
    /// again, and the next query checks that they match the points. An empty slice removes them: all points are active.
    ///
    /// A pair of an active point and a ghost is in the half row of the active point, whatever their numbers. `left` of such a
    /// pair is the active point.
    ///
    /// ```
    /// # use neargrid::{PointsView, Role, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.5)?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.0, 3.0])?)?;
    /// search.set_roles(&[Role::Ghost, Role::Active, Role::Active, Role::Absent])?;
    /// let pairs = search.pairs()?;
    /// assert_eq!((pairs.left, pairs.right), (&[1, 1][..], &[0, 2][..]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn set_roles(&mut self, roles: &[Role]) -> Result<()> {
        self.set_roles_by(roles.len(), |point| Ok(roles[point]))
    }

    /// [`set_roles`](Search::set_roles) by a function of the point.
    pub(crate) fn set_roles_by(&mut self, len: usize, role: impl Fn(usize) -> Result<Role>) -> Result<()> {
        self.inputs.kinds.set_roles(len, role)
    }

    /// Sets which points the full rows of ghosts list. Pairs, half rows and the rows of active points do not depend on it.
    ///
    /// ```
    /// # use neargrid::{GhostRows, NeighborsKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.5)?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.0])?)?;
    /// search.set_active(Some(1))?;
    /// for (rows, ids) in [
    ///     (GhostRows::Active, &[1, 0][..]),
    ///     (GhostRows::All, &[1, 0, 2, 1]),
    ///     (GhostRows::None, &[1]),
    /// ] {
    ///     search.set_ghost_rows(rows);
    ///     assert_eq!(search.neighbors(NeighborsKind::Full)?.ids, ids);
    /// }
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn set_ghost_rows(&mut self, rows: GhostRows) {
        self.inputs.kinds.set_ghost_rows(rows);
    }

    /// Sets which pairs of an active point and a ghost appear in pairs and half rows. Full rows always contain all of them.
    ///
    /// ```
    /// # use neargrid::{GhostPairs, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.5)?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.0])?)?;
    /// search.set_ids(&[70, 50, 40])?;
    /// search.set_active(Some(2))?;
    /// assert_eq!(search.pairs()?.right, [2, 0]);
    /// search.set_ghost_pairs(GhostPairs::LargerIds);
    /// assert_eq!(search.pairs()?.right, [0]); // 40 is not above 50
    /// search.set_ids(&[70, 50, 60])?;
    /// assert_eq!(search.pairs()?.right, [2, 0]); // and 60 is
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn set_ghost_pairs(&mut self, pairs: GhostPairs) {
        self.inputs.kinds.set_ghost_pairs(pairs);
    }
}
