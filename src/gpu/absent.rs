//! The GPU backend of a build without the feature `gpu`: there is never a device.

#![allow(dead_code)] // nobody is there to read what a GPU would

mod queries;

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use crate::domain::{Periods, TieRule};
use crate::error::{Error, Result};
use crate::list::{OutputMap, Rows};
use crate::plan::WantedDevice;
use crate::points::{PointsView, Real, Stamp};
use crate::radii::RadiusRule;
use crate::threads::Team;
pub use queries::{Asking, Linked, Links, Rule, Want, Wanted};

/// What is known about a GPU; see the build with the feature `gpu`.
#[derive(Clone, Debug)]
pub struct DeviceInfo {}

/// What plays a device.
#[derive(Clone, Copy, Debug)]
pub enum DeviceKind {}

/// No device.
pub fn devices() -> Vec<DeviceInfo> {
    Vec::new()
}

/// Never made.
#[derive(Debug)]
pub struct Device(Infallible);

impl Device {
    pub fn is_lost(&self) -> bool {
        match self.0 {}
    }
}

/// Always an error.
pub fn acquire(_wanted: WantedDevice, _software: bool) -> Result<Arc<Device>> {
    Err(Error::NoDevice {
        backend: "gpu",
        reason: "this build of neargrid has no GPU support (cargo feature gpu, cmake -DNEARGRID_GPU=ON)".into(),
    })
}

/// Never made.
#[derive(Debug)]
pub struct Gpu(Infallible);

/// Never made.
#[derive(Debug)]
pub struct Mapped(Infallible);

impl Mapped {
    pub fn bytes(&self) -> u64 {
        match self.0 {}
    }

    pub fn ids(&self) -> &[i32] {
        match self.0 {}
    }
}

impl Gpu {
    pub fn new(device: Arc<Device>) -> Result<Gpu> {
        match device.0 {}
    }

    pub fn describe(&self) -> String {
        match self.0 {}
    }

    pub fn device(&self) -> &Arc<Device> {
        match self.0 {}
    }

    pub fn bytes(&self) -> [u64; 2] {
        match self.0 {}
    }

    pub fn send<T: Real>(&mut self, _view: &PointsView<T>, _stamp: Stamp, _team: &Team) -> Result<()> {
        match self.0 {}
    }

    pub fn index<T: Real>(
        &mut self,
        _points: (&PointsView<T>, Option<Stamp>),
        _periods: &Periods<T>,
        _cutoff: f64,
        _bound: T,
        _team: &Team,
    ) -> Result<()> {
        match self.0 {}
    }

    pub fn count<T: Real>(&mut self, _bound: T, _rule: Rule, _team: &Team, _offsets: &mut [i64]) -> Result<i64> {
        match self.0 {}
    }

    pub fn index_by_radii<T: Real>(
        &mut self,
        _view: &PointsView<T>,
        _periods: &Periods<T>,
        _radii: (T, RadiusRule),
        _radius: impl Fn(usize) -> T + Sync,
        _team: &Team,
    ) -> Result<()> {
        match self.0 {}
    }

    pub fn count_by_radii(
        &mut self,
        _tie_rule: TieRule,
        _rule: Rule,
        _team: &Team,
        _offsets: &mut [i64],
    ) -> Result<i64> {
        match self.0 {}
    }

    pub fn fill(&mut self, _team: &Team, _want: Want) -> Result<()> {
        match self.0 {}
    }

    pub fn fill_mapped(
        &mut self,
        _team: &Team,
        _delivery: OutputMap,
        _left: Option<Rows>,
        _kept: Option<Mapped>,
    ) -> Result<Option<Mapped>> {
        match self.0 {}
    }

    pub fn index_nearest<T: Real>(&mut self, _asking: Asking<T>, _team: &Team) -> Result<bool> {
        match self.0 {}
    }

    pub fn fill_nearest<T: Real>(&mut self, _asking: Asking<T>, _wanted: &mut Wanted<T>, _team: &Team) -> Result<()> {
        match self.0 {}
    }

    pub fn hard_rows(&self) -> u32 {
        match self.0 {}
    }

    pub fn take_seconds(&mut self) -> [f64; 5] {
        match self.0 {}
    }

    pub fn unread_phases(&self) -> std::iter::Empty<usize> {
        match self.0 {}
    }

    pub fn link<T: Real>(&mut self, _team: &Team, _links: &Links<T>, _labels: Rows) -> Result<Linked> {
        match self.0 {}
    }

    pub fn again(&mut self, _offsets: &[i64]) -> Result<f64> {
        match self.0 {}
    }

    pub fn set_memory_limit(&mut self, _limit: Option<u64>) {
        match self.0 {}
    }

    pub fn allocations(&self) -> u64 {
        match self.0 {}
    }

    pub fn fill_rows(
        &mut self,
        _team: &Team,
        _delivery: OutputMap,
        _rows: Range<usize>,
        _next: Range<usize>,
        _ids: Rows,
    ) -> Result<()> {
        match self.0 {}
    }
}
