//! The steps of a query: index, count, fill, each done where it is not there yet.

use std::mem::take;
use std::time::Instant;

use super::ids::Layout;
use super::session::{Job, Sessions};
use super::{Counted, NeighborsKind, Phase, Purpose, Search};
use crate::error::{Error, Result};
use crate::gpu::{Gpu, acquire};
use crate::list::{Rows, resize_discarding};
use crate::plan::{Backend, Plan};
use crate::threads::Team;

impl Search {
    /// Index and count where they are not there yet, then `finish` with the total. Where the backend was chosen automatically
    /// and the GPU fails, all of it again on the CPU.
    pub(super) fn query<R>(
        &mut self,
        kind: NeighborsKind,
        purpose: Purpose,
        finish: impl Fn(&mut Search, &Team, i64) -> Result<R>,
    ) -> Result<R> {
        if matches!(self.session, Sessions::None) || (self.borrowed && !self.indexed) {
            return Err(Error::BadState {
                missing: "points",
                remedy: "set_points",
            });
        }
        if !self.radii.are_set() {
            self.settings.cutoff()?;
        }
        self.check_radii(kind)?;
        self.seconds = [0.0; 6];
        let start = Instant::now();
        let mut result = self.attempt(kind, purpose, &finish);
        if let Err(error) = &result
            && self.gives_up_gpu(error)
            && !self.borrowed
        {
            result = self.attempt(kind, purpose, &finish);
        }
        self.take_gpu_seconds();
        self.seconds[Phase::Total as usize] = start.elapsed().as_secs_f64();
        result
    }

    /// Where a GPU worked, the phases' times are those of its own clock.
    pub(super) fn take_gpu_seconds(&mut self) {
        if let Some(gpu) = &mut self.gpu {
            let phases = [Phase::Upload, Phase::Index, Phase::Count, Phase::Fill, Phase::Download];
            for (phase, seconds) in phases.into_iter().zip(gpu.take_seconds()) {
                if seconds > 0.0 {
                    self.seconds[phase as usize] = seconds;
                }
            }
        }
    }

    fn attempt<R>(
        &mut self,
        kind: NeighborsKind,
        purpose: Purpose,
        finish: &impl Fn(&mut Search, &Team, i64) -> Result<R>,
    ) -> Result<R> {
        let lost = self.gpu.as_ref().is_some_and(|gpu| gpu.device().is_lost());
        let plan = self.plan()?;
        if self.borrowed && !self.indexed {
            // What was on the device lost, or on the backend changed, is gone, and so are the points.
            return Err(match lost {
                true => Error::DeviceLost {
                    reason: "with it went what was counted; search again".into(),
                },
                false => Error::BadState {
                    missing: "points",
                    remedy: "set_points",
                },
            });
        }
        let team = Team::new(plan.threads)?;
        self.limit_search(purpose)?;
        if self.has_skin(kind) && !purpose.is_chunks() {
            self.make_skin(kind)?;
            self.arrange(&team)?;
        } else if self.radii.are_set() {
            self.index_by_radii(&plan, &team, kind)?;
        } else if !self.indexed {
            self.timed(Phase::Index, |search| {
                search.arrange(&team)?;
                let gpu = search.gpu.as_deref_mut().filter(|_| plan.backend == Backend::Gpu);
                match &mut search.session {
                    Sessions::F32(s) => s.build(None, &search.settings, &team, gpu),
                    Sessions::F64(s) => s.build(None, &search.settings, &team, gpu),
                    Sessions::None => Ok(()),
                }
            })?;
            (self.indexed, self.index_builds) = (true, self.index_builds + 1);
        }
        let total = match self.counted {
            Some(counted) if counted.kind == kind => counted.total,
            _ => self.count(&plan, &team, kind, purpose)?,
        };
        finish(self, &team, total)
    }

    /// Builds the index by radii where it is not there yet.
    fn index_by_radii(&mut self, plan: &Plan, team: &Team, kind: NeighborsKind) -> Result<()> {
        let of_queries = kind == NeighborsKind::Queries;
        if self.indexed && self.indexed_for_queries == of_queries {
            return Ok(());
        }
        self.forget(true);
        self.timed(Phase::Index, |search| {
            search.arrange(team)?;
            let order = search.global_ids.order();
            let job = Job {
                plan,
                settings: &search.settings,
                kind,
                classes: None,
                radii: &search.radii,
                counts: [search.len, search.queries],
                team,
                rows: search.rows_of(kind),
            };
            let gpu = search.gpu.as_deref_mut().filter(|_| plan.backend == Backend::Gpu);
            match &mut search.session {
                Sessions::F32(s) => s.build_by_radii(&job, order, gpu),
                Sessions::F64(s) => s.build_by_radii(&job, order, gpu),
                Sessions::None => Ok(()),
            }
        })?;
        (self.indexed, self.indexed_for_queries) = (true, of_queries);
        self.index_builds += 1;
        Ok(())
    }

