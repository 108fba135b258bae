//! The steps of a stage: each computes a register, for up to a block of rows, neighbors or pairs.

use std::mem::swap;
use std::ops::Range;

use super::{Cutoffs, Evaluator, FieldView, Segment, TARGETS};
use crate::formula::functions;
use crate::formula::number::Number;
use crate::formula::program::{Kind, Side};
use crate::formula::schedule::{Stage, Step, What};
use crate::points::Values;
use crate::real::Real;

impl<T: Real, F: Number> Evaluator<'_, T, F> {
    /// Does the steps of a stage for `len` rows, targets or pairs, from the one at `first` on.
    #[inline(always)]
    pub(super) fn steps(&mut self, stage: Stage, first: usize, len: usize) {
        for step in &self.work.schedule.stages[stage as usize] {
            let to = step.to as usize;
            if let What::Keep(column) = step.what {
                let columns = match stage {
                    Stage::Row => &mut self.columns_of_rows,
                    _ => &mut self.targets.columns,
                };
                let from = &self.lanes.registers[step.operands[0] as usize];
                columns[column][first..first + len].copy_from_slice(&from[..len]);
                continue;
            }
            swap(&mut self.lanes.spare, &mut self.lanes.registers[to]);
            match step.what {
                What::Operation(kind) => self.operate(kind, step, len),
                _ => self.read(step, first, len),
            }
            swap(&mut self.lanes.spare, &mut self.lanes.registers[to]);
        }
    }

    /// Reads what a step is, for the points of its stage, into the spare register.
    #[inline(always)]
    fn read(&mut self, step: &Step, first: usize, len: usize) {
        let work = self.work;
        match step.what {
            What::AddProduct => self.lanes.each(step, len, |a, b, c| a + b * c),
            What::Displace(axis) => match work.periods.0[axis] {
                None => self.displace(axis, first, |x, y| Real::sub(x, y)),
                Some(_) => self.displace(axis, first, |x, y| work.periods.difference(axis, x, y)),
            },
            What::Cut => match &work.cutoffs {
                Cutoffs::Same(cutoff) => self.lanes.spare.fill(F::from_f64(cutoff.to_f64())),
                Cutoffs::ByRadii(reach) => {
                    let Some(radii) = self.targets.radii.first_chunk() else {
                        return;
                    };
                    for Segment { row, pairs } in &self.segments {
                        let mine = reach.of(self.rows[*row].point as usize);
                        let ranks = &self.ranks[first..][pairs.clone()];
                        for (to, &rank) in self.lanes.spare[pairs.clone()].iter_mut().zip(ranks) {
                            let cutoff = reach.rule.cutoff(mine, at(radii, rank));
                            *to = F::from_f64(cutoff.to_f64());
                        }
                    }
                }
            },
            What::Spread(Side::I, column) => {
                let column = &self.columns_of_rows[column];
                for Segment { row, pairs } in &self.segments {
                    self.lanes.spare[pairs.clone()].fill(column[*row]);
                }
            }
            What::Spread(Side::J, column) => {
                let Some(column) = self.targets.columns[column].first_chunk() else {
                    return;
                };
                let ranks = &self.ranks[first..first + len];
                for (to, &rank) in self.lanes.spare.iter_mut().zip(ranks) {
                    *to = at(column, rank);
                }
            }
            What::Read(field, side, k) => {
                let Some(FieldView { values, components }) = work.fields[field as usize][side as usize] else {
                    return; // checked before
                };
                match values {
                    Values::None => (),
                    Values::F32(values) => self.read_field(side, from(values, k), components, first..first + len),
                    Values::F64(values) => self.read_field(side, from(values, k), components, first..first + len),
                }
            }
            What::Operation(_) | What::Keep(_) => (),
        }
    }

    /// Reads a value for each row or target of a range, of `components` that each point has.
    #[inline(always)]
    fn read_field<S: Real>(&mut self, side: Side, values: &[S], components: usize, range: Range<usize>) {
        // Queries are among the targets too. No row lists them, and they have no value of this field.
        let value = |point: usize| F::from_f64(values.get(point * components).copied().unwrap_or_default().to_f64());
        let first_row = self.work.first_row;
        match side {
            Side::I => {
                for (to, row) in self.lanes.spare.iter_mut().zip(&self.rows[range]) {
                    *to = value(row.point as usize - first_row);
                }
            }
            Side::J => {
                for (to, &j) in self.lanes.spare.iter_mut().zip(&self.targets.numbers[range]) {
                    *to = value(j as usize);
                }
            }
        }
    }

    /// The difference of each pair, rounded. The loop has no case to decide that is the same for all pairs.
    #[inline(always)]
    fn displace(&mut self, axis: usize, first: usize, difference: impl Fn(T, T) -> T) {
        let Some(others) = self.targets.axes[axis].first_chunk() else {
            return;
        };
        let mine = &self.work.axes[axis];
        for Segment { row, pairs } in &self.segments {
            let x = mine[self.rows[*row].point as usize];
            let ranks = &self.ranks[first..][pairs.clone()];
            for (to, &rank) in self.lanes.spare[pairs.clone()].iter_mut().zip(ranks) {
                *to = F::from_f64(difference(x, at(others, rank)).to_f64());
            }
        }
    }

    /// Computes an operation into the spare register.
    #[inline(always)]
    fn operate(&mut self, kind: Kind, step: &Step, len: usize) {
        let (work, lanes) = (self.work, &mut self.lanes);
        match kind {
            Kind::Number { single, double } => lanes.spare.fill(F::of_bits(single, double)),
            Kind::Constant(constant) => lanes.spare.fill(work.constants[constant as usize]),
            Kind::Table(table) => {
                let table = &work.tables[table as usize];
                lanes.few(step, len, |x, _| table.at(x));
            }
            Kind::Exp => lanes.few(step, len, |x, _| functions::exp(x)),
            Kind::Log => lanes.few(step, len, |x, _| functions::log(x)),
            Kind::Pow => lanes.few(step, len, functions::pow),
            Kind::Sin => lanes.few(step, len, |x, _| functions::sin(x)),
            Kind::Cos => lanes.few(step, len, |x, _| functions::cos(x)),
            Kind::Tan => lanes.few(step, len, |x, _| functions::tan(x)),
            Kind::Tanh => lanes.few(step, len, |x, _| functions::tanh(x)),
            Kind::Atan2 => lanes.few(step, len, functions::atan2),
            Kind::Erf => lanes.few(step, len, |x, _| functions::erf(x)),
            Kind::Erfc => lanes.few(step, len, |x, _| functions::erfc(x)),
            Kind::Negate => lanes.each(step, len, |x, _, _| -x),
            Kind::Abs => lanes.each(step, len, |x, _, _| x.magnitude()),
            Kind::Sqrt => lanes.each(step, len, |x, _, _| Real::sqrt(x)),
            Kind::Floor => lanes.each(step, len, |x, _, _| functions::Float::floor(x)),
            Kind::Sign => lanes.each(step, len, |x, _, _| {
                let (zero, one) = (F::default(), F::ONE);
                if x > zero {
                    one
                } else if x < zero {
                    -one
                } else {
                    x
                }
            }),
            Kind::Add => lanes.each(step, len, |a, b, _| a + b),
            Kind::Subtract => lanes.each(step, len, |a, b, _| a - b),
            Kind::Multiply => lanes.each(step, len, |a, b, _| a * b),
            Kind::Divide => lanes.each(step, len, |a, b, _| a / b),
            Kind::Min => lanes.each(step, len, |a, b, _| if b < a { b } else { a }),
            Kind::Max => lanes.each(step, len, |a, b, _| if a < b { b } else { a }),
            Kind::Less => lanes.each(step, len, |a, b, _| truth(a < b)),
            Kind::LessEqual => lanes.each(step, len, |a, b, _| truth(a <= b)),
            Kind::Equal => lanes.each(step, len, |a, b, _| truth(a == b)),
            Kind::NotEqual => lanes.each(step, len, |a, b, _| truth(a != b)),
            Kind::Select => lanes.each(step, len, |a, b, c| if c == F::default() { b } else { a }),
            // These are other steps, or in syntax only.
            Kind::Dot | Kind::Displacement | Kind::Cutoff | Kind::Field(..) | Kind::Square | Kind::Distance => (),
        }
    }
}

/// The value that a column has for a target. No rank is larger, which the compiler sees here.
#[inline(always)]
fn at<S: Copy>(column: &[S; TARGETS], rank: u16) -> S {
    column[usize::from(rank) % TARGETS]
}

/// The values from one on; none where there are no points.
#[inline(always)]
fn from<S>(values: &[S], first: usize) -> &[S] {
    values.get(first..).unwrap_or_default()
}

/// A condition as a number.
#[inline(always)]
fn truth<F: Number>(holds: bool) -> F {
    if holds { F::ONE } else { F::default() }
}
