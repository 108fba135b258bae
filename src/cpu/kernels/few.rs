//! The kernels of clouds of few points: every point against every other in the caller's precision, into a bit for each
//! two; and rows written from those.
//!
//! ```text
//! TestFew:  for each vector of targets, for each point:  d2 = sum over axes, left to right, of (t - p)^2
//!     the bits of d2 <= bound; of a half row those after the point, of a full one all but its own
//! Write: a row for each point: the ids under its bits, in order, one row after the other; and the point as often
//! ```
//!
//! Exact by construction, as `exact` is: a difference to the other side only changes its sign.

use std::ops::Range;

use super::exact::{Targets, distance2, lengths};
use crate::axes::per_axis;
use crate::domain::Periods;
use crate::grid::FEW;
use crate::room::Room;
use crate::simd::{InstructionSet, Kernel, KernelIn, Lanes16, Vector, WORD as IDS, Width};

/// Points of a word.
pub(crate) const WORD: usize = 64;

/// The neighbors of a point, a bit for each.
pub type Bits = [u64; FEW / WORD];

/// Tests as many targets as there are `rows`, infinitely far ones after them, against each other, and counts the bits
/// of each row.
pub struct TestFew<'a, T> {
    pub targets: Targets<'a, T>,
    /// Targets at most so far away, squared, are in reach.
    pub bound: T,
    /// Axes along which the nearest image of a target counts.
    pub periods: &'a Periods<T>,
    /// Rows of all targets but the point itself, or of those after it.
    pub full: bool,
    pub rows: &'a mut [Bits],
    pub counts: &'a mut [u32],
}

impl<T: Width> KernelIn for TestFew<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) {
        let TestFew {
            targets,
            bound,
            periods,
            full,
            rows,
            counts,
        } = self;
        targets.check::<DIM>(&(0..rows.len()));
        rows.fill(Bits::default());
        // SAFETY: S is there, and targets are padded (checked above).
        unsafe {
            if periods.is_open() {
                test::<T::Vector<S>, DIM>(&targets, bound, &[None; DIM], full, rows);
            } else {
                test::<T::Vector<S>, DIM>(&targets, bound, &lengths(periods), full, rows);
            }
        }
        for (k, (row, count)) in rows.iter_mut().zip(counts).enumerate() {
            let (word, bit) = (k / WORD, k % WORD);
            row[word] &= if full { !(1 << bit) } else { u64::MAX << bit << 1 };
            *count = ones(row);
        }
    }
}

/// Number of bits that are set.
#[inline(always)]
fn ones(row: &Bits) -> u32 {
    row.iter().map(|word| word.count_ones()).sum()
}

/// Sets the bits of the targets in reach of each point, at least of those after it.
///
/// # Safety
/// V is available, and there are as many targets as rows, padded.
#[inline(always)]
unsafe fn test<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    bound: V::Real,
    lengths: &[Option<V>; DIM],
    full: bool,
    rows: &mut [Bits],
) {
    let len = rows.len();
    let coords: [_; DIM] = per_axis(|axis| targets.coords[axis].as_ptr());
    // SAFETY: the caller runs where V is available; vectors start before `len`, and targets are padded.
    unsafe {
        let bound = V::splat(bound);
        for at in (0..len).step_by(V::LANES) {
            let vector: [V; DIM] = per_axis(|axis| V::load(coords[axis].add(at)));
            let last = if full { len } else { len.min(at + V::LANES - 1) };
            for (point, row) in rows[..last].iter_mut().enumerate() {
                let point: [V; DIM] = per_axis(|axis| V::splat(*coords[axis].add(point)));
                let hits = distance2(&vector, &point, lengths).le(bound);
                row[at / WORD] |= u64::from(hits) << (at % WORD);
            }
        }
    }
}

/// Writes rows to the front of lists. Returns the number of ids in the rows, and writes at most `len` ids.
pub struct Write<'a> {
    pub rows: &'a [Bits],
    /// The label of each point, and [`ID_PADDING`] elements more.
    pub ids: &'a [i32],
    pub right: Room<'a>,
    /// As often as there are ids in its row, each point.
    pub left: Option<Room<'a>>,
    /// Number of ids in all rows.
    pub len: usize,
    pub full: bool,
}

/// Elements that ids have beyond the last one.
pub(crate) const ID_PADDING: usize = IDS;

impl Kernel for Write<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet>(mut self, _: S) -> usize {
        let (rows, ids, mut found) = (self.rows, self.ids, 0);
        assert!(rows.len() <= FEW && ids.len() >= rows.len() + ID_PADDING);
        let right = self.right.at(0..self.len);
        let left = self.left.as_mut().map(|left| left.at(0..self.len));
        let mut last = [0; FEW + ID_PADDING];
        for (k, row) in rows.iter().enumerate() {
            let (id, len) = (ids[k], ones(row) as usize);
            assert!(found + len <= self.len);
            let first = if self.full { 0 } else { (k + 1) / S::I16::IDS };
            let vectors = first..rows.len().div_ceil(S::I16::IDS);
            // SAFETY: S is there, ids are padded, and lists have room for the row. Where there is room for a vector
            // more, rows are written in whole vectors: the next rows overwrite what these hold beyond the ids.
            unsafe {
                if found + len + S::I16::IDS <= self.len {
                    pack::<S::I16>(row, vectors, ids, right.add(found));
                    if let Some(left) = left {
                        for at in (found..found + len).step_by(S::I16::IDS) {
                            (0..S::I16::IDS).for_each(|n| left.add(at + n).write(id));
                        }
                    }
                } else {
                    pack::<S::I16>(row, vectors, ids, last.as_mut_ptr());
                    for (n, &other) in last[..len].iter().enumerate() {
                        right.add(found + n).write(other);
                        left.inspect(|left| left.add(found + n).write(id));
                    }
                }
            }
            found += len;
        }
        found
    }
}

/// Writes the ids under the bits of some vectors of a row to `to`.
///
/// # Safety
/// V is available, the row has the vectors, ids are padded, and `to` is writable for them and a vector more.
#[inline(always)]
unsafe fn pack<V: Lanes16>(row: &Bits, vectors: Range<usize>, ids: &[i32], mut to: *mut i32) {
    for at in vectors.map(|vector| vector * V::IDS) {
        // SAFETY: the caller's promise.
        unsafe {
            let bits = (row.get_unchecked(at / WORD) >> (at % WORD)) as u32 & (u32::MAX >> (IDS - V::IDS));
            V::compress_ids(ids.as_ptr().add(at), bits, to);
            to = to.add(bits.count_ones() as usize);
        }
    }
}
