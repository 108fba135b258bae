//! Sums over neighbors: bit for bit those of a plain loop over the rows of the oracle, whose terms are computed by Rust code that
//! says the same as the formula, or by walking the tree of a random formula.

mod empty;
mod kept;
mod language;
mod radii;
mod random;
mod refusals;
mod shapes;
mod tables;
mod wide;

use std::fmt::Debug;

use super::functions::steps::{self, Float};
use crate::common::{
    Again, Case, Part, Random, Rules, cases, pairs_by_ids, periodic_cases, rows_by_ids, ruled_cases, some_ids,
};
use neargrid::{
    Formula, NeighborsKind, PointsView, Precision, RadiusRule, Real, Search, Status, SumPrecision, TableOf, oracle,
};

/// The precision of a formula.
trait Number: Precision + Float + Debug {
    const PRECISION: SumPrecision;
    fn parse(text: &str) -> Self;
    fn is_same(self, other: Self) -> bool;
}

impl Number for f32 {
    const PRECISION: SumPrecision = SumPrecision::Single;
    fn parse(text: &str) -> f32 {
        text.parse().unwrap()
    }
    fn is_same(self, other: f32) -> bool {
        self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
    }
}

impl Number for f64 {
    const PRECISION: SumPrecision = SumPrecision::Double;
    fn parse(text: &str) -> f64 {
        text.parse().unwrap()
    }
    fn is_same(self, other: f64) -> bool {
        self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
    }
}

fn root<F: Number>(x: F) -> F {
    Real::sqrt(x)
}

fn floor<F: Number>(x: F) -> F {
    Float::floor(x)
}

/// Points, and which rows there are.
struct World<T> {
    dim: usize,
    /// Queries after the points.
    coords: Vec<T>,
    periods: [Option<[T; 2]>; 3],
    /// The number of the row's point, or of the query after the points, and its neighbors in order.
    rows: Vec<(usize, Vec<usize>)>,
    cutoff: T,
    radii: Option<(Vec<T>, RadiusRule)>,
}

impl<T: Precision> World<T> {
    fn new(case: &Case, rows: (Vec<i64>, Vec<i32>)) -> World<T> {
        let row = |k: usize| rows.1[rows.0[k] as usize..rows.0[k + 1] as usize].iter();
        World {
            dim: case.dim,
            coords: case.coords_as(),
            periods: case.domain.periods(),
            rows: (0..rows.0.len() - 1)
                .map(|k| (k, row(k).map(|&j| j as usize).collect()))
                .collect(),
            cutoff: T::from_f64(case.cutoff),
            radii: None,
        }
    }

    fn displacement(&self, axis: usize, i: usize, j: usize) -> T {
        let coord = |point: usize| {
            let x = self.coords[point * self.dim + axis];
            self.periods[axis].map_or(x, |[lo, length]| oracle::wrapped(x, lo, length))
        };
        let d = coord(i).sub(coord(j));
        let Some([_, length]) = self.periods[axis] else {
            return d;
        };
        let half = length.mul(T::from_f64(0.5));
        if d > half {
            d.sub(length)
        } else if d < T::default().sub(half) {
            d.add(length)
        } else {
            d
        }
    }

    fn cutoff_of(&self, i: usize, j: usize) -> T {
        let Some((radii, rule)) = &self.radii else {
            return self.cutoff;
        };
        let (mine, other) = (radii[i], radii[j]);
        match rule {
            RadiusRule::Gather => mine,
            RadiusRule::Scatter => other,
            RadiusRule::Max => [mine, other][usize::from(other > mine)],
            RadiusRule::Min => [mine, other][usize::from(other < mine)],
            RadiusRule::Mean => mine.add(other).mul(T::from_f64(0.5)),
        }
    }

    fn pair<F: Number>(&self, i: usize, j: usize) -> Pair<F> {
        let mut d = [F::default(); 3];
        for (axis, d) in d.iter_mut().enumerate().take(self.dim) {
            *d = F::from_f64(self.displacement(axis, i, j).to_f64());
        }
        let r2 = dot(self.dim, d, d);
        Pair {
            i,
            j,
            dim: self.dim,
            d,
            r2,
            r: root(r2),
            c: F::from_f64(self.cutoff_of(i, j).to_f64()),
        }
    }
}

fn dot<F: Number>(dim: usize, a: [F; 3], b: [F; 3]) -> F {
    (1..dim).fold(a[0] * b[0], |sum, axis| sum + a[axis] * b[axis])
}

/// The built-in names, for one pair.
#[derive(Clone, Copy, Debug)]
struct Pair<F> {
    i: usize,
    j: usize,
    dim: usize,
    d: [F; 3],
    r2: F,
    r: F,
    c: F,
}

