//! Values of contacts that live on: every list against a map from pairs to values, by plain loops.

use std::collections::HashMap;

use crate::common::Random;
use neargrid::{Columns, Contacts, Precision, Search, Status};

mod grains;
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
    let mut rows = match (random.below(3), with_ids) {
        (0, _) => some_rows(n, random),
        (_, false) => changed(&old_rows, n, random),
        // The old rows in the new numbering.
        (_, true) => {
            let new_of = |point: usize| ids[1].iter().position(|id| *id == ids[0][point]);
            let mut rows = vec![Vec::new(); n];
            for (i, row) in old_rows.iter().enumerate() {
                for &j in row {
                    if let (Some(i), Some(j)) = (new_of(i), new_of(j)) {
                        let (i, j) = if random.below(2) == 0 { (i, j) } else { (j, i) };
                        rows[i].push(j);
                    }
                }
            }
            rows.iter_mut().for_each(|row| row.sort_unstable());
            rows.iter_mut().for_each(Vec::dedup);
            changed(&rows, n, random)
        }
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

/// A point that lists itself keeps its values as they are, and lists without rows or entries are lists.
#[test]
fn few_entries() {
    for base in 0..=1 {
        let search = worker(base, 1);
        let columns = Columns {
            count: 2,
            signs: &[-1, 1],
        };
        let mut itself = List::<f64>::new(0, &[vec![0]], base, None);
        itself.values = vec![-0.0, 3.5];
        assert_eq!(check(&search, &itself.clone(), &mut itself, &columns, base), [2, 0]);
        let none = List::<f64>::new(0, &[], base, None);
        let empty = List::<f64>::new(0, &[vec![], vec![]], base, None);
        for list in [&none, &empty, &itself] {
            assert_eq!(
                check(&search, list, &mut none.clone(), &columns, base)[1],
                list.ids.len()
            );
            assert_eq!(check(&search, &empty, &mut list.clone(), &columns, base), [0, 0]);
        }
        // A turned pair: 0 changes its sign.
        let mut old = List::<f64>::new(0, &[vec![1], vec![]], base, None);
        old.values = vec![0.0, 0.0];
        let mut new = List::new(0, &[vec![], vec![0]], base, None);
        check(&search, &old, &mut new, &columns, base);
        assert_eq!(new.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), [1 << 63, 0]);
    }
}

