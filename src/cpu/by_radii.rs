//! Search with a radius for each point: rows are counted, then filled in place, each in the caller's numbering and
//! ascending. Every thread takes block after block: a run of leaves of the tree with all points that can be in reach of
//! it, converted to real32 coordinates around the run and sorted by the caller's numbers. The box of the run is halved
//! again and again, and targets are selected for smaller and smaller boxes. A point is tested where the box is about as
//! large as its radius, so that one block can hold points of any radius. The caller's arithmetic decides what real32
//! cannot. A point that reaches so far beyond its block that its neighborhood would be too large is searched alone.
//!
//! Cutoffs by pairs of types are searched for here too, where the largest one is that of few pairs. The points of a type are a group,
//! and others reach into its rows as far as the cutoff of both types says, so that few with a long one are tested with many, and
//! not the many with each other.
//!
//! in: [`ZTree`] with radii, [`Reach`], [`Classes`]; out: counts per row, rows in place.

mod apart;
mod block;
mod descent;
mod frame;
mod near;
mod source;
mod tasks;

use super::count::CountResult;
use crate::error::Result;
use crate::ids::OutputMap;
use crate::list::{Rows, holds};
use crate::real::Real;
use crate::threads::Team;
pub use source::{Spanned, Worker};
pub use tasks::{ByRadii, Task};

/// Results of a count that the fill after it uses.
#[derive(Debug, Default)]
pub struct Counted {
    tasks: Vec<Task>,
    result: CountResult,
}

holds! { Counted { tasks, result } }

impl Counted {
    /// Tasks, each searched at once.
    pub fn blocks(&self) -> &[Task] {
        &self.tasks
    }
}

impl<T: Real> ByRadii<'_, T> {
    /// Writes the length of row `i` to `lengths[i]`, and to `counted` what the fill can use, `most` words of records at
    /// most.
    pub fn count(
        self,
        team: &Team,
        workers: &mut [Worker],
        counted: &mut Counted,
        most: usize,
        lengths: &mut [i64],
    ) -> Result<()> {
        lengths.fill(0); // not every point has a row
        let Counted { tasks, result } = counted;
        self.tasks(team, tasks)?;
        let (search, blocks) = (self, &tasks[..]);
        result.count(&Spanned { search, blocks }, team, workers, most, lengths)
    }

    /// Writes row `i`'s labels to its place in `rows`.
    pub fn fill(
        self,
        team: &Team,
        workers: &mut [Worker],
        counted: &Counted,
        output: OutputMap,
        rows: Rows,
    ) -> Result<()> {
        let (search, blocks) = (self, counted.blocks());
        counted
            .result
            .fill(&Spanned { search, blocks }, team, workers, output, rows)
    }

    /// Cuts the tree into what is searched at once, and forgets what was counted before.
    pub fn cut_anew<'c>(&self, team: &Team, counted: &'c mut Counted) -> Result<&'c [Task]> {
        *counted = Counted::default();
        self.tasks(team, &mut counted.tasks)?;
        Ok(&counted.tasks)
    }
}
