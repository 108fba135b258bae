//! A formula done by plain loops: one statement after the other, each for all rows or points. It has a reader of texts of its own.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::rc::Rc;

use neargrid::{Formula, Precision, RadiusRule, Real, Search, SumPrecision, oracle};

use super::Setting;
use crate::functions::steps::{self, Float};
use crate::sum::tables::{wanted_cubic, wanted_linear};

/// A precision.
pub trait Width: Precision + Float + Debug {
    const PRECISION: SumPrecision;
    fn read(text: &str) -> Self;
    fn is_same(self, other: Self) -> bool;
}

macro_rules! width {
    ($type:ident, $precision:ident) => {
        impl Width for $type {
            const PRECISION: SumPrecision = SumPrecision::$precision;
            fn read(text: &str) -> $type {
                text.parse().unwrap()
            }
            fn is_same(self, other: $type) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }
        }
    };
}
width!(f32, Single);
width!(f64, Double);

/// A table, from a first argument to a last one. A cubic one has polynomials, too.
#[derive(Clone)]
pub struct Curve {
    pub range: [f64; 2],
    pub values: Vec<f64>,
    pub spline: Vec<[f64; 4]>,
}

/// An expression.
#[derive(Clone, Debug)]
enum Tree {
    Literal(String),
    Name(String),
    Call(String, Vec<Tree>),
}

/// Values of points; real32 ones are real64 numbers here.
#[derive(Clone, Debug)]
struct Column {
    values: Vec<f64>,
    width: usize,
    is_single: bool,
}

/// Values of all ordered pairs, zero where a pair has none.
#[derive(Clone, Debug)]
struct Table {
    values: Vec<[f64; 3]>,
    width: usize,
    /// The rows in which pairs got their values.
    rows: Vec<Vec<usize>>,
    is_single: bool,
}

/// The state of all arrays and numbers.
#[derive(Clone)]
pub struct Plain<T> {
    setting: Setting,
    coords: Vec<T>,
    fields: BTreeMap<String, Column>,
    pairs: BTreeMap<String, Table>,
    pub numbers: BTreeMap<String, f64>,
    pub curves: BTreeMap<&'static str, Curve>,
    /// Expressions, with the state in which they have their values.
    temporaries: BTreeMap<String, (Tree, Rc<Plain<T>>)>,
}

/// A pair, or a point, or neither.
type Place = (Option<usize>, Option<usize>);

impl<T: Width> Plain<T> {
    pub fn new(setting: &Setting, coords: &[T]) -> Plain<T> {
        let mut plain = Plain {
            setting: setting.clone(),
            coords: coords.to_vec(),
            fields: BTreeMap::new(),
            pairs: BTreeMap::new(),
            numbers: BTreeMap::new(),
            curves: BTreeMap::new(),
            temporaries: BTreeMap::new(),
        };
        plain.wrap();
        plain
    }

    fn points(&self) -> usize {
        self.coords.len() / self.setting.dim
    }

    fn wrap(&mut self) {
        let dim = self.setting.dim;
        for (k, x) in self.coords.iter_mut().enumerate() {
            if let Some([lo, length]) = self.setting.periods[k % dim] {
                *x = oracle::wrapped(*x, T::from_f64(lo), T::from_f64(length));
            }
        }
    }

    pub fn set(&mut self, name: &str, values: &[f64], width: usize, is_single: bool) {
        let values = values.to_vec();
        self.fields.insert(
            name.to_owned(),
            Column {
                values,
                width,
                is_single,
            },
        );
    }

    /// A pair field that is zero for all pairs; of vectors, if asked for.
    pub fn begin_pair_field(&mut self, name: &str, is_vector: bool) {
        let n = self.points();
        let table = Table {
            values: vec![[0.0; 3]; n * n],
            width: if is_vector { self.setting.dim } else { 1 },
            rows: vec![Vec::new(); n],
            is_single: false,
        };
        self.pairs.insert(name.to_owned(), table);
    }

    /// Gives the entries of rows `width` values each.
    pub fn set_pair_field(&mut self, name: &str, rows: &[Vec<usize>], values: &[f64], width: usize, is_single: bool) {
        self.begin_pair_field(name, width > 1);
        let (n, mut next) = (self.points(), values.chunks_exact(width));
        let table = self.pairs.get_mut(name).unwrap();
        (table.rows, table.width, table.is_single) = (rows.to_vec(), width, is_single);
        for (i, row) in rows.iter().enumerate() {
            for &j in row {
                let value = next.next().unwrap();
                table.values[i * n + j] = std::array::from_fn(|k| value[k.min(width - 1)]);
            }
        }
    }