    /// Whether the GPU was chosen automatically and `error` says that it failed: then the CPU searches from now on, and
    /// what was on the device is forgotten.
    pub(super) fn gives_up_gpu(&mut self, error: &Error) -> bool {
        let failed = matches!(
            error,
            Error::DeviceLost { .. } | Error::OutOfMemory { .. } | Error::NoDevice { .. } | Error::NotSupported { .. }
        );
        let gives_up = failed
            && self
                .plan
                .is_some_and(|plan| plan.backend == Backend::Gpu && !plan.forced);
        if gives_up {
            self.gpu_failure = Some(error.to_string());
            self.drop_gpu();
            self.forget(true);
        }
        gives_up
    }

    /// Does `work` and keeps the time it took as that of `phase`.
    pub(super) fn timed<R>(&mut self, phase: Phase, work: impl FnOnce(&mut Search) -> R) -> R {
        let start = Instant::now();
        let result = work(self);
        self.seconds[phase as usize] = start.elapsed().as_secs_f64();
        result
    }

    /// Entries of the result counted last.
    pub(super) fn entries(&self) -> usize {
        let streamed = self.stream.as_ref().map_or(0, |stream| stream.total);
        self.counted.map_or(streamed, |counted| counted.total) as usize
    }

    /// Decides for a query of the index of cells.
    pub(super) fn plan(&mut self) -> Result<Plan> {
        let why = "auto: radii of points with global ids that do not ascend are searched on the CPU";
        let plan = self.decide(Some(why).filter(|_| self.radii_are_for_cpu()))?;
        if self.indexed_on != plan.backend {
            self.indexed_on = plan.backend;
            self.forget(true);
        }
        (self.plan, self.asked_tree) = (Some(plan), false);
        Ok(plan)
    }

    /// Decides, and makes sure that a GPU decided for is there. `cpu_only`: why one will not do.
    pub(super) fn decide(&mut self, cpu_only: Option<&'static str>) -> Result<Plan> {
        if self.gpu.as_ref().is_some_and(|gpu| gpu.device().is_lost()) {
            self.drop_gpu();
            self.forget(true);
        }
        let Search {
            settings,
            gpu,
            gpu_failure,
            ..
        } = self;
        let failed = gpu_failure.is_some().then_some("auto: no GPU that can be used");
        Plan::new(
            settings,
            self.len + self.queries,
            self.in_parallel,
            cpu_only.or(failed),
            |forced| {
                if gpu.is_none() {
                    let made = acquire(settings.wanted_device(), forced)
                        .and_then(|device| Gpu::new(device, settings.cells_per_cutoff()));
                    *gpu_failure = made.as_ref().err().filter(|_| !forced).map(Error::to_string);
                    *gpu = Some(Box::new(made?));
                }
                Ok(())
            },
        )
    }

    /// Gives back all memory on the GPU; what was made there still counts.
    pub(super) fn drop_gpu(&mut self) {
        self.gpu_allocations += self.allocations_of_gpu();
        self.gpu = None;
    }

    /// Buffers made for the GPU of now.
    pub(super) fn allocations_of_gpu(&self) -> u64 {
        self.gpu.as_ref().map_or(0, |gpu| gpu.allocations())
    }

    /// Drops what was counted or is delivered in chunks, and with `index` the index too.
    pub(super) fn forget(&mut self, index: bool) {
        self.indexed &= !index;
        self.arranged &= !index;
        self.placed_offsets.clear();
        self.stream = None;
        self.fof.forget();
        self.counted = None;
        self.listed = None;
        self.left_listed = false;
    }

    /// Counts rows into offsets; returns the total.
    pub(super) fn count(&mut self, plan: &Plan, team: &Team, kind: NeighborsKind, purpose: Purpose) -> Result<i64> {
        let listed = self.has_skin(kind) && !purpose.is_chunks();
        self.count_by(plan, team, kind, purpose, |search, job, offsets, gpu| {
            let kept = match purpose {
                Purpose::Chunks { kept } if gpu.is_none() => Some(kept),
                _ => None,
            };
            match (&mut search.session, kept) {
                (Sessions::F32(s), Some(kept)) if job.is_by_radii() => {
                    return s.count_spans_by_radii(job, offsets, kept);
                }
                (Sessions::F64(s), Some(kept)) if job.is_by_radii() => {
                    return s.count_spans_by_radii(job, offsets, kept);
                }
                (Sessions::F32(s), Some(kept)) => return s.count_spans(job, offsets, kept),
                (Sessions::F64(s), Some(kept)) => return s.count_spans(job, offsets, kept),
                _ => {}
            }
            match &mut search.session {
                Sessions::F32(s) if job.is_by_radii() => s.count_by_radii(job, offsets, gpu),
                Sessions::F64(s) if job.is_by_radii() => s.count_by_radii(job, offsets, gpu),
                Sessions::F32(s) if listed => s.count_listed(job, offsets),
                Sessions::F64(s) if listed => s.count_listed(job, offsets),
                Sessions::F32(s) => s.count(None, job, offsets, gpu),
                Sessions::F64(s) => s.count(None, job, offsets, gpu),
                Sessions::None => Ok(0),
            }
        })
    }

