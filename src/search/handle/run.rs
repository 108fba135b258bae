//! Formulas: stage by stage, as often as asked.

use super::{Parts, Search};
use crate::error::{Error, Result, Status, words};
use crate::fields::{FieldView, Fields};
use crate::formula::{Formula, Makes, Number, PointWork, Schedule, StageKind, StageOfText, SumPrecision, Total};
use crate::kinds::Actives;
use crate::list::{Cells, push};
use crate::plan::{Backend, Plan};
use crate::points::{PointsView, Precision, Values};
use crate::search::each_point::each_point;
use crate::search::inputs::Asked;
use crate::search::made::{Made, evaluate_numbers};
use crate::search::neighbors::{Layout, NeighborsKind, Sought};
use crate::search::precision::{by_precision, in_precision};
use crate::search::report::Evaluated;
use crate::search::sum::{Given, Outputs, RowsListed, collect, entries, sum_on_cpu, sum_on_device};
use crate::simd::Isa;
use crate::threads::Team;
use crate::version::Version;

const WHAT: &str = "a run";

impl Search {
    /// Runs a formula `times` times, one after the other: its sums over the neighbors of each point, or of each query, its statements for
    /// each point, and its numbers. The rows are those of [`neighbors`](Search::neighbors) with the same kind, with everything that is set
    /// for them. [`field`](Search::field) returns the fields that it makes, [`Formula::number`] the numbers.
    ///
    /// Statements have the meaning that they have one after the other. The handle divides them into stages: sums that need nothing of each
    /// other share a search, and statements for each point share a pass. Where `x_i` is given a value, the points move, as by
    /// [`update`](Search::update).
    ///
    /// Every operation is rounded once in the precision of the formula, or of the field that a statement for each point assigns, and none
    /// is fused. Terms of neighbors are joined in the order of the row, one after the other, as in a loop over the row. A sum of all points
    /// is exact and rounded once. So results do not depend on backend or threads. The difference of two coordinates is taken to the nearest
    /// image in the precision of the points, as in [`pair_displacements`](Search::pair_displacements), and then rounded to that of the
    /// formula.
    ///
    /// No list is made, so the memory used does not grow with the number of neighbors. Chunks of [`chunks`](Search::chunks) end with
    /// this call. On failure fields and numbers are as after the last run that was complete; points that a stage has moved stay moved.
    pub fn run(&mut self, formula: &mut Formula, kind: NeighborsKind, times: i64) -> Result<()> {
        self.check_points_held()?;
        match self.inputs.cell {
            Some(_) => self.check_images(kind)?,
            None => self.check_rows(kind, false)?,
        }
        formula.check_pair_rows(kind == NeighborsKind::Full, self.inputs.cell.is_some())?;
        let of_queries = kind.is_of_queries();
        if of_queries && formula.includes_self() {
            let allowed = "false for rows of queries, which are not among the points";
            return Err(Error::not_allowed(Status::BadValue, "include_self", true, allowed));
        }
        if times < 0 {
            return Err(Error::not_allowed(Status::BadCount, "times", times, "0 or more"));
        }
        let stages = self.stages_of(formula, &self.fields, of_queries)?;
        let shown = words(formula.shown(&stages));
        self.report.begin();
        let is_single = |stage: &StageOfText| {
            let single = StageKind::Points(SumPrecision::Single);
            matches!(stage.kind, StageKind::Pairs { .. }) || stage.kind == single
        };
        self.report.is_single_by_default =
            !formula.has_precision() && self.is_single() == Some(false) && stages.iter().any(is_single);
        let done = match self.run_on_device(formula, &stages, (kind, times)) {
            Ok(None) => self.all_home().and_then(|()| {
                // The fields are apart from the handle while it searches.
                let mut fields = std::mem::take(&mut self.fields);
                let done = self.run_stages(&mut fields, formula, stages, (kind, times));
                self.fields = fields;
                self.pair_fields.retain(None);
                done
            }),
            done => done.map(drop),
        };
        self.report.stages = shown; // each search of the run began a report
        self.streams.stream.begin(); // what is left of it is of no use to others
        done
    }

