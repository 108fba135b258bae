//! A program over points, one by one: values that each point gets, and numbers made of the terms of all.
//!
//! in: a program without pairs, fields, constants; out: values by point, and totals. Totals do not depend on the order of their terms:
//! a sum is exact and rounded once.

use std::ops::Range;

use super::lanes::{Lane, Lanes, PAIRS, WHAT};
use crate::error::Result;
use crate::exact_sum::{ExactSum, WORDS};
use crate::fields::FieldView;
use crate::formula::number::{Number, start};
use crate::formula::program::{Program, Reduction};
use crate::formula::schedule::{Schedule, Stage, What};
use crate::formula::tables::Table;
use crate::kinds::Actives;
use crate::list::{Cells, boxed, push};
use crate::points::Numbers;
use crate::real::Real;
use crate::simd::{InstructionSet, Isa, Kernel, Simd};

/// The program that is evaluated, and all that its steps read.
pub struct PointWork<'a, F> {
    pub program: &'a Program,
    pub schedule: &'a Schedule,
    /// By slot, as they are read for i.
    pub fields: &'a [[Option<FieldView<'a>>; 2]],
    pub constants: &'a [F],
    pub tables: &'a [&'a Table<F>],
    /// That of all pairs, of a program of pairs.
    pub cutoff: F,
    /// Of each output: the way in which the terms of all points are joined; otherwise each point has its own value.
    pub totals: &'a [Option<Reduction>],
    /// The points whose terms are in totals; all have values.
    pub active: Actives<'a>,
    /// The values of all points, of each output that has such.
    pub results: &'a [Cells<'a, F>],
    pub isa: Isa,
}

/// The terms of all points that a thread has seen, joined.
pub struct Total {
    reduction: Reduction,
    /// The largest or the smallest.
    bound: f64,
    sum: Box<ExactSum>,
    /// What infinite terms and those that are no number add up to.
    special: f64,
}

impl Total {
    /// Numbers that a total travels as.
    pub(crate) const NUMBERS: usize = 2 + WORDS;

    /// The numbers of the total.
    pub fn to_numbers(&self) -> [i64; Total::NUMBERS] {
        let (mut numbers, mut words) = ([0; Total::NUMBERS], [0; WORDS]);
        self.sum.to_words(&mut words);
        (numbers[0], numbers[1]) = (self.bound.to_bits() as i64, self.special.to_bits() as i64);
        numbers[2..].copy_from_slice(&words);
        numbers
    }

    /// The total that these numbers are; `None` where they are none.
    pub fn of_numbers(reduction: Reduction, numbers: &[i64; Total::NUMBERS]) -> Result<Option<Total>> {
        let mut words = [0; WORDS];
        words.copy_from_slice(&numbers[2..]);
        let Some(sum) = ExactSum::from_words(&words) else {
            return Ok(None);
        };
        Ok(Some(Total {
            reduction,
            bound: f64::from_bits(numbers[0] as u64),
            sum: boxed(sum, WHAT)?,
            special: f64::from_bits(numbers[1] as u64),
        }))
    }

    /// The way in which terms are joined.
    pub fn reduction(&self) -> Reduction {
        self.reduction
    }

    pub fn new(reduction: Reduction) -> Result<Total> {
        Ok(Total {
            reduction,
            bound: start(reduction),
            sum: boxed(ExactSum::default(), WHAT)?,
            special: 0.0,
        })
    }

    #[inline]
    pub fn add(&mut self, term: f64) {
        match self.reduction {
            Reduction::Sum if term.is_finite() => self.sum.add(term),
            Reduction::Sum => self.special += term,
            Reduction::Max if before(self.bound, term) => self.bound = term,
            Reduction::Min if before(term, self.bound) => self.bound = term,
            Reduction::Max | Reduction::Min => (),
        }
    }

