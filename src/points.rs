//! Points: the caller's coordinates as a read-only view, the handle's own copy of them, and their precision.
//!
//! in: the caller's arrays; out: [`PointsView`], [`Points`] (both read by `grid`).

mod axis;
mod copying;
mod held;
mod precision;
mod view;

pub use axis::Axis;
pub use held::{Points, Stamp};
pub use precision::{Choice, Numbers, Precision, Values};
pub use view::PointsView;

pub use crate::real::Real;