    pub(super) fn stages_of(&self, formula: &Formula, fields: &Fields, of_queries: bool) -> Result<Vec<StageOfText>> {
        let of_points = match self.is_single() {
            Some(true) => SumPrecision::Single,
            _ => SumPrecision::Double,
        };
        let of_rows = (of_queries, self.inputs.exclusions.are_set() && !of_queries);
        let pairs = (fields, &self.pair_fields);
        formula.stages(pairs, (self.dim(), of_points), self.inputs.counts(), of_rows)
    }

    fn run_stages(
        &mut self,
        fields: &mut Fields,
        formula: &mut Formula,
        mut stages: Vec<StageOfText>,
        (kind, times): (NeighborsKind, i64),
    ) -> Result<()> {
        let mut made = Made::new(formula, kind.is_of_queries())?;
        for step in 0..times {
            if step == 1 {
                // From here on fields have the precision in which the text leaves them.
                stages = self.stages_of(formula, fields, kind.is_of_queries())?;
            }
            made.begin(formula)?;
            for (number, stage) in stages.iter().enumerate() {
                let later = &stages[number + 1..];
                match (stage.kind, formula.precision()) {
                    (StageKind::Pairs { .. }, SumPrecision::Single) if stage.program.has_pair_fields() => {
                        self.pair_stage::<f32>(fields, formula, &mut made, stage)?
                    }
                    (StageKind::Pairs { .. }, SumPrecision::Double) if stage.program.has_pair_fields() => {
                        self.pair_stage::<f64>(fields, formula, &mut made, stage)?
                    }
                    (StageKind::Pairs { .. }, SumPrecision::Single) => {
                        self.sum_stage::<f32>(fields, formula, &mut made, stage, kind)?
                    }
                    (StageKind::Pairs { .. }, SumPrecision::Double) => {
                        self.sum_stage::<f64>(fields, formula, &mut made, stage, kind)?
                    }
                    (StageKind::Points(SumPrecision::Single), _) => {
                        self.point_stage::<f32>(fields, formula, &mut made, (stage, later), kind)?
                    }
                    (StageKind::Points(SumPrecision::Double), _) => {
                        self.point_stage::<f64>(fields, formula, &mut made, (stage, later), kind)?
                    }
                    (StageKind::Numbers, _) => evaluate_numbers(formula, stage, &mut made.numbers)?,
                }
            }
            made.pairs.end(formula, &mut self.pair_fields)?;
            made.end(formula, fields)?;
            if let Some(gpu) = self.device.held_mut() {
                gpu.retain_fields(|version| fields.has(version));
            }
        }
        Ok(())
    }
}

