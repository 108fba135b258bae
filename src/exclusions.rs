//! Exclusions: pairs of points that no row lists, such as atoms that bonds join, and the class of each such pair.
//!
//! in: for each point the caller's numbers or global ids, and classes; out: [`ExcludedPairs`], by the numbers of the caller or of a search.

mod by_ids;
mod pairs;

pub use by_ids::ExcludedIds;
pub use pairs::{ExcludedPairs, Exclusions};
