//! Kernels whose arithmetic in real32 is that of the CPU, bit for bit. Shaders of WGSL may fuse a product with a sum and flush
//! subnormal numbers, and nothing in the language forbids it. SPIR-V can: each operation says that it is not fused, and the
//! entry point says how its numbers are rounded (SPV_KHR_float_controls). So these kernels are compiled here to SPIR-V, which
//! gets both, and wgpu passes it on.
//!
//! in: a device and a source; out: a kernel, or why there is none. Only Vulkan takes SPIR-V.

#![allow(unsafe_code)]

use std::collections::BTreeMap;

use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ResourceBinding, StorageAccess};

use super::device::{Device, FloatControls};
use super::kernels::{Kernel, Slot};
use crate::error::{Error, Result};

/// Version of the SPIR-V, which Vulkan 1.1 takes.
const VERSION: (u8, u8) = (1, 3);

/// Opcodes, and the numbers of execution modes and decorations (SPIR-V 1.6, section 3).
const OP_EXTENSION: u16 = 10;
const OP_ENTRY_POINT: u16 = 15;
const OP_EXECUTION_MODE: u16 = 16;
const OP_CAPABILITY: u16 = 17;
const OP_DECORATE: u16 = 71;
const OP_MEMBER_DECORATE: u16 = 72;
const ARITHMETIC: [u16; 5] = [127, 129, 131, 133, 136]; // negation, + - * /
const NO_CONTRACTION: u32 = 42;
const EXTENSION: &str = "SPV_KHR_float_controls";

/// Capabilities that kernels may have; a form that has more than the device is not taken.
const CAPABILITIES: Capabilities = Capabilities::SUBGROUP
    .union(Capabilities::FLOAT64)
    .union(Capabilities::SHADER_INT64);

/// The numbers of the execution modes that ask for `controls`, and of the capabilities that they need.
fn modes(controls: FloatControls) -> impl Iterator<Item = [u32; 2]> {
    [
        (controls.subnormals, [4459, 4464]),
        (controls.specials, [4461, 4466]),
        (controls.nearest, [4462, 4467]),
    ]
    .into_iter()
    .filter_map(|(has, numbers)| has.then_some(numbers))
}

/// The answer of the driver of `adapter`; `None` where there is no Vulkan 1.2.
#[cfg(not(target_vendor = "apple"))]
pub fn float_controls(adapter: &wgpu::Adapter) -> Option<FloatControls> {
    use ash::vk;
    // SAFETY: the driver's own handles are only asked for properties, while the adapter is there.
    unsafe {
        let adapter = adapter.as_hal::<wgpu::hal::api::Vulkan>()?;
        let instance = adapter.shared_instance();
        let version = adapter.physical_device_capabilities().properties().api_version;
        if version.min(instance.instance_api_version()) < vk::API_VERSION_1_2 {
            return None;
        }
        let mut controls = vk::PhysicalDeviceFloatControlsProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut controls);
        let physical = adapter.raw_physical_device();
        instance
            .raw_instance()
            .get_physical_device_properties2(physical, &mut properties);
        Some(FloatControls {
            subnormals: controls.shader_denorm_preserve_float32 != 0,
            specials: controls.shader_signed_zero_inf_nan_preserve_float32 != 0,
            nearest: controls.shader_rounding_mode_rte_float32 != 0,
        })
    }
}

#[cfg(target_vendor = "apple")]
pub fn float_controls(_: &wgpu::Adapter) -> Option<FloatControls> {
    None
}

