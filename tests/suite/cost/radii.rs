//! The number of distances that a search by radii tests: at most a constant times points, queries and entries, for any cloud and radii.

use super::*;
use crate::radii::ALL;
use neargrid::TieRule;

fn world(name: impl Into<String>, coords: Vec<f64>, radii: Vec<f64>) -> World {
    World::with_radii(Case::new(name, 3, coords, 1.0), radii, &ALL)
}

impl World {
    fn exclusive(mut self) -> World {
        self.case = self.case.with_rule(TieRule::Exclusive);
        self
    }

    fn of_kinds(mut self, rules: Rules) -> World {
        self.case.rules = rules;
        self
    }

    fn periodic(mut self, lo: f64, length: f64) -> World {
        self.case.domain = Domain::periodic(lo, length);
        self
    }
}

fn check_all(worlds: impl IntoIterator<Item = World>) {
    let mut bound = Bound::new(MOST);
    for world in worlds {
        bound.check_rows::<f32>(&world, 1);
        bound.check_rows::<f64>(&world, 1);
    }
    bound.report();
}

/// `n` points in the cube of edge `width` from `lo` on.
fn cube(n: usize, lo: f64, width: f64, seed: u64) -> Vec<f64> {
    Random(seed).cloud(3, n).into_iter().map(|c| lo + width * c).collect()
}

/// `n` points in a cube with one in each unit of volume.
fn cloud(n: usize) -> Vec<f64> {
    cube(n, 0.0, (n as f64).cbrt(), n as u64)
}

fn joined<T: Clone>(parts: &[&[T]]) -> Vec<T> {
    parts.concat()
}

/// As many points in one place.
fn place(n: usize, at: f64) -> Vec<f64> {
    vec![at; 3 * n]
}

/// Points of radius 0 in one place, and in a clump, inside a cloud and far away.
#[test]
fn dead_points() {
    const N: usize = 4000;
    let mut worlds = Vec::new();
    for (m, at) in [(3000, 7.0), (9000, 7.0), (9000, 1e6), (70_000, 1e3)] {
        let radii = joined(&[&vec![1.2; N], &vec![0.0; m]]);
        let coords = joined(&[&cloud(N), &place(m, at)]);
        worlds.push(world(format!("{m} in one place at {at}"), coords, radii.clone()).exclusive());
        for width in [1e-3, 1e-6, 1e-18] {
            let at = if at > 100.0 { at } else { 0.0 };
            let coords = joined(&[&cloud(N), &cube(m, at, width, 5)]);
            let mut world = world(format!("{m} within {width} at {at}"), coords, radii.clone());
            if width < 1e-9 || at > 0.0 {
                world.case.only = Some("real64"); // in real32 they would coincide
            }
            if width < 1e-9 && at > 0.0 {
                world = world.exclusive(); // in real64 too
            }
            worlds.push(world);
        }
    }
    check_all(worlds);
}

/// Small radii in a small clump beside large ones that reach it or not.
#[test]
fn tiny_beside_huge() {
    let mut worlds = Vec::new();
    for (m, width) in [(3000, 1e-2), (3000, 1e-5), (9000, 1e-5), (9000, 1e-13), (66_000, 1e-4)] {
        let spacing = width / f64::cbrt(m as f64);
        for (n, radius) in [(4000, 1.2), (1, 1e3), (20, 1e9)] {
            let coords = joined(&[&cloud(n), &cube(m, 0.0, width, 7)]);
            let radii = joined(&[&vec![radius; n], &vec![1.2 * spacing; m]]);
            let name = format!("{m} within {width} beside {n} of radius {radius}");
            worlds.push(world(name, coords, radii));
        }
    }
    // Positions and radii on all scales.
    for (n, decades) in [(3000, 14.0), (8000, 30.0)] {
        let mut random = Random(n as u64);
        let scale: Vec<f64> = (0..n).map(|_| 10f64.powf(-decades * random.uniform())).collect();
        let unit = random.cloud(3, n);
        let coords = (0..3 * n).map(|k| (unit[k] - 0.5) * scale[k / 3]).collect();
        let radii = scale.iter().map(|scale| (0.05 * scale).max(1e-7)).collect();
        worlds.push(world(format!("{n} on {decades} decades"), coords, radii));
    }
    check_all(worlds);
}

