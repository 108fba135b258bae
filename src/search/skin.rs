//! A list with a skin: of all within cutoff plus skin of the points as they were.

use super::NeighborsKind;
use super::list::Ids;
use crate::cpu::listed::Decided;
use crate::points::{Points, Real};

/// A list that holds more than is in reach, and where the points were when it was made.
#[derive(Debug, Default)]
pub struct Skin<T> {
    /// What the list holds; `None`: nothing.
    pub kind: Option<NeighborsKind>,
    pub offsets: Vec<i64>,
    pub ids: Ids,
    pub reference: Points<T>,
    /// What the last count found out about the list.
    pub decided: Decided<T>,
}

impl<T: Real> Skin<T> {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.offsets.capacity() * 8 + self.ids.bytes() + self.reference.bytes() + self.decided.bytes()
    }

    /// Whether the list serves rows of `kind`.
    pub fn serves(&self, kind: NeighborsKind) -> bool {
        self.kind == Some(kind) || self.kind == Some(NeighborsKind::Full) && kind == NeighborsKind::Half
    }
}
