//! The number of distances that a GPU tests: at most a constant times points, queries and entries, for any cloud. No clock is asked.

use super::*;

/// Points of a cloud: a test of all pairs would be far above the bound.
const N: usize = 3000;

const RULES: [RadiusRule; 4] = [RadiusRule::Max, RadiusRule::Min, RadiusRule::Mean, RadiusRule::Gather];

impl Bound {
    /// Refuses a search that says nothing of tests, too.
    fn check_gpu(&mut self, search: &Search, world: &World, what: &str, entries: usize) {
        let (tests, name) = (search.counter(Counter::DistanceTests) as usize, &world.case.name);
        assert!(tests >= entries / 2, "{name}: {what} tests {tests} for {entries}");
        self.check(search, world, what, entries);
    }

    /// Bounds every kind of rows, and sums.
    fn check_all_gpu<T: Precision>(&mut self, world: &World) {
        for k in 0..world.rules.len().max(1) {
            let rule = world.rules.get(k).copied();
            let mut search = world.search::<T>(Backend::Gpu, 0);
            if let Some(rule) = rule {
                search.set_radii(&narrow::<T>(&world.radii), rule).unwrap();
            }
            if rule != Some(RadiusRule::Gather) {
                let pairs = search.count_pairs().unwrap() as usize;
                self.check_gpu(&search, world, &format!("pairs ({rule:?})"), pairs);
            }
            let full = search.count_neighbors(NeighborsKind::Full).unwrap() as usize;
            self.check_gpu(&search, world, &format!("full rows ({rule:?})"), full);
        }
        if !world.radii.is_empty() {
            return;
        }
        let kind = match world.queries.is_empty() {
            true => NeighborsKind::Half,
            false => NeighborsKind::Queries,
        };
        let mut search = world.search::<T>(Backend::Gpu, 0);
        let entries = search.count_neighbors(kind).unwrap() as usize;
        self.check_gpu(&search, world, "rows", entries);
        let mut search = world.search::<T>(Backend::Gpu, 0); // a sum tests nothing after a list
        let mut formula = Formula::new("s += r").unwrap();
        formula.set_precision(SumPrecision::Single);
        search.run(&mut formula, kind, 1).unwrap();
        self.check_gpu(&search, world, "a sum", entries);
    }
}

fn uniform(name: String, dim: usize) -> Case {
    Case::new(name, dim, Random(7).cloud(dim, N), cutoff(dim, N))
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn strays_clumps_and_droplets() {
    let mut bound = Bound::new(MOST);
    for dim in [1, 3] {
        let mut cases = vec![uniform(format!("{dim}D"), dim)];
        cases.extend([5.0, 1e7].map(|far| stray(dim, N, far, dim)));
        cases.extend([0.05, 0.1].map(|share| clump(dim, N, share)));
        for times in [1.5, 18.0, 1e5] {
            cases.extend([0.0, -0.5].map(|lo| droplet(dim, N, times, lo)));
        }
        for case in cases {
            bound.check_all_gpu::<f64>(&case.into());
        }
    }
    bound.report();
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn queries() {
    let mut bound = Bound::new(MOST);
    for dim in [1, 3] {
        for world in with_queries(dim, N, 4 * N, 4 * N) {
            bound.check_all_gpu::<f64>(&world);
        }
    }
    bound.report();
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn clumps_that_list_nothing() {
    let mut bound = Bound::new(MOST);
    for width in [0.0, 0.3] {
        for case in dead(3, N, 3 * N, 0.5, width, false) {
            bound.check_all_gpu::<f64>(&case.into());
        }
    }
    bound.report();
}

/// Radii: of clumps, of points near each other that reach nothing, far out, and along long periodic axes.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn radii() {
    let (mut bound, mut random) = (Bound::new(MOST), Random(13));
    for dim in [2, 3] {
        let h = cutoff(dim, N);
        let mut worlds = Vec::new();
        let same = vec![h; N];
        worlds.push(World::with_radii(
            uniform(format!("radii in {dim}D"), dim),
            same.clone(),
            &RULES,
        ));
        let mut dead = uniform(format!("radii of 0 within 0.1 cutoffs in {dim}D"), dim);
        dead.coords.extend(cube(dim, N, 0.5, 0.1 * h, &mut random));
        worlds.push(World::with_radii(dead, [&same[..], &vec![0.0; N]].concat(), &RULES));
        let mut clump = uniform(format!("radii of a clump in {dim}D"), dim);
        clump.coords.truncate(dim * N / 2);
        clump.coords.extend(cube(dim, N / 2, 0.5, 0.1 * h, &mut random));
        let small = vec![h * 0.1 * cutoff(dim, N / 2); N / 2];
        worlds.push(World::with_radii(clump, [&same[..N / 2], &small].concat(), &RULES));
        for times in [18.0, 1e5] {
            let case = uniform(format!("radii in a box {times:e} times as long in {dim}D"), dim);
            worlds.push(World::with_radii(
                case.with_domain(Domain::periodic(-0.5 * times, times)),
                same.clone(),
                &RULES,
            ));
        }
        for far in [1e3, 1e6] {
            let mut case = uniform(format!("radii up to {far:e} away in {dim}D"), dim);
            case.coords
                .iter_mut()
                .enumerate()
                .filter(|(k, _)| k / dim % 2 == 1)
                .for_each(|(_, c)| *c *= far);
            worlds.push(World::with_radii(case, same.clone(), &RULES));
        }
        for world in &worlds {
            bound.check_all_gpu::<f64>(world);
            if world.case.name.contains("box") {
                bound.check_all_gpu::<f32>(world);
            }
        }
    }
    bound.report();
}

/// If a GPU has no cells as small as the cutoff, the CPU searches, and says why.
#[test]
fn long_axes_go_to_the_cpu() {
    for (length, is_long) in [(1e6, false), (1e7, true), (1e300, true)] {
        let case = Case::new("", 3, vec![0.5; 6], 1.0).with_domain(Domain::periodic(0.0, length));
        let mut search = World::from(case).search::<f64>(Backend::Auto, 0);
        assert_eq!(search.count_pairs().unwrap(), 1);
        let info = search.info();
        let says = info.contains("backend: cpu (auto: a periodic axis has more than 4 million cutoffs");
        assert_eq!(says, is_long, "{length:e}: {info}");
    }
}
