//! Sums over neighbors by a formula. On the CPU, rows are evaluated block by block where they are found; rows that a GPU finds come
//! in chunks, each evaluated while it is there. No list of all rows is made.

#[cfg(feature = "gpu")]
pub mod device;
#[cfg(feature = "gpu")]
pub mod put;

use std::ops::Range;
use std::time::Instant;

use super::counted::Query;
use super::inputs::Inputs;
use super::made_from::CountOf;
use super::neighbors::NeighborsKind;
use super::report::{Evaluated, Phase};
use super::session::{Cut, with_source};
use crate::cpu::kept_rows::KeptRows;
use crate::cpu::summed::{Summed, sum, sum_kept};
use crate::error::Result;
use crate::fields::FieldView;
use crate::formula::{Cutoffs, Evaluator, Number, Program, Schedule, Table, Work, start};
use crate::list::{Cells, Rows, holds, push, resize_discarding};
use crate::points::{Points, Precision, Values};
use crate::simd::Isa;
use crate::threads::Team;
use crate::version::{Derived, Version};

const WHAT: &str = "the outputs of a formula";

/// Entries of a chunk, unless a row is longer.
const ENTRIES: i64 = 1 << 20;

/// Entries that a thread takes at once, at least.
const PIECE: i64 = 1 << 12;

/// Values of all outputs, and how many numbers each has for a row.
pub type Outputs = Vec<(Values, usize)>;

/// The inputs of a stage, in its precision.
pub struct Given<'a, F> {
    pub program: &'a Program,
    pub schedule: &'a Schedule,
    /// By slot.
    pub fields: Vec<[Option<FieldView<'a>>; 2]>,
    /// Values of pair fields by slot, of all entries.
    pub pairs: Vec<Option<FieldView<'a>>>,
    /// The slot of the positions.
    pub positions: Option<u32>,
    /// By slot.
    pub constants: Vec<F>,
    pub tables: Vec<&'a Table<F>>,
    pub with_self: bool,
    /// The versions of the fields that the outputs become.
    pub versions: Vec<Version>,
}

/// Rows to be evaluated.
pub struct RowsListed<'a> {
    /// The number of the first row, from 0.
    pub first: usize,
    pub offsets: &'a [i64],
    pub ids: &'a [i32],
    /// The number of the first point in them, and the first offset.
    pub base: i64,
    /// In a cell, that of each entry.
    pub shifts: Option<&'a [[i32; 3]]>,
}

impl<F: Number> Given<'_, F> {
    /// Makes the outputs those of rows without neighbors, which the CPU does not come to.
    pub fn begin(&self, results: &[Cells<F>]) {
        let outputs = self.program.outputs.iter().zip(results);
        for (output, cells) in outputs.filter(|(output, _)| !output.is_of_pairs) {
            (0..cells.len()).for_each(|at| cells.put(at, start(output.reduction)));
        }
    }

    /// The work for rows of `points`.
    fn work<'a, T: Precision>(
        &'a self,
        inputs: &'a Inputs,
        points: &'a Points<T>,
        (kind, isa): (NeighborsKind, Isa),
        results: &'a [Cells<'a, F>],
    ) -> Result<Work<'a, T, F>> {
        let cutoffs = match inputs.type_cutoffs(kind) {
            Some(table) => Cutoffs::ByTypes(table.of_types(inputs.kinds.types())?),
            None if inputs.is_by_radii(kind) => {
                let (counts, of_queries) = (inputs.counts(), kind == NeighborsKind::Queries);
                Cutoffs::ByRadii(inputs.radii.reach(counts, of_queries, inputs.settings.tie_rule)?)
            }
            None => Cutoffs::Same(T::from_f64(inputs.settings.cutoff()?)),
        };
        Ok(Work {
            program: self.program,
            schedule: self.schedule,
            axes: points.axes(),
            periods: points.periods(),
            cell: inputs.cell.as_ref(),
            cutoffs,
            fields: &self.fields,
            pairs: &self.pairs,
            positions: self.positions,
            first_row: inputs.rows_of(kind).start,
            constants: &self.constants,
            tables: &self.tables,
            with_self: self.with_self,
            global_ids: inputs.ids.by_point(inputs.len)?,
            excluded: inputs.exclusions.pairs().filter(|_| self.program.reads_class),
            results,
            isa,
        })
    }

    /// Evaluates rows that are listed. Pair fields have values of their entries.
    pub fn sum_listed<T: Precision>(
        &self,
        inputs: &Inputs,
        points: &Points<T>,
        (kind, isa, team): (NeighborsKind, Isa, &Team),
        rows: &RowsListed,
        results: &[Cells<F>],
    ) -> Result<()> {
        let (work, base) = (self.work::<T>(inputs, points, (kind, isa), results)?, rows.base);
        let mut evaluators = Vec::new();
        for _ in 0..team.threads() {
            push(&mut evaluators, Evaluator::new(&work)?, WHAT)?;
        }
        let pieces = pieces(rows.offsets, team.threads())?;
        let number = |at: usize| (i64::from(rows.ids[at]) - base) as u32;
        let shift = |at: usize| rows.shifts.map_or([0; 3], |shifts| shifts[at]);
        team.run(&mut evaluators, pieces.len(), |evaluator, piece| {
            evaluator.begin_at((rows.offsets[pieces[piece].start] - base) as usize);
            for k in pieces[piece].clone() {
                let [from, to] = [k, k + 1].map(|k| (rows.offsets[k] - base) as usize);
                evaluator.row((rows.first + k) as u32, (from..to).map(|at| (number(at), shift(at))));
            }
            Ok(())
        })?;
        evaluators.iter_mut().for_each(Evaluator::finish);
        Ok(())
    }
}

