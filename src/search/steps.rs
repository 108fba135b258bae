//! The steps of a query: index, count, fill, each done where it is not there yet.

use std::time::Instant;

use super::session::Sessions;
use super::{Counted, NeighborsKind, Phase, Search};
use crate::error::{Error, Result};
use crate::list::{Rows, fill_left, resize_discarding, scan};
use crate::plan::Plan;
use crate::threads::Team;

impl Search {
    /// Index and count where they are not there yet, then `finish` with the total.
    pub(super) fn query<R>(
        &mut self,
        kind: NeighborsKind,
        finish: impl FnOnce(&mut Search, &Team, i64) -> Result<R>,
    ) -> Result<R> {
        if matches!(self.session, Sessions::None) || (self.borrowed && !self.indexed) {
            return Err(Error::BadState {
                missing: "points",
                remedy: "set_points",
            });
        }
        self.settings.cutoff()?;
        self.seconds = [0.0; 6];
        let (start, plan) = (Instant::now(), self.plan()?);
        let team = Team::new(plan.threads)?;
        if !self.indexed {
            self.timed(Phase::Index, |search| match &mut search.session {
                Sessions::F32(s) => s.build(None, &search.settings, &team),
                Sessions::F64(s) => s.build(None, &search.settings, &team),
                Sessions::None => Ok(()),
            })?;
            (self.indexed, self.index_builds) = (true, self.index_builds + 1);
        }
        let total = match self.counted {
            Some(counted) if counted.kind == kind => counted.total,
            _ => self.count(&plan, &team, kind)?,
        };
        let result = finish(self, &team, total);
        self.seconds[Phase::Total as usize] = start.elapsed().as_secs_f64();
        result
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
        self.counted.map_or(0, |counted| counted.total as usize)
    }

    pub(super) fn plan(&mut self) -> Result<Plan> {
        let plan = Plan::new(&self.settings, self.len, self.in_parallel)?;
        self.plan = Some(plan);
        Ok(plan)
    }

    /// Drops what was counted, and with `index` the index too.
    pub(super) fn forget(&mut self, index: bool) {
        self.indexed &= !index;
        self.counted = None;
        self.listed = None;
        self.left_listed = false;
    }

    /// Counts rows into offsets; returns the total.
    pub(super) fn count(&mut self, plan: &Plan, team: &Team, kind: NeighborsKind) -> Result<i64> {
        self.forget(false);
        self.timed(Phase::Count, |search| {
            resize_discarding(&mut search.offsets, search.len + 1, 0, "the offsets of the result")?;
            search.offsets[0] = 0;
            let (settings, lengths) = (&search.settings, &mut search.offsets[1..]);
            match &mut search.session {
                Sessions::F32(s) => s.count(plan, settings, kind, team, lengths)?,
                Sessions::F64(s) => s.count(plan, settings, kind, team, lengths)?,
                Sessions::None => {}
            }
            let total = scan(&mut search.offsets, search.settings.index_base);
            search.counted = Some(Counted { kind, total });
            search.counts += 1;
            Ok(total)
        })
    }

    /// Fills the ids of all rows into `rows`, which has room for them.
    pub(super) fn fill(&mut self, team: &Team, kind: NeighborsKind, rows: Rows) -> Result<()> {
        let Some(plan) = self.plan else { return Ok(()) };
        self.fills += 1;
        self.timed(Phase::Fill, |search| {
            let (settings, offsets) = (&search.settings, &search.offsets);
            match &mut search.session {
                Sessions::F32(s) => s.fill(&plan, settings, kind, team, offsets, rows),
                Sessions::F64(s) => s.fill(&plan, settings, kind, team, offsets, rows),
                Sessions::None => Ok(()),
            }
        })
    }

    /// The handle's own list of ids, if it is not the one wanted already.
    pub(super) fn fill_ids(&mut self, team: &Team, kind: NeighborsKind, total: i64) -> Result<()> {
        let wanted = Some(Counted { kind, total });
        if self.listed != wanted {
            (self.listed, self.left_listed) = (None, false);
            let mut ids = std::mem::take(&mut self.ids);
            let filled = resize_discarding(&mut ids, total as usize, 0, "the list of ids")
                .and_then(|()| self.fill(team, kind, Rows::new(&mut ids)));
            self.ids = ids;
            filled?;
            self.listed = wanted;
        }
        Ok(())
    }

    /// The handle's own list of left points.
    pub(super) fn fill_left_list(&mut self, team: &Team, total: i64) -> Result<()> {
        if !self.left_listed {
            resize_discarding(&mut self.left, total as usize, 0, "the list of left points")?;
            fill_left(team, &self.offsets, self.settings.index_base, Rows::new(&mut self.left))?;
            self.left_listed = true;
        }
        Ok(())
    }
}
