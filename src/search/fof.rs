//! Friends-of-friends groups: a label for each point, found with the index along the curve.

mod primary;

use std::time::Instant;

use super::counted::Run;
use super::inputs::{Asked, Inputs};
use super::made_from::FofOf;
use super::precision::{Family, InPrecision};
use super::report::Phase;
use super::session::Session;
use crate::cpu::fof::{Fof as CpuFof, Scratch};
use crate::error::{Error, Result};
use crate::gpu::{Asking, Gpu, Linked, Links};
use crate::groups::{self, Groups, Properties, Source};
use crate::list::{Rows, holds, resize_discarding};
use crate::plan::Plan;
use crate::points::Precision;
use crate::threads::Team;
use crate::version::Derived;
use primary::{Attached, FofJob};

/// The group of each point.
#[derive(Clone, Copy, Debug)]
pub struct Fof<'a> {
    /// For each point, the label of its group: the group's point with the smallest number, or with the smallest global id if
    /// points have them; in the handle's index base.
    pub labels: &'a [i32],
    /// Number of groups, including groups of a single point.
    pub groups: usize,
}

/// The state of a handle for groups: the last result, and scratch.
#[derive(Debug, Default)]
pub struct FofState {
    labels: Derived<FofOf, Labeled>,
    catalogue: Derived<FofOf, groups::HeldGroups>,
    scratch: Scratch,
    attached: InPrecision<OfAttached>,
}

holds! { FofState { labels, catalogue, scratch, attached } }

/// Points of which only some link, in all precisions.
#[derive(Debug)]
struct OfAttached;

impl Family for OfAttached {
    type Of<T: Precision> = Attached<T>;
}

/// Labels, and the number of groups.
#[derive(Debug, Default)]
struct Labeled {
    labels: Vec<i32>,
    groups: usize,
}

holds! { Labeled { labels; groups } }

/// Refuses a search for groups that cannot be answered, as far as can be said before it.
pub fn check<T: Precision>(inputs: &Inputs, session: &Session<T>) -> Result<()> {
    if inputs.radii.are_set() {
        return Err(Error::NotSupported {
            what: "a search for groups with radii",
        });
    }
    inputs.check_no_cell()?;
    inputs.check_all_take_part()?;
    inputs.ids.by_point(inputs.len)?;
    if inputs.ids.are_shared() {
        return Err(Error::NotSupported {
            what: "groups of points that share global ids (set_ids)",
        });
    }
    inputs.kinds.primary_of(inputs.len)?;
    inputs.check_backend(Asked::Groups)?;
    let (cutoff, _) = inputs.radius::<T>()?;
    session.points.periods().check_cutoff(T::from_f64(cutoff))
}

impl FofState {
    /// Whether labels of `of` are there.
    pub fn has(&self, of: &FofOf) -> bool {
        self.labels.is_of(of)
    }

    /// Takes the memory of the labels, for `n` new ones.
    pub fn take_labels(&mut self, n: usize) -> Result<Vec<i32>> {
        let mut labels = std::mem::take(&mut self.labels.begin().labels);
        resize_discarding(&mut labels, n, 0, "the labels of the points")?;
        Ok(labels)
    }

    /// Keeps labels made from `of`, and the number of groups.
    pub fn keep_labels(&mut self, of: FofOf, labels: Vec<i32>, groups: usize) {
        *self.labels.begin() = Labeled { labels, groups };
        self.labels.finish(of);
    }

