//! The CPU backend: visits the grid's blocks with every thread of the team, counts or fills rows.
//!
//! in: [`Grid`](crate::grid::Grid); out: counts per row, rows in place. The only intrinsics are in `simd`.

mod allowed;
mod brute_force;
pub mod counted;
mod descent;
mod fixed;
pub mod fof;
mod kept;
pub mod knn;
mod leaf;
mod neighborhood;
mod numbers;
pub mod pairs;
pub mod per_point;
pub mod query;
mod records;
pub mod rows;
pub mod simd;
pub mod sorted;
pub mod spanned;
pub mod spans;
pub mod summed;
pub mod verlet;
pub mod worker;
