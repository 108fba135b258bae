//! Rules of excluded pairs: no point excludes itself, and both rows of a pair say the same.

use std::fmt::{self, Display};

use super::by_ids::ExcludedIds;
use super::entry::{Shift, opposite};
use super::pairs::{ExcludedPairs, WHAT};
use crate::error::{Error, Result, Status};
use crate::list::resize_discarding;

/// A point, or one image of it, as texts name it.
struct Named(i64, Option<Shift>);

impl Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(number, shift) = self;
        match shift {
            None => write!(f, "{number}"),
            Some([first, second, third]) => write!(f, "{number} by the shift ({first}, {second}, {third})"),
        }
    }
}

impl ExcludedPairs {
    /// The point at a place, for texts.
    fn named(&self, place: usize, base: i64) -> Named {
        Named(i64::from(self.ids[place]) + base, self.shifts.get(place).copied())
    }

    /// Refuses a point that excludes itself, a point that is twice in a row, and a pair that is in one row alone or
    /// has two classes.
    pub(super) fn check(&self, base: i64) -> Result<()> {
        // Rows come in order, so each other row has the next of its points each time it is asked; only a wrong one has not, or one of
        // images.
        let mut next = Vec::new();
        resize_discarding(&mut next, self.len(), 0, WHAT)?;
        for i in 0..self.len() as u32 {
            self.check_row(i, base)?;
            for place in self.places(i).unwrap_or_default() {
                let (j, shift) = (self.ids[place], self.shifts.get(place).map(|&shift| opposite(shift)));
                let others = self.places(j).unwrap_or_default();
                let expected = others.start + next[j as usize];
                let is_next = shift.is_none() && others.contains(&expected) && self.ids[expected] == i;
                let found = match is_next {
                    true => Some(expected),
                    false => self.place_of(j, (i, shift.unwrap_or_default())),
                };
                let own = Named(i64::from(i) + base, shift);
                let (row, named) = (own.0, self.named(place, base));
                let Some(at) = found else {
                    let value = format_args!("a row {row} with {named}, and a row {} without {own}", named.0);
                    let allowed = "symmetric: both rows have the pair";
                    return Err(Error::not_allowed(Status::BadValue, "ids", value, allowed));
                };
                next[j as usize] = at - others.start + 1;
                if self.classes[at] != self.classes[place] {
                    let [class, other] = [place, at].map(|place| self.classes[place]);
                    let value = format_args!(
                        "{class} for {named} in row {row}, and {other} for {own} in row {}",
                        named.0
                    );
                    let allowed = "symmetric: the same in both rows";
                    return Err(Error::not_allowed(Status::BadValue, "classes", value, allowed));
                }
            }
        }
        Ok(())
    }

    /// Refuses row `i` where it has its own point, or a point twice.
    fn check_row(&self, i: u32, base: i64) -> Result<()> {
        let (places, row) = (self.places(i).unwrap_or_default(), i64::from(i) + base);
        if let Some(place) = self.place_of(i, (i, [0; 3])) {
            let (value, allowed) = match self.are_of_images() {
                false => ("", "rows of other points"),
                true => (
                    " without a shift",
                    "rows of other points, and of images of the point by shifts that are not 0",
                ),
            };
            let value = format_args!("a row {row} with {} itself{value}", self.ids[place] as i64 + base);
            return Err(Error::not_allowed(Status::BadValue, "ids", value, allowed));
        }
        let entry = |place: usize| (self.ids[place], self.shifts.get(place));
        match places.clone().skip(1).find(|&place| entry(place) == entry(place - 1)) {
            None => Ok(()),
            Some(place) => Err(twice(row, self.named(place, base))),
        }
    }

    /// Refuses a shift along a vector that does not repeat. `has_cell`: there are vectors.
    pub(super) fn check_along(&self, periodic: [bool; 3], has_cell: bool, base: i64) -> Result<()> {
        let Some(axis) = (0..3).find(|&axis| self.along[axis] && !periodic[axis]) else {
            return Ok(());
        };
        for i in 0..self.len() as u32 {
            let mut places = self.places(i).unwrap_or_default();
            if let Some(place) = places.find(|&place| self.shifts[place][axis] != 0) {
                return Err(not_along(i64::from(i) + base, self.named(place, base), has_cell));
            }
        }
        Ok(())
    }
}

impl ExcludedIds {
    /// As [`ExcludedPairs::check_along`], of all pairs, however far apart their points are.
    pub fn check_along(&self, periodic: [bool; 3], has_cell: bool, base: i64) -> Result<()> {
        let is_refused = |shift: Shift| (0..3).any(|axis| shift[axis] != 0 && !periodic[axis]);
        if periodic == [true; 3] || !self.are_of_images() {
            return Ok(());
        }
        for i in 0..self.len() {
            if let Some((id, _, shift)) = self.row(i).find(|&(_, _, shift)| is_refused(shift)) {
                return Err(not_along(i as i64 + base, Named(id, Some(shift)), has_cell));
            }
        }
        Ok(())
    }

    /// Refuses points of a row that are not here, by id and shift, if one is there twice.
    pub(super) fn check_missing(&self, row: i64, missing: &mut [(i64, Shift)]) -> Result<()> {
        missing.sort_unstable();
        match missing.windows(2).find(|two| two[0] == two[1]) {
            None => Ok(()),
            Some(two) => Err(twice(row, Named(two[0].0, self.are_of_images().then_some(two[0].1)))),
        }
    }
}

fn twice(row: i64, named: Named) -> Error {
    let value = format_args!("a row {row} with {named} twice");
    Error::not_allowed(Status::BadValue, "ids", value, "each once in a row")
}

fn not_along(row: i64, named: Named, has_cell: bool) -> Error {
    let value = format_args!("a row {row} with {named}");
    let allowed = match has_cell {
        true => "0 along vectors of the cell that are not periodic",
        false => "0 where there is no cell (set_cell)",
    };
    Error::not_allowed(Status::BadValue, "shifts of exclusions", value, allowed)
}
