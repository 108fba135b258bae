//! What crossed between ranks, counted.

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
