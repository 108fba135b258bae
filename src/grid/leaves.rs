//! The cells of clouds whose bounding box would have far more cells than points: clusters in a vacuum, a diagonal line, a small
//! cutoff in a large domain. The leaves of the adaptive index ([`ZTree`]) are the cells, and runs of leaves are the blocks.
//!
//! The index is one of points in units, that is of whole numbers. Along each axis a run lies between two planes of the curve, so
//! a box of units that holds a run holds no other point.

use std::ops::Range;

use super::block::Block;
use super::bulk::middle;
use super::fixed::{Fixed, Frame};
use super::place::{FINE_BITS, Packed};
use super::shape::cell_size;
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{Out, prefetch_all, push, resize_discarding};
use crate::points::{PointsView, Real};
use crate::threads::Team;
use crate::ztree::ZTree;

/// Units of a cutoff, as a power of two: as fine as lets a block be several cutoffs wide.
pub(crate) const UNIT_BITS: u32 = 12;

/// Farther than this many cutoffs from the middle of the bulk, points are clamped together.
const REACH: i64 = 1 << 38;

/// The same in fine units.
const MOST_UNITS: f64 = (REACH << (UNIT_BITS + FINE_BITS)) as f64;

/// Cutoffs around a periodic axis, at most: there no points are clamped together.
const MOST_AROUND: f64 = (REACH / 4) as f64;

/// Cutoffs from the origin that frames reach: up to there, rounding costs less than a fine unit.
pub(super) const FARTHEST: i64 = 1 << 31;

/// Units by which a box of real coordinates is widened, for all rounding between these and units.
const MARGIN: f64 = 4.0;

const WHAT: &str = "the index";

