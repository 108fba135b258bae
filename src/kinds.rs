//! Kinds of points: which of the near points count as neighbors. Types and the mask that says which of them interact,
//! active points and ghosts, points and queries.
//!
//! in: the caller's types, mask, counts and roles; out: [`Classes`], read by the backends.

mod across;
mod classes;
mod cutoffs;
mod present;
mod roles;

use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result, Status, words};
use crate::ids::Order;
use crate::list::{holds, reserve_discarding};
use crate::version::{Derived, Version};
#[cfg(feature = "gpu")]
pub use classes::ClassesOf;
pub(crate) use classes::{CLASSES, bits};
pub use classes::{Classes, RowsOf};
use cutoffs::types_of_table;
pub use cutoffs::{MAX_TYPES, TypeBounds, TypeCutoffs, TypeTable, type_of};
use present::Present;
pub use roles::{Actives, GhostPairs, GhostRows, Role};
use roles::{FLAGS, FOREIGN, GHOST, QUERY, Roles};

/// Pairs within the largest cutoff for each that is within its own, from which on cutoffs are uneven: a test in a tree takes longer.
const UNEVEN: f64 = 16.0;

/// Kinds of the points as the caller set them.
#[derive(Debug, Default)]
pub struct Kinds {
    /// The type of each point, from 0; none if all are of one.
    types: Vec<u8>,
    /// The number of types at the end that ghosts of other ranks have.
    of_ghosts: usize,
    /// For each type the types that interact with it, a bit each.
    interacts: Vec<u32>,
    /// A cutoff for each pair of types; `None`: all have the same.
    cutoffs: Option<TypeTable>,
    /// Those that the caller set.
    roles: Roles,
    /// The same with those of points of other ranks behind, where there may be such.
    roles_across: Option<Roles>,
    ghost_pairs: GhostPairs,
    ghost_rows: GhostRows,
    /// The number of types that may link into groups, and those that do, a bit each; `None`: all.
    primary: Option<(usize, u32)>,
    /// Of types, mask, cutoffs, roles, pairs and rows of ghosts: of what rows depend on.
    version: Version,
    /// Of the primary types.
    primary_version: Version,
    /// The number of points of each type, for a version.
    present: Mutex<Derived<Version, Present>>,
}

holds! { Kinds { types, interacts, cutoffs, roles, roles_across; of_ghosts, ghost_pairs, ghost_rows, primary, version, primary_version, present } }

impl Kinds {
    /// Sets a type per point, from `base` on, and the symmetric `ntypes * ntypes` mask of which interact; no types at
    /// all: all points are of one. On failure nothing changes.
    pub fn set_types(&mut self, types: &[i32], base: i64, mask: &[bool]) -> Result<()> {
        if types.is_empty() {
            (self.types, self.interacts, self.of_ghosts) = (Vec::new(), Vec::new(), 0);
            self.version = Version::new();
            return Ok(());
        }
        let ntypes = types_of_table(["mask", "size of mask"], mask, base)?;
        let last = base + ntypes as i64 - 1;
        if let Some(at) = types.iter().position(|&t| !(base..=last).contains(&t.into())) {
            return Err(Error::Element {
                argument: "types",
                position: at as i64 + base,
                value: types[at].into(),
                allowed: words(format_args!("{base} to {last}")),
            });
        }
        let mut narrow = Vec::new();
        reserve_discarding(&mut narrow, types.len(), "the types of the points")?;
        narrow.extend(types.iter().map(|&t| (i64::from(t) - base) as u8));
        let row = |a: usize| (0..ntypes).fold(0, |bits, b| bits | u32::from(mask[a * ntypes + b]) << b);
        let mut interacts = Vec::new();
        reserve_discarding(&mut interacts, ntypes, "the types that interact")?;
        interacts.extend((0..ntypes).map(row));
        (self.types, self.interacts, self.of_ghosts) = (narrow, interacts, 0);
        self.version = Version::new();
        Ok(())
    }

