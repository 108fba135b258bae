//! The memory of one worker of a search, and its work on rows: those of a leaf's record, and those found by the caller's
//! coordinates.

use std::ops::Range;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use super::allowed::Allowed;
use super::descent::{Action, BlockSearch, LEVELS, Member, Task};
use super::fixed;
use super::neighborhood::Level;
use super::query::Query;
use super::records::Records;
use super::records::indexed::Leaf;
use super::records::picked::Lists;
use super::simd::exact;
use super::simd::quantized::rows::{Emit, rows_room};
use super::simd::quantized::{BATCH, Hits, PADDING as WORDS_PADDING, WORD};
use super::simd::{Simd, Width};
use super::sorted::Sorted;
use crate::error::Result;
use crate::grid::{Block, PADDING};
use crate::kinds::Classes;
use crate::list::{Aligned, Delivery, Labels, Stores, grow, prefetch, reserve_discarding};
use crate::points::PointsView;

/// Rows whose memory is fetched before they are written: about as many as take the time of a miss.
const AHEAD: usize = 4;

/// What one worker needs, kept in the handle.
#[derive(Debug, Default)]
pub struct Worker<T> {
    pub(super) neighborhood: fixed::Neighborhood,
    sorted: Sorted,
    pub(super) levels: [Level<T>; LEVELS],
    members: Vec<Member>,
    pub(super) lists: Lists,
    pub(super) scratch: Scratch,
}

/// What a worker needs beside its neighborhood.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Records of a block whose records are not kept.
    pub(super) records: Records,
    pub(super) ranks: Vec<u16>,
    /// Tests of a leaf of which no record is made.
    pub(super) words: Vec<u32>,
    pub(super) allowed: Allowed,
    /// The ids of a leaf's targets.
    pub(super) ids: Aligned<i32>,
    /// Those of the next leaf's.
    pub(super) coming: Aligned<i32>,
    /// Rows of a leaf that are packed and not yet stored.
    packed: Aligned<i32>,
    pub(super) row: Vec<i32>,
    /// The ranks of a row's targets.
    listed: Vec<u16>,
    /// What labels need beside a row.
    pub(super) spare: Vec<i32>,
    places: Vec<Range<usize>>,
}

impl<T: Width> Worker<T> {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let levels = self.levels.iter().map(Level::bytes).sum::<usize>();
        self.neighborhood.bytes() + self.sorted.bytes() + levels + self.lists.bytes() + self.scratch.bytes()
    }
}

impl<T: Width> Worker<T> {
    /// Makes room for that many points around a block, so that it makes no difference later who gets which block.
    pub fn reserve(&mut self, [framed, others]: [usize; 2], dim: usize) -> Result<()> {
        self.neighborhood.reserve(framed, dim)?;
        self.lists.reserve(framed)?;
        self.sorted.reserve(others)?;
        self.levels[..2]
            .iter_mut()
            .try_for_each(|level| level.reserve(others, dim))
    }

    /// Searches a block by the caller's coordinates.
    pub fn by_coordinates<'w, A: Action>(
        &'w mut self,
        query: &Query<T>,
        view: &PointsView<T>,
        base: i32,
        block: &Block,
        action: impl FnOnce(&'w mut Scratch) -> A,
    ) -> Result<()> {
        let Worker {
            sorted,
            levels,
            members,
            scratch,
            ..
        } = self;
        let mut search = BlockSearch {
            query,
            view,
            base,
            sorted,
            levels,
            members,
            action: &mut action(scratch),
        };
        search.search(block)
    }
}

/// Where rows go.
pub struct Into<'a, 's> {
    pub delivery: Delivery<'a>,
    pub stores: &'a mut Stores<'s>,
    /// Whether rows may have few of the targets that were tested for them.
    pub sparse: bool,
}

impl Scratch {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let ids = [&self.ids, &self.coming, &self.packed].map(Aligned::bytes);
        let lists = ids.iter().sum::<usize>()
            + (self.words.capacity() + self.row.capacity() + self.spare.capacity()) * 4
            + (self.ranks.capacity() + self.listed.capacity()) * 2;
        self.records.bytes() + self.allowed.bytes() + lists
    }

    /// Makes room for leaves of `len` targets, so that it makes no difference later which worker gets which leaf.
    pub fn reserve(&mut self, len: usize, labels: &Labels) -> Result<()> {
        grow(&mut self.ranks, len + WORDS_PADDING, 0, "the members of a leaf")?;
        grow(&mut self.words, BATCH * len.div_ceil(WORD), 0, "the tests of a leaf")?;
        self.ids.grow(len + WORDS_PADDING, "the targets of a leaf")?;
        self.reserve_rows(len, labels)
    }

    fn reserve_rows(&mut self, len: usize, labels: &Labels) -> Result<()> {
        self.packed.grow(rows_room(len), "a row")?;
        grow(&mut self.listed, len + WORDS_PADDING, 0, "a row")?;
        grow(&mut self.spare, labels.spare(len), 0, "a row")
    }

    /// Stores the rows of a leaf whose targets are some of the points `numbers`.
    pub fn emit(&mut self, simd: Simd, leaf: &Leaf, numbers: &[u32], full: bool, into: &mut Into) -> Result<()> {
        let mut ids = std::mem::take(&mut self.ids);
        ids.grow(leaf.len + WORDS_PADDING, "the targets of a leaf")?;
        leaf.ids(numbers, into.delivery.labels.base as i32, &mut ids);
        let hits = Hits {
            len: leaf.len,
            ranks: leaf.ranks,
            words: leaf.words,
            full,
        };
        let stored = self.store(simd, &ids, hits, into);
        self.ids = ids;
        stored
    }

    /// Stores the rows of members of a leaf; `ids` are those of its targets, the base with them, padded.
    pub fn store(&mut self, simd: Simd, ids: &[i32], hits: Hits, into: &mut Into) -> Result<()> {
        let Delivery { places: of, labels } = into.delivery;
        self.reserve_rows(hits.len, &labels)?;
        let mut places = [const { 0..0 }; BATCH];
        for (place, &rank) in places.iter_mut().zip(hits.ranks) {
            *place = of.of((ids[usize::from(rank)] - labels.base as i32) as usize);
        }
        let Scratch {
            packed, listed, spare, ..
        } = self;
        let mut relabel = |row: &mut [i32]| labels.row(row, spare);
        simd.run(Emit {
            hits,
            ids,
            places: &places[..hits.ranks.len()],
            to: into.stores.room(),
            sparse: into.sparse,
            row: packed,
            ranks: listed,
            relabel: (!labels.are_plain()).then_some(&mut relabel),
        });
        Ok(())
    }
}

