//! The number of distances that a search tests: at most a constant times points, queries and entries, for any cloud. No clock is asked.

mod crowds;
mod gpu;
mod long;
mod radii;

use crate::common::{Case, Domain, Random, Rules};
use neargrid::{
    Backend, Counter, Formula, NeighborsKind, PointsView, Precision, RadiusRule, Search, Status, SumPrecision,
};

/// Tests for each point, query and entry, at most.
const MOST: usize = 40;

/// So few points are tested against each other without an index.
const FEW: usize = 128;

fn narrow<T: Precision>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&value| T::from_f64(value)).collect()
}

/// A cloud, queries, and radii of both; without radii all have the cutoff.
#[derive(Clone)]
struct World {
    case: Case,
    queries: Vec<f64>,
    radii: Vec<f64>,
    query_radii: Vec<f64>,
    /// Those under which the entries are too many for a test are left out.
    rules: Vec<RadiusRule>,
}

impl From<Case> for World {
    fn from(case: Case) -> World {
        World {
            case,
            queries: Vec::new(),
            radii: Vec::new(),
            query_radii: Vec::new(),
            rules: Vec::new(),
        }
    }
}

impl World {
    fn with_queries(case: Case, queries: Vec<f64>) -> World {
        World { queries, ..case.into() }
    }

    fn with_radii(case: Case, radii: Vec<f64>, rules: &[RadiusRule]) -> World {
        let rules = rules.to_vec();
        World {
            radii,
            rules,
            ..case.into()
        }
    }

    /// A search in it.
    fn search<T: Precision>(&self, backend: Backend, threads: i64) -> Search {
        let mut search = Search::new().unwrap();
        search.set_backend(backend);
        search.set_threads(threads).unwrap();
        self.case.set::<T>(&mut search);
        if !self.queries.is_empty() {
            let queries = narrow::<T>(&self.queries);
            let view = PointsView::interleaved(self.case.dim, &queries).unwrap();
            search.set_queries(&view).unwrap();
        }
        if !self.query_radii.is_empty() {
            search.set_query_radii(&narrow::<T>(&self.query_radii)).unwrap();
        }
        if let Some(&rule) = self.rules.first() {
            search.set_radii(&narrow::<T>(&self.radii), rule).unwrap();
        }
        search
    }
}

/// What may be tested, and what was tested more.
struct Bound {
    most: usize,
    over: Vec<String>,
}

impl Bound {
    fn new(most: usize) -> Bound {
        Bound { most, over: Vec::new() }
    }

    /// Refuses a search whose last query tested too much for that many entries.
    fn check(&mut self, search: &Search, world: &World, what: &str, entries: usize) {
        let World {
            case, queries, radii, ..
        } = world;
        let tests = search.counter(Counter::DistanceTests) as usize;
        let allowed = (case.coords.len() + queries.len()) / case.dim + entries;
        let few = if radii.is_empty() { FEW * FEW } else { 0 };
        if tests > self.most * allowed + few {
            let ratio = tests as f64 / allowed as f64;
            self.over
                .push(format!("{}: {what} tests {ratio:.0} times {allowed}", case.name));
        }
    }

    /// Bounds every kind of rows, by every rule.
    fn check_rows<T: Precision>(&mut self, world: &World, threads: i64) {
        if !world.case.fits::<T>() {
            return;
        }
        let World { queries, radii, .. } = world;
        let mut search = world.search::<T>(Backend::Cpu, threads);
        for k in 0..world.rules.len().max(1) {
            let rule = world.rules.get(k).copied();
            if let Some(rule) = rule {
                search.set_radii(&narrow::<T>(radii), rule).unwrap();
            }
            for kind in [NeighborsKind::Half, NeighborsKind::Full, NeighborsKind::Queries] {
                let is_asked = match kind {
                    NeighborsKind::Half => !matches!(rule, Some(RadiusRule::Gather | RadiusRule::Scatter)),
                    NeighborsKind::Full => true,
                    NeighborsKind::Queries => !queries.is_empty(),
                };
                if is_asked {
                    let entries = match radii.is_empty() {
                        true => search.neighbors(kind).unwrap().ids.len(),
                        false => search.count_neighbors(kind).unwrap() as usize,
                    };
                    self.check(&search, world, &format!("{} {rule:?} {kind:?}", T::NAME), entries);
                }
            }
        }
    }

