//! Excluded pairs by numbers of points.

use crate::error::{Error, Result, Status, words};
use crate::list::{holds, prefetch, push, reserve_discarding, resize_discarding};

pub(super) const WHAT: &str = "the exclusions";

/// The largest class. Pairs that are not excluded have class 0.
pub(super) const MOST_CLASS: i32 = 3;

/// Bits of a class below an id.
pub(super) const CLASS_BITS: u32 = 2;

/// The most excluded ids: their places have 32 bits, also on a GPU.
pub(super) const MOST_IDS: usize = i32::MAX as usize;

/// For each point the points of its excluded pairs.
#[derive(Debug, Default)]
pub struct ExcludedPairs {
    /// The place where each row begins, and the end of the last; empty without exclusions.
    pub(super) starts: Vec<u32>,
    /// The numbers of the points, ascending in each row.
    ids: Vec<u32>,
    classes: Vec<u8>,
    /// The length of the longest row.
    pub(super) longest: usize,
}

holds! { ExcludedPairs { starts, ids, classes; longest } }

impl ExcludedPairs {
    /// Rows.
    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The points of the excluded pairs of point `i`, ascending.
    #[inline]
    pub fn row(&self, i: u32) -> &[u32] {
        self.places(i).map_or(&[], |places| &self.ids[places])
    }

    /// The same with the class of each pair.
    #[inline]
    pub fn row_with_classes(&self, i: u32) -> (&[u32], &[u8]) {
        self.places(i)
            .map_or((&[], &[]), |places| (&self.ids[places.clone()], &self.classes[places]))
    }

    /// Whether a pair is excluded.
    #[inline]
    pub fn has(&self, i: u32, j: u32) -> bool {
        self.row(i).binary_search(&j).is_ok()
    }

    /// Takes the points of excluded pairs out of the row of point `i`, which ascends; returns how long it is then.
    pub fn take_out(&self, i: u32, row: &mut [i32]) -> usize {
        let mut excluded = self.row(i);
        if excluded.is_empty() {
            return row.len();
        }
        let mut kept = 0;
        for k in 0..row.len() {
            let id = row[k];
            while excluded.first().is_some_and(|&other| other < id as u32) {
                excluded = &excluded[1..];
            }
            row[kept] = id;
            kept += usize::from(excluded.first() != Some(&(id as u32)));
        }
        kept
    }

    /// Prefetches the place where the row of each of these points begins.
    #[inline]
    pub fn expect(&self, points: &[u32]) {
        let starts = points.iter().filter_map(|&i| self.starts.get(i as usize));
        starts.for_each(|start| prefetch(start));
    }

    /// Prefetches the rows of these points.
    #[inline]
    pub fn expect_rows(&self, points: &[u32]) {
        let starts = points.iter().filter_map(|&i| self.starts.get(i as usize));
        starts
            .filter_map(|&start| self.ids.get(start as usize))
            .for_each(|id| prefetch(id));
    }

    /// Fills this with the pairs of `from`, by the numbers that points have in an order.
    pub fn arrange(&mut self, from: &ExcludedPairs, order: &[u32]) -> Result<()> {
        let points = from.len();
        let (mut numbers, mut entries) = (Vec::new(), Vec::new());
        resize_discarding(&mut numbers, points, 0, WHAT)?;
        for (number, &point) in (0..).zip(&order[..points]) {
            numbers[point as usize] = number;
        }
        reserve_discarding(&mut entries, from.ids.len(), WHAT)?;
        self.begin(points)?;
        for &point in &order[..points] {
            let (ids, classes) = from.row_with_classes(point);
            let with_classes = ids.iter().zip(classes);
            entries.extend(with_classes.map(|(&id, &class)| entry(numbers[id as usize], class)));
            push(&mut self.starts, entries.len() as u32, WHAT)?;
        }
        self.take(&mut entries)
    }

    /// The starts of rows, the points in them, and the class of each pair, for a device.
    #[cfg(feature = "gpu")]
    pub fn arrays(&self) -> (&[u32], &[u32], &[u8]) {
        (&self.starts, &self.ids, &self.classes)
    }

    pub(super) fn begin(&mut self, points: usize) -> Result<()> {
        self.starts.clear();
        reserve_discarding(&mut self.starts, points + 1, WHAT)?;
        push(&mut self.starts, 0, WHAT)
    }

