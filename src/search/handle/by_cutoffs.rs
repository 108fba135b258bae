//! Lists by several cutoffs.

use super::Search;
use crate::arguments::check_len;
use crate::error::{Error, Result};
use crate::points::Precision;
use crate::search::by_cutoffs::{ByCutoffs, Descending};
use crate::search::neighbor_list::NeighborList;
use crate::search::neighbors::NeighborsKind;
use crate::search::precision::by_precision;
use crate::search::restored::restoring;

impl Search {
    /// Moves rows by several cutoffs into lists of the caller, a list for each of 1 to 64 cutoffs, in any order. Each list has the rows
    /// that [`take_neighbors`](Search::take_neighbors) delivers with that cutoff. The points are searched once, by the largest cutoff,
    /// and the others are taken out of its rows, where that takes less time than a search for each. The cutoff of the handle plays no
    /// part and stays, and so does a list with a skin. Where rows are found by radii, it is refused. On failure the lists keep their
    /// rows.
    ///
    /// ```
    /// # use neargrid::{NeighborList, NeighborsKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 3.0])?)?;
    /// let mut lists = [NeighborList::new(), NeighborList::new()];
    /// search.take_neighbors_by_cutoffs(NeighborsKind::Half, &[1.5, 2.5], &mut lists)?;
    /// assert_eq!((lists[0].neighbors().ids, lists[1].neighbors().ids), (&[1][..], &[1, 2][..]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn take_neighbors_by_cutoffs(
        &mut self,
        kind: NeighborsKind,
        cutoffs: &[f64],
        lists: &mut [NeighborList],
    ) -> Result<()> {
        check_len("the number of lists", lists.len(), cutoffs.len())?;
        self.make_by_cutoffs(kind, cutoffs)?;
        for (k, list) in lists.iter_mut().enumerate() {
            self.swap_by_cutoff(k, list);
        }
        Ok(())
    }

    /// Makes the rows by each cutoff.
    pub(crate) fn make_by_cutoffs(&mut self, kind: NeighborsKind, cutoffs: &[f64]) -> Result<()> {
        if self.inputs.type_cutoffs(kind).is_some() {
            return Err(Error::NotSupported {
                what: "lists by several cutoffs with cutoffs by types",
            });
        }
        if self.inputs.is_by_radii(kind) {
            return Err(Error::NotSupported {
                what: "lists by several cutoffs with radii",
            });
        }
        self.check_points_held()?;
        by_precision!(self.session, T => {
            let descending = Descending::new::<T>(&self.inputs, cutoffs)?;
            self.make_descending::<T>(kind, &descending)
        })
    }

    fn make_descending<T: Precision>(&mut self, kind: NeighborsKind, cutoffs: &Descending) -> Result<()> {
        let made = std::mem::take(&mut self.by_cutoffs);
        restoring(
            (self, made),
            |(search, made)| search.make_lists::<T>(made, kind, cutoffs),
            |(search, made)| search.by_cutoffs = std::mem::take(made),
        )
    }

    /// Makes the lists, which are apart from the handle while it searches.
    fn make_lists<T: Precision>(
        &mut self,
        made: &mut ByCutoffs,
        kind: NeighborsKind,
        cutoffs: &Descending,
    ) -> Result<()> {
        made.begin(cutoffs)?;
        let (mut each, mut bytes) = (cutoffs.all().iter(), 0);
        let mut search = |search: &mut Search, lists: &mut [NeighborList]| match each.next() {
            Some(&(cutoff, place)) => {
                search.with_cutoff(cutoff, |search| {
                    search.check_lists(kind, bytes)?;
                    search.take_neighbors(kind, &mut lists[place])
                })?;
                bytes += lists[place].bytes_of_rows();
                Ok(true)
            }
            None => Ok(false),
        };
        search(self, &mut made.lists)?;
        self.points_home()?;
        let points = self.held::<T>()?;
        let team = self.inputs.team_for(points.len())?;
        if !made.narrow(&self.inputs, points, (kind, cutoffs), &team)? {
            while search(self, &mut made.lists)? {}
        }
        Ok(())
    }

    /// Refuses a list that exceeds the memory limit together with earlier lists of this many bytes.
    fn check_lists(&mut self, kind: NeighborsKind, bytes: u64) -> Result<()> {
        if self.inputs.settings.memory_limit.is_none() || bytes == 0 {
            return Ok(()); // a single list is checked when it is made
        }
        let entries = self.count_neighbors(kind)? as u64;
        let need = bytes + 8 * (self.inputs.rows_of(kind).len() as u64 + 1) + 4 * entries;
        self.inputs.check_limit("the lists by all cutoffs", need)
    }

    /// Runs `act` with another cutoff and without a skin.
    fn with_cutoff(&mut self, cutoff: f64, act: impl FnOnce(&mut Search) -> Result<()>) -> Result<()> {
        let settings = &mut self.inputs.settings;
        let before = (settings.cutoff.replace(cutoff), settings.skin);
        settings.skin = 0.0;
        restoring(
            self,
            |search| act(search),
            |search| {
                let settings = &mut search.inputs.settings;
                (settings.cutoff, settings.skin) = before;
            },
        )
    }

    /// Swaps a list with the rows made by cutoff `k`.
    pub(crate) fn swap_by_cutoff(&mut self, k: usize, list: &mut NeighborList) {
        std::mem::swap(&mut self.by_cutoffs.lists[k], list);
    }
}