/// The caller's numbers for each point, and for queries after them.
struct Given {
    m: Vec<f64>,
    p: Vec<f32>,
    v: Vec<f64>,
    h: f64,
    table: Vec<f64>,
    spline: Vec<[f64; 4]>,
}

impl Given {
    fn new(dim: usize, everyone: usize, cutoff: f64, random: &mut Random) -> Given {
        let mut some = |n: usize| (0..n).map(|_| random.uniform() * 3.0 - 1.0).collect::<Vec<_>>();
        let (m, p, v, table) = (some(everyone), some(everyone), some(everyone * dim), some(50));
        Given {
            m,
            p: p.iter().map(|&p| p as f32).collect(),
            v,
            h: 0.3 * cutoff,
            spline: tables::polynomials(&table),
            table,
        }
    }

    fn m<F: Number>(&self, point: usize) -> F {
        F::from_f64(self.m[point])
    }

    fn p<F: Number>(&self, point: usize) -> F {
        F::from_f64(f64::from(self.p[point]))
    }

    fn v<F: Number>(&self, dim: usize, point: usize) -> [F; 3] {
        let mut v = [F::default(); 3];
        (0..dim).for_each(|axis| v[axis] = F::from_f64(self.v[point * dim + axis]));
        v
    }

    fn h<F: Number>(&self) -> F {
        F::from_f64(self.h)
    }

    /// The table from r = 0.1 h to r = 3 h.
    fn range(&self) -> [f64; 2] {
        [0.1 * self.h, 3.0 * self.h]
    }

    fn table<F: Number>(&self, x: F) -> F {
        let ([first, last], steps) = (self.range(), 49.0);
        let place = (x - F::from_f64(first)) * F::from_f64(steps / (last - first));
        let values = &self.table;
        let value = |k: usize| F::from_f64(values[k]);
        let place = if x < F::from_f64(last) { place.to_f64() } else { steps };
        let place = place.clamp(0.0, steps);
        let below = place.floor() as usize;
        if place == below as f64 {
            return value(below);
        }
        value(below) + F::from_f64(place - below as f64) * (value(below + 1) - value(below))
    }

    /// The cubic table from r/c = 0.1 to r/c = 0.9, with the same values.
    fn cubic<F: Number>(&self, x: F) -> F {
        tables::wanted_cubic([0.1, 0.9], &self.spline, x)
    }

    /// Sets what the formula reads; a constant or a table that it does not read is refused. `points` of all are points, the others
    /// queries.
    fn set(&self, search: &mut Search, formula: &mut Formula, dim: usize, points: usize) {
        search.set_field("m", &self.m[..points], 1).unwrap();
        search.set_field("p", &self.p[..points], 1).unwrap();
        search.set_field("v", &self.v[..points * dim], dim).unwrap();
        search.set_query_field("m", &self.m[points..], 1).unwrap();
        search.set_query_field("p", &self.p[points..], 1).unwrap();
        search.set_query_field("v", &self.v[points * dim..], dim).unwrap();
        let is_unread = |set: neargrid::Result<()>| {
            if let Err(error) = set {
                assert!(error.to_string().contains("s of the formula"), "{error}");
            }
        };
        is_unread(formula.set_constant("h", self.h));
        is_unread(formula.set_table("W", TableOf::R, self.range(), &self.table));
        is_unread(formula.set_cubic_table("U", TableOf::ROverC, [0.1, 0.9], &self.table));
    }
}

/// The way that terms are joined, by the name of the output.
fn join<F: Number>(name: &str, before: F, term: F) -> F {
    match name.split('_').next() {
        Some("most") => [before, term][usize::from(before < term)],
        Some("least") => [before, term][usize::from(term < before)],
        _ => before + term,
    }
}

fn start<F: Number>(name: &str) -> F {
    match name.split('_').next() {
        Some("most") => F::NEG_INFINITY,
        Some("least") => F::INFINITY,
        _ => F::default(),
    }
}

