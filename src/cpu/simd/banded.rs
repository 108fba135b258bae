//! Targets that have a radius each, 32 at a time in real32: a pair's cutoff is made of two reaches, and a band around it is
//! left to the caller's arithmetic.
//!
//! ```text
//! c = the reach of the member, the greater or lesser one of it and the target's, or their sum
//! above = c^2 * wider + least,  below = above * narrower - 2 * least
//! (of the greater or lesser reach, the greater or lesser one of what both make: each target's is there beforehand)
//! Select: keeps the targets whose distance squared from a box is at most above
//! Test:   a word for each member and 32 targets: the bits of d2 <= above; those with d2 > below are doubtful
//! ```

use super::Simd;
use super::exact::{self, near};
use super::quantized::find::{Resolve, resolved};
use super::quantized::first_word;
use super::vector::{InstructionSet, KernelIn, Vector, WORD};
use crate::axes::per_axis;

/// Elements that every array of targets has beyond its last one.
pub(crate) const PADDING: usize = 2 * WORD;

/// Targets in ascending order of their numbers, padded: coordinates per axis (only `dim` are read).
#[derive(Clone, Copy)]
pub struct Targets<'a> {
    /// Their ids are where they stand in the block's neighborhood.
    pub points: exact::Targets<'a, f32>,
    /// What [`Band::bound`] makes of how far each reaches.
    pub bound: &'a [f32],
    pub len: usize,
}

impl Targets<'_> {
    /// Checks that the arrays are padded; returns the length that they must have.
    #[inline(always)]
    fn check<const DIM: usize>(&self) -> usize {
        let padded = self.len + PADDING;
        assert!(self.points.ids.len() >= padded && self.bound.len() >= padded);
        assert!(self.points.coords[..DIM].iter().all(|coords| coords.len() >= padded));
        padded
    }
}

/// Where selected targets are written: arrays as long as those of the targets.
pub struct Selection<'a> {
    pub points: near::Selection<'a, f32>,
    pub bound: &'a mut [f32],
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
            Way::Sum => least.add_square(mine.add(others)),
        }
    }
}

/// A kernel for one way to make a cutoff of two reaches, and for open axes or periodic ones.
trait BandKernel {
    type Output;

    fn run<S: InstructionSet, const DIM: usize, const WAY: u8, const PERIODIC: bool>(self) -> Self::Output;
}

struct In<K, const WAY: u8, const PERIODIC: bool>(K);

impl<K: BandKernel, const WAY: u8, const PERIODIC: bool> KernelIn for In<K, WAY, PERIODIC> {
    type Output = K::Output;

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) -> K::Output {
        self.0.run::<S, DIM, WAY, PERIODIC>()
    }
}

/// What kernels run with.
#[derive(Clone, Copy)]
pub struct Kernels {
    pub simd: Simd,
    pub dim: usize,
    pub way: Way,
    pub periodic: bool,
}

impl Kernels {
    /// Copies the targets that may be in reach of somebody in a box, in their order; returns how many.
    pub fn select(&self, targets: Targets, near: &Near, band: &Band, to: Selection) -> usize {
        self.run(Select {
            targets,
            near,
            band,
            to,
        })
    }

    /// Tests the targets for members.
    pub fn test(&self, test: Test) -> usize {
        self.run(test)
    }

    fn run<K: BandKernel>(&self, kernel: K) -> K::Output {
        let Kernels { simd, dim, .. } = *self;
        match (self.way, self.periodic) {
            (Way::Own, false) => simd.run_in(dim, In::<K, { Way::Own as u8 }, false>(kernel)),
            (Way::Own, true) => simd.run_in(dim, In::<K, { Way::Own as u8 }, true>(kernel)),
            (Way::Greater, false) => simd.run_in(dim, In::<K, { Way::Greater as u8 }, false>(kernel)),
            (Way::Greater, true) => simd.run_in(dim, In::<K, { Way::Greater as u8 }, true>(kernel)),
            (Way::Lesser, false) => simd.run_in(dim, In::<K, { Way::Lesser as u8 }, false>(kernel)),
            (Way::Lesser, true) => simd.run_in(dim, In::<K, { Way::Lesser as u8 }, true>(kernel)),
            (Way::Sum, false) => simd.run_in(dim, In::<K, { Way::Sum as u8 }, false>(kernel)),
            (Way::Sum, true) => simd.run_in(dim, In::<K, { Way::Sum as u8 }, true>(kernel)),
        }
    }
}

/// See [`Kernels::select`]. The selection has as much room as there are targets.
struct Select<'a> {
    targets: Targets<'a>,
    near: &'a Near,
    band: &'a Band,
    to: Selection<'a>,
}

