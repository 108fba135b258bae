//! Fixed-radius search from Rust, bit for bit against the oracle: every cloud, precision, tie rule, thread count, width,
//! form of result, and configuration of a GPU.

use crate::common::{
    Again, Case, Domain, Part, Random, cases, check_chunks, check_pairs, periodic_cases, rounding_ties,
};
use neargrid::{Counter, NeighborsKind, PointsView, Precision, Search, TieRule};

/// Searches `case` with `search` and compares every form of result with the oracle.
fn check<T: Precision>(search: &mut Search, case: &Case) {
    let truth = case.truth::<T>();
    let name = format!("{} {}", case.name, T::NAME);
    let (left, right): (Vec<i32>, Vec<i32>) = truth.iter().copied().unzip();
    case.set::<T>(search);

    assert_eq!(search.count_pairs().unwrap(), truth.len() as i64, "{name}: count");
    const GUARD: i32 = -77;
    let (mut i, mut j) = (vec![GUARD; truth.len() + 3], vec![GUARD; truth.len() + 3]);
    assert_eq!(
        search.pairs_into(&mut i, &mut j).unwrap(),
        truth.len(),
        "{name}: pairs_into"
    );
    assert!(
        i[..truth.len()] == left && j[..truth.len()] == right,
        "{name}: pairs_into"
    );
    assert!(
        i[truth.len()..] == [GUARD; 3] && j[truth.len()..] == [GUARD; 3],
        "{name}: written past the pairs"
    );

    for base in [0, 1] {
        search.set_index_base(base).unwrap();
        check_pairs(search, &name, case.len(), &truth, base);
    }
    search.set_index_base(0).unwrap();
}

fn check_both(search: &mut Search, case: &Case) {
    if case.fits::<f32>() {
        check::<f32>(search, case);
    }
    if case.fits::<f64>() {
        check::<f64>(search, case);
    }
}

/// One handle for all, so that every search finds the remains of another of another size, dim and precision.
#[test]
fn clouds() {
    let mut search = Search::new().unwrap();
    let part = Part::of_environment();
    // The widest vectors meet all boxes; the others and GPUs, unless all is asked for, a third of their part.
    let is_child = std::env::var_os("NEARGRID_SIMD").is_some() || part.is_partial();
    let few = is_child && !crate::common::is_whole();
    let boxes = part.of(periodic_cases()).into_iter().step_by(if few { 3 } else { 1 });
    for case in part.of(cases()).into_iter().chain(boxes) {
        check_both(&mut search, &case);
    }
    if let Ok(backend) = std::env::var("NEARGRID_BACKEND") {
        let info = search.info();
        assert!(info.starts_with(&format!("backend: {backend} (asked for)")), "{info}");
    }
}

/// So few points a cutoff that a leaf is as wide as a block can be: differences of coordinates then take all of 16 bits and more.
#[test]
fn thin_clouds() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(11));
    search.set_backend(neargrid::Backend::Cpu);
    for (dim, density) in (1..=3).flat_map(|dim| [0.05, 0.2, 0.7].map(|density| (dim, density))) {
        for n in [150, 700, 3000] {
            let coords = (0..n * dim).map(|_| random.uniform()).collect();
            let cutoff = (density / n as f64).powf(1.0 / dim as f64);
            let name = format!("{n} thin points in {dim}D, {density} in the cube of a cutoff");
            check_both(&mut search, &Case::new(name, dim, coords, cutoff));
        }
    }
}

#[test]
fn rounding() {
    let mut search = Search::new().unwrap();
    let mut ties = rounding_ties::<f32>(600);
    ties.extend(rounding_ties::<f64>(600));
    let both = ties
        .into_iter()
        .flat_map(|case| [case.with_rule(TieRule::Exclusive), case]);
    for case in Part::of_environment().of(both.collect()) {
        check_both(&mut search, &case);
    }
}

/// The suites above once more in the narrower instruction sets.
#[test]
fn widths() {
    let names = ["clouds", "thin_clouds", "rounding", "large"];
    let again = Again::only(module_path!(), &names, "clouds");
    again.in_widths(&[("scalar", "2:0"), ("avx2", "2:1")]);
    let (passed, text) = again.run(&[("SIMD", "nonsense")]);
    assert!(
        !passed && text.contains("nonsense"),
        "an invalid width must be refused: {text}"
    );
}

/// The suite once more on a GPU, in each of its configurations, in processes of their own. Where the CPU plays the GPU,
/// which is what most machines that test have, all of it takes long: it is a part unless `NEARGRID_TEST_ALL` is set.
///
/// Without a Vulkan device this fails with what the library says. A GPU without real64 arithmetic is no configuration of
/// its own: tests/gpu/main.rs holds that no shader uses any.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    let mut probe = Search::new().unwrap();
    probe.set_backend(neargrid::Backend::Gpu);
    probe.set_cutoff(1.0).unwrap();
    probe
        .set_points(&PointsView::interleaved(1, &[0.0, 1.0]).unwrap())
        .unwrap();
    let count = probe.count_pairs().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(count, 1);

    let again = Again::without(module_path!(), &["large", "thin_clouds", "faces"], "clouds");
    again.on_devices(&[
        ("", "48:0"),
        ("no-subgroups", "12:1"),
        ("binding=1048576", "12:2"),
        ("guarded", "12:3"),
        ("batches", "12:3"),
        ("", "9:1,exclusive"),
    ]);
}