/// An output: its name, its width (0 is `dim`), and the term of a pair.
type Term<F> = (&'static str, usize, fn(&Pair<F>, &Given) -> [F; 3]);

fn number<F: Number>(value: F) -> [F; 3] {
    [value; 3]
}

fn lit<F: Number>(text: &str) -> F {
    F::parse(text)
}

fn times<F: Number>(a: F, v: [F; 3]) -> [F; 3] {
    v.map(|x| a * x)
}

fn minus<F: Number>(a: [F; 3], b: [F; 3]) -> [F; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

/// Formulas, and the same in Rust.
fn formulas<F: Number>() -> Vec<(&'static str, Vec<Term<F>>)> {
    vec![
        (
            "w = (1 - r/c)^4 * (4*r/c + 1) # Wendland\n rho += m_j * w * 0.75",
            vec![("rho", 1, |p, g| {
                let q = lit::<F>("1") - p.r / p.c;
                let w = ((q * q) * (q * q)) * (lit::<F>("4") * p.r / p.c + lit("1"));
                number(g.m::<F>(p.j) * w * lit("0.75"))
            })],
        ),
        (
            "mu = h * min(dot(v_i - v_j, d), 0) / (r2 + 0.01*h^2)\n\
             acc += -m_j * (p_i/m_i^2 + p_j/m_j^2 - 0.1*20*mu / (0.5*(m_i + m_j))) * W(r) * d / r ! as in SPH",
            vec![("acc", 0, |p, g| {
                let (mi, mj): (F, F) = (g.m(p.i), g.m(p.j));
                let approach = dot(p.dim, minus(g.v(p.dim, p.i), g.v(p.dim, p.j)), p.d);
                let zero = F::default();
                let approach = if zero < approach { zero } else { approach };
                let h = g.h::<F>();
                let mu = h * approach / (p.r2 + lit::<F>("0.01") * (h * h));
                let viscous = lit::<F>("0.1") * lit("20") * mu / (lit::<F>("0.5") * (mi + mj));
                let pressure = g.p::<F>(p.i) / (mi * mi) + g.p::<F>(p.j) / (mj * mj) - viscous;
                times(-mj * pressure * g.table(p.r), p.d).map(|x| x / p.r)
            })],
        ),
        (
            "s2 = 1/r2; s6 = s2^3; energy += 4*h*(s6^2 - s6); force += 24*h*(2*s6^2 - s6)/r2 * d",
            vec![
                ("energy", 1, |p, g| {
                    let s2 = lit::<F>("1") / p.r2;
                    let s6 = s2 * s2 * s2;
                    number(lit::<F>("4") * g.h() * (s6 * s6 - s6))
                }),
                ("force", 0, |p, g| {
                    let s2 = lit::<F>("1") / p.r2;
                    let s6 = s2 * s2 * s2;
                    times(lit::<F>("24") * g.h() * (lit::<F>("2") * (s6 * s6) - s6) / p.r2, p.d)
                }),
            ],
        ),
        (
            "reach = abs(m_i) + abs(m_j)\ncontacts += select(1, 0, r < h*reach)\nmost_overlap max= h*reach - r",
            vec![
                ("contacts", 1, |p, g| {
                    let reach = g.h::<F>() * (magnitude(g.m::<F>(p.i)) + magnitude(g.m::<F>(p.j)));
                    number(if p.r < reach { lit("1") } else { F::default() })
                }),
                ("most_overlap", 1, |p, g| {
                    number(g.h::<F>() * (magnitude(g.m::<F>(p.i)) + magnitude(g.m::<F>(p.j))) - p.r)
                }),
            ],
        ),
        (
            "count += 1\nmost_r max= r\nleast_r min= r2\nmost_d max= d\nleast_v min= v_j",
            vec![
                ("count", 1, |_, _| number(lit("1"))),
                ("most_r", 1, |p, _| number(p.r)),
                ("least_r", 1, |p, _| number(p.r2)),
                ("most_d", 0, |p, _| p.d),
                ("least_v", 0, |p, g| g.v(p.dim, p.j)),
            ],
        ),
        (
            "drag += (v_i - v_j)*(1 - r/c)\ndiv += dot(v_j - v_i, d)/(r2 + 1e-2*h**2)\nback += -d/2",
            vec![
                ("drag", 0, |p, g| {
                    let (a, b): ([F; 3], [F; 3]) = (g.v(p.dim, p.i), g.v(p.dim, p.j));
                    minus(a, b).map(|x| x * (lit::<F>("1") - p.r / p.c))
                }),
                ("div", 1, |p, g| {
                    let h = g.h::<F>();
                    let across = dot(p.dim, minus(g.v(p.dim, p.j), g.v(p.dim, p.i)), p.d);
                    number(across / (p.r2 + lit::<F>("1e-2") * (h * h)))
                }),
                ("back", 0, |p, _| p.d.map(|x| -x / lit("2"))),
            ],
        ),
        (
            "a += exp(-r2/(h*h)); b += log(r/c); e += pow(r/c + .5, 1.7)*m_j; f += m_i^0.5",
            vec![
                ("a", 1, |p, g| number(steps::exp(-p.r2 / (g.h::<F>() * g.h())))),
                ("b", 1, |p, _| number(steps::log(p.r / p.c))),
                ("e", 1, |p, g| {
                    number(steps::pow(p.r / p.c + lit(".5"), lit("1.7")) * g.m::<F>(p.j))
                }),
                ("f", 1, |p, g| number(steps::pow(g.m::<F>(p.i), lit("0.5")))),
            ],
        ),
        (
            "a += erfc(2*r/h)/r; b += atan2(m_j, p_i) + tanh(p_j); e += sin(9*r/c)*cos(m_i) - tan(p_j)*erf(r/h)",
            vec![
                ("a", 1, |p, g| number(steps::erfc(lit::<F>("2") * p.r / g.h()) / p.r)),
                ("b", 1, |p, g| {
                    number(steps::atan2(g.m::<F>(p.j), g.p(p.i)) + steps::tanh(g.p::<F>(p.j)))
                }),
                ("e", 1, |p, g| {
                    let wave = steps::sin(lit::<F>("9") * p.r / p.c) * steps::cos(g.m(p.i));
                    number(wave - steps::tan(g.p::<F>(p.j)) * steps::erf(p.r / g.h()))
                }),
            ],
        ),
        (
            "far = r2 > 0.25*c^2; least_x min= select(r2, c, far)\nsteps += sign(p_i - p_j) + floor(4*r/c) - abs(p_i)",
            vec![
                ("least_x", 1, |p, _| {
                    number(if p.r2 > lit::<F>("0.25") * (p.c * p.c) {
                        p.r2
                    } else {
                        p.c
                    })
                }),
                ("steps", 1, |p, g| {
                    let (a, b) = (g.p::<F>(p.i), g.p::<F>(p.j));
                    let sign = if a - b > F::default() {
                        lit("1")
                    } else if a - b < F::default() {
                        -lit::<F>("1")
                    } else {
                        a - b
                    };
                    number(sign + floor(lit::<F>("4") * p.r / p.c) - magnitude(a))
                }),
            ],
        ),
        (
            "q = r/c\np1 += q^-3 + (-2)^3 - 2^-2 - q**7\np2 += -q^2 - 2*-q - 2^3^2*q + q^0\np3 += q/3/7 - (q - 1 - 2) + +q",
            vec![
                ("p1", 1, |p, _| {
                    let (x, one, two) = (p.r / p.c, lit::<F>("1"), lit::<F>("2"));
                    let x3 = x * x * x;
                    number(one / x3 + (-two) * (-two) * (-two) - one / (two * two) - x3 * x3 * x)
                }),
                ("p2", 1, |p, _| {
                    let (x, two) = (p.r / p.c, lit::<F>("2"));
                    number(-(x * x) - two * -x - steps::pow(two, lit("9")) * x + lit("1"))
                }),
                ("p3", 1, |p, _| {
                    let x = p.r / p.c;
                    number(x / lit("3") / lit("7") - (x - lit("1") - lit("2")) + x)
                }),
            ],
        ),
        (
            "q = r/c; w += U(q)*W((r)) - m_j*U(r / c)",
            vec![("w", 1, |p, g| {
                let cubic = g.cubic::<F>(p.r / p.c);
                number(cubic * g.table(p.r) - g.m::<F>(p.j) * cubic)
            })],
        ),
        (
            "a += W(r)*select(m_j, p_j, m_j == p_j); b += select(d, v_j, r >= h) * select(1, 2, m_i != m_j)\n\
             most_w max= max(W(r),\n   min(m_i, p_j)) # continues in parentheses",
            vec![
                ("a", 1, |p, g| {
                    let (m, other) = (g.m::<F>(p.j), g.p::<F>(p.j));
                    number(g.table(p.r) * if m == other { m } else { other })
                }),
                ("b", 0, |p, g| {
                    let v = if p.r >= g.h() { p.d } else { g.v(p.dim, p.j) };
                    let factor = if g.m::<F>(p.i) == g.m(p.j) { "2" } else { "1" };
                    v.map(|x| x * lit(factor))
                }),
                ("most_w", 1, |p, g| {
                    let (w, m, other) = (g.table(p.r), g.m::<F>(p.i), g.p::<F>(p.j));
                    let least = if other < m { other } else { m };
                    number(if w < least { least } else { w })
                }),
            ],
        ),
    ]
}

fn magnitude<F: Number>(x: F) -> F {
    let zero = F::default();
    if x == zero {
        zero
    } else if x < zero {
        -x
    } else {
        x
    }
}

/// The values that rows of a kind have made.
fn values<'a, F: Precision>(search: &'a mut Search, kind: NeighborsKind, name: &str) -> &'a [F] {
    match kind {
        NeighborsKind::Queries => search.query_field(name).unwrap(),
        _ => search.field(name).unwrap(),
    }
}

