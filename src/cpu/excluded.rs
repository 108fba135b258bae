//! Excluded pairs of a leaf's rows: their bits are cleared where the hits are found, so that no sink sees them.
//!
//! in: the words of bits of some members, and [`ExcludedPairs`]; out: the words and the lengths without those pairs.

use super::kernels::quantized::{WORD, words_of};
use crate::exclusions::ExcludedPairs;

/// The hits of a member are few if it has more excluded pairs than this for each of them.
const MANY: usize = 8;

/// Clears the bits of the excluded pairs of members, given by their ranks and numbers, and counts them no more.
pub fn clear(
    excluded: &ExcludedPairs,
    targets: &Targets,
    (ranks, members): (&[u16], &[u32]),
    words: &mut [u32],
    counts: &mut [u32],
) {
    excluded.expect_rows(members);
    let mut rest = words;
    for ((&rank, &member), count) in ranks.iter().zip(members).zip(counts) {
        let row;
        (row, rest) = rest.split_at_mut(words_of(rank.into(), targets.len, targets.full));
        let (first, rank) = (targets.len.div_ceil(WORD) - row.len(), usize::from(rank));
        let others = excluded.row(member);
        if *count as usize * MANY < others.len() {
            clear_hits(others, targets, (first, row), count);
            continue;
        }
        for &other in others {
            if !targets.full && other < member {
                continue; // no half row lists it
            }
            let mut at = match other > member {
                true => targets.first_after(rank, other),
                false => targets.first_before(rank, other),
            };
            // Images of a point have one number.
            while at < targets.ascending && targets.number(at) == other {
                let (word, bit) = (&mut row[at / WORD - first], 1 << (at % WORD));
                *count -= u32::from(*word & bit != 0);
                *word &= !bit;
                at += 1;
            }
        }
    }
}

/// The same for a member with few hits, from the word `first` on: looks for each hit among the excluded points.
fn clear_hits(others: &[u32], targets: &Targets, (first, row): (usize, &mut [u32]), count: &mut u32) {
    for (word, at) in row.iter_mut().zip((first * WORD..).step_by(WORD)) {
        let mut hits = *word;
        while hits != 0 {
            let bit = hits.trailing_zeros();
            hits &= hits - 1;
            if others.binary_search(&targets.number(at + bit as usize)).is_ok() {
                *word &= !(1 << bit);
                *count -= 1;
            }
        }
    }
}

/// The targets of a leaf.
pub struct Targets<'a> {
    pub len: usize,
    /// Their places among the points around.
    pub index: &'a [i16],
    /// The numbers of the points around.
    pub numbers: &'a [u32],
    /// Rows of all targets, or of those after the member.
    pub full: bool,
    /// Targets whose numbers ascend, from the first on. Where these are not all, the others are members.
    pub ascending: usize,
}

impl Targets<'_> {
    #[inline(always)]
    fn number(&self, rank: usize) -> u32 {
        self.numbers[usize::from(self.index[rank] as u16)]
    }

    /// The first target that is not below `number`, which is above that of the member at `rank`. Bonded points often
    /// have numbers that are near each other, so the steps begin small.
    #[inline]
    fn first_after(&self, rank: usize, number: u32) -> usize {
        let mut from = if self.ascending == self.len { rank + 1 } else { 0 };
        let mut step = 1;
        while from + step <= self.ascending && self.number(from + step - 1) < number {
            from += step;
            step *= 2;
        }
        self.search(from, self.ascending.min(from + step), number)
    }

    /// The same for a number below that of the member.
    #[inline]
    fn first_before(&self, rank: usize, number: u32) -> usize {
        let mut end = if self.ascending == self.len {
            rank
        } else {
            self.ascending
        };
        let mut step = 1;
        while step <= end && self.number(end - step) >= number {
            end -= step;
            step *= 2;
        }
        self.search(end.saturating_sub(step), end, number)
    }

    /// The first of some targets that is not below `number`, or the end of them.
    #[inline]
    fn search(&self, mut from: usize, mut end: usize, number: u32) -> usize {
        while from < end {
            let middle = from.midpoint(end);
            match self.number(middle) < number {
                true => from = middle + 1,
                false => end = middle,
            }
        }
        from
    }
}
