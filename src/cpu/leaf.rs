//! The tests of a leaf of a block: which of the few hundred targets its members have, in words of bits.

mod groups;

use super::allowed::Allowed;
use super::by_types::Uppers;
use super::doubt::Doubt;
use super::excluded::{Targets, clear};
use super::kernels::quantized::find::{Members, TestFixed};
use super::kernels::quantized::{BATCH, Hits, TARGET_PADDING, WORD};
use super::quantized::{FixedSearch, LeafBox};
use super::query::{Query, is_pair};
use super::rows::{LeafRows, Sink, Wanted};
use crate::domain::Bounds;
use crate::error::Result;
use crate::exclusions::ExcludedPairs;
use crate::kinds::Classes;
use crate::list::{grow, holds};
use crate::real::Real;
use groups::LeafGroups;

/// Room for the tests of a leaf.
#[derive(Debug, Default)]
pub struct Tests {
    /// The ranks of the members among the targets.
    pub ranks: Vec<u16>,
    /// The numbers of the members.
    numbers: Vec<u32>,
    words: Vec<u32>,
    pub allowed: Allowed,
    groups: LeafGroups,
    uppers: Uppers,
    /// Distances tested since they were last [taken](Tests::take).
    done: usize,
}

holds! { Tests { ranks, numbers, words, allowed, groups, uppers; done } }

/// The targets of a leaf.
pub struct Leaf<'a> {
    pub len: usize,
    /// Their places among the points around, padded.
    pub index: &'a [i16],
    /// The numbers of the points around.
    pub numbers: &'a [u32],
    /// Rows of all targets, or of those after the member.
    pub full: bool,
    /// Rows may list only what is [`Allowed`].
    pub has_classes: bool,
    /// Members among the targets that are none of them.
    pub joined: usize,
    /// Pairs that no row lists.
    pub excluded: Option<&'a ExcludedPairs>,
}

impl Tests {
    /// Makes room for leaves of `len` targets, so that it makes no difference later which worker gets which leaf.
    pub fn reserve(&mut self, len: usize) -> Result<()> {
        grow(&mut self.ranks, len + TARGET_PADDING, 0, "the members of a leaf")?;
        grow(&mut self.numbers, len, 0, "the members of a leaf")?;
        grow(&mut self.words, BATCH * len.div_ceil(WORD), 0, "the tests of a leaf")
    }

    /// The number of distances that were tested since the last time.
    pub fn take(&mut self) -> usize {
        std::mem::take(&mut self.done)
    }

    /// Brings those of the first `members` of the ranks to the front whose rows may list anything, `full` ones or what is after
    /// each; returns how many. If targets are masked, finds out what these rows may list.
    fn allow(
        &mut self,
        classes: &Classes,
        leaf: &LeafBox,
        (full, is_masked): (bool, bool),
        members: usize,
    ) -> Result<usize> {
        let class = |rank: usize| leaf.around.classes[leaf.number(rank)];
        let ranks = &mut self.ranks[..members];
        if !is_masked {
            return Ok(retain(ranks, |rank| classes.has_row(class(rank.into()))));
        }
        self.allowed.load(classes, leaf.targets.len, class, ranks)?;
        Ok(self.allowed.retain(full, ranks))
    }

