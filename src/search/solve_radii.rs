//! The radius of each point at which a sum over its neighbors reaches a target: a bracket for each point, and the radius to try next.
//!
//! in: the values of the sums at trial radii; out: the next trials, and in the end radii and outcomes. All is computed in f64 and in
//! a fixed order, so that trials do not depend on backend or threads.

use super::handle::Search;
use super::neighbors::NeighborsKind;
use crate::domain::Periods;
use crate::error::{Error, Result, Status, Words, number, words};
use crate::formula::Formula;
use crate::list::{push, reserve_discarding};
use crate::points::{Precision, Real};

const WHAT: &str = "the brackets of radii";

/// The radii among which those of points are sought, and when that ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadiusRange {
    /// The smallest radius.
    pub smallest: f64,
    /// The largest radius.
    pub largest: f64,
    /// A bracket is narrow enough if it is at most this share of its upper end; 0: if no number is inside it.
    pub tolerance: f64,
    /// Radii that are tried for a point, at most.
    pub max_iterations: i64,
}

/// The outcome of the search for the radius of a point.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The sum reaches the target at the radius, and does not at a radius that is smaller by the tolerance.
    Solved = 0,
    /// The iterations did not suffice. The radius is the upper end of the bracket.
    OutOfIterations = 1,
    /// The sum does not reach the target at the largest radius, which is the point's radius.
    AboveLargest = 2,
    /// The sum reaches the target at the smallest radius already, which is the point's radius.
    BelowSmallest = 3,
}

/// The radii of all rows, as [`solve_radii`](crate::Search::solve_radii) finds them.
#[derive(Clone, Debug)]
pub struct SolvedRadii<T> {
    /// A radius for each row.
    pub radii: Vec<T>,
    /// The outcome of each.
    pub outcomes: Vec<Outcome>,
}

impl<T> SolvedRadii<T> {
    /// The number of rows without a solution.
    pub fn unsolved(&self) -> usize {
        self.outcomes.iter().filter(|&&found| found != Outcome::Solved).count()
    }
}

/// Radii that are sought: a field that a formula makes, over rows of a kind, reaches a target.
#[derive(Debug)]
pub struct RadiiAsked<'a> {
    pub formula: &'a mut Formula,
    pub kind: NeighborsKind,
    pub field: &'a str,
    pub target: f64,
    pub range: RadiusRange,
}

impl RadiiAsked<'_> {
    /// The facts that must be equal on all ranks: names and values.
    pub fn facts(&self, search: &Search) -> Result<Vec<(&'static str, Words)>> {
        let mut facts = search.facts_of(self.formula, self.kind, 1)?;
        for fact in [
            ("field", words(self.field)),
            ("target", words(self.target)),
            ("range", words(format_args!("{:?}", self.range))),
        ] {
            push(&mut facts, fact, WHAT)?;
        }
        Ok(facts)
    }
}

impl RadiusRange {
    /// Refuses a range in which radii of precision `T` cannot be sought.
    pub fn check<T: Real>(&self, target: f64, periods: &Periods<T>) -> Result<()> {
        let is_radius = |radius: f64| {
            let r = T::from_f64(radius);
            r > T::default() && (T::CUTOFF2_MIN..=T::CUTOFF2_MAX).contains(&r.mul(r).to_f64())
        };
        let refused =
            |status, argument, value, allowed| Err(Error::not_allowed(status, argument, number(value), allowed));
        if !is_radius(self.smallest) {
            let allowed = "greater than 0, and its square in the range of a cutoff's square";
            return refused(Status::BadRadius, "smallest", self.smallest, allowed);
        }
        if !(is_radius(self.largest) && T::from_f64(self.smallest) < T::from_f64(self.largest)) {
            let allowed = "greater than smallest, and its square in the range of a cutoff's square";
            return refused(Status::BadRadius, "largest", self.largest, allowed);
        }
        if !(0.0..1.0).contains(&self.tolerance) {
            return refused(
                Status::BadValue,
                "tolerance",
                self.tolerance,
                "at least 0 and less than 1",
            );
        }
        if !target.is_finite() {
            return refused(Status::BadValue, "target", target, "finite");
        }
        if self.max_iterations < 1 {
            let (value, allowed) = (self.max_iterations, "at least 1");
            return Err(Error::not_allowed(Status::BadCount, "max_iterations", value, allowed));
        }
        periods.check_reach(T::from_f64(self.largest), "the largest radius")
    }
}

/// The brackets of all rows.
#[derive(Debug)]
pub struct Brackets<T> {
    brackets: Vec<Bracket<T>>,
    target: f64,
    tolerance: f64,
}

