//! A permutation that brings points into spatial order, and moving arrays by it.
//!
//! in: the handle's points, arrays of the caller; out: a permutation, arrays in its order.
//!
//! The order is the z-order (Morton) of cells: the frame of the points is a cube over their extent, its edge divided
//! into 2^64 (1D), 2^32 (2D) or 2^21 (3D) cells, whose numbers' bits are interleaved to a key. Points that share a cell
//! are ordered likewise within a frame of their own, and so on, until they coincide; those go by number. So a stray at
//! 1e300 costs one round and spoils nothing: all others share a cell then, and get a frame of their own. Each round
//! narrows a frame by its number of cells, so there are about a hundred at most, for positions on all scales of real64,
//! and one or two for clouds as they are. In 1D the order is that of the coordinate.
//!
//! Keys are computed and compared, nothing is summed: the order does not depend on threads. The handle's points are
//! never moved.

mod moves;
mod radix;

use std::ops::Range;

use crate::error::Result;
use crate::list::{Out, push, resize_discarding};
use crate::real::Real;
use crate::threads::Team;
pub use moves::{Direction, move_array, move_in_place, reorder, restore};
pub use radix::{Entry, SortScratch};

/// Fewer points than these are sorted by the thread that has them, by comparison.
const RADIX_FROM: usize = 1 << 11;

/// Points that a thread takes at once.
const CHUNK: usize = 1 << 14;

const WHAT: &str = "the spatial order of the points";

/// The fineness with which the curve parts two points that follow each other on it, where they coincide; less where
/// they do not.
pub(crate) const COINCIDENT: u16 = u16::MAX;

/// Writes the numbers of the points in spatial order to `order`, which has room for as many as there are. Takes 28
/// bytes a point while it runs.
pub fn spatial_order<T: Real>(axes: &[Vec<T>], base: i64, team: &Team, mut order: Out<i32>) -> Result<()> {
    let (mut entries, range) = (Vec::new(), 0..order.len());
    spatial_sort(axes, range, team, &mut SortScratch::default(), &mut entries, &mut [])?;
    for (k, entry) in entries.iter().enumerate() {
        order.write(k, (i64::from(entry.point) + base) as i32);
    }
    Ok(())
}

/// Sorts the points of `range`, counted from its start. `splits`, one element more than there are points, or none: how
/// finely the curve parts each point from the one before it: 0 before the first and after the last, more the longer the
/// beginnings of their keys agree, and [`COINCIDENT`].
pub fn spatial_sort<T: Real>(
    axes: &[Vec<T>],
    range: Range<usize>,
    team: &Team,
    scratch: &mut SortScratch,
    entries: &mut Vec<Entry>,
    splits: &mut [u16],
) -> Result<()> {
    resize_discarding(entries, range.len(), Entry::default(), WHAT)?;
    each_chunk(team, entries, |first, chunk| {
        for (point, entry) in (first as u32..).zip(chunk) {
            *entry = Entry { key: 0, point };
        }
    })?;
    sort_entries(axes, range, team, scratch, entries, splits)
}

/// The same for points of several groups: one group after the other, each along a curve of its own. `group` tells the
/// group of a point, and `groups` gets those that there are.
pub fn spatial_sort_in_groups<T: Real>(
    axes: &[Vec<T>],
    group: &(dyn Fn(usize) -> u8 + Sync),
    team: &Team,
    scratch: &mut SortScratch,
    (entries, splits): (&mut Vec<Entry>, &mut [u16]),
    groups: &mut Vec<u8>,
) -> Result<()> {
    let len = splits.len() - 1;
    let mut ends = [0usize; 1 << u8::BITS];
    (0..len).for_each(|point| ends[usize::from(group(point))] += 1);
    groups.clear();
    let mut end = 0;
    for (number, here) in (0..=u8::MAX).zip(&mut ends) {
        if *here > 0 {
            push(groups, number, WHAT)?;
        }
        (*here, end) = (end, end + *here);
    }
    resize_discarding(entries, len, Entry::default(), WHAT)?;
    for point in 0..len {
        let next = &mut ends[usize::from(group(point))];
        entries[*next] = Entry {
            key: 0,
            point: point as u32,
        };
        *next += 1;
    }
    let mut start = 0;
    for &group in groups.iter() {
        let end = ends[usize::from(group)]; // all of it are there
        let (entries, splits) = (&mut entries[start..end], &mut splits[start..=end]);
        sort_entries(axes, 0..len, team, scratch, entries, splits)?;
        start = end;
    }
    Ok(())
}

