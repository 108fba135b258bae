//! The tests of a leaf of a block: which of the few hundred targets its members have, in words of bits.

use std::ops::Range;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use super::allowed::Allowed;
use super::fixed::LeafBox;
use super::simd::Simd;
use super::simd::quantized::find::{Members, Test};
use super::simd::quantized::{BATCH, Hits, PADDING, WORD};
use crate::domain::Bounds;
use crate::error::Result;
use crate::grid::Fixed;
use crate::kinds::Classes;
use crate::list::grow;

/// Members of a leaf that were tested together.
pub struct Tested<'a> {
    /// Which of the members found the first is.
    pub first: usize,
    pub hits: Hits<'a>,
    /// The lengths of their rows.
    pub counts: &'a [u32],
}

impl Tested<'_> {
    /// Stores the lengths of their rows.
    pub fn store_lengths(&self, leaf: &LeafBox, lengths: &[AtomicI64]) {
        for (&rank, &count) in self.hits.ranks.iter().zip(self.counts) {
            lengths[leaf.id(rank.into()) as usize].store(i64::from(count), Relaxed);
        }
    }
}

/// Called with members that were tested.
pub type EachTested<'a> = dyn FnMut(&Tested) -> Result<()> + 'a;

/// Tests leaves.
pub struct LeafTest<'a> {
    pub fixed: &'a Fixed,
    pub simd: Simd,
    /// Rows of all targets but the member itself, or of those behind it.
    pub full: bool,
    /// Room for the ranks of the members.
    pub ranks: &'a mut Vec<u16>,
    /// Which points a row may list, and room for what it may of a leaf.
    pub allowed: Option<(&'a Classes<'a>, &'a mut Allowed)>,
    /// Decides a pair that fixed-point coordinates cannot.
    pub decide: &'a mut dyn FnMut([u32; 2]) -> bool,
}

impl LeafTest<'_> {
    /// Finds the members of the leaf whose rows may list anything; returns how many. Their numbers ascend.
    pub fn members(&mut self, leaf: &LeafBox) -> Result<usize> {
        let ranks = &mut *self.ranks;
        grow(ranks, leaf.targets.len + PADDING, 0, "the members of a leaf")?;
        let find = Members {
            targets: leaf.targets,
            inside: &leaf.members,
            ranks,
        };
        let members = self.simd.run_in(leaf.dim, find);
        let Some((classes, allowed)) = &mut self.allowed else {
            return Ok(members);
        };
        let class = |rank: usize| leaf.around.classes[leaf.number(rank)];
        let ranks = &mut ranks[..members];
        allowed.load(classes, leaf.targets.len, class, ranks)?;
        Ok(allowed.retain(self.full, ranks))
    }

    /// Tests some of the members found into `words`, and calls `each` for that many at once.
    pub fn test(
        &mut self,
        leaf: &LeafBox,
        members: Range<usize>,
        words: &mut Vec<u32>,
        each: &mut EachTested,
    ) -> Result<()> {
        let mut tester = self.tester(leaf);
        let most = BATCH.min(members.len()) * leaf.targets.len.div_ceil(WORD);
        grow(words, most, 0, "the tests of a leaf")?;
        for first in members.clone().step_by(BATCH) {
            let ranks = &tester.ranks[first..members.end.min(first + BATCH)];
            let mut counts = [0; BATCH];
            let used = tester.test(ranks, words, &mut counts);
            each(&Tested {
                first,
                hits: Hits {
                    len: leaf.targets.len,
                    ranks,
                    words: &words[..used],
                    full: tester.full,
                },
                counts: &counts[..ranks.len()],
            })?;
        }
        Ok(())
    }

    fn tester<'b>(&'b mut self, leaf: &'b LeafBox) -> Tester<'b> {
        Tester {
            leaf,
            fixed: self.fixed,
            simd: self.simd,
            full: self.full,
            ranks: self.ranks,
            masks: self.allowed.as_ref().map(|(_, allowed)| &**allowed),
            decide: self.decide,
        }
    }
}

/// Tests members of one leaf.
struct Tester<'a> {
    leaf: &'a LeafBox<'a>,
    fixed: &'a Fixed,
    simd: Simd,
    full: bool,
    /// Of the members found.
    ranks: &'a [u16],
    masks: Option<&'a Allowed>,
    decide: &'a mut dyn FnMut([u32; 2]) -> bool,
}

impl Tester<'_> {
    /// Writes the words of the rows of some members, and the lengths of these; returns the number of words.
    fn test(&mut self, ranks: &[u16], words: &mut [u32], counts: &mut [u32]) -> usize {
        let Tester { leaf, fixed, full, .. } = *self;
        let mut resolve =
            |rank: usize, at: usize, doubtful: u32| resolve(leaf, &fixed.fine, [rank, at], doubtful, self.decide);
        let test = Test {
            targets: leaf.targets,
            ranks,
            bounds: fixed.coarse[leaf.zoom.bits as usize],
            full,
            resolve: &mut resolve,
            words,
            counts,
        };
        let used = self.simd.run_in(leaf.dim, test);
        if let Some(allowed) = self.masks {
            allowed.cut((ranks, leaf.targets.len), full, &mut words[..used], counts);
        }
        used
    }
}

/// Which of the doubtful targets behind `at` are in reach of the one at `rank`: by fine units, or if they cannot tell
/// either by `decide`.
#[cold]
fn resolve(
    leaf: &LeafBox,
    bounds: &Bounds<i64>,
    [rank, at]: [usize; 2],
    doubtful: u32,
    decide: &mut dyn FnMut([u32; 2]) -> bool,
) -> u32 {
    let (point, mut hits, mut doubtful) = (leaf.fine(rank), 0, doubtful);
    while doubtful != 0 {
        let bit = doubtful.trailing_zeros();
        let other = at + bit as usize;
        let squares = point.iter().zip(leaf.fine(other)).map(|(a, b)| (a - b) * (a - b));
        let d2 = squares.sum::<i64>();
        let is_hit = d2 <= bounds.lower || d2 <= bounds.upper && decide([leaf.id(rank), leaf.id(other)]);
        hits |= u32::from(is_hit) << bit;
        doubtful &= doubtful - 1;
    }
    hits
}
