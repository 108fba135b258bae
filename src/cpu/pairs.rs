//! Fixed-radius search on the CPU: counts per row, then rows in place, each in the caller's numbering and ascending.

use std::ops::Range;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use super::candidates::{Candidates, row_ranges};
use super::simd::{Isa, Kernels, Probe, Targets, store_row};
use crate::error::Result;
use crate::grid::{Block, Grid, PADDING, Visitor};
use crate::list::{Rows, as_atomic_i64, resize_discarding};
use crate::points::Real;
use crate::threads::Team;

/// Points per task: small enough to share among many threads, large enough that a task's start is nothing.
const TASK: usize = 1024;

/// What one worker needs, kept in the handle.
#[derive(Debug, Default)]
pub struct Worker<T> {
    visitor: Visitor,
    candidates: Candidates<T>,
    row: Vec<i32>,
}

/// One fixed-radius search over a grid.
#[derive(Clone, Copy)]
pub struct Pairs<'a, T> {
    pub grid: &'a Grid<T>,
    /// Distance squared is at most this.
    pub bound: T,
    /// Both sides of each pair, or only ids above the row's own.
    pub full: bool,
    pub isa: Isa,
}

impl<T: Real> Pairs<'_, T> {
    /// Writes the length of row `i` to `lengths[i]`.
    pub fn count(&self, team: &Team, workers: &mut [Worker<T>], lengths: &mut [i64]) -> Result<()> {
        let lengths = as_atomic_i64(lengths);
        self.visit(team, workers, |worker, kernels, places| {
            worker
                .visitor
                .visit(self.grid, places, |block| self.count_block(kernels, block, lengths));
            Ok(())
        })
    }

    /// Writes row `i`'s ids plus `base` to `offsets[i] - base .. offsets[i + 1] - base` of `rows`.
    pub fn fill(&self, team: &Team, workers: &mut [Worker<T>], offsets: &[i64], base: i64, rows: &Rows) -> Result<()> {
        self.visit(team, workers, |worker, kernels, places| {
            let Worker {
                visitor,
                candidates,
                row,
            } = worker;
            let mut outcome = Ok(());
            visitor.visit(self.grid, places, |block| {
                if outcome.is_ok() {
                    outcome = candidates
                        .gather(self.grid, block, base as i32)
                        .and_then(|()| self.fill_block(kernels, block, candidates, row, offsets, rows));
                }
            });
            outcome
        })
    }

    fn visit(
        &self,
        team: &Team,
        workers: &mut [Worker<T>],
        work: impl Fn(&mut Worker<T>, &Kernels<T>, Range<usize>) -> Result<()> + Sync,
    ) -> Result<()> {
        let kernels = T::kernels(self.isa)[self.grid.dim() - 1];
        let len = self.grid.len();
        team.run(workers, len.div_ceil(TASK), |worker, task| {
            work(worker, &kernels, task * TASK..((task + 1) * TASK).min(len))
        })
    }

    fn count_block(&self, kernels: &Kernels<T>, block: &Block, lengths: &[AtomicI64]) {
        let grid = self.grid;
        let ids: &[i32] = bytemuck::cast_slice(grid.ids());
        let targets = Targets {
            coords: grid.coords(),
            ids,
        };
        for place in block.own.clone() {
            let id = ids[place];
            let point = std::array::from_fn(|axis| match targets.coords[axis] {
                [] => T::INFINITY,
                coords => coords[place],
            });
            let probe = Probe {
                point,
                bound: self.bound,
            };
            let above = if self.full { -1 } else { id };
            let found: usize = block
                .runs()
                .map(|run| kernels.count(&targets, run, &probe, above))
                .sum();
            // A point is always within its own reach: full rows leave it out.
            lengths[id as usize].store(found as i64 - i64::from(self.full), Relaxed);
        }
    }

    fn fill_block(
        &self,
        kernels: &Kernels<T>,
        block: &Block,
        candidates: &Candidates<T>,
        row: &mut Vec<i32>,
        offsets: &[i64],
        rows: &Rows,
    ) -> Result<()> {
        let len = candidates.len();
        resize_discarding(row, len + 2 * PADDING, 0, "a row")?;
        let targets = candidates.targets();
        for (k, &id) in self.grid.ids()[block.own.clone()].iter().enumerate() {
            let rank = candidates.rank(k);
            let probe = Probe {
                point: candidates.point(rank, self.grid.dim()),
                bound: self.bound,
            };
            let mut found = 0;
            for range in row_ranges(rank, len, self.full) {
                found += kernels.emit(&targets, range, &probe, &mut row[found..]);
            }
            let first = offsets[0];
            let place = (offsets[id as usize] - first) as usize..(offsets[id as usize + 1] - first) as usize;
            store_row(rows, place, &row[..found]);
        }
        Ok(())
    }
}
