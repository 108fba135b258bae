//! Rows in place: from the hits kept by counting, or by another search of the block.

use std::ops::Range;

use super::count::{CountResult, Found};
use super::doubt::Doubt;
use super::hit_records::HitRecords;
use super::hit_records::selection::SelectedIds;
use super::rows::{Source, Wanted};
use super::worker::{RowWriter, Worker};
use crate::error::Result;
use crate::list::{OutputMap, Rows};
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
            // SAFETY: offsets ascend, so rows do not overlap; a source has each point in one block, and each block is one task, so
            // no two tasks store the same row.
            let mut rows = unsafe { to.alias() };
            rows.stores(streams, |stores| {
                let Worker { search, lists, rows } = worker;
                let mut writer = RowWriter {
                    simd: source.simd(),
                    output,
                    stores,
                    scratch: rows,
                };
                let mut doubt = match self.found[k] {
                    Found::Empty => return Ok(()),
                    Found::HitRecords { worker, start, end } => {
                        let records = &self.kept[worker as usize].records;
                        return fill_by_records(lists, records, start..end, source.is_full(), &mut writer);
                    }
                    // The block is searched again. What its doubtful pairs are was kept.
                    Found::Answers { worker, first } => Doubt::Recall(&self.kept[worker as usize].answers, first),
                    Found::Nothing => Doubt::Decide,
                };
                source.find(search, k, &Wanted::ALL, &mut doubt, &mut writer)?;
                Ok(())
            })
        })
    }
}

/// Fills the rows of a block of which all was kept.
fn fill_by_records(
    lists: &mut SelectedIds,
    records: &HitRecords,
    all: Range<usize>,
    full: bool,
    writer: &mut RowWriter,
) -> Result<()> {
    let (simd, OutputMap { places, labels }) = (writer.simd, writer.output);
    let start = lists.begin(records, all.start, labels.base as i32)?;
    let read = |lists: &mut SelectedIds, start: usize| -> Result<_> {
        if start == all.end {
            return Ok(None);
        }
        let leaf = lists.read(simd, records, start, full)?;
        records.prefetch(leaf.end..2 * leaf.end - start);
        let ids = lists.targets(&leaf);
        for &rank in leaf.hits.ranks {
            places.prefetch((ids[usize::from(rank)] - labels.base as i32) as usize);
        }
        Ok(Some(leaf))
    };
    // What a leaf's rows need is fetched while those of the one before are stored.
    let mut next = read(lists, start)?;
    while let Some(leaf) = next {
        next = read(lists, leaf.end)?;
        writer.store(lists.targets(&leaf), leaf.hits)?;
    }
    Ok(())
}
