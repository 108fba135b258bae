//! A leaf in parts, if its members list few of its targets because of their classes. The members that list the same
//! classes are a group. They are tested, some at a time, against the targets of these classes only.

use std::ops::Range;

use crate::cpu::kernels::quantized::{BATCH, FixedTargets, TARGET_PADDING};
use crate::cpu::quantized::LeafBox;
use crate::error::Result;
use crate::kinds::{Classes, bits};
use crate::list::{Aligned, grow, holds, push};

const WHAT: &str = "the groups of a leaf";

/// The members of a leaf by what they list, and the targets of some of them.
#[derive(Debug, Default)]
pub struct LeafGroups {
    groups: Vec<Group>,
    /// The members of all groups, one group after the other, as ranks among the leaf's targets.
    members: Vec<u16>,
    /// The targets of the group that is tested, also as ranks.
    listed: Vec<u16>,
    /// Targets of some of its members: themselves, and what they list.
    coords: [Aligned<i16>; 3],
    index: Aligned<i16>,
    len: usize,
}

holds! { LeafGroups { groups, members, listed, coords, index; len } }

/// Members that list the same classes.
#[derive(Clone, Copy, Debug)]
struct Group {
    lists: u128,
    /// The end of its members.
    end: usize,
}

holds! { nothing for Group }

impl LeafGroups {
    /// Finds the groups of the members at `ranks` that have rows. Returns how many there are: none where nearly all
    /// tests are needed.
    pub fn find(&mut self, classes: &Classes, leaf: &LeafBox, ranks: &[u16]) -> Result<usize> {
        self.groups.clear();
        self.members.clear();
        let class = |rank: usize| leaf.around.classes[leaf.number(rank)];
        let mut rows = ranks.iter().fold(0u128, |rows, &rank| rows | 1 << class(rank.into()));
        let mut tests = 0;
        while rows != 0 {
            let lists = classes.lists(rows.trailing_zeros() as u8);
            let others = bits(rows).filter(|&class| classes.lists(class) != lists);
            rows = others.fold(0, |rows, class| rows | 1 << class);
            if lists == 0 {
                continue;
            }
            for &rank in ranks {
                if classes.lists(class(rank.into())) == lists {
                    push(&mut self.members, rank, WHAT)?;
                }
            }
            let (start, end) = (self.start(self.groups.len()), self.members.len());
            let halves = [lists as u64, (lists >> 64) as u64];
            let is_listed = |class: u8| (halves[usize::from(class / 64) % 2] >> (class % 64)) as usize & 1;
            let listed: usize = (0..leaf.targets.len).map(|rank| is_listed(class(rank))).sum();
            tests += (end - start) * (listed + BATCH.min(end - start));
            push(&mut self.groups, Group { lists, end }, WHAT)?;
        }
        if 2 * tests >= self.members.len() * leaf.targets.len {
            self.groups.clear();
        }
        Ok(self.groups.len())
    }

    /// The start of the members of a group.
    fn start(&self, group: usize) -> usize {
        if group == 0 { 0 } else { self.groups[group - 1].end }
    }

    /// Begins with a group: finds its targets. Returns which of all members are its own.
    pub fn begin(&mut self, group: usize, leaf: &LeafBox) -> Result<Range<usize>> {
        let Group { lists, end } = self.groups[group];
        self.listed.clear();
        for rank in 0..leaf.targets.len {
            if lists >> leaf.around.classes[leaf.number(rank)] & 1 == 1 {
                push(&mut self.listed, rank as u16, WHAT)?;
            }
        }
        let most = self.listed.len() + BATCH + TARGET_PADDING;
        for coords in &mut self.coords[..leaf.dim] {
            coords.grow(most, WHAT)?;
        }
        self.index.grow(most, WHAT)?;
        Ok(self.start(group)..end)
    }

    /// Takes up the targets of `members`, at most [`BATCH`] of those of the group; writes where these are among them to
    /// `ranks`.
    pub fn take(&mut self, leaf: &LeafBox, members: Range<usize>, ranks: &mut Vec<u16>) -> Result<usize> {
        grow(ranks, members.len() + TARGET_PADDING, 0, WHAT)?;
        let (members, listed) = (&self.members[members], &self.listed[..]);
        let (mut next, mut found, mut len) = (0, 0, 0);
        while next < listed.len() || found < members.len() {
            let [target, member] = [listed.get(next), members.get(found)].map(|rank| rank.copied().unwrap_or(u16::MAX));
            let rank = target.min(member);
            if found < members.len() && member == rank {
                (ranks[found], found) = (len as u16, found + 1);
            }
            next += usize::from(next < listed.len() && target == rank);
            for (to, from) in self.coords.iter_mut().zip(leaf.targets.coords).take(leaf.dim) {
                to[len] = from[usize::from(rank)];
            }
            self.index[len] = leaf.targets.index[usize::from(rank)];
            len += 1;
        }
        self.len = len;
        Ok(found)
    }

    /// The targets taken up.
    pub fn targets(&self) -> FixedTargets<'_> {
        FixedTargets {
            coords: [&self.coords[0], &self.coords[1], &self.coords[2]],
            index: &self.index,
            len: self.len,
        }
    }
}
