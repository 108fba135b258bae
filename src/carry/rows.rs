//! A list of contacts that was checked: its rows by the numbers of points, and the entry of a point in a row.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::numbers::Shared;
use crate::arguments::{MAX_POINTS, check_ids, check_len, check_offsets};
use crate::error::{Error, Result, Status, words};
use crate::threads::Team;

/// Rows that a thread takes at once.
const ROWS: usize = 1 << 10;

/// A list of contacts: rows of points, as [`Neighbors`](crate::Neighbors) and [`Chunk`](crate::Chunk) have them, in the
/// handle's index base. Each row has a point at most once. All rows ascend by the numbers of points, or all by their
/// global ids. Points that share an id then ascend by their numbers.
#[derive(Clone, Copy, Debug)]
pub struct Contacts<'a> {
    /// The number of the first row: the index base, unless the list is a piece of a larger one. It is not read where there are no
    /// rows.
    pub first_row: i64,
    /// The begin of each row in `ids`, and the end of the last. The first element is the index base. A list
    /// without rows has one element, which is not read, or none.
    pub offsets: &'a [i64],
    /// The points that each row lists.
    pub ids: &'a [i32],
    /// A global id for each point, as the list numbers them. `None` if both lists have the same numbering. Points may share an
    /// id, such as a point and its periodic images.
    pub global_ids: Option<&'a [i64]>,
}

/// Names of the parts of a list in errors.
#[derive(Debug)]
pub struct Names {
    first_row: &'static str,
    offsets: &'static str,
    ids: &'static str,
    ids_len: &'static str,
    global_ids_len: &'static str,
}

/// Those of the old list.
pub const OLD: Names = Names {
    first_row: "old_first_row",
    offsets: "old_offsets",
    ids: "old_ids",
    ids_len: "the length of old_ids",
    global_ids_len: "the length of old_global_ids",
};

/// Those of the new list.
pub const NEW: Names = Names {
    first_row: "first_row",
    offsets: "offsets",
    ids: "ids",
    ids_len: "the length of ids",
    global_ids_len: "the length of global_ids",
};

/// Offsets of a list without rows. Its one element is not read.
const NO_ROWS: &[i64] = &[0];

/// Rows that fit their offsets and ascend. Numbers of points begin with 0 here.
#[derive(Debug)]
pub struct ContactRows<'a> {
    /// The point of the first row.
    pub first: usize,
    offsets: &'a [i64],
    pub ids: &'a [i32],
    base: i64,
    /// The global ids of all points, where rows ascend by them and not by numbers.
    ranks: Option<&'a [i64]>,
    /// Whether each row lists only points that its own precedes, as half rows do. A pair can be there in one order only.
    pub is_upper: bool,
}

