//! Results of the core cut down to what belongs to this rank.

use std::ops::Range;

use crate::error::{Result, room};

/// Pairs that are looked at together.
const CHUNK: usize = 256;

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

    /// Whether there is a ghost among `numbers`: most often there is none, and nothing else needs a look.
    fn has_ghosts(&self, numbers: &[i32]) -> bool {
        let largest = numbers.iter().fold(0, |largest, &number| number.max(largest));
        (largest - self.base) as usize >= self.owned
    }

    /// The pairs that are this rank's.
    pub fn pairs(&self, left: &[i32], right: &[i32]) -> Result<(Vec<i32>, Vec<i32>)> {
        let mut count = 0;
        self.each_run(left, right, |run| count += run.len());
        let mut mine = (room(count, "the pairs")?, room(count, "the pairs")?);
        self.each_run(left, right, |run| {
            mine.0.extend_from_slice(&left[run.clone()]);
            mine.1.extend_from_slice(&right[run]);
        });
        Ok(mine)
    }

    /// Calls `action` with each run of pairs that are this rank's.
    fn each_run(&self, left: &[i32], right: &[i32], mut action: impl FnMut(Range<usize>)) {
        let mut start = 0;
        for (first, some) in (0..).step_by(CHUNK).zip(right.chunks(CHUNK)) {
            if !self.has_ghosts(some) {
                continue;
            }
            for (at, &other) in (first..).zip(some) {
                if !self.keep(left[at], other) {
                    action(start..at);
                    start = at + 1;
                }
            }
        }
        action(start..right.len());
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
            end += match self.has_ghosts(row(point)) {
                true => kept(point).count() as i64,
                false => row(point).len() as i64,
            };
            ends.push(end);
        }
        let mut all = room((end - base) as usize, "the rows")?;
        for point in 0..self.owned {
            match ends[point + 1] - ends[point] == row(point).len() as i64 {
                true => all.extend_from_slice(row(point)),
                false => all.extend(kept(point)),
            }
        }
        Ok((ends, all))
    }
}
