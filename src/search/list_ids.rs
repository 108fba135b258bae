//! The ids of a list in the handle's memory: ours, or that of a device.

use std::ops::Deref;

use crate::gpu::Mapped;
use crate::list::Holds;

/// The ids of a list.
#[derive(Debug, Default)]
pub struct Ids {
    pub(super) memory: Vec<i32>,
    /// Host memory that a device wrote them to; then `memory` is empty.
    pub(super) mapped: Option<Mapped>,
    /// The device has no such memory; do not try again.
    pub(super) refused: bool,
}

impl Ids {
    /// Our memory to write them to; that of a device is freed.
    pub fn memory(&mut self) -> &mut Vec<i32> {
        self.mapped = None;
        &mut self.memory
    }
}

impl Holds for Ids {
    fn bytes(&self) -> usize {
        let mapped = self.mapped.as_ref().map_or(0, Mapped::bytes);
        self.memory.bytes() + mapped as usize
    }
}

impl Deref for Ids {
    type Target = [i32];

    fn deref(&self) -> &[i32] {
        self.mapped.as_ref().map_or(&self.memory, Mapped::ids)
    }
}
