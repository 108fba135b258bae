// --- faults --------------------------------------------------------------------------------------

use neargrid::{
    Backend, Counter, Error, KnnKind, Measure, NeighborsKind, PointsView, Precision, RadiusRule, Search, Status,
};

use super::{Answer, ask, cpu, gpu, is_child, is_whole, long_line, open_a_gpu, run_child, set, settle, truth};
use crate::common::{Case, Random};

/// Asks everything about each of `clouds`, twice where the first try fails: with `expected`, and at most once in all.
/// Returns how often.
fn survive(search: &mut Search, clouds: &[(Case, Answer)], expected: Status) -> usize {
    let mut failures = 0;
    for (case, truth) in clouds {
        if failures > 0 && search.count_pairs().is_err_and(|error| is_refused(&error)) {
            break;
        }
        failures += match case.only {
            Some("f32") => survive_cloud::<f32>(search, case, truth, expected),
            _ => survive_cloud::<f64>(search, case, truth, expected),
        };
    }
    assert!(failures <= 1, "{failures} failures");
    failures
}

/// Whether the device is refused for good.
fn is_refused(error: &Error) -> bool {
    error.status() == Status::NoDevice && error.to_string().contains("hangs, which its test")
}

fn survive_cloud<T: Precision>(search: &mut Search, case: &Case, truth: &Answer, expected: Status) -> usize {
    set::<T>(search, case);
    let coords = case.coords_as::<T>();
    let view = PointsView::interleaved(case.dim, &coords).unwrap();
    let mut failures = 0;
    for question in 0..6 {
        if let Err(error) = answer(search, &view, truth, question) {
            failures += 1;
            if is_refused(&error) {
                assert_eq!(answer(search, &view, truth, question).unwrap_err(), error);
                break;
            }
            assert_eq!(error.status(), expected, "{error}");
            answer(search, &view, truth, question).unwrap_or_else(|error| panic!("again: {error}"));
        }
    }
    failures
}

/// One of the questions about a cloud; an answer is right, and nothing is written beyond the need.
fn answer<T: Precision>(
    search: &mut Search,
    view: &PointsView<T>,
    truth: &Answer,
    question: usize,
) -> neargrid::Result<()> {
    const GUARD: i32 = -77;
    let pairs = truth.pairs.len();
    match question {
        0 => assert_eq!(search.count_pairs()?, pairs as i64),
        1 => {
            let (mut i, mut j) = (vec![GUARD; pairs + 3], vec![GUARD; pairs + 3]);
            let result = search.pairs_into(&mut i, &mut j);
            assert!(i[pairs..] == [GUARD; 3] && j[pairs..] == [GUARD; 3]);
            assert_eq!(result?, pairs);
            assert!(i.into_iter().zip(j).take(pairs).eq(truth.pairs.iter().copied()));
        }
        2 => assert_eq!(search.count_neighbors(NeighborsKind::Full)?, 2 * pairs as i64),
        3 => assert!(ask(search)? == *truth),
        4 => {
            search.set_active(Some(1))?; // all others are ghosts
            let count = search.count_pairs();
            search.set_active(None)?;
            let expected = truth.pairs.iter().filter(|pair| pair.0 == 0);
            assert_eq!(count?, expected.count() as i64);
        }
        _ => assert_eq!(search.count_pairs_of(view)?, pairs as i64),
    }
    Ok(())
}

/// Runs `test` with `fault` after that many steps, one process each, until it comes too late; in `make test` the steps are
/// `stride` apart.
pub fn at_many_steps(test: &str, fault: &str, mask: &str, stride: usize) {
    let stride = if is_whole() { 1 } else { stride };
    let mut struck = 0;
    for step in (0..).step_by(stride) {
        let text = run_child(test, &[("GPU_FAULT", &format!("{fault}={step}")), ("GPU_MASK", mask)]);
        match text.contains("the fault came") {
            true => struck += 1,
            false => break,
        }
    }
    println!("{fault}: at {struck} steps, {stride} apart");
    assert!(struck > 2, "{fault}: at {struck} steps, {stride} apart");
}

pub fn expected_status() -> Status {
    match std::env::var("NEARGRID_GPU_FAULT").unwrap().starts_with("memory") {
        true => Status::OutOfMemory,
        false => Status::DeviceLost,
    }
}

