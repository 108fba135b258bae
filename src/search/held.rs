//! What a handle does with the points it holds, without searching: data of pairs, spatial order, giving memory back.

use super::found::Found;
use super::list::Lists;
use super::session::{Sessions, in_precision};
use super::{Precision, Search};
use crate::displacement::{Between, PairList, Quantity, check_len};
use crate::error::{Error, Result, Status};
use crate::list::Out;
use crate::order::spatial_order;
use crate::points::{Points, Real};

impl Search {
    /// Writes the distance of each pair `left[k]`, `right[k]` to `distances[k]`: the correctly rounded root of
    /// `dx*dx + dy*dy + dz*dz` as [`pair_displacements`](Search::pair_displacements) has them, summed left to right, every
    /// operation rounded in the precision of the points, no fused multiply-add. Where that sum overflows, it is infinite.
    ///
    /// The ids are in the handle's index base; any pairs will do, in any order, also a point with itself. The three slices
    /// have one length, and `T` is the precision of the points set. Nothing is written on failure. A failure names the first
    /// id that is out of range.
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

    /// Writes the displacement of each pair, `x_i - x_j` along each axis, to `displacements[k * dim .. (k + 1) * dim]`. Along
    /// a periodic axis it is that of the wrapped coordinates to the nearest image: a difference above half a length less
    /// the length, one below minus half a length plus the length. All else as for
    /// [`pair_distances`](Search::pair_distances).
    pub fn pair_displacements<T: Precision>(&self, left: &[i32], right: &[i32], displacements: &mut [T]) -> Result<()> {
        let pairs = PairList::Columns([left, right]);
        let out = Out::new(displacements);
        self.write_quantity("the length of displacements", Quantity::Displacement, pairs, out)
    }

    /// [`pair_distances`](Search::pair_distances) for rows as [`neighbors`](Search::neighbors) gives them, half or full:
    /// `distances[k]` is that of the point whose row holds `ids[k]`, and of this one. `offsets` has one element more than
    /// there are points, begins with the index base and does not descend; `ids` and `distances` are as long as it says.
    pub fn neighbor_distances<T: Precision>(&self, offsets: &[i64], ids: &[i32], distances: &mut [T]) -> Result<()> {
        let pairs = PairList::Rows(offsets, ids);
        self.write_quantity(
            "the length of distances",
            Quantity::Distance,
            pairs,
            Out::new(distances),
        )
    }

    /// [`pair_displacements`](Search::pair_displacements) for rows: from each neighbor to the point whose row it stands in.
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

    /// The numbers of the points in spatial order, in the handle's index base: `order[k]` is the number of the point that
    /// stands `k`-th along a z-order curve (Morton) over them. Coincident points go by number; strays and clusters
    /// do not coarsen the order of the others. The same for any number of threads; `order` is as long as there are points.
    /// Takes 28 bytes a point while it runs. [`reorder`](crate::reorder) applies it to arrays.
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

    /// Gives back all memory that points and settings do not need: index, lists, scratch, buffers on a GPU. The next query
    /// makes what it needs anew, with the same result. After [`count_pairs_of`](Search::count_pairs_of), whose points the
    /// handle does not hold, it needs them again.
    pub fn trim(&mut self) {
        (self.found, self.lists) = (Found::default(), Lists::default());
        (self.stream, self.fof, self.ranks) = Default::default();
        in_precision!(&mut self.sessions, s => s.trim(), none => ());
        self.device.give_back();
    }

    /// Refuses a handle that holds no points of its own.
    pub(crate) fn check_points_held(&self) -> Result<()> {
        self.inputs.check_held(&self.sessions)
    }

    /// Axes of the points held, 0 where there are none.
    pub(super) fn dim(&self) -> usize {
        match self.inputs.borrowed {
            true => 0,
            false => in_precision!(&self.sessions, s => s.points.axes().len(), none => 0),
        }
    }

    /// Whether the points set are in real32; `None` where there are none.
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
