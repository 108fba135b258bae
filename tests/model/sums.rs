//! Fields and sums of formulas, from scratch: plain loops over the rows of the model.

use std::ffi::CStr;

use neargrid::Real;

use super::call::Call;
use super::draw::Draw;
use super::model::images::{Cell, Entry};
use super::model::{BAD_COUNT, BAD_DIM, BAD_STATE, BAD_VALUE, Checks, Exclusions, Kind, Model, rounded};
use super::pairs::{Q, W};
use super::truth::{Cloud, Reach};

/// The parts of formulas; the last is none.
pub const TEXTS: [&CStr; 16] = [
    c"n += 1; far max= r2; near min= r2",
    c"s += m_j*(c - r) - m_i*h",
    c"f += (v_i - v_j)*m_j\n p max= dot(v_j, d)",
    c"e += s_j*n_j",
    c"n += 1\n k := k + 0.25\n m_i = m_i*(h + k)",
    c"g += W(r/c)*select(d.x, pi, m_j > 0 and not d.x < 0)",
    c"l max= cross(v_i, vector(r, m_j))",
    c"n += 1\n x_i = x_i + h*v_i",
    c"x_i = x_i + h*v_i\n s += m_j*(c - r)\n x_i = x_i - k*v_i",
    c"x_i = x_i + h*v_i\n f += (x_i - x_j)*m_j\n p max= dot(v_j, d)\n v_i = v_i + k*f_i",
    c"o_i = x_i\n x_i = x_i + h*v_i\n e += dot(o_j - x_j, d)",
    c"q_ij = q_ij*h + select(m_j, 1, m_j > 0)\n s += q_ij",
    c"w_ij = w_ij + d\n f += w_ij*m_j",
    c"q_ij = q_ij + 1\n x_i = x_i + h*v_i\n q_ij = q_ij - r\n e += q_ij",
    c"n += 1\n e += (class + 1)*m_j",
    c"s += m_j *",
];

/// Fields that are set, and those that texts make. The last two are the points, and a name that no text makes.
pub const FIELDS: [&CStr; 14] = [
    c"m", c"v", c"n", c"s", c"far", c"near", c"f", c"p", c"e", c"g", c"l", c"o", c"x", c"none",
];
pub const M: usize = 0;
pub const V: usize = 1;
const N: usize = 2;
pub const S: usize = 3;
pub const F: usize = 6;
pub const O: usize = 11;
pub const X: usize = 12;

/// The first text about values of pairs.
pub const OF_PAIRS: usize = 11;

/// The text that reads classes.
const CLASS: usize = 14;

/// Numbers of the texts, and one that no text has.
pub const NUMBERS: [&CStr; 3] = [c"h", c"k", c"none"];
pub const H: usize = 0;
pub const K: usize = 1;

/// The sums of each text, by the numbers of their names.
const SUMS: [&[usize]; 16] = [
    &[N, 4, 5],
    &[S],
    &[F, 7],
    &[8],
    &[N],
    &[9],
    &[10],
    &[N],
    &[S],
    &[F, 7],
    &[8],
    &[S],
    &[F],
    &[8],
    &[N, 8],
    &[],
];

/// Values for each point or query.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub components: usize,
    pub single: bool,
    pub values: Vec<f64>,
}

/// A table from 0 on.
#[derive(Clone, Debug)]
pub struct Table {
    pub cubic: bool,
    pub last: f64,
    pub values: Vec<f64>,
}

/// The inputs of a formula.
#[derive(Clone, Debug, Default)]
pub struct Formula {
    pub text: usize,
    pub double: bool,
    pub with_self: bool,
    pub numbers: [Option<f64>; 2],
    pub table: Option<Table>,
}

/// Values by a seed.
pub fn values(seed: u64, len: usize, single: bool) -> Vec<f64> {
    let mut draw = Draw::seeded(seed);
    let mut one = || rounded(single, draw.pick(&[1.0, 0.5, 1e-3, -1.0]) * draw.unit());
    (0..len).map(|_| one()).collect()
}