/// How many components they have, and how many there are.
fn size(search: &Search, kind: NeighborsKind, name: &str) -> [usize; 2] {
    match kind {
        NeighborsKind::Queries => search.query_field_size(name).unwrap(),
        _ => search.field_size(name).unwrap(),
    }
}

/// Compares an output with the loop.
fn compare<T: Precision, F: Number>(
    world: &World<T>,
    (search, kind): (&mut Search, NeighborsKind),
    (name, width): (&str, usize),
    about: &str,
    term: impl Fn(&Pair<F>) -> [F; 3],
) {
    let width = if width == 0 { world.dim } else { width };
    assert_eq!(size(search, kind, name), [width, world.rows.len()]);
    let found = values::<F>(search, kind, name);
    assert_eq!(found.len(), world.rows.len() * width);
    for ((i, row), found) in world.rows.iter().zip(found.chunks_exact(width)) {
        let mut wanted = [start::<F>(name); 3];
        for &j in row {
            let term = term(&world.pair(*i, j));
            (0..width).for_each(|k| wanted[k] = join(name, wanted[k], term[k]));
        }
        for (axis, (&found, &wanted)) in found.iter().zip(&wanted).enumerate() {
            assert!(
                found.is_same(wanted),
                "{about}: {name} of row {i}, axis {axis}: {found:?} instead of {wanted:?}"
            );
        }
    }
}