    pub(super) fn load(&mut self, offsets: &[i64], ids: &[i32], classes: Option<&[i32]>, base: i64) -> Result<()> {
        let points = offsets.len() - 1;
        let wrong = |argument, at: usize, value: i32, allowed| Error::Element {
            argument,
            position: at as i64 + base,
            value: value.into(),
            allowed,
        };
        let (last, is_class) = (base + points as i64 - 1, 1..=MOST_CLASS);
        if let Some(at) = ids.iter().position(|&id| !(base..=last).contains(&id.into())) {
            let allowed = words(format_args!("{base} to {last}, the number of a point"));
            return Err(wrong("ids", at, ids[at], allowed));
        }
        if let Some(classes) = classes.filter(|classes| classes.len() != ids.len()) {
            let allowed = format_args!("{}, the number of ids", ids.len());
            return Err(Error::not_allowed(
                Status::BadCount,
                "number of classes",
                classes.len(),
                allowed,
            ));
        }
        let classes = classes.unwrap_or_default();
        if let Some(at) = classes.iter().position(|class| !is_class.contains(class)) {
            let allowed = words(format_args!("1 to {MOST_CLASS}"));
            return Err(wrong("classes", at, classes[at], allowed));
        }
        let mut entries = Vec::new();
        reserve_discarding(&mut entries, ids.len(), WHAT)?;
        let class = |at: usize| classes.get(at).map_or(1, |&class| class as u8);
        let number = |id: i32| (i64::from(id) - base) as u32;
        entries.extend(ids.iter().enumerate().map(|(at, &id)| entry(number(id), class(at))));
        self.begin(points)?;
        let ends = offsets[1..].iter().map(|end| (end - base) as u32);
        self.starts.extend(ends);
        self.take(&mut entries)
    }

    /// Takes up the entries of all rows, whose starts are there.
    pub(super) fn take(&mut self, entries: &mut [u64]) -> Result<()> {
        self.longest = 0;
        for ends in self.starts.windows(2) {
            self.longest = self.longest.max((ends[1] - ends[0]) as usize);
            entries[ends[0] as usize..ends[1] as usize].sort_unstable();
        }
        reserve_discarding(&mut self.ids, entries.len(), WHAT)?;
        reserve_discarding(&mut self.classes, entries.len(), WHAT)?;
        self.ids.clear();
        self.classes.clear();
        self.ids
            .extend(entries.iter().map(|entry| (entry >> CLASS_BITS) as u32));
        let class = |entry: &u64| (entry & ((1 << CLASS_BITS) - 1)) as u8;
        self.classes.extend(entries.iter().map(class));
        Ok(())
    }

    /// Refuses a point that excludes itself, a point that is twice in a row, and a pair that is in one row alone or
    /// has two classes.
    pub(super) fn check(&self, base: i64) -> Result<()> {
        let number = |point: u32| i64::from(point) + base;
        // Rows are visited in order, so each lookup in a partner's row finds the point after the one found before. Wrong rows alone
        // need a search.
        let mut next = Vec::new();
        resize_discarding(&mut next, self.len(), 0, WHAT)?;
        for i in 0..self.len() as u32 {
            let (ids, classes) = self.row_with_classes(i);
            let row = number(i);
            if ids.binary_search(&i).is_ok() {
                let value = format_args!("a row {row} with {row} itself");
                return Err(Error::not_allowed(
                    Status::BadValue,
                    "ids",
                    value,
                    "rows of other points",
                ));
            }
            if let Some(twice) = ids.windows(2).find(|two| two[0] == two[1]) {
                let value = format_args!("a row {row} with {} twice", number(twice[0]));
                return Err(Error::not_allowed(Status::BadValue, "ids", value, "each once in a row"));
            }
            for (&j, &class) in ids.iter().zip(classes) {
                let (others, of_others) = self.row_with_classes(j);
                let (next, j) = (&mut next[j as usize], number(j));
                let found = if others.get(*next) == Some(&i) {
                    Ok(*next)
                } else {
                    others.binary_search(&i)
                };
                let Ok(at) = found else {
                    let value = format_args!("a row {row} with {j}, and a row {j} without {row}");
                    let allowed = "symmetric: both rows have the pair";
                    return Err(Error::not_allowed(Status::BadValue, "ids", value, allowed));
                };
                *next = at + 1;
                if of_others[at] != class {
                    let other = of_others[at];
                    let value = format_args!("{class} for {j} in row {row}, and {other} for {row} in row {j}");
                    let allowed = "symmetric: the same in both rows";
                    return Err(Error::not_allowed(Status::BadValue, "classes", value, allowed));
                }
            }
        }
        Ok(())
    }

    /// The places of a row. Queries, which are after the points, have none.
    #[inline]
    fn places(&self, i: u32) -> Option<std::ops::Range<usize>> {
        let ends = self.starts.get(i as usize..i as usize + 2)?;
        Some(ends[0] as usize..ends[1] as usize)
    }
}

/// An id and a class, which sort by the id.
pub(super) fn entry(id: u32, class: u8) -> u64 {
    u64::from(id) << CLASS_BITS | u64::from(class)
}