impl Formula {
    /// The fields that it reads, and whether as those of neighbors alone.
    pub fn reads(&self) -> &'static [(usize, bool)] {
        match self.text {
            1 => &[(M, false), (M, true)],
            2 => &[(V, false), (V, true), (M, true)],
            3 => &[(S, true), (N, true)],
            4 => &[(M, false)],
            5 | CLASS => &[(M, true)],
            11 | 12 => &[(M, true)],
            6 | 8 => &[(V, false), (M, true)],
            7 | 10 | 13 => &[(V, false)],
            9 => &[(V, false), (V, true), (M, true)],
            _ => &[],
        }
    }

    pub fn has_number(&self, number: usize) -> bool {
        matches!((self.text, number), (1 | 4 | 7..=11 | 13, H) | (4 | 8 | 9, K))
    }

    /// Whether it reads a table, of r/c.
    pub fn has_table(&self) -> bool {
        self.text == 5
    }

    /// Calls that give all it reads values that fit.
    pub fn fitting(&self, which: usize, dim: i32, seed: u64) -> Vec<Call> {
        let mut calls = Vec::new();
        for &(name, _) in self.reads() {
            calls.extend([false, true].map(|of_queries| Call::FieldSet {
                name,
                of_queries,
                single: seed & 1 == 0,
                components: if name == V { dim } else { 1 },
                off: 0,
                seed: seed.wrapping_add(name as u64),
                null: false,
            }));
        }
        for name in (0..NUMBERS.len()).filter(|&number| self.has_number(number)) {
            let value = match seed >> 16 & 15 {
                0 => 1e300,
                1 => f64::NAN,
                2..6 => 0.02,
                6 => -30.0,
                _ => 0.37,
            };
            // The first or the second alone, too: of two moves one may fail.
            let is_plain = name as u64 == seed >> 20 & 3;
            let value = if is_plain { 0.7 } else { value };
            calls.push(Call::FormulaConstant { which, name, value });
        }
        if self.has_table() {
            calls.push(Call::FormulaTable {
                which,
                is_known: true,
                is_cubic: seed & 2 == 0,
                of: 2,
                n: 4 + (seed % 50) as i64,
                last: 0.9,
                seed: seed | 1,
                null: false,
            });
        }
        calls
    }

    /// The reasons why a run over rows of a kind makes nothing, beside those why the rows are not found.
    pub fn check(&self, checks: &mut Checks, model: &Model, kind: Kind) {
        let of_queries = kind == Kind::Queries;
        checks.must(of_queries && (self.with_self || self.moves()), BAD_VALUE);
        let is_missing = |&number: &usize| self.has_number(number) && self.numbers[number].is_none();
        checks.must([H, K].iter().any(is_missing), BAD_STATE);
        checks.must(self.has_table() && self.table.is_none(), BAD_STATE);
        let Some(dim) = model.dim else { return };
        let counts = [model.n(), model.nqueries()];
        let mut are_vectors = Vec::new();
        for &(field, of_neighbor) in self.reads() {
            let of = of_queries && !of_neighbor;
            let Some(given) = model.fields.get(&(field, of)) else {
                checks.must(true, BAD_STATE);
                continue;
            };
            let components = given.components;
            checks.must(components != 1 && components != dim, BAD_DIM);
            checks.must(given.values.len() != components * counts[usize::from(of)], BAD_COUNT);
            are_vectors.push((field, components > 1 && dim > 1));
        }
        let vector = |field: usize| are_vectors.iter().find(|(of, _)| *of == field).map(|(_, is)| *is);
        let differ = |field: usize| {
            are_vectors
                .iter()
                .any(|&(of, is)| of == field && Some(is) != vector(field))
        };
        checks.must(differ(M) || differ(V), BAD_VALUE);
        // A vector where a number belongs, and the other way round; a vector of two numbers belongs to two axes.
        let is_number = vector(V) == Some(false) && dim > 1;
        let are_swapped = vector(M) == Some(true) || is_number;
        let is_wrong = match self.text {
            2 | 5 | 9 | 11 | 12 => are_swapped,
            7 | 8 | 10 | 13 => is_number,
            3 => vector(S) == Some(true) && vector(N) == Some(true),
            6 => are_swapped || dim != 2,
            _ => false,
        };
        checks.must(is_wrong, BAD_VALUE);
        self.check_pairs(checks, model, kind);
    }

    /// Makes the sums over rows of a kind. Returns how many pairs they have.
    pub fn make_sums(&self, model: &mut Model, kind: Kind) -> usize {
        let rows = model.rows_of_run(kind);
        let mut sums = self.sum(model, kind, &rows);
        let mut entries = rows.iter().map(Vec::len).sum();
        if self.text == CLASS {
            // The second statement has the excluded pairs, too.
            let all = Model {
                exclusions: None,
                ..model.clone()
            };
            let rows = all.rows_of_run(kind);
            sums.truncate(1);
            sums.extend(self.sum(model, kind, &rows).into_iter().skip(1));
            entries = rows.iter().map(Vec::len).sum();
        }
        for (&name, (components, values)) in SUMS[self.text].iter().zip(sums) {
            let single = !self.double;
            let made = Field {
                components,
                single,
                values,
            };
            model.fields.insert((name, kind == Kind::Queries), made);
        }
        entries
    }

    /// The sums over rows of a kind: how many numbers each has for a row, and all numbers.
    fn sum(&self, model: &Model, kind: Kind, rows: &[Vec<Entry>]) -> Vec<(usize, Vec<f64>)> {
        match (model.single, self.double) {
            (true, false) => self.sum_in::<f32, f32>(model, kind, rows),
            (true, true) => self.sum_in::<f32, f64>(model, kind, rows),
            (false, false) => self.sum_in::<f64, f32>(model, kind, rows),
            (false, true) => self.sum_in::<f64, f64>(model, kind, rows),
        }
    }

    fn sum_in<T: Real, F: Real>(&self, model: &Model, kind: Kind, rows: &[Vec<Entry>]) -> Vec<(usize, Vec<f64>)> {
        let (cloud, reach) = (model.cloud::<T>(), model.reach::<T>(kind));
        let first = if kind == Kind::Queries { model.n() } else { 0 };
        let width_of = |field: usize| model.fields.get(&(field, false)).map_or(1, |field| field.components);
        let widths: &[usize] = match self.text {
            0 => &[1, 1, 1],
            1 | 8 => &[width_of(M)],
            2 | 9 => &[cloud.dim, 1],
            3 => &[width_of(S).max(width_of(N))],
            12 => &[cloud.dim],
            CLASS => &[1, width_of(M)],
            _ => &[1],
        };
        let mut outputs: Vec<_> = widths.iter().map(|&width| (width, Vec::new())).collect();
        for (row, js) in rows.iter().enumerate() {
            let (i, mut js) = (first + row, js.clone());
            if self.with_self {
                let itself = (i, [0; 3]);
                let at = js.partition_point(|&(j, shift)| (model.rank(j), shift) < (model.rank(i), itself.1));
                js.insert(at, itself);
            }
            let pair = |&(j, shift): &Entry| Pair::new((&cloud, model.cell), &reach, (i, j, shift));
            let pairs: Vec<Pair<F>> = js.iter().map(pair).collect();
            for (number, (width, values)) in outputs.iter_mut().enumerate() {
                for k in 0..*width {
                    let terms = pairs.iter().map(|pair| self.term((number, k), pair, (model, first)));
                    values.push(joined(FIELDS[SUMS[self.text][number]], terms).to_f64());
                }
            }
        }
        outputs
    }

    /// The mass of a point.
    pub fn mass_of<F: Real>(&self, model: &Model, point: usize) -> F {
        F::from_f64(model.fields[&(M, false)].values[point])
    }

    /// Component `k` of a term. Rows begin with point `first`.
    fn term<F: Real>(&self, (output, k): (usize, usize), pair: &Pair<F>, (model, first): (&Model, usize)) -> F {
        let value = |field: usize, of_queries: bool, point: usize, k: usize| {
            let field = &model.fields[&(field, of_queries)];
            F::from_f64(field.values[point * field.components + k % field.components])
        };
        let of_i = |field: usize, k: usize| value(field, first > 0, pair.i - first, k);
        let of_j = |field: usize, k: usize| value(field, false, pair.j, k);
        match (self.text, output) {
            (0 | 4 | 7 | CLASS, 0) => F::from_f64(1.0),
            (11 | 13, _) => F::from_f64(model.pair_value(Q, (pair.i, pair.j), 0)),
            (12, _) => F::from_f64(model.pair_value(W, (pair.i, pair.j), k)).mul(of_j(M, 0)),
            (CLASS, _) => F::from_f64(model.class(first == 0, (pair.i, pair.j, pair.shift)) + 1.0).mul(of_j(M, k)),
            (0, _) => pair.r2,
            (1, _) => {
                let h = F::from_f64(self.numbers[H].unwrap_or(0.0));
                of_j(M, k).mul(pair.c.sub(pair.r)).sub(of_i(M, k).mul(h))
            }
            (3, _) => of_j(S, k).mul(of_j(N, k)),
            (5, _) => {
                let zero = F::default();
                let (is_heavy, is_after) = (of_j(M, 0) > zero, pair.d[0] < zero);
                let x = quotient(pair.r, pair.c);
                let table = self.table.as_ref().map_or(zero, |table| table.at(x));
                let pi = F::from_f64(std::f64::consts::PI);
                table.mul(if is_heavy && !is_after { pair.d[0] } else { pi })
            }
            (8, _) => of_j(M, k).mul(pair.c.sub(pair.r)),
            (9, 0) => pair.x[0][k].sub(pair.x[1][k]).mul(of_j(M, 0)),
            (10, _) => dot(pair.dim, |axis| of_j(O, axis).sub(pair.x[1][axis]), |axis| pair.d[axis]),
            (6, _) => of_i(V, 0).mul(of_j(M, 0)).sub(of_i(V, 1).mul(pair.r)),
            (_, 0) => of_i(V, k).sub(of_j(V, k)).mul(of_j(M, k)),
            _ => dot(pair.dim, |axis| of_j(V, axis), |axis| pair.d[axis]),
        }
    }
}

