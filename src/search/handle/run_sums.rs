//! Stages of sums over neighbors: found and evaluated where the plan says.

use super::run::spare;
use super::{Parts, Search};
use crate::error::{Result, Status};
use crate::fields::{FieldView, Fields};
use crate::formula::{Formula, Number, Schedule, StageOfText};
use crate::list::{Cells, push};
use crate::plan::{Backend, Plan};
use crate::points::{Precision, Values};
use crate::search::exchange::Exchange;
use crate::search::inputs::Asked;
use crate::search::made::Made;
use crate::search::neighbors::{Layout, NeighborsKind, Sought};
use crate::search::precision::by_precision;
use crate::search::report::Evaluated;
use crate::search::sum::{Given, RowsListed, collect, entries, sum_on_cpu, sum_on_device};
use crate::threads::Team;
use crate::version::Version;

const WHAT: &str = "a run";

/// Fields of points and ghosts, and their components, by slot.
pub(super) type WithGhosts = Vec<(usize, (Values, usize))>;

/// The views of fields, of which some have values of ghosts.
pub(super) fn extended<'a>(
    mut views: Vec<[Option<FieldView<'a>>; 2]>,
    with_ghosts: &'a WithGhosts,
    kind: NeighborsKind,
) -> Vec<[Option<FieldView<'a>>; 2]> {
    for &(slot, (ref values, components)) in with_ghosts {
        views[slot][1] = Some(FieldView::of_values(values, components));
        if !kind.is_of_queries() {
            views[slot][0] = views[slot][1];
        }
    }
    views
}

/// Stages of sums over neighbors.
impl Search {
    /// The fields that a stage reads, with the values of ghosts after those of the points, by slot. None without ranks.
    pub(super) fn with_ghosts(
        &self,
        exchange: Option<&mut dyn Exchange>,
        (known, formula): (&Fields, &Formula),
        (made, stage): (&Made, &StageOfText),
    ) -> Result<WithGhosts> {
        let Some(exchange) = exchange else {
            return Ok(Vec::new());
        };
        let views = made.views(formula, known)?;
        let (mut slots, mut fields, mut are_read) = (Vec::new(), Vec::new(), Vec::new());
        for (slot, view) in (0..).zip(&views).filter(|&(slot, _)| made.positions != Some(slot)) {
            if let (Some(view), true) = (view[1], stage.program.reads(slot)) {
                let copy = match view.is_single() {
                    true => Values::F32(view.copy()?),
                    false => Values::F64(view.copy()?),
                };
                push(&mut slots, slot as usize, WHAT)?;
                push(&mut fields, (copy, view.components), WHAT)?;
                push(&mut are_read, stage.program.reads_of_neighbors(slot), WHAT)?;
            }
        }
        exchange.bring_values(self, &mut fields, &are_read)?;
        Ok(slots.into_iter().zip(fields).collect())
    }

    pub(super) fn sum_stage<F: Number>(
        &mut self,
        (fields, exchange): (&Fields, Option<&mut dyn Exchange>),
        formula: &Formula,
        made: &mut Made,
        stage: &StageOfText,
        kind: NeighborsKind,
    ) -> Result<()> {
        let spare = spare(formula, made, stage, |_| true)?;
        let mut versions = Vec::new();
        for _ in &stage.statements {
            push(&mut versions, Version::new(), WHAT)?;
        }
        let schedule = Schedule::new(&stage.program, self.inputs.has_one_cutoff(kind))?;
        let with_ghosts = self.with_ghosts(exchange, (fields, formula), (made, stage))?;
        let views = extended(made.views(formula, fields)?, &with_ghosts, kind);
        let given = Given::<F> {
            program: &stage.program,
            schedule: &schedule,
            fields: views,
            pairs: Vec::new(),
            positions: made.positions,
            constants: made.constants()?,
            tables: formula.tables()?,
            with_self: formula.includes_self(),
            versions,
        };
        let [all, rows] = [self.inputs.searched_rows(kind), self.inputs.rows_of(kind)].map(|rows| rows.len());
        given.check_limit(&self.inputs, all)?;
        let (tests, seconds) = (self.report.tests, self.report.seconds);
        let sizes = stage.program.outputs.iter().map(|output| [all, output.width]);
        let sought = Sought {
            kind,
            excluded_too: stage.program.reads_class(),
        };
        let (outputs, ()) = collect(
            sizes,
            spare,
            |results| by_precision!(self.session, T => self.sum_rows::<T, F>(&given, sought, results)),
        )?;
        self.report.join(tests, seconds);
        let versions = given.versions;
        let statements = formula.syntax().statements_of(&stage.statements);
        for ((statement, mut output), version) in statements.zip(outputs).zip(versions) {
            output.0.truncate(rows * output.1);
            made.put(statement.slot, output, version);
        }
        Ok(())
    }

    /// Evaluates rows where the plan says; on the CPU, where the GPU that is planned for does not evaluate the formula.
    fn sum_rows<T: Precision, F: Number>(
        &mut self,
        given: &Given<F>,
        sought: Sought,
        results: &[Cells<F>],
    ) -> Result<()> {
        if self.inputs.cell.is_some() {
            return self.sum_images::<T, F>(given, sought, results);
        }
        let mut for_cpu = None;
        let (mut evaluated, mut plan) = self.sum_as_planned::<T, F>(given, (sought, for_cpu), results)?;
        if let (Backend::Gpu, Evaluated::OnCpu(why)) = (plan.backend, evaluated) {
            for_cpu = Some(why);
            match plan.forced {
                true => self.sum_chunks::<T, F>(given, sought, results, &plan)?,
                false => (_, plan) = self.sum_as_planned::<T, F>(given, (sought, for_cpu), results)?,
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
    fn sum_as_planned<T: Precision, F: Number>(
        &mut self,
        given: &Given<F>,
        (sought, for_cpu): (Sought, Option<&'static str>),
        results: &[Cells<F>],
    ) -> Result<(Evaluated, Plan)> {
        let asked = Asked::Sums(sought, for_cpu.map(|_| "auto: the CPU evaluates this formula"));
        self.carry_out(asked, |search, plan, team| {
            let Parts { mut query, sums, .. } = search.parts::<T>(plan, team, sought)?;
            if query.device.is_some() {
                return Ok((sum_on_device(&mut query, given, results)?, *plan));
            }
            sum_on_cpu(&mut query, sums, given, results)?;
            Ok((Evaluated::OnCpu(plan.backend_reason), *plan))
        })
    }

    /// Evaluates rows that a GPU finds, chunk by chunk.
    fn sum_chunks<T: Precision, F: Number>(
        &mut self,
        given: &Given<F>,
        sought: Sought,
        results: &[Cells<F>],
        plan: &Plan,
    ) -> Result<()> {
        given.begin(results);
        match self.begin_chunks(sought, entries(&self.inputs)) {
            Err(error) if error.status() == Status::Capacity => {
                self.begin_chunks(sought, self.counted.longest_row())?
            }
            begun => begun?,
        };
        while let Some((rows, first)) = self.advance(Layout::Rows, sought.excluded_too)? {
            let (points, team) = (self.held::<T>()?, Team::new(plan.threads)?);
            let chunk = self.chunk((rows.clone(), first));
            let rows = RowsListed {
                first: rows.start,
                offsets: chunk.offsets,
                ids: chunk.ids,
                base: self.inputs.settings.index_base,
                shifts: None,
            };
            given.sum_listed(&self.inputs, points, (sought.kind, plan.isa, &team), &rows, results)?;
        }
        Ok(())
    }
}