/// Stages of sums over neighbors.
impl Search {
    fn sum_stage<F: Number>(
        &mut self,
        fields: &Fields,
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
        let given = Given::<F> {
            program: &stage.program,
            schedule: &schedule,
            fields: made.views(formula, fields)?,
            pairs: Vec::new(),
            positions: made.positions,
            constants: made.constants()?,
            tables: formula.tables()?,
            with_self: formula.includes_self(),
            versions,
        };
        let rows = self.inputs.rows_of(kind).len();
        given.check_limit(&self.inputs, rows)?;
        let (tests, seconds) = (self.report.tests, self.report.seconds);
        let sizes = stage.program.outputs.iter().map(|output| [rows, output.width]);
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
        for ((statement, output), version) in statements.zip(outputs).zip(versions) {
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

/// Stages of statements for each point.
impl Search {
    fn point_stage<F: Number>(
        &mut self,
        fields: &Fields,
        formula: &Formula,
        made: &mut Made,
        (stage, later): (&StageOfText, &[StageOfText]),
        kind: NeighborsKind,
    ) -> Result<()> {
        let (outputs, mut totals) = self.each_point::<F>(fields, formula, made, stage, kind)?;
        let (mut outputs, mut totals) = (outputs.into_iter(), totals.iter_mut());
        for statement in formula.syntax().statements_of(&stage.statements) {
            let slot = statement.slot;
            if statement.makes.total().is_some() {
                let total = totals.next().map(Total::value);
                made.numbers[slot as usize] = total.unwrap_or_default();
                continue;
            }
            let Some(output) = outputs.next() else { continue };
            if formula.syntax().is_of_points(statement) {
                let is_read = |slot: &u32| later.iter().any(|stage| stage.program.reads(*slot));
                let before = made.positions.filter(is_read);
                self.move_points(made, (before, slot), output)?;
            } else {
                made.put(slot, output, Version::new());
            }
        }
        Ok(())
    }

    /// Evaluates the statements of a stage: the values of all points, and the numbers of all together.
    fn each_point<F: Number>(
        &mut self,
        fields: &Fields,
        formula: &Formula,
        made: &mut Made,
        stage: &StageOfText,
        kind: NeighborsKind,
    ) -> Result<(Outputs, Vec<Total>)> {
        let (mut totals, mut widths) = (Vec::new(), Vec::new());
        for (statement, output) in formula
            .syntax()
            .statements_of(&stage.statements)
            .zip(&stage.program.outputs)
        {
            push(&mut totals, statement.makes.total(), WHAT)?;
            if statement.makes.total().is_none() {
                push(&mut widths, output.width, WHAT)?;
            }
        }
        let spare = spare(formula, made, stage, |makes| makes == Makes::Point)?;
        let (rows, team) = (self.inputs.rows_of(kind), self.inputs.team_for(self.inputs.len)?);
        let mut views = made.views(formula, fields)?;
        if let Some(slot) = made.positions {
            let of_axes = in_precision!(
                &self.session,
                session => Some(FieldView::of_axes(session.points.axes(), rows.clone())),
                none => None
            );
            views[slot as usize] = [of_axes, None];
        }
        let active = match kind.is_of_queries() {
            true => Actives::first(rows.len()),
            false => self.inputs.kinds.roles().actives(self.inputs.len)?,
        };
        let (schedule, constants, tables) = (
            Schedule::new(&stage.program, true)?,
            made.constants::<F>()?,
            formula.tables::<F>()?,
        );
        let sizes = widths.into_iter().map(|width| [rows.len(), width]);
        collect(sizes, spare, |results| {
            let work = PointWork::<F> {
                program: &stage.program,
                schedule: &schedule,
                fields: &views,
                constants: &constants,
                tables: &tables,
                cutoff: F::default(),
                totals: &totals,
                active,
                results,
                isa: self.inputs.settings.environment.isa.unwrap_or_else(Isa::best),
            };
            each_point(&work, rows.len(), &team)
        })
    }

    /// Moves the points to positions that a statement has made, which become those of a slot. Positions before it that are read later
    /// are kept.
    fn move_points(
        &mut self,
        made: &mut Made,
        (before, slot): (Option<u32>, u32),
        (values, dim): (Values, usize),
    ) -> Result<()> {
        if let Some(before) = before {
            let copy = by_precision!(self.session, T => {
                let points = self.held::<T>()?;
                Ok(T::hold(FieldView::of_axes(points.axes(), 0..points.len()).copy::<T>()?))
            })?;
            made.put(before, (copy, dim), Version::new());
        }
        match &values {
            Values::F32(values) => self.update(&PointsView::interleaved(dim, values)?)?,
            Values::F64(values) => self.update(&PointsView::interleaved(dim, values)?)?,
            Values::None => false,
        };
        made.positions = Some(slot);
        made.pairs.rows = None; // other points are neighbors now
        made.keep_spare(slot, values);
        Ok(())
    }
}

/// Memory for the fields that statements of a stage make again.
pub(super) fn spare(
    formula: &Formula,
    made: &mut Made,
    stage: &StageOfText,
    is_field: impl Fn(Makes) -> bool,
) -> Result<Vec<Values>> {
    let mut spare = Vec::new();
    for statement in formula.syntax().statements_of(&stage.statements) {
        if is_field(statement.makes) {
            push(&mut spare, made.spare(statement.slot), WHAT)?;
        }
    }
    Ok(spare)
}