    /// Adds a sum by its digits, 16 bits apart, of which the first counts 2 to the power of `least`.
    #[cfg(feature = "gpu")]
    pub fn add_digits(&mut self, digits: &mut [i64], least: i32) {
        const BITS: i32 = 16;
        let carry = |digits: &mut [i64]| {
            for k in 1..digits.len() {
                let over = digits[k - 1] >> BITS;
                digits[k - 1] -= over << BITS;
                digits[k] += over;
            }
        };
        carry(digits);
        let is_negative = digits.last().is_some_and(|&last| last < 0);
        if is_negative {
            digits.iter_mut().for_each(|digit| *digit = -*digit);
            carry(digits);
        }
        // No digit is negative now: one that is too large says that the sum is.
        for (k, &digit) in (0..).zip(digits.iter()).filter(|(_, digit)| **digit != 0) {
            let exponent = least + BITS * k;
            let half = exponent / 2; // 2 to the power of the exponent may be subnormal or too large
            let magnitude = digit as f64 * power_of_2(half) * power_of_2(exponent - half);
            // Twice the largest number is too large as well.
            let terms = if magnitude.is_finite() {
                [magnitude, 0.0]
            } else {
                [f64::MAX; 2]
            };
            for term in terms {
                self.sum.add(if is_negative { -term } else { term });
            }
        }
    }

    /// Adds terms that are not finite: `HAS_NAN` and the others in `shaders/shared/totals.wgsl`.
    #[cfg(feature = "gpu")]
    pub fn add_kinds(&mut self, kinds: u32) {
        for (k, term) in (0..).zip([f64::NAN, f64::INFINITY, f64::NEG_INFINITY]) {
            if kinds >> k & 1 != 0 {
                self.add(term);
            }
        }
    }

    /// Adds what another thread has seen.
    pub fn merge(&mut self, other: &mut Total) {
        match self.reduction {
            Reduction::Sum => {
                self.sum.merge(&mut other.sum);
                self.special += other.special;
            }
            _ => self.add(other.bound),
        }
    }

    /// The number that all terms make.
    pub fn value(&mut self) -> f64 {
        match self.reduction {
            Reduction::Sum if self.special == 0.0 => self.sum.rounded(),
            Reduction::Sum => self.special,
            _ => self.bound,
        }
    }
}

/// 2 to the power of a number of normal range.
#[cfg(feature = "gpu")]
fn power_of_2(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Whether a number is before another one. -0 is before 0, so that the order of terms does not matter.
fn before(a: f64, b: f64) -> bool {
    a < b || a == b && a.is_sign_negative() && b.is_sign_positive()
}

/// Evaluates points, for one thread.
pub struct PointEvaluator<'a, F> {
    work: &'a PointWork<'a, F>,
    lanes: Lanes<F>,
    columns: Vec<Box<Lane<F>>>,
    /// Of the outputs that have such, in their order.
    pub totals: Vec<Total>,
    is_ready: bool,
}

