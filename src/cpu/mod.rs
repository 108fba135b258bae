//! The CPU backend: visits the grid's blocks with every thread of the team, counts or fills rows.
//!
//! in: [`Grid`](crate::grid::Grid); out: counts per row, rows in place. The only intrinsics are in `simd`.

mod allowed;
mod exact;
mod few;
pub mod fof;
mod hit_records;
mod id_coding;
pub mod knn;
mod leaf;
pub mod listed;
pub mod pairs;
mod quantized;
pub mod query;
mod row_store;
pub mod rows;
pub mod simd;
pub mod sorted;
pub mod summed;
pub mod varied;
pub mod window;
pub mod worker;
