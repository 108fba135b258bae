//! The C interface: `include/neargrid_mpi.h` is made of this. Pointers and numbers become checked values; no meaning here.
//!
//! A check that fails is handed to the search, where all ranks agree on it: only without a handle there is nobody to agree with.

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
