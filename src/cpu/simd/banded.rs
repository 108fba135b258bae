//! Targets that have a radius each, 32 at a time in real32: a pair's cutoff is made of two reaches, and a band around it is
//! left to the caller's arithmetic. The algorithms, once for all instruction sets, and their table.
//!
//! ```text
//! c = the reach of the member, the greater or lesser one of it and the target's, or their sum
//! above = c^2 * wider + least,  below = above * narrower - 2 * least
//! (of the greater or lesser reach, the greater or lesser one of what both make: each target's is there beforehand)
//! select: keeps the targets whose distance squared from a box is at most above
//! test:   a word for each member and 32 targets: the bits of d2 <= above; those with d2 > below are doubtful
//! ```

use super::fixed::{Settle, WORD, first_word};
use super::vector::Vector;
use crate::axes::per_axis;

/// Elements that every array of targets has beyond its last one.
pub(crate) const PADDING: usize = 2 * WORD;

/// Targets in ascending order of their numbers, padded: coordinates per axis (only `dim` are read).
#[derive(Clone, Copy)]
pub struct Targets<'a> {
    pub coords: [&'a [f32]; 3],
    /// What [`Band::bound`] makes of how far each reaches.
    pub bound: &'a [f32],
    /// Where each target stands in the block's neighborhood.
    pub index: &'a [i32],
    pub len: usize,
}

/// Where selected targets are written: arrays as long as those of the targets.
pub struct Selection<'a> {
    pub coords: [&'a mut [f32]; 3],
    pub bound: &'a mut [f32],
    pub index: &'a mut [i32],
}

/// How sure distances are, in the units of the coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Band {
    /// A cutoff squared, times this and plus `least`, is more than the distance squared of any pair within it,
    pub wider: f32,
    /// whose square root is less than this,
    pub root: f32,
    /// and that sum, times this and less `2 * least`, no more than of any pair beyond.
    pub narrower: f32,
    pub least: f32,
    /// Lengths of periodic axes; infinite of open ones.
    pub lengths: [f32; 3],
}

/// A box, and the reach of whoever is in it.
pub struct Near {
    pub lo: [f32; 3],
    pub hi: [f32; 3],
    pub reach: f32,
}

/// What members are tested for.
pub struct Test<'a> {
    pub band: Band,
    /// Rows of all targets but the member itself, or of those behind it.
    pub full: bool,
    pub settle: &'a mut Settle<'a>,
}

/// How a cutoff is made of the reaches of a member and a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The member's.
    Own,
    Greater,
    Lesser,
    Sum,
}

const fn way_of<const WAY: u8>() -> Way {
    [Way::Own, Way::Greater, Way::Lesser, Way::Sum][WAY as usize]
}

impl Band {
    /// What a reach makes of a bound of distances squared: all of it, but where reaches are summed, and then squared.
    #[inline(always)]
    pub fn bound(&self, way: Way, reach: f32) -> f32 {
        match way {
            Way::Sum => reach * self.root,
            _ => reach * reach * self.wider + self.least,
        }
    }

    /// The reach that made a bound, or about so.
    #[inline(always)]
    pub fn reach(&self, way: Way, bound: f32) -> f32 {
        match way {
            Way::Sum => bound,
            _ => bound.sqrt(),
        }
    }
}

/// The bound of members and targets, of what [`Band::bound`] made of either.
///
/// # Safety
/// V is available.
#[inline(always)]
unsafe fn bound_of<V: Vector<Real = f32>, const WAY: u8>(mine: V, others: V, least: V) -> V {
    // SAFETY: the caller runs where V is available.
    unsafe {
        match way_of::<WAY>() {
            Way::Own => mine,
            Way::Greater => mine.max(others),
            Way::Lesser => mine.min(others),
            Way::Sum => least.near_square(mine.add(others)),
        }
    }
}

