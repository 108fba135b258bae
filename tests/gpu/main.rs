//! The GPU backend where it can go wrong: a device that is lost, full, shared, or not there; handles that change size,
//! precision and backend; limits of buffers. Results are compared with the oracle, for large clouds with the CPU's.
//!
//! The suite of tests/suite/pairs.rs runs on a GPU too, from `devices` there. Any Vulkan device will do; none is a failure.
//! The environment is set for processes of their own: this program runs itself.
#![cfg(feature = "gpu")]

mod auto;
#[path = "../common/c.rs"]
mod c;
#[path = "../common/mod.rs"]
mod common;
mod faults;
mod runs;

use std::fs;

use c::{Library, Workshop, attempt, tool};
use common::{Case, Random};
use neargrid::{
    Backend, Counter, KnnKind, Measure, NeighborsKind, Phase, PointsView, Precision, Search, Status, oracle,
};

/// The test that this process is to run as the child of one.
const CHILD: &str = "NEARGRID_TEST_CHILD";

/// Whether this process is the child that runs `test` for real.
fn is_child(test: &str) -> bool {
    std::env::var(CHILD).is_ok_and(|name| name == test)
}

/// Runs `test` in a process of its own, with these `NEARGRID_*` variables only; it must pass. Returns what it said.
fn run_child(test: &str, variables: &[(&str, &str)]) -> String {
    let mut command = tool(std::env::current_exe().unwrap());
    command
        .args(["--ignored", "--exact", test, "--nocapture"])
        .env(CHILD, test);
    command.envs(
        variables
            .iter()
            .map(|(name, value)| (format!("NEARGRID_{name}"), value)),
    );
    let output = attempt(&mut command);
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{variables:?}: {text}"
    );
    text
}

fn is_whole() -> bool {
    std::env::var_os("NEARGRID_TEST_ALL").is_some()
}

fn gpu() -> Search {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Gpu);
    search
}

/// Pairs, and full rows: offsets and ids.
#[derive(Debug, PartialEq)]
struct Answer {
    pairs: Vec<(i32, i32)>,
    rows: (Vec<i64>, Vec<i32>),
}

fn set<T: Precision>(search: &mut Search, case: &Case) {
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(case.rule);
    let coords = case.coords_as::<T>();
    search
        .set_points(&PointsView::interleaved(case.dim, &coords).unwrap())
        .unwrap();
}

fn ask(search: &mut Search) -> neargrid::Result<Answer> {
    let pairs = search.pairs()?;
    let pairs = pairs.left.iter().copied().zip(pairs.right.iter().copied()).collect();
    let rows = search.neighbors(NeighborsKind::Full)?;
    let rows = (rows.offsets.to_vec(), rows.ids.to_vec());
    Ok(Answer { pairs, rows })
}

fn truth<T: Precision>(case: &Case) -> Answer {
    let pairs = case.truth::<T>();
    let rows = oracle::neighbors(case.coords.len() / case.dim, &pairs, true);
    Answer { pairs, rows }
}

/// As many points as make the automatic backend ask for a GPU, on a line, few in reach.
fn long_line(n: usize) -> Case {
    let coords = (0..n).map(|k| (k * 7919 % n) as f64).collect();
    Case::new("a long line", 1, coords, 1.5)
}

/// Has the automatic backend open a GPU, if it can.
fn open_a_gpu() {
    let mut search = Search::new().unwrap();
    for _ in 0..2 {
        set::<f64>(&mut search, &long_line(20_000));
        search.count_pairs().unwrap();
    }
    neargrid::wait_for_gpus();
}

/// The answer of `ask` under the automatic backend, once nothing is late that it needs of a GPU. Each of them must be `truth`.
fn settle<A: PartialEq>(search: &mut Search, truth: &A, mut ask: impl FnMut(&mut Search) -> A) {
    for _ in 0..20 {
        assert!(ask(search) == *truth, "{}", search.info());
        let info = search.info();
        if !["from the second search", "the CPU answers until"]
            .iter()
            .any(|late| info.contains(late))
        {
            return;
        }
        neargrid::wait_for_gpus();
    }
    panic!("late for ever: {}", search.info());
}

/// The CPU's word on clouds too large for the oracle.
fn cpu(case: &Case) -> Answer {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    set::<f64>(&mut search, case);
    ask(&mut search).unwrap()
}

// --- handles -------------------------------------------------------------------------------------