    /// Does all statements once, in precision `F` where nothing else says in which.
    pub fn run<F: Width>(&mut self, text: &str) {
        self.temporaries.clear();
        for statement in statements(text) {
            self.statement::<F>(&statement);
        }
        self.temporaries.clear();
    }

    fn statement<F: Width>(&mut self, (name, sign, tree): &(String, String, Tree)) {
        let points: Vec<Place> = (0..self.points()).map(|i| (Some(i), None)).collect();
        if let Some(name) = name.strip_suffix("_ij") {
            let (rows, width) = (self.setting.rows(&self.coords), self.pairs[name].width);
            let mut values = Vec::new();
            for (i, row) in rows.iter().enumerate() {
                for &j in row {
                    let value = self.value::<F>(tree, (Some(i), Some(j))).0;
                    values.extend(value[..width].iter().map(|number| number.to_f64()));
                }
            }
            return self.set_pair_field(name, &rows, &values, width, F::NAME == "real32");
        }
        match (&sign[..], name.strip_suffix("_i")) {
            ("=", Some("x")) => {
                let dim = self.setting.dim;
                let moved = points
                    .iter()
                    .flat_map(|&place| self.value::<T>(tree, place).0[..dim].to_vec());
                self.coords = moved.collect();
                self.wrap();
            }
            ("=", Some(name)) => {
                let is_single = self
                    .fields
                    .get(name)
                    .map_or(F::NAME == "real32", |column| column.is_single);
                let column = match is_single {
                    true => self.column::<f32>(&points, |plain, place| plain.value::<f32>(tree, place)),
                    false => self.column::<f64>(&points, |plain, place| plain.value::<f64>(tree, place)),
                };
                self.fields.insert(name.to_owned(), column);
            }
            ("=", None) => {
                let then = Rc::new(self.clone());
                self.temporaries.insert(name.clone(), (tree.clone(), then));
            }
            (":=", _) => {
                let value = self.value::<f64>(tree, (None, None)).0[0];
                self.numbers.insert(name.clone(), value);
            }
            (sign, _) if sign.starts_with("all") => {
                let active = self.setting.active.unwrap_or(points.len());
                let terms: Vec<f64> = (points[..active].iter())
                    .map(|&place| self.value::<F>(tree, place).0[0].to_f64())
                    .collect();
                let value = match sign {
                    "all+=" => exact_sum(&terms),
                    "allmax=" => terms.iter().fold(f64::NEG_INFINITY, |most, &term| {
                        [most, term][usize::from(comes_before(most, term))]
                    }),
                    _ => terms.iter().fold(f64::INFINITY, |least, &term| {
                        [least, term][usize::from(comes_before(term, least))]
                    }),
                };
                self.numbers.insert(name.clone(), value);
            }
            (sign, _) => {
                let rows = self.setting.rows(&self.coords);
                let column = self.column::<F>(&points, |plain, (i, _)| {
                    let i = i.unwrap();
                    let first = match sign {
                        "+=" => F::default(),
                        "max=" => F::NEG_INFINITY,
                        _ => F::INFINITY,
                    };
                    let is_vector = plain.is_vector(tree);
                    let mut sum = ([first; 3], is_vector);
                    for &j in &rows[i] {
                        let term = plain.value::<F>(tree, (Some(i), Some(j))).0;
                        for (sum, term) in sum.0.iter_mut().zip(term) {
                            *sum = match sign {
                                "+=" => *sum + term,
                                "max=" => [*sum, term][usize::from(*sum < term)],
                                _ => [*sum, term][usize::from(term < *sum)],
                            };
                        }
                    }
                    sum
                });
                self.fields.insert(name.clone(), column);
            }
        }
    }

    fn column<F: Width>(&self, points: &[Place], value: impl Fn(&Plain<T>, Place) -> ([F; 3], bool)) -> Column {
        let (mut values, mut width) = (Vec::new(), 1);
        for &place in points {
            let (numbers, is_vector) = value(self, place);
            width = if is_vector { self.setting.dim } else { 1 };
            values.extend(numbers[..width].iter().map(|number| number.to_f64()));
        }
        Column {
            values,
            width,
            is_single: F::NAME == "real32",
        }
    }

