//! The k nearest neighbors.

use super::{Run, Search};
use crate::arguments::check_len;
use crate::cpu::knn::KnnRows;
use crate::error::{Error, Result, Status, number};
use crate::list::Rows;
use crate::measure::Measure;
use crate::points::Precision;
use crate::search::inputs::Asked;
use crate::search::knn::{Ask, Knn, KnnKind, Lengths, bound_of, rows_of};

impl Search {
    /// Sets the radius within which [`knn`](Search::knn) searches, in the unit of the coordinates; 0 (default) for any distance.
    /// A row then lists the nearest points that a search with this cutoff finds, by the same tie rule, and may have fewer than `k`.
    ///
    /// ```
    /// # use neargrid::{Measure, KnnKind, PointsView, Search};
    /// # let mut search = Search::new()?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 3.0])?)?;
    /// search.set_knn_within(1.5)?;
    /// let nearest = search.knn::<f64>(KnnKind::Others, 1, Measure::Distance)?;
    /// assert_eq!((nearest.ids, nearest.counts), (&[1, 0, -1][..], &[1, 1, 0][..]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn set_knn_within(&mut self, radius: f64) -> Result<()> {
        if !(radius.is_finite() && radius >= 0.0) {
            let allowed = "finite and greater than 0, or 0 for any distance";
            return Err(Error::not_allowed(Status::BadRadius, "radius", number(radius), allowed));
        }
        self.inputs.settings.knn_within = Some(radius).filter(|&radius| radius > 0.0);
        Ok(())
    }

    /// The `k` nearest points of each active point or query, with `k` from 1 to 1024, in memory of the handle. `T` is the
    /// precision of the points. No cutoff is needed.
    ///
    /// Rows are ordered by squared distance and then by id, or by global id if points have them. The squared distance is that of
    /// [`pair_distances`](Search::pair_distances) before the root, and may be infinite. Along a periodic axis of any length, each
    /// point counts once, at its nearest image. With [`KnnKind::Others`] a point is not its own neighbor, but points that
    /// coincide with it are. Every point can be a neighbor, including ghosts, whatever its type; ghosts have no row.
    ///
    /// ```
    /// use neargrid::{Measure, KnnKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 3.0])?)?;
    /// let nearest = search.knn::<f64>(KnnKind::Others, 1, Measure::Distance)?;
    /// assert_eq!((nearest.ids, nearest.distances), (&[1, 0, 1][..], &[1.0, 1.0, 2.0][..]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn knn<T: Precision>(&mut self, kind: KnnKind, k: usize, measure: Measure) -> Result<Knn<'_, T>> {
        let rows = self.check_knn::<T>(kind, k as i64)?;
        let bytes = (rows * k * (size_of::<i32>() + size_of::<T>()) + rows * size_of::<i32>()) as u64;
        self.inputs.check_limit("the list of k nearest neighbors", bytes)?;
        let mut list = self.nearest.take_list::<T>()?;
        list.resize(k, rows)?;
        let lengths = self.knn_into_rows(kind, k, measure, list.rows())?;
        self.nearest.keep_list(k, lengths, list)
    }

    /// Copies the rows of [`knn`](Search::knn) to `ids` and `distances`, which have `k` elements for each row. Returns the number
    /// of neighbors of each row: `k`, or fewer if there are not enough points. Within a radius it is the most that a row can have, and the
    /// first missing id ends a row.
    pub fn knn_into<T: Precision>(
        &mut self,
        kind: KnnKind,
        k: usize,
        measure: Measure,
        ids: &mut [i32],
        distances: &mut [T],
    ) -> Result<usize> {
        let elements = self.check_knn::<T>(kind, k as i64)? * k;
        check_len("the length of ids", ids.len(), elements)?;
        check_len("the length of distances", distances.len(), elements)?;
        let into = KnnRows {
            ids: Rows::new(ids),
            distances: Some(Rows::new(distances)),
        };
        match self.knn_into_rows(kind, k, measure, into)? {
            Lengths::Same(found) => Ok(found),
            Lengths::OfIds { .. } => Ok(k),
        }
    }

    /// The number of rows of a kind: the number of active points, or of queries.
    pub fn knn_rows(&self, kind: KnnKind) -> Result<usize> {
        self.check_points_held()?;
        rows_of(&self.inputs, kind)
    }

    /// The number of rows, after all checks.
    pub(crate) fn check_knn<T: Precision>(&self, kind: KnnKind, k: i64) -> Result<usize> {
        self.held::<T>()?;
        bound_of::<T>(&self.inputs.settings)?;
        Ok(Ask::new(&self.inputs, kind, k, Measure::Distance)?.rows)
    }

    /// [`knn_into`](Search::knn_into) for memory that need not be initialised, all of it checked.
    pub(crate) fn knn_into_rows<T: Precision>(
        &mut self,
        kind: KnnKind,
        k: usize,
        measure: Measure,
        mut into: KnnRows<T>,
    ) -> Result<Lengths> {
        self.held::<T>()?;
        let ask = Ask::new(&self.inputs, kind, k as i64, measure)?;
        self.carry_out(Asked::Nearest, |search, plan, team| {
            let run = &mut Run {
                device: search.device.planned(plan),
                report: &mut search.report,
            };
            let session = search.session.of::<T>()?;
            (search.nearest).find(run, &search.inputs, (plan, team), session, ask, into.again())
        })
    }
}
