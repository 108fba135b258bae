//! The CPU backend: finds the rows of the grid's blocks with every thread of the team, and does with them what is
//! asked.
//!
//! in: [`Grid`](crate::grid::Grid); out: counts per row, rows in place, rows in batches, sums, counts in bins. Here no list is
//! allocated, and no setting is read.
//!
//! A pair is decided in `kernels/quantized/find`, and what that doubts in `leaf`; a block is searched in `pairs`; what
//! is done with rows is a [`Sink`](rows::Sink): `count`, `worker`, `window/pass`, `summed` and `binned` have one each.

mod allowed;
pub mod binned;
mod brute_force;
pub mod by_radii;
pub mod by_types;
mod count;
mod doubt;
mod exact;
mod excluded;
mod fill;
pub mod fof;
mod hit_records;
pub mod kept_rows;
pub mod kernels;
pub mod knn;
mod leaf;
mod level;
pub mod narrow;
pub mod pairs;
mod quantized;
pub mod query;
mod row_store;
pub mod rows;
pub mod sorted;
pub mod summed;
pub mod verlet;
pub mod window;
pub mod worker;