fn check_one<T: Precision, F: Number>(
    search: &mut Search,
    world: &World<T>,
    kind: NeighborsKind,
    (which, with_self): (usize, bool),
    about: &str,
) {
    let all = formulas::<F>();
    let (text, terms) = &all[which % all.len()];
    let everyone = world.coords.len() / world.dim;
    let points = search.len();
    let given = Given::new(world.dim, everyone, world.cutoff.to_f64(), &mut Random(which as u64));
    let mut formula = Formula::new(text).unwrap();
    given.set(search, &mut formula, world.dim, points);
    formula.set_precision(F::PRECISION);
    formula.set_include_self(with_self);
    search.run(&mut formula, kind, 1).unwrap();
    check_place::<F>(search);
    let about = format!("{about}, {} in {}, {text}", T::NAME, F::NAME);
    for (name, width, term) in terms {
        compare::<T, F>(world, (search, kind), (name, *width), &about, |pair| term(pair, &given));
    }
}

/// A GPU evaluates what it can, and says what it cannot.
fn check_place<F: Number>(search: &Search) {
    let info = search.info();
    let (_, place) = info.split_once("\nformula: ").expect(&info);
    if info.contains("backend: cpu") {
        assert!(place.starts_with("on the CPU ("), "{info}");
        return;
    }
    let is_inexact = std::env::var("NEARGRID_GPU_MASK").is_ok_and(|mask| mask.contains("inexact"));
    let reason = match is_inexact {
        true => "on the CPU (its arithmetic is not that of the CPU)",
        false => "on the device",
    };
    let is_double = F::PRECISION == SumPrecision::Double;
    let of_doubles = ["on the CPU (real64", "on the CPU (a function in real64"];
    let mut known = vec![reason, "on the CPU (ghosts whose ids"];
    known.extend(of_doubles.iter().filter(|_| is_double));
    let is_known = known.iter().any(|known| place.starts_with(known));
    assert!(is_known, "{info}");
}

/// One formula in one precision; both change from call to call.
fn check<T: Precision>(search: &mut Search, world: &World<T>, kind: NeighborsKind, k: usize, about: &str) {
    match k % 3 {
        0 => check_one::<T, f64>(search, world, kind, (k, false), about),
        _ => check_one::<T, f32>(search, world, kind, (k, false), about),
    }
}

fn set<T: Precision>(search: &mut Search, case: &Case, base: i64) {
    search.set_index_base(base).unwrap();
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(case.rule);
    case.domain.set(search, case.dim);
    let types: Vec<i32> = case.rules.types.iter().map(|t| t + base as i32).collect();
    search.set_types(&types, &case.rules.mask).unwrap();
    search
        .set_active(case.rules.active.map(|active| active as i64))
        .unwrap();
    let coords = case.coords_as::<T>();
    search
        .set_points(&PointsView::interleaved(case.dim, &coords).unwrap())
        .unwrap();
}

fn check_case<T: Precision>(search: &mut Search, case: &Case, k: usize) {
    if !case.fits::<T>() {
        return;
    }
    set::<T>(search, case, k as i64 % 2);
    let rows = oracle::neighbors(case.coords.len() / case.dim, &case.truth::<T>(), k % 5 != 4);
    let kind = if k % 5 == 4 {
        NeighborsKind::Half
    } else {
        NeighborsKind::Full
    };
    check(search, &World::<T>::new(case, rows), kind, k, &case.name);
}

