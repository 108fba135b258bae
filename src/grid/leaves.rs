//! The cells of clouds whose bounding box would have far more cells than points: clusters in a vacuum, a diagonal line,
//! a small cutoff in a large domain. The leaves of the adaptive index ([`ZTree`]) are the cells, and runs of leaves are
//! the blocks.
//!
//! The index is one of points in units, that is of whole numbers. Along each axis a run lies between two planes of the
//! curve, so a box of units that holds a run holds no other point.

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use super::block::Block;
use super::bulk::middle;
use super::frame::{Frame, Quantized};
use super::place::{FINE_BITS, Packed};
use super::shape::cell_size;
use crate::axes::in_dim;
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{Out, holds, prefetch_all, push, resize_discarding};
use crate::points::{PointsView, Real};
use crate::threads::Team;
use crate::ztree::{ZTree, greater, lesser};

/// Units of a cutoff, as a power of two: as fine as lets a block be several cutoffs wide.
pub(crate) const UNIT_BITS: u32 = 11;

/// So many fine units from the origin all of them are told apart. Beyond, places are as fine as real64 is.
const FINE_UP_TO: f64 = (1u64 << 52) as f64;

/// Farther than this many fine units from the origin, points are clamped together: sums of places stay finite.
const MOST_UNITS: f64 = f64::MAX / 16.0;

/// Units farther than this from a frame need no telling apart in it.
const OUT_OF_FRAMES: f64 = (1u64 << 50) as f64;

/// A place errs by this share of its distance from the origin, at most: it comes of three roundings.
const ERROR: f64 = 1.0 / (1u64 << 51) as f64;

/// Cutoffs from the origin that frames reach: up to there, rounding costs less than a fine unit.
pub(super) const FARTHEST: i64 = 1 << 31;

/// Units of a cell that the index does not divide.
const FINEST: f64 = (1 << (UNIT_BITS - 3)) as f64;

/// Units by which a box of real coordinates is widened, for all rounding between these and units.
const MARGIN: f64 = 4.0;

const WHAT: &str = "the index";

/// Points in units, and their index.
#[derive(Debug)]
pub struct Leaves {
    /// Of whole units from the origin.
    pub tree: ZTree<f64>,
    /// The fine units of each point beyond these, [`FINE_BITS`] an axis, in the order of the tree.
    pub(super) fine: Vec<u16>,
    /// The middle of the bulk, from which distances are small for all but strays. Around a periodic axis, places are of
    /// the images nearest to it.
    origin: [f64; 3],
    /// Fine units per unit length.
    pub scale: f64,
    /// Lengths of periodic axes in fine units, rounded.
    periods: [Option<f64>; 3],
    /// The error of the difference of two places, in units, if it leads over the end of an axis, as the caller has it,
    slack: f64,
    /// and whether it may do so between places that are near: some are of images.
    wraps: bool,
    /// Kept for the next build: units in the caller's order.
    units: [Vec<f64>; 3],
    unsorted: Vec<u16>,
}

holds! { Leaves { tree, fine, units, unsorted; origin, scale, periods, slack, wraps } }

impl Default for Leaves {
    fn default() -> Leaves {
        Leaves {
            tree: ZTree::with_cells_of(FINEST),
            fine: Vec::new(),
            origin: [0.0; 3],
            scale: 0.0,
            periods: [None; 3],
            slack: 0.0,
            wraps: false,
            units: Default::default(),
            unsorted: Vec::new(),
        }
    }
}