    /// Whether an expression is a vector of more than one number.
    fn is_vector(&self, tree: &Tree) -> bool {
        let of_pairs = |name: &str| self.pairs[name].width > 1;
        let of_name = |name: &str| match name.strip_suffix("_i").or(name.strip_suffix("_j")) {
            _ if name == "d" => true,
            _ if name.ends_with("_ij") => of_pairs(&name[..name.len() - 3]),
            Some("x") => true,
            Some(field) => self.fields[field].width > 1,
            None => self
                .temporaries
                .get(name)
                .is_some_and(|(tree, then)| then.is_vector(tree)),
        };
        self.setting.dim > 1
            && match tree {
                Tree::Literal(_) => false,
                Tree::Name(name) => of_name(name),
                Tree::Call(name, of) => match &name[..] {
                    "dot" | "<" | "<=" | ">" | ">=" | "==" | "!=" | "and" | "or" | "not" | ".x" | ".y" | ".z" => false,
                    "select" => self.is_vector(&of[0]),
                    "cross" => self.setting.dim == 3,
                    "vector" => true,
                    _ => of.iter().any(|tree| self.is_vector(tree)),
                },
            }
    }

    /// The value of an expression, and whether it is a vector; a number is three equal ones.
    fn value<F: Width>(&self, tree: &Tree, place: Place) -> ([F; 3], bool) {
        let dim = self.setting.dim;
        match tree {
            Tree::Literal(text) => ([F::read(&text.replace('d', "e")); 3], false),
            Tree::Name(name) => self.named(name, place),
            Tree::Call(name, of) => {
                let values: Vec<_> = of.iter().map(|tree| self.value::<F>(tree, place)).collect();
                let is_vector = self.is_vector(tree);
                let [a, b] = [0, 1].map(|k| values.get(k).map_or([F::default(); 3], |value| value.0));
                let each = |f: &dyn Fn(F, F) -> F| std::array::from_fn(|axis| f(a[axis], b[axis]));
                let zero = F::default();
                let truth = |holds: bool| if holds { F::read("1") } else { zero };
                let made = match &name[..] {
                    "+" => each(&|a, b| a + b),
                    "-" if of.len() == 1 => each(&|a, _| -a),
                    "-" => each(&|a, b| a - b),
                    "*" => each(&|a, b| a * b),
                    "/" => each(&|a, b| a / b),
                    "min" => each(&|a, b| if b < a { b } else { a }),
                    "max" => each(&|a, b| if a < b { b } else { a }),
                    "abs" => each(&|a, _| F::from_f64(a.to_f64().abs())),
                    "sqrt" => each(&|a, _| Real::sqrt(a)),
                    "floor" => each(&|a, _| Float::floor(a)),
                    "sign" => each(&|a, _| match a.partial_cmp(&zero) {
                        Some(Ordering::Greater) => truth(true),
                        Some(Ordering::Less) => -truth(true),
                        _ => a,
                    }),
                    "exp" => each(&|a, _| steps::exp(a)),
                    "log" => each(&|a, _| steps::log(a)),
                    "sin" => each(&|a, _| steps::sin(a)),
                    "cos" => each(&|a, _| steps::cos(a)),
                    "tan" => each(&|a, _| steps::tan(a)),
                    "tanh" => each(&|a, _| steps::tanh(a)),
                    "erf" => each(&|a, _| steps::erf(a)),
                    "erfc" => each(&|a, _| steps::erfc(a)),
                    "atan2" => each(&|a, b| steps::atan2(a, b)),
                    ".x" | ".y" | ".z" => [a[usize::from(name.as_bytes()[1] - b'x')]; 3],
                    "vector" => std::array::from_fn(|axis| values.get(axis).map_or(zero, |value| value.0[0])),
                    "cross" => {
                        let [x, y, z] = [[1, 2], [2, 0], [0, 1]].map(|[k, l]| a[k] * b[l] - a[l] * b[k]);
                        if dim == 2 { [z; 3] } else { [x, y, z] }
                    }
                    "and" => [truth(a[0] != zero && b[0] != zero); 3],
                    "or" => [truth(a[0] != zero || b[0] != zero); 3],
                    "not" => [truth(a[0] == zero); 3],
                    "dot" => [(1..dim).fold(a[0] * b[0], |sum, axis| sum + a[axis] * b[axis]); 3],
                    "<" => each(&|a, b| truth(a < b)),
                    "<=" => each(&|a, b| truth(a <= b)),
                    ">" => each(&|a, b| truth(a > b)),
                    ">=" => each(&|a, b| truth(a >= b)),
                    "==" => each(&|a, b| truth(a == b)),
                    "!=" => each(&|a, b| truth(a != b)),
                    "select" => [b, a][usize::from(values[2].0[0] != F::default())],
                    "^" | "pow" => match whole(&of[1]) {
                        Some(exponent) => a.map(|x| whole_power(x, exponent)),
                        None => each(&|a, b| steps::pow(a, b)),
                    },
                    other => {
                        let curve = &self.curves[other];
                        let value = match &curve.spline[..] {
                            [] => wanted_linear(curve.range, &curve.values, a[0]),
                            spline => wanted_cubic(curve.range, spline, a[0]),
                        };
                        [value; 3]
                    }
                };
                (made, is_vector)
            }
        }
    }

