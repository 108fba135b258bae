//! Excluded pairs by global ids, which name the same points on any rank and in any order.
//!
//! in: for each point the caller's ids and classes; out: [`ExcludedPairs`] by the numbers that points have in a search. Across ranks,
//! partners that are not near this rank's points have no numbers here, and are left out. On one rank each row stays with the id
//! that its point had when the rows were set, whatever number the point gets later.

use super::entry::{Entry, MOST_CLASS, Shift, Shifted, check_shifts, opposite};
use super::pairs::{ExcludedPairs, MOST_IDS, WHAT};
use crate::arguments::check_offsets;
use crate::error::{Error, Result, Status, words};
use crate::list::{holds, push, reserve_discarding, resize_discarding};
use crate::version::Version;

/// Rows of excluded ids, as the caller set them.
#[derive(Debug, Default)]
pub struct ExcludedIds {
    /// The place where each row begins, and the end of the last; empty without exclusions.
    starts: Vec<u32>,
    ids: Vec<i64>,
    classes: Vec<u8>,
    /// The shift of the one image that is excluded; empty where all images are.
    shifts: Vec<Shift>,
    /// The id of each row's point, and the row, in ascending order. Empty if row `i` is that of point `i`.
    owners: Vec<(i64, u32)>,
    version: Version,
}

holds! { ExcludedIds { starts, ids, classes, shifts, owners; version } }

impl ExcludedIds {
    /// The ids that each point does not list, and the class of each pair, which is 1 without `classes`. Offsets begin at `base`, from which
    /// places in messages count.
    pub fn new(offsets: &[i64], ids: &[i64], classes: Option<&[i32]>, base: i64) -> Result<ExcludedIds> {
        let mut rows = ExcludedIds {
            version: Version::new(),
            ..ExcludedIds::default()
        };
        if offsets.is_empty() {
            return Ok(rows);
        }
        let len = check_offsets("offsets", offsets, base)?;
        for (what, given) in [
            ("number of ids", ids.len()),
            ("number of classes", classes.map_or(len, <[_]>::len)),
        ] {
            if given != len || len > MOST_IDS {
                let allowed = format_args!("{len}, as many as offsets say, and at most {MOST_IDS}");
                return Err(Error::not_allowed(Status::BadCount, what, given, allowed));
            }
        }
        let classes = classes.unwrap_or_default();
        if let Some(at) = classes.iter().position(|class| !(1..=MOST_CLASS).contains(class)) {
            return Err(Error::Element {
                argument: "classes",
                position: at as i64 + base,
                value: classes[at].into(),
                allowed: words(format_args!("1 to {MOST_CLASS}")),
            });
        }
        reserve_discarding(&mut rows.starts, offsets.len(), WHAT)?;
        reserve_discarding(&mut rows.ids, len, WHAT)?;
        resize_discarding(&mut rows.classes, len, 1, WHAT)?;
        rows.starts.extend(offsets.iter().map(|offset| (offset - base) as u32));
        rows.ids.extend_from_slice(ids);
        let given = rows.classes.iter_mut().zip(classes);
        given.for_each(|(to, &class)| *to = class as u8);
        Ok(rows)
    }

    /// The same with one image of each id, by a shift; without any, with all images.
    pub fn of_images(mut self, shifts: Option<&[Shift]>, base: i64) -> Result<ExcludedIds> {
        if let Some(shifts) = shifts {
            check_shifts(shifts, self.ids.len(), base)?;
            reserve_discarding(&mut self.shifts, shifts.len(), WHAT)?;
            self.shifts.extend_from_slice(shifts);
        }
        Ok(self)
    }

    /// Whether there are exclusions.
    pub fn are_set(&self) -> bool {
        !self.starts.is_empty()
    }

    /// The version of all that was set.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether each pair is excluded with one image.
    pub fn are_of_images(&self) -> bool {
        !self.shifts.is_empty()
    }

    /// The row of point `i`: ids, classes and shifts, which are 0 where all images are excluded.
    pub(super) fn row(&self, i: usize) -> impl Iterator<Item = (i64, u8, Shift)> {
        let shift = |at: usize| self.shifts.get(at).copied().unwrap_or_default();
        let ends = self.starts[i] as usize..self.starts[i + 1] as usize;
        ends.map(move |at| (self.ids[at], self.classes[at], shift(at)))
    }

    /// A number for the rows of points with these ids. Those of all points together are 0 where both rows have each pair, with one class; and
    /// otherwise another number, but for one case in 2^64.
    pub fn imbalance(&self, own: &[i64]) -> u64 {
        let mut sum = 0u64;
        for (i, &id) in own.iter().enumerate().take(self.len()) {
            for (other, class, shift) in self.row(i) {
                let is_first = (id, [0; 3]) < (other, shift);
                let mut pair = mixed(mixed(id.min(other) as u64) ^ id.max(other) as u64 ^ u64::from(class) << 61);
                if !self.shifts.is_empty() {
                    let from_first = if is_first { shift } else { opposite(shift) };
                    let join = |pair, by: i32| mixed(pair ^ u64::from(by as u32) << 1 ^ 1);
                    pair = from_first.into_iter().fold(pair, join);
                }
                sum = match is_first {
                    true => sum.wrapping_add(pair),
                    false => sum.wrapping_sub(pair),
                };
            }
        }
        sum
    }

