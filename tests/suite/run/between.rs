//! Values between the calls of runs: a GPU keeps them until they are read. Whatever is called in between, each call finds the newest.

use super::*;
use neargrid::{Backend, Counter, SumPrecision};

const STEP: &str = "
    rho += m_j*(1 - r/c)
    p_i = rho_i^2/(1 + m_i)
    acc += (p_i + p_j)*d/(r + 0.1)
    v_i = v_i + 1e-2*acc_i
    x_i = x_i + 1e-2*v_i
    energy all+= m_i*dot(v_i, v_i)";

/// Another text, which reads what the first has made.
const OTHER: &str = "
    near max= rho_j
    q_i = near_i + p_i + v_i.x
    v_i = 0.5*v_i";

fn step(text: &str) -> Formula {
    let mut formula = Formula::new(text).unwrap();
    formula.set_precision(SumPrecision::Double);
    formula
}

fn bits(search: &mut Search, name: &str) -> Vec<u64> {
    let values = search.field_as::<f64>(name).unwrap();
    values.iter().map(|x| x.to_bits()).collect()
}

/// One of the calls that may come between runs, and what it returns.
fn call<T: Precision>(search: &mut Search, which: usize, backend: Backend, seed: u64) -> Vec<u64> {
    let mut random = Random(seed);
    let n = search.len();
    let mut some = |count: usize| -> Vec<f64> { (0..count).map(|_| random.uniform()).collect() };
    match which {
        0..4 => search
            .run(&mut step(STEP), NeighborsKind::Full, 1 + which as i64 % 3)
            .unwrap(),
        4 => search.run(&mut step(OTHER), NeighborsKind::Full, 1).unwrap(),
        5 => return search.pairs().unwrap().right.iter().map(|&j| j as u64).collect(),
        6 => return bits(search, ["x", "v", "rho", "p", "acc"][seed as usize % 5]),
        7 => search.set_field("v", &some(3 * n), 3).unwrap(),
        8 => {
            let left: Vec<i32> = (0..n as i32 - 1).collect();
            let right: Vec<i32> = (1..n as i32).collect();
            let mut distances = vec![T::from_f64(0.0); n - 1];
            search.pair_distances(&left, &right, &mut distances).unwrap();
            return distances.iter().map(|d| d.to_f64().to_bits()).collect();
        }
        9 => {
            let mut order = vec![0; n];
            search.order(&mut order).unwrap();
            return order.iter().map(|&k| k as u64).collect();
        }
        10 => search.trim().unwrap(),
        11 => {
            // The text is done stage by stage where there is a sum alone.
            search.run(&mut step("alone += rho_j"), NeighborsKind::Full, 1).unwrap();
            return bits(search, "alone");
        }
        12 => {
            search.set_backend(Backend::Cpu);
            search.run(&mut step(STEP), NeighborsKind::Full, 1).unwrap();
            search.set_backend(backend);
        }
        13 => {
            let coords: Vec<T> = some(9).iter().map(|&x| T::from_f64(x)).collect();
            search
                .set_queries(&PointsView::interleaved(3, &coords).unwrap())
                .unwrap();
            return search.queries().unwrap().ids.iter().map(|&j| j as u64).collect();
        }
        14 => {
            let ids: Vec<i64> = (0..n as i64).map(|k| (k * 7 + 3) % n as i64).collect();
            search.set_ids(&ids).unwrap();
            search.run(&mut step(STEP), NeighborsKind::Full, 1).unwrap();
            search.set_ids(&[]).unwrap();
        }
        15 => {
            let coords: Vec<T> = some(3 * n).iter().map(|&x| T::from_f64(x)).collect();
            search.update(&PointsView::interleaved(3, &coords).unwrap()).unwrap();
        }
        16 => {
            return search
                .knn::<T>(neargrid::KnnKind::Others, 2, neargrid::Measure::Distance)
                .unwrap()
                .ids
                .iter()
                .map(|&j| j as u64)
                .collect();
        }
        17 => return search.fof().unwrap().labels.iter().map(|&j| j as u64).collect(),
        18 => search.set_cutoff(0.15 + 0.1 * some(1)[0]).unwrap(),
        19 => {
            let radii = vec![T::from_f64(0.2); n];
            search.set_radii(&radii, RadiusRule::Max).unwrap();
            search.run(&mut step(STEP), NeighborsKind::Full, 1).unwrap();
            search.clear_radii();
        }
        _ => {
            // All of it is refused, and nothing changes.
            search
                .run(&mut step("n += 1; x_i = x_i/0"), NeighborsKind::Full, 1)
                .unwrap_err();
        }
    }
    Vec::new()
}

fn check<T: Precision>(seed: u64, periodic: bool) {
    let (n, mut random) = (240, Random(seed));
    let coords: Vec<T> = random.cloud(3, n).iter().map(|&x| T::from_f64(x)).collect();
    let mut setting = Setting::new(3, 0.2);
    if periodic {
        setting.periods = [Some([0.0, 1.0]), None, Some([-0.5, 2.0])];
    }
    let mut handles = [Backend::Cpu, Backend::Gpu].map(|backend| {
        let mut search = setting.search(&coords);
        search.set_backend(backend);
        search.set_field("v", &vec![0.0; 3 * n], 3).unwrap();
        search.set_field("m", &vec![1.0; n], 1).unwrap();
        search.run(&mut step(STEP), NeighborsKind::Full, 1).unwrap();
        (search, backend)
    });
    for done in 0..60 {
        let which = random.below(21);
        let seed = random.below(1 << 20) as u64;
        let [on_cpu, on_gpu] = handles
            .each_mut()
            .map(|(search, backend)| call::<T>(search, which, *backend, seed));
        assert!(on_cpu == on_gpu, "call {done}, of kind {which}");
    }
    let names = ["x", "v", "m", "rho", "p", "acc"];
    let [on_cpu, on_gpu] = handles
        .each_mut()
        .map(|(search, _)| names.map(|name| bits(search, name)));
    assert!(on_cpu == on_gpu);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn any_call_on_a_gpu() {
    for seed in 0..6 {
        check::<f64>(seed, seed % 2 == 1);
        check::<f32>(seed + 100, seed % 2 == 0);
    }
}

/// Runs of one step each send, make and bring home nothing after the second; a field that is read comes home alone, and once.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn calls_cost_no_transfer() {
    let (n, mut random) = (2000, Random(5));
    let mut search = Setting::new(3, 0.1).search(&random.cloud(3, n));
    search.set_backend(Backend::Gpu);
    search.set_field("v", &vec![0.0; 3 * n], 3).unwrap();
    search.set_field("m", &vec![1.0; n], 1).unwrap();
    let mut formula = step(STEP);
    let cost = |search: &Search| {
        let allocations = search.counter(Counter::DeviceAllocations);
        [search.bytes_sent(), search.bytes_fetched(), allocations as u64]
    };
    let mut run = |search: &mut Search| search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    (0..3).for_each(|_| run(&mut search));
    let before = cost(&search);
    (0..5).for_each(|_| run(&mut search));
    assert_eq!(cost(&search), before);
    for _ in 0..2 {
        search.field::<f64>("v").unwrap();
        assert_eq!(cost(&search)[1], before[1] + 24 * n as u64, "one vector for each point");
    }
    run(&mut search);
    search.field_as::<f64>("x").unwrap();
    assert_eq!(cost(&search)[1], before[1] + 48 * n as u64);
    assert_eq!(cost(&search)[0], before[0], "the points are there, and at home");
    run(&mut search);
    assert_eq!(cost(&search)[0], before[0]);
}
