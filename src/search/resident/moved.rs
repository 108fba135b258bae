//! Positions that a step has made, and what is left of all steps.

use super::{Outcome, Run, Step, WHAT, device};
use crate::error::{Error, Result};
use crate::formula::StageOfText;
use crate::gpu::FieldOf;
use crate::list::{push, reserve_keeping};
use crate::points::{PointsView, Precision};
use crate::search::counted::Query;
use crate::search::home::{fetch, field_in};
use crate::version::Version;

impl Run<'_> {
    /// Moves the points to the positions that a statement has made. `asks`: the host has to look at some of them.
    pub(super) fn move_points<T: Precision>(
        &mut self,
        query: &mut Query<T>,
        (slot, of): (u32, FieldOf),
        later: &[StageOfText],
        asks: bool,
    ) -> Result<Step> {
        let (dim, stamp) = (query.session.points.dim(), query.session.points.stamp());
        let (len, team) = (query.job.inputs.len, query.job.team);
        let is_read = |slot: &u32| later.iter().any(|stage| stage.program.reads(*slot));
        if let Some(before) = self.positions.filter(is_read) {
            let version = Version::new();
            device(query)?.gpu()?.keep_points((version, of.1), dim)?;
            self.put::<T>(before, dim, version);
        }
        let syntax = self.formula.syntax();
        let moves = syntax.statements.iter().filter(|made| syntax.is_of_points(made));
        if moves.count() > 1 && self.before.is_none() {
            let version = Version::new();
            device(query)?.gpu()?.keep_points(field_in::<T>(version), dim)?;
            self.before = Some(version);
        }
        if asks {
            let mut values = Vec::<T>::new();
            fetch(device(query)?.gpu()?, of.0, len * dim, &mut values, team)?;
            let (inputs, periods) = (query.job.inputs, *query.session.points.periods());
            let view = PointsView::interleaved(dim, &values)?;
            let checked = inputs.checked(&view).map(drop);
            let checked = checked.and_then(|()| view.check_wraps(&periods, inputs.settings.index_base));
            if let Err(error) = checked {
                return Ok(Step::Failed(error));
            }
            let mut wrapped = Vec::new();
            reserve_keeping(&mut wrapped, values.len(), WHAT)?;
            wrapped.extend(
                values
                    .iter()
                    .enumerate()
                    .map(|(k, &coord)| periods.wrap(k % dim, coord)),
            );
            self.has_moved = true; // if something fails from here on, too
            let point_bytes = dim * size_of::<T>();
            device(query)?
                .gpu()?
                .send([len, point_bytes], stamp, team, |range, put| {
                    put(
                        range.start,
                        bytemuck::cast_slice(&wrapped[range.start * dim..range.end * dim]),
                    );
                })?;
        } else {
            self.has_moved = true;
            device(query)?.gpu()?.move_points(of, dim)?;
        }
        let (gpu, index) = device(query)?.gpu_and_index()?;
        index.begin(); // of other positions
        gpu.set_sent(Some((stamp, len)));
        self.positions = Some(slot);
        Ok(Step::Next)
    }

    /// The outcome of the runs.
    pub(super) fn outcome<T: Precision>(&mut self, query: &mut Query<T>, error: Option<Error>) -> Result<Outcome> {
        let mut outcome = Outcome {
            error,
            numbers: self.complete.take(),
            ..Outcome::default()
        };
        for field in self.kept.iter_mut().filter_map(Option::take) {
            push(&mut outcome.fields, field, WHAT)?;
        }
        let dim = query.session.points.dim();
        if let (Some(before), Some(_)) = (self.before, &outcome.error) {
            // The failed step has moved them, and the device searches where they are.
            device(query)?.gpu()?.move_points(field_in::<T>(before), dim)?;
            outcome.points = Some(before);
        } else if self.has_moved {
            let version = Version::new();
            device(query)?.gpu()?.keep_points(field_in::<T>(version), dim)?;
            outcome.points = Some(version);
        }
        Ok(outcome)
    }
}