    fn named<F: Width>(&self, name: &str, (i, j): Place) -> ([F; 3], bool) {
        let dim = self.setting.dim;
        if let Some((tree, then)) = self.temporaries.get(name) {
            return then.value(tree, (i, j));
        }
        let of_field = |field: &str, point: usize| {
            if field == "x" {
                let x = |axis: usize| self.coords[point * dim + axis.min(dim - 1)];
                return (std::array::from_fn(|axis| F::from_f64(x(axis).to_f64())), dim > 1);
            }
            let column = &self.fields[field];
            let at = |k: usize| column.values[point * column.width + k.min(column.width - 1)];
            (std::array::from_fn(|k| F::from_f64(at(k))), column.width > 1)
        };
        if let Some(field) = name.strip_suffix("_ij") {
            let (table, n) = (&self.pairs[field], self.points());
            return (
                table.values[i.unwrap() * n + j.unwrap()].map(F::from_f64),
                table.width > 1,
            );
        }
        if let Some(field) = name.strip_suffix("_i") {
            return of_field(field, i.unwrap());
        }
        if let Some(field) = name.strip_suffix("_j") {
            return of_field(field, j.unwrap());
        }
        let displacement = || {
            let mut d = [F::default(); 3];
            for (axis, d) in d.iter_mut().enumerate().take(dim) {
                *d = F::from_f64(self.displacement(axis, i.unwrap(), j.unwrap()).to_f64());
            }
            d
        };
        let square = |d: [F; 3]| (1..dim).fold(d[0] * d[0], |sum, axis| sum + d[axis] * d[axis]);
        match name {
            "d" => (displacement(), dim > 1),
            "r2" => ([square(displacement()); 3], false),
            "r" => ([Real::sqrt(square(displacement())); 3], false),
            "c" => ([F::from_f64(self.cutoff(i.unwrap(), j.unwrap()).to_f64()); 3], false),
            "pi" => ([F::read("3.14159265358979323846264338327950288"); 3], false),
            _ => ([F::from_f64(self.numbers[name]); 3], false),
        }
    }

    fn cutoff(&self, i: usize, j: usize) -> T {
        let radii = &self.setting.radii;
        if radii.is_empty() {
            return T::from_f64(self.setting.cutoff);
        }
        let (mine, other) = (T::from_f64(radii[i]), T::from_f64(radii[j]));
        match self.setting.rule {
            RadiusRule::Gather => mine,
            RadiusRule::Scatter => other,
            RadiusRule::Max => [mine, other][usize::from(other > mine)],
            RadiusRule::Min => [mine, other][usize::from(other < mine)],
            RadiusRule::Mean => Real::add(mine, other) * T::from_f64(0.5),
        }
    }

    fn displacement(&self, axis: usize, i: usize, j: usize) -> T {
        let x = |point: usize| self.coords[point * self.setting.dim + axis];
        let d = Real::sub(x(i), x(j));
        let Some([_, length]) = self.setting.periods[axis] else {
            return d;
        };
        let (length, half) = (T::from_f64(length), T::from_f64(length) * T::from_f64(0.5));
        if d > half {
            Real::sub(d, length)
        } else if d < -half {
            Real::add(d, length)
        } else {
            d
        }
    }

