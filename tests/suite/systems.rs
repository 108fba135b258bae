//! Many systems of points in one call: the rows of each are those of the oracle among its own points.

use crate::common::Random;
use neargrid::{
    Backend, Counter, Error, NeighborsKind, PointsView, Precision, Search, Status, Systems, TieRule, oracle,
};

/// Systems of their own sizes, cutoffs and boxes.
struct Batch {
    dim: usize,
    firsts: Vec<i64>,
    coords: Vec<f64>,
    cutoffs: Vec<f64>,
    lo: Vec<f64>,
    length: Vec<f64>,
    periodic: Vec<bool>,
}

impl Batch {
    /// Systems of `sizes` points, in space that is open or with boxes; the first point has number `base`.
    fn new(dim: usize, sizes: &[usize], has_boxes: bool, base: i64, random: &mut Random) -> Batch {
        let mut batch = Batch {
            dim,
            firsts: vec![base],
            coords: Vec::new(),
            cutoffs: Vec::new(),
            lo: Vec::new(),
            length: Vec::new(),
            periodic: Vec::new(),
        };
        for &size in sizes {
            let length = f64::from((0.5 + random.uniform()) as f32);
            batch.firsts.push(batch.firsts[batch.firsts.len() - 1] + size as i64);
            batch
                .coords
                .extend((0..dim * size).map(|_| length * (1.5 * random.uniform() - 0.25)));
            batch
                .cutoffs
                .push(f64::from((0.45 * length * random.uniform() + 1e-3) as f32));
            if has_boxes {
                for _ in 0..dim {
                    batch.lo.push(-0.25);
                    batch.length.push(length);
                    batch.periodic.push(random.below(2) == 0);
                }
            }
        }
        batch
    }

    fn systems(&self) -> Systems<'_> {
        Systems {
            firsts: &self.firsts,
            cutoffs: &self.cutoffs,
            lo: &self.lo,
            length: &self.length,
            periodic: &self.periodic,
        }
    }

    /// The rows by the oracle, system after system.
    fn truth<T: Precision>(&self, coords: &[T], rule: TieRule, full: bool) -> (Vec<i64>, Vec<i32>) {
        let base = self.firsts[0];
        let (mut offsets, mut ids) = (vec![base], Vec::new());
        for k in 0..self.cutoffs.len() {
            let [first, end] = [self.firsts[k], self.firsts[k + 1]].map(|point| (point - base) as usize);
            let view = PointsView::interleaved(self.dim, &coords[first * self.dim..end * self.dim]).unwrap();
            let periods = std::array::from_fn(|axis| {
                let at = k * self.dim + axis;
                let is_periodic = axis < self.dim && self.periodic.get(at) == Some(&true);
                is_periodic.then(|| [self.lo[at], self.length[at]].map(T::from_f64))
            });
            let pairs = oracle::pairs_in(&view, &periods, T::from_f64(self.cutoffs[k]), rule);
            let (rows, neighbors) = oracle::neighbors(end - first, &pairs, full);
            let last = offsets[offsets.len() - 1];
            offsets.extend(rows[1..].iter().map(|offset| last + offset));
            ids.extend(neighbors.iter().map(|id| id + (first as i64 + base) as i32));
        }
        (offsets, ids)
    }

    fn check<T: Precision>(&self, search: &mut Search, rule: TieRule, kind: NeighborsKind, about: &str) {
        let coords: Vec<T> = self.coords.iter().map(|&x| T::from_f64(x)).collect();
        let view = PointsView::interleaved(self.dim, &coords).unwrap();
        search.set_tie_rule(rule);
        search.set_index_base(self.firsts[0]).unwrap();
        let truth = self.truth(&coords, rule, kind == NeighborsKind::Full);
        let rows = search.systems(&view, &self.systems(), kind).unwrap();
        assert!(rows.offsets == truth.0 && rows.ids == truth.1, "{about}");
        assert_eq!(search.counter(Counter::Entries), truth.1.len() as i64);
    }
}

#[test]
fn random_systems() {
    let mut random = Random(54);
    let mut search = Search::new().unwrap();
    for case in 0..60 {
        let dim = 1 + case % 3;
        let sizes: Vec<usize> = match case % 5 {
            0 => vec![],
            1 => vec![random.below(400)],
            2 => (0..3).map(|_| random.below(300)).collect(),
            _ => (0..random.below(90)).map(|_| random.below(70)).collect(),
        };
        let batch = Batch::new(dim, &sizes, case % 2 == 0, (case / 3 % 2) as i64, &mut random);
        let rule = [TieRule::Inclusive, TieRule::Exclusive][random.below(2)];
        let kind = [NeighborsKind::Half, NeighborsKind::Full][random.below(2)];
        search.set_threads(random.below(4) as i64).unwrap();
        let about = format!("case {case}: {dim}D, {sizes:?}, {rule:?}, {kind:?}");
        batch.check::<f64>(&mut search, rule, kind, &about);
        batch.check::<f32>(&mut search, rule, kind, &about);
    }
}

