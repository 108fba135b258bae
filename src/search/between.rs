//! Distances and displacements at once, of pairs that the caller holds.

use super::{Precision, Search};
use crate::displacement::{Between, PairList, Quantity};
use crate::error::Result;
use crate::list::Out;

impl Search {
    /// Checks `pairs`, then writes the distance and the displacement of each, where it is wanted. The outputs have as many elements
    /// as the pairs need.
    pub(crate) fn write_between<T: Precision>(&self, pairs: PairList, results: [Option<Out<T>>; 2]) -> Result<()> {
        let (points, base) = (self.held::<T>()?, self.inputs.settings.index_base);
        let team = self.inputs.team_for(pairs.len())?;
        pairs.check(self.inputs.len, base, &team)?;
        let (axes, periods) = (points.axes(), points.periods());
        for (quantity, out) in [Quantity::Distance, Quantity::Displacement].into_iter().zip(results) {
            if let Some(out) = out {
                Between { axes, periods }.write(quantity, pairs, base, &team, out)?;
            }
        }
        Ok(())
    }
}