/// Enough points that every thread count shares them out, and the same bytes from each.
#[test]
fn thread_counts() {
    let mut random = crate::common::Random(11);
    let cloud = random.cloud(3, 30_000 / Part::of_environment().every);
    let plane: Vec<f64> = cloud.chunks(3).flat_map(|p| [p[0], p[1], 0.0]).collect();
    let far: Vec<f64> = (0..cloud.len()).map(|k| cloud[k] + (k / 3 % 50) as f64 * 1e4).collect();
    for (coords, cutoff) in [(&cloud, 0.07), (&plane, 0.02), (&far, 0.2)] {
        let view = PointsView::interleaved(3, coords).unwrap();
        let mut results = Vec::new();
        for threads in [1, 2, 3, 8] {
            let mut search = Search::new().unwrap();
            search.set_threads(threads).unwrap();
            search.set_cutoff(cutoff).unwrap();
            search.set_points(&view).unwrap();
            let pairs = search.pairs().unwrap();
            let pairs = (pairs.left.to_vec(), pairs.right.to_vec());
            let rows = search.neighbors(NeighborsKind::Full).unwrap();
            results.push((pairs, rows.offsets.to_vec(), rows.ids.to_vec()));
            assert_eq!(search.counter(Counter::Threads), threads);
        }
        assert!(!results[0].0.0.is_empty());
        assert!(
            results.windows(2).all(|w| w[0] == w[1]),
            "results depend on the thread count"
        );
    }
}

/// Against the oracle where there are enough points for many blocks, tasks and threads.
#[test]
fn many_points() {
    let (mut random, part) = (crate::common::Random(13), Part::of_environment());
    let clouds = [(1, 0.001), (2, 0.02), (3, 0.07)].map(|(dim, cutoff)| {
        let case = Case::new("many points", dim, random.cloud(dim, 9_000), cutoff);
        if part.exclusive {
            case.with_rule(TieRule::Exclusive)
        } else {
            case
        }
    });
    let mut search = Search::new().unwrap();
    for case in part.of(clouds.into()) {
        check_both(&mut search, &case);
    }
}

/// Results just below and above 16 MiB of ids, from where on they are stored past the caches: into arrays that begin anywhere in a
/// line, by threads whose rows share lines. Points are along an axis in clumps of one, two and so on up to 41, or up to 97,
/// each in reach of all of its clump: rows have 0 to 40 ids, or 0 to 96.
#[test]
fn large() {
    const GUARD: i32 = -77;
    let mut search = Search::new().unwrap();
    search.set_backend(neargrid::Backend::Cpu);
    search.set_cutoff(0.5).unwrap();
    for (rounds, most, threads, shift) in [(365, 41, 1, 3), (366, 41, 2, 5), (27, 97, 1, 7), (28, 97, 3, 0)] {
        let sizes = (0..rounds).flat_map(|_| 1..=most);
        let clumps: Vec<usize> = sizes.enumerate().flat_map(|(clump, size)| vec![clump; size]).collect();
        let n = clumps.len();
        // Neighbors have numbers that are far from each other.
        let number = |place: usize| place * 7919 % n;
        let (mut coords, mut members) = (vec![0.0; n], vec![Vec::new(); rounds * most]);
        for (place, &clump) in clumps.iter().enumerate() {
            coords[number(place)] = clump as f64 + 1e-3 * (place % 97) as f64;
            members[clump].push(number(place) as i32);
        }
        members.iter_mut().for_each(|members| members.sort_unstable());
        let mut truth: Vec<(i32, &[i32])> = Vec::new();
        for members in &members {
            truth.extend((0..members.len()).map(|k| (members[k], &members[k + 1..])));
        }
        truth.sort_unstable();
        let pairs: usize = truth.iter().map(|(_, row)| row.len()).sum();
        search.set_threads(threads).unwrap();
        search
            .set_points(&PointsView::interleaved(1, &coords).unwrap())
            .unwrap();
        let mut arrays = [shift, shift + 6].map(|shift| vec![GUARD; shift + pairs + 20]);
        let [left, right] = &mut arrays;
        let into = (
            &mut left[shift..shift + pairs],
            &mut right[shift + 6..shift + 6 + pairs],
        );
        assert_eq!(search.pairs_into(into.0, into.1).unwrap(), pairs);
        let found = into.0.iter().copied().zip(into.1.iter().copied());
        let wanted = truth.iter().flat_map(|&(i, row)| row.iter().map(move |&j| (i, j)));
        assert!(found.eq(wanted), "{pairs} pairs");
        for (array, shift) in arrays.iter().zip([shift, shift + 6]) {
            let guards = array[..shift].iter().chain(&array[shift + pairs..]);
            assert!(
                guards.copied().all(|id| id == GUARD),
                "{pairs} pairs: written beside them"
            );
        }
    }
}

