//! Results in chunks: which rows have their ids on the device at once, and the buffers for them.
//!
//! in: offsets; out: ranges of rows whose ids fit a binding, the memory limit, and the memory that there is.

use std::ops::Range;

use super::channel::Channel;
use super::kernels::Slot;
use super::row_search::RowSearch;
use crate::error::{Error, Result};

pub(super) const RESULT: &str = "the result on the device";

/// Bytes of the ids of a chunk, at least: a memory limit below that is not kept, and where there is no memory for it the search
/// ends. Tests have smaller results.
const LEAST_CHUNK: u64 = if cfg!(test) { 4 << 10 } else { 16 << 20 };

/// Rows whose ids are one chunk, and those of the chunk after it.
type Chunked = (Range<usize>, Option<Range<usize>>);

impl RowSearch {
    /// Parts of `rows` whose ids fit one buffer, each with the part after it, which is the first of those `after` for the last. The
    /// buffers are made: half as large again and again where there is no memory for them.
    pub(super) fn chunks(
        &mut self,
        channel: &mut Channel,
        offsets: &[i64],
        rows: Range<usize>,
        after: Range<usize>,
    ) -> Result<Vec<Chunked>> {
        loop {
            let most = self.most_entries(channel);
            let mut chunks = parts(offsets, rows.clone(), most);
            let count = chunks.len();
            chunks.extend(parts(offsets, after.clone(), most).into_iter().take(1));
            let entries = |chunk: &Range<usize>| (offsets[chunk.end] - offsets[chunk.start]) as u64;
            let longest = |first: usize| chunks.iter().skip(first).step_by(2).map(entries).max().unwrap_or(0);
            let room = [longest(0), longest(1)];
            let most = most.min(room[0].max(room[1]));
            match self.make_room_for_ids(channel, room) {
                Err(Error::OutOfMemory { .. }) if 4 * most > LEAST_CHUNK => {
                    self.most_ids = (most / 2).max(LEAST_CHUNK / 4);
                    self.buffers.forget_ids();
                    self.filled = None;
                }
                Err(error) => return Err(error),
                Ok(()) => {
                    let next = chunks.iter().skip(1).cloned().map(Some).chain([None]);
                    return Ok(chunks.iter().cloned().zip(next).take(count).collect());
                }
            }
        }
    }

    /// Makes room for the ids of the buffer that is filled next, and of the one after it.
    fn make_room_for_ids(&mut self, channel: &mut Channel, [next, after]: [u64; 2]) -> Result<()> {
        if self.buffers.bytes_of(Slot::Ids) < 4 * next {
            self.filled = None;
        }
        self.buffers.ensure(&channel.device, Slot::Ids, 4 * next, RESULT)?;
        if after == 0 {
            return Ok(());
        }
        self.buffers.swap_ids();
        let made = self.buffers.ensure(&channel.device, Slot::Ids, 4 * after, RESULT);
        self.buffers.swap_ids();
        made
    }

    /// Ids that one chunk may have: a binding, or a third of a memory limit, as two chunks are under way on the device and one
    /// is on the host, or what there was memory for.
    pub(super) fn most_entries(&self, channel: &Channel) -> u64 {
        let limit = channel
            .memory_limit
            .map_or(u64::MAX, |limit| (limit / 3).max(LEAST_CHUNK));
        (channel.device.max_binding.min(limit) / 4).min(self.most_ids)
    }
}

/// Parts of `rows` with `most` ids at most, or one row.
fn parts(offsets: &[i64], rows: Range<usize>, most: u64) -> Vec<Range<usize>> {
    let (mut first, mut parts) = (rows.start, Vec::new());
    while first < rows.end && offsets[first] < offsets[rows.end] {
        let ends = &offsets[first + 1..=rows.end];
        let more = ends.partition_point(|&end| (end - offsets[first]) as u64 <= most);
        let end = first + more.max(1);
        parts.push(first..end);
        first = end;
    }
    parts
}
