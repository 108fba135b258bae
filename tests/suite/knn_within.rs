//! The k nearest within a radius: rows of the plain loop, cut where distances squared exceed that of the radius.

use crate::common::{
    Again, Case, Part, Random, cases, clustered_cases, is_whole, periodic_cases, short_boxes, some_ids,
};
use neargrid::{Backend, KnnKind, Measure, NeighborsKind, PointsView, Precision, Search, Status, TieRule, oracle};

const KINDS: [KnnKind; 3] = [KnnKind::Others, KnnKind::All, KnnKind::Queries];

/// The longest rows that are compared.
const LONGEST: usize = 70;

/// Whether a distance squared is in reach of a radius.
fn reaches<T: Precision>(radius: f64, rule: TieRule, d2: T) -> bool {
    let r = T::from_f64(radius);
    match rule {
        TieRule::Inclusive => d2 <= r.mul(r),
        TieRule::Exclusive => d2 < r.mul(r),
    }
}

/// Radii of a cloud: its cutoff, some that end exactly at a neighbor, a small and a large one.
fn radii<T: Precision>(case: &Case, truth: &[Vec<(T, i32)>], random: &mut Random) -> Vec<f64> {
    let mut radii = vec![case.cutoff, case.cutoff * 1e-3, case.cutoff * 100.0];
    for _ in 0..3 {
        if let Some((d2, _)) = truth
            .get(random.below(truth.len().max(1)))
            .and_then(|row| row.get(random.below(row.len().max(1))))
        {
            radii.push(oracle::radius_of(*d2).to_f64());
        }
    }
    let in_range = |&radius: &f64| {
        let r = T::from_f64(radius);
        (T::CUTOFF2_MIN..=T::CUTOFF2_MAX).contains(&r.mul(r).to_f64())
    };
    radii.into_iter().filter(in_range).collect()
}

fn check_rows<T: Precision>(search: &mut Search, kind: KnnKind, k: usize, truth: &[Vec<(T, i32)>], name: &str) {
    let found = search.knn::<T>(kind, k, Measure::Square).unwrap();
    assert_eq!(found.counts.len(), truth.len(), "{name}");
    let mut ids = Vec::new();
    let mut squares = Vec::new();
    for (i, row) in truth.iter().enumerate() {
        let row = &row[..k.min(row.len())];
        assert_eq!(found.counts[i] as usize, row.len(), "{name}: count of row {i}");
        ids.extend(row.iter().map(|&(_, id)| id));
        squares.extend(row.iter().map(|&(d2, _)| d2.to_f64().to_bits()));
        ids.resize((i + 1) * k, -1);
        squares.resize((i + 1) * k, f64::INFINITY.to_bits());
    }
    assert_eq!(found.ids, ids, "{name}");
    let bits: Vec<_> = found.distances.iter().map(|d2| d2.to_f64().to_bits()).collect();
    assert_eq!(bits, squares, "{name}");
    let (mut copy, mut distances) = (vec![-7; ids.len()], vec![T::default(); ids.len()]);
    let most = search.knn_into(kind, k, Measure::Square, &mut copy, &mut distances);
    assert!(
        truth.iter().all(|row| row.len().min(k) <= most.clone().unwrap()),
        "{name}"
    );
    assert_eq!(copy, ids, "{name}: copied");
}

fn check<T: Precision>(search: &mut Search, case: &Case, round: usize, random: &mut Random) {
    if !case.fits::<T>() {
        return;
    }
    let (coords, dim, kind) = (case.coords_as::<T>(), case.dim, KINDS[round % 3]);
    let n = coords.len() / dim;
    let queries: Vec<T> = (0..50.min(n))
        .flat_map(|_| {
            let at = random.below(n) * dim;
            let moved = random.uniform() * case.cutoff;
            (at..at + dim).map(move |at| (at, moved)).collect::<Vec<_>>()
        })
        .map(|(at, moved)| T::from_f64(coords[at].to_f64() + moved))
        .collect();
    let all: Vec<T> = coords.iter().chain(&queries).copied().collect();
    let view = PointsView::interleaved(dim, &all).unwrap();
    case.domain.set(search, dim);
    search
        .set_points(&PointsView::interleaved(dim, &coords).unwrap())
        .unwrap();
    search
        .set_queries(&PointsView::interleaved(dim, &queries).unwrap())
        .unwrap();
    let rows = if kind == KnnKind::Queries { n..view.len() } else { 0..n };
    let nearest = |i| oracle::nearest(&view, &case.domain.periods(), n, i, LONGEST, kind == KnnKind::Others);
    let truth: Vec<_> = rows.map(nearest).collect();
    for (at, radius) in radii(case, &truth, random).into_iter().enumerate() {
        let rule = [TieRule::Inclusive, TieRule::Exclusive][(round + at) / 2 % 2];
        let cut = |row: &Vec<(T, i32)>| row.iter().copied().filter(|hit| reaches(radius, rule, hit.0)).collect();
        let truth: Vec<Vec<_>> = truth.iter().map(cut).collect();
        search.set_tie_rule(rule);
        search.set_knn_within(radius).unwrap();
        let k = [1, 5, 64, LONGEST][(round + at) % 4];
        search.set_threads(1 + (round + at) as i64 % 3).unwrap();
        let name = format!(
            "{} ({}, k = {k}, {kind:?}, within {radius:e}, {rule:?})",
            case.name,
            T::NAME
        );
        check_rows(search, kind, k, &truth, &name);
    }
    search.set_knn_within(0.0).unwrap();
    check_rows(search, kind, 5, &truth, &case.name);
}

