//! Builds the grid: extent, shape, then a stable counting sort of the points' numbers and places in their cells.

use std::sync::atomic::Ordering::Relaxed;

use super::bulk::Extent;
use super::cells::{Cells, Grid};
use super::leaves::Leaves;
use super::shape::{self, Shape};
use crate::axes::{in_dim, per_axis};
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{as_atomic_u32, as_atomic_u64, boxed, prefetch, push, reserve_discarding, resize_discarding};
use crate::memory::PADDING;
use crate::points::{PointsView, Real};
use crate::threads::Team;

/// A grid whose cells had to be enlarged, or that clamped points, and whose points see more than this many others in
/// their own cell, is given up for leaves; along each axis twice as many, for cells span two cutoffs where they need
/// not be enlarged.
const CROWDED: u64 = 48;

/// The most points around a block that is searched in a frame: the index of one is 16 bits. Tests make do with fewer.
pub(crate) const AROUND: usize = if cfg!(test) { 500 } else { INDEXED };
const INDEXED: usize = 1 << 16;

/// Points whose cells tell whether a grid is crowded.
const SAMPLE: usize = 4096;

/// The most cells with clamped points that are listed one by one.
const CLAMPED: usize = 64;

/// So few points are in one cell: to test each against every other takes less time than cells would.
pub(crate) const FEW: usize = 128;

/// Points that are sorted at once.
const FETCHED: usize = 64;

/// Points per task of the parallel passes.
const CHUNK: usize = 16 * 1024;

impl Grid {
    /// Sorts `view` for searches within `cutoff`. On failure the grid must not be used.
    pub fn build<T: Real>(
        &mut self,
        view: &PointsView<T>,
        periods: &Periods<T>,
        cutoff: f64,
        team: &Team,
    ) -> Result<()> {
        if view.len() <= FEW {
            self.build_cell(view)
        } else {
            self.build_cells(view, periods, cutoff, team)
        }
    }

    /// One cell that holds all points, which are in the caller's order. Their places in it are not needed.
    fn build_cell<T: Real>(&mut self, view: &PointsView<T>) -> Result<()> {
        self.restart(view)?;
        (self.ids.iter_mut().zip(0..)).for_each(|(id, i)| *id = i);
        resize_discarding(&mut self.starts, 2, 0, "the index")?;
        self.starts.copy_from_slice(&[0, self.len as u32]);
        self.clamped = None;
        self.cells = Cells::default();
        Ok(())
    }

    /// Cells, for any number of points.
    pub(super) fn build_cells<T: Real>(
        &mut self,
        view: &PointsView<T>,
        periods: &Periods<T>,
        cutoff: f64,
        team: &Team,
    ) -> Result<()> {
        self.restart(view)?;
        let extent = extent(view, periods, team)?;
        let shape = shape::choose(view, &extent, periods, cutoff);
        if !shape.natural && in_dim!(self.dim, DIM => is_crowded::<T, DIM>(view, &shape)) {
            return self.build_leaves(view, periods, cutoff, team);
        }
        if !in_dim!(self.dim, DIM => self.sort::<T, DIM>(view, &shape, team)?) {
            return self.build_leaves(view, periods, cutoff, team);
        }
        self.clamped = if shape.clamps {
            in_dim!(self.dim, DIM => clamped::<T, DIM>(view, &shape)?)
        } else {
            Some(Vec::new())
        };
        self.cells = Cells::Dense(shape);
        Ok(())
    }

    /// The points that make a cell a crowd.
    pub(super) fn crowd(&self) -> usize {
        crowd(self.dim)
    }

    fn restart<T: Real>(&mut self, view: &PointsView<T>) -> Result<()> {
        (self.dim, self.len) = (view.dim(), view.len());
        resize_discarding(&mut self.ids, self.len + PADDING, 0, "the index")
    }

    /// Leaves as cells.
    pub(super) fn build_leaves<T: Real>(
        &mut self,
        view: &PointsView<T>,
        periods: &Periods<T>,
        cutoff: f64,
        team: &Team,
    ) -> Result<()> {
        self.restart(view)?;
        let mut leaves = match std::mem::take(&mut self.cells) {
            Cells::Leaves(leaves) => leaves, // its memory
            Cells::Dense(_) => boxed(Leaves::default(), "the index")?,
        };
        self.packed = Vec::new();
        leaves.build(view, periods, cutoff, team)?;
        (self.ids.iter_mut().zip(leaves.tree.ids())).for_each(|(to, &id)| *to = id as u32);
        resize_discarding(&mut self.starts, leaves.tree.leaves() + 1, 0, "the index")?;
        for (leaf, start) in self.starts.iter_mut().enumerate() {
            *start = leaves.tree.points_of(&(leaf..leaf)).start as u32;
        }
        self.cells = Cells::Leaves(leaves);
        Ok(())
    }

