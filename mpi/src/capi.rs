//! The C interface, from which `include/neargrid_mpi.h` is generated. It only turns pointers and numbers into checked values.
//!
//! The result of a check goes to the search, where all ranks agree on it. Only a call without a handle fails on its own rank.

#![allow(unsafe_code)]

pub mod error;
pub mod fof;
pub mod groups;
pub mod halo;
pub mod knn;
pub mod migration;
pub mod query;
pub mod search;
pub mod skin;
pub mod status;

mod checks;
mod guard;
