//! Points for the tests of stages.

use crate::domain::TieRule::{self, Inclusive};
use crate::domain::{Period, Periods};
use crate::oracle;
use crate::points::{PointsView, Real};
use crate::random::Random;

/// Points and how to search them.
#[derive(Clone, Debug)]
pub struct Cloud<T> {
    pub name: String,
    pub dim: usize,
    pub coords: Vec<T>,
    pub cutoff: f64,
    pub rule: TieRule,
    /// Length of all axes, which are periodic and begin at 0; 0: they are open.
    pub length: f64,
}

impl<T: Real> Cloud<T> {
    /// Along open axes.
    pub fn new(name: impl Into<String>, dim: usize, coords: impl IntoIterator<Item = f64>, cutoff: f64) -> Cloud<T> {
        Cloud {
            name: name.into(),
            dim,
            coords: coords.into_iter().map(T::from_f64).collect(),
            cutoff,
            rule: Inclusive,
            length: 0.0,
        }
    }

    pub fn periods(&self) -> Periods<T> {
        let period = || Period::new(T::default(), T::from_f64(self.length));
        Periods(std::array::from_fn(|axis| {
            (self.length > 0.0 && axis < self.dim).then(period)
        }))
    }

    pub fn view(&self) -> PointsView<'_, T> {
        PointsView::interleaved(self.dim, &self.coords).unwrap()
    }

    pub fn len(&self) -> usize {
        self.coords.len() / self.dim
    }

    /// The rows that the oracle finds: of both sides of each pair where they are `full`.
    pub fn rows(&self, full: bool) -> Vec<Vec<u32>> {
        let periods = self
            .periods()
            .0
            .map(|period| period.map(|period| [period.lo, period.length]));
        let pairs = oracle::pairs_in(&self.view(), &periods, T::from_f64(self.cutoff), self.rule);
        let (offsets, ids) = oracle::neighbors(self.len(), &pairs, full);
        let row = |ends: &[i64]| {
            ids[ends[0] as usize..ends[1] as usize]
                .iter()
                .map(|&id| id as u32)
                .collect()
        };
        offsets.windows(2).map(row).collect()
    }
}

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// Points in the unit cube.
    pub fn cloud(&mut self, dim: usize, points: usize) -> Vec<f64> {
        (0..dim * points).map(|_| self.uniform()).collect()
    }
}
