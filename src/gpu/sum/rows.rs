//! Sums over rows by radii that are counted: their ids are found a chunk at a time, as for a list, and stay on the device.
//!
//! in: offsets of rows; out: outputs on the device. Stages: those that fill rows by radii, and `shaders/sum.wgsl`.

use std::ops::Range;

use super::program::PARTS;
use super::{Head, Summed, TOO_LARGE};
use crate::error::Result;
use crate::gpu::attempt::Attempt;
use crate::gpu::channel::Channel;
use crate::gpu::clock::Phase;
use crate::gpu::dispatch::{Before, Size};
use crate::gpu::kernels::{Slot, Stage};
use crate::gpu::row_search::RowSearch;
use crate::ids::{Offsets, Places};
use crate::points::Real;
use crate::threads::Team;

/// The place of `first_listed` in `Head`.
const FIRST_LISTED: u64 = std::mem::offset_of!(Head, first_listed) as u64;

/// Neighbors of a row that are summed over at once: `MOST_AT_ONCE` in `shaders/shared/summed_rows_radii.wgsl`.
const MOST: usize = 2048;

/// Rows of a workgroup: `TEAM` in `shaders/sum.wgsl`.
const TEAM: u64 = 128 / PARTS as u64;

impl RowSearch {
    /// Sums over the rows counted last, whose `offsets` these are. Returns the number of neighbors, or why this device does not evaluate
    /// the formula.
    pub fn sum_by_radii<T: Real>(
        &mut self,
        channel: &mut Channel,
        offsets: &Offsets,
        summed: &Summed<T>,
        team: &Team,
    ) -> Result<Attempt> {
        let exact = match self.exact_for_sums(channel, summed)? {
            Ok(exact) => exact,
            Err(found) => return Ok(found),
        };
        self.take_formula(channel, summed.formula.shader, exact)?;
        self.set_classes_of_pairs(channel, summed.classes_of_pairs, team)?;
        if !self.make_room_for_sums(channel, summed)? {
            return Ok(Err(TOO_LARGE));
        }
        self.place_rows(channel, team, &Places::as_searched(offsets))?;
        self.send_fields(channel, summed, team)?;
        let (all, mut first) = (offsets.len() - 1, 0);
        let chunks = self.chunks(channel, offsets, 0..all, 0..0)?;
        let last = chunks.len().saturating_sub(1);
        for (k, (chunk, _)) in chunks.into_iter().enumerate() {
            self.begin(channel, offsets, chunk.clone())?;
            // Rows without neighbors after the last chunk go with it.
            let end = if k == last { all } else { chunk.end };
            let lengths = offsets[chunk.start..=chunk.end].windows(2).map(|row| row[1] - row[0]);
            let longest = lengths.max().unwrap_or(0) as usize;
            let start = (offsets[chunk.start] - offsets[0]) as u32; // modulo 2^32
            self.submit_sum(channel, (common(&summed.rows, first..end), start, longest), k > 0)?;
            (first, self.filled) = (end, Some(chunk));
        }
        if first < all {
            self.submit_rows(channel, offsets, 0..all)?; // no row has neighbors
            self.submit_sum(channel, (summed.rows.clone(), 0, 0), false)?;
        }
        self.take_results(channel, summed, team)?;
        Ok(Ok(offsets[all] - offsets[0]))
    }

    /// Sums over rows whose ids are on the device. `start`: the place of the first id among all; `longest`: the most neighbors of a row.
    fn submit_sum(
        &mut self,
        channel: &mut Channel,
        (rows, start, longest): (Range<usize>, u32, usize),
        mut is_rest: bool,
    ) -> Result<()> {
        let stages = [(Stage::SumByRadii, Size::Lanes(self.params.points.into(), TEAM))];
        for done in (0..=longest).step_by(MOST) {
            let listed = [rows.start as u32, rows.len() as u32, start, done as u32];
            let before = [Before::Write(Slot::Summed, FIRST_LISTED, bytemuck::bytes_of(&listed))];
            self.submit_pass(channel, self.sum_load(is_rest), &before, (Phase::Fill, &stages))?;
            is_rest = true;
        }
        Ok(())
    }
}

/// The rows that both ranges have.
fn common(rows: &Range<usize>, others: Range<usize>) -> Range<usize> {
    let start = rows.start.max(others.start);
    start..rows.end.min(others.end).max(start)
}
