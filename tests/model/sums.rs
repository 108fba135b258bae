//! Sums by formulas, from scratch: plain loops over the rows of the model.

use std::ffi::CStr;

use neargrid::Real;

use super::draw::Draw;
use super::model::{BAD_COUNT, BAD_DIM, BAD_STATE, BAD_VALUE, Checks, Kind, Model, rounded};
use super::truth::{Cloud, Reach};

/// The parts of formulas; the last is none.
pub const TEXTS: [&CStr; 6] = [
    c"n += 1; far max= r2; near min= r2",
    c"s += m_j*(c - r) - m_i*h",
    c"f += (v_i - v_j)*m_j\n p max= dot(v_j, d)",
    c"k += W(r/c)*select(d.x, pi, m_j > 0 and not d.x < 0)",
    c"l max= cross(v_i, vector(r, m_j))",
    c"s += m_j *",
];

/// The fields that there are, and a name that no formula has.
pub const FIELDS: [&CStr; 3] = [c"m", c"v", c"x"];

/// The outputs of each text.
const OUTPUTS: [&[&CStr]; 6] = [&[c"n", c"far", c"near"], &[c"s"], &[c"f", c"p"], &[c"k"], &[c"l"], &[]];

/// The output of that number, or a name that no formula has.
pub fn output_of(text: usize, number: usize) -> &'static CStr {
    OUTPUTS[text].get(number).copied().unwrap_or(c"none")
}

/// Values for each point or query.
#[derive(Clone, Debug)]
pub struct Field {
    pub components: usize,
    pub values: Vec<f64>,
}

/// A table from 0 on.
#[derive(Clone, Debug)]
pub struct Table {
    pub cubic: bool,
    pub last: f64,
    pub values: Vec<f64>,
}

/// An output: numbers of a row, and those of all rows.
#[derive(Clone, Debug)]
pub struct Output {
    pub width: usize,
    pub values: Vec<f64>,
}

/// The inputs of a formula, and its outputs.
#[derive(Clone, Debug, Default)]
pub struct Formula {
    pub text: usize,
    pub double: bool,
    pub with_self: bool,
    /// `m` and `v`, of points and of queries.
    pub fields: [[Option<Field>; 2]; 2],
    pub h: Option<f64>,
    pub table: Option<Table>,
    /// Of the last sum, and whether it was in double precision.
    pub outputs: Option<(bool, Vec<Output>)>,
}

/// Values by a seed.
pub fn values(seed: u64, len: usize, single: bool) -> Vec<f64> {
    let mut draw = Draw::seeded(seed);
    let mut one = || rounded(single, draw.pick(&[1.0, 0.5, 1e-3, -1.0]) * draw.unit());
    (0..len).map(|_| one()).collect()
}

impl Formula {
    /// Whether it reads the field.
    pub fn reads(&self, field: usize) -> bool {
        matches!((self.text, field), (1..=4, 0) | (2 | 4, 1))
    }

    pub fn has_constant(&self) -> bool {
        self.text == 1
    }

    /// Whether it reads a table, of r/c.
    pub fn has_table(&self) -> bool {
        self.text == 3
    }

    /// The field as a row's point or a neighbor has it.
    fn field(&self, field: usize, of_queries: bool) -> Option<&Field> {
        self.fields[field][usize::from(of_queries)].as_ref()
    }

    /// The reasons why a sum over rows of a kind has no outputs, beside those why the rows are not found.
    pub fn check(&self, checks: &mut Checks, model: &Model, kind: Kind) {
        let of_queries = kind == Kind::Queries;
        checks.must(of_queries && self.with_self, BAD_VALUE);
        checks.must(self.has_constant() && self.h.is_none(), BAD_STATE);
        checks.must(self.has_table() && self.table.is_none(), BAD_STATE);
        let Some(dim) = model.dim else { return };
        let counts = [model.n(), model.nqueries()];
        let read = |field: usize| match (self.text, field) {
            (1, 0) | (2, 1) => vec![of_queries, false],
            (2..=4, 0) => vec![false],
            (4, 1) => vec![of_queries],
            _ => vec![],
        };
        for field in 0..2 {
            for of in read(field) {
                let Some(given) = self.field(field, of) else {
                    checks.must(true, BAD_STATE);
                    continue;
                };
                let components = given.components;
                checks.must(components != 1 && components != dim, BAD_DIM);
                checks.must(given.values.len() != components * counts[usize::from(of)], BAD_COUNT);
            }
            let widths: Vec<usize> = read(field)
                .iter()
                .filter_map(|&of| Some(self.field(field, of)?.components))
                .collect();
            checks.must(widths.windows(2).any(|two| two[0] != two[1]), BAD_VALUE);
            // A vector where a number belongs, and the other way round.
            let is_wrong = |&width: &usize| (width > 1) == (field == 0) && dim > 1;
            checks.must(self.text >= 2 && widths.iter().any(is_wrong), BAD_VALUE);
        }
        // A vector of two numbers.
        checks.must(self.text == 4 && dim != 2, BAD_VALUE);
    }