    /// Sets a cutoff for each pair of types, in a symmetric table; an empty one: all have the same.
    pub fn set_cutoffs(&mut self, cutoffs: &[f64], base: i64) -> Result<()> {
        let table = (!cutoffs.is_empty()).then(|| TypeTable::new(cutoffs, base));
        (self.cutoffs, self.version) = (table.transpose()?, Version::new());
        Ok(())
    }

    /// The cutoffs by pairs of types, where they are set.
    pub fn cutoffs(&self) -> Option<&TypeTable> {
        self.cutoffs.as_ref()
    }

    /// The number of points of each type. They are counted once for each version of the kinds.
    fn present(&self) -> Present {
        let mut present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        if !present.is_of(&self.version) {
            let of_ghosts = self.ghost_rows == GhostRows::All;
            *present.begin() = Present::new(&self.types, self.roles(), of_ghosts);
            present.finish(self.version);
        }
        *present.get()
    }

    /// The cutoffs greater than 0 of types that two points have, each with both types. `with_images`: a point and its own
    /// periodic image count as two points.
    pub fn cutoffs_of_pairs(&self, with_images: bool) -> impl Iterator<Item = (f64, [usize; 2])> {
        let present = self.cutoffs.as_ref().map(|table| (table, self.present()));
        present.into_iter().flat_map(move |(table, present)| {
            let both = (0..self.interacts.len()).flat_map(|a| (0..=a).map(move |b| [a, b]));
            let interact = |&[a, b]: &[usize; 2]| self.interacts[a] >> b & 1 == 1 && table.reaches(a, b);
            let is_there = move |&types: &[usize; 2]| present.has_pair(types, with_images);
            both.filter(interact)
                .filter(is_there)
                .map(|[a, b]| (table.of(a, b), [a, b]))
        })
    }

    /// The largest cutoff of types that two points have. If there is none, the smallest cutoff of the table.
    pub fn largest_cutoff(&self, with_images: bool) -> Option<f64> {
        let largest = self
            .cutoffs_of_pairs(with_images)
            .map(|(cutoff, _)| cutoff)
            .reduce(f64::max);
        largest.or_else(|| self.cutoffs.as_ref().map(TypeTable::smallest))
    }

    /// Whether most pairs within the largest cutoff are of types that reach far less, so that a search by it would test in vain.
    /// `skin` is added to each cutoff of points with `dim` axes.
    pub fn are_uneven(&self, dim: usize, skin: f64) -> bool {
        let (present, largest) = (self.present(), self.largest_cutoff(false).unwrap_or_default() + skin);
        let (mut within, mut all) = (0.0, 0.0);
        for (cutoff, types) in self.cutoffs_of_pairs(false) {
            let pairs = present.pairs(types);
            within += pairs * ((cutoff + skin) / largest).powi(dim as i32);
            all += pairs;
        }
        within * UNEVEN < all
    }

    /// Refuses cutoffs by types that `points` points do not have. Where all are of other ranks, these ranks say their types.
    pub fn check_cutoffs(&self, points: usize) -> Result<()> {
        let has_own = self.roles().own_of(points) > 0;
        let table = self.cutoffs.as_ref().filter(|_| has_own);
        table.map_or(Ok(()), |table| table.check(self.interacts.len()))
    }

    /// The types of the points; none if all are of one.
    pub fn types(&self) -> &[u8] {
        &self.types
    }

    /// All that is said of kinds and not of single points.
    pub fn rules(&self) -> impl std::fmt::Debug {
        (
            &self.interacts,
            &self.cutoffs,
            self.ghost_pairs,
            self.ghost_rows,
            self.primary,
        )
    }

    /// The first `active` points are active, the rest are ghosts; `None`: all are active.
    pub fn set_active(&mut self, active: Option<usize>) {
        if self.roles.set_first(active) {
            self.version = Version::new();
        }
    }