/// Sizes down to nothing and up again, both precisions, all dimensions, and both backends, on one handle.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn one_handle_for_all() {
    let (mut random, mut search) = (Random(23), gpu());
    for (k, n) in [3000, 40, 1, 0, 2, 700, 0, 5000, 1, 300].into_iter().enumerate() {
        let dim = 1 + k % 3;
        let cutoff = (12.0 / (n as f64 + 1.0)).powf(1.0 / dim as f64);
        let case = Case::new(format!("{n} points"), dim, random.cloud(dim, n), cutoff);
        let (single, double) = (truth::<f32>(&case), truth::<f64>(&case));
        for backend in [Backend::Gpu, Backend::Cpu, Backend::Gpu] {
            search.set_backend(backend);
            set::<f32>(&mut search, &case);
            assert_eq!(ask(&mut search).unwrap(), single, "{}", case.name);
            assert_eq!(search.counter(Counter::Backend), backend as i64);
            set::<f64>(&mut search, &case);
            assert_eq!(ask(&mut search).unwrap(), double, "{}", case.name);
        }
        // the backend changes between two questions about the same points
        for backend in [Backend::Cpu, Backend::Gpu] {
            search.set_backend(backend);
            assert_eq!(ask(&mut search).unwrap(), double, "{}", case.name);
        }
    }
}

/// A query like the one before takes nothing from the device, and neither does one among fewer points.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn a_steady_state_allocates_nothing() {
    let (mut random, mut search) = (Random(29), gpu());
    let held = |search: &Search| {
        [Counter::DeviceBytes, Counter::DeviceAllocations, Counter::BytesHeld].map(|counter| search.counter(counter))
    };
    let mut seen = Vec::new();
    for n in [2000, 2000, 2000, 1500, 2000] {
        let case = Case::new("steady", 3, random.cloud(3, n), 0.1);
        set::<f64>(&mut search, &case);
        assert_eq!(ask(&mut search).unwrap(), truth::<f64>(&case));
        seen.push(held(&search));
    }
    assert!(seen[0][0] > 0 && seen[0][1] > 0, "{seen:?}");
    assert!(seen[2..].iter().all(|counters| *counters == seen[1]), "{seen:?}");
    assert_eq!(seen[0][1], seen[1][1], "{seen:?}");
}

/// Neither do other kinds of the same points, which stay indexed, nor kinds given up and taken up again.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn kinds_allocate_nothing_in_a_steady_state() {
    let (mut random, mut search) = (Random(41), gpu());
    let case = Case::new("kinds", 3, random.cloud(3, 2000), 0.1);
    set::<f64>(&mut search, &case);
    let all = ask(&mut search).unwrap();
    assert_eq!(all, truth::<f64>(&case));
    let mut seen = Vec::new();
    for active in [1500, 1500, 300, 2000] {
        let types: Vec<i32> = (0..2000).map(|_| random.below(2) as i32).collect();
        search.set_types(&types, &[true, true, true, false]).unwrap();
        search.set_active(Some(active)).unwrap();
        let mut pairs = all.pairs.clone();
        pairs.retain(|&(i, j)| i64::from(i) < active && types[i as usize] + types[j as usize] < 2);
        let rows = oracle::neighbors(2000, &pairs, true);
        assert_eq!(ask(&mut search).unwrap(), Answer { pairs, rows });
        search.set_types(&[], &[]).unwrap();
        search.set_active(None).unwrap();
        assert_eq!(ask(&mut search).unwrap(), all);
        seen.push([Counter::DeviceBytes, Counter::DeviceAllocations].map(|counter| search.counter(counter)));
    }
    assert!(seen.iter().all(|counters| *counters == seen[0]), "{seen:?}");
    assert_eq!(search.counter(Counter::IndexBuilds), 1);
}

/// The automatic choice is a GPU for kinds of points too.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn auto_takes_kinds() {
    const NAME: &str = "auto_takes_kinds";
    if !is_child(NAME) {
        run_child(NAME, &[("GPU_MASK", "software")]);
        return;
    }
    let (case, mut search) = (long_line(30_000), Search::new().unwrap());
    search.set_active(Some(10_000)).unwrap();
    let mut pairs = cpu(&case).pairs;
    pairs.retain(|&(i, _)| i < 10_000);
    let rows = oracle::neighbors(30_000, &pairs, true);
    settle(&mut search, &Answer { pairs, rows }, |search| {
        set::<f64>(search, &case);
        ask(search).unwrap()
    });
    assert_eq!(search.counter(Counter::Backend), Backend::Gpu as i64);
}