    /// Finds the rows of the first `members` of the ranks. `test` tests the members from a number on, whose ranks it
    /// gets: it writes the words and the lengths of their rows, and returns how many words these are.
    pub fn find(
        &mut self,
        members: usize,
        leaf: &Leaf,
        sink: &mut dyn Sink,
        mut test: impl FnMut(usize, &[u16], &mut [u32], &mut [u32]) -> usize,
    ) -> Result<()> {
        let Tests {
            ranks,
            numbers,
            words,
            allowed,
            done,
            ..
        } = self;
        let &Leaf { len, index, full, .. } = leaf;
        let ranks = &ranks[..members];
        grow(numbers, members, 0, "the members of a leaf")?;
        let numbers = &mut numbers[..members];
        let number = |&rank: &u16| leaf.numbers[usize::from(index[usize::from(rank)] as u16)];
        (numbers.iter_mut().zip(ranks)).for_each(|(to, rank)| *to = number(rank));
        sink.expect(numbers); // until they are tested
        if let Some(excluded) = leaf.excluded {
            excluded.expect(numbers);
        }
        grow(words, BATCH.min(members) * len.div_ceil(WORD), 0, "the tests of a leaf")?;
        for (k, (ranks, members)) in ranks.chunks(BATCH).zip(numbers.chunks(BATCH)).enumerate() {
            let mut counts = [0; BATCH];
            let used = test(k * BATCH, ranks, words, &mut counts);
            *done += tests(ranks, len, full).saturating_sub(ranks.len() * leaf.joined);
            if leaf.has_classes {
                allowed.cut((ranks, len), full, &mut words[..used], &mut counts);
            }
            if let Some(excluded) = leaf.excluded {
                let targets = Targets {
                    len,
                    index,
                    numbers: leaf.numbers,
                    full,
                    ascending: if full { len - leaf.joined } else { len },
                };
                clear(excluded, &targets, (ranks, members), &mut words[..used], &mut counts);
            }
            let words = &words[..used];
            sink.leaf(&LeafRows {
                hits: Hits {
                    len,
                    ranks,
                    words,
                    full,
                },
                members,
                counts: &counts[..ranks.len()],
                index,
                numbers: leaf.numbers,
            })?;
        }
        Ok(())
    }
}

/// Distances that are tested for the rows of members at `ranks` among `len` targets, `full` ones or what is after each.
fn tests(ranks: &[u16], len: usize, full: bool) -> usize {
    match full {
        true => ranks.len() * len,
        false => ranks.iter().map(|&rank| len - 1 - usize::from(rank)).sum(),
    }
}

/// Memory with which the leaves of a block are tested.
pub struct LeafPass<'a, 'q, 'd, T> {
    pub query: &'a Query<'q, T>,
    pub search: &'a FixedSearch<'a>,
    pub tests: &'a mut Tests,
    pub wanted: &'a Wanted<'a>,
    pub doubt: &'a mut Doubt<'d>,
    pub sink: &'a mut dyn Sink,
}

