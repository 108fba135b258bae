//! Types, active points and ghosts; queries among the points.

use super::{Neighbors, NeighborsKind, Precision, Search};
use crate::arguments::MAX_POINTS;
use crate::error::{Error, Result, Status};
use crate::kinds::GhostPairs;
use crate::list::Rows;
use crate::points::{PointsView, Real};
use crate::search::session::InSessions;

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

    /// Sets queries: a second set of points whose neighbors among the points are searched. They have the dimension and precision
    /// of the points. Setting points discards them. On failure there are no queries.
    pub fn set_queries<T: Precision>(&mut self, view: &PointsView<T>) -> Result<()> {
        self.check_behind(view, "precision of queries")?;
        let points = self.inputs.len;
        let held = &mut T::session(&mut self.sessions)?.points;
        held.truncate(points);
        let appended = held.append(view);
        if appended.is_err() {
            held.truncate(points);
        }
        self.inputs.queries = appended.is_ok().then_some(view.len());
        appended
    }

    /// Refuses points that cannot follow the points held: another dimension or precision, or too many.
    pub(super) fn check_behind<T: Precision>(&self, view: &PointsView<T>, argument: &'static str) -> Result<()> {
        let points = self.inputs.len;
        self.inputs.check_held(&self.sessions)?;
        let Some(session) = T::session_held(&self.sessions) else {
            let held = if self.is_single() == Some(true) {
                f32::NAME
            } else {
                f64::NAME
            };
            let allowed = format_args!("{held}, the precision of the points");
            return Err(Error::not_allowed(Status::BadValue, argument, T::NAME, allowed));
        };
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

    /// Counts the ids in the rows of all queries.
    pub fn count_queries(&mut self) -> Result<i64> {
        self.count_neighbors(NeighborsKind::Queries)
    }

    /// The points in reach of each query, including points that coincide with it, in memory of the handle: row `q` belongs to
    /// query `q`.
    pub fn queries(&mut self) -> Result<Neighbors<'_>> {
        self.neighbors(NeighborsKind::Queries)
    }

    /// Copies the ids of the rows of all queries to the start of `ids`. Returns the offsets and the number of ids. If `ids` is
    /// too small, the same applies as for [`pairs_into`](Search::pairs_into).
    pub fn queries_into(&mut self, ids: &mut [i32]) -> Result<(&[i64], usize)> {
        self.neighbors_into_rows("capacity", NeighborsKind::Queries, Rows::new(ids), &|_| Ok(()))
    }
}