/// A text that is one; every other time one of those about pairs, which read more.
pub fn text_of(any: usize) -> usize {
    match any % 2 {
        0 => any / 2 % (TEXTS.len() - 1),
        _ => OF_PAIRS + any / 2 % (TEXTS.len() - 1 - OF_PAIRS),
    }
}

/// A rounded quotient: that of real64 has more than twice the digits of real32.
fn quotient<F: Real>(a: F, b: F) -> F {
    F::from_f64(a.to_f64() / b.to_f64())
}

impl Table {
    /// Its value at `x`, which is not negative.
    fn at<F: Real>(&self, x: F) -> F {
        let steps = self.values.len() - 1;
        let place = x.mul(F::from_f64(steps as f64 / self.last));
        let is_inside = x < F::from_f64(self.last) && place < F::from_f64(steps as f64);
        let place = if is_inside { place.to_f64() } else { steps as f64 };
        let (k, t) = (place as usize, F::from_f64(place.fract()));
        let y = F::from_f64(self.values[k]);
        if t == F::default() {
            return y;
        }
        if self.cubic {
            let [a, b, c] = self.polynomial(k).map(F::from_f64);
            return y.add(t.mul(a.add(t.mul(b.add(t.mul(c))))));
        }
        let z = F::from_f64(self.values[k + 1]);
        let step = z.sub(y);
        match step.is_finite() {
            true => y.add(t.mul(step)),
            false => y.mul(F::from_f64(1.0).sub(t)).add(z.mul(t)),
        }
    }

