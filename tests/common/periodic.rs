//! Clouds in boxes with periodic axes: points in, on and outside of the box, boxes of two cutoffs and of a thousand.

use neargrid::Real;

use super::{Case, Domain, Random, lattice};

/// All of them, each for both tie rules.
pub fn periodic_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dim in 1..=3 {
        add_boxes(dim, &mut cases);
        add_edges(dim, &mut cases);
        add_far_corners(dim, &mut cases);
        add_clusters(dim, &mut cases);
        add_couples(dim, &mut cases);
        add_far_boxes(dim, &mut cases);
    }
    let exclusive: Vec<_> = cases
        .iter()
        .map(|case| case.with_rule(neargrid::TieRule::Exclusive))
        .collect();
    cases.extend(exclusive);
    cases
}

/// Uniform clouds, some of whose points lie several boxes away.
fn add_boxes(dim: usize, cases: &mut Vec<Case>) {
    let mut random = Random(200 + dim as u64);
    let n = 700;
    let cutoff = 2.0 * (n as f64).powf(-1.0 / dim as f64);
    let cloud = random.cloud(dim, n);
    let everywhere = |lo: f64, length: f64| -> Vec<f64> {
        let image = |k: usize| [0.0, 0.0, 0.0, 1.0, -1.0, 3.0, -7.0][(k / dim * 5 + k % dim * 3) % 7];
        let coord = |(k, &c): (usize, &f64)| lo + (c + image(k)) * length;
        cloud.iter().enumerate().map(coord).collect()
    };
    let mut add = |name: &str, coords: Vec<f64>, cutoff: f64, domain: Domain| {
        cases.push(Case::new(format!("{name} in {dim}D"), dim, coords, cutoff).with_domain(domain));
    };
    let unit = Domain::periodic(0.0, 1.0);
    add("periodic", cloud.clone(), cutoff.min(0.5), unit);
    add("periodic, a narrow cutoff", cloud.clone(), 0.3 * cutoff, unit);
    add(
        "periodic, points in other images",
        everywhere(0.0, 1.0),
        cutoff.min(0.5),
        unit,
    );
    add(
        "periodic, few points in other images",
        everywhere(0.0, 1.0)[..dim * 100].to_vec(),
        cutoff.min(0.5),
        unit,
    );
    add(
        "periodic, a box off the origin",
        everywhere(-3.7, 0.9),
        0.8 * cutoff.min(0.5),
        Domain::periodic(-3.7, 0.9),
    );
    for periodic in [
        [true, false, false],
        [false, true, false],
        [false, true, true],
        [true, false, true],
    ] {
        if periodic[..dim].contains(&true) {
            let domain = Domain::new([0.1; 3], [0.7, 0.8, 0.9], periodic);
            add(
                &format!("periodic {periodic:?}"),
                cloud.clone(),
                cutoff.min(0.35),
                domain,
            );
        }
    }
    for (name, cutoff) in [
        ("two", 0.5),
        ("2.5", 0.4),
        ("three", 1.0 / 3.0),
        ("five", 0.2),
        ("nine", 1.0 / 9.0),
    ] {
        add(
            &format!("a periodic box of {name} cutoffs"),
            cloud.clone(),
            cutoff,
            unit,
        );
    }
    let long = Domain::new([0.0; 3], [1.0, 40.0, 3.0], [true; 3]);
    let coords = cloud
        .iter()
        .enumerate()
        .map(|(k, c)| c * long.length[k % dim])
        .collect();
    add("a periodic box of unequal edges", coords, 0.4, long);
    let far = Domain::periodic(-1e6, 1.0);
    add(
        "a periodic box a million edges away",
        cloud.clone(),
        cutoff.min(0.5),
        far,
    );
    let wide = Domain::periodic(0.0, 1e6);
    let coords = cloud.iter().map(|c| c * 1e6).collect();
    add("a tiny cutoff in a large periodic box", coords, 1.0, wide);
    let clump = cloud.iter().map(|c| (c * 40.0 + 1e6 - 20.0) % 1e6).collect();
    add(
        "a clump across the corner of a large periodic box",
        clump,
        40.0 * cutoff,
        wide,
    );
    for n in 0..=4 {
        add(&format!("periodic, n = {n}"), cloud[..dim * n].to_vec(), 0.4, unit);
    }
}

