//! Tests across ranks that are threads of one process. They are one program, because several would each compile the searches again.

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
