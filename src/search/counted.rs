//! Rows that were counted: their index, where each row is, and what is kept to fill them.

use std::time::Instant;

use super::device::Device;
use super::inputs::Inputs;
use super::job::Job;
use super::made_from::CountOf;
use super::neighbors::{Layout, NeighborsKind};
use super::report::{Phase, Report};
use super::session::{Finder, Session};
use super::skin_list::SkinList;
use crate::cpu::by_radii;
use crate::cpu::pairs;
use crate::domain::Periods;
use crate::error::{Error, Result};
use crate::gpu::Want;
use crate::ids::{Labels, Offsets, Order, OutputMap, Places};
use crate::list::{Rows, holds, resize_discarding, scan};
use crate::points::{PointsView, Precision};
use crate::version::{Derived, Version};

/// The place where a query runs, and its report.
pub struct Run<'a> {
    /// There where a GPU is planned for.
    pub device: Option<&'a mut Device>,
    pub report: &'a mut Report,
}

/// A query for rows on its way.
pub struct Query<'a, T> {
    pub job: Job<'a>,
    pub session: &'a mut Session<T>,
    /// The caller's points, where the handle does not hold them.
    pub view: Option<&'a PointsView<'a, T>>,
    /// The list with the skin that rows are taken out of.
    pub skin: Option<&'a mut SkinList<T>>,
    /// There where a GPU is planned for.
    pub device: Option<&'a mut Device>,
    pub report: &'a mut Report,
    pub counted: &'a mut Counted,
}

/// Rows that were counted, and what is kept to fill them.
#[derive(Debug, Default)]
pub struct Counted {
    pub counts: Derived<CountOf, Counts>,
    /// Offsets of the rows by the caller's numbers, where points are searched by others, for the counts of a version.
    placed: Derived<Option<Version>, Offsets>,
    kept: Kept,
}

holds! { Counted { counts, placed, kept } }

/// The rows counted last.
#[derive(Debug, Default)]
pub struct Counts {
    /// One more than there are points and queries.
    pub offsets: Offsets,
    pub total: i64,
}

holds! { Counts { offsets; total } }

/// The rest of a count on the CPU that a fill uses: by a cutoff, or by radii.
#[derive(Debug, Default)]
struct Kept {
    cells: pairs::Counted,
    tree: by_radii::Counted,
}

holds! { Kept { cells, tree } }

