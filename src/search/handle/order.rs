//! The spatial order of the points.

use super::Search;
use crate::arguments::check_len;
use crate::error::{Error, Result};
use crate::list::Out;
use crate::order::spatial_order;
use crate::search::precision::in_precision;

impl Search {
    /// Computes a spatial order of the points: `order[k]` is the number, in the handle's index base, of the k-th point along a
    /// z-order (Morton) curve. Coincident points are ordered by number. Stray points and clusters do not make the order of other
    /// points coarser. The result does not depend on threads. `order` has one element for each point. The call takes 28 bytes for
    /// each point while it runs. [`reorder`](crate::reorder) applies the order to slices.
    pub fn order(&mut self, order: &mut [i32]) -> Result<()> {
        self.check_points_held()?;
        check_len("the length of order", order.len(), self.inputs.owned())?;
        self.order_into(Out::new(order))
    }

    /// [`order`](Search::order) for memory that need not be initialised and has as many elements as there are points.
    pub(crate) fn order_into(&mut self, order: Out<i32>) -> Result<()> {
        self.points_home()?;
        let team = self.inputs.team_for(self.inputs.len)?;
        let base = self.inputs.settings.index_base;
        in_precision!(&self.session, s => spatial_order(s.points.axes(), base, &team, order), none => Err(Error::NO_POINTS))
    }
}
