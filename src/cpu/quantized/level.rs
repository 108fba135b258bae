//! The targets of a part of a block, in memory that is reused.

use crate::cpu::kernels::quantized::{PADDING, Targets};
use crate::error::Result;
use crate::list::{Aligned, holds};

const WHAT: &str = "the neighborhood of a block";

/// Targets in ascending order of the caller's numbers.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub coords: [Aligned<i16>; 3],
    pub index: Aligned<i16>,
    pub len: usize,
}

holds! { Level { coords, index; len } }

impl Level {
    pub fn reserve(&mut self, len: usize, dim: usize) -> Result<()> {
        for coords in &mut self.coords[..dim] {
            coords.grow(len + PADDING, WHAT)?;
        }
        self.index.grow(len + PADDING, WHAT)
    }

    #[inline]
    pub fn targets(&self) -> Targets<'_> {
        Targets {
            coords: [&self.coords[0], &self.coords[1], &self.coords[2]],
            index: &self.index,
            len: self.len,
        }
    }
}
