//! Roles of points: active points have neighbors, ghosts are neighbors of active points only, absent points take no part.
//!
//! in: the number of active points that come first, or a role per point, and those of points of other ranks; out: the flags of each
//! point's class.

use crate::error::{Error, Result, Status};
use crate::list::{holds, reserve_discarding};

/// Bits of a class below its type: whether a ghost, whether a query.
pub(super) const FLAGS: u32 = 2;
pub(super) const GHOST: u8 = 1;
pub(super) const QUERY: u8 = 2;

/// The same bit, if points of other ranks have roles: such a point. Queries are then the points of the first type.
pub(super) const FOREIGN: u8 = QUERY;

/// In the place of flags: a point that takes no part.
pub(super) const ABSENT: u8 = u8::MAX;

/// The part of a point in the rows of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The point takes no part: it is in no row, and its own row is empty.
    Absent,
    /// The point has all points that are not absent as neighbors.
    Active,
    /// The point is a neighbor of active points.
    Ghost,
}

/// The pairs of an active point and a ghost in pairs and half rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GhostPairs {
    /// All of them (default).
    #[default]
    All,
    /// Only those whose ghost has the larger global id, or the larger number where points have no ids. If several processes
    /// hold each other's points as ghosts, each pair is then in exactly one of their lists.
    LargerIds,
}

/// The points in the full rows of ghosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GhostRows {
    /// Active points (default).
    #[default]
    Active,
    /// Active points and ghosts.
    All,
    /// No points: only active points have rows.
    None,
}

const WHAT: &str = "the roles of the points";

/// Roles as the caller set them, or with those of points of other ranks.
#[derive(Debug, Default)]
pub struct Roles {
    /// The number of active points, which come first; `None`: all are active, or each has a role.
    first: Option<usize>,
    /// The flags of each point's class; empty where points have no roles of their own.
    flags: Vec<u8>,
    /// Active points among those with roles.
    active: usize,
    has_ghosts: bool,
    has_absent: bool,
    /// Whether a ghost comes before a point that is none.
    is_mixed: bool,
    /// The number of own points, where ranks are. Points of other ranks, if any, follow them.
    own: Option<usize>,
    /// Half rows of all other active points list them, whatever their ids.
    lists_foreign: bool,
}

holds! { Roles { flags; first, active, has_ghosts, has_absent, is_mixed, own, lists_foreign } }

/// The active ones of some points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Actives<'a> {
    /// The number of them, which come first where points have no flags.
    count: usize,
    flags: &'a [u8],
}

impl<'a> Actives<'a> {
    /// The first `count` points.
    pub fn first(count: usize) -> Actives<'a> {
        Actives { count, flags: &[] }
    }

    /// The places of those among `len` points from `first` on.
    #[inline]
    pub fn among(&self, first: usize, len: usize) -> impl Iterator<Item = usize> {
        let (flags, end) = match self.flags {
            [] => (self.flags, len.min(self.count.saturating_sub(first))),
            flags => (&flags[first..first + len], len),
        };
        (0..end).filter(move |&k| flags.get(k).is_none_or(|&flags| flags == 0))
    }
}

impl Roles {
    /// The first `active` points are active, the rest are ghosts; `None`: all are active. Returns whether that is new.
    pub fn set_first(&mut self, active: Option<usize>) -> bool {
        let is_new = self.first != active || self.are_set();
        if is_new {
            *self = Roles {
                first: active,
                ..Roles::default()
            };
        }
        is_new
    }

    /// The roles where the points after the first `own` are of other ranks, and all points are active where they are.
    pub(super) fn plain_across(own: usize) -> Roles {
        Roles {
            first: Some(own),
            own: Some(own),
            ..Roles::default()
        }
    }

    /// The roles of `own` points with these roles, and of points of other ranks after them, whose flags are given.
    pub(super) fn across(&self, own: usize, foreign: &[u8], pairs: GhostPairs) -> Result<Roles> {
        let mut flags = Vec::new();
        self.write_flags(own, own + foreign.len(), &mut flags)?;
        let of_foreign = |&flags: &u8| if flags == ABSENT { ABSENT } else { flags | FOREIGN };
        flags.extend(foreign.iter().map(of_foreign));
        let mut roles = Roles {
            active: flags.iter().filter(|&&flags| flags == 0).count(),
            has_ghosts: flags.contains(&GHOST),
            has_absent: flags.contains(&ABSENT),
            flags,
            own: Some(own),
            lists_foreign: pairs == GhostPairs::All,
            ..Roles::default()
        };
        roles.is_mixed = !(0..roles.flags.len()).is_sorted_by_key(|i| roles.is_ghost(i));
        Ok(roles)
    }

