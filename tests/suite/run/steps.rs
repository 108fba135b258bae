//! Time steps as programs of the field write them: a hundred steps, bit for bit those of plain loops.

use super::*;
use crate::common::{Again, Part, some_ids};
use neargrid::Counter;

/// Weakly compressible SPH: density, pressure, forces, and a time step that the fastest particle sets.
const FLUID: &str = "
    q = 1 - r/c
    rho += (0.3 + abs(m_j))*q^3
    p_i = 2*((rho_i/3)^7 - 1)
    mu = h*min(dot(v_i - v_j, d), 0)/(r2 + 0.01*h^2)
    acc += -(0.3 + abs(m_j))*(p_i/rho_i^2 + p_j/rho_j^2 - 0.1*mu)*q^2*d/(r + 0.01)
    fastest all max= dot(v_i, v_i)
    dt := 0.002/(1 + sqrt(fastest))
    v_i = v_i + dt*acc_i/(1 + sqrt(dot(acc_i, acc_i)))
    x_i = x_i + dt*v_i
    time := time + dt";

/// Molecular dynamics by velocity Verlet, with the energy of all atoms.
const ATOMS: &str = "
    v_i = v_i + 0.5*dt*f_i
    x_i = x_i + 0.1*dt*v_i/(1 + sqrt(dot(v_i, v_i)))
    s = 0.01/(r2 + 0.01)
    f += 24*(2*s^6 - s^3)*d
    e += 2*(s^6 - s^3)
    v_i = v_i + 0.5*dt*f_i
    potential all+= e_i
    kinetic all+= 0.5*dot(v_i, v_i)
    energy := potential + kinetic
    steps := steps + 1";

/// Old values under another name, after the field has new ones, and positions before a move after it.
const OLD: &str = "
    before = p_i
    place = x_i
    p_i = 0.9*p_i + 0.1*m_i
    n += p_j
    x_i = x_i + dt*u_i
    change_i = p_i - before
    path_i = x_i - place
    work all+= change_i*n_i
    more += dot(d, d)*p_j";

/// Reads positions as a field, and makes the same fields twice: those of another precision, too.
const CENTER: &str = "
    center += x_j
    count += 1
    p += m_j*(1 - r/c)
    p_i = p_i/(3 + p_i^2)
    f += d
    f_i = f_i/3
    p_i = p_i/7
    m_i = m_i/(2 + m_i^2)
    change_i = m_i/3
    m += 1 - r/c
    v_i = v_i + dt*(center_i/(1 + count_i) - x_i)
    v_i = v_i/(1 + 0.01*dot(v_i, v_i))
    x_i = x_i + dt*v_i";

/// Grains with a tangential spring in each contact, which slides where friction does not hold it, and the age of the contact.
const GRAINS: &str = "
    n = d/r
    dv = v_i - v_j
    s_ij = s_ij + dt*(dv - dot(dv, n)*n)
    s_ij = s_ij - dot(s_ij, n)*n
    long = sqrt(dot(s_ij, s_ij))
    most = 0.5*(c - r)
    s_ij = s_ij*select(most/long, 1, long > most)
    q_ij = q_ij + dt
    f += 40*(c - r)*n - 8*s_ij - 0.2*dv
    work += dot(s_ij, s_ij)*q_ij
    touching += 1
    v_i = v_i + dt*f_i
    x_i = x_i + dt*v_i";

const TEXTS: [&str; 5] = [FLUID, ATOMS, OLD, CENTER, GRAINS];

fn some<T: Width, F: Width>(which: usize, dim: usize) {
    let mut random = Random((10 * which + dim) as u64);
    let n = 60;
    let coords: Vec<T> = random.cloud(dim, n).iter().map(|&x| T::from_f64(x)).collect();
    let mut setting = Setting::new(dim, [0.06, 0.2, 0.35][dim - 1]);
    match (which + 4 * dim) % 7 {
        0 => setting.periods = [Some([0.0, 1.0]); 3],
        1 => {
            setting.radii = (0..n)
                .map(|_| f64::from((0.05 + 0.2 * random.uniform()) as f32))
                .collect()
        }
        2 if which < 4 => setting.kind = NeighborsKind::Half, // pair fields are of full rows
        3 => setting.types = (0..n).map(|_| random.below(2) as i32).collect(),
        4 => setting.active = Some(2 * n / 3),
        5 if which < 4 => setting.with_self = true,
        _ => setting.ids = some_ids(n, &mut random).remove(1),
    }
    check::<T, F>(&setting, &coords, TEXTS[which], 100, which as u64);
}

#[test]
fn steps() {
    for which in (0..TEXTS.len())
        .skip(Part::of_environment().first)
        .step_by(Part::of_environment().every.min(10))
    {
        let dim = 1 + which % 3;
        match which % 4 {
            0 => some::<f64, f64>(which, dim),
            1 => some::<f32, f32>(which, dim),
            2 => some::<f64, f32>(which, dim),
            _ => some::<f32, f64>(which, dim),
        }
        some::<f64, f64>(which, 3);
    }
}

#[test]
fn widths() {
    Again::only(module_path!(), &["steps"], "steps").in_widths(&[("scalar", ""), ("avx2", "")]);
}

