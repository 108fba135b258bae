//! Identity of a card: its PCI address and its UUID, as the vendor's tools print them; and the cards that
//! `CUDA_VISIBLE_DEVICES` shows.
//!
//! in: an adapter, texts that name cards; out: its identity, and whether a text means it.

#![allow(unsafe_code)]

/// A card, as far as its driver tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Identity {
    /// Its PCI address, such as `0000:3b:00.0`.
    pub address: Option<String>,
    /// Its UUID, in groups of 8, 4, 4, 4 and 12 digits.
    pub uuid: Option<String>,
}

impl Identity {
    /// The card of an adapter.
    pub fn of(adapter: &wgpu::Adapter) -> Identity {
        let address = adapter.get_info().device_pci_bus_id;
        Identity {
            address: Address::parse(&address).map(|_| address),
            uuid: uuid(adapter).map(|bytes| {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                let groups = [0..8, 8..12, 12..16, 16..20, 20..32].map(|group| &digits[group]);
                groups.join("-")
            }),
        }
    }

    /// Whether `text` is its address, with or without the domain, or its UUID, which may be cut after `GPU-`.
    pub fn is_meant(&self, text: &str) -> bool {
        let address = self.address.as_deref().and_then(Address::parse);
        address.is_some_and(|address| Address::parse(text) == Some(address)) || self.has_uuid(text)
    }

    fn has_uuid(&self, text: &str) -> bool {
        let (text, uuid) = (text.to_ascii_lowercase(), self.uuid.as_deref().unwrap_or_default());
        match text.strip_prefix("gpu-") {
            Some(part) => !part.is_empty() && uuid.starts_with(part),
            None => !uuid.is_empty() && text == uuid,
        }
    }
}

/// A PCI address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Address {
    domain: u32,
    bus: u8,
    device: u8,
    function: u8,
}

impl Address {
    /// `domain:bus:device.function` in hexadecimal digits; the domain may be left out.
    fn parse(text: &str) -> Option<Address> {
        let (front, function) = text.trim().rsplit_once('.')?;
        let (front, device) = front.rsplit_once(':')?;
        let (domain, bus) = front.rsplit_once(':').unwrap_or(("0", front));
        let byte = |digits: &str| u8::from_str_radix(digits, 16).ok();
        Some(Address {
            domain: u32::from_str_radix(domain, 16).ok()?,
            bus: byte(bus)?,
            device: byte(device)?,
            function: byte(function)?,
        })
    }
}

/// An NVIDIA card, by its name and identity.
pub type Card<'a> = (&'a str, &'a Identity);

/// For each of the `cards` its place in the list `shown`, which is the value of CUDA_VISIBLE_DEVICES; `None` if that
/// hides it. Nothing, where only CUDA knows what the list means: with parts of cards (MIG), or with numbers among cards
/// that differ unless
/// `order`, the value of CUDA_DEVICE_ORDER, is PCI_BUS_ID.
pub fn shown_by_cuda(cards: &[Card], shown: &str, order: Option<&str>) -> Option<Vec<Option<usize>>> {
    let address = |card: &Card| card.1.address.as_deref().and_then(Address::parse);
    let mut numbered: Vec<_> = cards.iter().filter_map(address).collect();
    let has_all = numbered.len() == cards.len();
    numbered.sort_unstable();
    numbered.dedup(); // two drivers of a card
    let are_alike = cards.windows(2).all(|pair| pair[0].0 == pair[1].0);
    let are_numbered = has_all && (order == Some("PCI_BUS_ID") || are_alike);
    let mut places = vec![None; cards.len()];
    for (place, word) in shown.split(',').map(str::trim).enumerate() {
        let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if word.starts_with("MIG-") || is_number && !are_numbered {
            return None;
        }
        let wanted = word.parse().ok().and_then(|number: usize| numbered.get(number));
        let is_meant = |card: &Card| match is_number {
            true => wanted.is_some() && address(card).as_ref() == wanted,
            false => word.starts_with("GPU-") && card.1.has_uuid(word),
        };
        let meant: Vec<usize> = (0..cards.len()).filter(|&k| is_meant(&cards[k])).collect();
        if meant.is_empty() {
            break; // CUDA ignores all from the first wrong one on
        }
        for k in meant {
            places[k].get_or_insert(place);
        }
    }
    Some(places)
}

