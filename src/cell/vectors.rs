//! The vectors of a cell: checks, and where images are.

use std::fmt;

use super::lattice::{Lattice, length_of};
use crate::error::{Error, Result, Status, number};
use crate::real::Real;

/// The largest relative error of heights and places. In a flatter cell real64 cannot tell one side from the other.
const MOST_ERROR: f64 = 1.0 / 64.0;

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
    heights: [f64; 3],
    lattice: Lattice,
}

impl Cell {
    /// A cell of three vectors. A vector that is not periodic means nothing, and may be any numbers.
    pub fn new(vectors: &[[f64; 3]; 3], periodic: [bool; 3]) -> Result<Cell> {
        let (mut held, mut lengths) = ([[0.0; 3]; 3], [0.0; 3]);
        for axis in (0..3).filter(|&axis| periodic[axis]) {
            let (vector, length) = (vectors[axis], length_of(vectors[axis]));
            if !(LENGTHS[0]..=LENGTHS[1]).contains(&length) {
                let [least, most] = LENGTHS.map(number);
                let allowed =
                    format_args!("finite, with a length from {least} to {most}, because the axis is periodic");
                return Err(refused(axis, vector, allowed));
            }
            (held[axis], lengths[axis]) = (vector, length);
        }
        let lattice = Lattice::new(&held, periodic, 0.0);
        let reduced = Lattice::reduced(&held, periodic);
        if !(lattice.error <= MOST_ERROR && reduced.error <= MOST_ERROR) {
            return Err(flat(&held, &lattice, periodic));
        }
        Ok(Cell {
            vectors: held,
            periodic,
            lengths,
            heights: [0, 1, 2].map(|axis| lattice.height(axis)),
            lattice: reduced,
        })
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
        self.heights[axis]
    }

    /// Short vectors with the same images.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// Refuses vectors with a component along an axis that points of `dim` axes do not have.
    pub fn check_dim(&self, dim: usize) -> Result<()> {
        let leaves = |vector: &[f64; 3]| vector[dim..].iter().any(|&x| x != 0.0);
        match self.vectors.iter().position(leaves) {
            Some(axis) => {
                let allowed = format_args!("0 along axes that points of dimension {dim} do not have");
                Err(refused(axis, self.vectors[axis], allowed))
            }
            None => Ok(()),
        }
    }

    /// The image of a point of `axes` by a shift. Without a shift it is the point as it is. It is 0 along axes that points do not have.
    #[inline(always)]
    pub fn image_of<T: Real>(&self, axes: &[Vec<T>], point: usize, shift: [i32; 3]) -> [T; 3] {
        match shift {
            [0, 0, 0] => point_of(axes, point),
            _ => self.image(point_of(axes, point), shift),
        }
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

/// The coordinates of a point; 0 along axes that it does not have.
#[inline(always)]
pub(super) fn point_of<T: Real>(axes: &[Vec<T>], point: usize) -> [T; 3] {
    std::array::from_fn(|axis| axes.get(axis).map_or(T::default(), |axis| axis[point]))
}

impl fmt::Display for Cell {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        write!(to, "{:?}, periodic {:?}", self.vectors, self.periodic)
    }
}

/// The refusal of vectors without a volume. If two vectors are closer to one line than all three are to one plane, it names these
/// two. Otherwise it names the last vector.
fn flat(vectors: &[[f64; 3]; 3], lattice: &Lattice, periodic: [bool; 3]) -> Error {
    // The volume of the unit vectors is the sine between two of them, times the height of the third above their plane.
    let volume_of = |lattice: &Lattice| 1.0 / lattice.error;
    let sine_of = |&[first, second]: &[usize; 2]| {
        let pair = std::array::from_fn(|axis| axis == first || axis == second);
        volume_of(&Lattice::new(vectors, pair, 0.0)).max(0.0) // 0 instead of NaN
    };
    let unit = volume_of(&Lattice::new(vectors, [false; 3], 0.0));
    let pairs = [[0, 1], [0, 2], [1, 2]];
    let in_line = pairs
        .iter()
        .filter(|pair| pair.iter().all(|&axis| periodic[axis]))
        .min_by(|a, b| sine_of(a).total_cmp(&sine_of(b)))
        .filter(|pair| {
            let sine = sine_of(pair);
            sine * MOST_ERROR < 1.0 || sine * sine < volume_of(lattice) * unit
        });
    let Some(&[first, second]) = in_line else {
        let last = (0..3).rfind(|&axis| periodic[axis]).unwrap_or(2);
        let allowed = "so far out of the plane of the other periodic vectors that the cell has a volume";
        return refused(last, vectors[last], allowed);
    };
    let allowed = format_args!(
        "so far out of the line of {} that the cell has a volume",
        VECTORS[first]
    );
    refused(second, vectors[second], allowed)
}

fn refused(axis: usize, [x, y, z]: [f64; 3], allowed: impl std::fmt::Display) -> Error {
    let value = format_args!("({}, {}, {})", number(x), number(y), number(z));
    Error::not_allowed(Status::BadDomain, VECTORS[axis], value, allowed)
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

    /// A shift moves the places of a point by whole numbers, and the lattice tells the shift again.
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
            let (lattice, mut moves) = (cell.lattice(), [0; 3]);
            for axis in (0..3).filter(|&axis| periodic[axis]) {
                let moved = lattice.place(axis, image) - lattice.place(axis, point);
                let error = 16.0 * lattice.error / lattice.height(axis);
                assert!((moved - moved.round()).abs() <= error, "{vectors:?} {moved} {shift:?}");
                moves[axis] = moved.round() as i64;
            }
            assert_eq!(lattice.shift(moves), shift, "{vectors:?}");
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

    /// The refusal names vectors on one line, whatever the third is. Otherwise it names the plane.
    #[test]
    fn flat_cells_name_their_vectors() {
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let line = |first, second| (second, format!("out of the line of the {first} cell vector"));
        let plane = ("third", "out of the plane of the other".to_owned());
        for (vectors, wanted) in [
            ([x, [-2.0, 0.0, 0.0], z], line("first", "second")),
            ([x, y, x], line("first", "third")),
            ([x, y, [0.0, 3.0, 0.0]], line("second", "third")),
            ([x, [1.0, 1e-9, 0.0], [1.0, 1.0, 1e-4]], line("first", "second")),
            ([x, y, [1.0, 1.0, 0.0]], plane.clone()),
            ([x, [0.0, 1.0, 1e-13], [1.0, -1.0, 0.0]], plane),
        ] {
            let text = Cell::new(&vectors, [true; 3]).unwrap_err().to_string();
            assert!(text.starts_with(&format!("the {} cell vector = ", wanted.0)), "{text}");
            assert!(text.contains(&wanted.1), "{text}");
        }
        let text = Cell::new(&[z, y, z], [true, false, true]).unwrap_err().to_string();
        assert!(text.contains("the line of the first cell vector"), "{text}");
    }
}
