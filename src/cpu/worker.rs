//! The memory of one worker of a search, and the sink that stores rows in place.

use super::kernels::quantized::rows::{Emit, rows_room};
use super::kernels::quantized::{BATCH, Hits, TARGET_PADDING};
use super::rows::{LeafRows, Memory, Sink};
use crate::error::Result;
use crate::ids::{Labels, OutputMap};
use crate::list::{Aligned, Stores, grow, holds};
use crate::simd::Simd;

/// Memory of one worker, kept in the handle.
#[derive(Debug, Default)]
pub struct Worker<M> {
    pub(super) search: M,
    pub(super) rows: RowScratch,
}

holds! { Worker<M> { search, rows } }

/// Room for rows on their way to their places.
#[derive(Debug, Default)]
pub struct RowScratch {
    /// The ids of a leaf's targets.
    ids: Aligned<i32>,
    /// Rows of a leaf that are packed and not yet stored.
    packed: Aligned<i32>,
    pub(super) row: Vec<i32>,
    /// Memory that labels need beside a row.
    pub(super) spare: Vec<i32>,
}

holds! { RowScratch { ids, packed, row, spare } }

impl<M: Memory> Worker<M> {
    /// Makes room for leaves of `len` targets, so that it makes no difference later which worker gets which leaf.
    pub fn reserve_leaves(&mut self, len: usize, labels: &Labels) -> Result<()> {
        self.search.reserve_leaves(len)?;
        self.rows.reserve(len, labels)
    }
}

impl RowScratch {
    fn reserve(&mut self, len: usize, labels: &Labels) -> Result<()> {
        self.ids.grow(len + TARGET_PADDING, "the targets of a leaf")?;
        self.packed.grow(rows_room(len), "a row")?;
        grow(&mut self.spare, labels.spare(len), 0, "a row")
    }
}

/// Stores rows at their places.
pub struct RowWriter<'a, 's> {
    pub simd: Simd,
    pub output: OutputMap<'a>,
    pub stores: &'a mut Stores<'s>,
    pub scratch: &'a mut RowScratch,
}

impl RowWriter<'_, '_> {
    /// Stores the rows of members of a leaf, whose targets are at `index` among the points around, of these `numbers`.
    pub fn store(&mut self, hits: Hits, index: &[i16], numbers: &[u32]) -> Result<()> {
        let OutputMap { places: of, labels } = self.output;
        self.scratch.reserve(hits.len, &labels)?;
        let number = |&at: &i16| numbers[usize::from(at as u16)];
        let ids = self.scratch.ids.iter_mut().zip(&index[..hits.len]);
        ids.for_each(|(id, at)| *id = number(at) as i32 + labels.base as i32);
        let mut places = [const { 0..0 }; BATCH];
        for (place, &rank) in places.iter_mut().zip(hits.ranks) {
            *place = of.of(number(&index[usize::from(rank)]) as usize);
        }
        let RowScratch { ids, packed, spare, .. } = &mut *self.scratch;
        let mut relabel = |row: &mut [i32]| labels.row(row, spare);
        self.simd.run(Emit {
            hits,
            ids,
            places: &places[..hits.ranks.len()],
            to: self.stores.room(),
            row: packed,
            relabel: (!labels.are_plain()).then_some(&mut relabel),
        });
        Ok(())
    }
}

impl Sink for RowWriter<'_, '_> {
    fn expect(&self, numbers: &[u32]) {
        let places = self.output.places;
        numbers.iter().for_each(|&number| places.prefetch(number as usize));
    }

    fn leaf(&mut self, rows: &LeafRows) -> Result<()> {
        self.store(rows.hits, rows.index, rows.numbers)
    }

    fn row(&mut self, number: u32, row: &mut [i32]) -> Result<()> {
        let OutputMap { places, labels } = self.output;
        grow(&mut self.scratch.spare, labels.spare(row.len()), 0, "a row")?;
        row.iter_mut().for_each(|id| *id += labels.base as i32);
        labels.row(row, &mut self.scratch.spare);
        self.stores.store(places.of(number as usize), row);
        Ok(())
    }
}
