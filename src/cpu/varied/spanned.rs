//! Search by radii for rows that go to a sink. Only wanted rows are found, in the way in which all rows are counted and filled.
//! The rows of a leaf are places among the points around its block.

use std::sync::atomic::Ordering::Relaxed;

use super::super::leaf::Tested;
use super::super::rows::{Sink, Source, Wanted};
use super::super::simd::Simd;
use super::super::simd::quantized::{Hits, words_of};
use super::{Task, Varied, Worker};
use crate::error::Result;
use crate::points::Real;

/// A search, and what of it is done at once.
pub struct Spanned<'a, T> {
    pub varied: Varied<'a, T>,
    pub blocks: &'a [Task],
}

impl<T: Real> Source for Spanned<'_, T> {
    type Worker = Worker;

    fn points(&self) -> usize {
        self.varied.tree.places().len()
    }

    fn blocks(&self) -> usize {
        self.blocks.len()
    }

    fn simd(&self) -> Simd {
        Simd::new(self.varied.isa)
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
        let search = Varied {
            wanted: wanted.lengths.is_none().then_some(wanted),
            ..self.varied
        };
        match self.blocks[block] {
            Task::Single { place } => search.take_single(worker, place as usize, wanted, sink).map(|()| None),
            Task::Block { node, most } => {
                let mut places = search.tree.node(node as usize).places();
                if !places.any(|place| search.has_row(place)) {
                    return Ok(None);
                }
                search.take_block(worker, (node, most), wanted, sink)?;
                Ok(Some(worker.block.numbers()))
            }
        }
    }
}

impl<T: Real> Varied<'_, T> {
    fn take_single(&self, worker: &mut Worker, place: usize, wanted: &Wanted, sink: &mut dyn Sink) -> Result<()> {
        let number = self.tree.id(place);
        if !self.has_row(place) {
            return Ok(());
        }
        let row = self.find_single(worker, place, 0)?;
        if let Some(lengths) = wanted.lengths {
            lengths[number as usize].store(row.len() as i64, Relaxed);
        }
        if wanted.has(number as usize) {
            row.sort_unstable();
            sink.row(number, row)?;
        }
        Ok(())
    }

    fn take_block(&self, worker: &mut Worker, block: (u32, f64), wanted: &Wanted, sink: &mut dyn Sink) -> Result<()> {
        let Worker { block: loaded, scratch } = worker;
        let frame = loaded.load(self, block)?;
        let mut records = std::mem::take(&mut scratch.records);
        records.restart(0)?;
        let to = (scratch, &mut records);
        let done = loaded.search(self, &frame, block, to, &mut |_, records, found| {
            if let Some(lengths) = wanted.lengths {
                for (&row, &count) in found.rows.iter().zip(found.counts) {
                    lengths[row as usize].store(i64::from(count), Relaxed);
                }
            }
            let leaf = records.leaf(found.start, self.full).0;
            let (mut ranks, mut words, mut counts) = (leaf.ranks, leaf.words, found.counts);
            for rows in found
                .rows
                .chunk_by(|&a, &b| wanted.has(a as usize) == wanted.has(b as usize))
            {
                let (these, rest) = ranks.split_at(rows.len());
                let used = these
                    .iter()
                    .map(|&rank| words_of(rank.into(), leaf.len, self.full))
                    .sum();
                let hits = Hits {
                    len: leaf.len,
                    ranks: these,
                    words: &words[..used],
                    full: self.full,
                };
                if wanted.has(rows[0] as usize) {
                    let tested = Tested {
                        first: 0,
                        hits,
                        counts: &counts[..rows.len()],
                    };
                    sink.leaf(&tested, bytemuck::cast_slice(found.index), found.numbers)?;
                }
                (ranks, words, counts) = (rest, &words[used..], &counts[rows.len()..]);
            }
            records.truncate(found.start);
            Ok(())
        });
        worker.scratch.records = records;
        done
    }
}
