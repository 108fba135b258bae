//! Rows in place: from the hits kept by counting, by another search of the block, or by the caller's coordinates.

use std::ops::Range;

use super::Pairs;
use super::count::{CountResult, Found};
use crate::cpu::hit_records::HitRecords;
use crate::cpu::hit_records::selection::SelectedIds;
use crate::cpu::leaf::Doubt;
use crate::cpu::query::Query;
use crate::cpu::rows::Wanted;
use crate::cpu::simd::Width;
use crate::cpu::worker::{RowWriter, Worker};
use crate::error::Result;
use crate::list::{OutputMap, Rows};
use crate::threads::Team;

/// What is filled: rows, and for each of their ids the label of the row's point.
pub struct Columns<'a> {
    pub rows: Rows<'a>,
    pub left: Option<Rows<'a>>,
}

impl CountResult {
    /// Writes row `i`'s labels to its place in the rows and, where it is wanted, its point as often to the left column.
    pub fn fill<T: Width>(
        &self,
        query: Query<T>,
        team: &Team,
        workers: &mut [Worker<T>],
        output: OutputMap,
        to: Columns,
    ) -> Result<()> {
        if self.are_few {
            return query.fill_few(&mut workers[0], &self.few, output, (to.rows, to.left));
        }
        let blocks = &self.blocks;
        let (pairs, streams) = (Pairs { query, blocks }, output.streams());
        for worker in &mut *workers {
            worker.reserve_leaves(self.longest, &output.labels)?;
        }
        team.run(workers, blocks.len(), |worker, k| {
            // SAFETY: offsets ascend, so rows do not overlap; the grid has each point in one block, and each block is one task, so
            // no two tasks store the same row.
            let mut rows = unsafe { to.rows.alias() };
            rows.stores(streams, |stores| {
                let Worker { search, lists, rows } = worker;
                let mut writer = RowWriter {
                    simd: query.simd(),
                    output,
                    stores,
                    sparse: false,
                    scratch: rows,
                };
                match self.found[k] {
                    Found::Empty => Ok(()),
                    Found::HitRecords { worker, start, end } => {
                        let records = &self.kept[worker as usize].records;
                        fill_by_records(lists, records, start..end, query.full, &mut writer)
                    }
                    // The block is searched again. What its doubtful pairs are was kept.
                    Found::Answers { worker, first } => {
                        let mut doubt = Doubt::Recall(&self.kept[worker as usize].answers, first);
                        pairs
                            .find_in(search, k, &Wanted::ALL, &mut doubt, &mut writer)
                            .map(|_| ())
                    }
                    Found::Nothing => {
                        let mut doubt = Doubt::Decide(query.points()?);
                        pairs
                            .find_in(search, k, &Wanted::ALL, &mut doubt, &mut writer)
                            .map(|_| ())
                    }
                }
            })
        })?;
        output.fill_left(team, to.left)
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
