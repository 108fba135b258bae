//! Numbers that are made of a distance squared.

use crate::real::Real;

/// The numbers that rows of k nearest have besides the ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Distances: the correctly rounded square roots of the squared distances.
    #[default]
    Distance,
    /// Squared distances.
    Square,
    /// Radii: the smallest numbers with squares, as computed, of at least the squared distances. A cutoff or radius of
    /// this size finds the neighbor, which one of the distance may miss, because its square is rounded.
    Radius,
}

impl Measure {
    /// The number that is made of a distance squared, which is neither negative nor no number.
    #[inline]
    pub fn of<T: Real>(self, square: T) -> T {
        match self {
            Measure::Distance => square.sqrt(),
            Measure::Square => square,
            Measure::Radius => radius_of(square),
        }
    }
}

/// The smallest radius whose square is at least `square`; infinite where that is.
fn radius_of<T: Real>(square: T) -> T {
    if !square.is_finite() {
        return square;
    }
    let root = square.sqrt();
    let reaches = |c: T| c.mul(c) >= square;
    if !reaches(root) {
        return root.next_up(); // more than the root before it was rounded
    }
    if square.to_f64() >= T::LEAST_NORMAL || square == T::default() {
        // The square of the next smaller number rounds to less, or that number is not less than the root before it was
        // rounded.
        let below = root.next_down();
        return if below > T::default() && reaches(below) {
            below
        } else {
            root
        };
    }
    // Squares are rounded to few digits here: many numbers have the same. That of half the root is less.
    let (mut below, mut radius) = (root.mul(T::from_f64(0.5)), root);
    loop {
        let middle = below.add(radius).mul(T::from_f64(0.5));
        if !(below < middle && middle < radius) {
            return radius;
        }
        match reaches(middle) {
            true => radius = middle,
            false => below = middle,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The square of a radius is at least the given one, and that of the next smaller number is less.
    fn check<T: Real>(square: T) {
        let radius = Measure::Radius.of(square);
        assert!(radius.mul(radius) >= square, "{square:e}: {radius:e}");
        if radius > T::default() {
            let below = radius.next_down();
            assert!(below.mul(below) < square, "{square:e}: {below:e} will do");
        }
    }

    #[test]
    fn the_smallest_radius() {
        let mut random = Random(3);
        for _ in 0..200_000 {
            let bits = random.bits();
            let (narrow, wide) = (f32::from_bits(bits as u32 >> 1), f64::from_bits(bits >> 1));
            if !narrow.is_nan() {
                check(narrow);
            }
            if !wide.is_nan() {
                check(wide);
            }
        }
        for k in 0..2000 {
            check(f32::from_bits(k));
            check(f64::from_bits(k as u64));
            check(f32::from_bits(f32::MAX.to_bits() - k));
            check(f64::from_bits(f64::MAX.to_bits() - u64::from(k)));
        }
        assert_eq!(Measure::Radius.of(f64::INFINITY), f64::INFINITY);
        assert_eq!(Measure::Radius.of(0.0f32).to_bits(), 0);
    }
}
