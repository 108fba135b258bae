//! Kernels that count hits in bins of distance, in the caller's precision.
//!
//! ```text
//! for each member, for each vector of targets with hits:  d2 = sum over axes, left to right, of (p - t)^2
//!     append d2 under the hits
//! count what was appended in bins
//! ```
//!
//! Exact by construction, as `exact` is.

use super::exact::{distance2, lengths};
use super::quantized::{Hits, TARGET_PADDING, first_word, words_of};
use crate::axes::per_axis;
use crate::displacement::Bins;
use crate::domain::Periods;
use crate::simd::{InstructionSet, Kernel, KernelIn, Vector, WORD, Width};

/// Squares that are there for all words of `len` targets, and what may be written after them.
pub fn squares_room(len: usize) -> usize {
    len + TARGET_PADDING
}

/// Counts the hits of members in bins of their distances.
pub struct CountInBins<'a, T> {
    pub hits: Hits<'a>,
    /// The coordinates of the targets, padded; only `dim` are read.
    pub coords: [&'a [T]; 3],
    pub periods: &'a Periods<T>,
    /// Room for [squares](squares_room).
    pub squares: &'a mut [T],
    pub bins: &'a Bins<T>,
    pub counters: &'a mut [i64],
}

impl<T: Width> KernelIn for CountInBins<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet, const DIM: usize>(self, _: S) {
        let hits = self.hits;
        hits.check();
        let padded = hits.len + TARGET_PADDING;
        assert!(self.coords[..DIM].iter().all(|coords| coords.len() >= padded));
        assert!(self.squares.len() >= squares_room(hits.len));
        // SAFETY: S is there; there are words for all members, targets are padded, and there is room (checked above).
        unsafe {
            if self.periods.is_open() {
                self.count::<T::Vector<S>, DIM>(&[None; DIM]);
            } else {
                let lengths = lengths(self.periods);
                self.count::<T::Vector<S>, DIM>(&lengths);
            }
        }
    }
}

impl<T: Width> CountInBins<'_, T> {
    /// # Safety
    /// V is available, there are words for all ranks, targets are padded, and there is room for their squares.
    #[inline(always)]
    unsafe fn count<V: Vector<Real = T>, const DIM: usize>(self, lengths: &[Option<V>; DIM]) {
        let (hits, coords) = (self.hits, self.coords);
        let mut word = hits.words.as_ptr();
        for &rank in hits.ranks {
            let rank = usize::from(rank);
            let (first, words) = (first_word(rank, hits.full).0, words_of(rank, hits.len, hits.full));
            let mut found = 0;
            // SAFETY: the caller runs where V is available; members are targets; vectors of words begin before the last
            // target, and squares of all lanes have room.
            unsafe {
                let point: [V; DIM] = per_axis(|axis| V::splat(*coords[axis].get_unchecked(rank)));
                for k in first..first + words {
                    let bits = word.read();
                    word = word.add(1);
                    if bits == 0 {
                        continue;
                    }
                    for part in (0..WORD).step_by(V::LANES) {
                        let bits = bits >> part & (u32::MAX >> (WORD - V::LANES));
                        let target = per_axis(|axis| V::load(coords[axis].as_ptr().add(k * WORD + part)));
                        let d2 = distance2(&point, &target, lengths);
                        d2.compress(bits, self.squares.as_mut_ptr().add(found));
                        found += bits.count_ones() as usize;
                    }
                }
            }
            self.bins.count(&self.squares[..found], self.counters);
        }
    }
}

/// Counts distances squared in bins.
pub struct CountSquares<'a, T> {
    pub squares: &'a [T],
    pub bins: &'a Bins<T>,
    pub counters: &'a mut [i64],
}

impl<T: Width> Kernel for CountSquares<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet>(self, _: S) {
        self.bins.count(self.squares, self.counters);
    }
}
