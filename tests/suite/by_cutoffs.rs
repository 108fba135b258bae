//! Lists by several cutoffs: each has the rows of a search with that cutoff alone, and those of the oracle.

use crate::common::{Case, Random, cases, is_whole, periodic_cases};
use neargrid::{
    Backend, Error, NeighborList, NeighborsKind, PointsView, Precision, RadiusRule, Search, Status, TieRule, oracle,
};

const KINDS: [NeighborsKind; 3] = [NeighborsKind::Half, NeighborsKind::Full, NeighborsKind::Queries];

type Rows = (Vec<i64>, Vec<i32>);

fn rows_of(list: &NeighborList) -> Rows {
    let rows = list.neighbors();
    (rows.offsets.to_vec(), rows.ids.to_vec())
}

fn lists(count: usize) -> Vec<NeighborList> {
    (0..count).map(|_| NeighborList::new()).collect()
}

/// Rows by the plain loop.
fn expected<T: Precision>(
    view: &PointsView<T>,
    case: &Case,
    (n, kind): (usize, NeighborsKind),
    (cutoff, rule): (f64, TieRule),
) -> Rows {
    let c = T::from_f64(cutoff);
    let bound = c.mul(c);
    let reaches = |d2: T| match rule {
        TieRule::Inclusive => d2 <= bound,
        TieRule::Exclusive => d2 < bound,
    };
    let rows = match kind {
        NeighborsKind::Queries => n..view.len(),
        _ => 0..n,
    };
    let (mut offsets, mut ids) = (vec![0], Vec::new());
    for i in rows {
        let first = if kind == NeighborsKind::Half { i + 1 } else { 0 };
        let near = |&j: &usize| j != i && reaches(oracle::distance2_in(view, &case.domain.periods(), i, j));
        ids.extend((first..n).filter(near).map(|j| j as i32));
        offsets.push(ids.len() as i64);
    }
    (offsets, ids)
}

fn check<T: Precision>(search: &mut Search, case: &Case, round: usize, random: &mut Random) {
    let (dim, coords) = (case.dim, case.coords_as::<T>());
    let n = coords.len() / dim;
    if !case.fits::<T>() || n > 700 {
        return;
    }
    let queries: Vec<T> = (0..30.min(n) * dim).map(|k| coords[(7 * k) % coords.len()]).collect();
    let all: Vec<T> = coords.iter().chain(&queries).copied().collect();
    let view = PointsView::interleaved(dim, &all).unwrap();
    search.set_tie_rule(case.rule);
    case.domain.set(search, dim);
    search.set_threads(1 + round as i64 % 3).unwrap();
    search
        .set_points(&PointsView::interleaved(dim, &coords).unwrap())
        .unwrap();
    search
        .set_queries(&PointsView::interleaved(dim, &queries).unwrap())
        .unwrap();
    // Some cutoffs end at the distance of a pair.
    let mut cutoffs = vec![case.cutoff];
    for _ in 0..round % 4 {
        let (i, j) = (random.below(n.max(1)), random.below(n.max(1)));
        let of_pair =
            (n > 0).then(|| oracle::radius_of(oracle::distance2_in(&view, &case.domain.periods(), i, j)).to_f64());
        let in_range = |c: &f64| *c < case.cutoff && (T::CUTOFF2_MIN..).contains(&(c * c));
        cutoffs.extend(of_pair.filter(in_range));
        let smaller = case.cutoff * (0.5 + 0.5 * random.uniform());
        cutoffs.extend(Some(smaller).filter(in_range));
    }
    let turn = random.below(cutoffs.len());
    cutoffs.rotate_left(turn);
    let kind = KINDS[round % 3];
    let mut lists = lists(cutoffs.len());
    search.take_neighbors_by_cutoffs(kind, &cutoffs, &mut lists).unwrap();
    for (&cutoff, list) in cutoffs.iter().zip(&lists) {
        let truth = expected(&view, case, (n, kind), (cutoff, case.rule));
        assert!(
            rows_of(list) == truth,
            "{}: {kind:?}, {cutoff:e} of {cutoffs:?}",
            case.name
        );
    }
}

