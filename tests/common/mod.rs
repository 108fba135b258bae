//! The clouds every backend, width, precision and language is tested on, and the oracle's answers to them.
#![allow(dead_code, unused_imports)] // each test uses its part

mod again;
mod file;
mod ids;
mod order;
mod periodic;
mod rules;
mod seed;

pub use again::{Again, is_whole};
pub use file::{case_file, write_cases};
pub use ids::{check_chunks, check_pairs, ids_in_blocks, pairs_by_ids, pairs_found, rows_by_ids, rows_found, some_ids};
pub use order::spatial_order;
pub use periodic::periodic_cases;
pub use rules::{Rules, ruled_cases};
pub use seed::seed;

use neargrid::{PointsView, Precision, Real, Search, TieRule, oracle};

/// Points, a cutoff and a tie rule, to be searched in both precisions (coordinates are rounded to real32 then).
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub dim: usize,
    pub coords: Vec<f64>,
    pub cutoff: f64,
    pub rule: TieRule,
    /// The case says something in one precision only.
    pub only: Option<&'static str>,
    pub domain: Domain,
    pub rules: Rules,
}

/// A box: lower corner, edges, and which axes are periodic. None is, by default.
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    pub lo: [f64; 3],
    pub length: [f64; 3],
    pub periodic: [bool; 3],
}

impl Default for Domain {
    fn default() -> Domain {
        Domain::new([0.0; 3], [1.0; 3], [false; 3])
    }
}

impl Domain {
    pub fn new(lo: [f64; 3], length: [f64; 3], periodic: [bool; 3]) -> Domain {
        Domain { lo, length, periodic }
    }

    /// Periodic along every axis.
    pub fn periodic(lo: f64, length: f64) -> Domain {
        Domain::new([lo; 3], [length; 3], [true; 3])
    }

    pub fn periods<T: Real>(&self) -> [Option<[T; 2]>; 3] {
        let period = |axis: usize| [self.lo[axis], self.length[axis]].map(T::from_f64);
        std::array::from_fn(|axis| self.periodic[axis].then(|| period(axis)))
    }

    /// Whether precision `T` can distinguish the ends of periodic axes.
    pub fn is_in<T: Real>(&self) -> bool {
        self.periods::<T>()
            .iter()
            .flatten()
            .all(|&[lo, length]| lo.add(length) > lo)
    }

    /// Sets it for points of `dim` axes.
    pub fn set(&self, search: &mut Search, dim: usize) {
        search
            .set_box(&self.lo[..dim], &self.length[..dim], &self.periodic[..dim])
            .unwrap();
    }
}

impl Case {
    pub fn new(name: impl Into<String>, dim: usize, coords: Vec<f64>, cutoff: f64) -> Case {
        Case {
            name: name.into(),
            dim,
            coords,
            cutoff,
            rule: TieRule::Inclusive,
            only: None,
            domain: Domain::default(),
            rules: Rules::default(),
        }
    }

    pub fn with_domain(self, domain: Domain) -> Case {
        Case { domain, ..self }
    }

    pub fn with_rule(&self, rule: TieRule) -> Case {
        Case {
            name: format!("{} ({rule:?})", self.name),
            rule,
            ..self.clone()
        }
    }

    pub fn coords_as<T: Real>(&self) -> Vec<T> {
        self.coords.iter().map(|&c| T::from_f64(c)).collect()
    }

    /// Whether precision `T` can hold the case: coordinates stay finite and the case is meant for it.
    pub fn fits<T: Real>(&self) -> bool {
        self.only.is_none_or(|only| only == T::NAME)
            && self.coords_as::<T>().iter().all(|c| c.is_finite())
            && periodic::fits::<T>(self)
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.coords.len() / self.dim
    }

    /// Gives a search all that the case says.
    pub fn set<T: Precision>(&self, search: &mut Search) {
        search.set_cutoff(self.cutoff).unwrap();
        search.set_tie_rule(self.rule);
        self.domain.set(search, self.dim);
        search.set_types(&self.rules.types, &self.rules.mask).unwrap();
        search
            .set_active(self.rules.active.map(|active| active as i64))
            .unwrap();
        let coords = self.coords_as::<T>();
        search
            .set_points(&PointsView::interleaved(self.dim, &coords).unwrap())
            .unwrap();
    }

