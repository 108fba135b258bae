//! Queries for pairs and rows of neighbors.

use super::{Parts, Search};
use crate::domain::bound;
use crate::error::{Error, Result};
use crate::list::Rows;
use crate::plan::Plan;
use crate::points::{PointsView, Precision};
use crate::search::inputs::Asked;
use crate::search::made_from::SkinListOf;
use crate::search::neighbor_list::NeighborList;
use crate::search::neighbors::{Layout, Neighbors, NeighborsKind, Pairs};
use crate::search::precision::{by_precision, in_precision};
use crate::threads::Team;

/// The use that is made of rows.
enum Deliver<'a> {
    /// Nothing: their number is wanted.
    Count,
    /// They are listed in memory of the handle.
    Own(Layout),
    /// They are listed in memory that the handle can give away.
    Taken,
    /// They go into arrays of the caller: ids, and left points if wanted. Errors call the capacity `argument`. `check` may refuse
    /// arrays of which that many elements would be written.
    Into {
        layout: Layout,
        argument: &'static str,
        ids: Rows<'a>,
        left: Option<Rows<'a>>,
        check: &'a dyn Fn(usize) -> Result<()>,
    },
}

impl Deliver<'_> {
    fn layout(&self) -> Option<Layout> {
        match self {
            Deliver::Own(layout) | Deliver::Into { layout, .. } => Some(*layout),
            Deliver::Taken => Some(Layout::Rows),
            Deliver::Count => None,
        }
    }
}

impl Search {
    /// Counts the pairs of `view`, where possible without copying the points. The pairs and the half rows can be requested
    /// afterwards with the same settings. Other queries, and these after a setting that they depend on has changed, fail with
    /// [`Status::BadState`](crate::Status::BadState) until points are set. On failure the handle has no points.
    pub fn count_pairs_of<T: Precision>(&mut self, view: &PointsView<T>) -> Result<i64> {
        self.count_lent(view).inspect_err(|_| self.drop_points())
    }

    fn count_lent<T: Precision>(&mut self, view: &PointsView<T>) -> Result<i64> {
        self.inputs.dim = view.dim();
        let inputs = &self.inputs;
        inputs.check_no_cell()?;
        if !inputs.radii.are_set() {
            bound::<T>(inputs.cutoff(NeighborsKind::Half)?, inputs.settings.tie_rule)?;
        }
        let is_open = inputs.settings.domain.periods::<T>(view.dim())?.is_open();
        let is_in_tree = inputs.radii.are_set() || inputs.has_uneven_cutoffs(NeighborsKind::Half, 0.0);
        if is_in_tree || inputs.ids.are_set() || !is_open {
            self.set_points(view)?; // a copy: wrapped, or brought into another order
            return self.count_pairs();
        }
        let view = &inputs.checked(view)?;
        self.session_of::<T>()?.points.clear();
        self.inputs.set_len(view.len());
        let kind = NeighborsKind::Half;
        self.carry_out(Asked::Rows(kind.into()), |search, plan, team| {
            search.answer((plan, team), Some(view), kind, &mut Deliver::Count)
        })
    }

    /// Number of rows of a kind.
    pub(crate) fn rows(&self, kind: NeighborsKind) -> usize {
        self.inputs.rows_of(kind).len()
    }

    /// Counts the pairs.
    pub fn count_pairs(&mut self) -> Result<i64> {
        self.count_neighbors(NeighborsKind::Half)
    }

    /// Counts the ids in all rows.
    pub fn count_neighbors(&mut self, kind: NeighborsKind) -> Result<i64> {
        self.query(kind, &mut Deliver::Count)
    }