impl Leaves {
    /// Indexes points for searches within `cutoff`.
    pub fn build<T: Real>(
        &mut self,
        view: &PointsView<T>,
        periods: &Periods<T>,
        cutoff: f64,
        team: &Team,
    ) -> Result<()> {
        let lengths = periods.lengths();
        self.scale = (f64::from(1u32 << (UNIT_BITS + FINE_BITS)) / cell_size(cutoff)).min(f64::MAX);
        self.origin = middle(view);
        let in_units = |length: f64| (length * self.scale).round().min(MOST_UNITS);
        self.periods = lengths.map(|length| length.map(in_units));
        self.slack = 4.0 * periods.slack() * self.scale / f64::from(1 << FINE_BITS);
        resize_discarding(&mut self.unsorted, view.len(), 0, WHAT)?;
        resize_discarding(&mut self.fine, view.len(), 0, WHAT)?;
        for units in &mut self.units[..view.dim()] {
            resize_discarding(units, view.len(), 0.0, WHAT)?;
        }
        in_dim!(view.dim(), DIM => self.measure::<T, DIM>(view, &lengths, team)?);
        self.tree.build(&self.units[..view.dim()], 0..view.len(), None, team)?;
        let (ids, unsorted) = (self.tree.ids(), &self.unsorted);
        Out::new(&mut self.fine).in_pieces(team, 1, |first, fine| {
            for k in 0..fine.len() {
                fine.write(k, unsorted[ids[first + k] as usize]);
            }
        })
    }

    /// Brings the coordinates into units.
    fn measure<T: Real, const DIM: usize>(
        &mut self,
        view: &PointsView<T>,
        lengths: &[Option<f64>; 3],
        team: &Team,
    ) -> Result<()> {
        let ends = self.ends();
        let wrapping: [_; 3] = std::array::from_fn(|axis| {
            let (length, from) = (lengths[axis]?, ends[axis][0] / self.scale);
            Some((length, from..from + length))
        });
        let (origin, scale, share) = (self.origin, self.scale, view.len().div_ceil(team.threads()).max(1));
        let wraps = AtomicBool::new(false);
        let mut units = self.units.each_mut().map(|units| units.chunks_mut(share));
        let mut pieces = Vec::new();
        for (k, fine) in self.unsorted.chunks_mut(share).enumerate() {
            let units = units.each_mut().map(|units| units.next().unwrap_or_default());
            push(&mut pieces, (k * share, fine, units), WHAT)?;
        }
        team.each(&mut pieces, |(first, fine, units)| {
            view.chunks::<DIM>(*first..*first + fine.len(), |at, points| {
                let mut wrapped = false;
                for (to, point) in (at - *first..).zip(points) {
                    fine[to] = 0;
                    for axis in 0..DIM {
                        let mut distance = point[axis].to_f64() - origin[axis];
                        if let Some((length, within)) = &wrapping[axis] {
                            let moved = match distance {
                                _ if distance >= within.end => -length,
                                _ if distance < within.start => *length,
                                _ => 0.0,
                            };
                            distance += moved;
                            wrapped |= moved != 0.0;
                        }
                        let place = (distance * scale).clamp(ends[axis][0], ends[axis][1]);
                        if place.abs() >= FINE_UP_TO {
                            units[axis][to] = (place / f64::from(1 << FINE_BITS)).floor();
                            continue;
                        }
                        let place = place as i64 - i64::from(place < (place as i64) as f64); // rounded down
                        units[axis][to] = (place >> FINE_BITS) as f64;
                        fine[to] |= ((place & ((1 << FINE_BITS) - 1)) as u16) << (FINE_BITS as usize * axis);
                    }
                }
                wraps.fetch_or(wrapped, Relaxed);
            });
        });
        self.wraps = wraps.into_inner();
        Ok(())
    }

    /// Cuts the points into runs of leaves, of about `limit` points at most. Those that fit a frame are as large as
    /// possible.
    pub fn blocks(&self, limit: usize, fixed: Option<&Quantized>, blocks: &mut Vec<Block>) -> Result<()> {
        let widest = fixed.map_or(i64::MAX, |fixed| 2 * i64::from(32767 - fixed.halo));
        let mut waiting = Vec::new();
        push(&mut waiting, 0..self.tree.leaves(), WHAT)?;
        while let Some(leaves) = waiting.pop() {
            let is_small = self.tree.points_of(&leaves).len() <= limit;
            let fits = || {
                let (lo, hi) = self.edges(&leaves);
                (0..self.tree.dim()).all(|axis| hi[axis].saturating_sub(lo[axis]) <= widest)
            };
            let halves = if is_small && fits() {
                None
            } else {
                self.tree.halves(&leaves)
            };
            match halves {
                // Points that coincide are not parted where a frame could not tell them apart.
                Some([first, second]) if !(self.tree.is_cut(second.start) && fits()) => {
                    push(&mut waiting, second, WHAT)?;
                    push(&mut waiting, first, WHAT)?;
                }
                _ => push(blocks, Block::Leaves(leaves.start as u32..leaves.end as u32), WHAT)?,
            }
        }
        Ok(())
    }

