//! Global ids: setting them, and bringing what is searched in their order to rows and numbers of the caller's.

use super::session::Sessions;
use super::{NeighborsKind, Search};
use crate::error::Result;
use crate::list::{Delivery, Labels, Places, resize_discarding, scan};
use crate::threads::Team;

/// How a list is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// As it is searched: rows and numbers in that order.
    Searched,
    /// Rows as they are searched, of points as the caller calls them: pairs.
    Pairs,
    /// Rows and points as the caller calls them: neighbors.
    Rows,
}

impl Search {
    /// Sets a global id per point, each once, any numbers: pairs and neighbors then follow them, not the points' numbers, while
    /// what is delivered stays the numbers. `left` of a pair is the point of the smaller id, or of an active point and a
    /// ghost the active one; pairs ascend by the ids of left and right, rows by the ids in them, and a half row lists what
    /// has a larger id than its point, and ghosts. Row `i` remains that of point `i`. Ids are checked against the points by
    /// the next query, and stay when points are set anew; no ids at all undo them. On failure nothing changes.
    ///
    /// ```
    /// # use neargrid::{PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.5)?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.0])?)?;
    /// search.set_ids(&[70, -5, 1 << 40])?;
    /// let pairs = search.pairs()?;
    /// assert_eq!((pairs.left, pairs.right), (&[1, 1][..], &[0, 2][..]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn set_ids(&mut self, ids: &[i64]) -> Result<()> {
        let team = self.team_for(ids.len())?;
        self.global_ids.set(ids, self.settings.index_base, &team)?;
        match &mut self.session {
            Sessions::F32(s) => s.knn.forget(),
            Sessions::F64(s) => s.knn.forget(),
            Sessions::None => {}
        }
        self.drop_skin();
        self.forget(true);
        Ok(())
    }

    /// Brings the points into the order of their ids, where they are not.
    pub(super) fn arrange(&mut self, team: &Team) -> Result<()> {
        if self.arranged {
            return Ok(());
        }
        let active = self.kinds.active_of(self.len)?;
        (self.global_ids).arrange(self.len, active, self.queries, self.kinds.ghost_pairs)?;
        let order = self.global_ids.order();
        match &mut self.session {
            Sessions::F32(s) => s.arrange(order, team)?,
            Sessions::F64(s) => s.arrange(order, team)?,
            Sessions::None => {}
        }
        self.arranged = true;
        Ok(())
    }

    /// `layout` by the name of the simplest one that looks the same. Rows of queries stand as they are searched anyway.
    pub(super) fn plainest(&self, kind: NeighborsKind, layout: Layout) -> Layout {
        let is_ordered = self.global_ids.order().is_some();
        match layout {
            _ if self.global_ids.labels(0).are_plain() => Layout::Searched,
            Layout::Rows if !is_ordered || kind == NeighborsKind::Queries => Layout::Pairs,
            layout => layout,
        }
    }

    /// Makes the offsets of the rows counted last in `layout`.
    pub(super) fn place_rows(&mut self, kind: NeighborsKind, layout: Layout) -> Result<()> {
        let rows = self.offsets.len();
        let (Layout::Rows, Some(order)) = (self.plainest(kind, layout), self.global_ids.order()) else {
            return Ok(());
        };
        if self.placed_offsets.len() == rows {
            return Ok(());
        }
        resize_discarding(&mut self.placed_offsets, rows, 0, "the offsets of the result")?;
        let (offsets, placed) = (&self.offsets, &mut self.placed_offsets);
        placed[0] = 0;
        for (bounds, &row) in offsets.windows(2).zip(order) {
            placed[row as usize + 1] = bounds[1] - bounds[0];
        }
        scan(placed, offsets[0]);
        Ok(())
    }

    /// How the rows counted last are delivered in `layout`, whose offsets are made.
    pub(super) fn delivery(&self, kind: NeighborsKind, layout: Layout) -> Delivery<'_> {
        let (base, layout) = (self.settings.index_base, self.plainest(kind, layout));
        let places = match layout {
            Layout::Rows => Places {
                offsets: &self.placed_offsets,
                order: self.global_ids.order(),
            },
            _ => Places {
                offsets: &self.offsets,
                order: None,
            },
        };
        let labels = match layout {
            Layout::Searched => Labels::plain(base),
            _ => self.global_ids.labels(base),
        };
        Delivery { places, labels }
    }
}
