//! What a handle does with its points without a search: distances and displacements, spatial order, freeing memory.

use super::found::Found;
use super::list::Lists;
use super::session::{Sessions, in_precision};
use super::{Precision, Search};
use crate::arguments::check_len;
use crate::displacement::{Between, PairList, Quantity};
use crate::error::{Error, Result, Status};
use crate::list::Out;
use crate::order::spatial_order;
use crate::points::{Points, Real};
use crate::search::session::InSessions;

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
    pub fn pair_distances<T: Precision>(&self, left: &[i32], right: &[i32], distances: &mut [T]) -> Result<()> {
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
    pub fn pair_displacements<T: Precision>(&self, left: &[i32], right: &[i32], displacements: &mut [T]) -> Result<()> {
        let pairs = PairList::Columns([left, right]);
        let out = Out::new(displacements);
        self.write_quantity("the length of displacements", Quantity::Displacement, pairs, out)
    }

    /// [`pair_distances`](Search::pair_distances) for half or full rows as [`neighbors`](Search::neighbors) returns them:
    /// `distances[k]` is the distance of `ids[k]` from the point in whose row it is. `offsets` has one more element than there
    /// are points, starts with the index base and never decreases; `ids` and `distances` have the length that it implies.
    pub fn neighbor_distances<T: Precision>(&self, offsets: &[i64], ids: &[i32], distances: &mut [T]) -> Result<()> {
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
        &self,
        offsets: &[i64],
        ids: &[i32],
        displacements: &mut [T],
    ) -> Result<()> {
        let pairs = PairList::Rows(offsets, ids);
        let out = Out::new(displacements);
        self.write_quantity("the length of displacements", Quantity::Displacement, pairs, out)
    }

    /// Computes a spatial order of the points: `order[k]` is the number, in the handle's index base, of the k-th point along a
    /// z-order (Morton) curve. Coincident points are ordered by number. Stray points and clusters do not make the order of other
    /// points coarser. The result does not depend on threads. `order` has one element for each point. The call takes 28 bytes for
    /// each point while it runs. [`reorder`](crate::reorder) applies the order to slices.
    pub fn order(&self, order: &mut [i32]) -> Result<()> {
        self.check_points_held()?;
        check_len("the length of order", order.len(), self.inputs.len)?;
        self.order_into(Out::new(order))
    }

    /// [`order`](Search::order) for memory that need not be initialised and has as many elements as there are points.
    pub(crate) fn order_into(&self, order: Out<i32>) -> Result<()> {
        let team = self.inputs.team_for(self.inputs.len)?;
        let base = self.inputs.settings.index_base;
        in_precision!(&self.sessions, s => spatial_order(s.points.axes(), base, &team, order), none => Err(Error::NO_POINTS))
    }

    /// Frees all memory except points and settings: index, lists, work arrays and GPU buffers. The next query rebuilds what it
    /// needs and gives the same result. After [`count_pairs_of`](Search::count_pairs_of), whose points the handle does not hold,
    /// it needs the points again.
    pub fn trim(&mut self) {
        (self.found, self.lists) = (Found::default(), Lists::default());
        (self.stream, self.fof, self.ranks) = Default::default();
        in_precision!(&mut self.sessions, s => s.trim(), none => ());
        self.device.give_back();
    }

    /// Fails if the handle has no points of its own.
    pub(crate) fn check_points_held(&self) -> Result<()> {
        self.inputs.check_held(&self.sessions)
    }

    /// Dimension of the points held; 0 if there are none.
    pub(super) fn dim(&self) -> usize {
        match self.inputs.borrowed {
            true => 0,
            false => in_precision!(&self.sessions, s => s.points.axes().len(), none => 0),
        }
    }

    /// Whether the points set are in real32; `None` if there are none.
    pub(crate) fn is_single(&self) -> Option<bool> {
        match &self.sessions {
            Sessions::F32(_) => Some(true),
            Sessions::F64(_) => Some(false),
            Sessions::None => None,
        }
    }

    /// The points held, in precision `T`: the only one there is.
    pub(crate) fn held<T: Precision>(&self) -> Result<&Points<T>> {
        self.check_points_held()?;
        held(&self.sessions)
    }

    /// Where [`write_quantity`](Search::write_quantity) begins: numbers a pair, of points in precision `T`.
    pub(crate) fn width<T: Precision>(&self, quantity: Quantity) -> Result<usize> {
        Ok(quantity.width(self.held::<T>()?.axes().len()))
    }

    /// The first number an id has.
    pub(crate) fn index_base(&self) -> i64 {
        self.inputs.settings.index_base
    }

    /// Checks `pairs`, then writes `quantity` of each; `argument` names the length of `out` in errors.
    pub(crate) fn write_quantity<T: Precision>(
        &self,
        argument: &'static str,
        quantity: Quantity,
        pairs: PairList,
        out: Out<T>,
    ) -> Result<()> {
        let (points, base) = (self.held::<T>()?, self.inputs.settings.index_base);
        let team = self.inputs.team_for(pairs.len())?;
        pairs.check(self.inputs.len, base, &team)?;
        let axes = points.axes();
        check_len(argument, out.len(), pairs.len() * quantity.width(axes.len()))?;
        let periods = points.periods();
        Between { axes, periods }.write(quantity, pairs, base, &team, out)
    }
}

/// The points, if they are in precision `T`.
pub(super) fn held<T: Precision>(sessions: &Sessions) -> Result<&Points<T>> {
    let held = match sessions {
        Sessions::F32(_) => f32::NAME,
        _ => f64::NAME,
    };
    T::session_held(sessions).map(|session| &session.points).ok_or_else(|| {
        let allowed = format_args!("{held}, the precision of the points");
        Error::not_allowed(Status::BadValue, "precision", T::NAME, allowed)
    })
}