    /// Sets the role of each of `len` points; none at all: all are active.
    pub fn set_roles(&mut self, len: usize, role: impl Fn(usize) -> Result<Role>) -> Result<()> {
        self.roles.set(len, role)?;
        self.version = Version::new();
        Ok(())
    }

    /// The roles of the points, with those of other ranks.
    pub fn roles(&self) -> &Roles {
        self.roles_across.as_ref().unwrap_or(&self.roles)
    }

    /// The roles that the caller set.
    pub fn own_roles(&self) -> &Roles {
        &self.roles
    }

    /// The points in the full rows of ghosts.
    pub fn set_ghost_rows(&mut self, rows: GhostRows) {
        if self.ghost_rows != rows {
            (self.ghost_rows, self.version) = (rows, Version::new());
        }
    }

    /// The pairs with ghosts that half lists hold.
    pub fn set_ghost_pairs(&mut self, pairs: GhostPairs) {
        if self.ghost_pairs != pairs {
            (self.ghost_pairs, self.version) = (pairs, Version::new());
        }
    }

    /// Whether half rows list all ghosts. The setting is about active points of other ranks only, if points have roles there.
    pub fn lists_all_ghosts(&self) -> bool {
        self.ghost_pairs == GhostPairs::All || self.roles().are_across()
    }

    /// The version of all that rows depend on.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The versions of all that was said about the points.
    pub fn versions(&self) -> [Version; 2] {
        [self.version, self.primary_version]
    }

    /// The versions of all that groups depend on; `None` where they depend on nothing of it.
    pub fn groups_versions(&self) -> Option<[Version; 2]> {
        self.primary.map(|_| [self.version, self.primary_version])
    }

    /// The number of active points among `points`.
    pub fn active_of(&self, points: usize) -> Result<usize> {
        self.roles().active_of(points)
    }

    /// The types that link into groups; none at all: all do.
    pub fn set_primary(&mut self, primary: &[bool]) -> Result<()> {
        if primary.len() > MAX_TYPES {
            let allowed = format_args!("0 to {MAX_TYPES}");
            return Err(Error::not_allowed(Status::BadCount, "ntypes", primary.len(), allowed));
        }
        let bits = primary.iter().rev().fold(0, |bits, &is| bits << 1 | u32::from(is));
        let primary = (!primary.is_empty()).then_some((primary.len(), bits));
        if self.primary != primary {
            (self.primary, self.primary_version) = (primary, Version::new());
        }
        Ok(())
    }

