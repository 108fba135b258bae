//! Values of contacts that live on: each entry of a new list takes those that the same pair has in an old one.
//!
//! in: two lists of rows, the values of the old entries, global ids where points have other numbers now; out: the
//! values of the new entries in the caller's array, and the old entries whose pair the new list has no more.
//!
//! Several points may share an id, such as a point and its periodic images. Then two things identify an entry: the ids of its pair,
//! and the number of earlier entries of its row with the same id. So the second image in a row takes the values of the second image
//! in the old row.
//!
//! Rows ascend. So an entry is looked for in the old row of the same point, where the entry before was found, and else in
//! the old row of the other point. Half rows have a pair in one order only, and so one of the two needs no look. Each entry is found by itself: threads decide nothing. Everything is checked
//! before anything is written.

mod equal;
mod numbers;
mod rows;

use std::ops::Range;

use crate::arguments::check_len;
use crate::error::{Error, Result};
use crate::list::{Out, resize_discarding};
use crate::real::Real;
use crate::threads::Team;
use equal::Equal;
use numbers::{Both, Numbers, Shared};
pub use rows::Contacts;
use rows::{ContactRows, NEW, OLD};

/// The numbers of an entry, and what becomes of them when the pair is turned.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// The number of values of an entry.
    pub count: usize,
    /// For each column 1, or -1 where the number changes its sign when `(i, j)` becomes `(j, i)`; empty for 1 everywhere.
    pub signs: &'a [i32],
}

impl Columns<'_> {
    /// Refuses signs that are none, or not as many as there are columns.
    fn check(&self, base: i64) -> Result<()> {
        if self.signs.is_empty() {
            return Ok(());
        }
        check_len("the length of signs", self.signs.len(), self.count)?;
        match self.signs.iter().position(|&sign| sign != 1 && sign != -1) {
            Some(k) => Err(Error::Element {
                argument: "signs",
                position: k as i64 + base,
                value: self.signs[k].into(),
                allowed: "1 or -1".into(),
            }),
            None => Ok(()),
        }
    }
}

/// Two lists that were checked, and which points are the same in both.
#[derive(Debug)]
pub struct Carrying<'a> {
    old: ContactRows<'a>,
    new: ContactRows<'a>,
    both: Both<'a>,
    base: i64,
    /// An entry takes those of the turned pair where its own pair is not there.
    turns: bool,
}

impl<'a> Carrying<'a> {
    /// Checks both lists.
    pub fn new(old: &Contacts<'a>, new: &Contacts<'a>, base: i64, team: &Team) -> Result<Carrying<'a>> {
        Carrying::with([old, new], base, team, || {
            numbers::between([old.global_ids, new.global_ids], [&[]; 2], team)
        })
    }

    /// The same for two lists, but an entry `(i, j)` takes the values of `(i, j)` only. `ghosts` marks the ghosts if points share
    /// ids. Otherwise it is empty.
    pub fn in_order(
        [old, new]: [&Contacts<'a>; 2],
        ghosts: [&[bool]; 2],
        base: i64,
        team: &Team,
    ) -> Result<Carrying<'a>> {
        let are_shared = ghosts.iter().any(|ghosts| !ghosts.is_empty());
        let carrying = Carrying::with([old, new], base, team, || match old.global_ids == new.global_ids {
            true if !are_shared => Ok(Both::same()),
            _ => numbers::between([old.global_ids, new.global_ids], ghosts, team),
        })?;
        Ok(Carrying {
            turns: false,
            ..carrying
        })
    }

    fn with(
        [old, new]: [&Contacts<'a>; 2],
        base: i64,
        team: &Team,
        both: impl FnOnce() -> Result<Both<'a>>,
    ) -> Result<Carrying<'a>> {
        Ok(Carrying {
            old: ContactRows::check(old, &OLD, base, team)?,
            new: ContactRows::check(new, &NEW, base, team)?,
            both: both()?,
            base,
            turns: true,
        })
    }

    /// Refuses arrays of values that do not have `columns` for each entry.
    pub fn check_values(&self, columns: &Columns, old_values: usize, values: usize) -> Result<()> {
        columns.check(self.base)?;
        let of = |rows: &ContactRows| rows.ids.len().saturating_mul(columns.count);
        check_len("the length of old_values", old_values, of(&self.old))?;
        check_len("the length of values", values, of(&self.new))
    }

    /// The parts of `out` for [`write`](Carrying::write).
    pub fn parts<'o, T: Real>(&self, columns: &Columns, out: Out<'o, T>) -> Result<Vec<Out<'o, T>>> {
        let entries = |task: usize| self.new.entries(&self.new.task(task)).len();
        out.into_parts((0..self.new.tasks()).map(|task| entries(task) * columns.count))
    }

    /// Writes the values of all new entries. The values and columns are checked.
    pub fn write<T: Real>(&self, columns: &Columns, old_values: &[T], team: &Team, parts: Vec<Out<T>>) {
        let matching = Matching {
            from: &self.new,
            to: &self.old,
            numbers: &self.both.numbers[0],
            shared: self.both.shared.as_ref().map(|[old, new]| [new, old]),
            turns: self.turns,
        };
        team.share(parts.into_iter().enumerate(), |(task, out)| {
            let mut writer = Writer::new(columns, old_values, out);
            matching.each(self.new.task(task), |_, len, found| writer.put(len, found));
            writer.flush();
        });
    }

    /// Counts the old entries whose pair the new list has in neither order.
    pub fn count_lost(&self, team: &Team) -> Result<Lost> {
        let mut counts = Vec::new();
        resize_discarding(&mut counts, self.old.tasks(), 0, "the number of lost contacts")?;
        let matching = self.losses();
        team.share(counts.iter_mut().enumerate(), |(task, count)| {
            *count = 0;
            matching.each(self.old.task(task), |_, len, found| {
                *count += if found == Found::Nowhere { len } else { 0 };
            });
        });
        Ok(Lost(counts))
    }

    /// Writes the positions of what was counted to the parts for it, in ascending order and in the index base.
    pub fn write_lost(&self, team: &Team, parts: Vec<Out<i64>>) {
        let matching = self.losses();
        team.share(parts.into_iter().enumerate(), |(task, mut out)| {
            let mut next = 0;
            matching.each(self.old.task(task), |at, len, found| {
                for at in (at..at + len).filter(|_| found == Found::Nowhere) {
                    out.write(next, at as i64 + self.base);
                    next += 1;
                }
            });
        });
    }

    fn losses(&self) -> Matching<'_> {
        Matching {
            from: &self.old,
            to: &self.new,
            numbers: &self.both.numbers[1],
            shared: self.both.shared.as_ref().map(|[old, new]| [old, new]),
            turns: self.turns,
        }
    }
}