/// Points on faces, edges and corners and beside them, lattices whose shells lie on the cutoff across the boundary.
fn add_edges(dim: usize, cases: &mut Vec<Case>) {
    let mut random = Random(300 + dim as u64);
    for (lo, length) in [
        (0.0, 1.0),
        (-0.5, 1.0),
        (0.1, 0.7),
        (3.0, 0.3),
        (1e6, 1.0),
        (-7.3e5, 2.9),
    ] {
        let near = |edge: f64| {
            [
                edge,
                edge.next_up(),
                edge.next_down(),
                f64::from(edge as f32),
                f64::from((edge as f32).next_up()),
                f64::from((edge as f32).next_down()),
            ]
        };
        let rounded = f64::from(lo as f32 + length as f32); // where the box ends in real32
        let edges = [
            lo,
            lo + length,
            rounded,
            lo + 0.5 * length,
            lo - length,
            lo + 2.0 * length,
        ];
        let places: Vec<f64> = edges.into_iter().flat_map(near).collect();
        let coords = (0..dim * 120)
            .map(|_| places[random.below(places.len())])
            .collect::<Vec<_>>();
        for share in [0.5, 0.25, 1e-3] {
            let name = format!("points on the faces of {lo} + {length}, cutoff {share} of it, in {dim}D");
            // Rounded down, so that the box has two of them in either precision.
            let cutoff = f64::from((share * length) as f32).min(share * length);
            cases.push(
                Case::new(name, dim, coords.clone(), cutoff * (1.0 - 1e-6)).with_domain(Domain::periodic(lo, length)),
            );
        }
    }
    let side = [64, 16, 8][dim - 1];
    for spacing in [1.0, 0.125] {
        let length = side as f64 * spacing;
        for cutoff in [1.0, 2.0, side as f64 / 2.0] {
            let name = format!("a periodic lattice of spacing {spacing}, cutoff {cutoff} of them, in {dim}D");
            let coords = lattice(dim, side, spacing, &mut random);
            cases.push(Case::new(name, dim, coords, cutoff * spacing).with_domain(Domain::periodic(0.0, length)));
        }
    }
    // Spacings that are not exact: shells on the cutoff round one way or the other, other ways across the boundary.
    let coords = lattice(dim, side, 0.1, &mut random);
    let domain = Domain::periodic(0.0, side as f64 * 0.1);
    for cutoff in [0.1, 0.2, 0.3] {
        let name = format!("a periodic lattice of spacing 0.1, cutoff {cutoff}, in {dim}D");
        cases.push(Case::new(name, dim, coords.clone(), cutoff).with_domain(domain));
    }
}

/// Boxes that begin elsewhere than at 0: around it, as far away as leaves real32 few digits, lattices whose shells lie on the
/// cutoff across the boundary; points inside, on the ends and boxes away.
fn add_far_boxes(dim: usize, cases: &mut Vec<Case>) {
    let mut random = Random(600 + dim as u64);
    let n = 500;
    let cutoff = 1.2 * (n as f64).powf(-1.0 / dim as f64);
    let cloud = random.cloud(dim, n);
    for (lo, length) in [
        (-0.5, 1.0),
        (-1.0 / 3.0, 0.7),
        (-1e6, 1.0),
        (1e6, 1.0),
        (3e7, 100.0),
        (-4.5e15, 8.0),
        (1e-3, 1e5),
    ] {
        let image = |k: usize| {
            if (k / dim).is_multiple_of(11) {
                [-1.0, 1.0, 40.0][k % 3]
            } else {
                0.0
            }
        };
        let coord = |(k, c): (usize, &f64)| lo + (c + image(k)) * length;
        let coords: Vec<_> = cloud.iter().enumerate().map(coord).collect();
        for share in [cutoff, 0.2 * cutoff, 0.499] {
            let name = format!("a box of {length} from {lo} on, cutoff {share} of it, in {dim}D");
            let case = Case::new(name, dim, coords.clone(), share.min(0.499) * length);
            cases.push(case.with_domain(Domain::periodic(lo, length)));
        }
    }
    let side = [60, 14, 7][dim - 1];
    for (spacing, lo) in [(0.1, -0.05 * side as f64), (0.125, -3.0), (1.0, 1e6), (0.1, 812.4)] {
        let coords = lattice(dim, side, spacing, &mut random)
            .into_iter()
            .map(|c| lo + c)
            .collect::<Vec<_>>();
        let domain = Domain::periodic(lo, side as f64 * spacing);
        for shells in [1.0, 2.0, 3.0] {
            let name =
                format!("a lattice of spacing {spacing} in a box from {lo} on, cutoff {shells} of them, in {dim}D");
            cases.push(Case::new(name, dim, coords.clone(), shells * spacing).with_domain(domain));
        }
    }
}

