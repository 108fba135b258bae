//! The numbers of statuses and counters in C, checked against this crate's.

use crate::error::status;
use crate::stats::Counter;

/// What every fallible function returns: NEARGRID_STATUS_OK, another status of neargrid.h, or one of those below.
#[allow(non_camel_case_types)]
pub type neargrid_status = i32;

/// The version of the binary interface this header describes; pass it to neargrid_mpi_search_create.
pub const NEARGRID_MPI_ABI_VERSION: i32 = 1;

/// An MPI call failed; ranks may be waiting for each other, so that only destroying the handle is left.
pub const NEARGRID_MPI_STATUS_COMMUNICATION: neargrid_status = 150;
/// Ranks gave different values where they must give the same, or called different functions.
pub const NEARGRID_MPI_STATUS_DISAGREEMENT: neargrid_status = 151;

/// A pair is on the rank of the point with the smaller global id, which is its left point.
pub const NEARGRID_MPI_SIDES_ONCE: i32 = 0;
/// A pair of points of two ranks is on both, each with its own point left.
pub const NEARGRID_MPI_SIDES_BOTH: i32 = 1;

/// Points of this rank.
pub const NEARGRID_MPI_COUNTER_OWNED: i32 = 0;
/// Points of other ranks that the plan brought here.
pub const NEARGRID_MPI_COUNTER_GHOSTS: i32 = 1;
/// Ranks that have points where some of this rank's may reach them.
pub const NEARGRID_MPI_COUNTER_NEAR_RANKS: i32 = 2;
/// Plans made since the handle was created.
pub const NEARGRID_MPI_COUNTER_PLANS: i32 = 3;
/// Messages that this rank sent for the last plan.
pub const NEARGRID_MPI_COUNTER_PLAN_MESSAGES: i32 = 4;
/// Their bytes.
pub const NEARGRID_MPI_COUNTER_PLAN_BYTES: i32 = 5;
/// Messages that this rank sent in the last halo exchange or sum.
pub const NEARGRID_MPI_COUNTER_HALO_MESSAGES: i32 = 6;
/// Their bytes.
pub const NEARGRID_MPI_COUNTER_HALO_BYTES: i32 = 7;
/// Points of this rank that are ghosts on others, each once for each of those.
pub const NEARGRID_MPI_COUNTER_SENT: i32 = 8;
/// Who searched last on this rank: a NEARGRID_BACKEND_* number.
pub const NEARGRID_MPI_COUNTER_BACKEND: i32 = 9;
/// Axes of the points set; 0 where none are.
pub const NEARGRID_MPI_COUNTER_DIM: i32 = 10;
/// Points of other ranks that the last query for k nearest brought here.
pub const NEARGRID_MPI_COUNTER_KNN_GHOSTS: i32 = 11;
/// Points of this rank that it asked other ranks about, each once for each of those.
pub const NEARGRID_MPI_COUNTER_KNN_QUESTIONS: i32 = 12;
/// Messages that this rank sent for it.
pub const NEARGRID_MPI_COUNTER_KNN_MESSAGES: i32 = 13;
/// Their bytes.
pub const NEARGRID_MPI_COUNTER_KNN_BYTES: i32 = 14;
/// Times that ranks told each other labels in the last search for groups.
pub const NEARGRID_MPI_COUNTER_FOF_ROUNDS: i32 = 15;
/// Messages that this rank sent for that.
pub const NEARGRID_MPI_COUNTER_FOF_MESSAGES: i32 = 16;
/// Their bytes.
pub const NEARGRID_MPI_COUNTER_FOF_BYTES: i32 = 17;
/// Points of this rank before the migration that is planned; 0 where none is.
pub const NEARGRID_MPI_COUNTER_MIGRATION_BEFORE: i32 = 18;
/// Points of this rank after it.
pub const NEARGRID_MPI_COUNTER_MIGRATION_AFTER: i32 = 19;
/// Messages that this rank sent in the last call about a migration: planning one, or moving a field.
pub const NEARGRID_MPI_COUNTER_MIGRATION_MESSAGES: i32 = 20;
/// Their bytes.
pub const NEARGRID_MPI_COUNTER_MIGRATION_BYTES: i32 = 21;

pub(super) const COUNTERS: [(i32, &str, Counter); 22] = [
    (NEARGRID_MPI_COUNTER_OWNED, "owned", Counter::Owned),
    (NEARGRID_MPI_COUNTER_GHOSTS, "ghosts", Counter::Ghosts),
    (NEARGRID_MPI_COUNTER_NEAR_RANKS, "near ranks", Counter::NearRanks),
    (NEARGRID_MPI_COUNTER_PLANS, "plans", Counter::Plans),
    (
        NEARGRID_MPI_COUNTER_PLAN_MESSAGES,
        "plan messages",
        Counter::PlanMessages,
    ),
    (NEARGRID_MPI_COUNTER_PLAN_BYTES, "plan bytes", Counter::PlanBytes),
    (
        NEARGRID_MPI_COUNTER_HALO_MESSAGES,
        "halo messages",
        Counter::HaloMessages,
    ),
    (NEARGRID_MPI_COUNTER_HALO_BYTES, "halo bytes", Counter::HaloBytes),
    (NEARGRID_MPI_COUNTER_SENT, "sent", Counter::Sent),
    (NEARGRID_MPI_COUNTER_BACKEND, "backend", Counter::Backend),
    (NEARGRID_MPI_COUNTER_DIM, "dim", Counter::Dim),
    (NEARGRID_MPI_COUNTER_KNN_GHOSTS, "knn ghosts", Counter::KnnGhosts),
    (
        NEARGRID_MPI_COUNTER_KNN_QUESTIONS,
        "knn questions",
        Counter::KnnQuestions,
    ),
    (NEARGRID_MPI_COUNTER_KNN_MESSAGES, "knn messages", Counter::KnnMessages),
    (NEARGRID_MPI_COUNTER_KNN_BYTES, "knn bytes", Counter::KnnBytes),
    (NEARGRID_MPI_COUNTER_FOF_ROUNDS, "fof rounds", Counter::FofRounds),
    (NEARGRID_MPI_COUNTER_FOF_MESSAGES, "fof messages", Counter::FofMessages),
    (NEARGRID_MPI_COUNTER_FOF_BYTES, "fof bytes", Counter::FofBytes),
    (
        NEARGRID_MPI_COUNTER_MIGRATION_BEFORE,
        "migration before",
        Counter::MigrationBefore,
    ),
    (
        NEARGRID_MPI_COUNTER_MIGRATION_AFTER,
        "migration after",
        Counter::MigrationAfter,
    ),
    (
        NEARGRID_MPI_COUNTER_MIGRATION_MESSAGES,
        "migration messages",
        Counter::MigrationMessages,
    ),
    (
        NEARGRID_MPI_COUNTER_MIGRATION_BYTES,
        "migration bytes",
        Counter::MigrationBytes,
    ),
];

const _: () = {
    assert!(NEARGRID_MPI_STATUS_COMMUNICATION == status::COMMUNICATION);
    assert!(NEARGRID_MPI_STATUS_DISAGREEMENT == status::DISAGREEMENT);
};
