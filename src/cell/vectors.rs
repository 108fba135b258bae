//! The vectors of a cell: checks, heights, and where images are.

use crate::error::{Error, Result, Status, number};
use crate::real::Real;

/// The flattest cell: the volume over the product of the lengths. In a flatter one real64 cannot tell one side from the other.
const FLATTEST: f64 = 1.0 / (1u64 << 40) as f64;

/// The shortest and the longest vector. Products of three of them and their inverses are finite.
const LENGTHS: [f64; 2] = [1e-100, 1e100];

const VECTORS: [&str; 3] = [
    "the first cell vector",
    "the second cell vector",
    "the third cell vector",
];

/// Three vectors, some of them periodic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Those of periodic axes; others are zero, because points have no images along them.
    vectors: [[f64; 3]; 3],
    periodic: [bool; 3],
    lengths: [f64; 3],
    /// Vectors whose product with a point is its place along a periodic axis, in lengths of that axis.
    reciprocal: [[f64; 3]; 3],
    /// The relative error of `reciprocal`, at most.
    error: f64,
}

impl Cell {
    /// A cell of three vectors. A vector that is not periodic means nothing, and may be any numbers.
    pub fn new(vectors: &[[f64; 3]; 3], periodic: [bool; 3]) -> Result<Cell> {
        let mut cell = Cell {
            vectors: [[0.0; 3]; 3],
            periodic,
            lengths: [0.0; 3],
            reciprocal: [[0.0; 3]; 3],
            error: 0.0,
        };
        let mut units = [None; 3];
        for axis in (0..3).filter(|&axis| periodic[axis]) {
            let vector = vectors[axis];
            let length = length_of(vector);
            if !(LENGTHS[0]..=LENGTHS[1]).contains(&length) {
                let [least, most] = LENGTHS.map(number);
                let allowed =
                    format_args!("finite, with a length from {least} to {most}, because the axis is periodic");
                return Err(refused(axis, vector, allowed));
            }
            (cell.vectors[axis], cell.lengths[axis]) = (vector, length);
            units[axis] = Some(vector.map(|x| x / length));
        }
        let units = completed(units);
        let volume = dot(units[0], cross(units[1], units[2]));
        if volume.abs() < FLATTEST || volume.is_nan() {
            let last = flat(&units, periodic);
            let allowed =
                "so far out of the line or the plane of the other periodic vectors that the cell has a volume";
            return Err(refused(last, cell.vectors[last], allowed));
        }
        for axis in (0..3).filter(|&axis| periodic[axis]) {
            let [next, last] = [(axis + 1) % 3, (axis + 2) % 3];
            let normal = cross(units[next], units[last]);
            cell.reciprocal[axis] = normal.map(|x| x / volume / cell.lengths[axis]);
        }
        cell.error = 128.0 * f64::ROUNDOFF / volume.abs();
        Ok(cell)
    }

    /// Whether points have images along an axis.
    pub fn is_periodic(&self, axis: usize) -> bool {
        self.periodic[axis]
    }

    /// The length of the vector of a periodic axis; 0 for others.
    pub fn length(&self, axis: usize) -> f64 {
        self.lengths[axis]
    }

    /// The distance of the two faces of a periodic axis.
    pub fn height(&self, axis: usize) -> f64 {
        1.0 / length_of(self.reciprocal[axis])
    }

    /// The relative error of heights and places, at most.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The place of a point along a periodic axis, in lengths of that axis: 0 to 1 inside the cell.
    pub fn place<T: Real>(&self, axis: usize, point: [T; 3]) -> f64 {
        dot(self.reciprocal[axis], point.map(T::to_f64))
    }

    /// The image of a point by a shift.
    #[inline(always)]
    pub fn image<T: Real>(&self, point: [T; 3], shift: [i32; 3]) -> [T; 3] {
        let [a, b, c] = &self.vectors;
        let [first, second, third] = shift.map(f64::from);
        std::array::from_fn(|axis| {
            let along = first * a[axis] + second * b[axis] + third * c[axis];
            point[axis].add(T::from_f64(along))
        })
    }
}

fn refused(axis: usize, [x, y, z]: [f64; 3], allowed: impl std::fmt::Display) -> Error {
    let value = format_args!("({}, {}, {})", number(x), number(y), number(z));
    Error::not_allowed(Status::BadDomain, VECTORS[axis], value, allowed)
}

/// The vector that lies in the line or the plane of periodic ones before it.
fn flat(units: &[[f64; 3]; 3], periodic: [bool; 3]) -> usize {
    let is_in_line = length_of(cross(units[0], units[1])) < FLATTEST;
    match periodic {
        [true, true, false] => 1,
        [true, true, true] if is_in_line => 1,
        _ => 2,
    }
}

