//! A program over the pairs of rows. In: its steps, rows, points, fields, constants and tables. Out: the outputs of the
//! rows.
//!
//! Rows come in batches whose neighbors are among the same few hundred points. A value that depends on the neighbor
//! alone is computed once for each of those points. A value that depends on the row's point alone is computed once for
//! each row. Pairs are taken in blocks that may span several rows. Each step loops over the pairs of a block, so that
//! the compiler vectorizes it. Then the terms are joined row by row, in the order of the row.

mod lanes;
mod points;
mod results;
mod steps;

use std::ops::Range;

use super::number::Number;
use super::program::Program;
use super::schedule::{Schedule, Stage};
use super::tables::Table;
use crate::cell::Cell;
use crate::domain::Periods;
use crate::error::Result;
use crate::exclusions::ExcludedPairs;
use crate::fields::FieldView;
use crate::kinds::TypeCutoffs;
use crate::list::{Cells, push, reserve_exactly_discarding, reserve_keeping, resize_discarding};
use crate::radii::Reach;
use crate::real::Real;
use crate::simd::{InstructionSet, Isa, Kernel, Simd};
use lanes::{Lanes, PAIRS, WHAT};
pub use points::{PointEvaluator, PointWork, Total};

/// Points that the rows of a batch may list, at most.
pub(crate) const TARGETS: usize = 1 << 12;

/// Rows of a batch, at most.
pub(crate) const ROWS: usize = 1 << 9;

/// A number for each point that rows list.
type Column<F> = Vec<F>;

/// The cutoff of a pair.
#[derive(Debug)]
pub enum Cutoffs<'a, T> {
    Same(T),
    ByRadii(Reach<'a, T>),
    ByTypes(TypeCutoffs<'a, T>),
}

/// The program that is evaluated, and all that its steps read. Points have the caller's numbers.
pub struct Work<'a, T, F> {
    pub program: &'a Program,
    pub schedule: &'a Schedule,
    /// Queries are after the points.
    pub axes: &'a [Vec<T>],
    pub periods: &'a Periods<T>,
    /// The cell whose images rows list.
    pub cell: Option<&'a Cell>,
    pub cutoffs: Cutoffs<'a, T>,
    /// By slot: as it is read for i and for j.
    pub fields: &'a [[Option<FieldView<'a>>; 2]],
    /// Pair fields by slot: values of the entries of all rows, one row after the other. Where there is none, all are zero.
    pub pairs: &'a [Option<FieldView<'a>>],
    /// The slot of the positions, which are in `axes`.
    pub positions: Option<u32>,
    /// The first row is of this point; values that are read for i and outputs begin with it.
    pub first_row: usize,
    pub constants: &'a [F],
    pub tables: &'a [&'a Table<F>],
    /// Whether a point is a neighbor of itself, and the global ids that say at which place in its row.
    pub with_self: bool,
    pub global_ids: Option<&'a [i64]>,
    /// Excluded pairs, whose classes are read.
    pub excluded: Option<&'a ExcludedPairs>,
    /// The outputs of all rows, or of all entries.
    pub results: &'a [Cells<'a, F>],
    pub isa: Isa,
}

impl<T, F> Work<'_, T, F> {
    /// Whether a point is before another in rows.
    fn precedes(&self, a: u32, b: u32) -> bool {
        match self.global_ids {
            Some(ids) => (ids[a as usize], a) < (ids[b as usize], b),
            None => a < b,
        }
    }
}

/// A point of a row, and by which shift its image is listed; 0 where there is no cell.
pub type Listing = (u32, [i32; 3]);

