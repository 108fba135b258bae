//! Excluded pairs of a leaf's rows: their bits are cleared where the hits are found, so that no sink sees them.
//!
//! in: the words of bits of some members, and [`ExcludedPairs`]; out: the words and the lengths without those pairs.

use super::kernels::quantized::{WORD, words_of};
use crate::exclusions::ExcludedPairs;

/// Targets beside a member that are looked at in any case: bonded points often have numbers that are near each other.
const BESIDE: usize = 4;

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
        let others = excluded.row(member);
        if !others.is_empty() {
            *count -= targets.clear_row(row, (rank.into(), member), others);
        }
    }
}

/// Clears bits of a row from the one at `at` on; returns how many were set.
#[inline(always)]
fn clear_bits(row: &mut [u32], at: usize, mask: u32) -> u32 {
    let bits = u64::from(mask) << (at % WORD);
    let mut cleared = 0;
    let first = (at / WORD).min(row.len());
    for (word, bits) in row[first..].iter_mut().zip([bits as u32, (bits >> WORD) as u32]) {
        cleared += (*word & bits).count_ones();
        *word &= !bits;
    }
    cleared
}

/// The targets of a leaf.
#[derive(Clone, Copy)]
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
    /// Clears the bits of the pairs of a member with `others`; returns how many were set. The targets beside the member are compared
    /// without branches, as which of them is excluded is not to be foreseen.
    #[inline(always)]
    fn clear_row(&self, row: &mut [u32], (rank, member): (usize, u32), others: &[u32]) -> u32 {
        let (first, all_ascend) = (self.len.div_ceil(WORD) - row.len(), self.ascending == self.len);
        let has_before = self.full && rank >= BESIDE;
        let number = |at: usize| if at < self.len { self.number(at) } else { u32::MAX };
        let after: [u32; BESIDE] = std::array::from_fn(|k| number(rank + 1 + k));
        let before: [u32; BESIDE] = match has_before {
            true => std::array::from_fn(|k| self.number(rank - BESIDE + k)),
            false => [u32::MAX; BESIDE],
        };
        let (mut mask_after, mut mask_before, mut cleared) = (0, 0, 0);
        for &other in others {
            // All targets of that number are beside the member where the last of these is beyond it.
            let is_beside = match other > member {
                true => after[BESIDE - 1] > other,
                false => !self.full || has_before && before[0] < other,
            };
            if !is_beside || !all_ascend {
                cleared += self.clear_far(row, first, (rank, member), other);
                continue;
            }
            for k in 0..BESIDE {
                mask_after |= u32::from(after[k] == other) << k;
                mask_before |= u32::from(before[k] == other) << k;
            }
        }
        cleared += clear_bits(row, rank + 1 - first * WORD, mask_after);
        match has_before {
            true => cleared + clear_bits(row, rank - BESIDE - first * WORD, mask_before),
            false => cleared,
        }
    }

    /// The same for a point that may be anywhere among the targets.
    #[inline(never)]
    fn clear_far(&self, row: &mut [u32], first: usize, (rank, member): (usize, u32), other: u32) -> u32 {
        if !self.full && other < member {
            return 0; // no half row lists it
        }
        let mut at = match other > member {
            true => self.first_after(rank, other),
            false => self.first_before(rank, other),
        };
        let mut cleared = 0;
        // Images of a point have one number.
        while at < self.ascending && self.number(at) == other {
            cleared += clear_bits(row, at - first * WORD, 1);
            at += 1;
        }
        cleared
    }

    #[inline(always)]
    fn number(&self, rank: usize) -> u32 {
        self.numbers[usize::from(self.index[rank] as u16)]
    }

    /// The first target that is not below `number`, which is above that of the member at `rank`, near which the
    /// steps begin.
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
