//! The points that the caller gave this rank, and where they are in the box.

use crate::error::{Error, Result, room, status};

/// The precision of coordinates: `f32` or `f64`.
pub trait Real: bytemuck::Pod + PartialOrd + Default + Send + Sync + std::fmt::Debug {
    /// Its name in messages.
    const NAME: &'static str;
    /// The most that rounding errs, relative.
    const ROUNDOFF: f64;
    /// The smallest number above 0, and the largest.
    const RANGE: [f64; 2];
    /// Exact.
    fn to_f64(self) -> f64;
    /// Rounded to nearest.
    fn from_f64(value: f64) -> Self;
    /// A coordinate as the core searches it along a periodic axis `lo .. lo + length`: as it is where it lies inside, else brought
    /// in. It is no number where its distance from `lo` is infinite.
    fn wrap(self, lo: Self, length: Self) -> Self;
    /// Coordinates of this precision, whose precision nobody knows.
    fn hold(coords: Vec<Self>) -> Coords;
    /// The coordinates; none if they are of another precision.
    fn held(coords: &Coords) -> &[Self];
    /// The same, to be changed; made such ones if they are of another precision.
    fn held_mut(coords: &mut Coords) -> &mut Vec<Self>;
}

macro_rules! real {
    ($type:ident, $name:literal, $variant:ident) => {
        impl Real for $type {
            const NAME: &'static str = $name;
            const ROUNDOFF: f64 = $type::EPSILON as f64 / 2.0;
            const RANGE: [f64; 2] = [$type::from_bits(1) as f64, $type::MAX as f64];

            fn to_f64(self) -> f64 {
                self as f64
            }

            fn from_f64(value: f64) -> $type {
                value as $type
            }

            fn wrap(self, lo: $type, length: $type) -> $type {
                let hi = lo + length;
                if lo <= self && self < hi {
                    return self;
                }
                let mut above = (self - lo) % length;
                if above < 0.0 {
                    above += length;
                }
                if lo + above >= hi { lo } else { lo + above }
            }

            fn hold(coords: Vec<$type>) -> Coords {
                Coords::$variant(coords)
            }

            fn held(coords: &Coords) -> &[$type] {
                match coords {
                    Coords::$variant(coords) => coords,
                    _ => &[],
                }
            }

            fn held_mut(coords: &mut Coords) -> &mut Vec<$type> {
                if !matches!(coords, Coords::$variant(_)) {
                    *coords = Coords::$variant(Vec::new());
                }
                match coords {
                    Coords::$variant(coords) => coords,
                    _ => unreachable!("just made"),
                }
            }
        }
    };
}
real!(f32, "real32", F32);
real!(f64, "real64", F64);

/// Coordinates, point after point.
#[derive(Clone, Debug, PartialEq)]
pub enum Coords {
    /// In real32.
    F32(Vec<f32>),
    /// In real64.
    F64(Vec<f64>),
}

impl Coords {
    /// Number of coordinates.
    pub fn len(&self) -> usize {
        match self {
            Coords::F32(coords) => coords.len(),
            Coords::F64(coords) => coords.len(),
        }
    }

    /// Keeps the first `len` of them.
    pub fn truncate(&mut self, len: usize) {
        match self {
            Coords::F32(coords) => coords.truncate(len),
            Coords::F64(coords) => coords.truncate(len),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The points that a rank passes to a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Given<'a, T> {
    /// Dimension, the same on all ranks.
    pub dim: usize,
    /// `dim` coordinates for each point.
    pub coords: Vec<T>,
    /// Global ids; or `None` on all ranks, and the points are then numbered rank by rank.
    pub ids: Option<&'a [i64]>,
}

/// An axis-aligned box: lower corner, edge lengths, and which axes are periodic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Domain {
    /// Lower corner.
    pub lo: Vec<f64>,
    /// Edge lengths.
    pub length: Vec<f64>,
    /// The periodic axes.
    pub periodic: Vec<bool>,
}

/// A point where the search has it: wrapped along periodic axes, axes beyond its dim at 0. `point` is its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Its place.
    pub at: [f64; 3],
    /// Its number.
    pub point: u32,
}

/// The rule by which coordinates are wrapped, as the search has points.
#[derive(Clone, Copy, Debug)]
pub struct Placing<T> {
    periods: [Option<[T; 2]>; 3],
}

impl<T: Real> Placing<T> {
    /// Of points with `dim` coordinates.
    pub fn new(dim: usize, domain: &Domain) -> Placing<T> {
        let period = |axis: usize| (axis < dim).then(|| period::<T>(domain, axis)).flatten();
        Placing {
            periods: std::array::from_fn(period),
        }
    }

    /// Whether some axis repeats: only then can a point be infinitely far from its box.
    pub fn is_periodic(&self) -> bool {
        self.periods.iter().any(Option::is_some)
    }

    /// The place of the point of these coordinates, as many as there are axes.
    #[inline(always)]
    pub fn at(&self, coords: &[T]) -> [f64; 3] {
        let mut at = [0.0; 3];
        for ((at, coord), period) in at.iter_mut().zip(coords).zip(&self.periods) {
            *at = match period {
                Some([lo, length]) => coord.wrap(*lo, *length).to_f64(),
                None => coord.to_f64(),
            };
        }
        at
    }
}

/// The points, placed. Refuses one that is infinitely far from its box, so that it cannot be wrapped.
pub fn place<T: Real>(dim: usize, coords: &[T], domain: &Domain, base: i64) -> Result<Vec<Placed>> {
    let mut placed = room(coords.len() / dim, "the plan")?;
    let placing = Placing::new(dim, domain);
    for (coords, point) in coords.chunks_exact(dim).zip(0u32..) {
        let at = placing.at(coords);
        check_placed(&at, i64::from(point) + base)?;
        placed.push(Placed { at, point });
    }
    Ok(placed)
}

/// Refuses a point that could not be wrapped; `point` has the base in it.
pub fn check_placed(at: &[f64; 3], point: i64) -> Result<()> {
    let Some(axis) = at.iter().position(|c| !c.is_finite()) else {
        return Ok(());
    };
    let axis = ["x", "y", "z"][axis];
    let text = format!("the {axis} coordinate of point {point} is infinitely far from the box: it cannot be wrapped");
    Err(Error::new(status::NON_FINITE, text))
}

/// The begin and the length of a periodic axis, in the precision of the points.
pub fn period<T: Real>(domain: &Domain, axis: usize) -> Option<[T; 2]> {
    let repeats = domain.periodic.get(axis).copied().unwrap_or(false);
    repeats.then(|| [domain.lo[axis], domain.length[axis]].map(T::from_f64))
}

/// Lengths of periodic axes, as the search has them.
pub fn lengths<T: Real>(domain: &Domain, dim: usize) -> [Option<f64>; 3] {
    let length = |axis: usize| period::<T>(domain, axis).map(|[_, length]| length.to_f64());
    std::array::from_fn(|axis| (axis < dim).then(|| length(axis)).flatten())
}

/// Whether all coordinates are finite, looked at without a branch.
pub fn are_finite<T: Real>(coords: &[T]) -> bool {
    coords.iter().fold(true, |all, c| all & is_finite(c))
}

/// Whether a coordinate is finite.
pub fn is_finite<T: Real>(c: &T) -> bool {
    c.to_f64().abs() < f64::INFINITY
}
