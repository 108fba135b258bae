//! The search handle: inputs, points, indexes and results, reused from call to call.
//!
//! in: checked values from `capi`; out: results in the handle's memory or the caller's. Here no pair is tested.
//!
//! A query goes index -> count -> deliver. Each step is done once: each result knows the inputs it was made from
//! (`made_from`), and is valid exactly while they are the current inputs. So a list requested after its count, or again with
//! larger arrays, costs only the filling.
//!
//! Each feature owns what it keeps, and is made from the inputs, the points and their index (`session`). It knows neither the
//! handle nor other features above it:
//!
//! ```text
//! handle/ -> skin, lists, by_cutoffs, chunks, sum -> counted -> session -> job -> inputs
//!         -> solve_radii -> sum
//!         -> knn, fof ----------------------------> session
//!         -> images -> another handle, of a layer
//! ```
//!
//! `handle/` has the calls, a topic a file, and the one place where a query is planned, run, and run again without a GPU that failed.

mod before;
mod by_cutoffs;
mod chunks;
mod counted;
mod device;
mod each_point;
mod exchange;
mod fof;
mod handle;
mod home;
mod images;
mod inputs;
mod job;
mod knn;
mod list_ids;
mod lists;
mod made;
mod made_from;
mod neighbor_list;
mod neighbors;
mod pair_values;
mod precision;
mod report;
#[cfg(feature = "gpu")]
mod resident;
mod restored;
mod session;
mod skin;
mod skin_list;
mod solve_radii;
mod sum;
mod systems;

pub use crate::measure::Measure;
pub use crate::points::Precision;
pub use by_cutoffs::MAX_CUTOFFS;
pub use chunks::Chunk;
pub(crate) use exchange::Exchange;
pub use fof::Fof;
pub use handle::Search;
pub use handle::chunks::Chunks;
pub use handle::skin::VerletList;
pub use images::Images;
pub use knn::{Knn, KnnKind, MAX_K};
pub use neighbor_list::NeighborList;
pub use neighbors::{Neighbors, NeighborsKind, Pairs, check_32_bit};
pub(crate) use pair_values::PairFieldAsked;
pub use pair_values::PairValues;
pub use report::{Counter, Phase};
pub(crate) use solve_radii::RadiiAsked;
pub use solve_radii::{Outcome, RadiusRange, SolvedRadii};
pub use systems::Systems;
