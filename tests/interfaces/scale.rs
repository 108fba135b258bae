//! Size: memory that follows points and result for any positions, and (`NEARGRID_TEST_ALL=1`) time that does too.
//!
//! Every search is a process of its own, tests/c/scale.c on the C API, so that its peak is its own. Times are medians of
//! warm searches of whole calls, points into the handle included; they are only compared with one another.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::c::{Library, Workshop, release_library, run, tool};
use crate::common::is_whole;

/// About 30 neighbors per point of a million in the unit cube, on a lattice, and on a line.
const CUBE: (&str, u32, f64) = ("cube", 1_000_000, 0.01928);
const PLANE: (&str, u32, f64) = ("plane", 1_000_000, 3.09);
const LINE: (&str, u32, f64) = ("line", 1_000_000, 2.6e-5);
const STRAY: (&str, u32, f64) = ("stray", 1_000_001, 0.01928);
const LARGE: (&str, u32, f64) = ("cube", 8_000_000, 0.01928);

/// One search at a time: others would take the cores that times are measured on.
static ALONE: Mutex<()> = Mutex::new(());

struct Measured {
    npairs: f64,
    peak: f64,
    input: f64,
    result: f64,
    seconds: f64,
}

struct Scale {
    _shop: Workshop,
    program: PathBuf,
}

impl Scale {
    fn new() -> Scale {
        let shop = Workshop::new();
        // Times are those of the library as users link it: the tests' own build checks overflow and is slower for it.
        let library = if is_whole() {
            Library::File(release_library())
        } else {
            Library::Static
        };
        let program = shop.compile("tests/c/scale.c", &["-O2"], &library);
        Scale { _shop: shop, program }
    }

    /// Searches a cloud in a process of its own, which checks its pairs where they can be counted in another way.
    fn search(&self, (shape, points, cutoff): (&str, u32, f64), query: &str, runs: usize) -> Measured {
        let arguments = [
            shape.to_owned(),
            points.to_string(),
            cutoff.to_string(),
            query.to_owned(),
            runs.to_string(),
        ];
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let text = run(tool(&self.program).args(arguments));
        drop(alone);
        let value = |name: &str| -> f64 {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_else(|| panic!("no {name} in {text}"))
                .trim()
                .parse()
                .unwrap()
        };
        let measured = Measured {
            npairs: value("npairs"),
            peak: value("peak"),
            input: value("input"),
            result: value("result"),
            seconds: value("seconds"),
        };
        println!(
            "{shape:5} {points:8} points, {query}: {} pairs, peak {:.0} MiB, {:.3} s",
            measured.npairs,
            measured.peak / 1024.0,
            measured.seconds
        );
        assert!(measured.npairs > 0.0 && measured.peak > 0.0 && measured.seconds > 0.0);
        measured
    }
}

/// One point far away does not make the grid larger.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn memory_with_a_stray() {
    let scale = Scale::new();
    let (without, with) = (scale.search(CUBE, "count", 1), scale.search(STRAY, "count", 1));
    assert!(
        with.peak <= 1.2 * without.peak,
        "{} KiB with a stray, {} without",
        with.peak,
        without.peak
    );
}

/// No memory for the empty space around a plane or a line, and the right number of pairs (the program compares).
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn plane_and_line() {
    let scale = Scale::new();
    let cube = scale.search(CUBE, "count", 1);
    for cloud in [PLANE, LINE] {
        let flat = scale.search(cloud, "count", 1);
        assert!(
            flat.peak <= 2.0 * cube.peak,
            "{} KiB, the cube {}",
            flat.peak,
            cube.peak
        );
    }
}

/// A million points, 54.6 million pairs: they are written where the caller wants them and nowhere else.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn memory_of_a_long_list() {
    let measured = Scale::new().search(("cube", 1_000_000, 0.03), "pairs", 1);
    assert!((54e6..55e6).contains(&measured.npairs));
    let limit = 1.5 * (measured.input + measured.result);
    assert!(
        measured.peak <= limit,
        "peak {} KiB, input and result {} + {}",
        measured.peak,
        measured.input,
        measured.result
    );
}

/// Time follows points and pairs, not the space between them.
#[test]
#[ignore = "takes minutes: make test-all"]
fn slow_time() {
    let scale = Scale::new();
    // Rounds of all clouds in turn, so that a busy moment of the machine hits each of them; the best round counts.
    let clouds = [CUBE, STRAY, PLANE, LINE, LARGE];
    let mut best = [f64::INFINITY; 5];
    for _ in 0..2 {
        for (best, cloud) in best.iter_mut().zip(clouds) {
            let runs = if cloud.1 > 2_000_000 { 3 } else { 7 };
            let measured = scale.search(cloud, "count", runs);
            *best = best.min(measured.seconds / f64::from(cloud.1));
        }
    }
    let limits = [("stray", 1.5), ("plane", 2.0), ("line", 2.0), ("8 million points", 1.5)];
    for ((name, limit), time) in limits.iter().zip(&best[1..]) {
        let ratio = time / best[0];
        println!("{name}: {ratio:.2} times the cube's time per point, at most {limit}");
        assert!(
            ratio <= *limit,
            "{name}: {ratio:.2} times the cube's time per point, allowed {limit}"
        );
    }
}
