//! Sums by formulas, from scratch: plain loops over the rows of the model.

use std::ffi::CStr;

use neargrid::Real;

use super::draw::Draw;
use super::model::{BAD_COUNT, BAD_DIM, BAD_STATE, BAD_VALUE, Checks, Kind, Model, rounded};
use super::truth::{Cloud, Reach};

/// The parts of formulas; the last is none.
pub const TEXTS: [&CStr; 4] = [
    c"n += 1; far max= r2; near min= r2",
    c"s += m_j*(c - r) - m_i*h",
    c"f += (v_i - v_j)*m_j\n p max= dot(v_j, d)",
    c"s += m_j *",
];

/// The fields that there are, and a name that no formula has.
pub const FIELDS: [&CStr; 3] = [c"m", c"v", c"x"];

/// The outputs of each text.
const OUTPUTS: [&[&CStr]; 4] = [&[c"n", c"far", c"near"], &[c"s"], &[c"f", c"p"], &[]];

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
        matches!((self.text, field), (1 | 2, 0) | (2, 1))
    }

    pub fn has_constant(&self) -> bool {
        self.text == 1
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
        let Some(dim) = model.dim else { return };
        let counts = [model.n(), model.nqueries()];
        let read = |field: usize| match (self.text, field) {
            (1, 0) | (2, 1) => vec![of_queries, false],
            (2, 0) => vec![false],
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
            // A vector times a vector, and the dot product of a number.
            let is_wrong = |&width: &usize| (width > 1) == (field == 0) && dim > 1;
            checks.must(self.text == 2 && widths.iter().any(is_wrong), BAD_VALUE);
        }
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
            _ => cloud.dim,
        };
        let widths: &[usize] = match self.text {
            0 => &[1, 1, 1],
            1 => &[width],
            _ => &[width, 1],
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
            (_, 0) => of_i(1, k).sub(of_j(1, k)).mul(of_j(0, k)),
            _ => dot(pair.dim, |axis| of_j(1, axis), |axis| pair.d[axis]),
        }
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
        b"far" | b"p" => terms.fold(F::NEG_INFINITY, |most, term| [most, term][usize::from(most < term)]),
        b"near" => terms.fold(F::INFINITY, |least, term| [least, term][usize::from(term < least)]),
        _ => terms.fold(F::default(), |sum, term| sum.add(term)),
    }
}
