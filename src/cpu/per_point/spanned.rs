//! Search by radii for rows that go to a sink. Only wanted rows are found, in the way in which all rows are counted and filled.
//! The rows of a leaf are places among the points around its block.

use super::super::rows::{LeafRows, Sink, Source, Wanted};
use super::super::simd::Simd;
use super::super::simd::quantized::Hits;
use super::{PerPoint, Run, Task, Worker};
use crate::error::Result;
use crate::points::Real;

/// A search, and what of it is done at once.
pub struct Spanned<'a, T> {
    pub search: PerPoint<'a, T>,
    pub blocks: &'a [Task],
}

impl<T: Real> Source for Spanned<'_, T> {
    type Worker = Worker;

    fn points(&self) -> usize {
        self.search.tree.len()
    }

    fn blocks(&self) -> usize {
        self.blocks.len()
    }

    fn simd(&self) -> Simd {
        Simd::new(self.search.isa)
    }

    fn prepare(&self, _workers: &mut [Worker]) -> Result<()> {
        Ok(())
    }

    fn find<'w>(
        &self,
        worker: &'w mut Worker,
        block: usize,
        wanted: &Wanted,
        sink: &mut dyn Sink,
    ) -> Result<Option<&'w [u32]>> {
        let search = PerPoint {
            wanted: (!wanted.is_all()).then_some(wanted),
            ..self.search
        };
        match self.blocks[block] {
            Task::Single { place } => search.take_single(worker, place as usize, sink).map(|()| None),
            Task::Block(run) => {
                let mut places = search.tree.points_of(&run.leaves());
                if !places.any(|place| search.has_row(place)) {
                    return Ok(None);
                }
                search.take_block(worker, &run, sink)?;
                Ok(Some(worker.block.numbers()))
            }
        }
    }
}

impl<T: Real> PerPoint<'_, T> {
    pub(super) fn take_single(&self, worker: &mut Worker, place: usize, sink: &mut dyn Sink) -> Result<()> {
        if !self.has_row(place) {
            return Ok(());
        }
        let row = self.find_single(worker, place, 0)?;
        row.sort_unstable();
        sink.row(self.id(place), row)
    }

    pub(super) fn take_block(&self, worker: &mut Worker, block: &Run, sink: &mut dyn Sink) -> Result<()> {
        let Worker {
            block: loaded, scratch, ..
        } = worker;
        let frame = loaded.load(self, block)?;
        let mut records = std::mem::take(&mut scratch.records);
        records.restart(0)?;
        let to = (scratch, &mut records);
        let done = loaded.search(self, &frame, block, to, &mut |_, records, found| {
            let leaf = records.leaf(found.start, self.full).0;
            sink.leaf(&LeafRows {
                hits: Hits {
                    len: leaf.len,
                    ranks: leaf.ranks,
                    words: leaf.words,
                    full: self.full,
                },
                members: found.rows,
                counts: found.counts,
                index: bytemuck::cast_slice(found.index),
                numbers: found.numbers,
                path: None,
            })?;
            records.truncate(found.start);
            Ok(())
        });
        worker.scratch.records = records;
        done
    }
}
