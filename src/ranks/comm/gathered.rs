//! Data of all ranks.

use std::ops::{Index, Range};

use crate::error::Result;
use crate::memory::{resize_keeping, with_capacity};

/// Bytes of all ranks together for which there is room before they are asked for.
pub(crate) const SMALL: usize = 1 << 14;

const WHAT: &str = "data gathered from all ranks";

/// The bytes that each rank gave, in the order of ranks.
#[derive(Debug)]
pub struct Gathered {
    bytes: Vec<u8>,
    /// Of each rank, where its bytes end.
    ends: Vec<usize>,
}

impl Gathered {
    /// Of a number of ranks, of which none gave any bytes yet.
    pub fn new(ranks: usize) -> Result<Gathered> {
        Ok(Gathered {
            bytes: with_capacity(SMALL, WHAT)?,
            ends: with_capacity(ranks, WHAT)?,
        })
    }

    /// Makes room for as many bytes of each rank, and no more ranks than there are; those of one come after the other's.
    pub fn resize(&mut self, sizes: &[i64]) -> Result<()> {
        let mut end = 0;
        self.ends.extend(sizes.iter().map(|&size| {
            end += size as usize;
            end
        }));
        resize_keeping(&mut self.bytes, end, 0, WHAT)
    }

    /// All of them.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The number of ranks.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Those of each rank.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
        (0..self.len()).map(|rank| &self[rank])
    }

    fn range(&self, rank: usize) -> Range<usize> {
        let start = if rank == 0 { 0 } else { self.ends[rank - 1] };
        start..self.ends[rank]
    }
}

impl Index<usize> for Gathered {
    type Output = [u8];

    fn index(&self, rank: usize) -> &[u8] {
        &self.bytes[self.range(rank)]
    }
}
