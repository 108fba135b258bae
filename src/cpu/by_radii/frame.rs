//! Real32 coordinates around a box, and their error bounds.

use std::ops::Range;

use super::super::kernels::banded::{Band, BandedNear};
use super::super::level::Level;
use crate::axes::per_axis;
use crate::domain::Periods;
use crate::radii::RadiusRule;
use crate::real::Real;
use crate::ztree::{Corners, Node, ZTree};

/// A bound on how far a real32 coordinate, a difference and a square err, relative.
const ETA: f64 = 1.0 / (1 << 21) as f64;

/// The least width of the band, relative to a cutoff squared. It covers `6 * ETA`, cutoffs rounded to real32, and
/// `2 c E <= c^2 * 2^-14 + E^2 * 2^14` for distances that err by `E` beside.
const WIDTH: f64 = 1.0 / (1 << 13) as f64;

/// Coordinates in a frame are at most this: more than any that is in reach, and squares and differences of such are
/// finite.
const FARTHEST: f64 = (1u64 << 60) as f64;

/// The widest band: beside far longer periods all distances are in doubt, and sums of a few such numbers are finite.
const WIDEST: f64 = (1u128 << 120) as f64;

/// Cutoffs in a frame are less than twice this. The box is about 1 where it can be, however far others reach into it.
const REACH: f64 = (1u64 << 55) as f64;

/// Distances in a box below this share of its edge are in doubt: the error of a box of edge 2 is `2.1 ETA`, and `least`
/// the square of 181 times that.
const RESOLVED: f64 = 1.0 / (1 << 11) as f64;

/// Distances are in doubt within this many times the slack of a periodic axis, which is half of the error, where some
/// are taken across its ends.
const SLACKS: f64 = 512.0;

/// From the caller's coordinates to real32 ones around a box: differences from its middle, times a power of two. Those
/// of points far out of reach are cut off.
///
/// A coordinate `t` errs by `2^-24 |t|`, a difference once more, and one to a nearest image by as much of the length,
/// which then is no more than twice what the box and the cutoff measure. So the distance `D` from a point in the box,
/// which measures `B` from its middle, errs by less than `2 ETA D + 2.1 ETA B`; the caller's own arithmetic errs by
/// less than `ETA D` and across the ends of periodic axes by `2 slack`. A distance of `c` is found between
/// `c (1 - 3 ETA) - E` and `c (1 + 3 ETA) + E`, with `E = 2.1 ETA B + 2 slack`, without the slack where no pair is one
/// across the ends; squared, between `c^2 (1 - WIDTH) - least` and `c^2 (1 + WIDTH) + least`.
#[derive(Clone, Copy, Debug)]
pub struct BoxFrame {
    middle: [f64; 3],
    scale: f64,
    lengths: [Option<f64>; 3],
    pub band: Band,
}

/// The points around a box: how far they reach into it, and whether any may be nearest across an end of a periodic
/// axis.
#[derive(Clone, Copy, Debug)]
pub struct Around<T> {
    middle: [f64; 3],
    /// The distance that each axis may be from the middle on both sides together before it is half a length; infinite
    /// along open ones.
    room: [f64; 3],
    pub largest: T,
    pub is_across: bool,
}

impl<T: Real> Around<T> {
    /// No point, around a box.
    pub fn new([lo, hi]: Corners<T>, periods: &Periods<T>) -> Around<T> {
        let middle = middle_of([lo, hi]);
        let lengths = periods.lengths();
        Around {
            middle,
            room: per_axis(|axis| {
                let own = [lo, hi].map(|corner| (corner[axis].to_f64() - middle[axis]).abs());
                let half = lengths[axis].map(|length| 0.5 * length * (1.0 - 1e-6));
                half.map_or(f64::INFINITY, |half| half - own[0].max(own[1]))
            }),
            largest: T::default(),
            is_across: false,
        }
    }

    /// Takes up a leaf and the largest radius in it.
    pub fn take(&mut self, leaf: &Node<T>, largest: T) {
        if self.largest < largest {
            self.largest = largest;
        }
        for axis in 0..3 {
            let far = |corner: [T; 3]| (corner[axis].to_f64() - self.middle[axis]).abs() >= self.room[axis];
            self.is_across |= far(leaf.lo) || far(leaf.hi);
        }
    }
}

/// The middle of a box, rounded.
fn middle_of<T: Real>([lo, hi]: Corners<T>) -> [f64; 3] {
    per_axis(|axis| 0.5 * lo[axis].to_f64() + 0.5 * hi[axis].to_f64())
}

/// Whether the points of a box of this edge, of which many are in one of the edge `inner`, reach too little for a frame
/// around all of them, so that each would be in doubt with each.
pub fn is_too_large(edge: f64, inner: f64, reach: f64) -> bool {
    inner > 0.0 && inner.max(reach) < RESOLVED * edge
}

