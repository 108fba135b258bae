//! The choice of a GPU. In: the GPUs of this machine, and the wanted one. Out: candidates, or why there are none.

use super::adapters::{DeviceInfo, DeviceKind, devices};
use crate::error::{Error, Result, Status, Words};
use crate::plan::WantedDevice;

/// The interfaces drivers can offer here.
const INTERFACES: &str = match (cfg!(target_vendor = "apple"), cfg!(windows)) {
    (true, _) => "Metal",
    (_, true) => "Vulkan or Direct3D 12",
    _ => "Vulkan",
};

/// The devices that match a request, and the reason for the choice.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceChoice {
    /// The indexes of the devices to try, in this order. Never empty.
    pub candidates: Vec<usize>,
    /// Why these devices were chosen.
    pub reason: &'static str,
}

/// Chooses a device as a search does: by `choice`, which is an index, a PCI address, a UUID or a part of a name as in
/// `NEARGRID_DEVICE`, or else the best one that `CUDA_VISIBLE_DEVICES` does not hide. A software device is chosen only if `software` is true, and only by name or if there is no other device.
pub fn choose_device(choice: Option<&str>, software: bool) -> Result<DeviceChoice> {
    choose(
        &devices(),
        choice.map_or(WantedDevice::Best, WantedDevice::Named),
        software,
    )
}

/// The wanted one of `devices`, and those to try after it.
pub fn choose(devices: &[DeviceInfo], wanted: WantedDevice, software: bool) -> Result<DeviceChoice> {
    if devices.is_empty() {
        return Err(no_device(format!("{INTERFACES} is not installed or shows no device")));
    }
    let wanted = match wanted {
        WantedDevice::Named(text) if text.trim().is_empty() => WantedDevice::Best,
        other => other,
    };
    let meant = match wanted {
        WantedDevice::Named(text) => named(devices, text.trim())?,
        WantedDevice::Index(index) => vec![devices.get(index).ok_or_else(|| no_index(devices, index))?],
        WantedDevice::Best | WantedDevice::Turn(_) => devices.iter().collect(),
    };
    let is_software = |device: &&DeviceInfo| device.kind == DeviceKind::Software;
    let is_named = matches!(wanted, WantedDevice::Named(_) | WantedDevice::Index(_));
    let is_usable = |device: &&DeviceInfo| device.unusable.is_none() && (is_named || !device.hidden);
    let usable = || meant.iter().copied().filter(is_usable);
    let mut hardware: Vec<&DeviceInfo> = usable().filter(|device| !is_software(device)).collect();
    if !is_named {
        hardware.sort_by_key(|device| (device.kind, device.rank));
    }
    let reason = match wanted {
        WantedDevice::Named(_) => "named by NEARGRID_DEVICE",
        WantedDevice::Index(_) => "asked for",
        _ if software && hardware.is_empty() => "software: there is no hardware GPU",
        WantedDevice::Best => "the best by kind: discrete, integrated, virtual, other",
        WantedDevice::Turn(turn) => {
            take_turn(&mut hardware, turn);
            "its turn among those of the best kind"
        }
    };
    let candidates: Vec<&DeviceInfo> = match software && (is_named || hardware.is_empty()) {
        true => usable().collect(),
        false => hardware,
    };
    if candidates.is_empty() {
        return Err(no_device(why_not(&meant)));
    }
    Ok(DeviceChoice {
        candidates: candidates.iter().map(|device| device.index).collect(),
        reason,
    })
}

/// Brings the device whose turn it is, of those of the best kind, to the front.
fn take_turn(hardware: &mut [&DeviceInfo], turn: usize) {
    let of_the_best = hardware
        .iter()
        .take_while(|device| device.kind == hardware[0].kind)
        .count();
    if of_the_best > 0 {
        hardware[..of_the_best].rotate_left(turn % of_the_best);
    }
}

/// All devices in words.
fn known(devices: &[DeviceInfo]) -> String {
    let each = |device: &DeviceInfo| format!("{} \"{}\"", device.index, device.name);
    devices.iter().map(each).collect::<Vec<_>>().join(", ")
}

fn no_index(devices: &[DeviceInfo], index: usize) -> Error {
    let allowed = format!("-1 (the best) or the index of one of {}", known(devices));
    Error::not_allowed(Status::BadValue, "device", index, allowed)
}

/// A number is an index, never part of a name.
fn named<'a>(devices: &'a [DeviceInfo], text: &str) -> Result<Vec<&'a DeviceInfo>> {
    let part = text.to_lowercase();
    let is_index = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_meant = |device: &&DeviceInfo| match is_index {
        true => text.parse() == Ok(device.index),
        false => device.identity.is_meant(text) || device.name.to_lowercase().contains(&part),
    };
    let matches: Vec<_> = devices.iter().filter(is_meant).collect();
    if matches.is_empty() {
        return Err(Error::not_allowed(
            Status::BadEnvironment,
            "environment variable NEARGRID_DEVICE",
            format!("\"{text}\""),
            format!(
                "the index, the PCI address, the UUID or part of the name of one of {}",
                known(devices)
            ),
        ));
    }
    Ok(matches)
}

