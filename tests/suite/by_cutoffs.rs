//! Lists by several cutoffs: long and many rows, memory, and failures.

use crate::common::Random;
use neargrid::{Backend, NeighborList, NeighborsKind, PointsView, Search, Status};

type Rows = (Vec<i64>, Vec<i32>);

fn rows_of(list: &NeighborList) -> Rows {
    let rows = list.neighbors();
    (rows.offsets.to_vec(), rows.ids.to_vec())
}

fn lists(count: usize) -> Vec<NeighborList> {
    (0..count).map(|_| NeighborList::new()).collect()
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
