//! Points that move, and Verlet lists.

use super::{Parts, Search};
use crate::drift::Drift;
use crate::error::{Error, Result, Status};
use crate::points::{Points, PointsView, Precision};
use crate::search::inputs::Asked;
use crate::search::job::{key_of, make_order};
use crate::search::made_from::SkinListOf;
use crate::search::neighbors::{Layout, Neighbors, NeighborsKind};
use crate::search::precision::by_precision;
use crate::version::Version;

/// Points of a lineage that have moved, and how far.
pub(crate) type Moved = (Version, (Drift, f64));

/// The rows of a [`verlet_list`](Search::verlet_list).
#[derive(Clone, Copy, Debug)]
pub struct VerletList<'a> {
    /// The rows, in memory of the handle.
    pub neighbors: Neighbors<'a>,
    /// Whether this is another list than the last one that was delivered: made for other points, or of another kind.
    pub rebuilt: bool,
}

impl Search {
    /// Sets the points as [`set_points`](Search::set_points) does, but keeps the list built with the skin if no point has moved
    /// too far since. Returns whether the list has to be rebuilt, which is also the case if settings, or the number, dimension or
    /// precision of the points changed.
    pub fn update<T: Precision>(&mut self, view: &PointsView<T>) -> Result<bool> {
        let moved = self.moved(view)?;
        let keeps = moved.is_some_and(|(_, (drift, square))| drift.is_allowed(square));
        self.take_moved(view, moved, keeps)?;
        Ok(!keeps)
    }

    /// The lineage of the points that may have moved to those of `view`, and how far they have; `None` where no list with a skin is made
    /// for them.
    pub(crate) fn moved<T: Precision>(&self, view: &PointsView<T>) -> Result<Option<Moved>> {
        let (periods, team) = self.check_points(view)?;
        // Points are known by their lineage, also those that another box has dropped.
        let came = match self.check_points_held() {
            Ok(()) => Some((self.session.stamp().lineage, self.inputs.len)),
            Err(_) => self.skin.left(),
        };
        let Some(came) = came else { return Ok(None) };
        let far = (self.skin).displacement(&self.inputs, came, (view, &periods), &team)?;
        Ok(far.map(|far| (came.0, far)))
    }

    /// Makes the points of `view` those of the handle: the same ones at other positions where a list with a skin keeps.
    pub(crate) fn take_moved<T: Precision>(
        &mut self,
        view: &PointsView<T>,
        moved: Option<Moved>,
        keeps: bool,
    ) -> Result<()> {
        let (periods, team) = self.check_points(view)?;
        match moved.filter(|_| keeps) {
            Some((lineage, _)) => {
                self.take_points(view, &periods, &team, |points, len| points.move_on(len, lineage))?
            }
            None => self.take_points(view, &periods, &team, Points::renew)?,
        }
        self.note(moved);
        Ok(())
    }

    /// Notes how far the points have moved.
    pub(super) fn note(&mut self, moved: Option<Moved>) {
        if let Some((_, (drift, square))) = moved {
            let of = self.inputs.skin_use_of(self.session.stamp());
            self.skin.use_up(of, drift.used(square));
        }
    }

    /// The part of the skin that the last update used: twice the largest displacement since the list was built, divided by the skin.
    /// It is 0 before an update, and if points or settings changed in another way since.
    pub fn skin_used(&self) -> f64 {
        self.skin.used(&self.inputs.skin_use_of(self.session.stamp()))
    }

    /// The Verlet list: the rows of all pairs that were within cutoff plus skin when the list was made. It is not filtered. As
    /// long as [`update`](Search::update) keeps it, it has every pair that is within the cutoff now, and the same rows at every
    /// call.
    ///
    /// `kind` is half or full. It needs a skin, and no radii. The list is made if there is none of this kind for the current
    /// points and settings. Order, types, ghosts, global ids and index base are as in [`neighbors`](Search::neighbors).
    ///
    /// ```
    /// # use neargrid::{NeighborsKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.0)?;
    /// search.set_skin(0.4)?;
    /// for (x, rebuilt) in [(1.3, true), (1.2, false), (0.9, true)] {
    ///     search.update(&PointsView::interleaved(1, &[0.0, x])?)?;
    ///     let list = search.verlet_list(NeighborsKind::Half)?;
    ///     assert_eq!((list.neighbors.ids, list.rebuilt), (&[1][..], rebuilt));
    /// }
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn verlet_list(&mut self, kind: NeighborsKind) -> Result<VerletList<'_>> {
        self.check_verlet(kind)?;
        self.check_rows(kind, true)?;
        let rebuilt = self.carry_out(Asked::Rows(kind.into()), |search, plan, team| {
            by_precision!(search.session, T => {
                let Parts { mut query, skin, streams, .. } = search.parts::<T>(plan, team, kind.into())?;
                query.limit_memory(None)?;
                streams.end();
                skin.deliver(&mut query)
            })
        })?;
        let is_plain = self.inputs.plainest(self.order.get(), kind, Layout::Rows) == Layout::Searched;
        let neighbors = self.skin.rows(self.inputs.owned(), is_plain);
        Ok(VerletList { neighbors, rebuilt })
    }

    /// Whether rows of a kind need no list with a skin that is yet to be made. `as_it_is`: the list itself is delivered.
    pub(crate) fn lists_rows(&mut self, kind: NeighborsKind, as_it_is: bool) -> bool {
        let inputs = &self.inputs;
        if !inputs.has_skin(kind) || inputs.everyone() == 0 {
            return true;
        }
        if make_order(inputs, &mut self.order, kind, false).is_err() {
            return false; // the search says why
        }
        let of = inputs.skin_list_of(self.session.stamp(), kind, key_of(&self.order));
        self.skin
            .has_list(&of, if as_it_is { PartialEq::eq } else { SkinListOf::serves })
    }

    fn check_verlet(&self, kind: NeighborsKind) -> Result<()> {
        if kind == NeighborsKind::Queries {
            return Err(Error::not_allowed(Status::BadValue, "kind", "queries", "half or full"));
        }
        if self.inputs.settings.skin == 0.0 {
            return Err(Error::BadState {
                missing: "skin",
                remedy: "set_skin",
            });
        }
        self.check_points_held()
    }
}
