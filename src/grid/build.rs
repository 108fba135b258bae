//! Builds the grid: extent, shape, a cell key per point, a stable counting sort, and the gather into cell order.

use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::shape::{self, Extent, Shape};
use super::{Cells, Grid, PADDING, sparse};
use crate::error::Result;
use crate::list::{as_atomic_u32, push, resize_discarding};
use crate::points::{PointsView, Real};
use crate::threads::Team;

/// A grid whose cells had to be enlarged, or that clamped points, and whose points see more than this many others in
/// their own cell, is given up for a sparse one.
const CROWDED: u64 = 48;

/// Points fetched before they are gathered: about as many as take the time of a miss.
const AHEAD: usize = 24;

/// Points per task of the parallel passes.
const CHUNK: usize = 16 * 1024;

/// What the sort needs beside the grid, kept for the next build.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The cell of each point, in the caller's order.
    keys: Vec<u32>,
    /// One histogram per sorting thread.
    histograms: Vec<u32>,
    /// The points of a sparse grid with their cells, as they are sorted.
    sorted: Vec<(sparse::Key, u32)>,
}

impl Scratch {
    pub fn bytes(&self) -> usize {
        (self.keys.capacity() + self.histograms.capacity()) * size_of::<u32>()
            + self.sorted.capacity() * size_of::<(sparse::Key, u32)>()
    }
}

impl<T: Real> Grid<T> {
    /// Sorts `view` for searches within `cutoff`. On failure the grid must not be used.
    pub fn build(&mut self, view: &PointsView<T>, cutoff: f64, team: &Team) -> Result<()> {
        self.dim = view.dim();
        self.len = view.len();
        resize_discarding(&mut self.ids, self.len + PADDING, 0, "the index")?;
        let shape = match self.len {
            0 => Shape::one_cell(),
            _ => shape::choose(view, &extent(view, team), cutoff),
        };
        self.sort_dense(view, &shape, team)?;
        if shape.natural || !self.is_crowded() {
            self.cells = Cells::Dense { shape };
        } else {
            let mut keys = match std::mem::take(&mut self.cells) {
                Cells::Sparse { keys } => keys, // its memory
                Cells::Dense { .. } => Vec::new(),
            };
            let sorted = &mut self.scratch.sorted;
            sparse::sort(view, cutoff, &mut self.ids, &mut self.starts, &mut keys, sorted, team)?;
            self.cells = Cells::Sparse { keys };
        }
        self.gather(view, team)
    }

    /// Stable counting sort of the points' numbers into `ids`, cells' starts into `starts`.
    fn sort_dense(&mut self, view: &PointsView<T>, shape: &Shape, team: &Team) -> Result<()> {
        let (len, cells) = (self.len, shape.cells());
        let Scratch { keys, histograms, .. } = &mut self.scratch;
        resize_discarding(keys, len, 0, "the index")?;
        resize_discarding(&mut self.starts, cells + 1, 0, "the index")?;
        // A histogram per thread, as long as they take no more memory than the keys.
        let sorters = team.threads().min(len / cells.max(CHUNK)).max(1);
        resize_discarding(histograms, sorters * cells, 0, "the index")?;
        histograms.fill(0);
        let share = len.div_ceil(sorters).max(1);
        let count = |(s, (histogram, keys)): (usize, (&mut [u32], &mut [u32]))| {
            for (i, key) in keys.iter_mut().enumerate() {
                *key = cell_key(view, shape, s * share + i);
                histogram[*key as usize] += 1;
            }
        };
        let sort = |ids: &[std::sync::atomic::AtomicU32], s: usize, histogram: &mut [u32], keys: &[u32]| {
            for (i, &key) in keys.iter().enumerate() {
                let at = &mut histogram[key as usize];
                ids[*at as usize].store((s * share + i) as u32, Relaxed);
                *at += 1;
            }
        };
        let ids = as_atomic_u32(&mut self.ids[..len]);
        if sorters == 1 {
            count((0, (histograms, keys)));
            starts_from_histograms(histograms, &mut self.starts);
            sort(ids, 0, histograms, keys);
        } else {
            team.install(|| {
                histograms
                    .par_chunks_mut(cells)
                    .zip(keys.par_chunks_mut(share))
                    .enumerate()
                    .for_each(count);
            });
            starts_from_histograms(histograms, &mut self.starts);
            team.install(|| {
                let parts = histograms.par_chunks_mut(cells).zip(keys.par_chunks(share));
                parts
                    .enumerate()
                    .for_each(|(s, (histogram, keys))| sort(ids, s, histogram, keys));
            });
        }
        Ok(())
    }

