//! A program over the pairs of rows. In: its steps, rows, points, fields, constants and tables. Out: the outputs of the rows.
//!
//! Rows come in batches whose neighbors are among the same few hundred points. What depends on a neighbor alone is read and
//! computed once for each of these points, what depends on the row's point once for each row. The pairs are taken in blocks,
//! whatever rows they are of. Each step loops over the pairs of a block, so that the compiler vectorizes it. Then the terms are
//! joined row by row, in the order of the row.

use std::mem::swap;
use std::ops::Range;

use super::functions;
use super::program::{Kind, Program, Reduction, Side};
use super::schedule::{Schedule, Stage, Step, What};
use super::tables::Table;
use super::{Number, Values};
use crate::cpu::simd::{Compiled, Isa, compiled_for};
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{Cells, boxed, push, reserve_exactly, resize_discarding};
use crate::points::Real;
use crate::radii::Reach;

/// Pairs of a block.
const PAIRS: usize = 256;

/// Numbers that are computed at once, at least: whole vectors of every width.
const AT_ONCE: usize = 16;

/// Points that the rows of a batch may list, at most.
pub(crate) const TARGETS: usize = 1 << 12;

/// Rows of a batch, at most.
pub(crate) const ROWS: usize = 1 << 9;

const WHAT: &str = "the blocks of a sum";

/// A number for each pair of a block.
type Lane<F> = [F; PAIRS];

/// A number for each point that rows list.
type Column<F> = Vec<F>;

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

/// What is evaluated, and what its steps read. Points have the caller's numbers.
pub struct Work<'a, T, F> {
    pub program: &'a Program,
    pub schedule: &'a Schedule,
    /// Queries stand behind the points.
    pub axes: &'a [Vec<T>],
    pub periods: &'a Periods<T>,
    pub cutoffs: Cutoffs<'a, T>,
    /// Of each field: as it is read for i and for j.
    pub fields: &'a [[Option<FieldView<'a>>; 2]],
    /// The first row is of this point; values that are read for i and outputs begin with it.
    pub first_row: usize,
    pub constants: &'a [F],
    pub tables: &'a [Table<F>],
    /// Whether a point is a neighbor of itself, and the global ids that say at which place in its row.
    pub with_self: bool,
    pub global_ids: Option<&'a [i64]>,
    /// The outputs of all rows.
    pub results: &'a [Cells<'a, F>],
    pub isa: Isa,
}

impl<T, F> Work<'_, T, F> {
    /// Whether a point stands before another in rows.
    fn precedes(&self, a: u32, b: u32) -> bool {
        match self.global_ids {
            Some(ids) => ids[a as usize] < ids[b as usize],
            None => a < b,
        }
    }
}

/// What the outputs of a row without neighbors are.
pub fn start<F: Number>(reduction: Reduction) -> F {
    match reduction {
        Reduction::Sum => F::default(),
        Reduction::Max => F::NEG_INFINITY,
        Reduction::Min => F::INFINITY,
    }
}

/// A row of a batch.
#[derive(Clone, Copy, Debug)]
struct Row {
    point: u32,
    /// The end of its pairs.
    end: usize,
}

/// Pairs of one row in a block.
#[derive(Clone, Debug)]
struct Segment {
    row: usize,
    pairs: Range<usize>,
}

/// The points that the rows of a batch list, and what steps read of them.
struct Targets<T, F> {
    numbers: Vec<u32>,
    axes: [Column<T>; 3],
    radii: Column<T>,
    columns: Vec<Column<F>>,
}

/// Evaluates rows, for one thread.
pub struct Evaluator<'a, T, F> {
    work: &'a Work<'a, T, F>,
    targets: Targets<T, F>,
    rows: Vec<Row>,
    columns_of_rows: Vec<Vec<F>>,
    /// Which targets the rows of a batch list, one row after the other.
    ranks: Vec<u16>,
    /// What rows have so far: each number of each output for all rows.
    sums: Vec<F>,
    lanes: Lanes<F>,
    segments: Vec<Segment>,
    /// What is the same for all pairs is in its registers.
    is_ready: bool,
}

