//! Targets that have a radius each, 32 at a time in real32: a pair's cutoff is made of two radii, and a band around it
//! is left to the caller's arithmetic.
//!
//! ```text
//! c = the cutoff of the member's radius and the target's
//! above = c^2 * wider + least,  below = above * narrower - 2 * least
//! (where c is one of both radii, above is one of what each makes by itself: each target's is there beforehand)
//! SelectBanded: keeps the targets whose distance squared from a box is at most above
//! TestBanded:   a word for each member and 32 targets: the bits of d2 <= above; those with d2 > below are doubtful
//! ```

use super::exact::near::{self, Selection};
use super::exact::{Targets, distance2};
use super::quantized::find::{Resolve, resolved};
use super::quantized::{TARGET_PADDING, first_word};
use crate::axes::per_axis;
use crate::radii::RadiusRule;
use crate::simd::{InstructionSet, KernelIn, Vector, WORD};

/// The cutoff of two radii, and how sure distances are, in the units of the coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Band {
    pub rule: RadiusRule,
    /// A cutoff squared, times this and plus `least`, is more than the distance squared of any pair within it,
    pub wider: f32,
    /// whose square root is less than this,
    pub root: f32,
    /// and that sum, times this and less `2 * least`, no more than of any pair beyond.
    pub narrower: f32,
    pub least: f32,
    /// Lengths of periodic axes.
    pub lengths: [Option<f32>; 3],
}

/// A box, and the radius of the points in it.
pub struct BandedNear {
    pub lo: [f32; 3],
    pub hi: [f32; 3],
    pub radius: f32,
}

impl Band {
    /// The part that a radius has in a bound of distances squared: all of it, but where radii are summed, and then
    /// squared.
    #[inline(always)]
    pub fn bound(&self, radius: f32) -> f32 {
        match self.rule {
            RadiusRule::Mean => 0.5 * self.root * radius,
            _ => radius * radius * self.wider + self.least,
        }
    }

    /// # Safety
    /// V is available.
    #[inline(always)]
    unsafe fn lengths<V: Vector<Real = f32>, const DIM: usize>(&self) -> [Option<V>; DIM] {
        // SAFETY: the caller runs where V is available.
        per_axis(|axis| self.lengths[axis].map(|length| unsafe { V::splat(length) }))
    }
}

/// The part that a radius has in the bounds of others.
#[derive(Clone, Copy)]
enum Upper<V> {
    /// The others', within these limits.
    Limited(V, V),
    /// The first and the others' are summed and squared; the second is added.
    Summed(V, V),
}

impl<V: Vector<Real = f32>> Upper<V> {
    /// # Safety
    /// V is available.
    #[inline(always)]
    unsafe fn new(band: &Band, radius: f32) -> Upper<V> {
        let mine = band.bound(radius);
        // SAFETY: the caller runs where V is available.
        let splat = |value: f32| unsafe { V::splat(value) };
        match band.rule {
            RadiusRule::Gather => Upper::Limited(splat(mine), splat(mine)),
            RadiusRule::Scatter => Upper::Limited(splat(0.0), splat(f32::INFINITY)),
            RadiusRule::Max => Upper::Limited(splat(mine), splat(f32::INFINITY)),
            RadiusRule::Min => Upper::Limited(splat(0.0), splat(mine)),
            RadiusRule::Mean => Upper::Summed(splat(mine), splat(band.least)),
        }
    }

    /// The bounds of distances squared.
    ///
    /// # Safety
    /// V is available.
    #[inline(always)]
    unsafe fn of(self, others: V) -> V {
        // SAFETY: the caller runs where V is available.
        unsafe {
            match self {
                Upper::Limited(from, to) => others.max(from).min(to),
                Upper::Summed(mine, least) => least.add_square(mine.add(others)),
            }
        }
    }
}

/// Copies those of the first `len` targets that may be in reach of a point in a box, in their order; returns how many.
/// The selection has as much room as there are targets.
pub struct SelectBanded<'a> {
    pub targets: Targets<'a, f32>,
    pub len: usize,
    pub near: &'a BandedNear,
    pub band: &'a Band,
    pub to: Selection<'a, f32>,
}

