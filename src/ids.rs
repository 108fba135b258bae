//! Global ids: numbers of the caller's that points keep wherever they are held, and that ties and order follow.
//!
//! in: the caller's ids, and which points are active; out: the order in which the points are searched, active ones by
//! ascending id, then ghosts likewise, or all by ascending id, so that a half row is what stands behind its point; and
//! [`Labels`], which bring numbers in that order back to the caller's.

use crate::error::{Error, Result, Status, words};
use crate::kinds::GhostPairs;
use crate::list::{Ghosts, Labels, reserve_discarding, reserve_keeping, resize_discarding};
use crate::threads::Team;

const WHAT: &str = "the global ids";

/// The ids of the points, and the order that they are searched in.
#[derive(Debug, Default)]
pub struct GlobalIds {
    /// By point; none where the points have no ids.
    ids: Vec<i64>,
    /// The same by ascending id; none where they ascend by point.
    ascending: Vec<Entry>,
    /// For each point how many ids are below its own; none where that is its number, or nobody asked.
    ranks: Vec<u32>,
    /// The points in the order in which they are searched, and queries behind them; none where they stand in it.
    order: Vec<u32>,
    /// The first ghost in that order, where the ids of ghosts are not all above those of active points.
    first_ghost: Option<usize>,
}

/// An id and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    id: i64,
    pub point: u32,
}

impl GlobalIds {
    /// Sets an id per point, each once, or none at all; points in messages count from `base`. On failure nothing changes.
    pub fn set(&mut self, ids: &[i64], base: i64, team: &Team) -> Result<()> {
        if ids.is_empty() {
            *self = GlobalIds::default();
            return Ok(());
        }
        reserve_keeping(&mut self.ids, ids.len(), WHAT)?;
        reserve_keeping(&mut self.ascending, if ascend(ids) { 0 } else { ids.len() }, WHAT)?;
        sort(&mut self.ascending, ids, team);
        if let Err(twice) = check_unique(&self.ascending, base) {
            sort(&mut self.ascending, &self.ids, team); // back to those of before, for which there is room
            return Err(twice);
        }
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        self.ranks.clear();
        Ok(())
    }

    /// Whether points have ids.
    pub fn are_set(&self) -> bool {
        !self.ids.is_empty()
    }

    /// The ids of `points` points; `None` where the points' numbers order them as well.
    pub fn by_point(&self, points: usize) -> Result<Option<&[i64]>> {
        self.check(points)?;
        Ok(Some(&self.ids[..]).filter(|_| !self.ascending.is_empty()))
    }

    /// Whether the points' numbers order them as their ids do.
    pub fn ascend(&self) -> bool {
        self.ascending.is_empty()
    }

    /// Brings `points` points and the queries behind them into the order of a search: the first `active` points, which are the
    /// active ones, before the ghosts, or, where that is not how `pairs` are to be had, all by their ids.
    pub fn arrange(&mut self, points: usize, active: usize, queries: usize, pairs: GhostPairs) -> Result<()> {
        self.order.clear();
        self.first_ghost = None;
        self.check(points)?;
        if self.ascending.is_empty() {
            return Ok(());
        }
        reserve_discarding(&mut self.order, points + queries, WHAT)?;
        let (order, is_active) = (&mut self.order, |&point: &u32| (point as usize) < active);
        let ascending = || self.ascending.iter().map(|entry| entry.point);
        match pairs {
            GhostPairs::All => {
                order.extend(ascending().filter(is_active));
                order.extend(ascending().filter(|point| !is_active(point)));
                let id = |k: usize| self.ids[order[k] as usize];
                let mixed = 0 < active && active < points && id(active - 1) > id(active);
                self.first_ghost = mixed.then_some(active);
            }
            GhostPairs::LargerIds => order.extend(ascending()),
        }
        order.extend(points as u32..(points + queries) as u32);
        if order.iter().zip(0..).all(|(&point, k)| point == k) {
            order.clear();
        }
        Ok(())
    }

    /// Refuses ids that are not as many as there are `points`.
    pub fn check(&self, points: usize) -> Result<()> {
        if self.ids.is_empty() || self.ids.len() == points {
            return Ok(());
        }
        let allowed = format_args!("{points}, as there are points");
        let argument = "number of ids";
        Err(Error::not_allowed(Status::BadCount, argument, self.ids.len(), allowed))
    }

    /// Makes the [ranks](GlobalIds::ranks), where they are not there yet.
    pub fn rank(&mut self) -> Result<()> {
        if self.ranks.len() != self.ascending.len() {
            resize_discarding(&mut self.ranks, self.ascending.len(), 0, WHAT)?;
            for (entry, rank) in self.ascending.iter().zip(0..) {
                self.ranks[entry.point as usize] = rank;
            }
        }
        Ok(())
    }

    /// For each point how many ids are below its own, and whose those are in ascending order; `None` where ids ascend.
    pub fn ranks(&self) -> Option<(&[u32], &[Entry])> {
        Some((&self.ranks[..], &self.ascending[..])).filter(|(ranks, _)| !ranks.is_empty())
    }

    /// The points in the order in which they are searched; `None` where that is the one they stand in.
    pub fn order(&self) -> Option<&[u32]> {
        Some(&self.order[..]).filter(|order| !order.is_empty())
    }

    /// What points are called by the caller.
    pub fn labels(&self, base: i64) -> Labels<'_> {
        Labels {
            base,
            order: self.order(),
            ghosts: self.first_ghost.map(|first| Ghosts { first, ids: &self.ids }),
        }
    }

    /// Gives back what `arrange` makes anew.
    pub fn trim(&mut self) {
        (self.order, self.ranks) = (Vec::new(), Vec::new());
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.ids.capacity() * size_of::<i64>()
            + self.ascending.capacity() * size_of::<Entry>()
            + (self.order.capacity() + self.ranks.capacity()) * size_of::<u32>()
    }
}

/// Whether each id is larger than the one before.
fn ascend(ids: &[i64]) -> bool {
    ids.is_sorted_by(|a, b| a < b)
}

/// Makes `entries`, which has room for them, those of `ids` in ascending order; none where they ascend themselves.
fn sort(entries: &mut Vec<Entry>, ids: &[i64], team: &Team) {
    entries.clear();
    if ascend(ids) {
        return;
    }
    entries.extend((0..).zip(ids).map(|(point, &id)| Entry { id, point }));
    team.sort(entries);
}

/// Refuses the first point whose id one before it has.
fn check_unique(entries: &[Entry], base: i64) -> Result<()> {
    let twice = entries.windows(2).filter(|pair| pair[0].id == pair[1].id);
    let Some(pair) = twice.min_by_key(|pair| pair[1].point) else {
        return Ok(());
    };
    let [first, second] = [0, 1].map(|k: usize| i64::from(pair[k].point) + base);
    Err(Error::Element {
        argument: "ids",
        position: second,
        value: pair[1].id,
        allowed: words(format_args!("unique, but point {first} has it too")),
    })
}