/// Which points a row may list, for rows that are found by the caller's coordinates.
#[derive(Clone, Copy)]
pub struct Filter<'a> {
    pub classes: Option<&'a Classes<'a>>,
    pub base: i32,
}

impl Filter<'_> {
    /// Writes the row of a member to the front of `row`; returns its length.
    fn find<R: Width>(&self, member: &Member, task: &Task<R>, row: &mut [i32]) -> usize {
        let mut found = 0;
        for range in task.ranges.iter().filter(|range| !range.is_empty()) {
            let emit = exact::Emit {
                targets: task.level.targets(),
                range: range.clone(),
                reach: &task.reach,
                row: &mut row[found..],
            };
            found += task.simd.run_in(task.dim, emit);
        }
        let Some(classes) = self.classes else { return found };
        let (mine, mut kept) = (classes.of(member.number as usize), 0);
        for k in 0..found {
            row[kept] = row[k];
            kept += usize::from(classes.allows(mine, classes.of((row[k] - self.base) as usize)));
        }
        kept
    }
}

/// Counts rows by the caller's coordinates.
pub struct Count<'a> {
    pub lengths: &'a [AtomicI64],
    pub filter: Filter<'a>,
    pub scratch: &'a mut Scratch,
}

impl Action for Count<'_> {
    fn prepare(&mut self, members: &[Member], longest: usize) -> Result<()> {
        if self.filter.classes.is_some() {
            grow(&mut self.scratch.row, longest + 2 * PADDING, 0, "a row")?;
        }
        members
            .iter()
            .for_each(|member| prefetch(&self.lengths[member.number as usize]));
        Ok(())
    }

    fn act<R: Width>(&mut self, _k: usize, member: &Member, task: &Task<R>) {
        let targets = task.level.targets();
        let count = |range: &Range<usize>| {
            let (range, reach) = (range.clone(), &task.reach);
            task.simd.run_in(task.dim, exact::Count { targets, range, reach })
        };
        let found: usize = match self.filter.classes {
            Some(_) => self.filter.find(member, task, &mut self.scratch.row),
            None => task.ranges.iter().filter(|range| !range.is_empty()).map(count).sum(),
        };
        self.lengths[member.number as usize].store(found as i64, Relaxed);
    }
}

/// Fills rows by the caller's coordinates.
pub struct Fill<'a, 'i, 's> {
    pub into: &'a mut Into<'i, 's>,
    pub filter: Filter<'a>,
    pub scratch: &'a mut Scratch,
}

impl Action for Fill<'_, '_, '_> {
    fn prepare(&mut self, members: &[Member], longest: usize) -> Result<()> {
        let Scratch { row, spare, places, .. } = &mut *self.scratch;
        let Delivery { places: of, labels } = self.into.delivery;
        grow(row, longest + 2 * PADDING, 0, "a row")?;
        grow(spare, labels.spare(longest), 0, "a row")?;
        places.clear();
        reserve_discarding(places, members.len(), "the rows of a leaf")?;
        places.extend(members.iter().map(|member| of.of(member.number as usize)));
        let ahead = places.iter().take(AHEAD);
        ahead.for_each(|place| self.into.stores.prefetch(place.clone()));
        Ok(())
    }

    fn act<R: Width>(&mut self, k: usize, member: &Member, task: &Task<R>) {
        let Scratch { row, spare, places, .. } = &mut *self.scratch;
        if let Some(place) = places.get(k + AHEAD) {
            self.into.stores.prefetch(place.clone());
        }
        let found = self.filter.find(member, task, row);
        self.into.delivery.labels.row(&mut row[..found], spare);
        self.into.stores.store(places[k].clone(), &row[..found]);
    }
}

/// Calls `action` with the number and the ids of rows, found by the caller's coordinates, that are wanted. It is done after an
/// error.
pub struct EachRow<'a, W, F> {
    pub filter: Filter<'a>,
    pub is_wanted: W,
    pub action: F,
    pub outcome: &'a mut Result<()>,
    pub scratch: &'a mut Scratch,
}

impl<W: Fn(usize) -> bool, F: FnMut(u32, &[i32]) -> Result<()>> Action for EachRow<'_, W, F> {
    fn prepare(&mut self, _members: &[Member], longest: usize) -> Result<()> {
        std::mem::replace(self.outcome, Ok(()))?;
        grow(&mut self.scratch.row, longest + 2 * PADDING, 0, "a row")
    }

    fn act<R: Width>(&mut self, _k: usize, member: &Member, task: &Task<R>) {
        if self.outcome.is_ok() && (self.is_wanted)(member.number as usize) {
            let found = self.filter.find(member, task, &mut self.scratch.row);
            *self.outcome = (self.action)(member.number, &self.scratch.row[..found]);
        }
    }
}