/// A fault is a status where the backend was forced, and the next call is answered.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn a_fault_is_a_status() {
    const NAME: &str = "faults::a_fault_is_a_status";
    if !is_child(NAME) {
        at_many_steps(NAME, "lost", "", 160);
        at_many_steps(NAME, "hang", "", 160);
        at_many_steps(NAME, "memory", "", 16);
        return;
    }
    let mut random = Random(37);
    let mut cloud = |dim, n, cutoff| Case::new(format!("{n} points"), dim, random.cloud(dim, n), cutoff);
    let mut clouds = [cloud(2, 60, 0.3), cloud(3, 1500, 0.2), cloud(1, 4000, 0.002)].map(|case| {
        let truth = truth::<f64>(&case);
        (case, truth)
    });
    clouds[1].0.only = Some("f32");
    clouds[1].1 = truth::<f32>(&clouds[1].0);
    if survive(&mut gpu(), &clouds, expected_status()) > 0 {
        println!("the fault came");
    }
}

/// The CPU takes over where the backend is automatic; info says so.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn a_fault_under_auto_is_the_cpus_turn() {
    const NAME: &str = "faults::a_fault_under_auto_is_the_cpus_turn";
    if !is_child(NAME) {
        at_many_steps(NAME, "lost", "software", 120);
        at_many_steps(NAME, "memory", "software", 16);
        return;
    }
    let clouds = [21_000, 24_000].map(long_line).map(|case| {
        let answer = cpu(&case);
        (case, answer)
    });
    open_a_gpu();
    let mut search = Search::new().unwrap();
    set::<f64>(&mut search, &clouds[0].0);
    let failures = survive(&mut search, &clouds, expected_status());
    assert_eq!(failures, 0, "auto does not fail");
    let info = search.info();
    if !info.starts_with("backend: gpu (auto: enough points for a GPU to win)") {
        println!("the fault came");
        let is_for = |reason: &&str| info.starts_with(&format!("backend: cpu (auto: {reason}"));
        // It was lost before this search took it, and is opened again; or it failed in a search, or before the first one.
        if !is_for(&"a GPU is being opened") {
            let reasons = ["the GPU failed", "no GPU that can be used"];
            assert!(reasons.iter().any(is_for), "{info}");
            let said = ["the GPU was lost", "out of memory"];
            assert!(said.iter().any(|text| info.contains(text)), "{info}");
        }
        // once asked again, the device works
        set::<f64>(&mut search, &clouds[1].0);
        search.set_backend(Backend::Gpu);
        assert!(ask(&mut search).unwrap() == clouds[1].1);
        search.set_backend(Backend::Auto);
        assert!(ask(&mut search).unwrap() == clouds[1].1);
        assert_eq!(search.counter(Counter::Backend), Backend::Gpu as i64);
    }
}

/// Points that were only borrowed are gone with the device they were on: that is a failure, never an empty list.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn borrowed_points_are_lost_with_their_device() {
    const NAME: &str = "faults::borrowed_points_are_lost_with_their_device";
    if !is_child(NAME) {
        let faults = ["lost=400"; 4].join(",");
        run_child(NAME, &[("GPU_FAULT", &faults), ("GPU_MASK", "software")]);
        return;
    }
    let case = long_line(50_000);
    let view = PointsView::interleaved(1, &case.coords).unwrap();
    for (backend, asks) in [
        (Backend::Gpu, true),
        (Backend::Gpu, false),
        (Backend::Auto, true),
        (Backend::Auto, false),
    ] {
        open_a_gpu(); // the one before is lost
        let mut search = Search::new().unwrap();
        search.set_cutoff(case.cutoff).unwrap();
        search.set_backend(backend);
        assert_eq!(search.count_pairs_of(&view).unwrap(), 49_999);
        assert_eq!(search.counter(Counter::Backend), Backend::Gpu as i64);
        lose_the_device();
        for attempt in ["first", "second"].iter().take(if asks { 2 } else { 0 }) {
            let error = search.count_neighbors(NeighborsKind::Full).expect_err(attempt);
            assert!(
                matches!(error.status(), Status::DeviceLost | Status::BadState),
                "{error}"
            );
        }
        // The points come along again, so that nothing is missing.
        assert_eq!(
            search.count_pairs_of(&view).unwrap(),
            49_999,
            "{backend:?}, asks: {asks}"
        );
    }
}

