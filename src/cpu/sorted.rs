//! Points around a block in ascending order of the caller's numbers, by a radix sort that keeps its memory.

use std::ops::Range;

use crate::error::Result;
use crate::grid::Grid;
use crate::list::{grow, holds};

const WHAT: &str = "the neighborhood of a block";

/// Below this many entries a comparison sort beats the radix sort's fixed cost.
const RADIX_AT_LEAST: usize = 96;

/// Bits of a digit, at most.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Numbers and places, sorted by number.
#[derive(Debug, Default)]
pub struct Sorted {
    /// Packed as `number << 32 | place`.
    order: Vec<u64>,
    /// The radix sort's other buffer, and where each digit's first entry goes, pass by pass.
    spare: Vec<u64>,
    firsts: Vec<[u32; DIGITS]>,
    len: usize,
}

holds! { Sorted { order, spare, firsts; len } }

impl Sorted {
    /// Makes room for `len` places.
    pub fn reserve(&mut self, len: usize) -> Result<()> {
        grow(&mut self.order, len, 0, WHAT)?;
        grow(&mut self.spare, len, 0, WHAT)?;
        grow(&mut self.firsts, 3, [0; DIGITS], WHAT) // 33 bits
    }

    /// Takes up the places of the grid that `runs` calls back with.
    pub fn sort(&mut self, grid: &Grid, runs: impl Fn(&mut dyn FnMut(Range<usize>))) -> Result<()> {
        let mut len = 0;
        runs(&mut |run| len += run.len());
        self.len = len;
        self.reserve(len)?;
        let mut at = 0;
        runs(&mut |run| {
            let ids = &grid.ids()[run.clone()];
            put(&mut self.order[at..], ids, run);
            at += ids.len();
        });
        self.sort_by_number(grid.len());
        Ok(())
    }

    /// Takes up the numbers `ids`, all below `points`; their places are those in the list.
    pub fn sort_ids(&mut self, ids: &[u32], points: usize) -> Result<()> {
        self.len = ids.len();
        self.reserve(ids.len())?;
        put(&mut self.order, ids, 0..ids.len());
        self.sort_by_number(points);
        Ok(())
    }

    /// Number and place of each point, packed as `number << 32 | place`, ascending.
    pub fn order(&self) -> &[u64] {
        &self.order[..self.len]
    }

    /// Least significant digit first, over just the bits that numbers below `points` have.
    fn sort_by_number(&mut self, points: usize) {
        let len = self.len;
        if len < RADIX_AT_LEAST {
            self.order[..len].sort_unstable();
            return;
        }
        let bits = usize::BITS - points.leading_zeros();
        let passes = bits.div_ceil(DIGIT_BITS);
        let width = bits.div_ceil(passes);
        let digit = |entry: u64, pass: u32| (entry >> (32 + pass * width)) as usize & ((1 << width) - 1);
        let firsts = &mut self.firsts;
        for firsts in firsts.iter_mut().take(passes as usize) {
            firsts[..1 << width].fill(0);
        }
        for &entry in &self.order[..len] {
            for (pass, firsts) in (0..passes).zip(firsts.iter_mut()) {
                firsts[digit(entry, pass) % DIGITS] += 1;
            }
        }
        for (pass, firsts) in (0..passes).zip(firsts.iter_mut()) {
            let mut sum = 0;
            for first in &mut firsts[..1 << width] {
                (*first, sum) = (sum, sum + *first);
            }
            let spare = &mut self.spare[..len];
            for &entry in &self.order[..len] {
                let first = &mut firsts[digit(entry, pass) % DIGITS];
                spare[*first as usize] = entry;
                *first += 1;
            }
            std::mem::swap(&mut self.order, &mut self.spare);
        }
    }
}

fn put(entries: &mut [u64], ids: &[u32], places: Range<usize>) {
    for ((entry, &id), place) in entries.iter_mut().zip(ids).zip(places) {
        *entry = u64::from(id) << 32 | place as u64;
    }
}