/// Units in place of the missing ones, perpendicular to the others and to each other.
fn completed(units: [Option<[f64; 3]>; 3]) -> [[f64; 3]; 3] {
    let mut all = units;
    while let Some(missing) = all.iter().position(Option::is_none) {
        let given: [Option<[f64; 3]>; 2] = [all[(missing + 1) % 3], all[(missing + 2) % 3]];
        all[missing] = Some(match given {
            [Some(next), Some(last)] => unit(cross(next, last)),
            [Some(one), None] | [None, Some(one)] => unit(cross(one, least_along(one))),
            [None, None] => [1.0, 0.0, 0.0],
        });
    }
    all.map(Option::unwrap_or_default)
}

/// The axis of coordinates along which a vector is shortest.
fn least_along(vector: [f64; 3]) -> [f64; 3] {
    let least = (1..3).fold(0, |least, axis| {
        if vector[axis].abs() < vector[least].abs() {
            axis
        } else {
            least
        }
    });
    std::array::from_fn(|axis| f64::from(u8::from(axis == least)))
}

/// The vector by its length; no numbers where it has none.
fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = length_of(vector);
    vector.map(|x| x / length)
}

/// The length, which no square overflows; NaN where a component is not finite.
pub(super) fn length_of(vector: [f64; 3]) -> f64 {
    if !vector.iter().all(|x| x.is_finite()) {
        return f64::NAN;
    }
    let largest = vector.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let scaled = vector.map(|x| x / largest);
    largest * dot(scaled, scaled).sqrt()
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| {
        let [next, last] = [(axis + 1) % 3, (axis + 2) % 3];
        a[next] * b[last] - a[last] * b[next]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Heights are those of the box, and an open axis of any numbers changes nothing.
    #[test]
    fn vectors_of_open_axes_mean_nothing() {
        let box_of = [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 8.0]];
        let cell = Cell::new(&box_of, [true; 3]).unwrap();
        assert_eq!([0, 1, 2].map(|axis| cell.height(axis)), [2.0, 4.0, 8.0]);
        for any in [0.0, 1.0, f64::NAN, f64::INFINITY] {
            for open in 0..3 {
                let (mut vectors, mut periodic) = (box_of, [true; 3]);
                (vectors[open], periodic[open]) = ([any; 3], false);
                let slab = Cell::new(&vectors, periodic).unwrap();
                vectors[open] = [-3.0; 3];
                assert_eq!(Cell::new(&vectors, periodic), Ok(slab));
                let others = (0..3).filter(|&axis| axis != open);
                others.for_each(|axis| assert_eq!(slab.height(axis), cell.height(axis)));
            }
        }
    }

    /// A whole shift moves the place of a point by a whole number.
    #[test]
    fn shifts_move_places() {
        let mut random = Random(7);
        let mut next = || (random.bits() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        for k in 0..1000 {
            let vectors = [0; 3].map(|_| [0; 3].map(|_| next()));
            let periodic = [0, 1, 2].map(|axis| (k >> axis) & 1 == 1);
            let Ok(cell) = Cell::new(&vectors, periodic) else {
                continue;
            };
            let point = [next(), next(), next()];
            let shift = [0, 1, 2].map(|axis| if periodic[axis] { axis as i32 * 2 - 1 } else { 0 });
            let image = cell.image(point, shift);
            for axis in (0..3).filter(|&axis| periodic[axis]) {
                let moved = cell.place(axis, image) - cell.place(axis, point);
                let error = 16.0 * cell.error() / cell.height(axis);
                assert!(
                    (moved - f64::from(shift[axis])).abs() <= error,
                    "{vectors:?} {moved} {shift:?}"
                );
            }
        }
    }

    /// A cell without a volume is refused, and the text names the vector.
    #[test]
    fn flat_cells_are_refused() {
        let x = [1.0, 0.0, 0.0];
        for (vectors, periodic) in [
            ([x, x, [0.0, 0.0, 1.0]], [true, true, false]),
            ([x, [0.0, 1.0, 0.0], [1.0, 1.0, 1e-13]], [true; 3]),
            ([x, [0.0; 3], x], [false, true, false]),
            ([[f64::NAN, 0.0, 0.0], x, x], [true, false, false]),
            ([[1e300, 1e300, 0.0], x, x], [true, false, false]),
        ] {
            let error = Cell::new(&vectors, periodic).unwrap_err();
            assert_eq!(error.status(), Status::BadDomain);
            assert!(error.to_string().contains("cell vector"), "{error}");
        }
    }
}