/// By an index: that device, and one that is not there is refused with those that are. `auto` refuses it too, and the
/// environment has the last word.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn a_device_by_index() {
    const NAME: &str = "a_device_by_index";
    if !is_child(NAME) {
        run_child(NAME, &[("GPU_MASK", "software")]);
        run_child(NAME, &[("GPU_MASK", "software"), ("DEVICE", "0")]);
        return;
    }
    let overridden = std::env::var_os("NEARGRID_DEVICE").is_some();
    let case = Case::new("devices", 3, Random(37).cloud(3, 500), 0.1);
    let (mut search, all) = (gpu(), neargrid::devices());
    set::<f64>(&mut search, &case);
    for index in (0..all.len()).rev().map(Some).chain([None, Some(0), None]) {
        search.set_device(index);
        assert_eq!(ask(&mut search).unwrap(), truth::<f64>(&case));
        let index = if overridden { 0 } else { index.unwrap_or(0) };
        assert!(search.info().contains(&all[index].name), "{}", search.info());
    }
    for turn in 0..3 {
        search.set_device_turn(turn);
        assert_eq!(ask(&mut search).unwrap(), truth::<f64>(&case));
    }
    search.set_device(Some(all.len()));
    let line = long_line(30_000);
    for (case, backend) in [(&case, Backend::Gpu), (&line, Backend::Auto)] {
        search.set_backend(backend);
        set::<f64>(&mut search, case);
        if overridden {
            assert_eq!(ask(&mut search).unwrap(), cpu(case));
            continue;
        }
        let error = ask(&mut search).unwrap_err();
        assert_eq!(error.status(), Status::BadValue);
        let text = error.to_string();
        assert!(
            text.contains(&format!("device = {}", all.len())) && text.contains(&all[0].name),
            "{text}"
        );
    }
    search.set_backend(Backend::Cpu);
    assert_eq!(ask(&mut search).unwrap(), cpu(&line));
}

/// Memory given back is given back on the device too; results afterwards are the same, and buffers made again count.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn trimmed() {
    let mut search = gpu();
    let case = Case::new("trimmed", 3, Random(31).cloud(3, 2000), 0.1);
    set::<f64>(&mut search, &case);
    let before = ask(&mut search).unwrap();
    let made = search.counter(Counter::DeviceAllocations);
    search.trim().unwrap();
    assert_eq!(search.counter(Counter::DeviceBytes), 0);
    assert_eq!(search.counter(Counter::BytesHeld), 3 * 2000 * 8);
    assert_eq!(search.counter(Counter::DeviceAllocations), made);
    assert_eq!(ask(&mut search).unwrap(), before);
    assert!(search.counter(Counter::DeviceBytes) > 0 && search.counter(Counter::DeviceAllocations) > made);
}

/// Handles of many threads share the device, and each gets its own results.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn many_threads_share_a_device() {
    let cases: Vec<Case> = common::cases().into_iter().skip(3).step_by(19).collect();
    let truths: Vec<_> = cases.iter().map(|case| (truth::<f64>(case), case)).collect();
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let truths = &truths;
            scope.spawn(move || {
                let mut search = gpu();
                for k in 0..truths.len() {
                    let (truth, case) = &truths[(k + 2 * thread) % truths.len()];
                    set::<f64>(&mut search, case);
                    assert!(ask(&mut search).unwrap() == *truth, "thread {thread}: {}", case.name);
                }
            });
        }
    });
}

/// Times by the device's clock of results in more pieces than it holds times for. The second needs no index.
fn timings(random: &mut Random, search: &mut Search) {
    let case = Case::new("many ids", 3, random.cloud(3, 1600), 1.0);
    set::<f32>(search, &case);
    for (kind, is_new) in [(NeighborsKind::Half, true), (NeighborsKind::Full, false)] {
        let entries = search.neighbors(kind).unwrap().ids.len();
        assert!(4 * entries > 70 * 65536);
        let phases = [Phase::Upload, Phase::Index, Phase::Count, Phase::Fill, Phase::Download];
        let seconds = phases.map(|phase| search.timing(phase));
        let worked = seconds.map(|seconds| seconds > 0.0);
        assert_eq!(worked, [is_new, is_new, true, true, true], "{kind:?}: {seconds:?}");
        assert!(
            seconds[1..4].iter().sum::<f64>() <= search.timing(Phase::Total),
            "{seconds:?}"
        );
    }
}

