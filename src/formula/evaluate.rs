//! A program over the pairs of rows. In: a program, rows, points, fields, constants and tables. Out: the outputs of the rows.
//!
//! Pairs are taken in blocks, whatever rows they are of. Each operation loops over the pairs of a block, so that the compiler
//! vectorizes it. Then the terms are joined row by row, in the order of the row.

use std::mem::swap;
use std::ops::Range;

use super::functions;
use super::program::{Kind, Operation, Program, Reduction, Side};
use super::tables::Table;
use super::{Number, Values};
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{boxed, push, reserve_exactly, resize_discarding};
use crate::points::Real;
use crate::radii::Reach;

/// Pairs of a block.
const PAIRS: usize = 128;

const WHAT: &str = "the blocks of a sum";

/// A number for each pair of a block.
type Lane<F> = [F; PAIRS];

/// Values that the caller has given for each point or query, and how many each has.
#[derive(Clone, Copy, Debug)]
pub struct FieldView<'a> {
    pub values: &'a Values,
    pub components: usize,
}

/// The cutoff of a pair.
#[derive(Debug)]
pub enum Cutoffs<'a, T> {
    Same(T),
    ByRadii(Reach<'a, T>),
}

/// What operations read.
#[derive(Debug)]
pub struct Sources<'a, T, F> {
    /// Queries stand behind the points.
    pub axes: &'a [Vec<T>],
    pub periods: &'a Periods<T>,
    pub cutoffs: Cutoffs<'a, T>,
    /// Of each field: as it is read for i and for j.
    pub fields: &'a [[Option<FieldView<'a>>; 2]],
    /// The first row is of this point; values that are read for i begin with it.
    pub first_row: usize,
    pub constants: &'a [F],
    pub tables: &'a [Table<F>],
}

/// Which registers hold which results.
#[derive(Debug, Default)]
pub struct Registers {
    /// Of each operation: the register of each axis; of a number thrice the same.
    of: Vec<[u32; 3]>,
    /// Whether the result is the same for all pairs.
    uniform: Vec<bool>,
    used: usize,
}

impl Registers {
    /// Registers are used again when no later operation reads them, except those of results that are the same for all pairs.
    pub fn new(program: &Program, one_cutoff: bool) -> Result<Registers> {
        let operations = &program.operations;
        let mut made = Registers::default();
        let (mut last, mut free) = (Vec::new(), Vec::new());
        resize_discarding(&mut last, operations.len(), 0, WHAT)?;
        for (at, operation) in operations.iter().enumerate() {
            operation.operands().iter().for_each(|&of| last[of as usize] = at);
        }
        program
            .outputs
            .iter()
            .for_each(|output| last[output.operation as usize] = usize::MAX);
        for (at, operation) in operations.iter().enumerate() {
            let uniform = match operation.kind {
                Kind::Number { .. } | Kind::Constant(_) => true,
                Kind::Cutoff => one_cutoff,
                Kind::Field(..) | Kind::Displacement => false,
                _ => operation.operands().iter().all(|&of| made.uniform[of as usize]),
            };
            let mut registers = [0; 3];
            for register in &mut registers[..width(program, operation)] {
                let new = made.used as u32;
                *register = if uniform { new } else { free.pop().unwrap_or(new) };
                made.used += usize::from(*register == new);
            }
            if !operation.is_vector {
                registers = [registers[0]; 3];
            }
            push(&mut made.of, registers, WHAT)?;
            push(&mut made.uniform, uniform, WHAT)?;
            for (k, &of) in operation.operands().iter().enumerate() {
                let is_again = operation.operands()[..k].contains(&of);
                if last[of as usize] == at && !made.uniform[of as usize] && !is_again {
                    let of_axis = &made.of[of as usize][..width(program, &operations[of as usize])];
                    for &register in of_axis {
                        push(&mut free, register, WHAT)?;
                    }
                }
            }
        }
        Ok(made)
    }
}

/// Numbers of a result.
fn width(program: &Program, operation: &Operation) -> usize {
    if operation.is_vector { program.dim } else { 1 }
}

