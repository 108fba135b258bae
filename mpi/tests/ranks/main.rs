//! Tests across ranks that are threads of one process. They are one program, because several would each compile the searches again.

#[path = "../common/mod.rs"]
mod common;

mod failures;
mod friends;
mod halo;
mod lists;
mod migration;
mod moving;
mod nearest;
mod refusals;
mod scales;
mod sequences;

#[global_allocator]
static MEMORY: common::refusing::Refusing = common::refusing::Refusing;
