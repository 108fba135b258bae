//! Long cutoffs of few points among many with short ones: the rows of the plain loop, and about as many tests as there are pairs within
//! the cutoffs of their types.

use super::*;

/// Tests for each point and entry, at most.
const MOST: usize = 40;

/// A table of short, long and no cutoffs. Of most types there are few points.
fn draw(n: usize, longest: f64, random: &mut Random) -> Table {
    let ntypes = 2 + random.below(2);
    let few = [1, 2, 5, n / 20, n / 3][random.below(5)];
    let mut types: Vec<i32> = (0..n)
        .map(|i| {
            if i < few {
                1 + random.below(ntypes - 1) as i32
            } else {
                0
            }
        })
        .collect();
    for k in (1..n).rev() {
        types.swap(k, random.below(k + 1));
    }
    let mut lengths = Random(random.next());
    let mut table = Table::new(types, ntypes, |a, b| {
        match lengths.below(if a + b == 0 { 2 } else { 4 }) {
            0 => 0.1 * longest,
            1 => longest * [0.01, 0.03, 0.2][lengths.below(3)],
            2 => longest * [1.0, 0.9][lengths.below(2)],
            _ => 0.0,
        }
    });
    if random.below(4) == 0 {
        let (a, b) = (random.below(ntypes), random.below(ntypes));
        (table.mask[a * ntypes + b], table.mask[b * ntypes + a]) = (false, false);
    }
    if random.below(3) == 0 {
        table.active = Some(n - random.below(n / 2));
    }
    table
}

/// Whether the last query went by a tree.
fn is_in_tree(search: &Search) -> bool {
    search.info().contains("a tree (cutoffs by types)")
}

/// Has a third of the pairs excluded; returns the others.
fn exclude(search: &mut Search, n: usize, truth: &[(i32, i32)], base: i64) -> Vec<(i32, i32)> {
    let is_excluded = |&(i, j): &(i32, i32)| (i + j) % 3 == 0;
    let excluded: Vec<_> = truth.iter().copied().filter(is_excluded).collect();
    let (offsets, ids) = oracle::neighbors(n, &excluded, true);
    let offsets: Vec<_> = offsets.iter().map(|offset| offset + base).collect();
    let ids: Vec<_> = ids.iter().map(|id| id + base as i32).collect();
    search.set_exclusions(&offsets, &ids, None).unwrap();
    truth.iter().copied().filter(|pair| !is_excluded(pair)).collect()
}

fn check_drawn<T: Precision>(rounds: usize, random: &mut Random) {
    let mut in_tree = 0;
    for round in 0..rounds {
        let (dim, n, longest) = (1 + round % 3, 200 + random.below(500), 0.5 - 0.3 * random.uniform());
        let mut coords = random.cloud(dim, n);
        if random.below(3) == 0 {
            coords[..dim * (n / 3)].iter_mut().for_each(|x| *x = 0.3 + 0.02 * *x); // a clump
        }
        let domain = [
            Domain::default(),
            Domain::periodic(0.0, 1.0),
            Domain::new([-0.2; 3], [1.3; 3], [true, false, true]),
        ];
        let case = Case::new(format!("round {round}"), dim, coords, longest)
            .with_domain(domain[random.below(3)])
            .with_rule([TieRule::Inclusive, TieRule::Exclusive][random.below(2)]);
        let (table, base) = (draw(n, longest, random), random.below(2) as i64);
        if table.cutoffs.iter().all(|&cutoff| cutoff == 0.0) {
            continue;
        }
        let mut search = Search::new().unwrap();
        search.set_backend(Backend::Cpu);
        search.set_threads(1 + random.below(3) as i64).unwrap();
        case.set::<T>(&mut search);
        table.set(&mut search, base);
        let truth = table.truth::<T>(&case);
        let name = format!("{} {}, {:?}, {:?}", case.name, T::NAME, table.cutoffs, table.active);
        check_rows(&mut search, n, &truth, base, &name);
        in_tree += usize::from(is_in_tree(&search));
        let left = exclude(&mut search, n, &truth, base);
        check_rows(&mut search, n, &left, base, &name);
    }
    assert!(in_tree > rounds / 6, "{in_tree} of {rounds} rounds");
}

#[test]
fn drawn() {
    let rounds = if is_whole() { 300 } else { 40 };
    check_drawn::<f64>(rounds, &mut Random(21));
    check_drawn::<f32>(rounds, &mut Random(22));
}

/// The tests of few points with long cutoffs, in any precision and in a box: with themselves, with all, and with a third type.
#[test]
fn cost_of_few() {
    let (n, mut over) = (20_000, Vec::new());
    for dim in 1..=3 {
        let short = [5.0, 1.2, 0.8][dim - 1] * (n as f64).powf(-1.0 / dim as f64);
        let case = Case::new("cost", dim, Random(6).cloud(dim, n), short);
        let few = |few: usize| (0..n).map(|i| i32::from(i < few)).collect::<Vec<_>>();
        let with_third = |i: usize| if i < 3 { 2 } else { (i % 2) as i32 };
        let long = 0.49;
        let tables = [
            (
                "one far from itself",
                Table::new(few(1), 2, |a, b| [short, short, long][a + b]),
            ),
            (
                "two far from each other",
                Table::new(few(2), 2, |a, b| [short, short, long][a + b]),
            ),
            (
                "one far from all",
                Table::new(few(1), 2, |a, b| [short, long, short][a + b]),
            ),
            (
                "some far from all",
                Table::new(few(7), 2, |a, b| [short, long, long][a + b]),
            ),
            (
                "no short cutoff of some",
                Table::new(few(7), 2, |a, b| [short, long, 0.0][a + b]),
            ),
            (
                "a third type",
                Table::new((0..n).map(with_third).collect(), 3, |a, b| {
                    [short, short, short, short, long][a + b]
                }),
            ),
        ];
        for (domain, (what, table)) in [Domain::default(), Domain::periodic(0.0, 1.0)]
            .into_iter()
            .flat_map(|domain| tables.iter().map(move |table| (domain, table)))
        {
            let mut search = Search::new().unwrap();
            search.set_backend(Backend::Cpu);
            search.set_threads(1).unwrap();
            case.clone().with_domain(domain).set::<f64>(&mut search);
            table.set(&mut search, 0);
            for kind in [NeighborsKind::Half, NeighborsKind::Full] {
                let entries = search.count_neighbors(kind).unwrap() as usize;
                let tests = search.counter(Counter::DistanceTests) as usize;
                if tests > MOST * (n + entries) {
                    over.push(format!(
                        "{what} in {dim}D, {domain:?}: {tests} tests for {entries} entries"
                    ));
                }
            }
        }
    }
    assert!(over.is_empty(), "{}", over.join("\n"));
}

/// Cutoffs that are about the same stay in cells, and so do those that only the mask makes few.
#[test]
fn even_tables_stay_in_cells() {
    let (n, mut random) = (3000, Random(2));
    let case = Case::new("even", 3, random.cloud(3, n), 0.1);
    let types: Vec<i32> = (0..n).map(|i| i32::from(i % 300 == 0)).collect();
    let mut masked = Table::new(types.clone(), 2, |_, _| 0.1);
    masked.mask[0] = false;
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    case.set::<f64>(&mut search);
    for table in [Table::new(types, 2, |a, b| [0.1, 0.08, 0.05][a + b]), masked] {
        table.set(&mut search, 0);
        check_rows(&mut search, n, &table.truth::<f64>(&case), 0, "even");
        assert!(!is_in_tree(&search));
    }
}
