//! Counters of the messages between ranks.

use crate::comm::Comm;
use crate::error::Result;
use crate::fof::Friends;
use crate::knn::Found;
use crate::plan::Plan;
use crate::search::Search;

/// A number that [`Search::counter`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Points of this rank.
    Owned,
    /// Ghosts on this rank: points of other ranks that the plan brought here.
    Ghosts,
    /// Ranks that this rank exchanges with.
    NearRanks,
    /// Plans made since the search was created.
    Plans,
    /// Messages that this rank sent for the last plan.
    PlanMessages,
    /// Bytes that this rank sent for the last plan.
    PlanBytes,
    /// Messages that this rank sent in the last halo exchange or halo sum.
    HaloMessages,
    /// Bytes that this rank sent in the last halo exchange or halo sum.
    HaloBytes,
    /// Points of this rank that are ghosts on other ranks, counted once for each such rank.
    Sent,
    /// Backend of the last search on this rank, a NEARGRID_BACKEND_* number.
    Backend,
    /// Dimension of the points set; 0 if none are set.
    Dim,
    /// Rounds in which ranks exchanged labels in the last search for groups.
    FofRounds,
    /// Messages that this rank sent in the last search for groups.
    FofMessages,
    /// Bytes that this rank sent in the last search for groups.
    FofBytes,
    /// Points of other ranks that the last query for k nearest brought here.
    KnnGhosts,
    /// Points that this rank sent to other ranks in the last query for k nearest, counted once for each such rank.
    KnnQuestions,
    /// Messages that this rank sent in the last query for k nearest.
    KnnMessages,
    /// Bytes that this rank sent in the last query for k nearest.
    KnnBytes,
    /// Points of this rank before the planned migration; 0 if none is planned.
    MigrationBefore,
    /// Points of this rank after the planned migration; 0 if none is planned.
    MigrationAfter,
    /// Messages that this rank sent in the last call that planned a migration or moved a field.
    MigrationMessages,
    /// Bytes that this rank sent in the last call that planned a migration or moved a field.
    MigrationBytes,
}

/// A number of messages and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub messages: i64,
    pub bytes: i64,
}

impl Traffic {
    /// Counts a message, unless it is empty: empty messages are not sent.
    pub fn count(&mut self, bytes: usize) {
        self.messages += i64::from(bytes > 0);
        self.bytes += bytes as i64;
    }
}

impl<C: Comm> Search<C> {
    /// The value of a [`Counter`] on this rank.
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
