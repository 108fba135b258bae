//! Friends-of-friends: a label per point, out of the index along the curve.

mod primary;

use std::mem::take;
use std::time::Instant;

pub(super) use primary::Attached;

use super::session::{Precision, Session, Sessions, radius};
use super::{Phase, Search};
use crate::cpu::fof::{Fof as CpuFof, Scratch};
use crate::error::{Error, Result, Status};
use crate::gpu::{Gpu, Linked, Links};
use crate::groups::{self, Groups, Properties, Source};
use crate::kinds::Primary;
use crate::list::{Rows, resize_discarding};
use crate::plan::{Backend, Plan, Settings};
use crate::threads::Team;

/// Which group each point is in.
#[derive(Clone, Copy, Debug)]
pub struct Fof<'a> {
    /// For each point the one of its group that has the smallest number, or where points have global ids the smallest of
    /// these; in the handle's index base.
    pub labels: &'a [i32],
    /// Number of groups, points alone among them.
    pub groups: usize,
}

/// What was found last, and what finding needs.
#[derive(Debug, Default)]
pub(super) struct Found {
    labels: Vec<i32>,
    /// Of the labels there are, for the points and settings of now.
    count: Option<usize>,
    scratch: Scratch,
    groups: groups::Held,
    /// The groups are those of the labels.
    grouped: bool,
}

impl Found {
    /// The labels are those of other points or settings.
    pub fn forget(&mut self) {
        (self.count, self.grouped) = (None, false);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.labels.capacity() * size_of::<i32>() + self.scratch.bytes() + self.groups.bytes()
    }
}

/// What is asked of a session.
pub(super) struct Job<'a> {
    pub plan: &'a Plan,
    pub settings: &'a Settings,
    /// Points; queries stand behind them.
    pub len: usize,
    pub global_ids: Option<&'a [i64]>,
    pub primary: Option<Primary<'a>>,
    pub team: &'a Team,
}

