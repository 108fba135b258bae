//! Clouds of which each has another difficulty.
//!
//! in: a number of axes; out: [`Cloud`]s in either precision.

use crate::domain::TieRule::{self, Exclusive, Inclusive};
use crate::domain::{Period, Periods};
use crate::oracle;
use crate::points::{PointsView, Real};

/// A precision whose largest number is known.
pub trait Coordinate: Real {
    const MOST: f64;
}

impl Coordinate for f32 {
    const MOST: f64 = f32::MAX as f64;
}

impl Coordinate for f64 {
    const MOST: f64 = f64::MAX;
}

/// Points and how to search them.
#[derive(Clone, Debug)]
pub struct Cloud<T> {
    pub name: String,
    pub dim: usize,
    pub coords: Vec<T>,
    pub cutoff: f64,
    pub rule: TieRule,
    /// Lengths of periodic axes; 0: the axis is open.
    pub lengths: [f64; 3],
    /// Where they begin.
    pub lo: f64,
}

impl<T: Real> Cloud<T> {
    pub fn periods(&self) -> Periods<T> {
        let lengths = self.lengths.map(|length| Some(length).filter(|&length| length > 0.0));
        let period = |length: f64| Period::new(T::from_f64(self.lo), T::from_f64(length));
        Periods(lengths.map(|length| length.map(period)))
    }

    /// The same as the oracle takes them.
    pub fn oracle_periods(&self) -> [Option<[T; 2]>; 3] {
        self.periods()
            .0
            .map(|period| period.map(|period| [period.lo, period.length]))
    }

    pub fn view(&self) -> PointsView<'_, T> {
        PointsView::interleaved(self.dim, &self.coords).unwrap()
    }

    pub fn len(&self) -> usize {
        self.coords.len() / self.dim
    }
}

/// splitmix64
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }
}

/// Clouds being made out of points in the unit cube.
struct Maker<T> {
    dim: usize,
    unit: Vec<f64>,
    clouds: Vec<Cloud<T>>,
}

impl<T: Coordinate> Maker<T> {
    fn add(&mut self, name: &str, cutoff: f64, rule: TieRule, coords: Vec<f64>) {
        let coords = coords.iter().map(|c| T::from_f64(c.clamp(-T::MOST, T::MOST)));
        self.clouds.push(Cloud {
            name: format!("{name} in {}D, {}", self.dim, T::NAME),
            dim: self.dim,
            coords: coords.collect(),
            cutoff,
            rule,
            lengths: [0.0; 3],
            lo: 0.0,
        });
    }

    /// Wraps the cloud added last along the axes that have a length, from 0 on.
    fn wrap(&mut self, lengths: [f64; 3]) {
        self.wrap_from(0.0, lengths);
    }

    /// The same, from `lo` on.
    fn wrap_from(&mut self, lo: f64, lengths: [f64; 3]) {
        let (dim, cloud) = (self.dim, self.clouds.last_mut().unwrap());
        cloud.lengths[..dim].copy_from_slice(&lengths[..dim]);
        cloud.lo = lo;
        let periods = cloud.oracle_periods();
        for (k, coord) in cloud.coords.iter_mut().enumerate() {
            if let Some([lo, length]) = periods[k % dim] {
                *coord = oracle::wrapped(*coord, lo, length);
            }
        }
    }

    /// The first points, each coordinate changed by `change`, which gets the point's number too.
    fn map(&self, points: usize, change: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        let coords = self.unit[..self.dim * points].iter().enumerate();
        coords.map(|(k, &c)| change(k / self.dim, c)).collect()
    }
}

/// Points of most clouds: what a device in software does within seconds.
const SOME: usize = 600;

/// Points that need windows where a binding has 12 KiB.
const MANY: usize = 1100;

/// All clouds of `dim` axes.
pub fn clouds<T: Coordinate>(dim: usize) -> Vec<Cloud<T>> {
    let mut random = Random(dim as u64);
    let unit = (0..dim * MANY).map(|_| random.uniform()).collect();
    let mut maker = Maker {
        dim,
        unit,
        clouds: Vec::new(),
    };
    add_dense(&mut maker);
    add_sparse(&mut maker);
    add_periodic(&mut maker);
    maker.clouds
}

fn add_dense<T: Coordinate>(maker: &mut Maker<T>) {
    let dim = maker.dim;
    let cutoff = 1.5 * (SOME as f64).powf(-1.0 / dim as f64);
    maker.add("one point", 1.0, Inclusive, vec![-0.5; dim]);
    maker.add("two points", 2.0, Inclusive, maker.map(2, |_, c| c));
    maker.add("uniform", 0.8 * cutoff, Inclusive, maker.map(MANY, |_, c| c));
    maker.add("negative", cutoff, Exclusive, maker.map(SOME, |_, c| c - 3.0));
    maker.add("few cells", 0.4, Exclusive, maker.map(300, |_, c| c));
    maker.add("coincident", 1e-3, Inclusive, vec![0.1; dim * 300]);
    let diagonal = (dim as f64).sqrt();
    maker.add(
        "a diagonal line",
        2.5 * diagonal,
        Inclusive,
        maker.map(SOME, |i, _| i as f64),
    );
    maker.add("around 1e9", 1e-3, Inclusive, maker.map(300, |_, c| 0.01 * c + 1e9));
    let side = [200, 24, 8][dim - 1];
    let place = |k: usize| k / dim / usize::pow(side, (k % dim) as u32) % side;
    let lattice: Vec<f64> = (0..dim * side.pow(dim as u32)).map(|k| place(k) as f64 * 0.1).collect();
    maker.add("ties", 0.2, Inclusive, lattice.clone());
    maker.add("ties", 0.2, Exclusive, lattice);
}

