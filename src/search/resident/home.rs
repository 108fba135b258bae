//! Positions that a step has made, and values on their way home from the device.

use super::{Outcome, Run, Step, WHAT, device};
use crate::error::{Error, Result};
use crate::formula::StageOfText;
use crate::gpu::{FieldOf, Gpu};
use crate::list::{Rows, push, reserve_keeping, resize_discarding};
use crate::points::{PointsView, Precision};
use crate::search::counted::Query;
use crate::threads::Team;
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
        if asks {
            let values = fetch::<T>(device(query)?.gpu()?, (of, dim), len, team)?;
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

    /// Brings home what the runs have made.
    pub(super) fn bring_home<T: Precision>(&mut self, query: &mut Query<T>, error: Option<Error>) -> Result<Outcome> {
        let (dim, len, team) = (query.session.points.dim(), query.job.inputs.len, query.job.team);
        let mut outcome = Outcome {
            error,
            numbers: self.complete.take(),
            ..Outcome::default()
        };
        let gpu = device(query)?.gpu()?;
        for (slot, mut field) in self.kept.iter_mut().filter_map(Option::take) {
            let shape = (field.version, field.components);
            field.values = match field.view().is_single() {
                true => f32::hold(fetch(gpu, ((shape.0, 1), shape.1), len, team)?),
                false => f64::hold(fetch(gpu, ((shape.0, 2), shape.1), len, team)?),
            };
            push(&mut outcome.fields, (slot, field), WHAT)?;
        }
        if self.has_moved {
            let of = (Version::new(), size_of::<T>() / size_of::<u32>());
            gpu.keep_points(of, dim)?;
            outcome.positions = Some(T::hold(fetch(gpu, (of, dim), len, team)?));
        }
        Ok(outcome)
    }
}

/// Brings a field home.
fn fetch<F: Precision>(gpu: &mut Gpu, field: (FieldOf, usize), len: usize, team: &Team) -> Result<Vec<F>> {
    let mut values = Vec::new();
    resize_discarding(&mut values, len * field.1, F::default(), WHAT)?;
    let mut rows = Rows::new(&mut values);
    let cells = rows.cells();
    gpu.fetch_field(field, team, &|first, bytes| {
        let numbers = bytes.chunks_exact(size_of::<F>()).map(bytemuck::pod_read_unaligned);
        for (at, number) in (first / size_of::<F>()..).zip(numbers) {
            cells.put(at, number);
        }
    })?;
    Ok(values)
}
