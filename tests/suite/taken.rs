//! Lists that are taken out of a handle: the rows that a view has, which nothing changes afterwards.

use crate::common::{Case, Random, cases, periodic_cases};
use neargrid::{
    Backend, Counter, Error, KnnKind, Measure, NeighborList, NeighborsKind, PointsView, Precision, RadiusRule, Search,
    Status,
};

const KINDS: [NeighborsKind; 3] = [NeighborsKind::Half, NeighborsKind::Full, NeighborsKind::Queries];

type Rows = (Vec<i64>, Vec<i32>);

fn rows_of(list: &NeighborList) -> Rows {
    let rows = list.neighbors();
    (rows.offsets.to_vec(), rows.ids.to_vec())
}

fn view<T: Precision>(coords: &[T]) -> PointsView<'_, T> {
    PointsView::interleaved(3, coords).unwrap()
}

/// The rows by a handle of its own, from the oracle's pairs where there are no queries.
fn expected(search: &mut Search, kind: NeighborsKind) -> Rows {
    let rows = search.neighbors(kind).unwrap();
    (rows.offsets.to_vec(), rows.ids.to_vec())
}

/// Half rows of the oracle.
fn half_of(case: &Case, base: i64) -> Rows {
    let pairs = case.truth::<f64>();
    let n = case.coords.len() / case.dim;
    let mut ends = vec![base; n + 1];
    for row in 0..n {
        let len = pairs[(ends[row] - base) as usize..]
            .iter()
            .take_while(|&&(i, _)| i as usize == row);
        ends[row + 1] = ends[row] + len.count() as i64;
    }
    (ends, pairs.iter().map(|&(_, j)| j + base as i32).collect())
}

/// A list that was taken has the rows of the oracle, for every cloud; the handle then answers as before.
#[test]
fn oracle() {
    let (mut search, mut list) = (Search::new().unwrap(), NeighborList::new());
    search.set_index_base(1).unwrap();
    for case in cases().into_iter().chain(periodic_cases()).filter(Case::fits::<f64>) {
        search.set_cutoff(case.cutoff).unwrap();
        search.set_tie_rule(case.rule);
        case.domain.set(&mut search, case.dim);
        search
            .set_points(&PointsView::interleaved(case.dim, &case.coords).unwrap())
            .unwrap();
        search.take_neighbors(NeighborsKind::Half, &mut list).unwrap();
        let truth = half_of(&case, 1);
        assert!(rows_of(&list) == truth, "{}", case.name);
        let again = search.neighbors(NeighborsKind::Half).unwrap();
        assert!(again.offsets == truth.0 && again.ids == truth.1, "{}", case.name);
    }
}

/// A setting, and its name.
type Setting = (&'static str, fn(&mut Search));

/// Everything that a handle may have when rows are taken: ids that turn the order, ghosts, types, radii, a skin, queries.
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
        ("types", |search| {
            let types: Vec<i32> = (0..search.len() as i32).map(|i| i % 2).collect();
            search.set_types(&types, &[true, true, true, false]).unwrap();
        }),
        ("radii", |search| {
            let radii: Vec<f64> = (0..search.len()).map(|i| 0.05 + 0.001 * (i % 50) as f64).collect();
            search.set_radii(&radii, RadiusRule::Mean).unwrap();
            search.set_query_radii(&[0.07; 40]).unwrap();
        }),
        ("skin", |search| search.set_skin(0.02).unwrap()),
    ]
}

/// Takes rows of all kinds under all settings, and compares them with those of a handle that shows them.
fn check(backend: Backend) {
    let mut random = Random(77);
    let (points, queries) = (random.cloud(3, 900), random.cloud(3, 40));
    for (name, set) in settings() {
        for has_queries in [false, true] {
            for kind in KINDS.into_iter().take(2 + usize::from(has_queries)) {
                let [mut search, mut other] = [0, 1].map(|_| {
                    let mut search = Search::new().unwrap();
                    search.set_backend(backend);
                    search.set_cutoff(0.09).unwrap();
                    search.set_points(&view(&points)).unwrap();
                    if has_queries {
                        search.set_queries(&view(&queries)).unwrap();
                    }
                    set(&mut search);
                    search
                });
                let truth = expected(&mut other, kind);
                let mut lists = [NeighborList::new(), NeighborList::new()];
                for round in 0..4 {
                    let name = format!("{backend:?}, {name}, {kind:?}, queries {has_queries}, round {round}");
                    if round == 2 {
                        search.neighbors(kind).unwrap(); // perhaps where a device has written them
                    }
                    search.take_neighbors(kind, &mut lists[round % 2]).unwrap();
                    assert!(rows_of(&lists[round % 2]) == truth, "{name}");
                    assert!(
                        round == 0 || rows_of(&lists[1 - round % 2]) == truth,
                        "{name}: the other list"
                    );
                    if round == 1 {
                        assert!(expected(&mut search, kind) == truth, "{name}: the handle");
                        let pairs = search.pairs().map(|pairs| (pairs.left.to_vec(), pairs.right.to_vec()));
                        let wanted = other.pairs().map(|pairs| (pairs.left.to_vec(), pairs.right.to_vec()));
                        assert!(pairs == wanted, "{name}: pairs");
                    }
                }
            }
        }
    }
}

