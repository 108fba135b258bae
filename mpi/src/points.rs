//! Points as this rank was given them, and where they lie in the box.

use crate::error::{Error, Result, room, status};

/// A precision of coordinates.
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
    /// A coordinate as the core searches it along a periodic axis `lo .. lo + length`: in `0 .. length`.
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
                let mut wrapped = self - lo;
                if wrapped < 0.0 || wrapped >= length {
                    wrapped %= length;
                    if wrapped < 0.0 {
                        wrapped += length;
                    }
                    if wrapped >= length {
                        wrapped = 0.0;
                    }
                }
                wrapped
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
    /// How many numbers they are.
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

/// What a rank is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Given<'a, T> {
    /// Axes, the same on all ranks.
    pub dim: usize,
    /// `dim` coordinates for each point.
    pub coords: Vec<T>,
    /// Global ids, or none on any rank: points are numbered then, rank by rank.
    pub ids: Option<&'a [i64]>,
}

/// A box: lower corner, edges, and which axes repeat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Domain {
    /// Lower corner.
    pub lo: Vec<f64>,
    /// Edges.
    pub length: Vec<f64>,
    /// Which axes repeat.
    pub periodic: Vec<bool>,
}

/// A point where the search has it: wrapped along periodic axes, axes beyond its dim at 0. `point` is its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Where.
    pub at: [f64; 3],
    /// Which.
    pub point: u32,
}

/// The points, placed. Refuses one that is infinitely far from its box.
pub fn place<T: Real>(dim: usize, coords: &[T], domain: &Domain, base: i64) -> Result<Vec<Placed>> {
    let mut placed = room(coords.len() / dim, "the plan")?;
    let axes: Vec<_> = (0..dim).map(|axis| period::<T>(domain, axis)).collect();
    for (coords, point) in coords.chunks_exact(dim).zip(0u32..) {
        let mut at = [0.0; 3];
        for ((at, coord), period) in at.iter_mut().zip(coords).zip(&axes) {
            *at = match period {
                Some([lo, length]) => coord.wrap(*lo, *length).to_f64(),
                None => coord.to_f64(),
            };
        }
        if let Some(axis) = at.iter().position(|c| !c.is_finite()) {
            let (axis, point) = (["x", "y", "z"][axis], i64::from(point) + base);
            let text = format!("the {axis} coordinate of point {point} is infinitely far from the box");
            return Err(Error::new(status::BAD_DOMAIN, text));
        }
        placed.push(Placed { at, point });
    }
    Ok(placed)
}

/// Where a periodic axis begins and how long it is, in the precision of the points.
pub fn period<T: Real>(domain: &Domain, axis: usize) -> Option<[T; 2]> {
    let repeats = domain.periodic.get(axis).copied().unwrap_or(false);
    repeats.then(|| [domain.lo[axis], domain.length[axis]].map(T::from_f64))
}

/// Lengths of periodic axes, as the search has them.
pub fn lengths<T: Real>(domain: &Domain, dim: usize) -> [Option<f64>; 3] {
    let length = |axis: usize| period::<T>(domain, axis).map(|[_, length]| length.to_f64());
    std::array::from_fn(|axis| (axis < dim).then(|| length(axis)).flatten())
}