    /// Stable counting sort: the points' numbers into `ids`, their places in their cells into `packed`, cells' starts
    /// into `starts`. False, with nothing sorted, where there are crowds.
    fn sort<T: Real, const DIM: usize>(&mut self, view: &PointsView<T>, shape: &Shape, team: &Team) -> Result<bool> {
        let (len, cells) = (self.len, shape.cells());
        let (placing, histograms) = (shape.placing::<DIM>(), &mut self.scratch.histograms);
        resize_discarding(&mut self.starts, cells + 1, 0, "the index")?;
        // A histogram per thread, as long as they take no more memory than the numbers.
        let sorters = team.threads().min(len / cells.max(CHUNK)).max(1);
        resize_discarding(histograms, sorters * cells, 0, "the index")?;
        histograms.fill(0);
        let share = len.div_ceil(sorters).max(1);
        let part = |s: usize| (s * share).min(len)..((s + 1) * share).min(len);
        let count = |(s, histogram): &mut (usize, &mut [u32])| {
            view.chunks::<DIM>(part(*s), |_, points| {
                points.iter().for_each(|&point| histogram[placing.place(point).0] += 1);
            });
        };
        team.each(&mut each_with_number(histograms, cells)?, count);
        starts_from_histograms(histograms, &mut self.starts);
        if has_crowds(&self.starts, crowd(self.dim)) {
            return Ok(false);
        }
        resize_discarding(&mut self.packed, len + PADDING, 0, "the index")?;
        self.ids[len..].fill(0);
        self.packed[len..].fill(0);
        let ids = as_atomic_u32(&mut self.ids[..len]);
        let packed = as_atomic_u64(&mut self.packed[..len]);
        let sort = |(s, histogram): &mut (usize, &mut [u32])| {
            view.chunks::<DIM>(part(*s), |first, points| {
                // The places of some points are fetched at once.
                for (first, points) in (first..).step_by(FETCHED).zip(points.chunks(FETCHED)) {
                    let mut places = [(0, 0); FETCHED];
                    for (to, &point) in places.iter_mut().zip(points) {
                        let (cell, place) = placing.place(point);
                        *to = (histogram[cell] as usize, place);
                        histogram[cell] += 1;
                        prefetch(&ids[to.0]);
                        prefetch(&packed[to.0]);
                    }
                    for (i, &(at, place)) in (first..).zip(&places[..points.len()]) {
                        ids[at].store(i as u32, Relaxed);
                        packed[at].store(place, Relaxed);
                    }
                }
            });
        };
        team.each(&mut each_with_number(histograms, cells)?, sort);
        Ok(true)
    }
}

/// The points of a cell that make it a crowd: a frame may have no room for as many in it and in each cell around it.
fn crowd(dim: usize) -> usize {
    INDEXED / 3usize.pow(dim as u32)
}

/// Whether crowds would cost more than leaves. The points of one are tested one by one against each other, and against
/// about as many in each cell around it.
fn has_crowds(starts: &[u32], crowd: usize) -> bool {
    let lens = starts.windows(2).map(|cell| u64::from(cell[1] - cell[0]));
    let tests = lens.filter(|&len| len >= crowd as u64).map(|len| len * len);
    tests.sum::<u64>() > starts.last().map_or(0, |&len| len.into())
}

/// The histograms, of that many cells each, one a thread.
fn each_with_number(histograms: &mut [u32], cells: usize) -> Result<Vec<(usize, &mut [u32])>> {
    let mut all = Vec::new();
    for histogram in histograms.chunks_mut(cells).enumerate() {
        push(&mut all, histogram, "the index")?;
    }
    Ok(all)
}

/// Whether the mean point shares its cell with too many others, as far as a sample tells.
fn is_crowded<T: Real, const DIM: usize>(view: &PointsView<T>, shape: &Shape) -> bool {
    let (placing, len) = (shape.placing::<DIM>(), view.len());
    let mut cells = std::array::from_fn::<u32, SAMPLE, _>(|k| {
        // By dice: numbers may follow a pattern in space.
        let dice = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let i = ((u128::from(dice) * len as u128) >> 64) as usize;
        placing.place(per_axis(|axis| view.get(axis, i))).0 as u32
    });
    cells.sort_unstable();
    let pairs: usize = cells.chunk_by(u32::eq).map(|cell| cell.len() * (cell.len() - 1)).sum();
    pairs as f64 * len as f64 > (CROWDED << DIM) as f64 * (SAMPLE as f64).powi(2)
}

/// The cells that hold points from outside the box; `None` where they are many.
fn clamped<T: Real, const DIM: usize>(view: &PointsView<T>, shape: &Shape) -> Result<Option<Vec<[u32; 3]>>> {
    let (placing, [nx, ny, _]) = (shape.placing::<DIM>(), shape.dims);
    let mut cells = Vec::new();
    reserve_discarding(&mut cells, CLAMPED + 1, "the index")?;
    view.chunks::<DIM>(0..view.len(), |_, points| {
        if cells.len() > CLAMPED {
            return;
        }
        for &point in points.iter().filter(|&&point| placing.clamps(point)) {
            let cell = placing.place(point).0;
            let cell = [cell % nx, cell / nx % ny, cell / nx / ny].map(|c| c as u32);
            if cells.len() <= CLAMPED && !cells.contains(&cell) {
                cells.push(cell);
            }
        }
    });
    Ok((cells.len() <= CLAMPED).then_some(cells))
}

/// Exclusive sums over cells, and within a cell over the sorting threads: histogram entries become first places.
fn starts_from_histograms(histograms: &mut [u32], starts: &mut [u32]) {
    let cells = starts.len() - 1;
    let mut sum = 0;
    for cell in 0..cells {
        starts[cell] = sum;
        for entry in histograms[cell..].iter_mut().step_by(cells) {
            (*entry, sum) = (sum, sum + *entry);
        }
    }
    starts[cells] = sum;
}

/// Lowest and highest coordinate along each axis, or where it is periodic both of its ends; `view` is finite.
fn extent<T: Real>(view: &PointsView<T>, periods: &Periods<T>, team: &Team) -> Result<Extent> {
    let mut extent = view.extent(team)?.map(|bounds| bounds.map(Real::to_f64));
    for (bounds, period) in extent.iter_mut().zip(&periods.0) {
        if let Some(period) = period {
            *bounds = [period.lo.to_f64(), period.lo.to_f64() + period.length.to_f64()];
        }
    }
    Ok(extent)
}