    /// Compares all fields, numbers and positions.
    pub fn compare<P: Width>(&self, search: &mut Search, formula: &Formula, about: &str) {
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        let compare = |name: &str, found: Vec<f64>, wanted: &[f64]| {
            assert_eq!(found.len(), wanted.len(), "{name}: {about}");
            let wrong = (0..found.len()).find(|&k| !same(found[k], wanted[k]));
            let shown = wrong.map(|k| (k, found[k], wanted[k]));
            assert_eq!(shown, None, "{name}: place, found, wanted: {about}");
        };
        for (name, column) in &self.fields {
            assert_eq!(
                search.field_size(name).unwrap(),
                [column.width, self.points()],
                "{name}: {about}"
            );
            let found = match column.is_single {
                true => (search.field::<f32>(name).unwrap().iter()).map(|&x| x.into()).collect(),
                false => search.field::<f64>(name).unwrap().to_vec(),
            };
            compare(name, found, &column.values);
        }
        for (name, table) in &self.pairs {
            let found = match search.pair_field::<f64>(name) {
                Ok(found) => found,
                Err(_) if table.rows.iter().all(Vec::is_empty) => continue, // no run has made it
                Err(error) => panic!("{error}: {about}"),
            };
            let ids: Vec<i32> = table.rows.iter().flatten().map(|&j| j as i32).collect();
            assert_eq!((&found.ids, found.components), (&ids, table.width), "{name}: {about}");
            let lengths: Vec<usize> = found.offsets.windows(2).map(|two| (two[1] - two[0]) as usize).collect();
            let wanted: Vec<usize> = table.rows.iter().map(Vec::len).collect();
            assert_eq!(lengths, wanted, "{name}: {about}");
            let n = self.points();
            let rows = table.rows.iter().enumerate();
            let entries = rows.flat_map(|(i, row)| row.iter().map(move |&j| i * n + j));
            let values = entries.flat_map(|at| table.values[at][..table.width].to_vec());
            compare(name, found.values, &values.collect::<Vec<f64>>());
        }
        for (name, &value) in &self.numbers {
            compare(name, vec![formula.number(name).unwrap()], &[value]);
        }
        let wanted: Vec<f64> = self.coords.iter().map(|x| x.to_f64()).collect();
        compare(
            "x",
            search.field_as::<P>("x").unwrap().iter().map(|x| x.to_f64()).collect(),
            &wanted,
        );
    }
}

/// The order of numbers in which -0 is before 0.
fn comes_before(a: f64, b: f64) -> bool {
    a < b || a == b && a.is_sign_negative() && !b.is_sign_negative()
}

/// The sum of terms, rounded once: partial sums that do not overlap (Shewchuk 1997), and the last rounding to even.
fn exact_sum(terms: &[f64]) -> f64 {
    if terms.iter().any(|term| !term.is_finite()) {
        return terms.iter().filter(|term| !term.is_finite()).sum();
    }
    let mut partials: Vec<f64> = Vec::new();
    for &term in terms {
        let (mut x, mut kept) = (term, Vec::new());
        for &partial in &partials {
            let (big, small) = if x.abs() < partial.abs() {
                (partial, x)
            } else {
                (x, partial)
            };
            let sum = big + small;
            let rest = small - (sum - big);
            if rest != 0.0 {
                kept.push(rest);
            }
            x = sum;
        }
        kept.push(x);
        partials = kept;
    }
    let Some(mut sum) = partials.pop() else { return 0.0 };
    while let Some(next) = partials.pop() {
        let before = sum;
        sum = before + next;
        let rest = next - (sum - before);
        if rest != 0.0 {
            // Half way between two numbers: what is left decides.
            let same_sign = partials
                .last()
                .is_some_and(|last| (*last < 0.0) == (rest < 0.0) && *last != 0.0);
            if same_sign && sum + 2.0 * rest - sum == 2.0 * rest {
                sum += 2.0 * rest;
            }
            break;
        }
    }
    sum + 0.0
}

/// By repeated squaring from the highest digit of the exponent down.
fn whole_power<F: Width>(x: F, n: i32) -> F {
    let (one, of) = (F::read("1"), n.unsigned_abs());
    if n == 0 {
        return one;
    }
    let power = (0..of.ilog2()).rev().fold(x, |power, digit| match of >> digit & 1 {
        1 => power * power * x,
        _ => power * power,
    });
    if n < 0 { one / power } else { power }
}

/// The whole number that an exponent is written as.
fn whole(exponent: &Tree) -> Option<i32> {
    match exponent {
        Tree::Literal(text) => text.parse().ok(),
        Tree::Call(minus, of) if minus == "-" && of.len() == 1 => whole(&of[0]).map(|number| -number),
        _ => None,
    }
}

