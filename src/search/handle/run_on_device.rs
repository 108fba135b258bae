//! Runs that a GPU does from the first step to the last, and what the handle takes of them.

use super::Search;
use crate::error::Result;
use crate::fields::Fields;
use crate::formula::{Formula, StageOfText};
use crate::search::neighbors::NeighborsKind;
#[cfg(feature = "gpu")]
use {
    super::Parts,
    crate::fields::Of,
    crate::formula::StageKind,
    crate::points::{PointsView, Precision, Values},
    crate::search::inputs::Asked,
    crate::search::precision::by_precision,
    crate::search::report::Evaluated,
    crate::search::resident::{self, Outcome},
};

#[cfg(feature = "gpu")]
impl Search {
    /// Runs all stages where their values stay, on the GPU that is planned for; `None` where there is none, or where it does not run them.
    pub(super) fn run_on_device(
        &mut self,
        fields: &mut Fields,
        formula: &mut Formula,
        stages: &[StageOfText],
        (kind, times): (NeighborsKind, i64),
    ) -> Result<Option<()>> {
        let has_pairs = stages.iter().any(|stage| matches!(stage.kind, StageKind::Pairs { .. }));
        let is_one_sum = stages.len() == 1 && times == 1;
        let inputs = &self.inputs;
        let has_points = inputs.len > 0; // or the device has nothing to do
        let is_plain = has_points && !kind.is_of_queries() && !inputs.is_by_radii(kind) && !inputs.has_skin(kind);
        if !has_pairs || is_one_sum || !is_plain || inputs.queries.is_some() || times == 0 {
            return Ok(None);
        }
        let done = self.carry_out(Asked::Sums(kind, None), |search, plan, team| {
            by_precision!(search.session, T => {
                let Parts { mut query, .. } = search.parts::<T>(plan, team, kind)?;
                if query.device.is_none() || query.job.order().points().is_some() {
                    return Ok(None);
                }
                Ok(resident::run(&mut query, (formula, fields), stages, times)?.ok())
            })
        })?;
        let Some(Outcome {
            fields: made,
            numbers,
            positions,
            error,
        }) = done
        else {
            return Ok(None);
        };
        self.report.evaluated = Some(Evaluated::OnDevice);
        for (slot, field) in made {
            fields.replace(formula.field_name(slot), Of::Points, field)?;
        }
        if let Some(numbers) = numbers {
            formula.keep_numbers(&numbers);
        }
        match positions.unwrap_or_default() {
            Values::F32(values) => self.take_moved(&values)?,
            Values::F64(values) => self.take_moved(&values)?,
            Values::None => (),
        }
        error.map_or(Ok(Some(())), Err)
    }

    /// Takes the positions to which the points have moved on the device, which has them.
    fn take_moved<T: Precision>(&mut self, values: &[T]) -> Result<()> {
        let (view, team) = (
            PointsView::interleaved(self.dim(), values)?,
            self.inputs.team_for(self.inputs.len)?,
        );
        let points = &mut self.session_of::<T>()?.points;
        let periods = *points.periods();
        points.renew(view.len());
        if let Err(error) = points.copy(&view, &periods, &team) {
            self.drop_points();
            return Err(error);
        }
        let stamp = self.session.stamp();
        if let Some(gpu) = self.device.held_mut() {
            gpu.set_sent(Some((stamp, view.len())));
        }
        Ok(())
    }
}

#[cfg(not(feature = "gpu"))]
impl Search {
    /// The same of a build without it.
    pub(super) fn run_on_device(
        &mut self,
        _: &mut Fields,
        _: &mut Formula,
        _: &[StageOfText],
        _: (NeighborsKind, i64),
    ) -> Result<Option<()>> {
        Ok(None)
    }
}