fn why_not(meant: &[&DeviceInfo]) -> String {
    let each = |device: &&DeviceInfo| {
        let why = device.unusable.as_deref().unwrap_or(match device.hidden {
            true => "CUDA_VISIBLE_DEVICES hides it",
            false => "it is a software device, which only backend gpu uses",
        });
        format!("\"{}\" cannot be used: {why}", device.name)
    };
    meant.iter().map(each).collect::<Vec<_>>().join("; ")
}

/// Why a forked process has no GPU.
pub fn inherited() -> Error {
    let reason = "this process was forked after its parent had looked for GPUs, and cannot use them: fork before the first search";
    no_device(reason)
}

/// The refusal of a GPU that is not there.
pub fn no_device(reason: impl Into<Words>) -> Error {
    Error::NoDevice {
        backend: "gpu",
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::identity::Identity;

    fn device(index: usize, name: &str, kind: DeviceKind) -> DeviceInfo {
        DeviceInfo {
            index,
            name: name.to_owned(),
            identity: Identity {
                address: Some(format!("0000:{index}b:00.0")),
                uuid: Some(format!("{index}f000000-0000-0000-0000-000000000000")),
            },
            hidden: false,
            rank: 0,
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
        let wanted = choice.map_or(WantedDevice::Best, WantedDevice::Named);
        choose(devices, wanted, software).unwrap().candidates
    }

    fn refusal(devices: &[DeviceInfo], choice: Option<&str>, software: bool) -> (Status, String) {
        let wanted = choice.map_or(WantedDevice::Best, WantedDevice::Named);
        let error = choose(devices, wanted, software).unwrap_err();
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

    /// A card by its address or UUID. Those that are hidden are taken where they are named, and otherwise not even where there is no
    /// other; those that are not come in the order of the list.
    #[test]
    fn a_card_is_named_or_hidden() {
        let mut all = machine();
        assert_eq!(candidates(&all, Some("0000:1b:00.0"), false), [1]);
        assert_eq!(candidates(&all, Some("2B:00.0"), false), [2]);
        assert_eq!(candidates(&all, Some("GPU-0f"), false), [0]);
        (all[0].rank, all[1].rank) = (1, 0);
        assert_eq!(candidates(&all, None, false), [1, 0, 2]);
        let turns = [0, 1].map(|turn| choose(&all, WantedDevice::Turn(turn), false).unwrap().candidates);
        assert_eq!(turns, [[1, 0, 2], [0, 1, 2]]);
        all[0].hidden = true;
        assert_eq!(candidates(&all, None, false), [1, 2]);
        assert_eq!(candidates(&all, Some("rtx"), false), [0, 1]);
        assert_eq!(choose(&all, WantedDevice::Index(0), false).unwrap().candidates, [0]);
        let (status, text) = refusal(&all[..1], None, false);
        assert_eq!(status, Status::NoDevice);
        assert!(text.contains("CUDA_VISIBLE_DEVICES hides it"), "{text}");
    }

    #[test]
    fn a_device_is_asked_for_by_index() {
        let all = machine();
        let candidates =
            |index, software| choose(&all, WantedDevice::Index(index), software).map(|choice| choice.candidates);
        assert_eq!(candidates(1, false), Ok(vec![1]));
        assert_eq!(candidates(3, true), Ok(vec![3]));
        assert_eq!(candidates(3, false).unwrap_err().status(), Status::NoDevice);
        let error = candidates(4, true).unwrap_err();
        assert_eq!(error.status(), Status::BadValue);
        for part in ["device = 4", "-1", "0 \"Big RTX 4090\"", "3 \"llvmpipe\""] {
            assert!(error.to_string().contains(part), "{error}");
        }
    }

    #[test]
    fn searches_take_turns_among_the_best() {
        let all = machine();
        let candidates = |devices: &[DeviceInfo], turn, software| {
            choose(devices, WantedDevice::Turn(turn), software).map(|choice| choice.candidates)
        };
        for (turn, want) in [[0, 1, 2], [1, 0, 2], [0, 1, 2], [1, 0, 2]].into_iter().enumerate() {
            assert_eq!(candidates(&all, turn, turn % 2 == 0), Ok(want.to_vec()));
        }
        assert_eq!(candidates(&all[2..], 5, false), Ok(vec![2]));
        assert_eq!(candidates(&all[3..], 5, true), Ok(vec![3]));
        assert_eq!(candidates(&all[3..], 5, false).unwrap_err().status(), Status::NoDevice);
    }

    #[test]
    fn what_cannot_be_used_is_refused_with_a_reason() {
        let mut all = machine();
        all[0].unusable = Some("it is too old".to_owned());
        assert_eq!(candidates(&all, None, false), [1, 2]);
        let (status, text) = refusal(&all, Some("0"), true);
        assert_eq!(status, Status::NoDevice);
        assert!(text.contains("too old"), "{text}");
        assert_eq!(refusal(&[], Some("voodoo"), true).0, Status::NoDevice);
    }
}
