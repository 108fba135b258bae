//! Excluded pairs on the device. Stage: `shaders/count.wgsl`.
//!
//! in: [`ExcludedPairs`]; out: [`Slot::Excluded`], which stays while the pairs do.

use super::channel::Channel;
use super::kernels::Slot;
use super::row_search::RowSearch;
use crate::error::Result;
use crate::exclusions::ExcludedPairs;
use crate::kinds::Classes;
use crate::threads::Team;
use crate::version::Version;

const WHAT: &str = "the exclusions on the device";

/// The points that rows list: classes, and excluded pairs with their version.
pub type ListedBy<'a> = (Option<&'a Classes<'a>>, Option<(Version, &'a ExcludedPairs)>);

impl RowSearch {
    /// Brings excluded pairs to the device, where it has them not: the place of the ids, the place of each row, the ids.
    pub(super) fn set_excluded(
        &mut self,
        channel: &mut Channel,
        (version, pairs): (Version, &ExcludedPairs),
        team: &Team,
    ) -> Result<()> {
        if self.excluded == Some(version) {
            return Ok(());
        }
        self.excluded = None;
        let [starts, ids] = pairs.arrays();
        let first = 1 + starts.len();
        let bytes = 4 * (first + ids.len()) as u64;
        (self.buffers).ensure(&channel.device, Slot::Excluded, bytes, WHAT)?;
        let buffer = self.buffers.get(Slot::Excluded)?;
        channel.device.checked(WHAT, 0, || {
            let head = first as u32;
            channel.device.queue.write_buffer(buffer, 0, bytemuck::bytes_of(&head));
        })?;
        for (at, words) in [(1, starts), (first, ids)] {
            channel.upload(team, [words.len(), 4], buffer, 4 * at as u64, |range, put| {
                put(range.start, bytemuck::cast_slice(&words[range]));
            })?;
        }
        self.excluded = Some(version);
        Ok(())
    }
}
