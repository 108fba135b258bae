//! Memory of the search for groups, kept in the handle.

use crate::error::Result;
use crate::list::{holds, push, resize_discarding};
use crate::simd::Width;
use crate::threads::Team;
use crate::ztree::ZTree;

/// Points that a thread labels at once.
pub(super) const CHUNK: usize = 1 << 14;

/// No point's number.
pub(super) const NONE: u32 = u32::MAX;

pub(super) const WHAT: &str = "the search for groups";

/// Memory that is needed meanwhile, kept in the handle.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) parents: Vec<u32>,
    pub(super) lowest: Vec<u32>,
    /// For each node of each plane whether its points are known to be one group.
    pub(super) united: Vec<u32>,
    pub(super) planes: Vec<usize>,
}

holds! { Scratch { parents, lowest, united, planes } }

impl Scratch {
    pub(super) fn prepare<T: Width>(&mut self, tree: &ZTree<T>, team: &Team) -> Result<()> {
        let len = tree.len();
        resize_discarding(&mut self.parents, len, 0, WHAT)?;
        resize_discarding(&mut self.lowest, len, NONE, WHAT)?;
        self.planes.clear();
        let mut nodes = 0;
        for plane in 0..tree.planes() {
            push(&mut self.planes, nodes, WHAT)?;
            nodes += tree.nodes(plane);
        }
        resize_discarding(&mut self.united, nodes, 0, WHAT)?;
        self.united.fill(0);
        let (parents, lowest) = (self.parents.chunks_mut(CHUNK), self.lowest.chunks_mut(CHUNK));
        let mut pieces = Vec::new();
        for piece in parents.zip(lowest).enumerate() {
            push(&mut pieces, piece, WHAT)?;
        }
        team.each(&mut pieces, |(piece, (parents, lowest))| {
            let first = (*piece * CHUNK) as u32;
            parents.iter_mut().zip(first..).for_each(|(parent, k)| *parent = k);
            lowest.fill(NONE);
        });
        Ok(())
    }
}
