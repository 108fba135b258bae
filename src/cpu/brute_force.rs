//! Clouds of few points, which a grid holds in one cell: each point is tested against every other by the caller's
//! coordinates. The results are kept as one bit for each pair, from which the rows are written.

use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use super::kernels::few::{Bits, ID_PADDING, TestFew, WORD, Write};
use super::level::Level;
use super::query::Query;
use super::worker::RowScratch;
use crate::error::Result;
use crate::grid::FEW;
use crate::ids::OutputMap;
use crate::list::{Rows, grow, resize_discarding};
use crate::simd::Width;
use crate::threads::Team;

impl<T: Width> Query<'_, T> {
    /// Whether each point is tested against every other. What is found out must fit that many words.
    pub(super) fn are_few(&self, most: usize) -> bool {
        let grid = self.grid;
        let lists_all = self.classes.is_none() && self.excluded.is_none();
        grid.is_one_cell() && lists_all && grid.len() * size_of::<Bits>() <= most * size_of::<u32>()
    }

    /// Writes the length of row `i` to `lengths[i]`, and which points it has to `rows`.
    pub(super) fn count_few(&self, level: &mut Level<T>, rows: &mut Vec<Bits>, lengths: &[AtomicI64]) -> Result<()> {
        let view = self.points()?;
        level.load_all(view)?;
        resize_discarding(rows, view.len(), Bits::default(), "what counting found out")?;
        let mut counts = [0; FEW];
        let test = TestFew {
            targets: level.targets(),
            bound: self.bound,
            periods: self.periods,
            full: self.full,
            rows,
            counts: &mut counts,
        };
        self.simd().run_in(view.dim(), test);
        let tests = view.len() * view.len();
        self.cost.add(if self.full { tests } else { tests / 2 });
        for (length, &count) in lengths.iter().zip(&counts) {
            length.store(count.into(), Relaxed);
        }
        Ok(())
    }

    /// Writes row `i`'s labels to its place, and its point as often to `left`, where that is wanted.
    pub(super) fn fill_few(
        &self,
        scratch: &mut RowScratch,
        rows: &[Bits],
        output: OutputMap,
        (mut right, mut left): (Rows, Option<Rows>),
    ) -> Result<()> {
        let OutputMap { places, labels } = output;
        if places.order().is_some() || !labels.are_plain() {
            fill_labeled(scratch, rows, output, &mut right)?;
            return output.fill_left(&Team::caller(), left);
        }
        let ids: [i32; FEW + ID_PADDING] = std::array::from_fn(|i| i as i32 + labels.base as i32);
        let len = (places.offsets()[rows.len()] - places.offsets()[0]) as usize;
        let write = Write {
            rows,
            ids: &ids,
            right: right.room(),
            left: left.as_mut().map(Rows::room),
            len,
            full: self.full,
        };
        let written = self.simd().run(write);
        assert_eq!(written, len, "rows changed between count and fill");
        Ok(())
    }
}

/// Writes rows whose places or labels are others than their numbers.
fn fill_labeled(scratch: &mut RowScratch, rows: &[Bits], output: OutputMap, right: &mut Rows) -> Result<()> {
    let RowScratch { row, spare, .. } = scratch;
    let OutputMap { places, labels } = output;
    grow(row, FEW, 0, "a row")?;
    grow(spare, labels.spare(FEW), 0, "a row")?;
    for (i, bits) in rows.iter().enumerate() {
        let mut found = 0;
        for j in (0..rows.len()).filter(|j| bits[j / WORD] >> (j % WORD) & 1 == 1) {
            (row[found], found) = (j as i32 + labels.base as i32, found + 1);
        }
        labels.row(&mut row[..found], spare);
        right.store(places.of(i), &row[..found]);
    }
    Ok(())
}
