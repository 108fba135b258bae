//! Hit records whose targets are given by their place in the block's neighborhood.

use super::HitRecords;
use crate::cpu::simd::quantized::{WORD, words_of};
use crate::error::Result;

/// Words of a record before its lists: the number of targets, of members, and of all its words, and the first index.
const HEAD: usize = 4;

/// Set in the first index where the others follow whole, as words of 16 bits, and not as steps of 8.
const WHOLE: u32 = 1 << 31;

/// One record.
pub struct Leaf<'a> {
    index: Index<'a>,
    /// Number of targets.
    pub len: usize,
    /// The ranks of the members among the targets.
    pub ranks: &'a [u16],
    /// The bits of one member's row after the other's.
    pub words: &'a [u32],
}

/// Where each target stands in the block's neighborhood, ascending.
enum Index<'a> {
    Whole(&'a [u16]),
    /// Each is so much more than the one before, and the first is `first`.
    Steps {
        first: usize,
        steps: &'a [u8],
    },
}

impl Leaf<'_> {
    /// The ids of the targets: their `numbers` in the block's neighborhood plus `base`.
    pub fn ids(&self, numbers: &[u32], base: i32, ids: &mut [i32]) {
        match self.index {
            Index::Whole(index) => {
                for (id, &index) in ids.iter_mut().zip(index) {
                    *id = numbers[usize::from(index)] as i32 + base;
                }
            }
            Index::Steps { first, steps } => {
                let mut index = first;
                for (id, &step) in ids.iter_mut().zip(steps) {
                    index += usize::from(step);
                    *id = numbers[index] as i32 + base;
                }
            }
        }
    }
}

impl HitRecords {
    /// Has `test` test the targets that stand at `index` for the members at `ranks`, and appends the record. `test` writes the
    /// words of the members' rows, and the rows' lengths to `counts`, and returns the number of words. Returns where the record
    /// begins.
    pub fn test(
        &mut self,
        (index, ranks): (&[u16], &[u16]),
        counts: &mut [u32],
        test: impl FnOnce(&mut [u32], &mut [u32]) -> usize,
    ) -> Result<usize> {
        let len = index.len();
        let steps = || index.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]));
        let whole = steps().fold(0, |bits, step| bits | step) > u16::from(u8::MAX);
        let indices = len.div_ceil(if whole { 2 } else { 4 });
        let lists = HEAD + indices + ranks.len().div_ceil(2);
        self.reserve(lists + ranks.len() * len.div_ceil(WORD))?;
        let record = &mut self.words[self.len..];
        let (list, rest) = record[HEAD..].split_at_mut(indices);
        if whole {
            bytemuck::cast_slice_mut(list)[..len].copy_from_slice(index);
        } else if let Some((first, rest)) = bytemuck::cast_slice_mut(list).split_first_mut() {
            *first = 0;
            rest.iter_mut().zip(steps()).for_each(|(to, step)| *to = step as u8);
        }
        let (members, words) = rest.split_at_mut(ranks.len().div_ceil(2));
        bytemuck::cast_slice_mut::<u32, u16>(members)[..ranks.len()].copy_from_slice(ranks);
        let used = test(words, counts);
        let sizes = [len, ranks.len(), lists + used].map(|word| word as u32);
        record[..HEAD - 1].copy_from_slice(&sizes);
        record[HEAD - 1] = index.first().map_or(0, |&first| u32::from(first)) | if whole { WHOLE } else { 0 };
        let start = self.len;
        self.len += lists + used;
        Ok(start)
    }

    /// The record at `start`, and where the next one begins.
    pub fn leaf(&self, start: usize, full: bool) -> (Leaf<'_>, usize) {
        let head = &self.words[start..start + HEAD];
        let [len, members, size, first] = [head[0], head[1], head[2], head[3] & !WHOLE].map(|word| word as usize);
        let whole = head[3] & WHOLE != 0;
        let record = &self.words[start + HEAD..start + size];
        let (list, rest) = record.split_at(len.div_ceil(if whole { 2 } else { 4 }));
        let (ranks, words) = rest.split_at(members.div_ceil(2));
        let ranks = &bytemuck::cast_slice(ranks)[..members];
        debug_assert_eq!(
            words.len(),
            ranks.iter().map(|&rank: &u16| words_of(rank.into(), len, full)).sum()
        );
        let index = match whole {
            true => Index::Whole(&bytemuck::cast_slice(list)[..len]),
            false => Index::Steps {
                first,
                steps: &bytemuck::cast_slice(list)[..len],
            },
        };
        let leaf = Leaf {
            index,
            len,
            ranks,
            words,
        };
        (leaf, start + size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::simd::quantized::find::Test;
    use crate::cpu::simd::quantized::{PADDING, Targets};
    use crate::cpu::simd::{Isa, Simd};
    use crate::domain::Bounds;

    /// Candidate lists come back as they were, in steps of 8 bits and where a step is longer.
    #[test]
    fn candidate_lists() {
        let mut records = HitRecords::default();
        let mut starts = Vec::new();
        let cases: Vec<(usize, usize)> = [1, 2, 3, 31, 32, 33, 70]
            .into_iter()
            .flat_map(|len| [(len, 1), (len, 255), (len, 256), (len, 900)])
            .collect();
        for &(len, step) in &cases {
            let at = |k: usize| if k < len { (7 + k * step) as u16 as i16 } else { -1 };
            let index: Vec<i16> = (0..len + PADDING).map(at).collect();
            let coords = vec![0; len + PADDING];
            let targets = Targets {
                coords: [&coords, &coords, &coords],
                index: &index,
                len,
            };
            let ranks: Vec<u16> = (0..len as u16).collect();
            let (bounds, mut counts) = (Bounds { lower: 9, upper: 9 }, vec![0; len]);
            starts.push(
                records
                    .test((targets.numbers(), &ranks), &mut counts, |words, counts| {
                        let test = Test {
                            targets,
                            ranks: &ranks,
                            bounds,
                            full: false,
                            resolve: &mut |_, _, _| unreachable!("there is no doubt"),
                            words,
                            counts,
                        };
                        Simd::new(Isa::best()).run_in(2, test)
                    })
                    .unwrap(),
            );
            assert!(
                counts.iter().rev().copied().eq(0..len as u32),
                "all are in reach of all"
            );
        }
        let numbers: Vec<u32> = (0..1 << 16).map(|k| 3 * k).collect();
        for (&(len, step), &start) in cases.iter().zip(&starts) {
            let (leaf, end) = records.leaf(start, false);
            assert!(starts.contains(&end) || end == records.len());
            let mut ids = vec![0; leaf.len];
            leaf.ids(&numbers, 1, &mut ids);
            assert!(
                ids.iter()
                    .copied()
                    .eq((0..len).map(|k| (3 * (7 + k * step) + 1) as i32)),
                "{len} by {step}"
            );
            assert_eq!(leaf.ranks.len(), len);
        }
    }
}