    /// Bounds sums and chunks.
    fn check_others(&mut self, world: &World) {
        let mut search = world.search::<f64>(Backend::Cpu, 1);
        let kind = match world.queries.is_empty() {
            true => NeighborsKind::Half,
            false => NeighborsKind::Queries,
        };
        let entries = search.count_neighbors(kind).unwrap() as usize;
        if kind == NeighborsKind::Half {
            let mut formula = Formula::new("s += r").unwrap();
            search.run(&mut formula, kind, 1).unwrap();
            self.check(&search, world, "a sum", entries);
        }
        let mut chunks = search.chunks(kind, 1 << 40).unwrap();
        while chunks.next().unwrap().is_some() {}
        self.check(&search, world, "chunks", entries);
    }

    fn report(self) {
        let over = self.over;
        assert!(over.is_empty(), "{} too many:\n{}", over.len(), over.join("\n"));
    }
}

/// A cutoff with some twenty neighbors in a uniform cloud of the unit cube.
fn cutoff(dim: usize, n: usize) -> f64 {
    [10.0, 2.5, 1.7][dim - 1] * (n as f64).powf(-1.0 / dim as f64)
}

/// `n` points in the cube of edge `width` around `center`.
fn cube(dim: usize, n: usize, center: f64, width: f64, random: &mut Random) -> Vec<f64> {
    let cloud = random.cloud(dim, n).into_iter();
    cloud.map(|c| center + width * (c - 0.5)).collect()
}

/// A uniform cloud with a stray `far` extents away, along the first `axes`.
fn stray(dim: usize, n: usize, far: f64, axes: usize) -> Case {
    let mut coords = Random(n as u64).cloud(dim, n);
    coords[..axes].fill(far);
    Case::new(
        format!("{n} points in {dim}D, one {far} extents away along {axes} axes"),
        dim,
        coords,
        cutoff(dim, n),
    )
}

/// Half of the points in a clump of that share of the extent.
fn clump(dim: usize, n: usize, share: f64) -> Case {
    let mut random = Random(n as u64);
    let mut coords = random.cloud(dim, n / 2);
    coords.extend(cube(dim, n / 2, 0.4, share, &mut random));
    let name = format!("half of {n} points in {dim}D in {share} of the extent");
    Case::new(name, dim, coords, cutoff(dim, n))
}

/// A uniform cloud in a periodic box that many times its size.
fn droplet(dim: usize, n: usize, times: f64, lo: f64) -> Case {
    let coords = Random(n as u64).cloud(dim, n);
    let name = format!("{n} points in {dim}D in a box {times:e} times as long from {lo:e} of it on");
    Case::new(name, dim, coords, cutoff(dim, n)).with_domain(Domain::periodic(lo * times, times))
}

#[test]
fn strays_clumps_and_droplets() {
    let mut bound = Bound::new(MOST);
    for dim in 1..=3 {
        let (n, mut worlds) = (5000, Vec::new());
        for far in [5.0, 12.0, 40.0, 1000.0, 1e7] {
            worlds.extend((1..=dim).map(|axes| stray(dim, n, far, axes)));
        }
        worlds.extend([0.1, 0.05, 0.01, 0.003].map(|share| clump(dim, n, share)));
        worlds.extend([1.5, 5.0, 18.0, 1e4, 1e10, 1e20, 1e30].map(|times| droplet(dim, n, times, 0.0)));
        worlds.extend([1.5, 12.0, 1e7, 1e15].map(|times| droplet(dim, n, times, -0.5)));
        // More points than a frame has room for.
        let many = 80_000;
        let strays = [stray(dim, many, 12.0, dim), clump(dim, many, 0.2)];
        worlds.extend(strays.into_iter().chain([droplet(dim, many, 12.0, 0.0)]));
        for (k, case) in worlds.into_iter().enumerate() {
            bound.check_rows::<f64>(&case.into(), 1 + k as i64 % 2);
        }
    }
    bound.report();
}

/// `many` queries among `n` points or fewer, denser than these, or sparser.
fn with_queries(dim: usize, n: usize, many: usize, in_one_place: usize) -> Vec<World> {
    let mut random = Random(3);
    let (h, sparse) = (cutoff(dim, n), cube(dim, 200, 0.5, 1.0, &mut random));
    let points = random.cloud(dim, n);
    let mut dense = |center: f64| cube(dim, many, center, 0.1 * h, &mut random);
    let (clump, far) = (dense(0.5), dense(1e6));
    let small = cube(dim, 2000, 0.5, 2.0 * h, &mut random);
    let world = |(name, coords, cutoff, queries): (&str, &Vec<f64>, f64, Vec<f64>)| {
        World::with_queries(
            Case::new(format!("{name} in {dim}D"), dim, coords.clone(), cutoff),
            queries,
        )
    };
    let worlds = [
        ("a fine mesh", &sparse, cutoff(dim, 200), random.cloud(dim, many)),
        ("a clump of queries", &points, h, clump),
        ("queries in one place", &points, h, vec![0.5; dim * in_one_place]),
        ("crowded queries far away", &points, h, far),
        ("few queries among many points", &points, h, sparse.clone()),
        ("a query in a clump", &small, h, vec![0.5; dim]),
        ("queries beside a clump", &small, h, random.cloud(dim, many)),
    ];
    worlds.into_iter().map(world).collect()
}

