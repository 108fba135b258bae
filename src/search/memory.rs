//! What bounds a handle's memory for results.

use super::{Purpose, Search};
use crate::error::{Error, Result, Status};

/// Entries of a batch of chunks, at least: then each costs more to be unpacked than the search for it.
const BATCH: usize = 1 << 20;

/// Bytes that the search may keep for each point while a result is streamed and there is no memory limit, and for few points.
const KEPT: usize = 42;
const KEPT_AT_LEAST: usize = 1 << 22;

/// Bytes that it keeps for each point at the least, where a memory limit leaves no more.
const KEPT_AT_LIMIT: usize = 4;

impl Search {
    /// Sets the most bytes that the handle takes for a result, 0 (default) for no limit: offsets, ids and left points in memory
    /// of its own, what the search keeps to fill them, and chunks, on a GPU too. Not counted are the points, the index, some
    /// megabytes for each thread, and arrays of the caller's. A list that would take more is refused
    /// ([`Status::MemoryLimit`]): it can be had in [`chunks`](Search::chunks) or in the caller's arrays.
    pub fn set_memory_limit(&mut self, bytes: i64) -> Result<()> {
        let bytes = u64::try_from(bytes)
            .map_err(|_| Error::not_allowed(Status::BadCount, "bytes", bytes, "greater than or equal to 0"))?;
        let limit = Some(bytes).filter(|&bytes| bytes > 0);
        if self.settings.memory_limit != limit {
            self.settings.memory_limit = limit;
            self.forget(false);
        }
        Ok(())
    }

    /// Divides the memory there is for a result in chunks of so many entries at the most: bytes that the search may keep, and
    /// entries of a batch of several chunks.
    pub(super) fn share_memory(&self, max_entries: i64) -> Result<(usize, i64)> {
        let (points, each) = (self.everyone() as u64, size_of::<i32>() as u64);
        let batch = BATCH.max(self.everyone()) as u64;
        let Some(limit) = self.settings.memory_limit else {
            return Ok(((points as usize * KEPT).max(KEPT_AT_LEAST), batch as i64));
        };
        // Offsets of all rows and, at the most, as many of a chunk's; a chunk's ids and left points.
        let most = max_entries as u64;
        let chunk = most.min(points.saturating_mul(points)).saturating_mul(2 * each);
        let columns = 2 + u64::from(self.global_ids.order().is_some());
        let fixed = chunk.saturating_add(8 * columns * (points + 1));
        let need = fixed.saturating_add(KEPT_AT_LIMIT as u64 * points);
        self.check_limit("a chunk of max_entries", need)?;
        let more = (batch * each).min((limit - need) / 4);
        Ok(((limit - fixed - more) as usize, (more / each) as i64))
    }

    /// Refuses what would take more than the memory limit.
    pub(super) fn check_limit(&self, what: &'static str, need: u64) -> Result<()> {
        match self.settings.memory_limit {
            Some(limit) if need > limit => Err(Error::MemoryLimit { what, need, limit }),
            _ => Ok(()),
        }
    }

    /// Refuses offsets that take more than the memory limit, and leaves the rest to a GPU.
    pub(super) fn limit_search(&mut self, purpose: Purpose) -> Result<()> {
        let offsets = 8 * (self.everyone() as u64 + 1);
        self.check_limit("a result's offsets", offsets)?;
        let limit = self.settings.memory_limit.map(|limit| match purpose {
            Purpose::Chunks { kept } => kept as u64,
            _ => limit - offsets,
        });
        if let Some(gpu) = &mut self.gpu {
            gpu.set_memory_limit(limit);
        }
        Ok(())
    }
}
