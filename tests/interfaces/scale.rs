//! Size: memory that follows points and result for any positions.
//!
//! Every search is a process of its own, tests/c/scale.c on the C API, so that its peak is its own.

use std::path::PathBuf;

use crate::c::{Library, Workshop, run, tool};

/// About 30 neighbors per point of a million in the unit cube, on a lattice, and on a line.
const CUBE: (&str, u32, f64) = ("cube", 1_000_000, 0.01928);
const PLANE: (&str, u32, f64) = ("plane", 1_000_000, 3.09);
const LINE: (&str, u32, f64) = ("line", 1_000_000, 2.6e-5);
const STRAY: (&str, u32, f64) = ("stray", 1_000_001, 0.01928);
const LARGE: (&str, u32, f64) = ("cube", 8_000_000, 0.01928);

struct Measured {
    npairs: f64,
    peak: f64,
    input: f64,
    result: f64,
}

struct Scale {
    _shop: Workshop,
    program: PathBuf,
}

impl Scale {
    fn new() -> Scale {
        let shop = Workshop::new();
        let program = shop.compile("tests/c/scale.c", &["-O2"], &Library::Static);
        Scale { _shop: shop, program }
    }

    /// Searches a cloud in a process of its own, which checks its pairs where they can be counted in another way.
    fn search(&self, (shape, points, cutoff): (&str, u32, f64), query: &str) -> Measured {
        let arguments = [
            shape.to_owned(),
            points.to_string(),
            cutoff.to_string(),
            query.to_owned(),
        ];
        let text = run(tool(&self.program).args(arguments));
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
        };
        println!(
            "{shape:5} {points:8} points, {query}: {} pairs, peak {:.0} MiB",
            measured.npairs,
            measured.peak / 1024.0
        );
        assert!(measured.npairs > 0.0 && measured.peak > 0.0);
        measured
    }
}

/// One point far away does not make the grid larger.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn memory_with_a_stray() {
    let scale = Scale::new();
    let (without, with) = (scale.search(CUBE, "count"), scale.search(STRAY, "count"));
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
    let cube = scale.search(CUBE, "count");
    for cloud in [PLANE, LINE] {
        let flat = scale.search(cloud, "count");
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
    let measured = Scale::new().search(("cube", 1_000_000, 0.03), "pairs");
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

/// Memory follows the number of points.
#[test]
#[ignore = "takes minutes: make test-all"]
fn slow_large() {
    let scale = Scale::new();
    let (few, many) = (scale.search(CUBE, "count"), scale.search(LARGE, "count"));
    assert!(
        many.peak <= 8.5 * few.peak,
        "{} KiB for 8 million points, {} for one",
        many.peak,
        few.peak
    );
}