#[test]
fn refusals() {
    let search = worker(1, 3);
    let good = Contacts {
        first_row: 1,
        offsets: &[1, 3, 4],
        ids: &[2, 3, 1],
        global_ids: None,
    };
    let none = Columns { count: 1, signs: &[] };
    let mut values = [-7.0; 4];
    let mut refused =
        |old: Contacts, new: Contacts, columns: &Columns, lens: [usize; 2], status: Status, words: &str| {
            let error = search.carry(&old, &new, columns, &[0.0; 4][..lens[0]], &mut values[..lens[1]]);
            let error = error.unwrap_err();
            assert!(error.status() == status && error.to_string().contains(words), "{error}");
            assert_eq!(values, [-7.0; 4]);
        };
    let both = |wrong: Contacts<'static>,
                status: Status,
                old_words: &str,
                words: &str,
                refused: &mut dyn FnMut(Contacts, Contacts, &Columns, [usize; 2], Status, &str)| {
        refused(wrong, good, &none, [3, 3], status, old_words);
        refused(good, wrong, &none, [3, 3], status, words);
    };
    let (count, value) = (Status::BadCount, Status::BadValue);
    let lists: [(Contacts, Status, &str); 12] = [
        (
            Contacts { offsets: &[], ..good },
            count,
            "the length of * ids = 3 is not allowed: it must be 0",
        ),
        (
            Contacts {
                offsets: &[0, 3, 4],
                ..good
            },
            value,
            "element 1 of * offsets is 0",
        ),
        (
            Contacts {
                offsets: &[1, 4, 3],
                ..good
            },
            value,
            "element 3 of * offsets is 3",
        ),
        (
            Contacts {
                offsets: &[1, 2],
                ..good
            },
            count,
            "the length of * ids = 3",
        ),
        (Contacts { first_row: 0, ..good }, value, "* first_row = 0"),
        (
            Contacts {
                first_row: i64::MIN,
                ..good
            },
            value,
            "* first_row = -9223372036854775808",
        ),
        (
            Contacts {
                first_row: 1 << 31,
                ..good
            },
            value,
            "it must be 1 to 2147483646, as there are 2 rows",
        ),
        (
            Contacts {
                ids: &[2, 0, 1],
                ..good
            },
            value,
            "element 2 of * ids is 0",
        ),
        (
            Contacts {
                ids: &[3, 2, 1],
                ..good
            },
            value,
            "element 2 of * ids is 2: it must be more than 3, which is before it in row 1",
        ),
        (
            Contacts {
                ids: &[2, 2, 1],
                ..good
            },
            value,
            "element 2 of * ids is 2",
        ),
        (
            Contacts {
                ids: &[i32::MIN, 2, 1],
                ..good
            },
            value,
            "element 1 of * ids is -2147483648",
        ),
        (
            Contacts {
                global_ids: Some(&[5, 6, 7]),
                ..good
            },
            value,
            "global_ids = no array is not allowed",
        ),
    ];
    for (list, status, words) in lists {
        both(
            list,
            status,
            &words.replace("* ", "old_"),
            &words.replace("* ", ""),
            &mut refused,
        );
    }
    let named = Contacts {
        global_ids: Some(&[5, 6, 7]),
        ..good
    };
    let wrong: [(Contacts, Status, &str); 5] = [
        (
            Contacts {
                global_ids: Some(&[5]),
                ..good
            },
            count,
            "* global_ids = 1 is not allowed: it must be at least 2",
        ),
        (
            Contacts {
                global_ids: Some(&[5, 6]),
                ..good
            },
            value,
            "element 2 of * ids is 3: it must be 1 to 2",
        ),
        (
            Contacts { first_row: 3, ..named },
            value,
            "* first_row = 3 is not allowed: it must be 1 to 2",
        ),
        (
            Contacts {
                global_ids: Some(&[8, 9, 8]),
                ..good
            },
            value,
            "element 3 of * global_ids is 8: it must be unique, but point 1",
        ),
        (
            Contacts {
                ids: &[3, 2, 1],
                ..named
            },
            value,
            "more than 3, which is before it in row 1, unless all rows ascend by global ids",
        ),
    ];
    for (list, status, words) in wrong {
        refused(list, named, &none, [3, 3], status, &words.replace("* ", "old_"));
        refused(named, list, &none, [3, 3], status, &words.replace("* ", ""));
    }
    refused(good, good, &none, [4, 3], count, "the length of old_values = 4");
    refused(good, good, &none, [3, 4], count, "the length of values = 4");
    let many = Columns {
        count: usize::MAX,
        signs: &[],
    };
    refused(good, good, &many, [3, 3], count, "the length of old_values = 3");
    let two = Columns {
        count: 1,
        signs: &[1, 1],
    };
    refused(good, good, &two, [3, 3], count, "the length of signs = 2");
    for sign in [0, 2, -2, i32::MIN] {
        let columns = Columns {
            count: 1,
            signs: &[sign],
        };
        refused(
            good,
            good,
            &columns,
            [3, 3],
            value,
            &format!("element 1 of signs is {sign}: it must be 1 or -1"),
        );
    }
}

/// The first row that does not ascend is named, whichever thread finds one first.
#[test]
fn the_first_wrong_row() {
    let search = worker(0, 4);
    let rows: Vec<_> = (0..20_000).map(|k| vec![k, k + 1, k + 2]).collect();
    let good = List::<f64>::new(0, &rows, 0, None);
    let mut wrong = good.clone();
    for row in [19_999, 15_000, 1024, 1023, 2] {
        wrong.ids[3 * row + 2] = 0;
        let error = search.lost_contacts(&good.contacts(), &wrong.contacts()).unwrap_err();
        let words = format!(
            "element {} of ids is 0: it must be more than {}, which is before it in row {row}",
            3 * row + 2,
            row + 1
        );
        assert!(error.to_string().contains(&words), "{error}");
    }
}
