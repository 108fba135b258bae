//! The kernels of clouds of few points: every point against every other in the caller's precision, into a bit for each two; and
//! rows written from those.
//!
//! ```text
//! test:  for each vector of targets, for each point:  d2 = sum over axes, left to right, of (t - p)^2
//!     the bits of d2 <= bound; of a half row those behind the point, of a full one all but its own
//! write: a row for each point: the ids under its bits, in order, one row behind the other; and the point as often
//! ```
//!
//! Exact by construction, as `kernel` is: a difference to the other side has but the other sign.

use super::fixed::{Lanes16, WORD as IDS};
use super::kernel::{lengths, nearest};
use super::vector::Vector;
use super::{Isa, Targets};
use crate::domain::Periods;
use crate::grid::FEW;
use crate::list::Rows;

/// Points of a word.
pub(crate) const WORD: usize = 64;

/// Which points a point has: a bit for each.
pub type Bits = [u64; FEW / WORD];

/// What is asked of each point.
pub struct Within<'a, T> {
    /// Targets at most so far away, squared, are in reach.
    pub bound: T,
    /// Axes along which the nearest image of a target counts.
    pub periods: &'a Periods<T>,
    /// Rows of all targets but the point itself, or of those behind it.
    pub full: bool,
}

/// Targets that a point is tested against at once, so that their bits are whole bytes.
const fn step<V: Vector>() -> usize {
    if V::LANES < 8 { 8 } else { V::LANES }
}

/// See [`Kernels::test`](super::Kernels::test).
///
/// # Safety
/// V is available, there are as many targets as rows, padded by a step, and no more than a row has bits.
#[inline(always)]
pub unsafe fn test<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    within: &Within<V::Real>,
    rows: &mut [Bits],
    counts: &mut [u32],
) {
    rows.fill(Bits::default());
    // SAFETY: the caller's promise.
    unsafe {
        if within.periods.is_open() {
            test_in::<V, DIM>(targets, within, rows, &[None; DIM]);
        } else {
            test_in::<V, DIM>(targets, within, rows, &lengths::<V, DIM>(within.periods));
        }
    }
    for (k, (row, count)) in rows.iter_mut().zip(counts).enumerate() {
        let (word, bit) = (k / WORD, k % WORD);
        match within.full {
            true => row[word] &= !(1 << bit),
            false => row[word] &= u64::MAX << bit << 1,
        }
        *count = row.iter().map(|word| word.count_ones()).sum();
    }
}

/// # Safety
/// As for [`test`].
#[inline(always)]
unsafe fn test_in<V: Vector, const DIM: usize>(
    targets: &Targets<V::Real>,
    within: &Within<V::Real>,
    rows: &mut [Bits],
    lengths: &[Option<V>; DIM],
) {
    let len = rows.len();
    // SAFETY: the caller runs where V is available; steps start before `len`, and targets are padded by as much.
    unsafe {
        let bound = V::splat(within.bound);
        for at in (0..len).step_by(step::<V>()) {
            let last = if within.full {
                len
            } else {
                len.min(at + step::<V>() - 1)
            };
            for (point, row) in rows[..last].iter_mut().enumerate() {
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

/// Rows to be written to the front of lists.
pub struct Write<'a> {
    pub rows: &'a [Bits],
    /// What each point is called, and [`PADDING`] elements more.
    pub ids: &'a [i32],
    pub right: Rows<'a>,
    /// As often as there are ids in its row, each point.
    pub left: Option<Rows<'a>>,
    /// Number of ids in all rows.
    pub len: usize,
    pub full: bool,
}

/// Elements that ids have beyond the last one.
pub(crate) const PADDING: usize = IDS;

type WriteFn = unsafe fn(&mut Write) -> usize;

/// Writes rows; returns the number of ids in them. Of these no more than `len` were written.
pub fn write(isa: Isa, how: &mut Write) -> usize {
    assert!(how.rows.len() <= FEW && how.ids.len() >= how.rows.len() + PADDING);
    assert!(how.right.len() >= how.len && how.left.as_ref().is_none_or(|left| left.len() >= how.len));
    let write: WriteFn = match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 if isa.is_available() => super::avx512::few::write,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 if isa.is_available() => super::avx2::few::write,
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        Isa::Neon if isa.is_available() => super::neon::few::write,
        _ => super::scalar::few::write,
    };
    // SAFETY: the instruction set is available; ids are padded and lists have room (checked above).
    unsafe { write(how) }
}

/// See [`write`].
///
/// # Safety
/// V is available, rows are not more than they have bits, ids are padded, and lists have room.
#[inline(always)]
pub(super) unsafe fn write_rows<V: Lanes16>(how: &mut Write) -> usize {
    let right = how.right.at(0..how.len);
    match how.left.as_mut().map(|left| left.at(0..how.len)) {
        // SAFETY: the caller's promise.
        Some(left) => unsafe { write_in::<V, true>(how, [right, left]) },
        // SAFETY: the same, and nothing is written to the second.
        None => unsafe { write_in::<V, false>(how, [right, right]) },
    }
}

/// # Safety
/// As for [`write_rows`]; both lists are writable for `how.len` ids, the second one only if it is wanted.
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

/// The instance of an instruction set.
macro_rules! few_kernels {
    ($vector:ty, $($feature:literal)?) => {
        use super::super::few::{Write, write_rows};

        $(#[target_feature(enable = $feature)])?
        pub unsafe fn write(how: &mut Write) -> usize {
            // SAFETY: the caller vouches for the instruction set and the room.
            unsafe { write_rows::<$vector>(how) }
        }
    };
}
pub(super) use few_kernels;
