//! Rows that two lists have alike, many compared at once.

use std::ops::Range;

/// Entries that follow each other and are the same in both lists. Most rows stay, and so several are compared at once.
#[derive(Default)]
pub(super) struct Equal {
    /// Their first positions in both lists.
    starts: [usize; 2],
    len: usize,
}

impl Equal {
    /// Ids that are compared at once.
    const BLOCK: usize = 16;
    /// The most ids that are compared before a row asks for more.
    const MOST: usize = 1 << 10;

    /// Whether two rows have the same entries.
    #[inline]
    pub(super) fn have(&mut self, rows: [&Range<usize>; 2], ids: [&[i32]; 2]) -> bool {
        let [here, there] = rows;
        if here.len() != there.len() {
            return false;
        }
        let [from, to] = self.starts;
        if here.start.wrapping_sub(from) >= self.len || here.start.wrapping_sub(from) != there.start.wrapping_sub(to) {
            self.starts = [here.start, there.start];
            self.len = Equal::compare(ids[0], ids[1], self.starts);
        }
        here.end - self.starts[0] <= self.len || ids[0][here.clone()] == ids[1][there.clone()]
    }

    /// The most ids that are the same from two places on.
    fn compare(ids: &[i32], other: &[i32], [here, there]: [usize; 2]) -> usize {
        let pieces = |ids: &'_ [i32], at: usize| at..ids.len().min(at + Equal::MOST);
        let (ids, other) = (&ids[pieces(ids, here)], &other[pieces(other, there)]);
        let blocks = ids.chunks_exact(Equal::BLOCK).zip(other.chunks_exact(Equal::BLOCK));
        let same = Equal::BLOCK * blocks.take_while(|(a, b)| a == b).count();
        same + ids[same..]
            .iter()
            .zip(&other[same..])
            .take_while(|(a, b)| a == b)
            .count()
    }
}