/// Lattices around the corner of boxes so large that a difference across the boundary is rounded by much of the spacing.
fn add_far_corners(dim: usize, cases: &mut Vec<Case>) {
    let mut random = Random(500 + dim as u64);
    let side = [200, 16, 7][dim - 1];
    for length in [100.0, 1e4, 1e6, 1e13] {
        let around = |c: f64| c - side as f64 * 0.05;
        let coords: Vec<f64> = lattice(dim, side, 0.1, &mut random).into_iter().map(around).collect();
        for cutoff in [0.1, 0.2, 0.45] {
            let name = format!("a lattice around the corner of a box of {length}, cutoff {cutoff}, in {dim}D");
            cases.push(Case::new(name, dim, coords.clone(), cutoff).with_domain(Domain::periodic(0.0, length)));
        }
        // Wrapped beforehand: the points near the upper end are coarse, those near the lower are not.
        let jittered = coords.iter().map(|c| {
            let c = c + 0.03 * random.uniform();
            if c < 0.0 { c + length } else { c }
        });
        let name = format!("a cloud around the corner of a box of {length}, in {dim}D");
        let jittered = jittered.collect();
        cases.push(Case::new(name, dim, jittered, 0.3).with_domain(Domain::periodic(0.0, length)));
    }
}

/// Clouds that are not uniform: all in one place, in one corner, on a line through the box, in blobs.
fn add_clusters(dim: usize, cases: &mut Vec<Case>) {
    let mut random = Random(400 + dim as u64);
    let cloud = random.cloud(dim, 600);
    let unit = Domain::periodic(0.0, 1.0);
    let mut add = |name: &str, coords: Vec<f64>, cutoff: f64| {
        cases.push(Case::new(format!("{name} in {dim}D"), dim, coords, cutoff).with_domain(unit));
    };
    add("periodic, all coincident", vec![0.0; dim * 150], 0.1);
    add(
        "periodic, all on a corner or its images",
        (0..dim * 60).map(|k| (k / dim % 3) as f64).collect(),
        0.1,
    );
    let corner = cloud.iter().map(|c| (c - 0.5) * 0.02).collect();
    add("periodic, all around a corner", corner, 0.004);
    let blobs = (0..dim * 600)
        .map(|k| (k / dim % 9) as f64 / 9.0 + (cloud[k] - 0.5) * 1e-3)
        .collect();
    add("periodic blobs", blobs, 3e-4);
    let line = (0..600).flat_map(|k| vec![k as f64 / 600.0; dim]).collect();
    add("a periodic diagonal line", line, 1.0 / 200.0);
    let film = (0..dim * 600)
        .map(|k| {
            if k % dim == dim - 1 {
                0.999 + 1e-3 * cloud[k]
            } else {
                cloud[k]
            }
        })
        .collect();
    add("a periodic film", film, 0.05);
}

/// Couples about a cutoff apart across a face, in boxes of two cutoffs up to more than real32 tells apart; and a box that is
/// narrow along one axis and endless along the others.
fn add_couples(dim: usize, cases: &mut Vec<Case>) {
    let mut random = Random(500 + dim as u64);
    let cloud = random.cloud(dim, 400);
    let beyond = [0.0, 1e-16, -1e-16, 1e-7, -1e-7, 1e-5, -1e-5, 1e-3, -1e-3, -0.5];
    for length in [2.0, 2.0 + 1e-6, 2.5, 3.0, 1e3, 1e5, 3e7, 1e12] {
        let mut coords = Vec::new();
        for (k, point) in cloud.chunks(dim).enumerate() {
            let axis = k % dim;
            let mut couple = [point, point].map(|point| point.iter().map(|c| c * length).collect::<Vec<_>>());
            couple[0][axis] = length - point[axis];
            couple[1][axis] = 1.0 - point[axis] + beyond[k / dim % beyond.len()];
            coords.extend(couple.concat());
        }
        let name = format!("couples across the faces of a periodic box of {length:e} cutoffs in {dim}D");
        cases.push(Case::new(name, dim, coords, 1.0).with_domain(Domain::periodic(0.0, length)));
    }
    let narrow = dim - 1;
    let place = |(k, c): (usize, &f64)| {
        if k % dim == narrow {
            c * 2.5
        } else {
            (c * 200.0).floor() * 1e5 + c
        }
    };
    let coords = cloud.iter().enumerate().map(place).collect();
    let mut periodic = [false; 3];
    periodic[narrow] = true;
    let name = format!("a narrow periodic axis beside endless ones in {dim}D");
    cases.push(Case::new(name, dim, coords, 1.0).with_domain(Domain::new([0.0; 3], [2.5; 3], periodic)));
}

/// Whether the box has two cutoffs in precision `T`, too.
pub fn fits<T: Real>(case: &Case) -> bool {
    let cutoff = T::from_f64(case.cutoff);
    let periods = case.domain.periods::<T>();
    let mut periods = periods[..case.dim].iter().flatten();
    case.domain.is_in::<T>() && periods.all(|&[_, length]| length.mul(T::from_f64(0.5)) >= cutoff)
}
