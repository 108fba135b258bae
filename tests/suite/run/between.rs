//! Values between the calls of runs: a GPU keeps them until they are read.

use super::*;
use neargrid::{Backend, Counter, SumPrecision};

const STEP: &str = "
    rho += m_j*(1 - r/c)
    p_i = rho_i^2/(1 + m_i)
    acc += (p_i + p_j)*d/(r + 0.1)
    v_i = v_i + 1e-2*acc_i
    x_i = x_i + 1e-2*v_i
    energy all+= m_i*dot(v_i, v_i)";

fn step(text: &str) -> Formula {
    let mut formula = Formula::new(text).unwrap();
    formula.set_precision(SumPrecision::Double);
    formula
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
