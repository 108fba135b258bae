//! The lattice of a cell: short vectors with the same images, heights, and places of points among them.
//!
//! The layer of images around a tilted cell would be large, because the cell is long and flat. Sums and differences of its
//! vectors have the same images, and the shortest ones make a cell that is nearly a box.

use crate::real::Real;

/// The largest number of vectors of the cell in a vector of the lattice.
const MOST: i64 = 1 << 20;

/// The largest number of times that all pairs of vectors are reduced. Each time makes one of them shorter.
const ROUNDS: usize = 1000;

/// Up to three vectors, one for each periodic axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    lengths: [f64; 3],
    /// Vectors whose product with a point is its place along a periodic axis, in lengths of that axis.
    reciprocal: [[f64; 3]; 3],
    normals: [[f64; 3]; 3],
    /// The vectors of the cell in each vector.
    parts: [[i64; 3]; 3],
    /// The relative error of `reciprocal`, at most; infinite or no number where the vectors have no volume.
    pub error: f64,
}

impl Lattice {
    /// The lattice of vectors as they are. `blur` is their relative error.
    pub fn new(vectors: &[[f64; 3]; 3], periodic: [bool; 3], blur: f64) -> Lattice {
        let (mut lengths, mut reciprocal, mut units) = ([0.0; 3], [[0.0; 3]; 3], [None; 3]);
        let axes = || (0..3).filter(|&axis| periodic[axis]);
        for axis in axes() {
            lengths[axis] = length_of(vectors[axis]);
            units[axis] = Some(vectors[axis].map(|x| x / lengths[axis]));
        }
        let units = completed(units);
        let (volume, mut normals) = (dot(units[0], cross(units[1], units[2])), units);
        for axis in axes() {
            let [next, last] = [(axis + 1) % 3, (axis + 2) % 3];
            let normal = cross(units[next], units[last]);
            reciprocal[axis] = normal.map(|x| x / volume / lengths[axis]);
            normals[axis] = unit(normal);
        }
        Lattice {
            lengths,
            reciprocal,
            normals,
            parts: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
            error: 128.0 * (f64::ROUNDOFF + blur) / volume.abs(),
        }
    }

    /// The lattice of vectors with the same images that are about as short as such can be.
    pub fn reduced(vectors: &[[f64; 3]; 3], periodic: [bool; 3]) -> Lattice {
        let (mut short, mut parts) = (*vectors, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
        for _ in 0..ROUNDS {
            let mut has_changed = false;
            for axis in (0..3).filter(|&axis| periodic[axis]) {
                for other in (0..3).filter(|&other| other != axis && periodic[other]) {
                    let times = (dot(short[axis], short[other]) / dot(short[other], short[other])).round();
                    if !(times.abs() >= 1.0 && times.abs() <= MOST as f64) {
                        continue;
                    }
                    let fewer: [i64; 3] = std::array::from_fn(|k| parts[axis][k] - times as i64 * parts[other][k]);
                    let vector = sum_of(vectors, fewer);
                    let is_shorter = dot(vector, vector) < 0.999 * dot(short[axis], short[axis]);
                    if is_shorter && fewer.iter().all(|part| part.abs() <= MOST) {
                        (short[axis], parts[axis], has_changed) = (vector, fewer, true);
                    }
                }
            }
            if !has_changed {
                break;
            }
        }
        let mut blur = 0.0;
        for axis in (0..3).filter(|&axis| periodic[axis] && parts[axis].iter().filter(|&&part| part != 0).count() > 1) {
            let terms = (0..3).map(|k| parts[axis][k].abs() as f64 * length_of(vectors[k]));
            blur = (4.0 * f64::ROUNDOFF * terms.sum::<f64>() / length_of(short[axis])).max(blur);
        }
        let lattice = Lattice::new(&short, periodic, blur);
        Lattice { parts, ..lattice }
    }

    /// The length of a vector; 0 along open axes.
    pub fn length(&self, axis: usize) -> f64 {
        self.lengths[axis]
    }

    /// The distance of the two faces of a periodic axis.
    pub fn height(&self, axis: usize) -> f64 {
        1.0 / length_of(self.reciprocal[axis])
    }

    /// The place of a point along a periodic axis, in lengths of that axis: 0 to 1 inside.
    pub fn place<T: Real>(&self, axis: usize, point: [T; 3]) -> f64 {
        dot(self.reciprocal[axis], point.map(T::to_f64))
    }

    /// The unit vector across the faces of an axis; of an open one, a unit vector that is perpendicular to all other axes.
    pub fn normal(&self, axis: usize) -> [f64; 3] {
        self.normals[axis]
    }

    /// The shift of the cell that does the same as moves by vectors of the lattice.
    pub fn shift(&self, moves: [i64; 3]) -> [i32; 3] {
        std::array::from_fn(|k| (0..3).map(|axis| moves[axis] * self.parts[axis][k]).sum::<i64>() as i32)
    }
}

/// The sum of vectors, each times its factor.
fn sum_of(vectors: &[[f64; 3]; 3], parts: [i64; 3]) -> [f64; 3] {
    let [first, second, third] = parts.map(|part| part as f64);
    std::array::from_fn(|axis| first * vectors[0][axis] + second * vectors[1][axis] + third * vectors[2][axis])
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

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
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

    /// A tilted cell has the lattice of the box that has the same images.
    #[test]
    fn tilted_cells_are_boxes() {
        for [p, q, r] in [[0, 0, 0], [3, -1, 2], [1000, 30, -700], [-1, 200_000, 5]] {
            let [p, q, r] = [p, q, r].map(f64::from);
            let vectors = [[2.0, 0.0, 0.0], [2.0 * p, 1.0, 0.0], [2.0 * q, r, 4.0]];
            let lattice = Lattice::reduced(&vectors, [true; 3]);
            let sorted = |mut values: [f64; 3]| {
                values.sort_unstable_by(f64::total_cmp);
                values
            };
            let (lengths, heights) = (lattice.lengths, [0, 1, 2].map(|axis| lattice.height(axis)));
            assert_eq!([lengths, heights].map(sorted), [[1.0, 2.0, 4.0]; 2], "{p} {q} {r}");
        }
    }
}
