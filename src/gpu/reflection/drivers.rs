//! The text that every kind of driver is given of every pipeline; needs no device.
//!
//! in: the stages in all forms; out: failures where naga cannot write one for Metal, Direct3D or Vulkan, or where the Vulkan
//! text breaks a rule of SPIR-V. The options are those that wgpu-hal gives naga in its compute pipelines.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use naga::back::pipeline_constants::process_overrides;
use naga::back::{hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::ModuleInfo;
use naga::{Module, ResourceBinding, ShaderStage};

use super::{expand, read, stages, wanted};
use crate::gpu::kernels;

/// Bytes of the largest binding, where buffers are seen through windows.
const BINDING: u64 = 1 << 27;

/// A pipeline as it is compiled: the constants are in the module already.
struct Pipeline {
    name: String,
    entry: &'static str,
    module: Module,
    info: ModuleInfo,
    /// The bindings of buffers, and those of fields.
    bindings: BTreeMap<u32, &'static str>,
    fields: BTreeSet<u32>,
    subgroups: bool,
    doubles: bool,
}

impl Pipeline {
    /// The places of its buffers, with the number that a driver sees and whether it is a storage buffer.
    fn places(&self) -> impl Iterator<Item = (ResourceBinding, u32, bool)> {
        let of_buffer = |(&binding, &kind)| (ResourceBinding { group: 0, binding }, kind == "storage");
        let of_field = |&binding| (ResourceBinding { group: 1, binding }, true);
        let all = self
            .bindings
            .iter()
            .map(of_buffer)
            .chain(self.fields.iter().map(of_field));
        (0..)
            .zip(all)
            .map(|(number, (place, storage))| (place, number, storage))
    }

    /// Whether the shader writes what is bound there.
    fn writes(&self, binding: ResourceBinding) -> bool {
        let mut variables = self.module.global_variables.iter().map(|(_, variable)| variable);
        let variable = variables.find(|variable| variable.binding == Some(binding));
        variable.is_some_and(|variable| match variable.space {
            naga::AddressSpace::Storage { access } => access.contains(naga::StorageAccess::STORE),
            _ => false,
        })
    }
}

/// Every pipeline in every form, once each: forms that make no difference to a stage have the same text.
fn pipelines() -> Vec<Pipeline> {
    let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
    for (&(stage, file, entry, slots), form) in stages() {
        let source = expand(file, form);
        let constants = kernels::constants(stage, slots, form, BINDING);
        let name = format!("{stage:?}, {form:?}, {constants:?}");
        if !seen.insert((source, entry, format!("{constants:?}"))) {
            continue;
        }
        let (module, info) = read(file, form);
        let constants = constants
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        let point = Some((ShaderStage::Compute, entry));
        let (module, info) = process_overrides(module, info, point, &constants).unwrap();
        let bound = module
            .global_variables
            .iter()
            .filter_map(|(_, variable)| variable.binding);
        let fields = bound.filter(|at| at.group == 1).map(|at| at.binding).collect();
        all.push(Pipeline {
            name,
            entry,
            module: module.into_owned(),
            info: info.into_owned(),
            bindings: wanted((stage, slots), form),
            fields,
            subgroups: form.subgroups,
            doubles: form.doubles,
        });
    }
    all
}

/// With run-time checks or without, as the mask `guarded` says.
fn policies(checks: bool) -> BoundsCheckPolicies {
    match checks {
        true => BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            buffer: BoundsCheckPolicy::Restrict,
            image_load: BoundsCheckPolicy::Restrict,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        false => BoundsCheckPolicies::default(),
    }
}

/// The oldest and the newest version of Metal's language, and where naga writes another text: subgroups come with newer ones.
fn metal(pipeline: &Pipeline) -> Vec<(String, String)> {
    let resources = pipeline.places().map(|(place, number, storage)| {
        let target = msl::BindTarget {
            buffer: Some(number as u8),
            mutable: storage && pipeline.writes(place),
            ..Default::default()
        };
        (place, target)
    });
    let resources = msl::EntryPointResources {
        resources: resources.collect(),
        sizes_buffer: Some(pipeline.places().count() as u8),
        ..Default::default()
    };
    let versions: &[_] = match pipeline.subgroups {
        true => &[(2, 1), (4, 0)],
        false => &[(1, 2), (2, 1), (4, 0)],
    };
    let mut texts = Vec::new();
    for (&lang_version, checks) in versions.iter().flat_map(|version| [(version, false), (version, true)]) {
        let options = msl::Options {
            lang_version,
            fake_missing_bindings: false,
            per_entry_point_map: [(pipeline.entry.to_owned(), resources.clone())].into(),
            bounds_check_policies: policies(checks),
            zero_initialize_workgroup_memory: false,
            force_loop_bounding: checks,
            emit_int_div_checks: checks,
            ..Default::default()
        };
        let point = msl::PipelineOptions {
            entry_point: Some((ShaderStage::Compute, pipeline.entry.to_owned())),
            vertex_pulling_transform: true,
            ..Default::default()
        };
        let name = format!("{}, Metal {lang_version:?}, checks {checks}", pipeline.name);
        let (text, translated) = msl::write_string(&pipeline.module, &pipeline.info, &options, &point)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        // An entry point that cannot be bound is no error of the whole.
        for point in translated.entry_point_names {
            point.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        texts.push((name, text));
    }
    texts
}

/// Shader models: 5.1 of the compiler that Windows has, which knows no subgroups, and those of the newer one.
fn direct3d(pipeline: &Pipeline) -> Vec<(String, String)> {
    let target = |(place, register, _)| {
        let target = hlsl::BindTarget {
            register,
            restrict_indexing: true,
            ..Default::default()
        };
        (place, target)
    };
    let models: &[_] = match pipeline.subgroups {
        true => &[hlsl::ShaderModel::V6_0, hlsl::ShaderModel::V6_7],
        false => &[hlsl::ShaderModel::V5_1, hlsl::ShaderModel::V6_7],
    };
    let mut texts = Vec::new();
    for (&shader_model, checks) in models.iter().flat_map(|model| [(model, false), (model, true)]) {
        let options = hlsl::Options {
            shader_model,
            binding_map: pipeline.places().map(target).collect(),
            fake_missing_bindings: false,
            // where the number of workgroups comes from
            special_constants_binding: Some(hlsl::BindTarget::default()),
            zero_initialize_workgroup_memory: false,
            restrict_indexing: checks,
            force_loop_bounding: checks,
            ..Default::default()
        };
        let point = hlsl::PipelineOptions {
            entry_point: Some((ShaderStage::Compute, pipeline.entry.to_owned())),
        };
        let name = format!("{}, shader model {shader_model:?}, checks {checks}", pipeline.name);
        let mut text = String::new();
        let written = hlsl::Writer::new(&mut text, &options, &point).write(&pipeline.module, &pipeline.info, None);
        for point in written
            .unwrap_or_else(|error| panic!("{name}: {error}"))
            .entry_point_names
        {
            point.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        texts.push((name, text));
    }
    texts
}

/// The oldest and the newest Vulkan, and the first with subgroups, with the SPIR-V that wgpu writes for each.
fn vulkan(pipeline: &Pipeline) -> Vec<(String, &'static str, Vec<u32>)> {
    let versions = [("vulkan1.0", (1, 0)), ("vulkan1.1", (1, 3)), ("vulkan1.3", (1, 6))];
    let target = |(place, binding, _)| {
        let target = spv::BindingInfo {
            descriptor_set: 0,
            binding,
            binding_array_size: None,
        };
        (place, target)
    };
    let mut capabilities = vec![spv::Capability::Shader, spv::Capability::Matrix];
    if pipeline.subgroups {
        capabilities.extend([
            spv::Capability::GroupNonUniform,
            spv::Capability::GroupNonUniformVote,
            spv::Capability::GroupNonUniformArithmetic,
            spv::Capability::GroupNonUniformBallot,
            spv::Capability::GroupNonUniformShuffle,
            spv::Capability::GroupNonUniformShuffleRelative,
            spv::Capability::GroupNonUniformQuad,
        ]);
    }
    if pipeline.doubles {
        capabilities.extend([spv::Capability::Float64, spv::Capability::Int64]);
    }
    let mut modules = Vec::new();
    // Subgroups are no part of the first version.
    for (target_env, lang_version) in versions.into_iter().skip(pipeline.subgroups.into()) {
        for checks in [false, true] {
            let options = spv::Options {
                lang_version,
                flags: spv::WriterFlags::DEBUG | spv::WriterFlags::LABEL_VARYINGS | spv::WriterFlags::FORCE_POINT_SIZE,
                fake_missing_bindings: false,
                binding_map: pipeline.places().map(target).collect(),
                capabilities: Some(capabilities.iter().copied().collect()),
                bounds_check_policies: policies(checks),
                zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
                force_loop_bounding: checks,
                use_storage_input_output_16: false,
                emit_int_div_checks: checks,
                ..Default::default()
            };
            let point = spv::PipelineOptions {
                entry_point: pipeline.entry.to_owned(),
                shader_stage: ShaderStage::Compute,
            };
            let name = format!("{}, {target_env}, checks {checks}", pipeline.name);
            let words = spv::write_vec(&pipeline.module, &pipeline.info, &options, Some(&point))
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            modules.push((name, target_env, words));
        }
    }
    modules
}

#[test]
fn metal_and_direct3d() {
    let pipelines = pipelines();
    let mut written = 0;
    // Only Vulkan is given f64.
    for pipeline in pipelines.iter().filter(|pipeline| !pipeline.doubles) {
        for (name, text) in metal(pipeline).into_iter().chain(direct3d(pipeline)) {
            assert!(text.contains(pipeline.entry), "{name}: no {}", pipeline.entry);
            written += 1;
        }
    }
    println!("{} pipelines, {written} texts", pipelines.len());
}

/// Whether a module breaks no rule, as the tool of the Khronos Group says.
fn validate(name: &str, target_env: &str, words: &[u32], file: &Path) {
    fs::write(file, bytemuck::cast_slice(words)).unwrap();
    let mut validator = Command::new("spirv-val");
    let output = validator.args(["--target-env", target_env]).arg(file).output();
    let output = output.unwrap_or_else(|error| match error.kind() {
        ErrorKind::NotFound => panic!("spirv-val is missing here; as root: apt-get install spirv-tools"),
        _ => panic!("spirv-val: {error}"),
    });
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{name}: {said}");
}

/// Versions differ in little more than a word, but each has rules of its own. Most time goes into starting the tool.
#[test]
#[ignore = "takes a minute, needs spirv-val: make test-all"]
fn slow_vulkan_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    let (pipelines, valid) = (pipelines(), AtomicUsize::new(0));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for (thread, part) in pipelines.chunks(pipelines.len().div_ceil(threads)).enumerate() {
            let (file, valid) = (folder.path().join(format!("{thread}.spv")), &valid);
            scope.spawn(move || {
                for (name, target_env, words) in part.iter().flat_map(vulkan) {
                    validate(&name, target_env, &words, &file);
                    valid.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    println!("{} pipelines, {} modules", pipelines.len(), valid.into_inner());
}
