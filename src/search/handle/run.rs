//! Formulas: stage by stage, as often as asked.

use super::Search;
use crate::error::{Error, Result, Status, Words, words};
use crate::fields::Fields;
use crate::formula::{Formula, Makes, StageKind, StageOfText, Stages, SumPrecision};
use crate::list::push;
use crate::points::Values;
use crate::search::before::Before;
use crate::search::exchange::Exchange;
use crate::search::made::{Made, evaluate_numbers};
use crate::search::neighbors::NeighborsKind;
use crate::search::precision::in_precision;
use crate::search::restored::restoring;

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
    /// this call. On failure points, fields and numbers are as the last complete run left them.
    pub fn run(&mut self, formula: &mut Formula, kind: NeighborsKind, times: i64) -> Result<()> {
        self.check_run(formula, kind, times)?;
        self.run_across(None, formula, kind, times)
    }

    /// Refuses a run that can be refused before it begins.
    pub(crate) fn check_run(&mut self, formula: &Formula, kind: NeighborsKind, times: i64) -> Result<()> {
        self.check_points_held()?;
        self.check_summed(kind)?;
        self.check_formula(formula, kind, times)
    }

    /// Refuses rows that cannot be summed over.
    fn check_summed(&mut self, kind: NeighborsKind) -> Result<()> {
        match self.inputs.cell {
            Some(_) => self.check_images(kind),
            None => self.check_rows(kind, false),
        }
    }

    /// Refuses what a formula does not do, whatever rows there are.
    pub(crate) fn check_formula(&self, formula: &Formula, kind: NeighborsKind, times: i64) -> Result<()> {
        formula.check_pair_rows(kind == NeighborsKind::Full, self.inputs.cell.is_some())?;
        let of_queries = kind.is_of_queries();
        if of_queries && formula.includes_self() {
            let allowed = "false for rows of queries, which are not among the points";
            return Err(Error::not_allowed(Status::BadValue, "include_self", true, allowed));
        }
        if times < 0 {
            return Err(Error::not_allowed(Status::BadCount, "times", times, "0 or more"));
        }
        formula.keep(self.stages_of(formula, &self.fields, of_queries)?);
        Ok(())
    }

    /// The work of [`run`](Search::run), with other ranks where there are such.
    pub(crate) fn run_across(
        &mut self,
        exchange: Option<&mut dyn Exchange>,
        formula: &mut Formula,
        kind: NeighborsKind,
        times: i64,
    ) -> Result<()> {
        let stages = self.stages_of(formula, &self.fields, kind.is_of_queries())?;
        let shown = words(formula.shown(&stages));
        self.report.begin();
        let is_single = |stage: &StageOfText| {
            let single = StageKind::Points(SumPrecision::Single);
            matches!(stage.kind, StageKind::Pairs { .. }) || stage.kind == single
        };
        self.report.is_single_by_default =
            !formula.has_precision() && self.is_single() == Some(false) && stages.iter().any(is_single);
        let on_device = match &exchange {
            Some(_) => {
                self.report.by_stages = Some("ghosts of other ranks");
                Ok(None)
            }
            None => self.run_on_device(formula, &stages, (kind, times)),
        };
        let done = match on_device {
            Ok(None) => self.all_home().and_then(|()| {
                // The fields are apart from the handle while it searches.
                let fields = std::mem::take(&mut self.fields);
                let done = restoring(
                    (&mut *self, fields),
                    |(search, fields)| search.run_stages((fields, exchange), formula, stages, (kind, times)),
                    |(search, fields)| search.fields = std::mem::take(fields),
                );
                self.pair_fields.retain(None);
                done
            }),
            done => {
                formula.keep(stages);
                done.map(drop)
            }
        };
        self.report.pair_fields = formula.pair_fields_made();
        self.pair_fields.note_run(|name| formula.has_pair_field(name));
        self.report.stages = shown; // each search of the run began a report
        self.streams.stream.begin(); // what is left of it is of no use to others
        done
    }

    /// The facts that must be equal on all ranks that run a formula over rows of a kind: names and values. The formula was checked.
    pub(crate) fn facts_of(
        &self,
        formula: &Formula,
        kind: NeighborsKind,
        times: i64,
    ) -> Result<Vec<(&'static str, Words)>> {
        formula.facts((&self.fields, &self.pair_fields), kind.is_of_queries(), times)
    }

    /// The stages of a formula, as a fact that must be equal on all ranks.
    pub(crate) fn stages_in_words(&self, formula: &Formula, kind: NeighborsKind) -> Result<(&'static str, Words)> {
        let stages = self.stages_of(formula, &self.fields, kind.is_of_queries())?;
        let shown = words(formula.shown(&stages));
        formula.keep(stages);
        Ok(("stages", shown))
    }

    pub(super) fn stages_of(&self, formula: &Formula, fields: &Fields, of_queries: bool) -> Result<Stages> {
        let of_points = match self.is_single() {
            Some(true) => SumPrecision::Single,
            _ => SumPrecision::Double,
        };
        let of_rows = (of_queries, self.inputs.exclusions.are_set() && !of_queries);
        let pairs = (fields, &self.pair_fields);
        formula.stages(pairs, (self.dim(), of_points), self.inputs.own_counts(), of_rows)
    }

    fn run_stages(
        &mut self,
        (fields, mut exchange): (&mut Fields, Option<&mut dyn Exchange>),
        formula: &mut Formula,
        mut stages: Stages,
        (kind, times): (NeighborsKind, i64),
    ) -> Result<()> {
        let mut made = Made::new(formula, kind.is_of_queries())?;
        made.make_room(formula, (&mut *fields, &mut self.pair_fields))?;
        for step in 0..times {
            if step == 1 {
                // Fields now have the precision that the text gives them.
                formula.keep(stages);
                stages = self.stages_of(formula, fields, kind.is_of_queries())?;
            }
            let with = (&mut *fields, as_exchange(&mut exchange));
            restoring(
                (&mut *self, &mut made, false),
                |(search, made, is_complete)| {
                    search.run_step(with, formula, made, (&stages, kind))?;
                    *is_complete = true;
                    Ok(())
                },
                |(search, made, is_complete)| {
                    if !*is_complete {
                        search.points_back(&mut made.before);
                    }
                },
            )?;
            made.before.counts = None; // the step is complete and does not need these points
            if let Some(gpu) = self.device.held_mut() {
                gpu.retain_fields(|version| fields.has(version));
            }
        }
        formula.keep(stages);
        Ok(())
    }

    /// Runs all stages once.
    fn run_step(
        &mut self,
        (fields, mut exchange): (&mut Fields, Option<&mut dyn Exchange>),
        formula: &mut Formula,
        made: &mut Made,
        (stages, kind): (&[StageOfText], NeighborsKind),
    ) -> Result<()> {
        made.begin(formula)?;
        for (number, stage) in stages.iter().enumerate() {
            let later = &stages[number + 1..];
            if let (Some(exchange), StageKind::Pairs { .. }) = (&mut exchange, stage.kind) {
                exchange.bring_ghosts(self, kind)?;
                self.check_summed(kind)?; // with what ghosts have, and with radii that are tried
            }
            let with = (&mut *fields, as_exchange(&mut exchange));
            match (stage.kind, formula.precision()) {
                (StageKind::Pairs { .. }, SumPrecision::Single) if stage.program.has_pair_fields() => {
                    self.pair_stage::<f32>(with, formula, made, stage)?
                }
                (StageKind::Pairs { .. }, SumPrecision::Double) if stage.program.has_pair_fields() => {
                    self.pair_stage::<f64>(with, formula, made, stage)?
                }
                (StageKind::Pairs { .. }, SumPrecision::Single) => {
                    self.sum_stage::<f32>(with, formula, made, stage, kind)?
                }
                (StageKind::Pairs { .. }, SumPrecision::Double) => {
                    self.sum_stage::<f64>(with, formula, made, stage, kind)?
                }
                (StageKind::Points(SumPrecision::Single), _) => {
                    self.point_stage::<f32>((with.0, with.1), formula, made, (stage, later), kind)?
                }
                (StageKind::Points(SumPrecision::Double), _) => {
                    self.point_stage::<f64>((with.0, with.1), formula, made, (stage, later), kind)?
                }
                (StageKind::Numbers, _) => evaluate_numbers(formula, stage, &mut made.numbers)?,
            }
        }
        made.pairs.end(formula, &mut self.pair_fields)?;
        made.end(formula, fields)
    }

    /// Puts back the points that a step has moved before it failed.
    fn points_back(&mut self, before: &mut Before) {
        let Some((owned, ghosts, mut queries)) = before.counts.take() else {
            return;
        };
        in_precision!(&mut before.points, kept => {
            // Without memory for the session the handle has no points.
            let Ok(session) = self.session.of() else { return };
            std::mem::swap(&mut **kept, &mut session.points);
            if session.points.stamp() != kept.stamp() {
                session.points.come_back();
            }
            if ghosts > 0 {
                // The queries stay; without memory for them there are none.
                let after = session.points.take_from(owned + ghosts);
                session.points.truncate(owned);
                if after.and_then(|after| session.points.put_back(&after)).is_err() {
                    session.points.truncate(owned);
                    queries = None;
                }
                session.points.renew(owned);
            }
        }, none => return);
        self.inputs.set_len(owned);
        self.inputs.queries = queries;
        if ghosts > 0 {
            self.forget_ghosts();
        }
    }
}

/// The exchange once more, for one of several stages.
pub(super) fn as_exchange<'a>(exchange: &'a mut Option<&mut dyn Exchange>) -> Option<&'a mut dyn Exchange> {
    match exchange {
        Some(exchange) => Some(&mut **exchange),
        None => None,
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
