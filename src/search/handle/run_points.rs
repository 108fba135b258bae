//! Stages of statements for each point.

use super::Search;
use super::run::{as_exchange, spare};
use crate::error::Result;
use crate::fields::{FieldView, Fields};
use crate::formula::{Formula, Makes, Number, PointWork, Schedule, StageOfText, Total};
use crate::kinds::Actives;
use crate::list::push;
use crate::points::{PointsView, Precision, Values};
use crate::search::before::Before;
use crate::search::each_point::each_point;
use crate::search::exchange::Exchange;
use crate::search::made::Made;
use crate::search::neighbors::NeighborsKind;
use crate::search::precision::{by_precision, in_precision};
use crate::search::sum::{Outputs, collect};
use crate::simd::Isa;
use crate::version::Version;

const WHAT: &str = "a run";

impl Search {
    pub(super) fn point_stage<F: Number>(
        &mut self,
        (fields, mut exchange): (&Fields, Option<&mut dyn Exchange>),
        formula: &Formula,
        made: &mut Made,
        (stage, later): (&StageOfText, &[StageOfText]),
        kind: NeighborsKind,
    ) -> Result<()> {
        let (outputs, mut totals) = self.each_point::<F>(fields, formula, made, stage, kind)?;
        if let Some(exchange) = &mut exchange {
            exchange.join(&mut totals)?;
        }
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
                self.move_points(as_exchange(&mut exchange), made, (before, slot), output)?;
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
        let mut views = made.views(formula, fields, &stage.program)?;
        if let Some(slot) = made.positions {
            let of_axes = in_precision!(
                &self.session,
                session => Some(FieldView::of_axes(session.points.axes(), rows.clone())),
                none => None
            );
            if let Some(view) = views.get_mut(slot as usize) {
                *view = [of_axes, None];
            }
        }
        let active = match kind.is_of_queries() {
            true => Actives::first(rows.len()),
            false => self.inputs.kinds.own_roles().actives(rows.len())?,
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
        exchange: Option<&mut dyn Exchange>,
        made: &mut Made,
        (before, slot): (Option<u32>, u32),
        (values, dim): (Values, usize),
    ) -> Result<()> {
        let owned = self.inputs.owned();
        if let Some(before) = before {
            let copy = by_precision!(self.session, T => {
                let points = self.held::<T>()?;
                Ok(T::hold(FieldView::of_axes(points.axes(), 0..owned).copy::<T>()?))
            })?;
            made.put(before, (copy, dim), Version::new());
        }
        self.keep_points(&mut made.before)?;
        match (&values, exchange) {
            (values, Some(exchange)) => exchange.move_points(self, values).map(|()| true)?,
            (Values::F32(values), None) => self.update(&PointsView::interleaved(dim, values)?)?,
            (Values::F64(values), None) => self.update(&PointsView::interleaved(dim, values)?)?,
            (Values::None, None) => false,
        };
        made.positions = Some(slot);
        made.pairs.rows = None; // other points are neighbors now
        made.keep_spare(slot, values);
        Ok(())
    }

    /// Keeps the points before the first move of a step. The moved points go to other memory.
    fn keep_points(&mut self, before: &mut Before) -> Result<()> {
        if before.counts.is_some() {
            return Ok(());
        }
        in_precision!(&mut self.session, session => {
            let kept = before.points.of()?;
            std::mem::swap(kept, &mut session.points);
            session.points.follow(kept);
        }, none => ());
        let inputs = &self.inputs;
        before.counts = Some((inputs.owned(), inputs.ghosts, inputs.queries));
        Ok(())
    }
}
