//! Friends-of-friends groups: a label for each point, found with the index along the curve.

mod primary;

use std::mem::take;
use std::time::Instant;

pub(super) use primary::Attached;

use super::held::held;
use super::inputs::Inputs;
use super::made_from::FofOf;
use super::session::{Precision, Session, in_precision, radius};
use super::{Phase, Search};
use crate::cpu::fof::{Fof as CpuFof, Scratch};
use crate::error::{Error, Result, Status};
use crate::gpu::{Asking, Gpu, Linked, Links};
use crate::groups::{self, Groups, Properties, Source};
use crate::kinds::Primary;
use crate::list::{Rows, holds, resize_discarding};
use crate::plan::{Plan, Query};
use crate::threads::Team;
use crate::version::Derived;

/// The group of each point.
#[derive(Clone, Copy, Debug)]
pub struct Fof<'a> {
    /// For each point, the label of its group: the group's point with the smallest number, or with the smallest global id if
    /// points have them; in the handle's index base.
    pub labels: &'a [i32],
    /// Number of groups, including groups of a single point.
    pub groups: usize,
}

/// The last result, and scratch memory of the search.
#[derive(Debug, Default)]
pub(super) struct Found {
    labels: Derived<FofOf, Labels>,
    scratch: Scratch,
    groups: Derived<FofOf, groups::Held>,
}

holds! { Found { labels, scratch, groups } }

/// Labels, and the number of groups.
#[derive(Debug, Default)]
struct Labels {
    labels: Vec<i32>,
    groups: usize,
}

holds! { Labels { labels; groups } }

/// The inputs of a search for groups.
pub(super) struct Job<'a> {
    pub plan: &'a Plan,
    pub inputs: &'a Inputs,
    /// Points; queries stand behind them.
    pub len: usize,
    pub global_ids: Option<&'a [i64]>,
    pub primary: Option<Primary<'a>>,
    pub team: &'a Team,
}