    pub fn truth<T: Real>(&self) -> Vec<(i32, i32)> {
        let coords = self.coords_as::<T>();
        let view = PointsView::interleaved(self.dim, &coords).unwrap();
        let mut pairs = oracle::pairs_in(&view, &self.domain.periods(), T::from_f64(self.cutoff), self.rule);
        pairs.retain(|&(i, j)| self.rules.counts(i as usize, j as usize));
        pairs
    }
}

/// The part of the suite to run: the variable `NEARGRID_TEST_PART`, which `devices` in tests/suite/pairs.rs sets for GPUs played by
/// the CPU, where all of it takes many minutes. `K:FIRST` leaves every K-th case from the FIRST on (0 is the first), in one
/// precision, which changes from case to case; `exclusive` leaves the cases of that tie rule. Unset: everything.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub every: usize,
    pub first: usize,
    pub exclusive: bool,
}

impl Part {
    pub fn of_environment() -> Part {
        let text = std::env::var("NEARGRID_TEST_PART").unwrap_or_default();
        let mut part = Part {
            every: 1,
            first: 0,
            exclusive: false,
        };
        for word in text.split(',').filter(|word| !word.is_empty()) {
            match word.split_once(':') {
                Some((every, first)) => (part.every, part.first) = (every.parse().unwrap(), first.parse().unwrap()),
                None if word == "exclusive" => part.exclusive = true,
                None => panic!("NEARGRID_TEST_PART={text}: \"{word}\" means nothing"),
            }
        }
        part
    }

    /// Whether cases are left out.
    pub fn is_partial(&self) -> bool {
        self.every > 1
    }

    /// The tie rules to test.
    pub fn rules(&self) -> &'static [TieRule] {
        match self.exclusive {
            true => &[TieRule::Exclusive],
            false => &[TieRule::Inclusive, TieRule::Exclusive],
        }
    }

    /// The rest of `cases`: at least one.
    pub fn of(&self, mut cases: Vec<Case>) -> Vec<Case> {
        cases.retain(|case| self.rules().contains(&case.rule));
        let first = self.first % self.every.min(cases.len());
        let left = cases.into_iter().skip(first).step_by(self.every);
        left.enumerate().map(|(k, case)| self.narrowed(case, k)).collect()
    }

    /// The `k`-th case in one precision only, where cases are left out.
    pub fn narrowed(&self, mut case: Case, k: usize) -> Case {
        if self.is_partial() && case.fits::<f32>() && case.fits::<f64>() {
            case.only = Some([f32::NAME, f64::NAME][(self.first + k) % 2]);
        }
        case
    }
}

/// A small random generator (splitmix64), so that clouds are the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.uniform() * bound as f64) as usize
    }

    /// `n` points uniform in the unit cube.
    pub fn cloud(&mut self, dim: usize, n: usize) -> Vec<f64> {
        (0..dim * n).map(|_| self.uniform()).collect()
    }
}

/// Points of a lattice with `side` points along each axis, in shuffled order.
pub fn lattice(dim: usize, side: usize, spacing: f64, random: &mut Random) -> Vec<f64> {
    let mut points: Vec<Vec<f64>> = (0..side.pow(dim as u32))
        .map(|k| {
            (0..dim)
                .map(|axis| (k / side.pow(axis as u32) % side) as f64 * spacing)
                .collect()
        })
        .collect();
    for k in (1..points.len()).rev() {
        points.swap(k, random.below(k + 1));
    }
    points.concat()
}

/// All clouds, each for both tie rules.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dim in 1..=3 {
        add_shapes(dim, &mut cases);
        add_lattices(dim, &mut cases);
    }
    let exclusive: Vec<_> = cases.iter().map(|case| case.with_rule(TieRule::Exclusive)).collect();
    cases.extend(exclusive);
    cases
}

