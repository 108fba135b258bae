//! The standard cases, timed: `cargo bench --bench cases -- [OPTION=VALUE ...]`.
//!
//! cases=C1,C2,...  threads=1,2  runs=7  precision=f64,f32  query=pairs,fresh,full  points=DIR (writes each cloud as
//! DIR/CASE.f64, three real64 a point, for other programs to read).
//!
//! Times are medians of whole calls on a warm handle, index build included: `pairs` into touched arrays, `fresh` into
//! memory never touched, `full` neighbors into the handle. Counting and filling go over
//! the grid in different ways; a run in which they disagree on the length of any row stops.

use std::time::Instant;

use neargrid::{Backend, NeighborsKind, Phase, PointsView, Precision, Search};

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
        "{:4} {:4} {:6} {:4} c {:3} {:>11} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "case", "real", "query", "on", "thr", "entries", "ms", "upload", "index", "count", "fill", "download", "M/s"
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
                    for backend in option("backend", "cpu") {
                        for cells in option("cells", "0") {
                            let how = How {
                                query: &query,
                                threads,
                                runs,
                                backend: &backend,
                                cells: cells.parse().expect("cells is a number"),
                            };
                            match &precision[..] {
                                "f64" => run::<f64>(&case, &how),
                                _ => run::<f32>(&case, &how),
                            }
                        }
                    }
                }
            }
        }
    }
}

struct How<'a> {
    query: &'a str,
    threads: i64,
    runs: usize,
    backend: &'a str,
    cells: i64,
}

fn run<T: Precision>(case: &Case, how: &How) {
    let coords: Vec<T> = case.coords.iter().map(|&c| T::from_f64(c)).collect();
    let mut search = Search::new().expect("a handle");
    search.set_threads(how.threads).expect("threads");
    search.set_cutoff(case.cutoff).expect("a cutoff");
    search.set_cells_per_cutoff(how.cells).expect("cells");
    search.set_backend(match how.backend {
        "gpu" => Backend::Gpu,
        "auto" => Backend::Auto,
        _ => Backend::Cpu,
    });
    let view = PointsView::interleaved(case.dim, &coords).expect("points");
    let first = Instant::now();
    let need = search.count_pairs_of(&view).expect("a count") as usize;
    let first = first.elapsed().as_secs_f64() * 1e3;
    let (mut left, mut right) = (vec![1; need], vec![1; need]);
    let (mut times, mut entries) = (Vec::new(), 0);
    for _ in 0..how.runs {
        if how.query == "fresh" {
            (left, right) = (vec![0; need], vec![0; need]); // zero pages, none touched yet
        }
        let start = Instant::now();
        search.count_pairs_of(&view).expect("a count");
        let mut phases = PHASES.map(|phase| search.timing(phase));
        entries = match how.query {
            "full" => search.neighbors(NeighborsKind::Full).expect("neighbors").ids.len(),
            _ => search.pairs_into(&mut left, &mut right).expect("pairs"),
        };
        let total = start.elapsed().as_secs_f64();
        for (sum, phase) in phases.iter_mut().zip(PHASES) {
            *sum += search.timing(phase);
        }
        times.push([total, phases[0], phases[1], phases[2], phases[3], phases[4]]);
    }
    let line = |what: &str, times: &mut Vec<[f64; 6]>| {
        times.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let [total, upload, index, count, fill, download] = times[times.len() / 2].map(|seconds| seconds * 1e3);
        println!(
            "{:4} {:4} {what:6} {:4} {} {:3} {entries:11} {total:9.3} {upload:8.3} {index:8.3} {count:8.3} {fill:8.3} {download:8.3} {:8.1} first {first:.1}",
            case.name,
            &T::NAME[4..],
            how.backend,
            how.cells,
            how.threads,
            entries as f64 / total / 1e3
        );
    };
    line(how.query, &mut times);
    if how.backend == "gpu" {
        let mut times: Vec<_> = (0..2 * how.runs)
            .map(|_| {
                let wall = search.again_on_device().expect("a search on the device");
                let [_, index, count, fill, _] = PHASES.map(|phase| search.timing(phase));
                [wall, 0.0, index, count, fill, index + count + fill]
            })
            .collect();
        line("device", &mut times);
    }
    if how.backend == "gpu" && how.query != "full" {
        search.set_backend(Backend::Cpu);
        search.set_threads(0).expect("threads");
        let (mut i, mut j) = (vec![0; need], vec![0; need]);
        search.count_pairs_of(&view).expect("a count");
        search.pairs_into(&mut i, &mut j).expect("pairs");
        assert!(i == left && j == right, "{}: the backends disagree", case.name);
    }
}

const PHASES: [Phase; 5] = [Phase::Upload, Phase::Index, Phase::Count, Phase::Fill, Phase::Download];

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
        "C1s" => sorted(uniform("C1s", 3, 1_000_000, 0.03)),
        "U7" => uniform("U7", 3, 10_000_000, spacings(10_000_000, 3)),
        "C9" => uniform("C9", 3, 100, spacings(100, 3)),
        _ => panic!("cases are C1 to C7 and C9, not {name}"),
    }
}

/// The same points in the order of their cells.
fn sorted(mut case: Case) -> Case {
    let mut points: Vec<_> = case.coords.chunks(3).map(|p| [p[0], p[1], p[2]]).collect();
    points.sort_by_key(|p| [2, 1, 0].map(|axis: usize| (p[axis] / case.cutoff) as i64));
    case.coords = points.concat();
    case
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
