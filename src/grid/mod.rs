//! The cell index: points sorted by cell, and for every block of cells the runs of points that can be in reach.
//!
//! in: [`PointsView`](crate::points::PointsView) and a cutoff; out: [`Grid`], read by the backends. Cells are at least
//! as wide as the cutoff, so a point's neighbors are in its own and the adjacent cells (Green 2010, "Particle
//! simulation using CUDA", after Hockney and Eastwood's cell lists). Memory is O(n) for any positions: see `shape`.
//! Coordinates themselves stay with the caller; what the index keeps of them is their place in the cell, see
//! `quantized`. Here no distance is computed, and no row is known.

mod block;
mod build;
mod bulk;
mod cells;
mod frame;
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
pub use cells::Grid;
pub(crate) use frame::ZOOMS;
pub use frame::{FixedBounds, Frame, Quantized};
pub(crate) use place::FINE_BITS;
pub use place::Packed;
