//! Results of the core cut down to what belongs to this rank.

use crate::error::{Result, room};

/// On which rank a pair of points of two ranks is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// On that of the smaller global id alone.
    Once,
    /// On both, each with its own point left.
    Both,
}

/// Pairs of this rank by numbers of points in the index base, ghosts behind the owned: ordered by the global ids of the left
/// points, then of the right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pairs<'a> {
    /// Owned points.
    pub left: &'a [i32],
    /// Owned points or ghosts.
    pub right: &'a [i32],
}

/// Rows of the owned points: in index base b that of point i is `ids[offsets[i] - b]` to `ids[offsets[i + 1] - 1 - b]`, by
/// global id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbors<'a> {
    /// Where rows begin, and the last one ends.
    pub offsets: &'a [i64],
    /// Owned points and ghosts.
    pub ids: &'a [i32],
}

/// Lists made here, out of the core's.
#[derive(Debug, Default)]
pub struct Lists {
    pub pairs: Option<(Vec<i32>, Vec<i32>)>,
    pub half: Option<(Vec<i64>, Vec<i32>)>,
}

/// Which points are ghosts, and global ids: whose pair it is.
pub struct Owners<'a> {
    pub owned: usize,
    pub base: i32,
    pub ids: &'a [i64],
}

impl Owners<'_> {
    /// Whether a pair of an owned point and another is this rank's.
    fn keep(&self, left: i32, right: i32) -> bool {
        let [left, right] = [left, right].map(|number| (number - self.base) as usize);
        right < self.owned || self.ids[left] < self.ids[right]
    }

    /// The pairs that are this rank's.
    pub fn pairs(&self, left: &[i32], right: &[i32]) -> Result<(Vec<i32>, Vec<i32>)> {
        let kept = || left.iter().zip(right).filter(|&(&i, &j)| self.keep(i, j));
        let count = kept().count();
        let mut mine = (room(count, "the pairs")?, room(count, "the pairs")?);
        mine.0.extend(kept().map(|(&i, _)| i));
        mine.1.extend(kept().map(|(_, &j)| j));
        Ok(mine)
    }

    /// The rows of owned points, each with the points that are behind it.
    pub fn rows(&self, offsets: &[i64], ids: &[i32]) -> Result<(Vec<i64>, Vec<i32>)> {
        let base = i64::from(self.base);
        let row = |point: usize| &ids[(offsets[point] - base) as usize..(offsets[point + 1] - base) as usize];
        let kept = |point: usize| {
            let number = point as i32 + self.base;
            row(point)
                .iter()
                .copied()
                .filter(move |&other| self.keep(number, other))
        };
        let mut ends = room(self.owned + 1, "the rows")?;
        ends.push(base);
        let mut end = base;
        for point in 0..self.owned {
            end += kept(point).count() as i64;
            ends.push(end);
        }
        let mut all = room((end - base) as usize, "the rows")?;
        (0..self.owned).for_each(|point| all.extend(kept(point)));
        Ok((ends, all))
    }
}
