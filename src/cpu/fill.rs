//! Rows in place: from the hits kept by counting, or by another search of the block.

#![allow(unsafe_code)]

use std::ops::Range;

use super::count::{BlockFound, CountResult};
use super::doubt::Doubt;
use super::hit_records::{HitRecords, LeafHits};
use super::rows::{Source, Wanted};
use super::worker::{RowWriter, Worker};
use crate::error::Result;
use crate::ids::OutputMap;
use crate::list::Rows;
use crate::threads::Team;

impl CountResult {
    /// Writes row `i`'s labels to its place in `to`.
    pub fn fill<S: Source>(
        &self,
        source: &S,
        team: &Team,
        workers: &mut [Worker<S::Memory>],
        output: OutputMap,
        to: Rows,
    ) -> Result<()> {
        let streams = output.streams();
        for worker in &mut *workers {
            worker.reserve_leaves(self.longest, &output.labels)?;
        }
        team.run(workers, source.blocks(), |worker, k| {
            // SAFETY: offsets ascend, so rows do not overlap; a source has each point in one block, and each block is
            // one task, so no two tasks store the same row.
            let mut rows = unsafe { to.alias() };
            rows.stores(streams, |stores| {
                let Worker { search, rows } = worker;
                let mut writer = RowWriter {
                    simd: source.simd(),
                    output,
                    stores,
                    scratch: rows,
                };
                let mut doubt = match self.found[k] {
                    BlockFound::Empty => return Ok(()),
                    BlockFound::HitRecords { worker, start, end } => {
                        let records = &self.kept[worker as usize].records;
                        return fill_by_records(records, start..end, source.is_full(), &mut writer);
                    }
                    // The block is searched again. What its doubtful pairs are was kept.
                    BlockFound::Answers { worker, first } => Doubt::Recall(&self.kept[worker as usize].answers, first),
                    BlockFound::Nothing => Doubt::Decide,
                };
                source.find(search, k, &Wanted::ALL, &mut doubt, &mut writer)?;
                Ok(())
            })
        })
    }
}

/// Fills the rows of a block of which all was kept.
fn fill_by_records(records: &HitRecords, all: Range<usize>, full: bool, writer: &mut RowWriter) -> Result<()> {
    let (numbers, first) = records.block(all.start);
    let read = |start: usize| (start < all.end).then(|| records.leaf(start, full));
    let mut next = read(first);
    while let Some(leaf) = next {
        next = read(leaf.end);
        if let Some(LeafHits { hits, index, .. }) = &next {
            // Fetched while the rows of this leaf are stored.
            let members = hits.ranks.iter().map(|&rank| index[usize::from(rank)]);
            members.for_each(|at| writer.output.places.prefetch(numbers[usize::from(at as u16)] as usize));
        }
        writer.store(leaf.hits, leaf.index, numbers)?;
    }
    Ok(())
}
