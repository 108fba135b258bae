//! Rows of many systems of points in one call.

use std::time::Instant;

use super::Search;
use crate::domain::Domain;
use crate::error::{Error, Result, Status};
use crate::memory::Holds;
use crate::plan::{Backend, Plan, Purpose, Settings};
use crate::points::{PointsView, Precision};
use crate::search::inputs::Asked;
use crate::search::neighbors::{Neighbors, NeighborsKind};
use crate::search::systems::{Alone, Systems};
use crate::threads::Team;

impl Holds for Search {
    fn bytes(&self) -> usize {
        Search::bytes(self)
    }
}

impl Alone for Search {
    fn new() -> Result<Search> {
        Search::new()
    }

    fn take_settings(&mut self, settings: &Settings, threads: usize) {
        let own = &mut self.inputs.settings;
        *own = settings.clone();
        (own.threads, own.skin, own.index_base) = (threads, 0.0, 0);
        (own.environment.backend, own.environment.threads) = (Some(Backend::Cpu), None);
    }

    fn rows<T: Precision>(
        &mut self,
        view: &PointsView<T>,
        (cutoff, domain): (f64, Domain),
        kind: NeighborsKind,
        check: impl FnOnce(i64) -> Result<()>,
    ) -> Result<(Neighbors<'_>, i64)> {
        let settings = &mut self.inputs.settings;
        (settings.cutoff, settings.domain) = (Some(cutoff), domain);
        self.set_points(view)?;
        check(self.count_neighbors(kind)?)?;
        let tests = self.report.tests;
        Ok((self.neighbors(kind)?, tests))
    }
}

impl Search {
    /// Finds the half or full rows of many systems at once: each point lists neighbors of its own system alone. The points of `view` are
    /// those of all systems, and rows and ids have their numbers. So a thousand molecules of a hundred atoms take one call, and all
    /// threads.
    ///
    /// Each system has a cutoff and, if it is wanted, a box of its own; those of the handle are not used, and neither are its points and
    /// what was set for them. Tie rule, index base, threads and memory limit are the handle's. The rows are the same bits as those of a
    /// search for each system. They are found on the CPU, in memory of the handle, where they stay until the next call that is not a
    /// question.
    ///
    /// ```
    /// # use neargrid::{NeighborsKind, PointsView, Search, Systems};
    /// let mut search = Search::new()?;
    /// let points = PointsView::interleaved(1, &[0.0, 1.0, 0.0, 0.5, 1.0])?;
    /// let systems = Systems { firsts: &[0, 2, 5], cutoffs: &[1.0, 0.5], lo: &[], length: &[], periodic: &[] };
    /// let rows = search.systems(&points, &systems, NeighborsKind::Half)?;
    /// assert_eq!((rows.offsets, rows.ids), (&[0, 1, 1, 2, 3, 3][..], &[1, 3, 4][..]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn systems<T: Precision>(
        &mut self,
        view: &PointsView<T>,
        systems: &Systems,
        kind: NeighborsKind,
    ) -> Result<Neighbors<'_>> {
        if kind.is_of_queries() {
            return Err(Error::not_allowed(Status::BadValue, "kind", "queries", "half or full"));
        }
        if self.inputs.settings.asked_backend() == Backend::Gpu {
            return Err(Error::NotSupported {
                what: "backend gpu for many systems",
            });
        }
        let view = &self.inputs.checked(view)?;
        systems.check(view, &self.inputs.settings)?;
        let begin = Instant::now();
        self.report.begin();
        let plan = Plan::new(
            &self.inputs.settings,
            (view.len(), Purpose::Neighbors),
            self.inputs.in_parallel,
            Some("auto: many systems are searched on the CPU"),
            |_| Ok(None),
        )?;
        self.report.planned(&self.inputs, Asked::Rows(kind.into()), plan);
        let team = Team::new(plan.threads)?;
        let found = (self.systems).find((view, systems), &self.inputs.settings, kind, &team);
        self.report.tested(&team);
        self.report.end(begin, &mut self.device);
        self.report.entries = found?;
        Ok(self.systems.rows())
    }
}
