//! Counting rows without finding them: each pair is tested once, from its lower place to its higher one, straight over
//! the cells, and adds one to the row of whichever point has the smaller number. Nothing needs to be sorted.
//!
//! Layers of cells are shared out among threads. A group of layers also adds to rows of the first layer behind it, so
//! even groups work first and odd ones after them.

use std::ops::Range;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use super::query::Query;
use super::simd::{self, Probe, Targets, tally_kernel};
use crate::domain::Bounds;
use crate::error::Result;
use crate::grid::{Layers, Narrow, PADDING};
use crate::list::{prefetch, resize_discarding};
use crate::points::Real;
use crate::threads::Team;

/// Groups of layers each thread gets.
const GROUPS_PER_THREAD: usize = 8;

/// Lengths fetched before they are stored.
const AHEAD: usize = 32;

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
/// done, for a grid that has no layers, or too few to share, or is too wide for real32.
pub fn tally<T: Real>(
    query: &Query<T>,
    team: &Team,
    scratch: &mut [&mut Scratch],
    counters: &mut Vec<u32>,
    lengths: &[AtomicI64],
) -> Result<bool> {
    let grid = query.grid;
    let Some(layers) = grid.layers() else { return Ok(false) };
    let groups = layers.len().min(team.threads() * GROUPS_PER_THREAD);
    if team.threads() > 1 && groups < 4 * team.threads() {
        return Ok(false);
    }
    let frame = match T::NARROWS {
        false => None,
        true => {
            let [middle, farthest] = layers.middle_and_reach();
            let frame = Narrow::new(middle, query.cutoff);
            let farthest = farthest
                .iter()
                .fold(0.0f64, |most, reach| most.max(reach * frame.scale));
            match frame.bounds(query.bound.to_f64(), farthest as f32) {
                Some(bounds) => Some((frame, bounds)),
                None => return Ok(false),
            }
        }
    };
    resize_discarding(counters, grid.len() + PADDING, 0, "the counters of rows")?;
    counters.fill(0);
    let run = Tally {
        query,
        layers: &layers,
        frame,
        kernel: tally_kernel(query.isa, grid.dim()),
    };
    let first_layer = |group: usize| group * layers.len() / groups;
    for parity in 0..2 {
        let (mut rest, mut at) = (&mut counters[..grid.len()], 0);
        let mut windows = Vec::new();
        for group in (parity..groups).step_by(2) {
            let own = first_layer(group)..first_layer(group + 1);
            let window = layers.places(own.start).start..layers.places(own.end).end;
            let (_, tail) = rest.split_at_mut(window.start - at);
            let (counters, tail) = tail.split_at_mut(window.len());
            (rest, at) = (tail, window.end);
            windows.push(Mutex::new((own, window.start, counters)));
        }
        team.run(scratch, windows.len(), |scratch, k| {
            let mut window = windows[k].lock().unwrap_or_else(PoisonError::into_inner);
            let (own, first, counters) = &mut *window;
            run.group(own.clone(), *first, counters, scratch)
        })?;
    }
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
    frame: Option<(Narrow, Bounds<f32>)>,
    kernel: simd::Tally,
}

impl<T: Real> Tally<'_, T> {
    /// Tallies the pairs whose lower place is in layers `own`. `counters` are those of places from `first` on.
    fn group(&self, own: Range<usize>, first: usize, counters: &mut [u32], scratch: &mut Scratch) -> Result<()> {
        let grid = self.query.grid;
        let Scratch { coords, doubts } = scratch;
        let len = counters.len();
        resize_discarding(doubts, len / 8 + PADDING, (0, 0), "the doubtful pairs of a point")?;
        for (axis, coords) in coords[..grid.dim()].iter_mut().enumerate() {
            resize_discarding(coords, len + PADDING, f32::INFINITY, "the coordinates of a layer")?;
            let from = &grid.coords()[axis][first..first + len];
            for (c, from) in coords.iter_mut().zip(from) {
                *c = match &self.frame {
                    Some((frame, _)) => frame.coord(axis, from.to_f64()),
                    None => from.to_f64() as f32, // real32 already
                };
            }
        }
        let ids: &[i32] = bytemuck::cast_slice(&grid.ids()[first..]);
        let targets = Targets {
            coords: [&coords[0][..], &coords[1], &coords[2]],
            ids,
        };
        let bounds = self.frame.map_or_else(
            || Bounds {
                lower: self.query.bound.to_f64() as f32,
                upper: self.query.bound.to_f64() as f32,
            },
            |(_, bounds)| bounds,
        );
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
