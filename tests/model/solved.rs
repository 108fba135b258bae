//! Radii at which a number of neighbors is reached: each is judged by what it finds, and by what a smaller one does not.

use neargrid::Real;

use super::model::{Kind, Model};
use super::sums::Formula;

/// The question: how many neighbors, the smallest and the largest radius, and the tolerance.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub count: f64,
    pub range: [f64; 2],
    pub tolerance: f64,
}

/// The model with these radii of all rows.
pub fn with_radii(model: &Model, kind: Kind, radii: Vec<f64>) -> Model {
    let none = Model {
        radii: None,
        query_radii: None,
        ..model.clone()
    };
    match kind {
        Kind::Queries => Model {
            query_radii: Some((model.single, radii)),
            ..none
        },
        _ => Model {
            radii: Some((model.single, radii, 0)),
            ..none
        },
    }
}

impl Model {
    /// The points or queries whose radii are sought.
    pub fn sought(&self, kind: Kind) -> Vec<usize> {
        match kind {
            Kind::Queries => (0..self.nqueries()).collect(),
            _ => (0..self.n()).filter(|&i| self.is_active(i)).collect(),
        }
    }

    /// The model with the radii of its rows, once outcomes are right, and how many were not found.
    pub fn with_solved<T: Real>(
        &self,
        formula: &Formula,
        kind: Kind,
        target: Target,
        (radii, outcomes): (&[f64], &[i32]),
    ) -> Result<(Model, i64), String> {
        let (active, [smallest, largest]) = (self.sought(kind), target.range);
        let all = if kind == Kind::Queries {
            self.nqueries()
        } else {
            self.n()
        };
        let spread = |radius: &dyn Fn(f64) -> f64| {
            let mut of_all = vec![0.0; all];
            active.iter().zip(radii).for_each(|(&row, &r)| of_all[row] = radius(r));
            with_radii(self, kind, of_all)
        };
        let below = |r: f64| T::from_f64(r * (1.0 - target.tolerance)).next_down().to_f64().max(0.0);
        let (found, smaller) = (spread(&|r| r), spread(&below));
        let itself = usize::from(formula.with_self);
        let counts = |model: &Model| -> Vec<f64> {
            let rows = model.rows(kind);
            active.iter().map(|&row| (rows[row].len() + itself) as f64).collect()
        };
        let (at, below) = (counts(&found), counts(&smaller));
        let mut unsolved = 0;
        for (k, &outcome) in outcomes.iter().enumerate() {
            unsolved += i64::from(outcome != 0);
            let is_right = match outcome {
                0 => at[k] >= target.count && below[k] < target.count,
                1 => true,
                2 => radii[k] == largest && at[k] < target.count,
                3 => radii[k] == smallest && at[k] >= target.count,
                _ => false,
            };
            if !is_right {
                let (row, r) = (active[k], radii[k]);
                return Err(format!(
                    "outcome {outcome}: row {row}, radius {r:?}, {} within it, {} below",
                    at[k], below[k]
                ));
            }
        }
        Ok((found, unsolved))
    }
}
