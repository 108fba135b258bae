//! Radial tables. In: values at equal steps of r or r2. Out: a function, linear between the values.

use super::number::Number;
use crate::error::{Error, Result, Status, number};
use crate::list::{push, reserve_keeping};

const WHAT: &str = "a radial table";

/// Values of a table, at most: all their numbers are exact in real32.
const LONGEST: usize = 1 << 24;

/// The argument that a table is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableOf {
    /// The distance `r`.
    R,
    /// The squared distance `r2`.
    R2,
}

impl TableOf {
    /// As it is written in formulas.
    pub fn name(self) -> &'static str {
        match self {
            TableOf::R => "r",
            TableOf::R2 => "r2",
        }
    }
}

/// A table as it was set.
#[derive(Debug)]
pub struct Given {
    range: [f64; 2],
    values: Vec<f64>,
}

impl Given {
    /// Copies a table whose first value is at `first` and whose last is at `last`.
    pub fn new([first, last]: [f64; 2], values: &[f64]) -> Result<Given> {
        if !(2..=LONGEST).contains(&values.len()) {
            let allowed = format_args!("2 to {LONGEST}");
            return Err(Error::not_allowed(
                Status::BadCount,
                "number of values",
                values.len(),
                allowed,
            ));
        }
        if !first.is_finite() {
            return Err(Error::not_allowed(Status::NonFinite, "first", number(first), "finite"));
        }
        if !(last.is_finite() && last > first) {
            let first = number(first);
            let allowed = format_args!("finite and greater than first ({first})");
            return Err(Error::not_allowed(Status::BadValue, "last", number(last), allowed));
        }
        let mut copy = Vec::new();
        reserve_keeping(&mut copy, values.len(), WHAT)?;
        copy.extend_from_slice(values);
        Ok(Given {
            range: [first, last],
            values: copy,
        })
    }

    /// The table in the precision of a formula.
    pub fn rounded<F: Number>(&self) -> Result<Table<F>> {
        let [first, last] = self.range;
        let steps = (self.values.len() - 1) as f64;
        let (last_place, scale) = (F::from_f64(last), F::from_f64(steps / (last - first)));
        if !(F::from_f64(first).is_finite() && scale.is_finite() && scale > F::default()) {
            let (first, name) = (number(first), F::NAME);
            let allowed = format_args!("so far from first ({first}) that {name} can tell steps apart");
            return Err(Error::not_allowed(Status::BadValue, "last", number(last), allowed));
        }
        let mut values = Vec::new();
        reserve_keeping(&mut values, self.values.len(), WHAT)?;
        values.extend(self.values.iter().map(|&value| F::from_f64(value)));
        Ok(Table {
            first: F::from_f64(first),
            last: last_place,
            scale,
            steps: F::from_f64(steps),
            values,
        })
    }
}

/// All tables in the precision of a formula.
pub fn rounded<'a, F: Number>(given: impl Iterator<Item = &'a Given>) -> Result<Vec<Table<F>>> {
    let mut tables = Vec::new();
    for table in given {
        push(&mut tables, table.rounded()?, WHAT)?;
    }
    Ok(tables)
}

/// A table in the precision of a formula.
#[derive(Debug)]
pub struct Table<F> {
    first: F,
    last: F,
    /// Steps for each unit.
    scale: F,
    /// Steps, one less than values.
    steps: F,
    values: Vec<F>,
}

impl<F: Number> Table<F> {
    /// Values.
    #[cfg(feature = "gpu")]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The last place, the first one, steps for each unit and steps, and then the values.
    #[cfg(feature = "gpu")]
    pub fn numbers(&self) -> impl Iterator<Item = F> {
        [self.last, self.first, self.scale, self.steps]
            .into_iter()
            .chain(self.values.iter().copied())
    }

    /// The value at `x`: `y + t*(z - y)`, where `y` and `z` are the values around `x` and `t` is the part of the step.
    /// At the place of a value, before the first and after the last one it is that value. Where `z - y` is infinite,
    /// because one of them is or both are large, it is `y*(1 - t) + z*t`. `table_value` in `shaders/sum.wgsl` does the
    /// same.
    pub fn at(&self, x: F) -> F {
        let place = (x - self.first) * self.scale;
        let place = if place > F::default() { place } else { F::default() };
        let place = if place < self.steps { place } else { self.steps };
        let place = if x < self.last { place } else { self.steps };
        let below = super::functions::Float::floor(place);
        let (at, part) = (below.to_f64() as usize, place - below);
        let y = self.values[at];
        if part == F::default() {
            return y;
        }
        let z = self.values[at + 1];
        let step = z - y;
        if step.is_finite() {
            y + part * step
        } else {
            y * (F::ONE - part) + z * part
        }
    }
}