impl BandKernel for Select<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize, const WAY: u8, const PERIODIC: bool>(self) -> usize {
        let Select {
            targets,
            near,
            band,
            to,
        } = self;
        let (padded, points) = (targets.check::<DIM>(), to.points);
        assert!(points.ids.len() >= padded && to.bound.len() >= padded);
        assert!(points.coords[..DIM].iter().all(|coords| coords.len() >= padded));
        let mut selected = 0;
        // SAFETY: S is there; both sides are padded (checked above); no more is written than was read.
        unsafe {
            let least = S::F32::splat(band.least);
            let mine = S::F32::splat(band.bound(way_of::<WAY>(), near.reach));
            let bounds = |at: usize| S::F32::load(targets.bound.as_ptr().add(at));
            let upper = |at: usize| bound_of::<S::F32, WAY>(mine, bounds(at), least);
            let lengths = per_axis(|axis| PERIODIC.then(|| S::F32::splat(band.lengths[axis])));
            let each = |at: usize, coords: &[S::F32; DIM], hits: u32| {
                for (axis, coord) in coords.iter().enumerate() {
                    coord.compress(hits, points.coords[axis].as_mut_ptr().add(selected));
                }
                bounds(at).compress(hits, to.bound.as_mut_ptr().add(selected));
                let ids = targets.points.ids.as_ptr().add(at);
                S::F32::compress_ids(ids, hits, points.ids.as_mut_ptr().add(selected));
                selected += hits.count_ones() as usize;
            };
            near::run_near(
                &targets.points,
                0..targets.len,
                (near.lo, near.hi),
                &lengths,
                upper,
                each,
            );
        }
        selected
    }
}

/// Tests the targets for the members at `ranks`, who reach as far as `reaches`: their words, one row after the other, go to the front of
/// `words`, and the lengths of their rows to `counts`. Returns the number of words, which is the sum of
/// [`words_of`](super::quantized::words_of).
pub struct Test<'a> {
    pub targets: Targets<'a>,
    pub ranks: &'a [u16],
    pub reaches: &'a [f32],
    pub band: &'a Band,
    /// Rows of all targets but the member itself, or of those behind it.
    pub full: bool,
    pub resolve: &'a mut Resolve<'a>,
    pub words: &'a mut [u32],
    pub counts: &'a mut [u32],
}

impl BandKernel for Test<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize, const WAY: u8, const PERIODIC: bool>(self) -> usize {
        let Test {
            targets,
            ranks,
            reaches,
            band,
            full,
            resolve,
            words,
            counts,
        } = self;
        targets.check::<DIM>();
        assert!(ranks.iter().all(|&rank| usize::from(rank) < targets.len) && reaches.len() >= ranks.len());
        assert!(counts.len() >= ranks.len() && words.len() >= ranks.len() * targets.len.div_ceil(WORD));
        // SAFETY: S is there; targets are padded, and `words` has room (checked above).
        unsafe {
            let lengths: [S::F32; DIM] = per_axis(|axis| S::F32::splat(band.lengths[axis]));
            let (zero, least) = (S::F32::splat(0.0), S::F32::splat(band.least));
            let (narrower, twice) = (S::F32::splat(band.narrower), S::F32::splat(2.0 * band.least));
            let coords: [*const f32; DIM] = per_axis(|axis| targets.points.coords[axis].as_ptr());
            let mut word = words.as_mut_ptr();
            for ((&rank, &reach), count) in ranks.iter().zip(reaches).zip(counts) {
                let rank = rank as usize;
                let point: [S::F32; DIM] = per_axis(|axis| S::F32::splat(*coords[axis].add(rank)));
                let mine = S::F32::splat(band.bound(way_of::<WAY>(), reach));
                let (first, mut mask) = first_word(rank, full);
                let own = if full { rank / WORD * WORD } else { usize::MAX };
                let mut found = 0;
                for at in (first * WORD..targets.len).step_by(WORD) {
                    let (mut hits, mut sure) = (0, 0);
                    for part in (0..WORD).step_by(S::F32::LANES) {
                        let mut d2 = zero;
                        for axis in 0..DIM {
                            let mut d = point[axis].sub(S::F32::load(coords[axis].add(at + part)));
                            if PERIODIC {
                                // The lesser of |d| and length - |d|, except for its sign.
                                let size = d.max(zero.sub(d));
                                d = zero.sub(size).max(size.sub(lengths[axis]));
                            }
                            d2 = if axis == 0 { d.square() } else { d2.add_square(d) };
                        }
                        let above =
                            bound_of::<S::F32, WAY>(mine, S::F32::load(targets.bound.as_ptr().add(at + part)), least);
                        hits |= d2.le(above) << part;
                        sure |= d2.le(above.mul(narrower).sub(twice)) << part;
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
                        hits = sure & hits | resolved(resolve, rank, at, doubtful);
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
}
