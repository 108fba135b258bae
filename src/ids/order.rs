//! The order in which points with global ids are searched.

use super::global::{GlobalIds, WHAT};
use crate::error::Result;
use crate::memory::{holds, reserve_discarding};

/// In which order points with global ids are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// All by their ids.
    ById,
    /// Active points by their ids, then ghosts by theirs: half rows hold all pairs with ghosts.
    ActiveFirst,
}

/// The order in which points are searched.
#[derive(Debug, Default)]
pub struct Order {
    /// The points in that order, and queries after them; none where they are in it.
    points: Vec<u32>,
    /// The first ghost, where ghosts are after all active points and do not all have larger ids.
    pub(super) first_ghost: Option<usize>,
    /// Ghosts are after all active points.
    ghosts_behind: bool,
}

holds! { Order { points; first_ghost, ghosts_behind } }

impl Order {
    /// Brings `points` points, of which the first `active` are active, and the queries after them into the order of a
    /// search.
    pub fn make(
        &mut self,
        ids: &GlobalIds,
        [points, queries]: [usize; 2],
        active: usize,
        arrangement: Arrangement,
    ) -> Result<()> {
        let order = &mut self.points;
        order.clear();
        self.first_ghost = None;
        self.ghosts_behind = active == points || !ids.are_set() || arrangement == Arrangement::ActiveFirst;
        ids.check(points)?;
        if ids.ascending.is_empty() {
            self.ghosts_behind = true;
            return Ok(());
        }
        reserve_discarding(order, points + queries, WHAT)?;
        let is_active = |&point: &u32| (point as usize) < active;
        let ascending = || ids.ascending.iter().map(|entry| entry.point);
        match arrangement {
            Arrangement::ActiveFirst => {
                order.extend(ascending().filter(is_active));
                order.extend(ascending().filter(|point| !is_active(point)));
                let id = |k: usize| ids.ids[order[k] as usize];
                let mixed = 0 < active && active < points && id(active - 1) > id(active);
                self.first_ghost = mixed.then_some(active);
            }
            Arrangement::ById => order.extend(ascending()),
        }
        order.extend(points as u32..(points + queries) as u32);
        if order.iter().zip(0..).all(|(&point, k)| point == k) {
            order.clear();
        }
        Ok(())
    }

    /// Whether the points would be in the same order in either [`Arrangement`].
    pub fn suits_both(&self) -> bool {
        self.ghosts_behind && self.first_ghost.is_none()
    }

    /// Whether ghosts are after all active points.
    pub fn has_ghosts_behind(&self) -> bool {
        self.ghosts_behind
    }

    /// The points in the order in which they are searched; `None` where that is the one they are in.
    pub fn points(&self) -> Option<&[u32]> {
        Some(&self.points[..]).filter(|order| !order.is_empty())
    }
}
