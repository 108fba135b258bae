//! The grid layer by layer, each cell with the cells behind it: a traversal that meets every pair of points once.

use std::ops::Range;

use super::shape::Shape;
use super::{Cells, Grid};

/// The layers of a dense grid across its last axis. Places of a layer are consecutive, and so are layers.
pub struct Layers<'a> {
    shape: &'a Shape,
    starts: &'a [u32],
    /// Rows of cells in a layer, layers.
    rows: usize,
    len: usize,
}

impl<T> Grid<T> {
    /// The layers; none of a sparse grid, of one that clamps points, and of points on a line.
    pub fn layers(&self) -> Option<Layers<'_>> {
        match &self.cells {
            Cells::Dense { shape } if shape.natural && self.dim > 1 => {
                let (rows, len) = if self.dim == 3 {
                    (shape.dims[1], shape.dims[2])
                } else {
                    (1, shape.dims[1])
                };
                Some(Layers {
                    shape,
                    starts: &self.starts,
                    rows,
                    len,
                })
            }
            _ => None,
        }
    }
}

impl Layers<'_> {
    /// Number of layers.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The places of a layer; behind the last one, none.
    pub fn places(&self, layer: usize) -> Range<usize> {
        let cells = self.rows * self.shape.dims[0];
        let start = |layer: usize| self.starts[layer.min(self.len) * cells] as usize;
        start(layer)..start(layer + 1)
    }

    /// The middle of all points, and how far they lie from it at most, axis by axis.
    pub fn middle_and_reach(&self) -> [[f64; 3]; 2] {
        let bounds = |axis: usize| self.shape.bounds(axis, 0, self.shape.dims[axis] as u32);
        [
            std::array::from_fn(|axis| 0.5 * bounds(axis)[0] + 0.5 * bounds(axis)[1]),
            std::array::from_fn(|axis| 0.5 * bounds(axis)[1] - 0.5 * bounds(axis)[0]),
        ]
    }

    /// Visits the occupied cells of `layers` in order: their own places, and the runs behind them that can be in reach.
    /// The first run begins at the cell itself and goes on to the next cell of its row.
    pub fn cells(&self, layers: Range<usize>, mut action: impl FnMut(Range<usize>, &[Range<usize>])) {
        let (nx, starts) = (self.shape.dims[0], self.starts);
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
            let behind = &behind[..len];
            for x in 0..nx {
                let cell = row * nx + x;
                let own = starts[cell] as usize..starts[cell + 1] as usize;
                if own.is_empty() {
                    continue;
                }
                let (lo, hi) = (x.saturating_sub(1), (x + 1).min(nx - 1));
                let mut runs: [Range<usize>; 5] = Default::default();
                runs[0] = own.start..starts[row * nx + hi + 1] as usize;
                for (run, &row) in runs[1..].iter_mut().zip(behind) {
                    *run = starts[row * nx + lo] as usize..starts[row * nx + hi + 1] as usize;
                }
                action(own, &runs[..=behind.len()]);
            }
        }
    }
}
