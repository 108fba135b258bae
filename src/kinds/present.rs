//! The types that points have, and the cutoffs that two of them may have.
//!
//! in: types, roles, the mask and the table of [`Kinds`]; out: numbers of points, and cutoffs with their types.

use std::sync::PoisonError;

use super::cutoffs::MAX_TYPES;
use super::roles::ABSENT;
use super::{GhostRows, Kinds};

/// The number of points of each type: of those with rows, and of all that rows may list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Present {
    rows: [usize; MAX_TYPES],
    all: [usize; MAX_TYPES],
}

impl Kinds {
    /// The points of each type, counted once for each version of the kinds.
    fn present(&self) -> Present {
        let mut present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        if !present.is_of(&self.version) {
            *present.begin() = self.count_types();
            present.finish(self.version);
        }
        *present.get()
    }

    fn count_types(&self) -> Present {
        let (roles, mut present) = (self.roles(), Present::default());
        for (i, &of) in self.types.iter().enumerate() {
            let is_there = roles.flags().get(i) != Some(&ABSENT);
            present.all[usize::from(of)] += usize::from(is_there);
            present.rows[usize::from(of)] += usize::from(roles.is_active(i));
        }
        if self.ghost_rows == GhostRows::All {
            present.rows = present.all;
        }
        present
    }

    /// The cutoffs greater than 0 that two points may have by their types, each with both types. `with_images`: a point and
    /// its own image count as two.
    pub fn cutoffs_of_pairs(&self, with_images: bool) -> impl Iterator<Item = (f64, [usize; 2])> {
        let present = self.cutoffs.as_ref().map(|table| (table, self.present()));
        let Present { rows, all } = present.map(|(_, present)| present).unwrap_or_default();
        let is_there = move |a: usize, b: usize| rows[a] > 0 && all[b] > usize::from(a == b && !with_images);
        let tables = present.map(|(table, _)| table).into_iter();
        let pairs = tables.flat_map(|table| {
            let both = move |a: usize| (0..=a).map(move |b| (table.of(a, b), [a, b]));
            (0..self.interacts.len()).flat_map(both)
        });
        pairs.filter(move |&(cutoff, [a, b])| {
            let interact = self.interacts[a] >> b & 1 == 1;
            cutoff > 0.0 && interact && (is_there(a, b) || is_there(b, a))
        })
    }

    /// The largest cutoff that two points may have by their types; where no two have any, the smallest of the table.
    pub fn largest_cutoff(&self, with_images: bool) -> Option<f64> {
        let largest = self
            .cutoffs_of_pairs(with_images)
            .map(|(cutoff, _)| cutoff)
            .reduce(f64::max);
        largest.or_else(|| self.cutoffs.as_ref().map(|table| table.smallest()))
    }
}
