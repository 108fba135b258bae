//! The catalogue of groups: members against the labels, sums against sums without rounding by another method, and the same bits
//! for any number of threads and any order of the points.

use crate::common::{Domain, Random};
use neargrid::{Backend, Groups, PointsView, Precision, Properties, Real, Search, Status, oracle};

/// Adds `x` to a sum of numbers that do not overlap, without rounding (Shewchuk 1997, "Adaptive precision floating-point
/// arithmetic").
fn grow(sum: &mut Vec<f64>, x: f64) {
    let mut carry = x;
    for part in sum.iter_mut() {
        let total = carry + *part;
        let (virtual_part, rest) = (total - carry, total);
        *part = (carry - (rest - virtual_part)) + (*part - virtual_part);
        carry = total;
    }
    sum.push(carry);
    sum.retain(|&part| part != 0.0);
}

/// The same for a product: its rounding error is a number too.
fn grow_product(sum: &mut Vec<f64>, x: f64, y: f64) {
    grow(sum, x * y);
    grow(sum, x.mul_add(y, -(x * y)));
}

fn total(sum: &[f64]) -> f64 {
    sum.iter().sum() // from the smallest on: at most a unit in the last place off
}

/// Sums over the members of a group.
#[derive(Clone, Default)]
struct Truth {
    mass: Vec<f64>,
    positions: [Vec<f64>; 3],
    momenta: [Vec<f64>; 3],
    /// Sums of sizes, which errors are measured by.
    moved: [f64; 3],
    moving: [f64; 3],
    low: [f64; 3],
    high: [f64; 3],
}

struct Cloud<T> {
    dim: usize,
    coords: Vec<T>,
    masses: Vec<T>,
    velocities: Vec<T>,
    domain: Domain,
    cutoff: f64,
}

impl<T: Precision> Cloud<T> {
    fn len(&self) -> usize {
        self.coords.len() / self.dim
    }

    fn search(&self, base: i64) -> Search {
        let mut search = Search::new().unwrap();
        search.set_backend(Backend::Cpu);
        search.set_index_base(base).unwrap();
        self.domain.set(&mut search, self.dim);
        search.set_cutoff(self.cutoff).unwrap();
        search
            .set_points(&PointsView::interleaved(self.dim, &self.coords).unwrap())
            .unwrap();
        search
    }

