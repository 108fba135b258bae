//! The numbers that a query needs on the device, and why they are right. Shader twins: `shaders/shared/params.wgsl`,
//! `shape.wgsl`, `chunk.wgsl`; `reflection/layouts.rs` compares the layouts.

use crate::domain::Periods;
use crate::error::Result;
use crate::kinds::Classes;
use crate::list::push;
use crate::points::Real;
use crate::radii::RadiusRule;

/// Fixed-point coordinates have this many bits below the leading one of the span, which is what the index reaches: the
/// cutoff, and what rounding across a boundary adds. It is in [2^20, 2^21) units, so that differences across three cells
/// stay below 2^24, exact in real32.
const SPAN_BITS: i32 = 20;

/// The span is at least this part of a period, which thus has less than 2^50 units and 2^32 cells.
const LEAST_SPAN: f64 = 1.0 / (1 << 29) as f64;

/// The largest radius has this many bits below the leading one: enough to represent radii a thousand times smaller well, and
/// for coordinates as far from 0 as 2^37 of the largest.
const RADIUS_BITS: i32 = 24;

/// That radius counts as at least this part of a period, so that no coordinate on a periodic axis saturates.
const LEAST_LARGEST: f64 = 1.0 / (1u64 << 36) as f64;

/// Points of a leaf, and nodes of a node: `EACH` in `shaders/shared/node.wgsl`.
pub(crate) const LEAF: u32 = 32;

/// Low bits of a coordinate that its cell does not depend on.
const CELL_DROPS: u32 = 8;

/// Bits after the point of the multiplier that makes cells of coordinates.
const CELL_SHIFT: u32 = 42;

/// Half the width of the band of doubt, relative to the bound, beside what [`Params::slack`] moves a distance by.
///
/// The sum of squares in real32, fused or not, rounded in any direction, errs by less than 5 * 2^-23; the caller's own real32
/// arithmetic by less than 6 * 2^-24. Both stay below 2^-20.
const DOUBT: f64 = 1.0 / (1 << 19) as f64;

/// Points of a block: `ROWS` in `shaders/shared/blocks.wgsl`.
pub(crate) const BLOCK_ROWS: u64 = 64;

/// Words that the hits of a block take at most: `MOST_WORDS` there.
pub(crate) const BLOCK_WORDS: u64 = 1024 + BLOCK_ROWS + BLOCK_ROWS * 1024 / 32;

/// Bytes of a block, and in front of them all: `Block` and `Blocks` there.
pub(crate) const BLOCK_BYTES: u64 = 32;
pub(crate) const BLOCKS_HEAD_BYTES: u64 = 60;

/// Bytes into [`Slot::Blocks`](super::kernels::Slot) where the host says which blocks are counted again.
pub(crate) const BLOCKS_BEGIN: u64 = 0;
pub(crate) const BLOCKS_COUNT: u64 = 16;
pub(crate) const BLOCKS_UNKEPT: u64 = 24;
pub(crate) const BLOCKS_WORDS: u64 = 28;
pub(crate) const BLOCKS_ROUND: u64 = 48;

/// Bytes of [`Slot::Workgroups`](super::kernels::Slot), and where what is filled ahead begins: `workgroups` in
/// `shaders/block_sizes.wgsl`.
pub(crate) const WORKGROUPS_BYTES: u64 = 32;
pub(crate) const AHEAD: u64 = 16;

/// Workgroups that find the extent, at most: the lanes of `shaders/shape.wgsl`.
pub(crate) const SHARES: u64 = 256;

/// Elements that a workgroup of the scans takes: `BLOCK` in `shared/scan.wgsl`.
pub(crate) const SCAN_BLOCK: u64 = 2048;

/// Bytes of a point along the curve, and again of its second words.
pub(crate) const ZPOINT_BYTES: u64 = 16;

/// Twin of `Params` in `shaders/shared/params.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Params {
    pub points: u32,
    pub dim: u32,
    pub words: u32,
    pub shift: i32,
    pub bound: [u32; 2],
    pub lower: f32,
    pub upper: f32,
    pub multiplier: u32,
    pub reach: u32,
    pub most_cells: u32,
    pub full: u32,
    pub base: u32,
    pub every_block: u32,
    pub most_blocks: u32,
    pub shares: u32,
    pub period_low: [u32; 3],
    pub mask_words: u32,
    pub period_high: [u32; 3],
    pub again: u32,
    pub length_low: [u32; 3],
    pub rule: u32,
    pub length_high: [u32; 3],
    pub exclusive: u32,
    pub planes_low: [u32; 4],
    pub planes_high: [u32; 4],
    pub origin_low: [u32; 3],
    pub slack: f32,
    pub origin_high: [u32; 3],
    pub top: u32,
    pub lo_low: [u32; 3],
    pub direct: u32,
    pub lo_high: [u32; 3],
    pub splits: u32,
    pub most_windows: u32,
    pub spare_words: u32,
    pub room: u32,
    pub id_bits: u32,
    pub lower_ghosts: [u32; 2],
    pub unused: [u32; 2],
}

