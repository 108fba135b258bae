//! Sums over neighbors by a formula. On the CPU, rows are evaluated block by block where they are found; rows that a GPU finds come
//! in chunks, each evaluated while it is there. No list of all rows is made.

#[cfg(feature = "gpu")]
mod device;

use std::ops::Range;
use std::time::Instant;

use super::ids::Layout;
use super::inputs::Inputs;
use super::report::Evaluated;
use super::rows::{by_radii, query, searched};
use super::session::{Session, workers_of};
use super::steps::{Ask, Run, job};
use super::{NeighborsKind, Phase, Precision, Search};
use crate::cpu::by_radii;
use crate::cpu::pairs::Pairs;
use crate::cpu::summed::{Summed, sum};
use crate::error::{Error, Result, Status};
use crate::formula::{
    Cutoffs, Evaluator, FieldView, Formula, Number, Program, Schedule, SumPrecision, Table, Work, start,
};
use crate::list::{Cells, Rows, push, resize_discarding};
use crate::plan::{Backend, Plan};
use crate::points::Points;
use crate::points::Values;
use crate::search::session::InSessions;
use crate::simd::Isa;
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
    schedule: Schedule,
    fields: Vec<[Option<FieldView<'a>>; 2]>,
    constants: Vec<F>,
    tables: Vec<Table<F>>,
    with_self: bool,
}

/// A precision of formulas, which a GPU may evaluate.
trait OnDevice: Number {
    /// Why no GPU evaluates it.
    const CPU_ONLY: Option<&'static str>;

    /// Sums on the GPU that `plan` decided for; or says why it does not evaluate the formula, and does nothing.
    fn sum_on_device<T: Precision>(
        search: &mut Search,
        plan: &Plan,
        given: &Given<Self>,
        kind: NeighborsKind,
        results: &[Cells<Self>],
    ) -> Result<Evaluated>;
}

impl OnDevice for f32 {
    const CPU_ONLY: Option<&'static str> = None;

    #[cfg(feature = "gpu")]
    fn sum_on_device<T: Precision>(
        search: &mut Search,
        plan: &Plan,
        given: &Given<f32>,
        kind: NeighborsKind,
        results: &[Cells<f32>],
    ) -> Result<Evaluated> {
        search.sum_on_device::<T>(plan, given, kind, results)
    }

    #[cfg(not(feature = "gpu"))]
    fn sum_on_device<T: Precision>(
        _: &mut Search,
        _: &Plan,
        _: &Given<f32>,
        _: NeighborsKind,
        _: &[Cells<f32>],
    ) -> Result<Evaluated> {
        Ok(Evaluated::OnCpu("this build has no GPU"))
    }
}

impl OnDevice for f64 {
    const CPU_ONLY: Option<&'static str> = Some("double precision");

    fn sum_on_device<T: Precision>(
        _: &mut Search,
        _: &Plan,
        _: &Given<f64>,
        _: NeighborsKind,
        _: &[Cells<f64>],
    ) -> Result<Evaluated> {
        Ok(Evaluated::OnCpu(f64::CPU_ONLY.unwrap_or_default()))
    }
}