    fn properties(&self) -> Properties<'_, T> {
        Properties {
            masses: Some(&self.masses),
            velocities: Some(PointsView::interleaved(self.dim, &self.velocities).unwrap()),
        }
    }

    /// The displacement of point `i` from point `j`, nearest image, in real64.
    fn between(&self, i: usize, j: usize, axis: usize) -> f64 {
        let coord = |i: usize| self.coords[i * self.dim + axis];
        let Some([lo, length]) = self.domain.periods::<T>()[axis] else {
            return coord(i).to_f64() - coord(j).to_f64();
        };
        let [a, b] = [i, j].map(|i| oracle::wrapped(coord(i), lo, length).to_f64());
        let (d, length) = (a - b, length.to_f64());
        match () {
            () if d > 0.5 * length => d - length,
            () if d < -0.5 * length => d + length,
            () => d,
        }
    }

    fn truth(&self, label: usize, members: &[usize]) -> Truth {
        let mut truth = Truth::default();
        for &i in members {
            let mass = self.masses[i].to_f64();
            grow(&mut truth.mass, mass);
            for axis in 0..self.dim {
                let d = self.between(i, label, axis);
                let v = self.velocities[i * self.dim + axis].to_f64();
                grow_product(&mut truth.positions[axis], mass, d);
                grow_product(&mut truth.momenta[axis], mass, v);
                truth.moved[axis] += (mass * d).abs();
                truth.moving[axis] += (mass * v).abs();
                truth.low[axis] = truth.low[axis].min(d);
                truth.high[axis] = truth.high[axis].max(d);
            }
        }
        truth
    }

    /// Members and sums of all groups.
    fn check(&self, groups: &Groups, labels: &[i32], min_size: usize, base: i64, name: &str) {
        let mut expected: Vec<(usize, Vec<usize>)> = Vec::new();
        for label in 0..self.len() {
            let is_member = |&i: &usize| i64::from(labels[i]) == label as i64 + base;
            let members: Vec<usize> = (0..self.len()).filter(is_member).collect();
            if members.len() >= min_size {
                expected.push((label, members));
            }
        }
        expected.sort_by_key(|(label, members)| (std::cmp::Reverse(members.len()), *label));
        assert_eq!(groups.labels.len(), expected.len(), "{name}");
        let mut order: Vec<usize> = expected.iter().flat_map(|(_, members)| members.clone()).collect();
        let rest: Vec<usize> = (0..self.len()).filter(|i| !order.contains(i)).collect();
        order.extend(rest);
        assert!(
            groups.order.iter().map(|&i| (i64::from(i) - base) as usize).eq(order),
            "{name}: order"
        );
        let mut end = base;
        assert_eq!(groups.offsets[0], base);
        for (g, (label, members)) in expected.iter().enumerate() {
            let name = format!("{name}: group {g} of {}", members.len());
            assert_eq!(i64::from(groups.labels[g]) - base, *label as i64, "{name}");
            assert_eq!(groups.sizes[g], members.len() as i64, "{name}");
            end += members.len() as i64;
            assert_eq!(groups.offsets[g + 1], end, "{name}");
            self.check_sums(groups, g, *label, members, &name);
        }
    }

    fn check_sums(&self, groups: &Groups, g: usize, label: usize, members: &[usize], name: &str) {
        let truth = self.truth(label, members);
        let mass = total(&truth.mass);
        let near = |found: f64, expected: f64, scale: f64, what: &str| {
            let error = (found - expected).abs();
            assert!(error <= 1e-12 * scale, "{name}: {what} is {found}, not {expected}");
        };
        near(groups.masses[g], mass, 1e-3 * mass, "mass");
        let (dim, periods) = (self.dim, self.domain.periods::<T>());
        let mut center = [0.0; 3];
        let mut wide = false;
        for axis in 0..dim {
            center[axis] = total(&truth.positions[axis]) / mass;
            let found = groups.centers[g * dim + axis];
            let origin = self.coords[label * dim + axis];
            let mut d = found - origin.to_f64() - center[axis];
            if let Some([lo, length]) = periods[axis] {
                let origin = oracle::wrapped(origin, lo, length).to_f64();
                let [lo, length] = [lo, length].map(Real::to_f64);
                d = found - origin - center[axis];
                assert!(lo <= found && found < lo + length, "{name}: center {found} in the box");
                d -= (d / length).round() * length;
                wide |= truth.high[axis] - truth.low[axis] >= 0.5 * length;
                near(d, 0.0, truth.moved[axis] / mass + 1e-2 * length, "center");
            } else {
                near(
                    d,
                    0.0,
                    truth.moved[axis] / mass + 1e-2 * origin.to_f64().abs(),
                    "center",
                );
            }
            let velocity = groups.velocities.unwrap()[g * dim + axis];
            near(
                velocity,
                total(&truth.momenta[axis]) / mass,
                truth.moving[axis] / mass,
                "velocity",
            );
        }
        let mut squares = Vec::new();
        for &i in members {
            for (axis, center) in center.iter().enumerate().take(dim) {
                let d = self.between(i, label, axis) - center;
                grow_product(&mut squares, self.masses[i].to_f64(), d * d);
            }
        }
        let radius = (total(&squares) / mass).sqrt();
        near(groups.radii[g], radius, radius, "radius");
        assert_eq!(groups.wide[g], i32::from(wide), "{name}: wide");
    }
}

