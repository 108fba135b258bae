//! Kernels that find hits by fixed-point coordinates, once for all instruction sets. They work on words of 32 targets,
//! a bit each.
//!
//! ```text
//! d2 = sum over axes of (p - t)^2 / 2^16, each rounded down
//! Filter:   brings points into a frame and keeps those near its box
//! SelectFixed:   keeps the targets whose distance from a box is at most upper
//! Zoom:     moves and magnifies coordinates
//! Members:  the ranks of the targets inside a box
//! TestFixed, TestByTypes:  a word for each member and 32 targets: the bits of d2 <= upper; those with d2 > lower are doubtful
//! ```
//!
//! Differences of coordinates are known modulo 2^16: of targets of a leaf, those beyond 2^15 are beyond the cutoff even
//! so. Doubt is rare and is resolved by a call out of the loop, in which all vectors may be spilled.

use super::{Box16, FixedTargets, TARGET_PADDING, first_word};
use crate::axes::per_axis;
use crate::domain::Bounds;
use crate::grid;
use crate::simd::{InstructionSet, IntoFrame, Kernel, KernelIn, Lanes16, WORD};

/// Brings the first `count` of `points` into a frame; those near its box, and their ids, are written to the front of
/// `to` and `to_ids`. All slices have [`grid::PADDING`] elements more than `count`. Returns how many were written.
pub struct Filter<'a> {
    pub points: &'a [u64],
    pub ids: &'a [u32],
    pub count: usize,
    pub into: &'a IntoFrame,
    pub to: &'a mut [u64],
    pub to_ids: &'a mut [u32],
}

impl Kernel for Filter<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet>(self, _: S) -> usize {
        const { assert!(S::I16::POINTS <= grid::PADDING) }
        let Filter { points, ids, count, .. } = self;
        let padded = count + grid::PADDING;
        assert!(points.len() >= padded && ids.len() >= padded);
        assert!(self.to.len() >= padded && self.to_ids.len() >= padded);
        let (to, to_ids, mut kept) = (self.to.as_mut_ptr(), self.to_ids.as_mut_ptr(), 0);
        for at in (0..count).step_by(S::I16::POINTS) {
            // SAFETY: S is there; both sides are padded (checked above), and no more is written than was read.
            unsafe {
                let room = (to.add(kept), to_ids.add(kept));
                let (points, ids) = (points.as_ptr().add(at), ids.as_ptr().add(at));
                kept += S::I16::filter(points, ids, count - at, self.into, room);
            }
        }
        kept
    }
}

/// Lanes from `len` on cleared.
#[inline(always)]
fn cut(mask: u32, at: usize, len: usize) -> u32 {
    if len - at >= WORD {
        mask
    } else {
        mask & ((1 << (len - at)) - 1)
    }
}

/// Copies the targets within reach of the box `around`, by `upper`, in their order. Returns how many, and how many of
/// them lie in the box. The arrays that are written are as long as those of the targets.
pub struct SelectFixed<'a> {
    pub targets: FixedTargets<'a>,
    pub around: &'a Box16,
    pub upper: i16,
    pub coords: [&'a mut [i16]; 3],
    pub index: &'a mut [i16],
}