#[test]
fn clouds() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(11));
    search.set_backend(Backend::Cpu);
    let clouds = cases().into_iter().chain(periodic_cases());
    let clouds = clouds.chain(clustered_cases()).chain(short_boxes());
    let far = |case: &Case| case.coords.iter().any(|c| c.abs() > 1e17);
    let clouds: Vec<_> = clouds
        .filter(|case| !far(case))
        .step_by(if is_whole() { 1 } else { 4 })
        .collect();
    for (round, case) in Part::of_environment().of(clouds).iter().enumerate() {
        check::<f32>(&mut search, case, round, &mut random);
        check::<f64>(&mut search, case, round + 1, &mut random);
    }
}

/// Everything again in the narrower widths.
#[test]
fn widths() {
    Again::without(module_path!(), &["refusals"], "clouds").in_widths(&[("scalar", "6:1"), ("avx2", "6:2")]);
}

/// And on a GPU.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    Again::without(module_path!(), &["refusals", "ids"], "clouds")
        .on_devices(&[("", "60:0"), ("no-subgroups", "60:1")]);
}

/// With ghosts and global ids that do not ascend, ties follow the ids, and rows end where they must.
#[test]
fn ids() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(12));
    search.set_backend(Backend::Cpu);
    let coords: Vec<f64> = (0..900).map(|_| random.below(7) as f64).collect();
    let view = PointsView::interleaved(3, &coords).unwrap();
    search.set_points(&view).unwrap();
    search.set_active(Some(200)).unwrap();
    for ids in some_ids(300, &mut random) {
        search.set_ids(&ids).unwrap();
        for radius in [1.0, 1.5, 2.0] {
            search.set_knn_within(radius).unwrap();
            let row = |i: usize| {
                let mut row = oracle::nearest(&view, &[None; 3], 300, i, 300, true);
                row.retain(|hit| reaches(radius, TieRule::Inclusive, hit.0));
                row.sort_by(|a, b| a.0.total_cmp(&b.0).then(ids[a.1 as usize].cmp(&ids[b.1 as usize])));
                row
            };
            let truth: Vec<_> = (0..200).map(row).collect();
            check_rows::<f64>(&mut search, KnnKind::Others, 9, &truth, &format!("ids, {radius}"));
        }
    }
}

/// A row has the neighbors that a search with that cutoff finds, where k is enough.
#[test]
fn as_rows() {
    let (mut search, coords) = (Search::new().unwrap(), Random(13).cloud(3, 2000));
    search.set_backend(Backend::Cpu);
    search
        .set_points(&PointsView::interleaved(3, &coords).unwrap())
        .unwrap();
    search.set_cutoff(0.1).unwrap();
    search.set_knn_within(0.1).unwrap();
    let nearest = search.knn::<f64>(KnnKind::Others, 64, Measure::Distance).unwrap();
    let rows: Vec<Vec<i32>> = (0..2000)
        .map(|i| {
            let mut row = nearest.ids[64 * i..][..nearest.counts[i] as usize].to_vec();
            row.sort_unstable();
            row
        })
        .collect();
    let found = search.neighbors(NeighborsKind::Full).unwrap();
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(
            &found.ids[found.offsets[i] as usize..found.offsets[i + 1] as usize],
            row,
            "{i}"
        );
    }
}

#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    search
        .set_points(&PointsView::interleaved(1, &[0.0f32, 1.0, 3.0]).unwrap())
        .unwrap();
    for radius in [-1.0, f64::NAN, f64::INFINITY, -f64::MIN_POSITIVE] {
        let error = search.set_knn_within(radius).unwrap_err();
        assert_eq!(error.status(), Status::BadRadius, "{error}");
        assert!(error.to_string().starts_with("radius = "), "{error}");
    }
    search.set_knn_within(1e300).unwrap();
    let error = search.knn::<f32>(KnnKind::Others, 1, Measure::Square).unwrap_err();
    assert_eq!(error.status(), Status::BadRadius, "{error}");
    assert!(
        error
            .to_string()
            .starts_with("the radius of set_knn_within = 1e300 is not allowed"),
        "{error}"
    );
    search.set_knn_within(2.0).unwrap();
    let found = search.knn::<f32>(KnnKind::Others, 2, Measure::Square).unwrap();
    assert_eq!((found.ids, found.counts), (&[1, -1, 0, 2, 1, -1][..], &[1, 2, 1][..]));
}
