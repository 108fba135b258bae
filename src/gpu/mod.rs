//! The GPU backend: the index and the fixed-radius search as compute stages on any vendor's device, through wgpu.
//!
//! in: [`PointsView`](crate::points::PointsView); out: row lengths and rows, the same bits as the CPU's. Device and pipelines
//! belong to the process, buffers to the handle. Here no setting is read, and nothing is searched on the CPU.
//!
//! Each stage has the name of its file in `shaders/`. [`Gpu`] is what a handle has on a device: a `channel`, through which all stages
//! run and all data moves, and a value for each feature. `row_search` keeps what rows are made of: `index` and `radii` sort the points,
//! `blocks` and `pairs` count and fill, `sum` evaluates a formula. `knn` and `fof` search along the `curve`. `acquire` opens devices,
//! `offer` does so beside searches.

mod acquire;
mod adapters;
mod arithmetic;
mod attempt;
mod batches;
mod beside;
mod blocks;
mod buffers;
mod channel;
mod choice;
mod chunks;
mod clock;
mod curve;
mod device;
mod dispatch;
mod excluded;
mod fault;
mod fields;
mod fof;
mod handle;
mod hits;
mod identity;
mod index;
mod kernels;
mod knn;
mod labels;
mod left;
mod loader;
mod lower_ghosts;
mod offer;
mod offsets;
mod pairs;
mod params;
mod queries;
mod radii;
mod real64_rate;
#[cfg(test)]
mod reflection;
mod report;
mod row_search;
mod scopes;
mod self_test;
mod shader;
mod speeds;
#[cfg(test)]
mod stages;
mod strict;
mod sum;
mod transfer;
mod ztree;

pub use acquire::acquire;
pub use adapters::{DeviceInfo, DeviceKind, devices};
pub use attempt::Attempt;
pub use beside::{Hurry, late_reason, wait_for_gpus};
pub use choice::{DeviceChoice, choose_device};
pub use fields::FieldOf;
pub use handle::Gpu;
pub use identity::Identity;
pub use offer::offered;
pub use queries::{Asking, Linked, Links, Rule, Want, Wanted};
pub use sum::each_point::EachPoint;
pub use sum::{
    OfFormula, PlacedTable, Put, Shader, ShaderMakes, ShaderPoints, ShaderReads, Source, Summed, TotalWords,
};
pub use transfer::Mapped;
