//! The automatic backend never waits for a GPU: the CPU answers until one is open and its kernels are compiled.

use neargrid::{
    Backend, Counter, Formula, KnnKind, Measure, NeighborsKind, PointsView, RadiusRule, Search, SumPrecision,
};

use super::{
    Workshop, ask, attempt, cpu, gpu, is_child, is_whole, long_line, open_a_gpu, run_child, set, settle, tool,
};
use crate::c::Library;
use crate::common::Case;

/// A search whose last query ran where it says, for the reason it says.
fn ran(search: &Search, how: &str) -> bool {
    let is_on_gpu = how.starts_with("gpu");
    assert_eq!(search.counter(Counter::Backend) == Backend::Gpu as i64, is_on_gpu);
    search.info().starts_with(&format!("backend: {how}"))
}

const FIRST: &str = "cpu (auto: a GPU is opened from the second search of the process on)";
const OPENING: &str = "cpu (auto: a GPU is being opened; the CPU answers until it is ready)";
const COMPILING: &str = "cpu (auto: kernels for the GPU are being compiled; the CPU answers until they are ready)";
const BEGUN: &str = "cpu (auto: the CPU goes on with what it has begun)";
const READY: &str = "gpu (auto: enough points for a GPU to win)";

/// A new handle with the points of a case.
fn handle(case: &Case) -> Search {
    let mut search = Search::new().unwrap();
    set::<f64>(&mut search, case);
    search
}

/// The first search of a process opens nothing, and neither does the fill after its count; the second one has a GPU
/// opened. Once that is open, all handles take it, and kernels that it lacks are compiled beside them.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn nobody_waits() {
    const NAME: &str = "auto::nobody_waits";
    if !is_child(NAME) {
        run_child(NAME, &[("GPU_MASK", "software")]);
        return;
    }
    let case = long_line(25_000);
    let truth = cpu(&case);
    let mut first = handle(&case);
    let pairs = first.count_pairs().unwrap();
    assert!(ran(&first, FIRST), "{}", first.info());
    let (mut left, mut right) = (vec![0; pairs as usize], vec![0; pairs as usize]);
    first.pairs_into(&mut left, &mut right).unwrap();
    assert!(ran(&first, BEGUN), "{}", first.info());
    assert!(left.into_iter().zip(right).eq(truth.pairs.iter().copied()));

    let mut second = handle(&case);
    assert_eq!(second.count_pairs().unwrap(), pairs);
    assert!(ran(&second, OPENING), "{}", second.info());
    neargrid::wait_for_gpus();
    for search in [&mut first, &mut second, &mut handle(&case)] {
        set::<f64>(search, &case);
        assert!(ask(search).unwrap() == truth);
        assert!(ran(search, READY), "{}", search.info());
    }
    for (what, ask) in QUERIES {
        kernels_are_late(&case, what, *ask);
    }
}

type Ask = fn(&mut Search) -> Vec<i64>;

/// Queries that need kernels beside those of pairs.
const QUERIES: &[(&str, Ask)] = &[
    ("a box", |search| {
        search.set_box(&[0.0], &[25_000.0], &[true]).unwrap();
        set::<f64>(search, &long_line(25_000));
        vec![search.count_pairs().unwrap()]
    }),
    ("kinds", |search| {
        search.set_active(Some(10_000)).unwrap();
        vec![search.count_pairs().unwrap()]
    }),
    ("k nearest", |search| {
        let nearest = search.knn::<f64>(KnnKind::Others, 2, Measure::Distance).unwrap();
        nearest.ids.iter().map(|&id| id.into()).collect()
    }),
    ("groups", |search| {
        search.fof().unwrap().labels.iter().map(|&label| label.into()).collect()
    }),
    ("radii", |search| {
        let radii: Vec<f64> = (0..25_000).map(|k| 0.5 + (k % 3) as f64).collect();
        search.set_radii(&radii, RadiusRule::Max).unwrap();
        let rows = search.neighbors(NeighborsKind::Full).unwrap();
        rows.ids.iter().map(|&id| id.into()).collect()
    }),
    ("a formula", |search| {
        let mut formula = Formula::new("n += 1; most max= r2").unwrap();
        formula.set_precision(SumPrecision::Single);
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        let most = search.field::<f32>("most").unwrap();
        most.iter().map(|number| number.to_bits().into()).collect()
    }),
];

/// The CPU answers a query whose kernels are not there, and the GPU the same query later.
fn kernels_are_late(case: &Case, what: &str, ask: Ask) {
    let mut judge = handle(case);
    judge.set_backend(Backend::Cpu);
    let truth = ask(&mut judge);
    let mut search = handle(case);
    assert!(ask(&mut search) == truth, "{what}");
    assert!(ran(&search, COMPILING), "{what}: {}", search.info());
    settle(&mut search, &truth, |search| {
        set::<f64>(search, case);
        ask(search)
    });
    assert!(ran(&search, READY), "{what}: {}", search.info());
}