impl KernelIn for SelectFixed<'_> {
    type Output = [usize; 2];

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) -> [usize; 2] {
        let SelectFixed {
            targets,
            around,
            upper,
            coords,
            index,
        } = self;
        let padded = targets.check::<DIM>();
        assert!(index.len() >= padded && coords[..DIM].iter().all(|coords| coords.len() >= padded));
        // SAFETY: S is there; both sides are padded (checked above); no more is written than was read.
        unsafe {
            let lo: [S::I16; DIM] = per_axis(|axis| S::I16::splat(around.lo[axis]));
            let hi: [S::I16; DIM] = per_axis(|axis| S::I16::splat(around.hi[axis]));
            let (upper, zero) = (S::I16::splat(upper), S::I16::splat(0));
            let (mut selected, mut own) = (0, 0);
            for at in (0..targets.len).step_by(WORD) {
                let (mut hits, mut inside) = (0, 0);
                for part in (0..WORD).step_by(S::I16::LANES) {
                    let outside = |axis: usize| {
                        let coord = S::I16::load(targets.coords[axis].as_ptr().add(at + part));
                        lo[axis]
                            .saturating_sub(coord)
                            .max(coord.saturating_sub(hi[axis]))
                            .max(zero)
                    };
                    let first = outside(0);
                    let (mut d2, mut most) = (first.square(), first);
                    for axis in 1..DIM {
                        let next = outside(axis);
                        d2 = d2.add(next.square());
                        most = most.max(next);
                    }
                    hits |= S::I16::at(d2.le(upper), part);
                    inside |= S::I16::at(most.is_zero(), part);
                }
                let hits = cut(hits, at, targets.len);
                own += (inside & hits).count_ones() as usize;
                let list = |from: &[i16], to: &mut [i16]| (from.as_ptr().add(at), to.as_mut_ptr().add(selected));
                let mut lists = [list(targets.index, index); 4];
                for (entry, axis) in lists[1..].iter_mut().zip(0..DIM) {
                    *entry = list(targets.coords[axis], coords[axis]);
                }
                S::I16::compress(&lists[..=DIM], hits);
                selected += hits.count_ones() as usize;
            }
            [selected, own]
        }
    }
}

/// Moves the first `len` of `coords` by `-origin`, and multiplies them by `2^bits`; `coords` is padded.
pub struct Zoom<'a> {
    pub coords: &'a mut [i16],
    pub len: usize,
    pub origin: i16,
    pub bits: u32,
}

impl Kernel for Zoom<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet>(self, _: S) {
        assert!(self.coords.len() >= self.len + TARGET_PADDING);
        // SAFETY: S is there; the coordinates are padded (checked above).
        unsafe {
            let origin = S::I16::splat(self.origin);
            for at in (0..self.len).step_by(S::I16::LANES) {
                let to = self.coords.as_mut_ptr().add(at);
                S::I16::load(to).sub(origin).shl(self.bits).store(to);
            }
        }
    }
}

/// Writes the ranks of the targets in the box `inside` to the front of `ranks`, which is padded as the targets are;
/// returns how many.
pub struct Members<'a> {
    pub targets: FixedTargets<'a>,
    pub inside: &'a Box16,
    pub ranks: &'a mut [u16],
}

impl KernelIn for Members<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) -> usize {
        let Members { targets, inside, ranks } = self;
        assert!(ranks.len() >= targets.check::<DIM>());
        // SAFETY: S is there; the targets are padded, and so is the room for their ranks (checked above).
        unsafe {
            let lo: [S::I16; DIM] = per_axis(|axis| S::I16::splat(inside.lo[axis]));
            let hi: [S::I16; DIM] = per_axis(|axis| S::I16::splat(inside.hi[axis]));
            let mut found = 0;
            for at in (0..targets.len).step_by(WORD) {
                let mut hits = 0;
                for part in (0..WORD).step_by(S::I16::LANES) {
                    let mut within = u32::MAX;
                    for axis in 0..DIM {
                        let coord = S::I16::load(targets.coords[axis].as_ptr().add(at + part));
                        within &= coord.within(lo[axis], hi[axis]);
                    }
                    hits |= S::I16::at(within & (u32::MAX >> (WORD - S::I16::LANES)), part);
                }
                let hits = cut(hits, at, targets.len);
                S::I16::ranks(hits, at, ranks.as_mut_ptr().add(found));
                found += hits.count_ones() as usize;
            }
            found
        }
    }
}

/// Resolves doubt: `(rank of the member, first target, doubtful bits)` to the bits of those in reach.
pub type Resolve<'a> = dyn FnMut(usize, usize, u32) -> u32 + 'a;

/// Tests the targets for the members at `ranks`: their words, one row after the other, go to the front of `words`, and
/// the lengths of their rows to `counts`. Returns the number of words, which is the sum of
/// [`words_of`](super::words_of).
pub struct TestFixed<'a> {
    pub targets: FixedTargets<'a>,
    pub ranks: &'a [u16],
    pub bounds: Bounds<i16>,
    /// Rows of all targets but the member itself, or of those after it.
    pub full: bool,
    pub resolve: &'a mut Resolve<'a>,
    pub words: &'a mut [u32],
    pub counts: &'a mut [u32],
}

