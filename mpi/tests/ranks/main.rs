//! Across ranks that are threads of one process. One program, for each would compile the searches of such ranks anew.

#[path = "../common/mod.rs"]
mod common;

mod friends;
mod halo;
mod lists;
mod migration;
mod moving;
mod nearest;
mod refusals;
mod sequences;