/// Rows, and what is done with them.
#[derive(Debug)]
pub struct Work<'a, T, F> {
    pub program: &'a Program,
    pub registers: &'a Registers,
    pub sources: Sources<'a, T, F>,
    /// Rows of points: row `k` is of point `first_point + k`.
    pub first_point: usize,
    pub offsets: &'a [i64],
    pub ids: &'a [i32],
    pub base: i64,
    /// Whether a point is a neighbor of itself, and the global ids that say at which place in its row.
    pub with_self: bool,
    pub global_ids: Option<&'a [i64]>,
}

impl<T: Real, F: Number> Work<'_, T, F> {
    /// Computes the outputs of `rows` into `results`, which has a slice for each output that begins with the first of the rows.
    pub fn run(&self, rows: Range<usize>, results: &mut [&mut [F]]) -> Result<()> {
        for (output, result) in self.program.outputs.iter().zip(results.iter_mut()) {
            result.fill(start(output.reduction));
        }
        let mut block = Block::new(self)?;
        for row in rows.clone() {
            let i = (self.first_point + row) as u32;
            let [from, to] = [row, row + 1].map(|k| (self.offsets[k] - self.base) as usize);
            let listed = &self.ids[from..to];
            let j = |&id: &i32| id.wrapping_sub(self.base as i32) as u32;
            let place = row - rows.start;
            if self.with_self {
                let before = listed.partition_point(|id| self.precedes(j(id), i));
                for run in [
                    &listed[..before],
                    &[(i64::from(i) + self.base) as i32],
                    &listed[before..],
                ] {
                    block.add(place, i, run.iter().map(j), results);
                }
            } else {
                block.add(place, i, listed.iter().map(j), results);
            }
        }
        block.finish(results);
        Ok(())
    }

    /// Whether a point stands before another in rows.
    fn precedes(&self, a: u32, b: u32) -> bool {
        match self.global_ids {
            Some(ids) => ids[a as usize] < ids[b as usize],
            None => a < b,
        }
    }
}

fn start<F: Number>(reduction: Reduction) -> F {
    match reduction {
        Reduction::Sum => F::default(),
        Reduction::Max => F::NEG_INFINITY,
        Reduction::Min => F::INFINITY,
    }
}

/// Pairs of one row in a block.
#[derive(Clone, Debug)]
struct Segment {
    row: usize,
    /// The point of the row.
    i: u32,
    pairs: Range<usize>,
}

/// A block of pairs, and the registers.
struct Block<'a, T, F> {
    work: &'a Work<'a, T, F>,
    j: [u32; PAIRS],
    len: usize,
    segments: Vec<Segment>,
    registers: Vec<Box<Lane<F>>>,
    /// Takes the place of the register that is written.
    spare: Box<Lane<F>>,
}

