//! Rows out of a Verlet list: it holds what a search with a skin found, and points have moved since. The caller's
//! arithmetic decides each entry once; counting keeps one bit for each.

#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use crate::domain::Periods;
use crate::error::Result;
use crate::ids::OutputMap;
use crate::kinds::{Classes, TypeBounds};
use crate::list::{
    Out, Rows, as_atomic_i64, as_atomic_u32, grow, holds, prefetch, push, reserve_discarding, resize_discarding,
};
use crate::points::{Points, Real};
use crate::radii::Reach;
use crate::threads::Team;

/// Rows that a thread does at once. Their bits share no word with others'.
const ROWS: usize = 1024;

/// Entries whose points are fetched before they are decided: points of a row are anywhere.
const AHEAD: usize = 24;

/// Results of counting, and the points as it reads them.
#[derive(Debug, Default)]
pub struct Decided<T> {
    /// The entries that are in reach.
    bits: Vec<u32>,
    /// The points' coordinates and radii: one line of memory each.
    places: Vec<[T; 4]>,
}

holds! { Decided<T> { bits, places } }

/// The pairs that are in reach.
pub enum Within<'a, T> {
    /// Distance squared is at most this.
    Bound(T),
    /// The bound of their types.
    Types(&'a Classes<'a>, &'a TypeBounds),
    /// The radii decide; and the points by the numbers of the search, where they are not searched as they are numbered.
    Radii(Reach<'a, T>, Option<&'a [u32]>),
}

impl<T: Real> Within<'_, T> {
    /// The radius of point `i` of the search; 0 where none is needed.
    fn radius(&self, i: usize) -> T {
        match self {
            Within::Bound(_) | Within::Types(..) => T::default(),
            Within::Radii(reach, order) => reach.of(order.map_or(i, |order| order[i] as usize)),
        }
    }
}

/// A Verlet list, of all that can be in reach, and the points as they are now.
pub struct Verlet<'a, T> {
    pub points: &'a Points<T>,
    /// The places where rows begin, and the numbers in them, both from the first offset on.
    pub offsets: &'a [i64],
    pub ids: &'a [i32],
    pub within: Within<'a, T>,
    /// Both sides of each pair are wanted; otherwise the ids above the row's own.
    pub full: bool,
    /// With points of several kinds, the rows that there are. Their entries were decided when the list was made.
    pub classes: Option<&'a Classes<'a>>,
}

