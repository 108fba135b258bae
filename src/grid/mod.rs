//! The cell index: points sorted by cell, and for every block of cells the runs of points that can be in reach.
//!
//! in: [`PointsView`](crate::points::PointsView) and a cutoff; out: [`Grid`], read by the backends. Cells are at least
//! as wide as the cutoff, so a point's neighbors stand in its own and the adjacent cells (Green 2010, "Particle
//! simulation using CUDA", after Hockney and Eastwood's cell lists). Memory is O(n) for any positions: see `shape`.
//! Coordinates themselves stay with the caller; what the index keeps of them is their place in the cell, see
//! `quantized`. Here no distance is computed, and no row is known.

use crate::memory::{Holds, holds};

mod block;
mod build;
mod bulk;
mod leaves;
mod place;
mod quantized;
mod ring;
mod scope;
mod shape;
mod visit;

pub(crate) use crate::memory::PADDING;
pub use block::Block;
pub(crate) use build::{AROUND, FEW};
use leaves::Leaves;
pub(crate) use place::FINE_BITS;
pub use place::Packed;
pub use quantized::{Frame, Quantized};
use shape::Shape;

/// Points sorted by cell. Within a cell they stand in the caller's order.
#[derive(Debug, Default)]
pub struct Grid {
    dim: usize,
    len: usize,
    /// Where in its cell each sorted point lies, then [`PADDING`]; none where leaves are the cells.
    packed: Vec<Packed>,
    /// The caller's 0-based number of each sorted point (a permutation), then padding.
    ids: Vec<u32>,
    /// Where each cell's points start, and the end of the last.
    starts: Vec<u32>,
    /// The cells that points were clamped into from outside the box; `None` if they are too many to list.
    clamped: Option<Vec<[u32; 3]>>,
    cells: Cells,
    scratch: build::Scratch,
}

holds! { Grid { packed, ids, starts, clamped, cells, scratch; dim, len } }

/// What the cells are.
#[derive(Debug)]
enum Cells {
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

    /// Which cells are held.
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