/// Compiles the entry point `entry` of `source`, which binds the buffers `slots`. `controls` are those of the device.
pub fn kernel(
    device: &Device,
    [file, entry]: [&'static str; 2],
    source: &str,
    slots: &[Slot],
    controls: FloatControls,
) -> Result<Kernel> {
    let internal = |text: String| Error::Internal {
        text: format!("{file}: {text}").into(),
    };
    let module = naga::front::wgsl::parse_str(source).map_err(|error| internal(error.emit_to_string(source)))?;
    let words = translate(&module, entry, slots, device.mask.guarded, controls).map_err(internal)?;
    let entry_of = |(binding, ty)| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries: Vec<_> = bindings(&module, slots).map(entry_of).collect();
    let entries_of_fields: Vec<_> = bindings_of_fields(&module).map(entry_of).collect();
    let size = module.entry_points.iter().find(|point| point.name == entry);
    let [x, y, z] = size.map_or([1; 3], |point| point.workgroup_size);
    device.checked("a compute pipeline", 0, || {
        let layout_of = |entries: &[wgpu::BindGroupLayoutEntry]| {
            let label = Some(entry);
            (device.device).create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries })
        };
        let layout = layout_of(&entries);
        let of_fields = (!entries_of_fields.is_empty()).then(|| layout_of(&entries_of_fields));
        let pipeline_layout = device.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(entry),
            bind_group_layouts: &[Some(&layout), of_fields.as_ref()][..1 + usize::from(of_fields.is_some())],
            immediate_size: 0,
        });
        let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
            label: Some(file),
            entry_points: vec![wgpu::PassthroughShaderEntryPoint {
                name: entry.into(),
                workgroup_size: (x, y, z),
            }]
            .into(),
            spirv: Some(words.into()),
            ..Default::default()
        };
        // SAFETY: naga has validated the source and written the SPIR-V, which only gained modes that the driver says it has. What
        // the source must keep itself, indices and loops, is as in kernels.rs.
        let module = unsafe { device.device.create_shader_module_passthrough(descriptor) };
        let pipeline = device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            cache: None,
        });
        Kernel {
            pipeline,
            layout,
            of_fields,
        }
    })
}

/// The bindings of `slots`, in ascending order, and what each is.
fn bindings(module: &Module, slots: &[Slot]) -> impl Iterator<Item = (u32, wgpu::BufferBindingType)> {
    let mut known = BTreeMap::new();
    for &slot in slots {
        let (group, binding) = (0, slot as u32);
        let mut variables = module.global_variables.iter().map(|(_, variable)| variable);
        let variable = variables.find(|variable| variable.binding == Some(ResourceBinding { group, binding }));
        known.insert(binding, type_of(variable.map(|variable| variable.space)));
    }
    known.into_iter()
}

/// The bindings of fields, which are those of the second group.
fn bindings_of_fields(module: &Module) -> impl Iterator<Item = (u32, wgpu::BufferBindingType)> {
    let mut known = BTreeMap::new();
    for (_, variable) in module.global_variables.iter() {
        if let Some(ResourceBinding { group: 1, binding }) = variable.binding {
            known.insert(binding, type_of(Some(variable.space)));
        }
    }
    known.into_iter()
}

fn type_of(space: Option<AddressSpace>) -> wgpu::BufferBindingType {
    match space {
        Some(AddressSpace::Uniform) => wgpu::BufferBindingType::Uniform,
        Some(AddressSpace::Storage { access }) => wgpu::BufferBindingType::Storage {
            read_only: !access.contains(StorageAccess::STORE),
        },
        _ => wgpu::BufferBindingType::Storage { read_only: true },
    }
}

