//! Random sequences of all calls of the C interface, each answer compared with a model that keeps the plain inputs and computes
//! everything from scratch (tests/model/). What fails is shrunk and printed as a program in C.
//!
//! * `NEARGRID_MODEL_SEED`: the seed of the first sequence, those of the others follow; by default tests/common/seed.rs says it.
//! * `NEARGRID_MODEL_SEQUENCES`: their number; by default each test has its own.
//! * `NEARGRID_MODEL_SECONDS`: stop after so many, even if sequences are left.
//! * `NEARGRID_MODEL_ALL`: go on after a failure, and report each kind of failure once.
//! * `NEARGRID_MODEL_SHRINK`: seconds for making a sequence that fails shorter.
//! * `NEARGRID_MODEL_REPORT`: a file that gets the report, too.
//!
//! * `NEARGRID_MODEL_PRINTED`: sequences that tests/model/printed.rs prints in each language.
//!
//! Sequences run in a process of their own: one that crashes, hangs or prints is a failure too. Each searches with another
//! instruction set than the one before, unless `NEARGRID_SIMD` says which.

#[path = "../common/c.rs"]
mod c;
mod every;
#[path = "../common/fortran.rs"]
mod fortran;
mod found;
#[path = "mod.rs"]
mod machine;
mod on_ranks;
mod printed;
#[path = "../common/seed.rs"]
mod seed;

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use machine::call::{Call, Step};
use machine::draw::Draw;
use machine::generate::{Taste, sequence};
use machine::interpret::{Failure, Forced, Record, run as interpreted};
use machine::trace::Trace;
use machine::truth::PROGRESS;
use machine::{print, shrink};

/// No call of the library takes as long, and no row of the model.
const STUCK: Duration = Duration::from_secs(300);

/// Sequences of a test.
const ON_THE_CPU: u64 = 4000;
const ON_A_GPU: u64 = 90;

fn variable(name: &str) -> Option<String> {
    std::env::var(format!("NEARGRID_MODEL_{name}")).ok()
}

fn number(name: &str) -> Option<u64> {
    variable(name).map(|text| text.parse().unwrap_or_else(|_| panic!("NEARGRID_MODEL_{name}={text}")))
}

fn is_whole() -> bool {
    std::env::var_os("NEARGRID_TEST_ALL").is_some()
}

/// The backend on which a worker searches: chosen by the calls, or by the environment.
fn forced() -> Forced {
    match std::env::var("NEARGRID_BACKEND").as_deref() {
        Ok("cpu") => Forced::Cpu,
        Ok("gpu") => Forced::Gpu,
        _ => Forced::None,
    }
}

fn sequence_of(seed: u64) -> Vec<Step> {
    let on_gpu = forced() != Forced::Cpu;
    let taste = Taste {
        calls: 40,
        backends: on_gpu,
        large: true,
        most: usize::MAX,
    };
    sequence(&mut Draw::seeded(seed), taste)
}

#[test]
fn on_the_cpu() {
    let sequences = if is_whole() { 15 * ON_THE_CPU } else { ON_THE_CPU };
    check(&[("NEARGRID_BACKEND", "cpu")], sequences);
}

/// On a GPU, most of the time; sequences change backends as they go.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn on_a_gpu() {
    check(&[], if is_whole() { 15 * ON_A_GPU } else { ON_A_GPU });
    if is_whole() {
        for mask in ["no-subgroups", "guarded", "binding=1048576", "no-timestamps", "no-f64"] {
            check(&[("NEARGRID_GPU_MASK", mask)], 6 * ON_A_GPU);
        }
    }
}

