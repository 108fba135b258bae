//! The GPU backend of a build without the feature `gpu`: there is never a device.

#![allow(dead_code)] // nobody is there to read what a GPU would

mod queries;

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use crate::domain::{Periods, TieRule};
use crate::error::{Error, Result};
use crate::ids::OutputMap;
use crate::list::Rows;
use crate::plan::WantedDevice;
use crate::points::{PointsView, Real, Stamp};
use crate::radii::RadiusRule;
use crate::threads::Team;
use crate::version::Version;

/// The version of a field, and the words of a number.
pub type FieldOf = (Version, usize);
pub use queries::{Asking, Linked, Links, Rule, Want, Wanted};

/// A GPU; see the build with the feature `gpu`.
#[derive(Clone, Debug)]
pub struct DeviceInfo {}

/// Takes the place of a device.
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

/// Always an error.
pub fn offered(wanted: WantedDevice) -> Result<Arc<Device>> {
    acquire(wanted, false)
}

/// No GPU is late.
pub fn late_reason(_error: &Error) -> Option<&'static str> {
    None
}

/// A build without GPUs waits for none.
pub struct Hurry;

impl Hurry {
    pub fn begin() -> Hurry {
        Hurry
    }
}

/// Nothing is being opened.
pub fn wait_for_gpus() {}

/// Never made.
#[derive(Debug)]
pub struct Gpu(Infallible);

/// Never made.
#[derive(Debug)]
pub struct Mapped(Infallible);

/// Puts bytes for nobody.
type PutItems<'a> = dyn FnMut(usize, &[u8]) + 'a;

/// Methods of what is never made.
macro_rules! never {
    (ref $($name:ident() -> $result:ty;)*) => {
        $(pub fn $name(&self) -> $result {
            match self.0 {}
        })*
    };
    (mut $($name:ident$([$($generic:ident: $bound:ident),*])?($($given:ty),*) -> $result:ty;)*) => {
        $(pub fn $name$(<$($generic: $bound),*>)?(&mut self, $(_: $given),*) -> $result {
            match self.0 {}
        })*
    };
}

impl Mapped {
    never! { ref
        bytes() -> u64;
        ids() -> &[i32];
    }
}

impl Gpu {
    pub fn new(device: Arc<Device>) -> Result<Gpu> {
        match device.0 {}
    }

    pub fn has_points(&self, _: Stamp) -> bool {
        match self.0 {}
    }

    pub fn has_field(&self, _: (Version, usize)) -> bool {
        match self.0 {}
    }

    /// Nothing is sent.
    pub fn share_of(_team: &Team, _items: [usize; 2]) -> usize {
        1
    }

    never! { ref
        describe() -> String;
        device() -> &Arc<Device>;
        bytes() -> [u64; 2];
        hard_rows() -> u32;
        unread_phases() -> std::iter::Empty<usize>;
        allocations() -> u64;
        sent() -> u64;
        fetched() -> u64;
    }

    never! { mut
        send([usize; 2], Stamp, &Team, impl Fn(Range<usize>, &mut PutItems) + Sync) -> Result<()>;
        index[T: Real]((&PointsView<T>, Option<Stamp>), &Periods<T>, f64, T, &Team) -> Result<()>;
        count[T: Real](T, Rule, &Team, &mut [i64]) -> Result<i64>;
        index_by_radii[T: Real](&PointsView<T>, &Periods<T>, (T, RadiusRule), impl Fn(usize) -> T + Sync, &Team) -> Result<()>;
        count_by_radii(TieRule, Rule, &Team, &mut [i64]) -> Result<i64>;
        fill(&Team, Want) -> Result<()>;
        brings_all_lower(&[i64], &Team) -> bool;
        fill_mapped(&Team, OutputMap, Option<Rows>, Option<Mapped>) -> Result<Option<Mapped>>;
        fill_rows(&Team, OutputMap, Range<usize>, Range<usize>, Rows) -> Result<()>;
        index_nearest[T: Real](Asking<T>, &Team) -> Result<bool>;
        fill_nearest[T: Real](Asking<T>, &mut Wanted<T>, &Team) -> Result<()>;
        link[T: Real](&Team, &Links<T>, Rows) -> Result<Linked>;
        take_seconds() -> [f64; 5];
        again(&[i64]) -> Result<f64>;
        set_memory_limit(Option<u64>) -> ();
        retain_fields(impl Fn(Version) -> bool) -> ();
        fetch_field(((Version, usize), usize), &Team, &(dyn Fn(usize, &[u8]) + Sync)) -> Result<()>;
    }
}