    /// The pairs by the numbers of points. `own` are the ids of the points that the rows are for, the first ones, and `others` those of the
    /// points after them, which get the rows that follow from these. `is_alone`: there are no other points. Without rows all rows are empty.
    pub fn pairs(&self, own: &[i64], others: &[i64], alone: (i64, bool)) -> Result<ExcludedPairs> {
        match self.shifts.is_empty() {
            true => self.pairs_as::<u64>(own, others, alone),
            false => self.pairs_as::<Shifted>(own, others, alone),
        }
    }

    fn pairs_as<E: Entry>(&self, own: &[i64], others: &[i64], (base, is_alone): (i64, bool)) -> Result<ExcludedPairs> {
        let mut pairs = ExcludedPairs::default();
        if !self.are_set() {
            pairs.collect::<E>(own.len() + others.len(), &mut [])?;
            return Ok(pairs);
        }
        if self.len() != own.len() {
            let allowed = format_args!("{}, the number of points", own.len());
            let rows = self.len();
            return Err(Error::not_allowed(
                Status::BadCount,
                "number of rows of exclusions",
                rows,
                allowed,
            ));
        }
        let (numbers, mut entries, mut missing) = (numbered(own.iter().chain(others))?, Vec::new(), Vec::new());
        for i in 0..own.len() {
            missing.clear();
            for (id, class, shift) in self.row(i) {
                let found = with_id(&numbers, id);
                if found.is_empty() && is_alone {
                    let row = i as i64 + base;
                    let value = format_args!("a row {row} with id {id}");
                    return Err(Error::not_allowed(Status::BadValue, "ids", value, "ids of points"));
                }
                if found.is_empty() {
                    push(&mut missing, (id, shift), WHAT)?;
                }
                for &(_, number) in found {
                    push(&mut entries, (i as u32, E::new(number, class, shift)), WHAT)?;
                    if number as usize >= own.len() {
                        push(&mut entries, (number, E::new(i as u32, class, opposite(shift))), WHAT)?;
                    }
                }
            }
            self.check_missing(i as i64 + base, &mut missing)?;
        }
        pairs.collect(own.len() + others.len(), &mut entries)?;
        pairs.check(base)?;
        Ok(pairs)
    }

    /// Makes `ids` the owners of the rows: row `i` is that of the `i`th id.
    pub fn own(&mut self, ids: &[i64]) -> Result<()> {
        self.owners = numbered(ids.iter())?;
        Ok(())
    }

    /// The pairs by the numbers of points that have `ids` now. The rows have [owners](ExcludedIds::own), and were
    /// [checked](ExcludedIds::pairs) for these. Ids without a point, and points whose ids have no row, play no part.
    pub fn followed(&self, ids: &[i64]) -> Result<ExcludedPairs> {
        match self.shifts.is_empty() {
            true => self.followed_as::<u64>(ids),
            false => self.followed_as::<Shifted>(ids),
        }
    }

    fn followed_as<E: Entry>(&self, ids: &[i64]) -> Result<ExcludedPairs> {
        let (numbers, mut entries) = (numbered(ids.iter())?, Vec::new());
        for (&id, i) in ids.iter().zip(0u32..) {
            let Some(&(_, row)) = with_id(&self.owners, id).first() else {
                continue;
            };
            for (partner, class, shift) in self.row(row as usize) {
                for &(_, number) in with_id(&numbers, partner) {
                    push(&mut entries, (i, E::new(number, class, shift)), WHAT)?;
                }
            }
        }
        let mut pairs = ExcludedPairs::default();
        pairs.collect(ids.len(), &mut entries)?;
        Ok(pairs)
    }
}

/// Ids and the numbers of their points, in ascending order.
fn numbered<'a>(ids: impl Iterator<Item = &'a i64> + Clone) -> Result<Vec<(i64, u32)>> {
    let mut numbers = Vec::new();
    reserve_discarding(&mut numbers, ids.clone().count(), WHAT)?;
    numbers.extend(ids.zip(0u32..).map(|(&id, number)| (id, number)));
    numbers.sort_unstable();
    Ok(numbers)
}

/// The entries with an id, among entries in ascending order.
fn with_id(numbers: &[(i64, u32)], id: i64) -> &[(i64, u32)] {
    let numbers = &numbers[numbers.partition_point(|&(other, _)| other < id)..];
    &numbers[..numbers.iter().take_while(|&&(other, _)| other == id).count()]
}

impl ExcludedPairs {
    /// Takes entries of rows in any order.
    fn collect<E: Entry>(&mut self, points: usize, entries: &mut [(u32, E)]) -> Result<()> {
        if entries.len() > MOST_IDS {
            let (what, allowed) = ("number of excluded ids", format_args!("at most {MOST_IDS}"));
            return Err(Error::not_allowed(Status::BadCount, what, entries.len(), allowed));
        }
        entries.sort_unstable();
        self.begin(points)?;
        let mut end = 0;
        for i in 0..points as u32 {
            end += entries[end..].iter().take_while(|&&(row, _)| row == i).count();
            push(&mut self.starts, end as u32, WHAT)?;
        }
        let mut plain = Vec::new();
        reserve_discarding(&mut plain, entries.len(), WHAT)?;
        plain.extend(entries.iter().map(|&(_, entry)| entry));
        self.take(&mut plain)
    }
}

/// A number in which each bit of another one has changed about half of the bits (splitmix64).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