impl<T: Precision> Query<'_, T> {
    /// Sets how much memory a result may take on the GPU, and refuses offsets that take more. `kept`: bytes kept for chunks.
    pub fn limit_memory(&mut self, kept: Option<usize>) -> Result<()> {
        let inputs = self.job.inputs;
        let offsets = 8 * (inputs.everyone() as u64 + 1);
        inputs.check_limit("the array of offsets", offsets)?;
        let limit = inputs.settings.memory_limit;
        if let Some(device) = &mut self.device {
            let left = |limit| kept.map_or(limit - offsets, |kept| kept as u64);
            device.gpu()?.set_memory_limit(limit.map(left));
        }
        Ok(())
    }

    /// Refuses what needs points that were lent for a count: of these there are only the rows that were counted.
    pub fn check_lent(&self) -> Result<()> {
        let (job, session) = (&self.job, &*self.session);
        let stamp = session.points.stamp();
        if self.view.is_some() || session.points.are_held() {
            return Ok(());
        }
        let of = job.index_of(stamp);
        let index = match &self.device {
            Some(device) => device.version_of_index(&of),
            None => session.version_of_index(&of),
        };
        let are_counted = |from| self.counted.counts.is_of(&job.count_of(from, stamp, None));
        match index.is_some_and(are_counted) {
            true => Ok(()),
            false => Err(Error::LENT_POINTS),
        }
    }

    /// Makes the index of the points where there is none; returns its version.
    pub fn index(&mut self) -> Result<Version> {
        let (start, job) = (Instant::now(), &self.job);
        let (made, version) = match &mut self.device {
            Some(device) => {
                let (gpu, index) = device.gpu_and_index()?;
                let of = job.index_of(self.session.points.stamp());
                let made = index.make(of, |()| self.session.index_on(gpu, self.view, job))?;
                (made, index.version())
            }
            None => self.session.index(self.view, job)?,
        };
        if made {
            self.report.index_builds += 1;
            self.report.took(Phase::Index, start);
        }
        version.ok_or(Error::NO_POINTS)
    }

    /// Counts rows that are found in an index or a list of version `from`, where they are not counted. `layout` is how they are to
    /// be filled next.
    pub fn count(&mut self, from: Version, layout: Option<Layout>) -> Result<()> {
        let (job, session) = (&self.job, &mut *self.session);
        // A device may begin to fill before its host knows where rows are, if they are where it counted them.
        let eager = layout.is_some_and(|layout| job.plainest(layout) != Layout::Rows);
        let of = job.count_of(from, session.points.stamp(), None);
        let (skin, device) = (&mut self.skin, &mut self.device);
        (self.counted).count_by(self.report, job, of, |kept, offsets| match (skin, device) {
            (Some(list), _) => list.count(session, job, offsets),
            (None, Some(device)) => count_on::<T>(device, job, eager, offsets),
            (None, None) => kept.count(session, self.view, job, offsets),
        })
    }

    /// Counts rows for chunks, of which `kept` bytes may be kept, where they are not counted: on a GPU, or by `count`.
    pub fn count_for_chunks(
        &mut self,
        kept: usize,
        count: impl FnOnce(&mut Session<T>, &Job, &mut [i64]) -> Result<()>,
    ) -> Result<()> {
        let from = self.index()?;
        let (job, session, device) = (&self.job, &mut *self.session, &mut self.device);
        let of = job.count_of(from, session.points.stamp(), Some(kept));
        self.counted.count_by(self.report, job, of, |kept, offsets| {
            *kept = Kept::default();
            if let Some(device) = device {
                return count_on::<T>(device, job, false, offsets);
            }
            count(session, job, &mut offsets[1..])?;
            Ok(scan(offsets, job.base()))
        })
    }

    /// Fills the ids of all rows into the first of `rows`, and the left points into the second, each where it is given; both
    /// have room.
    pub fn fill(&mut self, layout: Layout, [ids, left]: [Option<Rows>; 2]) -> Result<()> {
        let (job, session) = (&self.job, &mut *self.session);
        self.counted.place_rows(job, layout)?;
        let (start, entries) = (Instant::now(), self.counted.total() as usize);
        [&ids, &left]
            .into_iter()
            .flatten()
            .for_each(|rows| rows.prefer_huge_pages(entries));
        let output = self.counted.output(job, layout);
        self.report.fills += i64::from(ids.is_some());
        match (ids, &self.skin, &mut self.device) {
            (None, ..) => output.fill_left(job.team, left)?,
            (Some(ids), Some(list), _) => {
                list.fill(session, job, output, ids)?;
                output.fill_left(job.team, left)?;
            }
            (Some(ids), None, Some(device)) => device.gpu()?.fill(job.team, Want { output, ids, left })?,
            (Some(ids), None, None) => self.counted.kept.fill(session, job, output, ids, left)?,
        }
        self.report.took(Phase::Fill, start);
        Ok(())
    }
}

impl Counted {
    /// Entries of the rows counted last.
    pub fn total(&self) -> i64 {
        self.counts.get().total
    }

    /// Whether the rows counted last are those.
    pub fn is_of(&self, of: CountOf) -> bool {
        self.counts.is_of(&of)
    }

    /// Bytes kept to fill rows by a cutoff.
    pub fn kept_bytes(&self) -> usize {
        crate::list::Holds::bytes(&self.kept.cells)
    }

    fn count_by(
        &mut self,
        report: &mut Report,
        job: &Job,
        of: CountOf,
        count: impl FnOnce(&mut Kept, &mut [i64]) -> Result<i64>,
    ) -> Result<()> {
        if self.counts.is_of(&of) {
            return Ok(());
        }
        let (start, kept) = (Instant::now(), &mut self.kept);
        let Counts { offsets, total } = self.counts.begin();
        *total = offsets.make(job.team, |offsets| {
            resize_discarding(offsets, job.inputs.everyone() + 1, 0, "the offsets of the result")?;
            offsets[0] = 0;
            count(kept, offsets)
        })?;
        self.counts.finish(of);
        report.counts += 1;
        report.took(Phase::Count, start);
        Ok(())
    }

    /// Makes the offsets of the rows counted last in `layout`.
    pub fn place_rows(&mut self, job: &Job, layout: Layout) -> Result<()> {
        let (Layout::Rows, Some(order)) = (job.plainest(layout), job.order().points()) else {
            return Ok(());
        };
        let counts = &self.counts;
        let offsets = &counts.get().offsets;
        self.placed.make(counts.version(), |placed| {
            placed.make(job.team, |placed| place(offsets, order, placed))
        })?;
        Ok(())
    }

