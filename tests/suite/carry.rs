//! Values of contacts that live on: every list against a map from pairs to values, by plain loops.

use std::collections::HashMap;

use crate::common::Random;
use neargrid::{Columns, Contacts, Precision, Search};

mod refusals;
mod searches;
mod shared;

/// Values by their bits, so that signs of 0 and NaN count.
trait Bits: Precision {
    const SIGN: u64;
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
}

impl Bits for f32 {
    const SIGN: u64 = 1 << 31;
    fn of(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Bits for f64 {
    const SIGN: u64 = 1 << 63;
    fn of(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// A list that owns its arrays, and values of its entries.
#[derive(Clone, Debug, Default)]
struct List<T> {
    first_row: i64,
    offsets: Vec<i64>,
    ids: Vec<i32>,
    global_ids: Option<Vec<i64>>,
    values: Vec<T>,
}

impl<T: Bits> List<T> {
    /// Rows of points from `first` on, numbered from 0, in index base `base`.
    fn new(first: usize, rows: &[Vec<usize>], base: i64, global_ids: Option<&[i64]>) -> Self {
        let mut offsets = vec![base];
        let mut ids = Vec::new();
        for row in rows {
            ids.extend(row.iter().map(|&j| (j as i64 + base) as i32));
            offsets.push(ids.len() as i64 + base);
        }
        List {
            first_row: first as i64 + base,
            offsets,
            ids,
            global_ids: global_ids.map(<[i64]>::to_vec),
            values: Vec::new(),
        }
    }

    fn contacts(&self) -> Contacts<'_> {
        Contacts {
            first_row: self.first_row,
            offsets: &self.offsets,
            ids: &self.ids,
            global_ids: self.global_ids.as_deref(),
        }
    }

    /// The pairs of the entries, each by what names its points in all lists.
    fn pairs(&self, base: i64) -> Vec<(i64, i64)> {
        let name = |number: i64| match &self.global_ids {
            Some(ids) => ids[(number - base) as usize],
            None => number,
        };
        let mut pairs = Vec::new();
        for (row, ends) in (self.first_row..).zip(self.offsets.windows(2)) {
            let ids = &self.ids[(ends[0] - base) as usize..(ends[1] - base) as usize];
            pairs.extend(ids.iter().map(|&id| (name(row), name(id.into()))));
        }
        pairs
    }

    /// Values of all sorts.
    fn fill(&mut self, columns: usize, random: &mut Random) {
        let special = [T::SIGN, 0, T::INFINITY.bits(), T::INFINITY.bits() | T::SIGN | 1, 1];
        let any = |_| match random.below(4) {
            0 => T::of(special[random.below(special.len())]),
            _ => T::from_f64(random.uniform() - 0.5),
        };
        self.values = (0..self.ids.len() * columns).map(any).collect();
    }
}

/// The values that the plain rule gives to the entries of `new`, and the positions of the lost entries of `old`.
fn plain<T: Bits>(old: &List<T>, new: &List<T>, columns: &Columns, base: i64) -> (Vec<u64>, Vec<i64>) {
    let count = columns.count;
    let (old_pairs, new_pairs) = (old.pairs(base), new.pairs(base));
    let table: HashMap<_, _> = old_pairs.iter().zip(0..).map(|(&pair, at)| (pair, at)).collect();
    let mut values = Vec::new();
    for (a, b) in &new_pairs {
        let (direct, turned) = (table.get(&(*a, *b)), table.get(&(*b, *a)));
        for column in 0..count {
            let sign = if columns.signs.get(column) == Some(&-1) {
                T::SIGN
            } else {
                0
            };
            values.push(match (direct, turned) {
                (Some(at), _) => old.values[at * count + column].bits(),
                (None, Some(at)) => old.values[at * count + column].bits() ^ sign,
                (None, None) => 0,
            });
        }
    }
    let there: std::collections::HashSet<_> = new_pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).collect();
    let lost = (base..).zip(&old_pairs).filter(|(_, pair)| !there.contains(pair));
    let lost = lost.map(|(at, _)| at).collect();
    (values, lost)
}

/// Carries from `old` to `new` and compares with the plain rule. Returns how many values and lost entries there were.
fn check<T: Bits>(search: &Search, old: &List<T>, new: &mut List<T>, columns: &Columns, base: i64) -> [usize; 2] {
    let (wanted, lost) = plain(old, new, columns, base);
    let mut values = vec![T::from_f64(-77.0); new.ids.len() * columns.count];
    search
        .carry(&old.contacts(), &new.contacts(), columns, &old.values, &mut values)
        .unwrap();
    let found: Vec<_> = values.iter().map(|value| value.bits()).collect();
    assert!(
        found == wanted,
        "{old:?}\n{new:?}\n{columns:?}\n{found:x?}\n{wanted:x?}"
    );
    assert_eq!(search.lost_contacts(&old.contacts(), &new.contacts()).unwrap(), lost);
    new.values = values;
    [wanted.iter().filter(|&&bits| bits != 0).count(), lost.len()]
}

/// A search that is used for its index base and threads.
fn worker(base: i64, threads: i64) -> Search {
    let mut search = Search::new().unwrap();
    search.set_index_base(base).unwrap();
    search.set_threads(threads).unwrap();
    search
}

/// Rows at random: any pairs in one order, the other or both, or half or full rows of the same pairs.
fn some_rows(n: usize, random: &mut Random) -> Vec<Vec<usize>> {
    let (kind, density) = (random.below(3), 0.3 * random.uniform());
    let mut rows = vec![Vec::new(); n];
    for i in 0..n {
        for j in 0..n {
            if random.uniform() < density && (kind == 0 || i < j) {
                rows[i].push(j);
                if kind == 2 {
                    rows[j].push(i);
                }
            }
        }
    }
    rows.iter_mut().for_each(|row| row.sort_unstable());
    rows
}

/// Rows with some entries taken away and others added.
fn changed(rows: &[Vec<usize>], n: usize, random: &mut Random) -> Vec<Vec<usize>> {
    let others = some_rows(n, random);
    let mut changed = vec![Vec::new(); n];
    for (i, row) in changed.iter_mut().enumerate() {
        row.extend(
            rows.get(i)
                .into_iter()
                .flatten()
                .filter(|&&j| j < n && random.below(5) > 0),
        );
        row.extend(others[i].iter().filter(|_| random.below(8) == 0));
        row.sort_unstable();
        row.dedup();
    }
    changed
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    (1..items.len()).rev().for_each(|k| items.swap(k, random.below(k + 1)));
}

/// Global ids of `n` points out of those of `most`, shuffled or not.
fn some_global_ids(n: usize, most: usize, random: &mut Random) -> Vec<i64> {
    let mut all: Vec<_> = (0..most as i64).map(|k| (k - 3) * (i64::MAX / 64)).collect();
    shuffle(&mut all, random);
    all.truncate(n);
    if random.below(3) == 0 {
        all.sort_unstable();
    }
    all
}

/// A piece of the rows, all in half of the cases.
fn piece<T: Bits>(rows: &[Vec<usize>], base: i64, global_ids: Option<&[i64]>, random: &mut Random) -> List<T> {
    let (first, end) = match random.below(2) {
        0 => (0, rows.len()),
        _ => {
            let first = random.below(rows.len() + 1);
            (first, first + random.below(rows.len() - first + 1))
        }
    };
    List::new(first, &rows[first..end], base, global_ids)
}

fn random_lists_of<T: Bits>(random: &mut Random) -> [usize; 2] {
    let base = random.below(2) as i64;
    let (old_n, n) = (random.below(24), random.below(24));
    let mut old_rows = some_rows(old_n, random);
    let ids = [old_n, n].map(|n| some_global_ids(n, 30, random));
    let with_ids = random.below(2) == 0;
    let [old_ids, new_ids] = [0, 1].map(|k: usize| with_ids.then_some(&ids[k][..]));
    let mut rows = match random.below(3) {
        0 => some_rows(n, random),
        _ => changed(&old_rows, n, random),
    };
    if with_ids {
        for (rows, ids) in [&mut old_rows, &mut rows].into_iter().zip(&ids) {
            if random.below(2) == 0 {
                rows.iter_mut().for_each(|row| row.sort_unstable_by_key(|&j| ids[j]));
            }
        }
    }
    let count = random.below(5);
    let signs: Vec<_> = (0..count).map(|_| [1, -1][random.below(2)]).collect();
    let signs = if random.below(3) == 0 { &[] } else { &signs[..] };
    let mut old: List<T> = piece(&old_rows, base, old_ids, random);
    let mut new = piece(&rows, base, new_ids, random);
    old.fill(count, random);
    let search = worker(base, 1 + 2 * random.below(2) as i64);
    check(&search, &old, &mut new, &Columns { count, signs }, base)
}

#[test]
fn random_lists() {
    let (mut random, mut seen) = (Random(11), [0; 2]);
    for _ in 0..1500 {
        for [values, lost] in [random_lists_of::<f32>(&mut random), random_lists_of::<f64>(&mut random)] {
            seen = [seen[0] + values, seen[1] + lost];
        }
    }
    assert!(seen[0] > 10_000 && seen[1] > 20_000, "{seen:?}");
}
