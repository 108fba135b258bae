//! Steps that fail after they have moved points. Points, fields, pair fields and numbers are as the last complete step left them.

use super::*;
use neargrid::{Backend, Status};

const FULL: NeighborsKind = NeighborsKind::Full;

/// Texts whose third step fails at its end, and the status of the failure.
const TEXTS: [(&str, Status); 7] = [
    // A move after another one, with and without sums between them.
    (
        "k := k + 1; x_i = x_i + h*v_i; x_i = x_i/select(0, 1, k == 3); n += 1",
        Status::NonFinite,
    ),
    (
        "k := k + 1; x_i = x_i + h*v_i; x_i = v_i/select(0, 1, k == 3); n += 1",
        Status::NonFinite,
    ),
    (
        "k := k + 1; x_i = x_i + h*v_i; n += 1; v_i = 0.9*v_i; x_i = x_i/select(0, 1, k == 3)",
        Status::NonFinite,
    ),
    (
        "k := k + 1; n += r; m all+= n_i; x_i = x_i + h*v_i; x_i = x_i + h*v_i/select(0, 1, k == 3); n_i = 2*n_i",
        Status::NonFinite,
    ),
    (
        "x_i = x_i + 0*u_i; k := k + 1; old_i = x_i; x_i = 2*old_i; n += old_j; x_i = old_i/select(0, 1, k == 3)",
        Status::NonFinite,
    ),
    // Texts with pair fields.
    (
        "k := k + 1; s_ij = s_ij + 1; x_i = x_i + h*v_i; s_ij = s_ij + r; n += s_ij; x_i = x_i/select(0, 1, k == 3)",
        Status::NonFinite,
    ),
    (
        "k := k + 1; x_i = x_i + h*v_i; x_i = x_i/select(0, 1, k == 3); s_ij = s_ij + r",
        Status::NonFinite,
    ),
];

fn search(backend: Backend, skin: f64) -> Search {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.1).unwrap();
    search.set_skin(skin).unwrap();
    search.set_backend(backend);
    search.set_box(&[0.0; 2], &[9.0; 2], &[true, false]).unwrap();
    let coords: Vec<f64> = (0..40)
        .map(|k| f64::from(k / 2 % 8 + k % 2 * (k / 16)) * 0.97)
        .collect();
    search
        .set_points(&PointsView::interleaved(2, &coords).unwrap())
        .unwrap();
    search.set_field("v", &coords, 2).unwrap();
    search.set_field("u", &coords, 2).unwrap();
    search
}

fn formula(text: &str) -> Formula {
    let mut formula = Formula::new(text).unwrap();
    for (name, value) in [("k", 0.0), ("h", 0.01)] {
        let _ = formula.set_constant(name, value);
    }
    formula
}

/// Positions, fields, pair fields and numbers, each as a text.
fn state(search: &mut Search, formula: &Formula) -> Vec<String> {
    let mut state = vec![format!("{:?}", search.field_as::<f64>("x").unwrap())];
    for name in ["n", "v", "old"] {
        state.push(format!("{name} {:?}", search.field_as::<f64>(name).ok()));
    }
    let pairs = search.pair_field::<f64>("s").ok();
    state.push(format!(
        "{:?}",
        pairs.map(|found| (found.offsets.to_vec(), found.ids.to_vec(), found.values.to_vec()))
    ));
    for name in ["k", "m"] {
        state.push(format!("{name} {:?}", formula.number(name).ok()));
    }
    state.push(format!("{:?}", search.neighbors(FULL).unwrap().ids));
    state.push(format!("{:?}", search.pairs().unwrap().left));
    state.push(format!("{:?}", search.fof().unwrap().labels));
    state
}

fn check(backend: Backend) {
    for skin in [0.0, 0.2] {
        for (text, status) in TEXTS {
            let (mut found, mut wanted) = (search(backend, skin), search(backend, skin));
            let [mut failing, mut whole] = [(); 2].map(|()| formula(text));
            let error = found.run(&mut failing, FULL, 5).unwrap_err();
            assert_eq!(error.status(), status, "{text}: {error}");
            wanted.run(&mut whole, FULL, 2).unwrap();
            for again in 0..2 {
                let [of_failing, of_whole] = [(&mut found, &failing), (&mut wanted, &whole)].map(|(s, f)| state(s, f));
                assert!(
                    of_failing == of_whole,
                    "skin {skin}, {text}, {again}\n{of_failing:?}\n{of_whole:?}"
                );
                found.run(&mut failing, FULL, 2).unwrap_err(); // in the first step
            }
        }
    }
}

#[test]
fn steps_that_fail_move_nothing() {
    check(Backend::Cpu);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn steps_that_fail_move_nothing_on_a_gpu() {
    check(Backend::Gpu);
}

/// Sums after a move are refused: the box is too short for the skin, memory is limited, or a text has classes and pair fields.
/// Queries stay.
#[test]
fn sums_that_fail_move_nothing() {
    for (text, of, status) in [
        ("a_i = a_i + 1; x_i = x_i + a_i; h_ij = r", 0, Status::BadDomain),
        ("a_i = a_i + 1; x_i = x_i + 0.01*a_i; h_ij = r", 1, Status::MemoryLimit),
        (
            "a_i = a_i + 1; x_i = x_i + 0.01*a_i; h_ij = class",
            2,
            Status::NotSupported,
        ),
        (
            "a_i = a_i + 1; x_i = 2*x_i; x_i = a_i; h_ij = class",
            2,
            Status::NotSupported,
        ),
    ] {
        let mut search = Search::new().unwrap();
        search.set_cutoff(1.0).unwrap();
        if of == 0 {
            search.set_skin(0.1).unwrap();
            search.set_box(&[0.0], &[2.0], &[true]).unwrap();
        }
        search
            .set_points(&PointsView::interleaved(1, &[0.125, 1.0]).unwrap())
            .unwrap();
        search.set_field("a", &[0.25; 2], 1).unwrap();
        if of == 2 {
            search.set_exclusions(&[0, 1, 2], &[1, 0], None).unwrap();
        }
        if of > 0 {
            search
                .set_queries(&PointsView::interleaved(1, &[0.5]).unwrap())
                .unwrap();
        }
        if of == 1 {
            search.set_memory_limit(30).unwrap();
        }
        let error = search.run(&mut formula(text), FULL, 5).expect_err(text);
        assert_eq!(error.status(), status, "{text}: {error}");
        assert_eq!(*search.field_as::<f64>("x").unwrap(), [0.125, 1.0], "{text}");
        assert_eq!(search.field::<f64>("a").unwrap(), [0.25; 2], "{text}");
        search.set_memory_limit(0).unwrap();
        if of > 0 {
            assert_eq!(search.queries().unwrap().ids, [0, 1], "{text}");
        }
    }
}
