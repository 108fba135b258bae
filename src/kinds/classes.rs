//! The class of every point, and which classes the row of a class lists.
//!
//! in: types, roles and the mask of [`Kinds`](super::Kinds); out: [`Classes`], read by the backends.

use std::ops::Range;

use super::cutoffs::{MAX_TYPES, TypeBounds, TypeTable};
use super::roles::{ABSENT, FLAGS, GHOST, QUERY};
use crate::domain::TieRule;
use crate::error::Result;
use crate::list::prefetch;
use crate::real::Real;
#[cfg(feature = "gpu")]
use crate::version::Version;

/// Classes, at most.
pub(crate) const CLASSES: usize = MAX_TYPES << FLAGS;

/// The class of a point that takes no part.
const NOBODY: u8 = GHOST | QUERY;

/// The rows that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsOf {
    /// Of points, without what is before a point: those of ghosts are empty.
    Half,
    /// Of points, all.
    Full,
    /// Of queries.
    Queries,
}

/// The version of the kinds, and the rows that are searched.
#[cfg(feature = "gpu")]
pub type ClassesOf = (Version, RowsOf);

/// The class of every point, and which classes a row lists.
pub struct Classes<'a> {
    /// The inputs that they were made of, beside the numbers of points and queries and their order.
    #[cfg(feature = "gpu")]
    pub of: ClassesOf,
    /// By the caller's number.
    pub(super) types: &'a [u8],
    /// The caller's number of each point, where it has another here.
    pub(super) order: Option<&'a [u32]>,
    /// Points; the rest are queries.
    pub(super) points: usize,
    /// The number of active points, which come first where points have no flags.
    pub(super) active: usize,
    /// The flags of each point's class, by the caller's number.
    pub(super) flags: &'a [u8],
    /// The type that classes give points of the first type.
    pub(super) first_type: u8,
    pub(super) has_ghosts: bool,
    /// Ghosts that take no part.
    pub(super) dropped: Option<Range<usize>>,
    /// For each type the first that interacts with the same ones.
    pub(super) alike: [u8; MAX_TYPES],
    /// For the class of a row, the classes it lists, a bit each.
    pub(super) allows: [u128; CLASSES],
    /// The bounds of pairs of types; `None`: all have the same.
    pub bounds: Option<TypeBounds>,
}

impl Classes<'_> {
    /// The class of point `i`.
    #[inline]
    pub fn of(&self, i: usize) -> u8 {
        if i >= self.points {
            return QUERY;
        }
        let point = self.order.map_or(i, |order| order[i] as usize);
        let flags = match self.flags.get(point) {
            _ if self.is_dropped(point) => ABSENT,
            Some(&flags) => flags,
            None if point < self.active => 0,
            None => GHOST,
        };
        if flags == ABSENT {
            return NOBODY; // whatever its type
        }
        (self.first_type + self.types.get(point).copied().unwrap_or(0)) << FLAGS | flags
    }

    #[inline]
    fn is_dropped(&self, point: usize) -> bool {
        self.dropped.as_ref().is_some_and(|dropped| dropped.contains(&point))
    }

    /// Has the type of point `i` fetched, to be read soon.
    pub fn prefetch(&self, i: usize) {
        let point = self.order.map_or(i, |order| order[i] as usize);
        self.types.get(point).inspect(|of| prefetch(*of));
    }

    /// The class of point `i`, or another one that lists the same classes and is listed by the same.
    #[inline]
    pub fn alike(&self, i: usize) -> u8 {
        let class = self.of(i);
        self.alike[usize::from(class >> FLAGS)] << FLAGS | class & (GHOST | QUERY)
    }

    /// Gives pairs of types the bounds of a table, for a search with a `skin`.
    pub fn set_bounds<T: Real>(&mut self, table: &TypeTable, skin: f64, tie_rule: TieRule) -> Result<()> {
        self.bounds = Some(table.bounds::<T>(skin, tie_rule)?.behind(self.first_type.into())?);
        Ok(())
    }

    /// Whether a row of class `row` lists points of class `other`.
    #[inline]
    pub fn allows(&self, row: u8, other: u8) -> bool {
        self.allows[usize::from(row)] >> other & 1 == 1
    }

    /// The classes that a row of class `row` lists, a bit each; none if no point is of that class.
    #[inline]
    pub fn lists(&self, row: u8) -> u128 {
        let is_there = match row & (GHOST | QUERY) {
            0 => true,
            GHOST => self.has_ghosts,
            _ => row == QUERY,
        };
        if is_there { self.allows[usize::from(row)] } else { 0 }
    }

    /// The classes of the points `ids`, a bit each.
    pub fn among(&self, ids: &[u32]) -> u128 {
        ids.iter().fold(0, |set, &id| set | 1 << self.of(id as usize))
    }

    /// The classes that rows of any of the classes `rows` list, a bit each.
    pub fn listed(&self, rows: u128) -> u128 {
        bits(rows).fold(0, |listed, row| listed | self.lists(row))
    }

    /// Whether every row of the classes `all` that lists anything lists all of them.
    pub fn list_all(&self, all: u128) -> bool {
        bits(all).all(|row| !self.has_row(row) || all & !self.lists(row) == 0)
    }

    /// Whether a row of one of the classes `rows` lists any of the classes `others`, a bit each.
    pub fn may_list(&self, rows: u128, others: u128) -> bool {
        bits(rows).any(|row| self.lists(row) & others != 0)
    }

    /// Whether a row of class `row` may list anything.
    #[inline]
    pub fn has_row(&self, row: u8) -> bool {
        self.lists(row) != 0
    }
}

/// The classes of a set.
pub(crate) fn bits(set: u128) -> impl Iterator<Item = u8> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let class = (rest != 0).then(|| rest.trailing_zeros() as u8);
        rest &= rest.wrapping_sub(1);
        class
    })
}
