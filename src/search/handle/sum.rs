//! Sums over neighbors by formulas.

use super::{Parts, Search};
use crate::error::{Error, Result, Status};
use crate::formula::{Formula, Program, SumPrecision};
use crate::list::Cells;
use crate::plan::{Backend, Plan};
use crate::points::Precision;
use crate::search::inputs::Asked;
use crate::search::neighbors::{Layout, NeighborsKind};
use crate::search::precision::by_precision;
use crate::search::report::Evaluated;
use crate::search::sum::{Given, OnDevice, Outputs, entries, sum_on_cpu, sum_on_device};
use crate::threads::Team;

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
        self.check_rows(kind, false)?;
        let of_queries = kind.is_of_queries();
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
        self.streams.stream.begin(); // what is left of it is of no use to others
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
        let given = Given::<F>::new(&self.inputs, formula, program, kind)?;
        let rows = self.inputs.rows_of(kind).len();
        given.check_limit(&self.inputs, rows)?;
        given.collect(
            rows,
            spare,
            |results| by_precision!(self.session, T => self.sum_rows::<T, F>(&given, kind, results)),
        )
    }

    /// Evaluates rows where the plan says; on the CPU, where the GPU that is planned for does not evaluate the formula.
    fn sum_rows<T: Precision, F: OnDevice>(
        &mut self,
        given: &Given<F>,
        kind: NeighborsKind,
        results: &[Cells<F>],
    ) -> Result<()> {
        let mut for_cpu = F::CPU_ONLY;
        let (mut evaluated, mut plan) = self.sum_as_planned::<T, F>(given, (kind, for_cpu), results)?;
        if let (Backend::Gpu, Evaluated::OnCpu(why)) = (plan.backend, evaluated) {
            for_cpu = Some(why);
            match plan.forced {
                true => self.sum_chunks::<T, F>(given, kind, results, &plan)?,
                false => (_, plan) = self.sum_as_planned::<T, F>(given, (kind, for_cpu), results)?,
            }
        }
        if evaluated != Evaluated::OnDevice && plan.backend == Backend::Cpu {
            let why = for_cpu.filter(|_| !plan.forced).unwrap_or(plan.backend_reason);
            evaluated = Evaluated::OnCpu(why);
        }
        self.report.evaluated = Some(evaluated);
        Ok(())
    }

    /// Evaluates rows on the backend that is planned for, or says why a GPU does not; `for_cpu`: why none should.
    fn sum_as_planned<T: Precision, F: OnDevice>(
        &mut self,
        given: &Given<F>,
        (kind, for_cpu): (NeighborsKind, Option<&'static str>),
        results: &[Cells<F>],
    ) -> Result<(Evaluated, Plan)> {
        let asked = Asked::Sums(kind, for_cpu.map(|_| "auto: the CPU evaluates this formula"));
        self.run(asked, |search, plan, team| {
            let Parts { mut query, sums, .. } = search.parts::<T>(plan, team, kind)?;
            if query.device.is_some() {
                return Ok((sum_on_device(&mut query, given, results)?, *plan));
            }
            sum_on_cpu(&mut query, sums, given, results)?;
            Ok((Evaluated::OnCpu(plan.backend_reason), *plan))
        })
    }

    /// Evaluates rows that a GPU finds, chunk by chunk.
    fn sum_chunks<T: Precision, F: OnDevice>(
        &mut self,
        given: &Given<F>,
        kind: NeighborsKind,
        results: &[Cells<F>],
        plan: &Plan,
    ) -> Result<()> {
        given.begin(results);
        match self.begin_chunks(kind, entries(&self.inputs)) {
            Err(error) if error.status() == Status::Capacity => self.begin_chunks(kind, self.counted.longest_row())?,
            begun => begun?,
        };
        while let Some((rows, first)) = self.advance(Layout::Rows)? {
            let (points, team) = (self.held::<T>()?, Team::new(plan.threads)?);
            let chunk = (self.chunk((rows.clone(), first)), rows.start);
            given.sum_chunk(&self.inputs, points, (kind, plan.isa, &team), chunk, results)?;
        }
        Ok(())
    }
}
