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
    /// The number of points at the front whose ids ascend.
    pub(super) front: usize,
    /// The others by ascending id.
    pub(super) others: Vec<Entry>,
    /// Whether points have an id in common.
    are_shared: bool,
    version: Version,
    set: Version,
}

holds! { GlobalIds { ids, others; front, are_shared, version, set } }

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
        let front = front(ids);
        let mut others = std::mem::take(&mut self.others);
        let sorted = sort(&mut others, (ids, front), team);
        let are_shared = sorted.is_ok() && by_id((ids, front), &others, |_, _| ()) == Twins::Some;
        let checked = sorted.and_then(|()| match are_shared {
            true => check_unique((ids, front), &others, base, is_active),
            false => Ok(()),
        });
        if let Err(error) = checked {
            // Back to those of before, for which there is room.
            sort(&mut others, (&self.ids, self.front), team)?;
            self.others = others;
            return Err(error);
        }
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        (self.front, self.others, self.are_shared) = (front, others, are_shared);
        (self.version, self.set) = (Version::new(), Version::new());
        Ok(())
    }

    /// Sets the ids of points after the first `own`, which keep theirs. On failure only these have ids.
    pub fn set_after(&mut self, own: usize, ids: &[i64], base: i64, team: &Team) -> Result<()> {
        self.ids.truncate(own);
        self.version = Version::new();
        let done = reserve_keeping(&mut self.ids, own + ids.len(), WHAT).and_then(|()| {
            self.ids.extend_from_slice(ids);
            let known = self.front.min(own).saturating_sub(1);
            let front = known + front(&self.ids[known..]);
            let mut others = std::mem::take(&mut self.others);
            sort(&mut others, (&self.ids, front), team)?;
            let twins = by_id((&self.ids, front), &others, |_, _| ());
            (self.front, self.others, self.are_shared) = (front, others, twins == Twins::Some);
            match self.are_shared {
                true => check_unique((&self.ids, self.front), &self.others, base, |_| true),
                false => Ok(()),
            }
        });
        if done.is_err() {
            self.keep(own);
        }
        done
    }

    /// Removes the ids of points after the first `own`, which have no id in common; all, where there are fewer.
    pub fn keep(&mut self, own: usize) {
        if self.ids.len() < own {
            *self = GlobalIds::default();
        }
        if self.ids.len() <= own {
            return;
        }
        self.ids.truncate(own);
        self.front = self.front.min(own);
        self.others.retain(|entry| (entry.point as usize) < own);
        (self.are_shared, self.version) = (false, Version::new());
    }

    /// Another whenever [`set`](GlobalIds::set) sets them, whatever comes after these.
    pub fn version_of_set(&self) -> Version {
        self.set
    }

    /// The number of points at the front whose ids ascend.
    pub fn front(&self) -> usize {
        self.front
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
        Ok(Some(&self.ids[..]).filter(|_| !self.ascend()))
    }

    /// The place of a point in the order: by its id, or by its number where points have none.
    pub(super) fn key(&self, point: u32) -> (i64, u32) {
        (self.ids.get(point as usize).copied().unwrap_or_default(), point)
    }

    /// Whether the points' numbers order them as their ids do.
    pub fn ascend(&self) -> bool {
        self.others.is_empty()
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
            true => check_unique((&self.ids, self.front), &self.others, base, is_active),
            false => Ok(()),
        }
    }

    /// Writes for each point how many ids are below its own; no ranks at all where the ids ascend.
    pub fn rank(&self, ranks: &mut Vec<u32>) -> Result<()> {
        let (len, mut rank) = (if self.ascend() { 0 } else { self.ids.len() }, 0);
        resize_discarding(ranks, len, 0, WHAT)?;
        if len > 0 {
            self.by_id(|point| {
                ranks[point as usize] = rank;
                rank += 1;
            });
        }
        Ok(())
    }

    /// Writes the ids in ascending order; none where they ascend by point.
    pub fn ascending(&self, entries: &mut Vec<Entry>) -> Result<()> {
        entries.clear();
        match self.ascend() {
            true => Ok(()),
            false => all((&self.ids, self.front), &self.others, entries),
        }
    }

    /// All points by ascending id.
    pub(super) fn by_id(&self, mut take: impl FnMut(u32)) {
        by_id((&self.ids, self.front), &self.others, |front, other| {
            front.for_each(&mut take);
            other.iter().for_each(|entry| take(entry.point));
        });
    }
}

/// Whether two points have an id in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Twins {
    None,
    Some,
}

/// The number of ids at the front that ascend.
fn front(ids: &[i64]) -> usize {
    let falls = ids.windows(2).position(|pair| pair[0] >= pair[1]);
    falls.map_or(ids.len(), |at| at + 1)
}

/// Makes `others` those of `ids` that are not at the front, in ascending order.
fn sort(others: &mut Vec<Entry>, (ids, front): (&[i64], usize), team: &Team) -> Result<()> {
    others.clear();
    reserve_keeping(others, ids.len() - front, WHAT)?;
    let numbered = (front as u32..).zip(&ids[front..]);
    others.extend(numbered.map(|(point, &id)| Entry { id, point }));
    team.sort(others);
    Ok(())
}

/// Goes through all points by ascending id: some of those at the front, and then one of the others, where there is one more.
fn by_id(
    (ids, front): (&[i64], usize),
    others: &[Entry],
    mut take: impl FnMut(std::ops::Range<u32>, Option<&Entry>),
) -> Twins {
    let (mut begin, mut last, mut twins) = (0, None, Twins::None);
    for other in others {
        let end = begin + below_or_same(&ids[begin..front], other.id);
        if begin < end {
            last = Some(ids[end - 1]);
        }
        if last == Some(other.id) {
            twins = Twins::Some;
        }
        take(begin as u32..end as u32, Some(other));
        (begin, last) = (end, Some(other.id));
    }
    take(begin as u32..front as u32, None);
    twins
}

/// The number of ids that are at most `id`, of some that ascend. Few of many are found by few looks.
fn below_or_same(ids: &[i64], id: i64) -> usize {
    let mut step = 1;
    while step < ids.len() && ids[step] <= id {
        step *= 2;
    }
    let (known, end) = (step / 2, ids.len().min(step));
    known + ids[known..end].partition_point(|&other| other <= id)
}

/// All ids in ascending order.
fn all((ids, front): (&[i64], usize), others: &[Entry], entries: &mut Vec<Entry>) -> Result<()> {
    reserve_keeping(entries, ids.len(), WHAT)?;
    by_id((ids, front), others, |range, other| {
        let numbered = range.clone().zip(&ids[range.start as usize..range.end as usize]);
        entries.extend(numbered.map(|(point, &id)| Entry { id, point }));
        entries.extend(other);
    });
    Ok(())
}

/// Refuses the first active point whose id an active one before it has.
fn check_unique(ids: (&[i64], usize), others: &[Entry], base: i64, is_active: impl Fn(u32) -> bool) -> Result<()> {
    let mut entries = Vec::new();
    all(ids, others, &mut entries)?;
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
