//! The places of the points of all ranks: boxes, the number of points in each, and the distance within which k points are certain.

use crate::domain::Periods;
use crate::error::Result;
use crate::memory::with_capacity;
use crate::points::Real;
use crate::ranks::boxes::{Reach, Tight};

/// The most boxes that a rank sends to all others.
const MOST: usize = 32;

/// A box as it travels: lowest and highest coordinates, and how many points are in it.
type Told = ([[f64; 3]; 2], u64);
const TOLD: usize = size_of::<[f64; 6]>() + size_of::<u64>();

/// A box around points of a rank.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    pub rank: usize,
    pub tight: Tight,
    pub count: u64,
}

/// A point where the search has it, and how far its neighbors may be, as [`Limits`] measures it.
#[derive(Clone, Copy, Debug)]
pub struct Seeker {
    pub at: [f64; 3],
    pub limit: f64,
    pub point: u32,
}

/// The box around points, and their greatest limit.
pub fn around(points: &[Seeker]) -> (Tight, f64) {
    let tight = Tight::around(points.iter().map(|seeker| &seeker.at));
    (tight, points.iter().fold(0.0, |limit, seeker| seeker.limit.max(limit)))
}

/// Brings the points below or on the middle of the box's longest edge to the front; returns how many. Both parts have some.
pub fn part(points: &mut [Seeker], tight: &Tight) -> usize {
    let (_, axis) = tight.longest();
    let (middle, mut below) = (tight.middle(axis), 0);
    for k in 0..points.len() {
        if points[k].at[axis] <= middle {
            points.swap(below, k);
            below += 1;
        }
    }
    below
}

/// Boxes around this rank's points, as they travel: the longest is parted again and again.
pub fn outline(points: &mut [Seeker]) -> Result<Vec<u8>> {
    let mut blocks = with_capacity(MOST, "boxes to send")?;
    if !points.is_empty() {
        blocks.push((0..points.len(), around(points).0));
    }
    while !blocks.is_empty() && blocks.len() < MOST {
        let edge = |k: usize| blocks[k].1.longest().0;
        let longest = (1..blocks.len()).fold(0, |longest, k| if edge(k) > edge(longest) { k } else { longest });
        if edge(longest) == 0.0 {
            break;
        }
        let (range, tight) = blocks.swap_remove(longest);
        let middle = range.start + part(&mut points[range.clone()], &tight);
        for range in [range.start..middle, middle..range.end] {
            let (tight, _) = around(&points[range.clone()]);
            blocks.push((range, tight));
        }
    }
    let mut bytes = with_capacity(blocks.len() * TOLD, "boxes to send")?;
    for (range, Tight { lo, hi }) in blocks {
        bytes.extend_from_slice(bytemuck::bytes_of(&[lo, hi]));
        bytes.extend_from_slice(&(range.len() as u64).to_ne_bytes());
    }
    Ok(bytes)
}

/// The boxes of all ranks.
#[derive(Debug)]
pub struct Atlas {
    pub foreign: Vec<Region>,
    own: Vec<Region>,
}

impl Atlas {
    /// The answers of all ranks.
    pub fn new<'a>(all: impl Iterator<Item = &'a [u8]> + Clone, me: usize) -> Result<Atlas> {
        let total = all.clone().map(<[u8]>::len).sum::<usize>() / TOLD;
        let (mut foreign, mut own) = (
            with_capacity(total, "received boxes")?,
            with_capacity(MOST, "received boxes")?,
        );
        for (rank, bytes) in all.enumerate() {
            let list = if rank == me { &mut own } else { &mut foreign };
            list.extend(bytes.chunks_exact(TOLD).map(|told| {
                let (corners, count) = told.split_at(TOLD - size_of::<u64>());
                let ([lo, hi], count): Told = (
                    bytemuck::pod_read_unaligned(corners),
                    bytemuck::pod_read_unaligned(count),
                );
                let tight = Tight { lo, hi };
                Region { rank, tight, count }
            }));
        }
        Ok(Atlas { foreign, own })
    }

    /// A limit within which every point in `tight` has `need` points, itself among them; infinite where there are not as many.
    pub fn limit(&self, tight: &Tight, need: usize, limits: &Limits) -> Result<f64> {
        let all = || self.foreign.iter().chain(&self.own);
        let mut far = with_capacity(self.foreign.len() + self.own.len(), "boxes by distance")?;
        far.extend(all().map(|region| (limits.farthest(tight, &region.tight), region.count)));
        far.sort_unstable_by(|a: &(f64, u64), b| a.0.total_cmp(&b.0));
        let mut sum = 0;
        let enough = far.into_iter().find(|&(_, count)| {
            sum += count;
            sum >= need as u64
        });
        Ok(enough.map_or(f64::INFINITY, |(square, _)| limits.of(limits.of(square))))
    }
}