/// Radii from small to as large as the cloud, mixed.
#[test]
fn mixed_radii() {
    let n = 6000;
    let worlds = [(1.0, 30.0), (0.5, 1000.0), (2.0, 1.0)].map(|(least, ratio): (f64, f64)| {
        let mut random = Random(n as u64);
        let radii = (0..n).map(|_| least * ratio.powf(random.uniform().powi(4))).collect();
        world(format!("radii from {least}, 1:{ratio}"), cloud(n), radii)
    });
    let few = (0..n).map(|k| if k % 50 == 0 { 40.0 } else { 0.5 }).collect();
    let few = world("one in 50 reaches all", cloud(n), few);
    check_all(worlds.into_iter().chain([few]));
}

/// More queries than points, in a clump; and more than a block can hold.
#[test]
fn dense_queries() {
    let n = 8000;
    let worlds = [(20_000, 0.1), (70_000, 0.1), (20_000, 0.0), (20_000, 3.0)].map(|(m, width)| World {
        queries: cube(m, 8.0, width, 3),
        query_radii: vec![1.5; m],
        ..world(format!("{m} queries within {width}"), cloud(n), vec![1.5; n])
    });
    check_all(worlds);
}

/// Strays, near, far and very far.
#[test]
fn strays() {
    let n = 4000;
    let world = |far: f64| {
        let mut coords = cloud(n);
        coords[..3].fill(far);
        coords[3..5].fill(-far);
        world(format!("strays {far:e} away"), coords, vec![1.5; n])
    };
    check_all([40.0, 1e3, 1e7, 1e30].map(world));
}

/// Clumps of more points than a block can hold.
#[test]
fn large_clumps() {
    let (n, m) = (4000, 70_000);
    let spacing = 1e-2 / f64::cbrt(m as f64);
    let coords = joined(&[&cloud(n), &cube(m, 5.0, 1e-2, 4)]);
    let radii = joined(&[&vec![1.2; n], &vec![1.5 * spacing; m]]);
    let mut world = world("a large clump", coords, radii);
    world.rules = vec![RadiusRule::Max, RadiusRule::Min, RadiusRule::Gather];
    check_all([world]);
}

/// A cloud in a periodic box much longer than it, in the middle, at an end and across it; and far from zero.
#[test]
fn long_boxes() {
    let n = 4000;
    let width = f64::cbrt(n as f64);
    let mut worlds = Vec::new();
    for length in [1e2, 1e4, 1e5, 1e6, 1e7, 1e9, 1e12] {
        for lo in [0.0, -0.5 * width, -0.5 * length] {
            let mut world = world(format!("length {length:e} from {lo}"), cloud(n), vec![1.5; n]);
            // If real32 has no room at the ends, the half that is there is in one place.
            world.case.only = Some("real64").filter(|_| lo == -0.5 * width && length > 1e6);
            worlds.push(world.periodic(lo, length));
        }
    }
    for length in [1e15, 1e18, 1e60, 1e300] {
        let mut world = world(format!("length {length:e}"), cloud(n), vec![1.5; n]);
        world.case.only = Some("real64").filter(|_| length > 1e37);
        worlds.push(world.periodic(0.0, length));
    }
    for (offset, only) in [(1e3, None), (1e5, None), (1e9, Some("real64")), (1e13, Some("real64"))] {
        let coords = cube(n, offset, width, 9);
        let mut world = world(format!("at {offset:e}"), coords, vec![1.5; n]);
        world.case.only = only;
        worlds.push(world);
    }
    check_all(worlds);
}

/// Types that do not interact, and ghosts, in one place and mixed with others.
#[test]
fn kinds() {
    let n = 4000;
    let walls = vec![false, true, true, true];
    let mut worlds = Vec::new();
    for m in [5000, 20_000] {
        let types: Vec<i32> = (0..n + m).map(|i| i32::from(i < n)).collect();
        for (what, clump) in [("in one place", place(m, 7.0)), ("in a clump", cube(m, 6.0, 0.3, 8))] {
            let coords = joined(&[&cloud(n), &clump]);
            let world = world(format!("{m} {what}"), coords, vec![1.2; n + m]);
            worlds.push(world.clone().of_kinds(Rules::new(&types, walls.clone(), None)));
            worlds.push(world.of_kinds(Rules::new(&[], Vec::new(), Some(n))));
        }
        let coords = joined(&[&cloud(n), &cube(m, 6.0, 0.3, 8)]);
        let types: Vec<i32> = (0..n + m).map(|i| i32::from(i < n || i % 100 == 0)).collect();
        let world = world(format!("{m} of them mixed"), coords, vec![1.2; n + m]);
        worlds.push(world.of_kinds(Rules::new(&types, walls.clone(), None)));
    }
    check_all(worlds);
}
