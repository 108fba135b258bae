//! Excluded pairs on the device. Stages: `shaders/count.wgsl`, `sum`.
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

/// Classes of a word, and words that a thread brings into a staging buffer at once.
const CLASSES: usize = 16;
const WORDS: usize = 256;

/// The points that rows list: classes, and excluded pairs with their version.
pub type ListedBy<'a> = (Option<&'a Classes<'a>>, Option<(Version, &'a ExcludedPairs)>);

impl RowSearch {
    /// Brings what formulas read of classes to the device; without any, a buffer to be bound.
    pub(super) fn set_classes_of_pairs(
        &mut self,
        channel: &mut Channel,
        pairs: Option<(Version, &ExcludedPairs)>,
        team: &Team,
    ) -> Result<()> {
        match pairs {
            Some(pairs) => self.set_excluded(channel, pairs, team),
            None if self.buffers.bytes_of(Slot::Excluded) == 0 => {
                self.buffers.ensure(&channel.device, Slot::Excluded, 16, WHAT)
            }
            None => Ok(()),
        }
    }

    /// Brings excluded pairs to the device, where it has them not: their places, as `shaders/shared/excluded.wgsl` reads them.
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
        let (starts, ids, classes) = pairs.arrays();
        let (ids_at, words) = (2 + starts.len(), classes.len().div_ceil(CLASSES));
        let bytes = 4 * (ids_at + ids.len() + words) as u64;
        (self.buffers).ensure(&channel.device, Slot::Excluded, bytes, WHAT)?;
        let buffer = self.buffers.get(Slot::Excluded)?;
        channel.device.checked(WHAT, 0, || {
            let head = [ids_at, ids_at + ids.len()].map(|at| at as u32);
            channel.device.queue.write_buffer(buffer, 0, bytemuck::bytes_of(&head));
        })?;
        for (at, words) in [(2, starts), (ids_at, ids)] {
            channel.upload(team, [words.len(), 4], buffer, 4 * at as u64, |range, put| {
                put(range.start, bytemuck::cast_slice(&words[range]));
            })?;
        }
        let at = 4 * (ids_at + ids.len()) as u64;
        channel.upload(team, [words, 4], buffer, at, |range, put| {
            let mut few = [0u32; WORDS];
            for first in range.clone().step_by(WORDS) {
                let few = &mut few[..(range.end - first).min(WORDS)];
                for (word, classes) in few.iter_mut().zip(classes[first * CLASSES..].chunks(CLASSES)) {
                    let bits = classes.iter().zip(0..);
                    *word = bits.fold(0, |word, (&class, k)| word | u32::from(class) << (2 * k));
                }
                put(first, bytemuck::cast_slice(few));
            }
        })?;
        self.excluded = Some(version);
        Ok(())
    }
}