impl<'a, F: Number> Given<'a, F> {
    /// Refuses outputs of `rows` rows that take more than the memory limit.
    pub fn check_limit(&self, inputs: &Inputs, rows: usize) -> Result<()> {
        let width: usize = self.program.outputs.iter().map(|output| output.width).sum();
        inputs.check_limit(WHAT, (rows * width * size_of::<F>()) as u64)
    }
}

/// Has `evaluate` write outputs, each of so many rows or entries and so many numbers for each; returns them, and what it returns.
/// `spare`: outputs whose memory is used again.
pub fn collect<F: Precision, R>(
    sizes: impl Iterator<Item = [usize; 2]> + Clone,
    spare: Vec<Values>,
    evaluate: impl FnOnce(&[Cells<F>]) -> Result<R>,
) -> Result<(Outputs, R)> {
    let (mut results, mut spare) = (Vec::new(), spare.into_iter());
    for [rows, width] in sizes.clone() {
        let mut before = spare.next().unwrap_or_default();
        let mut values: Vec<F> = F::held_mut(&mut before).map(std::mem::take).unwrap_or_default();
        if values.len() != rows * width {
            resize_discarding(&mut values, rows * width, F::default(), WHAT)?;
        }
        push(&mut results, values, WHAT)?;
    }
    let (mut writers, mut cells) = (Vec::new(), Vec::new());
    for values in &mut results {
        push(&mut writers, Rows::new(values), WHAT)?;
    }
    for writer in &mut writers {
        push(&mut cells, writer.cells(), WHAT)?;
    }
    let returned = evaluate(&cells)?;
    let mut outputs = Vec::new();
    for (values, [_, width]) in results.into_iter().zip(sizes) {
        push(&mut outputs, (F::hold(values), width), WHAT)?;
    }
    Ok((outputs, returned))
}

/// Entries of a chunk that suits the memory limit, of which most is for the search.
pub fn entries(inputs: &Inputs) -> i64 {
    const SHARE: u64 = 64;
    let limit = inputs.settings.memory_limit.unwrap_or(u64::MAX);
    (limit / SHARE).clamp(1, ENTRIES as u64) as i64
}

/// Sums on the GPU that is planned for; or says why it does not evaluate the formula, and does nothing.
#[cfg(feature = "gpu")]
pub fn sum_on_device<T: Precision, F: Number>(
    query: &mut Query<T>,
    given: &Given<F>,
    results: &[Cells<F>],
) -> Result<Evaluated> {
    device::sum(query, given, results)
}

/// The same of a build without it.
#[cfg(not(feature = "gpu"))]
pub fn sum_on_device<T: Precision, F: Number>(_: &mut Query<T>, _: &Given<F>, _: &[Cells<F>]) -> Result<Evaluated> {
    Ok(Evaluated::OnCpu("this build has no GPU"))
}

/// Blocks, and rows of theirs that are kept from sum to sum.
#[derive(Debug, Default)]
pub struct SumRows {
    cut: Cut,
    rows: KeptRows,
}

holds! { SumRows { cut, rows } }

/// Finds rows on the CPU, and evaluates each where it is found. They are kept for the next sum over the same rows, as far as memory allows.
pub fn sum_on_cpu<T: Precision, F: Number>(
    query: &mut Query<T>,
    kept: &mut Derived<CountOf, SumRows>,
    given: &Given<F>,
    results: &[Cells<F>],
) -> Result<()> {
    let index = query.index()?;
    let Query {
        job, session, report, ..
    } = query;
    given.begin(results);
    let (began, inputs) = (Instant::now(), job.inputs);
    let summed = Summed {
        rows: job.rows(),
        labels: job.order().labels(&inputs.ids, 0),
    };
    let of = job.count_of(index, session.points.stamp(), None);
    let are_kept = kept.is_of(&of);
    // Of a memory limit, outputs take the rest.
    let most = inputs
        .settings
        .memory_limit
        .map_or(usize::MAX, |limit| limit as usize / 16);
    report.entries = session.find(None, job, |points, finder| {
        let work = given.work::<T>(inputs, points, (job.kind, job.plan.isa), results)?;
        let both = (&work, &summed);
        if are_kept {
            let SumRows { cut, rows } = kept.get();
            return with_source!(finder, cut, |source, workers| sum_kept(
                source, job.team, workers, both, rows
            ));
        }
        let SumRows { cut, rows } = kept.begin();
        cut.make(&finder, job.team)?;
        with_source!(finder, cut, |source, workers| sum(
            source,
            job.team,
            workers,
            both,
            (rows, most)
        ))
    })?;
    if !are_kept {
        kept.finish(of);
    }
    report.took(Phase::Fill, began);
    Ok(())
}

/// Divides rows into pieces of about as many entries, more pieces than threads.
fn pieces(offsets: &[i64], threads: usize) -> Result<Vec<Range<usize>>> {
    let (rows, last) = (offsets.len() - 1, offsets[offsets.len() - 1]);
    let each = ((last - offsets[0]) / (4 * threads as i64)).max(PIECE);
    let (mut pieces, mut begin) = (Vec::new(), 0);
    while begin < rows {
        let most = offsets[begin] + each;
        let end = begin + offsets[begin + 1..].partition_point(|&offset| offset <= most).max(1);
        push(&mut pieces, begin..end, WHAT)?;
        begin = end;
    }
    Ok(pieces)
}