/// Whether a box has a frame in which most that its points reach is in doubt: where they reach across an end of a
/// periodic axis that is very long.
pub fn is_long_across<T: Real>([lo, hi]: &Corners<T>, periods: &Periods<T>, reach: f64) -> bool {
    let slack = periods.slack();
    let is_near = |axis: usize| {
        let ends = periods.0[axis].map(|period| [period.lo, period.hi].map(T::to_f64));
        let margin = reach + 8.0 * slack;
        ends.is_some_and(|ends| lo[axis].to_f64() - ends[0] < margin || ends[1] - hi[axis].to_f64() < margin)
    };
    4.0 * SLACKS * slack > reach && (0..3).any(is_near)
}

impl BoxFrame {
    /// The frame around a box of points that reach no farther than `most`, among those around it.
    pub fn new<T: Real>(
        [lo, hi]: Corners<T>,
        periods: &Periods<T>,
        rule: RadiusRule,
        most: f64,
        around: &Around<T>,
    ) -> BoxFrame {
        let half = (0..3).map(|axis| 0.5 * hi[axis].to_f64() - 0.5 * lo[axis].to_f64());
        let half = half.fold(0.0, f64::max);
        let cutoff = rule.cutoff(most, around.largest.to_f64());
        // Numbers are about 1, so that squares neither overflow nor vanish, except those that do not matter. By a
        // cutoff of 0, and only then, a point that vanishes in the caller's precision is a neighbor: it must be in
        // doubt here.
        let least_size = T::VANISHING * (1u64 << 51) as f64;
        let size = half.max(most.min(cutoff)).max(cutoff / REACH).max(least_size);
        let scale = 2f64.powi(-size.log2().floor() as i32);
        let (slack, lengths) = match around.is_across {
            true => (periods.slack(), periods.lengths()),
            false => (0.0, [None; 3]),
        };
        let error = 2.1 * ETA * half * scale * (1.0 + ETA) + 2.0 * slack * scale;
        let least = error * error * (1u64 << 15) as f64 + 2f64.powi(-100); // what vanishes is in doubt
        // A length of more than any difference has no images in reach, and must be finite.
        let length = |length: f64| (length * scale).min(4.0 * FARTHEST) as f32;
        BoxFrame {
            middle: middle_of([lo, hi]),
            scale,
            lengths,
            band: Band {
                rule,
                wider: (1.0 + WIDTH) as f32,
                root: (1.0 + 0.5 * WIDTH) as f32,
                narrower: (1.0 - 2.0 * WIDTH) as f32,
                least: (least.min(WIDEST) as f32).next_up(),
                lengths: lengths.map(|of| of.map(length)),
            },
        }
    }

    /// A coordinate in the frame, that of the image nearest to the middle.
    #[inline(always)]
    pub fn coord(&self, axis: usize, coord: f64) -> f32 {
        let mut t = coord - self.middle[axis];
        if let Some(length) = self.lengths[axis] {
            let half = 0.5 * length;
            if t > half {
                t -= length;
            } else if t < -half {
                t += length;
            }
        }
        self.scaled(t)
    }

    /// A difference from the middle, in the frame.
    #[inline(always)]
    fn scaled(&self, t: f64) -> f32 {
        (t * self.scale).clamp(-FARTHEST, FARTHEST) as f32
    }

    /// A length in the frame.
    #[inline(always)]
    pub fn length(&self, length: f64) -> f32 {
        (length * self.scale) as f32
    }

    /// Appends the points of a run of places to a level, which has room for them. `reach`: of all of them, in place of their radii.
    pub fn take<T: Real>(&self, tree: &ZTree<T>, (run, reach): (&Range<usize>, Option<T>), level: &mut Level<f32>) {
        let to = level.len..level.len + run.len();
        for (axis, coords) in level.coords[..tree.dim()].iter_mut().enumerate() {
            for (to, coord) in coords[to.clone()].iter_mut().zip(&tree.coords()[axis][run.clone()]) {
                *to = self.coord(axis, coord.to_f64());
            }
        }
        let bound = |radius: T| self.band.bound(self.length(radius.to_f64()));
        match reach {
            Some(reach) => level.bounds[to.clone()].fill(bound(reach)),
            None => {
                let radii = tree.radii()[run.clone()].iter();
                (level.bounds[to.clone()].iter_mut().zip(radii)).for_each(|(to, &radius)| *to = bound(radius));
            }
        }
        for (to, place) in level.ids[to.clone()].iter_mut().zip(run.clone()) {
            *to = place as i32;
        }
        level.len = to.end;
    }

    /// A box of points of the block that have this radius, at most.
    pub fn near<T: Real>(&self, area: &Corners<T>, radius: f32) -> BandedNear {
        // Corners are not brought to the nearest image: the middle is rounded, so one may be more than half a length
        // away, and the box would not hold what is between the corners.
        let corner = |coords: [T; 3]| per_axis(|axis| self.scaled(coords[axis].to_f64() - self.middle[axis]));
        let [lo, hi] = area.map(corner);
        BandedNear { lo, hi, radius }
    }
}