/// Clouds that have more cells than there is room for.
fn add_sparse<T: Coordinate>(maker: &mut Maker<T>) {
    let cutoff = 1.5 * (SOME as f64).powf(-1.0 / maker.dim as f64);
    maker.add("sparse", cutoff / 300.0, Inclusive, maker.map(SOME, |_, c| c));
    for far in [1e6, -1e300] {
        let stray = maker.map(SOME, |i, c| if i == 300 { far } else { c });
        maker.add(&format!("a stray at {far:e}"), cutoff, Inclusive, stray);
    }
    // So far that the number of cells has low bits of little.
    let stray = maker.map(300, |i, c| {
        if i == 200 {
            4098.0 / 4096.0 * (4294967296.0 + 3.5)
        } else {
            3.0 * c
        }
    });
    maker.add("a stray 2^32 cells away", 1.0, Inclusive, stray);
    let far = maker.map(300, |i, c| {
        if i % 3 == 0 {
            T::MOST / 4.0
        } else {
            (1.0 + c) * T::MOST / 4.0
        }
    });
    maker.add("beyond all fixed-point numbers", 1.0, Exclusive, far);
    let strays = maker.map(SOME, |i, c| if i % 300 == 0 { [1e300, -1e300][i / 300] } else { c });
    maker.add("strays on both sides", cutoff, Exclusive, strays);
    let diagonal = (maker.dim as f64).sqrt();
    let line = maker.map(SOME, |i, _| 1e4 * i as f64);
    maker.add("a sparse diagonal line", 2.5e4 * diagonal, Exclusive, line);
    let line = maker.map(SOME, |i, _| (i + i / 2 * 1000) as f64);
    maker.add("couples on a diagonal line", diagonal, Inclusive, line);
    // Every other point is near the one before.
    let mut couples = maker.map(MANY, |_, c| (c - 0.5) * 2e9);
    for couple in couples.chunks_exact_mut(2 * maker.dim) {
        let (first, second) = couple.split_at_mut(maker.dim);
        second
            .iter_mut()
            .zip(first)
            .for_each(|(second, first)| *second = *first + 4e-4);
    }
    maker.add("couples from -1e9 to 1e9", 1e-3, Inclusive, couples);
}

/// Clouds in boxes of periodic axes.
fn add_periodic<T: Coordinate>(maker: &mut Maker<T>) {
    const FEW: usize = 250;
    let cutoff = 1.5 * (FEW as f64).powf(-1.0 / maker.dim as f64);
    for (name, cutoff, lengths) in [
        ("periodic", 0.3 * cutoff, [1.0; 3]),
        ("periodic along x", 0.4 * cutoff, [1.0, 0.0, 0.0]),
        ("periodic beyond x", 0.4 * cutoff, [0.0, 1.0, 0.8]),
        ("a box of two cutoffs", 0.5, [1.0; 3]),
        ("a box of 2.3 to 3.2 cutoffs", 1.0 / 3.2, [1.0, 0.9, 0.72]),
        ("a sparse box", cutoff / 300.0, [1.0; 3]),
        ("a box with a gap", 0.1 * cutoff, [1.0, 1.5, 3.0]),
    ] {
        maker.add(name, cutoff.min(0.5), Inclusive, maker.map(FEW, |_, c| c));
        maker.wrap(lengths);
    }
    for length in [1e5, 3e9, T::MOST / 4.0] {
        let clump = maker.map(FEW, |i, c| if i % 9 == 0 { c * length } else { (c - 0.5) * 40.0 });
        let name = format!("a clump around the corner of {length:e}");
        maker.add(&name, 20.0 * cutoff, Exclusive, clump);
        maker.wrap([length, 1.1 * length, 0.7 * length]);
    }
    let mut couples = maker.map(FEW, |_, c| (c * 3.0).floor() * 1e9);
    for (k, coord) in couples.iter_mut().enumerate() {
        *coord += [0.0, -4e-4, 5e-4][k % 3];
    }
    maker.add("couples across the corners of large boxes", 1e-3, Inclusive, couples);
    maker.wrap([1e9, 2e9, 0.0]);
    let side = [100, 15, 6][maker.dim - 1];
    let place = |k: usize| k / maker.dim / usize::pow(side, (k % maker.dim) as u32) % side;
    let lattice: Vec<f64> = (0..maker.dim * side.pow(maker.dim as u32))
        .map(|k| place(k) as f64 * 0.1)
        .collect();
    for cutoff in [0.2, 0.05 * side as f64] {
        maker.add("periodic ties", cutoff, Inclusive, lattice.clone());
        maker.wrap([side as f64 * 0.1; 3]);
    }
    for (lo, length) in [(-0.5, 1.0), (-3.7, 0.9), (1e6, 1.0), (-1e15, 4.0)] {
        let name = format!("a box from {lo:e} on");
        maker.add(
            &name,
            0.4 * cutoff * length,
            Inclusive,
            maker.map(FEW, |_, c| lo + c * length),
        );
        maker.wrap_from(lo, [length; 3]);
    }
}
