//! Every query from Rust, bit for bit against the oracle: one program, a module a concept. It needs nothing but Rust; tests that
//! need a Vulkan device are ignored unless they are asked for (`make test-gpu`).

#[path = "../common/mod.rs"]
mod common;

mod carry;
mod cell;
mod chunks;
mod cost;
mod cost_gpu;
mod cpu_only;
mod declarations;
mod displacement;
mod exclusions;
mod extremes;
mod faces;
mod fof;
mod functions;
mod groups;
mod ids;
mod kinds;
mod knn;
mod lent;
mod loops;
mod order;
mod pairs;
mod places;
mod points;
mod radii;
mod run;
#[cfg(feature = "gpu")]
mod shaders;
mod skin;
mod sum;
mod systems;
mod taken;
mod trim;