impl Search {
    /// Finds friends-of-friends groups. Two points are friends if they are a pair within the cutoff, which is the linking length,
    /// by the tie rule. A group is a set of points connected by chains of friends. The labels are in memory of the handle; a
    /// repeated call does not repeat the search.
    ///
    /// Every point belongs to a group, including ghosts, whatever its type (but see
    /// [`set_primary_types`](Search::set_primary_types)). Queries are not included. A GPU finds the same labels; groups with
    /// primary types run on the CPU only.
    ///
    /// ```
    /// use neargrid::{PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.0)?;
    /// search.set_points(&PointsView::interleaved(1, &[2.0, 9.0, 0.0, 1.0])?)?;
    /// let fof = search.fof()?;
    /// assert_eq!((fof.labels, fof.groups), (&[0, 1, 0, 0][..], 2));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn fof(&mut self) -> Result<Fof<'_>> {
        const WHAT: &str = "the labels of the points";
        let n = self.check_fof()?;
        let of = self.inputs.fof_of(self.sessions.stamp());
        if !self.fof.labels.is_of(&of) {
            self.inputs.check_limit(WHAT, (n * size_of::<i32>()) as u64)?;
            let mut labels = take(&mut self.fof.labels.begin().labels); // their memory, for the new ones
            resize_discarding(&mut labels, n, 0, WHAT)?;
            let groups = self.fof_into_rows(Rows::new(&mut labels))?;
            *self.fof.labels.begin() = Labels { labels, groups };
            self.fof.labels.finish(of);
        }
        let Labels { labels, groups } = self.fof.labels.get();
        Ok(Fof {
            labels,
            groups: *groups,
        })
    }

    /// Copies the labels of [`fof`](Search::fof) to `labels`, which has one element for each point, and returns the number of
    /// groups. On failure nothing is written.
    pub fn fof_into(&mut self, labels: &mut [i32]) -> Result<usize> {
        let n = self.check_fof()?;
        crate::arguments::check_len("the length of labels", labels.len(), n)?;
        self.fof_into_rows(Rows::new(labels))
    }

    /// Sets which types link into groups (`primary[t]` for type `t`). A point of another type connects nothing: it joins the
    /// group of the nearest linking point within the cutoff; among equally near ones, of the one with the smaller number or
    /// global id. An empty slice (default) means that points of all types link. Only searches for groups use this setting, and
    /// check that it matches the types. On failure the previous setting remains.
    pub fn set_primary_types(&mut self, primary: &[bool]) -> Result<()> {
        self.inputs.kinds.set_primary(primary)
    }

    /// The groups with at least `min_size` points (1 or more), with sums over their members. `T` is the precision of the points,
    /// masses and velocities; results are `f64`. The labels are those of [`fof`](Search::fof), which are searched if necessary.
    ///
    /// Positions are taken relative to the label, at the nearest image. Sums are exact and rounded once, so that they do not
    /// depend on threads. They may be infinite.
    ///
    /// ```
    /// use neargrid::{PointsView, Properties, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.0)?;
    /// search.set_box(&[0.0], &[10.0], &[true])?;
    /// search.set_points(&PointsView::interleaved(1, &[9.5, 5.0, 0.0])?)?;
    /// let groups = search.groups::<f64>(2, &Properties::default())?;
    /// assert_eq!((groups.labels, groups.order), (&[0][..], &[0, 2, 1][..]));
    /// assert_eq!((groups.centers, groups.radii), (&[9.75][..], &[0.25][..]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn groups<T: Precision>(&mut self, min_size: i64, properties: &Properties<T>) -> Result<Groups<'_>> {
        self.held::<T>()?;
        let Some(least) = u64::try_from(min_size).ok().filter(|&size| size > 0) else {
            let allowed = "at least 1";
            return Err(Error::not_allowed(Status::BadCount, "min_size", min_size, allowed));
        };
        let base = self.inputs.settings.index_base;
        properties.check(self.check_fof()?, self.dim(), base)?;
        self.fof()?;
        let (inputs, of) = (&self.inputs, self.inputs.fof_of(self.sessions.stamp()));
        let Found { labels, groups, .. } = &mut self.fof;
        let source = Source {
            points: held::<T>(&self.sessions)?,
            labels: &labels.get().labels,
            global_ids: inputs.ids.by_point(inputs.len)?,
            properties: *properties,
            base,
        };
        groups.begin().make(&source, least, &inputs.team_for(inputs.len)?)?;
        groups.finish(of);
        Ok(groups.get().show())
    }

    /// The groups found last, for the current points and settings.
    pub(crate) fn groups_held(&self) -> Result<Groups<'_>> {
        let of = self.inputs.fof_of(self.sessions.stamp());
        match self.fof.groups.is_of(&of) {
            true => Ok(self.fof.groups.get().show()),
            false => Err(Error::BadState {
                missing: "groups for the current points and settings",
                remedy: "groups_find",
            }),
        }
    }

    /// The number of labels, after all checks that need no search.
    pub(crate) fn check_fof(&self) -> Result<usize> {
        self.check_points_held()?;
        let inputs = &self.inputs;
        if inputs.radii.are_set() {
            return Err(Error::NotSupported {
                what: "a search for groups with radii",
            });
        }
        inputs.ids.by_point(inputs.len)?;
        if inputs.kinds.primary_of(inputs.len)?.is_some() {
            plan_primary(inputs)?;
        }
        in_precision!(&self.sessions, s => s.check_linking(inputs)?, none => ());
        Ok(inputs.len)
    }

    /// [`fof_into`](Search::fof_into) for memory that need not be initialised, all of it checked.
    pub(crate) fn fof_into_rows(&mut self, mut labels: Rows) -> Result<usize> {
        self.check_fof()?;
        self.report.begin();
        let start = Instant::now();
        let mut found = self.attempt_fof(labels.again());
        if let Err(error) = &found
            && self.gives_up_gpu(error)
        {
            found = self.attempt_fof(labels);
        }
        self.report.end(start, &mut self.device);
        self.report.fills += i64::from(found.is_ok());
        found
    }

    fn attempt_fof(&mut self, labels: Rows) -> Result<usize> {
        let plan = match self.inputs.kinds.primary_of(self.inputs.len)? {
            None => self.decide(None)?,
            Some(_) => plan_primary(&self.inputs)?,
        };
        (self.report.plan, self.report.asked_tree) = (Some(plan), true);
        let (team, inputs, scratch) = (Team::new(plan.threads)?, &self.inputs, &mut self.fof.scratch);
        let job = Job {
            plan: &plan,
            inputs,
            len: inputs.len,
            global_ids: inputs.ids.by_point(inputs.len)?,
            primary: inputs.kinds.primary_of(inputs.len)?,
            team: &team,
        };
        let device = self.device.planned(&plan);
        let Made { groups, built, seconds } = in_precision!(&mut self.sessions, s => match device {
            Some(device) => s.groups_on_gpu(device.gpu()?, &job, scratch, labels)?,
            None => s.groups(&job, scratch, labels)?,
        }, none => return Err(Error::NO_POINTS));
        self.report.tested(&team);
        self.report.index_builds += i64::from(built);
        for (phase, seconds) in [Phase::Index, Phase::Fill].into_iter().zip(seconds) {
            self.report.seconds[phase as usize] = seconds;
        }
        Ok(groups)
    }
}