    /// The least and the greatest place along each axis, in fine units. Places outside are clamped. If rounding puts a place on
    /// the end of a periodic axis, it belongs to the last unit before the end.
    fn ends(&self) -> [[f64; 2]; 3] {
        self.periods.map(|period| match period {
            Some(period) => [-before(period), (period - before(period)).next_down()],
            None => [-MOST_UNITS, MOST_UNITS],
        })
    }

    /// The first fine unit beyond a periodic axis: from there on, points are images.
    pub(super) fn end(&self, axis: usize) -> Option<i64> {
        self.periods[axis].map(|period| (period - before(period)) as i64)
    }

    /// The box of a run of leaves in units: its lower corner, and the first units beyond it.
    pub fn edges(&self, leaves: &Range<usize>) -> ([i64; 3], [i64; 3]) {
        let [lo, hi] = self.tree.corners(leaves);
        (
            lo.map(|unit| unit as i64),
            hi.map(|unit| (unit as i64).saturating_add(1)),
        )
    }

    /// Whether a box, as wide as it may be for a frame, has two images of a point around it, or is so far from the
    /// origin that units err.
    pub fn is_beyond_frames(&self, (lo, hi): ([i64; 3], [i64; 3]), halo: i64) -> bool {
        let far = FARTHEST << UNIT_BITS;
        let meets = |axis: usize| {
            let around = hi[axis] - lo[axis] + 2 * halo + 2;
            self.periods[axis].is_some_and(|period| around >= period as i64 >> FINE_BITS)
        };
        (0..self.tree.dim()).any(|axis| lo[axis] <= -far || hi[axis] >= far || meets(axis))
    }

    /// Whether a run begins or ends among points that the index does not tell apart, as where a stray is so far away that they differ
    /// by less than its finest step: the run's box may hold points of the next run.
    pub fn is_cut(&self, leaves: &Range<usize>) -> bool {
        let mut ends = [leaves.start, leaves.end].into_iter();
        ends.any(|leaf| 0 < leaf && leaf < self.tree.leaves() && self.tree.is_cut(leaf))
    }

    /// The range of the points of a run of leaves along `axis`. It is unbounded if points were clamped. It is also unbounded
    /// along a periodic axis that is too long for places.
    pub fn bounds(&self, leaves: &Range<usize>, axis: usize) -> [f64; 2] {
        let [lo, hi] = self.tree.corners(leaves).map(|corner| corner[axis]);
        let (fine, margin) = (f64::from(1 << FINE_BITS), self.margin(greater(-lo, hi)));
        let edge = |unit: f64| self.origin[axis] + unit * (fine / self.scale);
        let clamps = self.periods[axis].is_none_or(|period| period >= MOST_UNITS);
        let [first, last] = self.ends()[axis].map(|end| end / fine);
        [
            if clamps && lo <= first {
                f64::NEG_INFINITY
            } else {
                edge(lo - margin)
            },
            if clamps && hi >= last {
                f64::INFINITY
            } else {
                edge(hi + 1.0 + margin)
            },
        ]
    }