impl KernelIn for TestFixed<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) -> usize {
        let Bounds { lower, upper } = self.bounds;
        // SAFETY: S is there.
        unsafe {
            let (lower, upper) = (S::I16::splat(lower), S::I16::splat(upper));
            self.test::<S::I16, DIM>(|_, _, d2| [d2.le(upper), d2.le(lower)])
        }
    }
}

/// The same with an upper bound for each target, by the classes of both: those of the member number `k` are
/// `uppers[starts[k]..]`, each more by 1, or 0 for a target that is none. Hits at least `margin` below that are sure.
pub struct TestByTypes<'a> {
    pub test: TestFixed<'a>,
    pub uppers: &'a [i16],
    pub starts: &'a [u32],
    pub margin: i16,
}

impl KernelIn for TestByTypes<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) -> usize {
        let TestByTypes {
            test,
            uppers,
            starts,
            margin,
        } = self;
        let last = |&start: &u32| start as usize + test.targets.len + TARGET_PADDING;
        assert!(starts.len() >= test.ranks.len() && starts.iter().all(|start| last(start) <= uppers.len()));
        // SAFETY: S is there; there are bounds for all targets of each member, padded (checked above).
        unsafe {
            let (one, margin) = (S::I16::splat(1), S::I16::splat(margin));
            test.test::<S::I16, DIM>(|k, at, d2| {
                let upper = S::I16::load(uppers.as_ptr().add(starts[k] as usize + at));
                [d2.add(one).le(upper), d2.add(margin).le(upper)]
            })
        }
    }
}

impl TestFixed<'_> {
    /// Tests the targets. `near` says which lanes of a vector of distances squared are hits of a member and which of them
    /// are sure: of the member number `k` and the targets from `at` on.
    ///
    /// # Safety
    /// V is available.
    #[inline(always)]
    unsafe fn test<V: Lanes16, const DIM: usize>(self, near: impl Fn(usize, usize, V) -> [u32; 2]) -> usize {
        let TestFixed {
            targets,
            ranks,
            full,
            resolve,
            words,
            counts,
            ..
        } = self;
        targets.check::<DIM>();
        assert!(ranks.iter().all(|&rank| usize::from(rank) < targets.len));
        assert!(counts.len() >= ranks.len() && words.len() >= ranks.len() * targets.len.div_ceil(WORD));
        // SAFETY: the caller runs where V is available; targets are padded, far ones after the last; `words` has room
        // (checked above).
        unsafe {
            let coords: [*const i16; DIM] = per_axis(|axis| targets.coords[axis].as_ptr());
            let mut word = words.as_mut_ptr();
            for (k, (&rank, count)) in ranks.iter().zip(counts).enumerate() {
                let rank = rank as usize;
                let point: [V; DIM] = per_axis(|axis| V::splat(*coords[axis].add(rank)));
                let (first, mut mask) = first_word(rank, full);
                let own = if full { rank / WORD * WORD } else { usize::MAX };
                let mut found = 0;
                for at in (first * WORD..targets.len).step_by(WORD) {
                    let (mut hits, mut sure) = (0, 0);
                    for part in (0..WORD).step_by(V::LANES) {
                        let square = |axis: usize| point[axis].sub(V::load(coords[axis].add(at + part))).square();
                        let mut d2 = square(0);
                        for axis in 1..DIM {
                            d2 = d2.add(square(axis));
                        }
                        let [near, surely] = near(k, at + part, d2);
                        hits |= V::at(near, part);
                        sure |= V::at(surely, part);
                    }
                    if at == own {
                        mask = !(1 << (rank % WORD));
                    }
                    if at + WORD > targets.len {
                        mask = cut(mask, at, targets.len);
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

/// Out of the loop, or all its vectors would live in memory.
#[cold]
#[inline(never)]
pub(in crate::cpu::kernels) fn resolved(resolve: &mut Resolve, rank: usize, at: usize, doubtful: u32) -> u32 {
    resolve(rank, at, doubtful)
}