fn add_shapes(dim: usize, cases: &mut Vec<Case>) {
    let mut random = Random(dim as u64);
    let n: usize = 700;
    let cutoff = 2.0 * (n as f64).powf(-1.0 / dim as f64);
    let cloud = random.cloud(dim, n);
    let map =
        |f: &dyn Fn(usize, f64) -> f64| -> Vec<f64> { cloud.iter().enumerate().map(|(k, &c)| f(k % dim, c)).collect() };
    let mut add = |name: &str, coords: Vec<f64>, cutoff: f64| {
        cases.push(Case::new(format!("{name} in {dim}D"), dim, coords, cutoff));
    };
    add("uniform", cloud.clone(), cutoff);
    add("one cell", cloud.clone(), 10.0);
    add("cutoff larger than the domain", cloud.clone(), 1e5);
    add("tiny cutoff in a large domain", map(&|_, c| c * 1e6), 1e-5);
    add("units of 1e-5", map(&|_, c| c * 1e-5), cutoff * 1e-5);
    add("cutoff 1e-5", map(&|_, c| c * 1e-5 / cutoff), 1e-5);
    add("cutoff 1e5", map(&|_, c| c * 1e5 / cutoff), 1e5);
    add("all negative", map(&|_, c| c - 3.0), cutoff);
    add("around zero", map(&|_, c| c - 0.5), cutoff);
    add(
        "a million cutoffs away",
        map(&|axis, c| c + [1.0, -1.0, 1.0][axis] * 1e6 * cutoff),
        cutoff,
    );
    add("collinear", map(&|axis, c| if axis == 0 { c } else { 0.25 }), 0.01);
    add("plane", map(&|axis, c| if axis == dim - 1 { 0.0 } else { c }), 0.08);
    add(
        "thin film",
        map(&|axis, c| if axis == dim - 1 { c * 1e-3 } else { c }),
        0.08,
    );
    add("all coincident", vec![0.1; dim * 150], 1e-3);
    add("coincident away from zero", vec![-1e8; dim * 40], 1.0);
    add("many duplicates", map(&|_, c| (c * 5.0).floor() / 5.0), cutoff.min(0.2));
    for stray in [1e6, -1e6, 1e300, -1e300] {
        let mut coords = cloud.clone();
        coords[dim * (n / 2)..dim * (n / 2 + 1)].fill(stray);
        add(&format!("one stray at {stray:e}"), coords, cutoff);
    }
    let mut coords = cloud.clone();
    coords[..2 * dim].fill(1e300);
    coords[2 * dim..4 * dim].fill(-1e300);
    add("strays on both sides", coords, cutoff);
    add(
        "two clusters in a vacuum",
        map(&|_, c| if cloud[0] < c { c } else { c + 1e9 }),
        cutoff,
    );
    let blobs = (0..n)
        .flat_map(|k| [1e3, -1e3, 1e3].map(|far| (k % 7) as f64 * far))
        .collect::<Vec<_>>();
    let coords = (0..dim * n).map(|k| blobs[k / dim * 3 + k % dim] + cloud[k]).collect();
    add("blobs along a diagonal", coords, cutoff);
    // Few cells, each far from crowded: keys of 64 bits and longer ones, clumps in and out of reach of fixed point.
    for far in [1e4, 1e6, 1e10, 1e13] {
        let clumps = |c: f64, k: usize| c + (k % 3 / 2) as f64 * far;
        let coords: Vec<_> = (0..dim * n).map(|k| clumps(cloud[k], k / dim)).collect();
        add(&format!("clumps {far:e} apart"), coords.clone(), 0.07);
        let mut with_stray = coords;
        with_stray[..dim].fill(-1e300);
        add(&format!("clumps {far:e} apart and a stray"), with_stray, 0.07);
        let coords = (0..dim * n)
            .map(|k| clumps((cloud[k] * 5.0).floor() / 5.0, k / dim))
            .collect();
        add(&format!("clumps of duplicates {far:e} apart"), coords, 0.2);
    }
    // So many cells that numbers of cells have more than 32 bits, and that cells far apart count as one.
    let mut coords = map(&|_, c| 3.0 * c);
    coords[dim * (n / 2)..dim * (n / 2 + 1)].fill(4098.0 / 4096.0 * (4294967296.0 + 3.5));
    add("a stray 2^32 cutoffs away", coords, 1.0);
    let couples = (0..dim * n).map(|k| match k / dim % 2 {
        0 => (cloud[k] - 0.5) * 2e9,
        _ => (cloud[k - dim] - 0.5) * 2e9 + 4e-4,
    });
    add("couples from -1e9 to 1e9", couples.collect(), 1e-3);
    let coords = (0..n).flat_map(|k| vec![k as f64; dim]).collect();
    add("a diagonal line", coords, 1.5 * (dim as f64).sqrt());
    // Up to some number of points all are tested against all, by words and vectors.
    for n in (0..=5).chain([31, 64, 65, 100, 127, 128, 129]) {
        add(&format!("n = {n}"), cloud[..dim * n].to_vec(), 0.5);
    }
    let scales = (0..dim * n)
        .map(|k| cloud[k] * 10f64.powi(-((k / dim % 12) as i32)))
        .collect();
    add("scales from 1 to 1e-12", scales, 1e-3);
    let large = map(&|_, c| (c - 0.5) * 1e18);
    add("large numbers", large, cutoff * 1e18);
}

