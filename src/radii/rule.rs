//! The cutoff of two points by their radii.

use crate::points::Real;

/// The cutoff of a pair of point `i`, whose row it is in, and point `j`, which the row lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RadiusRule {
    /// The radius of `i`. For full rows and queries only.
    Gather,
    /// The radius of `j`. For full rows and queries only.
    Scatter,
    /// The larger of the two radii.
    #[default]
    Max,
    /// The smaller of the two radii.
    Min,
    /// Half the sum of the two radii, with sum and product rounded in the precision of the points.
    Mean,
}

impl RadiusRule {
    /// Whether `i` and `j` are neighbors of each other or not at all.
    pub fn is_symmetric(self) -> bool {
        !matches!(self, RadiusRule::Gather | RadiusRule::Scatter)
    }

    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            RadiusRule::Gather => "gather",
            RadiusRule::Scatter => "scatter",
            RadiusRule::Max => "max",
            RadiusRule::Min => "min",
            RadiusRule::Mean => "mean",
        }
    }

    /// The reach of a point of a radius for its own row.
    #[inline]
    pub fn own<T: Real>(self, radius: T) -> T {
        match self {
            RadiusRule::Scatter => T::default(),
            _ => radius,
        }
    }

    /// The cutoff of a pair.
    #[inline(always)]
    pub fn cutoff<T: Real>(self, mine: T, other: T) -> T {
        match self {
            RadiusRule::Gather => mine,
            RadiusRule::Scatter => other,
            RadiusRule::Max if mine < other => other,
            RadiusRule::Min if mine > other => other,
            RadiusRule::Max | RadiusRule::Min => mine,
            RadiusRule::Mean => T::from_f64(0.5).mul(mine.add(other)),
        }
    }
}
