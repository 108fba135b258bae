//! The steps of a query for rows: index, count and deliver. Each step runs only if its result is not there yet.

use std::time::Instant;

use super::device::Device;
use super::found::{Counts, Found};
use super::ids::Layout;
use super::inputs::{Inputs, classes_of};
use super::list::Lists;
use super::made_from::{OrderOf, SkinListOf};
use super::report::Report;
use super::session::{Job, Precision, Session, Sessions, in_precision};
use super::{NeighborsKind, Phase, Search};
use crate::error::{Error, Result};
use crate::gpu::Want;
use crate::ids::Order;
use crate::list::{Rows, resize_discarding};
use crate::plan::Plan;
use crate::points::PointsView;
use crate::threads::Team;
use crate::version::Version;

/// What becomes of the rows that were found.
pub(super) enum Deliver<'a> {
    /// Nothing: their number is wanted.
    Count,
    /// They are listed in memory of the handle.
    Own(Layout),
    /// They go into arrays of the caller: ids, and left points if wanted. Errors call the capacity `argument`. `check` may refuse
    /// arrays of which that many elements would be written.
    Into {
        layout: Layout,
        argument: &'static str,
        ids: Rows<'a>,
        left: Option<Rows<'a>>,
        check: &'a dyn Fn(usize) -> Result<()>,
    },
    /// They are kept as a list with the skin in memory of the handle.
    Verlet,
    /// They will be delivered in chunks; at most that many bytes of them may be kept meanwhile.
    Chunks { kept: usize },
}

impl Deliver<'_> {
    fn layout(&self) -> Option<Layout> {
        match self {
            Deliver::Own(layout) | Deliver::Into { layout, .. } => Some(*layout),
            Deliver::Count | Deliver::Verlet | Deliver::Chunks { .. } => None,
        }
    }

    fn kept(&self) -> Option<usize> {
        match self {
            Deliver::Chunks { kept } => Some(*kept),
            _ => None,
        }
    }
}

/// Which rows are searched, and how far they reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    pub kind: NeighborsKind,
    /// With the skin, for a list with one.
    pub cutoff: f64,
    pub base: i64,
    /// Where they are to be laid out next, so that a device may fill them right away.
    pub layout: Option<Layout>,
    /// Bytes that may be kept of rows to be delivered in chunks.
    pub kept: Option<usize>,
    /// They are for a list in memory of the handle.
    pub is_listed: bool,
    /// They are taken out of a list with a skin.
    pub from_verlet: bool,
}

/// A query in progress: its inputs and its results.
pub(super) struct Run<'a> {
    pub inputs: &'a Inputs,
    pub plan: &'a Plan,
    pub team: &'a Team,
    /// Where a GPU is planned for.
    pub device: Option<&'a mut Device>,
    pub found: &'a mut Found,
    pub report: &'a mut Report,
}

impl Search {
    /// Finds the rows of a kind and delivers them; returns how many entries they have. Where the backend was chosen
    /// automatically and the GPU fails, the CPU does all of it.
    pub(super) fn query(&mut self, kind: NeighborsKind, deliver: &mut Deliver) -> Result<i64> {
        self.check_rows(kind, deliver.kept().is_some())?;
        self.report.begin();
        let start = Instant::now();
        let mut total = self.attempt(kind, deliver);
        if let Err(error) = &total
            && self.gives_up_gpu(error)
            && !self.inputs.borrowed
        {
            total = self.attempt(kind, deliver);
        }
        self.report.end(start, &mut self.device);
        total
    }

    /// Refuses what can be refused before a search.
    pub(super) fn check_rows(&self, kind: NeighborsKind, in_chunks: bool) -> Result<()> {
        let with_skin = !in_chunks && self.inputs.has_skin(kind);
        in_precision!(&self.sessions, session => session.check_rows(&self.inputs, kind, with_skin), none => Err(Error::NO_POINTS))
    }

    fn attempt(&mut self, kind: NeighborsKind, deliver: &mut Deliver) -> Result<i64> {
        let plan = self.plan_rows(kind)?;
        let team = Team::new(plan.threads)?;
        let (mut run, sessions, lists) = self.run(&plan, &team);
        let total = in_precision!(sessions, session => run.answer(session, lists, None, kind, deliver), none => Err(Error::NO_POINTS));
        self.report.tested(&team);
        total
    }

