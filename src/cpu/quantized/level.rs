//! The targets of a part of a block, in memory that is reused.

use crate::cpu::kernels::quantized::{FixedTargets, TARGET_PADDING};
use crate::error::Result;
use crate::list::{Aligned, holds};

const WHAT: &str = "the neighborhood of a block";

/// Targets in ascending order of the caller's numbers.
#[derive(Debug, Default)]
pub(super) struct FixedLevel {
    pub coords: [Aligned<i16>; 3],
    pub index: Aligned<i16>,
    pub len: usize,
}

holds! { FixedLevel { coords, index; len } }

impl FixedLevel {
    pub fn reserve(&mut self, len: usize, dim: usize) -> Result<()> {
        for coords in &mut self.coords[..dim] {
            coords.grow(len + TARGET_PADDING, WHAT)?;
        }
        self.index.grow(len + TARGET_PADDING, WHAT)
    }

    #[inline]
    pub fn targets(&self) -> FixedTargets<'_> {
        FixedTargets {
            coords: [&self.coords[0], &self.coords[1], &self.coords[2]],
            index: &self.index,
            len: self.len,
        }
    }
}