/// The statements of a text: name, sign and expression. A line goes on where a parenthesis is open.
fn statements(text: &str) -> Vec<(String, String, Tree)> {
    let (mut lines, mut depth) = (vec![String::new()], 0);
    for line in text.lines() {
        let line = line.split('#').next().unwrap().split(" ! ").next().unwrap();
        for c in line.chars().chain(['\n']) {
            match c {
                ';' | '\n' if depth == 0 => lines.push(String::new()),
                _ => lines.last_mut().unwrap().push(c),
            }
            depth += i32::from(c == '(') - i32::from(c == ')');
        }
    }
    (lines.iter().map(|line| line.trim()))
        .filter(|line| !line.is_empty())
        .map(|line| {
            let (left, right) = split_sign(line);
            let (name, mark) = left.trim().split_at(
                left.trim()
                    .find(|c: char| !c.is_alphanumeric() && c != '_')
                    .unwrap_or(left.trim().len()),
            );
            let sign: String = mark.chars().filter(|c| !c.is_whitespace()).collect();
            let mut reader = Reader { rest: right };
            let tree = reader.expression(0);
            assert!(reader.rest.trim().is_empty(), "{line}");
            (name.to_owned(), sign + "=", tree)
        })
        .collect()
}

/// What is before the = that assigns, and what is after it.
fn split_sign(line: &str) -> (&str, &str) {
    let at = line.find('=').unwrap();
    (&line[..at], &line[at + 1..])
}

/// A reader of expressions.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn takes(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        let found = self.rest.starts_with(sign);
        if found {
            self.rest = &self.rest[sign.len()..];
        }
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        self.rest = self.rest.trim_start();
        let after = self.rest.strip_prefix(word);
        let after = after.filter(|after| !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn expression(&mut self, least: usize) -> Tree {
        const SIGNS: [(&str, usize); 14] = [
            ("or", 1),
            ("and", 2),
            ("<=", 4),
            (">=", 4),
            ("==", 4),
            ("!=", 4),
            ("<", 4),
            (">", 4),
            ("+", 5),
            ("-", 5),
            ("**", 7),
            ("*", 6),
            ("/", 6),
            ("^", 7),
        ];
        let prefix = |name: &str, of: Tree| Tree::Call(name.to_owned(), vec![of]);
        let mut left = if self.takes_word("not") {
            prefix("not", self.expression(3))
        } else if self.takes("-") {
            prefix("-", self.expression(least.max(6)))
        } else if self.takes("+") {
            self.expression(least.max(6))
        } else {
            self.operand()
        };
        loop {
            let found = SIGNS
                .iter()
                .find(|(sign, _)| match sign.starts_with(char::is_alphabetic) {
                    true => Reader { rest: self.rest }.takes_word(sign),
                    false => self.rest.trim_start().starts_with(sign),
                });
            let Some(&(sign, binds)) = found.filter(|(_, binds)| *binds >= least) else {
                return left;
            };
            self.takes(sign);
            let right = self.expression(if binds == 7 { 7 } else { binds + 1 });
            left = Tree::Call(if binds == 7 { "^" } else { sign }.to_owned(), vec![left, right]);
        }
    }

    /// An operand, and the components that are read of it.
    fn operand(&mut self) -> Tree {
        let mut of = self.whole_operand();
        while let Some(component) = [".x", ".y", ".z"]
            .into_iter()
            .find(|component| self.takes_word(component))
        {
            of = Tree::Call(component.to_owned(), vec![of]);
        }
        of
    }

    fn whole_operand(&mut self) -> Tree {
        if self.takes("(") {
            let inner = self.expression(0);
            assert!(self.takes(")"));
            return inner;
        }
        self.rest = self.rest.trim_start();
        let is_number = self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let mut end = 0;
        let bytes = self.rest.as_bytes();
        while end < bytes.len() {
            let c = bytes[end] as char;
            let is_exponent = is_number && end > 0 && matches!(c, '+' | '-') && bytes[end - 1] == b'e';
            if !(c.is_ascii_alphanumeric() || c == '_' || is_number && c == '.' || is_exponent) {
                break;
            }
            end += 1;
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if is_number {
            return Tree::Literal(word.to_owned());
        }
        if !self.takes("(") {
            return Tree::Name(word.to_owned());
        }
        let mut of = vec![self.expression(0)];
        while self.takes(",") {
            of.push(self.expression(0));
        }
        assert!(self.takes(")"));
        Tree::Call(word.to_owned(), of)
    }
}
