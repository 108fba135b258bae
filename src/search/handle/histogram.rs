//! Neighbors counted in bins of distance, such as those of a radial distribution function.

use std::time::Instant;

use super::{Parts, Search};
use crate::cpu::binned::count_in_bins;
use crate::displacement::{Between, Bins, PairList};
use crate::error::{Error, Result, Status, words};
use crate::list::push;
use crate::points::Precision;
use crate::search::counted::Query;
use crate::search::inputs::Asked;
use crate::search::neighbors::{Layout, NeighborsKind};
use crate::search::precision::by_precision;
use crate::search::report::Phase;
use crate::search::session::Finder;
use crate::search::sum::entries;

const WHAT: &str = "the bins of distance";

const WITH_RADII: Error = Error::NotSupported {
    what: "bins of distance with radii",
};

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
        by_precision!(self.session, T => {
            let bins = Bins::<T>::new(edges)?;
            let made = self.count_in_bins(kind, &bins);
            self.streams.stream.begin(); // what is left of it is of no use to others
            counts.copy_from_slice(bins.of_bins(&made?));
            Ok(())
        })
    }

    fn check_edges(&self, kind: NeighborsKind, edges: &[f64]) -> Result<()> {
        if self.inputs.is_by_radii(kind) {
            return Err(WITH_RADII);
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

    /// The counters of bins of all entries. A GPU finds rows, which are counted chunk by chunk; on the CPU each hit is counted
    /// where it is found.
    fn count_in_bins<T: Precision>(&mut self, kind: NeighborsKind, bins: &Bins<T>) -> Result<Vec<i64>> {
        self.check_rows(kind, false)?;
        let found = self.carry_out(Asked::Rows(kind.into()), |search, plan, team| {
            let Parts { mut query, .. } = search.parts::<T>(plan, team, kind.into())?;
            match query.device {
                Some(_) => Ok(None),
                None => count_where_found(&mut query, bins).map(Some),
            }
        })?;
        match found {
            Some(counters) => Ok(counters),
            None => self.count_chunks(kind, bins),
        }
    }

    /// Counts rows that a GPU finds.
    fn count_chunks<T: Precision>(&mut self, kind: NeighborsKind, bins: &Bins<T>) -> Result<Vec<i64>> {
        match self.begin_chunks(kind.into(), entries(&self.inputs)) {
            Err(error) if error.status() == Status::Capacity => {
                self.begin_chunks(kind.into(), self.counted.longest_row())?
            }
            begun => begun?,
        };
        let mut threads = Vec::new();
        while let Some((rows, first)) = self.advance(Layout::Rows, false)? {
            let (points, base) = (self.held::<T>()?, self.inputs.settings.index_base);
            let chunk = self.chunk((rows.clone(), first));
            let team = self.inputs.team_for(chunk.ids.len())?;
            while threads.len() < team.threads() {
                push(&mut threads, bins.counters()?, WHAT)?;
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
                |counters, piece| {
                    let range = piece * PIECE..chunk.ids.len().min((piece + 1) * PIECE);
                    between.count(pairs, range, base, bins, counters);
                    Ok(())
                },
            )?;
        }
        let mut total = bins.counters()?;
        for counters in threads {
            total
                .iter_mut()
                .zip(counters)
                .for_each(|(total, count)| *total += count);
        }
        Ok(total)
    }
}

/// Counts all entries on the CPU.
fn count_where_found<T: Precision>(query: &mut Query<T>, bins: &Bins<T>) -> Result<Vec<i64>> {
    query.index()?;
    let (began, job) = (Instant::now(), &query.job);
    let (counters, entries) = query.session.find(None, job, |_, finder| match finder {
        Finder::Cells(query, workers) => count_in_bins(query, job.team, workers, job.rows(), bins),
        Finder::Tree(..) => Err(WITH_RADII),
    })?;
    query.report.entries = entries;
    query.report.took(Phase::Fill, began);
    Ok(counters)
}
