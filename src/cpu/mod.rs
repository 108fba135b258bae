//! The CPU backend: visits the grid's blocks with every thread of the team, counts or fills rows.
//!
//! in: [`Grid`](crate::grid::Grid); out: counts per row, rows in place. The only intrinsics are in `simd`.

mod allowed;
mod descent;
mod few;
mod fixed;
pub mod fof;
mod kept;
pub mod knn;
mod leaf;
pub mod listed;
mod neighborhood;
mod numbers;
pub mod pairs;
pub mod query;
mod records;
pub mod rows;
pub mod simd;
pub mod sorted;
pub mod spans;
pub mod summed;
pub mod varied;
pub mod worker;