/// Blobs, some across the corner of a periodic box, with masses and velocities of many sizes.
fn clouds<T: Precision>() -> Vec<Cloud<T>> {
    let mut clouds = Vec::new();
    for dim in 1..=3 {
        let mut random = Random(60 + dim as u64);
        let n = 700;
        let mut normal = |sigma: f64| sigma * ((0..12).map(|_| random.uniform()).sum::<f64>() - 6.0);
        let centers: Vec<f64> = (0..5 * dim).map(|k| if k < dim { 0.0 } else { normal(0.4) }).collect();
        let blobs: Vec<f64> = (0..n * dim)
            .map(|k| centers[k / dim % 5 * dim + k % dim] + normal([0.005, 0.02, 0.3][k / dim % 3]))
            .collect();
        let numbers = |random: &mut Random, n: usize| -> Vec<f64> {
            (0..n)
                .map(|_| (random.uniform() - 0.5) * 10f64.powi(random.below(12) as i32 - 6))
                .collect()
        };
        let (masses, velocities) = (numbers(&mut random, n), numbers(&mut random, n * dim));
        let as_t = |numbers: &[f64]| numbers.iter().map(|&x| T::from_f64(x)).collect::<Vec<T>>();
        let masses: Vec<f64> = masses.iter().map(|m| m.abs() + 1e-9).collect();
        let box_of = |length: f64| Domain::new([-0.25, 0.5, -3.0], [length, 2.0 * length, length], [true, true, false]);
        for (domain, cutoff) in [
            (Domain::default(), 0.03),
            (box_of(1.5), 0.02),
            (box_of(1.5), 0.2),
            (Domain::periodic(0.0, 1.0), 0.04),
            (Domain::periodic(0.0, 1.0), 0.5),
        ] {
            clouds.push(Cloud {
                dim,
                coords: as_t(&blobs),
                masses: as_t(&masses),
                velocities: as_t(&velocities),
                domain,
                cutoff,
            });
        }
    }
    clouds
}

fn check_all<T: Precision>() {
    let mut wide = 0;
    for (k, cloud) in clouds::<T>().iter().enumerate() {
        let base = (k % 2) as i64;
        let mut search = cloud.search(base);
        for min_size in [1, 2, 20, 1000] {
            let name = format!("cloud {k} ({}), at least {min_size}", T::NAME);
            let labels = search.fof().unwrap().labels.to_vec();
            let groups = search.groups(min_size, &cloud.properties()).unwrap();
            cloud.check(&groups, &labels, min_size as usize, base, &name);
            wide += groups.wide.iter().sum::<i32>();
        }
    }
    assert!(wide > 5, "{wide} wide groups");
}

#[test]
fn against_exact_sums_real64() {
    check_all::<f64>();
}

#[test]
fn against_exact_sums_real32() {
    check_all::<f32>();
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Threads, and points in another order under the same global ids, change no bit: large groups are dealt out among threads.
#[test]
fn same_bits() {
    let (n, mut random) = (60_000, Random(71));
    let mut cloud = clouds::<f64>().swap_remove(13);
    cloud.coords = random.cloud(3, n).iter().map(|c| c * 0.9 - 0.45).collect();
    cloud.masses = (0..n).map(|_| random.uniform() + 1e-3).collect();
    cloud.velocities = random.cloud(3, n).iter().map(|v| v - 0.5).collect();
    cloud.cutoff = 0.023;
    let mut search = cloud.search(0);
    let ids: Vec<i64> = (0..n as i64).map(|i| i * 7 - 1000).collect();
    search.set_ids(&ids).unwrap();
    let seen = |groups: &Groups| {
        let sums = [groups.masses, groups.centers, groups.velocities.unwrap(), groups.radii].map(bits);
        (groups.sizes.to_vec(), sums, groups.wide.to_vec())
    };
    let mut found = Vec::new();
    for threads in [1, 2, 3, 8] {
        search.set_threads(threads).unwrap();
        let groups = search.groups(3, &cloud.properties()).unwrap();
        assert!(groups.sizes[0] > 40_000, "{:?}", &groups.sizes[..3]);
        found.push(seen(&groups));
    }
    assert!(found.iter().all(|other| *other == found[0]));
    // The same points from the last to the first.
    let back = |values: &[f64], width: usize| -> Vec<f64> { values.chunks(width).rev().flatten().copied().collect() };
    (cloud.coords, cloud.velocities) = (back(&cloud.coords, 3), back(&cloud.velocities, 3));
    cloud.masses.reverse();
    let mut search = cloud.search(0);
    search.set_ids(&ids.iter().rev().copied().collect::<Vec<_>>()).unwrap();
    let groups = search.groups(3, &cloud.properties()).unwrap();
    assert_eq!(seen(&groups), found[0]);
}

/// A group across the corner of the box, where the mean of the coordinates would be the middle.
#[test]
fn across_a_corner() {
    let mut search = Search::new().unwrap();
    search.set_box(&[0.0; 3], &[1.0; 3], &[true; 3]).unwrap();
    search.set_cutoff(0.125).unwrap();
    let corners: Vec<f64> = (0..8)
        .flat_map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 0.96875 } else { 0.03125 }))
        .collect();
    search
        .set_points(&PointsView::interleaved(3, &corners).unwrap())
        .unwrap();
    let groups = search.groups::<f64>(1, &Properties::default()).unwrap();
    assert_eq!(
        (groups.sizes, groups.masses, groups.wide),
        (&[8][..], &[8.0][..], &[0][..])
    );
    assert_eq!(groups.centers, [0.0; 3]);
    assert_eq!(groups.radii, [(3.0f64 / 1024.0).sqrt()]);
    assert!(groups.velocities.is_none());
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

