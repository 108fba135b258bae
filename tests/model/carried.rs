//! Values of pairs that go from rows to other rows, pair by pair.

use std::collections::HashMap;

use super::model::{BAD_COUNT, BAD_VALUE, Checks};

/// Rows of points, and a global id for each point, where points have such.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    pub rows: Vec<Vec<usize>>,
    pub global_ids: Option<Vec<i64>>,
}

impl Contacts {
    /// Faults of rows: they ascend by numbers, or all by global ids.
    pub fn check(&self, checks: &mut Checks) {
        let number = |&j: &usize| j as i64;
        let mut is_right = self.ascend(number);
        if let Some(ids) = &self.global_ids {
            checks.must(self.rows.len() > ids.len(), BAD_COUNT);
            let are_there = self.rows.iter().flatten().all(|&j| j < ids.len());
            checks.must(!are_there, BAD_VALUE);
            is_right |= are_there && self.ascend(|&j| ids[j]);
        }
        checks.must(!is_right, BAD_VALUE);
    }

    fn ascend(&self, key: impl Fn(&usize) -> i64) -> bool {
        self.rows.iter().all(|row| row.is_sorted_by(|a, b| key(a) < key(b)))
    }

    /// Whether two points have the same id.
    pub fn share_ids(&self) -> bool {
        let mut ids = self.global_ids.clone().unwrap_or_default();
        ids.sort_unstable();
        ids.windows(2).any(|two| two[0] == two[1])
    }

    /// The place of each entry, by the names of its points.
    fn places(&self) -> HashMap<(i64, i64), usize> {
        let pairs = self.rows.iter().enumerate();
        let pairs = pairs.flat_map(|(i, row)| row.iter().map(move |&j| (self.name(i), self.name(j))));
        pairs.zip(0..).collect()
    }

    /// The name of a point in all lists: its number, or its id.
    fn name(&self, i: usize) -> i64 {
        self.global_ids.as_ref().map_or(i as i64, |ids| ids[i])
    }

    /// For each entry of `self` the place of its pair in `other`, and whether it is turned there.
    pub fn found_in(&self, other: &Contacts, turns: bool) -> Vec<Option<(usize, bool)>> {
        let places = other.places();
        let mut found = Vec::new();
        for (i, row) in self.rows.iter().enumerate() {
            for &j in row {
                let (i, j) = (self.name(i), self.name(j));
                let same = places.get(&(i, j)).map(|&at| (at, false));
                let turned = places.get(&(j, i)).filter(|_| turns).map(|&at| (at, true));
                found.push(same.or(turned));
            }
        }
        found
    }
}
