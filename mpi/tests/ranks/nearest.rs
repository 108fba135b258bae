//! The k nearest across ranks that are threads: those of the plain loop, whatever the number of ranks and however points are
//! spread over them; and what is asked and answered for them.
//!
//! Usually some clouds are tried, in one way, which changes from cloud to cloud; with NEARGRID_TEST_ALL=1 all are, in all ways.

use std::collections::HashMap;

use crate::common::clouds::{Case, Domain, Random, all_cases, clustered_cases, periodic_cases, short_boxes, some_ids};
use crate::common::fake::{Fake, on_ranks};
use crate::common::{Both, SIZES, SPREADS, Spread, search_for, set_part};
use neargrid::{PointsView, oracle};
use neargrid_mpi::{Counter, Error, KnnKind, Measure, Nearest, Real, Search, status};

/// Rows by global ids, with their squares or distances.
type Row = (i64, Vec<(i64, u64)>);

/// The nearest of every point, by its id.
fn truth<T: Both>(case: &Case, ids: &[i64], asked: Nearest) -> HashMap<i64, Vec<(i64, u64)>> {
    let (coords, n) = (case.coords_as::<T>(), ids.len());
    let points = PointsView::interleaved(case.dim, &coords).unwrap();
    let periods = case.domain.periods::<T>();
    let row = |i: usize| {
        let others = (0..n).filter(|&j| asked.kind == KnnKind::All || j != i);
        let mut row: Vec<_> = others
            .map(|j| (oracle::distance2_in(&points, &periods, i, j), ids[j]))
            .collect();
        let order = |a: &(T, i64), b: &(T, i64)| a.partial_cmp(b).unwrap();
        if asked.k < row.len() {
            row.select_nth_unstable_by(asked.k, order);
            row.truncate(asked.k);
        }
        row.sort_by(order);
        let measured = |square: T| match asked.measure {
            Measure::Square => square,
            Measure::Distance => <T as Real>::from_f64(Real::to_f64(square).sqrt()),
            Measure::Radius => neargrid::Measure::Radius.of(square),
        };
        row.into_iter()
            .map(|(square, id)| (id, bits(measured(square))))
            .collect()
    };
    (0..n).map(|i| (ids[i], row(i))).collect()
}

fn bits<T: Real>(value: T) -> u64 {
    value.to_f64().to_bits()
}

/// This rank's rows, and checks of all that comes with them.
fn rows<T: Both>(search: &mut Search<Fake>, case: &Case, ranks: &[usize], ids: &[i64], asked: Nearest) -> Vec<Row> {
    let me = search.rank_and_size().0;
    let base = search.base();
    let mut known: Vec<i64> = (0..ids.len()).filter(|&k| ranks[k] == me).map(|k| ids[k]).collect();
    let mine = known.clone();
    let found = search.knn::<T>(Ok(asked)).unwrap();
    let (numbers, distances, counts) = (found.ids.to_vec(), found.distances.to_vec(), found.counts.to_vec());
    let again = search.knn::<T>(Ok(asked)).unwrap();
    assert!(again.ids == numbers && again.counts == counts);
    let ghosts = search.knn_ghosts(Ok(())).unwrap();
    let place: HashMap<i64, usize> = ids.iter().enumerate().map(|(k, &id)| (id, k)).collect();
    let coords = case.coords_as::<T>();
    let at = &T::held(ghosts.coords)[ghosts.start..];
    assert!(ghosts.ranks.is_sorted() && at.len() == case.dim * ghosts.ids.len());
    for ((&id, &rank), at) in ghosts.ids.iter().zip(ghosts.ranks).zip(at.chunks(case.dim)) {
        let k = place[&id];
        assert!(ranks[k] == rank as usize && rank as usize != me, "{}: {id}", case.name);
        assert!(at == &coords[k * case.dim..(k + 1) * case.dim], "{}: {id}", case.name);
    }
    known.extend(ghosts.ids);
    let total = known.len() - mine.len();
    assert_eq!(search.counter(Counter::KnnGhosts), Ok(total as i64));
    assert_eq!(counts.len(), mine.len());
    let mut rows = Vec::new();
    for (k, (&id, &count)) in mine.iter().zip(&counts).enumerate() {
        let row = k * asked.k..(k + 1) * asked.k;
        let (numbers, distances) = (&numbers[row.clone()], &distances[row]);
        let (there, missing) = numbers.split_at(count as usize);
        assert!(missing.iter().all(|&number| number == base - 1), "{}", case.name);
        assert!(
            distances[count as usize..]
                .iter()
                .all(|&d| Real::to_f64(d) == f64::INFINITY)
        );
        let named = there.iter().map(|&number| known[(number - base) as usize]);
        rows.push((id, named.zip(distances.iter().map(|&d| bits(d))).collect()));
    }
    rows
}

