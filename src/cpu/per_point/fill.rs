//! Rows in place: from the hits recorded by counting, by another search of the block, or one by one.

use std::mem::{swap, take};

use super::super::hit_records::HitRecords;
use super::super::simd::Simd;
use super::super::simd::quantized::{Hits, PADDING};
use super::super::worker::RowWriter;
use super::{Counted, PerPoint, Recorded, Task, Worker};
use crate::error::Result;
use crate::list::{Aligned, OutputMap, Rows};
use crate::points::Real;
use crate::threads::Team;

impl<T: Real> PerPoint<'_, T> {
    /// Writes row `i`'s labels to its place in `rows`.
    pub fn fill(
        &self,
        team: &Team,
        workers: &mut [Worker],
        counted: &Counted,
        output: OutputMap,
        rows: Rows,
    ) -> Result<()> {
        let streams = output.streams();
        let simd = Simd::new(self.isa);
        team.run(workers, counted.tasks.len(), |worker, k| {
            // SAFETY: offsets ascend, so rows do not overlap; the tree has each point in one block or by itself, which is one task,
            // so no two tasks store the same row.
            let mut rows = unsafe { rows.alias() };
            rows.stores(streams, |stores| {
                let mut scratch = take(&mut worker.rows);
                let mut writer = RowWriter {
                    simd,
                    output,
                    stores,
                    sparse: true,
                    scratch: &mut scratch,
                };
                let filled = match (counted.tasks[k], counted.found[k]) {
                    (_, Some(recorded)) => {
                        let records = &counted.kept[recorded.worker as usize];
                        self.fill_by_records((records, recorded), &mut writer)
                    }
                    (Task::Block(run), None) => self.take_block(worker, &run, &mut writer),
                    (Task::Single { place }, None) => self.take_single(worker, place as usize, &mut writer),
                };
                worker.rows = scratch;
                filled
            })
        })
    }

    /// Fills the rows of a block that was recorded.
    fn fill_by_records(&self, (records, recorded): (&HitRecords, Recorded), writer: &mut RowWriter) -> Result<()> {
        let OutputMap { places, labels } = writer.output;
        let (numbers, base) = (records.words(recorded.numbers..recorded.leaves), labels.base as i32);
        let scratch = &mut *writer.scratch;
        let (mut ids, mut coming) = (take(&mut scratch.ids), take(&mut scratch.coming));
        let read = |start: usize, ids: &mut Aligned<i32>| -> Result<_> {
            if start == recorded.end {
                return Ok(None);
            }
            let (leaf, end) = records.leaf(start, self.full);
            records.prefetch(end..2 * end - start);
            ids.grow(leaf.len + PADDING, "the targets of a leaf")?;
            leaf.ids(numbers, base, ids);
            for &rank in leaf.ranks {
                places.prefetch((ids[usize::from(rank)] - base) as usize);
            }
            Ok(Some((leaf, end)))
        };
        // What a leaf's rows need is fetched while those of the one before are stored.
        let mut next = read(recorded.leaves, &mut ids)?;
        while let Some((leaf, end)) = next {
            next = read(end, &mut coming)?;
            let hits = Hits {
                len: leaf.len,
                ranks: leaf.ranks,
                words: leaf.words,
                full: self.full,
            };
            writer.store(&ids, hits)?;
            swap(&mut ids, &mut coming);
        }
        (writer.scratch.ids, writer.scratch.coming) = (ids, coming);
        Ok(())
    }
}
