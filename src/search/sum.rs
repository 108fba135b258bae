//! Sums over neighbors by a formula: rows in chunks, each evaluated by the threads of the search while it is there. No list of all
//! rows is made.

use std::mem::take;
use std::ops::Range;

use super::ids::Layout;
use super::{NeighborsKind, Precision, Search};
use crate::error::{Error, Result, Status};
use crate::formula::{Cutoffs, FieldView, Formula, Number, Program, Registers, Sources, SumPrecision, Table, Work};
use crate::list::{push, resize_discarding};
use crate::radii::Values;
use crate::threads::Team;

const WHAT: &str = "the outputs of a formula";

/// Entries of a chunk, unless a row is longer.
const ENTRIES: i64 = 1 << 20;

/// Entries that a thread takes at once, at least.
const PIECE: i64 = 1 << 12;

/// Values of all outputs, and how many numbers each has for a row.
type Outputs = Vec<(Values, usize)>;

/// What a formula reads, in its precision.
struct Given<'a, F> {
    program: &'a Program,
    registers: Registers,
    fields: Vec<[Option<FieldView<'a>>; 2]>,
    constants: Vec<F>,
    tables: Vec<Table<F>>,
    with_self: bool,
}

/// Rows that a thread takes, and their outputs.
struct Piece<'a, F> {
    rows: Range<usize>,
    results: Vec<&'a mut [F]>,
    done: Result<()>,
}

impl Search {
    /// Evaluates a formula over the neighbors of each point, or of each query. The rows are those of
    /// [`neighbors`](Search::neighbors) with the same kind, with everything that is set for them. [`Formula::output`] returns the
    /// results.
    ///
    /// Every operation is rounded once in the precision of the formula, and none is fused. Terms are joined in the order of the
    /// row, one after the other, as in a loop over the row. So results do not depend on backend or threads. The difference of two
    /// coordinates is taken to the nearest image in the precision of the points, as in
    /// [`pair_displacements`](Search::pair_displacements), and then rounded to that of the formula.
    ///
    /// The rows are found in chunks, so that the memory used does not grow with the number of neighbors. Chunks of
    /// [`chunks`](Search::chunks) end with this call. On failure the formula keeps its outputs.
    pub fn sum(&mut self, formula: &mut Formula, kind: NeighborsKind) -> Result<()> {
        self.check_points_held()?;
        self.check_rows(kind, true)?;
        let of_queries = kind == NeighborsKind::Queries;
        if of_queries && formula.includes_self() {
            let allowed = "false for rows of queries, which are not among the points";
            return Err(Error::not_allowed(Status::BadValue, "include_self", true, allowed));
        }
        let program = formula.program(self.dim(), [self.inputs.len, self.inputs.queries], of_queries)?;
        let outputs = match formula.precision() {
            SumPrecision::Single => self.sum_in::<f32>(formula, &program, kind),
            SumPrecision::Double => self.sum_in::<f64>(formula, &program, kind),
        };
        self.stream.begin(); // what is left of it is of no use to others
        formula.set_outputs(outputs?);
        Ok(())
    }

    fn sum_in<F: Number>(&mut self, formula: &Formula, program: &Program, kind: NeighborsKind) -> Result<Outputs> {
        let given = Given {
            program,
            registers: Registers::new(program, !self.inputs.radii.are_set())?,
            fields: formula.field_views(kind == NeighborsKind::Queries)?,
            constants: formula.constants()?,
            tables: formula.tables()?,
            with_self: formula.includes_self(),
        };
        let rows = self.inputs.rows_of(kind).len();
        let width: usize = program.outputs.iter().map(|output| output.width).sum();
        self.inputs.check_limit(WHAT, (rows * width * size_of::<F>()) as u64)?;
        let mut results = Vec::new();
        for output in &program.outputs {
            let mut values = Vec::new();
            resize_discarding(&mut values, rows * output.width, F::default(), WHAT)?;
            push(&mut results, values, WHAT)?;
        }
        match self.is_single() {
            Some(true) => self.sum_chunks::<f32, F>(&given, kind, &mut results)?,
            _ => self.sum_chunks::<f64, F>(&given, kind, &mut results)?,
        }
        let mut outputs = Vec::new();
        for (values, output) in results.into_iter().zip(&program.outputs) {
            push(&mut outputs, (F::hold(values), output.width), WHAT)?;
        }
        Ok(outputs)
    }

