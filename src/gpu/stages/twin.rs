//! What stages must leave behind, computed on the host in wide integers.
//!
//! in: a cloud, the parameters, the shape the device chose; out: coordinates, cells, starts, rows.

use std::ops::RangeInclusive;

use super::clouds::Cloud;
use super::{Params, Shape};
use crate::domain::bound;
use crate::oracle;
use crate::points::Real;

/// Fixed-point coordinates stop here on either side.
pub const MOST: i64 = 1 << 62;

/// floor(a * 2^shift), saturated.
pub fn fixed(a: f64, shift: i32) -> i64 {
    floor(a, shift).clamp(-i128::from(MOST), i128::from(MOST)) as i64
}

/// floor(a * 2^shift) of a number that is not far beyond [`MOST`].
fn floor(a: f64, shift: i32) -> i128 {
    let biased = (a.to_bits() >> 52 & 0x7ff) as i32;
    let hidden = u64::from(biased > 0) << 52;
    let magnitude = i128::from(a.to_bits() & ((1 << 52) - 1) | hidden);
    let mantissa = if a.is_sign_negative() { -magnitude } else { magnitude };
    let exponent = biased.max(1) - 1075 + shift;
    // Shifting to the right floors; 64 to the left is beyond the limits already, for all but zero.
    if exponent < 0 {
        mantissa >> (-exponent).min(127)
    } else {
        mantissa << exponent.min(64)
    }
}

/// floor(a * 2^shift) - floor(origin * 2^shift), which fits; the two themselves need not.
pub fn from_origin(a: f64, origin: f64, shift: i32) -> i64 {
    assert!(a.abs().max(origin.abs()) * 2f64.powi(shift) < 2f64.powi(116));
    i64::try_from(floor(a, shift) - floor(origin, shift)).unwrap()
}

/// Cell along an axis, as shaders/shared/cell.wgsl has it, before folding.
pub fn cell(offset: u64, multiplier: u32) -> u64 {
    ((u128::from(offset >> 8) * u128::from(multiplier)) >> 42) as u64
}

/// The least multiplier that makes `cells` cells of a period.
pub fn least_multiplier(period: u64, cells: u64) -> u32 {
    (u128::from(cells) << 42).div_ceil(u128::from(period >> 8)) as u32
}

/// The offset from `origin` of a coordinate that is not below it: up to 2^63.
pub fn offset(fixed: i64, origin: i64) -> u64 {
    fixed.wrapping_sub(origin) as u64
}

/// A cloud in fixed point.
pub struct Twin {
    pub fixed: Vec<[i64; 3]>,
    dim: usize,
    params: Params,
}

impl Twin {
    pub fn new<T: Real>(cloud: &Cloud<T>, params: Params) -> Twin {
        let view = cloud.view();
        let fixed = (0..cloud.len()).map(|i| {
            let mut point = [0; 3];
            for (axis, coordinate) in point.iter_mut().enumerate().take(cloud.dim) {
                *coordinate = match cloud.periods().0[axis] {
                    Some(period) => from_origin(view.get(axis, i).to_f64(), period.lo.to_f64(), params.shift),
                    None => fixed(view.get(axis, i).to_f64(), params.shift),
                };
            }
            point
        });
        Twin {
            fixed: fixed.collect(),
            dim: cloud.dim,
            params,
        }
    }

    /// From the lowest to the highest coordinate along `axis`.
    pub fn extent(&self, axis: usize) -> RangeInclusive<i64> {
        let along = || self.fixed.iter().map(|point| point[axis]);
        along().min().unwrap()..=along().max().unwrap()
    }

    /// Length of a periodic axis in units; 0: it is open.
    pub fn period(&self, axis: usize) -> u64 {
        u64::from(self.params.period_high[axis]) << 32 | u64::from(self.params.period_low[axis])
    }

    /// Whether `axis` is periodic and the points leave no gap that no pair spans.
    pub fn wraps(&self, axis: usize) -> bool {
        let whole = cell(self.period(axis), self.params.multiplier);
        whole > 0 && whole <= self.cells_of_extent(axis) + u64::from(self.params.reach)
    }

    /// Where cells begin.
    pub fn origin(&self, axis: usize) -> i64 {
        if self.wraps(axis) {
            0
        } else {
            *self.extent(axis).start()
        }
    }

    /// Cells along `axis` that the extent has, or the period.
    pub fn cells_along(&self, axis: usize) -> u64 {
        match self.wraps(axis) {
            true => cell(self.period(axis), self.params.multiplier),
            false => self.cells_of_extent(axis),
        }
    }

    fn cells_of_extent(&self, axis: usize) -> u64 {
        let extent = self.extent(axis);
        cell(offset(*extent.end(), *extent.start()), self.params.multiplier) + 1
    }

    /// The multiplier of `axis`, whose box has `dim` cells.
    pub fn multiplier(&self, axis: usize, dim: u64) -> u32 {
        let whole = self.cells_along(axis);
        match self.wraps(axis) {
            true => least_multiplier(self.period(axis), whole - whole % dim),
            false => self.params.multiplier,
        }
    }

    /// The cell of every point in the box `shape`.
    pub fn cells(&self, shape: &Shape) -> Vec<u32> {
        let axes = 0..self.dim;
        let (origin, wraps): (Vec<_>, Vec<_>) = axes.map(|axis| (self.origin(axis), self.wraps(axis))).unzip();
        let cell_of = |point: &[i64; 3]| {
            (0..self.dim).rev().fold(0, |number, axis| {
                let dim = u64::from(shape.dims[axis]);
                let mut along = cell(offset(point[axis], origin[axis]), shape.multiplier[axis]);
                if wraps[axis] {
                    along = along.min(cell(self.period(axis), shape.multiplier[axis]) - 1);
                }
                let folded = if shape.folds >> axis & 1 == 1 {
                    along % dim
                } else {
                    along
                };
                assert!(folded < dim, "a point outside the box along axis {axis}");
                number * dim + folded
            }) as u32
        };
        self.fixed.iter().map(cell_of).collect()
    }
}

/// Sums of all values before each, and of all.
pub fn sums(values: impl IntoIterator<Item = u32>) -> Vec<u64> {
    let mut sums = vec![0];
    sums.extend(values.into_iter().scan(0, |sum, value| {
        *sum += u64::from(value);
        Some(*sum)
    }));
    sums
}

/// How often each number below `end` occurs.
pub fn histogram(numbers: &[u32], end: usize) -> Vec<u32> {
    let mut counts = vec![0; end];
    for &number in numbers {
        counts[number as usize] += 1;
    }
    counts
}

/// The rows that the oracle finds: of both sides of each pair where they are `full`.
pub fn rows<T: Real>(cloud: &Cloud<T>, full: bool) -> Vec<Vec<u32>> {
    let (view, points) = (cloud.view(), cloud.len());
    let (bound, periods): (T, _) = (bound(cloud.cutoff, cloud.rule).unwrap(), cloud.oracle_periods());
    let mut rows = vec![Vec::new(); points];
    for i in 0..points {
        for j in i + 1..points {
            if oracle::distance2_in(&view, &periods, i, j) <= bound {
                rows[i].push(j as u32);
                if full {
                    rows[j].push(i as u32);
                }
            }
        }
    }
    rows.iter_mut().for_each(|row| row.sort_unstable());
    rows
}