    /// Visits the leaves with points that are `units` from a run of leaves or nearer, each once.
    pub fn near(&self, leaves: &Range<usize>, units: i32, mut action: impl FnMut(usize, Range<usize>)) {
        let area = self.tree.corners(leaves);
        let farthest = (area[0].iter().zip(area[1])).fold(0.0, |far, (&lo, hi)| greater(far, greater(-lo, hi)));
        let reach = f64::from(units) + self.margin(farthest);
        // The other way round, more may be in reach.
        let lengths = (self.periods)
            .map(|period| period.map(|period| period * (1.0 - ERROR) / f64::from(1 << FINE_BITS) - self.slack));
        self.tree.near(&area, lengths, (|_, _| reach, 0.0), |leaves| {
            leaves.for_each(|leaf| action(leaf, self.tree.parts(0, leaf)));
        });
    }

    /// The length that rounding may add to a distance in units from a place that is as far as `unit` from the origin.
    fn margin(&self, unit: f64) -> f64 {
        MARGIN + 4.0 * ERROR * unit + if self.wraps { self.slack } else { 0.0 }
    }

    /// The further error of the difference of two places in frames, in fine units: of images, each is rounded as a
    /// length is.
    pub fn error_of_images(&self) -> f64 {
        self.periods
            .iter()
            .flatten()
            .fold(0.0, |longest, &period| greater(longest, period))
            * ERROR
    }

    /// Writes the places of points in a frame to the front of `to`: images where those are nearer.
    pub fn place(&self, frame: &Frame, places: Range<usize>, to: &mut [Packed]) {
        // Adding it leaves a small whole number in the low bits.
        const TO_INTEGER: f64 = (3u64 << 51) as f64;
        (to.iter_mut().zip(&self.fine[places.clone()])).for_each(|(to, &fine)| *to = Packed::from(fine) << 48);
        for axis in 0..self.tree.dim() {
            let units = to.iter_mut().zip(&self.tree.coords()[axis][places.clone()]);
            let origin = frame.origin[axis];
            let Some(period) = self.periods[axis].map(|period| lesser(period, FINE_UP_TO * 64.0) as i64) else {
                let origin = origin as f64;
                units.for_each(|(to, &unit)| {
                    let place = lesser(greater(unit - origin, i16::MIN.into()), i16::MAX.into());
                    *to |= ((place + TO_INTEGER).to_bits() & 0xffff) << (16 * axis);
                });
                continue;
            };
            let (shift, mask) = (48 + FINE_BITS as usize * axis, (1 << FINE_BITS) - 1);
            units.for_each(|(to, &unit)| {
                let unit = lesser(greater(unit, -OUT_OF_FRAMES), OUT_OF_FRAMES) as i64;
                let mut place = ((unit - origin) << FINE_BITS) + (*to >> shift & mask) as i64;
                place -= if place > period / 2 { period } else { 0 };
                place += if place < -period / 2 { period } else { 0 };
                let unit = (place >> FINE_BITS).clamp(i16::MIN.into(), i16::MAX.into()) as i16 as u16;
                *to = *to & !(mask << shift) | (place as Packed & mask) << shift | Packed::from(unit) << (16 * axis);
            });
        }
    }

    /// Has the places of points fetched, to be read soon.
    pub fn prefetch(&self, places: Range<usize>) {
        let axes = self.tree.coords().iter().take(self.tree.dim());
        axes.for_each(|coords| prefetch_all(&coords[places.clone()]));
        prefetch_all(&self.fine[places]);
    }
}

/// The part of a periodic axis of `period` fine units before the origin: half of it, in whole units, so that no unit
/// holds points of its lower end and images below.
fn before(period: f64) -> f64 {
    let fine = f64::from(1 << FINE_BITS);
    (0.5 * period / fine).floor() * fine
}

#[cfg(test)]
mod tests {
    use super::super::Grid;
    use super::super::cells::Cells;
    use super::*;
    use crate::domain::Period;
    use crate::random::Random;

    /// Three clumps of 700 points, `far` apart.
    fn clumps(dim: usize, far: f64) -> Vec<f64> {
        let mut random = Random(1);
        (0..2100 * dim)
            .map(|k| random.uniform() + (k / dim % 3) as f64 * far)
            .collect()
    }