    /// The outputs of rows of a kind.
    pub fn sum(&self, model: &Model, kind: Kind) -> Vec<Output> {
        match (model.single, self.double) {
            (true, false) => self.sum_in::<f32, f32>(model, kind),
            (true, true) => self.sum_in::<f32, f64>(model, kind),
            (false, false) => self.sum_in::<f64, f32>(model, kind),
            (false, true) => self.sum_in::<f64, f64>(model, kind),
        }
    }

    fn sum_in<T: Real, F: Real>(&self, model: &Model, kind: Kind) -> Vec<Output> {
        let (cloud, reach) = (model.cloud::<T>(), model.reach::<T>(kind));
        let first = if kind == Kind::Queries { model.n() } else { 0 };
        let width = match self.text {
            1 => self.field(0, false).map_or(1, |field| field.components),
            2 => cloud.dim,
            _ => 1,
        };
        let widths: &[usize] = match self.text {
            0 => &[1, 1, 1],
            2 => &[width, 1],
            _ => &[width],
        };
        let mut outputs: Vec<Output> = widths
            .iter()
            .map(|&width| Output {
                width,
                values: Vec::new(),
            })
            .collect();
        for (row, mut js) in model.rows(kind).into_iter().enumerate() {
            let i = first + row;
            if self.with_self {
                let at = js.partition_point(|&j| model.rank(j) < model.rank(i));
                js.insert(at, i);
            }
            let pairs: Vec<Pair<F>> = js.iter().map(|&j| Pair::new(&cloud, &reach, [i, j])).collect();
            for (number, output) in outputs.iter_mut().enumerate() {
                for k in 0..output.width {
                    let terms = pairs.iter().map(|pair| self.term(number, k, pair, first));
                    output.values.push(joined(OUTPUTS[self.text][number], terms).to_f64());
                }
            }
        }
        outputs
    }

    /// Component `k` of a term. Rows begin with point `first`.
    fn term<F: Real>(&self, output: usize, k: usize, pair: &Pair<F>, first: usize) -> F {
        let value = |field: usize, of_queries: bool, point: usize, k: usize| {
            let field = self.field(field, of_queries).expect("a field that was checked");
            F::from_f64(field.values[point * field.components + k % field.components])
        };
        let of_i = |field: usize, k: usize| value(field, first > 0, pair.i - first, k);
        let of_j = |field: usize, k: usize| value(field, false, pair.j, k);
        match (self.text, output) {
            (0, 0) => F::from_f64(1.0),
            (0, _) => pair.r2,
            (1, _) => {
                let h = F::from_f64(self.h.unwrap_or(0.0));
                of_j(0, k).mul(pair.c.sub(pair.r)).sub(of_i(0, k).mul(h))
            }
            (3, _) => {
                let zero = F::default();
                let (is_heavy, is_after) = (of_j(0, 0) > zero, pair.d[0] < zero);
                let x = quotient(pair.r, pair.c);
                let table = self.table.as_ref().map_or(zero, |table| table.at(x));
                let pi = F::from_f64(std::f64::consts::PI);
                table.mul(if is_heavy && !is_after { pair.d[0] } else { pi })
            }
            (4, _) => of_i(1, 0).mul(of_j(0, 0)).sub(of_i(1, 1).mul(pair.r)),
            (_, 0) => of_i(1, k).sub(of_j(1, k)).mul(of_j(0, k)),
            _ => dot(pair.dim, |axis| of_j(1, axis), |axis| pair.d[axis]),
        }
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

/// The built-in names.
struct Pair<F> {
    i: usize,
    j: usize,
    dim: usize,
    d: [F; 3],
    r2: F,
    r: F,
    c: F,
}

impl<F: Real> Pair<F> {
    fn new<T: Real>(cloud: &Cloud<T>, reach: &Reach<T>, [i, j]: [usize; 2]) -> Pair<F> {
        let mut d = [F::default(); 3];
        for (axis, d) in d.iter_mut().enumerate().take(cloud.dim) {
            *d = F::from_f64(cloud.displacement(i, j, axis).to_f64());
        }
        let r2 = dot(cloud.dim, |axis| d[axis], |axis| d[axis]);
        Pair {
            i,
            j,
            dim: cloud.dim,
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
