//! One row of the table, measured in a process of its own: nothing is warm at its first call, and the peak of the
//! process's memory is that of this row. In: a [`Row`]. Out: [`Measured`].

use std::time::{Duration, Instant};

use neargrid::{Backend, Counter, KnnKind, Measure, NeighborsKind, Phase, PointsView, Search};

use crate::check::{Found, by_backend, by_components, by_distances, by_oracle, nearest_by_backend};
use crate::cloud::{Cloud, cloud};
use crate::forces::Forces;
use crate::loops::Float;
use crate::options::{Outcome, Row};
use crate::steps::Steps;
use crate::sums::Density;

/// The time of work before the processor is timed: GPUs, above all, take a while to raise their clocks.
const WARM_UP: Duration = Duration::from_millis(300);
/// Short calls are repeated for this long.
const TIMED: Duration = Duration::from_millis(200);
/// The most calls.
const CALLS: usize = 10_000;
/// Entries of a chunk, at most.
const CHUNK: i64 = 1_000_000;

/// Defines [`Measured`], whose fields are numbers that go through text and back in order.
macro_rules! measured {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// The numbers of a row; NaN where there is none.
        #[derive(Clone, Copy, Debug)]
        pub struct Measured { $($(#[$doc])* pub $name: f64,)* }

        impl Measured {
            /// Names of the numbers.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// The numbers, in order.
            pub fn values(&self) -> Vec<f64> {
                vec![$(self.$name),*]
            }

            /// The numbers in `values`.
            pub fn from_values(mut values: impl Iterator<Item = f64>) -> Option<Measured> {
                Some(Measured { $($name: values.next()?,)* })
            }
        }
    };
}

measured! {
    points,
    /// Pairs, ids in rows, or labels.
    entries,
    /// That searched or, with a GPU, moved data.
    threads,
    /// Calls timed.
    runs,
    /// A whole call from and to the caller's memory, index included: the median.
    ms,
    /// The shortest call.
    ms_min,
    /// Phases of the median call. With a GPU, `index`, `count` and `fill` are by its own clock where it has one, and
    /// `download` by the host's, waiting for the GPU included: together they can be more than the call.
    upload_ms,
    index_ms,
    count_ms,
    fill_ms,
    download_ms,
    /// Million entries a second of the median call.
    mega_per_s,
    /// From no handle to the first result, in a process that never searched, into memory never touched.
    first_ms,
    /// Peak of the process's memory on the host from the first call on: points, result and all that the library and its
    /// drivers have in it.
    peak_mb,
    /// Bytes of the caller's own arrays among them: points and, except for `full`, result.
    caller_mb,
    /// Host memory that the handle holds.
    held_mb,
    /// GPU memory that it holds.
    device_mb,
    /// From points on the GPU to the result there, by the host's clock: the median.
    device_ms,
    /// The shortest.
    device_ms_min,
    /// The same by the GPU's clock: index, count and fill of the median.
    device_clock_ms,
    device_index_ms,
    device_count_ms,
    device_fill_ms,
    /// Million entries a second by the host's clock.
    device_mega_per_s,
}

/// Measures `row`, and has `judge` (`gpu`, or else the plain loop) check a result of the CPU; the CPU checks a GPU's.
/// Returns also who searched and who checked.
pub fn measure<T: Float>(row: &Row, runs: usize, judge: &str) -> Outcome<(Measured, &'static str, String)> {
    let mut cloud = cloud::<T>(&row.case, &row.domain)?;
    if let Some(rule) = row.rule() {
        cloud = cloud.with_radii(rule, row.spread as f64);
    }
    forget_peak();
    let start = Instant::now();
    let mut subject = Subject::new(row, &cloud)?;
    subject.call()?;
    let first = start.elapsed().as_secs_f64();
    if row.backend == "auto" {
        subject.wait_for_a_gpu()?;
    }
    let on_gpu = subject.search.counter(Counter::Backend) == Backend::Gpu as i64;
    subject.warm_up(on_gpu)?;
    subject.spoil();
    let host = median(runs, || subject.call())?;
    let device = match on_gpu && subject.repeats() {
        true => {
            subject.warm_up(true)?;
            median(runs, || subject.call_on_device())?
        }
        false if on_gpu => host.of_device(),
        false => Median::default(),
    };
    let mut measured = subject.measured(&host, &device);
    measured.first_ms = 1e3 * first;
    measured.peak_mb = peak();
    let checked = match &row.query[..] {
        "knn" => subject.check_nearest(&cloud, on_gpu)?,
        "sum" | "loop" => subject.density.check()?,
        "forces" | "forceloop" => subject.forces.check(row.query == "forceloop")?,
        "stages" | "step" => subject.check_steps(on_gpu)?,
        "fof" => {
            by_components(&subject.left, &cloud)?;
            "the pairs".to_owned()
        }
        _ => check(&subject.found()?, &cloud, on_gpu, judge)?,
    };
    Ok((measured, if on_gpu { "gpu" } else { "cpu" }, checked))
}

/// Returns who checked.
fn check<T: Float>(found: &Found, cloud: &Cloud<T>, on_gpu: bool, judge: &str) -> Outcome<String> {
    let other = match (on_gpu, judge) {
        (true, _) => Backend::Cpu,
        (false, "gpu") => Backend::Gpu,
        _ => return Ok(format!("plain loop: {} rows", by_oracle(found, cloud)?)),
    };
    by_backend(found, cloud, other)?;
    Ok(other.name().to_owned())
}

/// A handle with what it is asked to search, and the arrays of the caller's.
struct Subject<'a, T> {
    search: Search,
    view: PointsView<'a, T>,
    query: &'a str,
    /// Neighbors of a row, for `knn`.
    k: usize,
    left: Vec<i32>,
    right: Vec<i32>,
    distances: Vec<T>,
    density: Density<'a, T>,
    forces: Forces<'a, T>,
    steps: Option<Steps<'a, T>>,
}

impl<'a, T: Float> Subject<'a, T> {
    fn new(row: &'a Row, cloud: &'a Cloud<T>) -> Outcome<Subject<'a, T>> {
        let mut search = cloud.search()?;
        search.set_backend(match &row.backend[..] {
            "cpu" => Backend::Cpu,
            "gpu" => Backend::Gpu,
            _ => Backend::Auto,
        });
        search.set_threads(row.threads)?;
        if row.query == "fof" {
            search.set_cutoff(cloud.linking_length())?;
        }
        Ok(Subject {
            search,
            view: cloud.view()?,
            query: row.rule().map_or(&row.query, |_| "full"),
            k: usize::try_from(row.k)?,
            left: Vec::new(),
            right: Vec::new(),
            distances: Vec::new(),
            density: Density::new(cloud, row.threads)?,
            forces: Forces::new(cloud, row.threads)?,
            steps: match &row.query[..] {
                "stages" | "step" => Some(Steps::new(cloud, row.query == "step")?),
                _ => None,
            },
        })
    }

    /// Whether a GPU can be asked for the search alone, again and again.
    fn repeats(&self) -> bool {
        matches!(self.query, "pairs" | "fresh" | "full")
    }

    /// A whole call: its seconds, then those of its phases. `fresh` results get new memory, whose making is not timed.
    fn call(&mut self) -> Outcome<[f64; 6]> {
        if self.query == "chunks" {
            return self.call_in_chunks(false);
        }
        if self.query == "fresh" {
            self.allocate(self.left.len());
        }
        let start = Instant::now();
        let mut counted = [0.0; 5];
        if self.query == "full" {
            self.search.set_points(&self.view)?;
            self.search.neighbors(NeighborsKind::Full)?;
        } else if matches!(self.query, "sum" | "loop") {
            self.search.set_points(&self.view)?;
            self.density.find(&mut self.search, self.query == "loop")?;
        } else if matches!(self.query, "forces" | "forceloop") {
            self.search.set_points(&self.view)?;
            self.forces.find(&mut self.search, self.query == "forceloop")?;
        } else if let Some(steps) = &mut self.steps {
            steps.call(&mut self.search)?;
        } else if self.query == "fof" {
            self.search.set_points(&self.view)?;
            self.left.resize(self.view.len(), -1);
            self.search.fof_into(&mut self.left)?;
        } else if self.query == "knn" {
            self.search.set_points(&self.view)?;
            self.left.resize(self.k * self.view.len(), -1);
            self.distances.resize(self.left.len(), T::default());
            let (ids, distances) = (&mut self.left, &mut self.distances);
            self.search
                .knn_into(KnnKind::Others, self.k, Measure::Distance, ids, distances)?;
        } else {
            let need = self.search.count_pairs_of(&self.view)? as usize;
            counted = self.phases();
            if self.left.len() < need {
                self.allocate(need);
            }
            self.search.pairs_into(&mut self.left, &mut self.right)?;
        }
        let total = start.elapsed().as_secs_f64();
        let filled = self.phases();
        let [upload, index, count, fill, download] = std::array::from_fn(|phase| counted[phase] + filled[phase]);
        Ok([total, upload, index, count, fill, download])
    }

    /// A whole call that takes the pairs in chunks, into the arrays where they are to be kept. What is neither index nor count
    /// is called fill.
    fn call_in_chunks(&mut self, keeps: bool) -> Outcome<[f64; 6]> {
        let start = Instant::now();
        self.search.set_points(&self.view)?;
        let mut chunks = self.search.chunks(NeighborsKind::Half, CHUNK)?;
        let [index, count] = [Phase::Index, Phase::Count].map(|phase| chunks.search().timing(phase));
        while let Some(pairs) = chunks.next_pairs()? {
            if keeps {
                self.left.extend_from_slice(pairs.left);
                self.right.extend_from_slice(pairs.right);
            }
        }
        let total = start.elapsed().as_secs_f64();
        Ok([total, 0.0, index, count, total - index - count, 0.0])
    }

    /// The search alone, where a GPU did it: seconds by the host's clock, then index, count and fill by the GPU's.
    fn call_on_device(&mut self) -> Outcome<[f64; 6]> {
        let total = self.search.again_on_device()?;
        let [upload, index, count, fill, download] = self.phases();
        Ok([total, upload, index, count, fill, download])
    }

    fn phases(&self) -> [f64; 5] {
        [Phase::Upload, Phase::Index, Phase::Count, Phase::Fill, Phase::Download].map(|phase| self.search.timing(phase))
    }

    /// Arrays of pages still to be made, or where fresh memory was not asked for of pages already written; the old ones gone
    /// before.
    fn allocate(&mut self, need: usize) {
        let value = if self.query == "fresh" { 0 } else { -1 };
        (self.left, self.right) = (Vec::new(), Vec::new());
        (self.left, self.right) = (vec![value; need], vec![value; need]);
    }

    /// Leaves nothing of earlier calls in the arrays: what is checked was written by calls that were timed.
    fn spoil(&mut self) {
        self.left.fill(-1);
        self.right.fill(-1);
    }

    /// Calls until nothing is late that the automatic backend needs of a GPU: the device, and at most four kinds of kernels.
    fn wait_for_a_gpu(&mut self) -> Outcome<()> {
        for _ in 0..6 {
            self.call()?;
            neargrid::wait_for_gpus();
        }
        self.call()?;
        Ok(())
    }

    fn warm_up(&mut self, on_gpu: bool) -> Outcome<()> {
        let start = Instant::now();
        while start.elapsed() < WARM_UP {
            match on_gpu {
                true if self.repeats() => self.call_on_device()?,
                _ => self.call()?,
            };
        }
        Ok(())
    }

    fn measured(&self, host: &Median, device: &Median) -> Measured {
        let [ms, upload_ms, index_ms, count_ms, fill_ms, download_ms] = host.ms;
        let [device_ms, _, device_index_ms, device_count_ms, device_fill_ms, _] = device.ms;
        let clock = device_index_ms + device_count_ms + device_fill_ms;
        let by_clock = |ms: f64| if clock > 0.0 { ms } else { f64::NAN };
        let entries = match self.query {
            "fof" | "knn" => self.left.len() as f64,
            _ => self.search.counter(Counter::Entries) as f64,
        };
        let megabytes = |counter| self.search.counter(counter) as f64 / 1e6;
        let lists = [&self.left, &self.right].map(|list| size_of_val(&list[..]));
        let caller = lists.iter().sum::<usize>() + size_of_val(&self.distances[..]);
        Measured {
            points: self.view.len() as f64,
            entries,
            threads: self.search.counter(Counter::Threads) as f64,
            runs: host.runs as f64,
            ms,
            ms_min: host.ms_min,
            upload_ms,
            index_ms,
            count_ms,
            fill_ms,
            download_ms,
            mega_per_s: entries / ms / 1e3,
            first_ms: f64::NAN,
            peak_mb: f64::NAN,
            caller_mb: (caller + self.view.len() * self.view.dim() * size_of::<T>()) as f64 / 1e6,
            held_mb: megabytes(Counter::BytesHeld),
            device_mb: megabytes(Counter::DeviceBytes),
            device_ms,
            device_ms_min: device.ms_min,
            device_clock_ms: by_clock(clock),
            device_index_ms: by_clock(device_index_ms),
            device_count_ms: by_clock(device_count_ms),
            device_fill_ms: by_clock(device_fill_ms),
            device_mega_per_s: entries / device_ms / 1e3,
        }
    }

    /// Has a step checked; returns by whom.
    fn check_steps(&mut self, on_gpu: bool) -> Outcome<String> {
        match &mut self.steps {
            Some(steps) => steps.check(&mut self.search, on_gpu),
            None => Ok("nobody".to_owned()),
        }
    }

    /// Has the nearest checked; returns by whom.
    fn check_nearest(&self, cloud: &Cloud<T>, on_gpu: bool) -> Outcome<String> {
        if on_gpu {
            nearest_by_backend(&self.left, &self.distances, self.k, cloud, Backend::Cpu)?;
            return Ok(Backend::Cpu.name().to_owned());
        }
        let rows = by_distances(&self.left, self.k, cloud)?;
        Ok(format!("plain loop: {rows} rows"))
    }

    /// The result of the last call.
    fn found(&mut self) -> Outcome<Found<'_>> {
        if self.query == "chunks" {
            self.call_in_chunks(true)?;
        }
        Ok(match self.query {
            "full" => Found::Full(self.search.neighbors(NeighborsKind::Full)?),
            _ => Found::Pairs {
                left: &self.left,
                right: &self.right,
            },
        })
    }
}

