//! Devices for searches that do not wait: under `auto`, from the second one of the process on. In: which one. Out: the
//! device, where it is open; or that it is late, and will be opened beside searches.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

use super::acquire::{acquire_armed, check_loader, place_of};
use super::adapters::{adapters, are_inherited, are_known, belong_to_another, devices};
use super::beside::{self, Later};
use super::choice::{choose, inherited, no_device};
use super::device::{Device, lock};
use super::fault::{Fault, Mask};
use crate::error::Result;
use crate::memory::push;
use crate::plan::WantedDevice;

/// Wishes that a process keeps.
const WISHES_KEPT: usize = 64;

/// The process's device that is `wanted`, where it is open. Otherwise an error: that it is [late](beside::late_reason)
/// and is opened beside searches, from the second one of the process on, or why there will be none.
pub fn offered(wanted: WantedDevice) -> Result<Arc<Device>> {
    if belong_to_another() {
        return Err(inherited());
    }
    check_loader()?;
    crate::spare::check("the choice of a GPU")?;
    offered_masked(wanted, Mask::read()?)
}

/// The same without a look at the environment.
fn offered_masked(wanted: WantedDevice, mask: Mask) -> Result<Arc<Device>> {
    if let Some(device) = opened(wanted, mask)? {
        return Ok(device);
    }
    if is_first_search() {
        return Err(beside::late(beside::FIRST));
    }
    if are_inherited() {
        return Err(inherited());
    }
    // Drivers are loaded on this thread. Were they beside searches, an exit could run destructors that they have just registered,
    // and no hook of ours would come before.
    adapters();
    let wish = Wish::of(wanted, mask)?;
    if let Some(device) = wish.device() {
        return Ok(device);
    }
    let granted = wish.clone();
    Err(wish.later.ask(beside::OPENING, move || granted.grant()))
}

/// Whether no search of this process was told before that a GPU would win. A process that searches once opens none.
fn is_first_search() -> bool {
    static SEARCHED: AtomicU32 = AtomicU32::new(0);
    let process = std::process::id();
    SEARCHED.swap(process, Ordering::Relaxed) != process
}

/// The first of the devices that are `wanted` that was not refused, if it is open and has passed its test. Waits for
/// nobody. An error where all were refused, or none is wanted.
fn opened(wanted: WantedDevice, mask: Mask) -> Result<Option<Arc<Device>>> {
    if !are_known() {
        return Ok(None);
    }
    let mut refusals = Vec::new();
    for index in choose(&devices(), wanted, mask.software)?.candidates {
        let place = place_of(index);
        match place.refusal(mask) {
            Some(refusal) => refusals.push(refusal),
            None => return Ok(place.open(mask).filter(|device| device.passed.load(Ordering::Acquire))),
        }
    }
    Err(no_device(refusals.join("; ")))
}

/// A device that is to be opened beside searches.
#[derive(Debug)]
struct Wish {
    wanted: WantedDevice<'static>,
    name: Option<String>,
    mask: Mask,
    /// The one that was opened: the wanted one, or the next that could be.
    opened: Mutex<Weak<Device>>,
    later: Arc<Later>,
}

impl Wish {
    /// The wish for a device, which is one for all searches.
    fn of(wanted: WantedDevice, mask: Mask) -> Result<Arc<Wish>> {
        static WISHES: Mutex<Vec<Arc<Wish>>> = Mutex::new(Vec::new());
        let mut wishes = lock(&WISHES);
        if let Some(wish) = wishes.iter().find(|wish| wish.wanted() == wanted && wish.mask == mask) {
            return Ok(wish.clone());
        }
        let (wanted, name) = match wanted {
            WantedDevice::Named(name) => (WantedDevice::Best, Some(name.to_owned())),
            WantedDevice::Index(index) => (WantedDevice::Index(index), None),
            WantedDevice::Turn(turn) => (WantedDevice::Turn(turn), None),
            WantedDevice::Best => (WantedDevice::Best, None),
        };
        let wish = Arc::new(Wish {
            wanted,
            name,
            mask,
            opened: Mutex::default(),
            later: Arc::default(),
        });
        if wishes.len() == WISHES_KEPT {
            wishes.remove(0);
        }
        push(&mut wishes, wish.clone(), "the GPUs that are wanted")?;
        Ok(wish)
    }

    fn wanted(&self) -> WantedDevice<'_> {
        self.name.as_deref().map_or(self.wanted, WantedDevice::Named)
    }

    fn device(&self) -> Option<Arc<Device>> {
        lock(&self.opened).upgrade().filter(|device| !device.is_lost())
    }

    fn grant(&self) -> Result<()> {
        let device = acquire_armed(self.wanted(), self.mask.software, self.mask, Fault::take)?;
        *lock(&self.opened) = Arc::downgrade(&device);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Status;
    use crate::gpu::acquire::acquire_masked;

    /// A search that waits for a device that is being opened gets the same one; later searches that do not wait get it too.
    #[test]
    #[ignore = "needs a Vulkan device: make test-gpu"]
    fn a_device_is_opened_once() {
        let mask = Mask {
            binding: Some(5 << 20),
            software: true,
            ..Mask::default()
        };
        let offer = |wanted| offered_masked(wanted, mask);
        let mut error = offer(WantedDevice::Best).unwrap_err();
        if beside::late_reason(&error) == Some(beside::FIRST) {
            error = offer(WantedDevice::Best).unwrap_err();
        }
        assert_eq!(beside::late_reason(&error), Some(beside::OPENING));
        let waited_for = acquire_masked(WantedDevice::Best, true, mask).unwrap();
        beside::wait_for_gpus();
        let (name, index) = (&waited_for.info.name, waited_for.info.index);
        for wanted in [
            WantedDevice::Best,
            WantedDevice::Named(name),
            WantedDevice::Index(index),
            WantedDevice::Turn(0),
        ] {
            assert!(Arc::ptr_eq(&waited_for, &offer(wanted).unwrap()), "{wanted:?}");
        }
        // The devices of this machine are known by now.
        let refusals =
            [WantedDevice::Named("no such"), WantedDevice::Index(99)].map(|wanted| offer(wanted).unwrap_err());
        let statuses = refusals.map(|error| error.status());
        assert_eq!(statuses, [Status::BadEnvironment, Status::BadValue]);
    }
}
