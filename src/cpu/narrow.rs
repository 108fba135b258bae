//! Rows by several cutoffs out of those by the largest one. The caller's arithmetic decides each entry once, and an entry that a
//! bound leaves out is not looked at for the smaller ones.
//!
//! in: rows, the points, and bounds; out: lengths and rows by each bound, in memory of the threads until the lists have room.

use std::ops::Range;

use crate::axes::{in_dim, per_axis};
use crate::domain::Periods;
use crate::error::{Error, Result};
use crate::list::{Out, Pieces, Rows, grow, holds, prefetch, push, reserve_keeping, resize_discarding};
use crate::points::{Points, Real};
use crate::threads::Team;

const WHAT: &str = "the rows by several cutoffs";

/// Rows that a thread does at once.
const ROWS: usize = 256;

/// Entries whose points are fetched before they are decided: points of a row are anywhere.
const AHEAD: usize = 24;

/// Rows by the largest cutoff, and the bounds of smaller ones.
pub struct Narrow<'a, T> {
    /// The points as they are numbered in the rows.
    pub points: &'a Points<T>,
    /// The point that has the first row.
    pub first: usize,
    /// The places where rows begin, and the numbers in them, both from the first offset on.
    pub offsets: &'a [i64],
    pub ids: &'a [i32],
    /// The distances squared of the entries of each list are at most this; none is greater than the one before.
    pub bounds: &'a [T],
}

/// The findings of a thread: rows of some tasks, by each bound.
#[derive(Debug, Default)]
pub struct Found {
    tasks: Vec<usize>,
    by_bound: Vec<Narrowed>,
    /// The row at work.
    row: Vec<i32>,
}

holds! { Found { tasks, by_bound, row } }

/// The rows of all tasks of a thread by one bound.
#[derive(Debug, Default)]
struct Narrowed {
    ids: Vec<i32>,
    /// The lengths of the rows.
    lengths: Vec<i64>,
    /// For each task the ends of its ids and of its lengths.
    ends: Vec<[usize; 2]>,
}

holds! { Narrowed { ids, lengths; ends } }

impl Narrowed {
    /// The ids and the lengths of the rows of each task.
    fn tasks(&self) -> impl Iterator<Item = (&[i32], &[i64])> {
        let starts = [[0; 2]].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| {
            let [ids, lengths] = [0, 1].map(|k| start[k]..end[k]);
            (&self.ids[ids], &self.lengths[lengths])
        })
    }
}