/// The bracket of a point.
#[derive(Clone, Copy, Debug)]
struct Bracket<T> {
    ends: [T; 2],
    /// The sums at both ends, where they are known.
    sums: [Option<f64>; 2],
    /// The radius that is tried.
    trial: Trial<T>,
}

#[derive(Clone, Copy, Debug)]
enum Trial<T> {
    Inside(T),
    /// The lower (0) or the upper (1) end of the range.
    End(usize),
    Done(Outcome),
}

impl<T: Precision> Brackets<T> {
    /// Brackets of `rows` rows.
    pub fn new(rows: usize, target: f64, range: &RadiusRange) -> Result<Brackets<T>> {
        let mut brackets = Vec::new();
        reserve_discarding(&mut brackets, rows, WHAT)?;
        let whole = Bracket {
            ends: [range.smallest, range.largest].map(T::from_f64),
            sums: [None; 2],
            trial: Trial::Done(Outcome::OutOfIterations),
        };
        brackets.resize(rows, whole);
        brackets
            .iter_mut()
            .for_each(|bracket| bracket.trial = bracket.next(range.tolerance, target, 0));
        Ok(Brackets {
            brackets,
            target,
            tolerance: range.tolerance,
        })
    }

    /// Writes the radius that is tried next for each row, 0 for those that are done; returns whether there is any to be tried.
    pub fn trials(&self, radii: &mut [T]) -> bool {
        let mut any = false;
        for (radius, bracket) in radii.iter_mut().zip(&self.brackets) {
            *radius = match bracket.trial {
                Trial::Inside(radius) => radius,
                Trial::End(end) => bracket.ends[end],
                Trial::Done(_) => T::default(),
            };
            any |= !matches!(bracket.trial, Trial::Done(_));
        }
        any
    }

    /// Takes the sums at the trials of iteration `iteration`.
    pub fn take(&mut self, sums: impl Iterator<Item = f64>, iteration: i64) {
        let (tolerance, target) = (self.tolerance, self.target);
        for (bracket, sum) in self.brackets.iter_mut().zip(sums) {
            bracket.take(sum, target);
            if !matches!(bracket.trial, Trial::Done(_)) {
                bracket.trial = bracket.next(tolerance, target, iteration + 1);
            }
        }
    }

    /// The radii and outcomes of all rows.
    pub fn end(&self) -> Result<SolvedRadii<T>> {
        let (mut radii, mut outcomes) = (Vec::new(), Vec::new());
        for bracket in &self.brackets {
            let found = match bracket.trial {
                Trial::Done(outcome) => outcome,
                _ => Outcome::OutOfIterations,
            };
            let end = usize::from(found != Outcome::BelowSmallest);
            push(&mut radii, bracket.ends[end], WHAT)?;
            push(&mut outcomes, found, WHAT)?;
        }
        Ok(SolvedRadii { radii, outcomes })
    }
}

impl<T: Real> Bracket<T> {
    /// Takes the sum at the trial. One that is not a number does not reach the target.
    fn take(&mut self, sum: f64, target: f64) {
        let reaches = sum >= target;
        match self.trial {
            Trial::Inside(radius) => {
                let end = usize::from(reaches);
                (self.ends[end], self.sums[end]) = (radius, Some(sum));
            }
            Trial::End(1) if !reaches => self.trial = Trial::Done(Outcome::AboveLargest),
            Trial::End(0) if reaches => self.trial = Trial::Done(Outcome::BelowSmallest),
            Trial::End(end) => self.sums[end] = Some(sum),
            Trial::Done(_) => {}
        }
    }

