//! Counting rows without finding them: each pair is tested once, from its lower place to its higher one, straight over
//! the cells, and adds one to the row of whichever point has the smaller number. Nothing needs to be sorted.
//!
//! Layers of cells are shared out among threads. A group of layers also adds to rows of the first layer behind it, so
//! even groups work first and odd ones after them. Points that were clamped into the grid from far away are out of reach
//! of real32: there are few, and each is tested by itself.

use std::ops::Range;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use super::query::Query;
use super::simd::{self, Probe, Targets, tally_kernel};
use crate::domain::Bounds;
use crate::error::Result;
use crate::grid::{Layers, Narrow, PADDING};
use crate::list::{prefetch, push, resize_discarding};
use crate::points::Real;
use crate::threads::Team;

/// Groups of layers each thread gets.
const GROUPS_PER_THREAD: usize = 8;

/// Lengths fetched before they are stored.
const AHEAD: usize = 32;

/// A group has about this many layers at most: it then reaches little farther than its other axes do.
const GROUP_LAYERS: usize = 256;

/// One point in this many may be an outlier.
const OUTLIERS: usize = 256;

/// What one worker needs, kept in the handle.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Coordinates of a group and of the layer behind it, where they are not the grid's own.
    coords: [Vec<f32>; 3],
    doubts: Vec<(u32, u32)>,
}

impl Scratch {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.coords.iter().map(|c| c.capacity() * 4).sum::<usize>() + self.doubts.capacity() * 8
    }
}

/// Writes the length of row `i` to `lengths[i]`, using `counters` (a number for each place). Returns false, with nothing
/// done, for a grid that has no layers, or too few to share, or is too wide for real32, or has many points clamped.
pub fn tally<T: Real>(
    query: &Query<T>,
    team: &Team,
    scratch: &mut [&mut Scratch],
    counters: &mut Vec<u32>,
    lengths: &[AtomicI64],
) -> Result<bool> {
    let grid = query.grid;
    let Some(layers) = grid.layers() else { return Ok(false) };
    let groups = layers
        .len()
        .min((team.threads() * GROUPS_PER_THREAD).max(layers.len() / GROUP_LAYERS));
    let first_layer = |group: usize| group * layers.len() / groups;
    let run = Tally {
        query,
        layers: &layers,
        kernel: tally_kernel(query.isa, grid.dim()),
    };
    let narrows = (0..groups).all(|group| run.frame(&(first_layer(group)..first_layer(group + 1))).is_some());
    if !narrows || team.threads() > 1 && groups < 4 * team.threads() {
        return Ok(false);
    }
    let mut outliers = Vec::new();
    if T::NARROWS && layers.clamps() {
        for place in (0..grid.len()).filter(|&place| run.is_outlier(place)) {
            if outliers.len() >= grid.len() / OUTLIERS {
                return Ok(false);
            }
            push(&mut outliers, place, "the list of points far away")?;
        }
    }
    resize_discarding(counters, grid.len() + PADDING, 0, "the counters of rows")?;
    counters.fill(0);
    for parity in 0..2 {
        let (mut rest, mut at) = (&mut counters[..grid.len()], 0);
        let mut windows = Vec::new();
        for group in (parity..groups).step_by(2) {
            let own = first_layer(group)..first_layer(group + 1);
            let window = layers.places(own.start).start..layers.places(own.end).end;
            let (_, tail) = rest.split_at_mut(window.start - at);
            let (counters, tail) = tail.split_at_mut(window.len());
            (rest, at) = (tail, window.end);
            push(
                &mut windows,
                Mutex::new((own, window.start, counters)),
                "the groups of layers",
            )?;
        }
        team.run(scratch, windows.len(), |scratch, k| {
            let mut window = windows[k].lock().unwrap_or_else(PoisonError::into_inner);
            let (own, first, counters) = &mut *window;
            run.group(own.clone(), *first, counters, scratch)
        })?;
    }
    outliers
        .iter()
        .for_each(|&place| run.outlier(place, &outliers, counters));
    store(query, counters, lengths);
    Ok(true)
}

/// Brings the counts from cell order into the caller's.
fn store<T: Real>(query: &Query<T>, counters: &[u32], lengths: &[AtomicI64]) {
    let ids = &query.grid.ids()[..query.grid.len()];
    for (place, (&id, &count)) in ids.iter().zip(counters).enumerate() {
        if let Some(&later) = ids.get(place + AHEAD) {
            prefetch(&lengths[later as usize]);
        }
        lengths[id as usize].store(i64::from(count), Relaxed);
    }
}

struct Tally<'a, T> {
    query: &'a Query<'a, T>,
    layers: &'a Layers<'a>,
    kernel: simd::Tally,
}

