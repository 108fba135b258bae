//! Coordinates as one of 2^16 steps along each axis, and boxes of steps, which are a vector of the processor's.

use crate::ranks::boxes::Tight;

/// Steps along one axis, over the bulk of points: the first and the last are also where what is outside goes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Axis {
    start: f64,
    per_unit: f64,
    unit: f64,
    /// More than rounding errs where numbers are large.
    slack: f64,
}

impl Axis {
    /// The last step.
    pub(crate) const LAST: u16 = u16::MAX;

    /// The nearest step. No rounding function and no cast: the processors that all builds are for have neither.
    #[inline(always)]
    pub fn step(&self, coord: f64) -> u16 {
        const UNITS: f64 = (1u64 << 52) as f64; // a number that it is added to has its nearest integer in the last bits
        const LAST: f64 = Axis::LAST as f64;
        let step = (coord - self.start) * self.per_unit;
        let step = if step > 0.0 { step } else { 0.0 }; // also what overflowed to no number
        let step = if step < LAST { step } else { LAST };
        (step + UNITS).to_bits() as u16
    }

    /// Over the middle of `coords`, which are sorted here.
    pub fn over(coords: &mut [f64]) -> Axis {
        coords.sort_unstable_by(f64::total_cmp);
        let last = coords.len() - 1;
        let (lo, hi) = (coords[last / 100], coords[last - last / 100]);
        let margin = (hi - lo) / 16.0;
        let (start, width) = (lo - margin, hi - lo + 2.0 * margin);
        let (unit, per_unit) = (width / f64::from(Axis::LAST), f64::from(Axis::LAST) / width);
        if !(unit > 0.0 && per_unit.is_finite() && width.is_finite() && start.is_finite()) {
            return Axis::default(); // all go to the first
        }
        let slack = 4.0 * f64::EPSILON * start.abs().max((start + width).abs());
        Axis {
            start,
            per_unit,
            unit,
            slack,
        }
    }

    /// Whether points outside of all steps may be at this one.
    #[inline(always)]
    pub fn is_end(step: u16) -> bool {
        step == 0 || step == Axis::LAST
    }

    /// From which coordinate on, and up to which, points are whose nearest steps are these and those between.
    fn span(&self, steps: [u16; 2]) -> [f64; 2] {
        let [low, high] = steps.map(f64::from);
        [
            self.start + (low - 1.0) * self.unit - self.slack,
            self.start + (high + 1.0) * self.unit + self.slack,
        ]
    }
}

/// The lowest and the highest steps of points: those along the axes, a mark, and the highest ones negative, so that the least of
/// two such, number by number, is that of all their points.
#[derive(Clone, Copy, Debug)]
pub struct Steps([i16; 8]);

/// The place of the mark.
const MARK: usize = 3;

/// Between steps without and with a sign.
const SIGN: u16 = 1 << 15;

impl Steps {
    /// Those of no points.
    pub const NONE: Steps = Steps([i16::MAX; 8]);

    /// Those of one point.
    #[inline(always)]
    pub fn of<const DIM: usize>(steps: &[u16; DIM]) -> Steps {
        let mut lowest = [0; 8];
        for (axis, step) in steps.iter().enumerate() {
            let step = (step ^ SIGN) as i16;
            (lowest[axis], lowest[MARK + 1 + axis]) = (step, !step);
        }
        Steps(lowest)
    }

    /// Takes those of other points in.
    #[inline(always)]
    pub fn join(&mut self, other: &Steps) {
        let both = self.0.iter_mut().zip(&other.0);
        both.for_each(|(step, &other)| *step = (*step).min(other));
    }

    /// The box around the points, some of which, in the box `outside`, are at the end of an axis.
    pub fn tight(&self, axes: &[Axis], outside: &Tight) -> Tight {
        let Steps(steps) = self;
        if steps[MARK] == Steps::NONE.0[MARK] {
            return Tight::NOWHERE;
        }
        let mut tight = Tight::of([0.0; 3]);
        for (k, axis) in axes.iter().enumerate() {
            let [low, high] = [steps[k], !steps[MARK + 1 + k]].map(|step| step as u16 ^ SIGN);
            let [lo, hi] = axis.span([low, high]);
            tight.lo[k] = if Axis::is_end(low) { outside.lo[k] } else { lo };
            tight.hi[k] = if Axis::is_end(high) { outside.hi[k] } else { hi };
        }
        tight
    }
}
