//! The k nearest across ranks that are threads: those of the plain loop, whatever the number of ranks and however points are
//! spread over them; and what is asked and answered for them.
//!
//! Usually some clouds are tried, in one way, which changes from cloud to cloud; with NEARGRID_TEST_ALL=1 all are, in all ways.

mod common;

use std::collections::HashMap;

use common::clouds::{Case, Random, all_cases, clustered_cases, periodic_cases, short_boxes, some_ids};
use common::fake::{Fake, on_ranks};
use common::{Both, SIZES, SPREADS, Spread, search_for, set_part};
use neargrid::{PointsView, oracle};
use neargrid_mpi::{Counter, KnnKind, Measure, Nearest, Real, Search};

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

/// All ranks' rows, for one kind and k after another.
fn check<T: Both>(case: &Case, spread: Spread, size: usize, ids: &[i64], base: i32) {
    let ranks = spread.ranks(case, size);
    let asked = |kind, k, measure| Nearest { kind, k, measure };
    let several = [
        asked(KnnKind::Others, 1 + (ids.len() + size) % 9, Measure::Square),
        asked(KnnKind::All, 20, Measure::Distance),
    ];
    let truths = several.map(|asked| truth::<T>(case, ids, asked));
    let found = on_ranks(size, |comm| {
        let mut search = search_for(comm, case, base);
        set_part::<_, T>(&mut search, case, &ranks, ids).unwrap();
        several.map(|asked| rows::<T>(&mut search, case, &ranks, ids, asked))
    });
    for (rank, found) in found.iter().enumerate() {
        for ((asked, truth), rows) in several.iter().zip(&truths).zip(found) {
            for (id, row) in rows {
                let name = format!(
                    "{} on {size} ranks, {spread:?}, {}, {asked:?}, rank {rank}",
                    case.name,
                    <T as Real>::NAME
                );
                assert!(row == &truth[id], "{name}: point {id}: {row:?}, not {:?}", truth[id]);
            }
        }
    }
}

fn check_all(cases: Vec<Case>, step: usize) {
    let all = std::env::var_os("NEARGRID_TEST_ALL").is_some();
    let mut random = Random(12);
    for (k, case) in cases.iter().step_by(if all { 1 } else { step }).enumerate() {
        let ids = &some_ids(case.coords.len() / case.dim, &mut random)[k % 4];
        let ways = SIZES.into_iter().flat_map(|size| SPREADS.map(|spread| (size, spread)));
        let some = (!all).then_some((SIZES[k / 5 % 6], SPREADS[k % 5]));
        for (size, spread) in ways.filter(|way| some.is_none_or(|one| one == *way)) {
            if all || k % 2 == 0 {
                check::<f64>(case, spread, size, ids, (k % 2) as i32);
            }
            if (all || k % 2 == 1) && case.coords_as::<f32>().iter().all(|c| c.is_finite()) {
                check::<f32>(case, spread, size, ids, (k % 2) as i32);
            }
        }
    }
}

#[test]
fn clouds() {
    check_all(all_cases(), 3);
}

#[test]
fn periodic() {
    check_all(periodic_cases().into_iter().chain(short_boxes()).collect(), 3);
}

#[test]
fn clustered() {
    check_all(clustered_cases(), 2);
}