/// The number of lost entries in the rows of each task.
#[derive(Debug)]
pub struct Lost(Vec<usize>);

impl Lost {
    /// Their number in all.
    pub fn len(&self) -> usize {
        self.0.iter().sum()
    }

    /// The parts of `out` for [`write_lost`](Carrying::write_lost).
    pub fn parts<'o>(&self, out: Out<'o, i64>) -> Result<Vec<Out<'o, i64>>> {
        out.into_parts(self.0.iter().copied())
    }
}

/// The position of the pair of an entry in the other list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// In the same order. Further entries are found at the places that follow.
    Same(usize),
    Turned(usize),
    Nowhere,
}

/// Two lists, the entries of one of which are looked for in the other.
struct Matching<'a> {
    from: &'a ContactRows<'a>,
    to: &'a ContactRows<'a>,
    /// The numbers that points of `from` have in `to`.
    numbers: &'a Numbers,
    /// The points of both lists by their ids, if points share ids.
    shared: Option<[&'a Shared<'a>; 2]>,
    /// Turned pairs count.
    turns: bool,
}

impl Matching<'_> {
    /// Calls `action` for the entries of `rows`, in their order: the position of one or several, how many, and where they
    /// are found.
    fn each(&self, rows: Range<usize>, mut action: impl FnMut(usize, usize, Found)) {
        let merges = self.numbers.are_same() && self.from.is_by_number() && self.to.is_by_number();
        let mut equal = Equal::default();
        for row in rows {
            let here = self.from.entries(&(row..row + 1));
            let (ids, start) = (&self.from.ids[here.clone()], here.start);
            if let Some(shared) = &self.shared {
                (here.enumerate()).for_each(|(at, entry)| action(entry, 1, self.find_shared(row, (ids, at), shared)));
                continue;
            }
            let Some(point) = self.numbers.of(self.from.first + row) else {
                action(start, ids.len(), Found::Nowhere);
                continue;
            };
            let there = self.to.row(point);
            let other = (there.start, &self.to.ids[there.clone()]);
            if merges && equal.have([&here, &there], [self.from.ids, self.to.ids]) {
                action(start, ids.len(), Found::Same(there.start));
            } else if merges {
                self.merge(point, (start, ids), other, &mut action);
            } else {
                let mut next = 0;
                for (at, &id) in here.zip(ids) {
                    let found = match self.numbers.of(self.from.number(id)) {
                        Some(neighbor) => self.find(point, neighbor, other, &mut next),
                        None => Found::Nowhere,
                    };
                    action(at, 1, found);
                }
            }
        }
    }

    /// Goes along the rows of one point in both lists, which ascend by the same numbers.
    #[inline]
    fn merge(
        &self,
        point: usize,
        (start, ids): (usize, &[i32]),
        (other_start, other): (usize, &[i32]),
        action: &mut impl FnMut(usize, usize, Found),
    ) {
        let (mut at, mut there) = (0, 0);
        while at < ids.len() {
            let both = ids[at..].iter().zip(&other[there..]);
            let same = both.take_while(|(id, other)| id == other).count();
            if same > 0 {
                action(start + at, same, Found::Same(other_start + there));
                (at, there) = (at + same, there + same);
            }
            let Some(&id) = ids.get(at) else { return };
            there += other[there..].iter().take_while(|&&other| other < id).count();
            if other.get(there) != Some(&id) {
                action(start + at, 1, self.find_turned(point, self.from.number(id)));
                at += 1;
            }
        }
    }

    /// Looks for the pair of two points in the row of the first, at `next` or where it must be, and in that of the second.
    #[inline]
    fn find(&self, point: usize, neighbor: usize, (start, row): (usize, &[i32]), next: &mut usize) -> Found {
        if self.to.is_upper && !self.to.precedes(point, neighbor) {
            return self.find_turned(point, neighbor);
        }
        if row.get(*next).is_some_and(|&id| self.to.number(id) == neighbor) {
            *next += 1;
            return Found::Same(start + *next - 1);
        }
        match self.to.search(row, neighbor) {
            Ok(at) => {
                *next = at + 1;
                Found::Same(start + at)
            }
            Err(at) => {
                *next = at;
                self.find_turned(point, neighbor)
            }
        }
    }

    /// Looks for the pair of an entry if points share ids. Several entries of a row may have its id. The one with as many of them
    /// before it is the one that is sought.
    fn find_shared(&self, row: usize, (ids, at): (&[i32], usize), [from, to]: &[&Shared; 2]) -> Found {
        let (point, neighbor) = (self.from.first + row, self.from.number(ids[at]));
        let (id, other) = (from.id(point), from.id(neighbor));
        let before = self.from.places(ids, from, other).filter(|&place| place < at).count();
        let found = |point: Option<usize>, id: i64| {
            let row = point.map_or(0..0, |point| self.to.row(point));
            let place = self.to.places(&self.to.ids[row.clone()], to, id).nth(before);
            place.map(|place| row.start + place)
        };
        if let Some(at) = found(self.numbers.of(point), other) {
            return Found::Same(at);
        }
        let turned = found(to.owner(other).filter(|_| self.turns), id);
        turned.map_or(Found::Nowhere, Found::Turned)
    }

    /// Looks for the pair in the row of the second point, unless it cannot be there.
    fn find_turned(&self, point: usize, neighbor: usize) -> Found {
        if !self.turns || self.to.is_upper && self.to.precedes(point, neighbor) {
            return Found::Nowhere;
        }
        let row = self.to.row(neighbor);
        match self.to.search(&self.to.ids[row.clone()], point) {
            Ok(at) => Found::Turned(row.start + at),
            Err(_) => Found::Nowhere,
        }
    }
}