/// The call of median length, and the length of the shortest.
struct Median {
    runs: usize,
    ms: [f64; 6],
    ms_min: f64,
}

impl Default for Median {
    fn default() -> Median {
        Median {
            runs: 0,
            ms: [f64::NAN; 6],
            ms_min: f64::NAN,
        }
    }
}

impl Median {
    /// The time of a GPU in whole calls, by its own clock: there is no search to repeat there alone.
    fn of_device(&self) -> Median {
        let [_, _, index, count, fill, _] = self.ms;
        Median {
            runs: self.runs,
            ms: [f64::NAN, 0.0, index, count, fill, 0.0],
            ms_min: f64::NAN,
        }
    }
}

/// Calls at least `runs` times.
fn median(runs: usize, mut call: impl FnMut() -> Outcome<[f64; 6]>) -> Outcome<Median> {
    let (start, mut calls) = (Instant::now(), Vec::new());
    while calls.len() < runs || (start.elapsed() < TIMED && calls.len() < CALLS) {
        calls.push(call()?);
    }
    calls.sort_by(|a, b| a[0].total_cmp(&b[0]));
    Ok(Median {
        runs: calls.len(),
        ms: calls[calls.len() / 2].map(|seconds| 1e3 * seconds),
        ms_min: 1e3 * calls[0][0],
    })
}

/// Lets the peak start from what is held now, where the kernel can: making the cloud is not part of it.
fn forget_peak() {
    // a kernel that cannot leaves a peak that is a little too high
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Peak memory of this process in MB, if the kernel reports it.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kibibytes.map_or(f64::NAN, |kibibytes| kibibytes * 1024.0 / 1e6)
}
