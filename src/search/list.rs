//! The handle's own list: its ids, in our memory or where a device has written them, and its left points.

use std::ops::Deref;
use std::time::Instant;

use super::Phase;
use super::ids::Layout;
use super::made_from::ListOf;
use super::session::{Precision, Session};
use super::steps::{Ask, Run};
use crate::error::Result;
use crate::gpu::Mapped;
use crate::list::{Holds, Rows, holds, resize_discarding};
use crate::version::Derived;

/// The ids of a list.
#[derive(Debug, Default)]
pub struct Ids {
    memory: Vec<i32>,
    /// Host memory that a device wrote them to; then `memory` is empty.
    mapped: Option<Mapped>,
    /// The device has no such memory; do not try again.
    refused: bool,
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

/// The handle's own lists, and what they were made from.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub ids: Derived<ListOf, Ids>,
    pub left: Derived<ListOf, Vec<i32>>,
}

holds! { Lists { ids, left } }

impl Run<'_> {
    /// Fills the handle's own lists, of ids and where they are wanted of left points, unless they are those wanted already.
    pub fn fill_own<T: Precision>(
        &mut self,
        session: &mut Session<T>,
        lists: &mut Lists,
        ask: &Ask,
        layout: Layout,
    ) -> Result<()> {
        let Lists { ids, left } = lists;
        let of = ListOf {
            counts: self.found.counts.version(),
            layout: self.found.plainest(self.inputs, ask.kind, layout),
        };
        let has_left = left.is_of(&of);
        let needs_left = layout == Layout::Pairs && !has_left;
        self.check_list(session, 1 + u64::from(needs_left || has_left))?;
        let total = self.found.counts.get().total as usize;
        let lefts = match needs_left {
            true => {
                resize_discarding(left.begin(), total, 0, "the list of left points")?;
                Some(Rows::new(left.begin()))
            }
            false => None,
        };
        if !ids.is_of(&of) {
            self.fill_ids(session, ids.begin(), ask, layout, lefts)?;
            ids.finish(of);
        } else if needs_left {
            self.fill(session, ask, layout, [None, lefts])?;
        }
        if needs_left {
            left.finish(of);
        }
        Ok(())
    }

    /// Refuses a list of the whole result, with that many columns, if it needs more than the memory limit.
    pub fn check_list<T: Precision>(&self, session: &Session<T>, columns: u64) -> Result<()> {
        let counts = self.found.counts.get();
        let list = 8 * counts.offsets.len() as u64 + 4 * columns * counts.total as u64;
        (self.inputs).check_limit("a list of the whole result", list + session.kept.counted.bytes() as u64)
    }

    /// Fills a list of ids in memory of the handle, and left points where there is a column for them.
    pub fn fill_ids<T: Precision>(
        &mut self,
        session: &mut Session<T>,
        ids: &mut Ids,
        ask: &Ask,
        layout: Layout,
        mut left: Option<Rows>,
    ) -> Result<()> {
        if self.fill_mapped(ids, ask, layout, left.as_mut().map(Rows::again))? {
            return Ok(());
        }
        let total = self.found.counts.get().total as usize;
        resize_discarding(ids.memory(), total, 0, "the list of ids")?;
        self.fill(session, ask, layout, [Some(Rows::new(ids.memory())), left])
    }

    /// Where a GPU fills a list whose ids are delivered as they are found, leaves them where it puts them, and says so. Not the
    /// first list of a handle: the driver takes a quarter of a second to make a gigabyte of such memory, which a program that
    /// wants one list would wait for.
    fn fill_mapped(&mut self, ids: &mut Ids, ask: &Ask, layout: Layout, left: Option<Rows>) -> Result<bool> {
        let total = self.found.counts.get().total;
        let is_first = ids.mapped.is_none() && ids.memory.capacity() == 0;
        let as_found = self.found.plainest(self.inputs, ask.kind, layout) == Layout::Searched && total > 0;
        let Some(device) = self.device.as_mut().filter(|_| !ask.from_verlet) else {
            return Ok(false);
        };
        if !as_found || is_first || ids.refused {
            return Ok(false);
        }
        let start = Instant::now();
        let kept = ids.mapped.take();
        ids.memory = Vec::new();
        let output = self.found.output(self.inputs, ask.kind, ask.base, layout);
        ids.mapped = device.gpu()?.fill_mapped(self.team, output, left, kept)?;
        ids.refused = ids.mapped.is_none();
        self.report.fills += i64::from(!ids.refused);
        self.report.took(Phase::Fill, start);
        Ok(!ids.refused)
    }
}
