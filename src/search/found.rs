//! Rows that were counted: the order in which the points were searched, and where the rows are.

use super::NeighborsKind;
use super::ids::Layout;
use super::inputs::Inputs;
use super::made_from::{CountOf, OrderOf};
use crate::error::Result;
use crate::ids::Order;
use crate::ids::{Labels, Offsets, OutputMap, Places};
use crate::list::{holds, resize_discarding, scan};
use crate::version::{Derived, Version};

/// Rows that were counted.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub order: Derived<OrderOf, Order>,
    pub counts: Derived<CountOf, Counts>,
    /// Offsets of the rows by the caller's numbers, where points are searched by others, for the counts of a version.
    pub placed: Derived<Option<Version>, Offsets>,
}

holds! { Found { order, counts, placed } }

/// The rows counted last.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// One more than there are points and queries.
    pub offsets: Offsets,
    pub total: i64,
}

holds! { Counts { offsets; total } }

impl Found {
    /// `layout` by the name of the simplest one that looks the same. Rows of queries stand as they are searched anyway.
    pub fn plainest(&self, inputs: &Inputs, kind: NeighborsKind, layout: Layout) -> Layout {
        let order = self.order.get();
        match layout {
            _ if order.labels(&inputs.ids, 0).are_plain() => Layout::Searched,
            Layout::Rows if order.points().is_none() || kind == NeighborsKind::Queries => Layout::Pairs,
            layout => layout,
        }
    }

    /// Makes the offsets of the rows counted last in `layout`.
    pub fn place_rows(&mut self, inputs: &Inputs, kind: NeighborsKind, layout: Layout) -> Result<()> {
        let is_moved = self.plainest(inputs, kind, layout) == Layout::Rows;
        let Found { order, counts, placed } = self;
        let (true, Some(order)) = (is_moved, order.get().points()) else {
            return Ok(());
        };
        let offsets = &counts.get().offsets;
        placed.make(counts.version(), |placed| {
            placed.make(|placed| place(offsets, order, placed))
        })?;
        Ok(())
    }

    /// How the rows counted last are delivered in `layout`, whose offsets are made.
    pub fn output<'a>(&'a self, inputs: &'a Inputs, kind: NeighborsKind, base: i64, layout: Layout) -> OutputMap<'a> {
        let layout = self.plainest(inputs, kind, layout);
        let order = self.order.get();
        let places = match layout {
            Layout::Rows => Places::of_caller(self.placed.get(), order),
            _ => Places::as_searched(&self.counts.get().offsets),
        };
        let labels = match layout {
            Layout::Searched => Labels::plain(base),
            _ => order.labels(&inputs.ids, base),
        };
        OutputMap { places, labels }
    }

    /// The offsets of the rows of a kind, by the caller's numbers.
    pub fn offsets_of(&self, inputs: &Inputs, kind: NeighborsKind) -> &[i64] {
        let rows = inputs.rows_of(kind);
        let is_moved = self.plainest(inputs, kind, Layout::Rows) == Layout::Rows;
        let offsets: &[i64] = if is_moved {
            self.placed.get()
        } else {
            &self.counts.get().offsets
        };
        &offsets[rows.start..=rows.end]
    }
}

/// Writes the offsets of the same rows by the caller's numbers, which are `order`.
pub(super) fn place(offsets: &[i64], order: &[u32], placed: &mut Vec<i64>) -> Result<()> {
    resize_discarding(placed, offsets.len(), 0, "the offsets of the result")?;
    placed[0] = 0;
    for (bounds, &row) in offsets.windows(2).zip(order) {
        placed[row as usize + 1] = bounds[1] - bounds[0];
    }
    scan(placed, offsets[0]);
    Ok(())
}
