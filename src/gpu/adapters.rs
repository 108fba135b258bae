//! The GPUs of this machine, best first, and which of them is meant. In: the drivers, `NEARGRID_DEVICE`. Out: candidates.
//!
//! They are enumerated once per process, at the first question: that makes the instance of the graphics interface, which
//! some drivers answer with prints of their own (Mesa's device selection layer, on a machine without a session).

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

use super::device::{Device, calmly};
use crate::error::{Error, Result, Status};

/// Storage buffers the kernels bind at once.
const STORAGE_BUFFERS: u32 = 13;
/// Invocations of their workgroups.
const INVOCATIONS: u32 = 256;

/// The interfaces drivers can offer here.
const INTERFACES: &str = match (cfg!(target_vendor = "apple"), cfg!(windows)) {
    (true, _) => "Metal",
    (_, true) => "Vulkan or Direct3D 12",
    _ => "Vulkan",
};

/// What kind of processor a device is. The order is that of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the CPU's memory.
    Integrated,
    /// A GPU lent to a virtual machine.
    Virtual,
    /// The driver does not say.
    Other,
    /// The CPU, playing a GPU: slow, good for tests.
    Software,
}

impl DeviceKind {
    fn of(kind: wgpu::DeviceType) -> DeviceKind {
        match kind {
            wgpu::DeviceType::DiscreteGpu => DeviceKind::Discrete,
            wgpu::DeviceType::IntegratedGpu => DeviceKind::Integrated,
            wgpu::DeviceType::VirtualGpu => DeviceKind::Virtual,
            wgpu::DeviceType::Other => DeviceKind::Other,
            wgpu::DeviceType::Cpu => DeviceKind::Software,
        }
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            DeviceKind::Discrete => "discrete",
            DeviceKind::Integrated => "integrated",
            DeviceKind::Virtual => "virtual",
            DeviceKind::Other => "other",
            DeviceKind::Software => "software",
        })
    }
}

/// A device a driver offers.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceInfo {
    /// Its number in `NEARGRID_DEVICE`.
    pub index: usize,
    /// The driver's name for it; any part of it is good for `NEARGRID_DEVICE`.
    pub name: String,
    /// Who made it.
    pub vendor: String,
    /// Discrete, integrated, ...
    pub kind: DeviceKind,
    /// The driver and its version.
    pub driver: String,
    /// The interface it is used through: vulkan, metal or dx12.
    pub interface: &'static str,
    /// Whether it has subgroup operations in compute shaders.
    pub subgroups: bool,
    /// Whether phases can be timed on it.
    pub timestamps: bool,
    /// Bytes a kernel can see of one buffer.
    pub max_binding: u64,
    /// Bytes of the largest buffer.
    pub max_buffer: u64,
    /// Why neargrid cannot use it.
    pub unusable: Option<String>,
}

impl DeviceInfo {
    fn of(index: usize, adapter: &wgpu::Adapter) -> DeviceInfo {
        let info = adapter.get_info();
        let (features, limits) = (adapter.features(), adapter.limits());
        DeviceInfo {
            index,
            vendor: vendor(info.vendor),
            kind: DeviceKind::of(info.device_type),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            interface: info.backend.to_str(),
            name: info.name,
            subgroups: features.contains(wgpu::Features::SUBGROUP),
            timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
            max_binding: limits.max_storage_buffer_binding_size,
            max_buffer: limits.max_buffer_size,
            unusable: unusable(adapter.get_downlevel_capabilities().flags, &limits),
        }
    }
}

fn vendor(id: u32) -> String {
    let name = match id {
        0x1002 => "AMD",
        0x10005 => "Mesa",
        0x106b => "Apple",
        0x10de => "NVIDIA",
        0x13b5 => "Arm",
        0x1414 => "Microsoft",
        0x5143 => "Qualcomm",
        0x8086 => "Intel",
        _ => return format!("vendor {id:#x}"),
    };
    name.to_owned()
}

fn unusable(flags: wgpu::DownlevelFlags, limits: &wgpu::Limits) -> Option<String> {
    let (buffers, invocations) = (
        limits.max_storage_buffers_per_shader_stage,
        limits.max_compute_invocations_per_workgroup,
    );
    if !flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
        Some("it has no compute shaders".to_owned())
    } else if buffers < STORAGE_BUFFERS {
        Some(format!(
            "it binds {buffers} storage buffers, {STORAGE_BUFFERS} are needed"
        ))
    } else if invocations < INVOCATIONS {
        Some(format!(
            "its workgroups have {invocations} invocations, {INVOCATIONS} are needed"
        ))
    } else {
        None
    }
}

