//! Inputs of a catalogue.

use crate::domain::{Period, Periods};
use crate::error::{Error, Result, Status, number};
use crate::points::{Points, PointsView, Real};

/// Masses and velocities of the points, both optional.
#[derive(Clone, Copy, Debug)]
pub struct Properties<'a, T> {
    /// A mass for each point, finite and greater than 0. Without masses, each point has mass 1.
    pub masses: Option<&'a [T]>,
    /// A velocity for each point, with as many axes as the points.
    pub velocities: Option<PointsView<'a, T>>,
}

impl<T> Default for Properties<'_, T> {
    fn default() -> Self {
        Properties {
            masses: None,
            velocities: None,
        }
    }
}

/// Inputs of a catalogue.
pub struct Source<'a, T> {
    pub points: &'a Points<T>,
    /// A label per point, in `base`.
    pub labels: &'a [i32],
    pub global_ids: Option<&'a [i64]>,
    pub properties: Properties<'a, T>,
    pub base: i64,
}

impl<T: Real> Properties<'_, T> {
    /// Refuses what `len` points of `dim` axes cannot have; points in messages count from `base`.
    pub fn check(&self, len: usize, dim: usize, base: i64) -> Result<()> {
        let count = |what: &'static str, found: usize| {
            let allowed = format_args!("{len}, the number of points");
            match found == len {
                true => Ok(()),
                false => Err(Error::not_allowed(Status::BadCount, what, found, allowed)),
            }
        };
        if let Some(masses) = self.masses {
            count("number of masses", masses.len())?;
            if let Some(at) = masses.iter().position(|&m| !(m > T::default() && m.is_finite())) {
                let (point, value) = (at as i64 + base, number(masses[at].to_f64()));
                let allowed = format_args!("finite and greater than 0 (first at point {point})");
                return Err(Error::not_allowed(Status::BadValue, "mass", value, allowed));
            }
        }
        let Some(velocities) = self.velocities else {
            return Ok(());
        };
        count("number of velocities", velocities.len())?;
        if velocities.dim() != dim {
            let allowed = format_args!("{dim}, the dimension of the points");
            let found = velocities.dim();
            return Err(Error::not_allowed(Status::BadDim, "dim of velocities", found, allowed));
        }
        let mut components = (0..len).flat_map(|i| (0..dim).map(move |axis| (i, axis)));
        match components.find(|&(i, axis)| !velocities.get(axis, i).is_finite()) {
            None => Ok(()),
            Some((i, axis)) => {
                let what = ["vx", "vy", "vz"][axis];
                let (point, value) = (i as i64 + base, number(velocities.get(axis, i).to_f64()));
                let allowed = format_args!("finite (first at point {point})");
                Err(Error::not_allowed(Status::NonFinite, what, value, allowed))
            }
        }
    }
}

/// The periodic axes in real64.
pub(super) fn in_real64<T: Real>(periods: &Periods<T>) -> Periods<f64> {
    Periods(
        periods
            .0
            .map(|period| period.map(|period| Period::new(period.lo.to_f64(), period.length.to_f64()))),
    )
}
