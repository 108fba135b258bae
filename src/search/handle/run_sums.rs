//! Stages of sums over neighbors: found and evaluated where the plan says.

use super::run::spare;
use super::{Parts, Search};
use crate::error::{Result, Status};
use crate::fields::{FieldView, Fields};
use crate::formula::{Formula, Number, Schedule, StageOfText};
use crate::list::{Cells, push, reserve_discarding};
use crate::plan::{Backend, Plan};
use crate::points::Precision;
use crate::search::exchange::Exchange;
use crate::search::inputs::Asked;
use crate::search::made::Made;
use crate::search::neighbors::{Layout, NeighborsKind, Sought};
use crate::search::precision::by_precision;
use crate::search::report::Evaluated;
use crate::search::restored::restoring;
use crate::search::sum::{Given, Outputs, RowsListed, collect, entries, sum_on_cpu, sum_on_device};
use crate::threads::Team;
use crate::version::Version;

const WHAT: &str = "a run";

/// A field that has values of ghosts for a stage: its slot, and its numbers without them.
struct Lengthened {
    slot: u32,
    numbers: usize,
}

/// The fields that have values of ghosts for a stage. None without ranks.
#[derive(Default)]
pub(super) struct WithGhosts(Vec<Lengthened>);

impl WithGhosts {
    /// Makes the fields what they were.
    pub(super) fn end(self, known: &mut Fields, formula: &Formula, made: &mut Made) {
        for Lengthened { slot, numbers } in self.0 {
            if let Some(field) = made.field_of_points(slot, formula, known) {
                field.values.truncate(numbers);
            }
        }
    }

    /// The views of fields, in which those with values of ghosts are of no version.
    fn of_no_version<'a>(&self, mut views: Vec<[Option<FieldView<'a>>; 2]>) -> Vec<[Option<FieldView<'a>>; 2]> {
        for of in &self.0 {
            let views = views.get_mut(of.slot as usize).into_iter().flatten();
            views.flatten().for_each(|view| view.version = None);
        }
        views
    }
}

/// Stages of sums over neighbors.
impl Search {
    /// Appends the values of ghosts to the fields that a stage reads. Values of points stay where they are: they are not copied.
    pub(super) fn bring_values(
        &self,
        exchange: Option<&mut dyn Exchange>,
        known: &mut Fields,
        formula: &Formula,
        (made, stage): (&mut Made, &StageOfText),
    ) -> Result<WithGhosts> {
        let mut with_ghosts = WithGhosts::default();
        let Some(exchange) = exchange else {
            return Ok(with_ghosts);
        };
        let (mut fields, mut are_read) = (Vec::new(), Vec::new());
        let is_read = |slot: &u32| stage.program.reads(*slot);
        for slot in (0..formula.syntax().fields.slots.len() as u32).filter(is_read) {
            let is_positions = made.positions == Some(slot);
            if let (Some(field), false) = (made.field_of_points(slot, formula, known), is_positions) {
                let numbers = field.values.len();
                push(&mut with_ghosts.0, Lengthened { slot, numbers }, WHAT)?;
                push(&mut are_read, stage.program.reads_of_neighbors(slot), WHAT)?;
            }
        }
        reserve_discarding(&mut fields, with_ghosts.0.len(), WHAT)?;
        for of in &with_ghosts.0 {
            let field = made.field_of_points(of.slot, formula, known);
            fields.extend(field.map(|field| (std::mem::take(&mut field.values), field.components)));
        }
        restoring(
            (known, made, fields, false),
            |(_, _, fields, have_come)| {
                exchange.bring_values(self, fields, &are_read)?;
                *have_come = true;
                Ok(())
            },
            |(known, made, fields, have_come)| {
                for (of, (mut values, _)) in with_ghosts.0.iter().zip(fields.drain(..)) {
                    if !*have_come {
                        values.truncate(of.numbers);
                    }
                    if let Some(field) = made.field_of_points(of.slot, formula, known) {
                        field.values = values;
                    }
                }
            },
        )
        .map(|()| with_ghosts)
    }

    pub(super) fn sum_stage<F: Number>(
        &mut self,
        (fields, exchange): (&mut Fields, Option<&mut dyn Exchange>),
        formula: &Formula,
        made: &mut Made,
        stage: &StageOfText,
        kind: NeighborsKind,
    ) -> Result<()> {
        let with_ghosts = self.bring_values(exchange, fields, formula, (made, stage))?;
        let done = restoring(
            (fields, &mut *made, with_ghosts),
            |(fields, made, with_ghosts)| self.sum_of_fields::<F>((fields, with_ghosts), formula, made, stage, kind),
            |(fields, made, with_ghosts)| std::mem::take(with_ghosts).end(fields, formula, made),
        );
        let (outputs, versions) = done?;
        let rows = self.inputs.rows_of(kind).len();
        let statements = formula.syntax().statements_of(&stage.statements);
        for ((statement, mut output), version) in statements.zip(outputs).zip(versions) {
            output.0.truncate(rows * output.1);
            made.put(statement.slot, output, version);
        }
        Ok(())
    }