/// Sorts `entries`, which are numbers counted from the start of `range` and ascend.
fn sort_entries<T: Real>(
    axes: &[Vec<T>],
    range: Range<usize>,
    team: &Team,
    scratch: &mut SortScratch,
    entries: &mut [Entry],
    splits: &mut [u16],
) -> Result<()> {
    if let [first, .., last] = splits {
        (*first, *last) = (0, 0);
    }
    match axes {
        [x] => sort(Coords::new([x], range), entries, splits, 0, scratch, team),
        [x, y] => sort(Coords::new([x, y], range), entries, splits, 0, scratch, team),
        [x, y, z] => sort(Coords::new([x, y, z], range), entries, splits, 0, scratch, team),
        _ => Ok(()),
    }
}

/// Coordinates of the points.
#[derive(Clone, Copy)]
struct Coords<'a, T, const DIM: usize>([&'a [T]; DIM]);

impl<'a, T: Real, const DIM: usize> Coords<'a, T, DIM> {
    fn new(axes: [&'a Vec<T>; DIM], range: Range<usize>) -> Self {
        Coords(axes.map(|axis| &axis[range.clone()]))
    }

    #[inline(always)]
    fn of(&self, entry: &Entry) -> [T; DIM] {
        self.0.map(|axis| axis[entry.point as usize])
    }
}

/// Sorts the points of `entries`, which ascend by number where they coincide; `round` counts the frames around theirs.
fn sort<T: Real, const DIM: usize>(
    coords: Coords<T, DIM>,
    entries: &mut [Entry],
    splits: &mut [u16],
    round: u16,
    scratch: &mut SortScratch,
    team: &Team,
) -> Result<()> {
    let Some(frame) = CurveFrame::around(&coords, entries, team)? else {
        if let Some(splits) = splits.get_mut(1..entries.len()) {
            splits.fill(COINCIDENT);
        }
        return Ok(());
    };
    let key = |entry: &mut Entry| entry.key = frame.key(coords.of(entry).map(Real::to_f64));
    if entries.len() >= RADIX_FROM {
        each_chunk(team, entries, |_, chunk| chunk.iter_mut().for_each(key))?;
        scratch.sort(entries, CurveFrame::<DIM>::BITS * DIM as u32, team)?;
    } else {
        entries.iter_mut().for_each(key);
        entries.sort_unstable();
    }
    let inner = splits.get_mut(1..entries.len()).unwrap_or_default(); // those around the frame are there already
    each_chunk(team, inner, |first, splits| {
        for (split, two) in splits.iter_mut().zip(entries[first..].windows(2)) {
            *split = match two[0].key ^ two[1].key {
                0 => COINCIDENT, // or found out below
                differ => 1 + round * 64 + differ.leading_zeros() as u16,
            };
        }
    })?;
    if frame.edge <= scratch.finest * (1u64 << CurveFrame::<DIM>::BITS.min(63)) as f64 {
        return Ok(()); // those that share a cell count as one
    }
    sort_shared(coords, entries, splits, round + 1, scratch, team)
}

/// Sorts those of `entries`, which are sorted by key, that share one.
fn sort_shared<T: Real, const DIM: usize>(
    coords: Coords<T, DIM>,
    entries: &mut [Entry],
    splits: &mut [u16],
    round: u16,
    scratch: &mut SortScratch,
    team: &Team,
) -> Result<()> {
    let mut start = 0;
    while let Some(twice) = entries[start..].windows(2).position(|two| two[0].key == two[1].key) {
        start += twice;
        let key = entries[start].key;
        let shared = entries[start..].iter().take_while(|entry| entry.key == key).count();
        let here = start..start + shared;
        start = here.end;
        let splits = splits.get_mut(here.clone()).unwrap_or_default();
        sort(coords, &mut entries[here], splits, round, scratch, team)?;
    }
    Ok(())
}

/// Does `work` to chunks of `items`, each with the number of its first.
fn each_chunk<S: Send>(team: &Team, items: &mut [S], work: impl Fn(usize, &mut [S]) + Sync) -> Result<()> {
    if items.len() <= CHUNK {
        work(0, items);
        return Ok(());
    }
    let mut chunks = Vec::new();
    for chunk in items.chunks_mut(CHUNK).enumerate() {
        push(&mut chunks, chunk, WHAT)?;
    }
    team.each(&mut chunks, |(k, chunk)| work(*k * CHUNK, chunk));
    Ok(())
}

/// A cube over some points, divided into cells.
struct CurveFrame<const DIM: usize> {
    lo: [f64; DIM],
    edge: f64,
    /// The factor of coordinates that keeps the edge finite.
    scale: f64,
}

impl<const DIM: usize> CurveFrame<DIM> {
    const BITS: u32 = 64 / DIM as u32;

