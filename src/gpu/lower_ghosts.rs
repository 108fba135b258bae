//! Ghosts with smaller ids than all other points: the device brings them to the front of the rows that it has filled, so that these are
//! delivered as they are. Only long rows are left to the host.
//!
//! in: rows by the numbers of the search, in the buffer of ids; out: the same rows by global ids, there.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use super::channel::Channel;
use super::clock::Phase;
use super::dispatch::Size;
use super::kernels::Stage;
use super::row_search::RowSearch;
use crate::error::Result;
use crate::threads::Team;

/// Rows of a workgroup: `ROWS` in `shaders/lower_ghosts.wgsl`.
const LOWER_ROWS: u64 = 64;

/// The most ids of a row that the device brings into order: `LONGEST` there.
const LONGEST: usize = 2048;

/// Offsets that a thread looks at at once.
const LOOKED_AT: usize = 1 << 15;

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

    /// The fewest ids of a row that the host has to bring to labels.
    pub(super) fn least_to_label(&self) -> usize {
        if self.has_lower_ghosts() { LONGEST + 1 } else { 0 }
    }

    /// Whether no row is left to the host, of those counted last, which have these offsets.
    pub fn brings_all_lower(&self, offsets: &[i64], team: &Team) -> bool {
        if !self.has_lower_ghosts() {
            return false;
        }
        let (last, all) = (offsets.len().saturating_sub(1), AtomicBool::new(true));
        team.share((0..last).step_by(LOOKED_AT), |first| {
            let some = &offsets[first..=last.min(first + LOOKED_AT)];
            let is_short = |all: bool, ends: &[i64]| all & (ends[1] - ends[0] <= LONGEST as i64);
            if !some.windows(2).fold(true, is_short) {
                all.store(false, Relaxed);
            }
        });
        all.into_inner()
    }
}