/// A device that may be opened, with the open ones: one per mask.
#[derive(Debug)]
pub struct Adapter {
    /// What it is.
    pub info: DeviceInfo,
    /// The way to open it.
    pub adapter: wgpu::Adapter,
    /// What is open and was not lost.
    pub open: Mutex<Vec<Arc<Device>>>,
}

/// All adapters of this machine, best first.
pub fn adapters() -> &'static [Adapter] {
    static ADAPTERS: OnceLock<Vec<Adapter>> = OnceLock::new();
    // a driver that panics here is one that has no devices
    ADAPTERS.get_or_init(|| calmly(enumerate).unwrap_or_default())
}

fn enumerate() -> Vec<Adapter> {
    let mut description = wgpu::InstanceDescriptor::new_without_display_handle();
    description.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    // No checks of indirect arguments: they cost a dispatch each and cap buffers at 4 GiB. Debug labels serve profilers;
    // with Direct3D the same flag switches optimization off.
    description.flags = match cfg!(windows) {
        true => wgpu::InstanceFlags::empty(),
        false => wgpu::InstanceFlags::DEBUG,
    };
    let instance = wgpu::Instance::new(description);
    let mut found = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    found.sort_by_key(|adapter| DeviceKind::of(adapter.get_info().device_type));
    let adapter = |(index, adapter)| Adapter {
        info: DeviceInfo::of(index, &adapter),
        adapter,
        open: Mutex::default(),
    };
    found.into_iter().enumerate().map(adapter).collect()
}

/// All devices of this machine, best first. Opens none of them.
pub fn devices() -> Vec<DeviceInfo> {
    adapters().iter().map(|adapter| adapter.info.clone()).collect()
}

/// Which device is meant, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceChoice {
    /// The devices to try, in this order. Not empty.
    pub candidates: Vec<usize>,
    /// Why these.
    pub reason: &'static str,
}

/// The device to use: that of `choice`, which is what `NEARGRID_DEVICE` says (an index or part of a name), or else the
/// best. A software device is taken only if `software` allows it, and unless named only if there is no other.
pub fn choose_device(choice: Option<&str>, software: bool) -> Result<DeviceChoice> {
    choose(&devices(), choice, software)
}

fn choose(devices: &[DeviceInfo], choice: Option<&str>, software: bool) -> Result<DeviceChoice> {
    if devices.is_empty() {
        return Err(no_device(format!("{INTERFACES} is not installed or shows no device")));
    }
    let choice = choice.map(str::trim).filter(|text| !text.is_empty());
    let meant = match choice {
        Some(text) => named(devices, text)?,
        None => devices.iter().collect(),
    };
    let is_software = |device: &&DeviceInfo| device.kind == DeviceKind::Software;
    let usable = || meant.iter().copied().filter(|device| device.unusable.is_none());
    let hardware: Vec<&DeviceInfo> = usable().filter(|device| !is_software(device)).collect();
    let (candidates, reason) = match (choice, software) {
        (Some(_), true) => (usable().collect(), "named by NEARGRID_DEVICE"),
        (Some(_), false) => (hardware, "named by NEARGRID_DEVICE"),
        (None, true) if hardware.is_empty() => (usable().collect(), "software, as there is no other"),
        (None, _) => (hardware, "the best by kind: discrete, integrated, virtual, other"),
    };
    if candidates.is_empty() {
        return Err(no_device(why_not(&meant)));
    }
    Ok(DeviceChoice {
        candidates: candidates.iter().map(|device| device.index).collect(),
        reason,
    })
}

/// A number is an index, never part of a name.
fn named<'a>(devices: &'a [DeviceInfo], text: &str) -> Result<Vec<&'a DeviceInfo>> {
    let part = text.to_lowercase();
    let is_index = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_meant = |device: &&DeviceInfo| match is_index {
        true => text.parse() == Ok(device.index),
        false => device.name.to_lowercase().contains(&part),
    };
    let matches: Vec<_> = devices.iter().filter(is_meant).collect();
    if matches.is_empty() {
        let known: Vec<_> = devices
            .iter()
            .map(|device| format!("{} \"{}\"", device.index, device.name))
            .collect();
        return Err(Error::not_allowed(
            Status::BadEnvironment,
            "environment variable NEARGRID_DEVICE",
            format!("\"{text}\""),
            format!("an index or part of a name of {}", known.join(", ")),
        ));
    }
    Ok(matches)
}

