//! The numbers of statuses and counters in C, checked against this crate's.

use crate::error::status;
use crate::stats::Counter;

/// The result of every function that can fail: NEARGRID_STATUS_OK, another status of neargrid.h, or one of the two below.
#[allow(non_camel_case_types)]
pub type neargrid_status = i32;

/// The ABI version that this header describes. Pass it to neargrid_mpi_search_create.
pub const NEARGRID_MPI_ABI_VERSION: i32 = 1;

/// An MPI call failed. Ranks may be waiting for each other; the handle can only be destroyed.
pub const NEARGRID_MPI_STATUS_COMMUNICATION: neargrid_status = 150;
/// Ranks passed different values where all must pass the same, or called different functions.
pub const NEARGRID_MPI_STATUS_DISAGREEMENT: neargrid_status = 151;

/// Each pair is on one rank only: the rank of the point with the smaller global id, which is its left point.
pub const NEARGRID_MPI_SIDES_ONCE: i32 = 0;
/// A pair of points of two ranks is on both ranks, each with its own point as the left one.
pub const NEARGRID_MPI_SIDES_BOTH: i32 = 1;

/// Points of this rank.
pub const NEARGRID_MPI_COUNTER_OWNED: i32 = 0;
/// Ghosts on this rank: points of other ranks that the plan brought here.
pub const NEARGRID_MPI_COUNTER_GHOSTS: i32 = 1;
/// Other ranks with points where some of this rank's points may reach them.
pub const NEARGRID_MPI_COUNTER_NEAR_RANKS: i32 = 2;
/// Plans made since the handle was created.
pub const NEARGRID_MPI_COUNTER_PLANS: i32 = 3;
/// Messages that this rank sent for the last plan.
pub const NEARGRID_MPI_COUNTER_PLAN_MESSAGES: i32 = 4;
/// Bytes that this rank sent for the last plan.
pub const NEARGRID_MPI_COUNTER_PLAN_BYTES: i32 = 5;
/// Messages that this rank sent in the last halo exchange or halo sum.
pub const NEARGRID_MPI_COUNTER_HALO_MESSAGES: i32 = 6;
/// Bytes that this rank sent in the last halo exchange or halo sum.
pub const NEARGRID_MPI_COUNTER_HALO_BYTES: i32 = 7;
/// Points of this rank that are ghosts on other ranks, counted once for each such rank.
pub const NEARGRID_MPI_COUNTER_SENT: i32 = 8;
/// Backend of the last search on this rank, one of NEARGRID_BACKEND_*.
pub const NEARGRID_MPI_COUNTER_BACKEND: i32 = 9;
/// Dimension of the points set; 0 if none are set.
pub const NEARGRID_MPI_COUNTER_DIM: i32 = 10;
/// Points of other ranks that the last query for k nearest brought here.
pub const NEARGRID_MPI_COUNTER_KNN_GHOSTS: i32 = 11;
/// Points that this rank sent to other ranks in the last query for k nearest, counted once for each such rank.
pub const NEARGRID_MPI_COUNTER_KNN_QUESTIONS: i32 = 12;
/// Messages that this rank sent in the last query for k nearest.
pub const NEARGRID_MPI_COUNTER_KNN_MESSAGES: i32 = 13;
/// Bytes that this rank sent in the last query for k nearest.
pub const NEARGRID_MPI_COUNTER_KNN_BYTES: i32 = 14;
/// Rounds in which ranks exchanged labels in the last search for groups.
pub const NEARGRID_MPI_COUNTER_FOF_ROUNDS: i32 = 15;
/// Messages that this rank sent in the last search for groups.
pub const NEARGRID_MPI_COUNTER_FOF_MESSAGES: i32 = 16;
/// Bytes that this rank sent in the last search for groups.
pub const NEARGRID_MPI_COUNTER_FOF_BYTES: i32 = 17;
/// Points of this rank before the planned migration; 0 if none is planned.
pub const NEARGRID_MPI_COUNTER_MIGRATION_BEFORE: i32 = 18;
/// Points of this rank after the planned migration; 0 if none is planned.
pub const NEARGRID_MPI_COUNTER_MIGRATION_AFTER: i32 = 19;
/// Messages that this rank sent in the last call that planned a migration or moved a field.
pub const NEARGRID_MPI_COUNTER_MIGRATION_MESSAGES: i32 = 20;
/// Bytes that this rank sent in the last call that planned a migration or moved a field.
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