/// Points on the faces of periodic boxes, on many threads. A block at a face has images of points on the opposite face in its last
/// unit. Each row is found once all the same, so that no two threads store it: ThreadSanitizer sees this (`scripts/test-sanitizers`).
#[test]
fn faces() {
    for (dim, side, cutoff) in [(1, 3000_usize, 0.002), (2, 50, 0.05), (3, 13, 0.12)] {
        for length in [1.0, 0.7, 1e6 / 3.0] {
            let coord = |k: usize| (k / dim / side.pow((k % dim) as u32) % side) as f64 * length / side as f64;
            let coords = (0..dim * side.pow(dim as u32)).map(coord).collect();
            let case = Case::new(
                format!("from the faces in {dim}D, length {length}"),
                dim,
                coords,
                cutoff * length,
            )
            .with_domain(Domain::periodic(0.0, length));
            let mut search = Search::new().unwrap();
            search.set_threads(8).unwrap();
            case.set::<f64>(&mut search);
            check_pairs(&mut search, &case.name, case.len(), &case.truth::<f64>(), 0);
            check_chunks(&mut search, &case.name, NeighborsKind::Full, 0);
        }
    }
}

/// A stray is counted in the border cell nearest to it. Where that one is at a periodic boundary, it is also beside the cells at the
/// other end.
#[test]
fn strays_at_a_boundary() {
    let mut search = Search::new().unwrap();
    for (n, low) in [(300, 0.0), (2000, 0.0), (2000, 1e-3)] {
        let mut random = Random(3);
        let mut coords: Vec<f64> = (0..n).flat_map(|k| [f64::from(k % 2), random.uniform()]).collect();
        // The box of cells ends at 1.504 along x: a point inside it, at one end of the period, and strays at the other.
        coords.extend([1.49, 0.99, 1e300, low, 1e300, 0.02]);
        let case = Case::new(format!("{n} points"), 2, coords, 0.05).with_domain(Domain::new(
            [0.0; 3],
            [1.0; 3],
            [false, true, false],
        ));
        check::<f64>(&mut search, &case);
    }
}

/// More ids than fit one GPU buffer of 1 MiB, which holds 2^18: half rows then come in two parts, full ones in three.
#[test]
fn chunks() {
    let case = Case::new("chunks", 3, crate::common::Random(19).cloud(3, 5_000), 0.19);
    let pairs = case.truth::<f64>().len();
    assert!(pairs > 1 << 18 && pairs < 1 << 19, "{pairs}");
    check_both(&mut Search::new().unwrap(), &Part::of_environment().narrowed(case, 0));
}

/// More than 2^31 pairs are counted right, unless only a part of the suite is wanted.
#[test]
fn billions_of_pairs() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    let whole = !Part::of_environment().is_partial();
    for n in [Some(5_000), whole.then_some(70_000)].into_iter().flatten() {
        let coords = vec![3.5f32; n];
        search
            .set_points(&PointsView::interleaved(1, &coords).unwrap())
            .unwrap();
        assert_eq!(search.count_pairs().unwrap(), (n * (n - 1) / 2) as i64);
    }
}

/// Moving all points by the same amount changes nothing in a periodic box, where no coordinate is rounded.
#[test]
fn shifts() {
    fn check<T: Precision>(dim: usize, count: usize) {
        let mut random = crate::common::Random(31 + dim as u64);
        let mut step = || random.below(4 * 4096) as f64 / 4096.0;
        let coords: Vec<f64> = (0..dim * 250).map(|_| step()).collect();
        let mut search = Search::new().unwrap();
        search.set_cutoff([0.01, 0.1, 0.25][dim - 1]).unwrap();
        crate::common::Domain::periodic(0.0, 1.0).set(&mut search, dim);
        let mut found: Option<(Vec<i32>, Vec<i32>)> = None;
        for _ in 0..count {
            let by: Vec<f64> = (0..dim).map(|_| step()).collect();
            let moved = coords.iter().enumerate().map(|(k, c)| T::from_f64(c + by[k % dim]));
            let moved: Vec<T> = moved.collect();
            search
                .set_points(&PointsView::interleaved(dim, &moved).unwrap())
                .unwrap();
            let pairs = search.pairs().unwrap();
            let (left, right) = found.get_or_insert_with(|| (pairs.left.to_vec(), pairs.right.to_vec()));
            assert!(left == pairs.left && right == pairs.right, "moved by {by:?} in {dim}D");
        }
        assert!(found.is_some_and(|(left, _)| left.len() > 100));
    }
    let all = crate::common::is_whole() && std::env::var_os("NEARGRID_TEST_PART").is_none();
    let count = if all { 10_000 } else { 300 } / Part::of_environment().every;
    for dim in 1..=3 {
        check::<f32>(dim, count);
        check::<f64>(dim, count);
    }
}