    /// Evaluates a stage of fields that have values of ghosts, too. Returns what it makes, with versions.
    fn sum_of_fields<F: Number>(
        &mut self,
        (fields, with_ghosts): (&Fields, &WithGhosts),
        formula: &Formula,
        made: &mut Made,
        stage: &StageOfText,
        kind: NeighborsKind,
    ) -> Result<(Outputs, Vec<Version>)> {
        let spare = spare(formula, made, stage, |_| true)?;
        let mut versions = Vec::new();
        for _ in &stage.statements {
            push(&mut versions, Version::new(), WHAT)?;
        }
        let schedule = Schedule::new(&stage.program, self.inputs.has_one_cutoff(kind))?;
        let given = Given::<F> {
            program: &stage.program,
            schedule: &schedule,
            fields: with_ghosts.of_no_version(made.views(formula, fields, &stage.program)?),
            pairs: Vec::new(),
            positions: made.positions,
            constants: made.constants()?,
            tables: formula.tables()?,
            with_self: formula.includes_self(),
            versions,
        };
        let all = self.inputs.searched_rows(kind).len();
        given.check_limit(&self.inputs, all)?;
        let (tests, seconds) = (self.report.tests, self.report.seconds);
        let sizes = stage.program.outputs.iter().map(|output| [all, output.width]);
        let sought = Sought {
            kind,
            excluded_too: stage.program.reads_class,
        };
        let (outputs, ()) = collect(
            sizes,
            spare,
            |results| by_precision!(self.session, T => self.sum_rows::<T, F>(&given, sought, results)),
        )?;
        self.report.join((tests, seconds));
        Ok((outputs, given.versions))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::formula::Total;
    use crate::points::{PointsView, Values};
    use crate::quiet::calmly;

    /// The step at which ranks that have no ghosts fail.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Fails {
        Values,
        Totals,
        /// After points have moved.
        Move,
    }

    struct Failing {
        at: Fails,
        panics: bool,
    }

    impl Failing {
        fn step(&self, here: Fails) -> Result<()> {
            match self.at == here {
                true if self.panics => panic!("a panic"),
                true => Err(Error::NO_POINTS),
                false => Ok(()),
            }
        }
    }

    impl Exchange for Failing {
        fn bring_ghosts(&mut self, _: &mut Search, _: NeighborsKind) -> Result<()> {
            Ok(())
        }

        fn bring_values(&mut self, _: &Search, fields: &mut [(Values, usize)], _: &[bool]) -> Result<()> {
            if self.at == Fails::Values {
                for (values, components) in &mut *fields {
                    values.append_zeros(5 * *components, WHAT)?;
                }
            }
            self.step(Fails::Values)
        }

        fn any(&mut self, mine: bool) -> Result<bool> {
            Ok(mine)
        }

        fn join(&mut self, _: &mut [Total]) -> Result<()> {
            self.step(Fails::Totals)
        }

        fn move_points(&mut self, search: &mut Search, positions: &Values) -> Result<()> {
            if let Values::F64(positions) = positions {
                search.update(&PointsView::interleaved(1, positions)?)?;
            }
            self.step(Fails::Move)
        }
    }

    /// All that a run may change.
    fn state(search: &mut Search, formula: &Formula) -> (Vec<Vec<f64>>, Vec<i32>, Option<f64>) {
        let names = ["x", "m", "v", "rho"];
        let fields = names.map(|name| {
            search
                .field_as::<f64>(name)
                .map(|field| field.to_vec())
                .unwrap_or_default()
        });
        let ids = search.neighbors(NeighborsKind::Full).unwrap().ids.to_vec();
        (fields.to_vec(), ids, formula.number("all").ok())
    }

    /// Points, fields and numbers are as before, whatever fails and however.
    #[test]
    fn a_step_that_fails_leaves_all_as_it_was() {
        for at in [Fails::Values, Fails::Totals, Fails::Move] {
            for panics in [false, true] {
                let mut search = Search::new().unwrap();
                search.set_cutoff(1.2).unwrap();
                let points = PointsView::interleaved(1, &[0.0, 1.0, 2.0]).unwrap();
                search.set_points(&points).unwrap();
                search.set_field("m", &[1.0, 2.0, 4.0], 1).unwrap();
                search.set_field("v", &[0.5, 3.0, 0.0], 1).unwrap();
                let text = "v_i = 2*v_i; rho += m_j*v_j; all all+= rho_i; x_i = x_i + v_i; far += 1 + m_j";
                let mut formula = Formula::new(text).unwrap();
                formula.set_precision(crate::formula::SumPrecision::Double);
                let before = state(&mut search, &formula);
                let mut failing = Failing { at, panics };
                let failed = calmly(|| search.run_across(Some(&mut failing), &mut formula, NeighborsKind::Full, 1));
                assert!(failed.map_or(panics, |done| done.is_err()), "{at:?}");
                assert!(state(&mut search, &formula) == before, "{at:?}, panics: {panics}");
                search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
                assert_eq!(search.field::<f64>("rho").unwrap(), [12.0, 1.0, 12.0]);
            }
        }
    }
}