/// More ids than a staging buffer holds cross the bus packed, in as many bits as the largest takes. Later results are larger and smaller
/// than what the rows counted before left room for.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn many_ids() {
    let (mut random, mut search) = (Random(67), gpu());
    for (n, neighbors) in [
        (1500, 1e4),
        (70_000, 20.0),
        (5000, 300.0),
        (300, 10.0),
        (20_000, 80.0),
        (70_000, 21.0),
    ] {
        let radius = (neighbors / n as f64 / 4.2).cbrt().min(2.0);
        let case = Case::new(format!("{n} points"), 3, random.cloud(3, n), radius);
        let truth = cpu(&case);
        for base in [0, 1] {
            search.set_index_base(base).unwrap();
            set::<f64>(&mut search, &case);
            let count = search.count_neighbors(NeighborsKind::Full).unwrap();
            let mut ids = vec![-1; count as usize];
            search.neighbors_into(NeighborsKind::Full, &mut ids).unwrap();
            let wanted = truth.rows.1.iter().map(|id| id + base as i32);
            assert!(ids.iter().copied().eq(wanted), "{}, base {base}", case.name);
        }
    }
}

/// Groups of a tighter linking length, in the open and in a box, are the CPU's.
fn check_groups<T: Precision>(case: &Case) {
    for is_periodic in [false, true] {
        let labels = [Backend::Gpu, Backend::Cpu].map(|backend| {
            let mut search = Search::new().unwrap();
            search.set_backend(backend);
            let (lo, length, periodic) = ([0.0; 3], [1.0; 3], [is_periodic; 3]);
            let dim = case.dim;
            search.set_box(&lo[..dim], &length[..dim], &periodic[..dim]).unwrap();
            set::<T>(&mut search, case);
            search.set_cutoff(0.6 * case.cutoff).unwrap();
            let found = search.fof().unwrap();
            assert!(found.groups < found.labels.len());
            found.labels.to_vec()
        });
        assert!(labels[0] == labels[1], "{}: groups, periodic: {is_periodic}", case.name);
    }
}

/// The k nearest of points and of queries, with lanes and with workgroups, are the CPU's.
fn check_nearest<T: Precision>(case: &Case) {
    let coords = case.coords_as::<T>();
    // As many as coordinates fit into bindings beside those of the points.
    let queries: Vec<T> = coords.iter().rev().copied().take(2100 * case.dim).collect();
    let rows = [Backend::Cpu, Backend::Gpu].map(|backend| {
        let mut search = Search::new().unwrap();
        search.set_backend(backend);
        search
            .set_points(&PointsView::interleaved(case.dim, &coords).unwrap())
            .unwrap();
        search
            .set_queries(&PointsView::interleaved(case.dim, &queries).unwrap())
            .unwrap();
        let mut rows = Vec::new();
        for (kind, k) in [
            (KnnKind::Others, 3),
            (KnnKind::Queries, 3),
            (KnnKind::Others, 70),
            (KnnKind::Queries, 3),
        ] {
            rows.push(search.knn::<T>(kind, k, Measure::Square).unwrap().ids.to_vec());
        }
        rows
    });
    assert!(rows[0] == rows[1], "{}: the k nearest", case.name);
}

/// Bindings so small that points take two of them, and results dozens of pieces; beyond that, a status.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn small_bindings() {
    const NAME: &str = "small_bindings";
    if !is_child(NAME) {
        run_child(NAME, &[("GPU_MASK", "binding=65536")]);
        if is_whole() {
            run_child(NAME, &[("GPU_MASK", "binding=65536,no-subgroups")]);
        }
        return;
    }
    let (mut random, mut search) = (Random(31), gpu());
    for (dim, n, cutoff) in [
        (3, 6000, 0.08),
        (1, 8000, 0.0005),
        (2, 300, 0.2),
        (3, 4096, 0.05),
        (2, 4097, 0.02),
    ] {
        let case = Case::new(format!("{n} points in {dim}D"), dim, random.cloud(dim, n), cutoff);
        set::<f64>(&mut search, &case);
        let truth = truth::<f64>(&case);
        assert!(ask(&mut search).unwrap() == truth, "{}", case.name);
        set::<f32>(&mut search, &case);
        assert!(ask(&mut search).unwrap() == self::truth::<f32>(&case), "{}", case.name);
        if n >= 6000 {
            check_groups::<f32>(&case);
            check_groups::<f64>(&case);
            check_nearest::<f32>(&case);
            check_nearest::<f64>(&case);
        }
    }
    timings(&mut random, &mut search);
    let case = Case::new("too many", 3, random.cloud(3, 100_000), 0.01);
    set::<f64>(&mut search, &case);
    assert_eq!(ask(&mut search).unwrap_err().status(), Status::OutOfMemory);
    assert_eq!(search.fof().unwrap_err().status(), Status::OutOfMemory);
    let case = Case::new("few", 3, random.cloud(3, 100), 0.3);
    set::<f64>(&mut search, &case);
    assert_eq!(ask(&mut search).unwrap(), truth::<f64>(&case));
}

