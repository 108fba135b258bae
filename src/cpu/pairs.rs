//! Fixed-radius search on the CPU: counts per row, then rows in place, each in the caller's numbering and ascending.
//! Every thread takes block after block.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use super::descent::{Action, BlockSearch, Doer, LEVELS, Member, Task};
use super::neighborhood::{Level, Sorted};
use super::query::Query;
use super::simd::{Width, store_row};
use super::tally::{self, tally};
use crate::error::Result;
use crate::grid::{Block, PADDING};
use crate::list::{Rows, as_atomic_i64, prefetch, reserve_discarding, resize_discarding};
use crate::points::Real;
use crate::threads::Team;

/// A block has at most this many points: what is in reach of it then stays in the second-level cache.
const BLOCK: usize = 4096;

/// And at least this many, however many threads want a share.
const BLOCK_AT_LEAST: usize = 256;

/// Blocks each thread gets, so that the last ones finish together.
const BLOCKS_PER_THREAD: usize = 16;

/// Rows whose memory is fetched before they are written: about as many as take the time of a miss.
const AHEAD: usize = 4;

/// What one worker needs, kept in the handle.
#[derive(Debug, Default)]
pub struct Worker<T> {
    sorted: Sorted,
    wide: [Level<T>; LEVELS],
    narrow: [Level<f32>; LEVELS],
    members: Vec<Member>,
    scratch: Scratch,
    tally: tally::Scratch,
    /// The first worker's is the list of all blocks.
    blocks: Vec<Block>,
}

/// What actions need.
#[derive(Debug, Default)]
struct Scratch {
    row: Vec<i32>,
    places: Vec<Range<usize>>,
}

impl<T: Width> Worker<T> {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let levels =
            self.wide.iter().map(Level::bytes).sum::<usize>() + self.narrow.iter().map(Level::bytes).sum::<usize>();
        self.tally.bytes() + self.sorted.bytes() + levels + self.scratch.row.capacity() * 4
    }
}

/// Fixed-radius search with a query.
pub struct Pairs<'a, T> {
    pub query: Query<'a, T>,
}

impl<T: Width> Pairs<'_, T> {
    /// Writes the length of row `i` to `lengths[i]`.
    /// `counters` is room for a number for each point.
    pub fn count(
        &self,
        team: &Team,
        workers: &mut [Worker<T>],
        counters: &mut Vec<u32>,
        lengths: &mut [i64],
    ) -> Result<()> {
        let lengths = as_atomic_i64(lengths);
        let mut scratch: Vec<_> = workers.iter_mut().map(|worker| &mut worker.tally).collect();
        if tally(&self.query, team, &mut scratch, counters, lengths)? {
            return Ok(());
        }
        self.visit(team, workers, 0, |_| Count { lengths })
    }

    /// Writes row `i`'s ids plus `base` to `offsets[i] - base .. offsets[i + 1] - base` of `rows`.
    pub fn fill(&self, team: &Team, workers: &mut [Worker<T>], offsets: &[i64], base: i64, rows: &Rows) -> Result<()> {
        self.visit(team, workers, base as i32, |scratch| Fill { offsets, rows, scratch })
    }

    fn visit<'w, A: Action + Send>(
        &self,
        team: &Team,
        workers: &'w mut [Worker<T>],
        base: i32,
        action: impl Fn(&'w mut Scratch) -> A + Sync,
    ) -> Result<()> {
        let share = self.query.grid.len() / (team.threads() * BLOCKS_PER_THREAD);
        let limit = if team.threads() == 1 {
            BLOCK
        } else {
            share.clamp(BLOCK_AT_LEAST, BLOCK)
        };
        self.query.grid.blocks(limit, &mut workers[0].blocks)?;
        let mut blocks: &[Block] = &[];
        let mut states: Vec<_> = workers
            .iter_mut()
            .map(
                |Worker {
                     sorted,
                     wide,
                     narrow,
                     members,
                     scratch,
                     blocks: theirs,
                     ..
                 }| {
                    if blocks.is_empty() {
                        blocks = theirs;
                    }
                    (sorted, wide, narrow, members, action(scratch))
                },
            )
            .collect();
        team.run(
            &mut states,
            blocks.len(),
            |(sorted, wide, narrow, members, action), k| {
                let mut block = BlockSearch {
                    query: &self.query,
                    base,
                    sorted,
                    wide,
                    narrow,
                    doer: Doer { members, action },
                };
                block.search(&blocks[k])
            },
        )
    }
}

struct Count<'a> {
    lengths: &'a [std::sync::atomic::AtomicI64],
}

impl Action for Count<'_> {
    fn prepare(&mut self, members: &[Member], _longest: usize) -> Result<()> {
        members
            .iter()
            .for_each(|member| prefetch(&self.lengths[member.number as usize]));
        Ok(())
    }

    fn act<R: Real>(&mut self, _k: usize, member: &Member, task: &Task<R>) {
        let targets = task.level.targets();
        let count = |range: &Range<usize>| task.kernels.count(&targets, range.clone(), &task.reach);
        let found: usize = task.ranges.iter().filter(|range| !range.is_empty()).map(count).sum();
        self.lengths[member.number as usize].store(found as i64, Relaxed);
    }
}

struct Fill<'a> {
    offsets: &'a [i64],
    rows: &'a Rows<'a>,
    scratch: &'a mut Scratch,
}

impl Action for Fill<'_> {
    fn prepare(&mut self, members: &[Member], longest: usize) -> Result<()> {
        let Scratch { row, places } = &mut *self.scratch;
        if row.len() < longest + 2 * PADDING {
            resize_discarding(row, longest + 2 * PADDING, 0, "a row")?;
        }
        places.clear();
        reserve_discarding(places, members.len(), "the rows of a leaf")?;
        let end = |i: usize| (self.offsets[i] - self.offsets[0]) as usize;
        places.extend(
            members
                .iter()
                .map(|member| end(member.number as usize)..end(member.number as usize + 1)),
        );
        places
            .iter()
            .take(AHEAD)
            .for_each(|place| self.rows.prefetch(place.clone()));
        Ok(())
    }

    fn act<R: Real>(&mut self, k: usize, _member: &Member, task: &Task<R>) {
        let Scratch { row, places } = &mut *self.scratch;
        if let Some(place) = places.get(k + AHEAD) {
            self.rows.prefetch(place.clone());
        }
        let mut found = 0;
        for range in task.ranges.iter().filter(|range| !range.is_empty()) {
            found += task
                .kernels
                .emit(&task.level.targets(), range.clone(), &task.reach, &mut row[found..]);
        }
        store_row(self.rows, places[k].clone(), &row[..found]);
    }
}
