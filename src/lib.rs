//! neargrid: exact and reproducible neighbor search for particle codes.
//!
//! [`Search`] finds all pairs of particles within a cutoff, lists of neighbors, k nearest neighbors and
//! friends-of-friends groups, on the CPU or on a GPU, with the same result. `ARCHITECTURE.md` describes how.
//!
//! ```
//! use neargrid::{PointsView, Search};
//! let mut search = Search::new()?;
//! search.set_cutoff(1.5)?;
//! search.set_points(&PointsView::interleaved(2, &[0.0, 0.0, 1.0, 0.0, 5.0, 5.0])?)?;
//! let pairs = search.pairs()?;
//! assert_eq!((pairs.left, pairs.right), (&[0][..], &[1][..]));
//! # Ok::<(), neargrid::Error>(())
//! ```

#![deny(unsafe_code)] // except in the files that ARCHITECTURE.md lists, which allow it

mod arguments;
mod axes;
pub mod capi;
mod carry;
mod cell;
mod cost;
mod cpu;
mod displacement;
mod domain;
mod drift;
mod environment;
mod error;
mod exact_sum;
mod exclusions;
mod fenv;
mod fields;
mod formula;
#[cfg_attr(not(feature = "gpu"), path = "gpu/absent.rs")]
mod gpu;
mod grid;
mod groups;
mod ids;
mod kinds;
mod list;
mod measure;
mod memory;
pub mod oracle;
mod order;
mod pair_fields;
mod plan;
mod points;
mod quiet;
mod radii;
#[cfg(test)]
mod random;
#[allow(dead_code)] // until a handle uses them
mod ranks;
mod real;
mod room;
mod search;
mod simd;
mod spare;
mod threads;
mod version;
mod ztree;

pub use arguments::MAX_POINTS;
pub use carry::{Columns, Contacts};
pub use domain::TieRule;
pub use error::{Error, Result, Status};
pub use formula::{Formula, SumPrecision, TableOf};
#[doc(hidden)]
pub use gpu::wait_for_gpus;
#[cfg(feature = "gpu")]
pub use gpu::{DeviceChoice, Identity, choose_device};
pub use gpu::{DeviceInfo, DeviceKind, devices};
pub use groups::{Groups, Properties};
pub use kinds::{GhostPairs, GhostRows, Role};
pub use order::{reorder, restore};
pub use plan::Backend;
pub use points::{Axis, PointsView, Precision};
pub use radii::RadiusRule;
pub use real::Real;
pub use search::{
    Chunk, Chunks, Counter, Fof, Images, Knn, KnnKind, MAX_CUTOFFS, MAX_K, Measure, NeighborList, Neighbors,
    NeighborsKind, Outcome, PairValues, Pairs, Phase, RadiusRange, Search, SolvedRadii, Systems, VerletList,
};
