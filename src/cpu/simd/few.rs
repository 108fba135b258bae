//! The kernels of clouds of few points: every point against every other in the caller's precision, into a bit for each two; and
//! rows written from those.
//!
//! ```text
//! Test:  for each vector of targets, for each point:  d2 = sum over axes, left to right, of (t - p)^2
//!     the bits of d2 <= bound; of a half row those behind the point, of a full one all but its own
//! Write: a row for each point: the ids under its bits, in order, one row behind the other; and the point as often
//! ```
//!
//! Exact by construction, as `exact` is: a difference to the other side only changes its sign.

use super::exact::{Targets, lengths, nearest};
use super::vector::{InstructionSet, Kernel, KernelIn, Lanes16, Vector, WORD as IDS, Width};
use crate::domain::Periods;
use crate::grid::{self, FEW};
use crate::room::Room;

/// Points of a word.
pub(crate) const WORD: usize = 64;

/// Which points a point has: a bit for each.
pub type Bits = [u64; FEW / WORD];

/// Tests as many targets as there are `rows`, infinitely far ones behind them, against each other, and counts the bits of
/// each row.
pub struct Test<'a, T> {
    pub targets: Targets<'a, T>,
    /// Targets at most so far away, squared, are in reach.
    pub bound: T,
    /// Axes along which the nearest image of a target counts.
    pub periods: &'a Periods<T>,
    /// Rows of all targets but the point itself, or of those behind it.
    pub full: bool,
    pub rows: &'a mut [Bits],
    pub counts: &'a mut [u32],
}

/// Targets that a point is tested against at once, so that their bits are whole bytes.
const fn step<V: Vector>() -> usize {
    if V::LANES < 8 { 8 } else { V::LANES }
}

impl<T: Width> KernelIn for Test<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(mut self, _: S) {
        let padded = self.rows.len() + grid::PADDING;
        assert!(self.targets.coords[..DIM].iter().all(|coords| coords.len() >= padded));
        assert!(self.rows.len() <= FEW && self.counts.len() >= self.rows.len());
        self.rows.fill(Bits::default());
        // SAFETY: S is there, targets are padded by a step, and a row has a bit for each (checked above).
        unsafe {
            if self.periods.is_open() {
                test_in::<T::Vector<S>, DIM>(&mut self, &[None; DIM]);
            } else {
                let lengths = lengths::<T::Vector<S>, DIM>(self.periods);
                test_in::<T::Vector<S>, DIM>(&mut self, &lengths);
            }
        }
        for (k, (row, count)) in self.rows.iter_mut().zip(self.counts).enumerate() {
            let (word, bit) = (k / WORD, k % WORD);
            match self.full {
                true => row[word] &= !(1 << bit),
                false => row[word] &= u64::MAX << bit << 1,
            }
            *count = row.iter().map(|word| word.count_ones()).sum();
        }
    }
}

/// # Safety
/// V is available, targets are padded by a step, and a row has a bit for each.
#[inline(always)]
unsafe fn test_in<V: Vector, const DIM: usize>(test: &mut Test<V::Real>, lengths: &[Option<V>; DIM]) {
    let (targets, len) = (&test.targets, test.rows.len());
    // SAFETY: the caller runs where V is available; steps start before `len`, and targets are padded by as much.
    unsafe {
        let bound = V::splat(test.bound);
        for at in (0..len).step_by(step::<V>()) {
            let last = if test.full { len } else { len.min(at + step::<V>() - 1) };
            for (point, row) in test.rows[..last].iter_mut().enumerate() {
                let mut bits = 0;
                for part in (0..step::<V>()).step_by(V::LANES) {
                    let mut d2 = difference(targets, 0, [at + part, point], lengths).square();
                    for axis in 1..DIM {
                        d2 = d2.add_square(difference(targets, axis, [at + part, point], lengths));
                    }
                    bits |= d2.le(bound) << part;
                }
                put::<V>(row, at, bits);
            }
        }
    }
}

/// The coordinates of the targets from `at` on less that of a point; of a periodic axis, to the nearest image, except for its sign.
///
/// # Safety
/// V is available, `point` is a target, and whole vectors of targets are readable from `at` on.
#[inline(always)]
unsafe fn difference<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    axis: usize,
    [at, point]: [usize; 2],
    lengths: &[Option<V>; DIM],
) -> V {
    let coords = targets.coords[axis].as_ptr();
    // SAFETY: the caller runs where V is available; both are targets, which are padded.
    unsafe {
        let d = V::load(coords.add(at)).sub(V::splat(*coords.add(point)));
        match lengths[axis] {
            Some(length) => nearest(d, length),
            None => d,
        }
    }
}

