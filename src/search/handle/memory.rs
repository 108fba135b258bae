//! The memory of a handle.

use super::Search;
use crate::error::Result;
use crate::memory::Holds;
use crate::search::precision::in_precision;
use crate::search::report::Counter;

impl Search {
    /// Frees all memory except points and settings: index, lists, work arrays and GPU buffers. The next query rebuilds what it
    /// needs and gives the same result. After [`count_pairs_of`](Search::count_pairs_of), whose points the handle does not hold,
    /// it needs the points again. Values that a run has left on a GPU come home first; if there is no memory for them, the call fails and
    /// frees nothing.
    pub fn trim(&mut self) -> Result<()> {
        self.all_home()?;
        (self.order, self.counted, self.lists, self.streams) = Default::default();
        (self.nearest, self.groups, self.sums, self.systems) = Default::default();
        self.excluded = Default::default();
        (self.images, self.layer, self.by_cutoffs) = Default::default();
        self.skin.forget();
        self.pair_fields.trim();
        in_precision!(&mut self.session, session => session.trim(), none => ());
        self.device.give_back();
        Ok(())
    }

    /// Bytes of host memory held, without what is for a GPU.
    pub(super) fn bytes(&self) -> usize {
        let of_rows = self.counted.bytes() + self.lists.bytes() + self.skin.bytes() + self.streams.bytes();
        let of_others = self.nearest.bytes() + self.groups.bytes() + self.sums.bytes();
        let of_calls = self.systems.bytes() + self.images.bytes() + self.by_cutoffs.bytes();
        let of_layer = self.of_layer(Counter::BytesHeld) as usize;
        self.inputs.bytes()
            + self.fields.bytes()
            + self.pair_fields.bytes()
            + self.order.bytes()
            + self.excluded.bytes()
            + self.session.bytes()
            + of_rows
            + of_others
            + of_calls
            + of_layer
    }
}