/// The UUID that the driver gives; `None` where there is no Vulkan 1.1.
#[cfg(not(target_vendor = "apple"))]
fn uuid(adapter: &wgpu::Adapter) -> Option<[u8; 16]> {
    use ash::vk;
    // SAFETY: the driver's own handles are only asked for properties, while the adapter is there.
    unsafe {
        let adapter = adapter.as_hal::<wgpu::hal::api::Vulkan>()?;
        let instance = adapter.shared_instance();
        let version = adapter.physical_device_capabilities().properties().api_version;
        if version.min(instance.instance_api_version()) < vk::API_VERSION_1_1 {
            return None;
        }
        let mut id = vk::PhysicalDeviceIDProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
        let physical = adapter.raw_physical_device();
        instance
            .raw_instance()
            .get_physical_device_properties2(physical, &mut properties);
        Some(id.device_uuid)
    }
}

#[cfg(target_vendor = "apple")]
fn uuid(_: &wgpu::Adapter) -> Option<[u8; 16]> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(address: &str, uuid: &str) -> Identity {
        Identity {
            address: Some(address.to_owned()).filter(|text| !text.is_empty()),
            uuid: Some(uuid.to_owned()).filter(|text| !text.is_empty()),
        }
    }

    const UUID: &str = "6f2a1b3c-0001-4abc-8def-0123456789ab";

    #[test]
    fn a_card_is_meant_by_address_or_uuid() {
        let known = card("0000:3b:00.0", UUID);
        for text in [
            "0000:3b:00.0",
            "3B:00.0",
            "00000000:3B:00.0",
            UUID,
            "GPU-6f2a1b3c",
            "gpu-6F2A",
        ] {
            assert!(known.is_meant(text), "{text}");
        }
        let cut = &UUID[..30];
        for text in ["0001:3b:00.0", "3b:00.1", "3b:00", "", "GPU-", "GPU-7", cut, "0", "3b"] {
            assert!(!known.is_meant(text), "{text}");
        }
        let unknown = Identity::default();
        assert!(!unknown.is_meant("") && !unknown.is_meant("GPU-") && !unknown.is_meant("0:0.0"));
    }

    #[test]
    fn cuda_shows_cards() {
        let identities = [
            card("0000:af:00.0", UUID),
            card("0000:3b:00.0", "7a000000"),
            card("0000:5e:00.0", "7b000000"),
        ];
        let alike: Vec<Card> = identities.iter().map(|identity| ("H100", identity)).collect();
        let see = |shown: &str| shown_by_cuda(&alike, shown, None).unwrap();
        assert_eq!(see("0"), [None, Some(0), None]); // by address, not as Vulkan lists them
        assert_eq!(see("2, 0"), [Some(0), Some(1), None]);
        assert_eq!(see("GPU-7b,GPU-6f2a"), [Some(1), None, Some(0)]);
        assert_eq!(see("1,9,0"), [None, None, Some(0)]); // all before the wrong one
        for none in ["", "-1", "NoDevFiles", "3", "GPU-"] {
            assert_eq!(see(none), [None; 3], "{none}");
        }
        assert_eq!(shown_by_cuda(&alike, "MIG-1", None), None);
        // Numbers of cards that differ are CUDA's own, unless it numbers by address.
        let different = [("A100", &identities[0]), ("H100", &identities[1])];
        assert_eq!(shown_by_cuda(&different, "0", None), None);
        assert_eq!(
            shown_by_cuda(&different, "0", Some("PCI_BUS_ID")),
            Some(vec![None, Some(0)])
        );
        assert_eq!(shown_by_cuda(&different, "GPU-6f", None), Some(vec![Some(0), None]));
        let nameless = Identity::default();
        assert_eq!(shown_by_cuda(&[("H100", &nameless)], "0", Some("PCI_BUS_ID")), None);
        assert_eq!(shown_by_cuda(&[], "0", None), Some(vec![]));
    }
}