impl<T: Real> Verlet<'_, T> {
    /// Writes the length of row `i` to `lengths[i]`.
    pub fn count(&self, team: &Team, decided: &mut Decided<T>, lengths: &mut [i64]) -> Result<()> {
        const WHAT: &str = "the entries of a list with a skin";
        let words = self.ids.len() / 32 + self.offsets.len().div_ceil(ROWS) + 1;
        resize_discarding(&mut decided.bits, words, 0, WHAT)?;
        resize_discarding(&mut decided.places, lengths.len(), [T::default(); 4], WHAT)?;
        team.cost().add(self.ids.len());
        let axes = self.points.axes();
        Out::new(&mut decided.places).in_pieces(team, 1, |first, places| {
            for k in 0..places.len() {
                let coord = |axis: usize| axes.get(axis).map_or(T::default(), |coords| coords[first + k]);
                let [x, y, z] = [0, 1, 2].map(coord);
                places.write(k, [x, y, z, self.within.radius(first + k)]);
            }
        })?;
        let (bits, lengths, places) = (
            as_atomic_u32(&mut decided.bits),
            as_atomic_i64(lengths),
            &decided.places,
        );
        each_row(team, self.offsets, &mut vec![(); team.threads()], |(), i, at| {
            let mut length = 0;
            let (mut word, mut number) = (0, at / 32);
            if at % 32 != 0 {
                word = bits[number].load(Relaxed);
            }
            self.decide(i, places, |k, is_near| {
                if (at + k) / 32 != number {
                    bits[number].store(word, Relaxed);
                    (word, number) = (0, number + 1);
                }
                word |= u32::from(is_near) << ((at + k) % 32);
                length += i64::from(is_near);
            });
            bits[number].store(word, Relaxed);
            lengths[i].store(length, Relaxed);
            Ok(())
        })
    }

    /// Writes the labels of those of row `i` that are in reach to its place in `rows`.
    pub fn fill(&self, team: &Team, decided: &Decided<T>, output: OutputMap, rows: Rows) -> Result<()> {
        let moved = (output.labels.base - self.offsets[0]) as i32;
        store_rows(team, (self.offsets, self.ids), output, rows, |row, ids, at| {
            for (k, &id) in (at..).zip(ids) {
                if decided.bits[k / 32] >> (k % 32) & 1 == 1 {
                    row.push(id + moved);
                }
            }
        })
    }

    /// Calls `action` with each entry of row `i` and whether it is in reach, and on the side that is wanted.
    #[inline(always)]
    fn decide(&self, i: usize, places: &[[T; 4]], action: impl FnMut(usize, bool)) {
        match (self.points.axes().len(), self.points.periods().is_open()) {
            (1, true) => self.decide_in::<1, false>(i, places, action),
            (2, true) => self.decide_in::<2, false>(i, places, action),
            (_, true) => self.decide_in::<3, false>(i, places, action),
            (1, false) => self.decide_in::<1, true>(i, places, action),
            (2, false) => self.decide_in::<2, true>(i, places, action),
            (_, false) => self.decide_in::<3, true>(i, places, action),
        }
    }

    #[inline(always)]
    fn decide_in<const DIM: usize, const PERIODIC: bool>(
        &self,
        i: usize,
        places: &[[T; 4]],
        mut action: impl FnMut(usize, bool),
    ) {
        let (row, mine, open) = (&self.ids[row(self.offsets, i)], places[i], Periods::default());
        let periods = if PERIODIC { self.points.periods() } else { &open };
        let has_row = self.classes.is_none_or(|classes| classes.has_row(classes.of(i)));
        let base = self.offsets[0] as i32;
        let number = |id: i32| (id - base) as usize;
        row.iter().take(AHEAD).for_each(|&id| prefetch(&places[number(id)]));
        for (k, &id) in row.iter().enumerate() {
            if let Some(&later) = row.get(k + AHEAD) {
                prefetch(&places[number(later)]);
            }
            let other = places[number(id)];
            let d2 = periods.distance2(DIM, |axis| [mine[axis], other[axis]]);
            let is_near = match &self.within {
                Within::Bound(bound) => d2 <= *bound,
                Within::Types(classes, bounds) => d2 <= bounds.of(classes.of(i), classes.of(number(id))),
                Within::Radii(reach, _) => reach.is_pair(mine[3], other[3], d2),
            };
            action(k, is_near && has_row && (self.full || number(id) > i));
        }
    }
}

/// The place of row `i`.
#[inline(always)]
fn row(offsets: &[i64], i: usize) -> Range<usize> {
    let [start, end] = [i, i + 1].map(|i| (offsets[i] - offsets[0]) as usize);
    start..end
}

/// Calls `act` with each row and where its bits are.
fn each_row<S: Send>(
    team: &Team,
    offsets: &[i64],
    states: &mut [S],
    act: impl Fn(&mut S, usize, usize) -> Result<()> + Sync,
) -> Result<()> {
    let rows = offsets.len() - 1;
    team.run(states, rows.div_ceil(ROWS), |state, task| {
        let first = row(offsets, task * ROWS).start;
        let start = 32 * (first / 32 + task);
        (task * ROWS..((task + 1) * ROWS).min(rows))
            .try_for_each(|i| act(state, i, start + row(offsets, i).start - first))
    })
}

/// Writes all rows of a list, whose numbers are those of a search, as they are delivered to `rows`.
pub fn copy_rows(team: &Team, list: (&[i64], &[i32]), output: OutputMap, rows: Rows) -> Result<()> {
    store_rows(team, list, output, rows, |row, ids, _| row.extend_from_slice(ids))
}

/// Writes to `rows` what `take` takes of each row of a list, given where its bits are.
fn store_rows(
    team: &Team,
    (offsets, ids): (&[i64], &[i32]),
    output: OutputMap,
    rows: Rows,
    take: impl Fn(&mut Vec<i32>, &[i32], usize) + Sync,
) -> Result<()> {
    let OutputMap { places, labels } = output;
    let mut states = Vec::new();
    for _ in 0..team.threads() {
        push(&mut states, [Vec::new(), Vec::new()], "rows of the threads")?;
    }
    each_row(team, offsets, &mut states, |[taken, spare], i, at| {
        let place = places.of(i);
        taken.clear();
        reserve_discarding(taken, place.len(), "a row")?;
        grow(spare, labels.spare(place.len()), 0, "a row")?;
        take(taken, &ids[row(offsets, i)], at);
        labels.row(taken, spare);
        // SAFETY: offsets ascend, so rows do not overlap, and each row is done by one task.
        unsafe { rows.alias() }.store(place, taken);
        Ok(())
    })
}
