//! Types and roles of points of other ranks, after those that the caller set.
//!
//! in: those that came from the ranks of the points, which have checked them; out: [`Kinds`] of all points.

use super::Kinds;
use super::cutoffs::MAX_TYPES;
use super::roles::Roles;
use crate::error::{Error, Result};
use crate::list::reserve_keeping;
use crate::version::Version;

impl Kinds {
    /// The types that the caller set.
    pub fn own_types(&self) -> &[u8] {
        &self.types[..self.types.len() - self.of_ghosts]
    }

    /// Writes the flags of `own` points as the caller set their roles; none where all are active.
    pub fn write_own_flags(&self, own: usize, flags: &mut Vec<u8>) -> Result<()> {
        match self.roles.differ(own) {
            true => self.roles.write_flags(own, own, flags),
            false => Ok(()),
        }
    }

    /// Makes `types`, numbers from 0, those of ghosts, after those that the caller set. Other ranks have checked them.
    pub fn set_ghosts(&mut self, types: &[u8]) -> Result<()> {
        let own = self.own_types().len();
        self.types.truncate(own);
        (self.of_ghosts, self.version) = (0, Version::new());
        reserve_keeping(&mut self.types, own + types.len(), "the types of ghosts")?;
        self.types.extend_from_slice(types);
        self.of_ghosts = types.len();
        Ok(())
    }

    /// The points after the first `own` are of other ranks; `None`: there are no such. Nothing is known of their roles yet.
    pub fn set_foreign(&mut self, own: Option<usize>) {
        if self.roles_across.is_some() || own.is_some() {
            (self.roles_across, self.version) = (own.map(Roles::plain_across), Version::new());
        }
    }

    /// Gives the points of other ranks, which come after `own` points, the roles that their flags say. The points of some rank have roles.
    pub fn set_foreign_roles(&mut self, own: usize, flags: &[u8]) -> Result<()> {
        if self.interacts.len() == MAX_TYPES {
            return Err(Error::NotSupported {
                what: "roles or set_active across ranks with points of 32 types (31 at most)",
            });
        }
        let roles = self.roles.across(own, flags, self.ghost_pairs)?;
        (self.roles_across, self.version) = (Some(roles), Version::new());
        Ok(())
    }
}