impl<T: Real> Narrow<'_, T> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Finds the entries of all rows that are within each bound.
    pub fn find(&self, team: &Team, found: &mut Vec<Found>) -> Result<()> {
        team.cost().add(self.ids.len());
        let mut places = Vec::new();
        resize_discarding(&mut places, self.points.len(), [T::default(); 4], WHAT)?;
        let axes = self.points.axes();
        Out::new(&mut places).in_pieces(team, 1, |first, places| {
            for k in 0..places.len() {
                let coord = |axis: usize| axes.get(axis).map_or(T::default(), |coords| coords[first + k]);
                places.write(k, per_axis(coord));
            }
        })?;
        while found.len() < team.threads() {
            push(found, Found::default(), WHAT)?;
        }
        let mut states = Vec::new();
        for found in found.iter_mut() {
            found.begin(self.bounds.len())?;
            push(&mut states, (found, Vec::new()), WHAT)?;
        }
        team.run(&mut states, self.rows().div_ceil(ROWS), |(found, squares), task| {
            self.narrow(task, &places, found, squares)
        })
    }

    /// The rows of a task.
    fn narrow(&self, task: usize, places: &[[T; 4]], found: &mut Found, squares: &mut Vec<T>) -> Result<()> {
        for i in rows_of(task, self.rows()) {
            let len = self.place(i).len();
            grow(&mut found.row, len, 0, WHAT)?;
            grow(squares, len, T::default(), WHAT)?;
            let (row, squares) = (&mut found.row[..len], &mut squares[..len]);
            let mut kept = match self.points.periods().is_open() {
                true => in_dim!(self.points.dim(), DIM => self.measure::<DIM, false>(i, places, row, squares)),
                false => in_dim!(self.points.dim(), DIM => self.measure::<DIM, true>(i, places, row, squares)),
            };
            for (k, (narrowed, &bound)) in found.by_bound.iter_mut().zip(self.bounds).enumerate() {
                if k > 0 {
                    kept = keep(&mut row[..kept], &mut squares[..kept], bound);
                }
                let total = narrowed.ids.len() + kept;
                reserve_keeping(&mut narrowed.ids, total, WHAT)?;
                narrowed.ids.extend_from_slice(&row[..kept]);
                push(&mut narrowed.lengths, kept as i64, WHAT)?;
            }
        }
        for narrowed in &mut found.by_bound {
            let ends = [narrowed.ids.len(), narrowed.lengths.len()];
            push(&mut narrowed.ends, ends, WHAT)?;
        }
        push(&mut found.tasks, task, WHAT)
    }

    /// Copies those of row `i` that are within the first bound to `row`, and their distances squared; returns how many there are.
    #[inline(always)]
    fn measure<const DIM: usize, const PERIODIC: bool>(
        &self,
        i: usize,
        places: &[[T; 4]],
        row: &mut [i32],
        squares: &mut [T],
    ) -> usize {
        let (ids, mine, open) = (&self.ids[self.place(i)], places[self.first + i], Periods::default());
        let periods = if PERIODIC { self.points.periods() } else { &open };
        let base = self.offsets[0] as i32;
        let place = |id: i32| &places[(id - base) as usize];
        let bound = self.bounds[0];
        ids.iter().take(AHEAD).for_each(|&id| prefetch(place(id)));
        let mut kept = 0;
        for (k, &id) in ids.iter().enumerate() {
            if let Some(&later) = ids.get(k + AHEAD) {
                prefetch(place(later));
            }
            let other = place(id);
            let d2 = periods.distance2(DIM, |axis| [mine[axis], other[axis]]);
            (row[kept], squares[kept]) = (id, d2); // without a branch, which would often go the wrong way
            kept += usize::from(d2 <= bound);
        }
        kept
    }

    /// The place of row `i`.
    #[inline(always)]
    fn place(&self, i: usize) -> Range<usize> {
        let [start, end] = [i, i + 1].map(|i| (self.offsets[i] - self.offsets[0]) as usize);
        start..end
    }
}

/// Keeps those of a row that are within a bound; returns how many there are.
#[inline(always)]
fn keep<T: Real>(row: &mut [i32], squares: &mut [T], bound: T) -> usize {
    let mut kept = 0;
    for k in 0..row.len().min(squares.len()) {
        let (id, d2) = (row[k], squares[k]);
        (row[kept], squares[kept]) = (id, d2);
        kept += usize::from(d2 <= bound);
    }
    kept
}

/// The rows of a task.
fn rows_of(task: usize, rows: usize) -> Range<usize> {
    task * ROWS..((task + 1) * ROWS).min(rows)
}

impl Found {
    fn begin(&mut self, bounds: usize) -> Result<()> {
        self.tasks.clear();
        while self.by_bound.len() < bounds {
            push(&mut self.by_bound, Narrowed::default(), WHAT)?;
        }
        for narrowed in &mut self.by_bound {
            narrowed.ids.clear();
            narrowed.lengths.clear();
            narrowed.ends.clear();
        }
        Ok(())
    }
}

/// Writes the lengths of all rows by bound `k`.
pub fn lengths(found: &[Found], k: usize, lengths: &mut [i64]) {
    let rows = lengths.len();
    for found in found {
        for (&task, (_, part)) in found.tasks.iter().zip(found.by_bound[k].tasks()) {
            lengths[rows_of(task, rows)].copy_from_slice(part);
        }
    }
}

/// Writes all rows by bound `k`, whose offsets are made.
pub fn fill(team: &Team, found: &[Found], k: usize, offsets: &[i64], ids: Rows) -> Result<()> {
    let rows = offsets.len() - 1;
    let cuts = 0..=rows.div_ceil(ROWS);
    let cuts = cuts.map(|task| (offsets[rows.min(task * ROWS)] - offsets[0]) as usize);
    let pieces = Pieces::new(ids, cuts)?;
    team.share(found.iter(), |found| {
        for (&task, (part, _)) in found.tasks.iter().zip(found.by_bound[k].tasks()) {
            pieces.store(task, part);
        }
    });
    match pieces.into_stored().len() == (offsets[rows] - offsets[0]) as usize {
        true => Ok(()),
        false => Err(Error::Internal {
            text: "rows by several cutoffs are missing".into(),
        }),
    }
}
