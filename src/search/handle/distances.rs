//! Distances and displacements of pairs.

use super::Search;
use crate::arguments::check_len;
use crate::displacement::{Between, PairList, Quantity};
use crate::error::Result;
use crate::fields::Of;
use crate::list::Out;
use crate::points::Precision;

impl Search {
    /// Computes the distance of each pair `left[k]`, `right[k]`: the correctly rounded square root of `dx*dx + dy*dy + dz*dz`,
    /// summed from left to right, with each operation rounded in the precision of the points and no fused multiply-add. The
    /// differences are those of [`pair_displacements`](Search::pair_displacements). It is infinite if the sum overflows.
    ///
    /// Ids are in the handle's index base. The pairs may be any, in any order, including a point with itself. The three slices
    /// have the same length, and `T` is the precision of the points. On failure nothing is written; the error names the first id
    /// that is out of range.
    ///
    /// ```
    /// # use neargrid::{PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(5.5)?;
    /// search.set_points(&PointsView::interleaved(2, &[0.0, 0.0, 3.0, 4.0])?)?;
    /// let (mut left, mut right, mut distances) = ([0], [0], [0.0]);
    /// let npairs = search.pairs_into(&mut left, &mut right)?;
    /// search.pair_distances(&left[..npairs], &right[..npairs], &mut distances[..npairs])?;
    /// assert_eq!(distances, [5.0]);
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn pair_distances<T: Precision>(&mut self, left: &[i32], right: &[i32], distances: &mut [T]) -> Result<()> {
        let pairs = PairList::Columns([left, right]);
        self.write_quantity(
            "the length of distances",
            Quantity::Distance,
            pairs,
            Out::new(distances),
        )
    }

    /// Computes the displacement of each pair, `x_i - x_j` along each axis, into `displacements[k * dim .. (k + 1) * dim]`. Along
    /// a periodic axis it uses the wrapped coordinates and the nearest image: if the difference is above half the length, the
    /// length is subtracted; if it is below minus half the length, the length is added. Otherwise as
    /// [`pair_distances`](Search::pair_distances).
    pub fn pair_displacements<T: Precision>(
        &mut self,
        left: &[i32],
        right: &[i32],
        displacements: &mut [T],
    ) -> Result<()> {
        let pairs = PairList::Columns([left, right]);
        let out = Out::new(displacements);
        self.write_quantity("the length of displacements", Quantity::Displacement, pairs, out)
    }

    /// [`pair_distances`](Search::pair_distances) for half or full rows as [`neighbors`](Search::neighbors) returns them:
    /// `distances[k]` is the distance of `ids[k]` from the point in whose row it is. `offsets` has one more element than there
    /// are points, starts with the index base and never decreases; `ids` and `distances` have the length that it implies.
    pub fn neighbor_distances<T: Precision>(
        &mut self,
        offsets: &[i64],
        ids: &[i32],
        distances: &mut [T],
    ) -> Result<()> {
        let pairs = PairList::Rows(offsets, ids);
        self.write_quantity(
            "the length of distances",
            Quantity::Distance,
            pairs,
            Out::new(distances),
        )
    }

    /// [`pair_displacements`](Search::pair_displacements) for rows: the point in whose row a neighbor is, minus the neighbor.
    pub fn neighbor_displacements<T: Precision>(
        &mut self,
        offsets: &[i64],
        ids: &[i32],
        displacements: &mut [T],
    ) -> Result<()> {
        let pairs = PairList::Rows(offsets, ids);
        let out = Out::new(displacements);
        self.write_quantity("the length of displacements", Quantity::Displacement, pairs, out)
    }

    /// [`neighbor_distances`](Search::neighbor_distances) for rows of queries, as [`queries`](Search::queries) returns them:
    /// `distances[k]` is the distance of `ids[k]` from the query in whose row it is.
    ///
    /// ```
    /// # use neargrid::{PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(5.5)?;
    /// search.set_points(&PointsView::interleaved(2, &[0.0, 0.0, 9.0, 9.0])?)?;
    /// search.set_queries(&PointsView::interleaved(2, &[3.0, 4.0])?)?;
    /// let rows = search.queries()?;
    /// let (offsets, ids) = (rows.offsets.to_vec(), rows.ids.to_vec());
    /// let (mut distances, mut displacements) = ([0.0], [0.0; 2]);
    /// search.query_distances(&offsets, &ids, &mut distances)?;
    /// search.query_displacements(&offsets, &ids, &mut displacements)?;
    /// assert_eq!((distances, displacements), ([5.0], [3.0, 4.0]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn query_distances<T: Precision>(&mut self, offsets: &[i64], ids: &[i32], distances: &mut [T]) -> Result<()> {
        let pairs = PairList::Rows(offsets, ids);
        check_len("the length of distances", distances.len(), pairs.len())?;
        self.write_between(Of::Queries, pairs, [Some(Out::new(distances)), None])
    }

    /// [`neighbor_displacements`](Search::neighbor_displacements) for rows of queries: the query minus the neighbor.
    pub fn query_displacements<T: Precision>(
        &mut self,
        offsets: &[i64],
        ids: &[i32],
        displacements: &mut [T],
    ) -> Result<()> {
        let pairs = PairList::Rows(offsets, ids);
        let width = self.width::<T>(Quantity::Displacement)?;
        check_len("the length of displacements", displacements.len(), pairs.len() * width)?;
        self.write_between(Of::Queries, pairs, [None, Some(Out::new(displacements))])
    }

    /// The numbers that [`write_quantity`](Search::write_quantity) writes for a pair of points in precision `T`.
    pub(crate) fn width<T: Precision>(&self, quantity: Quantity) -> Result<usize> {
        Ok(quantity.width(self.held::<T>()?.dim()))
    }

    /// The number of points, or of queries, which must be set.
    pub(crate) fn number_of(&self, of: Of) -> Result<usize> {
        match of {
            Of::Points => Ok(self.inputs.owned()),
            Of::Queries => self.inputs.queries_set(),
        }
    }

    /// Checks `pairs`, rows of points or of queries, then writes the distance and the displacement of each, where it is wanted. The
    /// outputs have as many elements as the pairs need.
    pub(crate) fn write_between<T: Precision>(
        &mut self,
        of: Of,
        pairs: PairList,
        results: [Option<Out<T>>; 2],
    ) -> Result<()> {
        self.inputs.check_no_cell()?;
        self.points_home()?;
        let (points, base) = (self.held::<T>()?, self.inputs.settings.index_base);
        let team = self.inputs.team_for(pairs.len())?;
        pairs.check(self.inputs.len, self.number_of(of)?, base, &team)?;
        let between = Between {
            axes: points.axes(),
            periods: points.periods(),
            first_row: if of == Of::Queries { self.inputs.len } else { 0 },
        };
        for (quantity, out) in [Quantity::Distance, Quantity::Displacement].into_iter().zip(results) {
            if let Some(out) = out {
                between.write(quantity, pairs, base, &team, out)?;
            }
        }
        Ok(())
    }

    /// Writes `quantity` of each of `pairs`; `argument` names the length of `out` in errors.
    fn write_quantity<T: Precision>(
        &mut self,
        argument: &'static str,
        quantity: Quantity,
        pairs: PairList,
        out: Out<T>,
    ) -> Result<()> {
        check_len(argument, out.len(), pairs.len() * self.width::<T>(quantity)?)?;
        self.write_between(
            Of::Points,
            pairs,
            match quantity {
                Quantity::Distance => [Some(out), None],
                Quantity::Displacement => [None, Some(out)],
            },
        )
    }
}