    /// The labels last kept.
    pub fn show(&self) -> Fof<'_> {
        let Labeled { labels, groups } = self.labels.get();
        Fof {
            labels,
            groups: *groups,
        }
    }

    /// Makes the catalogue of the groups that were found.
    pub fn make_catalogue<T: Precision>(
        &mut self,
        inputs: &Inputs,
        session: &Session<T>,
        least: u64,
        properties: &Properties<T>,
    ) -> Result<Groups<'_>> {
        let FofState { labels, catalogue, .. } = self;
        let source = Source {
            points: &session.points,
            labels: &labels.get().labels,
            global_ids: inputs.ids.by_point(inputs.len)?,
            properties: *properties,
            base: inputs.settings.index_base,
        };
        catalogue.begin().make(&source, least, &inputs.team_for(inputs.len)?)?;
        catalogue.finish(inputs.fof_of(session.points.stamp()));
        Ok(catalogue.get().show())
    }

    /// The catalogue made last, if it is of `of`.
    pub fn catalogue(&self, of: &FofOf) -> Result<Groups<'_>> {
        match self.catalogue.is_of(of) {
            true => Ok(self.catalogue.get().show()),
            false => Err(Error::BadState {
                missing: "groups for the current points and settings",
                remedy: "groups_find",
            }),
        }
    }

    /// Forgets what is of a precision.
    pub fn forget(&mut self) {
        self.attached = InPrecision::None;
    }

    /// Finds the labels; returns the number of groups.
    pub fn find<T: Precision>(
        &mut self,
        run: &mut Run,
        inputs: &Inputs,
        (plan, team): (&Plan, &Team),
        session: &mut Session<T>,
        labels: Rows,
    ) -> Result<usize> {
        let primary = inputs.kinds.primary_of(inputs.len)?;
        let job = FofJob {
            plan,
            inputs,
            len: inputs.len,
            global_ids: match primary.is_none() && inputs.ghosts > 0 && inputs.ids.front() >= inputs.owned() {
                // Ranks compare the ids of ghosts by themselves.
                true => None,
                false => inputs.ids.by_point(inputs.len)?,
            },
            primary,
            team,
        };
        let (start, seconds) = (Instant::now(), &mut run.report.seconds);
        let (groups, built) = match &mut run.device {
            Some(device) => {
                let Linked { groups, built } = self.link_on(device.gpu()?, &job, session, labels)?;
                (groups, built) // with times by its clock
            }
            None => {
                let built = match &job.primary {
                    None => session.index_curve(job.len, None, team)?,
                    Some(primary) => {
                        self.attached.of::<T>()?.index(&session.points, primary, &job)?;
                        true
                    }
                };
                let indexed = start.elapsed().as_secs_f64();
                let groups = self.link(&job, session, labels)?;
                seconds[Phase::Index as usize] = indexed;
                seconds[Phase::Fill as usize] = start.elapsed().as_secs_f64() - indexed;
                (groups, built)
            }
        };
        run.report.index_builds += i64::from(built);
        run.report.fills += 1;
        Ok(groups)
    }

    /// On a GPU.
    fn link_on<T: Precision>(
        &mut self,
        gpu: &mut Gpu,
        job: &FofJob,
        session: &Session<T>,
        labels: Rows,
    ) -> Result<Linked> {
        let view = session.points.view();
        let links = Links {
            asking: Asking {
                view: &view,
                stamp: session.points.stamp(),
                periods: session.points.periods(),
                points: job.len,
                of_queries: false,
            },
            bound: job.inputs.radius::<T>()?.1,
            base: job.inputs.settings.index_base as i32,
        };
        match job.global_ids {
            None => gpu.link(job.team, &links, labels),
            Some(ids) => (self.scratch).relabel(job.team, ids, links.base, labels, |roots| {
                gpu.link(job.team, &Links { base: 0, ..links }, roots)
            }),
        }
    }

    /// On the CPU.
    fn link<T: Precision>(&mut self, job: &FofJob, session: &Session<T>, labels: Rows) -> Result<usize> {
        let (_, bound) = job.inputs.radius::<T>()?;
        let base = job.inputs.settings.index_base as i32;
        labels.prefer_huge_pages(job.len);
        if job.primary.is_some() {
            return self
                .attached
                .of::<T>()?
                .find(bound, base, job, &mut self.scratch, labels);
        }
        let search = CpuFof {
            tree: session.curve(),
            periods: session.points.periods(),
            bound,
            global_ids: job.global_ids,
            base,
            isa: job.plan.isa,
        };
        search.run(job.team, &mut self.scratch, labels)
    }
}