/// Twin of `Chunk` in `shaders/shared/chunk.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Chunk {
    pub start: [u32; 2],
    pub end: [u32; 2],
}

/// Bytes of `Shape` in `shaders/shared/shape.wgsl`, which only the device writes and reads.
pub(crate) const SHAPE_BYTES: u64 = 80;

impl Chunk {
    /// All rows.
    pub const ALL: Chunk = Chunk {
        start: [0; 2],
        end: [u32::MAX; 2],
    };
}

impl Params {
    /// Those of an index along the z-order curve.
    pub fn along_curve<T: Real>(dim: usize, periods: &Periods<T>) -> Params {
        let mut params = Params {
            dim: dim as u32,
            words: (size_of::<T>() / size_of::<u32>()) as u32,
            ..Params::default()
        };
        params.set_periods(periods);
        params
    }

    /// The part that depends on what is searched. `cutoff` is already rounded to `T`.
    pub fn set_search<T: Real>(&mut self, cutoff: f64, bound: T, periods: &Periods<T>) {
        let span = cutoff + longest(periods) * T::ROUNDOFF.max(LEAST_SPAN);
        self.set_units(SPAN_BITS, span, periods);
        self.multiplier = multiplier(span * self.unit(), self.reach);
        self.set_bound(bound);
    }

    /// The part of a search by radii that depends on what is searched: the largest radius, the periods, the rule.
    ///
    /// `farthest`: where all radii are 0, how far from 0 coordinates are.
    pub fn set_radii<T: Real>(&mut self, largest: T, farthest: f64, periods: &Periods<T>, rule: RadiusRule) {
        let span = match largest.to_f64() {
            0.0 => (farthest * LEAST_LARGEST).max(T::VANISHING * (1 << RADIUS_BITS) as f64),
            largest => largest,
        };
        self.set_units(RADIUS_BITS, span.max(longest(periods) * LEAST_LARGEST), periods);
        self.slack = (self.slack::<T>() as f32).next_up();
        self.rule = rule as u32;
        let (mut starts, mut nodes, mut first) = ([0; 8], self.points.div_ceil(LEAF), 0);
        for (plane, start) in starts.iter_mut().enumerate() {
            *start = first;
            if nodes > 0 {
                self.top = plane as u32;
            }
            first += nodes;
            nodes = if nodes > LEAF { nodes.div_ceil(LEAF) } else { 0 };
        }
        self.planes_low.copy_from_slice(&starts[..4]);
        self.planes_high.copy_from_slice(&starts[4..]);
    }

    /// Nodes of all planes, and the leaves among them.
    pub fn nodes(&self) -> [u32; 2] {
        [self.planes_high[3], self.points.div_ceil(LEAF)]
    }

    /// Fixed point: `span` has that many bits below its leading one.
    fn set_units<T: Real>(&mut self, span_bits: i32, span: f64, periods: &Periods<T>) {
        let exponent = ((span.to_bits() >> 52) & 0x7ff) as i32 - 1023;
        self.shift = span_bits - exponent;
        self.words = (size_of::<T>() / size_of::<u32>()) as u32;
        for (axis, period) in periods.0.iter().enumerate() {
            let ends = period.map(|period| [period.lo, period.length]).unwrap_or_default();
            let [lo, length] = ends.map(T::to_f64);
            let origin = floor_modulo(lo, self.shift);
            // A period of less than a unit, beside a far longer one, counts as a unit: 0 says that an axis is open.
            let period = period.map_or(0, |_| ((length * self.unit()) as u64).max(1));
            [self.period_low[axis], self.period_high[axis]] = [period as u32, (period >> 32) as u32];
            [self.origin_low[axis], self.origin_high[axis]] = [origin as u32, (origin >> 32) as u32];
        }
        self.set_periods(periods);
    }

    /// Periodic axes, as they are.
    fn set_periods<T: Real>(&mut self, periods: &Periods<T>) {
        for (axis, period) in periods.0.iter().enumerate() {
            let [lo, length] = period.map(|period| [period.lo, period.length]).unwrap_or_default();
            [self.lo_low[axis], self.lo_high[axis]] = bits(lo);
            [self.length_low[axis], self.length_high[axis]] = bits(length);
        }
    }

    /// The part that depends on the tie rule.
    pub fn set_bound<T: Real>(&mut self, bound: T) {
        let (radius, slack) = (bound.to_f64().sqrt() * self.unit(), self.slack::<T>());
        self.upper = (((radius + slack).powi(2) * (1.0 + DOUBT)) as f32).next_up();
        self.lower = match radius > slack {
            true => (((radius - slack).powi(2) * (1.0 - DOUBT)) as f32).next_down(),
            false => -1.0, // nothing is sure
        };
        self.bound = bits(bound);
    }

    /// The bounds of pairs of types, where these have cutoffs of their own: for each in fixed point, and the exact one.
    pub fn bounds_of_types(&self, classes: &Classes) -> Result<Vec<[u32; 4]>> {
        let mut all = Vec::new();
        for &bound in classes.bounds.iter().flat_map(|bounds| bounds.all()) {
            let mut params = *self;
            match self.words {
                _ if bound < 0.0 => (params.lower, params.upper) = (-1.0, -1.0), // they are in no scope of each other
                1 => params.set_bound(bound as f32),
                _ => params.set_bound(bound),
            }
            let [low, high] = params.bound;
            let bounds = [params.lower.to_bits(), params.upper.to_bits(), low, high];
            push(&mut all, bounds, "the cutoffs by types on the device")?;
        }
        Ok(all)
    }