/// The distance of boxes within which a square that was computed of points in them, in the precision of the points, is possible.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The greater gaps of boxes, across periodic boundaries too.
    reach: Reach,
    lengths: [Option<f64>; 3],
    factor: f64,
    slack: f64,
    /// The least number above 0, and the largest square that is searched.
    range: [f64; 2],
    bound: f64,
}

impl Limits {
    /// For points in a box, of which no two with a square above `bound` are searched.
    pub fn new<T: Real>(periods: &Periods<T>, bound: T) -> Limits {
        let lengths = periods.lengths();
        Limits {
            reach: Reach::new(0.0, T::ROUNDOFF, lengths),
            lengths,
            factor: 1.0 + 16.0 * T::ROUNDOFF,
            slack: 12.0 * periods.slack(),
            range: [2.0 * T::ROUNDOFF * T::LEAST_NORMAL, T::INFINITY.next_down().to_f64()],
            bound: bound.to_f64(),
        }
    }

    /// A bound on squares of gaps where points have this square, as computed, or a smaller one.
    ///
    /// Roundoff is counted as in [`Reach::new`], with one unit more for the root here. There is no smallest cutoff here: each of
    /// three squares and two sums may have lost half of the smallest number. A square that is infinite says nothing.
    pub fn of(&self, square: f64) -> f64 {
        let [least, most] = self.range;
        let reach = square.min(self.bound).sqrt() * self.factor + self.slack;
        let limit = reach * reach + 8.0 * least;
        if limit <= most { limit } else { f64::INFINITY }
    }

    /// Whether a point of one box and one of the other may be as near as `limit` says.
    pub fn joins(&self, a: &Tight, b: &Tight, limit: f64) -> bool {
        let gap = |axis: usize| self.reach.gap(axis, [a.lo[axis], a.hi[axis]], [b.lo[axis], b.hi[axis]]);
        (0..3).map(gap).fold(0.0, |square, gap| square + gap * gap) <= limit
    }

    /// The square of a distance that no point of one box and one of the other exceed.
    fn farthest(&self, a: &Tight, b: &Tight) -> f64 {
        let far = |axis: usize| {
            let far = (b.hi[axis] - a.lo[axis]).max(a.hi[axis] - b.lo[axis]);
            self.lengths[axis].map_or(far, |length| far.min(0.5 * length))
        };
        (0..3).map(far).fold(0.0, |square, far| square + far * far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes of two ranks: a limit holds as many points as are needed, and not many more.
    #[test]
    fn enough() {
        let limits = Limits::new(&Periods::default(), f64::INFINITY);
        let cloud = |at: f64| (0..64).map(move |k| [at + f64::from(k), 0.0, 0.0]).zip(0..);
        let seeker = |(at, point)| Seeker { at, limit: 0.0, point };
        let seekers = |at: f64| cloud(at).map(seeker).collect::<Vec<_>>();
        let told = [
            outline(&mut seekers(0.0)).unwrap(),
            outline(&mut seekers(64.0)).unwrap(),
        ];
        let atlas = Atlas::new(told.iter().map(|told| &told[..]), 1).unwrap();
        assert_eq!((atlas.own.len(), atlas.foreign.len()), (MOST, MOST));
        let at = Tight::of([63.0, 0.0, 0.0]);
        let radius = |need| atlas.limit(&at, need, &limits).unwrap().sqrt();
        assert!((2.0..4.0).contains(&radius(4)) && (63.0..66.0).contains(&radius(127)));
        assert_eq!(radius(129), f64::INFINITY);
    }

    /// Squares that lost their last digits, or all of them, still reach.
    #[test]
    fn tiny_and_huge() {
        let near = Tight::of([1e-30, 0.0, 0.0]);
        let origin = Tight::of([0.0; 3]);
        let limits = Limits::new(&Periods::default(), f32::INFINITY);
        assert!(limits.joins(&origin, &near, limits.of(0.0)), "1e-60 is 0 in real32");
        assert!(!limits.joins(&origin, &Tight::of([1e-20, 0.0, 0.0]), limits.of(0.0)));
        assert_eq!(limits.of(f32::MAX.into()), f64::INFINITY);
        assert!(limits.joins(&origin, &Tight::of([1e300; 3]), limits.of(f64::INFINITY)));
    }
}
