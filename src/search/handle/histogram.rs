//! Neighbors counted in bins of distance, such as those of a radial distribution function.

use super::Search;
use crate::displacement::{Between, Bins, PairList};
use crate::error::{Error, Result, Status, words};
use crate::list::{push, resize_discarding};
use crate::points::Precision;
use crate::search::neighbors::{Layout, NeighborsKind};
use crate::search::precision::by_precision;
use crate::search::sum::entries;

const WHAT: &str = "the bins of distance";

/// Pairs that a thread takes at once.
const PIECE: usize = 1 << 13;

impl Search {
    /// Counts the neighbors in bins of distance: `counts[k]` is how many entries of the rows of a kind have `edges[k]^2 <= d2 <
    /// edges[k + 1]^2`, where `d2` is the squared distance that decides about pairs, and edges are rounded to the precision of the
    /// points before they are squared. With [`NeighborsKind::Half`] each pair counts once. There is one edge more than there are
    /// counts. Edges ascend from 0 or more to at most the cutoff. With cutoffs by types that is the smallest cutoff of types that
    /// interact and that two points have. So no bin lacks pairs. No list of all rows is made. On failure the counts are unchanged.
    ///
    /// ```
    /// # use neargrid::{NeighborsKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(2.5)?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.0, 3.0])?)?;
    /// let mut counts = [0; 2];
    /// search.histogram(NeighborsKind::Half, &[0.0, 1.5, 2.5], &mut counts)?;
    /// assert_eq!(counts, [3, 2]);
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn histogram(&mut self, kind: NeighborsKind, edges: &[f64], counts: &mut [i64]) -> Result<()> {
        crate::arguments::check_len("the length of edges", edges.len(), counts.len() + 1)?;
        self.check_points_held()?;
        self.points_home()?;
        self.check_edges(kind, edges)?;
        let made = by_precision!(self.session, T => self.count_in_bins::<T>(kind, edges));
        self.streams.stream.begin(); // what is left of it is of no use to others
        counts.copy_from_slice(&made?);
        Ok(())
    }

    fn check_edges(&self, kind: NeighborsKind, edges: &[f64]) -> Result<()> {
        if self.inputs.is_by_radii(kind) {
            return Err(Error::NotSupported {
                what: "bins of distance with radii",
            });
        }
        let base = self.inputs.settings.index_base;
        let smallest = match self.inputs.type_cutoffs(kind) {
            Some(_) => self
                .inputs
                .kinds
                .cutoffs_of_pairs(false)
                .min_by(|a, b| a.0.total_cmp(&b.0)),
            None => None,
        };
        let cutoff = match smallest {
            Some((cutoff, _)) => cutoff,
            None => self.inputs.cutoff(kind)?,
        };
        let whose = smallest.map_or(words(""), |(_, types)| {
            let [a, b] = types.map(|of| of as i64 + base);
            words(format_args!(" of types {a} and {b} (set_type_cutoffs)"))
        });
        let least = |k: usize| if k == 0 { 0.0 } else { edges[k - 1] };
        let is_wrong = |&k: &usize| {
            let ascends = edges[k] > least(k) || k == 0 && edges[0] == 0.0;
            !(ascends && edges[k] <= cutoff)
        };
        match (0..edges.len()).find(is_wrong) {
            None => Ok(()),
            Some(at) => Err(Error::not_allowed(
                Status::BadValue,
                "edges",
                words(format_args!("{} at element {}", edges[at], at as i64 + base)),
                format_args!("ascending numbers from 0 to {cutoff}, the cutoff{whose}"),
            )),
        }
    }

    fn count_in_bins<T: Precision>(&mut self, kind: NeighborsKind, edges: &[f64]) -> Result<Vec<i64>> {
        let (bins, number) = (Bins::<T>::new(edges)?, edges.len() - 1);
        match self.begin_chunks(kind.into(), entries(&self.inputs)) {
            Err(error) if error.status() == Status::Capacity => {
                self.begin_chunks(kind.into(), self.counted.longest_row())?
            }
            begun => begun?,
        };
        let mut threads: Vec<Vec<i64>> = Vec::new();
        while let Some((rows, first)) = self.advance(Layout::Rows, false)? {
            let (points, base) = (self.held::<T>()?, self.inputs.settings.index_base);
            let chunk = self.chunk((rows.clone(), first));
            let team = self.inputs.team_for(chunk.ids.len())?;
            while threads.len() < team.threads() {
                let mut counts = Vec::new();
                resize_discarding(&mut counts, number, 0, WHAT)?;
                push(&mut threads, counts, WHAT)?;
            }
            let between = Between {
                axes: points.axes(),
                periods: points.periods(),
                first_row: rows.start,
            };
            let pairs = PairList::Rows(chunk.offsets, chunk.ids);
            team.run(
                &mut threads[..team.threads()],
                chunk.ids.len().div_ceil(PIECE),
                |counts, piece| {
                    let range = piece * PIECE..chunk.ids.len().min((piece + 1) * PIECE);
                    between.count(pairs, range, base, &bins, counts);
                    Ok(())
                },
            )?;
        }
        let mut total = Vec::new();
        resize_discarding(&mut total, number, 0, WHAT)?;
        for counts in threads {
            total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        }
        Ok(total)
    }
}