/// See [`Kernels::select`].
///
/// # Safety
/// V is available, targets are padded, and the selection has as much room.
#[inline(always)]
pub unsafe fn select<V: Vector<Real = f32>, const DIM: usize, const WAY: u8, const PERIODIC: bool>(
    targets: &Targets,
    near: &Near,
    band: &Band,
    to: &mut Selection,
) -> usize {
    // SAFETY: the caller runs where V is available; both sides are padded; no more is written than was read.
    unsafe {
        let splat = |corner: &[f32; 3]| -> [V; DIM] { per_axis(|axis| V::splat(corner[axis])) };
        let (lo, hi, lengths) = (splat(&near.lo), splat(&near.hi), splat(&band.lengths));
        let (zero, least) = (V::splat(0.0), V::splat(band.least));
        let mine = V::splat(band.bound(way_of::<WAY>(), near.reach));
        let mut selected = 0;
        for at in (0..targets.len).step_by(V::LANES) {
            let coords: [V; DIM] = per_axis(|axis| V::load(targets.coords[axis].as_ptr().add(at)));
            let bound = V::load(targets.bound.as_ptr().add(at));
            let mut d2 = zero;
            for axis in 0..DIM {
                let (coord, length) = (coords[axis], lengths[axis]);
                let mut d = lo[axis].sub(coord).max(coord.sub(hi[axis]));
                if PERIODIC {
                    // Or from the images on either side, as differences are brought to the nearest; the least, negated.
                    let (above, below) = (hi[axis].sub(coord).sub(length), coord.sub(lo[axis]).sub(length));
                    d = zero.sub(zero.sub(d).max(above).max(below));
                }
                d2 = d2.near_square(d.max(zero));
            }
            let above = bound_of::<V, WAY>(mine, bound, least);
            let mut hits = d2.le(above);
            if targets.len - at < V::LANES {
                hits &= (1 << (targets.len - at)) - 1;
            }
            for (axis, coord) in coords.iter().enumerate() {
                coord.compress(hits, to.coords[axis].as_mut_ptr().add(selected));
            }
            bound.compress(hits, to.bound.as_mut_ptr().add(selected));
            V::compress_ids(
                targets.index.as_ptr().add(at),
                hits,
                to.index.as_mut_ptr().add(selected),
            );
            selected += hits.count_ones() as usize;
        }
        selected
    }
}

/// See [`Kernels::test`].
///
/// # Safety
/// V is available, targets are padded, ranks are below their number, and there is room for the words of all members.
#[inline(always)]
pub unsafe fn test<V: Vector<Real = f32>, const DIM: usize, const WAY: u8, const PERIODIC: bool>(
    targets: &Targets,
    (ranks, reaches): (&[u16], &[f32]),
    how: &mut Test,
    words: &mut [u32],
    counts: &mut [u32],
) -> usize {
    // SAFETY: the caller runs where V is available; targets are padded; `words` has room.
    unsafe {
        let lengths: [V; DIM] = per_axis(|axis| V::splat(how.band.lengths[axis]));
        let (zero, least) = (V::splat(0.0), V::splat(how.band.least));
        let (narrower, twice) = (V::splat(how.band.narrower), V::splat(2.0 * how.band.least));
        let coords: [*const f32; DIM] = per_axis(|axis| targets.coords[axis].as_ptr());
        let mut word = words.as_mut_ptr();
        for ((&rank, &reach), count) in ranks.iter().zip(reaches).zip(counts) {
            let rank = rank as usize;
            let point: [V; DIM] = per_axis(|axis| V::splat(*coords[axis].add(rank)));
            let mine = V::splat(how.band.bound(way_of::<WAY>(), reach));
            let (first, mut mask) = first_word(rank, how.full);
            let own = if how.full { rank / WORD * WORD } else { usize::MAX };
            let mut found = 0;
            for at in (first * WORD..targets.len).step_by(WORD) {
                let (mut hits, mut sure) = (0, 0);
                for part in (0..WORD).step_by(V::LANES) {
                    let mut d2 = zero;
                    for axis in 0..DIM {
                        let mut d = point[axis].sub(V::load(coords[axis].add(at + part)));
                        if PERIODIC {
                            // The lesser of |d| and length - |d|, except for its sign.
                            let size = d.max(zero.sub(d));
                            d = zero.sub(size).max(size.sub(lengths[axis]));
                        }
                        d2 = if axis == 0 { d.square() } else { d2.near_square(d) };
                    }
                    let above = bound_of::<V, WAY>(mine, V::load(targets.bound.as_ptr().add(at + part)), least);
                    hits |= d2.le(above) << part;
                    sure |= d2.le(above.near_product(narrower, twice)) << part;
                }
                if at == own {
                    mask = !(1 << (rank % WORD));
                }
                if at + WORD > targets.len {
                    mask &= (1 << (targets.len - at)) - 1;
                }
                hits &= mask;
                mask = u32::MAX;
                let doubtful = hits & !sure;
                if doubtful != 0 {
                    hits = sure & hits | settled(how, rank, at, doubtful);
                }
                word.write(hits);
                word = word.add(1);
                found += hits.count_ones();
            }
            *count = found;
        }
        word.offset_from(words.as_ptr()) as usize
    }
}

/// Out of the loop, or all its vectors would live in memory.
#[cold]
#[inline(never)]
fn settled(how: &mut Test, rank: usize, at: usize, doubtful: u32) -> u32 {
    (how.settle)(rank, at, doubtful)
}

type SelectFn = unsafe fn(&Targets, &Near, &Band, &mut Selection) -> usize;
type TestFn = unsafe fn(&Targets, (&[u16], &[f32]), &mut Test, &mut [u32], &mut [u32]) -> usize;