/// The CPU fills the rows that it has counted, although a GPU is ready meanwhile: rows, points that were lent, chunks. The next
/// points are the GPU's.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn a_count_is_filled_where_it_was_made() {
    const NAME: &str = "auto::a_count_is_filled_where_it_was_made";
    if !is_child(NAME) {
        run_child(NAME, &[("GPU_MASK", "software")]);
        return;
    }
    let case = long_line(25_000);
    let truth = cpu(&case);
    let view = PointsView::interleaved(1, &case.coords).unwrap();
    let (mut counted, mut lent, mut chunked) = (handle(&case), Search::new().unwrap(), handle(&case));
    let pairs = counted.count_pairs().unwrap();
    lent.set_cutoff(case.cutoff).unwrap();
    assert_eq!(lent.count_pairs_of(&view).unwrap(), pairs);
    let mut chunks = chunked.chunks(NeighborsKind::Full, 1000).unwrap();
    let mut ids = chunks.next().unwrap().unwrap().ids.to_vec();
    neargrid::wait_for_gpus();
    while let Some(chunk) = chunks.next().unwrap() {
        ids.extend(chunk.ids);
    }
    assert!(ids == truth.rows.1);
    for search in [&mut counted, &mut lent] {
        let counts = search.counter(Counter::Counts);
        let (mut left, mut right) = (vec![0; pairs as usize], vec![0; pairs as usize]);
        search.set_threads(1).unwrap(); // changes nothing of what was counted
        search.pairs_into(&mut left, &mut right).unwrap();
        assert!(left.into_iter().zip(right).eq(truth.pairs.iter().copied()));
        assert_eq!(search.counter(Counter::Counts), counts);
        assert!(ran(search, BEGUN), "{}", search.info());
    }
    for search in [&mut counted, &mut lent, &mut chunked] {
        set::<f64>(search, &case);
        assert!(ask(search).unwrap() == truth);
        assert!(ran(search, READY), "{}", search.info());
    }
    // Another cutoff among the same points is another count.
    let mut search = handle(&case);
    search.set_backend(Backend::Cpu);
    search.count_pairs().unwrap();
    search.set_backend(Backend::Auto);
    search.count_pairs().unwrap();
    assert!(ran(&search, BEGUN), "{}", search.info());
    search.set_cutoff(2.5).unwrap();
    search.count_pairs().unwrap();
    assert!(ran(&search, READY), "{}", search.info());
}

/// A GPU that cannot be opened beside a search is not tried again under `auto`, by any handle, until a search with
/// backend `gpu` opens it.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn a_gpu_that_fails_beside_a_search() {
    const NAME: &str = "auto::a_gpu_that_fails_beside_a_search";
    if !is_child(NAME) {
        for fault in ["memory", "lost", "lost=30"] {
            run_child(NAME, &[("GPU_MASK", "software"), ("GPU_FAULT", fault)]);
        }
        return;
    }
    let case = long_line(25_000);
    let truth = cpu(&case);
    super::open_a_gpu();
    for _ in 0..2 {
        let mut search = handle(&case);
        assert!(ask(&mut search).unwrap() == truth);
        assert!(ran(&search, "cpu (auto: no GPU that can be used)"), "{}", search.info());
        let why = ["\ngpu: out of memory", "\ngpu: the GPU was lost"];
        assert!(why.iter().any(|why| search.info().contains(why)), "{}", search.info());
        neargrid::wait_for_gpus();
    }
    let mut forced = gpu();
    set::<f64>(&mut forced, &case);
    assert!(ask(&mut forced).unwrap() == truth);
    let mut search = handle(&case);
    assert!(ask(&mut search).unwrap() == truth);
    assert!(ran(&search, READY), "{}", search.info());
}

/// A process that exits or forks while the thread is in the driver, at many moments.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn exits_and_forks_in_the_middle() {
    let shop = Workshop::new();
    let program = shop.compile("tests/c/auto_gpu.c", &["-pthread"], &Library::Shared);
    let expect = |arguments: &[&str]| {
        let mut command = tool(&program);
        let output = attempt(command.args(arguments).env("NEARGRID_GPU_MASK", "software"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && text.is_empty(),
            "{arguments:?}, {}: {text}",
            output.status
        );
    };
    for moment in 0..if is_whole() { 200 } else { 50 } {
        let milliseconds = (moment * moment / 4 % 700).to_string();
        let how = ["exit", "exit-in-thread"][moment % 2];
        expect(&[how, &milliseconds]);
    }
    expect(&["fork"]);
}

/// Sums in real64 stay on the CPU where the device is slower at them, unless a GPU was asked for. Sums in real32 are the device's.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn slow_real64_is_for_the_cpu() {
    const NAME: &str = "auto::slow_real64_is_for_the_cpu";
    if !is_child(NAME) {
        run_child(NAME, &[("GPU_MASK", "software,slow-f64")]);
        return;
    }
    open_a_gpu();
    let case = long_line(25_000);
    let run = |search: &mut Search, text: &str, precision| {
        let mut formula = Formula::new(text).unwrap();
        formula.set_precision(precision);
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        neargrid::wait_for_gpus();
        let sums = search.field_as::<f64>("n").unwrap();
        sums.iter().map(|number| number.to_bits()).collect::<Vec<_>>()
    };
    for text in ["n += r2", "n += r2; m_i = 2*n_i; k += m_j"] {
        for precision in [SumPrecision::Single, SumPrecision::Double] {
            let mut judge = handle(&case);
            judge.set_backend(Backend::Cpu);
            let truth = run(&mut judge, text, precision);
            for backend in [Backend::Auto, Backend::Gpu] {
                let mut search = handle(&case);
                search.set_backend(backend);
                // The first runs may find kernels that are being compiled.
                for _ in 0..4 {
                    assert!(run(&mut search, text, precision) == truth, "{text}");
                }
                let stays = (backend, precision) == (Backend::Auto, SumPrecision::Double);
                let place = match stays {
                    true => "\nformula: on the CPU (real64, in which the device is slower than the CPU)",
                    false => "\nformula: on the device",
                };
                let info = search.info();
                assert!(info.contains(place), "{text}, {backend:?}, {precision:?}: {info}");
                assert_eq!(search.counter(Counter::Backend) == Backend::Cpu as i64, stays, "{info}");
            }
        }
    }
}