    /// Whether some axis is periodic.
    pub fn is_periodic(&self) -> bool {
        self.longest_period() > 0
    }

    /// The most that a distance in fixed point differs from that of the caller's differences, in units.
    ///
    /// Rounding down to units moves a difference by less than 1 on each axis, wherever a periodic axis begins, and rounding down
    /// a period by less than 1 again.
    /// Across a boundary the caller's difference is about a period before the period is taken off, and rounded then.
    fn slack<T: Real>(&self) -> f64 {
        let along_axis = match self.longest_period() {
            0 => 1.0,
            longest => 2.0 + (longest + 1) as f64 * T::ROUNDOFF,
        };
        3f64.sqrt() * along_axis
    }

    /// Length of the longest periodic axis in units; 0: there is none.
    fn longest_period(&self) -> u64 {
        let period = |axis| u64::from(self.period_high[axis]) << 32 | u64::from(self.period_low[axis]);
        (0..3).map(period).max().unwrap_or(0)
    }

    /// Units per length: a power of two.
    fn unit(&self) -> f64 {
        f64::from_bits(((1023 + self.shift) as u64) << 52)
    }
}

/// The length of the longest period; 0: there is none.
fn longest<T: Real>(periods: &Periods<T>) -> f64 {
    let lengths = periods.0.iter().flatten().map(|period| period.length.to_f64());
    lengths.fold(0.0, f64::max)
}

/// `floor(value * 2^shift)` modulo 2^64.
pub(super) fn floor_modulo(value: f64, shift: i32) -> u64 {
    let biased = (value.to_bits() >> 52 & 0x7ff) as i32;
    let magnitude = (value.to_bits() & ((1 << 52) - 1) | u64::from(biased > 0) << 52) as i64;
    let mantissa = if value.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    };
    match biased.max(1) - 1075 + shift {
        up @ 0..64 => (mantissa << up) as u64,
        64.. => 0,
        down => (mantissa >> (-down).min(63)) as u64,
    }
}

/// The bits of a number, low word first.
pub(super) fn bits<T: Real>(value: T) -> [u32; 2] {
    let bytes = bytemuck::bytes_of(&value);
    let word = |k: usize| bytes.get(4 * k..4 * k + 4).map_or(0, bytemuck::pod_read_unaligned);
    [word(0), word(1)]
}

/// Cell along an axis = ((coordinate - origin) >> [`CELL_DROPS`]) * multiplier >> [`CELL_SHIFT`].
///
/// Points of a pair differ by at most c (1 + 2^-21) along an axis, hence by less than c (1 + 2^-20) + 1 units, their shifted
/// coordinates by less than `spans`; `spans * multiplier <= reach * 2^42`, so their cells differ by at most `reach`. c is the
/// span, which has room for the rounding of a difference across a boundary; docs/proofs/gpu-fixed-point.md says why the cells
/// hold there too.
fn multiplier(span: f64, reach: u32) -> u32 {
    let units = (span * (1.0 + 1.0 / (1 << 20) as f64)) as u64 + 2;
    let spans = (units >> CELL_DROPS) + 2;
    ((u64::from(reach) << CELL_SHIFT) / spans) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The multiplier keeps the promise of its comment and wastes little.
    #[test]
    fn cells_span_the_cutoff() {
        for reach in 1..=3 {
            for cutoff in [1.0, 1.0 + f64::EPSILON, 1.37, 1.5, 1.999, 2.0 - f64::EPSILON] {
                let units = cutoff * (1 << SPAN_BITS) as f64;
                let multiplier = u64::from(multiplier(units, reach));
                let far = (((units * (1.0 + 1.0 / (1 << 20) as f64)) as u64 + 1) >> CELL_DROPS) + 1;
                assert!(u128::from(far) * u128::from(multiplier) <= u128::from(reach) << CELL_SHIFT);
                let size = (1u64 << CELL_SHIFT) as f64 / multiplier as f64 * (1 << CELL_DROPS) as f64;
                assert!(size * f64::from(reach) < units * 1.001, "cells of {size} for {units}");
            }
        }
    }

    /// The band holds the bound, whatever the scale.
    #[test]
    fn band() {
        for exponent in [-490, -100, -1, 0, 1, 100, 500] {
            let cutoff = 1.37 * 2f64.powi(exponent);
            let mut params = Params {
                reach: 1,
                ..Params::default()
            };
            params.set_search(cutoff, cutoff * cutoff, &Periods::default());
            let units = 1.37 * (1 << SPAN_BITS) as f64;
            assert!(f64::from(params.lower) < units * units && units * units < f64::from(params.upper));
            assert!(f64::from(params.upper - params.lower) < 2.1 * (DOUBT * units + 2.0 * 3f64.sqrt()) * units);
        }
    }
}