fn why_not(meant: &[&DeviceInfo]) -> String {
    let each = |device: &&DeviceInfo| {
        let why = device
            .unusable
            .as_deref()
            .unwrap_or("it is software, which only a forced backend takes");
        format!("\"{}\" cannot be used: {why}", device.name)
    };
    meant.iter().map(each).collect::<Vec<_>>().join("; ")
}

/// The refusal of a GPU that is not there.
pub fn no_device(reason: String) -> Error {
    Error::NoDevice { backend: "gpu", reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(index: usize, name: &str, kind: DeviceKind) -> DeviceInfo {
        DeviceInfo {
            index,
            name: name.to_owned(),
            vendor: "nobody".to_owned(),
            kind,
            driver: String::new(),
            interface: "vulkan",
            subgroups: true,
            timestamps: true,
            max_binding: 1 << 27,
            max_buffer: 1 << 28,
            unusable: None,
        }
    }

    fn machine() -> Vec<DeviceInfo> {
        vec![
            device(0, "Big RTX 4090", DeviceKind::Discrete),
            device(1, "Big RTX 4090", DeviceKind::Discrete),
            device(2, "Small UHD", DeviceKind::Integrated),
            device(3, "llvmpipe", DeviceKind::Software),
        ]
    }

    fn candidates(devices: &[DeviceInfo], choice: Option<&str>, software: bool) -> Vec<usize> {
        choose(devices, choice, software).unwrap().candidates
    }

    fn refusal(devices: &[DeviceInfo], choice: Option<&str>, software: bool) -> (Status, String) {
        let error = choose(devices, choice, software).unwrap_err();
        (error.status(), error.to_string())
    }

    #[test]
    fn software_is_taken_last() {
        let all = machine();
        for software in [false, true] {
            assert_eq!(candidates(&all, None, software), [0, 1, 2]);
        }
        let only_software = &all[3..];
        assert_eq!(candidates(only_software, None, true), [3]);
        let (status, text) = refusal(only_software, None, false);
        assert_eq!(status, Status::NoDevice);
        assert!(text.contains("llvmpipe") && text.contains("software"), "{text}");
    }

    #[test]
    fn a_device_is_named_by_index_or_part() {
        let all = machine();
        assert_eq!(candidates(&all, Some(" 1 "), false), [1]);
        assert_eq!(candidates(&all, Some("small"), false), [2]);
        assert_eq!(candidates(&all, Some("rtx 40"), false), [0, 1]);
        assert_eq!(candidates(&all, Some("LLVM"), true), [3]);
        assert_eq!(candidates(&all, Some(""), false), [0, 1, 2]);
        assert_eq!(refusal(&all, Some("3"), false).0, Status::NoDevice);
        for wrong in ["4", "4090", "-1", "voodoo"] {
            let (status, text) = refusal(&all, Some(wrong), true);
            assert_eq!(status, Status::BadEnvironment);
            for part in ["NEARGRID_DEVICE", wrong, "0 \"Big RTX 4090\"", "3 \"llvmpipe\""] {
                assert!(text.contains(part), "{text}");
            }
        }
    }

    #[test]
    fn what_cannot_run_the_kernels_is_refused_with_a_reason() {
        let mut limits = wgpu::Limits::defaults();
        limits.max_storage_buffers_per_shader_stage = STORAGE_BUFFERS;
        let compute = wgpu::DownlevelFlags::COMPUTE_SHADERS;
        assert_eq!(unusable(compute, &limits), None);
        assert!(unusable(wgpu::DownlevelFlags::empty(), &limits).is_some());
        limits.max_compute_invocations_per_workgroup = 128;
        assert!(unusable(compute, &limits).unwrap().contains("128"));
        limits.max_storage_buffers_per_shader_stage = STORAGE_BUFFERS - 1;
        assert!(unusable(compute, &limits).unwrap().contains("12 storage buffers"));

        let mut all = machine();
        all[0].unusable = Some("it is too old".to_owned());
        assert_eq!(candidates(&all, None, false), [1, 2]);
        let (status, text) = refusal(&all, Some("0"), true);
        assert_eq!(status, Status::NoDevice);
        assert!(text.contains("too old"), "{text}");
        assert_eq!(refusal(&[], Some("voodoo"), true).0, Status::NoDevice);
    }
}