/// The rows of all ranks, for each kind and k, on a number of ranks and in several distributions.
pub fn check<T: Both>(case: &Case, ways: &[(usize, Spread)], ids: &[i64], base: i32) {
    let asked = |kind, k, measure| Nearest { kind, k, measure };
    let several = [
        asked(KnnKind::Others, 1 + ids.len() % 9, Measure::Square),
        asked(KnnKind::All, 20, Measure::Distance),
        asked(KnnKind::Others, 6, Measure::Radius),
    ];
    let truths = several.map(|asked| truth::<T>(case, ids, asked));
    for &(size, spread) in ways {
        let ranks = spread.ranks(case, size);
        let found = on_ranks(size, |comm| {
            let mut search = search_for(comm, case, base);
            set_part::<_, T>(&mut search, case, &ranks, ids).unwrap();
            several.map(|asked| rows::<T>(&mut search, case, &ranks, ids, asked))
        });
        for (rank, found) in found.iter().enumerate() {
            for ((asked, truth), rows) in several.iter().zip(&truths).zip(found) {
                let name = format!("{} on {size} ranks, {spread:?}, {}", case.name, <T as Real>::NAME);
                for (id, row) in rows {
                    let truth = &truth[id];
                    assert!(
                        row == truth,
                        "{name}, {asked:?}, rank {rank}: point {id}: {row:?}, not {truth:?}"
                    );
                }
            }
        }
    }
}

fn check_all(cases: Vec<Case>, step: usize) {
    let all = std::env::var_os("NEARGRID_TEST_ALL").is_some();
    let mut random = Random(12);
    for (k, case) in cases.iter().step_by(if all { 1 } else { step }).enumerate() {
        let ids = &some_ids(case.coords.len() / case.dim, &mut random)[k % 4];
        let some = (SIZES[k / 5 % 6], SPREADS[k % 5]);
        let ways = SIZES.into_iter().flat_map(|size| SPREADS.map(|spread| (size, spread)));
        let ways: Vec<_> = ways.filter(|&way| all || way == some).collect();
        if all || k % 2 == 0 {
            check::<f64>(case, &ways, ids, (k % 2) as i32);
        }
        let is_narrow = case.domain.is_in::<f32>() && case.coords_as::<f32>().iter().all(|c| c.is_finite());
        if (all || k % 2 == 1) && is_narrow {
            check::<f32>(case, &ways, ids, (k % 2) as i32);
        }
    }
}

#[test]
fn clouds() {
    check_all(all_cases(), 5);
}

#[test]
fn periodic() {
    check_all(periodic_cases().into_iter().chain(short_boxes()).collect(), 5);
}

#[test]
fn clustered() {
    check_all(clustered_cases(), 2);
}

/// The needs of a rank for its rows: points that they name, ghosts, questions, messages.
fn costs(case: &Case, size: usize, k: usize) -> Vec<[usize; 4]> {
    let n = case.coords.len() / case.dim;
    let ids: Vec<i64> = (0..n as i64).collect();
    let ranks = Spread::Slab.ranks(case, size);
    let asked = Nearest {
        kind: KnnKind::Others,
        k,
        measure: Measure::Square,
    };
    on_ranks(size, |comm| {
        let mut search = search_for(comm, case, 0);
        set_part::<_, f64>(&mut search, case, &ranks, &ids).unwrap();
        let owned = search.owned() as i32;
        let found = search.knn::<f64>(Ok(asked)).unwrap();
        let mut named: Vec<i32> = found.ids.iter().copied().filter(|&id| id >= owned).collect();
        named.sort_unstable();
        named.dedup();
        let counters = [Counter::KnnGhosts, Counter::KnnQuestions, Counter::KnnMessages];
        let [ghosts, questions, messages] = counters.map(|counter| search.counter(counter).unwrap() as usize);
        [named.len(), ghosts, questions, messages]
    })
}

/// Slabs ask their two neighbors, and get little more than their rows name; one point far away costs a row from each rank.
#[test]
fn few_ghosts() {
    let (size, k) = (6, 12);
    let ring = Case::new("uniform", 3, Random(8).cloud(3, 6000), 0.1).with_domain(Domain::periodic(0.0, 1.0));
    for [named, ghosts, questions, messages] in costs(&ring, size, k) {
        println!("{named} named, {ghosts} ghosts, {questions} questions, {messages} messages");
        assert!(
            ghosts <= 2 * named && messages <= 4,
            "{ghosts} ghosts, {messages} messages"
        );
    }
    let open = Case::new("uniform", 3, ring.coords.clone(), 0.1);
    let mut stray = open.clone();
    stray.coords[..3].fill(1e300);
    for ([_, before, ..], [_, ghosts, ..]) in costs(&open, size, k).into_iter().zip(costs(&stray, size, k)) {
        println!("{before} ghosts, {ghosts} with a point far away");
        assert!(ghosts <= before + before / 10 + size * k, "{before}, then {ghosts}");
    }
}

