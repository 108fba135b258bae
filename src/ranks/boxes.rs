//! Tight boxes around points, and the distances between them, also across periodic boundaries.

use crate::error::Result;
use crate::memory::{filled, with_capacity};

/// The lowest and the highest coordinate along each axis, of points as the search has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tight {
    pub lo: [f64; 3],
    pub hi: [f64; 3],
}

impl Tight {
    /// The box of no points.
    pub const NOWHERE: Tight = Tight {
        lo: [f64::INFINITY; 3],
        hi: [f64::NEG_INFINITY; 3],
    };

    /// Whether there is a point in it.
    pub fn is_somewhere(&self) -> bool {
        self.lo[0] <= self.hi[0]
    }

    /// Becomes as large as holds `at` too.
    #[inline]
    pub fn include(&mut self, at: &[f64; 3]) {
        self.join(&Tight::of(*at));
    }

    /// Becomes as large as holds all of `other` too.
    #[inline]
    pub fn join(&mut self, other: &Tight) {
        for axis in 0..3 {
            // As processors do it, not as `min` and `max`, which mind what is no number.
            let (lo, hi) = (other.lo[axis], other.hi[axis]);
            self.lo[axis] = if lo < self.lo[axis] { lo } else { self.lo[axis] };
            self.hi[axis] = if hi > self.hi[axis] { hi } else { self.hi[axis] };
        }
    }

    /// The box around others.
    pub fn joined<'a>(tights: impl IntoIterator<Item = &'a Tight>) -> Tight {
        let mut all = Tight::NOWHERE;
        tights.into_iter().for_each(|tight| all.join(tight));
        all
    }

    /// The middle of an edge, whatever rounding makes of it.
    pub fn center(&self, axis: usize) -> f64 {
        0.5 * self.lo[axis] + 0.5 * self.hi[axis]
    }

    /// The box of one point.
    pub fn of(at: [f64; 3]) -> Tight {
        Tight { lo: at, hi: at }
    }

    /// The box of points, of which there is one at least.
    pub fn around<'a>(points: impl IntoIterator<Item = &'a [f64; 3]>) -> Tight {
        let mut tight = Tight::NOWHERE;
        points.into_iter().for_each(|at| tight.include(at));
        tight
    }

    /// The longest edge and its axis.
    pub fn longest(&self) -> (f64, usize) {
        let edges = (0..3).map(|axis| (self.hi[axis] - self.lo[axis], axis));
        edges.fold(
            (0.0, 0),
            |longest, edge| if edge.0 > longest.0 { edge } else { longest },
        )
    }

    /// A place along `axis` that parts it in two: its lowest coordinate is below, or on it, its highest above.
    pub fn middle(&self, axis: usize) -> f64 {
        let (lo, hi) = (self.lo[axis], self.hi[axis]);
        let middle = self.center(axis);
        if lo <= middle && middle < hi { middle } else { lo }
    }
}

/// Boxes as they travel.
pub fn to_bytes(boxes: &[Tight]) -> Result<Vec<u8>> {
    let mut bytes = filled(size_of_val(boxes), 0, "boxes to send")?;
    write(boxes, &mut bytes);
    Ok(bytes)
}

/// The same into `bytes`, as many as the boxes have.
pub fn write(boxes: &[Tight], bytes: &mut [u8]) {
    for (tight, to) in boxes.iter().zip(bytes.chunks_exact_mut(size_of::<Tight>())) {
        to.copy_from_slice(bytemuck::bytes_of(&[tight.lo, tight.hi]));
    }
}

/// Boxes that came.
pub fn from_bytes(bytes: &[u8]) -> Result<Vec<Tight>> {
    let mut boxes = with_capacity(bytes.len() / size_of::<Tight>(), "received boxes")?;
    let tight = |bytes: &[u8]| {
        let [lo, hi] = bytemuck::pod_read_unaligned::<[[f64; 3]; 2]>(bytes);
        Tight { lo, hi }
    };
    boxes.extend(bytes.chunks_exact(size_of::<Tight>()).map(tight));
    Ok(boxes)
}

/// A distance that no neighbor exceeds, whatever rounding did to what the search computes.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    square: f64,
    lengths: [Option<f64>; 3],
    is_open: bool,
}