/// Writes the bits of the targets from number `at` on.
///
/// # Safety
/// `at` is a multiple of the step, and less than a row has bits.
#[inline(always)]
unsafe fn put<V: Vector>(row: &mut Bits, at: usize, bits: u32) {
    if cfg!(target_endian = "big") {
        row[at / WORD] |= u64::from(bits) << (at % WORD);
        return;
    }
    let row = row.as_mut_ptr();
    // SAFETY: a step begins before the number of rows, which is at most that of a row's bits; bytes stand as bits do.
    unsafe {
        match step::<V>() {
            8 => row.cast::<u8>().add(at / 8).write(bits as u8),
            _ => row.cast::<u16>().add(at / 16).write(bits as u16),
        }
    }
}

/// Writes rows to the front of lists. Returns the number of ids in the rows, and writes at most `len` ids.
pub struct Write<'a> {
    pub rows: &'a [Bits],
    /// What each point is called, and [`PADDING`] elements more.
    pub ids: &'a [i32],
    pub right: Room<'a>,
    /// As often as there are ids in its row, each point.
    pub left: Option<Room<'a>>,
    /// Number of ids in all rows.
    pub len: usize,
    pub full: bool,
}

/// Elements that ids have beyond the last one.
pub(crate) const PADDING: usize = IDS;

impl Kernel for Write<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet>(mut self, _: S) -> usize {
        assert!(self.rows.len() <= FEW && self.ids.len() >= self.rows.len() + PADDING);
        let right = self.right.at(0..self.len);
        match self.left.as_mut().map(|left| left.at(0..self.len)) {
            // SAFETY: S is there, and ids are padded (checked above). `at` checks that lists have room.
            Some(left) => unsafe { write_in::<S::I16, true>(&self, [right, left]) },
            // SAFETY: the same, and nothing is written to the second.
            None => unsafe { write_in::<S::I16, false>(&self, [right, right]) },
        }
    }
}

/// # Safety
/// V is available, rows are not more than they have bits, ids are padded, and both lists are writable for `how.len` ids, the second
/// one only if it is wanted.
#[inline(always)]
unsafe fn write_in<V: Lanes16, const LEFT: bool>(how: &Write, [right, left]: [*mut i32; 2]) -> usize {
    let mut found = 0;
    for (k, row) in how.rows.iter().enumerate() {
        let mut at = if how.full { 0 } else { (k + 1) / V::IDS * V::IDS };
        while at < how.rows.len() {
            // SAFETY: the caller runs where V is available, rows are not more than they have bits, ids are padded, and lists have
            // room for `len`: whole vectors are written where there is room for them, and what they hold beyond the ids is
            // overwritten by those that follow.
            unsafe {
                let bits = (row.get_unchecked(at / WORD) >> (at % WORD)) as u32 & (u32::MAX >> (IDS - V::IDS));
                let (ids, len) = (how.ids.as_ptr().add(at), bits.count_ones() as usize);
                if found + V::IDS <= how.len {
                    V::compress_ids(ids, bits, right.add(found));
                    if LEFT {
                        V::repeat(*how.ids.get_unchecked(k), left.add(found));
                    }
                } else if bits != 0 && found + len <= how.len {
                    write_last(ids, bits, right.add(found));
                    if LEFT {
                        (0..len).for_each(|n| left.add(found + n).write(*how.ids.get_unchecked(k)));
                    }
                }
                found += len;
            }
            at += V::IDS;
        }
    }
    found
}

/// Writes the ids under the bits, and nothing beyond.
///
/// # Safety
/// `ids` is readable where bits are set, and `to` writable for as many.
#[cold]
#[inline(never)]
unsafe fn write_last(ids: *const i32, mut bits: u32, mut to: *mut i32) {
    while bits != 0 {
        // SAFETY: the caller has ids and room for all.
        unsafe {
            to.write(*ids.add(bits.trailing_zeros() as usize));
            to = to.add(1);
        }
        bits &= bits - 1;
    }
}
