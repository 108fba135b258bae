//! Steps of a run that ranks do together. A handle without ranks has none.

use super::handle::Search;
use super::neighbors::NeighborsKind;
use crate::error::Result;
use crate::formula::Total;
use crate::points::Values;

/// Steps of a run that all ranks do together. Each rank calls the same ones in the same order. A rank that fails in between brings its
/// failure to the next one.
pub trait Exchange {
    /// Gives the handle the ghosts that rows of a kind need, unless it has them.
    fn bring_ghosts(&mut self, search: &mut Search, kind: NeighborsKind) -> Result<()>;

    /// Appends the values of ghosts to fields of the points, of which each has so many components. `are_read` says of each whether rows read
    /// it of their neighbors; others get any values.
    fn bring_values(&mut self, search: &Search, fields: &mut [(Values, usize)], are_read: &[bool]) -> Result<()>;

    /// Whether it holds on any rank.
    fn any(&mut self, mine: bool) -> Result<bool>;

    /// Joins the totals of all ranks.
    fn join(&mut self, totals: &mut [Total]) -> Result<()>;

    /// Moves the points of this rank to `positions`, point after point, and the ghosts with theirs.
    fn move_points(&mut self, search: &mut Search, positions: &Values) -> Result<()>;
}
