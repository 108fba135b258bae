//! Components, vectors from numbers, cross products, conditions joined by words, and pi.

use super::*;

/// Sums a formula over a cloud in every precision, and compares with the terms.
fn check_terms<F: Number>(dim: usize, text: &str, terms: &[Term<F>]) {
    fn of_points<T: Precision, F: Number>(dim: usize, text: &str, terms: &[Term<F>]) {
        let mut random = Random(dim as u64);
        let case = Case::new("cloud", dim, random.cloud(dim, 150), [0.05, 0.15, 0.3][dim - 1]);
        let mut search = Search::new().unwrap();
        set::<T>(&mut search, &case, 0);
        let world = World::<T>::new(&case, oracle::neighbors(150, &case.truth::<T>(), true));
        let given = Given::new(dim, 150, case.cutoff, &mut random);
        let mut formula = Formula::new(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        given.set(&mut search, &mut formula, dim, 150);
        formula.set_precision(F::PRECISION);
        search
            .run(&mut formula, NeighborsKind::Full, 1)
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        check_place::<F>(&search);
        for (name, width, term) in terms {
            let about = format!("{dim}D, {} in {}, {text}", T::NAME, F::NAME);
            compare::<T, F>(
                &world,
                (&mut search, NeighborsKind::Full),
                (name, *width),
                &about,
                |pair| term(pair, &given),
            );
        }
    }
    of_points::<f32, F>(dim, text, terms);
    of_points::<f64, F>(dim, text, terms);
}

fn cross<F: Number>(a: [F; 3], b: [F; 3]) -> [F; 3] {
    std::array::from_fn(|axis| {
        let [next, last] = [(axis + 1) % 3, (axis + 2) % 3];
        a[next] * b[last] - a[last] * b[next]
    })
}

fn velocity<F: Number>(p: &Pair<F>, g: &Given) -> [F; 3] {
    minus(g.v(p.dim, p.i), g.v(p.dim, p.j))
}

fn all<F: Number>() {
    check_terms::<F>(
        1,
        "a += d.x*v_j.x.x + (v_i - v_j).x; b += vector(m_j*r); half += m_i.x/2.",
        &[
            ("a", 1, |p, g| {
                let v = g.v::<F>(1, p.j)[0];
                number(p.d[0] * v + (g.v::<F>(1, p.i)[0] - v))
            }),
            ("b", 1, |p, g| number(g.m::<F>(p.j) * p.r)),
            ("half", 1, |p, g| number(g.m::<F>(p.i) / lit("2"))),
        ],
    );
    check_terms::<F>(
        2,
        "u = v_i - v_j; turn += cross(u, d)/r2; a += vector(-d.y, d.x)*m_j; xy += (v_i - v_j).x*u.y\n\
         most_b max= vector(1, r) + d; half += -d.x^2*.5",
        &[
            ("turn", 1, |p, g| {
                let u = velocity(p, g);
                number((u[0] * p.d[1] - u[1] * p.d[0]) / p.r2)
            }),
            ("a", 0, |p, g| [-p.d[1], p.d[0], p.d[0]].map(|x| x * g.m::<F>(p.j))),
            ("xy", 1, |p, g| number(velocity(p, g)[0] * velocity(p, g)[1])),
            ("most_b", 0, |p, _| [F::ONE + p.d[0], p.r + p.d[1], p.d[1]]),
            ("half", 1, |p, _| number(-(p.d[0] * p.d[0]) * lit("0.5"))),
        ],
    );
    check_terms::<F>(
        3,
        "u = v_i - v_j; spin += cross(u, d)/r2; z += cross(d, v_j).z; w += vector(u.z, m_i, 1)*r\n\
         xx += d.x*d.x; xy += d.x*d.y; zz += (d.z\n * 2); own += dot(cross(v_i, v_j), cross(v_i, v_j))",
        &[
            ("spin", 0, |p, g| cross(velocity(p, g), p.d).map(|x| x / p.r2)),
            ("z", 1, |p, g| number(cross(p.d, g.v(3, p.j))[2])),
            ("w", 0, |p, g| [velocity(p, g)[2] * p.r, g.m::<F>(p.i) * p.r, p.r]),
            ("xx", 1, |p, _| number(p.d[0] * p.d[0])),
            ("xy", 1, |p, _| number(p.d[0] * p.d[1])),
            ("zz", 1, |p, _| number(p.d[2] * lit("2"))),
            ("own", 1, |p, g| {
                let across = cross(g.v(3, p.i), g.v(3, p.j));
                number(dot(3, across, across))
            }),
        ],
    );
}

/// Each line is a condition, and the same in Rust, with `a`, `b` and `c` true or not by bits of a pair.
#[test]
fn joined_conditions() {
    type Holds = fn(bool, bool, bool) -> bool;
    const CONDITIONS: [(&str, Holds); 12] = [
        ("a and b", |a, b, _| a && b),
        ("a or b", |a, b, _| a || b),
        ("not a", |a, _, _| !a),
        ("a or b and c", |a, b, c| a || b && c),
        ("a and b or c", |a, b, c| a && b || c),
        ("(a or b) and c", |a, b, c| (a || b) && c),
        ("not a and b", |a, b, _| !a && b),
        ("not (a and b)", |a, b, _| !(a && b)),
        ("not not a or not b and not c", |a, b, c| a || !b && !c),
        ("m_j == 0 and not p_j == 0 or c", |a, b, c| a && !b || c),
        ("not m_j == 0", |a, _, _| !a),
        ("a and b and c or not(\n a # or\n or b)", |a, b, c| {
            a && b && c || !(a || b)
        }),
    ];
    let coords: Vec<f64> = (0..16).map(f64::from).collect();
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &coords).unwrap())
        .unwrap();
    let mut text = String::from("a = m_j == 0; b = p_j == 0; c_ = not (q_j != 0)\n");
    for (k, (condition, _)) in CONDITIONS.iter().enumerate() {
        let condition = condition.replace(" c", " c_");
        text += &format!("x{k} += select(1, 0, {condition})\n");
    }
    let mut formula = Formula::new(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let bit = |k: usize| (0..16).map(|point| f64::from(point >> k & 1)).collect::<Vec<_>>();
    for (k, name) in ["m", "p", "q"].into_iter().enumerate() {
        search.set_field(name, &bit(k), 1).unwrap();
    }
    for precision in [SumPrecision::Single, SumPrecision::Double] {
        formula.set_precision(precision);
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        for (k, (condition, holds)) in CONDITIONS.iter().enumerate() {
            let name = format!("x{k}");
            let found: Vec<f64> = match precision {
                SumPrecision::Single => (search.field::<f32>(&name).unwrap().iter())
                    .map(|&x| f64::from(x))
                    .collect(),
                SumPrecision::Double => search.field::<f64>(&name).unwrap().to_vec(),
            };
            for (i, &found) in found.iter().enumerate() {
                let neighbors = [i.wrapping_sub(1), i + 1].into_iter().filter(|&j| j < 16);
                let wanted = neighbors.filter(|j| holds(j & 1 == 0, j & 2 == 0, j & 4 == 0)).count();
                assert_eq!(found, wanted as f64, "{condition} of point {i}");
            }
        }
    }
}

#[test]
fn pi() {
    fn check<F: Number>() {
        let mut search = Search::new().unwrap();
        search.set_cutoff(1.0).unwrap();
        search
            .set_points(&PointsView::interleaved(1, &[0.0, 1.0]).unwrap())
            .unwrap();
        let mut formula = Formula::new("most max= pi; sum += pi*r^2").unwrap();
        formula.set_precision(F::PRECISION);
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        let pi = lit::<F>("3.14159265358979323846264338327950288");
        for name in ["most", "sum"] {
            assert!(search.field::<F>(name).unwrap().iter().all(|x| x.is_same(pi)));
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn components_and_products() {
    all::<f32>();
    all::<f64>();
}
