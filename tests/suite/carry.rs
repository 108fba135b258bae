//! Values of contacts that live on: lists that no search makes, and many entries, against a map from pairs to values.

use std::collections::HashMap;

use crate::common::Random;
use neargrid::{Columns, Contacts, Precision, Search};

mod refusals;
mod searches;

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
    /// Ids that points may share.
    global_ids: Option<Vec<i64>>,
    values: Vec<T>,
}

impl<T: Bits> List<T> {
    /// Rows of points from `first` on, numbered from 0, in index base `base`.
    fn new(first: usize, rows: &[Vec<usize>], base: i64, global_ids: Option<Vec<i64>>) -> Self {
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
            global_ids,
            values: Vec::new(),
        }
    }

    /// A piece of rows at random, all in half of the cases: any pairs, or those with a larger number or id, in the order of either.
    fn some(n: usize, base: i64, with_ids: bool, random: &mut Random) -> Self {
        let few = 1 + random.below(2 * n + 1);
        let global_ids: Vec<i64> = (0..n)
            .map(|_| (5 - random.below(few) as i64) * (i64::MAX / 64))
            .collect();
        let (is_half, by_number, density) = (random.below(2) == 0, random.below(2) == 0, 2 + random.below(4));
        let key = |j: &usize| (if by_number || !with_ids { 0 } else { global_ids[*j] }, *j);
        let mut rows = vec![Vec::new(); n];
        for (i, row) in rows.iter_mut().enumerate() {
            row.extend((0..n).filter(|j| random.below(density) == 0 && (!is_half || key(j) > key(&i))));
            row.sort_by_key(key);
        }
        let (mut first, mut end) = (0, n);
        if random.below(2) == 0 {
            first = random.below(n + 1);
            end = first + random.below(n - first + 1);
        }
        List::new(first, &rows[first..end], base, with_ids.then_some(global_ids))
    }

    fn contacts(&self) -> Contacts<'_> {
        Contacts {
            first_row: self.first_row,
            offsets: &self.offsets,
            ids: &self.ids,
            global_ids: self.global_ids.as_deref(),
        }
    }

    /// What names each entry in all lists: the name of the point whose row it is, how many points before that have the same, the name of
    /// the neighbor, and how many entries of the row before that have the same.
    fn names(&self, base: i64) -> Vec<[i64; 4]> {
        let name = |number: i64| match &self.global_ids {
            Some(ids) => ids[(number - base) as usize],
            None => number,
        };
        let mut copies: HashMap<i64, i64> = HashMap::new();
        let mut count = |name: i64| {
            let count = copies.entry(name).or_default();
            *count += 1;
            *count - 1
        };
        (base..self.first_row).for_each(|point| _ = count(name(point)));
        let mut names = Vec::new();
        for (point, ends) in (self.first_row..).zip(self.offsets.windows(2)) {
            let (of_point, copy) = (name(point), count(name(point)));
            let row = &self.ids[(ends[0] - base) as usize..(ends[1] - base) as usize];
            let mut seen: HashMap<i64, i64> = HashMap::new();
            for &id in row {
                let before = seen.entry(name(id.into())).or_default();
                names.push([of_point, copy, name(id.into()), *before]);
                *before += 1;
            }
        }
        names
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

/// The place in `other` of each entry named, and whether it is turned there.
fn places(names: &[[i64; 4]], other: &[[i64; 4]]) -> Vec<Option<(usize, bool)>> {
    let table: HashMap<_, _> = other.iter().zip(0..).collect();
    let place = |[i, copy, j, before]: &[i64; 4]| {
        let turned = || table.get(&[*j, 0, *i, *before]).map(|&at| (at, true));
        let same = table.get(&[*i, *copy, *j, *before]).map(|&at| (at, false));
        same.or_else(turned)
    };
    names.iter().map(place).collect()
}

/// The values that the plain rule gives to the entries of `new`, and the positions of the lost entries of `old`.
fn plain<T: Bits>(old: &List<T>, new: &List<T>, columns: &Columns, base: i64) -> (Vec<u64>, Vec<i64>) {
    let names = [old.names(base), new.names(base)];
    let value = |found: Option<(usize, bool)>, column: usize| match found {
        Some((at, turned)) => {
            let turns = turned && columns.signs.get(column) == Some(&-1);
            old.values[at * columns.count + column].bits() ^ if turns { T::SIGN } else { 0 }
        }
        None => 0,
    };
    let found = places(&names[1], &names[0]).into_iter();
    let values = found.flat_map(|found| (0..columns.count).map(move |column| value(found, column)));
    let lost = (base..).zip(places(&names[0], &names[1]));
    let lost = lost.filter(|(_, found)| found.is_none()).map(|(at, _)| at);
    (values.collect(), lost.collect())
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

fn random_lists_of<T: Bits>(random: &mut Random) -> [usize; 2] {
    let (base, with_ids) = (random.below(2) as i64, random.below(2) == 0);
    let [mut old, mut new] = [(); 2].map(|()| List::<T>::some(random.below(24), base, with_ids, random));
    let count = random.below(5);
    let signs: Vec<_> = (0..count).map(|_| [1, -1][random.below(2)]).collect();
    let signs = if random.below(3) == 0 { &[] } else { &signs[..] };
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
    assert!(seen[0] > 5_000 && seen[1] > 10_000, "{seen:?}");
}
