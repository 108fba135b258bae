//! neargrid across MPI ranks: pairs, neighbors, k nearest and groups that do not depend on how points are distributed over
//! ranks.
//!
//! Data flow: the caller's points -> [`Search`] (checks that all ranks agree) -> plan (which ranks are near, ghosts) -> the
//! core, through its C interface -> pairs and rows. Halo exchanges use the same plan. See `mpi/ARCHITECTURE.md`.
//! All communication with other ranks goes through [`Comm`]; the feature `mpi` implements it with the site's MPI and adds the
//! C interface.

#![deny(unsafe_code)] // except in the files that ARCHITECTURE.md of the repository lists, which allow it

#[cfg(feature = "mpi")]
mod capi;

// The header is generated from `capi` alone; other items with a C interface belong to other libraries.
/// cbindgen:ignore
mod agree;
/// cbindgen:ignore
mod blocks;
/// cbindgen:ignore
mod boxes;
/// cbindgen:ignore
mod coarse;
/// cbindgen:ignore
mod comm;
/// cbindgen:ignore
mod core;
/// cbindgen:ignore
mod curve;
/// cbindgen:ignore
mod error;
/// The core's source.
/// cbindgen:ignore
#[cfg_attr(not(feature = "mpi"), allow(dead_code))] // the calls from C set the environment, and helper threads do
mod fenv;
/// cbindgen:ignore
mod fof;
/// cbindgen:ignore
mod groups;
/// cbindgen:ignore
mod halo;
/// cbindgen:ignore
mod held;
/// cbindgen:ignore
mod ids;
/// cbindgen:ignore
mod intake;
/// cbindgen:ignore
mod knn;
/// cbindgen:ignore
mod list;
/// cbindgen:ignore
mod mail;
/// cbindgen:ignore
mod migration;
/// cbindgen:ignore
mod output;
/// cbindgen:ignore
mod parcels;
/// cbindgen:ignore
mod plan;
/// cbindgen:ignore
mod points;
/// cbindgen:ignore
mod quiet;
/// cbindgen:ignore
mod search;
/// cbindgen:ignore
mod settings;
/// cbindgen:ignore
mod shell;
/// cbindgen:ignore
mod skin;
/// cbindgen:ignore
mod stats;
/// cbindgen:ignore
mod supply;
/// cbindgen:ignore
mod team;

// The core's C functions are those of this crate when tests run without a shared library.
#[cfg(test)]
extern crate neargrid as _;

pub use agree::Fact;
pub use comm::{Comm, Delivered, Mail};
pub use core::{Kind, KnnKind};
pub use error::{Error, Result, status};
pub use fof::Fof;
pub use groups::{Groups, Wanted};
pub use halo::Summand;
pub use held::Ghosts;
pub use knn::{Knn, Measure, Nearest};
pub use list::{Neighbors, Pairs, Sides};
pub use output::Output;
pub use points::{Coords, Domain, Given, Real};
pub use search::Search;
pub use stats::Counter;
