//! Values of pairs that go from rows to other rows, pair by pair.

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

    /// The name of a point in all lists: its number, or its id.
    fn name(&self, i: usize) -> i64 {
        self.global_ids.as_ref().map_or(i as i64, |ids| ids[i])
    }

    /// The rank of each point among those that share its id: those that are no ghosts first, else in the order of their numbers.
    fn ranks(&self) -> Vec<usize> {
        let ids = self.global_ids.as_deref().unwrap_or_default();
        let is_ghost = |point: usize| self.ghosts.get(point) == Some(&true);
        let mut order: Vec<(i64, bool, usize)> = (0..ids.len()).map(|i| (ids[i], is_ghost(i), i)).collect();
        order.sort_unstable();
        let mut ranks = vec![0; ids.len().max(self.rows.len())];
        for same in order.chunk_by(|a, b| a.0 == b.0) {
            same.iter()
                .zip(0..)
                .for_each(|(&(.., point), rank)| ranks[point] = rank);
        }
        ranks
    }

    /// The key of each entry: entries of a row with one id are in the order of their points.
    fn keys(&self) -> Vec<Key> {
        let (ranks, mut keys) = (self.ranks(), Vec::new());
        for (i, row) in self.rows.iter().enumerate() {
            let mut order: Vec<(i64, usize, usize)> = row.iter().zip(0..).map(|(&j, k)| (self.name(j), j, k)).collect();
            order.sort_unstable();
            let first = keys.len();
            keys.resize(first + row.len(), Key::default());
            for same in order.chunk_by(|a, b| a.0 == b.0) {
                for (&(name, _, k), before) in same.iter().zip(0..) {
                    keys[first + k] = ((self.name(i), ranks[i]), (name, before));
                }
            }
        }
        keys
    }

    /// For each entry of `self` the place of its pair in `other`, and whether it is turned there.
    pub fn found_in(&self, other: &Contacts, turns: bool) -> Vec<Option<(usize, bool)>> {
        let mut places: Vec<(Key, usize)> = other.keys().into_iter().zip(0..).collect();
        places.sort_unstable();
        let place_of = |key: Key| {
            places
                .binary_search_by_key(&key, |place| place.0)
                .ok()
                .map(|at| places[at].1)
        };
        let find = |((i, rank), (j, before)): Key| {
            let same = place_of(((i, rank), (j, before))).map(|at| (at, false));
            let turned = || place_of(((j, 0), (i, before))).filter(|_| turns).map(|at| (at, true));
            same.or_else(turned)
        };
        self.keys().into_iter().map(find).collect()
    }
}

/// The name of an entry's row and the rank of its point among those of the name; the name of the entry's point, and how many
/// entries of the row with this name are before it.
type Key = ((i64, usize), (i64, usize));