    /// Those of `points` points that link into groups; `None`: all.
    pub fn primary_of(&self, points: usize) -> Result<Option<Primary<'_>>> {
        let Some((ntypes, bits)) = self.primary else {
            return Ok(None);
        };
        if self.types.is_empty() && points > 0 {
            return Err(Error::BadState {
                missing: "types",
                remedy: "set_types",
            });
        }
        self.check_types(points)?;
        if points > 0 && self.interacts.len() != ntypes {
            let allowed = format_args!("{ntypes}, the number of primary types set");
            return Err(Error::not_allowed(
                Status::BadCount,
                "number of types that points may have",
                self.interacts.len(),
                allowed,
            ));
        }
        let types = &self.types;
        Ok(Some(Primary { types, bits }))
    }

    /// Refuses types and active points that are not those of `points` points.
    pub fn check(&self, points: usize) -> Result<()> {
        self.check_types(points)?;
        self.active_of(points).map(|_| ())
    }

    fn check_types(&self, points: usize) -> Result<()> {
        if self.types.is_empty() || self.types.len() == points {
            return Ok(());
        }
        let allowed = format_args!("{points}, the number of points");
        Err(Error::not_allowed(
            Status::BadCount,
            "number of types",
            self.types.len(),
            allowed,
        ))
    }

    /// The classes of `points` points and the queries after them, for the rows of points, or of `queries`; `None` where
    /// every point is a neighbor of every other. The points are numbered as `order` has them.
    pub fn classes<'a>(
        &'a self,
        [points, queries]: [usize; 2],
        rows_of: RowsOf,
        order: &'a Order,
    ) -> Result<Option<Classes<'a>>> {
        self.check_types(points)?;
        let of_queries = rows_of == RowsOf::Queries;
        if !of_queries {
            self.check_cutoffs(points)?;
        }
        let (active, roles) = (self.active_of(points)?, self.roles());
        if self.types.is_empty() && active == points && queries == 0 && !of_queries {
            return Ok(None);
        }
        let mut classes = Classes {
            #[cfg(feature = "gpu")]
            of: (self.version, rows_of),
            types: &self.types,
            // Without types and roles, and with ghosts after all others, the numbers in the search serve as well as the caller's.
            order: (order.points()).filter(|_| !self.types.is_empty() || roles.are_set() || !order.has_ghosts_behind()),
            points,
            active,
            flags: roles.flags(),
            first_type: self.first_type() as u8,
            has_ghosts: roles.have_ghosts(points),
            dropped: order.dropped(),
            alike: [self.first_type() as u8; MAX_TYPES],
            allows: [0; CLASSES],
            bounds: None,
        };
        classes.alike[0] = 0;
        let alike = classes.alike.iter_mut().skip(self.first_type());
        for (of, alike) in alike.take(self.interacts.len()).enumerate() {
            let first = (0..of).find(|&other| self.are_alike(of, other)).or(Some(of));
            *alike = (self.first_type() + first.unwrap_or_default()) as u8;
        }
        let count = (self.first_type() + self.interacts.len().max(1)) << FLAGS;
        for (row, allows) in classes.allows[..count].iter_mut().enumerate() {
            let allowed = |other: usize| self.allows(row as u8, other as u8, rows_of);
            *allows = (0..count).fold(0, |bits, other| bits | u128::from(allowed(other)) << other);
        }
        Ok(Some(classes))
    }

    /// The type that classes give points of the first type: the next one where points of other ranks have roles, and queries have the first.
    fn first_type(&self) -> usize {
        usize::from(self.roles().are_across())
    }

    /// Whether two types interact with the same ones, with the same cutoffs.
    fn are_alike(&self, a: usize, b: usize) -> bool {
        let cutoffs = self.cutoffs.as_ref();
        self.interacts[a] == self.interacts[b] && cutoffs.is_none_or(|cutoffs| cutoffs.are_alike(a, b))
    }

    /// Whether a row of class `row` may list a point of class `other`.
    fn allows(&self, row: u8, other: u8, rows_of: RowsOf) -> bool {
        let (is, first) = (|class: u8, flag: u8| class & flag != 0, self.first_type());
        let is_point = |class: u8| type_of(class) >= first && (first > 0 || !is(class, QUERY));
        if rows_of == RowsOf::Queries || !is_point(row) || !is_point(other) {
            return rows_of == RowsOf::Queries && row == QUERY && is_point(other);
        }
        let [mine, others] = [row, other].map(|class| type_of(class) - first);
        let interact = || self.interacts.get(mine).is_none_or(|types| types >> others & 1 == 1);
        let reach = || {
            self.cutoffs
                .as_ref()
                .is_none_or(|cutoffs| cutoffs.reaches(mine, others))
        };
        let may_list = match rows_of {
            RowsOf::Half => !is(row, GHOST),
            _ if self.roles().have_plain_foreign() => !is(row, GHOST),
            _ => match self.ghost_rows {
                GhostRows::Active => !(is(row, GHOST) && is(other, GHOST)),
                GhostRows::All => true,
                GhostRows::None => !is(row, GHOST),
            },
        };
        let is_foreign = first > 0 && is(row, FOREIGN);
        !is_foreign && may_list && interact() && reach()
    }
}

/// The points that link into groups.
#[derive(Clone, Copy, Debug)]
pub struct Primary<'a> {
    types: &'a [u8],
    bits: u32,
}

impl Primary<'_> {
    /// Whether a point does.
    pub fn holds(&self, point: u32) -> bool {
        self.bits >> self.types[point as usize] & 1 == 1
    }
}
