//! The GPUs of this machine, best first. In: the drivers. Out: their properties, and the way to open them.
//!
//! They are enumerated once in a process, when first needed. This creates the instance of the graphics interface, and some
//! drivers print messages then (Mesa's device selection layer, on a machine without a session).

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::identity::{Card, Identity, shown_by_cuda};
use super::loader::has_loader;
use crate::quiet::calmly;

/// Storage buffers the kernels bind at once.
const STORAGE_BUFFERS: u32 = 13;
/// Invocations of their workgroups.
const INVOCATIONS: u32 = 256;

/// The kind of a device. The order of the variants is the order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceKind {
    /// A GPU with its own memory.
    Discrete,
    /// A GPU that shares the memory of the CPU.
    Integrated,
    /// A GPU assigned to a virtual machine.
    Virtual,
    /// Unknown to the driver.
    Other,
    /// A GPU emulated on the CPU: slow, useful for tests.
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

/// A device that a driver offers.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceInfo {
    /// Its number in `NEARGRID_DEVICE` and for [`set_device`](crate::Search::set_device).
    pub index: usize,
    /// Its name. `NEARGRID_DEVICE` accepts any part of it.
    pub name: String,
    /// The card that it is. `NEARGRID_DEVICE` accepts its address and its UUID.
    pub identity: Identity,
    /// Whether `CUDA_VISIBLE_DEVICES` hides it from searches that name no device.
    pub hidden: bool,
    /// Its place in that list, after which searches take it.
    pub(super) rank: usize,
    /// Its vendor.
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
            identity: Identity::of(adapter),
            hidden: false,
            rank: 0,
            subgroups: features.contains(wgpu::Features::SUBGROUP),
            timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
            max_binding: limits.max_storage_buffer_binding_size,
            max_buffer: limits.max_buffer_size,
            unusable: unusable(adapter.get_downlevel_capabilities().flags, &limits),
        }
    }
}

const NVIDIA: &str = "NVIDIA";

fn vendor(id: u32) -> String {
    let name = match id {
        0x1002 => "AMD",
        0x10005 => "Mesa",
        0x106b => "Apple",
        0x10de => NVIDIA,
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

/// A device that may be opened.
#[derive(Debug)]
pub struct Adapter {
    /// Its kind.
    pub info: DeviceInfo,
    /// The way to open it.
    pub adapter: wgpu::Adapter,
}

/// The process that looked for GPUs.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Whether this process was forked from one that looked for GPUs. What drivers keep for that one, and the locks that its
/// threads held, are of no use here, so nothing that belongs to a GPU is touched.
pub fn are_inherited() -> bool {
    let process = std::process::id();
    let owner = OWNER.compare_exchange(0, process, Relaxed, Relaxed);
    owner.is_err_and(|owner| owner != process)
}

/// The same without a look for GPUs: a process that does not look for them leaves them to those that it forks.
pub fn belong_to_another() -> bool {
    let owner = OWNER.load(Relaxed);
    owner != 0 && owner != std::process::id()
}

static ADAPTERS: OnceLock<Vec<Adapter>> = OnceLock::new();

/// Whether [`adapters`] are known, so that nobody waits for a driver.
pub fn are_known() -> bool {
    ADAPTERS.get().is_some()
}

/// All adapters of this machine, best first; none where they [are inherited](are_inherited), or where the program has no loader.
pub fn adapters() -> &'static [Adapter] {
    if are_inherited() || !has_loader() {
        return &[];
    }
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
    };
    let mut adapters: Vec<Adapter> = found.into_iter().enumerate().map(adapter).collect();
    let text = |name| std::env::var(name).ok();
    if let Some(shown) = text("CUDA_VISIBLE_DEVICES") {
        hide(&mut adapters, &shown, text("CUDA_DEVICE_ORDER").as_deref());
    }
    adapters
}

/// Hides the devices of NVIDIA that CUDA would hide, and has the others in its order.
fn hide(adapters: &mut [Adapter], shown: &str, order: Option<&str>) {
    let mut infos: Vec<&mut DeviceInfo> = (adapters.iter_mut())
        .map(|adapter| &mut adapter.info)
        .filter(|info| info.vendor == NVIDIA && info.kind != DeviceKind::Software)
        .collect();
    let cards: Vec<Card> = infos.iter().map(|info| (&*info.name, &info.identity)).collect();
    let places = shown_by_cuda(&cards, shown, order).unwrap_or_default();
    for (info, place) in infos.iter_mut().zip(places) {
        (info.hidden, info.rank) = (place.is_none(), place.unwrap_or(0));
    }
}

/// All devices of this machine, best first. Opens none of them.
pub fn devices() -> Vec<DeviceInfo> {
    adapters().iter().map(|adapter| adapter.info.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