impl<T: Real> Tally<'_, T> {
    /// The frame and bounds of a group and the layer behind it: its own where real32 stands in for real64. None where it
    /// would reach too far for that.
    fn frame(&self, own: &Range<usize>) -> Option<(Narrow, Bounds<f32>)> {
        let bound = self.query.bound.to_f64();
        let [middle, reach] = self.layers.middle_and_reach(own.start..own.end + 1);
        let frame = Narrow::new(middle, self.query.cutoff);
        if !T::NARROWS {
            return Some((
                frame,
                Bounds {
                    lower: bound as f32,
                    upper: bound as f32,
                },
            ));
        }
        let farthest = reach.iter().fold(0.0f64, |most, reach| most.max(reach * frame.scale));
        frame.bounds(bound, farthest as f32).map(|bounds| (frame, bounds))
    }

    /// Whether the point was clamped into the grid.
    fn is_outlier(&self, place: usize) -> bool {
        let coords = &self.query.grid.coords()[..self.query.grid.dim()];
        coords.iter().enumerate().any(|(axis, coords)| {
            let [lo, hi] = self.layers.extent(axis);
            !(lo..=hi).contains(&coords[place].to_f64())
        })
    }

    /// Tallies the pairs whose lower place is in layers `own`. `counters` are those of places from `first` on.
    fn group(&self, own: Range<usize>, first: usize, counters: &mut [u32], scratch: &mut Scratch) -> Result<()> {
        let grid = self.query.grid;
        let Scratch { coords, doubts } = scratch;
        let len = counters.len();
        resize_discarding(doubts, len / 8 + PADDING, (0, 0), "the doubtful pairs of a point")?;
        let Some((frame, bounds)) = self.frame(&own) else {
            return Ok(());
        };
        for (axis, coords) in coords[..grid.dim()].iter_mut().enumerate() {
            resize_discarding(coords, len + PADDING, f32::INFINITY, "the coordinates of a layer")?;
            let from = &grid.coords()[axis][first..first + len];
            let [lo, hi] = self.layers.extent(axis);
            for (c, from) in coords.iter_mut().zip(from.iter().map(|c| c.to_f64())) {
                *c = match T::NARROWS {
                    true if from < lo || from > hi => f32::NAN, // in reach of nothing: an outlier
                    true => frame.coord(axis, from),
                    false => from as f32, // it was real32
                };
            }
        }
        let ids: &[i32] = bytemuck::cast_slice(&grid.ids()[first..]);
        let targets = Targets {
            coords: [&coords[0][..], &coords[1], &coords[2]],
            ids,
        };
        let mut runs: [Range<usize>; 5] = Default::default();
        self.layers.cells(own, |cell, forward| {
            let runs = &mut runs[..forward.len()];
            for (run, forward) in runs.iter_mut().zip(forward) {
                *run = forward.start - first..forward.end - first;
            }
            for place in cell {
                let p = place - first;
                runs[0].start = p + 1;
                let point = std::array::from_fn(|axis| targets.coords[axis].get(p).copied().unwrap_or(0.0));
                let probe = Probe {
                    point,
                    bounds,
                    id: ids[p],
                    full: self.query.full,
                };
                let (mut found, doubtful) = self.kernel.tally(&targets, runs, &probe, counters, doubts);
                for &(at, lanes) in &doubts[..doubtful] {
                    found += self.decide(place, first + at as usize, lanes, first, counters);
                }
                counters[p] += found;
            }
        });
        Ok(())
    }

    /// Tallies the pairs of a point far away. Pairs of two such points belong to the one at the higher place.
    fn outlier(&self, place: usize, outliers: &[usize], counters: &mut [u32]) {
        let ids = self.query.grid.ids();
        self.query.grid.reach_of(place, |run| {
            for other in run {
                let mine = other < place || outliers.binary_search(&other).is_err();
                if other != place && mine && self.query.is_pair(place, other) {
                    counters[place] += u32::from(ids[place] < ids[other] || self.query.full);
                    counters[other] += u32::from(ids[other] < ids[place] || self.query.full);
                }
            }
        });
    }

    /// Decides the doubtful targets `at + k` of the point at `place`; returns what its own row gets.
    #[cold]
    fn decide(&self, place: usize, at: usize, lanes: u32, first: usize, counters: &mut [u32]) -> u32 {
        let ids = self.query.grid.ids();
        let mut found = 0;
        for other in (0..u32::BITS).filter(|k| lanes >> k & 1 == 1).map(|k| at + k as usize) {
            if self.query.is_pair(place, other) {
                let ascends = ids[place] < ids[other];
                found += u32::from(ascends || self.query.full);
                counters[other - first] += u32::from(!ascends || self.query.full);
            }
        }
        found
    }
}