/// Shells of neighbors exactly on the cutoff; spacing 0.1 is not exact and rounds one way or the other.
fn add_lattices(dim: usize, cases: &mut Vec<Case>) {
    let mut random = Random(100 + dim as u64);
    let side = [300, 26, 9][dim - 1];
    for (spacing, cutoffs) in [
        (1.0, &[1.0, 2.0, 3.0, 5.0][..]),
        (0.1, &[0.1, 0.2, 0.3, 0.5]),
        (0.03125, &[0.0625]),
    ] {
        let coords = lattice(dim, side, spacing, &mut random);
        for &cutoff in cutoffs {
            let name = format!("lattice of spacing {spacing}, cutoff {cutoff}, in {dim}D");
            cases.push(Case::new(name, dim, coords.clone(), cutoff));
        }
        let diagonal = ((dim as f64) * spacing * spacing).sqrt();
        cases.push(Case::new(
            format!("lattice of spacing {spacing}, diagonal, in {dim}D"),
            dim,
            coords,
            diagonal,
        ));
    }
}

/// Clouds in which a fused multiply-add decides some pair differently: their cutoff's square lies between the pair's
/// stepwise and fused distance squared.
pub fn rounding_ties<T: Fused>(count: usize) -> Vec<Case> {
    let mut random = Random(7);
    let mut cases = Vec::new();
    while cases.len() < count {
        let dim = 2 + cases.len() % 2;
        let n = [24, 150][cases.len() / 2 % 2]; // few points have no cells
        let coords: Vec<T> = random.cloud(dim, n).into_iter().map(T::from_f64).collect();
        let view = PointsView::interleaved(dim, &coords).unwrap();
        let (i, j) = (random.below(n), random.below(n));
        let difference = |axis| view.get(axis, i).sub(view.get(axis, j));
        let (step, mut fused) = (oracle::distance2(&view, i, j), difference(0).mul(difference(0)));
        for axis in 1..dim {
            fused = difference(axis).fused(difference(axis), fused);
        }
        let (lo, hi) = if step < fused { (step, fused) } else { (fused, step) };
        let root = T::from_f64(lo.to_f64().sqrt());
        let found = [root.next_down(), root, T::from_f64(root.to_f64() * (1.0 + T::EPSILON))]
            .into_iter()
            .find(|&c| lo <= c.mul(c) && c.mul(c) < hi);
        if let Some(cutoff) = found {
            let coords = coords.iter().map(|c| c.to_f64()).collect();
            let name = format!("rounding tie {} in {dim}D {}", cases.len(), T::NAME);
            let case = Case {
                only: Some(T::NAME),
                ..Case::new(name, dim, coords, cutoff.to_f64())
            };
            cases.push(case);
        }
    }
    cases
}

/// A precision whose fused multiply-add tests may use.
pub trait Fused: Real {
    const EPSILON: f64;
    /// `a * b + c` with one rounding.
    fn fused(self, b: Self, c: Self) -> Self;
}

impl Fused for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;
    fn fused(self, b: f32, c: f32) -> f32 {
        self.mul_add(b, c)
    }
}

impl Fused for f64 {
    const EPSILON: f64 = f64::EPSILON;
    fn fused(self, b: f64, c: f64) -> f64 {
        self.mul_add(b, c)
    }
}

/// [`cases`] and rounding ties in both precisions.
pub fn all_cases() -> Vec<Case> {
    let mut all = cases();
    all.extend(rounding_ties::<f32>(250));
    all.extend(rounding_ties::<f64>(250));
    all
}