/// One of every few clouds, if it is small enough for the loop.
fn some_cases(every: usize) -> Vec<Case> {
    let (open, periodic) = (cases(), periodic_cases());
    let ruled = [ruled_cases(&open, 13), ruled_cases(&periodic, 5)].concat();
    let all = [open, periodic, ruled].into_iter().flatten();
    Part::of_environment().of(all.step_by(every).collect())
}

#[test]
fn all_cases() {
    let mut search = Search::new().unwrap();
    for (k, case) in some_cases(3).into_iter().enumerate() {
        search.set_threads([1, 2, 3, 8][k % 4]).unwrap();
        check_case::<f32>(&mut search, &case, k);
        check_case::<f64>(&mut search, &case, k + 7);
    }
}

/// Every formula in both precisions and both precisions of coordinates, with and without the point itself.
#[test]
fn all_formulas() {
    fn both<T: Precision>(search: &mut Search, case: &Case, which: usize) {
        set::<T>(search, case, 0);
        let rows = oracle::neighbors(case.coords.len() / case.dim, &case.truth::<T>(), true);
        let mut world = World::<T>::new(case, rows);
        check_one::<T, f32>(search, &world, NeighborsKind::Full, (which, false), "formulas");
        check_one::<T, f64>(search, &world, NeighborsKind::Full, (which, false), "formulas");
        for (i, row) in &mut world.rows {
            row.insert(row.partition_point(|j| j < i), *i);
        }
        check_one::<T, f32>(search, &world, NeighborsKind::Full, (which, true), "with itself");
        check_one::<T, f64>(search, &world, NeighborsKind::Full, (which, true), "with itself");
    }
    let mut search = Search::new().unwrap();
    for dim in 1..=3 {
        let mut random = Random(dim as u64);
        let case = Case::new("cloud", dim, random.cloud(dim, 400), [0.05, 0.15, 0.3][dim - 1]);
        for which in 0..formulas::<f32>().len() {
            both::<f32>(&mut search, &case, which);
            both::<f64>(&mut search, &case, which);
        }
    }
}

/// Rows of queries, with fields of points and of queries.
#[test]
fn queries() {
    let mut search = Search::new().unwrap();
    for k in 0..10 {
        let (dim, mut random) = (1 + k % 3, Random(k as u64));
        let coords = random.cloud(dim, 300 + 50);
        let case = Case::new("queries", dim, coords, [0.05, 0.15, 0.3][dim - 1]);
        let both = case.coords_as::<f32>();
        let view = PointsView::interleaved(dim, &both).unwrap();
        let pairs = oracle::pairs(&view, case.cutoff as f32, case.rule);
        let (points, queries) = both.split_at(300 * dim);
        search.set_cutoff(case.cutoff).unwrap();
        search
            .set_points(&PointsView::interleaved(dim, points).unwrap())
            .unwrap();
        search
            .set_queries(&PointsView::interleaved(dim, queries).unwrap())
            .unwrap();
        let rows = oracle::neighbors(350, &pairs, true);
        let mut world = World::<f32>::new(&case, rows);
        world.rows.drain(..300);
        world.rows.iter_mut().for_each(|(_, row)| row.retain(|&j| j < 300));
        check(&mut search, &world, NeighborsKind::Queries, k, "queries");
    }
}

/// Radii by every rule: `c` is the cutoff of the pair. With ids, terms are in the order of ids.
#[test]
fn radii_and_ids() {
    const ALL: [RadiusRule; 5] = [
        RadiusRule::Gather,
        RadiusRule::Scatter,
        RadiusRule::Max,
        RadiusRule::Min,
        RadiusRule::Mean,
    ];
    let mut search = Search::new().unwrap();
    for k in 0..30 {
        let (dim, n, mut random) = (1 + k % 3, 300, Random(k as u64));
        let case = Case::new("radii and ids", dim, random.cloud(dim, n), [0.05, 0.15, 0.3][dim - 1]);
        set::<f64>(&mut search, &case, k as i64 % 2);
        let ids = some_ids(n, &mut random);
        let truth = if k % 2 == 0 {
            let radii: Vec<f64> = (0..n).map(|_| case.cutoff * (0.2 + random.uniform())).collect();
            let view = PointsView::interleaved(dim, &case.coords).unwrap();
            let rule = ALL[k / 2 % 5];
            search.set_radii(&radii, rule).unwrap();
            let rows = oracle::neighbors_by_radii(&view, &[None; 3], &radii, (rule, case.rule), |_, _| true);
            let mut world = World::<f64>::new(&case, rows);
            world.radii = Some((radii, rule));
            world
        } else {
            search.clear_radii();
            World::new(&case, oracle::neighbors(n, &case.truth::<f64>(), true))
        };
        let mut world = truth;
        check(&mut search, &world, NeighborsKind::Full, k, "radii");
        let ids = &ids[k % ids.len()];
        search.set_ids(ids).unwrap();
        for (i, row) in &mut world.rows {
            row.sort_by_key(|&j| ids[j]);
            row.insert(row.partition_point(|&j| ids[j] < ids[*i]), *i);
        }
        check_one::<f64, f32>(&mut search, &world, NeighborsKind::Full, (k + 1, true), "ids");
        search.set_ids(&[]).unwrap();
        search.clear_radii();
    }
}

