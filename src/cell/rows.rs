//! Rows of points with shifts: each candidate tested by the arithmetic that defines an image.
//!
//! in: rows of candidates, points and images of a layer; out: rows in order of (point, shift). No row needs sorting: points
//! of the layer and images ascend each, so that the two are merged.

use super::layer::Layer;
use super::vectors::Cell;
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

/// Rows of an open search among a layer, which have all that may be in reach.
pub struct Candidates<'a, T> {
    pub cell: &'a Cell,
    pub layer: &'a Layer,
    /// The points as they were given.
    pub axes: &'a [Vec<T>],
    pub offsets: &'a [i64],
    pub ids: &'a [i32],
    /// The largest distance squared of a pair.
    pub bound: T,
    /// Each pair is listed once.
    pub is_half: bool,
}

/// An entry of a row: a point, and the shift of its image.
type Entry = (usize, [i32; 3]);

/// Whether a point is listed with its own image by `shift` in half rows: one of each two opposite shifts.
fn is_listed_once([first, second, third]: [i32; 3]) -> bool {
    let sum = i64::from(first) + i64::from(second) + i64::from(third);
    sum > 0 || (sum == 0 && (third > 0 || (third == 0 && second > 0)))
}

impl<T: Real> Candidates<'_, T> {
    fn point(&self, point: usize) -> [T; 3] {
        std::array::from_fn(|axis| self.axes[axis][point])
    }

    /// Whether the image is in reach of `i`, in the direction in which half rows list the pair.
    fn is_in_reach(&self, i: usize, (j, shift): Entry) -> bool {
        let image = self.cell.image(self.point(j), shift);
        let point = self.point(i);
        Periods::<T>::default().distance2(3, |axis| [point[axis], image[axis]]) <= self.bound
    }

    /// Whether row `i` lists an entry.
    fn lists(&self, i: usize, (j, shift): Entry) -> bool {
        if i < j || (i == j && is_listed_once(shift)) {
            return self.is_in_reach(i, (j, shift));
        }
        let is_itself = i == j && shift == [0; 3];
        !self.is_half && !is_itself && self.is_in_reach(j, (i, shift.map(|by| -by)))
    }

    /// Calls `action` with each entry of row `i`, in order.
    fn each(&self, i: usize, mut action: impl FnMut(Entry)) {
        let base = self.offsets[0];
        let [start, end] = [i, i + 1].map(|row| (self.offsets[row] - base) as usize);
        let row = &self.ids[start..end];
        let points = row.partition_point(|&id| (id as usize) < self.layer.points());
        let [mut points, mut images] =
            [&row[..points], &row[points..]].map(|ids| ids.iter().map(|&id| self.layer.seen_from(i, id)).peekable());
        loop {
            let entry = match (points.peek(), images.peek()) {
                (Some(point), Some(image)) if point < image => points.next(),
                (_, Some(_)) => images.next(),
                (Some(_), None) => points.next(),
                (None, None) => return,
            };
            if let Some(entry) = entry.filter(|&entry| self.lists(i, entry)) {
                action(entry);
            }
        }
    }
}

impl ImageRows {
    /// Makes the rows of the candidates that are in reach. `base` is the number of the first point. `check` may refuse that
    /// many entries.
    pub fn make<T: Real>(
        &mut self,
        candidates: &Candidates<T>,
        base: i64,
        team: &Team,
        check: impl FnOnce(usize) -> Result<()>,
    ) -> Result<()> {
        let rows = candidates.layer.points();
        let share = rows.div_ceil(team.threads() * PIECES).max(1);
        resize_discarding(&mut self.offsets, rows + 1, 0, WHAT)?;
        team.share(self.offsets[1..].chunks_mut(share).enumerate(), |(piece, counts)| {
            for (i, count) in (piece * share..).zip(counts) {
                *count = 0;
                candidates.each(i, |_| *count += 1);
            }
        });
        self.offsets[0] = 0;
        let total = scan(&mut self.offsets, base) as usize;
        check(total)?;
        resize_discarding(&mut self.ids, total, 0, WHAT)?;
        resize_discarding(&mut self.shifts, total, [0; 3], WHAT)?;
        let (mut ids, mut shifts) = (&mut self.ids[..], &mut self.shifts[..]);
        let mut pieces = Vec::new();
        for first in (0..rows).step_by(share) {
            let end = (first + share).min(rows);
            let len = (self.offsets[end] - self.offsets[first]) as usize;
            let (ids_here, ids_later) = ids.split_at_mut(len);
            let (shifts_here, shifts_later) = shifts.split_at_mut(len);
            (ids, shifts) = (ids_later, shifts_later);
            push(&mut pieces, (first..end, ids_here, shifts_here), WHAT)?;
        }
        team.each(&mut pieces, |(rows, ids, shifts)| {
            let mut places = ids.iter_mut().zip(shifts.iter_mut());
            for i in rows.clone() {
                candidates.each(i, |(j, shift)| {
                    if let Some((id, by)) = places.next() {
                        (*id, *by) = ((j as i64 + base) as i32, shift);
                    }
                });
            }
        });
        Ok(())
    }
}
