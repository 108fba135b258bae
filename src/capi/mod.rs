//! The C layer: one file for each subject. Each function checks its arguments, calls the core once and returns a status; there
//! is no other logic here. `guard` turns errors and panics into statuses, `handle` and `checks` turn pointers into Rust values.
//!
//! The documentation of each function is that of the C header. It says what each pointer must point to, and the preamble of the
//! header (`cbindgen.toml`) has the rules for all of them. `SAFETY` comments call this the caller's promise.
//!
//! Rules for every function: outputs come last and are unchanged on failure, except a count that reports the size needed, and
//! arrays that a GPU was filling when it failed. Any thread may call, but a handle serves one call at a time and refuses
//! others. Nothing is printed, and nothing ends the process.

#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc)] // see above

mod checks;
mod exclusive;
pub mod guard;
mod handle;
mod openmp;
mod strides;

// In the order of the header, in which a user reads: rustfmt sorts what no blank line parts.
pub mod status;

pub mod error;

pub mod search;

pub mod settings;

pub mod type_cutoffs;

pub mod points;

pub mod roles;

pub mod ids;

pub mod exclusions;

pub mod radii;

pub mod queries;

pub mod pairs;

pub mod neighbors;

pub mod padded;

pub mod cell;

pub mod list;

pub mod systems;

pub mod chunks;

pub mod carry;

pub mod knn;

pub mod fof;

pub mod groups;

pub mod formula;

pub mod fields;

pub mod pair_fields;
pub mod solve_radii;

pub mod skin;

pub mod order;

pub mod comm;

pub mod ghosts;

pub mod migration;

// With headers of their own.
pub mod celllist;
pub mod sum;

pub mod dropin;

#[cfg(test)]
mod wrong_ranks;