#[test]
fn settings_and_kinds() {
    check(Backend::Cpu);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn settings_and_kinds_on_a_gpu() {
    check(Backend::Gpu);
}

/// A list stays the same through all that happens to its handle, and after it.
#[test]
fn stays() {
    let mut random = Random(3);
    let (first, second) = (random.cloud(3, 500), random.cloud(3, 700));
    let mut list = NeighborList::new();
    assert_eq!(rows_of(&list), (vec![0], vec![]));
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.12).unwrap();
    search.set_points(&view(&first)).unwrap();
    let truth = expected(&mut search, NeighborsKind::Full);
    search.take_neighbors(NeighborsKind::Full, &mut list).unwrap();
    let address = list.neighbors().ids.as_ptr().addr();
    let same = |list: &NeighborList| assert!(rows_of(list) == truth && list.neighbors().ids.as_ptr().addr() == address);
    let calls: [fn(&mut Search, &[f64]); 8] = [
        |search, _| search.pairs().map(drop).unwrap(),
        |search, other| search.set_points(&view(other)).unwrap(),
        |search, _| search.neighbors(NeighborsKind::Full).map(drop).unwrap(),
        |search, _| {
            search
                .knn::<f64>(KnnKind::Others, 4, Measure::Distance)
                .map(drop)
                .unwrap()
        },
        |search, _| search.fof().map(drop).unwrap(),
        |search, other| search.update(&view(other)).map(drop).unwrap(),
        |search, _| search.trim().unwrap(),
        |search, _| search.set_cutoff(0.2).unwrap(),
    ];
    for call in calls {
        call(&mut search, &second);
        same(&list);
        let mut other = NeighborList::new();
        search.take_neighbors(NeighborsKind::Half, &mut other).unwrap();
        same(&list);
    }
    drop(search);
    same(&list);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| same(&list));
        }
    });
}

/// A call that is refused leaves the list and the handle as they were.
#[test]
fn refusals() {
    let points = Random(4).cloud(3, 300);
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.12).unwrap();
    search.set_points(&view(&points)).unwrap();
    let mut list = NeighborList::new();
    search.take_neighbors(NeighborsKind::Full, &mut list).unwrap();
    let truth = rows_of(&list);
    let mut refused = |search: &mut Search, kind, status| {
        let error: Error = search.take_neighbors(kind, &mut list).unwrap_err();
        assert_eq!(error.status(), status, "{error}");
        assert!(rows_of(&list) == truth, "{error}");
    };
    refused(&mut search, NeighborsKind::Queries, Status::BadState);
    search.set_memory_limit(3000).unwrap();
    refused(&mut search, NeighborsKind::Full, Status::MemoryLimit);
    search.set_memory_limit(0).unwrap();
    search.set_ids(&[1, 2]).unwrap();
    refused(&mut search, NeighborsKind::Full, Status::BadCount);
    search.set_ids(&[]).unwrap();
    refused(&mut Search::new().unwrap(), NeighborsKind::Full, Status::BadState);
    assert!(expected(&mut search, NeighborsKind::Full) == truth);
}

/// Chunks that were begun end, and a list with a skin goes on.
#[test]
fn beside_others() {
    let points = Random(5).cloud(3, 400);
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.12).unwrap();
    search.set_skin(0.05).unwrap();
    search.set_points(&view(&points)).unwrap();
    let mut list = NeighborList::new();
    for _ in 0..3 {
        search.take_neighbors(NeighborsKind::Full, &mut list).unwrap();
        assert!(
            !search.update(&view(&points)).unwrap(),
            "the list with the skin is kept"
        );
    }
    assert_eq!(search.counter(Counter::SkinLists), 1);
    let verlet = search.verlet_list(NeighborsKind::Full).unwrap().neighbors.ids.to_vec();
    search.take_neighbors(NeighborsKind::Full, &mut list).unwrap();
    assert!(!search.verlet_list(NeighborsKind::Full).unwrap().rebuilt);
    assert!(search.verlet_list(NeighborsKind::Full).unwrap().neighbors.ids == verlet);
}
