//! Every query from Rust, bit for bit against the oracle: one program, a module a concept. It needs nothing but Rust; tests that
//! need a Vulkan device are ignored unless they are asked for (`make test-gpu`).

#[path = "../common/mod.rs"]
mod common;

mod by_cutoffs;
mod carry;
mod cell;
mod chunks;
mod cost;
mod cpu_only;
mod declarations;
mod displacement;
mod exclusions;
mod fof;
mod functions;
mod groups;
mod ids;
mod knn;
mod lengths;
mod lent;
mod loops;
mod methods;
mod order;
mod padded;
mod pairs;
mod places;
mod radii;
mod roles;
mod run;
#[cfg(feature = "gpu")]
mod shaders;
mod skin;
mod solve_radii;
mod sum;
mod systems;
mod trim;
mod type_cutoffs;
