//! Clouds that searches without a cutoff are tested on as well.

use super::{Case, Domain, Random, lattice};

/// Clouds with points on many scales.
pub fn clustered_cases() -> Vec<Case> {
    let mut clouds = Vec::new();
    for dim in 1..=3 {
        let mut random = Random(900 + dim as u64);
        let n = 1500;
        let centers = random.cloud(dim, 12);
        let normal = |random: &mut Random| (0..6).map(|_| random.uniform() - 0.5).sum::<f64>();
        let blobs = (0..n).flat_map(|_| {
            let (center, width) = (random.below(12), [1e-2, 1e-5][random.below(2)]);
            (0..dim)
                .map(|axis| centers[center * dim + axis] + width * normal(&mut random))
                .collect::<Vec<_>>()
        });
        clouds.push(Case::new(format!("blobs in {dim}D"), dim, blobs.collect(), 0.1));
        // Clusters of clusters: each level a third of the width of the one above it.
        let offsets = random.cloud(dim, 4 * 14);
        let hierarchy = (0..n).flat_map(|_| {
            let mut point = vec![0.0; dim];
            for level in 0..14 {
                let offset = (level * 4 + random.below(4)) * dim;
                (0..dim).for_each(|axis| point[axis] += 0.3f64.powi(level as i32) * offsets[offset + axis]);
            }
            point
        });
        clouds.push(Case::new(
            format!("clusters of clusters in {dim}D"),
            dim,
            hierarchy.collect(),
            0.1,
        ));
        // A dense ball beside a thin cloud, whose leaves lie near it.
        let ball = (0..n).flat_map(|k| {
            (0..dim)
                .map(|_| {
                    if k % 9 == 0 {
                        random.uniform()
                    } else {
                        0.5 + 1e-3 * random.uniform()
                    }
                })
                .collect::<Vec<_>>()
        });
        clouds.push(Case::new(format!("a ball in {dim}D"), dim, ball.collect(), 0.1));
        // Twice as many points as a walk gathers, all on three places.
        let places = (0..n).flat_map(|k| vec![(k * k % 3) as f64; dim]);
        clouds.push(Case::new(format!("three places in {dim}D"), dim, places.collect(), 0.1));
        // Beyond the largest number, distances are infinite: the numbers decide.
        let far = (0..90).flat_map(|k| vec![[0.0, 1e200, -1e200, 3e307, 1.0][k % 5] * (1 + k % 2) as f64; dim]);
        clouds.push(Case::new(format!("infinitely far in {dim}D"), dim, far.collect(), 0.1));
    }
    clouds
}

/// Boxes that pairs would be refused in: the k-th nearest is farther than half of them.
pub fn short_boxes() -> Vec<Case> {
    let mut clouds = Vec::new();
    for dim in 1..=3 {
        let mut random = Random(950 + dim as u64);
        let coords = random.cloud(dim, 300);
        for (length, mask) in [(1.0, [true; 3]), (1.1, [true, false, true]), (0.5, [false, true, true])] {
            let domain = Domain::new([-0.25; 3], [length, length * 1.5, length * 0.3], mask);
            let name = format!("a box of {length} in {dim}D, {mask:?}");
            clouds.push(Case::new(name, dim, coords.clone(), 0.01).with_domain(domain));
        }
        let lattice = lattice(dim, [64, 16, 6][dim - 1], 0.125, &mut random);
        let domain = Domain::periodic(0.0, [8.0, 2.0, 0.75][dim - 1]);
        clouds.push(Case::new(format!("a full lattice in {dim}D"), dim, lattice, 0.01).with_domain(domain));
    }
    clouds
}