/// Sequences that failed once.
#[test]
fn found_before() {
    find_again(false);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn found_before_on_a_gpu() {
    find_again(true);
}

fn find_again(on_a_gpu: bool) {
    let mut failures = Vec::new();
    for (name, steps) in found::sequences() {
        if on_a_gpu != steps.iter().any(|step| step.call == Call::Backend(2)) {
            continue;
        }
        if let (Err(Failure { text, .. }), _) = interpreted(&steps, forced(), Record::None) {
            failures.push(format!("{name}: {text}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Plays a sequence on one handle or across ranks; the calls in C, where they are wanted.
fn play(seed: u64, steps: &[Step], record: Record) -> (Result<(), Failure>, Trace) {
    match on_ranks::is_asked() {
        true => (on_ranks::play(seed, steps), Trace::default()),
        false => interpreted(steps, forced(), record),
    }
}

/// Runs a worker for some sequences; fails with its report.
fn check(variables: &[(&str, &str)], sequences: u64) {
    let place = tempfile::tempdir().unwrap();
    let seed = number("SEED").unwrap_or_else(seed::seed);
    let sequences = number("SEQUENCES").unwrap_or(sequences);
    let more = [("SEED", seed.to_string()), ("SEQUENCES", sequences.to_string())];
    let ended = work(place.path(), variables, &more);
    let report = std::fs::read_to_string(place.path().join("report")).unwrap_or_default();
    let what = format!("{variables:?}, first seed {seed}");
    if let Err(how) = ended {
        let at = std::fs::read_to_string(place.path().join("current")).unwrap_or_default();
        let at = at.split_whitespace().next().unwrap_or_default();
        let program = smallest_crash(variables, at);
        panic!("{what}: the sequence of seed {at} {how}\n{report}\n{program}");
    }
    println!("{what}: {report}");
    assert!(report.starts_with("no difference"), "{what}:\n{report}");
}

/// Runs the test `worker` in a process of its own; how it ended, where it did not end well.
fn work(place: &Path, variables: &[(&str, &str)], more: &[(&str, String)]) -> Result<(), String> {
    let output = File::create(place.join("output")).unwrap();
    let mut worker = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "worker", "--nocapture"])
        .env("NEARGRID_MODEL_PLACE", place)
        .env("XDG_RUNTIME_DIR", place) // without it drivers print that it is missing
        .envs(
            more.iter()
                .map(|(name, value)| (format!("NEARGRID_MODEL_{name}"), value)),
        )
        .envs(variables.iter().copied())
        .stdout(Stdio::from(output.try_clone().unwrap()))
        .stderr(Stdio::from(output))
        .spawn()
        .unwrap();
    let current = || std::fs::read(place.join("current")).unwrap_or_default();
    let (mut last, mut since) = (current(), Instant::now());
    loop {
        if let Some(status) = worker.try_wait().unwrap() {
            let read = |name: &str| std::fs::read_to_string(place.join(name)).unwrap_or_default();
            let said = read("output") + &read(&format!("printed-{}", worker.id()));
            return if status.success() {
                Ok(())
            } else {
                Err(format!("ended with {status}:\n{said}"))
            };
        }
        let now = current();
        if now != last {
            (last, since) = (now, Instant::now());
        } else if since.elapsed() > STUCK {
            worker.kill().unwrap();
            worker.wait().unwrap();
            return Err("does not end".to_owned());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Leaves out calls of a sequence that ends its process, while it still does; the program of what is left.
fn smallest_crash(variables: &[(&str, &str)], seed: &str) -> String {
    let place = tempfile::tempdir().unwrap();
    let ends = |kept: &[usize]| {
        let kept = kept.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let more = [("SEED", seed.to_owned()), ("SEQUENCES", "1".to_owned()), ("KEEP", kept)];
        work(place.path(), variables, &more).is_err()
    };
    let mut kept: Vec<usize> = (0..40).collect();
    let mut at = kept.len();
    if !ends(&kept) {
        return "which it does not do alone".to_owned();
    }
    while at > 0 {
        at -= 1;
        let mut fewer = kept.clone();
        fewer.remove(at);
        if ends(&fewer) {
            kept = fewer;
        }
    }
    ends(&kept);
    let calls = std::fs::read_to_string(place.path().join("program")).unwrap_or_default();
    print::c::program(
        &format!("seed {seed}, calls {kept:?}: the last call ends the process"),
        &[(format!("seed {seed}"), calls)],
        &print::c::C,
    )
}

/// The part of a test that runs in a process of its own: sequences, one after the other.
#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn worker() {
    let Some(place) = variable("PLACE") else { return };
    let place = Path::new(&place);
    let (first, end) = (
        number("SEED").unwrap_or(1),
        number("SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds)),
    );
    let last = first.saturating_add(number("SEQUENCES").unwrap_or(ON_THE_CPU));
    let current = Arc::new(File::create(place.join("current")).unwrap());
    tell_progress(Arc::clone(&current));
    let kept: Option<Vec<usize>> =
        variable("KEEP").map(|kept| kept.split(',').filter_map(|k| k.parse().ok()).collect());
    let widths = widths();
    let mut printed = Printed::catch(place);
    let mut failures = BTreeMap::<String, (u64, u64)>::new();
    let (mut report, mut seed) = (String::new(), first);
    while seed < last && end.is_none_or(|end| Instant::now() < end) {
        current.write_all_at(format!("{seed:<24}").as_bytes(), 0).unwrap();
        set_width(&widths, seed);
        let mut steps = sequence_of(seed);
        let mut record = Record::None;
        if let Some(kept) = &kept {
            steps = kept.iter().filter_map(|&k| steps.get(k).cloned()).collect();
            let file = File::create(place.join("program")).unwrap();
            record = Record::File(file, Trace::default());
        }
        let (result, _) = play(seed, &steps, record);
        let failure = match result {
            Ok(()) => printed.news(),
            Err(failure) => Some(failure),
        };
        if let Some(failure) = failure {
            let known = failures.entry(failure.what.clone()).or_insert((seed, 0));
            known.1 += 1;
            if known.1 == 1 {
                report += &report_of(seed, steps, &failure);
                std::fs::write(place.join("report"), &report).unwrap();
            }
            if variable("ALL").is_none() {
                break;
            }
        }
        seed += 1;
    }
    printed.give_back();
    let verdict = if failures.is_empty() {
        "no difference"
    } else {
        "differences"
    };
    let all: String = failures
        .iter()
        .map(|(what, (seed, times))| format!("{times} x {what} (seed {seed})\n"))
        .collect();
    let text = format!(
        "{verdict} in {} sequences\n{all}{}\n{report}",
        seed - first + u64::from(!failures.is_empty()),
        on_ranks::tally(),
    );
    std::fs::write(place.join("report"), &text).unwrap();
    if let Some(path) = variable("REPORT") {
        std::fs::write(path, &text).unwrap();
    }
}

/// Has `current` say how far the model is, so that a long sequence is told from one that hangs.
fn tell_progress(current: Arc<File>) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let progress = format!(" {:<22}", PROGRESS.load(Ordering::Relaxed));
            if current.write_all_at(progress.as_bytes(), 24).is_err() {
                break;
            }
        }
    });
}

/// The failure, as short as it can be.
fn report_of(seed: u64, steps: Vec<Step>, failure: &Failure) -> String {
    let end = Instant::now() + Duration::from_secs(number("SHRINK").unwrap_or(60));
    let short = shrink::shrink(steps, 3000, |steps| {
        Instant::now() < end && matches!(play(seed, steps, Record::None), (Err(other), _) if other.what == failure.what)
    });
    let (result, trace) = play(seed, &short, Record::Trace(Trace::default()));
    let text = result.map_or_else(|failure| failure.text, |()| format!("{} (not again)", failure.text));
    let which = format!(
        "seed {seed}, NEARGRID_SIMD={}",
        std::env::var("NEARGRID_SIMD").unwrap_or_default()
    );
    if on_ranks::is_asked() {
        return format!("seed {seed}: {text}\n{short:?}\n");
    }
    let program = print::c::program(
        &format!("{which}: the last call gives\n{text}"),
        &[(format!("seed {seed}"), print::c::calls(&trace))],
        &print::c::C,
    );
    format!("seed {seed}: {text}\n{short:?}\n{program}\n")
}

/// The instruction sets that this machine has; none where the environment chooses.
fn widths() -> Vec<&'static str> {
    if std::env::var_os("NEARGRID_SIMD").is_some() {
        return Vec::new();
    }
    #[cfg(target_arch = "x86_64")]
    {
        let mut widths = vec!["scalar"];
        if std::is_x86_feature_detected!("avx2") {
            widths.push("avx2");
        }
        if std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512vbmi2") {
            widths.push("avx512");
        }
        widths
    }
    #[cfg(target_arch = "aarch64")]
    return vec!["scalar", "neon"];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return vec!["scalar"];
}

/// Has handles made from now on search with one of `widths`.
fn set_width(widths: &[&str], seed: u64) {
    if let Some(width) = widths.get(seed as usize % widths.len().max(1)) {
        // SAFETY: no other thread of this process reads the environment meanwhile; the one that tells the progress never does.
        unsafe { std::env::set_var("NEARGRID_SIMD", width) };
    }
}

/// Standard output and error while sequences run: nothing may be written there.
struct Printed {
    file: File,
    path: std::path::PathBuf,
    /// The place to which the two led before.
    before: [i32; 2],
    seen: u64,
}

impl Printed {
    fn catch(place: &Path) -> Printed {
        let path = place.join(format!("printed-{}", std::process::id()));
        let file = File::create_new(&path).unwrap();
        let before = [1, 2].map(|fd| {
            // SAFETY: calls of the kernel on descriptors that are open.
            unsafe {
                let before = libc::dup(fd);
                libc::dup2(file.as_raw_fd(), fd);
                before
            }
        });
        Printed {
            file,
            path,
            before,
            seen: 0,
        }
    }

    /// The output since it was asked last, except for the lines of others: the frame of the test tells that a test takes
    /// long, and Mesa's driver in software what it is for.
    fn news(&mut self) -> Option<Failure> {
        if self.file.metadata().unwrap().len() == self.seen {
            return None;
        }
        let text = std::fs::read_to_string(&self.path).unwrap();
        let new = text[self.seen as usize..].to_owned();
        self.seen = text.len() as u64;
        let others = ["test worker has been running", "WARNING: lavapipe is not a conformant"];
        let is_ours = |line: &&str| !others.iter().any(|other| line.starts_with(other));
        let lines: Vec<&str> = new.lines().filter(is_ours).collect();
        let text = format!("printed: {lines:?}");
        (!lines.is_empty()).then(|| Failure {
            what: "printed".to_owned(),
            text,
        })
    }

    fn give_back(&self) {
        for (fd, before) in [1, 2].into_iter().zip(self.before) {
            // SAFETY: the same.
            unsafe { libc::dup2(before, fd) };
        }
    }
}

/// A search that is refused for its tie rule leaves nothing to fetch, as other refusals do.
#[test]
fn a_refused_cell_list_leaves_nothing() {
    use neargrid::capi::celllist::{neargrid_celllist_count_f32, neargrid_celllist_fetch};
    let (x, mut count) = ([0.0f32, 1.0, 2.0], 0i64);
    let (mut npairs, mut left, mut right) = (-7i64, [-7i32; 4], [-7i32; 4]);
    // SAFETY: three coordinates, arrays of four, and numbers to write.
    let statuses = unsafe {
        [
            neargrid_celllist_count_f32(1, 3, x.as_ptr(), 1.5, 1, 0, &raw mut count) as i32,
            neargrid_celllist_count_f32(1, 3, x.as_ptr(), 1.5, -2, 0, &raw mut count) as i32,
            neargrid_celllist_fetch(4, &raw mut npairs, left.as_mut_ptr(), right.as_mut_ptr()) as i32,
        ]
    };
    assert!(statuses[0] == 0 && statuses[1] != 0 && statuses[2] == 7, "{statuses:?}");
    assert_eq!((count, npairs, left, right), (2, -7, [-7; 4], [-7; 4]));
}
