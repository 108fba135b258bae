//! Components, vectors from numbers, and cross products.

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
        given.set(&mut formula, dim, 150);
        formula.set_precision(F::PRECISION);
        search
            .sum(&mut formula, NeighborsKind::Full)
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        check_place::<F>(&search);
        for (name, width, term) in terms {
            let about = format!("{dim}D, {} in {}, {text}", T::NAME, F::NAME);
            compare::<T, F>(&world, &formula, (name, *width), &about, |pair| term(pair, &given));
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

#[test]
fn components_and_products() {
    all::<f32>();
    all::<f64>();
}
