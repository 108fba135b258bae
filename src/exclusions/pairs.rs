//! Excluded pairs by numbers of points, with all images of the two or with one.

use super::entry::{Entry, MOST_CLASS, Shift};
use crate::error::{Error, Result, Status, words};
use crate::list::{holds, prefetch, push, reserve_discarding, resize_discarding};

pub(super) const WHAT: &str = "the exclusions";

/// The most excluded ids: their places have 32 bits, also on a GPU.
pub(super) const MOST_IDS: usize = i32::MAX as usize;

/// For each point the points of its excluded pairs.
#[derive(Debug, Default)]
pub struct ExcludedPairs {
    /// The place where each row begins, and the end of the last; empty without exclusions.
    pub(super) starts: Vec<u32>,
    /// The numbers of the points, ascending in each row.
    pub(super) ids: Vec<u32>,
    pub(super) classes: Vec<u8>,
    /// The shift of the one image that is excluded, ascending for a point in a row; empty where all images are.
    pub(super) shifts: Vec<Shift>,
    /// The axes along which a shift is not 0.
    pub(super) along: [bool; 3],
    /// The length of the longest row.
    pub(super) longest: usize,
}

holds! { ExcludedPairs { starts, ids, classes, shifts; along, longest } }

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

    /// Whether each pair is excluded with one image. Rows without images have a point once all the same.
    pub fn are_of_images(&self) -> bool {
        !self.shifts.is_empty()
    }

    /// The class of point `i` and the image of point `j` by a shift; 0 where it is not excluded.
    #[inline]
    pub fn class_of_image(&self, i: u32, (j, shift): (u32, Shift)) -> u8 {
        self.place_of(i, (j, shift)).map_or(0, |place| self.classes[place])
    }

    /// The place of a point and a shift in row `i`.
    pub(super) fn place_of(&self, i: u32, (j, shift): (u32, Shift)) -> Option<usize> {
        let places = self.places(i)?;
        let ids = &self.ids[places.clone()];
        let found = match self.shifts.get(places.clone()) {
            None => ids.binary_search(&j),
            Some(shifts) => {
                let first = ids.partition_point(|&id| id < j);
                let of_point = ids[first..].partition_point(|&id| id == j);
                let found = shifts[first..first + of_point].binary_search(&shift);
                found.map(|at| first + at)
            }
        };
        found.ok().map(|at| places.start + at)
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
            // A search by an order has no images.
            entries.extend(with_classes.map(|(&id, &class)| u64::new(numbers[id as usize], class, [0; 3])));
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

    pub(super) fn load<E: Entry>(
        &mut self,
        offsets: &[i64],
        (ids, shifts): (&[i32], &[Shift]),
        classes: Option<&[i32]>,
        base: i64,
    ) -> Result<()> {
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
        let shift = |at: usize| shifts.get(at).copied().unwrap_or_default();
        let given = ids.iter().enumerate();
        entries.extend(given.map(|(at, &id)| E::new(number(id), class(at), shift(at))));
        self.begin(points)?;
        let ends = offsets[1..].iter().map(|end| (end - base) as u32);
        self.starts.extend(ends);
        self.take(&mut entries)
    }

    /// Takes up the entries of all rows, whose starts are there.
    pub(super) fn take<E: Entry>(&mut self, entries: &mut [E]) -> Result<()> {
        self.longest = 0;
        for ends in self.starts.windows(2) {
            self.longest = self.longest.max((ends[1] - ends[0]) as usize);
            entries[ends[0] as usize..ends[1] as usize].sort_unstable();
        }
        reserve_discarding(&mut self.ids, entries.len(), WHAT)?;
        reserve_discarding(&mut self.classes, entries.len(), WHAT)?;
        self.ids.clear();
        self.classes.clear();
        self.ids.extend(entries.iter().map(Entry::id));
        self.classes.extend(entries.iter().map(Entry::class));
        (self.shifts, self.along) = (Vec::new(), [false; 3]);
        if entries.first().is_some_and(|entry| entry.shift().is_some()) {
            reserve_discarding(&mut self.shifts, entries.len(), WHAT)?;
            self.shifts.extend(entries.iter().filter_map(Entry::shift));
            let shifted = |axis: usize| self.shifts.iter().any(|shift| shift[axis] != 0);
            self.along = [0, 1, 2].map(shifted);
        }
        Ok(())
    }

    /// The places of a row. Queries, which are after the points, have none.
    #[inline]
    pub(super) fn places(&self, i: u32) -> Option<std::ops::Range<usize>> {
        let ends = self.starts.get(i as usize..i as usize + 2)?;
        Some(ends[0] as usize..ends[1] as usize)
    }
}