    /// What a query reads and makes, the points, and lists in memory of the handle.
    pub(super) fn run<'a>(&'a mut self, plan: &'a Plan, team: &'a Team) -> (Run<'a>, &'a mut Sessions, &'a mut Lists) {
        let run = Run {
            inputs: &self.inputs,
            plan,
            team,
            device: self.device.planned(plan),
            found: &mut self.found,
            report: &mut self.report,
        };
        (run, &mut self.sessions, &mut self.lists)
    }
}

impl Run<'_> {
    /// Finds the rows of a kind, of `view` where the points are the caller's, and delivers them.
    pub fn answer<T: Precision>(
        &mut self,
        session: &mut Session<T>,
        lists: &mut Lists,
        view: Option<&PointsView<T>>,
        kind: NeighborsKind,
        deliver: &mut Deliver,
    ) -> Result<i64> {
        let kept = deliver.kept();
        self.report.entries = 0;
        self.limit_memory(kept)?;
        let ask = Ask {
            kind,
            cutoff: self.inputs.cutoff(kind)?,
            base: self.inputs.settings.index_base,
            layout: deliver.layout(),
            kept,
            is_listed: matches!(deliver, Deliver::Own(_)),
            from_verlet: kept.is_none() && self.inputs.has_skin(kind),
        };
        self.arrange(session, kind)?;
        if let Deliver::Verlet = deliver {
            return self.verlet(session, kind);
        }
        let from = match ask.from_verlet {
            true => self.skin_list(session, kind, SkinListOf::serves)?,
            false => self.index(session, view, &ask)?,
        };
        self.count(session, view, &ask, from)?;
        self.report.entries = self.found.counts.get().total;
        self.deliver(session, lists, &ask, deliver)
    }

    /// Brings the points into the order of their ids, where they are not.
    pub(super) fn arrange<T: Precision>(&mut self, session: &mut Session<T>, kind: NeighborsKind) -> Result<()> {
        let order = &mut self.found.order;
        let of = self.inputs.order_of(kind)?;
        if !(order.is_of(&of.turned()) && order.get().suits_both()) {
            let (ids, counts) = (&self.inputs.ids, self.inputs.counts());
            order.make(of, |order| order.make(ids, counts, of.active(), of.arrangement()))?;
        }
        if let (Some(points), Some(&of)) = (order.get().points(), order.of()) {
            let of = (session.points.stamp(), of);
            let from = &session.points;
            session
                .ordered
                .make(of, |to| to.set_in_order(from, points, self.team))?;
        }
        Ok(())
    }

    /// What the order was made from in which points are searched, where they do not stand in it.
    pub fn order_of(&self) -> Option<OrderOf> {
        let order = &self.found.order;
        order.get().points().and(order.of().copied())
    }

    /// Makes the index of the points, or of `view`, where there is none; returns its version.
    pub fn index<T: Precision>(
        &mut self,
        session: &mut Session<T>,
        view: Option<&PointsView<T>>,
        ask: &Ask,
    ) -> Result<Version> {
        let of = (self.inputs).index_of(session.points.stamp(), self.order_of(), ask.kind, ask.cutoff);
        let (start, order) = (Instant::now(), self.found.order.get());
        let job = job(self.inputs, self.plan, self.team, order, ask)?;
        let (made, version) = match &mut self.device {
            Some(device) => {
                let (gpu, index) = device.gpu_and_index()?;
                let made = index.make(of, |()| session.index_on(gpu, view, &job, order))?;
                (made, index.version())
            }
            None if job.is_by_radii() => session.index_by_radii(of, &job, order)?,
            None => session.index(of, view, &job, order)?,
        };
        if made {
            self.report.index_builds += 1;
            self.report.took(Phase::Index, start);
        }
        version.ok_or(Error::NO_POINTS)
    }

    /// Counts rows into offsets, where they are not counted.
    pub fn count<T: Precision>(
        &mut self,
        session: &mut Session<T>,
        view: Option<&PointsView<T>>,
        ask: &Ask,
        from: Version,
    ) -> Result<()> {
        let of = (self.inputs).count_of(from, session.points.stamp(), ask.kind, ask.base, ask.kept);
        if self.found.counts.is_of(&of) {
            return Ok(());
        }
        let start = Instant::now();
        // A device may begin to fill before its host knows where rows stand, if they stand where it counted them.
        let stays = |layout| self.found.plainest(self.inputs, ask.kind, layout) != Layout::Rows;
        let eager = ask.layout.is_some_and(stays);
        let Found { order, counts, .. } = &mut *self.found;
        let job = job(self.inputs, self.plan, self.team, order.get(), ask)?;
        let Counts { offsets, total } = counts.begin();
        *total = offsets.make(|offsets| {
            resize_discarding(offsets, self.inputs.everyone() + 1, 0, "the offsets of the result")?;
            match (&mut self.device, ask.kept) {
                _ if ask.from_verlet => session.count_from_verlet(&job, order.get(), offsets),
                (Some(device), _) => session.count_on(device.gpu()?, &job, eager, offsets),
                (None, Some(kept)) => session.count_spans(&job, order.get(), kept, offsets),
                (None, None) => session.count(view, &job, order.get(), offsets),
            }
        })?;
        counts.finish(of);
        self.report.counts += 1;
        self.report.took(Phase::Count, start);
        Ok(())
    }

    /// Delivers the rows counted last; returns how many entries they have.
    fn deliver<T: Precision>(
        &mut self,
        session: &mut Session<T>,
        lists: &mut Lists,
        ask: &Ask,
        deliver: &mut Deliver,
    ) -> Result<i64> {
        let total = self.found.counts.get().total;
        match deliver {
            Deliver::Count | Deliver::Verlet | Deliver::Chunks { .. } => {}
            Deliver::Own(layout) => self.fill_own(session, lists, ask, *layout)?,
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
                self.fill(session, ask, *layout, [Some(ids.again()), left])?;
            }
        }
        Ok(total)
    }

    /// Fills the ids of all rows into the first of `rows`, and the left points into the second, each where it is given; both
    /// have room.
    pub fn fill<T: Precision>(
        &mut self,
        session: &mut Session<T>,
        ask: &Ask,
        layout: Layout,
        rows: [Option<Rows>; 2],
    ) -> Result<()> {
        self.found.place_rows(self.inputs, ask.kind, layout)?;
        let start = Instant::now();
        let entries = self.found.counts.get().total as usize;
        rows.iter().flatten().for_each(|rows| rows.prefer_huge_pages(entries));
        let order = self.found.order.get();
        let job = job(self.inputs, self.plan, self.team, order, ask)?;
        let output = self.found.output(self.inputs, ask.kind, ask.base, layout);
        let [ids, left] = rows;
        self.report.fills += i64::from(ids.is_some());
        match (ids, &mut self.device) {
            (None, _) => output.fill_left(self.team, left)?,
            (Some(ids), _) if ask.from_verlet => {
                session.fill_from_verlet(&job, order, output, ids)?;
                output.fill_left(self.team, left)?;
            }
            (Some(ids), Some(device)) => device.gpu()?.fill(self.team, Want { output, ids, left })?,
            (Some(ids), None) => session.fill(&job, order, output, ids, left)?,
        }
        self.report.took(Phase::Fill, start);
        Ok(())
    }

    /// Sets how much memory a result may take on the GPU, and refuses offsets that take more.
    fn limit_memory(&mut self, kept: Option<usize>) -> Result<()> {
        let offsets = 8 * (self.inputs.everyone() as u64 + 1);
        self.inputs.check_limit("the array of offsets", offsets)?;
        let limit = self.inputs.settings.memory_limit;
        if let Some(device) = &mut self.device {
            let left = |limit| kept.map_or(limit - offsets, |kept| kept as u64);
            device.gpu()?.set_memory_limit(limit.map(left));
        }
        Ok(())
    }
}

/// What a step is asked for.
pub(super) fn job<'a>(
    inputs: &'a Inputs,
    plan: &'a Plan,
    team: &'a Team,
    order: &'a Order,
    ask: &Ask,
) -> Result<Job<'a>> {
    let counts = inputs.counts();
    Ok(Job {
        plan,
        team,
        kind: ask.kind,
        classes: inputs.kinds.classes(counts, classes_of(ask.kind), order)?,
        kinds: inputs.kinds.version(),
        radii: &inputs.radii,
        counts,
        cutoff: ask.cutoff,
        tie_rule: inputs.settings.tie_rule,
        base: ask.base,
        memory_limit: inputs.settings.memory_limit,
        is_listed: ask.is_listed,
        has_points: !inputs.borrowed,
    })
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
