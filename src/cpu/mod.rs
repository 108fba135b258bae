//! The CPU backend: visits the grid's blocks with every thread of the team, counts or fills rows.
//!
//! in: [`Grid`](crate::grid::Grid); out: counts per row, rows in place. The only intrinsics are in `simd`.

mod allowed;
mod brute_force;
mod exact;
pub mod fof;
mod hit_records;
mod id_coding;
pub mod knn;
mod leaf;
pub mod pairs;
pub mod per_point;
mod quantized;
pub mod query;
mod row_store;
pub mod rows;
pub mod simd;
pub mod sorted;
pub mod summed;
pub mod verlet;
pub mod window;
pub mod worker;