/// Every cloud against the plain loop, in both precisions.
#[test]
fn clouds() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(31));
    search.set_backend(Backend::Cpu);
    let clouds = cases().into_iter().chain(periodic_cases());
    for (round, case) in clouds.step_by(if is_whole() { 1 } else { 3 }).enumerate() {
        check::<f32>(&mut search, &case, round, &mut random);
        check::<f64>(&mut search, &case, round + 1, &mut random);
    }
}

/// A setting, and its name.
type Setting = (&'static str, fn(&mut Search));

fn settings() -> Vec<Setting> {
    vec![
        ("plain", |_| ()),
        ("base 1", |search| search.set_index_base(1).unwrap()),
        ("ids", |search| {
            let ids: Vec<i64> = (0..search.len() as i64).map(|i| i * 7919 % 104_729).collect();
            search.set_ids(&ids).unwrap();
        }),
        ("ghosts", |search| {
            search.set_active(Some(search.len() as i64 / 2)).unwrap()
        }),
        ("ghosts with ids", |search| {
            let ids: Vec<i64> = (0..search.len() as i64).map(|i| i * 7919 % 104_729).collect();
            search.set_ids(&ids).unwrap();
            search.set_active(Some(search.len() as i64 / 3)).unwrap()
        }),
        ("types", |search| {
            let types: Vec<i32> = (0..search.len() as i32).map(|i| i % 2).collect();
            search.set_types(&types, &[true, true, true, false]).unwrap();
        }),
        ("skin", |search| search.set_skin(0.02).unwrap()),
        ("box", |search| {
            let points = Random(77).cloud(3, 3000);
            search.set_box(&[0.0; 3], &[1.0; 3], &[true, false, true]).unwrap();
            search
                .set_points(&PointsView::interleaved(3, &points).unwrap())
                .unwrap();
        }),
    ]
}

/// The rows of separate searches, under all settings, and again into the same lists.
fn separate(backend: Backend) {
    let (points, queries) = (Random(77).cloud(3, 3000), Random(78).cloud(3, 300));
    let cutoffs = [0.06, 0.1, 0.08, 0.1, 0.001];
    for (name, set) in settings() {
        let [mut search, mut other] = [0, 1].map(|_| {
            let mut search = Search::new().unwrap();
            search.set_backend(backend);
            search.set_cutoff(0.07).unwrap();
            search
                .set_points(&PointsView::interleaved(3, &points).unwrap())
                .unwrap();
            set(&mut search);
            search
                .set_queries(&PointsView::interleaved(3, &queries).unwrap())
                .unwrap();
            search
        });
        let mut lists = lists(cutoffs.len());
        for kind in KINDS.into_iter().chain(KINDS) {
            search.take_neighbors_by_cutoffs(kind, &cutoffs, &mut lists).unwrap();
            for (&cutoff, list) in cutoffs.iter().zip(&lists) {
                other.set_cutoff(cutoff).unwrap();
                let found = other.neighbors(kind).unwrap();
                let same = rows_of(list) == (found.offsets.to_vec(), found.ids.to_vec());
                assert!(same, "{backend:?}, {name}, {kind:?}, {cutoff}");
            }
            other.set_cutoff(0.07).unwrap();
            let total = other.count_neighbors(kind).unwrap();
            assert_eq!(search.count_neighbors(kind).unwrap(), total, "{name}: the cutoff stays");
        }
    }
}

#[test]
fn settings_and_kinds() {
    separate(Backend::Cpu);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    separate(Backend::Gpu);
}

/// Long rows, and points scattered over more memory than caches hold, are searched for each cutoff.
#[test]
fn separate_searches() {
    for (n, cutoffs) in [(500, [0.7, 0.9]), (70_000, [0.015, 0.02])] {
        let points = Random(6).cloud(3, n);
        let mut search = Search::new().unwrap();
        search.set_backend(Backend::Cpu);
        search
            .set_points(&PointsView::interleaved(3, &points).unwrap())
            .unwrap();
        let mut lists = lists(2);
        search
            .take_neighbors_by_cutoffs(NeighborsKind::Full, &cutoffs, &mut lists)
            .unwrap();
        for (&cutoff, list) in cutoffs.iter().zip(&lists) {
            search.set_cutoff(cutoff).unwrap();
            let found = search.neighbors(NeighborsKind::Full).unwrap();
            assert!(
                rows_of(list) == (found.offsets.to_vec(), found.ids.to_vec()),
                "{n}, {cutoff}"
            );
        }
    }
}

/// A list with a skin stays.
#[test]
fn skin() {
    let (mut search, points) = (Search::new().unwrap(), Random(5).cloud(3, 500));
    let view = PointsView::interleaved(3, &points).unwrap();
    search.set_backend(Backend::Cpu);
    search.set_cutoff(0.1).unwrap();
    search.set_skin(0.01).unwrap();
    assert!(search.update(&view).unwrap());
    let total = search.count_pairs().unwrap();
    search
        .take_neighbors_by_cutoffs(NeighborsKind::Full, &[0.2, 0.05], &mut lists(2))
        .unwrap();
    assert!(!search.update(&view).unwrap());
    assert_eq!(search.count_pairs().unwrap(), total);
    assert_eq!(search.counter(neargrid::Counter::SkinLists), 1);
}

#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    let mut kept = lists(2);
    let mut refused = |search: &mut Search, cutoffs: &[f64], status: Status, text: &str| {
        let error = search
            .take_neighbors_by_cutoffs(NeighborsKind::Full, cutoffs, &mut kept)
            .unwrap_err();
        assert_eq!(error.status(), status, "{error}");
        assert!(error.to_string().contains(text), "{error}");
        rows_of(&kept[0])
    };
    refused(&mut search, &[1.0, 2.0], Status::BadState, "set_points");
    let points = [0.0f32, 1.0, 3.0];
    search
        .set_points(&PointsView::interleaved(1, &points).unwrap())
        .unwrap();
    refused(
        &mut search,
        &[1.0],
        Status::BadCount,
        "the number of lists = 2 is not allowed",
    );
    refused(
        &mut search,
        &[1.0, f64::NAN],
        Status::BadCutoff,
        "cutoff = NaN of list 1 is not allowed",
    );
    refused(&mut search, &[1e-300, 1.0], Status::BadCutoff, "of list 0");
    search.set_box(&[0.0], &[4.0], &[true]).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &points).unwrap())
        .unwrap();
    refused(&mut search, &[1.0, 2.5], Status::BadDomain, "twice the cutoff (2.5)");
    search.set_memory_limit(10).unwrap();
    refused(&mut search, &[1.0, 2.0], Status::MemoryLimit, "10");
    search.set_memory_limit(0).unwrap();
    search.set_radii(&[1.0f32; 3], RadiusRule::Max).unwrap();
    let rows = refused(&mut search, &[1.0, 2.0], Status::NotSupported, "with radii");
    assert_eq!(rows, (vec![0], vec![]));
    let none = search.take_neighbors_by_cutoffs(NeighborsKind::Full, &[], &mut []);
    assert!(matches!(none, Err(Error::NotSupported { .. })), "{none:?}");
    search.clear_radii();
    search.set_types(&[0; 3], &[true]).unwrap();
    search.set_type_cutoffs(&[1.0]).unwrap();
    refused(&mut search, &[1.0, 2.0], Status::NotSupported, "with cutoffs by types");
    search.set_type_cutoffs(&[]).unwrap();
    let none = search
        .take_neighbors_by_cutoffs(NeighborsKind::Full, &[], &mut [])
        .unwrap_err();
    assert!(none.to_string().contains("the number of cutoffs = 0"), "{none}");
    search
        .take_neighbors_by_cutoffs(NeighborsKind::Full, &[1.0, 2.0], &mut kept)
        .unwrap();
    assert_eq!(rows_of(&kept[0]), (vec![0, 2, 3, 4], vec![1, 2, 0, 0]));
    assert_eq!(rows_of(&kept[1]), (vec![0, 2, 4, 6], vec![1, 2, 0, 2, 0, 1]));
}

