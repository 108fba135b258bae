//! Fixed-radius search for rows that go to a sink, block by block. Only wanted rows are found, in the way in which all rows
//! are counted and filled. The rows of a leaf are places among the points around its block.

use std::mem::take;
use std::ops::Range;

use super::leaf::{LeafTest, Tested};
use super::pairs::{Framed, Pairs};
use super::query::is_pair;
use super::rows::{Sink, Source, Wanted};
use super::simd::quantized::{Hits, words_of};
use super::simd::{Simd, Width};
use super::worker::{Count, EachRow, Worker};
use crate::error::Result;
use crate::grid::Block;

/// A search, and the blocks that it has.
pub struct Spanned<'a, T> {
    pub pairs: &'a Pairs<'a, T>,
    pub blocks: &'a [Block],
}

impl<T: Width> Source for Spanned<'_, T> {
    type Worker = Worker<T>;

    fn points(&self) -> usize {
        self.pairs.query.grid.len()
    }

    fn blocks(&self) -> usize {
        self.blocks.len()
    }

    fn simd(&self) -> Simd {
        self.pairs.query.simd()
    }

    fn prepare(&self, workers: &mut [Worker<T>]) -> Result<()> {
        let around = self.pairs.most_around(self.blocks);
        let dim = self.pairs.query.grid.dim();
        workers.iter_mut().try_for_each(|worker| worker.reserve(around, dim))
    }

    fn find<'w>(
        &self,
        worker: &'w mut Worker<T>,
        block: usize,
        wanted: &Wanted,
        sink: &mut dyn Sink,
    ) -> Result<Option<&'w [u32]>> {
        let (pairs, block) = (self.pairs, &self.blocks[block]);
        if wanted.lengths.is_none() && !pairs.has_rows(block, wanted) {
            return Ok(None);
        }
        let is_behind = !pairs.query.full && wanted.order.is_none();
        let least = if is_behind { wanted.rows.start as u32 } else { 0 };
        if let Some(framed) = pairs.frame(block, least, &mut worker.neighborhood)? {
            pairs.find_in_leaves(worker, &framed, wanted, sink)?;
            return Ok(Some(worker.neighborhood.ids()));
        }
        pairs.find_by_coordinates(worker, block, wanted, sink)?;
        Ok(None)
    }
}

impl<T: Width> Pairs<'_, T> {
    fn find_in_leaves(
        &self,
        worker: &mut Worker<T>,
        framed: &Framed,
        wanted: &Wanted,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let (view, bound, full) = (self.points()?, self.query.bound, self.query.full);
        let Worker {
            neighborhood, scratch, ..
        } = worker;
        let (mut ranks, mut words) = (take(&mut scratch.ranks), take(&mut scratch.words));
        let mut allowed = take(&mut scratch.allowed);
        let mut test = LeafTest {
            fixed: framed.search.fixed,
            simd: framed.search.simd,
            full,
            ranks: &mut ranks,
            allowed: self.query.classes.zip(Some(&mut allowed)),
            decide: &mut |pair| is_pair(view, self.query.periods, bound, pair),
        };
        let place = |row: usize| neighborhood.ids().partition_point(|&id| (id as usize) < row);
        let places = place(wanted.rows.start)..place(wanted.rows.end);
        let done = neighborhood.leaves(&framed.search, &framed.frame, &mut |leaf| {
            let members = test.members(leaf)?;
            let rows = match wanted.order {
                Some(_) => {
                    let is_wanted = |rank: u16| wanted.has(leaf.id(rank.into()) as usize);
                    0..retain(&mut test.ranks[..members], is_wanted)
                }
                None => {
                    let below =
                        |place: usize| test.ranks[..members].partition_point(|&rank| leaf.number(rank.into()) < place);
                    below(places.start)..below(places.end)
                }
            };
            let tested = match wanted.lengths {
                Some(lengths) => {
                    leaf.prefetch_lengths(&test.ranks[..members], lengths);
                    0..members
                }
                None => rows.clone(),
            };
            test.test(leaf, tested, &mut words, &mut |tested| {
                if let Some(lengths) = wanted.lengths {
                    tested.store_lengths(leaf, lengths);
                }
                let part = tested.part(&rows);
                sink.leaf(&part, leaf.targets.index, leaf.around.ids)
            })
        });
        (scratch.ranks, scratch.words, scratch.allowed) = (ranks, words, allowed);
        done
    }

    fn find_by_coordinates(
        &self,
        worker: &mut Worker<T>,
        block: &Block,
        wanted: &Wanted,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let (view, filter) = (self.points()?, self.filter(0));
        if let Some(lengths) = wanted.lengths {
            worker.by_coordinates(&self.query, view, 0, block, |scratch| Count {
                lengths,
                filter,
                scratch,
            })?;
        }
        let mut outcome = Ok(());
        worker.by_coordinates(&self.query, view, 0, block, |scratch| EachRow {
            filter,
            is_wanted: |i: usize| wanted.has(i),
            action: |i: u32, row: &[i32]| sink.row(i, row),
            outcome: &mut outcome,
            scratch,
        })?;
        outcome
    }

    fn has_rows(&self, block: &Block, wanted: &Wanted) -> bool {
        let (grid, mut has) = (self.query.grid, false);
        grid.places_of(block, |places| {
            has = has || grid.ids()[places].iter().any(|&id| wanted.has(id as usize));
        });
        has
    }
}

/// Brings those of `ranks` that are wanted to the front; returns how many.
fn retain(ranks: &mut [u16], is_wanted: impl Fn(u16) -> bool) -> usize {
    let mut kept = 0;
    for k in 0..ranks.len() {
        ranks[kept] = ranks[k];
        kept += usize::from(is_wanted(ranks[k]));
    }
    kept
}

impl<'a> Tested<'a> {
    /// Those of them that are some of the leaf's members `wanted`.
    fn part(&self, wanted: &Range<usize>) -> Tested<'a> {
        let hits = self.hits;
        let within = |member: usize| member.saturating_sub(self.first).min(hits.ranks.len());
        let (start, end) = (within(wanted.start), within(wanted.end));
        let before = hits.ranks[..start].iter();
        let words: usize = before.map(|&rank| words_of(rank.into(), hits.len, hits.full)).sum();
        Tested {
            first: self.first + start,
            hits: Hits {
                ranks: &hits.ranks[start..end],
                words: &hits.words[words..],
                ..hits
            },
            counts: &self.counts[start..end],
        }
    }
}
