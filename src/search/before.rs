//! The points before a step of a run. In: points that are about to move for the first time in a step. Out: the same points, where the step
//! fails.

use super::precision::{Family, InPrecision};
use crate::points::{Points, Precision};

/// Points that a step has moved, as they were before. They have changed places with the memory in which the moved ones are, so none are
/// copied.
#[derive(Debug, Default)]
pub struct Before {
    pub points: InPrecision<OfPoints>,
    /// Points without ghosts of other ranks, these ghosts, and queries, while points are kept.
    pub counts: Option<(usize, usize, Option<usize>)>,
}

/// Points of all precisions.
#[derive(Debug)]
pub struct OfPoints;

impl Family for OfPoints {
    type Of<T: Precision> = Points<T>;
}