impl<T: Real> LeafPass<'_, '_, '_, T> {
    /// Finds the rows of a leaf's members that are wanted.
    pub fn leaf(&mut self, leaf: &LeafBox) -> Result<()> {
        let members = self.members(leaf)?;
        match self.query.classes {
            Some(classes) if leaf.around.mixed => {
                let mut groups = std::mem::take(&mut self.tests.groups);
                let outcome = self.groups(classes, &mut groups, leaf, members);
                self.tests.groups = groups;
                outcome
            }
            _ => self.test(leaf, members),
        }
    }

    /// The same for a leaf whose members may not list all targets: in groups if these take fewer tests.
    fn groups(&mut self, classes: &Classes, groups: &mut LeafGroups, leaf: &LeafBox, members: usize) -> Result<()> {
        let count = groups.find(classes, leaf, &self.tests.ranks[..members])?;
        if count == 0 {
            return self.test(leaf, members);
        }
        for group in 0..count {
            let members = groups.begin(group, leaf)?;
            for first in members.clone().step_by(BATCH) {
                let some = first..members.end.min(first + BATCH);
                let found = groups.take(leaf, some, &mut self.tests.ranks)?;
                let part = LeafBox {
                    targets: groups.targets(),
                    ..*leaf
                };
                self.test(&part, found)?;
            }
        }
        Ok(())
    }

    /// Tests the first `members` of the ranks, which ascend, against all targets, as far as classes allow.
    fn test(&mut self, leaf: &LeafBox, mut members: usize) -> Result<()> {
        let (query, doubt, fixed) = (self.query, &mut *self.doubt, self.search.fixed);
        let (simd, full) = (self.search.simd, self.search.full);
        // Bounds by types leave out what a row does not list.
        let is_masked = leaf.around.mixed && query.by_types.is_none();
        if let Some(classes) = query.classes {
            members = self.tests.allow(classes, leaf, (full, is_masked), members)?;
        }
        let bounds_of = |ranks: [usize; 2]| match query.by_types {
            Some(by_types) => {
                let [row, other] = ranks.map(|rank| leaf.around.classes[leaf.number(rank)]);
                by_types.fixed(row, other).fine
            }
            None => fixed.fine,
        };
        let mut resolve = |rank: usize, at: usize, doubtful: u32| {
            let exact =
                |pair| (query.view).is_some_and(|view| is_pair(view, query.periods, query.bound_of(pair), pair));
            let decide = &mut |pair| doubt.decide(|| exact(pair));
            resolve(leaf, &bounds_of, [rank, at], doubtful, decide)
        };
        let of = Leaf {
            len: leaf.targets.len,
            index: leaf.targets.index,
            numbers: leaf.around.ids,
            full,
            has_classes: is_masked,
            joined: 0,
            excluded: query.excluded,
        };
        let (targets, zoom) = (leaf.targets, leaf.zoom.bits);
        let mut uppers = std::mem::take(&mut self.tests.uppers);
        let loaded = query.by_types.map_or(Ok(()), |by_types| {
            uppers.load(by_types, leaf, &self.tests.ranks[..members])
        });
        let outcome = loaded.and_then(|()| {
            (self.tests).find(members, &of, self.sink, |first, ranks, words, counts| {
                let test = TestFixed {
                    targets,
                    ranks,
                    bounds: fixed.coarse[zoom as usize],
                    full,
                    resolve: &mut resolve,
                    words,
                    counts,
                };
                match query.by_types {
                    Some(_) => simd.run_in(leaf.dim, uppers.test(test, first)),
                    None => simd.run_in(leaf.dim, test),
                }
            })
        });
        self.tests.uppers = uppers;
        outcome
    }

    /// Finds the members of the leaf whose rows are wanted; returns how many. Their numbers ascend. Images are no
    /// members: their points are those of the block where they lie.
    fn members(&mut self, leaf: &LeafBox) -> Result<usize> {
        let ranks = &mut self.tests.ranks;
        grow(ranks, leaf.targets.len + TARGET_PADDING, 0, "the members of a leaf")?;
        let find = Members {
            targets: leaf.targets,
            inside: &leaf.members,
            ranks,
        };
        let mut members = self.search.simd.run_in(leaf.dim, find);
        if let Some(end) = &leaf.end {
            members = retain(&mut ranks[..members], |rank| leaf.is_before(rank.into(), end));
        }
        if self.wanted.is_all() {
            return Ok(members);
        }
        let is_wanted = |rank: u16| self.wanted.has(leaf.id(rank.into()) as usize);
        Ok(retain(&mut ranks[..members], is_wanted))
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

/// Those of the doubtful targets after `at` that are in reach of the one at `rank`: by fine units, or if they cannot
/// tell either by `decide`.
#[cold]
fn resolve(
    leaf: &LeafBox,
    bounds: &dyn Fn([usize; 2]) -> Bounds<i64>,
    [rank, at]: [usize; 2],
    doubtful: u32,
    decide: &mut dyn FnMut([u32; 2]) -> bool,
) -> u32 {
    let (point, mut hits, mut doubtful) = (leaf.fine(rank), 0, doubtful);
    while doubtful != 0 {
        let bit = doubtful.trailing_zeros();
        let other = at + bit as usize;
        let squares = point.iter().zip(leaf.fine(other)).map(|(a, b)| (a - b) * (a - b));
        let (d2, bounds) = (squares.sum::<i64>(), bounds([rank, other]));
        let is_hit = d2 <= bounds.lower || d2 <= bounds.upper && decide([leaf.id(rank), leaf.id(other)]);
        hits |= u32::from(is_hit) << bit;
        doubtful &= doubtful - 1;
    }
    hits
}
