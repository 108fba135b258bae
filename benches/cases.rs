//! The standard cases, timed: `cargo bench --bench cases -- [OPTION=VALUE ...]`.
//!
//! cases=C1,C2,...  threads=1,2  runs=7  precision=f64,f32  query=pairs,fresh,full  points=DIR (writes each cloud as
//! DIR/CASE.f64, three real64 a point, for other programs to read).
//!
//! Times are medians of whole calls on a warm handle, index build included: `pairs` into touched arrays, `fresh` into
//! memory never touched, `full` neighbors into the handle. Counting and filling go over
//! the grid in different ways; a run in which they disagree on the length of any row stops.

use std::time::Instant;

use neargrid::{NeighborsKind, Phase, PointsView, Precision, Search};

struct Case {
    name: &'static str,
    dim: usize,
    coords: Vec<f64>,
    cutoff: f64,
}

fn main() {
    let options: Vec<(String, String)> = std::env::args()
        .filter_map(|arg| {
            arg.split_once('=')
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
        })
        .collect();
    let option = |key: &str, default: &str| -> Vec<String> {
        let value = options.iter().find(|o| o.0 == key).map_or(default, |o| &o.1);
        value.split(',').map(str::to_owned).collect()
    };
    let runs = option("runs", "7")[0].parse().expect("runs is a number");
    println!(
        "{:4} {:4} {:6} {:>7} {:>12} {:>9} {:>9} {:>9} {:>9} {:>10}",
        "case", "real", "query", "threads", "entries", "ms", "index", "count", "fill", "M/s"
    );
    for name in option("cases", "C1,C2,C3,C4,C5,C6,C7,C9") {
        let case = case(&name);
        for dir in option("points", "").iter().filter(|dir| !dir.is_empty()) {
            write_points(&case, dir);
        }
        for query in option("query", "pairs") {
            for threads in option("threads", "1,2") {
                let threads = threads.parse().expect("threads is a number");
                for precision in option("precision", "f64,f32") {
                    match &precision[..] {
                        "f64" => run::<f64>(&case, &query, threads, runs),
                        _ => run::<f32>(&case, &query, threads, runs),
                    }
                }
            }
        }
    }
}

fn run<T: Precision>(case: &Case, query: &str, threads: i64, runs: usize) {
    let coords: Vec<T> = case.coords.iter().map(|&c| T::from_f64(c)).collect();
    let mut search = Search::new().expect("a handle");
    search.set_threads(threads).expect("threads");
    search.set_cutoff(case.cutoff).expect("a cutoff");
    let view = PointsView::interleaved(case.dim, &coords).expect("points");
    let need = search.count_pairs_of(&view).expect("a count") as usize;
    let (mut left, mut right) = (vec![0; need], vec![0; need]);
    let (mut times, mut entries) = (Vec::new(), 0);
    for _ in 0..runs {
        if query == "fresh" {
            (left, right) = (vec![0; need], vec![0; need]); // zero pages, none touched yet
        }
        let start = Instant::now();
        search.count_pairs_of(&view).expect("a count");
        let [index, count] = [Phase::Index, Phase::Count].map(|phase| search.timing(phase));
        entries = match query {
            "full" => search.neighbors(NeighborsKind::Full).expect("neighbors").ids.len(),
            _ => search.pairs_into(&mut left, &mut right).expect("pairs"),
        };
        let total = start.elapsed().as_secs_f64();
        times.push([total, index, count, total - index - count]);
    }
    times.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let [total, index, count, fill] = times[runs / 2].map(|seconds| seconds * 1e3);
    println!(
        "{:4} {:4} {query:6} {threads:7} {entries:12} {total:9.3} {index:9.3} {count:9.3} {fill:9.3} {:10.1}",
        case.name,
        &T::NAME[4..],
        entries as f64 / total / 1e3
    );
}

fn write_points(case: &Case, dir: &str) {
    let mut bytes = Vec::new();
    for point in case.coords.chunks(case.dim) {
        for axis in 0..3 {
            bytes.extend(point.get(axis).unwrap_or(&0.0).to_ne_bytes());
        }
    }
    std::fs::write(format!("{dir}/{}.f64", case.name), bytes).expect("points written");
}

fn case(name: &str) -> Case {
    let spacings = |n: usize, dim: i32| 3.0 * (n as f64).powf(-1.0 / f64::from(dim));
    match name {
        "C1" => uniform("C1", 3, 1_000_000, 0.03),
        "C2" => uniform("C2", 3, 1_000_000, 0.02),
        "C3" => uniform("C3", 3, 100_000, spacings(100_000, 3)),
        "C4" => uniform("C4", 3, 10_000, spacings(10_000, 3)),
        "C5" => uniform("C5", 3, 1_000, spacings(1_000, 3)),
        "C6" => uniform("C6", 2, 1_000_000, spacings(1_000_000, 2)),
        "C7" => blobs(),
        "C9" => uniform("C9", 3, 100, spacings(100, 3)),
        _ => panic!("cases are C1 to C7 and C9, not {name}"),
    }
}

fn uniform(name: &'static str, dim: usize, n: usize, cutoff: f64) -> Case {
    let mut random = Random(1);
    Case {
        name,
        dim,
        coords: (0..dim * n).map(|_| random.uniform()).collect(),
        cutoff,
    }
}

/// A million points in 50 Gaussian blobs of sigma 0.02, clipped to the unit cube; the cutoff gives about 50 M pairs.
fn blobs() -> Case {
    let mut random = Random(7);
    let centers: Vec<f64> = (0..150).map(|_| random.uniform()).collect();
    let mut coords = Vec::new();
    for k in 0..1_000_000 {
        for axis in 0..3 {
            let normal =
                (-2.0 * (1.0 - random.uniform()).ln()).sqrt() * (std::f64::consts::TAU * random.uniform()).cos();
            coords.push((centers[k % 50 * 3 + axis] + 0.02 * normal).clamp(0.0, 1.0));
        }
    }
    Case {
        name: "C7",
        dim: 3,
        coords,
        cutoff: 0.0065,
    }
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