impl Reach {
    /// For a search with `cutoff` that errs by `roundoff`, relative, in a box of these periodic lengths.
    ///
    /// A pair has `d2 <= cutoff^2` as computed: differences, squares, sums and the cutoff's square err by 6 units together, the
    /// gaps here by 5 of them and their bound by 3, all in squares. Along a periodic axis a difference was rounded when it was up
    /// to a length, by a unit of that, and so was the gap here, twice, on three axes. Both are more than doubled.
    pub fn new(cutoff: f64, roundoff: f64, lengths: [Option<f64>; 3]) -> Reach {
        let longest = lengths
            .iter()
            .flatten()
            .fold(0.0, |longest: f64, &length| longest.max(length));
        let reach = cutoff * (1.0 + 16.0 * roundoff) + 12.0 * roundoff * longest;
        Reach {
            square: reach * reach,
            lengths,
            is_open: lengths.iter().all(Option::is_none),
        }
    }

    /// The distance itself.
    pub fn distance(&self) -> f64 {
        self.square.sqrt()
    }

    /// Whether points of two boxes may be neighbors; the same for both orders of them.
    #[inline(always)]
    pub fn joins(&self, a: &Tight, b: &Tight) -> bool {
        self.square_between(a, b) <= self.square
    }

    /// The square of the distance of two boxes.
    #[inline(always)]
    pub fn square_between(&self, a: &Tight, b: &Tight) -> f64 {
        if !self.is_open {
            return self.square_around(a, b);
        }
        let gap = |axis: usize| {
            let (ahead, back) = (b.lo[axis] - a.hi[axis], a.lo[axis] - b.hi[axis]);
            let gap = if ahead > back { ahead } else { back };
            if gap > 0.0 { gap } else { 0.0 }
        };
        (0..3).map(gap).fold(0.0, |square, gap| square + gap * gap)
    }

    /// The same in a box with periodic axes.
    fn square_around(&self, a: &Tight, b: &Tight) -> f64 {
        let gap = |axis: usize| self.gap(axis, [a.lo[axis], a.hi[axis]], [b.lo[axis], b.hi[axis]]);
        (0..3).map(gap).fold(0.0, |square, gap| square + gap * gap)
    }

    /// From the end of one interval to the beginning of the other, the shorter way round; 0 where they meet.
    pub fn gap(&self, axis: usize, a: [f64; 2], b: [f64; 2]) -> f64 {
        let (ahead, back) = (b[0] - a[1], a[0] - b[1]);
        let gap = ahead.max(back).max(0.0);
        match self.lengths[axis] {
            Some(length) if gap > 0.0 => {
                let around = if ahead > 0.0 { a[0] - b[1] } else { b[0] - a[1] } + length;
                gap.min(around.max(0.0))
            }
            _ => gap,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tight(lo: f64, hi: f64) -> Tight {
        Tight {
            lo: [lo, 0.0, 0.0],
            hi: [hi, 0.0, 0.0],
        }
    }

    #[test]
    fn across_the_boundary() {
        let near = |reach: &Reach, a: Tight, b: Tight| {
            assert_eq!(reach.joins(&a, &b), reach.joins(&b, &a));
            reach.joins(&a, &b)
        };
        let (open, ring) = (
            Reach::new(0.1, 1e-16, [None; 3]),
            Reach::new(0.1, 1e-16, [Some(1.0), None, None]),
        );
        let (low, high) = (tight(0.02, 0.3), tight(0.95, 0.96));
        assert!(!near(&open, low, high) && near(&ring, low, high));
        assert!(!near(&ring, low, tight(0.5, 0.9)) && near(&ring, low, tight(0.4, 0.9)));
        assert!(
            near(&open, low, tight(-1e308, 1e308)) && !near(&open, tight(-1.7e308, -1.7e308), tight(1.7e308, 1.7e308))
        );
    }

    #[test]
    fn parted() {
        for (lo, hi) in [
            (0.0, 1.0),
            (-1.7e308, 1.7e308),
            (1e300, 1e300f64.next_up()),
            (-0.0, 5e-324),
        ] {
            let middle = tight(lo, hi).middle(0);
            assert!(lo <= middle && middle < hi, "{lo} {hi}: {middle}");
        }
    }
}
