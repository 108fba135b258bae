//! The number of distances that a GPU tests: at most a constant times points, queries and entries, for any cloud. No clock is asked.

use crate::common::{Case, Domain, Random, Rules};
use neargrid::{Backend, Counter, Formula, NeighborsKind, PointsView, Precision, RadiusRule, Search, SumPrecision};

/// Tests for each point, query and entry, at most.
const MOST: usize = 40;

/// So few points are tested against each other without an index.
const FEW: usize = 128;

/// Points of a cloud: a test of all pairs would be far above the bound.
const N: usize = 3000;

/// A cloud, queries, and a radius for each point.
struct World {
    case: Case,
    queries: Vec<f64>,
    radii: Vec<f64>,
}

impl From<Case> for World {
    fn from(case: Case) -> World {
        World {
            case,
            queries: Vec::new(),
            radii: Vec::new(),
        }
    }
}

impl World {
    fn with_queries(case: Case, queries: Vec<f64>) -> World {
        World { queries, ..case.into() }
    }

    fn with_radii(case: Case, radii: Vec<f64>) -> World {
        World { radii, ..case.into() }
    }
}

fn view<T: Precision>(dim: usize, coords: &[f64]) -> Vec<T> {
    assert_eq!(coords.len() % dim, 0);
    coords.iter().map(|&c| T::from_f64(c)).collect()
}

/// A search in a world, on a GPU.
fn search<T: Precision>(world: &World, rule: RadiusRule) -> Search {
    let World { case, queries, radii } = world;
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Gpu);
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(case.rule);
    case.domain.set(&mut search, case.dim);
    search.set_types(&case.rules.types, &case.rules.mask).unwrap();
    search
        .set_active(case.rules.active.map(|active| active as i64))
        .unwrap();
    let coords = view::<T>(case.dim, &case.coords);
    search
        .set_points(&PointsView::interleaved(case.dim, &coords).unwrap())
        .unwrap();
    if !queries.is_empty() {
        let queries = view::<T>(case.dim, queries);
        search
            .set_queries(&PointsView::interleaved(case.dim, &queries).unwrap())
            .unwrap();
    }
    if !radii.is_empty() {
        search.set_radii(&view::<T>(1, radii), rule).unwrap();
    }
    search
}

/// Refuses a search whose last query tested too much for that many entries, or says nothing of tests.
fn bound(search: &Search, world: &World, what: &str, entries: usize, over: &mut Vec<String>) {
    let World { case, queries, .. } = world;
    let tests = search.counter(Counter::DistanceTests) as usize;
    let allowed = (case.coords.len() + queries.len()) / case.dim + entries;
    assert!(
        tests >= entries / 2,
        "{}: {what} tests {tests} for {entries}",
        case.name
    );
    if tests > MOST * allowed + FEW * FEW {
        let ratio = tests as f64 / allowed as f64;
        over.push(format!("{}: {what} tests {ratio:.0} times {allowed}", case.name));
    }
}

/// Bounds every kind of rows, and sums.
fn check<T: Precision>(world: &World, over: &mut Vec<String>) {
    let rules = match world.radii.is_empty() {
        true => &[RadiusRule::Max][..],
        false => &[RadiusRule::Max, RadiusRule::Min, RadiusRule::Mean],
    };
    for &rule in rules {
        let mut search = search::<T>(world, rule);
        let pairs = search.count_pairs().unwrap() as usize;
        bound(&search, world, &format!("pairs ({rule:?})"), pairs, over);
        let full = search.count_neighbors(NeighborsKind::Full).unwrap() as usize;
        bound(&search, world, &format!("full rows ({rule:?})"), full, over);
    }
    let mut search = search::<T>(world, RadiusRule::Gather);
    if !world.radii.is_empty() {
        let full = search.count_neighbors(NeighborsKind::Full).unwrap() as usize;
        return bound(&search, world, "full rows (gather)", full, over);
    }
    let mut entries = search.count_pairs().unwrap() as usize;
    let mut kind = NeighborsKind::Half;
    if !world.queries.is_empty() {
        kind = NeighborsKind::Queries;
        entries = search.count_neighbors(kind).unwrap() as usize;
        bound(&search, world, "queries", entries, over);
    }
    let mut search = self::search::<T>(world, RadiusRule::Gather); // a sum tests nothing after a list
    let mut formula = Formula::new("s += r").unwrap();
    formula.set_precision(SumPrecision::Single);
    search.run(&mut formula, kind, 1).unwrap();
    bound(&search, world, "a sum", entries, over);
}

fn report(over: Vec<String>) {
    assert!(over.is_empty(), "{} too many:\n{}", over.len(), over.join("\n"));
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

fn uniform(name: String, dim: usize) -> Case {
    Case::new(name, dim, Random(7).cloud(dim, N), cutoff(dim, N))
}

/// Strays, clumps, and droplets in large boxes.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn strays_clumps_and_droplets() {
    let (mut over, mut random) = (Vec::new(), Random(9));
    for dim in [1, 3] {
        let mut cases = vec![uniform(format!("{dim}D"), dim)];
        for far in [5.0, 1e7] {
            let mut case = uniform(format!("a stray {far:e} away in {dim}D"), dim);
            case.coords[..dim].fill(far);
            cases.push(case);
        }
        for share in [0.05, 0.1] {
            let mut case = uniform(format!("a clump of {share} in {dim}D"), dim);
            case.coords.truncate(dim * N / 2);
            case.coords.extend(cube(dim, N / 2, 0.4, share, &mut random));
            cases.push(case);
        }
        for times in [1.5, 18.0, 1e5] {
            for share in [0.0, -0.5] {
                let name = format!("a droplet in a box {times:e} times as long from {share} of it on in {dim}D");
                cases.push(uniform(name, dim).with_domain(Domain::periodic(share * times, times)));
            }
        }
        for case in cases {
            check::<f64>(&case.into(), &mut over);
        }
    }
    report(over);
}