impl<'a> ContactRows<'a> {
    /// The rows of a list, which is refused where it is none.
    pub fn check(list: &Contacts<'a>, names: &Names, base: i64, team: &Team) -> Result<ContactRows<'a>> {
        let points = list.global_ids.map_or(MAX_POINTS as usize, <[i64]>::len);
        let (offsets, len) = match list.offsets {
            [] | [_] => (NO_ROWS, 0),
            offsets => (offsets, check_offsets(names.offsets, offsets, base)?),
        };
        check_len(names.ids_len, list.ids.len(), len)?;
        let rows = offsets.len() - 1;
        if rows > points {
            let allowed = format_args!("at least {rows}, the number of rows");
            return Err(Error::not_allowed(
                Status::BadCount,
                names.global_ids_len,
                points,
                allowed,
            ));
        }
        let first = match rows {
            0 => Some(0),
            _ => list
                .first_row
                .checked_sub(base)
                .and_then(|first| usize::try_from(first).ok()),
        };
        let Some(first) = first.filter(|&first| first <= points - rows) else {
            let last = (points - rows) as i64 + base;
            let allowed = format_args!("{base} to {last}, as there are {rows} rows");
            return Err(Error::not_allowed(
                Status::BadValue,
                names.first_row,
                list.first_row,
                allowed,
            ));
        };
        check_ids(names.ids, list.ids, points, base, team)?;
        let mut checked = ContactRows {
            first,
            offsets,
            ids: list.ids,
            base,
            ranks: None,
            is_upper: false,
        };
        if let Some(row) = checked.unsorted_row(team)? {
            checked.ranks = list.global_ids;
            if checked.ranks.is_none() || checked.unsorted_row(team)?.is_some() {
                checked.ranks = None;
                return Err(checked.unsorted(row, list, names));
            }
        }
        Ok(checked)
    }

    /// The first row that does not ascend. Finds out whether the list is upper.
    fn unsorted_row(&mut self, team: &Team) -> Result<Option<usize>> {
        let (first, is_upper) = (AtomicUsize::new(usize::MAX), AtomicBool::new(true));
        team.run(&mut vec![(); team.threads()], self.tasks(), |(), task| {
            let (drops, upper) = self.drops_between_rows(task);
            if !upper {
                is_upper.store(false, Ordering::Relaxed);
            }
            if self.ranks.is_some() || drops != self.drops(self.entries(&self.task(task))) {
                let ascends = |row: &usize| self.is_sorted(&self.ids[self.entries(&(*row..*row + 1))]);
                if let Some(row) = self.task(task).find(|row| !ascends(row)) {
                    first.fetch_min(row, Ordering::Relaxed);
                }
            }
            Ok(())
        })?;
        self.is_upper = is_upper.into_inner();
        Ok(Some(first.into_inner()).filter(|&row| row != usize::MAX))
    }

    /// The number of these ids that are not larger than the one before them. The compiler vectorises the loop.
    fn drops(&self, entries: Range<usize>) -> usize {
        let ids = &self.ids[entries];
        let next = ids.get(1..).unwrap_or_default();
        ids.iter().zip(next).map(|(a, b)| usize::from(a >= b)).sum()
    }

    /// The number of them that are the first of their rows, and whether these all follow the points of the rows.
    fn drops_between_rows(&self, task: usize) -> (usize, bool) {
        let (rows, mut drops, mut is_upper) = (self.task(task), 0, true);
        let start = self.entries(&rows).start;
        for row in rows {
            let entries = self.entries(&(row..row + 1));
            if let Some(&id) = self.ids[entries.clone()].first() {
                is_upper &= self.precedes(self.first + row, self.number(id));
                drops += usize::from(entries.start > start && self.ids[entries.start - 1] >= id);
            }
        }
        (drops, is_upper)
    }

    /// Whether a point is before another in the order of the rows.
    #[inline]
    pub fn precedes(&self, point: usize, other: usize) -> bool {
        match self.ranks {
            Some(ranks) => (ranks[point], point) < (ranks[other], other),
            None => point < other,
        }
    }

    /// Whether rows ascend by numbers.
    #[inline]
    pub fn is_by_number(&self) -> bool {
        self.ranks.is_none()
    }

    fn is_sorted(&self, row: &[i32]) -> bool {
        match self.ranks {
            Some(_) => row.is_sorted_by(|&a, &b| self.precedes(self.number(a), self.number(b))),
            None => row.is_sorted_by(|a, b| a < b),
        }
    }

    /// The error for a row that does not ascend by numbers.
    fn unsorted(&self, row: usize, list: &Contacts, names: &Names) -> Error {
        let entries = self.entries(&(row..row + 1));
        let ids = &self.ids[entries.clone()];
        let k = ids.windows(2).position(|two| two[0] >= two[1]).map_or(0, |k| k + 1);
        let (before, row) = (ids[k.saturating_sub(1)], (self.first + row) as i64 + self.base);
        let or = match list.global_ids {
            Some(_) => ", unless all rows ascend by global ids",
            None => "",
        };
        Error::Element {
            argument: names.ids,
            position: (entries.start + k) as i64 + self.base,
            value: ids[k].into(),
            allowed: words(format_args!("more than {before}, which is before it in row {row}{or}")),
        }
    }

    /// The number of tasks in which rows are worked on.
    pub fn tasks(&self) -> usize {
        (self.offsets.len() - 1).div_ceil(ROWS)
    }

    /// The rows of a task, counted from the first of the list.
    pub fn task(&self, task: usize) -> Range<usize> {
        task * ROWS..((task + 1) * ROWS).min(self.offsets.len() - 1)
    }

    /// The entries of rows that are counted from the first of the list.
    #[inline]
    pub fn entries(&self, rows: &Range<usize>) -> Range<usize> {
        let place = |row: usize| (self.offsets[row] - self.base) as usize;
        place(rows.start)..place(rows.end)
    }

    /// The entries of the row of a point; none where the list has no such row.
    #[inline]
    pub fn row(&self, point: usize) -> Range<usize> {
        match point.checked_sub(self.first) {
            Some(row) if row + 1 < self.offsets.len() => self.entries(&(row..row + 1)),
            _ => 0..0,
        }
    }

    /// The number of the point of an id.
    #[inline]
    pub fn number(&self, id: i32) -> usize {
        id.wrapping_sub(self.base as i32) as u32 as usize
    }

    /// The places in a row of points that share an id, in ascending order.
    pub fn places<'s>(&'s self, row: &'s [i32], shared: &'s Shared, id: i64) -> impl Iterator<Item = usize> + 's {
        let points = shared.points(id);
        // A search for each point is cheap while they are few. Of many points a row has few, so it is scanned.
        let is_scanned = points.len() > row.len();
        let (looked_for, scanned) = if is_scanned { (&[][..], row) } else { (points, &[][..]) };
        let found = looked_for
            .iter()
            .filter_map(|&(_, point)| self.search(row, point as usize).ok());
        let scanned = scanned.iter().enumerate();
        found.chain(
            scanned
                .filter(move |&(_, &point)| shared.id(self.number(point)) == id)
                .map(|(place, _)| place),
        )
    }

    /// The place of a point among the ids of a row, or the one where it would be.
    pub fn search(&self, row: &[i32], point: usize) -> std::result::Result<usize, usize> {
        match self.ranks {
            Some(ranks) => {
                let key = |point: usize| (ranks[point], point);
                row.binary_search_by_key(&key(point), |&id| key(self.number(id)))
            }
            None => row.binary_search_by_key(&point, |&id| self.number(id)),
        }
    }
}
