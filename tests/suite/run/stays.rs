//! Runs whose values stay on a GPU: the bits of the CPU, and nothing sent or made after the second step.

use super::*;
use neargrid::{Backend, Counter, SumPrecision};

/// Sums, statements of each point in both precisions, all kinds of numbers, and points that move.
const TEXT: &str = "
    rho += m_j*(1 - r/c)
    p_i = rho_i^2/(1 + m_i)
    acc += (p_i + p_j)*d/(r + 0.1)
    fastest all max= dot(v_i, v_i)
    least all min= p_i
    mass all+= m_i*p_i
    dt := step/(1 + sqrt(fastest) + mass*0)
    v_i = v_i + dt*acc_i
    x_i = x_i + dt*v_i
    time := time + dt";

fn formula(precision: SumPrecision, step: f64) -> Formula {
    let mut formula = Formula::new(TEXT).unwrap();
    formula.set_precision(precision);
    formula.set_constant("step", step).unwrap();
    formula.set_constant("time", 0.0).unwrap();
    formula
}

/// A handle with points and fields of a precision.
fn search<T: Precision>(setting: &Setting, backend: Backend) -> Search {
    let (n, mut random) = (700, Random(3));
    let coords: Vec<T> = random.cloud(3, n).iter().map(|&x| T::from_f64(x)).collect();
    let mut search = setting.search(&coords);
    search.set_backend(backend);
    let v: Vec<T> = (0..3 * n).map(|_| T::from_f64(random.uniform() - 0.5)).collect();
    let m: Vec<T> = (0..n).map(|k| T::from_f64(1.0 + k as f64 / 64.0)).collect();
    search.set_field("v", &v, 3).unwrap();
    search.set_field("m", &m, 1).unwrap();
    search
}

/// The bits of all that a run has made.
fn state(search: &mut Search, formula: &Formula) -> Vec<u64> {
    let mut bits = Vec::new();
    for name in ["x", "v", "rho", "p", "acc"] {
        bits.extend(search.field_as::<f64>(name).unwrap().iter().map(|x| x.to_bits()));
    }
    for name in ["fastest", "least", "mass", "dt", "time"] {
        bits.push(formula.number(name).unwrap().to_bits());
    }
    bits
}

fn settings() -> [Setting; 3] {
    let mut periodic = Setting::new(3, 0.2);
    periodic.periods = [Some([0.0, 1.0]), None, Some([-0.5, 2.0])];
    let mut ghosts = Setting::new(3, 0.2);
    (ghosts.active, ghosts.with_self) = (Some(500), true);
    [Setting::new(3, 0.2), periodic, ghosts]
}

fn compare<T: Precision>(precision: SumPrecision) {
    for setting in settings() {
        let mut states = Vec::new();
        for backend in [Backend::Cpu, Backend::Gpu] {
            let mut search = search::<T>(&setting, backend);
            // The last steps throw points out of the box, some of them by more than its length.
            for (step, times) in [(1e-3, 5), (0.5, 2), (30.0, 2)] {
                let mut formula = formula(precision, step);
                search.run(&mut formula, setting.kind, times).unwrap();
                states.push(state(&mut search, &formula));
                if backend == Backend::Gpu {
                    assert!(search.info().contains("formula: on the device"), "{}", search.info());
                }
            }
        }
        let (on_cpu, on_gpu) = states.split_at(3);
        assert!(on_cpu == on_gpu, "{precision:?}, points of {}", T::NAME);
    }
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn bits_on_a_gpu() {
    compare::<f32>(SumPrecision::Single);
    compare::<f64>(SumPrecision::Single);
    compare::<f64>(SumPrecision::Double);
    compare::<f32>(SumPrecision::Double);
}

/// More steps send and make no more than a few do.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn steps_cost_no_transfer() {
    let mut costs = Vec::new();
    // The first sum of a process tests the device's arithmetic.
    for times in [1, 4, 20] {
        let mut search = search::<f64>(&Setting::new(3, 0.2), Backend::Gpu);
        let mut formula = formula(SumPrecision::Double, 1e-4);
        search.run(&mut formula, NeighborsKind::Full, times).unwrap();
        costs.push((search.bytes_sent(), search.counter(Counter::DeviceAllocations)));
        let sent = search.bytes_sent();
        search.run(&mut formula, NeighborsKind::Full, times).unwrap();
        assert_eq!(search.bytes_sent(), sent, "all of it is there");
    }
    assert_eq!(costs[1], costs[2]);
}