impl<'a, T: Real, F: Number> Block<'a, T, F> {
    fn new(work: &'a Work<'a, T, F>) -> Result<Block<'a, T, F>> {
        let empty = || boxed([F::default(); PAIRS], WHAT);
        let mut block = Block {
            work,
            j: [0; PAIRS],
            len: 0,
            segments: Vec::new(),
            registers: Vec::new(),
            spare: empty()?,
        };
        reserve_exactly(&mut block.segments, PAIRS, WHAT)?;
        for _ in 0..work.registers.used {
            push(&mut block.registers, empty()?, WHAT)?;
        }
        block.len = PAIRS;
        block.operate(true);
        block.len = 0;
        Ok(block)
    }

    /// Adds pairs of a row. Full blocks are computed at once.
    fn add(&mut self, row: usize, i: u32, row_j: impl ExactSizeIterator<Item = u32>, results: &mut [&mut [F]]) {
        let mut left = row_j;
        while left.len() > 0 {
            let first = self.len;
            let end = (first + left.len()).min(PAIRS);
            self.j[first..end].iter_mut().zip(&mut left).for_each(|(to, j)| *to = j);
            self.segments.push(Segment {
                row,
                i,
                pairs: first..end,
            });
            self.len = end;
            if end == PAIRS {
                self.finish(results);
            }
        }
    }

    /// Computes the pairs that the block has, and joins their terms to the results.
    fn finish(&mut self, results: &mut [&mut [F]]) {
        if self.len == 0 {
            return;
        }
        self.operate(false);
        let work = self.work;
        for (output, result) in work.program.outputs.iter().zip(results) {
            let registers = work.registers.of[output.operation as usize];
            for (k, &register) in registers.iter().enumerate().take(output.width) {
                let terms = &self.registers[register as usize];
                for Segment { row, pairs, .. } in &self.segments {
                    let joined = &mut result[row * output.width + k];
                    *joined = join(output.reduction, *joined, &terms[pairs.clone()]);
                }
            }
        }
        self.segments.clear();
        self.len = 0;
    }

    /// Runs the operations whose results are the same for all pairs, or the others.
    fn operate(&mut self, uniform: bool) {
        let (program, held) = (self.work.program, self.work.registers);
        for (at, operation) in program.operations.iter().enumerate() {
            if held.uniform[at] != uniform {
                continue;
            }
            let registers = held.of[at];
            for (k, &register) in registers.iter().enumerate().take(width(program, operation)) {
                swap(&mut self.spare, &mut self.registers[register as usize]);
                self.compute(operation, k);
                swap(&mut self.spare, &mut self.registers[register as usize]);
            }
        }
    }

    /// Computes axis `k` of a result into the spare register.
    fn compute(&mut self, operation: &Operation, k: usize) {
        let sources = &self.work.sources;
        match operation.kind {
            Kind::Number { single, double } => self.spare.fill(F::of_bits(single, double)),
            Kind::Constant(constant) => self.spare.fill(sources.constants[constant as usize]),
            Kind::Displacement => self.displace(k),
            Kind::Cutoff => self.cut(),
            Kind::Field(field, side) => self.read_field(field, side, k),
            Kind::Table(table) => {
                let table = &sources.tables[table as usize];
                self.few(operation, k, |x, _| table.at(x));
            }
            Kind::Exp => self.few(operation, k, |x, _| functions::exp(x)),
            Kind::Log => self.few(operation, k, |x, _| functions::log(x)),
            Kind::Pow => self.few(operation, k, functions::pow),
            Kind::Negate => self.each(operation, k, |x, _| -x),
            Kind::Abs => self.each(operation, k, |x, _| x.magnitude()),
            Kind::Sqrt => self.each(operation, k, |x, _| Real::sqrt(x)),
            Kind::Floor => self.each(operation, k, |x, _| functions::Float::floor(x)),
            Kind::Sign => self.each(operation, k, |x, _| {
                let (zero, one) = (F::default(), F::ONE);
                if x > zero {
                    one
                } else if x < zero {
                    -one
                } else {
                    x
                }
            }),
            Kind::Add => self.each(operation, k, |a, b| a + b),
            Kind::Subtract => self.each(operation, k, |a, b| a - b),
            Kind::Multiply => self.each(operation, k, |a, b| a * b),
            Kind::Divide => self.each(operation, k, |a, b| a / b),
            Kind::Min => self.each(operation, k, |a, b| if b < a { b } else { a }),
            Kind::Max => self.each(operation, k, |a, b| if a < b { b } else { a }),
            Kind::Less => self.each(operation, k, |a, b| truth(a < b)),
            Kind::LessEqual => self.each(operation, k, |a, b| truth(a <= b)),
            Kind::Equal => self.each(operation, k, |a, b| truth(a == b)),
            Kind::NotEqual => self.each(operation, k, |a, b| truth(a != b)),
            Kind::Dot => self.dot(operation),
            Kind::Select => self.select(operation, k),
            Kind::Square | Kind::Distance => (), // no program has them
        }
    }

    /// Computes all pairs that a block may have: a loop of a fixed length, which the compiler vectorizes.
    #[inline(always)]
    fn each(&mut self, operation: &Operation, k: usize, f: impl Fn(F, F) -> F) {
        let [a, b, _] = operation.operands.map(|of| self.register(of, k));
        let (a, b) = (&self.registers[a], &self.registers[b]);
        for ((to, &a), &b) in self.spare.iter_mut().zip(a.iter()).zip(b.iter()) {
            *to = f(a, b);
        }
    }

    /// Computes the pairs that there are.
    #[inline(always)]
    fn few(&mut self, operation: &Operation, k: usize, f: impl Fn(F, F) -> F) {
        let [a, b, _] = operation.operands.map(|of| self.register(of, k));
        let (a, b) = (&self.registers[a][..self.len], &self.registers[b][..self.len]);
        for ((to, &a), &b) in self.spare.iter_mut().zip(a).zip(b) {
            *to = f(a, b);
        }
    }

    fn select(&mut self, operation: &Operation, k: usize) {
        let [a, b, c] = operation.operands.map(|of| self.register(of, k));
        let (a, b, c) = (&self.registers[a], &self.registers[b], &self.registers[c]);
        let operands = a.iter().zip(b.iter()).zip(c.iter());
        for (to, ((&a, &b), &c)) in self.spare.iter_mut().zip(operands) {
            *to = if c == F::default() { b } else { a };
        }
    }

    fn dot(&mut self, operation: &Operation) {
        for axis in 0..self.work.program.dim {
            let [a, b, _] = operation.operands.map(|of| self.register(of, axis));
            let (a, b) = (&self.registers[a], &self.registers[b]);
            let operands = self.spare.iter_mut().zip(a.iter()).zip(b.iter());
            match axis {
                0 => operands.for_each(|((to, &a), &b)| *to = a * b),
                _ => operands.for_each(|((to, &a), &b)| *to = *to + a * b),
            }
        }
    }

    /// The register of axis `k` of a result.
    fn register(&self, of: u32, k: usize) -> usize {
        self.work.registers.of[of as usize][k] as usize
    }

    fn displace(&mut self, axis: usize) {
        let Sources { axes, periods, .. } = self.work.sources;
        match periods.0[axis] {
            None => self.subtract(&axes[axis], |x, y| Real::sub(x, y)),
            Some(_) => self.subtract(&axes[axis], |x, y| periods.difference(axis, x, y)),
        }
    }

    /// The difference of each pair, rounded. The loop has no case to decide that is the same for all pairs.
    #[inline(always)]
    fn subtract(&mut self, coords: &[T], difference: impl Fn(T, T) -> T) {
        for Segment { i, pairs, .. } in &self.segments {
            let x = coords[*i as usize];
            for (to, &j) in self.spare[pairs.clone()].iter_mut().zip(&self.j[pairs.clone()]) {
                *to = F::from_f64(difference(x, coords[j as usize]).to_f64());
            }
        }
    }

    fn cut(&mut self) {
        match &self.work.sources.cutoffs {
            Cutoffs::Same(cutoff) => self.spare.fill(F::from_f64(cutoff.to_f64())),
            Cutoffs::ByRadii(reach) => {
                for Segment { i, pairs, .. } in &self.segments {
                    let mine = reach.of(*i as usize);
                    for (to, &j) in self.spare[pairs.clone()].iter_mut().zip(&self.j[pairs.clone()]) {
                        let cutoff = reach.rule.cutoff(mine, reach.of(j as usize));
                        *to = F::from_f64(cutoff.to_f64());
                    }
                }
            }
        }
    }

    fn read_field(&mut self, field: u32, side: Side, k: usize) {
        let Some(FieldView { values, components }) = self.work.sources.fields[field as usize][side as usize] else {
            return; // checked before
        };
        match values {
            Values::None => (),
            Values::F32(values) => self.read(side, &values[k..], components),
            Values::F64(values) => self.read(side, &values[k..], components),
        }
    }

    /// Reads a value for each pair, of `components` that each point has.
    fn read<S: Real>(&mut self, side: Side, values: &[S], components: usize) {
        let value = |point: usize| F::from_f64(values[point * components].to_f64());
        match side {
            Side::I => {
                for Segment { i, pairs, .. } in &self.segments {
                    self.spare[pairs.clone()].fill(value(*i as usize - self.work.sources.first_row));
                }
            }
            Side::J => {
                for (to, &j) in self.spare.iter_mut().zip(&self.j[..self.len]) {
                    *to = value(j as usize);
                }
            }
        }
    }
}

/// A condition as a number.
fn truth<F: Number>(holds: bool) -> F {
    if holds { F::ONE } else { F::default() }
}

/// Joins terms to what is there, one after the other.
fn join<F: Number>(reduction: Reduction, first: F, terms: &[F]) -> F {
    let terms = terms.iter().copied();
    match reduction {
        Reduction::Sum => terms.fold(first, |sum, term| sum + term),
        Reduction::Max => terms.fold(first, |most, term| if most < term { term } else { most }),
        Reduction::Min => terms.fold(first, |least, term| if term < least { term } else { least }),
    }
}