    fn sum_chunks<T: Precision, F: Number>(
        &mut self,
        given: &Given<F>,
        kind: NeighborsKind,
        results: &mut [Vec<F>],
    ) -> Result<()> {
        self.begin_rows(kind)?;
        while let Some((rows, first)) = self.advance(Layout::Rows)? {
            self.sum_chunk::<T, F>(given, kind, (rows, first), results)?;
        }
        Ok(())
    }

    /// Begins chunks of a size that suits the memory limit, but with room for the longest row.
    fn begin_rows(&mut self, kind: NeighborsKind) -> Result<()> {
        const SHARE: u64 = 64; // of the limit: the rest is for the search
        let limit = self.inputs.settings.memory_limit.unwrap_or(u64::MAX);
        let most = (limit / SHARE).clamp(1, ENTRIES as u64) as i64;
        match self.begin_chunks(kind, most) {
            Err(error) if error.status() == Status::Capacity => {
                let longest = self.longest_row();
                self.begin_chunks(kind, longest)?;
            }
            begun => {
                begun?;
            }
        }
        Ok(())
    }

    /// Evaluates the rows of a chunk.
    fn sum_chunk<T: Precision, F: Number>(
        &self,
        given: &Given<F>,
        kind: NeighborsKind,
        (rows, first): (Range<usize>, usize),
        results: &mut [Vec<F>],
    ) -> Result<()> {
        let (inputs, points) = (&self.inputs, self.held::<T>()?);
        let (chunk, base) = (self.chunk(&rows, first), inputs.settings.index_base);
        let of_queries = kind == NeighborsKind::Queries;
        let cutoffs = match inputs.radii.are_set() {
            true => {
                let counts = [inputs.len, inputs.queries];
                Cutoffs::ByRadii(inputs.radii.reach(counts, of_queries, inputs.settings.tie_rule)?)
            }
            false => Cutoffs::Same(T::from_f64(inputs.settings.cutoff()?)),
        };
        let work = Work {
            program: given.program,
            registers: &given.registers,
            sources: Sources {
                axes: points.axes(),
                periods: points.periods(),
                cutoffs,
                fields: &given.fields,
                first_row: inputs.rows_of(kind).start,
                constants: &given.constants,
                tables: &given.tables,
            },
            first_point: rows.start,
            offsets: chunk.offsets,
            ids: chunk.ids,
            base,
            with_self: given.with_self,
            global_ids: inputs.ids.by_point(inputs.len)?,
        };
        let team = Team::new(self.report.plan.map_or(1, |plan| plan.threads))?;
        let before = rows.start - work.sources.first_row;
        let outputs = given.program.outputs.iter().zip(results);
        let mut rest = Vec::new();
        for (output, values) in outputs {
            push(&mut rest, (&mut values[before * output.width..], output.width), WHAT)?;
        }
        let mut pieces = pieces(chunk.offsets, rest, team.threads())?;
        team.each(&mut pieces, |piece| {
            piece.done = work.run(piece.rows.clone(), &mut piece.results)
        });
        pieces.into_iter().try_for_each(|piece| piece.done)
    }
}

/// Divides rows into pieces of about as many entries, more pieces than threads. `rest` are the outputs from the first row on, and
/// their widths.
fn pieces<'a, F>(offsets: &[i64], mut rest: Vec<(&'a mut [F], usize)>, threads: usize) -> Result<Vec<Piece<'a, F>>> {
    let (rows, last) = (offsets.len() - 1, offsets[offsets.len() - 1]);
    let each = ((last - offsets[0]) / (4 * threads as i64)).max(PIECE);
    let (mut pieces, mut begin) = (Vec::new(), 0);
    while begin < rows {
        let most = offsets[begin] + each;
        let end = begin + offsets[begin + 1..].partition_point(|&offset| offset <= most).max(1);
        let mut results = Vec::new();
        for (values, width) in &mut rest {
            let (mine, others) = take(values).split_at_mut((end - begin) * *width);
            *values = others;
            push(&mut results, mine, WHAT)?;
        }
        let piece = Piece {
            rows: begin..end,
            results,
            done: Ok(()),
        };
        push(&mut pieces, piece, WHAT)?;
        begin = end;
    }
    Ok(pieces)
}
