//! Excluded pairs of a leaf's rows: their bits are cleared where the hits are found, so that no sink sees them.
//!
//! in: the words of bits of some members, and [`ExcludedPairs`]; out: the words and the lengths without those pairs.

use super::kernels::quantized::{WORD, words_of};
use super::leaf::Leaf;
use crate::exclusions::ExcludedPairs;

/// Clears the bits of the excluded pairs of members, given by their ranks and numbers, and counts them no more.
pub fn clear(
    excluded: &ExcludedPairs,
    leaf: &Leaf,
    (ranks, members): (&[u16], &[u32]),
    words: &mut [u32],
    counts: &mut [u32],
) {
    excluded.expect_rows(members);
    let targets = Numbers::of(leaf);
    let mut rest = words;
    for ((&rank, &member), count) in ranks.iter().zip(members).zip(counts) {
        let row;
        (row, rest) = rest.split_at_mut(words_of(rank.into(), leaf.len, leaf.full));
        let (first, rank) = (leaf.len.div_ceil(WORD) - row.len(), usize::from(rank));
        for &other in excluded.row(member) {
            if !leaf.full && other < member {
                continue; // no half row lists it
            }
            let mut at = match other > member {
                true => targets.first_after(rank, other),
                false => targets.first_before(rank, other),
            };
            // Images of a point have one number.
            while at < targets.len && targets.number(at) == other {
                let (word, bit) = (&mut row[at / WORD - first], 1 << (at % WORD));
                *count -= u32::from(*word & bit != 0);
                *word &= !bit;
                at += 1;
            }
        }
    }
}

/// The numbers of a leaf's targets, which ascend.
struct Numbers<'a> {
    index: &'a [i16],
    numbers: &'a [u32],
    /// Targets in ascending order.
    len: usize,
    /// All targets ascend, so that the rank of a member says where its neighbors in number are.
    all_ascend: bool,
}

impl<'a> Numbers<'a> {
    fn of(leaf: &Leaf<'a>) -> Numbers<'a> {
        let all_ascend = leaf.joined == 0 || !leaf.full; // members that are joined to full rows are after all others
        let len = if all_ascend { leaf.len } else { leaf.len - leaf.joined };
        Numbers {
            index: leaf.index,
            numbers: leaf.numbers,
            len,
            all_ascend,
        }
    }

    #[inline(always)]
    fn number(&self, rank: usize) -> u32 {
        self.numbers[usize::from(self.index[rank] as u16)]
    }

    /// The first target that is not below `number`, which is above that of the member at `rank`. Bonded points often
    /// have numbers that are near each other, so the steps begin small.
    #[inline]
    fn first_after(&self, rank: usize, number: u32) -> usize {
        let mut from = if self.all_ascend { rank + 1 } else { 0 };
        let mut step = 1;
        while from + step <= self.len && self.number(from + step - 1) < number {
            from += step;
            step *= 2;
        }
        self.search(from, self.len.min(from + step), number)
    }

    /// The same for a number below that of the member.
    #[inline]
    fn first_before(&self, rank: usize, number: u32) -> usize {
        let mut end = if self.all_ascend { rank } else { self.len };
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
