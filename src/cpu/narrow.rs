//! Rows by several cutoffs out of those by the largest one. The caller's arithmetic decides each entry once, and an entry that a
//! bound leaves out is not looked at for the smaller ones.
//!
//! in: rows, the points, and bounds; out: lengths and rows by each bound, in memory of the threads until the lists have room.

use std::ops::Range;

use crate::axes::{in_dim, per_axis};
use crate::domain::Periods;
use crate::error::{Error, Result};
use crate::list::{Out, Pieces, Rows, grow, holds, prefetch, push, reserve_keeping, resize_discarding, resize_keeping};
use crate::points::{Points, Real};
use crate::threads::Team;

const WHAT: &str = "the rows by several cutoffs";

/// Rows that a thread does at once.
const ROWS: usize = 256;

/// Entries of a row up to which, for each smaller cutoff, rows are narrowed in less time than they are found again: 100,000 points, full
/// and half rows, cutoffs of 1, 0.8 and 0.6 (one thread of a shared machine, 2026-11-28).
const PAYS: usize = 24;

/// Bytes that the cache of a core holds, about.
const CACHE: usize = 1 << 21;

/// Rows that are looked at to see whether points are scattered.
const LOOKED_AT: usize = 256;

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
    /// The ids, of which so many are used.
    ids: Vec<i32>,
    used: usize,
    /// The lengths of the rows.
    lengths: Vec<i64>,
    /// For each task the ends of its ids and of its lengths.
    ends: Vec<[usize; 2]>,
}

holds! { Narrowed { ids, lengths; used, ends } }

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
        let rows = rows_of(task, self.rows());
        let most = self.place(rows.start).start..self.place(rows.end - 1).end;
        grow(&mut found.row, most.len(), 0, WHAT)?;
        grow(squares, most.len(), T::default(), WHAT)?;
        for narrowed in &mut found.by_bound {
            let room = narrowed.used + most.len();
            if narrowed.ids.len() < room {
                resize_keeping(&mut narrowed.ids, room + room / 4, 0, WHAT)?;
            }
            let lengths = narrowed.lengths.len() + rows.len();
            reserve_keeping(&mut narrowed.lengths, lengths, WHAT)?;
        }
        match self.points.periods().is_open() {
            true => in_dim!(self.points.dim(), DIM => self.narrow_in::<DIM, false>(rows, places, found, squares)),
            false => in_dim!(self.points.dim(), DIM => self.narrow_in::<DIM, true>(rows, places, found, squares)),
        }
        for narrowed in &mut found.by_bound {
            let ends = [narrowed.used, narrowed.lengths.len()];
            push(&mut narrowed.ends, ends, WHAT)?;
        }
        push(&mut found.tasks, task, WHAT)
    }

    fn narrow_in<const DIM: usize, const PERIODIC: bool>(
        &self,
        rows: Range<usize>,
        places: &[[T; 4]],
        found: &mut Found,
        squares: &mut [T],
    ) {
        let fetches = size_of_val(places) > CACHE;
        let base = self.offsets[0] as i32;
        let last = rows.end;
        for i in rows {
            if fetches && i + 1 < last {
                let later = &self.ids[self.place(i + 1)];
                later.iter().for_each(|&id| prefetch(&places[(id - base) as usize]));
            }
            let ids = &self.ids[self.place(i)];
            let squares = &mut squares[..ids.len()];
            self.measure::<DIM, PERIODIC>(places[self.first + i], ids, places, squares);
            let (mut kept, row) = (ids.len(), &mut found.row[..ids.len()]);
            for (k, (narrowed, &bound)) in found.by_bound.iter_mut().zip(self.bounds).enumerate() {
                let to = &mut narrowed.ids[narrowed.used..][..kept];
                kept = match k {
                    0 => keep(ids, squares, bound, to),
                    _ => keep(&row[..kept], &mut squares[..kept], bound, to),
                };
                if k + 1 < self.bounds.len() {
                    row[..kept].copy_from_slice(&to[..kept]);
                }
                narrowed.used += kept;
                narrowed.lengths.push(kept as i64); // there is room
            }
        }
    }

    /// Writes the distances squared of a row.
    #[inline(always)]
    fn measure<const DIM: usize, const PERIODIC: bool>(
        &self,
        mine: [T; 4],
        ids: &[i32],
        places: &[[T; 4]],
        squares: &mut [T],
    ) {
        let open = Periods::default();
        let periods = if PERIODIC { self.points.periods() } else { &open };
        let base = self.offsets[0] as i32;
        for (&id, square) in ids.iter().zip(squares) {
            let other = &places[(id - base) as usize];
            *square = periods.distance2(DIM, |axis| [mine[axis], other[axis]]);
        }
    }

    /// Whether this takes less time than a search for each of the smaller cutoffs.
    pub fn pays(&self) -> bool {
        self.ids.len() <= PAYS * self.bounds.len() * self.rows() && !self.is_scattered()
    }

    /// Whether the points of one row are far from those of the next in memory, which then is more than caches hold.
    fn is_scattered(&self) -> bool {
        let points = self.points.len();
        if points * size_of::<[T; 4]>() <= CACHE || self.rows() == 0 {
            return false;
        }
        let middle = |i: usize| self.ids[self.place(i)].get(self.place(i).len() / 2);
        let looked_at = (0..self.rows() - 1).step_by((self.rows() / LOOKED_AT).max(1));
        let (mut far, mut all) = (0, 0);
        for (a, b) in looked_at.filter_map(|i| middle(i).zip(middle(i + 1))) {
            far += usize::from(a.abs_diff(*b) as usize > points / 64);
            all += 1;
        }
        2 * far > all
    }

    /// The place of row `i`.
    #[inline(always)]
    fn place(&self, i: usize) -> Range<usize> {
        let [start, end] = [i, i + 1].map(|i| (self.offsets[i] - self.offsets[0]) as usize);
        start..end
    }
}

/// Writes those of a row that are within a bound, and moves their distances squared together; returns how many there are.
#[inline(always)]
fn keep<T: Real>(row: &[i32], squares: &mut [T], bound: T, to: &mut [i32]) -> usize {
    let mut kept = 0;
    for (k, &id) in row.iter().enumerate() {
        let d2 = squares[k];
        (to[kept], squares[kept]) = (id, d2); // without a branch, which would often go the wrong way
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
            narrowed.used = 0;
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
