//! The compute pipelines, one for each stage, made once per device.
//!
//! in: [`shader`](super::shader) sources; out: [`Kernels`], shared by all handles.

#![allow(unsafe_code)]

mod table;

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use crate::error::{Error, Result};
use crate::gpu::beside::{self, Later};
use crate::gpu::device::Device;
use crate::gpu::params::ZPOINT_BYTES;
use crate::gpu::shader::{self, Form};
use crate::memory::push;

pub use table::{Family, Row, Slot, Stage};
pub(crate) use table::{SLOTS, STAGE_TABLE, STAGES, TABLE_OF_SUMS};

/// A pipeline and the layout of what it binds.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
    /// That of the fields which statements for each point read and make.
    pub of_fields: Option<wgpu::BindGroupLayout>,
}

/// The pipelines of a family on a device. `Scope` is where points are of several kinds, `Nearest` where rows have few neighbors.
#[derive(Debug)]
pub struct Kernels {
    kernels: [Option<Kernel>; STAGES],
    family: Family,
    form: Form,
}

impl Kernels {
    /// Compiles all stages of a family that the device can run.
    pub fn new(device: &Device, family: Family, form: Form) -> Result<Kernels> {
        let mut kernels = [const { None }; STAGES];
        let is_beside = beside::is_here();
        // Side by side: the driver compiles each for tens of milliseconds.
        let compiled: Vec<_> = std::thread::scope(|scope| {
            let make = |row: &'static Row| {
                let work = move || {
                    beside::help(is_beside);
                    (row.0, Kernel::new(device, row, form))
                };
                std::thread::Builder::new().spawn_scoped(scope, work)
            };
            let runs = |&&(stage, ..): &&(Stage, _, _, _)| stage.runs(family, form);
            let threads: Vec<_> = STAGE_TABLE.iter().filter(runs).map(make).collect();
            let join = |thread: std::io::Result<std::thread::ScopedJoinHandle<_>>| match thread {
                Ok(thread) => Ok(thread.join()),
                Err(refused) => Err(refused),
            };
            threads.into_iter().map(join).collect()
        });
        for result in compiled {
            let (stage, kernel) = result
                .map_err(|_| Error::Threads {
                    threads: STAGES,
                    reason: "the system refuses",
                })?
                .map_err(|_| Error::Internal {
                    text: "a thread that compiles shaders panicked".into(),
                })?;
            kernels[stage as usize] = Some(kernel?);
        }
        Ok(Kernels { kernels, family, form })
    }

    /// These, and others beside them or in their place.
    pub fn with(&self, others: &[(Stage, Kernel)]) -> Kernels {
        let mut kernels = self.kernels.clone();
        for (stage, kernel) in others {
            kernels[*stage as usize] = Some(kernel.clone());
        }
        Kernels {
            kernels,
            family: self.family,
            form: self.form,
        }
    }

    /// The device and the form that they are made for.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The kernel of `stage`.
    pub fn get(&self, stage: Stage) -> Option<&Kernel> {
        self.kernels[stage as usize].as_ref()
    }
}

impl Kernel {
    fn new(device: &Device, row: &Row, form: Form) -> Result<Kernel> {
        let &(stage, file, entry, slots) = row;
        let source = shader::expand(file, form).ok_or_else(|| Error::Internal {
            text: format!("shader {file} has an import that does not exist").into(),
        })?;
        let constants = constants(stage, slots, form, device.max_binding);
        device.checked("a compute pipeline", 0, || {
            compile(device, [file, entry], source, &constants)
        })
    }
}

/// Constants of the pipeline of a stage: they depend on the bytes of a binding.
pub(crate) fn constants(stage: Stage, slots: &[Slot], form: Form, max_binding: u64) -> Vec<(&'static str, f64)> {
    let mut constants = Vec::new();
    if stage == Stage::SortLongest {
        constants.extend([("SORTED", 1024.0), ("TILE", 2048.0)]);
    }
    for (slot, name, size) in [
        (Slot::Coords, "COORD_WINDOW", 4),
        (Slot::Sorted, "SORTED_WINDOW", 16),
        (Slot::Zpoints, "ZPOINT_WINDOW", ZPOINT_BYTES),
    ] {
        if form.windows && slots.contains(&slot) {
            constants.push((name, (max_binding / size) as f64));
        }
    }
    constants
}

fn compile(device: &Device, [file, entry]: [&str; 2], source: String, constants: &[(&str, f64)]) -> Kernel {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(file),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    };
    // SAFETY: the sources are ours alone. Every index is below the length the host made for it (index.rs, blocks.rs, scopes.rs) or
    // the array's own, and every loop ends; the tests also run all of it with the checks, which cost a third of the speed.
    let module = unsafe {
        let checks = match device.mask.guarded {
            true => wgpu::ShaderRuntimeChecks::checked(),
            false => wgpu::ShaderRuntimeChecks::unchecked(),
        };
        device.device.create_shader_module_trusted(descriptor, checks)
    };
    let pipeline = device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry),
        layout: None,
        module: &module,
        entry_point: Some(entry),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants,
            zero_initialize_workgroup_memory: false, // every stage writes before it reads
        },
        cache: None,
    });
    let layout = pipeline.get_bind_group_layout(0);
    Kernel {
        pipeline,
        layout,
        of_fields: None,
    }
}

/// The kernels of a family on a device, once they are compiled.
#[derive(Debug, Default)]
struct Place {
    made: OnceLock<Arc<Kernels>>,
    /// Held by who compiles them.
    making: Mutex<()>,
    later: Arc<Later>,
}

/// The kernels of `device`, compiled at their first use in the process. Who wants the same waits meanwhile, or is told
/// that they are late where it is in a [hurry](beside::Hurry); nobody else waits.
pub fn of(device: &Arc<Device>, family: Family, form: Form) -> Result<Arc<Kernels>> {
    let place = place_of(device, family, form)?;
    if let Some(made) = place.made.get() {
        return Ok(made.clone());
    }
    if beside::is_in_hurry() {
        let (device, of) = (device.clone(), place.clone());
        let work = move || of.make(&device, family, form).map(drop);
        return Err(place.later.ask(beside::COMPILING, work));
    }
    place.make(device, family, form)
}

impl Place {
    fn make(&self, device: &Device, family: Family, form: Form) -> Result<Arc<Kernels>> {
        let _one_at_a_time = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = self.made.get() {
            return Ok(made.clone());
        }
        let made = Arc::new(Kernels::new(device, family, form)?);
        Ok(self.made.get_or_init(|| made).clone())
    }
}

fn place_of(device: &Arc<Device>, family: Family, form: Form) -> Result<Arc<Place>> {
    type Owned = (Weak<Device>, Family, Form, Arc<Place>);
    static PLACES: Mutex<Vec<Owned>> = Mutex::new(Vec::new());
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    places.retain(|(owner, ..)| owner.strong_count() > 0);
    let fits =
        |(owner, of, known, _): &&Owned| owner.as_ptr() == Arc::as_ptr(device) && *of == family && *known == form;
    if let Some((.., place)) = places.iter().find(fits) {
        return Ok(place.clone());
    }
    let place = Arc::<Place>::default();
    push(
        &mut places,
        (Arc::downgrade(device), family, form, place.clone()),
        "kernels",
    )?;
    Ok(place)
}