/// What was done for labels.
#[derive(Default)]
struct Made {
    groups: usize,
    /// An index was made.
    built: bool,
    /// For the index, and for all else, by the host's clock.
    seconds: [f64; 2],
}

impl<T: Precision> Session<T> {
    /// On the CPU.
    fn groups(&mut self, job: &Job, scratch: &mut Scratch, labels: Rows) -> Result<Made> {
        let start = Instant::now();
        let built = self.index_groups(job)?;
        let indexed = start.elapsed().as_secs_f64();
        let groups = self.find_groups(job, scratch, labels)?;
        let seconds = [indexed, start.elapsed().as_secs_f64() - indexed];
        Ok(Made { groups, built, seconds })
    }

    /// On a GPU, with times by its clock.
    fn groups_on_gpu(&mut self, gpu: &mut Gpu, job: &Job, scratch: &mut Scratch, labels: Rows) -> Result<Made> {
        let view = self.points.view();
        let links = Links {
            asking: Asking {
                view: &view,
                stamp: self.points.stamp(),
                periods: self.points.periods(),
                points: job.len,
                of_queries: false,
            },
            bound: radius::<T>(job.inputs)?.1,
            base: job.inputs.settings.index_base as i32,
        };
        let Linked { groups, built } = match job.global_ids {
            None => gpu.link(job.team, &links, labels)?,
            Some(ids) => scratch.relabel(job.team, ids, links.base, labels, |roots| {
                gpu.link(job.team, &Links { base: 0, ..links }, roots)
            })?,
        };
        Ok(Made {
            groups,
            built,
            ..Made::default()
        })
    }

    /// Refuses a cutoff that is none in this precision, or too large for the box.
    fn check_linking(&self, inputs: &Inputs) -> Result<()> {
        let (cutoff, _) = radius::<T>(inputs)?;
        self.points.periods().check_cutoff(T::from_f64(cutoff))
    }

    /// Builds the index that is not there yet; whether it was not.
    fn index_groups(&mut self, job: &Job) -> Result<bool> {
        match &job.primary {
            None => self.knn.index_points(&self.points, job.len, None, job.team),
            Some(primary) => {
                self.attached.index(&self.points, primary, job)?;
                Ok(true)
            }
        }
    }

    fn find_groups(&mut self, job: &Job, scratch: &mut Scratch, labels: Rows) -> Result<usize> {
        let (_, bound) = radius::<T>(job.inputs)?;
        let base = job.inputs.settings.index_base as i32;
        labels.prefer_huge_pages(job.len);
        if job.primary.is_some() {
            return self.attached.find(bound, base, job, scratch, labels);
        }
        let search = CpuFof {
            tree: self.knn.points_tree(),
            periods: self.points.periods(),
            bound,
            global_ids: job.global_ids,
            base,
            isa: job.plan.isa,
        };
        search.run(job.team, scratch, labels)
    }
}

/// The plan if only some types link, which GPUs cannot do yet: backend gpu is refused, and auto uses the CPU.
fn plan_primary(inputs: &Inputs) -> Result<Plan> {
    let why = Some("auto: groups with primary types are searched on the CPU");
    Plan::new(
        &inputs.settings,
        (inputs.len, Query::Neighbors),
        inputs.in_parallel,
        why,
        |_| {
            Err(Error::NotSupported {
                what: "backend gpu for groups with primary types",
            })
        },
    )
}