/// Points in units, and their index.
#[derive(Debug, Default)]
pub struct Leaves {
    /// Of whole units from the origin.
    pub tree: ZTree<f64>,
    /// What fine units of each point there are beyond these, [`FINE_BITS`] an axis, in the order of the tree.
    pub(super) fine: Vec<u16>,
    /// The middle of the bulk, from which distances are small for all but strays; or where a periodic axis begins.
    origin: [f64; 3],
    /// Fine units per unit length.
    pub scale: f64,
    /// Lengths of periodic axes in fine units, rounded.
    periods: [Option<i64>; 3],
    /// Kept for the next build: units in the caller's order.
    units: [Vec<f64>; 3],
    unsorted: Vec<u16>,
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
        let longest = lengths.into_iter().flatten().fold(0.0, f64::max);
        let size = cell_size(cutoff + 2.0 * periods.slack()).max(longest / MOST_AROUND);
        self.scale = (f64::from(1u32 << (UNIT_BITS + FINE_BITS)) / size).min(f64::MAX);
        self.origin = middle(view);
        for (origin, period) in self.origin.iter_mut().zip(&periods.0) {
            if let Some(period) = period {
                *origin = period.lo.to_f64();
            }
        }
        self.periods = lengths.map(|length| length.map(|length| (length * self.scale).round() as i64));
        resize_discarding(&mut self.unsorted, view.len(), 0, WHAT)?;
        resize_discarding(&mut self.fine, view.len(), 0, WHAT)?;
        for units in &mut self.units[..view.dim()] {
            resize_discarding(units, view.len(), 0.0, WHAT)?;
        }
        match view.dim() {
            1 => self.measure::<T, 1>(view, team)?,
            2 => self.measure::<T, 2>(view, team)?,
            _ => self.measure::<T, 3>(view, team)?,
        }
        self.tree.build(&self.units[..view.dim()], 0..view.len(), None, team)?;
        let (ids, unsorted) = (self.tree.ids(), &self.unsorted);
        Out::new(&mut self.fine).in_pieces(team, 1, |first, fine| {
            for k in 0..fine.len() {
                fine.write(k, unsorted[ids[first + k] as usize]);
            }
        })
    }

    /// Brings the coordinates into units.
    fn measure<T: Real, const DIM: usize>(&mut self, view: &PointsView<T>, team: &Team) -> Result<()> {
        // What rounding puts on the end of a periodic axis belongs to the unit before.
        let last = self
            .periods
            .map(|period| period.map_or(MOST_UNITS, |period| (period as f64).next_down()));
        let (origin, scale, share) = (self.origin, self.scale, view.len().div_ceil(team.threads()).max(1));
        let mut units = self.units.each_mut().map(|units| units.chunks_mut(share));
        let mut pieces = Vec::new();
        for (k, fine) in self.unsorted.chunks_mut(share).enumerate() {
            let units = units.each_mut().map(|units| units.next().unwrap_or_default());
            push(&mut pieces, (k * share, fine, units), WHAT)?;
        }
        team.each(&mut pieces, |(first, fine, units)| {
            view.chunks::<DIM>(*first..*first + fine.len(), |at, points| {
                for (to, point) in (at - *first..).zip(points) {
                    fine[to] = 0;
                    for axis in 0..DIM {
                        let place = (point[axis].to_f64() - origin[axis]) * scale;
                        let place = place.clamp(-MOST_UNITS, last[axis]).floor() as i64;
                        units[axis][to] = (place >> FINE_BITS) as f64;
                        fine[to] |= ((place & ((1 << FINE_BITS) - 1)) as u16) << (FINE_BITS as usize * axis);
                    }
                }
            });
        });
        Ok(())
    }

    /// Cuts the points into runs of leaves, of about `limit` points at most. Those that fit a frame are as large as possible.
    pub fn blocks(&self, limit: usize, fixed: Option<&Fixed>, blocks: &mut Vec<Block>) -> Result<()> {
        let widest = fixed.map_or(i64::MAX, |fixed| 2 * i64::from(32767 - fixed.halo));
        let mut waiting = Vec::new();
        push(&mut waiting, 0..self.tree.leaves(), WHAT)?;
        while let Some(leaves) = waiting.pop() {
            let (lo, hi) = self.edges(&leaves);
            let fits = (0..self.tree.dim()).all(|axis| hi[axis] - lo[axis] <= widest);
            // Points that coincide are not parted where a frame could not tell them apart.
            let halves = (self.tree.halves(&leaves)).filter(|[_, second]| !fits || !self.tree.is_cut(second.start));
            match halves {
                Some([first, second]) if !fits || self.tree.points_of(&leaves).len() > limit => {
                    push(&mut waiting, second, WHAT)?;
                    push(&mut waiting, first, WHAT)?;
                }
                _ => push(blocks, Block::Leaves(leaves.start as u32..leaves.end as u32), WHAT)?,
            }
        }
        Ok(())
    }

    /// The box of a run of leaves in units: its lower corner, and the first units beyond it.
    pub fn edges(&self, leaves: &Range<usize>) -> ([i64; 3], [i64; 3]) {
        let [lo, hi] = self.tree.corners(leaves);
        (lo.map(|unit| unit as i64), hi.map(|unit| unit as i64 + 1))
    }

    /// Whether a box, as wide as it may be for a frame, has two images of a point around it, or is so far from the origin that
    /// units err.
    pub fn is_beyond_frames(&self, (lo, hi): ([i64; 3], [i64; 3]), halo: i64) -> bool {
        let far = FARTHEST << UNIT_BITS;
        let meets = |axis: usize| {
            let around = hi[axis] - lo[axis] + 2 * halo + 2;
            self.periods[axis].is_some_and(|period| around >= period >> FINE_BITS)
        };
        (0..self.tree.dim()).any(|axis| lo[axis] <= -far || hi[axis] >= far || meets(axis))
    }

    /// Where the points of a run of leaves lie along `axis`.
    pub fn bounds(&self, leaves: &Range<usize>, axis: usize) -> [f64; 2] {
        let (lo, hi) = self.edges(leaves);
        let clamped = REACH << UNIT_BITS;
        let edge = |unit: f64| self.origin[axis] + unit * f64::from(1 << FINE_BITS) / self.scale;
        [
            if lo[axis] <= -clamped {
                f64::NEG_INFINITY
            } else {
                edge(lo[axis] as f64 - MARGIN)
            },
            if hi[axis] >= clamped {
                f64::INFINITY
            } else {
                edge(hi[axis] as f64 + MARGIN)
            },
        ]
    }

    /// Visits the leaves with points that are `units` from a run of leaves or nearer, each once.
    pub fn near(&self, leaves: &Range<usize>, units: i32, mut action: impl FnMut(usize, Range<usize>)) {
        let lengths = self
            .periods
            .map(|period| period.map(|period| period as f64 / f64::from(1 << FINE_BITS)));
        let reach = f64::from(units) + MARGIN;
        let area = self.tree.corners(leaves);
        self.tree.near(&area, lengths, (|_, _| reach, reach), |leaves| {
            leaves.for_each(|leaf| action(leaf, self.tree.parts(0, leaf)));
        });
    }

    /// Writes the places of points in a frame to the front of `to`: images where those are nearer.
    pub fn place(&self, frame: &Frame, places: Range<usize>, to: &mut [Packed]) {
        to[..places.len()].fill(0);
        for axis in 0..self.tree.dim() {
            let origin = frame.origin[axis] << FINE_BITS;
            let (period, half) = self.periods[axis].map_or((0, i64::MAX), |period| (period, period / 2));
            let (bits, shift) = (FINE_BITS as usize * axis, 48 + FINE_BITS as usize * axis);
            let units = self.tree.coords()[axis][places.clone()]
                .iter()
                .zip(&self.fine[places.clone()]);
            for (to, (&unit, &fine)) in to.iter_mut().zip(units) {
                let fine = i64::from(fine >> bits) & ((1 << FINE_BITS) - 1);
                let mut place = ((unit as i64) << FINE_BITS | fine) - origin;
                place -= if place > half { period } else { 0 };
                place += if place < -half { period } else { 0 };
                let unit = (place >> FINE_BITS).clamp(i16::MIN.into(), i16::MAX.into()) as i16 as u16;
                *to |= Packed::from(unit) << (16 * axis) | (place as Packed & ((1 << FINE_BITS) - 1)) << shift;
            }
        }
    }

    /// Has the places of points fetched, to be read soon.
    pub fn prefetch(&self, places: Range<usize>) {
        let axes = self.tree.coords().iter().take(self.tree.dim());
        axes.for_each(|coords| prefetch_all(&coords[places.clone()]));
        prefetch_all(&self.fine[places]);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let units: usize = self.units.iter().map(Vec::capacity).sum();
        self.tree.bytes() + units * size_of::<f64>() + (self.fine.capacity() + self.unsorted.capacity()) * 2
    }
}