/// The writer of the values of entries that follow each other. It copies those at once that follow each other in the old
/// list too.
struct Writer<'a, 'o, T> {
    columns: &'a Columns<'a>,
    old_values: &'a [T],
    out: Out<'o, T>,
    /// Numbers that were written.
    written: usize,
    /// Old numbers that are to be copied after them.
    pending: Range<usize>,
}

impl<'a, 'o, T: Real> Writer<'a, 'o, T> {
    fn new(columns: &'a Columns<'a>, old_values: &'a [T], out: Out<'o, T>) -> Self {
        Writer {
            columns,
            old_values,
            out,
            written: 0,
            pending: 0..0,
        }
    }

    /// The next `len` entries.
    #[inline]
    fn put(&mut self, len: usize, found: Found) {
        let count = self.columns.count;
        match found {
            Found::Same(at) => {
                let range = at * count..(at + len) * count;
                if self.pending.end == range.start {
                    self.pending.end = range.end;
                } else {
                    self.flush();
                    self.pending = range;
                }
            }
            Found::Turned(at) => {
                self.flush();
                for column in 0..count {
                    let value = self.old_values[at * count + column];
                    let turns = self.columns.signs.get(column) == Some(&-1);
                    self.out
                        .write(self.written + column, if turns { value.negated() } else { value });
                }
                self.written += count;
            }
            Found::Nowhere => {
                self.flush();
                (0..len * count).for_each(|k| self.out.write(self.written + k, T::default()));
                self.written += len * count;
            }
        }
    }

    /// Copies what is to be copied.
    fn flush(&mut self) {
        let values = &self.old_values[std::mem::take(&mut self.pending)];
        self.out.write_all(self.written, values);
        self.written += values.len();
    }
}
