//! Ghosts with smaller ids than all other points: the device brings them to the front of the rows that it has filled, so that these are
//! delivered as they are.
//!
//! in: rows by the numbers of the search, in the buffer of ids; out: the same rows by global ids, there.

use super::channel::Channel;
use super::clock::Phase;
use super::dispatch::Size;
use super::kernels::Stage;
use super::row_search::RowSearch;
use crate::error::Result;
use crate::ids::Labels;

/// Rows of a workgroup: `ROWS` in `shaders/lower_ghosts.wgsl`.
const LOWER_ROWS: u64 = 64;

impl RowSearch {
    fn has_lower_ghosts(&self) -> bool {
        let [first, end] = self.params.lower_ghosts;
        first < end
    }

    /// Brings these ghosts to the front of the rows that were filled last. Once: a row has to ascend by number before.
    pub(super) fn submit_lower(&mut self, channel: &mut Channel) -> Result<()> {
        if !self.has_lower_ghosts() {
            return Ok(());
        }
        let rows = Size::Lanes(self.params.points.into(), LOWER_ROWS);
        self.submit(channel, &[], (Phase::Fill, &[(Stage::BringLower, rows)]))
    }

    /// The labels of rows as the device leaves them.
    pub(super) fn labels_of_rows<'a>(&self, labels: &Labels<'a>) -> Labels<'a> {
        Labels {
            ghosts: labels.ghosts.filter(|_| !self.has_lower_ghosts()),
            ..*labels
        }
    }
}
