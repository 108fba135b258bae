//! The grid layer by layer, each cell with the cells behind it: a traversal that meets every pair of points once.

use std::ops::Range;

use super::shape::Shape;
use super::{Cells, Grid};

/// The layers of a dense grid across the last axis that has more than one cell. Places of a layer are consecutive, and so
/// are layers.
pub struct Layers<'a> {
    shape: &'a Shape,
    starts: &'a [u32],
    /// Rows of cells in a layer; none where each cell of a single row is a layer.
    rows: usize,
    len: usize,
}

impl<T> Grid<T> {
    /// The layers; none of a sparse grid.
    pub fn layers(&self) -> Option<Layers<'_>> {
        let Cells::Dense { shape } = &self.cells else {
            return None;
        };
        let (rows, len) = match shape.dims {
            [nx, 1, 1] => (0, nx),
            [_, ny, 1] => (1, ny),
            [_, ny, nz] => (ny, nz),
        };
        let starts = &self.starts;
        Some(Layers {
            shape,
            starts,
            rows,
            len,
        })
    }
}

impl Layers<'_> {
    /// Number of layers.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether points may lie outside the box of cells.
    pub fn clamps(&self) -> bool {
        !self.shape.natural
    }

    /// The places of a layer; behind the last one, none.
    pub fn places(&self, layer: usize) -> Range<usize> {
        let cells = if self.rows == 0 {
            1
        } else {
            self.rows * self.shape.dims[0]
        };
        let start = |layer: usize| self.starts[layer.min(self.len) * cells] as usize;
        start(layer)..start(layer + 1)
    }

    /// From where to where points of the box lie along `axis`; those clamped into it lie outside.
    pub fn extent(&self, axis: usize) -> [f64; 2] {
        self.shape.extent(axis, 0, self.shape.dims[axis])
    }

    /// The middle of `layers`, and how far their points in the box lie from it at most, axis by axis.
    pub fn middle_and_reach(&self, layers: Range<usize>) -> [[f64; 3]; 2] {
        let across = (0..3).rev().find(|&axis| self.shape.dims[axis] > 1).unwrap_or(0);
        let bounds: [[f64; 2]; 3] = std::array::from_fn(|axis| {
            if axis == across {
                self.shape.extent(axis, layers.start, layers.end)
            } else {
                self.extent(axis)
            }
        });
        [
            bounds.map(|[lo, hi]| 0.5 * lo + 0.5 * hi),
            bounds.map(|[lo, hi]| 0.5 * hi - 0.5 * lo),
        ]
    }

    /// Visits the occupied cells of `layers` in order: their own places, and the runs behind them that can be in reach.
    /// The first run begins at the cell itself and goes on to the next cell of its row.
    pub fn cells(&self, layers: Range<usize>, mut action: impl FnMut(Range<usize>, &[Range<usize>])) {
        let nx = self.shape.dims[0];
        if self.rows == 0 {
            return self.row(0, layers, &[], &mut action);
        }
        for row in layers.start * self.rows..layers.end * self.rows {
            let (y, layer) = (row % self.rows, row / self.rows);
            let mut behind = [0; 4];
            let mut len = 0;
            let mut add = |row: usize| {
                behind[len] = row;
                len += 1;
            };
            if y + 1 < self.rows {
                add(row + 1);
            }
            if layer + 1 < self.len {
                (y.saturating_sub(1)..(y + 2).min(self.rows)).for_each(|y| add((layer + 1) * self.rows + y));
            }
            self.row(row, 0..nx, &behind[..len], &mut action);
        }
    }

    /// The occupied cells `cells` of a row, with the rows behind it that are in reach.
    fn row(
        &self,
        row: usize,
        cells: Range<usize>,
        behind: &[usize],
        action: &mut impl FnMut(Range<usize>, &[Range<usize>]),
    ) {
        let (nx, starts) = (self.shape.dims[0], self.starts);
        let start = |row: usize, x: usize| starts[row * nx + x] as usize;
        for x in cells {
            let own = start(row, x)..start(row, x + 1);
            if own.is_empty() {
                continue;
            }
            let (lo, end) = (x.saturating_sub(1), (x + 2).min(nx));
            let mut runs: [Range<usize>; 5] = Default::default();
            runs[0] = own.start..start(row, end);
            for (run, &row) in runs[1..].iter_mut().zip(behind) {
                *run = start(row, lo)..start(row, end);
            }
            action(own, &runs[..=behind.len()]);
        }
    }
}