/// The registers.
struct Lanes<F> {
    registers: Vec<Box<Lane<F>>>,
    /// Takes the place of the register that is written.
    spare: Box<Lane<F>>,
}

impl<'a, T: Real, F: Number> Evaluator<'a, T, F> {
    /// Makes room, so that batches need no more memory.
    pub fn new(work: &'a Work<'a, T, F>) -> Result<Evaluator<'a, T, F>> {
        let schedule = work.schedule;
        let coords = |axis: usize| column::<T>(schedule.displaces && axis < work.program.dim);
        let mut made = Evaluator {
            work,
            targets: Targets {
                numbers: Vec::new(),
                axes: [coords(0)?, coords(1)?, coords(2)?],
                radii: column(schedule.cuts)?,
                columns: Vec::new(),
            },
            rows: Vec::new(),
            columns_of_rows: Vec::new(),
            ranks: Vec::new(),
            sums: Vec::new(),
            lanes: Lanes {
                registers: Vec::new(),
                spare: boxed([F::default(); PAIRS], WHAT)?,
            },
            segments: Vec::new(),
            is_ready: false,
        };
        reserve_exactly(&mut made.targets.numbers, TARGETS, WHAT)?;
        reserve_exactly(&mut made.rows, ROWS, WHAT)?;
        reserve_exactly(&mut made.segments, PAIRS, WHAT)?;
        resize_discarding(&mut made.sums, schedule.terms.len() * ROWS, F::default(), WHAT)?;
        for _ in 0..schedule.columns[0] {
            let mut column = Vec::new();
            resize_discarding(&mut column, ROWS.next_multiple_of(PAIRS), F::default(), WHAT)?;
            push(&mut made.columns_of_rows, column, WHAT)?;
        }
        for _ in 0..schedule.columns[1] {
            push(&mut made.targets.columns, column(true)?, WHAT)?;
        }
        for _ in 0..schedule.registers {
            push(&mut made.lanes.registers, boxed([F::default(); PAIRS], WHAT)?, WHAT)?;
        }
        Ok(made)
    }

    /// Evaluates rows whose neighbors are among the points `targets`, at most [`TARGETS`]: of each of at most [`ROWS`] points,
    /// given as a rank among the targets, the length of the row; and the ranks of the neighbors of all rows, one row after the
    /// other.
    pub fn leaf(&mut self, targets: impl Iterator<Item = u32>, rows: (&[u16], &[u32]), ranks: &[u16]) -> Result<()> {
        self.finish();
        self.targets.numbers.extend(targets);
        self.ranks.clear();
        let (mut rest, more) = (ranks, if self.work.with_self { rows.0.len() } else { 0 });
        if self.ranks.capacity() < ranks.len() + more {
            reserve_exactly(&mut self.ranks, 2 * (ranks.len() + more), WHAT)?;
        }
        for (&own, &len) in rows.0.iter().zip(rows.1) {
            let (row, others) = rest.split_at(len as usize);
            rest = others;
            if self.work.with_self {
                let before = row.partition_point(|&rank| rank < own);
                self.ranks.extend_from_slice(&row[..before]);
                self.ranks.push(own);
                self.ranks.extend_from_slice(&row[before..]);
            } else {
                self.ranks.extend_from_slice(row);
            }
            self.rows.push(Row {
                point: self.targets.numbers[usize::from(own)],
                end: self.ranks.len(),
            });
        }
        self.batch([true; 2]);
        Ok(())
    }

    /// Takes up the row of a point, which is evaluated with others or at the [end](Evaluator::finish).
    pub fn row(&mut self, point: u32, row: impl ExactSizeIterator<Item = u32> + Clone) {
        let len = row.len() + usize::from(self.work.with_self);
        if self.targets.numbers.len() + len > TARGETS || self.rows.len() == ROWS {
            self.finish();
        }
        if !self.work.with_self {
            return self.append(point, row);
        }
        let before = row.clone().filter(|&j| self.work.precedes(j, point)).count();
        let mut rest = row;
        let with_self = (0..len).map(|k| match k == before {
            true => point,
            false => rest.next().unwrap_or(point),
        });
        self.append(point, with_self);
    }

    /// Appends a row, of which parts are evaluated at once where it is longer than a batch.
    fn append(&mut self, point: u32, row: impl Iterator<Item = u32>) {
        let mut is_first = true;
        for j in row {
            if self.targets.numbers.len() == TARGETS {
                self.push_row(point);
                self.evaluate_appended([is_first, false]);
                is_first = false;
            }
            self.targets.numbers.push(j);
        }
        self.push_row(point);
        if !is_first {
            self.evaluate_appended([false, true]);
        }
    }

    fn push_row(&mut self, point: u32) {
        let end = self.targets.numbers.len();
        self.rows.push(Row { point, end });
    }

    /// Evaluates the rows that were taken up.
    pub fn finish(&mut self) {
        if !self.rows.is_empty() {
            self.evaluate_appended([true; 2]);
        }
    }

    /// Rows that were taken up list one target after the other.
    fn evaluate_appended(&mut self, ends: [bool; 2]) {
        self.ranks.clear();
        self.ranks.extend(0..self.targets.numbers.len() as u16);
        self.batch(ends);
    }

    /// Evaluates a batch. A row of a batch of its own may come in parts: `ends` says whether it begins and whether it ends here.
    fn batch(&mut self, ends: [bool; 2]) {
        let isa = self.work.isa;
        compiled_for(isa, Batch { evaluator: self, ends });
        self.targets.numbers.clear();
        self.rows.clear();
    }

    #[inline(always)]
    fn evaluate(&mut self, [begins, is_done]: [bool; 2]) {
        self.load_targets();
        if begins {
            self.start_sums();
        }
        let uniform = if std::mem::replace(&mut self.is_ready, true) {
            0
        } else {
            PAIRS
        };
        let counts = [uniform, self.rows.len(), self.targets.numbers.len(), self.ranks.len()];
        let stages = [Stage::Uniform, Stage::Row, Stage::Target, Stage::Pair];
        let mut row = 0;
        for (stage, count) in stages.into_iter().zip(counts) {
            for first in (0..count).step_by(PAIRS) {
                let len = PAIRS.min(count - first);
                if stage == Stage::Pair {
                    row = self.cut(row, first, len);
                }
                self.steps(stage, first, len);
                if stage == Stage::Pair {
                    self.join();
                }
            }
        }
        if is_done {
            self.store();
        }
    }

    /// Reads the coordinates of the targets and their radii, where they are needed.
    #[inline(always)]
    fn load_targets(&mut self) {
        let Targets {
            numbers, axes, radii, ..
        } = &mut self.targets;
        for (to, from) in axes.iter_mut().zip(self.work.axes) {
            (to.iter_mut().zip(&*numbers)).for_each(|(to, &j)| *to = from[j as usize]);
        }
        if let Cutoffs::ByRadii(reach) = &self.work.cutoffs {
            (radii.iter_mut().zip(&*numbers)).for_each(|(to, &j)| *to = reach.of(j as usize));
        }
    }

    #[inline(always)]
    fn start_sums(&mut self) {
        let mut sums = self.sums.chunks_exact_mut(ROWS);
        for output in &self.work.program.outputs {
            for sums in sums.by_ref().take(output.width) {
                sums[..self.rows.len()].fill(start(output.reduction));
            }
        }
    }

    /// Divides the pairs of a block by rows, from `row` on; returns the last row.
    #[inline(always)]
    fn cut(&mut self, mut row: usize, first: usize, len: usize) -> usize {
        self.segments.clear();
        let mut done = 0;
        while done < len {
            let end = (self.rows[row].end - first).min(len);
            if end > done {
                let pairs = done..end;
                self.segments.push(Segment { row, pairs });
                done = end;
            }
            if done < len {
                row += 1;
            }
        }
        row
    }

    /// Joins the terms of a block to what the rows have.
    #[inline(always)]
    fn join(&mut self) {
        let mut terms = self.work.schedule.terms.iter().zip(self.sums.chunks_exact_mut(ROWS));
        for output in &self.work.program.outputs {
            for (&register, sums) in terms.by_ref().take(output.width) {
                let terms = &self.lanes.registers[register as usize];
                for Segment { row, pairs } in &self.segments {
                    sums[*row] = join(output.reduction, sums[*row], &terms[pairs.clone()]);
                }
            }
        }
    }

    /// Stores the outputs of the rows.
    #[inline(always)]
    fn store(&self) {
        let mut sums = self.sums.chunks_exact(ROWS);
        for (output, result) in self.work.program.outputs.iter().zip(self.work.results) {
            for (k, sums) in sums.by_ref().take(output.width).enumerate() {
                for (row, &sum) in self.rows.iter().zip(sums) {
                    result.put((row.point as usize - self.work.first_row) * output.width + k, sum);
                }
            }
        }
    }

    /// Does the steps of a stage for `len` rows, targets or pairs, from the one at `first` on.
    #[inline(always)]
    fn steps(&mut self, stage: Stage, first: usize, len: usize) {
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
                    Values::F32(values) => self.read_field(side, &values[k..], components, first..first + len),
                    Values::F64(values) => self.read_field(side, &values[k..], components, first..first + len),
                }
            }
            What::Operation(_) | What::Keep(_) => (),
        }
    }

    /// Reads a value for each row or target of a range, of `components` that each point has.
    #[inline(always)]
    fn read_field<S: Real>(&mut self, side: Side, values: &[S], components: usize, range: Range<usize>) {
        // Queries are among the targets too, though nobody lists them, and have no value of this field.
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

/// A batch, to be compiled for an instruction set.
struct Batch<'e, 'a, T, F> {
    evaluator: &'e mut Evaluator<'a, T, F>,
    ends: [bool; 2],
}

impl<T: Real, F: Number> Compiled for Batch<'_, '_, T, F> {
    #[inline(always)]
    fn run(self) {
        self.evaluator.evaluate(self.ends);
    }
}

impl<F: Number> Lanes<F> {
    /// Computes whole vectors, so that none of the loop is left behind them.
    #[inline(always)]
    fn each(&mut self, step: &Step, len: usize, f: impl Fn(F, F, F) -> F) {
        let [a, b, c] = step.operands.map(|of| &self.registers[of as usize]);
        let len = len.next_multiple_of(AT_ONCE);
        let [a, b, c] = [a, b, c].map(|lane| lane[..len].iter());
        for (((to, &a), &b), &c) in self.spare[..len].iter_mut().zip(a).zip(b).zip(c) {
            *to = f(a, b, c);
        }
    }

    /// Computes no more than there are.
    #[inline(always)]
    fn few(&mut self, step: &Step, len: usize, f: impl Fn(F, F) -> F) {
        let [a, b, _] = step.operands.map(|of| &self.registers[of as usize][..len]);
        for ((to, &a), &b) in self.spare.iter_mut().zip(a).zip(b) {
            *to = f(a, b);
        }
    }
}

/// A column for targets; an empty one where it is not needed.
fn column<S: Real>(is_needed: bool) -> Result<Column<S>> {
    let mut column = Vec::new();
    resize_discarding(&mut column, if is_needed { TARGETS } else { 0 }, S::default(), WHAT)?;
    Ok(column)
}

/// What a column has for a target. No rank is larger, which the compiler sees here.
#[inline(always)]
fn at<S: Copy>(column: &[S; TARGETS], rank: u16) -> S {
    column[usize::from(rank) % TARGETS]
}

/// A condition as a number.
#[inline(always)]
fn truth<F: Number>(holds: bool) -> F {
    if holds { F::ONE } else { F::default() }
}

/// Joins terms to what is there, one after the other.
#[inline(always)]
fn join<F: Number>(reduction: Reduction, first: F, terms: &[F]) -> F {
    let terms = terms.iter().copied();
    match reduction {
        Reduction::Sum => terms.fold(first, |sum, term| sum + term),
        Reduction::Max => terms.fold(first, |most, term| if most < term { term } else { most }),
        Reduction::Min => terms.fold(first, |least, term| if term < least { term } else { least }),
    }
}
