//! Fields of one name, of points and of queries: other precisions, other numbers of components, and one of both set anew.

use super::{Width, check_place};
use crate::common::Random;
use neargrid::{Backend, Formula, NeighborsKind, PointsView, Precision, Search};

const N: usize = 60;

/// Terms that a text adds for a neighbor: of the values of the query, those of the neighbor, and the vector between them.
type TermOf<F> = fn(&[F], &[F], &[F; 2]) -> F;

fn dot<F: Width>(a: &[F], b: &[F]) -> F {
    a[0] * b[0] + a[1] * b[1]
}

/// Texts, the components of the field of the points and of that of the queries, and the term.
fn cases<F: Width>() -> [(&'static str, [usize; 2], TermOf<F>); 7] {
    [
        ("s += b_j", [1, 1], |_, b, _| b[0]),
        ("s += b_j", [1, 2], |_, b, _| b[0]),
        ("s += b_i + 2*b_j", [1, 1], |a, b, _| a[0] + F::from_f64(2.0) * b[0]),
        ("t_i = b_i; s += b_j", [1, 2], |_, b, _| b[0]),
        ("s += dot(b_i, b_j)", [2, 2], |a, b, _| dot(a, b)),
        ("s += b_i*dot(b_j, d)", [2, 1], |a, b, d| a[0] * dot(b, d)),
        ("s += b_j*dot(b_i, d)", [1, 2], |a, b, d| b[0] * dot(a, d)),
    ]
}

/// Numbers in a precision, and as a formula reads them.
fn some<P: Precision, F: Width>(numbers: usize, random: &mut Random) -> (Vec<P>, Vec<F>) {
    let set: Vec<P> = (0..numbers).map(|_| P::from_f64(random.uniform() - 0.4)).collect();
    let read = set.iter().map(|value| F::from_f64(value.to_f64())).collect();
    (set, read)
}

/// Runs each text over rows of queries; between the runs the fields are set again, of points, of queries, of both, or of none.
fn compare<P: Precision, Q: Precision, F: Width>(backend: Backend) {
    let mut random = Random(7);
    let clouds = [random.cloud(2, N), random.cloud(2, N / 2)];
    let [points, queries] = [0, 1].map(|k| PointsView::interleaved(2, &clouds[k]).unwrap());
    for (text, widths, term) in cases::<F>() {
        let mut search = Search::new().unwrap();
        search.set_backend(backend);
        search.set_cutoff(0.3).unwrap();
        search.set_points(&points).unwrap();
        search.set_queries(&queries).unwrap();
        let rows = search.queries().unwrap();
        let (offsets, ids) = (rows.offsets.to_vec(), rows.ids.to_vec());
        assert!(ids.len() > N);
        let mut formula = Formula::new(text).unwrap();
        formula.set_precision(F::PRECISION);
        let (mut of_points, mut of_queries) = (Vec::new(), Vec::new());
        for (round, sets) in [[true, true], [true, false], [false, true], [false, false], [true, true]]
            .into_iter()
            .enumerate()
        {
            if sets[0] {
                let (set, read) = some::<P, F>(N * widths[0], &mut random);
                search.set_field("b", &set, widths[0]).unwrap();
                of_points = read;
            }
            if sets[1] {
                let (set, read) = some::<Q, F>(N / 2 * widths[1], &mut random);
                search.set_query_field("b", &set, widths[1]).unwrap();
                of_queries = read;
            }
            search.run(&mut formula, NeighborsKind::Queries, 1).unwrap();
            check_place::<F>(&search);
            let found = search.query_field::<F>("s").unwrap();
            for (i, ends) in offsets.windows(2).enumerate() {
                let row = &ids[ends[0] as usize..ends[1] as usize];
                let want = row.iter().fold(F::from_f64(0.0), |sum, &j| {
                    let j = j as usize;
                    let d = [0, 1].map(|k| F::from_f64(clouds[1][2 * i + k] - clouds[0][2 * j + k]));
                    let [a, b] = [(&of_queries, i, widths[1]), (&of_points, j, widths[0])]
                        .map(|(values, at, width)| &values[at * width..(at + 1) * width]);
                    sum + term(a, b, &d)
                });
                assert!(
                    found[i].is_same(want),
                    "{text} of {} and {} in {}, round {round}: row {i} is {:?}, not {want:?}",
                    P::NAME,
                    Q::NAME,
                    F::NAME,
                    found[i]
                );
            }
        }
    }
}

fn all(backend: Backend) {
    compare::<f32, f64, f32>(backend);
    compare::<f64, f32, f32>(backend);
    compare::<f32, f32, f64>(backend);
    compare::<f32, f64, f64>(backend);
    compare::<f64, f32, f64>(backend);
    compare::<f64, f64, f64>(backend);
}

#[test]
fn of_points_and_queries() {
    all(Backend::Cpu);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn of_points_and_queries_on_a_gpu() {
    all(Backend::Gpu);
}