    /// None where all points of `entries` coincide.
    fn around<T: Real>(coords: &Coords<T, DIM>, entries: &[Entry], team: &Team) -> Result<Option<Self>> {
        let nothing = [[T::INFINITY, T::NEG_INFINITY]; DIM];
        let extent = |entries: &[Entry]| {
            let mut extent = nothing;
            for entry in entries {
                for (c, [lo, hi]) in coords.of(entry).into_iter().zip(&mut extent) {
                    (*lo, *hi) = (if c < *lo { c } else { *lo }, if c > *hi { c } else { *hi });
                }
            }
            extent
        };
        if entries.len() <= CHUNK {
            return Ok(CurveFrame::over(
                &extent(entries).map(|bounds| bounds.map(Real::to_f64)),
            ));
        }
        let mut pieces = Vec::new();
        for piece in entries.chunks(entries.len().div_ceil(team.threads())) {
            push(&mut pieces, (piece, nothing), WHAT)?;
        }
        team.each(&mut pieces, |(piece, found)| *found = extent(piece));
        let mut whole = [[f64::INFINITY, f64::NEG_INFINITY]; DIM];
        for (_, piece) in &pieces {
            for (whole, bounds) in whole.iter_mut().zip(piece) {
                let [lo, hi] = bounds.map(Real::to_f64);
                *whole = [whole[0].min(lo), whole[1].max(hi)];
            }
        }
        Ok(CurveFrame::over(&whole))
    }

    /// None where there is no room between the bounds.
    fn over(extent: &[[f64; 2]; DIM]) -> Option<Self> {
        let edge = |scale: f64| {
            extent
                .iter()
                .map(|[lo, hi]| hi * scale - lo * scale)
                .fold(0.0, f64::max)
        };
        let scale = if edge(1.0).is_finite() { 1.0 } else { 0.5 };
        let edge = edge(scale);
        (edge > 0.0).then(|| CurveFrame {
            lo: extent.map(|[lo, _]| lo * scale),
            edge,
            scale,
        })
    }

    /// The cell of a point, as a key: cells' bits interleaved, those of the first axis before those of the others. The
    /// lowest and the highest point of the longest axis have different ones, so that every frame divides its points.
    #[inline]
    fn key(&self, point: [f64; DIM]) -> u64 {
        let cells = (1u128 << Self::BITS) as f64;
        let last = u64::MAX >> (64 - Self::BITS);
        let mut key = 0;
        for (axis, c) in point.into_iter().enumerate() {
            let place = (c * self.scale - self.lo[axis]) / self.edge;
            // Converting saturates; to signed numbers it is faster.
            let cell = match DIM {
                1 => (place * cells) as u64,
                _ => (place * cells) as i64 as u64,
            }
            .min(last);
            key |= spread::<DIM>(cell) << (DIM - 1 - axis);
        }
        key
    }
}

/// The low 64 / `DIM` bits of `cell`, `DIM` apart.
#[inline]
fn spread<const DIM: usize>(cell: u64) -> u64 {
    let steps: &[(u32, u64)] = match DIM {
        1 => &[],
        2 => &[
            (16, 0x0000_ffff_0000_ffff),
            (8, 0x00ff_00ff_00ff_00ff),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
            (2, 0x3333_3333_3333_3333),
            (1, 0x5555_5555_5555_5555),
        ],
        _ => &[
            (32, 0x001f_0000_0000_ffff),
            (16, 0x001f_0000_ff00_00ff),
            (8, 0x100f_00f0_0f00_f00f),
            (4, 0x10c3_0c30_c30c_30c3),
            (2, 0x1249_2492_4924_9249),
        ],
    };
    steps.iter().fold(cell, |bits, &(by, mask)| (bits | bits << by) & mask)
}
