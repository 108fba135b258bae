//! The catalogue of groups: the same bits for any number of threads and any order of the points, and sizes that no real32 holds.

use crate::common::{Domain, Random};
use neargrid::{Backend, PointsView, Properties, Search};

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Threads, and points in another order under the same global ids, change no bit: large groups are dealt out among threads.
#[test]
fn same_bits() {
    let (n, mut random) = (60_000, Random(71));
    let mut coords: Vec<f64> = random.cloud(3, n).iter().map(|c| c * 0.9 - 0.45).collect();
    let mut masses: Vec<f64> = (0..n).map(|_| random.uniform() + 1e-3).collect();
    let mut velocities: Vec<f64> = random.cloud(3, n).iter().map(|v| v - 0.5).collect();
    let mut ids: Vec<i64> = (0..n as i64).map(|i| i * 7 - 1000).collect();
    let mut found = Vec::new();
    // The second time from the last point to the first.
    for threads in [&[1, 2, 3, 8][..], &[2]] {
        let mut search = Search::new().unwrap();
        search.set_backend(Backend::Cpu);
        Domain::periodic(0.0, 1.0).set(&mut search, 3);
        search.set_cutoff(0.023).unwrap();
        search
            .set_points(&PointsView::interleaved(3, &coords).unwrap())
            .unwrap();
        search.set_ids(&ids).unwrap();
        for &threads in threads {
            search.set_threads(threads).unwrap();
            let properties = Properties {
                masses: Some(&masses),
                velocities: Some(PointsView::interleaved(3, &velocities).unwrap()),
            };
            let groups = search.groups(3, &properties).unwrap();
            assert!(groups.sizes[0] > 40_000, "{:?}", &groups.sizes[..3]);
            let sums = [groups.masses, groups.centers, groups.velocities.unwrap(), groups.radii].map(bits);
            found.push((groups.sizes.to_vec(), sums, groups.wide.to_vec()));
        }
        let back = |values: &[f64]| -> Vec<f64> { values.chunks(3).rev().flatten().copied().collect() };
        (coords, velocities) = (back(&coords), back(&velocities));
        masses.reverse();
        ids.reverse();
    }
    assert!(found.iter().all(|other| *other == found[0]));
}

/// Sizes that no real32 holds: one heap of coincident points.
#[test]
fn sizes_beyond_2_to_24() {
    let n = match std::env::var_os("NEARGRID_TEST_ALL") {
        Some(_) => (1 << 24) + 1,
        None => (1 << 18) + 1,
    };
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    search.set_cutoff(1.0).unwrap();
    let heap = vec![0.5f32; n];
    search.set_points(&PointsView::interleaved(1, &heap).unwrap()).unwrap();
    let masses = vec![0.1f32; n];
    let properties = Properties {
        masses: Some(&masses),
        velocities: None,
    };
    let groups = search.groups(2, &properties).unwrap();
    assert_eq!(
        (groups.sizes, groups.centers, groups.radii),
        (&[n as i64][..], &[0.5][..], &[0.0][..])
    );
    assert_eq!(
        groups.masses,
        [f64::from(0.1f32) * n as f64],
        "a product of 24 and 25 bits is exact"
    );
}
