//! Formulas of many stages: bit for bit what plain loops make that do one statement after the other, over plain arrays. Rows are those of
//! another handle, whose own truth is tested elsewhere.

mod between;
mod failures;
mod names;
mod pair_fields;
pub mod plain;
mod random;
mod refusals;
mod stays;
mod steps;

use neargrid::{Formula, NeighborsKind, PointsView, Precision, RadiusRule, Search, TableOf};

use crate::common::Random;
use crate::sum::tables::polynomials;
use plain::{Curve, Plain, Width};

/// Everything that decides which rows there are.
#[derive(Clone, Debug)]
pub struct Setting {
    pub dim: usize,
    pub cutoff: f64,
    /// Lower corner and length of each axis that is periodic.
    pub periods: [Option<[f64; 2]>; 3],
    pub active: Option<usize>,
    pub types: Vec<i32>,
    pub ids: Vec<i64>,
    pub radii: Vec<f64>,
    pub rule: RadiusRule,
    pub kind: NeighborsKind,
    pub with_self: bool,
}

impl Setting {
    pub fn new(dim: usize, cutoff: f64) -> Setting {
        Setting {
            dim,
            cutoff,
            periods: [None; 3],
            active: None,
            types: Vec::new(),
            ids: Vec::new(),
            radii: Vec::new(),
            rule: RadiusRule::Max,
            kind: NeighborsKind::Full,
            with_self: false,
        }
    }

    /// A handle with these settings and points.
    fn search<T: Precision>(&self, coords: &[T]) -> Search {
        let mut search = Search::new().unwrap();
        search.set_cutoff(self.cutoff).unwrap();
        let [lo, length] = [0, 1].map(|k| self.periods.map(|period| period.map_or(k as f64, |period| period[k])));
        let dim = self.dim;
        search
            .set_box(
                &lo[..dim],
                &length[..dim],
                &self.periods.map(|period| period.is_some())[..dim],
            )
            .unwrap();
        search
            .set_points(&PointsView::interleaved(dim, coords).unwrap())
            .unwrap();
        if !self.types.is_empty() {
            search.set_types(&self.types, &[true, true, true, false]).unwrap();
        }
        if !self.ids.is_empty() {
            search.set_ids(&self.ids).unwrap();
        }
        if !self.radii.is_empty() {
            let radii: Vec<T> = self.radii.iter().map(|&radius| T::from_f64(radius)).collect();
            search.set_radii(&radii, self.rule).unwrap();
        }
        search.set_active(self.active.map(|active| active as i64)).unwrap();
        search
    }

    /// The rows of points, each with itself where it is asked for.
    fn rows<T: Precision>(&self, coords: &[T]) -> Vec<Vec<usize>> {
        let mut search = self.search(coords);
        let rows = search.neighbors(self.kind).unwrap();
        let ids = |at: usize| rows.ids[at] as usize;
        let mut all: Vec<Vec<usize>> = (rows.offsets.windows(2))
            .map(|row| (row[0] as usize..row[1] as usize).map(ids).collect())
            .collect();
        if self.with_self {
            let id = |i: usize| self.ids.get(i).copied().unwrap_or(i as i64);
            for (i, row) in all.iter_mut().enumerate() {
                let at = row.iter().position(|&j| id(j) > id(i)).unwrap_or(row.len());
                row.insert(at, i);
            }
        }
        all
    }
}

/// Runs a text here and there, and compares all that it makes. Returns the handle.
pub fn check<T: Width, F: Width>(setting: &Setting, coords: &[T], text: &str, times: usize, seed: u64) -> Search {
    let about = format!("seed {seed}, {} in {}, {setting:?}\n{text}", T::NAME, F::NAME);
    let (n, dim, mut random) = (coords.len() / setting.dim, setting.dim, Random(seed));
    let mut some = |numbers: usize| (0..numbers).map(|_| 2.0 * random.uniform() - 0.7).collect::<Vec<f64>>();
    let single = |values: &[f64]| values.iter().map(|&value| value as f32).collect::<Vec<f32>>();
    let (m, p, v, u, f) = (
        some(n),
        single(&some(n)),
        some(n * dim),
        single(&some(n * dim)),
        some(n * dim),
    );
    let mut search = setting.search(coords);
    search.set_threads(1 + (seed % 3) as i64).unwrap();
    let mut plain = Plain::new(setting, coords);
    for (name, values, width) in [("m", &m, 1), ("v", &v, dim), ("f", &f, dim)] {
        search.set_field(name, values, width).unwrap();
        plain.set(name, values, width, false);
    }
    for (name, values, width) in [("p", &p, 1), ("u", &u, dim)] {
        search.set_field(name, values, width).unwrap();
        plain.set(
            name,
            &values.iter().map(|&value| value.into()).collect::<Vec<f64>>(),
            width,
            true,
        );
    }
    // Pair fields: `q` and `s` are there, `g` and `w` begin in the text.
    if text.contains("_ij") {
        let rows = setting.rows(coords);
        let entries = rows.iter().map(Vec::len).sum();
        let (q, s) = (some(entries), single(&some(entries * dim)));
        let ids: Vec<i32> = rows.iter().flatten().map(|&j| j as i32).collect();
        let mut offsets = vec![0];
        rows.iter()
            .for_each(|row| offsets.push(offsets[offsets.len() - 1] + row.len() as i64));
        search.set_pair_field("q", (&offsets, &ids), &q, 1).unwrap();
        search.set_pair_field("s", (&offsets, &ids), &s, dim).unwrap();
        plain.set_pair_field("q", &rows, &q, 1, false);
        let wide: Vec<f64> = s.iter().map(|&value| value.into()).collect();
        plain.set_pair_field("s", &rows, &wide, dim, true);
        plain.begin_pair_field("g", false);
        plain.begin_pair_field("w", true);
    }
    let mut formula = Formula::new(text).unwrap_or_else(|error| panic!("{error}\n{about}"));
    formula.set_precision(F::PRECISION);
    formula.set_include_self(setting.with_self);
    for (name, value) in [("h", 0.3), ("k", 2.0), ("dt", 0.01), ("time", 0.25), ("steps", 7.0)] {
        if formula.set_constant(name, value).is_ok() {
            plain.numbers.insert(name.to_owned(), value);
        }
    }
    let curve: Vec<f64> = (0..50).map(|k| 1.5 * random.uniform() - f64::from(k) / 50.0).collect();
    let cubic = polynomials(&curve);
    for (name, of, range, spline) in [
        ("W", TableOf::R, [0.03, 0.9], Vec::new()),
        ("U", TableOf::ROverC, [0.1, 0.9], cubic),
    ] {
        let set = match spline.is_empty() {
            true => Formula::set_table,
            false => Formula::set_cubic_table,
        };
        if set(&mut formula, name, of, range, &curve).is_ok() {
            let values = curve.clone();
            plain.curves.insert(name, Curve { range, values, spline });
        }
    }
    (search.run(&mut formula, setting.kind, times as i64)).unwrap_or_else(|error| panic!("{error}\n{about}"));
    (0..times).for_each(|_| plain.run::<F>(text));
    plain.compare::<T>(&mut search, &formula, &about);
    search
}
