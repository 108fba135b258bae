//! Hit records of leaves whose targets were picked from all points around a block level after level: a bit for each target of the
//! level before. To read them is to pick ids, without a test.
//!
//! ```text
//! a block: how many points are around it, how many of their numbers share one that is whole, the numbers, then leaves
//! a leaf:  its depth and how many of its levels are new, how many members it has, and its words in all;
//!          the bits of each new level, the members' ranks, two a word, and the bits of their rows
//! ```

use super::path::SelectionPath;
use super::{HitRecords, WHAT};
use crate::cpu::id_coding::{self, CodedIds};
use crate::cpu::simd::Simd;
use crate::cpu::simd::quantized::rows::Pick;
use crate::cpu::simd::quantized::{Hits, PADDING, WORD};
use crate::error::Result;
use crate::list::{Aligned, push};

/// Words before a block's numbers, and before a leaf's levels.
const BLOCK_HEAD: usize = 2;
const LEAF_HEAD: usize = 3;

/// Bits of the first word of a leaf that tell its depth; those above tell how many levels are new.
const DEPTH_BITS: u32 = 16;

/// A leaf.
pub struct Leaf<'a> {
    pub hits: Hits<'a>,
    /// Which list its targets are.
    list: Which,
    /// Where the next one begins.
    pub end: usize,
}

/// The list of a leaf's targets: that of all around the block where it is not divided, or one of two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Which {
    #[default]
    All,
    First,
    Second,
}

impl HitRecords {
    /// Begins a block, with the numbers of all points around it.
    pub fn push_block(&mut self, around: &[u32]) -> Result<()> {
        let shared = id_coding::shared(around);
        let [wholes, lows] = id_coding::words(around.len(), shared);
        let list = self.push(BLOCK_HEAD + wholes + lows)?;
        let (head, list) = list.split_at_mut(BLOCK_HEAD);
        head.copy_from_slice(&[around.len() as u32, shared]);
        id_coding::split(around, shared, list.split_at_mut(wholes));
        Ok(())
    }

    /// Appends a leaf, or some members of one.
    pub fn push_leaf(&mut self, path: &SelectionPath, hits: &Hits) -> Result<()> {
        let Hits { ranks, words, .. } = *hits;
        let start = self.len;
        let (depth, levels) = path.take_down();
        let head = [
            depth as u32 | (levels.len() as u32) << DEPTH_BITS,
            ranks.len() as u32,
            0,
        ];
        self.append(&head)?;
        for picks in levels {
            self.append(picks)?;
        }
        let list = bytemuck::cast_slice_mut(self.push(ranks.len().div_ceil(2))?);
        list[..ranks.len()].copy_from_slice(ranks);
        self.append(words)?;
        self.words[start + LEAF_HEAD - 1] = (self.len - start) as u32;
        Ok(())
    }
}

/// The ids of the targets on the path from all around a block to a leaf, level after level.
#[derive(Debug, Default)]
pub struct SelectedIds {
    /// Padded; those of the block's parts, except for leaves.
    levels: Vec<Aligned<i32>>,
    /// How many ids each has, of those that are in use.
    lens: Vec<usize>,
    /// Those of the leaf taken up last, and of the one before.
    leaves: [Aligned<i32>; 2],
    last: Which,
    len: usize,
}

impl SelectedIds {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let ids = self
            .levels
            .iter()
            .chain(&self.leaves)
            .map(Aligned::bytes)
            .sum::<usize>();
        ids + self.lens.capacity() * size_of::<usize>()
    }

    /// Makes room for `around` points, so that it makes no difference later which worker gets which block.
    pub fn reserve(&mut self, around: usize) -> Result<()> {
        for level in 0..2 {
            self.reserve_level(level, around)?;
        }
        self.leaves
            .iter_mut()
            .try_for_each(|leaf| leaf.grow(around + PADDING, WHAT))
    }

    /// Takes up the block at `start`: its numbers plus `base`. Returns where its first leaf is.
    pub fn begin(&mut self, records: &HitRecords, start: usize, base: i32) -> Result<usize> {
        let (len, shared) = (records.words[start] as usize, records.words[start + 1]);
        let [wholes, lows] = id_coding::words(len, shared);
        let (from, lows_from) = (start + BLOCK_HEAD, start + BLOCK_HEAD + wholes);
        let list = CodedIds {
            wholes: &records.words[from..lows_from],
            shared,
            lows: bytemuck::cast_slice(&records.words[lows_from..lows_from + lows]),
        };
        self.reserve_level(0, len)?;
        list.all(base, &mut self.levels[0][..len]);
        self.lens.clear();
        push(&mut self.lens, len, WHAT)?;
        (self.last, self.len) = (Which::All, len);
        Ok(lows_from + lows)
    }

    /// Takes up the leaf at `start`, which comes after those taken up before. The list of the one before stays.
    pub fn read<'r>(&mut self, simd: Simd, records: &'r HitRecords, start: usize, full: bool) -> Result<Leaf<'r>> {
        let [depth, members, size] = [0, 1, 2].map(|k| records.words[start + k] as usize);
        let (depth, new) = (depth & ((1 << DEPTH_BITS) - 1), depth >> DEPTH_BITS);
        let end = start + size;
        let mut rest = &records.words[start + LEAF_HEAD..end];
        if depth == 0 {
            (self.last, self.len) = (Which::All, self.lens[0]);
        }
        for level in depth + 1 - new..=depth {
            let len = self.lens[level - 1];
            let (picks, behind) = rest.split_at(len.div_ceil(WORD));
            rest = behind;
            if level < depth {
                self.reserve_level(level, len)?;
                let (from, to) = self.levels.split_at_mut(level);
                let (ids, to) = (&from[level - 1][..], &mut to[0][..]);
                let picked = simd.run(Pick { ids, len, picks, to });
                self.lens.truncate(level);
                push(&mut self.lens, picked, WHAT)?;
            } else {
                let (which, leaf) = match self.last {
                    Which::First => (Which::Second, 1),
                    _ => (Which::First, 0),
                };
                self.leaves[leaf].grow(len + PADDING, WHAT)?;
                let (ids, to) = (&self.levels[level - 1][..], &mut self.leaves[leaf][..]);
                self.len = simd.run(Pick { ids, len, picks, to });
                self.last = which;
            }
        }
        let (ranks, words) = rest.split_at(members.div_ceil(2));
        Ok(Leaf {
            hits: Hits {
                len: self.len,
                ranks: &bytemuck::cast_slice(ranks)[..members],
                words,
                full,
            },
            list: self.last,
            end,
        })
    }

    /// The ids of the targets, padded, of the leaf taken up last or the one before.
    pub fn targets(&self, leaf: &Leaf) -> &[i32] {
        match leaf.list {
            Which::All => &self.levels[0],
            Which::First => &self.leaves[0],
            Which::Second => &self.leaves[1],
        }
    }

    fn reserve_level(&mut self, level: usize, len: usize) -> Result<()> {
        if self.levels.len() == level {
            push(&mut self.levels, Aligned::default(), WHAT)?;
        }
        self.levels[level].grow(len + PADDING, WHAT)
    }
}
