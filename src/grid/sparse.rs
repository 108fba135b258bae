//! The sparse grid: only occupied cells, sorted by (z, y, x). For clouds whose bounding box would have far more cells
//! than points: clusters in a vacuum, a diagonal line, a small cutoff in a large domain.

use std::ops::Range;

use rayon::prelude::*;

use super::shape;
use crate::error::Result;
use crate::list::{reserve_discarding, resize_discarding};
use crate::points::{PointsView, Real};
use crate::threads::Team;

/// Bits of a cell coordinate. Farther than 2^40 cells from the middle of the bulk, cells are clamped together.
const BITS: u32 = 42;
const REACH: f64 = (1u64 << (BITS - 2)) as f64;

/// A cell's coordinates packed so that numbers order as (z, y, x); each is biased to be positive, and neighbors of the
/// outermost cells do not overflow into the next axis.
pub type Key = u128;

/// The key of cell `(x, y, z)`.
fn pack(cell: [i64; 3]) -> Key {
    let biased = cell.map(|c| (c + (1 << (BITS - 1))) as Key);
    (biased[2] << (2 * BITS)) | (biased[1] << BITS) | biased[0]
}

/// The cell of a key.
pub fn unpack(key: Key) -> [i64; 3] {
    let axis = |a: u32| ((key >> (a * BITS)) & ((1 << BITS) - 1)) as i64 - (1 << (BITS - 1));
    [axis(0), axis(1), axis(2)]
}

/// Sorts the points' numbers by (cell, number) into `ids`; the occupied cells go to `keys`, their starts to `starts`.
/// `sorted` is scratch.
pub fn sort<T: Real>(
    view: &PointsView<T>,
    cutoff: f64,
    ids: &mut [u32],
    starts: &mut Vec<u32>,
    keys: &mut Vec<Key>,
    sorted: &mut Vec<(Key, u32)>,
    team: &Team,
) -> Result<()> {
    let len = view.len();
    let (origin, inverse) = (shape::middle(view), 1.0 / shape::cell_size(cutoff));
    let key = |i: usize| {
        let mut cell = [0; 3];
        for (axis, c) in cell.iter_mut().enumerate().take(view.dim()) {
            let offset = (view.get(axis, i).to_f64() - origin[axis]) * inverse;
            *c = offset.floor().clamp(-REACH, REACH) as i64;
        }
        (pack(cell), i as u32)
    };
    resize_discarding(sorted, len, (0, 0), "the index")?;
    if team.threads() > 1 {
        team.install(|| {
            sorted.par_iter_mut().enumerate().for_each(|(i, entry)| *entry = key(i));
            sorted.par_sort_unstable();
        });
    } else {
        sorted.iter_mut().enumerate().for_each(|(i, entry)| *entry = key(i));
        sorted.sort_unstable();
    }
    let cells = 1 + sorted.windows(2).filter(|w| w[0].0 != w[1].0).count();
    keys.clear();
    reserve_discarding(keys, cells, "the index")?;
    resize_discarding(starts, cells + 1, 0, "the index")?;
    for (at, &(key, id)) in sorted.iter().enumerate() {
        ids[at] = id;
        if keys.last() != Some(&key) {
            starts[keys.len()] = at as u32;
            keys.push(key);
        }
    }
    starts[cells] = len as u32;
    Ok(())
}

/// The occupied cells from `(x - reach, y, z)` to `(x_end + reach, y, z)`. `hint` is where the last search of this kind
/// ended: blocks come in key order, so the next answer is near, and a galloping search finds it in O(log distance).
pub fn row(keys: &[Key], cell: [i64; 3], x_end: i64, reach: i64, hint: &mut usize) -> Range<usize> {
    let first = pack([cell[0] - reach, cell[1], cell[2]]);
    let last = pack([x_end + reach, cell[1], cell[2]]);
    let start = lower_bound(keys, first, *hint);
    *hint = start;
    let inside = keys[start..].iter().take_while(|&&key| key <= last).count();
    start..start + inside
}

/// The first index whose key is not below `key`, sought outward from `hint`.
fn lower_bound(keys: &[Key], key: Key, hint: usize) -> usize {
    let hint = hint.min(keys.len());
    let mut step = 1;
    if hint == keys.len() || keys[hint] >= key {
        let mut hi = hint;
        loop {
            let lo = hi.saturating_sub(step);
            if lo == 0 || keys[lo] < key {
                return lo + keys[lo..hi].partition_point(|&k| k < key);
            }
            (hi, step) = (lo, step * 2);
        }
    }
    let mut lo = hint;
    loop {
        let hi = (lo + step).min(keys.len());
        if hi == keys.len() || keys[hi] >= key {
            return lo + keys[lo..hi].partition_point(|&k| k < key);
        }
        (lo, step) = (hi, step * 2);
    }
}
