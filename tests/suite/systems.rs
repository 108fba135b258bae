//! Many systems of points in one call: threads, cost and memory.

use crate::common::Random;
use neargrid::{Counter, NeighborsKind, PointsView, Search, Status, Systems};

/// Threads change neither the rows nor their cost, and the handle's own points, cutoff and box play no part and stay.
#[test]
fn the_handle_stays_as_it_is() {
    let (mut random, systems, each) = (Random(56), 300, 50);
    let coords: Vec<f64> = (0..2 * systems * each).map(|_| 1.5 * random.uniform() - 0.25).collect();
    let asked = Systems {
        firsts: &(0..=systems).map(|k| (k * each) as i64).collect::<Vec<_>>(),
        cutoffs: &(0..systems).map(|_| 0.45 * random.uniform() + 1e-3).collect::<Vec<_>>(),
        lo: &vec![-0.25; 2 * systems],
        length: &vec![1.0; 2 * systems],
        periodic: &(0..2 * systems).map(|k| k % 3 > 0).collect::<Vec<_>>(),
    };
    let view = PointsView::interleaved(2, &coords).unwrap();
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.4).unwrap();
    search.set_box(&[0.0; 2], &[3.0; 2], &[true; 2]).unwrap();
    let own = PointsView::interleaved(2, &[0.1, 0.1, 2.9, 2.9, 1.0, 1.0]).unwrap();
    search.set_points(&own).unwrap();
    search.set_types(&[0, 1, 1], &[true; 4]).unwrap();
    let pairs = search.count_pairs().unwrap();
    let mut seen = Vec::new();
    for threads in [1, 2, 5] {
        search.set_threads(threads).unwrap();
        let rows = search.systems(&view, &asked, NeighborsKind::Full).unwrap();
        let rows = (rows.offsets.to_vec(), rows.ids.to_vec());
        seen.push((rows, search.counter(Counter::DistanceTests)));
        assert_eq!(search.counter(Counter::Threads), threads);
        assert!(search.info().contains("threads"));
    }
    assert!(seen.iter().all(|other| *other == seen[0] && other.1 > 0));
    let (entries, tests) = (seen[0].0.1.len(), seen[0].1);
    let most = (30 * entries + 100 * view.len()) as i64;
    assert!(tests <= most, "{tests} tests for {entries} entries");
    assert_eq!(search.count_pairs().unwrap(), pairs);
    let held = search.counter(Counter::BytesHeld);
    search.trim().unwrap();
    assert!(search.counter(Counter::BytesHeld) < held);
    assert_eq!(search.count_pairs().unwrap(), pairs);
}

/// The rows of all systems together with the rows of the threads take at most the memory limit.
#[test]
fn memory_of_all_systems() {
    let (systems, each) = (400, 40);
    let coords = Random(6).cloud(3, systems * each);
    let view = PointsView::interleaved(3, &coords).unwrap();
    let firsts: Vec<i64> = (0..=systems).map(|k| (k * each) as i64).collect();
    let cutoffs = vec![0.8; systems];
    let asked = Systems {
        firsts: &firsts,
        cutoffs: &cutoffs,
        lo: &[],
        length: &[],
        periodic: &[],
    };
    let full = NeighborsKind::Full;
    for threads in [1, 4] {
        let mut search = Search::new().unwrap();
        search.set_threads(threads).unwrap();
        let before = search.counter(Counter::BytesHeld);
        search.set_memory_limit(300_000).unwrap();
        let error = search.systems(&view, &asked, full).unwrap_err();
        assert_eq!(error.status(), Status::MemoryLimit, "{error}");
        assert!(error.to_string().contains("memory limit of 300000 bytes"), "{error}");
        let held = search.counter(Counter::BytesHeld) - before;
        assert!(held < 1_000_000 * threads, "{held} bytes held");
        search.set_memory_limit(0).unwrap();
        let rows = search.systems(&view, &asked, full).unwrap();
        let (offsets, ids) = (rows.offsets.to_vec(), rows.ids.to_vec());
        let need = 16 * view.len() + 8 + 8 * ids.len();
        search.set_memory_limit(need as i64 - 1).unwrap();
        let error = search.systems(&view, &asked, full).unwrap_err();
        assert_eq!(error.status(), Status::MemoryLimit, "{error}");
        search.set_memory_limit(need as i64).unwrap();
        let rows = search.systems(&view, &asked, full).unwrap();
        assert!(
            (rows.offsets, rows.ids) == (&offsets[..], &ids[..]),
            "{threads} threads"
        );
    }
}