    /// Each point is in one block; a block's box holds no other point, and what is around it holds all in reach,
    /// whether axes are periodic or not. Threads make no difference.
    #[test]
    fn blocks_of_leaves() {
        const CUTOFF: f64 = 0.07;
        for (dim, far, is_open) in [
            (1, 1e9, true),
            (2, -1e5, true),
            (3, 1e4, true),
            (3, 1e4, false),
            (3, 1e20, true),
        ] {
            let coords = clumps(dim, far);
            let view = PointsView::interleaved(dim, &coords).unwrap();
            let period = (!is_open).then(|| Period::new(-1.0, 1e5));
            let (periods, mut framed) = (Periods([period; 3]), 0);
            let (mut grid, mut other, mut blocks) = (Grid::default(), Grid::default(), Vec::new());
            grid.build_leaves(&view, &periods, CUTOFF, &Team::caller()).unwrap();
            other
                .build_leaves(&view, &periods, CUTOFF, &Team::new(2).unwrap())
                .unwrap();
            assert_eq!((&grid.ids, &grid.starts), (&other.ids, &other.starts));
            let Cells::Leaves(leaves) = &grid.cells else {
                panic!("a box")
            };
            let fixed = grid.fixed(CUTOFF * CUTOFF, periods.slack()).unwrap();
            grid.blocks(200, Some(&fixed), &mut blocks).unwrap();
            let mut next = 0;
            for block in &blocks {
                let mut own = 0..0;
                grid.places_of(block, |places| own = places);
                assert_eq!(own.start, next);
                next = own.end;
                let mut near = vec![false; view.len()];
                grid.reach(block, |places| near[places].fill(true));
                for (place, &is_near) in near.iter().enumerate() {
                    let d2 = |other: usize| {
                        let [a, b] = [place, other].map(|place| grid.ids[place] as usize);
                        let along =
                            |axis: usize| periods.difference(axis, view.get(axis, a), view.get(axis, b)).powi(2);
                        (0..dim).map(along).sum::<f64>()
                    };
                    assert!(is_near || own.clone().all(|other| d2(other) > CUTOFF * CUTOFF));
                }
                let Some(frame) = grid.frame(block, &fixed) else {
                    continue;
                };
                framed += own.len();
                let mut to = vec![0; view.len()];
                leaves.place(&frame, 0..view.len(), &mut to);
                for (place, &packed) in to.iter().enumerate() {
                    let is_in = |axis: usize| {
                        let unit = i32::from((packed >> (16 * axis)) as i16);
                        (frame.lo[axis]..frame.hi[axis]).contains(&unit)
                    };
                    assert_eq!((0..dim).all(is_in), own.contains(&place));
                }
            }
            assert_eq!(next, view.len());
            assert!(framed >= 700, "{framed} points in frames, {dim} axes, {far:e} apart");
        }
    }

    /// Points that rounding puts on an end of a periodic axis, which lies half an axis from the origin, are in a unit
    /// of it.
    #[test]
    fn the_end_of_a_period() {
        for beyond in (0..40).map(|k| f64::from(k) * 1e-13) {
            let period = Period::new(-5e5, 1e6 * (1.0 + beyond));
            let middle = 0.5 * (period.lo + period.hi);
            let coords = [period.lo, middle, period.hi.next_down()];
            let view = PointsView::interleaved(1, &coords).unwrap();
            let mut leaves = Leaves::default();
            let periods = Periods([Some(period), None, None]);
            leaves.build(&view, &periods, 1.0, &Team::caller()).unwrap();
            let (fine, period) = (f64::from(1 << FINE_BITS), leaves.periods[0].unwrap());
            let [first, last] = [-before(period), period - before(period) - 1.0];
            let ends = [first, last].map(|place| (place / fine).floor());
            let units = &leaves.units[0];
            assert_eq!(units[1], 0.0, "{beyond}");
            for unit in [units[0], units[2]] {
                assert!(
                    ends.iter().any(|end| (unit - end).abs() <= 1.0),
                    "{units:?} of {ends:?}"
                );
                assert!((ends[0]..=ends[1]).contains(&unit), "{units:?} of {ends:?}");
            }
        }
    }
}
