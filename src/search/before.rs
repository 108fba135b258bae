//! Points before a step of a run.
//!
//! in: points before their first move in a step; out: the same points, if the step fails.

use super::precision::{Family, InPrecision};
use crate::points::{Points, Precision};

/// Points before a step has moved them. Nothing is copied: they and the moved points swap their memory.
#[derive(Debug, Default)]
pub struct Before {
    pub points: InPrecision<OfPoints>,
    /// The numbers of points without ghosts of other ranks, of these ghosts, and of queries. `None` if no points are kept.
    pub counts: Option<(usize, usize, Option<usize>)>,
}

/// Points in any precision.
#[derive(Debug)]
pub struct OfPoints;

impl Family for OfPoints {
    type Of<T: Precision> = Points<T>;
}
