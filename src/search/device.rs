//! The GPU of a handle: opened by the first query that uses it, and given up when it fails.

use super::made_from::{DeviceOf, FailureOf, IndexOf};
use super::{NeighborsKind, Search, inputs::Inputs};
use crate::error::{Error, Result, Words, words};
use crate::gpu::{Gpu, acquire};
use crate::plan::{Backend, Plan, Query};
use crate::version::Derived;

/// What a handle has of a GPU.
#[derive(Debug, Default)]
pub(super) struct Device {
    made: Option<Made>,
    /// Buffers made for GPUs before.
    allocations: u64,
    /// Why a GPU is not tried again, where the backend is chosen automatically.
    failure: Option<(FailureOf, Words)>,
}

/// The part of a handle on a device, and what its index was made from.
#[derive(Debug)]
struct Made {
    of: DeviceOf,
    gpu: Box<Gpu>,
    index: Derived<IndexOf, ()>,
}

impl Device {
    /// This, where `plan` has a GPU search.
    pub fn planned(&mut self, plan: &Plan) -> Option<&mut Device> {
        (plan.backend == Backend::Gpu && self.made.is_some()).then_some(self)
    }

    /// The GPU, which is there.
    pub fn gpu(&mut self) -> Result<&mut Gpu> {
        Ok(self.gpu_and_index()?.0)
    }

    /// The GPU, which is there, and what its index was made from.
    pub fn gpu_and_index(&mut self) -> Result<(&mut Gpu, &mut Derived<IndexOf, ()>)> {
        let made = self.made.as_mut().ok_or(Error::NoDevice {
            backend: "gpu",
            reason: "no GPU was opened".into(),
        })?;
        Ok((&mut made.gpu, &mut made.index))
    }

    /// The GPU, where there is one.
    pub fn held(&self) -> Option<&Gpu> {
        self.made.as_ref().map(|made| &*made.gpu)
    }

    /// The same, to be changed.
    pub fn held_mut(&mut self) -> Option<&mut Gpu> {
        self.made.as_mut().map(|made| &mut *made.gpu)
    }

    /// Whether it is lost.
    fn is_lost(&self) -> bool {
        self.held().is_some_and(|gpu| gpu.device().is_lost())
    }

    /// Makes sure that there is the GPU that is wanted, a software one only if `forced`.
    fn prepare(&mut self, inputs: &Inputs, forced: bool) -> Result<()> {
        let of = inputs.device_of();
        if self.is_lost() || self.made.as_ref().is_some_and(|made| made.of != of) {
            self.give_back();
        }
        if self.made.is_some() {
            return Ok(());
        }
        let settings = &inputs.settings;
        let gpu = acquire(settings.wanted_device(), forced).and_then(Gpu::new);
        if let Err(error) = &gpu
            && !forced
        {
            self.failure = Some((inputs.failure_of(), words(error)));
        }
        self.made = Some(Made {
            of,
            gpu: Box::new(gpu?),
            index: Derived::default(),
        });
        self.failure = None; // a GPU works again
        Ok(())
    }

    /// Why a GPU is not tried.
    pub fn failure(&self, inputs: &Inputs) -> Option<&str> {
        let (of, failure) = self.failure.as_ref()?;
        (*of == inputs.failure_of()).then_some(failure)
    }

    /// Gives back all memory on the GPU; what was made there still counts.
    pub fn give_back(&mut self) {
        self.allocations = self.allocations();
        self.made = None;
    }

    /// Buffers made so far.
    pub fn allocations(&self) -> u64 {
        self.allocations + self.held().map_or(0, Gpu::allocations)
    }
}

impl Search {
    /// Decides for neighbors, and makes sure that a GPU decided for is there. `cpu_only`: why one will not do.
    pub(super) fn decide(&mut self, cpu_only: Option<&'static str>) -> Result<Plan> {
        self.decide_for(Query::Neighbors, cpu_only)
    }

    fn decide_for(&mut self, query: Query, cpu_only: Option<&'static str>) -> Result<Plan> {
        let Search { inputs, device, .. } = self;
        if device.is_lost() {
            device.give_back();
        }
        let failed = (device.failure(inputs).is_some()).then_some("auto: no GPU that can be used");
        Plan::new(
            &inputs.settings,
            (inputs.everyone(), query),
            inputs.in_parallel,
            cpu_only.or(failed),
            |forced| device.prepare(inputs, forced),
        )
    }

    /// Decides for a query for rows of the points that are held, or of those that were lent to a count and are on the device alone.
    pub(super) fn plan_rows(&mut self, kind: NeighborsKind) -> Result<Plan> {
        let lost = self.device.is_lost();
        let plan = self.plan_rows_of_caller(kind)?;
        if lost && self.inputs.borrowed {
            return Err(Error::DeviceLost {
                reason: "the result of the count was on it; search again".into(),
            });
        }
        Ok(plan)
    }

    /// Decides for sums. `cpu_only`: why a GPU does not evaluate them.
    pub(super) fn plan_sums(&mut self, cpu_only: Option<&'static str>) -> Result<Plan> {
        let plan = self.decide_for(Query::Sums, cpu_only.or(self.box_is_for_cpu()))?;
        self.report.plan = Some(plan);
        self.report.asked_tree = false;
        Ok(plan)
    }

    /// Decides for a query for rows of points that the caller lends to it.
    pub(super) fn plan_rows_of_caller(&mut self, kind: NeighborsKind) -> Result<Plan> {
        let why = "auto: radii of points with global ids that do not ascend are searched on the CPU";
        let by_radii = Some(why).filter(|_| self.inputs.radii_are_for_cpu(kind));
        let plan = self.decide(by_radii.or(self.box_is_for_cpu()))?;
        self.report.plan = Some(plan);
        self.report.by_radii = self.inputs.radius_rule(kind);
        self.report.asked_tree = false;
        Ok(plan)
    }

    /// Why no GPU searches in the box.
    fn box_is_for_cpu(&self) -> Option<&'static str> {
        let why = "auto: a periodic axis has more than 4 million cutoffs, so that cells on a GPU would be larger than the cutoff";
        Some(why).filter(|_| self.inputs.box_is_for_cpu())
    }

    /// Whether the GPU was chosen automatically and `error` says that it failed: then the CPU searches from now on.
    pub(super) fn gives_up_gpu(&mut self, error: &Error) -> bool {
        let failed = matches!(
            error,
            Error::DeviceLost { .. } | Error::OutOfMemory { .. } | Error::NoDevice { .. } | Error::NotSupported { .. }
        );
        let plan = self.report.plan;
        let gives_up = failed && plan.is_some_and(|plan| plan.backend == Backend::Gpu && !plan.forced);
        if gives_up {
            self.device.failure = Some((self.inputs.failure_of(), words(error)));
            self.device.give_back();
        }
        gives_up
    }
}