/// Lattices, whose distances are cutoffs.
#[test]
fn ties() {
    let mut random = Random(55);
    let mut batch = Batch::new(3, &[27; 40], true, 0, &mut random);
    for (k, coords) in batch.coords.chunks_mut(3).enumerate() {
        for (axis, x) in coords.iter_mut().enumerate() {
            *x = 0.25 * (k / 3usize.pow(axis as u32) % 3) as f64;
        }
    }
    batch.cutoffs.fill(0.25);
    batch.lo.fill(0.0);
    batch.length.fill(0.75);
    let mut search = Search::new().unwrap();
    for rule in [TieRule::Inclusive, TieRule::Exclusive] {
        batch.check::<f64>(&mut search, rule, NeighborsKind::Half, &format!("{rule:?}"));
        batch.check::<f32>(&mut search, rule, NeighborsKind::Full, &format!("{rule:?}"));
    }
}

/// Threads change neither the rows nor their cost, and the handle's own points, cutoff and box play no part and stay.
#[test]
fn the_handle_stays_as_it_is() {
    let mut random = Random(56);
    let batch = Batch::new(2, &[50; 300], true, 0, &mut random);
    let view = PointsView::interleaved(2, &batch.coords).unwrap();
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.4).unwrap();
    search.set_box(&[0.0; 2], &[3.0; 2], &[true; 2]).unwrap();
    let own = PointsView::interleaved(2, &[0.1, 0.1, 2.9, 2.9, 1.0, 1.0]).unwrap();
    search.set_points(&own).unwrap();
    search.set_types(&[0, 1, 1], &[true; 4]).unwrap();
    let pairs = search.count_pairs().unwrap();
    let mut costs = Vec::new();
    for threads in [1, 2, 5] {
        search.set_threads(threads).unwrap();
        batch.check::<f64>(
            &mut search,
            TieRule::Inclusive,
            NeighborsKind::Full,
            &format!("{threads} threads"),
        );
        costs.push(search.counter(Counter::DistanceTests));
        assert_eq!(search.counter(Counter::Threads), threads);
        assert!(search.info().contains("threads"));
    }
    assert!(costs.iter().all(|cost| *cost == costs[0] && *cost > 0), "{costs:?}");
    let entries = search
        .systems(&view, &batch.systems(), NeighborsKind::Full)
        .unwrap()
        .ids
        .len();
    let most = (30 * entries + 100 * view.len()) as i64;
    assert!(costs[0] <= most, "{} tests for {entries} entries", costs[0]);
    assert_eq!(search.count_pairs().unwrap(), pairs);
    let held = search.counter(Counter::BytesHeld);
    search.trim().unwrap();
    assert!(search.counter(Counter::BytesHeld) < held);
    assert_eq!(search.count_pairs().unwrap(), pairs);
}

/// Refusals name the argument, and the system.
#[test]
fn refusals() {
    let coords = [0.0, 0.5, 1.0, 1.5, 2.0];
    let view = PointsView::interleaved(1, &coords).unwrap();
    let good = Systems {
        firsts: &[0, 2, 5],
        cutoffs: &[0.5, 0.5],
        lo: &[0.0, 0.0],
        length: &[4.0, 4.0],
        periodic: &[true, false],
    };
    let mut search = Search::new().unwrap();
    search.set_threads(1).unwrap();
    let refused = |search: &mut Search, systems: Systems, kind| search.systems(&view, &systems, kind).unwrap_err();
    let half = NeighborsKind::Half;
    assert_eq!(search.systems(&view, &good, half).unwrap().ids, [1, 3, 4]);
    let cases: [(Systems, Status, &str); 9] = [
        (
            Systems {
                firsts: &[0, 2],
                ..good
            },
            Status::BadCount,
            "size of firsts = 2",
        ),
        (
            Systems {
                firsts: &[1, 2, 5],
                ..good
            },
            Status::BadValue,
            "element 0 of firsts is 1",
        ),
        (
            Systems {
                firsts: &[0, 6, 5],
                ..good
            },
            Status::BadValue,
            "element 2 of firsts is 5",
        ),
        (
            Systems {
                firsts: &[0, 2, 4],
                ..good
            },
            Status::BadCount,
            "points of all systems = 4",
        ),
        (
            Systems {
                cutoffs: &[0.5, -1.0],
                ..good
            },
            Status::BadCutoff,
            "cutoff = -1 of system 1",
        ),
        (Systems { lo: &[0.0], ..good }, Status::BadCount, "size of lo = 1"),
        (
            Systems { periodic: &[], ..good },
            Status::BadCount,
            "size of periodic = 0",
        ),
        (
            Systems {
                length: &[0.75, 1.0],
                ..good
            },
            Status::BadDomain,
            "of system 0",
        ),
        (
            Systems {
                length: &[f64::NAN, 1.0],
                ..good
            },
            Status::BadDomain,
            "length = NaN of system 0",
        ),
    ];
    for (systems, status, text) in cases {
        let error = refused(&mut search, systems, half);
        assert_eq!(error.status(), status, "{error}");
        assert!(error.to_string().contains(text), "{error}, not {text}");
    }
    let error = refused(&mut search, good, NeighborsKind::Queries);
    assert_eq!(error.status(), Status::BadValue, "{error}");
    let wrong = [0.0, f64::NAN, 1.0, 1.5, 2.0];
    let wrong = PointsView::interleaved(1, &wrong).unwrap();
    let error = search.systems(&wrong, &good, half).unwrap_err();
    assert!(matches!(error, Error::NonFinite { point: 1, .. }), "{error}");
    search.set_memory_limit(40).unwrap();
    assert_eq!(refused(&mut search, good, half).status(), Status::MemoryLimit);
    search.set_memory_limit(0).unwrap();
    search.set_backend(Backend::Gpu);
    assert_eq!(refused(&mut search, good, half).status(), Status::NotSupported);
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