    /// The map by which the rows counted last are delivered in `layout`, whose offsets are made.
    pub fn output<'a>(&'a self, job: &Job<'a>, layout: Layout) -> OutputMap<'a> {
        let layout = job.plainest(layout);
        let places = match layout {
            Layout::Rows => Places::of_caller(self.placed.get(), job.order()),
            _ => Places::as_searched(&self.counts.get().offsets),
        };
        let labels = match layout {
            Layout::Searched => Labels::plain(job.base()),
            _ => job.order().labels(&job.inputs.ids, job.base()),
        };
        OutputMap { places, labels }
    }

    /// The offsets of the rows of a kind, by the caller's numbers.
    pub fn offsets_of(&self, inputs: &Inputs, order: &Order, kind: NeighborsKind) -> &[i64] {
        let rows = inputs.rows_of(kind);
        let offsets: &[i64] = match inputs.plainest(order, kind, Layout::Rows) {
            Layout::Rows => self.placed.get(),
            _ => &self.counts.get().offsets,
        };
        &offsets[rows.start..=rows.end]
    }

    /// The offsets that [`offsets_of`](Counted::offsets_of) has a part of, to be given away: they are those of nothing then.
    pub fn give_offsets(&mut self, inputs: &Inputs, order: &Order, kind: NeighborsKind) -> &mut Offsets {
        match inputs.plainest(order, kind, Layout::Rows) {
            Layout::Rows => self.placed.begin(),
            _ => &mut self.counts.begin().offsets,
        }
    }

    /// The length of the longest row counted last.
    pub fn longest_row(&self) -> i64 {
        let offsets = &self.counts.get().offsets;
        offsets.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }
}

impl Kept {
    /// Counts rows of `view`, or of the points held, into `offsets`; returns the total.
    fn count<T: Precision>(
        &mut self,
        session: &mut Session<T>,
        view: Option<&PointsView<T>>,
        job: &Job,
        offsets: &mut [i64],
    ) -> Result<i64> {
        // Of a memory limit, the list that is filled takes the rest.
        let most = job.inputs.settings.memory_limit.map_or(usize::MAX, |limit| {
            (limit as usize).saturating_sub(8 * offsets.len()) / 4
        });
        let (most, team) = (most / 4, job.team);
        let needs_points = session.find(view, job, |_, finder| match finder {
            Finder::Cells(query, workers) => {
                self.cells.count(query, team, workers, most, &mut offsets[1..])?;
                Ok(self.cells.needs_points())
            }
            Finder::Tree(search, workers) => {
                search.count(team, workers, &mut self.tree, most, &mut offsets[1..])?;
                Ok(false)
            }
        })?;
        if let Some(view) = view.filter(|_| needs_points) {
            session.points.copy(view, &Periods::default(), team)?;
        }
        Ok(scan(offsets, job.base()))
    }

    /// Fills the rows counted last and, where it is wanted, the column of left points, as they are to be delivered.
    fn fill<T: Precision>(
        &self,
        session: &mut Session<T>,
        job: &Job,
        output: OutputMap,
        ids: Rows,
        left: Option<Rows>,
    ) -> Result<()> {
        session.find(None, job, |_, finder| match finder {
            Finder::Cells(query, workers) => self.cells.fill(query, job.team, workers, output, (ids, left)),
            Finder::Tree(search, workers) => {
                search.fill(job.team, workers, &self.tree, output, ids)?;
                output.fill_left(job.team, left)
            }
        })
    }
}

/// Counts rows on a GPU, which may begin to fill them right away; returns the total.
fn count_on<T: Precision>(device: &mut Device, job: &Job, eager: bool, offsets: &mut [i64]) -> Result<i64> {
    let (gpu, rule) = (device.gpu()?, job.rule(eager));
    match job.is_by_radii() {
        true => gpu.count_by_radii(job.inputs.settings.tie_rule, rule, job.team, offsets),
        false => gpu.count(job.bound::<T>()?, rule, job.team, offsets),
    }
}

/// Writes the offsets of the same rows by the caller's numbers, which are `order`.
pub fn place(offsets: &[i64], order: &[u32], placed: &mut Vec<i64>) -> Result<()> {
    resize_discarding(placed, offsets.len(), 0, "the offsets of the result")?;
    placed[0] = 0;
    for (bounds, &row) in offsets.windows(2).zip(order) {
        placed[row as usize + 1] = bounds[1] - bounds[0];
    }
    scan(placed, offsets[0]);
    Ok(())
}
