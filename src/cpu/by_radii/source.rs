//! Search by radii, block by block. Only wanted rows are found. The rows of a leaf are places among the points around
//! its block.

#![allow(unsafe_code)]

use super::super::doubt::Doubt;
use super::super::rows::{Sink, Source, Wanted};
use super::super::worker;
use super::block::Block;
use super::tasks::{ByRadii, Task};
use crate::error::Result;
use crate::real::Real;
use crate::simd::Simd;

/// Memory of one worker, kept in the handle.
pub type Worker = worker::Worker<Block>;

/// A search, and what of it is done at once.
pub struct Spanned<'a, T> {
    pub search: ByRadii<'a, T>,
    pub blocks: &'a [Task],
}

// SAFETY: a run gives rows of its own places alone, of those that reach no farther than it is for. Where runs share
// places, each place is in the one that its reach belongs to, or it is searched alone: a point that is gives no row
// elsewhere.
unsafe impl<T: Real> Source for Spanned<'_, T> {
    type Memory = Block;

    /// To search a block again takes longer than by a cutoff.
    const RECORDED: usize = 48;

    fn points(&self) -> usize {
        self.search.tree.len()
    }

    fn blocks(&self) -> usize {
        self.blocks.len()
    }

    fn is_full(&self) -> bool {
        self.search.full
    }

    fn leaves_out_rows(&self) -> bool {
        self.search.leaves_out_groups()
    }

    fn simd(&self) -> Simd {
        Simd::new(self.search.isa)
    }

    fn prepare(&self, _memories: &mut dyn Iterator<Item = &mut Block>) -> Result<()> {
        Ok(())
    }

    fn find<'w>(
        &self,
        memory: &'w mut Block,
        block: usize,
        wanted: &Wanted,
        doubt: &mut Doubt,
        sink: &mut dyn Sink,
    ) -> Result<Option<&'w [u32]>> {
        let search = ByRadii {
            wanted: (!wanted.is_all()).then_some(wanted),
            ..self.search
        };
        match &self.blocks[block] {
            &Task::Single { place, group } => search
                .find_single(&mut memory.row, (place as usize, group), sink)
                .map(|()| None),
            Task::Block(run) => {
                let mut places = search.tree.points_of(&run.leaves());
                if !places.any(|place| search.has_row(place)) {
                    return Ok(None);
                }
                let outcome = memory.search(&search, run, doubt, sink);
                search.cost.add(memory.tests.take());
                outcome?;
                Ok(Some(memory.numbers()))
            }
        }
    }
}