/// The report says why a run does not stay on the GPU.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn reasons_on_a_gpu() {
    type Prepare = fn(&mut Search);
    let n = 700;
    let nothing: Prepare = |_| ();
    let cases: [(&str, Prepare, &str); 8] = [
        ("n += 1; u_i = 2*n_i", nothing, ""),
        (
            "u_i = m_i",
            |search| assert!(search.pairs().is_ok()),
            "no sums over neighbors",
        ),
        ("n += 1", nothing, "one sum alone"),
        ("n += 1; u_i = 2*n_i", |search| search.set_skin(0.01).unwrap(), "a skin"),
        (
            "n += 1; u_i = 2*n_i",
            |search| search.set_radii(&[0.1; 700], RadiusRule::Max).unwrap(),
            "radii",
        ),
        (
            "n += 1; u_i = 2*n_i",
            |search| {
                let queries = PointsView::interleaved(3, &[0.5, 0.5, 0.5]).unwrap();
                search.set_queries(&queries).unwrap();
            },
            "queries are set",
        ),
        (
            "n += 1; u_i = 2*n_i",
            |search| search.set_ids(&(0..700).rev().collect::<Vec<i64>>()).unwrap(),
            "global ids do not ascend",
        ),
        (
            "n += 1; s += n_j; m_i = s_i; n_i = 1; m += n_j",
            nothing,
            "a field whose precision changes",
        ),
    ];
    for (text, prepare, why) in cases {
        let mut search = search::<f64>(&Setting::new(3, 0.2), Backend::Gpu);
        assert_eq!(search.len(), n);
        prepare(&mut search);
        search
            .run(&mut Formula::new(text).unwrap(), NeighborsKind::Full, 1)
            .unwrap();
        let info = search.info();
        match why {
            "" => assert!(!info.contains("run:"), "{info}"),
            why => assert!(
                info.contains(&format!("run: stage by stage ({why})\n")),
                "{why}: {info}"
            ),
        }
    }
}

/// Sums of all points are exact, whatever their terms are; with infinite ones they are what those add up to.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn totals_on_a_gpu() {
    let special = [
        1.0,
        -1.0,
        1e300,
        -1e300,
        1e-320,
        -1e-320,
        3e38,
        -3e38,
        1e-45,
        f64::MIN_POSITIVE,
        f64::MAX,
        -f64::MAX,
        0.0,
        -0.0,
    ];
    let text = "n += 1; s all+= a_i; t all+= b_i; top all max= a_i; low all min= a_i; w_i = s";
    for infinite in [None, Some(f64::INFINITY), Some(f64::NEG_INFINITY), Some(f64::NAN)] {
        for single in [false, true] {
            let mut results = Vec::new();
            for backend in [Backend::Cpu, Backend::Gpu] {
                let mut search = search::<f64>(&Setting::new(3, 0.1), backend);
                let mut random = Random(8);
                let mut a: Vec<f64> = (0..search.len())
                    .map(|_| special[random.below(special.len())] * random.uniform())
                    .collect();
                let b: Vec<f64> = a.iter().rev().map(|x| x * 1e-3 + 0.1).collect();
                if let Some(infinite) = infinite {
                    a[5] = infinite;
                }
                let mut formula = Formula::new(text).unwrap();
                if single {
                    let round = |values: &[f64]| values.iter().map(|&x| x as f32).collect::<Vec<_>>();
                    search.set_field("a", &round(&a), 1).unwrap();
                    search.set_field("b", &round(&b), 1).unwrap();
                } else {
                    search.set_field("a", &a, 1).unwrap();
                    search.set_field("b", &b, 1).unwrap();
                    formula.set_precision(SumPrecision::Double);
                }
                search.run(&mut formula, NeighborsKind::Full, 2).unwrap();
                let numbers = ["s", "t", "top", "low"].map(|name| formula.number(name).unwrap());
                results.push(numbers.map(|number| if number.is_nan() { 1 } else { number.to_bits() }));
            }
            assert_eq!(results[0], results[1], "{infinite:?}, single {single}");
        }
    }
}

/// Statements for each point, and sums of all points, more than a device binds or has memory for: it does what it can, and says why not.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn more_than_a_device_takes_on_a_gpu() {
    let made = |k: usize| (format!("a{k}"), format!("a{k}_i = m_i*{k}\n"));
    let totals = |k: usize| (format!("h{k}"), format!("h{k} all+= m_i*{k}\n"));
    for precision in [SumPrecision::Single, SumPrecision::Double] {
        for (count, is_field) in [(5, true), (33, true), (10, false), (100, false)] {
            let (names, lines): (Vec<_>, Vec<_>) =
                (0..count).map(|k| if is_field { made(k) } else { totals(k) }).unzip();
            let text = format!("rho += m_j\n{}", lines.concat());
            let results = [Backend::Cpu, Backend::Gpu].map(|backend| {
                let mut search = search::<f64>(&Setting::new(3, 0.2), backend);
                let mut formula = Formula::new(&text).unwrap();
                formula.set_precision(precision);
                search.run(&mut formula, NeighborsKind::Full, 2).unwrap();
                let info = search.info();
                let why = info.split_once("run: stage by stage (").map(|(_, why)| why);
                let known = [
                    "more fields at once than the device binds)",
                    "more numbers of all points at once",
                ];
                assert!(
                    why.is_none_or(|why| count > 10 && why.starts_with(known[usize::from(!is_field)])),
                    "{info}"
                );
                let of = |name: &String| match is_field {
                    true => search
                        .field_as::<f64>(name)
                        .unwrap()
                        .iter()
                        .map(|x| x.to_bits())
                        .collect(),
                    false => vec![formula.number(name).unwrap().to_bits()],
                };
                names.iter().map(of).collect::<Vec<_>>()
            });
            assert!(results[0] == results[1], "{count} of {precision:?}");
        }
    }
}
