//! The number of distances that a search by radii tests: at most a constant times points, queries and entries, for any cloud and radii.

use super::{ALL, is_symmetric, radii_of};
use crate::common::{Case, Domain, Random, Rules, all_cases, periodic_cases};
use neargrid::{Backend, Counter, NeighborsKind, PointsView, Precision, RadiusRule, Search, TieRule};

/// Tests for each point, query and entry, at most.
const MOST: i64 = 40;

/// The same for clouds of some hundred points with a handful of entries: that many are in one or two leaves.
const MOST_OF_FEW: i64 = 100;

/// A cloud with a radius per point, and queries with theirs.
#[derive(Clone)]
struct World {
    case: Case,
    radii: Vec<f64>,
    queries: Vec<f64>,
    query_radii: Vec<f64>,
    /// Those under which the entries are too many for a test are left out.
    rules: Vec<RadiusRule>,
}

impl World {
    fn new(name: impl Into<String>, coords: Vec<f64>, radii: Vec<f64>) -> World {
        World {
            case: Case::new(name, 3, coords, 1.0),
            radii,
            queries: Vec::new(),
            query_radii: Vec::new(),
            rules: ALL.to_vec(),
        }
    }

    fn with_queries(self, queries: Vec<f64>, query_radii: Vec<f64>) -> World {
        World {
            queries,
            query_radii,
            ..self
        }
    }

    fn exclusive(self) -> World {
        let case = self.case.with_rule(TieRule::Exclusive);
        World { case, ..self }
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

fn narrow<T: Precision>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&value| T::from_f64(value)).collect()
}

/// Bounds the tests of every rule and every kind of rows.
fn check<T: Precision>(world: &World, most: i64, over: &mut Vec<String>) {
    let World { case, .. } = world;
    if !case.fits::<T>() {
        return;
    }
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    search.set_threads(1).unwrap();
    super::set(&mut search, case, &case.coords_as::<T>());
    search.set_types(&case.rules.types, &case.rules.mask).unwrap();
    let active = case.rules.active.map(|active| active as i64);
    search.set_active(active).unwrap();
    let queries = narrow::<T>(&world.queries);
    if !queries.is_empty() {
        let queries = PointsView::interleaved(case.dim, &queries).unwrap();
        search.set_queries(&queries).unwrap();
        search.set_query_radii(&narrow::<T>(&world.query_radii)).unwrap();
    }
    let everyone = (case.coords.len() + queries.len()) / case.dim;
    for &rule in &world.rules {
        search.set_radii(&narrow::<T>(&world.radii), rule).unwrap();
        for kind in [NeighborsKind::Half, NeighborsKind::Full, NeighborsKind::Queries] {
            let is_asked = match kind {
                NeighborsKind::Half => is_symmetric(rule),
                NeighborsKind::Full => true,
                NeighborsKind::Queries => !queries.is_empty(),
            };
            if is_asked {
                let entries = search.count_neighbors(kind).unwrap();
                let tests = search.counter(Counter::DistanceTests);
                let allowed = everyone as i64 + entries;
                if tests > most * allowed {
                    over.push(format!(
                        "{} {} {rule:?} {kind:?}: {:.0} times {allowed}",
                        case.name,
                        T::NAME,
                        tests as f64 / allowed as f64
                    ));
                }
            }
        }
    }
}

fn check_all(worlds: impl IntoIterator<Item = World>) {
    check_at_most(MOST, worlds);
}

