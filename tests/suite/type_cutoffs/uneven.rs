//! Long cutoffs of few points among many with short ones: about as many tests as there are pairs within the cutoffs of their types.

use super::*;

/// Tests for each point and entry, at most.
const MOST: usize = 40;

/// Whether the last query went by a tree.
fn is_in_tree(search: &Search) -> bool {
    search.info().contains("a tree (cutoffs by types)")
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

/// Cutoffs that are about the same stay in cells, and so do those that only the mask makes few. Long ones of few points go by a tree.
#[test]
fn trees_and_cells() {
    let (n, mut random) = (3000, Random(2));
    let case = Case::new("some", 3, random.cloud(3, n), 0.1);
    let types: Vec<i32> = (0..n).map(|i| i32::from(i % 300 == 0)).collect();
    let table = |cutoffs: [f64; 3]| Table::new(types.clone(), 2, |a, b| cutoffs[a + b]);
    let mut masked = table([0.1; 3]);
    masked.mask[0] = false;
    let mut ghosts = table([0.03, 0.3, 0.4]);
    ghosts.active = Some(n - n / 3);
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    for domain in [Domain::default(), Domain::periodic(0.0, 1.0)] {
        let case = case.clone().with_domain(domain);
        case.set::<f64>(&mut search);
        for (k, table) in [
            table([0.1, 0.08, 0.05]),
            masked.clone(),
            table([0.03, 0.4, 0.05]),
            table([0.03, 0.0, 0.4]),
            ghosts.clone(),
        ]
        .iter()
        .enumerate()
        {
            search.set_threads(1 + k as i64 % 3).unwrap();
            table.set(&mut search, k as i64 % 2);
            let truth = table.truth::<f64>(&case);
            check_rows(&mut search, n, &truth, k as i64 % 2, &format!("table {k}"));
            assert_eq!(is_in_tree(&search), k > 1, "table {k}");
        }
        search.set_index_base(0).unwrap();
    }
}
