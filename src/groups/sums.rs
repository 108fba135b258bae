//! Sums over the members of one group.

use super::source::{Properties, Source, in_real64};
use crate::domain::Periods;
use crate::exact_sum::ExactSum;
use crate::points::{Points, Real};

/// Exact sums over members, about the group's label.
///
/// Rounded are: a member's position less that of the label, brought to the nearest image; its distance squared from the
/// center; every sum, once; and what is made of the sums.
pub struct Sums<'a, T> {
    points: &'a Points<T>,
    properties: Properties<'a, T>,
    base: i32,
    periods: Periods<f64>,
    /// The place of the label.
    origin: [f64; 3],
    mass: ExactSum,
    positions: [ExactSum; 3],
    momenta: [ExactSum; 3],
    squares: ExactSum,
    /// The distance of members from the label.
    lowest: [f64; 3],
    highest: [f64; 3],
}

impl<'a, T: Real> Sums<'a, T> {
    pub fn new(source: &Source<'a, T>) -> Sums<'a, T> {
        Sums {
            points: source.points,
            properties: source.properties,
            base: source.base as i32,
            periods: in_real64(source.points.periods()),
            origin: [0.0; 3],
            mass: ExactSum::default(),
            positions: Default::default(),
            momenta: Default::default(),
            squares: ExactSum::default(),
            lowest: [0.0; 3],
            highest: [0.0; 3],
        }
    }

    /// Begins a group whose label is a point here.
    pub fn begin(&mut self, label: i32) {
        let (label, mut origin) = ((label - self.base) as usize, [0.0; 3]);
        for (origin, axis) in origin.iter_mut().zip(self.points.axes()) {
            *origin = axis[label].to_f64();
        }
        self.begin_at(origin);
    }

    /// Begins a group whose label is at a place.
    pub fn begin_at(&mut self, origin: [f64; 3]) {
        self.origin = origin;
        self.mass.clear();
        self.squares.clear();
        self.positions.iter_mut().for_each(ExactSum::clear);
        self.momenta.iter_mut().for_each(ExactSum::clear);
        (self.lowest, self.highest) = ([0.0; 3], [0.0; 3]);
    }

    fn mass_of(&self, i: usize) -> f64 {
        self.properties.masses.map_or(1.0, |masses| masses[i].to_f64())
    }

    /// The displacement of point `i` from the label, along `axis`.
    fn off_label(&self, axis: usize, i: usize) -> f64 {
        let coord = self.points.axes()[axis][i].to_f64();
        self.periods.difference(axis, coord, self.origin[axis])
    }

    /// Adds members.
    pub fn add(&mut self, members: &[i32]) {
        for &member in members {
            let i = (member - self.base) as usize;
            let mass = self.mass_of(i);
            self.mass.add(mass);
            for axis in 0..self.points.dim() {
                let d = self.off_label(axis, i);
                self.positions[axis].add_product(mass, d);
                self.lowest[axis] = self.lowest[axis].min(d);
                self.highest[axis] = self.highest[axis].max(d);
                if let Some(velocities) = &self.properties.velocities {
                    self.momenta[axis].add_product(mass, velocities.get(axis, i).to_f64());
                }
            }
        }
    }

    /// Adds the sums of another thread and resets them.
    pub fn merge(&mut self, other: &mut Sums<T>) {
        let pairs = self.positions.iter_mut().zip(&mut other.positions);
        let pairs = pairs.chain(self.momenta.iter_mut().zip(&mut other.momenta));
        let pairs = pairs.chain([
            (&mut self.mass, &mut other.mass),
            (&mut self.squares, &mut other.squares),
        ]);
        for (sum, more) in pairs {
            sum.merge(more);
            more.clear();
        }
        for axis in 0..3 {
            self.lowest[axis] = self.lowest[axis].min(other.lowest[axis]);
            self.highest[axis] = self.highest[axis].max(other.highest[axis]);
        }
    }

    /// Sums over members, but for squares, and the lowest and the highest distances from the label: what travels between ranks.
    pub fn parts(&mut self) -> (impl Iterator<Item = &mut ExactSum>, [&mut [f64; 3]; 2]) {
        let dim = self.points.dim();
        let moving = if self.properties.velocities.is_some() { dim } else { 0 };
        let sums = std::iter::once(&mut self.mass).chain(&mut self.positions[..dim]);
        let sums = sums.chain(&mut self.momenta[..moving]);
        (sums, [&mut self.lowest, &mut self.highest])
    }

    /// The sum over squares.
    pub fn squares(&mut self) -> &mut ExactSum {
        &mut self.squares
    }

    /// The displacement of the center from the label.
    pub fn mean(&mut self) -> [f64; 3] {
        let mass = self.mass();
        self.positions.each_mut().map(|sum| sum.rounded() / mass)
    }

    /// Adds the distances squared of members from the center.
    pub fn add_squares(&mut self, members: &[i32], mean: &[f64; 3]) {
        for &member in members {
            let i = (member - self.base) as usize;
            let mut square = 0.0;
            for (axis, mean) in mean.iter().enumerate().take(self.points.dim()) {
                let d = self.off_label(axis, i) - mean;
                square += d * d;
            }
            let [mass, square] = finite_factors(self.mass_of(i), square);
            self.squares.add_product(mass, square);
        }
    }

    /// The sum of the masses.
    pub fn mass(&mut self) -> f64 {
        self.mass.rounded()
    }

    /// The root of the mean distance squared.
    pub fn radius(&mut self) -> f64 {
        (self.squares.rounded() / self.mass.rounded()).sqrt()
    }

    /// The mean velocity.
    pub fn velocity(&mut self, velocity: &mut [f64]) {
        let mass = self.mass.rounded();
        for (mean, sum) in velocity.iter_mut().zip(&mut self.momenta) {
            *mean = sum.rounded() / mass;
        }
    }

    /// The center, wrapped as points are, in real64.
    pub fn center(&self, mean: &[f64; 3], center: &mut [f64]) {
        for (axis, coord) in center.iter_mut().enumerate() {
            *coord = self.periods.wrap(axis, self.origin[axis] + mean[axis]);
        }
    }

    /// Whether the group is as wide as half the box along a periodic axis. Friends are not farther apart than that, so
    /// where a chain of them leads around, two members lie on both sides of the half.
    pub fn is_wide(&self) -> bool {
        let width = |axis: usize| self.highest[axis] - self.lowest[axis];
        let is_wide = |axis: usize| self.periods.0[axis].is_some_and(|period| width(axis) >= period.half);
        (0..self.points.dim()).any(is_wide)
    }
}

/// A mass and a distance squared, whose product is to be added to an exact sum. Where the square has overflowed, others
/// that make the sum infinite: it has no infinite terms.
fn finite_factors(mass: f64, square: f64) -> [f64; 2] {
    match square.is_finite() {
        true => [mass, square],
        false => [f64::MAX; 2],
    }
}