    /// Whether the mean point shares its cell with too many others.
    fn is_crowded(&self) -> bool {
        let squares: u64 = self.starts.windows(2).map(|c| u64::from(c[1] - c[0]).pow(2)).sum();
        squares > CROWDED * self.len as u64
    }

    /// Copies the coordinates into cell order.
    fn gather(&mut self, view: &PointsView<T>, team: &Team) -> Result<()> {
        let (dim, len) = (self.dim, self.len);
        for (axis, coords) in self.coords.iter_mut().enumerate() {
            let padded = if axis < dim { len + PADDING } else { 0 };
            resize_discarding(coords, padded, T::INFINITY, "the index")?;
            if axis < dim {
                coords[len..].fill(T::INFINITY);
            }
        }
        self.ids[len..].fill(0);
        let ids = &self.ids[..len];
        let [xs, ys, zs] = &mut self.coords;
        let (mut ys, mut zs) = (ys.chunks_mut(CHUNK), zs.chunks_mut(CHUNK));
        let mut pieces = Vec::new();
        for (k, x) in xs.chunks_mut(CHUNK).enumerate() {
            push(&mut pieces, (k * CHUNK, [Some(x), ys.next(), zs.next()]), "the index")?;
        }
        // All axes of a point at once: where the caller's points are interleaved, that is one cache line.
        team.each(&mut pieces, |(first, axes)| {
            let ids = &ids[*first..(*first + CHUNK).min(ids.len())];
            for (k, &id) in ids.iter().enumerate() {
                if let Some(&later) = ids.get(k + AHEAD) {
                    view.prefetch(later as usize);
                }
                for (axis, coords) in axes.iter_mut().enumerate() {
                    if let Some(coords) = coords {
                        coords[k] = view.get(axis, id as usize);
                    }
                }
            }
        });
        Ok(())
    }
}

/// The cell number of point `i`.
#[inline]
fn cell_key<T: Real>(view: &PointsView<T>, shape: &Shape, i: usize) -> u32 {
    let mut key = 0;
    for axis in (0..view.dim()).rev() {
        key = key * shape.dims[axis] + shape.cell(axis, view.get(axis, i).to_f64());
    }
    key as u32
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

/// Lowest and highest coordinate along each axis; `view` is not empty and finite.
fn extent<T: Real>(view: &PointsView<T>, team: &Team) -> Extent {
    let none = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    let chunks = view.len().div_ceil(CHUNK);
    let of_chunk = |chunk: usize| {
        let mut extent = none;
        for i in chunk * CHUNK..((chunk + 1) * CHUNK).min(view.len()) {
            for (axis, bounds) in extent.iter_mut().enumerate().take(view.dim()) {
                let coord = view.get(axis, i).to_f64();
                *bounds = [bounds[0].min(coord), bounds[1].max(coord)];
            }
        }
        extent
    };
    let join =
        |a: Extent, b: Extent| -> Extent { std::array::from_fn(|k| [a[k][0].min(b[k][0]), a[k][1].max(b[k][1])]) };
    if chunks == 1 || team.threads() == 1 {
        return (0..chunks).map(of_chunk).fold(none, join);
    }
    team.install(|| (0..chunks).into_par_iter().map(of_chunk).reduce(|| none, join))
}