/// The lists of a call together take at most the memory limit.
#[test]
fn memory_of_all_lists() {
    let (n, mut search) = (2000, Search::new().unwrap());
    search.set_backend(Backend::Cpu);
    let points = Random(4).cloud(3, n);
    search
        .set_points(&PointsView::interleaved(3, &points).unwrap())
        .unwrap();
    let kind = NeighborsKind::Full;
    for cutoffs in [[0.12, 0.12, 0.11, 0.1], [0.3, 0.3, 0.29, 0.3]] {
        search.set_memory_limit(0).unwrap();
        let mut want = lists(4);
        search.take_neighbors_by_cutoffs(kind, &cutoffs, &mut want).unwrap();
        let bytes =
            |list: &NeighborList| (size_of_val(list.neighbors().offsets) + size_of_val(list.neighbors().ids)) as i64;
        let all: i64 = want.iter().map(bytes).sum();
        let mut kept = lists(4);
        for limit in [all / 2, all - 1] {
            search.set_memory_limit(limit).unwrap();
            let error = search.take_neighbors_by_cutoffs(kind, &cutoffs, &mut kept).unwrap_err();
            assert_eq!(error.status(), Status::MemoryLimit, "{error}");
            assert!(
                error.to_string().contains(&format!("memory limit of {limit} bytes")),
                "{error}"
            );
            assert!(kept.iter().all(|list| list.neighbors().ids.is_empty()));
        }
        for limit in [2 * all, 20 * all] {
            search.set_memory_limit(limit).unwrap();
            search.take_neighbors_by_cutoffs(kind, &cutoffs, &mut kept).unwrap();
            let same = kept
                .iter()
                .zip(&want)
                .all(|(kept, want)| rows_of(kept) == rows_of(want));
            assert!(same, "a limit of {limit} bytes");
        }
    }
}

