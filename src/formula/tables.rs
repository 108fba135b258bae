//! Radial tables. In: values at equal steps of r, r2 or r/c. Out: a function, linear or cubic between the values.

use std::any::Any;
use std::fmt::{self, Display, Formatter};
use std::sync::OnceLock;

use super::number::Number;
use super::spline;
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
    /// The distance in cutoffs, `r/c`.
    ROverC,
}

impl TableOf {
    /// As it is written in formulas.
    pub fn name(self) -> &'static str {
        match self {
            TableOf::R => "r",
            TableOf::R2 => "r2",
            TableOf::ROverC => "r/c",
        }
    }
}

/// The course of a table between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    Linear,
    Cubic,
}

impl Course {
    /// Numbers for each value.
    fn terms(self) -> usize {
        match self {
            Course::Linear => 1,
            Course::Cubic => spline::TERMS,
        }
    }
}

/// A table as it was set.
#[derive(Debug)]
pub struct Given {
    range: [f64; 2],
    course: Course,
    /// The values, or the polynomial from each on.
    numbers: Vec<f64>,
    rounded: Rounded,
}

/// A table in each precision in which a formula has read it.
#[derive(Debug, Default)]
pub struct Rounded {
    pub single: OnceLock<Table<f32>>,
    pub double: OnceLock<Table<f64>>,
}

/// Writes the table in words that two tables share only if all their numbers are equal: a hash represents the numbers.
impl Display for Given {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Given {
            range, course, numbers, ..
        } = self;
        let mix = |hash: u64, number: &f64| {
            (hash ^ number.to_bits())
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29)
        };
        let (hash, values) = (numbers.iter().fold(0, mix), numbers.len() / course.terms());
        let [first, last] = range;
        write!(
            f,
            "{values} values from {first:?} to {last:?}, {course:?}, of digest {hash:016x}"
        )
    }
}

impl Given {
    /// Copies a table whose first value is at `first` and whose last is at `last`.
    pub fn new([first, last]: [f64; 2], values: &[f64], course: Course) -> Result<Given> {
        let least = match course {
            Course::Linear => 2,
            Course::Cubic => spline::LEAST,
        };
        if !(least..=LONGEST).contains(&values.len()) {
            let allowed = format_args!("{least} to {LONGEST}");
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
        let numbers = match course {
            Course::Linear => {
                let mut copy = Vec::new();
                reserve_keeping(&mut copy, values.len(), WHAT)?;
                copy.extend_from_slice(values);
                copy
            }
            Course::Cubic => {
                if let Some(at) = values.iter().position(|value| !value.is_finite()) {
                    let value = format_args!("{} (value {})", number(values[at]), at + 1);
                    return Err(Error::not_allowed(
                        Status::NonFinite,
                        "values",
                        value,
                        "finite in a cubic table",
                    ));
                }
                finite(spline::polynomials(values, WHAT)?)?
            }
        };
        Ok(Given {
            range: [first, last],
            course,
            numbers,
            rounded: Rounded::default(),
        })
    }

    /// The table in the precision of a formula. It is made once.
    pub fn rounded<F: Number>(&self) -> Result<&Table<F>> {
        let (single, double): (&dyn Any, &dyn Any) = (&self.rounded.single, &self.rounded.double);
        let place = single.downcast_ref::<OnceLock<Table<F>>>().or(double.downcast_ref());
        if let Some(table) = place.and_then(OnceLock::get) {
            return Ok(table);
        }
        let made = self.made()?;
        let place = place.ok_or_else(|| Error::Internal {
            text: "a precision without tables".into(),
        })?;
        Ok(place.get_or_init(|| made))
    }

    fn made<F: Number>(&self) -> Result<Table<F>> {
        let [first, last] = self.range;
        let steps = (self.numbers.len() / self.course.terms() - 1) as f64;
        let (last_place, scale) = (F::from_f64(last), F::from_f64(steps / (last - first)));
        if !(F::from_f64(first).is_finite() && scale.is_finite() && scale > F::default()) {
            let (first, name) = (number(first), F::NAME);
            let allowed = format_args!("so far from first ({first}) that {name} can tell steps apart");
            return Err(Error::not_allowed(Status::BadValue, "last", number(last), allowed));
        }
        let mut numbers = Vec::new();
        reserve_keeping(&mut numbers, self.numbers.len(), WHAT)?;
        numbers.extend(self.numbers.iter().map(|&number| F::from_f64(number)));
        if self.course == Course::Cubic {
            numbers = finite(numbers)?;
        }
        Ok(Table {
            first: F::from_f64(first),
            last: last_place,
            scale,
            steps: F::from_f64(steps),
            course: self.course,
            numbers,
        })
    }
}

/// The polynomials of a cubic table, if their numbers are.
fn finite<F: Number>(polynomials: Vec<F>) -> Result<Vec<F>> {
    if polynomials.iter().all(|term| term.is_finite()) {
        return Ok(polynomials);
    }
    let values = polynomials.iter().step_by(spline::TERMS).map(|value| value.to_f64());
    let most = (1u32..)
        .zip(values)
        .max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
    let (at, value) = most.unwrap_or_default();
    let value = format_args!("{} (value {at})", number(value));
    let allowed = format_args!("so small that {} has the numbers of the spline", F::NAME);
    Err(Error::not_allowed(Status::BadValue, "values", value, allowed))
}

/// All tables in the precision of a formula.
pub fn rounded<'a, F: Number>(given: impl Iterator<Item = &'a Given>) -> Result<Vec<&'a Table<F>>> {
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
    course: Course,
    /// The values, or the polynomial from each on.
    numbers: Vec<F>,
}