impl<F: Number> Given<'_, F> {
    /// Makes the outputs those of rows without neighbors, which the CPU does not come to.
    fn begin(&self, results: &[Cells<F>]) {
        for (output, cells) in self.program.outputs.iter().zip(results) {
            (0..cells.len()).for_each(|at| cells.put(at, start(output.reduction)));
        }
    }

    /// What is evaluated for rows of `points`.
    fn work<'a, T: Precision>(
        &'a self,
        inputs: &'a Inputs,
        points: &'a Points<T>,
        (kind, isa): (NeighborsKind, Isa),
        results: &'a [Cells<'a, F>],
    ) -> Result<Work<'a, T, F>> {
        let cutoffs = match inputs.is_by_radii(kind) {
            true => {
                let (counts, of_queries) = (inputs.counts(), kind == NeighborsKind::Queries);
                Cutoffs::ByRadii(inputs.radii.reach(counts, of_queries, inputs.settings.tie_rule)?)
            }
            false => Cutoffs::Same(T::from_f64(inputs.settings.cutoff()?)),
        };
        Ok(Work {
            program: self.program,
            schedule: &self.schedule,
            axes: points.axes(),
            periods: points.periods(),
            cutoffs,
            fields: &self.fields,
            first_row: inputs.rows_of(kind).start,
            constants: &self.constants,
            tables: &self.tables,
            with_self: self.with_self,
            global_ids: inputs.ids.by_point(inputs.len)?,
            results,
            isa,
        })
    }
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
    /// No list is made, so the memory used does not grow with the number of neighbors. Chunks of [`chunks`](Search::chunks) end with
    /// this call. On failure the formula keeps its outputs.
    pub fn sum(&mut self, formula: &mut Formula, kind: NeighborsKind) -> Result<()> {
        self.check_points_held()?;
        self.check_rows(kind, true)?;
        let of_queries = kind == NeighborsKind::Queries;
        if of_queries && formula.includes_self() {
            let allowed = "false for rows of queries, which are not among the points";
            return Err(Error::not_allowed(Status::BadValue, "include_self", true, allowed));
        }
        let program = formula.program(self.dim(), self.inputs.counts(), of_queries)?;
        let spare = formula.take_spare();
        let outputs = match formula.precision() {
            SumPrecision::Single => self.sum_in::<f32>(formula, (&program, spare), kind),
            SumPrecision::Double => self.sum_in::<f64>(formula, (&program, spare), kind),
        };
        self.stream.begin(); // what is left of it is of no use to others
        formula.set_outputs(outputs?);
        Ok(())
    }

    /// `spare`: outputs whose memory is used again.
    fn sum_in<F: OnDevice>(
        &mut self,
        formula: &Formula,
        (program, spare): (&Program, Outputs),
        kind: NeighborsKind,
    ) -> Result<Outputs> {
        let given = Given {
            program,
            schedule: Schedule::new(program, !self.inputs.is_by_radii(kind))?,
            fields: formula.field_views(kind == NeighborsKind::Queries)?,
            constants: formula.constants()?,
            tables: formula.tables()?,
            with_self: formula.includes_self(),
        };
        let rows = self.inputs.rows_of(kind).len();
        let width: usize = program.outputs.iter().map(|output| output.width).sum();
        self.inputs.check_limit(WHAT, (rows * width * size_of::<F>()) as u64)?;
        let mut results = Vec::new();
        let mut spare = spare.into_iter();
        for output in &program.outputs {
            let mut before = spare.next().map(|(values, _)| values).unwrap_or_default();
            let mut values: Vec<F> = F::held_mut(&mut before).map(std::mem::take).unwrap_or_default();
            if values.len() != rows * output.width {
                resize_discarding(&mut values, rows * output.width, F::default(), WHAT)?;
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
        match self.is_single() {
            Some(true) => self.sum_rows::<f32, F>(&given, kind, &cells)?,
            _ => self.sum_rows::<f64, F>(&given, kind, &cells)?,
        }
        let mut outputs = Vec::new();
        for (values, output) in results.into_iter().zip(&program.outputs) {
            push(&mut outputs, (F::hold(values), output.width), WHAT)?;
        }
        Ok(outputs)
    }

    fn sum_rows<T: Precision, F: OnDevice>(
        &mut self,
        given: &Given<F>,
        kind: NeighborsKind,
        results: &[Cells<F>],
    ) -> Result<()> {
        let on_cpu = "auto: the CPU evaluates this formula";
        let by_radii = self.inputs.is_by_radii(kind).then_some("a radius per point");
        self.report.by_radii = self.inputs.radius_rule(kind);
        let mut for_cpu = F::CPU_ONLY.or(by_radii);
        let mut plan = self.plan_sums(for_cpu.map(|_| on_cpu))?;
        if plan.backend == Backend::Gpu {
            plan = match F::sum_on_device::<T>(self, &plan, given, kind, results) {
                Err(error) if self.gives_up_gpu(&error) => self.plan_sums(None)?,
                Ok(Evaluated::OnCpu(why)) if plan.forced => {
                    given.begin(results);
                    self.sum_chunks::<T, F>(given, kind, results)?;
                    self.report.evaluated = Some(Evaluated::OnCpu(why));
                    return Ok(());
                }
                Ok(Evaluated::OnCpu(why)) => {
                    for_cpu = Some(why);
                    self.plan_sums(Some(on_cpu))?
                }
                done => return done.map(|_| ()),
            };
        }
        given.begin(results);
        self.sum_on_cpu::<T, F>(&plan, given, kind, results)?;
        let why = for_cpu.filter(|_| !plan.forced).unwrap_or(plan.backend_reason);
        self.report.evaluated = Some(Evaluated::OnCpu(why));
        Ok(())
    }

    /// Evaluates rows block by block where they are found.
    fn sum_on_cpu<T: Precision, F: Number>(
        &mut self,
        plan: &Plan,
        given: &Given<F>,
        kind: NeighborsKind,
        results: &[Cells<F>],
    ) -> Result<()> {
        self.report.begin();
        let began = Instant::now();
        let team = Team::new(plan.threads)?;
        let (mut run, sessions, _) = self.run(plan, &team);
        let summed = run.sum(T::session(sessions)?, given, kind, results);
        self.report.tested(&team);
        summed?;
        self.report.end(began, &mut self.device);
        Ok(())
    }

    /// Evaluates rows that a GPU finds, chunk by chunk.
    fn sum_chunks<T: Precision, F: Number>(
        &mut self,
        given: &Given<F>,
        kind: NeighborsKind,
        results: &[Cells<F>],
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
        results: &[Cells<F>],
    ) -> Result<()> {
        let chunk = self.chunk(&rows, first);
        let base = self.inputs.settings.index_base;
        let (threads, isa) = self
            .report
            .plan
            .map_or((1, Isa::best()), |plan| (plan.threads, plan.isa));
        let work = given.work::<T>(&self.inputs, self.held::<T>()?, (kind, isa), results)?;
        let team = Team::new(threads)?;
        let mut evaluators = Vec::new();
        for _ in 0..team.threads() {
            push(&mut evaluators, Evaluator::new(&work)?, WHAT)?;
        }
        let pieces = pieces(chunk.offsets, team.threads())?;
        team.run(&mut evaluators, pieces.len(), |evaluator, piece| {
            for k in pieces[piece].clone() {
                let [from, to] = [k, k + 1].map(|k| (chunk.offsets[k] - base) as usize);
                let row = chunk.ids[from..to].iter();
                evaluator.row((rows.start + k) as u32, row.map(|&id| (i64::from(id) - base) as u32));
            }
            Ok(())
        })?;
        evaluators.iter_mut().for_each(Evaluator::finish);
        Ok(())
    }
}

impl Run<'_> {
    /// What a sum asks the search for: rows that are neither listed nor kept.
    fn ask(&self, kind: NeighborsKind) -> Result<Ask> {
        Ok(Ask {
            kind,
            cutoff: self.inputs.cutoff(kind)?,
            base: 0,
            layout: None,
            kept: None,
            is_listed: false,
            from_verlet: false,
        })
    }

    /// Finds the rows of a kind on the CPU, and evaluates each where it is found.
    fn sum<T: Precision, F: Number>(
        &mut self,
        session: &mut Session<T>,
        given: &Given<F>,
        kind: NeighborsKind,
        results: &[Cells<F>],
    ) -> Result<()> {
        self.report.entries = 0;
        let ask = self.ask(kind)?;
        self.arrange(session, kind)?;
        self.index(session, None, &ask)?;
        let began = Instant::now();
        let order = self.found.order.get();
        let job = job(self.inputs, self.plan, self.team, order, &ask)?;
        let Session {
            points,
            ordered,
            grid,
            cells,
            tree,
            kept,
            ..
        } = session;
        let work = given.work::<T>(self.inputs, points, (kind, self.plan.isa), results)?;
        let searched = searched(points, ordered, order);
        let summed = Summed {
            rows: job.rows(),
            labels: order.labels(&self.inputs.ids, 0),
            classes: job.classes.as_ref(),
        };
        self.report.entries = if job.is_by_radii() {
            let search = by_radii(tree.get(), searched.periods(), &job)?;
            let mut cut = by_radii::Counted::default(); // what was counted remains
            let source = by_radii::Spanned {
                search,
                blocks: search.cut_anew(self.team, &mut cut)?,
            };
            let workers = workers_of(&mut kept.by_radii_workers, self.plan.threads)?;
            sum(&source, self.team, workers, &work, &summed)?
        } else {
            let held = searched.view();
            let query = query((grid, cells), &held, searched.periods(), &job)?;
            query.cut(self.team, &mut kept.blocks)?;
            let blocks = &kept.blocks;
            let source = Pairs { query, blocks };
            let workers = workers_of(&mut kept.workers, self.plan.threads)?;
            sum(&source, self.team, workers, &work, &summed)?
        };
        self.report.took(Phase::Fill, began);
        Ok(())
    }
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