impl Search {
    /// The groups of friends of friends: points are friends if they are a pair within the cutoff, which is the linking length,
    /// by the tie rule; groups are what chains of friends connect. In memory of the handle, made once for the points and
    /// settings of now.
    ///
    /// Every point is in a group, ghosts as well, whatever its type (see [`set_primary_types`](Search::set_primary_types)).
    /// Queries are no points. A GPU finds the same labels; groups of primary types are searched on the CPU, for now.
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
        let n = self.check_fof()?;
        if self.fof.count.is_none() {
            let mut labels = take(&mut self.fof.labels);
            let count = resize_discarding(&mut labels, n, 0, "the labels of the points")
                .and_then(|()| self.fof_into_rows(Rows::new(&mut labels)));
            self.fof.labels = labels;
            self.fof.count = Some(count?);
        }
        Ok(Fof {
            labels: &self.fof.labels,
            groups: self.fof.count.unwrap_or_default(),
        })
    }

    /// Writes the labels of [`fof`](Search::fof) to `labels`, as many as there are points, and returns how many groups there
    /// are. On failure nothing is written.
    pub fn fof_into(&mut self, labels: &mut [i32]) -> Result<usize> {
        let n = self.check_fof()?;
        crate::displacement::check_len("the length of labels", labels.len(), n)?;
        self.fof_into_rows(Rows::new(labels))
    }

    /// Which types of points link (`primary[t]` for type `t`): points of other types attach to the group of the nearest point
    /// that does, if it is within the cutoff, of equally near ones to that of the smaller number or global id; they connect
    /// nothing. None (default): points of all types link. Checked against the types by the next search for groups; other
    /// queries do not know of it. On failure nothing changes.
    pub fn set_primary_types(&mut self, primary: &[bool]) -> Result<()> {
        self.kinds.set_primary(primary)?;
        self.forget(false);
        Ok(())
    }

    /// The groups of at least `min_size` points (1 or more), with sums over their members. `T` is the precision of the points set,
    /// and of what is told of them; results are in real64. Labels are those of [`fof`](Search::fof), found where they are not
    /// there yet.
    ///
    /// Positions are taken relative to the label, to the nearest image. Sums are exact and rounded once, so the same for any
    /// number of threads; they may be infinite.
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
        let base = self.settings.index_base;
        properties.check(self.check_fof()?, self.dim(), base)?;
        self.fof()?;
        let team = self.team_for(self.len)?;
        let mut made = take(&mut self.fof.groups);
        self.fof.grouped = false;
        let result = self.held::<T>().and_then(|points| {
            let source = Source {
                points,
                labels: &self.fof.labels,
                global_ids: self.global_ids.by_point(self.len)?,
                properties: *properties,
                base,
            };
            made.make(&source, least, &team)
        });
        self.fof.groups = made;
        self.fof.grouped = result.is_ok();
        result.map(|()| self.fof.groups.show())
    }

    /// The groups found last, for the points and settings of now.
    pub(crate) fn groups_held(&self) -> Result<Groups<'_>> {
        match self.fof.grouped {
            true => Ok(self.fof.groups.show()),
            false => Err(Error::BadState {
                missing: "groups",
                remedy: "groups_find (or groups)",
            }),
        }
    }

    /// How many labels there are, once all is checked that needs no search.
    pub(crate) fn check_fof(&self) -> Result<usize> {
        self.check_points_held()?;
        if self.radii.are_set() {
            return Err(Error::NotSupported {
                what: "a radius per point, for groups",
            });
        }
        self.global_ids.by_point(self.len)?;
        if self.kinds.primary_of(self.len)?.is_some() {
            plan_primary(&self.settings, self.len, self.in_parallel)?;
        }
        match &self.session {
            Sessions::F32(s) => s.check_linking(&self.settings)?,
            Sessions::F64(s) => s.check_linking(&self.settings)?,
            Sessions::None => {}
        }
        Ok(self.len)
    }

    /// [`fof_into`](Search::fof_into) for memory that need not be initialised, all of it checked.
    pub(crate) fn fof_into_rows(&mut self, mut labels: Rows) -> Result<usize> {
        self.check_fof()?;
        self.stream = None;
        self.seconds = [0.0; 6];
        let start = Instant::now();
        let mut found = self.attempt_fof(labels.again());
        if let Err(error) = &found
            && self.gives_up_gpu(error)
        {
            found = self.attempt_fof(labels);
        }
        self.take_gpu_seconds();
        self.seconds[Phase::Total as usize] = start.elapsed().as_secs_f64();
        self.fills += i64::from(found.is_ok());
        found
    }

    fn attempt_fof(&mut self, labels: Rows) -> Result<usize> {
        let plan = match self.kinds.primary_of(self.len)? {
            None => self.decide(None)?,
            Some(_) => plan_primary(&self.settings, self.len, self.in_parallel)?,
        };
        (self.plan, self.asked_tree) = (Some(plan), true);
        let team = Team::new(plan.threads)?;
        let (mut session, mut scratch) = (take(&mut self.session), take(&mut self.fof.scratch));
        let mut gpu = self.gpu.take();
        let job = self.fof_job(&plan, &team);
        let found = job.and_then(|job| {
            let on_gpu = gpu.as_deref_mut().filter(|_| plan.backend == Backend::Gpu);
            match (&mut session, on_gpu) {
                (Sessions::F32(s), Some(gpu)) => s.groups_on_gpu(gpu, &job, &mut scratch, labels),
                (Sessions::F64(s), Some(gpu)) => s.groups_on_gpu(gpu, &job, &mut scratch, labels),
                (Sessions::F32(s), None) => s.groups(&job, &mut scratch, labels),
                (Sessions::F64(s), None) => s.groups(&job, &mut scratch, labels),
                (Sessions::None, _) => Ok(Made::default()),
            }
        });
        (self.session, self.fof.scratch, self.gpu) = (session, scratch, gpu);
        let Made { groups, built, seconds } = found?;
        self.index_builds += i64::from(built);
        for (phase, seconds) in [Phase::Index, Phase::Fill].into_iter().zip(seconds) {
            self.seconds[phase as usize] = seconds;
        }
        Ok(groups)
    }

    fn fof_job<'a>(&'a self, plan: &'a Plan, team: &'a Team) -> Result<Job<'a>> {
        Ok(Job {
            plan,
            settings: &self.settings,
            len: self.len,
            global_ids: self.global_ids.by_point(self.len)?,
            primary: self.kinds.primary_of(self.len)?,
            team,
        })
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

    /// On a GPU; its clock tells the seconds.
    fn groups_on_gpu(&mut self, gpu: &mut Gpu, job: &Job, scratch: &mut Scratch, labels: Rows) -> Result<Made> {
        let links = Links {
            view: self.points.view(),
            version: self.points.versions()[0],
            len: job.len,
            periods: self.points.periods(),
            bound: radius::<T>(job.settings)?.1,
            base: job.settings.index_base as i32,
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
    fn check_linking(&self, settings: &Settings) -> Result<()> {
        let (cutoff, _) = radius::<T>(settings)?;
        self.points.periods().check_cutoff(T::from_f64(cutoff))
    }

    /// Builds the index that is not there yet; whether it was not.
    fn index_groups(&mut self, job: &Job) -> Result<bool> {
        match &job.primary {
            None => self.knn.index_points(&self.points, job.len, job.team),
            Some(primary) => {
                self.attached.index(&self.points, primary, job)?;
                Ok(true)
            }
        }
    }

    fn find_groups(&mut self, job: &Job, scratch: &mut Scratch, labels: Rows) -> Result<usize> {
        let (_, bound) = radius::<T>(job.settings)?;
        let base = job.settings.index_base as i32;
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

/// Decides where points of some types link only, which GPUs cannot do yet: forced, that is refused; `auto` takes the CPU.
fn plan_primary(settings: &Settings, len: usize, in_parallel: fn() -> bool) -> Result<Plan> {
    let why = Some("auto: groups of primary types are searched on the CPU");
    Plan::new(settings, len, in_parallel, why, |_| {
        Err(Error::NotSupported {
            what: "backend gpu for groups of primary types",
        })
    })
}
