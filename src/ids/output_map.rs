//! From what is searched to what is delivered: where each row is, and what the points in it are called. They differ
//! where points have global ids, for they are searched in the order of these.

use std::ops::{Deref, Range};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use super::global::GlobalIds;
use super::order::Order;
use crate::error::{Error, Result};
use crate::list::{Rows, fill_left, pays_for_rows};
use crate::memory::Holds;
use crate::room::prefetch;
use crate::threads::Team;

/// The way from the rows that are searched to those of the caller.
#[derive(Clone, Copy)]
pub struct OutputMap<'a> {
    pub places: Places<'a>,
    pub labels: Labels<'a>,
}

impl OutputMap<'_> {
    /// Whether rows are to be stored past the caches.
    pub fn streams(&self) -> bool {
        pays_for_rows(self.places.total())
    }

    /// Writes the label of each row's point as often as the row has ids, where there is a column to write to.
    pub fn fill_left(&self, team: &Team, left: Option<Rows>) -> Result<()> {
        left.map_or(Ok(()), |left| {
            fill_left(team, self.places.offsets(), |i| self.labels.of(i), left)
        })
    }
}

/// Offsets that a thread looks at at once.
const LOOKED_AT: usize = 1 << 15;

/// The places where rows begin and end, the index base with them: they ascend, so that no two rows overlap.
#[derive(Debug, Default, PartialEq)]
pub struct Offsets(Vec<i64>);

impl Holds for Offsets {
    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

impl Deref for Offsets {
    type Target = [i64];

    fn deref(&self) -> &[i64] {
        &self.0
    }
}

impl Offsets {
    /// Has `make` make them, in the memory of those before. If that fails, there are none.
    pub fn make<R>(&mut self, team: &Team, make: impl FnOnce(&mut Vec<i64>) -> Result<R>) -> Result<R> {
        let mut offsets = std::mem::take(&mut self.0);
        let made = make(&mut offsets)?;
        // A device may have made them, so they are looked at.
        if !ascend(team, &offsets) {
            return Err(Error::Internal {
                text: "the offsets of rows do not ascend".into(),
            });
        }
        self.0 = offsets;
        Ok(made)
    }
}

/// Whether no offset is less than the one before. All threads look: one alone takes as long for those of a million rows
/// as a device for a tenth of its search.
fn ascend(team: &Team, offsets: &[i64]) -> bool {
    let (last, all) = (offsets.len().saturating_sub(1), AtomicBool::new(true));
    team.share((0..last).step_by(LOOKED_AT), |first| {
        let some = &offsets[first..=last.min(first + LOOKED_AT)];
        // Without a branch for each.
        let ascend = |ascend: bool, ends: &[i64]| ascend & (ends[0] <= ends[1]);
        if !some.windows(2).fold(true, ascend) {
            all.store(false, Relaxed);
        }
    });
    all.into_inner()
}

/// The places of rows in a list: no two of them overlap.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    /// Of the rows in the order of output.
    offsets: &'a [i64],
    /// For each searched row, which of these it is, each once; `None`: the same.
    order: Option<&'a [u32]>,
}

impl<'a> Places<'a> {
    /// Rows that are listed as they are searched.
    pub fn as_searched(offsets: &'a Offsets) -> Places<'a> {
        Places { offsets, order: None }
    }

    /// Rows that are listed by the numbers of the caller, where these are others.
    pub fn of_caller(offsets: &'a Offsets, order: &'a Order) -> Places<'a> {
        let order = order.points();
        Places { offsets, order }
    }

    /// The places where rows begin and end, the index base with them.
    pub fn offsets(&self) -> &'a [i64] {
        self.offsets
    }

    /// For each searched row, which one of the list it is; `None`: the same.
    pub fn order(&self) -> Option<&'a [u32]> {
        self.order
    }

    /// Ids in all rows.
    fn total(&self) -> usize {
        self.offsets.last().map_or(0, |end| (end - self.offsets[0]) as usize)
    }

    /// The row of the output that row `i` of the search is.
    #[inline]
    pub fn row(&self, i: usize) -> usize {
        self.order.map_or(i, |order| order[i] as usize)
    }

    /// Prefetches the place of row `i` of the search.
    #[inline]
    pub fn prefetch(&self, i: usize) {
        let row = self.row(i);
        self.offsets[row..row + 2].iter().for_each(|end| prefetch(end)); // an eighth of them in two lines
    }

    /// The place of row `i` of the search.
    #[inline]
    pub fn of(&self, i: usize) -> Range<usize> {
        let (row, end) = (self.row(i), |row: usize| (self.offsets[row] - self.offsets[0]) as usize);
        end(row)..end(row + 1)
    }
}

