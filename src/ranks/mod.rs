//! Searches across ranks: which points ranks need of each other, and what they find together.
//!
//! in: the points of this rank, and a communicator; out: plans, ghosts, fields of ghosts, and results over all ranks. Between two
//! agreements no rank fails: memory for what comes is there before it is asked for. A rank that fails waits for the next agreement,
//! where all ranks return its error.
//!
//! ```text
//! cloud (own points) -> coarse (cells) -> blocks, boxes (all ranks) -> shell (near ranks) -> plan -+-> ghosts
//!                                                                                                 +-> halo: fields along it
//! ids: unique, or given     knn: questions and answers     fof -> groups: labels along the plan     migration, by a curve
//!                     |                      |                       |                                |
//!                     +---> agree, parcels --+----> mail ------------+-----> comm (functions of C) <--+
//! ```
//!
//! * `plan` makes ghosts: `coarse` lays some thousand cells over all points without a copy of them, `blocks` are an outline for all
//!   ranks, and `shell` has the few points that may be near others, in cells of the cutoff's size. No message goes to a far rank.
//! * In a cell of three vectors who is near whom is decided on its torus (`cell::Torus`), where all images of a point are one place. A
//!   ghost is a point as its rank gave it, whatever number of its images are in reach: the search makes these as it does those of
//!   this rank's points. So fields travel along a plan of points.
//! * `knn` needs no plan: questions go to ranks whose boxes are within reach (`atlas`, `questions`); answers are merged into rows.
//! * `fof` relays the smallest labels along the plan. Exact sums over members go to the owner of the label (`groups`).
//! * `migration` cuts a space-filling curve into equal parts.
//! * `fake` has ranks that are threads of one process, for tests.

mod across;
mod agree;
mod blocks;
mod boxes;
mod cloud;
mod coarse;
mod comm;
mod curve;
mod fof;
mod groups;
mod halo;
mod ids;
mod knn;
mod mail;
mod migration;
mod parcels;
mod plan;
mod shell;
mod stats;
mod team;

#[cfg(test)]
pub(crate) mod fake;
#[cfg(test)]
mod tests;

pub use across::{Meeting, Need, Ranks};
pub use comm::{Comm, Functions};
pub use knn::{Found, Nearest};