    /// All pairs, in memory of the handle.
    pub fn pairs(&mut self) -> Result<Pairs<'_>> {
        self.query(NeighborsKind::Half, &mut Deliver::Own(Layout::Pairs))?;
        Ok(Pairs {
            left: self.lists.left.get(),
            right: self.lists.ids.get(),
        })
    }

    /// The rows of neighbors, in memory of the handle.
    pub fn neighbors(&mut self, kind: NeighborsKind) -> Result<Neighbors<'_>> {
        self.query(kind, &mut Deliver::Own(Layout::Rows))?;
        Ok(Neighbors {
            offsets: self.counted.offsets_of(&self.inputs, self.order.get(), kind),
            ids: self.lists.ids.get(),
        })
    }

    /// Moves the rows of neighbors into a list of the caller, as [`neighbors`](Search::neighbors) has them. Nothing is copied: the
    /// handle gives its memory away, and goes on with the memory that `list` had. So it has these rows no more, and asking it for
    /// them again searches again. On failure the list keeps its rows.
    ///
    /// Two lists that take turns allocate nothing once they are large enough. Codes with contacts need that: they bring what they
    /// know of a contact from the old list into the new one.
    ///
    /// ```
    /// # use neargrid::{NeighborList, NeighborsKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.0)?;
    /// let (mut old, mut new) = (NeighborList::new(), NeighborList::new());
    /// for x in [1.0, 2.0, 1.0] {
    ///     search.set_points(&PointsView::interleaved(1, &[0.0, x])?)?;
    ///     search.take_neighbors(NeighborsKind::Half, &mut new)?;
    ///     let begins = new.neighbors().ids.len() > old.neighbors().ids.len();
    ///     assert_eq!(begins, x == 1.0);
    ///     std::mem::swap(&mut old, &mut new);
    /// }
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn take_neighbors(&mut self, kind: NeighborsKind, list: &mut NeighborList) -> Result<()> {
        self.make_taken(kind)?;
        self.give_taken(kind, list);
        Ok(())
    }

    /// Makes the rows of [`give_taken`](Search::give_taken).
    pub(crate) fn make_taken(&mut self, kind: NeighborsKind) -> Result<()> {
        self.query(kind, &mut Deliver::Taken).map(|_| ())
    }

    /// Moves rows that were just made to `list`.
    pub(crate) fn give_taken(&mut self, kind: NeighborsKind, list: &mut NeighborList) {
        let offsets = (self.counted).give_offsets(&self.inputs, self.order.get(), kind);
        list.exchange(self.inputs.rows_of(kind), offsets, self.lists.ids.begin().memory());
    }

    /// Copies all pairs to the start of `left` and `right` and returns their number; further elements are not changed. If the
    /// slices are too small, they are not changed and the error reports the size needed. Another call with larger slices does not
    /// repeat the search.
    pub fn pairs_into(&mut self, left: &mut [i32], right: &mut [i32]) -> Result<usize> {
        self.pairs_into_rows("capacity", Rows::new(left), Rows::new(right), &|_| Ok(()))
    }

    /// [`pairs_into`](Search::pairs_into) for memory that need not be initialised; `argument` names the capacity in
    /// errors, and `check` may refuse arrays of which that many elements would be written.
    pub(crate) fn pairs_into_rows(
        &mut self,
        argument: &'static str,
        left: Rows,
        right: Rows,
        check: &dyn Fn(usize) -> Result<()>,
    ) -> Result<usize> {
        let mut into = Deliver::Into {
            layout: Layout::Pairs,
            argument,
            ids: right,
            left: Some(left),
            check,
        };
        self.query(NeighborsKind::Half, &mut into).map(|total| total as usize)
    }

    /// Copies the ids of all rows to the start of `ids`. Returns the offsets and the number of ids. If `ids` is too small, the
    /// same applies as for [`pairs_into`](Search::pairs_into).
    pub fn neighbors_into(&mut self, kind: NeighborsKind, ids: &mut [i32]) -> Result<(&[i64], usize)> {
        self.neighbors_into_rows("capacity", kind, Rows::new(ids), &|_| Ok(()))
    }

    /// [`neighbors_into`](Search::neighbors_into) for memory that need not be initialised; `argument` and `check` as for
    /// `pairs_into_rows`.
    pub(crate) fn neighbors_into_rows(
        &mut self,
        argument: &'static str,
        kind: NeighborsKind,
        ids: Rows,
        check: &dyn Fn(usize) -> Result<()>,
    ) -> Result<(&[i64], usize)> {
        let mut into = Deliver::Into {
            layout: Layout::Rows,
            argument,
            ids,
            left: None,
            check,
        };
        let total = self.query(kind, &mut into)?;
        Ok((
            self.counted.offsets_of(&self.inputs, self.order.get(), kind),
            total as usize,
        ))
    }

    /// Refuses rows that can be refused before a search. `with_skin`: they may be taken out of a list with a skin.
    pub(super) fn check_rows(&mut self, kind: NeighborsKind, with_skin: bool) -> Result<()> {
        self.inputs.exclusions.follow(&self.inputs.ids)?;
        in_precision!(&self.session, session => {
            let with_skin = with_skin && session.has_skin(&self.inputs, kind);
            self.inputs.check_rows(kind, with_skin, session.points.periods())
        }, none => Err(Error::NO_POINTS))
    }

    /// Finds the rows of a kind and delivers them; returns how many entries they have.
    fn query(&mut self, kind: NeighborsKind, deliver: &mut Deliver) -> Result<i64> {
        self.check_rows(kind, true)?;
        let holds_points = self.check_points_held().is_ok();
        let is_lost = self.device.is_lost() && !holds_points;
        self.carry_out_as(Asked::Rows(kind.into()), [true, holds_points], |search, plan, team| {
            if is_lost {
                return Err(Error::DeviceLost {
                    reason: "the result of the count was on it; search again".into(),
                });
            }
            by_precision!(search.session, T => search.answer::<T>((plan, team), None, kind, deliver))
        })
    }

    /// Finds the rows of a kind, of `view` where the points are the caller's, and delivers them.
    fn answer<T: Precision>(
        &mut self,
        (plan, team): (&Plan, &Team),
        view: Option<&PointsView<T>>,
        kind: NeighborsKind,
        deliver: &mut Deliver,
    ) -> Result<i64> {
        // A list with a skin gives rows to formulas too.
        let is_list = !self.inputs.has_skin(kind);
        let Parts {
            mut query,
            lists,
            skin,
            streams,
            ..
        } = self.parts_in_order::<T>(plan, team, (kind.into(), is_list))?;
        query.job = query.job.listed(matches!(deliver, Deliver::Own(_) | Deliver::Taken));
        query.view = view;
        query.check_lent()?;
        query.limit_memory(None)?;
        streams.end();
        let from = if query.session.has_skin(query.job.inputs, kind) {
            let (from, list) = skin.make(&mut query, SkinListOf::serves)?;
            query.skin = Some(list);
            from
        } else {
            query.index()?
        };
        query.count(from, deliver.layout())?;
        let total = query.counted.total();
        query.report.entries = total;
        match deliver {
            Deliver::Count => {}
            Deliver::Own(layout) => lists.fill(&mut query, *layout, false)?,
            Deliver::Taken => lists.fill(&mut query, Layout::Rows, true)?,
            Deliver::Into {
                layout,
                argument,
                ids,
                left,
                check,
            } => {
                let capacity = left.as_ref().map_or(ids.len(), |left| left.len().min(ids.len()));
                check_capacity(argument, capacity, total)?;
                check(total as usize)?;
                let left = left.as_mut().map(Rows::again);
                query.fill(*layout, [Some(ids.again()), left])?;
            }
        }
        Ok(total)
    }
}

fn check_capacity(argument: &'static str, capacity: usize, need: i64) -> Result<()> {
    if capacity as i64 >= need {
        return Ok(());
    }
    Err(Error::Capacity {
        argument,
        capacity: capacity as i64,
        need,
    })
}