fn check_at_most(most: i64, worlds: impl IntoIterator<Item = World>) {
    let mut over = Vec::new();
    for world in worlds {
        check::<f32>(&world, most, &mut over);
        check::<f64>(&world, most, &mut over);
    }
    assert!(over.is_empty(), "{} too many:\n{}", over.len(), over.join("\n"));
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
        worlds.push(World::new(format!("{m} in one place at {at}"), coords, radii.clone()).exclusive());
        for width in [1e-3, 1e-6, 1e-18] {
            let at = if at > 100.0 { at } else { 0.0 };
            let coords = joined(&[&cloud(N), &cube(m, at, width, 5)]);
            let mut world = World::new(format!("{m} within {width} at {at}"), coords, radii.clone());
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
            worlds.push(World::new(name, coords, radii));
        }
    }
    // Positions and radii on all scales.
    for (n, decades) in [(3000, 14.0), (8000, 30.0)] {
        let mut random = Random(n as u64);
        let scale: Vec<f64> = (0..n).map(|_| 10f64.powf(-decades * random.uniform())).collect();
        let unit = random.cloud(3, n);
        let coords = (0..3 * n).map(|k| (unit[k] - 0.5) * scale[k / 3]).collect();
        let radii = scale.iter().map(|scale| (0.05 * scale).max(1e-7)).collect();
        worlds.push(World::new(format!("{n} on {decades} decades"), coords, radii));
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
        World::new(format!("radii from {least}, 1:{ratio}"), cloud(n), radii)
    });
    let few = (0..n).map(|k| if k % 50 == 0 { 40.0 } else { 0.5 }).collect();
    let few = World::new("one in 50 reaches all", cloud(n), few);
    check_all(worlds.into_iter().chain([few]));
}

/// More queries than points, in a clump; and more than a block can hold.
#[test]
fn dense_queries() {
    let n = 8000;
    let worlds = [(20_000, 0.1), (70_000, 0.1), (20_000, 0.0), (20_000, 3.0)].map(|(m, width)| {
        World::new(format!("{m} queries within {width}"), cloud(n), vec![1.5; n])
            .with_queries(cube(m, 8.0, width, 3), vec![1.5; m])
    });
    check_all(worlds);
}

/// Clumps of more points than a block can hold.
#[test]
fn large_clumps() {
    let (n, m) = (4000, 70_000);
    let spacing = 1e-2 / f64::cbrt(m as f64);
    let coords = joined(&[&cloud(n), &cube(m, 5.0, 1e-2, 4)]);
    let radii = joined(&[&vec![1.2; n], &vec![1.5 * spacing; m]]);
    let mut world = World::new("a large clump", coords, radii);
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
            let mut world = World::new(format!("length {length:e} from {lo}"), cloud(n), vec![1.5; n]);
            // If real32 has no room at the ends, the half that is there is in one place.
            world.case.only = Some("real64").filter(|_| lo == -0.5 * width && length > 1e6);
            worlds.push(world.periodic(lo, length));
        }
    }
    for length in [1e15, 1e18, 1e60, 1e300] {
        let mut world = World::new(format!("length {length:e}"), cloud(n), vec![1.5; n]);
        world.case.only = Some("real64").filter(|_| length > 1e37);
        worlds.push(world.periodic(0.0, length));
    }
    for (offset, only) in [(1e3, None), (1e5, None), (1e9, Some("real64")), (1e13, Some("real64"))] {
        let coords = cube(n, offset, width, 9);
        let mut world = World::new(format!("at {offset:e}"), coords, vec![1.5; n]);
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
            let world = World::new(format!("{m} {what}"), coords, vec![1.2; n + m]);
            worlds.push(world.clone().of_kinds(Rules::new(&types, walls.clone(), None)));
            worlds.push(world.of_kinds(Rules::new(&[], Vec::new(), Some(n))));
        }
        let coords = joined(&[&cloud(n), &cube(m, 6.0, 0.3, 8)]);
        let types: Vec<i32> = (0..n + m).map(|i| i32::from(i < n || i % 100 == 0)).collect();
        let world = World::new(format!("{m} of them mixed"), coords, vec![1.2; n + m]);
        worlds.push(world.of_kinds(Rules::new(&types, walls.clone(), None)));
    }
    check_all(worlds);
}

/// The clouds of all tests.
#[test]
fn clouds() {
    let mut random = Random(51);
    let cases = all_cases().into_iter().chain(periodic_cases());
    check_at_most(
        MOST_OF_FEW,
        cases
            .filter(|case| case.fits::<f32>() && case.fits::<f64>())
            .map(|case| {
                let n = case.coords.len() / case.dim;
                let radii = radii_of::<f32>(&case, n, &mut random);
                World {
                    radii: radii.into_iter().map(|radius| 0.999 * f64::from(radius)).collect(),
                    case,
                    queries: Vec::new(),
                    query_radii: Vec::new(),
                    rules: ALL.to_vec(),
                }
            }),
    );
}
