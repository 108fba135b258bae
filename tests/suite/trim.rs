//! Giving memory back: what is held falls to the points alone, and results afterwards are the same.

use crate::common::Random;
use neargrid::{Backend, Counter, NeighborsKind, PointsView, Precision, Search, Status};

fn held(search: &Search) -> i64 {
    search.counter(Counter::BytesHeld)
}

fn check<T: Precision>(threads: i64) {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    search.set_threads(threads).unwrap();
    search.set_index_base(1).unwrap();
    search.set_cutoff(0.1).unwrap();
    for (dim, n) in [(3, 20_000), (2, 500), (3, 0), (1, 3000)] {
        let coords: Vec<T> = Random(dim as u64).cloud(dim, n).into_iter().map(T::from_f64).collect();
        search
            .set_points(&PointsView::interleaved(dim, &coords).unwrap())
            .unwrap();
        let pairs = search.pairs().unwrap();
        let pairs = (pairs.left.to_vec(), pairs.right.to_vec());
        let full = search.neighbors(NeighborsKind::Full).unwrap().ids.to_vec();
        let (before, points) = (held(&search), (dim * n * size_of::<T>()) as i64);
        assert!(before > points, "{before} of {points}");
        search.trim().unwrap();
        assert_eq!(held(&search), points, "{dim}D, {n} points");
        assert_eq!(search.counter(Counter::Points), n as i64);
        search.trim().unwrap(); // twice is once
        let mut order = vec![0; n];
        search.order(&mut order).unwrap(); // points are still there
        let again = search.pairs().unwrap();
        assert_eq!((again.left, again.right), (&pairs.0[..], &pairs.1[..]));
        assert!(held(&search) > points);
        search.trim().unwrap();
        assert_eq!(search.neighbors(NeighborsKind::Full).unwrap().ids, full);
    }
}

#[test]
fn only_points_are_kept() {
    for threads in [1, 3] {
        check::<f32>(threads);
        check::<f64>(threads);
    }
}

/// A handle without points, and one whose points were the caller's.
#[test]
fn nothing_to_keep() {
    let mut search = Search::new().unwrap();
    search.trim().unwrap();
    assert_eq!(held(&search), 0);
    search.set_cutoff(1.5).unwrap();
    let line = [0.0, 1.0, 2.0];
    let view = PointsView::interleaved(1, &line).unwrap();
    assert_eq!(search.count_pairs_of(&view).unwrap(), 2);
    search.trim().unwrap();
    assert_eq!(held(&search), 0);
    assert_eq!(search.pairs().unwrap_err().status(), Status::BadState);
    assert_eq!(search.count_pairs_of(&view).unwrap(), 2);
    assert_eq!(search.pairs().unwrap().left, [0, 1]);
}