/// Ghosts with ids: the rows are those of pairs by ids.
#[test]
fn ghosts_and_ids() {
    let mut search = Search::new().unwrap();
    for k in 0..16 {
        let (dim, n, mut random) = (1 + k % 3, 250, Random(k as u64));
        let mut case = Case::new("ghosts and ids", dim, random.cloud(dim, n), [0.05, 0.15, 0.3][dim - 1]);
        case.rules = Rules::some(n, &mut random).swap_remove(k % 8);
        set::<f64>(&mut search, &case, 0);
        let ids = some_ids(n, &mut random).swap_remove(k % 4);
        search.set_ids(&ids).unwrap();
        let pairs = pairs_by_ids(&case.truth::<f64>(), &ids, case.rules.active);
        let world = World::<f64>::new(&case, rows_by_ids(n, &pairs, &ids, true));
        check(&mut search, &world, NeighborsKind::Full, k, "ghosts and ids");
        search.set_ids(&[]).unwrap();
    }
}

/// Chunks of any size, and any number of threads, in little memory.
#[test]
fn threads_and_memory() {
    let n = 6000 / Part::of_environment().every.min(10);
    let case = Case::new("many", 3, Random(3).cloud(3, n), 0.12 * (6000.0 / n as f64).cbrt());
    let mut search = Search::new().unwrap();
    set::<f32>(&mut search, &case, 0);
    let rows = oracle::neighbors(n, &case.truth::<f32>(), true);
    let world = World::<f32>::new(&case, rows);
    for (k, threads) in [1, 2, 3, 8].into_iter().enumerate() {
        search.set_threads(threads).unwrap();
        for limit in [0, 100 * n as i64] {
            search.set_memory_limit(limit).unwrap();
            check_one::<f32, f32>(&mut search, &world, NeighborsKind::Full, (k, false), "memory");
        }
    }
}

/// A failure leaves the fields of the last run, and a sum ends chunks that were begun.
#[test]
fn after_failures() {
    let coords = Random(1).cloud(2, 300);
    let mut search = Search::new().unwrap();
    let mut formula = Formula::new("n += 1").unwrap();
    let error = search.run(&mut formula, NeighborsKind::Full, 1).unwrap_err();
    assert_eq!(error.status(), Status::BadState);
    search.set_cutoff(0.2).unwrap();
    search
        .set_points(&PointsView::interleaved(2, &coords).unwrap())
        .unwrap();
    search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    let counts = search.field::<f32>("n").unwrap().to_vec();
    assert_eq!(
        counts.iter().sum::<f32>(),
        search.count_neighbors(NeighborsKind::Full).unwrap() as f32
    );
    search.set_memory_limit(1).unwrap();
    assert_eq!(
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap_err().status(),
        Status::MemoryLimit
    );
    assert_eq!(search.field::<f32>("n").unwrap(), counts);
    search.set_memory_limit(0).unwrap();
    search
        .set_points(&PointsView::<f32>::interleaved(3, &[]).unwrap())
        .unwrap();
    search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    assert!(search.field::<f32>("n").unwrap().is_empty());
}

/// The same on a GPU that finds the rows, as `devices` in tests/suite/pairs.rs does.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    let again = Again::only(
        module_path!(),
        &[
            "all_cases",
            "all_formulas",
            "queries",
            "ghosts_and_ids",
            "threads_and_memory",
            "random::random",
            "rows_longer",
            "empty::",
            "tables::",
            "wide::",
            "several_tables",
            "kept::",
            "language::",
            "radii::",
        ],
        "all_cases",
    );
    again.on_devices(&[
        ("", "60:30"), // in one case blocks find no room at first
        ("no-subgroups", "240:10"),
        ("binding=1048576", "120:20"),
        ("batches,guarded", "120:30"),
        ("inexact", "120:50"),
        ("no-f64", "120:40"),
    ]);
}