/// The kernels of one dim and instruction set, of one way to make a cutoff of two reaches, for open axes or periodic ones.
#[derive(Clone, Copy)]
pub struct Kernels {
    dim: usize,
    select: SelectFn,
    test: TestFn,
}

impl Kernels {
    pub(super) const fn new(dim: usize, select: SelectFn, test: TestFn) -> Kernels {
        Kernels { dim, select, test }
    }

    /// Copies the targets that may be in reach of somebody in a box, in their order; returns how many.
    #[inline]
    pub fn select(&self, targets: &Targets, near: &Near, band: &Band, to: &mut Selection) -> usize {
        let padded = self.check(targets);
        assert!(to.index.len() >= padded && to.bound.len() >= padded);
        assert!(to.coords[..self.dim].iter().all(|coords| coords.len() >= padded));
        // SAFETY: `kernels` hands out instances of available instruction sets only; `check` proved that vectors that start
        // before the last target stay inside the slices; never more is written than was read, into arrays as long.
        unsafe { (self.select)(targets, near, band, to) }
    }

    /// Tests the targets for the members at `ranks`, who reach as far as `reaches`: their words, one row after the other, go to
    /// the front of `words`, and the lengths of their rows to `counts`. Returns the number of words, which is the sum of
    /// [`words_of`](super::fixed::words_of).
    #[inline]
    pub fn test(
        &self,
        targets: &Targets,
        (ranks, reaches): (&[u16], &[f32]),
        test: &mut Test,
        words: &mut [u32],
        counts: &mut [u32],
    ) -> usize {
        self.check(targets);
        assert!(ranks.iter().all(|&rank| usize::from(rank) < targets.len));
        assert!(reaches.len() >= ranks.len());
        assert!(counts.len() >= ranks.len() && words.len() >= ranks.len() * targets.len.div_ceil(WORD));
        // SAFETY: as in `select`; ranks are below the targets' number, and words have room for all of every row.
        unsafe { (self.test)(targets, (ranks, reaches), test, words, counts) }
    }

    /// The length that arrays padded like the targets must have.
    fn check(&self, targets: &Targets) -> usize {
        let padded = targets.len + PADDING;
        assert!(targets.index.len() >= padded && targets.bound.len() >= padded);
        assert!(targets.coords[..self.dim].iter().all(|coords| coords.len() >= padded));
        padded
    }
}

/// The kernels of an instruction set, a dim and a way to make a cutoff.
pub fn kernels(isa: super::Isa, dim: usize, way: Way, periodic: bool) -> Kernels {
    use super::Isa;
    let kernels = match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 if isa.is_available() => super::avx512::banded::KERNELS,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 if isa.is_available() => super::avx2::banded::KERNELS,
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        Isa::Neon if isa.is_available() => super::neon::banded::KERNELS,
        _ => super::scalar::banded::KERNELS,
    };
    kernels[dim - 1][way as usize][usize::from(periodic)]
}

/// The table of kernels, each wrapped so that it is compiled for its instruction set.
macro_rules! banded_kernels {
    ($vector:ty, $($feature:literal)?) => {
        use super::super::banded::{self, Band, Kernels, Near, Selection, Targets, Test};

        $(#[target_feature(enable = $feature)])?
        unsafe fn select<const DIM: usize, const WAY: u8, const PERIODIC: bool>(
            targets: &Targets,
            near: &Near,
            band: &Band,
            to: &mut Selection,
        ) -> usize {
            // SAFETY: the caller vouches for the instruction set and the padding.
            unsafe { banded::select::<$vector, DIM, WAY, PERIODIC>(targets, near, band, to) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn test<const DIM: usize, const WAY: u8, const PERIODIC: bool>(
            targets: &Targets,
            members: (&[u16], &[f32]),
            how: &mut Test,
            words: &mut [u32],
            counts: &mut [u32],
        ) -> usize {
            // SAFETY: as for `select`; the caller vouches for the room and the ranks.
            unsafe { banded::test::<$vector, DIM, WAY, PERIODIC>(targets, members, how, words, counts) }
        }

        const fn of<const DIM: usize, const WAY: u8>() -> [Kernels; 2] {
            [
                Kernels::new(DIM, select::<DIM, WAY, false>, test::<DIM, WAY, false>),
                Kernels::new(DIM, select::<DIM, WAY, true>, test::<DIM, WAY, true>),
            ]
        }

        const fn ways<const DIM: usize>() -> [[Kernels; 2]; 4] {
            [of::<DIM, 0>(), of::<DIM, 1>(), of::<DIM, 2>(), of::<DIM, 3>()]
        }

        pub const KERNELS: [[[Kernels; 2]; 4]; 3] = [ways::<1>(), ways::<2>(), ways::<3>()];
    };
}
pub(super) use banded_kernels;
