//! Rows in place: from the hits kept by counting, by another search of the block, or by the caller's coordinates.

use std::mem::take;
use std::ops::Range;

use super::Pairs;
use crate::cpu::counted::{Counted, Found};
use crate::cpu::leaf::LeafTest;
use crate::cpu::records::picked::Lists;
use crate::cpu::records::{Answers, Records};
use crate::cpu::simd::Width;
use crate::cpu::simd::quantized::{Hits, PADDING};
use crate::cpu::worker::{Fill, Into, Worker};
use crate::error::{Error, Result};
use crate::grid::Block;
use crate::list::{Delivery, Rows};
use crate::threads::Team;

impl<T: Width> Pairs<'_, T> {
    /// Writes row `i`'s labels to its place in `rows` and, where it is wanted, its point as often to `left`.
    pub fn fill(
        &self,
        team: &Team,
        workers: &mut [Worker<T>],
        counted: &Counted,
        delivery: Delivery,
        (rows, left): (Rows, Option<Rows>),
    ) -> Result<()> {
        if counted.are_few {
            return self.fill_few(&mut workers[0], &counted.few, delivery, (rows, left));
        }
        let streams = delivery.streams();
        for worker in &mut *workers {
            worker.scratch.reserve(counted.longest, &delivery.labels)?;
        }
        team.run(workers, counted.blocks.len(), |worker, k| {
            // SAFETY: offsets ascend, so rows do not overlap; the grid has each point in one block, and each block is one task, so
            // no two tasks store the same row.
            let mut rows = unsafe { rows.alias() };
            rows.stores(streams, |stores| {
                let mut into = Into {
                    delivery,
                    stores,
                    sparse: false,
                };
                self.fill_block(worker, counted, k, &mut into)
            })
        })?;
        delivery.fill_left(team, left)
    }

    fn fill_block(&self, worker: &mut Worker<T>, counted: &Counted, k: usize, into: &mut Into) -> Result<()> {
        let block = &counted.blocks[k];
        match counted.found[k] {
            Found::Nothing => {
                let view = self.points()?;
                let base = into.delivery.labels.base as i32;
                let filter = self.filter(base);
                worker.by_coordinates(&self.query, view, base, block, |scratch| Fill { into, filter, scratch })
            }
            Found::Empty => Ok(()),
            Found::Records {
                worker: number,
                start,
                end,
            } => self.fill_by_records(worker, &counted.kept[number as usize].records, start..end, into),
            Found::Answers { worker: number, first } => {
                self.fill_by_answers(worker, block, (&counted.kept[number as usize].answers, first), into)
            }
        }
    }

    /// Fills the rows of a block of which all was kept.
    fn fill_by_records(
        &self,
        worker: &mut Worker<T>,
        records: &Records,
        all: Range<usize>,
        into: &mut Into,
    ) -> Result<()> {
        let Worker { lists, scratch, .. } = worker;
        let simd = self.query.simd();
        let Delivery { places, labels } = into.delivery;
        let start = lists.begin(records, all.start, labels.base as i32)?;
        let read = |lists: &mut Lists, start: usize| -> Result<_> {
            if start == all.end {
                return Ok(None);
            }
            let leaf = lists.read(simd, records, start)?;
            records.prefetch(leaf.end..2 * leaf.end - start);
            let ids = lists.targets(&leaf);
            for &rank in leaf.ranks {
                places.prefetch((ids[usize::from(rank)] - labels.base as i32) as usize);
            }
            Ok(Some(leaf))
        };
        // What a leaf's rows need is fetched while those of the one before are stored.
        let mut next = read(lists, start)?;
        while let Some(leaf) = next {
            next = read(lists, leaf.end)?;
            let hits = Hits {
                len: leaf.len,
                ranks: leaf.ranks,
                words: leaf.words,
                full: self.query.full,
            };
            scratch.store(simd, lists.targets(&leaf), hits, into)?;
        }
        Ok(())
    }

    /// Searches a block again, and fills its rows. What its doubtful pairs are was kept: the answers from `first` on.
    fn fill_by_answers(
        &self,
        worker: &mut Worker<T>,
        block: &Block,
        (answers, first): (&Answers, usize),
        into: &mut Into,
    ) -> Result<()> {
        let Worker {
            neighborhood, scratch, ..
        } = worker;
        let Some(framed) = self.frame(block, 0, neighborhood)? else {
            return Err(Error::Internal {
                text: "a block changed between count and fill".into(),
            });
        };
        let Delivery { places, labels } = into.delivery;
        let (full, base, mut next) = (self.query.full, labels.base as i32, first);
        let (mut ranks, mut words) = (take(&mut scratch.ranks), take(&mut scratch.words));
        let (mut allowed, mut ids) = (take(&mut scratch.allowed), take(&mut scratch.ids));
        let simd = framed.search.simd;
        let mut test = LeafTest {
            fixed: framed.search.fixed,
            simd,
            full,
            ranks: &mut ranks,
            allowed: self.query.classes.zip(Some(&mut allowed)),
            decide: &mut |_| {
                next += 1;
                answers.get(next - 1)
            },
        };
        let filled = neighborhood.leaves(&framed.search, &framed.frame, &mut |leaf| {
            let (members, numbers) = (test.members(leaf)?, leaf.targets.numbers());
            for &rank in &test.ranks[..members] {
                places.prefetch(leaf.id(rank.into()) as usize); // until its row is tested
            }
            ids.grow(numbers.len() + PADDING, "the targets of a leaf")?;
            (ids.iter_mut().zip(numbers)).for_each(|(id, &at)| *id = leaf.around.ids[usize::from(at)] as i32 + base);
            test.test(leaf, 0..members, &mut words, &mut |tested| {
                scratch.store(simd, &ids, tested.hits, into)
            })
        });
        (scratch.ranks, scratch.words) = (ranks, words);
        (scratch.allowed, scratch.ids) = (allowed, ids);
        filled
    }
}
