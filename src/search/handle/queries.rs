//! Queries: other points, whose neighbors among the points are searched.

use super::Search;
use crate::error::Result;
use crate::list::Rows;
use crate::points::{PointsView, Precision};
use crate::search::neighbors::{Neighbors, NeighborsKind};

impl Search {
    /// Sets queries: a second set of points whose neighbors among the points are searched. They have the dimension and precision
    /// of the points. Setting points discards them. On failure there are no queries.
    pub fn set_queries<T: Precision>(&mut self, view: &PointsView<T>) -> Result<()> {
        self.check_queries(view)?;
        self.take_queries(view, ())
    }

    /// Refuses what cannot be queries of the points.
    pub(crate) fn check_queries<T: Precision>(&self, view: &PointsView<T>) -> Result<()> {
        self.check_after(view, "precision of queries")
    }

    /// Takes queries that were checked.
    pub(crate) fn take_queries<T: Precision>(&mut self, view: &PointsView<T>, (): ()) -> Result<()> {
        self.points_home()?;
        let points = self.inputs.len;
        let held = &mut self.session_of::<T>()?.points;
        held.truncate(points);
        let appended = held.append(view);
        if appended.is_err() {
            held.truncate(points);
        }
        self.inputs.queries = appended.is_ok().then_some(view.len());
        appended
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