    /// The trial of an iteration. The lower end of the range is the first trial. Each next trial doubles it, until one reaches the
    /// target or the upper end is tried. So no trial is larger than twice the radius that is sought: large trials have long rows.
    /// Inside a bracket, a straight line between both ends reaches the target at some radius. Of three trials, the first two are
    /// near this radius, one on each side. The third is in the middle of the bracket.
    fn next(&self, tolerance: f64, target: f64, iteration: i64) -> Trial<T> {
        let [lower, upper] = self.ends.map(T::to_f64);
        let inside = |radius: f64| Some(T::from_f64(radius)).filter(|&r| self.ends[0] < r && r < self.ends[1]);
        let [below, above] = match self.sums {
            [Some(below), Some(above)] => [below, above],
            [None, _] => return Trial::End(0),
            [_, None] => return inside(2.0 * lower).map_or(Trial::End(1), Trial::Inside),
        };
        let middle = inside(0.5 * (lower + upper));
        let (Some(middle), true) = (middle, upper - lower > tolerance * upper) else {
            return Trial::Done(Outcome::Solved);
        };
        let side = match iteration % 3 {
            0 => 0.25 * tolerance * upper,
            1 => -0.25 * tolerance * upper,
            _ => return Trial::Inside(middle),
        };
        let share = (target - below) / (above - below);
        Trial::Inside(inside(lower + share * (upper - lower) + side).unwrap_or(middle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Finds the radius at which a sum reaches 1 in a range. Returns the radius, its outcome and the number of trials. No trial may
    /// be larger than twice the radius.
    fn solve(range: &RadiusRange, sum: impl Fn(f64) -> f64) -> (f64, Outcome, i64) {
        let mut brackets = Brackets::<f64>::new(1, 1.0, range).unwrap();
        let (mut trial, mut iteration, mut largest) = ([0.0], 0, 0.0f64);
        while iteration < range.max_iterations && brackets.trials(&mut trial) {
            brackets.take(std::iter::once(sum(trial[0])), iteration);
            largest = largest.max(trial[0]);
            iteration += 1;
        }
        let found = brackets.end().unwrap();
        assert!(
            largest <= 2.0 * found.radii[0],
            "{largest} was tried for {}",
            found.radii[0]
        );
        (found.radii[0], found.outcomes[0], iteration)
    }

    /// Wide ranges take few trials, and small ones: two for each factor of 4 of the radius, and those inside the last bracket.
    #[test]
    fn ranges_over_decades() {
        for decades in 1..12 {
            let largest = 10f64.powi(decades);
            let range = RadiusRange {
                smallest: 1.0 / largest,
                largest,
                tolerance: 1e-6,
                max_iterations: 200,
            };
            for (root, power) in [(0.3, 1), (0.7, 2), (1.0, 3), (5.0, 6)] {
                let (radius, outcome, trials) = solve(&range, |h| (h / root).powi(power));
                assert!(
                    outcome == Outcome::Solved && (radius / root - 1.0).abs() < 1e-6,
                    "{radius} {root}"
                );
                let most = 4 + (root * largest).log2() as i64 + 16;
                assert!(trials <= most, "{trials} trials for {root} in {range:?}");
            }
        }
    }

    #[test]
    fn powers_and_steps() {
        let mut random = Random(8);
        for k in 0..2000 {
            let tolerance = [0.0, 1e-3, 1e-6, 1e-10][k % 4];
            let range = RadiusRange {
                smallest: 0.1,
                largest: 2.0,
                tolerance,
                max_iterations: 100,
            };
            let root = 0.1 + 1.9 * ((random.bits() >> 11) as f64 / (1u64 << 53) as f64);
            let power = 1 + k as i32 % 5;
            let smooth = |h: f64| (h / root).powi(power);
            let step = |h: f64| if h >= root { 1.0 } else { 0.0 };
            for sum in [&smooth as &dyn Fn(f64) -> f64, &step] {
                let (radius, outcome, trials) = solve(&range, sum);
                assert_eq!(outcome, Outcome::Solved, "{root} {power} {tolerance}");
                let below = (radius * (1.0 - tolerance)).min(radius.next_down());
                assert!(
                    sum(radius) >= 1.0 && sum(below) < 1.0 + 1e-12,
                    "{root} {radius} {tolerance}"
                );
                assert!(
                    radius >= root * (1.0 - 1e-15) && trials <= 90,
                    "{root} {radius} {trials}"
                );
            }
        }
    }

    #[test]
    fn no_bracket() {
        let range = RadiusRange {
            smallest: 0.5,
            largest: 2.0,
            tolerance: 1e-3,
            max_iterations: 50,
        };
        assert_eq!(solve(&range, |h| h / 3.0).0, 2.0);
        assert_eq!(solve(&range, |h| h / 3.0).1, Outcome::AboveLargest);
        assert_eq!(solve(&range, |_| f64::NAN).1, Outcome::AboveLargest);
        assert_eq!(solve(&range, |h| h / 0.4).0, 0.5);
        assert_eq!(solve(&range, |h| h / 0.4).1, Outcome::BelowSmallest);
        assert_eq!(solve(&range, |h| h / 0.5).1, Outcome::BelowSmallest);
        assert_eq!(solve(&range, |h| h / 2.0).1, Outcome::Solved);
        let few = RadiusRange {
            max_iterations: 2,
            ..range
        };
        assert_eq!(solve(&few, |h| h).1, Outcome::OutOfIterations);
    }
}
