//! The GPU of a handle: opened by the first query that uses it, and given up when it fails.

use super::inputs::{Asked, Inputs};
use super::made_from::{FailureOf, IndexOf};
use crate::error::{Error, Result, Words, words};
use crate::gpu::{Gpu, acquire, late_reason, offered};
use crate::plan::{Backend, Plan, Purpose, WantedDevice, is_refusal};
use crate::points::Stamp;
use crate::version::{Derived, Version};

const LOST_BESIDE: Error = Error::DeviceLost {
    reason: Words::Borrowed("while its kernels were compiled, or by another search"),
};

/// The state of a handle for a GPU.
#[derive(Debug, Default)]
pub(super) struct Device {
    made: Option<Made>,
    /// Buffers made for GPUs before.
    allocations: u64,
    /// Why a GPU is not tried again, where the backend is chosen automatically.
    failure: Derived<FailureOf, Option<Words>>,
    /// The last query there lacked kernels, which are compiled beside searches.
    pub lacks_kernels: bool,
}

/// The part of a handle on a device, and what its index was made from.
#[derive(Debug)]
struct Made {
    of: WantedDevice<'static>,
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

    /// The version of the index on the GPU, if it was made from `of`.
    pub fn version_of_index(&self, of: &IndexOf) -> Option<Version> {
        self.made.as_ref().and_then(|made| made.index.version_of(of))
    }

    /// The GPU, where there is one.
    pub fn held(&self) -> Option<&Gpu> {
        self.made.as_ref().map(|made| &*made.gpu)
    }

    /// The same, to be changed.
    pub fn held_mut(&mut self) -> Option<&mut Gpu> {
        self.made.as_mut().map(|made| &mut *made.gpu)
    }

    /// Whether the GPU that there is is the one that is wanted, and not lost.
    pub fn stays(&self, inputs: &Inputs) -> bool {
        let of = inputs.settings.device;
        self.made.as_ref().is_some_and(|made| made.of == of) && !self.is_lost()
    }

    /// Whether the GPU has the coordinates of all points of a stamp.
    pub fn has_points(&self, stamp: Stamp) -> bool {
        self.held().is_some_and(|gpu| gpu.has_points(stamp))
    }

    /// Whether the GPU is not lost and has fields of some versions, in words of a number.
    pub fn has_fields(&self, mut fields: impl Iterator<Item = (Version, usize)>) -> bool {
        let gpu = self.held().filter(|gpu| !gpu.device().is_lost());
        fields.all(|of| gpu.is_some_and(|gpu| gpu.has_field(of)))
    }

    /// Whether it is lost.
    pub fn is_lost(&self) -> bool {
        self.held().is_some_and(|gpu| gpu.device().is_lost())
    }

    /// Makes sure that there is the GPU that is wanted, a software one only if `forced`. Where none is forced nobody
    /// waits for it: the reason why the CPU is to answer meanwhile.
    fn prepare(&mut self, inputs: &Inputs, forced: bool) -> Result<Option<&'static str>> {
        let of = inputs.settings.device;
        if self.is_lost() || self.made.as_ref().is_some_and(|made| made.of != of) {
            self.give_back();
        }
        if self.made.is_some() {
            return Ok(None);
        }
        let wanted = inputs.settings.wanted_device();
        let device = match forced {
            true => acquire(wanted, true),
            false => offered(wanted),
        };
        let gpu = device.and_then(Gpu::new);
        if let Err(error) = &gpu
            && !forced
        {
            if let Some(why) = late_reason(error) {
                return Ok(Some(why));
            }
            if !is_refusal(error) {
                self.fail(inputs, error);
            }
        }
        self.made = Some(Made {
            of,
            gpu: Box::new(gpu?),
            index: Derived::default(),
        });
        self.failure.begin(); // a GPU works again
        Ok(None)
    }

    /// Why a GPU is not tried.
    pub fn failure(&self, inputs: &Inputs) -> Option<&str> {
        let failed = self.failure.is_of(&inputs.failure_of());
        self.failure.get().as_deref().filter(|_| failed)
    }

    fn fail(&mut self, inputs: &Inputs, error: &Error) {
        *self.failure.begin() = Some(words(error));
        self.failure.finish(inputs.failure_of());
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

    /// Decides for a query, and makes sure that a GPU decided for is there. `stays`: why the CPU answers where no GPU
    /// is forced.
    pub fn decide(&mut self, inputs: &Inputs, asked: Asked, stays: Option<&'static str>) -> Result<Plan> {
        inputs.check_backend(asked)?;
        if self.is_lost() {
            if std::mem::take(&mut self.lacks_kernels) {
                self.fail(inputs, &LOST_BESIDE); // or it would be opened and lost again and again
            }
            self.give_back();
        }
        let query = match asked {
            Asked::Sums(..) | Asked::Run(_) => Purpose::Sums,
            _ => Purpose::Neighbors,
        };
        let failed = self.failure(inputs).map(|_| "auto: no GPU that can be used");
        let cpu_only = inputs.cpu_only(asked).map(|(why, _)| why).or(failed);
        let settings = &inputs.settings;
        Plan::new(
            settings,
            (inputs.everyone(), query),
            inputs.in_parallel,
            cpu_only,
            |forced| match stays {
                Some(_) if !forced => Ok(stays),
                _ => self.prepare(inputs, forced),
            },
        )
    }

    /// Whether `plan` has a GPU that was chosen automatically, and `error` says that it failed: then the CPU searches from now on, and the
    /// GPU is to be given back.
    pub fn gives_up(&mut self, inputs: &Inputs, plan: &Plan, error: &Error) -> bool {
        let failed = matches!(
            error,
            Error::DeviceLost { .. } | Error::OutOfMemory { .. } | Error::NoDevice { .. } | Error::NotSupported { .. }
        );
        let gives_up = failed && plan.backend == Backend::Gpu && !plan.forced;
        if gives_up {
            self.fail(inputs, error);
        }
        gives_up
    }
}