impl KernelIn for SelectBanded<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) -> usize {
        let SelectBanded {
            targets,
            len,
            near,
            band,
            to,
        } = self;
        assert!(targets.bounds.len() >= len + TARGET_PADDING);
        // SAFETY: S is there; bounds are padded (checked above).
        unsafe {
            let (upper, lengths) = (Upper::<S::F32>::new(band, near.radius), band.lengths());
            let upper = |at: usize| upper.of(S::F32::load(targets.bounds.as_ptr().add(at)));
            near::select::<_, DIM>(&targets, len, (near.lo, near.hi), &lengths, upper, to)
        }
    }
}

/// Tests the first `len` targets for the members at `ranks`, which have these `radii`: their words, one row after the
/// other, go to the front of `words`, and the lengths of their rows to `counts`. Returns the number of words, which is
/// the sum of [`words_of`](super::quantized::words_of).
pub struct TestBanded<'a> {
    pub targets: Targets<'a, f32>,
    pub len: usize,
    pub ranks: &'a [u16],
    pub radii: &'a [f32],
    pub band: &'a Band,
    /// Rows of all targets but the member itself, or of those after it.
    pub full: bool,
    pub resolve: &'a mut Resolve<'a>,
    pub words: &'a mut [u32],
    pub counts: &'a mut [u32],
}

impl KernelIn for TestBanded<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) -> usize {
        let (targets, padded, columns) = (&self.targets, self.len + TARGET_PADDING, &self.targets.coords[..DIM]);
        assert!(targets.bounds.len() >= padded && columns.iter().all(|coords| coords.len() >= padded));
        assert!(self.ranks.iter().all(|&rank| usize::from(rank) < self.len) && self.radii.len() >= self.ranks.len());
        assert!(self.counts.len() >= self.ranks.len());
        assert!(self.words.len() >= self.ranks.len() * self.len.div_ceil(WORD));
        let band = self.band;
        // SAFETY: S is there; targets are padded, and `words` has room (checked above).
        unsafe {
            match band.lengths.iter().all(Option::is_none) {
                true => self.run_in::<S::F32, DIM>(&[None; DIM]),
                false => self.run_in::<S::F32, DIM>(&band.lengths()),
            }
        }
    }
}

impl TestBanded<'_> {
    /// # Safety
    /// V is available; targets are padded, and there is room for words and counts.
    #[inline(always)]
    unsafe fn run_in<V: Vector<Real = f32>, const DIM: usize>(self, lengths: &[Option<V>; DIM]) -> usize {
        let TestBanded {
            targets,
            len,
            ranks,
            radii,
            band,
            full,
            resolve,
            words,
            counts,
        } = self;
        // SAFETY: the caller's promise; every vector starts before the targets end.
        unsafe {
            let (narrower, twice) = (V::splat(band.narrower), V::splat(2.0 * band.least));
            let mut word = words.as_mut_ptr();
            for ((&rank, &radius), count) in ranks.iter().zip(radii).zip(counts) {
                let rank = rank as usize;
                let point: [V; DIM] = per_axis(|axis| V::splat(*targets.coords[axis].as_ptr().add(rank)));
                let upper = Upper::<V>::new(band, radius);
                let (first, mut mask) = first_word(rank, full);
                let own = if full { rank / WORD * WORD } else { usize::MAX };
                let mut found = 0;
                for at in (first * WORD..len).step_by(WORD) {
                    let (mut hits, mut sure) = (0, 0);
                    for part in (0..WORD).step_by(V::LANES) {
                        let from = at + part;
                        let target = per_axis(|axis| V::load(targets.coords[axis].as_ptr().add(from)));
                        let d2 = distance2(&point, &target, lengths);
                        let above = upper.of(V::load(targets.bounds.as_ptr().add(from)));
                        hits |= d2.le(above) << part;
                        sure |= d2.le(above.mul(narrower).sub(twice)) << part;
                    }
                    if at == own {
                        mask = !(1 << (rank % WORD));
                    }
                    if at + WORD > len {
                        mask &= (1 << (len - at)) - 1;
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
