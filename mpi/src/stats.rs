//! Counters of the messages between ranks.

use crate::comm::Comm;
use crate::error::Result;
use crate::fof::Friends;
use crate::knn::Found;
use crate::plan::Plan;
use crate::search::Search;

/// A number about a search across ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Points of this rank.
    Owned,
    /// Points of others that the plan brought here.
    Ghosts,
    /// Ranks that this one exchanges with.
    NearRanks,
    /// Plans made since the search was created.
    Plans,
    /// Messages that this rank sent for the last plan.
    PlanMessages,
    /// Their bytes.
    PlanBytes,
    /// Messages that this rank sent in the last halo exchange or sum.
    HaloMessages,
    /// Their bytes.
    HaloBytes,
    /// Owned points that are a ghost somewhere, each time counted.
    Sent,
    /// Who searched last on this rank: a NEARGRID_BACKEND_* number.
    Backend,
    /// Axes of the points set; 0 where none are.
    Dim,
    /// Times that ranks told each other labels in the last search for groups.
    FofRounds,
    /// Messages that this rank sent for that.
    FofMessages,
    /// Their bytes.
    FofBytes,
    /// Points of others that the last query for k nearest brought here.
    KnnGhosts,
    /// Points that it asked other ranks about, each once for each of those.
    KnnQuestions,
    /// Messages that this rank sent for it.
    KnnMessages,
    /// Their bytes.
    KnnBytes,
    /// Points of this rank before the migration that is planned; 0 where none is.
    MigrationBefore,
    /// Points of this rank after it.
    MigrationAfter,
    /// Messages that this rank sent in the last call about a migration.
    MigrationMessages,
    /// Their bytes.
    MigrationBytes,
}

/// Messages and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub messages: i64,
    pub bytes: i64,
}

impl Traffic {
    /// One more message; empty ones do not travel.
    pub fn count(&mut self, bytes: usize) {
        self.messages += i64::from(bytes > 0);
        self.bytes += bytes as i64;
    }
}

impl<C: Comm> Search<C> {
    /// A number about the search.
    pub fn counter(&self, counter: Counter) -> Result<i64> {
        let plan = |read: &dyn Fn(&Plan) -> i64| self.plan.as_ref().map_or(0, read);
        let knn = |read: &dyn Fn(&Found) -> i64| self.finder.found.as_ref().map_or(0, read);
        let fof = |read: &dyn Fn(&Friends) -> i64| self.clusters.friends.as_ref().map_or(0, read);
        Ok(match counter {
            Counter::Owned => self.owned() as i64,
            Counter::Ghosts => self.ghost_count() as i64,
            Counter::NearRanks => plan(&|plan| plan.near as i64),
            Counter::Plans => self.plans,
            Counter::PlanMessages => plan(&|plan| plan.traffic.messages),
            Counter::PlanBytes => plan(&|plan| plan.traffic.bytes),
            Counter::HaloMessages => self.halo.messages,
            Counter::HaloBytes => self.halo.bytes,
            Counter::Sent => plan(&|plan| plan.sends.iter().map(|(_, points)| points.len() as i64).sum()),
            Counter::Backend => self.core.backend()?,
            Counter::FofRounds => fof(&|friends| friends.rounds),
            Counter::FofMessages => fof(&|friends| friends.traffic.messages),
            Counter::FofBytes => fof(&|friends| friends.traffic.bytes),
            Counter::KnnGhosts => knn(&Found::ghost_count),
            Counter::KnnQuestions => knn(&|found| found.questions),
            Counter::KnnMessages => knn(&|found| found.traffic.messages),
            Counter::KnnBytes => knn(&|found| found.traffic.bytes),
            Counter::MigrationBefore => self.migration_counts()[0] as i64,
            Counter::MigrationAfter => self.migration_counts()[1] as i64,
            Counter::MigrationMessages => self.migrated.messages,
            Counter::MigrationBytes => self.migrated.bytes,
            Counter::Dim => self.held.as_ref().map_or(0, |held| held.dim as i64),
        })
    }
}