    /// The spline from value `k` on, by the slopes of all values: from the first to the last each by the one after it, and then
    /// from the last down.
    fn polynomial(&self, k: usize) -> [f64; 3] {
        let d: Vec<f64> = self.values.windows(2).map(|two| two[1] - two[0]).collect();
        let last = d.len();
        let (mut slope, mut factor) = (vec![(5.0 * d[0] + d[1]) / 2.0], vec![2.0]);
        for k in 1..last {
            let pivot = 4.0 - factor[k - 1];
            slope.push((3.0 * (d[k - 1] + d[k]) - slope[k - 1]) / pivot);
            factor.push(1.0 / pivot);
        }
        let end = (5.0 * d[last - 1] + d[last - 2]) / 2.0;
        slope.push((end - 2.0 * slope[last - 1]) / (1.0 - 2.0 * factor[last - 1]));
        for k in (0..last).rev() {
            slope[k] -= factor[k] * slope[k + 1];
        }
        let (begin, end) = (d[k] - slope[k], slope[k + 1] - d[k]);
        [slope[k], begin - (end - begin), end - begin]
    }
}

impl Model {
    /// The class of a pair of points.
    fn class(&self, are_points: bool, (i, j, shift): (usize, usize, [i32; 3])) -> f64 {
        let is_one = |exclusions: &Exclusions| !exclusions.by_shift || shift == [0; 3];
        if are_points && self.exclusions.as_ref().is_some_and(is_one) && self.excludes(i, j) {
            2.0
        } else {
            0.0
        }
    }