#[test]
fn nothing_and_one() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    search
        .set_points(&PointsView::<f64>::interleaved(2, &[]).unwrap())
        .unwrap();
    let groups = search.groups::<f64>(1, &Properties::default()).unwrap();
    assert_eq!(
        (groups.sizes, groups.offsets, groups.order),
        (&[][..], &[0][..], &[][..])
    );
    search
        .set_points(&PointsView::interleaved(2, &[3.0, -4.0]).unwrap())
        .unwrap();
    let groups = search.groups::<f64>(1, &Properties::default()).unwrap();
    assert_eq!(
        (groups.sizes, groups.centers, groups.radii),
        (&[1][..], &[3.0, -4.0][..], &[0.0][..])
    );
    let groups = search.groups::<f64>(2, &Properties::default()).unwrap();
    assert_eq!((groups.sizes, groups.order), (&[][..], &[0][..]));
}

#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    search.set_index_base(1).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 1.0, 3.0]).unwrap())
        .unwrap();
    let refused =
        |search: &mut Search, min_size: i64, masses: &[f64], velocities: &[f64], status: Status, text: &str| {
            let properties = Properties {
                masses: Some(masses),
                velocities: Some(PointsView::interleaved(1, velocities).unwrap()),
            };
            let error = search.groups(min_size, &properties).unwrap_err();
            assert_eq!(error.status(), status, "{error}");
            assert!(error.to_string().contains(text), "{error}");
        };
    let (some, bad) = ([1.0; 3], [1.0, f64::NAN, 1.0]);
    refused(
        &mut search,
        0,
        &some,
        &some,
        Status::BadCount,
        "min_size = 0 is not allowed: it must be at least 1",
    );
    refused(&mut search, -1, &some, &some, Status::BadCount, "min_size = -1");
    refused(
        &mut search,
        1,
        &some[1..],
        &some,
        Status::BadCount,
        "number of masses = 2 is not allowed: it must be 3",
    );
    refused(
        &mut search,
        1,
        &some,
        &some[1..],
        Status::BadCount,
        "number of velocities = 2",
    );
    refused(
        &mut search,
        1,
        &[1.0, 2.0, 0.0],
        &some,
        Status::BadValue,
        "mass = 0 is not allowed: it must be finite and greater than 0 (first at point 3)",
    );
    refused(&mut search, 1, &bad, &some, Status::BadValue, "(first at point 2)");
    refused(
        &mut search,
        1,
        &some,
        &bad,
        Status::NonFinite,
        "vx = NaN is not allowed: it must be finite (first at point 2)",
    );
    let error = search.groups::<f32>(1, &Properties::default()).unwrap_err();
    assert_eq!(error.status(), Status::BadValue, "{error}");
    assert_eq!(search.groups::<f64>(1, &Properties::default()).unwrap().labels, [1, 3]);
}
