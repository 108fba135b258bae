//! The tests of a leaf of a block: which of the few hundred targets its members have, in words of bits.

use super::allowed::Allowed;
use super::hit_records::Answers;
use super::quantized::{LeafBox, Search};
use super::query::{Query, is_pair};
use super::rows::{LeafRows, Sink, Wanted};
use super::simd::quantized::find::{Members, Test};
use super::simd::quantized::{BATCH, Hits, PADDING, WORD};
use crate::domain::Bounds;
use crate::error::Result;
use crate::list::grow;
use crate::points::{PointsView, Real};

/// Room for the tests of a leaf.
#[derive(Debug, Default)]
pub struct Tests {
    pub ranks: Vec<u16>,
    /// The numbers of the members.
    numbers: Vec<u32>,
    pub words: Vec<u32>,
    pub allowed: Allowed,
}

impl Tests {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.ranks.capacity() * 2 + (self.numbers.capacity() + self.words.capacity()) * 4 + self.allowed.bytes()
    }

    /// Makes room for leaves of `len` targets, so that it makes no difference later which worker gets which leaf.
    pub fn reserve(&mut self, len: usize) -> Result<()> {
        grow(&mut self.ranks, len + PADDING, 0, "the members of a leaf")?;
        grow(&mut self.numbers, len, 0, "the members of a leaf")?;
        grow(&mut self.words, BATCH * len.div_ceil(WORD), 0, "the tests of a leaf")
    }
}

/// How pairs are decided that fixed-point coordinates cannot decide.
pub enum Doubt<'a, T> {
    /// By the caller's arithmetic.
    Decide(&'a PointsView<'a, T>),
    /// So too, and what it says is kept; fails where there is no memory for that.
    Keep(&'a PointsView<'a, T>, &'a mut Answers, Result<()>),
    /// As it was kept, from this answer on.
    Recall(&'a Answers, usize),
}

impl<T: Real> Doubt<'_, T> {
    fn is_pair(&mut self, query: &Query<T>, pair: [u32; 2]) -> bool {
        match self {
            Doubt::Decide(view) => is_pair(view, query.periods, query.bound, pair),
            Doubt::Keep(view, answers, kept) => {
                let answer = is_pair(view, query.periods, query.bound, pair);
                if let Err(error) = answers.push(answer) {
                    *kept = Err(error);
                }
                answer
            }
            Doubt::Recall(answers, next) => {
                *next += 1;
                answers.get(*next - 1)
            }
        }
    }

    /// Fails where an answer could not be kept.
    pub fn finish(self) -> Result<()> {
        match self {
            Doubt::Keep(_, _, kept) => kept,
            _ => Ok(()),
        }
    }
}

/// What the leaves of a block are tested with.
pub struct LeafPass<'a, 'q, 'd, T> {
    pub query: &'a Query<'q, T>,
    pub search: &'a Search<'a>,
    pub tests: &'a mut Tests,
    pub wanted: &'a Wanted<'a>,
    pub doubt: &'a mut Doubt<'d, T>,
    pub sink: &'a mut dyn Sink,
}

impl<T: Real> LeafPass<'_, '_, '_, T> {
    /// Finds the rows of a leaf's members that are wanted.
    pub fn leaf(&mut self, leaf: &LeafBox) -> Result<()> {
        let members = self.members(leaf)?;
        let Tests {
            ranks,
            numbers,
            words,
            allowed,
        } = &mut *self.tests;
        let (ranks, len, full) = (&ranks[..members], leaf.targets.len, self.search.full);
        grow(numbers, members, 0, "the members of a leaf")?;
        let numbers = &mut numbers[..members];
        (numbers.iter_mut().zip(ranks)).for_each(|(number, &rank)| *number = leaf.id(rank.into()));
        self.sink.expect(numbers); // until they are tested
        grow(words, BATCH.min(members) * len.div_ceil(WORD), 0, "the tests of a leaf")?;
        let (query, doubt, fixed) = (self.query, &mut *self.doubt, self.search.fixed);
        let mut resolve = |rank: usize, at: usize, doubtful: u32| {
            let decide = &mut |pair| doubt.is_pair(query, pair);
            resolve(leaf, &fixed.fine, [rank, at], doubtful, decide)
        };
        for (ranks, members) in ranks.chunks(BATCH).zip(numbers.chunks(BATCH)) {
            let mut counts = [0; BATCH];
            let test = Test {
                targets: leaf.targets,
                ranks,
                bounds: fixed.coarse[leaf.zoom.bits as usize],
                full,
                resolve: &mut resolve,
                words,
                counts: &mut counts,
            };
            let used = self.search.simd.run_in(leaf.dim, test);
            if self.query.classes.is_some() {
                allowed.cut((ranks, len), full, &mut words[..used], &mut counts);
            }
            let words = &words[..used];
            self.sink.leaf(&LeafRows {
                hits: Hits {
                    len,
                    ranks,
                    words,
                    full,
                },
                members,
                counts: &counts[..ranks.len()],
                index: leaf.targets.index,
                numbers: leaf.around.ids,
                path: Some(&leaf.path),
            })?;
        }
        Ok(())
    }

    /// Finds the members of the leaf whose rows are wanted and may list anything; returns how many. Their numbers ascend.
    fn members(&mut self, leaf: &LeafBox) -> Result<usize> {
        let Tests { ranks, allowed, .. } = &mut *self.tests;
        grow(ranks, leaf.targets.len + PADDING, 0, "the members of a leaf")?;
        let find = Members {
            targets: leaf.targets,
            inside: &leaf.members,
            ranks,
        };
        let mut members = self.search.simd.run_in(leaf.dim, find);
        if !self.wanted.is_all() {
            members = retain(&mut ranks[..members], |rank| {
                self.wanted.has(leaf.id(rank.into()) as usize)
            });
        }
        let Some(classes) = self.query.classes else {
            return Ok(members);
        };
        let class = |rank: usize| leaf.around.classes[leaf.number(rank)];
        let ranks = &mut ranks[..members];
        allowed.load(classes, leaf.targets.len, class, ranks)?;
        Ok(allowed.retain(self.search.full, ranks))
    }
}

/// Brings those of `ranks` that are wanted to the front; returns how many.
fn retain(ranks: &mut [u16], is_wanted: impl Fn(u16) -> bool) -> usize {
    let mut kept = 0;
    for k in 0..ranks.len() {
        ranks[kept] = ranks[k];
        kept += usize::from(is_wanted(ranks[k]));
    }
    kept
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
