//! Exclusions: pairs of points that no row lists, such as atoms that bonds join, and the class of each such pair.
//!
//! in: for each point the caller's numbers or global ids, and classes; out: [`ExcludedPairs`], by the numbers of the caller or of a search.

mod by_ids;
mod check;
mod entry;
mod pairs;

pub use by_ids::ExcludedIds;
pub use entry::Shift;
pub use pairs::ExcludedPairs;

use entry::{Shifted, check_shifts};
use pairs::{MOST_IDS, WHAT};

use crate::arguments::check_offsets;
use crate::error::{Error, Result, Status};
use crate::ids::GlobalIds;
use crate::list::{holds, reserve_discarding};
use crate::version::Version;

/// Excluded pairs as the caller set them.
#[derive(Debug, Default)]
pub struct Exclusions {
    names: Names,
    pairs: ExcludedPairs,
    version: Version,
}

holds! { Exclusions { names, pairs; version } }

/// The kind of names that the caller gave excluded points.
#[derive(Debug, Default)]
enum Names {
    #[default]
    Numbers,
    /// Ids, set while the points had none: their numbers were their ids.
    NumbersAsIds,
    /// Rows of ids, and the version of the points' ids that the pairs follow.
    Ids(ExcludedIds, Version),
}

impl crate::memory::Holds for Names {
    fn bytes(&self) -> usize {
        match self {
            Names::Ids(rows, _) => rows.bytes(),
            _ => 0,
        }
    }
}

impl Exclusions {
    /// Sets for each point the ids that it does not list, numbered from `base`, with the one image by a shift or, without `shifts`, with all
    /// images, and the class of each pair, which is 1 without `classes`. Empty offsets remove the exclusions. On failure nothing
    /// changes.
    pub fn set(
        &mut self,
        offsets: &[i64],
        (ids, shifts): (&[i32], Option<&[Shift]>),
        classes: Option<&[i32]>,
        base: i64,
    ) -> Result<()> {
        let mut pairs = ExcludedPairs::default();
        if !offsets.is_empty() {
            let len = check_offsets("offsets", offsets, base)?;
            if ids.len() != len {
                let allowed = format_args!("{len}, as many as offsets say");
                return Err(Error::not_allowed(
                    Status::BadCount,
                    "number of ids",
                    ids.len(),
                    allowed,
                ));
            }
            if len > MOST_IDS {
                let allowed = format_args!("0 to {MOST_IDS}");
                return Err(Error::not_allowed(Status::BadCount, "number of ids", len, allowed));
            }
            match shifts {
                None => pairs.load::<u64>(offsets, (ids, &[]), classes, base)?,
                Some(shifts) => {
                    check_shifts(shifts, len, base)?;
                    pairs.load::<Shifted>(offsets, (ids, shifts), classes, base)?;
                }
            }
            pairs.check(base)?;
        }
        self.put(pairs);
        Ok(())
    }

    /// Sets pairs that are already given by the numbers of points.
    pub fn put(&mut self, pairs: ExcludedPairs) {
        (self.names, self.pairs, self.version) = (Names::Numbers, pairs, Version::new());
    }

    /// Sets rows of ids, one for each of `points` points. `ids` are the ids of the points; if none are set, the points have numbers
    /// from `base` on instead. On failure nothing changes.
    pub fn set_by_ids(&mut self, mut rows: ExcludedIds, ids: &GlobalIds, points: usize, base: i64) -> Result<()> {
        let mut numbers = Vec::new();
        let own = match ids.all() {
            Some(ids) => ids,
            None => {
                reserve_discarding(&mut numbers, points, WHAT)?;
                numbers.extend(base..base + points as i64);
                &numbers
            }
        };
        let pairs = rows.pairs(own, &[], (base, true))?;
        let names = match ids.are_set() {
            true => {
                rows.own(own)?;
                Names::Ids(rows, ids.version())
            }
            false => Names::NumbersAsIds,
        };
        self.put(pairs);
        self.names = names;
        Ok(())
    }

    /// Makes the pairs again if they follow ids and the ids have changed.
    pub fn follow(&mut self, ids: &GlobalIds) -> Result<()> {
        if let Names::Ids(rows, followed) = &mut self.names
            && *followed != ids.version()
        {
            self.pairs = rows.followed(ids.all().unwrap_or_default())?;
            (self.version, *followed) = (Version::new(), ids.version());
        }
        Ok(())
    }

    /// Whether there are exclusions.
    pub fn are_set(&self) -> bool {
        !self.pairs.starts.is_empty()
    }

    /// The excluded pairs by the caller's numbers, if any are set.
    pub fn pairs(&self) -> Option<&ExcludedPairs> {
        self.are_set().then_some(&self.pairs)
    }

    /// The largest number of excluded pairs of a point.
    pub fn longest(&self) -> usize {
        self.pairs.longest
    }

    /// Whether each pair is excluded with one image.
    pub fn are_of_images(&self) -> bool {
        self.pairs.are_of_images()
    }

    /// Refuses shifts along vectors that do not repeat. `has_cell`: there are vectors.
    pub fn check_along(&self, periodic: [bool; 3], has_cell: bool, base: i64) -> Result<()> {
        self.pairs.check_along(periodic, has_cell, base)
    }

    /// The version of the exclusions.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Refuses exclusions that do not fit `points` points with these ids.
    pub fn check(&self, points: usize, ids: &GlobalIds) -> Result<()> {
        let wrong_ids = |now, before| {
            let allowed = format_args!("{before}, as when the exclusions were set by ids; set them again");
            Err(Error::not_allowed(Status::BadState, "global ids", now, allowed))
        };
        match self.names {
            Names::NumbersAsIds if self.are_set() && ids.are_set() => return wrong_ids("set", "not set"),
            Names::Ids(..) if points > 0 && !ids.are_set() => return wrong_ids("not set", "set"),
            _ => {}
        }
        if !self.are_set() || self.pairs.len() == points {
            return Ok(());
        }
        let allowed = format_args!("{points}, the number of points");
        let rows = self.pairs.len();
        Err(Error::not_allowed(
            Status::BadCount,
            "number of rows of exclusions",
            rows,
            allowed,
        ))
    }
}
