//! Rows in place: from the hits recorded by counting, by another search of the block, or one by one.

use std::mem::{swap, take};

use super::super::records::Records;
use super::super::simd::Simd;
use super::super::simd::quantized::{Hits, PADDING};
use super::super::worker::{Into, Scratch};
use super::{Counted, Recorded, Task, Varied, Worker};
use crate::error::Result;
use crate::list::{Aligned, Delivery, Rows, Stores, grow};
use crate::points::Real;
use crate::threads::Team;

impl<T: Real> Varied<'_, T> {
    /// Writes row `i`'s labels to its place in `rows`.
    pub fn fill(
        &self,
        team: &Team,
        workers: &mut [Worker],
        counted: &Counted,
        delivery: Delivery,
        rows: Rows,
    ) -> Result<()> {
        let streams = delivery.streams();
        let simd = Simd::new(self.isa);
        team.run(workers, counted.tasks.len(), |worker, k| {
            // SAFETY: offsets ascend, so rows do not overlap; the tree has each point in one block or by itself, which is one task,
            // so no two tasks store the same row.
            let mut rows = unsafe { rows.alias() };
            rows.stores(streams, |stores| {
                let mut into = Into {
                    delivery,
                    stores,
                    sparse: true,
                };
                match (counted.tasks[k], counted.found[k]) {
                    (_, Some(recorded)) => {
                        let records = &counted.kept[recorded.worker as usize];
                        self.fill_by_records(&mut worker.scratch, simd, (records, recorded), &mut into)
                    }
                    (Task::Block { node, most }, None) => self.fill_block(worker, (node, most), &mut into),
                    (Task::Single { place }, None) => self.fill_single(worker, place as usize, delivery, stores),
                }
            })
        })
    }

    /// Fills the row of a point that is in no block.
    fn fill_single(
        &self,
        worker: &mut Worker,
        place: usize,
        Delivery { places, labels }: Delivery,
        stores: &mut Stores,
    ) -> Result<()> {
        let i = self.tree.id(place) as usize;
        let len = self.find_single(worker, place, labels.base as i32)?.len();
        let Scratch { row, spare, .. } = &mut worker.scratch;
        let row = &mut row[..len];
        row.sort_unstable();
        grow(spare, labels.spare(len), 0, "a row")?;
        labels.row(row, spare);
        stores.store(places.of(i), row);
        Ok(())
    }

    /// Fills the rows of a block that was recorded.
    fn fill_by_records(
        &self,
        scratch: &mut Scratch,
        simd: Simd,
        (records, recorded): (&Records, Recorded),
        into: &mut Into,
    ) -> Result<()> {
        let Delivery { places, labels } = into.delivery;
        let (numbers, base) = (records.words(recorded.numbers..recorded.leaves), labels.base as i32);
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
            scratch.store(simd, &ids, hits, into)?;
            swap(&mut ids, &mut coming);
        }
        (scratch.ids, scratch.coming) = (ids, coming);
        Ok(())
    }

    fn fill_block(&self, worker: &mut Worker, block: (u32, f64), into: &mut Into) -> Result<()> {
        let Worker { block: loaded, scratch } = worker;
        let frame = loaded.load(self, block)?;
        let simd = Simd::new(self.isa);
        let mut records = take(&mut scratch.records);
        records.restart(0)?;
        let to = (&mut *scratch, &mut records);
        let filled = loaded.search(self, &frame, block, to, &mut |scratch, records, found| {
            let leaf = records.leaf(found.start, self.full).0;
            scratch.emit(simd, &leaf, found.numbers, self.full, into)?;
            records.truncate(found.start);
            Ok(())
        });
        scratch.records = records;
        filled
    }
}
