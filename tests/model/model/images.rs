//! Rows in a cell of three vectors: a plain loop over all images that may be in reach.

use std::sync::atomic::Ordering;

use super::super::truth::PROGRESS;
use super::*;

/// An entry of a row: a point, and the shift of its image.
pub type Entry = (usize, [i32; 3]);

/// Three vectors; those of axes that do not repeat are 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    pub vectors: [[f64; 3]; 3],
    pub periodic: [bool; 3],
}

impl Cell {
    pub fn new(given: &[f64], flags: &[i32]) -> Cell {
        let periodic = [0, 1, 2].map(|k| flags.get(k) == Some(&1));
        let component = |k: usize, axis: usize| if periodic[k] { given[3 * k + axis] } else { 0.0 };
        Cell {
            vectors: std::array::from_fn(|k| std::array::from_fn(|axis| component(k, axis))),
            periodic,
        }
    }

    fn length(&self, k: usize) -> f64 {
        self.vectors[k].iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// Products of unit vectors; an axis that does not repeat is perpendicular to all others.
    fn products(&self) -> [[f64; 3]; 3] {
        std::array::from_fn(|k| {
            std::array::from_fn(|l| match (self.periodic[k] && self.periodic[l], k == l) {
                (true, _) => dot(self.vectors[k], self.vectors[l]) / self.length(k) / self.length(l),
                (false, is_same) => f64::from(u8::from(is_same)),
            })
        })
    }

    /// The volume of the unit vectors.
    pub fn volume(&self) -> f64 {
        let [a, b, c] = self.products();
        dot(a, cross(b, c)).max(0.0).sqrt()
    }

    /// Whether all vectors have a length that is allowed.
    pub fn has_lengths(&self) -> bool {
        let mut lengths = (0..3).filter(|&k| self.periodic[k]).map(|k| self.length(k));
        lengths.all(|length| (1e-100..=1e100).contains(&length))
    }

    /// Vectors whose products with a vector are its places along the axes.
    fn reciprocal(&self) -> [[f64; 3]; 3] {
        let [a, b, c] = self.products();
        let volume = dot(a, cross(b, c));
        let inverse = [cross(b, c), cross(c, a), cross(a, b)].map(|row| row.map(|x| x / volume));
        std::array::from_fn(|k| {
            let mut sum = [0.0; 3];
            for l in (0..3).filter(|&l| self.periodic[k] && self.periodic[l]) {
                for (sum, x) in sum.iter_mut().zip(self.vectors[l]) {
                    *sum += inverse[k][l] * x / self.length(l) / self.length(k);
                }
            }
            sum
        })
    }

    /// The image of a point.
    pub fn image<T: Real>(&self, point: [T; 3], shift: [i32; 3]) -> [T; 3] {
        let [first, second, third] = shift.map(f64::from);
        let [a, b, c] = self.vectors;
        std::array::from_fn(|axis| {
            let along = (first * a[axis] + second * b[axis]) + third * c[axis];
            point[axis].add(T::from_f64(along))
        })
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

/// Whether half rows list an image of the point itself by a shift, and not by the opposite one.
fn is_once([a, b, c]: [i32; 3]) -> bool {
    (a + b + c, c, b) > (0, 0, 0)
}

impl Model {
    /// The cutoffs of the table that two points have. A point and its own periodic image count as two.
    fn cutoffs_of_pairs(&self) -> Vec<f64> {
        let (Some((_, cutoffs)), Some((types, ntypes, mask))) = (&self.type_cutoffs, &self.types) else {
            return Vec::new();
        };
        let n = types.len();
        let has_row = |i: usize| !self.is_absent(i) && (self.ghost_rows == 1 || self.is_active(i));
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let pairs = pairs.filter(|&(i, j)| (i != j || self.cell.is_some()) && has_row(i) && !self.is_absent(j));
        let both = pairs.map(|(i, j)| types[i] * ntypes + types[j]);
        both.filter(|&both| mask[both] && cutoffs.get(both).is_some_and(|&cutoff| cutoff > 0.0))
            .map(|both| cutoffs[both])
            .collect()
    }

    /// The largest cutoff of two points. If no two points have a cutoff of the table, the smallest cutoff of the table.
    pub fn cutoff_of_points(&self) -> Option<f64> {
        let Some((_, cutoffs)) = &self.type_cutoffs else {
            return self.cutoff;
        };
        let smallest = || cutoffs.iter().copied().filter(|&cutoff| cutoff > 0.0).reduce(f64::min);
        self.cutoffs_of_pairs().into_iter().reduce(f64::max).or_else(smallest)
    }

    /// The largest edge that bins may have: bins with a longer one would miss pairs.
    pub fn longest_bin(&self) -> Option<f64> {
        self.cutoffs_of_pairs()
            .into_iter()
            .reduce(f64::min)
            .or_else(|| self.cutoff_of_points())
    }

    /// Images that [`images`](Model::images) looks at for each two points.
    fn images_of_two(&self) -> f64 {
        let (cell, cutoff) = (
            self.cell.expect("a cell is set"),
            self.cutoff_of_points().unwrap_or(0.0),
        );
        let across = |k: usize| 2.4 * cutoff * dot(cell.reciprocal()[k], cell.reciprocal()[k]).sqrt() + 2.0;
        (0..3).filter(|&k| cell.periodic[k]).map(across).product()
    }

    /// Whether the loop over all images ends soon.
    pub fn is_small(&self) -> bool {
        self.images_of_two() * ((self.n() * self.n()) as f64) < 1e7
    }

    /// Rows of a kind in the cell.
    pub fn images(&self, kind: Kind) -> Vec<Vec<Entry>> {
        in_precision!(self, T => self.images_in::<T>(kind))
    }

    fn images_in<T: Real>(&self, kind: Kind) -> Vec<Vec<Entry>> {
        let (cell, cloud, reach) = (
            self.cell.expect("a cell is set"),
            self.cloud::<T>(),
            self.reach::<T>(kind),
        );
        let (reciprocal, cutoff) = (cell.reciprocal(), self.cutoff_of_points().unwrap_or(0.0));
        let coords = |i: usize| {
            [0, 1, 2].map(|axis| match axis < cloud.dim {
                true => cloud.wrapped(i, axis),
                false => T::default(),
            })
        };
        let mut rows = vec![Vec::new(); self.n()];
        for i in 0..self.n() {
            PROGRESS.fetch_add(1, Ordering::Relaxed);
            for j in (i..self.n()).filter(|&j| self.interact(i, j)) {
                let [i, j] = if self.rank(j) < self.rank(i) { [j, i] } else { [i, j] };
                let (here, there) = (coords(i), coords(j));
                let apart = [0, 1, 2].map(|axis| there[axis].to_f64() - here[axis].to_f64());
                let [first, second, third] = [0, 1, 2].map(|k| match cell.periodic[k] {
                    true => {
                        let middle = -dot(reciprocal[k], apart);
                        let width = 1.2 * cutoff * dot(reciprocal[k], reciprocal[k]).sqrt() + 0.5;
                        (middle - width).ceil() as i32..=(middle + width).floor() as i32
                    }
                    false => 0..=0,
                });
                for a in first {
                    for b in second.clone() {
                        for c in third.clone() {
                            let shift = [a, b, c];
                            let image = cell.image(there, shift);
                            if shift == [0; 3] && self.excludes_as_given(i, j) {
                                continue;
                            }
                            let is_near = reach.holds(self.exclusive, (i, j), distance2(cloud.dim, here, image));
                            if is_near && (i != j || is_once(shift)) {
                                rows[i].push((j, shift));
                                if kind == Kind::Full {
                                    rows[j].push((i, shift.map(|by| -by)));
                                }
                            }
                        }
                    }
                }
            }
        }
        rows.iter_mut()
            .for_each(|row| row.sort_by_key(|&(j, shift)| (self.rank(j), shift)));
        rows
    }

    /// Whether two points are excluded as they are, and not their images.
    pub fn excludes_as_given(&self, i: usize, j: usize) -> bool {
        self.exclusions.as_ref().is_some_and(|exclusions| exclusions.by_shift) && self.excludes(i, j)
    }

    /// The reasons why there are no rows of a kind in a cell.
    pub fn check_images(&self, checks: &mut Checks, kind: Kind) {
        self.check_cell(checks, kind);
        self.check_distances(checks);
    }

    /// Those that are seen without a look at the points.
    pub fn check_cell(&self, checks: &mut Checks, kind: Kind) {
        in_precision!(self, T => self.check_cell_in::<T>(checks, kind))
    }

    fn check_cell_in<T: Real>(&self, checks: &mut Checks, kind: Kind) {
        checks.must(self.dim.is_none(), BAD_STATE);
        checks.must(kind == Kind::Queries, NOT_SUPPORTED);
        checks.must(self.has_queries || self.radii.is_some(), NOT_SUPPORTED);
        let n = self.n();
        checks.must(!self.ids.is_empty() && self.ids.len() != n, BAD_COUNT);
        checks.must(self.active_share(&self.ids), BAD_VALUE);
        checks.must((0..n).any(|i| !self.is_active(i)), NOT_SUPPORTED);
        checks.must(self.misfit(), BAD_COUNT);
        let types = self.types.as_ref();
        checks.must(types.is_some_and(|(types, ..)| types.len() != n), BAD_COUNT);
        if let Some((ntypes, cutoffs)) = &self.type_cutoffs {
            checks.must(n > 0 && types.is_none(), BAD_STATE);
            checks.must(n > 0 && types.is_some_and(|(_, of, _)| of != ntypes), BAD_COUNT);
            let is_wrong = |&cutoff: &f64| cutoff > 0.0 && !is_cutoff::<T>(cutoff);
            checks.must(cutoffs.iter().any(is_wrong), BAD_CUTOFF);
        }
        self.check_exclusions(checks);
        checks.may(self.limit > 0, MEMORY_LIMIT);
        let dim = self.dim.unwrap_or(3);
        let leaves = |vector: &[f64; 3]| vector[dim..].iter().any(|&x| x != 0.0);
        checks.must(self.cell.iter().any(|cell| cell.vectors.iter().any(leaves)), BAD_DOMAIN);
        checks.must(self.cell.is_none() || self.cutoff_of_points().is_none(), BAD_STATE);
        checks.must(
            self.cutoff_of_points().is_some_and(|cutoff| !is_cutoff::<T>(cutoff)),
            BAD_CUTOFF,
        );
    }

    /// Points that are too far from the origin.
    fn check_distances(&self, checks: &mut Checks) {
        let (Some(cell), Some(cutoff)) = (self.cell, self.cutoff_of_points()) else {
            return;
        };
        let length_of = |point: &Vec<f64>| point.iter().fold(0.0, |length: f64, x| length.hypot(*x));
        let farthest = self.held().iter().map(length_of).fold(0.0, f64::max);
        let reciprocal = cell.reciprocal();
        let (mut extent, mut most, mut most_shifts) = (farthest, 0.0f64, 0.0f64);
        for k in (0..3).filter(|&k| cell.periodic[k]) {
            let across = dot(reciprocal[k], reciprocal[k]).sqrt();
            extent += 100.0 * cell.length(k) * (1.0 + (farthest + cutoff) * across);
            most = most.max(farthest * across);
            most_shifts = most_shifts.max((farthest + cutoff) * across);
        }
        let error = if self.single { 6e-8 } else { 1.1e-16 };
        checks.must(13.0 * error * farthest > cutoff || most > 1e9, BAD_DOMAIN);
        checks.may(100.0 * error * extent > cutoff || most_shifts > 1e6, BAD_DOMAIN);
    }
}

fn distance2<T: Real>(dim: usize, a: [T; 3], b: [T; 3]) -> T {
    let square = |axis: usize| a[axis].sub(b[axis]).mul(a[axis].sub(b[axis]));
    (1..dim).fold(square(0), |sum, axis| sum.add(square(axis)))
}