/// On a GPU, which does the sums of a run in single precision.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    let again = Again::only("run", &["steps::steps", "random::random_texts"], "steps::steps");
    again.on_devices(&[
        ("", "8:0"),
        ("no-subgroups", "8:1"),
        ("no-f64,guarded", "8:2"),
        ("binding=65536", "8:3"),
    ]);
}

/// Many points, of which each thread takes some.
#[test]
fn thread_counts() {
    let mut random = Random(9);
    let (dim, n) = (3, 20_000);
    let coords = random.cloud(dim, n);
    let v: Vec<f64> = coords.iter().map(|x| 0.1 * (7.0 * x).sin()).collect();
    let mut results = Vec::new();
    for threads in [1, 2, 3, 8] {
        let mut search = Setting::new(dim, 0.05).search(&coords);
        search.set_threads(threads).unwrap();
        search.set_field("v", &v, dim).unwrap();
        search.set_field("m", &coords[..n], 1).unwrap();
        let mut formula = Formula::new(FLUID).unwrap();
        formula.set_precision(neargrid::SumPrecision::Double);
        formula.set_constant("h", 0.02).unwrap();
        formula.set_constant("time", 0.0).unwrap();
        search.run(&mut formula, NeighborsKind::Full, 3).unwrap();
        let mut bits = |name| {
            search
                .field_as::<f64>(name)
                .unwrap()
                .iter()
                .map(|x| x.to_bits())
                .collect::<Vec<u64>>()
        };
        results.push((
            bits("x"),
            bits("v"),
            bits("rho"),
            formula.number("time").unwrap().to_bits(),
        ));
    }
    assert!(
        results.windows(2).all(|two| two[0] == two[1]),
        "results depend on the thread count"
    );
}

/// Sums over the same rows share one search, in one run and from run to run; with little memory rows are found again.
#[test]
fn one_search() {
    let mut random = Random(12);
    let coords = random.cloud(3, 5000);
    let text = "n += 1; w_i = n_i/2; s += w_j; t max= s_j - s_i";
    let mut results: Vec<Vec<u64>> = Vec::new();
    let mut search = Setting::new(3, 0.1).search(&coords);
    search
        .run(&mut Formula::new("n += 1").unwrap(), NeighborsKind::Full, 1)
        .unwrap();
    let alone = search.counter(Counter::DistanceTests);
    assert!(alone > 0);
    for limit in [0, 1 << 30, 400_000] {
        let mut search = Setting::new(3, 0.1).search(&coords);
        search.set_memory_limit(limit).unwrap();
        let mut tests = || {
            let mut formula = Formula::new(text).unwrap();
            formula.set_precision(neargrid::SumPrecision::Double);
            search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
            results.push(search.field::<f64>("t").unwrap().iter().map(|x| x.to_bits()).collect());
            search.counter(Counter::DistanceTests)
        };
        let found = [tests(), tests()];
        match limit {
            400_000 => assert!(found[1] > 0),
            _ => assert_eq!(found, [alone, 0], "all stages share the first search"),
        }
    }
    assert!(results.windows(2).all(|two| two[0] == two[1]));
}

/// A device has a field until it is another one; then that one is sent, and nothing else.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn fields_stay_on_a_gpu() {
    let n = 3000;
    let coords: Vec<f32> = Random(5).cloud(3, n).iter().map(|&x| x as f32).collect();
    let mut search = Setting::new(3, 0.1).search(&coords);
    search.set_backend(neargrid::Backend::Gpu);
    let mass: Vec<f32> = (0..n).map(|k| 1.0 + k as f32 / 64.0).collect();
    search.set_field("m", &mass, 1).unwrap();
    search.set_field("v", &coords, 3).unwrap();
    let mut formula = Formula::new("rho += m_j*(1 - r/c)").unwrap();
    let mut flow = Formula::new("flow += rho_j*m_i*(v_i - v_j)").unwrap();
    let sent = |search: &mut Search, formula: &mut Formula| {
        let before = search.bytes_sent();
        search.run(formula, NeighborsKind::Full, 1).unwrap();
        assert!(search.info().contains("formula: on the device"), "{}", search.info());
        search.bytes_sent() - before
    };
    let each = 4 * n as u64;
    assert_eq!(sent(&mut search, &mut formula), (3 + 1) * each, "points and m");
    assert_eq!(sent(&mut search, &mut formula), 0);
    assert_eq!(sent(&mut search, &mut flow), 3 * each, "v");
    assert_eq!(sent(&mut search, &mut flow), 0);
    search.set_field("m", &mass, 1).unwrap();
    assert_eq!(sent(&mut search, &mut flow), each);
    assert_eq!(sent(&mut search, &mut formula), 0);
    let made = search.counter(Counter::DeviceAllocations);
    for _ in 0..4 {
        search.set_field("m", &mass, 1).unwrap();
        assert_eq!(sent(&mut search, &mut formula), each);
        assert_eq!(sent(&mut search, &mut flow), 0, "rho is there");
    }
    assert!(
        search.counter(Counter::DeviceAllocations) <= made + 2,
        "buffers are used again"
    );
    let found = search.field::<f32>("flow").unwrap().to_vec();
    search.set_backend(neargrid::Backend::Cpu);
    search.run(&mut flow, NeighborsKind::Full, 1).unwrap();
    assert_eq!(search.field::<f32>("flow").unwrap(), found);
}