/// Queries that are denser than the points, or sparser.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn queries() {
    let (mut over, mut random) = (Vec::new(), Random(3));
    for dim in [1, 3] {
        let (h, many) = (cutoff(dim, N), 4 * N);
        let sparse = cube(dim, 200, 0.5, 1.0, &mut random);
        let mesh = Case::new(format!("a fine mesh in {dim}D"), dim, sparse.clone(), cutoff(dim, 200));
        let of = |name: &str| uniform(format!("{name} in {dim}D"), dim);
        let clump = Case::new(
            format!("beside a clump in {dim}D"),
            dim,
            cube(dim, N / 2, 0.5, h, &mut random),
            h,
        );
        for world in [
            World::with_queries(mesh, random.cloud(dim, many)),
            World::with_queries(of("a clump of queries"), cube(dim, many, 0.5, 0.1 * h, &mut random)),
            World::with_queries(of("queries in one place"), vec![0.5; dim * many]),
            World::with_queries(
                of("crowded queries far away"),
                cube(dim, many, 1e6, 0.1 * h, &mut random),
            ),
            World::with_queries(of("few queries"), sparse),
            World::with_queries(clump, random.cloud(dim, N)),
        ] {
            check::<f64>(&world, &mut over);
        }
    }
    report(over);
}

/// Points that do not list each other, in clumps: ghosts, or of a type that does not feel itself.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn clumps_that_list_nothing() {
    const MANY: usize = 3 * N;
    let (mut over, mut random) = (Vec::new(), Random(5));
    let types: Vec<_> = (0..N + MANY).map(|k| i32::from(k >= N)).collect();
    let of_a_type = Rules::new(&types, vec![true, true, true, false], None);
    let ghosts = Rules::new(&[], Vec::new(), Some(N));
    for (width, place) in [(0.0, 0.5), (0.3, 0.5)] {
        for (kind, rules) in [("ghosts", &ghosts), ("a type", &of_a_type)] {
            let mut case = uniform(format!("{MANY} of {kind} within {width} cutoffs of {place}"), 3);
            let clump = cube(3, MANY, place, width * case.cutoff, &mut random);
            case.coords.extend(clump);
            case.rules = rules.clone();
            check::<f64>(&case.into(), &mut over);
        }
    }
    report(over);
}

/// Radii: of clumps, of points near each other that reach nothing, far out, and along long periodic axes.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn radii() {
    let (mut over, mut random) = (Vec::new(), Random(13));
    for dim in [2, 3] {
        let h = cutoff(dim, N);
        let mut worlds = Vec::new();
        let same = vec![h; N];
        worlds.push(World::with_radii(
            uniform(format!("radii in {dim}D"), dim),
            same.clone(),
        ));
        let mut dead = uniform(format!("radii of 0 within 0.1 cutoffs in {dim}D"), dim);
        dead.coords.extend(cube(dim, N, 0.5, 0.1 * h, &mut random));
        worlds.push(World::with_radii(dead, [&same[..], &vec![0.0; N]].concat()));
        let mut clump = uniform(format!("radii of a clump in {dim}D"), dim);
        clump.coords.truncate(dim * N / 2);
        clump.coords.extend(cube(dim, N / 2, 0.5, 0.1 * h, &mut random));
        let small = vec![h * 0.1 * cutoff(dim, N / 2); N / 2];
        worlds.push(World::with_radii(clump, [&same[..N / 2], &small].concat()));
        for times in [18.0, 1e5] {
            let case = uniform(format!("radii in a box {times:e} times as long in {dim}D"), dim);
            worlds.push(World::with_radii(
                case.with_domain(Domain::periodic(-0.5 * times, times)),
                same.clone(),
            ));
        }
        for far in [1e3, 1e6] {
            let mut case = uniform(format!("radii up to {far:e} away in {dim}D"), dim);
            case.coords
                .iter_mut()
                .enumerate()
                .filter(|(k, _)| k / dim % 2 == 1)
                .for_each(|(_, c)| *c *= far);
            worlds.push(World::with_radii(case, same.clone()));
        }
        for world in &worlds {
            check::<f64>(world, &mut over);
            if world.case.name.contains("box") {
                check::<f32>(world, &mut over);
            }
        }
    }
    report(over);
}

/// If a GPU has no cells as small as the cutoff, the CPU searches, and says why.
#[test]
fn long_axes_go_to_the_cpu() {
    for (length, is_long) in [(1e6, false), (1e7, true), (1e300, true)] {
        let case = Case::new("", 3, vec![0.5; 6], 1.0).with_domain(Domain::periodic(0.0, length));
        let mut search = search::<f64>(&case.into(), RadiusRule::Max);
        search.set_backend(Backend::Auto);
        assert_eq!(search.count_pairs().unwrap(), 1);
        let info = search.info();
        let says = info.contains("backend: cpu (auto: a periodic axis has more than 4 million cutoffs");
        assert_eq!(says, is_long, "{length:e}: {info}");
    }
}