/// Division by zero gives what IEEE arithmetic says, and so does all that is computed with it.
#[test]
fn division_by_zero() {
    fn check<F: Number>() {
        let coords = [0.5, 0.5, 0.5, 0.5, 4.0, 4.0]; // two points in one place, and a lonely one
        let mut search = Search::new().unwrap();
        search.set_cutoff(1.0).unwrap();
        search
            .set_points(&PointsView::interleaved(2, &coords).unwrap())
            .unwrap();
        let text = "a += 1/r2; b += -1/r; nan += r/r2; v += d/r; most max= -1/r; least min= 1/r2 - 1/r; cube += r^-3";
        let mut formula = Formula::new(text).unwrap();
        formula.set_precision(F::PRECISION);
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        let (infinite, none) = (F::INFINITY, F::default());
        let mut has = |name: &str, wanted: [F; 3]| {
            let found = search.field::<F>(name).unwrap();
            let is_right = found.iter().zip(wanted).all(|(&a, b)| a.is_same(b));
            assert!(is_right, "{name}: {found:?}, not {wanted:?}");
        };
        let nan = none / none;
        has("a", [infinite, infinite, none]);
        has("b", [F::NEG_INFINITY, F::NEG_INFINITY, none]);
        has("nan", [nan, nan, none]);
        has("v", [nan, nan, nan]);
        has("most", [F::NEG_INFINITY; 3]);
        has("least", [infinite; 3]); // a NaN is ignored
        has("cube", [infinite, infinite, none]);
    }
    check::<f32>();
    check::<f64>();
}

/// Tables of any lengths beside each other are read as each of them alone.
#[test]
fn several_tables() {
    let lengths = [2, 3, 40, 5, 300, 2];
    let coords: Vec<f64> = Random(21).cloud(3, 200);
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.4).unwrap();
    search
        .set_points(&PointsView::interleaved(3, &coords).unwrap())
        .unwrap();
    let values = |k: usize| -> Vec<f64> { (0..lengths[k]).map(|i| (k * 1000 + i * i) as f64).collect() };
    let text = |k: usize| format!("s{k} += T{k}(r)");
    let mut sums = |tables: std::ops::Range<usize>| -> Vec<Vec<f32>> {
        let texts: Vec<_> = tables.clone().map(text).collect();
        let mut formula = Formula::new(&texts.join("; ")).unwrap();
        for k in tables.clone() {
            let range = [0.01 * k as f64, 0.5];
            let set = match k {
                2 | 4 => Formula::set_cubic_table,
                _ => Formula::set_table,
            };
            set(&mut formula, &format!("T{k}"), TableOf::R, range, &values(k)).unwrap();
        }
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        tables
            .map(|k| search.field::<f32>(&format!("s{k}")).unwrap().to_vec())
            .collect()
    };
    let together = sums(0..lengths.len());
    for (k, together) in together.iter().enumerate() {
        assert_eq!(*together, sums(k..k + 1)[0], "table {k}");
    }
}

/// Rows of more neighbors than are evaluated at once, in a crowd that no block can hold and by radii; each point is a neighbor of all.
#[test]
fn rows_longer_than_a_batch() {
    const N: usize = 4500;
    let coords: Vec<f32> = (0..N).map(|k| (k * 7919 % N) as f32 / N as f32).collect();
    let mass: Vec<f32> = (0..N).map(|k| 1.0 / (1 + k % 11) as f32).collect();
    for (threads, with_self, by_radii) in [(1, false, false), (2, true, false), (2, true, true)] {
        let mut search = Search::new().unwrap();
        search.set_threads(threads).unwrap();
        search.set_cutoff(2.0).unwrap();
        search
            .set_points(&PointsView::interleaved(1, &coords).unwrap())
            .unwrap();
        if by_radii {
            search.set_radii(&[2.0_f32; N], RadiusRule::Max).unwrap();
        }
        let mut formula = Formula::new("a += m_j*r; most max= r2").unwrap();
        formula.set_include_self(with_self);
        search.set_field("m", &mass, 1).unwrap();
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        let [a, most] = ["a", "most"].map(|name| search.field::<f32>(name).unwrap().to_vec());
        for i in (0..N).step_by(97) {
            let (mut sum, mut largest) = (0.0_f32, f32::NEG_INFINITY);
            for j in (0..N).filter(|&j| with_self || j != i) {
                let d = coords[i] - coords[j];
                sum += mass[j] * (d * d).sqrt();
                largest = largest.max(d * d);
            }
            assert!(
                a[i].is_same(sum) && most[i].is_same(largest),
                "row {i}, {threads} threads, radii: {by_radii}"
            );
        }
    }
}
