//! Values that a GPU alone has after a run, and their way home: when they are read there, or before the handle gives the GPU up.

use std::fmt::Write;

use super::Search;
use crate::error::{Error, Growing, Result, words};
use crate::fields::{Field, Of};
use crate::points::{Points, PointsView, Precision, Values};
use crate::search::device::Device;
use crate::search::home::{fetch, field_of, points_of};
use crate::search::inputs::{Asked, Inputs};
use crate::search::precision::in_precision;

impl Search {
    /// Brings home what is needed for a query: a run on the same GPU needs nothing, another GPU or none has nothing.
    pub(super) fn settle(&mut self, asked: Asked) -> Result<()> {
        if !self.device.stays(&self.inputs) {
            return self.all_home();
        }
        match asked {
            Asked::Run(_) if self.device.has_points(self.session.stamp()) => Ok(()),
            _ => self.points_home(),
        }
    }

    /// Brings all values home.
    pub(super) fn all_home(&mut self) -> Result<()> {
        self.points_home()?;
        let done = self
            .fields
            .on_device()
            .try_for_each(|field| field_home(&mut self.device, &self.inputs, field));
        done.map_err(|error| self.note_losses(error))
    }

    /// Brings the coordinates of the points home.
    pub(crate) fn points_home(&mut self) -> Result<()> {
        let done = in_precision!(
            &mut self.session,
            session => points_home(&mut self.device, &self.inputs, &mut session.points),
            none => Ok(())
        );
        done.map_err(|error| self.note_losses(error))
    }

    /// Brings the values of a field home, if there is one of this name.
    pub(super) fn field_home(&mut self, name: &str, of: Of) -> Result<()> {
        let done = match self.fields.find_mut(name, of) {
            Some(field) => field_home(&mut self.device, &self.inputs, field),
            None => Ok(()),
        };
        done.map_err(|error| self.note_losses(error))
    }

    /// The error of a call. If the GPU is lost, it names what was only there, and that is removed.
    pub(super) fn note_losses(&mut self, error: Error) -> Error {
        let points = in_precision!(&self.session, session => points_of(&session.points), none => None);
        let fields = self.fields.on_device().map(|field| field_of(field));
        if self.device.has_fields(points.into_iter().chain(fields)) {
            return error;
        }
        let mut names = Growing(String::new());
        let mut name = |name: &str| {
            let comma = if names.0.is_empty() { "" } else { ", " };
            let _ = write!(names, "{comma}'{name}'"); // without memory for it, the name is left out
        };
        self.fields.lose(&mut name);
        if points.is_some() {
            name("x");
            self.drop_points();
        }
        let reason = match error {
            Error::DeviceLost { reason } => reason,
            error => words(error),
        };
        Error::DeviceLost {
            reason: words(format_args!(
                "{reason}; the values of {} were only there: set them again",
                names.0
            )),
        }
    }

    /// Has the GPU keep the fields that the handle has, and no others.
    #[cfg(feature = "gpu")]
    pub(super) fn retain_fields(&mut self) {
        let points = in_precision!(&self.session, session => session.points.on_device(), none => None);
        let fields = &self.fields;
        if let Some(gpu) = self.device.held_mut() {
            gpu.retain_fields(|version| points == Some(version) || fields.has(version));
        }
    }
}

fn points_home<T: Precision>(device: &mut Device, inputs: &Inputs, points: &mut Points<T>) -> Result<()> {
    let Some(version) = points.on_device() else {
        return Ok(());
    };
    let (mut values, periods) = (Vec::new(), *points.periods());
    let team = inputs.team_for(points.len())?;
    fetch(device.gpu()?, version, points.len() * points.dim(), &mut values, &team)?;
    points.copy(&PointsView::interleaved(points.dim(), &values)?, &periods, &team)
}

fn field_home(device: &mut Device, inputs: &Inputs, field: &mut Field) -> Result<()> {
    let Some(len) = field.on_device else {
        return Ok(());
    };
    let (numbers, version, team) = (len * field.components, field.version, inputs.team_for(len)?);
    match &mut field.values {
        Values::F32(values) => fetch(device.gpu()?, version, numbers, values, &team)?,
        Values::F64(values) => fetch(device.gpu()?, version, numbers, values, &team)?,
        Values::None => (),
    }
    field.on_device = None;
    Ok(())
}
