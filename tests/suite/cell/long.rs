//! Cutoffs that are long beside a cell, along some of its axes or all: what rows cost, and those that no list can hold.

use super::*;
use neargrid::Counter;

fn crystal(vectors: [[f64; 3]; 3], periodic: [bool; 3], coords: Vec<f64>, cutoff: f64) -> Crystal {
    Crystal {
        vectors,
        periodic,
        coords,
        cutoff,
        most: 0,
    }
}

const UNIT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn scaled(vectors: [[f64; 3]; 3], by: [f64; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|k| vectors[k].map(|x| x * by[k]))
}

/// The layer has little more than what the points have in reach, however much longer the cutoff is.
#[test]
fn cost_of_long_cutoffs() {
    let fcc = [[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]];
    let sheared = [[1.0, 0.0, 0.0], [0.9375, 0.125, 0.0], [0.25, 0.5, 1.0]];
    for (vectors, periodic, cutoff) in [
        (fcc, [true; 3], 12.0),
        (sheared, [true; 3], 6.0),
        (scaled(UNIT, [1.0, 1.0, 1e-4]), [true; 3], 1.25),
        (scaled(UNIT, [1e-2, 1e-2, 1.0]), [true; 3], 1.0),
        (scaled(UNIT, [1e-5, 1.0, 1.0]), [true, false, false], 0.5),
    ] {
        for points in [&[0.25; 3][..], &[0.25, 0.25, 0.25, 0.26, 0.24, 0.25]] {
            let mut search = Search::new().unwrap();
            search.set_threads(1).unwrap();
            crystal(vectors, periodic, points.to_vec(), cutoff).set::<f64>(&mut search);
            let entries = search.count_images(NeighborsKind::Full).unwrap();
            let tests = search.counter(Counter::DistanceTests);
            assert!(
                tests < 2 * entries + 1000,
                "{tests} tests for {entries} entries of {vectors:?}"
            );
        }
    }
}

/// Rows that no list can hold are refused before images are made, whatever the cell looks like.
#[test]
fn too_many_images() {
    let (tiny, points) = (1e-7, Random(4).cloud(3, 4));
    let sheared = [[1.0, 0.0, 0.0], [0.5, 0.25 * tiny, 0.0], [0.0, 0.0, 1.0]];
    for (vectors, periodic) in [
        (scaled(UNIT, [1.0, 1.0, tiny]), [true; 3]),
        (scaled(UNIT, [tiny, 1.0, tiny]), [true; 3]),
        (scaled(UNIT, [tiny; 3]), [true; 3]),
        (scaled(UNIT, [1e-3; 3]), [true; 3]),
        (sheared, [true; 3]),
        (scaled(UNIT, [tiny, tiny, 1.0]), [true, true, false]),
    ] {
        for n in [1, 4] {
            if n == 1 && periodic[2] && vectors[1][1] == 1.0 && vectors[0][0] == 1.0 {
                continue; // a line of one point has 2e7 images
            }
            let mut search = Search::new().unwrap();
            crystal(vectors, periodic, points[..3 * n].to_vec(), 1.0).set::<f64>(&mut search);
            let error = search.count_images(NeighborsKind::Full).unwrap_err();
            // The shifts of some are too large for 32 bits.
            let (status, text) = (error.status(), error.to_string());
            let is_many = status == Status::BadCount && text.contains("points and images");
            assert!(
                is_many || status == Status::BadDomain && text.contains("so that "),
                "{text}"
            );
            // A limit speaks where the layer alone takes more.
            search.set_memory_limit(1 << 20).unwrap();
            let error = search.count_images(NeighborsKind::Half).unwrap_err();
            assert!(
                [Status::BadCount, Status::BadDomain, Status::MemoryLimit].contains(&error.status()),
                "{error}"
            );
        }
    }
    // A limit is asked before images are made.
    let mut search = Search::new().unwrap();
    crystal(scaled(UNIT, [1.0, 1.0, 1e-6]), [true; 3], points[..3].to_vec(), 1.0).set::<f64>(&mut search);
    search.set_memory_limit(1 << 20).unwrap();
    assert_eq!(
        search.count_images(NeighborsKind::Full).unwrap_err().status(),
        Status::MemoryLimit
    );
}
