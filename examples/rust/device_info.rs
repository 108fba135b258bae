//! The GPUs of this machine, and which one a search would take.
//!
//!     cargo run --example device_info
//!     NEARGRID_DEVICE=1 cargo run --example device_info

use neargrid::{DeviceInfo, choose_device, devices};

fn main() {
    let devices = devices();
    for device in &devices {
        describe(device);
    }
    let choice = std::env::var("NEARGRID_DEVICE").ok();
    for (backend, software) in [("auto", false), ("gpu", true)] {
        match choose_device(choice.as_deref(), software) {
            Ok(chosen) => {
                let index = chosen.candidates[0];
                println!(
                    "backend {backend} takes {index}, {} ({})",
                    devices[index].name, chosen.reason
                );
            }
            Err(error) => println!("backend {backend} takes no device: {error}"),
        }
    }
}

fn describe(device: &DeviceInfo) {
    println!("{}: {}", device.index, device.name);
    println!(
        "   {} device by {}, through {}",
        device.kind, device.vendor, device.interface
    );
    println!("   driver {}", device.driver);
    if let Some(address) = &device.identity.address {
        println!("   PCI address {address}");
    }
    if let Some(uuid) = &device.identity.uuid {
        println!("   UUID {uuid}");
    }
    let (binding, buffer) = (device.max_binding >> 20, device.max_buffer >> 20);
    println!("   buffers of up to {buffer} MiB, {binding} MiB of them at once");
    let subgroups = if device.subgroups { "subgroups" } else { "no subgroups" };
    let timestamps = if device.timestamps {
        "timestamps"
    } else {
        "no timestamps"
    };
    println!("   {subgroups}, {timestamps}");
    if device.hidden {
        println!("   hidden by CUDA_VISIBLE_DEVICES: taken only if it is named");
    }
    if let Some(why) = &device.unusable {
        println!("   cannot be used: {why}");
    }
}