/// The SPIR-V of an entry point, with strict arithmetic.
fn translate(
    module: &Module,
    entry: &str,
    slots: &[Slot],
    is_guarded: bool,
    controls: FloatControls,
) -> std::result::Result<Vec<u32>, String> {
    let info = Validator::new(ValidationFlags::all(), CAPABILITIES)
        .validate(module)
        .map_err(|error| format!("{error:?}"))?;
    // wgpu numbers the bindings of a layout from 0 on.
    let numbered = |group| {
        move |(number, (binding, _))| {
            let place = spv::BindingInfo {
                descriptor_set: group,
                binding: number,
                binding_array_size: None,
            };
            (ResourceBinding { group, binding }, place)
        }
    };
    let of_slots = (0..).zip(bindings(module, slots)).map(numbered(0));
    let of_fields = (0..).zip(bindings_of_fields(module)).map(numbered(1));
    let policy = match is_guarded {
        true => naga::proc::BoundsCheckPolicy::Restrict,
        false => naga::proc::BoundsCheckPolicy::Unchecked,
    };
    let options = spv::Options {
        lang_version: VERSION,
        flags: spv::WriterFlags::empty(),
        capabilities: None,
        bounds_check_policies: naga::proc::BoundsCheckPolicies {
            index: policy,
            buffer: policy,
            image_load: policy,
            binding_array: policy,
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: is_guarded,
        binding_map: of_slots.chain(of_fields).collect(),
        ..spv::Options::default()
    };
    let pipeline = spv::PipelineOptions {
        shader_stage: naga::ShaderStage::Compute,
        entry_point: entry.to_owned(),
    };
    let words = spv::write_vec(module, &info, &options, Some(&pipeline)).map_err(|error| error.to_string())?;
    Ok(make_strict(&words, controls))
}

/// Adds to SPIR-V that operations are not fused, and the modes of the entry point.
fn make_strict(words: &[u32], controls: FloatControls) -> Vec<u32> {
    const HEAD: usize = 5;
    let instructions = || Instructions {
        rest: &words[HEAD.min(words.len())..],
    };
    let arithmetic = instructions().filter(|words| ARITHMETIC.contains(&opcode(words)));
    let decorations: Vec<u32> = arithmetic
        .flat_map(|words| [head(OP_DECORATE, 3), words[2], NO_CONTRACTION])
        .collect();
    let mut strict = words[..HEAD.min(words.len())].to_vec();
    let (mut has_capabilities, mut has_extension, mut has_modes, mut has_decorations) = (false, false, false, false);
    let mut entry = 0;
    for instruction in instructions() {
        let code = opcode(instruction);
        if code != OP_CAPABILITY && !std::mem::replace(&mut has_capabilities, true) {
            strict.extend(modes(controls).flat_map(|[_, capability]| [head(OP_CAPABILITY, 2), capability]));
        }
        if code != OP_CAPABILITY && code != OP_EXTENSION && !std::mem::replace(&mut has_extension, true) {
            let name = text(EXTENSION);
            strict.push(head(OP_EXTENSION, 1 + name.len()));
            strict.extend(name);
        }
        if code == OP_ENTRY_POINT {
            entry = instruction[2];
        }
        if code > OP_ENTRY_POINT && entry != 0 && !std::mem::replace(&mut has_modes, true) {
            strict.extend(modes(controls).flat_map(|[mode, _]| [head(OP_EXECUTION_MODE, 4), entry, mode, 32]));
        }
        if matches!(code, OP_DECORATE | OP_MEMBER_DECORATE) && !std::mem::replace(&mut has_decorations, true) {
            strict.extend(&decorations);
        }
        strict.extend(instruction);
    }
    strict
}

/// The instructions of a module.
struct Instructions<'a> {
    rest: &'a [u32],
}

impl<'a> Iterator for Instructions<'a> {
    type Item = &'a [u32];
    fn next(&mut self) -> Option<&'a [u32]> {
        let length = (*self.rest.first()? >> 16) as usize;
        let (first, rest) = self.rest.split_at_checked(length.max(1))?;
        self.rest = rest;
        Some(first)
    }
}

fn opcode(instruction: &[u32]) -> u16 {
    instruction[0] as u16
}

/// The first word of an instruction.
fn head(opcode: u16, words: usize) -> u32 {
    (words as u32) << 16 | u32::from(opcode)
}

/// A string, which ends with a zero.
fn text(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() + 1).next_multiple_of(4), 0);
    bytes
        .chunks_exact(4)
        .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect()
}
