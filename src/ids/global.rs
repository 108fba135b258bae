//! The ids of the points, and the points by ascending id.

use crate::error::{Error, Result, Status, words};
use crate::memory::{holds, reserve_keeping, resize_discarding};
use crate::threads::Team;
use crate::version::Version;

pub(super) const WHAT: &str = "the global ids";

/// The ids of the points.
#[derive(Debug, Default)]
pub struct GlobalIds {
    /// By point; none where the points have no ids.
    pub(super) ids: Vec<i64>,
    /// The same by ascending id; none where they ascend by point.
    pub(super) ascending: Vec<Entry>,
    /// Whether points have an id in common.
    are_shared: bool,
    version: Version,
}

holds! { GlobalIds { ids, ascending; are_shared, version } }

/// An id and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    id: i64,
    pub point: u32,
}

holds! { nothing for Entry }

impl GlobalIds {
    /// Sets an id per point, or none at all. Each active point has an id of its own among them; points in messages count from
    /// `base`. On failure nothing changes.
    pub fn set(&mut self, ids: &[i64], base: i64, is_active: impl Fn(u32) -> bool, team: &Team) -> Result<()> {
        if ids.is_empty() {
            *self = GlobalIds::default();
            return Ok(());
        }
        reserve_keeping(&mut self.ids, ids.len(), WHAT)?;
        reserve_keeping(&mut self.ascending, if ascend(ids) { 0 } else { ids.len() }, WHAT)?;
        sort(&mut self.ascending, ids, team);
        if let Err(twice) = check_unique(&self.ascending, base, is_active) {
            sort(&mut self.ascending, &self.ids, team); // back to those of before, for which there is room
            return Err(twice);
        }
        self.are_shared = self.ascending.windows(2).any(|pair| pair[0].id == pair[1].id);
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        self.version = Version::new();
        Ok(())
    }

    /// Another whenever the ids change.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Whether points have ids.
    pub fn are_set(&self) -> bool {
        !self.ids.is_empty()
    }

    /// All ids, where they are set.
    pub fn all(&self) -> Option<&[i64]> {
        Some(&self.ids[..]).filter(|ids| !ids.is_empty())
    }

    /// The ids of `points` points; `None` where the points' numbers order them as well.
    pub fn by_point(&self, points: usize) -> Result<Option<&[i64]>> {
        self.check(points)?;
        Ok(Some(&self.ids[..]).filter(|_| !self.ascending.is_empty()))
    }

    /// The place of a point in the order: by its id, or by its number where points have none.
    pub(super) fn key(&self, point: u32) -> (i64, u32) {
        (self.ids.get(point as usize).copied().unwrap_or_default(), point)
    }

    /// Whether the points' numbers order them as their ids do.
    pub fn ascend(&self) -> bool {
        self.ascending.is_empty()
    }

    /// Refuses ids that are not as many as there are `points`.
    pub fn check(&self, points: usize) -> Result<()> {
        if self.ids.is_empty() || self.ids.len() == points {
            return Ok(());
        }
        let allowed = format_args!("{points}, the number of points");
        let argument = "number of ids";
        Err(Error::not_allowed(Status::BadCount, argument, self.ids.len(), allowed))
    }

    /// Whether points have an id in common.
    pub fn are_shared(&self) -> bool {
        self.are_shared
    }

    /// Refuses active points that have an id in common, which may have been ghosts when the ids were set.
    pub fn check_active(&self, base: i64, is_active: impl Fn(u32) -> bool) -> Result<()> {
        match self.are_shared {
            true => check_unique(&self.ascending, base, is_active),
            false => Ok(()),
        }
    }

    /// Writes for each point how many ids are below its own; no ranks at all where the ids ascend.
    pub fn rank(&self, ranks: &mut Vec<u32>) -> Result<()> {
        resize_discarding(ranks, self.ascending.len(), 0, WHAT)?;
        for (entry, rank) in self.ascending.iter().zip(0..) {
            ranks[entry.point as usize] = rank;
        }
        Ok(())
    }

    /// The ids in ascending order; none where they ascend by point.
    pub fn ascending(&self) -> &[Entry] {
        &self.ascending
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

/// Refuses the first active point whose id an active one before it has. `entries` ascend.
fn check_unique(entries: &[Entry], base: i64, is_active: impl Fn(u32) -> bool) -> Result<()> {
    let (mut last, mut twice): (Option<Entry>, Option<[Entry; 2]>) = (None, None);
    for pair in entries.windows(2) {
        if pair[0].id != pair[1].id {
            last = None;
            continue;
        }
        let first = last.or(Some(pair[0]).filter(|entry| is_active(entry.point)));
        last = Some(pair[1]).filter(|entry| is_active(entry.point)).or(first);
        if let (Some(first), true) = (first, is_active(pair[1].point))
            && twice.is_none_or(|[_, other]| pair[1].point < other.point)
        {
            twice = Some([first, pair[1]]);
        }
    }
    let Some([first, second]) = twice else {
        return Ok(());
    };
    let number = |entry: Entry| i64::from(entry.point) + base;
    Err(Error::Element {
        argument: "ids",
        position: number(second),
        value: second.id,
        allowed: words(format_args!("unique, but point {} has it too", number(first))),
    })
}
