//! Rows out of a list that holds more: of a search with a skin, whose points have moved since. Each entry is decided by the
//! caller's arithmetic.

use std::sync::atomic::Ordering::Relaxed;

use super::simd::store_row;
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{Rows, as_atomic_i64, reserve_discarding};
use crate::points::{Points, Real};
use crate::threads::Team;

/// Rows that a thread does at once.
const ROWS: usize = 1024;

/// A list of all that can be in reach, and the points as they are now.
pub struct Listed<'a, T> {
    pub points: &'a Points<T>,
    /// 0-based, as the ids.
    pub offsets: &'a [i64],
    pub ids: &'a [i32],
    /// Distance squared is at most this.
    pub bound: T,
    /// Both sides of each pair are wanted; otherwise the ids above the row's own.
    pub full: bool,
}

impl<T: Real> Listed<'_, T> {
    /// Writes the length of row `i` to `lengths[i]`.
    pub fn count(&self, team: &Team, lengths: &mut [i64]) -> Result<()> {
        let lengths = as_atomic_i64(lengths);
        self.run(team, &mut vec![(); team.threads()], |(), i| {
            let mut length = 0;
            self.each(i, |_| length += 1);
            lengths[i].store(length, Relaxed);
            Ok(())
        })
    }

    /// Writes row `i`'s ids plus `base` to `offsets[i] - base .. offsets[i + 1] - base` of `rows`.
    pub fn fill(&self, team: &Team, offsets: &[i64], base: i64, rows: &Rows) -> Result<()> {
        let mut states: Vec<Vec<i32>> = vec![Vec::new(); team.threads()];
        self.run(team, &mut states, |row, i| {
            let place = (offsets[i] - base) as usize..(offsets[i + 1] - base) as usize;
            row.clear();
            reserve_discarding(row, place.len(), "a row")?;
            self.each(i, |id| row.push(id + base as i32));
            store_row(rows, place, row);
            Ok(())
        })
    }

    fn run<S: Send>(
        &self,
        team: &Team,
        states: &mut [S],
        act: impl Fn(&mut S, usize) -> Result<()> + Sync,
    ) -> Result<()> {
        let rows = self.offsets.len() - 1;
        team.run(states, rows.div_ceil(ROWS), |state, task| {
            (task * ROWS..((task + 1) * ROWS).min(rows)).try_for_each(|i| act(state, i))
        })
    }

    /// Calls `action` with each id of row `i`.
    #[inline(always)]
    fn each(&self, i: usize, action: impl FnMut(i32)) {
        match self.points.dim() {
            1 => self.each_of::<1>(i, action),
            2 => self.each_of::<2>(i, action),
            _ => self.each_of::<3>(i, action),
        }
    }

    #[inline(always)]
    fn each_of<const DIM: usize>(&self, i: usize, mut action: impl FnMut(i32)) {
        let coords: [&[T]; DIM] = std::array::from_fn(|axis| &self.points.axes()[axis][..]);
        let periods: &Periods<T> = self.points.periods();
        for &id in &self.ids[self.offsets[i] as usize..self.offsets[i + 1] as usize] {
            let difference = |axis: usize| periods.difference(axis, coords[axis][i], coords[axis][id as usize]);
            let mut d2 = difference(0).mul(difference(0));
            for axis in 1..DIM {
                d2 = d2.add_square(difference(axis));
            }
            if d2 <= self.bound && (self.full || id as usize > i) {
                action(id);
            }
        }
    }
}
