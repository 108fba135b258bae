// --- values that a run leaves on the device ----------------------------------------------------------

use neargrid::{Backend, Counter, Error, Formula, NeighborsKind, PointsView, Search, Status, SumPrecision};

use super::faults::{at_many_steps, expected_status};
use super::{gpu, is_child, open_a_gpu, run_child, settle};
use crate::common::Random;

/// A step that moves the points. Each run reads the fields that the run before has made.
const STEP: &str = "
    rho += m_j*(1 - r/c)
    acc += (rho_i + rho_j)*d/(r + 0.1)
    v_i = v_i + 1e-3*acc_i
    x_i = x_i + 1e-3*v_i";

const CALLS: usize = 3;

/// The points and fields that a step begins with.
struct Start {
    coords: Vec<f64>,
    v: Vec<f64>,
    m: Vec<f64>,
}

impl Start {
    fn new(n: usize) -> Start {
        let mut random = Random(77);
        let coords = random.cloud(3, n);
        let v = (0..3 * n).map(|_| random.uniform() - 0.5).collect();
        let m = (0..n).map(|k| 1.0 + k as f64 / 64.0).collect();
        Start { coords, v, m }
    }

    fn set(&self, search: &mut Search) {
        let cutoff = 1.4 / (self.m.len() as f64).cbrt();
        search.set_cutoff(cutoff).unwrap();
        search
            .set_points(&PointsView::interleaved(3, &self.coords).unwrap())
            .unwrap();
        search.set_field("v", &self.v, 3).unwrap();
        search.set_field("m", &self.m, 1).unwrap();
    }

    /// The state at the start and after each call of a run, from the CPU.
    fn states(&self) -> Vec<State> {
        let mut search = Search::new().unwrap();
        search.set_backend(Backend::Cpu);
        self.set(&mut search);
        let mut states = vec![state(&mut search).unwrap()];
        for _ in 0..CALLS {
            step(&mut search).unwrap();
            states.push(state(&mut search).unwrap());
        }
        states
    }
}

type State = [Vec<f64>; 4];

/// Everything that a step changes, and what it does not.
fn state(search: &mut Search) -> neargrid::Result<State> {
    let mut values = |name| match search.field_as::<f64>(name) {
        Err(error) if error.status() == Status::BadState => Ok(Vec::new()),
        values => values.map(|values| values.into_owned()),
    };
    Ok([values("x")?, values("v")?, values("acc")?, values("m")?])
}

fn step(search: &mut Search) -> neargrid::Result<()> {
    let mut formula = Formula::new(STEP).unwrap();
    formula.set_precision(SumPrecision::Double);
    search.run(&mut formula, NeighborsKind::Full, 1)
}

/// After the loss of a device that alone had values, the error names them, they are gone, and what the caller has set stays.
fn check_losses(search: &mut Search, error: &Error, start: &Start, were_there: bool) {
    assert_eq!(error.status(), Status::DeviceLost, "{error}");
    let names = ["'v'", "'rho'", "'acc'", "'x'"].map(|name| error.to_string().contains(name));
    assert_eq!(names.contains(&true), were_there, "{error}");
    let found = state(search).unwrap();
    assert_eq!(found[3], start.m);
    if were_there {
        for (values, is_named) in [(&found[0], names[3]), (&found[1], names[0]), (&found[2], names[2])] {
            assert_eq!(values.is_empty(), is_named, "{error}");
        }
    } else {
        assert!(found[0] == start.coords && found[1] == start.v, "{error}");
    }
}