impl<F: Number> Table<F> {
    /// Its course between the values.
    pub fn course(&self) -> Course {
        self.course
    }

    /// The last place, the first one, steps for each unit and steps.
    #[cfg(feature = "gpu")]
    pub fn head(&self) -> [F; 4] {
        [self.last, self.first, self.scale, self.steps]
    }

    /// The values, or the polynomial from each on.
    #[cfg(feature = "gpu")]
    pub fn numbers(&self) -> &[F] {
        &self.numbers
    }

    /// The step of `x`, and the part of it that is before `x`: the first one and 0 before the first value, the last
    /// value and 0 after it.
    #[inline(always)]
    fn place(&self, x: F) -> (usize, F) {
        let place = (x - self.first) * self.scale;
        let place = if place > F::default() { place } else { F::default() };
        let place = if place < self.steps { place } else { self.steps };
        let place = if x < self.last { place } else { self.steps };
        let below = super::functions::Float::floor(place);
        (below.to_f64() as usize, place - below)
    }

    /// The value at `x` of a linear table: `y + t*(z - y)`, where `y` and `z` are the values around `x` and `t` is the
    /// part of the step. At the place of a value, before the first and after the last one it is that value. Where
    /// `z - y` is infinite, because one of them is or both are large, it is `y*(1 - t) + z*t`. `table_value` in
    /// `shaders/sum.wgsl` does the same.
    pub fn linear(&self, x: F) -> F {
        let (at, part) = self.place(x);
        let y = self.numbers[at];
        if part == F::default() {
            return y;
        }
        let z = self.numbers[at + 1];
        let step = z - y;
        if step.is_finite() {
            y + part * step
        } else {
            y * (F::ONE - part) + z * part
        }
    }

    /// The value at `x` of a cubic table: `y + t*(a + t*(b + t*c))`, where `t` is the part of the step, and otherwise as
    /// `linear`. `spline_value` in `shaders/sum.wgsl` does the same.
    pub fn cubic(&self, x: F) -> F {
        let (at, t) = self.place(x);
        let [y, a, b, c] = std::array::from_fn(|term| self.numbers[at * spline::TERMS + term]);
        if t == F::default() {
            return y;
        }
        y + t * (a + t * (b + t * c))
    }
}