    /// The reasons why a run finds no rows.
    pub fn check_run(&self, checks: &mut Checks, kind: Kind) {
        match self.cell {
            Some(_) => self.check_cell(checks, kind),
            None => self.check_search(checks, kind, true),
        }
    }

    /// The rows of a run: in a cell those of images.
    fn rows_of_run(&self, kind: Kind) -> Vec<Vec<Entry>> {
        match self.cell {
            Some(_) => self.images(kind),
            None => {
                let rows = self.rows(kind).into_iter();
                rows.map(|row| row.into_iter().map(|j| (j, [0; 3])).collect()).collect()
            }
        }
    }
}

/// The built-in names.
pub struct Pair<F> {
    i: usize,
    j: usize,
    shift: [i32; 3],
    dim: usize,
    /// The places of `i` and `j`.
    x: [[F; 3]; 2],
    pub d: [F; 3],
    r2: F,
    pub r: F,
    c: F,
}

impl<F: Real> Pair<F> {
    pub fn new<T: Real>(
        (cloud, cell): (&Cloud<T>, Option<Cell>),
        reach: &Reach<T>,
        (i, j, shift): (usize, usize, [i32; 3]),
    ) -> Pair<F> {
        let coords = |point: usize| {
            [0, 1, 2].map(|axis| match axis < cloud.dim {
                true => cloud.wrapped(point, axis),
                false => T::default(),
            })
        };
        let (here, image) = (coords(i), cell.map_or(coords(j), |cell| cell.image(coords(j), shift)));
        let mut d = [F::default(); 3];
        for (axis, d) in d.iter_mut().enumerate().take(cloud.dim) {
            let along = match cell {
                Some(_) => here[axis].sub(image[axis]),
                None => cloud.displacement(i, j, axis),
            };
            *d = F::from_f64(along.to_f64());
        }
        let r2 = dot(cloud.dim, |axis| d[axis], |axis| d[axis]);
        let at = |point: [T; 3]| point.map(|x| F::from_f64(x.to_f64()));
        Pair {
            i,
            j,
            shift,
            dim: cloud.dim,
            x: [at(here), at(coords(j))],
            d,
            r2,
            r: r2.sqrt(),
            c: F::from_f64(reach.cutoff(i, j).to_f64()),
        }
    }
}

fn dot<F: Real>(dim: usize, a: impl Fn(usize) -> F, b: impl Fn(usize) -> F) -> F {
    (1..dim).fold(a(0).mul(b(0)), |sum, axis| sum.add(a(axis).mul(b(axis))))
}

/// Terms of an output, joined in their order.
fn joined<F: Real>(name: &CStr, terms: impl Iterator<Item = F>) -> F {
    match name.to_bytes() {
        b"far" | b"p" | b"l" => terms.fold(F::NEG_INFINITY, |most, term| [most, term][usize::from(most < term)]),
        b"near" => terms.fold(F::INFINITY, |least, term| [least, term][usize::from(term < least)]),
        _ => terms.fold(F::default(), |sum, term| sum.add(term)),
    }
}