#[test]
fn queries() {
    let mut bound = Bound::new(MOST);
    for dim in 1..=3 {
        for world in with_queries(dim, 5000, 10_000, [5000, 5000, 70_000][dim - 1]) {
            bound.check_rows::<f64>(&world, 1);
            bound.check_others(&world);
        }
    }
    bound.report();
}

/// Points that do not list each other, in clumps: of a type that does not feel itself, or ghosts.
fn dead(dim: usize, live: usize, dead: usize, place: f64, width: f64, mixed: bool) -> Vec<Case> {
    let (mut random, h) = (Random(5), cutoff(dim, live));
    let mut coords = random.cloud(dim, live);
    coords.extend(cube(dim, dead, place, width * h, &mut random));
    let name = format!("{dead} of {live} dead in {dim}D within {width} cutoffs of {place}");
    let types: Vec<i32> = (0..live + dead).map(|k| i32::from(k >= live)).collect();
    let ghosts = Rules::new(&[], Vec::new(), Some(live));
    let mut of_a_type = Rules::new(&types, vec![true, true, true, false], None);
    let mut cases = vec![(format!("{name}, ghosts"), coords.clone(), ghosts)];
    if mixed {
        for k in (1..live + dead).rev() {
            let other = random.below(k + 1);
            of_a_type.types.swap(k, other);
            (0..dim).for_each(|axis| coords.swap(k * dim + axis, other * dim + axis));
        }
    }
    cases.push((format!("{name}, mixed: {mixed}"), coords, of_a_type));
    let case = |(name, coords, rules)| Case {
        rules,
        ..Case::new(name, dim, coords, h)
    };
    cases.into_iter().map(case).collect()
}

#[test]
fn clumps_that_list_nothing() {
    let mut bound = Bound::new(MOST);
    let places = [
        (3, 0.0, 0.5),
        (3, 0.3, 0.5),
        (3, 3.0, 0.5),
        (2, 0.0, 1e5),
        (3, 0.0, 1e5),
        (1, 0.1, 0.5),
    ];
    for (k, (dim, width, place)) in places.into_iter().enumerate() {
        for many in [3000, [20_000, 70_000, 20_000][k % 3]] {
            for case in dead(dim, 5000, many, place, width, many < 50_000) {
                let world = case.into();
                bound.check_rows::<f64>(&world, 1);
                bound.check_others(&world);
            }
        }
    }
    bound.report();
}

/// A list that the memory limit refuses is refused soon after it is known to be too long.
#[test]
fn a_memory_limit_speaks_early() {
    const LIMIT: usize = 4_000_000;
    for n in [60_000, 100_000] {
        for threads in [1, 2] {
            let world: World = Case::new(format!("{n} points in one place"), 3, vec![0.25; 3 * n], 0.1).into();
            let mut search = world.search::<f64>(Backend::Cpu, threads);
            search.set_memory_limit(LIMIT as i64).unwrap();
            for kind in [NeighborsKind::Half, NeighborsKind::Full] {
                let error = search.neighbors(kind).unwrap_err();
                assert_eq!(error.status(), Status::MemoryLimit);
                let mut bound = Bound::new(MOST);
                bound.check(&search, &world, "a refused list", LIMIT / 4);
                bound.report();
            }
        }
    }
}

/// Points far out in units of the cutoff: of an open cloud, or along a long periodic axis.
#[test]
fn far_from_the_middle() {
    let (mut bound, n) = (Bound::new(MOST), 6000);
    for dim in 1..=3 {
        let mut random = Random(11);
        for far in [1e9, 1e11, 1e12, 1e16, 1e20, 1e100, 1e290] {
            let coords: Vec<_> = (0..n)
                .flat_map(|k| {
                    let place = if k % 2 == 0 { 0.0 } else { far };
                    (0..dim)
                        .map(|_| place + random.uniform() * if k % 4 == 1 { far } else { 1.0 })
                        .collect::<Vec<_>>()
                })
                .collect();
            let name = format!("points up to {far:e} cutoffs away in {dim}D");
            let case = Case::new(name, dim, coords, cutoff(dim, n));
            bound.check_rows::<f64>(&case.clone().into(), 1);
            bound.check_rows::<f64>(&case.with_domain(Domain::periodic(-far, 4.0 * far)).into(), 1);
        }
    }
    bound.report();
}