/// Runs `wrong` on the ranks of a search that works, and expects of all the same failure, and that it works afterwards.
fn expect_failure(
    number: i32,
    words: &str,
    wrong: impl Fn(&mut Search<Fake>, usize) -> Result<(), Error> + Sync,
    mended: impl Fn(&mut Search<Fake>) + Sync,
) {
    let case = Case::new("uniform", 2, Random(4).cloud(2, 90), 0.1);
    let ids: Vec<i64> = (0..90).collect();
    let ranks = Spread::Random.ranks(&case, 3);
    let outcomes = on_ranks(3, |comm| {
        let mut search = search_for(comm, &case, 0);
        set_part::<_, f64>(&mut search, &case, &ranks, &ids).unwrap();
        let rank = search.rank_and_size().0;
        let before = search.knn::<f64>(ask(4)).unwrap().distances.to_vec();
        let error = wrong(&mut search, rank).unwrap_err();
        mended(&mut search);
        assert_eq!(search.knn::<f64>(ask(4)).unwrap().distances, before);
        error
    });
    for error in outcomes {
        assert_eq!(error.status, number, "{error}");
        assert!(error.text.contains(words), "no {words:?} in {error}");
    }
}

fn ask(k: usize) -> Result<Nearest, Error> {
    Ok(Nearest {
        kind: KnnKind::Others,
        k,
        measure: Measure::Distance,
    })
}

#[test]
fn refusals() {
    let nothing = |_: &mut Search<Fake>| ();
    let knn = |search: &mut Search<Fake>, asked| search.knn::<f64>(asked).map(|_| ());
    expect_failure(
        status::BAD_COUNT,
        "rank 2: k = 0 ",
        |s, rank| knn(s, ask(if rank == 2 { 0 } else { 3 })),
        nothing,
    );
    expect_failure(
        status::BAD_COUNT,
        "rank 0: k = 1025 ",
        |s, _| knn(s, ask(1025)),
        nothing,
    );
    expect_failure(
        status::DISAGREEMENT,
        "k = 3 on rank 0, 4 on rank 1",
        |s, rank| knn(s, ask(if rank == 1 { 4 } else { 3 })),
        nothing,
    );
    expect_failure(
        status::DISAGREEMENT,
        "kind = Others on rank 0, All on rank 2",
        |search, rank| {
            let kind = if rank == 2 { KnnKind::All } else { KnnKind::Others };
            knn(search, ask(3).map(|asked| Nearest { kind, ..asked }))
        },
        nothing,
    );
    expect_failure(
        status::DISAGREEMENT,
        "rank 0 called knn, rank 1 called fof",
        |search, rank| match rank {
            1 => search.fof(Ok(())).map(|_| ()),
            _ => knn(search, ask(3)),
        },
        nothing,
    );
    expect_failure(
        status::BAD_VALUE,
        "rank 1: the points set are not real32",
        |search, rank| match rank {
            1 => search.knn::<f32>(ask(3)).map(|_| ()),
            _ => knn(search, ask(3)),
        },
        nothing,
    );
    let ring = |length: f64, periodic: bool| neargrid_mpi::Domain {
        lo: vec![0.0; 2],
        length: vec![length; 2],
        periodic: vec![periodic; 2],
    };
    expect_failure(
        status::DISAGREEMENT,
        "box = ",
        |search, rank| {
            search.set_box(ring(2.0 + (rank / 2) as f64, true)).unwrap();
            knn(search, ask(3))
        },
        |search| search.set_box(ring(1.0, false)).unwrap(),
    );
    expect_failure(
        status::BAD_STATE,
        "rank 0: no k nearest for the current points and settings yet",
        |search, _| {
            search.set_box(ring(2.0, true)).unwrap();
            search.knn_ghosts(Ok(())).map(|_| ())
        },
        |search| search.set_box(ring(1.0, false)).unwrap(),
    );
    let none = on_ranks(2, |comm| {
        let mut search = Search::create(comm).unwrap();
        search.knn::<f64>(ask(1)).unwrap_err().text
    });
    assert!(none.iter().all(|text| text.contains("no points yet")), "{none:?}");
}