/// A fault between or in runs whose values stay on the device: either nothing is lost, or the error says what. Never is a value of before
/// taken for a new one.
fn outlive(search: &mut Search, start: &Start, wanted: &[State], is_auto: bool) -> usize {
    let mut failures = 0;
    start.set(search);
    let mut calls = 0;
    while calls < CALLS {
        match step(search) {
            Ok(()) => calls += 1,
            Err(error) => {
                failures += 1;
                if expected_status() == Status::OutOfMemory {
                    assert_eq!((error.status(), is_auto), (Status::OutOfMemory, false), "{error}");
                    assert!(state(search).unwrap() == wanted[calls], "after {calls} calls: {error}");
                } else {
                    assert!(!is_auto || calls > 0, "the CPU takes over: {error}");
                    check_losses(search, &error, start, calls > 0);
                    start.set(search);
                    calls = 0;
                }
            }
        }
        // A query that the device answers too, which needs the points there.
        if calls == 2 && search.count_pairs().is_err() {
            failures += 1;
            start.set(search);
            calls = 0;
        }
    }
    match state(search) {
        Ok(found) => assert!(found == wanted[CALLS]),
        Err(error) if error.status() == Status::OutOfMemory => {
            failures += 1;
            assert!(state(search).unwrap() == wanted[CALLS], "{error}");
        }
        Err(error) => {
            failures += 1;
            assert_eq!(error.status(), Status::DeviceLost, "{error}");
            assert!(error.to_string().contains("were only there"), "{error}");
            assert_eq!(search.field_as::<f64>("m").unwrap(), start.m);
        }
    }
    failures
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn values_outlive_a_fault_or_are_named() {
    const NAME: &str = "runs::values_outlive_a_fault_or_are_named";
    if !is_child(NAME) {
        at_many_steps(NAME, "lost", "", 40);
        at_many_steps(NAME, "memory", "", 12);
        return;
    }
    let start = Start::new(300);
    if outlive(&mut gpu(), &start, &start.states(), false) > 0 {
        println!("the fault came");
    }
}

/// The automatic backend hides no loss of values, and otherwise the CPU takes over.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn auto_hides_no_loss() {
    const NAME: &str = "runs::auto_hides_no_loss";
    if !is_child(NAME) {
        at_many_steps(NAME, "lost", "software", 80);
        at_many_steps(NAME, "memory", "software", 20);
        return;
    }
    let start = Start::new(21_000);
    let wanted = start.states();
    open_a_gpu();
    let mut search = Search::new().unwrap();
    let mut failures = 0;
    for _ in 0..2 {
        failures += outlive(&mut search, &start, &wanted, true);
        neargrid::wait_for_gpus(); // kernels of the formula
    }
    let is_on_gpu = search.counter(Counter::Backend) == Backend::Gpu as i64;
    if failures > 0 || !is_on_gpu {
        println!("the fault came");
    }
}

/// Another handle loses the device between two calls.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn lost_by_another_handle() {
    const NAME: &str = "runs::lost_by_another_handle";
    if !is_child(NAME) {
        let faults = ["lost=400"; 3].join(",");
        run_child(NAME, &[("GPU_FAULT", &faults)]);
        return;
    }
    let start = Start::new(300);
    for asks in 0..3 {
        let mut search = gpu();
        start.set(&mut search);
        step(&mut search).unwrap();
        super::faults::lose_the_device();
        let error = match asks {
            0 => step(&mut search).unwrap_err(),
            1 => search.count_pairs().unwrap_err(),
            _ => search.trim().unwrap_err(),
        };
        check_losses(&mut search, &error, &start, true);
        start.set(&mut search);
        step(&mut search).unwrap();
        assert!(state(&mut search).unwrap() == start.states()[1]);
    }
}

/// Runs that bind more fields than the device does, or whose sums of all points need more memory than its workgroups have: under the
/// automatic backend, too, they are right.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn more_than_the_device_takes_under_auto() {
    const NAME: &str = "runs::more_than_the_device_takes_under_auto";
    if !is_child(NAME) {
        run_child(NAME, &[("GPU_MASK", "software")]);
        return;
    }
    let start = Start::new(21_000);
    open_a_gpu();
    let fields: String = (0..33).map(|k| format!("a{k}_i = m_i*{k}\n")).collect();
    let totals: String = (0..100).map(|k| format!("h{k} all+= m_i*{k}\n")).collect();
    for (lines, names) in [(fields, ["a1", "a32"]), (totals, ["h1", "h99"])] {
        let text = format!("rho += m_j\n{lines}");
        let run = |search: &mut Search| {
            let mut formula = Formula::new(&text).unwrap();
            formula.set_precision(SumPrecision::Double);
            search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
            let of = |name: &str| match formula.number(name) {
                Ok(number) => vec![number],
                Err(_) => search.field_as::<f64>(name).unwrap().into_owned(),
            };
            names.map(of)
        };
        let (mut search, mut judge) = (Search::new().unwrap(), Search::new().unwrap());
        judge.set_backend(Backend::Cpu);
        [&mut search, &mut judge]
            .into_iter()
            .for_each(|search| start.set(search));
        let wanted = run(&mut judge);
        settle(&mut search, &wanted, run);
        assert_eq!(
            search.counter(Counter::Backend),
            Backend::Gpu as i64,
            "{}",
            search.info()
        );
    }
}
