//! The C layer: one file per noun, each function a guard around checks and one call into the core. No arithmetic, no
//! meaning. `guard` turns errors and panics into statuses, `handle` and `checks` turn pointers into Rust values.
//!
//! Rules for every function: outputs last and untouched on failure (except a count that reports a need, and arrays that
//! a result from a GPU was arriving in when the GPU was lost); any thread may call, but
//! a handle serves one call at a time and refuses others; nothing is printed, nothing exits.

mod checks;
mod exclusive;
pub mod guard;
mod handle;
mod openmp;

pub mod celllist;
pub mod chunks;
pub mod dropin;
pub mod error;
pub mod fof;
pub mod groups;
pub mod ids;
pub mod knn;
pub mod neighbors;
pub mod order;
pub mod pairs;
pub mod points;
pub mod queries;
pub mod radii;
pub mod search;
pub mod settings;
pub mod skin;
pub mod status;
pub mod sum;
