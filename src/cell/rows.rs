//! Rows of points with shifts: each candidate tested by the arithmetic that defines an image.
//!
//! in: candidates, points and images of a layer; out: rows in order of (point, shift), with points in the order of their
//! global ids. No row needs sorting: points of the layer and images ascend each, so that the two are merged.

use std::ops::Range;

use super::layer::Layer;
use super::vectors::{Cell, point_of};
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{holds, push, resize_discarding, scan};
use crate::real::Real;
use crate::threads::Team;

const WHAT: &str = "the rows of images";

/// Pieces of rows for each thread, so that a thread with short rows takes more of them.
const PIECES: usize = 8;

/// Rows of points and shifts in compressed form.
#[derive(Debug, Default)]
pub struct ImageRows {
    pub offsets: Vec<i64>,
    pub ids: Vec<i32>,
    pub shifts: Vec<[i32; 3]>,
}

holds! { ImageRows { offsets, ids, shifts } }

/// The candidates of rows, ascending.
pub enum Found<'a> {
    /// Rows of an open search among a layer, which have all that may be in reach: offsets, and points of the layer.
    Rows(&'a [i64], &'a [i32]),
    /// All points of a layer, for each row, and their number.
    All(usize),
}

/// Candidates, and what decides about them.
pub struct Candidates<'a, T, R> {
    pub cell: &'a Cell,
    pub layer: &'a Layer,
    /// The points as they were given.
    pub axes: &'a [Vec<T>],
    pub found: Found<'a>,
    /// The points that have rows, which come first.
    pub rows: usize,
    /// The global ids of points; `None` where their numbers order them as well.
    pub global_ids: Option<&'a [i64]>,
    /// The largest distance squared of a point and an image of another; `None` of what is never listed together. Either may come first, with
    /// the opposite shift.
    pub reach: R,
    /// Each pair with a point before this number is listed once.
    pub listed_once: usize,
}

/// An entry of a row: a point, and the shift of its image.
pub type Entry = (usize, [i32; 3]);

/// Whether a point is listed with its own image by `shift` in half rows: one of each two opposite shifts.
fn is_listed_once([first, second, third]: [i32; 3]) -> bool {
    let sum = i64::from(first) + i64::from(second) + i64::from(third);
    sum > 0 || (sum == 0 && (third > 0 || (third == 0 && second > 0)))
}

impl<T: Real, R: Fn(usize, Entry) -> Option<T> + Sync> Candidates<'_, T, R> {
    /// The memory of the candidates, with a byte each to mark them.
    pub fn bytes(&self) -> u64 {
        match self.found {
            Found::Rows(offsets, ids) => 8 * offsets.len() as u64 + 5 * ids.len() as u64,
            Found::All(len) => (self.rows * len) as u64,
        }
    }

    /// The place of a point in the order of rows.
    fn key(&self, point: usize) -> i64 {
        self.global_ids.map_or(point as i64, |ids| ids[point])
    }

    /// Whether the image is in reach of `i`, in the direction in which half rows list the pair.
    fn is_in_reach(&self, i: usize, (j, shift): Entry, bound: T) -> bool {
        let (point, image) = (point_of(self.axes, i), self.cell.image_of(self.axes, j, shift));
        Periods::<T>::default().distance2(3, |axis| [point[axis], image[axis]]) <= bound
    }

    /// Whether row `i` lists an entry.
    fn lists(&self, i: usize, (j, shift): Entry) -> bool {
        let Some(bound) = (self.reach)(i, (j, shift)) else {
            return false;
        };
        if self.key(i) < self.key(j) || (i == j && is_listed_once(shift)) {
            return self.is_in_reach(i, (j, shift), bound);
        }
        let is_itself = i == j && shift == [0; 3];
        j >= self.listed_once && !is_itself && self.is_in_reach(j, (i, shift.map(|by| -by)), bound)
    }

    /// Rows that a thread takes at once, piece by piece.
    fn pieces(&self, team: &Team) -> impl Iterator<Item = Range<usize>> + use<T, R> {
        let rows = self.rows;
        let share = rows.div_ceil(team.threads() * PIECES).max(1);
        (0..rows)
            .step_by(share)
            .map(move |first| first..(first + share).min(rows))
    }

    /// The places of the candidates of some rows.
    fn places(&self, rows: Range<usize>) -> Range<usize> {
        match self.found {
            Found::Rows(offsets, _) => offsets[rows.start] as usize..offsets[rows.end] as usize,
            Found::All(len) => rows.start * len..rows.end * len,
        }
    }

    /// The candidates of row `i`.
    fn row(&self, i: usize) -> impl Iterator<Item = i32> + use<'_, T, R> {
        let all = match self.found {
            Found::Rows(..) => 0,
            Found::All(len) => len as i32,
        };
        let found: &[i32] = match self.found {
            Found::Rows(_, ids) => &ids[self.places(i..i + 1)],
            Found::All(_) => &[],
        };
        found.iter().copied().chain(0..all)
    }

    /// Tests the candidates of row `i`. Returns how many are listed.
    fn test(&self, i: usize, hits: &mut [bool]) -> i64 {
        let mut count = 0;
        for (id, hit) in self.row(i).zip(hits) {
            *hit = self.lists(i, self.layer.seen_from(i, id));
            count += i64::from(*hit);
        }
        count
    }

    /// Calls `action` with each hit of row `i`, in order.
    fn each(&self, i: usize, hits: &[bool], mut action: impl FnMut(Entry)) {
        let [mut points, mut images] = [false, true].map(|are_images| {
            let is_one = move |id: i32| (id as usize >= self.layer.points()) == are_images;
            let tested = self.row(i).zip(hits);
            let listed = tested.filter_map(move |(id, &hit)| (hit && is_one(id)).then_some(id));
            listed.map(|id| self.layer.seen_from(i, id)).peekable()
        });
        let place = |&(j, shift): &Entry| (self.key(j), shift);
        loop {
            let entry = match (points.peek(), images.peek()) {
                (Some(point), Some(image)) if place(point) < place(image) => points.next(),
                (_, Some(_)) => images.next(),
                (_, None) => points.next(),
            };
            match entry {
                Some(entry) => action(entry),
                None => return,
            }
        }
    }
}

