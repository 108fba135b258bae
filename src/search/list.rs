//! The handle's own list: its ids, in memory of ours or where a device has put them, and its left points.

use std::mem::take;
use std::ops::Deref;

use super::ids::Layout;
use super::session::Sessions;
use super::{Counted, NeighborsKind, Phase, Search};
use crate::error::Result;
use crate::gpu::Mapped;
use crate::list::{Rows, resize_discarding};
use crate::plan::Backend;
use crate::threads::Team;

/// The ids of a list.
#[derive(Debug, Default)]
pub struct Ids {
    memory: Vec<i32>,
    /// Host memory that a device wrote them to; `memory` has none then.
    mapped: Option<Mapped>,
    /// A device had no such memory: it is not asked again.
    refused: bool,
}

impl Ids {
    /// Memory of ours to write them to; that of a device is given back.
    pub fn memory(&mut self) -> &mut Vec<i32> {
        self.mapped = None;
        &mut self.memory
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let mapped = self.mapped.as_ref().map_or(0, Mapped::bytes);
        self.memory.capacity() * size_of::<i32>() + mapped as usize
    }
}

impl Deref for Ids {
    type Target = [i32];

    fn deref(&self) -> &[i32] {
        self.mapped.as_ref().map_or(&self.memory, Mapped::ids)
    }
}

impl Search {
    /// The handle's own lists, of ids and where it is wanted of left points, if they are not those wanted already.
    pub(super) fn fill_lists(&mut self, team: &Team, kind: NeighborsKind, total: i64, layout: Layout) -> Result<()> {
        let wanted = Some((Counted { kind, total }, self.plainest(kind, layout)));
        let (needs_ids, needs_left) = (
            self.listed != wanted,
            layout == Layout::Pairs && !(self.left_listed && self.listed == wanted),
        );
        let columns = 1 + u64::from(layout == Layout::Pairs || self.left_listed);
        let kept = match &self.session {
            Sessions::F32(s) => s.counted.bytes(),
            Sessions::F64(s) => s.counted.bytes(),
            Sessions::None => 0,
        };
        let bytes = 8 * self.offsets.len() as u64 + 4 * columns * total as u64 + kept as u64;
        self.check_limit("a list of all", bytes)?;
        let (mut ids, mut left) = (take(&mut self.ids), take(&mut self.left));
        let filled = (|| {
            if needs_ids {
                (self.listed, self.left_listed) = (None, false);
            }
            if needs_left {
                resize_discarding(&mut left, total as usize, 0, "the list of left points")?;
            }
            let mut lefts = needs_left.then(|| Rows::new(&mut left));
            if needs_ids && self.fill_mapped(team, kind, layout, lefts.as_mut().map(Rows::again), &mut ids)? {
                return Ok(());
            }
            if needs_ids {
                resize_discarding(ids.memory(), total as usize, 0, "the list of ids")?;
            }
            let rows = needs_ids.then(|| Rows::new(&mut ids.memory));
            self.fill(team, kind, layout, [rows, lefts])
        })();
        (self.ids, self.left) = (ids, left);
        filled?;
        self.listed = wanted;
        self.left_listed |= needs_left;
        Ok(())
    }

    /// Where a GPU fills a list whose ids are delivered as they are found, leaves them where it puts them, and says so. Not the
    /// first list of a handle: the driver takes a quarter of a second to make a gigabyte of such memory, which a program that
    /// wants one list would wait for.
    fn fill_mapped(
        &mut self,
        team: &Team,
        kind: NeighborsKind,
        layout: Layout,
        left: Option<Rows>,
        ids: &mut Ids,
    ) -> Result<bool> {
        let on_gpu = self.plan.is_some_and(|plan| plan.backend == Backend::Gpu) && !self.has_skin(kind);
        let is_first = ids.mapped.is_none() && ids.memory.capacity() == 0;
        let as_found = self.plainest(kind, layout) == Layout::Searched && self.entries() > 0;
        if !on_gpu || !as_found || is_first || ids.refused {
            return Ok(false);
        }
        let kept = ids.mapped.take();
        ids.memory = Vec::new();
        ids.mapped = self.timed(Phase::Fill, |search| {
            let Some(mut gpu) = search.gpu.take() else {
                return Ok(None);
            };
            let mapped = gpu.fill_mapped(team, search.delivery(kind, layout), left, kept);
            search.gpu = Some(gpu);
            mapped
        })?;
        ids.refused = ids.mapped.is_none();
        self.fills += i64::from(!ids.refused);
        Ok(!ids.refused)
    }
}
