//! Distances and displacements of pairs that the caller holds, by the arithmetic that decides what a pair is.
//!
//! in: the handle's points (wrapped along periodic axes), lists of ids; out: a value a pair, in the order of the lists,
//! straight into the caller's arrays. Lists are checked as a whole before anything is written.
//!
//! The displacement of a pair is `dx = x_i - x_j` per axis, to the nearest image along a periodic one; its distance the
//! correctly rounded root of `dx*dx + dy*dy + dz*dz`, summed left to right, every operation rounded, no fused
//! multiply-add. Neither needs a cutoff or an index.

mod bins;

use std::ops::Range;

pub use bins::Bins;

use crate::arguments::{check_ids, check_len, check_offsets};
use crate::axes::per_axis;
use crate::domain::Periods;
use crate::error::Result;
use crate::list::Out;
use crate::real::Real;
use crate::threads::Team;

/// Pairs, in the caller's index base.
#[derive(Clone, Copy, Debug)]
pub enum PairList<'a> {
    /// `pair_i`, `pair_j`: two columns of one length.
    Columns([&'a [i32]; 2]),
    /// Offsets and ids of rows, one row a point or a query: row `i` pairs `i` with each of its ids.
    Rows(&'a [i64], &'a [i32]),
}

impl PairList<'_> {
    /// The number of pairs; of rows, once their offsets are checked.
    pub fn len(&self) -> usize {
        match self {
            PairList::Columns([left, _]) => left.len(),
            PairList::Rows(_, ids) => ids.len(),
        }
    }

    /// Refuses lists that do not fit each other, offsets that are not those of `rows` rows, and the first id that is not one of
    /// `points`.
    pub fn check(&self, points: usize, rows: usize, base: i64, team: &Team) -> Result<()> {
        match *self {
            PairList::Columns([left, right]) => {
                check_len("the length of pair_j", right.len(), left.len())?;
                check_ids("pair_i", left, points, base, team)?;
                check_ids("pair_j", right, points, base, team)
            }
            PairList::Rows(offsets, ids) => {
                check_len("the length of offsets", offsets.len(), rows + 1)?;
                check_len("the length of ids", ids.len(), check_offsets("offsets", offsets, base)?)?;
                check_ids("ids", ids, points, base, team)
            }
        }
    }

    /// Calls `action` with the place of each pair of `range` in the list, and its two points. The list is checked. `first_row` is
    /// the number of what the first row is of.
    #[inline(always)]
    fn each(&self, range: Range<usize>, (base, first_row): (i64, usize), mut action: impl FnMut(usize, [usize; 2])) {
        let point = |id: i32| id.wrapping_sub(base as i32) as u32 as usize;
        match *self {
            PairList::Columns([left, right]) => {
                let pairs = left[range.clone()].iter().zip(&right[range.clone()]);
                for (at, (&i, &j)) in range.zip(pairs) {
                    action(at, [point(i), point(j)]);
                }
            }
            PairList::Rows(offsets, ids) => {
                let mut row = offsets.partition_point(|&offset| offset - base <= range.start as i64) - 1;
                for at in range {
                    while offsets[row + 1] - base <= at as i64 {
                        row += 1;
                    }
                    action(at, [first_row + row, point(ids[at])]);
                }
            }
        }
    }
}

/// The quantity of each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// One number a pair.
    Distance,
    /// As many numbers a pair as there are axes, one after the other.
    Displacement,
}

impl Quantity {
    /// Numbers a pair of points of `dim` axes.
    pub fn width(self, dim: usize) -> usize {
        match self {
            Quantity::Distance => 1,
            Quantity::Displacement => dim,
        }
    }
}

/// The points that pairs are of: an axis each, wrapped along periodic ones.
#[derive(Clone, Copy, Debug)]
pub struct Between<'a, T> {
    pub axes: &'a [Vec<T>],
    pub periods: &'a Periods<T>,
    /// The number of what the first row is of: queries are after the points.
    pub first_row: usize,
}

impl<T: Real> Between<'_, T> {
    /// Writes `quantity` of all pairs, whose list is checked, to `out`, which has room for just as many.
    pub fn write(&self, quantity: Quantity, pairs: PairList, base: i64, team: &Team, out: Out<T>) -> Result<()> {
        match self.axes {
            [x] => self.write_in([x], quantity, pairs, base, team, out),
            [x, y] => self.write_in([x, y], quantity, pairs, base, team, out),
            [x, y, z] => self.write_in([x, y, z], quantity, pairs, base, team, out),
            _ => Ok(()),
        }
    }

    /// Counts the pairs of `range`, a part of a checked list: adds one to the counter of each pair's bin.
    pub fn count(&self, pairs: PairList, range: Range<usize>, base: i64, bins: &Bins<T>, counters: &mut [i64]) {
        match self.axes {
            [x] => self.count_in([x], pairs, (range, base), bins, counters),
            [x, y] => self.count_in([x, y], pairs, (range, base), bins, counters),
            [x, y, z] => self.count_in([x, y, z], pairs, (range, base), bins, counters),
            _ => (),
        }
    }

    fn count_in<const DIM: usize>(
        &self,
        axes: [&Vec<T>; DIM],
        pairs: PairList,
        (range, base): (Range<usize>, i64),
        bins: &Bins<T>,
        counters: &mut [i64],
    ) {
        pairs.each(range, (base, self.first_row), |_, [i, j]| {
            let d: [T; DIM] = per_axis(|axis| self.periods.difference(axis, axes[axis][i], axes[axis][j]));
            bins.count(&[square_of(&d)], counters);
        });
    }

    fn write_in<const DIM: usize>(
        &self,
        axes: [&Vec<T>; DIM],
        quantity: Quantity,
        pairs: PairList,
        base: i64,
        team: &Team,
        out: Out<T>,
    ) -> Result<()> {
        let (periods, numbers) = (self.periods, (base, self.first_row));
        let displacement = |[i, j]: [usize; 2]| -> [T; DIM] {
            per_axis(|axis| periods.difference(axis, axes[axis][i], axes[axis][j]))
        };
        match quantity {
            Quantity::Distance => out.in_pieces(team, 1, |first, out| {
                pairs.each(first..first + out.len(), numbers, |at, pair| {
                    let d = displacement(pair);
                    out.write(at - first, square_of(&d).sqrt());
                });
            }),
            Quantity::Displacement => out.in_pieces(team, DIM, |first, out| {
                let range = first / DIM..(first + out.len()) / DIM;
                pairs.each(range, numbers, |at, pair| {
                    out.write_all(at * DIM - first, &displacement(pair))
                });
            }),
        }
    }
}

/// The squared distance, summed from left to right.
#[inline(always)]
fn square_of<T: Real, const DIM: usize>(d: &[T; DIM]) -> T {
    d[1..].iter().fold(d[0].mul(d[0]), |sum, &d| sum.add_square(d))
}
