//! Verlet lists: the list made with a skin, delivered as it is. A loop over it decides by its own distances what is in reach.

use super::found::place;
use super::ids::Layout;
use super::session::{Precision, Session, in_precision};
use super::steps::{Deliver, Run};
use super::{Neighbors, NeighborsKind, Search};
use crate::cpu::verlet::copy_rows;
use crate::error::{Error, Result, Status};
use crate::ids::{Offsets, OutputMap, Places};
use crate::list::{Rows, holds, resize_discarding};

/// The rows of a [`verlet_list`](Search::verlet_list).
#[derive(Clone, Copy, Debug)]
pub struct VerletList<'a> {
    /// The rows, in memory of the handle.
    pub neighbors: Neighbors<'a>,
    /// Whether this is another list than the last one that was delivered: made for other points, or of another kind.
    pub rebuilt: bool,
}

/// Rows in the caller's order, with the caller's numbers.
#[derive(Debug, Default)]
pub struct RowsOfCaller {
    offsets: Offsets,
    ids: Vec<i32>,
}

holds! { RowsOfCaller { offsets, ids } }

impl Search {
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
        self.query(kind, &mut Deliver::Verlet)?;
        let is_plain = self.found.plainest(&self.inputs, kind, Layout::Rows) == Layout::Searched;
        let (neighbors, version) = in_precision!(
            &self.sessions,
            session => (session.verlet_rows(is_plain, self.inputs.len), session.skin.version()),
            none => return Err(Error::NO_POINTS)
        );
        let rebuilt = self.verlet_seen != version;
        self.verlet_seen = version;
        Ok(VerletList { neighbors, rebuilt })
    }

    fn check_verlet(&self, kind: NeighborsKind) -> Result<()> {
        if kind == NeighborsKind::Queries {
            return Err(Error::not_allowed(Status::BadValue, "kind", "queries", "half or full"));
        }
        if self.inputs.radii.are_set() {
            return Err(Error::NotSupported {
                what: "a Verlet list with radii",
            });
        }
        if self.inputs.settings.skin == 0.0 {
            return Err(Error::BadState {
                missing: "skin",
                remedy: "set_skin",
            });
        }
        match self.inputs.borrowed {
            true => Err(Error::NO_POINTS),
            false => Ok(()),
        }
    }
}

impl<T: Precision> Session<T> {
    /// The rows of `points` points of the list with the skin; `is_plain`: they are searched as they are numbered.
    fn verlet_rows(&self, is_plain: bool, points: usize) -> Neighbors<'_> {
        let RowsOfCaller { offsets, ids } = self.verlet.get();
        let (offsets, ids) = match is_plain {
            true => self.skin.get().rows(),
            false => (&offsets[..], &ids[..]),
        };
        let offsets = &offsets[..=points];
        Neighbors { offsets, ids }
    }
}

impl Run<'_> {
    /// Makes the list with the skin as it is delivered, unless it is there; returns how many entries it has.
    pub fn verlet<T: Precision>(&mut self, session: &mut Session<T>, kind: NeighborsKind) -> Result<i64> {
        let version = self.skin_list(session, kind, |made, of| made == of)?;
        let Session { skin, verlet, .. } = session;
        let (offsets, ids) = skin.get().rows();
        self.report.entries = ids.len() as i64;
        let order = self.found.order.get();
        let labels = order.labels(&self.inputs.ids, self.inputs.settings.index_base);
        if labels.are_plain() {
            verlet.begin();
            *verlet.scratch() = RowsOfCaller::default();
            return Ok(self.report.entries);
        }
        let need = 2 * (8 * offsets.len() + 4 * ids.len()) as u64;
        self.inputs
            .check_limit("a Verlet list and the list that it is made from", need)?;
        verlet.make(Some(version), |to| {
            to.offsets.make(|to| match order.points() {
                Some(order) => place(offsets, order, to),
                None => {
                    resize_discarding(to, offsets.len(), 0, "the offsets of the result")?;
                    to.copy_from_slice(offsets);
                    Ok(())
                }
            })?;
            resize_discarding(&mut to.ids, ids.len(), 0, "the list of ids")?;
            let places = Places::of_caller(&to.offsets, order);
            let output = OutputMap { places, labels };
            copy_rows(self.team, (offsets, ids), output, Rows::new(&mut to.ids))
        })?;
        Ok(self.report.entries)
    }
}