// --- no device -----------------------------------------------------------------------------------

/// Without a device, without a driver, and without Vulkan itself the automatic backend works, a forced one says why it
/// cannot, and nothing is printed. Few points never touch Vulkan.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn no_device() {
    let shop = Workshop::new();
    let program = shop.compile("tests/c/no_device.c", &[], &Library::Shared);
    let silent = |argument: &str, variables: &[(&str, &str)]| {
        let mut command = tool(&program);
        command
            .arg(argument)
            .env_remove("NODEVICE_SELECT")
            .envs(variables.iter().copied());
        let output = attempt(&mut command);
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.is_empty(), "{variables:?}: {text}");
    };
    silent("any", &[]);
    silent(
        "missing",
        &[
            ("VK_DRIVER_FILES", "/nonexistent"),
            ("VK_ICD_FILENAMES", "/nonexistent"),
        ],
    );
    // a file that is no library is before the loader
    let shadow = shop.path().join("shadow");
    fs::create_dir(&shadow).unwrap();
    fs::write(shadow.join("libvulkan.so.1"), "").unwrap();
    silent("missing", &[("LD_LIBRARY_PATH", shadow.to_str().unwrap())]);
}

/// Invalid variables are refused by name, also where the backend is automatic.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn invalid_variables() {
    const NAME: &str = "invalid_variables";
    if !is_child(NAME) {
        for (variable, value, backend) in [
            ("GPU_MASK", "no-subgroup", "gpu"),
            ("GPU_MASK", "binding=1", "auto"),
            ("GPU_FAULT", "found", "gpu"),
            ("DEVICE", "no such device", "gpu"),
            ("DEVICE", "99", "auto"),
        ] {
            let text = run_child(NAME, &[(variable, value), ("BACKEND", backend)]);
            let said = format!("environment variable NEARGRID_{variable} = \"{value}\" is not allowed: it must be ");
            assert!(text.contains(&said), "{text}");
        }
        return;
    }
    // Under `auto` the devices are known once they were looked for, beside the second search.
    let mut search = Search::new().unwrap();
    let mut ask = || {
        set::<f64>(&mut search, &long_line(50_000));
        neargrid::wait_for_gpus();
        search.count_pairs().err()
    };
    let error = (0..3).find_map(|_| ask()).unwrap();
    assert_eq!(error.status(), Status::BadEnvironment);
    assert_eq!(ask(), Some(error.clone()));
    println!("{error}");
}

/// A device that fails the test at its first use is refused, by name and with what it got wrong; `auto` takes the CPU.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn a_wrong_device_is_refused() {
    const NAME: &str = "a_wrong_device_is_refused";
    if !is_child(NAME) {
        for (mask, fault) in [
            ("wrong-loops", "three nested loops"),
            ("wrong-rows", "the search of a lattice"),
        ] {
            let text = run_child(NAME, &[("GPU_MASK", &format!("software,{mask}"))]);
            assert_eq!(text.matches(fault).count(), 3, "{text}");
        }
        return;
    }
    let (case, device) = (long_line(30_000), &neargrid::devices()[0]);
    let truth = cpu(&case);
    let mut search = gpu();
    set::<f64>(&mut search, &case);
    for _ in 0..2 {
        let error = search.count_pairs().unwrap_err();
        assert_eq!(error.status(), Status::NoDevice);
        let text = error.to_string();
        assert!(text.contains(&device.name) && text.contains(&device.driver), "{text}");
        println!("{text}");
    }
    search.set_backend(Backend::Auto);
    assert!(ask(&mut search).unwrap() == truth);
    assert_eq!(search.counter(Counter::Backend), Backend::Cpu as i64);
    println!("{}", search.info());
    search.set_backend(Backend::Gpu);
    assert_eq!(search.count_pairs().unwrap_err().status(), Status::NoDevice);
}
