//! Rows block by block. A source finds them: a search by a cutoff, or one by radii. A sink uses them while they are in the caches:
//! it keeps them for chunks, or evaluates a formula. A source does not know which sink it has.

use std::ops::Range;
use std::sync::atomic::AtomicI64;

use super::leaf::Tested;
use super::simd::Simd;
use crate::error::Result;

/// A search block by block.
pub trait Source: Sync {
    /// What a worker needs.
    type Worker: Send;

    /// Number of points.
    fn points(&self) -> usize;

    /// Number of blocks.
    fn blocks(&self) -> usize;

    /// What kernels run with.
    fn simd(&self) -> Simd;

    /// Makes the workers ready for a pass.
    fn prepare(&self, workers: &mut [Self::Worker]) -> Result<()>;

    /// Finds the rows of a block that are wanted, and counts all where that is. Returns the numbers of the points around, which
    /// rows are places among; `None` where they are numbers themselves.
    fn find<'w>(
        &self,
        worker: &'w mut Self::Worker,
        block: usize,
        wanted: &Wanted,
        sink: &mut dyn Sink,
    ) -> Result<Option<&'w [u32]>>;
}

/// Which rows are to be found.
pub struct Wanted<'a> {
    /// Those of the delivery.
    pub rows: Range<usize>,
    /// For each row that is searched which one of the delivery it is; `None`: the same.
    pub order: Option<&'a [u32]>,
    /// All rows are counted.
    pub lengths: Option<&'a [AtomicI64]>,
}

impl Wanted<'_> {
    /// Whether the row of point `number` is one of them.
    #[inline]
    pub fn has(&self, number: usize) -> bool {
        let row = self.order.map_or(number, |order| order[number] as usize);
        self.rows.contains(&row)
    }
}

/// What is done with rows. Each row ascends.
pub trait Sink {
    /// Takes up rows of a leaf. Its targets stand at `index`, which is padded, among the points around, whose numbers are `numbers`.
    fn leaf(&mut self, tested: &Tested, index: &[i16], numbers: &[u32]) -> Result<()>;

    /// Takes up the row of point `number`.
    fn row(&mut self, number: u32, row: &[i32]) -> Result<()>;
}