/// The first elements of a slice, which are taken from it.
fn take<'a, E>(rest: &mut &'a mut [E], len: usize) -> &'a mut [E] {
    rest.split_off_mut(..len).unwrap_or_default()
}

impl ImageRows {
    /// Makes the rows of the candidates that are in reach. `base` is the number of the first point. `check` is given a number of
    /// entries, first 0, and may refuse it.
    pub fn make<T: Real, R: Fn(usize, Entry) -> Option<T> + Sync>(
        &mut self,
        candidates: &Candidates<T, R>,
        base: i64,
        team: &Team,
        check: impl Fn(usize) -> Result<()>,
    ) -> Result<()> {
        check(0)?;
        let mut hits = Vec::new();
        let rows = 0..candidates.rows;
        resize_discarding(&mut hits, candidates.places(rows).len(), false, WHAT)?;
        self.count(candidates, &mut hits, team)?;
        let total = scan(&mut self.offsets, base) as usize;
        check(total)?;
        self.fill(candidates, &hits, base, team)
    }

    /// Tests all candidates, and writes how many each row lists behind the first offset.
    fn count<T: Real, R: Fn(usize, Entry) -> Option<T> + Sync>(
        &mut self,
        candidates: &Candidates<T, R>,
        mut hits: &mut [bool],
        team: &Team,
    ) -> Result<()> {
        resize_discarding(&mut self.offsets, candidates.rows + 1, 0, WHAT)?;
        self.offsets[0] = 0;
        let mut counts = &mut self.offsets[1..];
        let mut pieces = Vec::new();
        for rows in candidates.pieces(team) {
            let hits = take(&mut hits, candidates.places(rows.clone()).len());
            let counts = take(&mut counts, rows.len());
            push(&mut pieces, (rows, hits, counts), WHAT)?;
        }
        team.each(&mut pieces, |(rows, hits, counts)| {
            let mut hits = &mut hits[..];
            for (i, count) in rows.clone().zip(counts.iter_mut()) {
                *count = candidates.test(i, take(&mut hits, candidates.places(i..i + 1).len()));
            }
        });
        Ok(())
    }

    /// Writes the hits of rows whose offsets are known.
    fn fill<T: Real, R: Fn(usize, Entry) -> Option<T> + Sync>(
        &mut self,
        candidates: &Candidates<T, R>,
        hits: &[bool],
        base: i64,
        team: &Team,
    ) -> Result<()> {
        let total = (self.offsets[candidates.rows] - base) as usize;
        resize_discarding(&mut self.ids, total, 0, WHAT)?;
        resize_discarding(&mut self.shifts, total, [0; 3], WHAT)?;
        let (mut ids, mut shifts) = (&mut self.ids[..], &mut self.shifts[..]);
        let mut pieces = Vec::new();
        for rows in candidates.pieces(team) {
            let len = (self.offsets[rows.end] - self.offsets[rows.start]) as usize;
            push(&mut pieces, (rows, take(&mut ids, len), take(&mut shifts, len)), WHAT)?;
        }
        team.each(&mut pieces, |(rows, ids, shifts)| {
            let mut places = ids.iter_mut().zip(shifts.iter_mut());
            for i in rows.clone() {
                candidates.each(i, &hits[candidates.places(i..i + 1)], |(j, shift)| {
                    if let Some((id, by)) = places.next() {
                        (*id, *by) = ((j as i64 + base) as i32, shift);
                    }
                });
            }
        });
        Ok(())
    }
}
