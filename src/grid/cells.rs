//! The index itself: what its parts build and visit.

use super::leaves::Leaves;
use super::place::Packed;
use super::shape::Shape;
use crate::memory::{Holds, holds};

/// Points sorted by cell. Within a cell they are in the caller's order.
#[derive(Debug, Default)]
pub struct Grid {
    pub(super) dim: usize,
    pub(super) len: usize,
    /// The place in its cell of each sorted point, then [`PADDING`]; none where leaves are the cells.
    pub(super) packed: Vec<Packed>,
    /// The caller's 0-based number of each sorted point (a permutation), then padding.
    pub(super) ids: Vec<u32>,
    /// The start of each cell's points, and the end of the last.
    pub(super) starts: Vec<u32>,
    /// The cells that points were clamped into from outside the box; `None` if they are too many to list.
    pub(super) clamped: Option<Vec<[u32; 3]>>,
    pub(super) cells: Cells,
    pub(super) scratch: BuildScratch,
}

holds! { Grid { packed, ids, starts, clamped, cells, scratch; dim, len } }

/// The kind of cells.
#[derive(Debug)]
pub(super) enum Cells {
    /// All cells of a box, x fastest: cell `(z * dims[1] + y) * dims[0] + x`.
    Dense(Shape),
    /// Leaves of the adaptive index: for clouds whose box would have far more cells than points.
    Leaves(Box<Leaves>),
}

impl Holds for Cells {
    fn bytes(&self) -> usize {
        match self {
            Cells::Dense(_) => 0,
            Cells::Leaves(leaves) => leaves.bytes(),
        }
    }
}

impl Default for Cells {
    fn default() -> Cells {
        Cells::Dense(Shape::one_cell())
    }
}

/// Memory that the sort needs beside the grid, kept for the next build.
#[derive(Debug, Default)]
pub struct BuildScratch {
    /// One histogram per sorting thread.
    pub(super) histograms: Vec<u32>,
}

holds! { BuildScratch { histograms } }

impl Grid {
    /// Number of axes.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The caller's number of each sorted point, padded.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Number of cells held: all of the box, or the leaves.
    pub fn cells(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The cells that are held, in words.
    pub fn what(&self) -> &'static str {
        match &self.cells {
            Cells::Leaves(_) => "occupied cells only",
            Cells::Dense(shape) if shape.is_one_cell => "one is enough for few points",
            Cells::Dense(_) => "a full box",
        }
    }

    /// Whether all points are in one cell, in the caller's order, because they are few.
    pub fn is_one_cell(&self) -> bool {
        matches!(&self.cells, Cells::Dense(shape) if shape.is_one_cell)
    }
}