/// Another handle uses the device until the fault comes.
pub fn lose_the_device() {
    let mut search = gpu();
    let case = Case::new("two points", 1, vec![0.0, 1.0], 1.5);
    set::<f64>(&mut search, &case);
    // Other settings and not other points: a device that is lost when it is sent points ahead is nobody's failure.
    let lost = (0..100).any(|k| {
        search.set_cutoff(1.5 + f64::from(k)).unwrap();
        search
            .count_pairs()
            .is_err_and(|error| error.status() == Status::DeviceLost)
    });
    assert!(lost, "the device is still there");
}

/// The device is lost through another handle, and a new one cannot be opened: all starts again on the CPU.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn no_second_device() {
    const NAME: &str = "faults::no_second_device";
    if !is_child(NAME) {
        run_child(NAME, &[("GPU_FAULT", "lost=400,memory"), ("GPU_MASK", "software")]);
        return;
    }
    let case = long_line(50_000);
    let truth = cpu(&case);
    open_a_gpu();
    let mut search = Search::new().unwrap();
    set::<f64>(&mut search, &case);
    assert_eq!(search.count_pairs().unwrap(), truth.pairs.len() as i64);
    assert_eq!(search.counter(Counter::Backend), Backend::Gpu as i64);
    lose_the_device();
    for _ in 0..2 {
        set::<f64>(&mut search, &case);
        assert!(ask(&mut search).unwrap() == truth);
        assert_eq!(search.counter(Counter::Backend), Backend::Cpu as i64);
        neargrid::wait_for_gpus(); // it is opened again, and fails
    }
    assert!(search.info().contains("no GPU that can be used"), "{}", search.info());
}

/// A device lost under many threads is a status in each at most once; all go on with a new one.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn a_loss_under_many_threads() {
    const NAME: &str = "faults::a_loss_under_many_threads";
    if !is_child(NAME) {
        for steps in [60, 150, 400] {
            run_child(NAME, &[("GPU_FAULT", &format!("lost={steps}"))]);
        }
        return;
    }
    let mut random = Random(41);
    let clouds = [100, 900, 500].map(|n| {
        let case = Case::new(format!("{n} points"), 3, random.cloud(3, n), 0.2);
        let truth = truth::<f64>(&case);
        (case, truth)
    });
    let failures: usize = std::thread::scope(|scope| {
        let work = || survive(&mut gpu(), &clouds, Status::DeviceLost);
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(failures >= 1, "nobody noticed the loss");
}

/// Labels of groups, the k nearest and lists by radii: where the backend is automatic, the CPU takes over; the device works once it
/// is asked again. `ask` must give the same from both.
fn outlives_a_fault(test: &str, strides: [usize; 2], ask: impl Fn(&mut Search) -> Vec<i32>) {
    if !is_child(test) {
        at_many_steps(test, "lost", "software", strides[0]);
        at_many_steps(test, "memory", "software", strides[1]);
        return;
    }
    let case = long_line(30_000);
    let (mut search, mut judge) = (Search::new().unwrap(), Search::new().unwrap());
    judge.set_backend(Backend::Cpu);
    for handle in [&mut search, &mut judge] {
        set::<f64>(handle, &case);
    }
    let truth = ask(&mut judge);
    let check = |search: &mut Search| {
        settle(search, &truth, |search| {
            set::<f64>(search, &case); // or it might know the answer
            ask(search)
        });
        search.counter(Counter::Backend) == Backend::Gpu as i64
    };
    if !check(&mut search) {
        println!("the fault came");
        assert!(search.info().contains("gpu: "), "{}", search.info());
        search.set_backend(Backend::Gpu);
        assert!(check(&mut search));
    }
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn fof_outlives_a_fault() {
    outlives_a_fault("faults::fof_outlives_a_fault", [60, 10], |search| {
        let mut labels = vec![-7; 30_000];
        assert_eq!(search.fof_into(&mut labels).unwrap(), 1);
        labels
    });
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn knn_outlives_a_fault() {
    outlives_a_fault("faults::knn_outlives_a_fault", [60, 12], |search| {
        let nearest = search.knn::<f64>(KnnKind::Others, 2, Measure::Distance).unwrap();
        nearest.ids.to_vec()
    });
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn radii_outlive_a_fault() {
    outlives_a_fault("faults::radii_outlive_a_fault", [60, 14], |search| {
        let radii: Vec<f64> = (0..30_000).map(|k| 0.5 + (k % 3) as f64).collect();
        search.set_radii(&radii, RadiusRule::Max).unwrap();
        search.neighbors(NeighborsKind::Full).unwrap().ids.to_vec()
    });
}