    /// Writes the flags of `own` points, with room for `all`.
    pub(super) fn write_flags(&self, own: usize, all: usize, flags: &mut Vec<u8>) -> Result<()> {
        let active = self.active_of(own)?;
        reserve_discarding(flags, all, WHAT)?;
        flags.clear();
        match self.are_set() {
            true => flags.extend_from_slice(&self.flags),
            false => flags.extend((0..own).map(|point| if point < active { 0 } else { GHOST })),
        }
        Ok(())
    }

    /// Whether some of `points` points may not be active.
    pub fn differ(&self, points: usize) -> bool {
        self.are_set() || self.first.is_some_and(|first| first != points)
    }

    /// Sets the role of each of `len` points. On failure nothing changes.
    pub fn set(&mut self, len: usize, role: impl Fn(usize) -> Result<Role>) -> Result<()> {
        let mut flags = Vec::new();
        reserve_discarding(&mut flags, len, WHAT)?;
        for point in 0..len {
            flags.push(match role(point)? {
                Role::Absent => ABSENT,
                Role::Active => 0,
                Role::Ghost => GHOST,
            });
        }
        *self = Roles {
            active: flags.iter().filter(|&&flags| flags == 0).count(),
            has_ghosts: flags.contains(&GHOST),
            has_absent: flags.contains(&ABSENT),
            is_mixed: !flags.is_sorted_by_key(|&flags| flags == GHOST),
            flags,
            ..Roles::default()
        };
        Ok(())
    }

    /// Whether each point has a role of its own.
    pub fn are_set(&self) -> bool {
        !self.flags.is_empty()
    }

    /// The number of active points among `points`.
    pub fn active_of(&self, points: usize) -> Result<usize> {
        if self.are_set() {
            let (len, allowed) = (self.flags.len(), format_args!("{points}, the number of points"));
            return match len == points {
                true => Ok(self.active),
                false => Err(Error::not_allowed(Status::BadCount, "number of roles", len, allowed)),
            };
        }
        let active = self.first.unwrap_or(points);
        if active > points {
            let allowed = format_args!("0 to {points}, the number of points");
            return Err(Error::not_allowed(Status::BadCount, "n_active", active, allowed));
        }
        Ok(active)
    }

    /// The active ones of `points` points.
    pub fn actives(&self, points: usize) -> Result<Actives<'_>> {
        Ok(Actives {
            count: self.active_of(points)?,
            flags: &self.flags,
        })
    }

    /// The flags of each point's class; none where they follow from the number of active points.
    pub fn flags(&self) -> &[u8] {
        &self.flags
    }

    /// Whether half rows list point `i` as a ghost.
    #[inline]
    pub fn is_ghost(&self, i: usize) -> bool {
        match self.flags.get(i) {
            Some(&ABSENT) => false,
            Some(&flags) => flags & GHOST != 0 || self.lists_foreign && flags != 0,
            None => self.first.is_some_and(|first| i >= first),
        }
    }

    /// Whether point `i` is active.
    pub fn is_active(&self, i: usize) -> bool {
        match self.flags.get(i) {
            Some(&flags) => flags == 0,
            None => self.first.is_none_or(|first| i < first),
        }
    }

    /// Whether some of `points` points is a ghost.
    pub fn have_ghosts(&self, points: usize) -> bool {
        self.has_ghosts || self.first.is_some_and(|first| first < points)
    }

    /// Whether they include points of other ranks, and points of all ranks are active at home.
    pub(super) fn have_plain_foreign(&self) -> bool {
        self.own.is_some() && !self.are_set()
    }

    /// Whether they include points of other ranks, with the roles that these have at home.
    pub fn are_across(&self) -> bool {
        self.own.is_some() && self.are_set()
    }

    /// Those of `points` points that are not of other ranks.
    pub(super) fn own_of(&self, points: usize) -> usize {
        self.own.unwrap_or(points)
    }

    /// Whether some point takes no part.
    pub fn have_absent(&self) -> bool {
        self.has_absent
    }

    /// Whether a ghost comes before a point that is none.
    pub fn are_mixed(&self) -> bool {
        self.is_mixed
    }
}