/// A row of a batch.
#[derive(Clone, Copy, Debug)]
struct BatchRow {
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
struct Listed<T, F> {
    numbers: Vec<u32>,
    /// By which each is shifted; empty where there is no cell.
    shifts: Vec<[i32; 3]>,
    axes: [Column<T>; 3],
    radii: Column<T>,
    columns: Vec<Column<F>>,
}

/// Evaluates rows, for one thread.
pub struct Evaluator<'a, T, F> {
    work: &'a Work<'a, T, F>,
    targets: Listed<T, F>,
    rows: Vec<BatchRow>,
    columns_of_rows: Vec<Vec<F>>,
    /// Targets that the rows of a batch list, one row after the other.
    ranks: Vec<u16>,
    /// Values that rows have so far: each number of each output for all rows.
    sums: Vec<F>,
    lanes: Lanes<F>,
    segments: Vec<Segment>,
    /// The entry of the first pair of the batch, where there are pair fields.
    first_entry: usize,
    /// Values that are the same for all pairs are in its registers.
    is_ready: bool,
}

impl<'a, T: Real, F: Number> Evaluator<'a, T, F> {
    /// Makes room, so that batches need no more memory.
    pub fn new(work: &'a Work<'a, T, F>) -> Result<Evaluator<'a, T, F>> {
        let schedule = work.schedule;
        let coords = |axis: usize| column::<T>(schedule.displaces && axis < work.program.dim);
        let mut made = Evaluator {
            work,
            targets: Listed {
                numbers: Vec::new(),
                shifts: Vec::new(),
                axes: [coords(0)?, coords(1)?, coords(2)?],
                radii: column(schedule.cuts)?,
                columns: Vec::new(),
            },
            rows: Vec::new(),
            columns_of_rows: Vec::new(),
            ranks: Vec::new(),
            sums: Vec::new(),
            lanes: Lanes::new(schedule.registers)?,
            segments: Vec::new(),
            first_entry: 0,
            is_ready: false,
        };
        reserve_keeping(&mut made.targets.numbers, TARGETS, WHAT)?;
        if work.cell.is_some() {
            reserve_keeping(&mut made.targets.shifts, TARGETS, WHAT)?;
        }
        reserve_keeping(&mut made.rows, ROWS, WHAT)?;
        reserve_keeping(&mut made.ranks, TARGETS, WHAT)?;
        reserve_keeping(&mut made.segments, PAIRS, WHAT)?;
        resize_discarding(&mut made.sums, schedule.terms.len() * ROWS, F::default(), WHAT)?;
        for _ in 0..schedule.columns[0] {
            let mut column = Vec::new();
            resize_discarding(&mut column, ROWS.next_multiple_of(PAIRS), F::default(), WHAT)?;
            push(&mut made.columns_of_rows, column, WHAT)?;
        }
        for _ in 0..schedule.columns[1] {
            push(&mut made.targets.columns, column(true)?, WHAT)?;
        }
        Ok(made)
    }

    /// Evaluates rows whose neighbors are among the points `targets`, at most [`TARGETS`]: of each of at most [`ROWS`]
    /// points, given as a rank among the targets, the length of the row; and the ranks of the neighbors of all rows,
    /// one row after the other.
    pub fn leaf(&mut self, targets: impl Iterator<Item = u32>, rows: (&[u16], &[u32]), ranks: &[u16]) -> Result<()> {
        self.finish();
        self.targets.numbers.extend(targets);
        self.ranks.clear();
        let (mut rest, more) = (ranks, if self.work.with_self { rows.0.len() } else { 0 });
        if self.ranks.capacity() < ranks.len() + more {
            reserve_exactly_discarding(&mut self.ranks, 2 * (ranks.len() + more), WHAT)?;
        }
        for (&own, &len) in rows.0.iter().zip(rows.1) {
            let (row, others) = rest.split_at(len as usize);
            rest = others;
            if self.work.with_self {
                // Its rank may be after all others, where rows cannot list it.
                let number = |rank: u16| self.targets.numbers[usize::from(rank)];
                let before = row.partition_point(|&rank| self.work.precedes(number(rank), number(own)));
                self.ranks.extend_from_slice(&row[..before]);
                self.ranks.push(own);
                self.ranks.extend_from_slice(&row[before..]);
            } else {
                self.ranks.extend_from_slice(row);
            }
            self.rows.push(BatchRow {
                point: self.targets.numbers[usize::from(own)],
                end: self.ranks.len(),
            });
        }
        self.batch([true; 2]);
        Ok(())
    }

    /// The next row begins with that entry, and those after it follow.
    pub fn begin_at(&mut self, entry: usize) {
        self.finish();
        self.first_entry = entry;
    }

    /// Takes up the row of a point, which is evaluated with others or at the [end](Evaluator::finish).
    pub fn row(&mut self, point: u32, row: impl ExactSizeIterator<Item = Listing> + Clone) {
        let len = row.len() + usize::from(self.work.with_self);
        if self.targets.numbers.len() + len > TARGETS || self.rows.len() == ROWS {
            self.finish();
        }
        if !self.work.with_self {
            return self.append(point, row);
        }
        let itself = (point, [0; 3]);
        let precedes = |&(j, shift): &Listing| self.work.precedes(j, point) || (j, shift) < itself && j == point;
        let before = row.clone().filter(precedes).count();
        let mut rest = row;
        let with_self = (0..len).map(|k| match k == before {
            true => itself,
            false => rest.next().unwrap_or(itself),
        });
        self.append(point, with_self);
    }

    /// Appends a row, of which parts are evaluated at once where it is longer than a batch.
    fn append(&mut self, point: u32, row: impl Iterator<Item = Listing>) {
        let mut is_first = true;
        for (j, shift) in row {
            if self.targets.numbers.len() == TARGETS {
                self.push_row(point);
                self.evaluate_appended([is_first, false]);
                is_first = false;
            }
            self.targets.numbers.push(j);
            if self.work.cell.is_some() {
                self.targets.shifts.push(shift);
            }
        }
        self.push_row(point);
        if !is_first {
            self.evaluate_appended([false, true]);
        }
    }

    fn push_row(&mut self, point: u32) {
        let end = self.targets.numbers.len();
        self.rows.push(BatchRow { point, end });
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

    /// Evaluates a batch. A row of a batch of its own may come in parts: `ends` says whether it begins and whether it
    /// ends here.
    fn batch(&mut self, ends: [bool; 2]) {
        let isa = self.work.isa;
        Simd::new(isa).run(BatchKernel { evaluator: self, ends });
        self.first_entry += self.ranks.len();
        self.targets.numbers.clear();
        self.targets.shifts.clear();
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
                    self.join(first);
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
        let Listed {
            numbers,
            shifts,
            axes,
            radii,
            ..
        } = &mut self.targets;
        if let Some(cell) = self.work.cell {
            for (at, (&j, &shift)) in numbers.iter().zip(&*shifts).enumerate() {
                let image = cell.image_of(self.work.axes, j as usize, shift);
                for (to, coord) in axes.iter_mut().zip(image) {
                    if let Some(to) = to.get_mut(at) {
                        *to = coord;
                    }
                }
            }
            return;
        }
        for (to, from) in axes.iter_mut().zip(self.work.axes) {
            (to.iter_mut().zip(&*numbers)).for_each(|(to, &j)| *to = from[j as usize]);
        }
        if let Cutoffs::ByRadii(reach) = &self.work.cutoffs {
            (radii.iter_mut().zip(&*numbers)).for_each(|(to, &j)| *to = reach.of(j as usize));
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
}

/// A batch, to be compiled for an instruction set.
struct BatchKernel<'e, 'a, T, F> {
    evaluator: &'e mut Evaluator<'a, T, F>,
    ends: [bool; 2],
}

impl<T: Real, F: Number> Kernel for BatchKernel<'_, '_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet>(self, _: S) {
        self.evaluator.evaluate(self.ends);
    }
}

/// A column for targets; an empty one where it is not needed.
fn column<S: Real>(is_needed: bool) -> Result<Column<S>> {
    let mut column = Vec::new();
    resize_discarding(&mut column, if is_needed { TARGETS } else { 0 }, S::default(), WHAT)?;
    Ok(column)
}