impl<'a, F: Number> PointEvaluator<'a, F> {
    /// Makes room, so that points need no more memory.
    pub fn new(work: &'a PointWork<'a, F>) -> Result<PointEvaluator<'a, F>> {
        let mut made = PointEvaluator {
            work,
            lanes: Lanes::new(work.schedule.registers)?,
            columns: Vec::new(),
            totals: Vec::new(),
            is_ready: false,
        };
        for _ in 0..work.schedule.columns[0] {
            push(&mut made.columns, boxed([F::default(); PAIRS], WHAT)?, WHAT)?;
        }
        for &reduction in work.totals.iter().flatten() {
            push(&mut made.totals, Total::new(reduction)?, WHAT)?;
        }
        Ok(made)
    }

    /// Evaluates a range of points.
    pub fn points(&mut self, range: Range<usize>) {
        let isa = self.work.isa;
        Simd::new(isa).run(PointKernel { evaluator: self, range });
    }

    /// Values that are the same for all points or pairs, by register.
    #[cfg(feature = "gpu")]
    pub fn uniforms(&mut self) -> Result<Vec<F>> {
        self.steps(Stage::Uniform, 0, PAIRS);
        let mut uniforms = Vec::new();
        for lane in &self.lanes.registers[..self.work.schedule.uniform] {
            push(&mut uniforms, lane[0], WHAT)?;
        }
        Ok(uniforms)
    }

    /// The values of outputs that are the same for all points: those of a program of numbers.
    pub fn numbers(&mut self) -> impl Iterator<Item = F> + '_ {
        self.steps(Stage::Uniform, 0, PAIRS);
        let of = |output: usize| self.work.schedule.terms[output];
        (0..self.work.program.outputs.len()).map(move |output| self.lanes.registers[of(output) as usize][0])
    }

    #[inline(always)]
    fn evaluate(&mut self, range: Range<usize>) {
        if !std::mem::replace(&mut self.is_ready, true) {
            self.steps(Stage::Uniform, 0, PAIRS);
        }
        for first in range.clone().step_by(PAIRS) {
            let len = PAIRS.min(range.end - first);
            self.steps(Stage::Row, first, len);
            self.steps(Stage::Pair, first, len);
            self.store(first, len);
        }
    }

    #[inline(always)]
    fn steps(&mut self, stage: Stage, first: usize, len: usize) {
        let work = self.work;
        for step in &work.schedule.stages[stage as usize] {
            let to = step.to as usize;
            if let What::Keep(column) = step.what {
                self.columns[column].copy_from_slice(&self.lanes.registers[step.operands[0] as usize][..]);
                continue;
            }
            std::mem::swap(&mut self.lanes.spare, &mut self.lanes.registers[to]);
            match step.what {
                What::Operation(kind) => self.lanes.operate(kind, step, len, (work.constants, work.tables)),
                What::AddProduct => self.lanes.each(step, len, |a, b, c| a + b * c),
                What::Spread(_, column) => self.lanes.spare.copy_from_slice(&self.columns[column][..]),
                What::Read(slot, side, k) => self.read((slot, side as usize, k), first, len),
                What::Cut => self.lanes.spare.fill(work.cutoff),
                // Of pairs alone, which are not evaluated here.
                What::Displace(_) | What::Class | What::OfPair(..) | What::Keep(_) => (),
            }
            std::mem::swap(&mut self.lanes.spare, &mut self.lanes.registers[to]);
        }
    }

    /// Reads a component of a field.
    #[inline(always)]
    fn read(&mut self, (slot, side, k): (u32, usize, usize), first: usize, len: usize) {
        let Some(view) = self.work.fields[slot as usize][side] else {
            return; // checked before
        };
        match view.component(k) {
            Numbers::F32(values) => read(&mut self.lanes.spare[..len], values, view.stride, first),
            Numbers::F64(values) => read(&mut self.lanes.spare[..len], values, view.stride, first),
        }
    }

    /// Stores the values of points, and joins their terms.
    #[inline(always)]
    fn store(&mut self, first: usize, len: usize) {
        let work = self.work;
        let (mut terms, mut totals, mut results) =
            (work.schedule.terms.iter(), self.totals.iter_mut(), work.results.iter());
        for (output, total) in work.program.outputs.iter().zip(work.totals) {
            let registers = terms.by_ref().take(output.width);
            match total {
                Some(_) => {
                    let Some(total) = totals.next() else { continue };
                    for &register in registers {
                        let terms = &self.lanes.registers[register as usize][..len];
                        (work.active.among(first, len)).for_each(|k| total.add(terms[k].to_f64()));
                    }
                }
                None => {
                    let Some(result) = results.next() else { continue };
                    for (k, &register) in registers.enumerate() {
                        let values = &self.lanes.registers[register as usize][..len];
                        for (point, &value) in (first..).zip(values) {
                            result.put(point * output.width + k, value);
                        }
                    }
                }
            }
        }
    }
}

/// Reads a number for each of `to`, of which those of neighbors are `stride` apart, from number `first` on.
#[inline(always)]
pub(super) fn read<F: Number, S: Real>(to: &mut [F], values: &[S], stride: usize, first: usize) {
    let values = values.get(first * stride..).unwrap_or_default();
    for (to, value) in to.iter_mut().zip(values.iter().step_by(stride)) {
        *to = F::from_f64(value.to_f64());
    }
}

/// A range of points, to be compiled for an instruction set.
struct PointKernel<'e, 'a, F> {
    evaluator: &'e mut PointEvaluator<'a, F>,
    range: Range<usize>,
}

impl<F: Number> Kernel for PointKernel<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet>(self, _: S) {
        self.evaluator.evaluate(self.range);
    }
}