/// Cutoff, skin, and the list that is kept for them are as before, where lists by other cutoffs cannot be made.
#[test]
fn a_failure_leaves_settings_as_they_were() {
    let (n, mut search) = (1500, Search::new().unwrap());
    search.set_backend(Backend::Cpu);
    search.set_cutoff(0.1).unwrap();
    search.set_skin(0.02).unwrap();
    let points = Random(6).cloud(3, n);
    search
        .set_points(&PointsView::interleaved(3, &points).unwrap())
        .unwrap();
    let kind = NeighborsKind::Full;
    let rows = |search: &mut Search| {
        let rows = search.neighbors(kind).unwrap();
        (rows.offsets.to_vec(), rows.ids.to_vec())
    };
    let (want, mut kept) = (rows(&mut search), lists(2));
    search
        .take_neighbors_by_cutoffs(kind, &[0.05, 0.08], &mut kept)
        .unwrap();
    let before = kept.iter().map(rows_of).collect::<Vec<_>>();
    for (cutoffs, limit, status) in [
        ([0.4, 0.3], 40_000, Status::MemoryLimit),
        ([0.1, 1e-300], 0, Status::BadCutoff),
    ] {
        search.set_memory_limit(limit).unwrap();
        let error = search.take_neighbors_by_cutoffs(kind, &cutoffs, &mut kept).unwrap_err();
        assert_eq!(error.status(), status, "{error}");
        search.set_memory_limit(0).unwrap();
        assert!(kept.iter().map(rows_of).eq(before.iter().cloned()));
        assert!(rows(&mut search) == want);
        assert!(!search.update(&PointsView::interleaved(3, &points).unwrap()).unwrap());
    }
}