    /// [`count`](Search::count), with `run` to do it.
    pub(super) fn count_by(
        &mut self,
        plan: &Plan,
        team: &Team,
        kind: NeighborsKind,
        purpose: Purpose,
        run: impl FnOnce(&mut Search, &Job, &mut [i64], Option<(&mut Gpu, bool)>) -> Result<i64>,
    ) -> Result<i64> {
        self.forget(false);
        // A device may begin to fill before its host knows where rows stand, if they stand where it counted them.
        let eager = matches!(purpose, Purpose::Fill(layout) if self.plainest(kind, layout) != Layout::Rows);
        self.timed(Phase::Count, |search| {
            let rows = search.everyone();
            resize_discarding(&mut search.offsets, rows + 1, 0, "the offsets of the result")?;
            let (mut offsets, mut gpu) = (take(&mut search.offsets), search.gpu.take());
            let (settings, kinds) = (take(&mut search.settings), take(&mut search.kinds));
            let global_ids = take(&mut search.global_ids);
            let radii = take(&mut search.radii);
            let on_gpu = gpu.as_deref_mut().filter(|_| plan.backend == Backend::Gpu);
            let (rows_of, order) = (Search::classes_of(kind), global_ids.order());
            let classes = kinds.classes([search.len, search.queries], rows_of, order);
            let total = classes.and_then(|classes| {
                let job = Job {
                    plan,
                    settings: &settings,
                    kind,
                    classes: classes.as_ref(),
                    radii: &radii,
                    counts: [search.len, search.queries],
                    team,
                    rows: search.rows_of(kind),
                };
                run(search, &job, &mut offsets, on_gpu.map(|gpu| (gpu, eager)))
            });
            (search.offsets, search.gpu) = (offsets, gpu);
            (search.settings, search.kinds, search.global_ids) = (settings, kinds, global_ids);
            search.radii = radii;
            let total = total?;
            search.counted = Some(Counted { kind, total });
            search.counts += 1;
            Ok(total)
        })
    }

    /// Fills the ids of all rows into the first of `rows`, and the left points into the second, each where it is given; both
    /// have room.
    pub(super) fn fill(
        &mut self,
        team: &Team,
        kind: NeighborsKind,
        layout: Layout,
        rows: [Option<Rows>; 2],
    ) -> Result<()> {
        let Some(plan) = self.plan else { return Ok(()) };
        self.place_rows(kind, layout)?;
        self.fills += i64::from(rows[0].is_some());
        let listed = self.has_skin(kind);
        let entries = self.entries();
        rows.iter().flatten().for_each(|rows| rows.prefer_huge_pages(entries));
        self.timed(Phase::Fill, |search| {
            search.with_job(&plan, team, kind, |search, job, session, gpu| {
                let delivery = search.delivery(kind, layout);
                match session {
                    Sessions::F32(s) if job.is_by_radii() => s.fill_by_radii(job, delivery, rows, gpu),
                    Sessions::F64(s) if job.is_by_radii() => s.fill_by_radii(job, delivery, rows, gpu),
                    Sessions::F32(s) if listed => s.fill_listed(job, delivery, rows),
                    Sessions::F64(s) if listed => s.fill_listed(job, delivery, rows),
                    Sessions::F32(s) => s.fill(job, delivery, rows, gpu),
                    Sessions::F64(s) => s.fill(job, delivery, rows, gpu),
                    Sessions::None => Ok(()),
                }
            })
        })
    }

    /// Has `work` done with what is asked of rows of `kind`, the session, and the GPU where it is planned for.
    pub(super) fn with_job(
        &mut self,
        plan: &Plan,
        team: &Team,
        kind: NeighborsKind,
        work: impl FnOnce(&Search, &Job, &mut Sessions, Option<&mut Gpu>) -> Result<()>,
    ) -> Result<()> {
        let (mut session, mut gpu) = (take(&mut self.session), self.gpu.take());
        let (rows_of, order) = (Search::classes_of(kind), self.global_ids.order());
        let classes = (self.kinds).classes([self.len, self.queries], rows_of, order);
        let done = classes.and_then(|classes| {
            let job = Job {
                plan,
                settings: &self.settings,
                kind,
                classes: classes.as_ref(),
                radii: &self.radii,
                counts: [self.len, self.queries],
                team,
                rows: self.rows_of(kind),
            };
            let on_gpu = gpu.as_deref_mut().filter(|_| plan.backend == Backend::Gpu);
            work(self, &job, &mut session, on_gpu)
        });
        (self.session, self.gpu) = (session, gpu);
        done
    }
}

impl Purpose {
    fn is_chunks(self) -> bool {
        matches!(self, Purpose::Chunks { .. })
    }
}
