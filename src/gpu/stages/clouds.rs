//! Clouds that each make something else hard.
//!
//! in: a number of axes; out: [`Cloud`]s in either precision.

use crate::domain::TieRule;
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
}

impl<T: Real> Cloud<T> {
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

/// All clouds of `dim` axes.
pub fn clouds<T: Coordinate>(dim: usize) -> Vec<Cloud<T>> {
    let points = [1200, 900, 600][dim - 1]; // what a device in software does within a second
    let mut random = Random(dim as u64);
    let unit: Vec<f64> = (0..dim * points).map(|_| random.uniform()).collect();
    let cutoff = 1.5 * (points as f64).powf(-1.0 / dim as f64);
    let map = |change: &dyn Fn(usize, f64) -> f64| -> Vec<f64> {
        unit.iter().enumerate().map(|(k, &c)| change(k, c)).collect()
    };
    let mut clouds = Vec::new();
    let mut add = |name: &str, coords: Vec<f64>, cutoff: f64, rule: TieRule| {
        clouds.push(Cloud {
            name: format!("{name} in {dim}D, {}", T::NAME),
            dim,
            coords: coords.iter().map(|c| T::from_f64(c.clamp(-T::MOST, T::MOST))).collect(),
            cutoff,
            rule,
        });
    };
    use TieRule::{Exclusive, Inclusive};
    add("one point", vec![-0.5; dim], 1.0, Inclusive);
    add("two points", unit[..2 * dim].to_vec(), 2.0, Inclusive);
    add("uniform", unit.clone(), cutoff, Inclusive);
    add("few cells", unit[..dim * 300].to_vec(), 0.4, Exclusive);
    add(
        "more cells than there is room for",
        unit.clone(),
        cutoff / 300.0,
        Inclusive,
    );
    add("negative", map(&|_, c| c - 3.0), cutoff, Exclusive);
    for far in [1e6, -1e300] {
        add(
            &format!("a stray at {far:e}"),
            map(&|k, c| if k / dim == 300 { far } else { c }),
            cutoff,
            Inclusive,
        );
    }
    let both = |k: usize, c| match k / dim % 500 {
        0 => 1e300,
        1 => -1e300,
        _ => c,
    };
    add("strays on both sides", map(&both), cutoff, Exclusive);
    add("coincident", vec![0.1; dim * 300], 1e-3, Inclusive);
    let along = |scale: f64| (0..dim * points).map(|k| (k / dim) as f64 * scale).collect();
    add("a diagonal line", along(1.0), 2.5 * (dim as f64).sqrt(), Inclusive);
    add(
        "a diagonal line, sparse",
        along(1e4),
        2.5e4 * (dim as f64).sqrt(),
        Exclusive,
    );
    add(
        "around 1e9",
        unit[..dim * 300].iter().map(|c| 0.01 * c + 1e9).collect(),
        1e-3,
        Inclusive,
    );
    // Every other point is near the one before.
    let couples = |k: usize, c| {
        if (k / dim).is_multiple_of(2) {
            (c - 0.5) * 2e9
        } else {
            (unit[k - dim] - 0.5) * 2e9 + 4e-4
        }
    };
    add("couples from -1e9 to 1e9", map(&couples), 1e-3, Inclusive);
    let side = [200, 30, 11][dim - 1];
    let lattice: Vec<f64> = (0..dim * usize::pow(side, dim as u32))
        .map(|k| (k / dim / usize::pow(side, (k % dim) as u32) % side) as f64 * 0.1)
        .collect();
    add("ties", lattice.clone(), 0.2, Inclusive);
    add("ties", lattice, 0.2, Exclusive);
    clouds
}
