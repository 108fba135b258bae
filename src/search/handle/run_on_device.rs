//! Runs that a GPU does from the first step to the last, and what the handle takes of them.

use super::Search;
use crate::error::Result;
use crate::formula::{Formula, StageOfText};
use crate::search::neighbors::NeighborsKind;
#[cfg(feature = "gpu")]
use {
    super::Parts,
    crate::fields::Of,
    crate::formula::StageKind,
    crate::search::inputs::Asked,
    crate::search::precision::{by_precision, in_precision},
    crate::search::report::Evaluated,
    crate::search::resident::{self, Outcome},
};

#[cfg(feature = "gpu")]
impl Search {
    /// Runs all stages where their values stay, on the GPU that is planned for; `None` where there is none, or where it does not run them.
    pub(super) fn run_on_device(
        &mut self,
        formula: &mut Formula,
        stages: &[StageOfText],
        (kind, times): (NeighborsKind, i64),
    ) -> Result<Option<()>> {
        self.report.by_stages = None;
        if self.inputs.len == 0 || times == 0 {
            return Ok(None); // the device has nothing to do
        }
        if let Some(why) = self.why_by_stages(stages, (kind, times)) {
            self.report.by_stages = Some(why);
            return Ok(None);
        }
        let done = self.carry_out(Asked::Run(kind.into()), |search, plan, team| {
            by_precision!(search.session, T => {
                let Parts { mut query, fields, .. } = search.parts::<T>(plan, team, kind.into())?;
                if query.device.is_none() {
                    return Ok(None);
                }
                if query.job.order().points().is_some() {
                    return Ok(Some(Err("global ids do not ascend")));
                }
                resident::run(&mut query, (formula, fields), stages, times).map(Some)
            })
        })?;
        let Outcome {
            fields: made,
            numbers,
            points,
            error,
        } = match done {
            Some(Ok(outcome)) => outcome,
            Some(Err(why)) => {
                self.report.by_stages = Some(why);
                return Ok(None);
            }
            None => return Ok(None),
        };
        self.report.evaluated = Some(Evaluated::OnDevice);
        for (slot, _) in &made {
            self.fields.make_room(formula.field_name(*slot), Of::Points)?; // for all, or nothing changes
        }
        for (slot, field) in made {
            self.fields.leave_on_device(formula.field_name(slot), field)?;
        }
        if let Some(numbers) = numbers {
            formula.keep_numbers(&numbers);
        }
        if let Some(field) = points {
            in_precision!(&mut self.session, session => session.points.move_on_device(field), none => ());
            let sent = (self.session.stamp(), self.inputs.len);
            if let Some(gpu) = self.device.held_mut() {
                gpu.set_sent(Some(sent));
            }
        }
        self.retain_fields();
        error.map_or(Ok(Some(())), Err)
    }

    /// The reason why a device does not have a run of these inputs for itself.
    fn why_by_stages(&self, stages: &[StageOfText], (kind, times): (NeighborsKind, i64)) -> Option<&'static str> {
        let inputs = &self.inputs;
        let has_pairs = stages.iter().any(|stage| matches!(stage.kind, StageKind::Pairs { .. }));
        let reasons = [
            (
                stages.iter().any(|stage| stage.program.has_pair_fields()),
                "pair fields",
            ),
            (!has_pairs, "no sums over neighbors"),
            (stages.len() == 1 && times == 1, "one sum alone"),
            (kind.is_of_queries(), "rows of queries"),
            (inputs.is_by_radii(kind), "radii"),
            (inputs.cell.is_some(), "a cell of three vectors"),
            (
                inputs.type_cutoffs(kind).is_some() && stages.iter().any(|stage| stage.program.reads_cutoff()),
                "cutoffs by types that a formula reads",
            ),
            (inputs.has_skin(kind), "a skin"),
            (inputs.queries.is_some(), "queries are set"),
            (inputs.kinds.roles().are_set(), "points have roles (set_roles)"),
        ];
        reasons.into_iter().find_map(|(is, why)| is.then_some(why))
    }
}

#[cfg(not(feature = "gpu"))]
impl Search {
    /// The same of a build without it.
    pub(super) fn run_on_device(
        &mut self,
        _: &mut Formula,
        _: &[StageOfText],
        _: (NeighborsKind, i64),
    ) -> Result<Option<()>> {
        Ok(None)
    }
}
