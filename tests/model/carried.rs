//! Values of pairs that go from rows to other rows, pair by pair.

use std::collections::HashMap;

use super::model::{BAD_COUNT, BAD_VALUE, Checks};

/// Rows of points, and a global id for each point, where points have such.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    pub rows: Vec<Vec<usize>>,
    pub global_ids: Option<Vec<i64>>,
    /// Whether each point is a ghost, where this is known.
    pub ghosts: Vec<bool>,
}

impl Contacts {
    /// Faults of rows: they ascend by numbers, or all by global ids.
    pub fn check(&self, checks: &mut Checks) {
        let mut is_right = self.ascend(|&j| j);
        if let Some(ids) = &self.global_ids {
            checks.must(self.rows.len() > ids.len(), BAD_COUNT);
            let are_there = self.rows.iter().flatten().all(|&j| j < ids.len());
            checks.must(!are_there, BAD_VALUE);
            is_right |= are_there && self.ascend(|&j| (ids[j], j));
        }
        checks.must(!is_right, BAD_VALUE);
    }

    fn ascend<K: PartialOrd>(&self, key: impl Fn(&usize) -> K) -> bool {
        self.rows.iter().all(|row| row.is_sorted_by(|a, b| key(a) < key(b)))
    }

    /// Whether two points have the same id.
    fn share_ids(&self) -> bool {
        let mut ids = self.global_ids.clone().unwrap_or_default();
        ids.sort_unstable();
        ids.windows(2).any(|two| two[0] == two[1])
    }

    /// The names of the points of each entry, and its place, in the order of the names.
    fn places(&self) -> Vec<((i64, i64), usize)> {
        let pairs = self.rows.iter().enumerate();
        let pairs = pairs.flat_map(|(i, row)| row.iter().map(move |&j| (self.name(i), self.name(j))));
        let mut places: Vec<_> = pairs.zip(0..).collect();
        places.sort_unstable();
        places
    }

    /// The name of a point in all lists: its number, or its id.
    fn name(&self, i: usize) -> i64 {
        self.global_ids.as_ref().map_or(i as i64, |ids| ids[i])
    }

    /// For each entry of `self` the place of its pair in `other`, and whether it is turned there.
    pub fn found_in(&self, other: &Contacts, turns: bool) -> Vec<Option<(usize, bool)>> {
        if self.share_ids() || other.share_ids() {
            return self.found_by_shared_ids(other, turns);
        }
        let places = other.places();
        let place_of = |pair: (i64, i64)| places.binary_search_by_key(&pair, |place| place.0).ok();
        let mut found = Vec::new();
        for (i, row) in self.rows.iter().enumerate() {
            for &j in row {
                let (i, j) = (self.name(i), self.name(j));
                let same = place_of((i, j)).map(|at| (places[at].1, false));
                let turned = || place_of((j, i)).filter(|_| turns).map(|at| (places[at].1, true));
                found.push(same.or_else(turned));
            }
        }
        found
    }

    /// The points of each id, those that are no ghosts first, else in the order of their numbers.
    fn ranked(&self) -> HashMap<i64, Vec<usize>> {
        let mut points = HashMap::<i64, Vec<usize>>::new();
        for (point, &id) in self.global_ids.iter().flatten().enumerate() {
            points.entry(id).or_default().push(point);
        }
        let is_ghost = |point: &usize| self.ghosts.get(*point) == Some(&true);
        points.values_mut().for_each(|points| points.sort_by_key(is_ghost));
        points
    }

    /// The place of the `n`th entry of this id in the row of a point, where there is one.
    fn nth_of(&self, starts: &[usize], point: usize, (id, n): (i64, usize)) -> Option<usize> {
        let row = self.rows.get(point)?;
        let places = row.iter().zip(starts[point]..).filter(|(j, _)| self.name(**j) == id);
        let mut sorted: Vec<_> = places.map(|(&j, at)| (j, at)).collect();
        sorted.sort_unstable();
        sorted.get(n).map(|&(_, at)| at)
    }

    /// The same where points share ids: the rank of a point among those of its id names its row, and the entries of a row with one id
    /// are in the order of their points.
    fn found_by_shared_ids(&self, other: &Contacts, turns: bool) -> Vec<Option<(usize, bool)>> {
        let (own, ranked) = (self.ranked(), other.ranked());
        let starts: Vec<usize> = other
            .rows
            .iter()
            .scan(0, |end, row| {
                let start = *end;
                *end += row.len();
                Some(start)
            })
            .collect();
        let mut found = Vec::new();
        for (i, row) in self.rows.iter().enumerate() {
            let id = self.name(i);
            let rank = own[&id].iter().position(|&point| point == i);
            let there = rank.and_then(|rank| ranked.get(&id)?.get(rank));
            for &j in row {
                let of = self.name(j);
                let before = row.iter().filter(|&&k| self.name(k) == of && k < j).count();
                let same = there.and_then(|&point| other.nth_of(&starts, point, (of, before)));
                let owner = ranked.get(&of).map(|points| points[0]).filter(|_| turns);
                let turned = || owner.and_then(|point| other.nth_of(&starts, point, (id, before)));
                found.push(same.map(|at| (at, false)).or_else(|| turned().map(|at| (at, true))));
            }
        }
        found
    }
}
