//! A cell of three vectors in any orientation, and the rows of its images.
//!
//! in: the vectors, the handle's points, rows of candidates; out: a layer of points and images for an open search, rows of points
//! with shifts, and a torus, on which ranks see who is near whom. Here nothing is searched: an index that knows no cell finds the
//! candidates among the layer. For few rows all of it are candidates, so that a long cutoff costs no more than its entries.
//!
//! The image of point `j` by a shift `S` of three integers is a point of its own: `x_j + ((S1*a + S2*b) + S3*c)`, the sum in
//! parentheses in real64 and rounded once to the precision of the points, and the sum with `x_j` in that precision. Whether it
//! is in reach of point `i` is decided by the arithmetic of an open box. `docs/proofs/cell.md` shows that no pair is lost.

mod lattice;
mod layer;
mod reach;
mod rows;
mod sight;
mod torus;
mod vectors;

pub use layer::{Layer, farthest};
pub use rows::{Candidates, Entry, Found, ImageRows};
pub use torus::Torus;
pub use vectors::Cell;