/// The labels by which the caller knows the points that are searched.
#[derive(Clone, Copy)]
pub struct Labels<'a> {
    /// 0 or 1.
    pub base: i64,
    /// For each number of the search that of the caller; `None`: the same.
    pub order: Option<&'a [u32]>,
    /// Ghosts, where they are after all other points and belong among them.
    pub ghosts: Option<Ghosts<'a>>,
}

impl Order {
    /// The numbers that points are called by the caller.
    pub fn labels<'a>(&'a self, ids: &'a GlobalIds, base: i64) -> Labels<'a> {
        Labels {
            base,
            order: self.points(),
            ghosts: self.first_ghost.map(|first| Ghosts { first, ids }),
        }
    }
}

/// Points whose places in a row depend on their ids alone.
#[derive(Clone, Copy)]
pub struct Ghosts<'a> {
    /// The first in the order of the search.
    pub first: usize,
    pub ids: &'a GlobalIds,
}

impl Ghosts<'_> {
    /// Whether a row of the search has none.
    #[inline]
    fn are_not_in(&self, row: &[i32], base: i64) -> bool {
        row.last()
            .is_none_or(|&last| ((i64::from(last) - base) as usize) < self.first)
    }
}

impl Labels<'_> {
    /// The numbers of the search, counted from `base`.
    pub fn plain(base: i64) -> Labels<'static> {
        Labels {
            base,
            order: None,
            ghosts: None,
        }
    }

    /// Whether rows are delivered as they are found.
    #[inline]
    pub fn are_plain(&self) -> bool {
        self.order.is_none() && self.ghosts.is_none()
    }

    /// The label of point `i`.
    #[inline]
    pub fn of(&self, i: usize) -> i32 {
        (self.order.map_or(i as i64, |order| order[i].into()) + self.base) as i32
    }

    /// Elements that [`row`](Labels::row) needs beside a row of `len`.
    pub fn spare(&self, len: usize) -> usize {
        if self.ghosts.is_some() { len } else { 0 }
    }

    /// Brings a row of the search, whose numbers ascend and have the base in them, to labels, ascending by global id.
    #[inline]
    pub fn row(&self, row: &mut [i32], spare: &mut [i32]) {
        // Most rows have no ghosts.
        let is_as_it_is = self.order.is_none() && self.ghosts.is_none_or(|ghosts| ghosts.are_not_in(row, self.base));
        if !is_as_it_is {
            self.relabel(row, spare);
        }
    }

    #[inline(never)]
    fn relabel(&self, row: &mut [i32], spare: &mut [i32]) {
        let base = self.base as i32;
        let is_active = |first: usize| move |&number: &i32| ((number - base) as usize) < first;
        let actives = self.ghosts.map(|ghosts| row.partition_point(is_active(ghosts.first)));
        if self.order.is_some() {
            row.iter_mut().for_each(|id| *id = self.of((*id - base) as usize));
        }
        if let (Some(ghosts), Some(actives)) = (self.ghosts, actives) {
            merge(row, actives, spare, |label| ghosts.ids.key((label - base) as u32));
        }
    }
}

/// Merges the first `left` of `row` with the rest, both ascending by `key`, from the back.
fn merge<K: PartialOrd>(row: &mut [i32], mut left: usize, spare: &mut [i32], key: impl Fn(i32) -> K) {
    let mut right = row.len() - left;
    let spare = &mut spare[..right];
    spare.copy_from_slice(&row[left..]);
    while left > 0 && right > 0 {
        let (a, b) = (row[left - 1], spare[right - 1]);
        let from_left = key(a) > key(b);
        row[left + right - 1] = if from_left { a } else { b };
        left -= usize::from(from_left);
        right -= usize::from(!from_left);
    }
    row[..right].copy_from_slice(&spare[..right]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets that do not ascend are refused, wherever that is and however many threads look.
    #[test]
    fn offsets_ascend() {
        let len = 3 * LOOKED_AT + 7;
        for team in [Team::caller(), Team::new(3).unwrap()] {
            let make = |wrong: Option<usize>| {
                let mut offsets = Offsets::default();
                let made = offsets.make(&team, |offsets| {
                    offsets.extend((0..len as i64).map(|i| i / 2));
                    if let Some(wrong) = wrong {
                        offsets[wrong] = len as i64;
                    }
                    Ok(())
                });
                (made.is_ok(), offsets.len())
            };
            assert_eq!(make(None), (true, len));
            assert_eq!(make(Some(len - 1)), (true, len)); // the last may be large
            for wrong in [0, 1, LOOKED_AT - 1, LOOKED_AT, LOOKED_AT + 1, 2 * LOOKED_AT, len - 2] {
                assert_eq!(make(Some(wrong)), (false, 0), "{wrong}");
            }
        }
    }
}
