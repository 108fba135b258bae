/* neargrid across MPI ranks: pairs and rows of neighbors that do not depend on how points are spread over ranks.
 *
 * Written by `make header` from mpi/src/capi; do not edit.
 *
 * Functions said to be collective are called by all ranks of the communicator, in the same order. They fail on all ranks
 * alike, with the status and the text (neargrid_mpi_last_error) of the first rank that failed, and the handle stays usable;
 * but a NULL handle is found out by its own rank alone. Outputs are untouched on failure, except a count that reports the
 * need where arrays are too small. Nothing prints, exits or aborts; MPI is initialized and finalized by the caller. A handle
 * is used by one thread at a time; a call on one that is in use returns BUSY, on its own rank alone, where it takes no part in
 * what is collective.
 */

#ifndef NEARGRID_MPI_H
#define NEARGRID_MPI_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "neargrid.h"

// The version of the binary interface this header describes; pass it to neargrid_mpi_search_create.
#define NEARGRID_MPI_ABI_VERSION 1

// A pair is on the rank of the point with the smaller global id, which is its left point.
#define NEARGRID_MPI_SIDES_ONCE 0

// A pair of points of two ranks is on both, each with its own point left.
#define NEARGRID_MPI_SIDES_BOTH 1

// Points of this rank.
#define NEARGRID_MPI_COUNTER_OWNED 0

// Points of other ranks that the plan brought here.
#define NEARGRID_MPI_COUNTER_GHOSTS 1

// Ranks that have points where some of this rank's may reach them.
#define NEARGRID_MPI_COUNTER_NEAR_RANKS 2

// Plans made since the handle was created.
#define NEARGRID_MPI_COUNTER_PLANS 3

// Messages that this rank sent for the last plan.
#define NEARGRID_MPI_COUNTER_PLAN_MESSAGES 4

// Their bytes.
#define NEARGRID_MPI_COUNTER_PLAN_BYTES 5

// Messages that this rank sent in the last halo exchange or sum.
#define NEARGRID_MPI_COUNTER_HALO_MESSAGES 6

// Their bytes.
#define NEARGRID_MPI_COUNTER_HALO_BYTES 7

// Points of this rank that are ghosts on others, each once for each of those.
#define NEARGRID_MPI_COUNTER_SENT 8

// Who searched last on this rank: a NEARGRID_BACKEND_* number.
#define NEARGRID_MPI_COUNTER_BACKEND 9

// Axes of the points set; 0 where none are.
#define NEARGRID_MPI_COUNTER_DIM 10

// Points of other ranks that the last query for k nearest brought here.
#define NEARGRID_MPI_COUNTER_KNN_GHOSTS 11

// Points of this rank that it asked other ranks about, each once for each of those.
#define NEARGRID_MPI_COUNTER_KNN_QUESTIONS 12

// Messages that this rank sent for it.
#define NEARGRID_MPI_COUNTER_KNN_MESSAGES 13

// Their bytes.
#define NEARGRID_MPI_COUNTER_KNN_BYTES 14

// Times that ranks told each other labels in the last search for groups.
#define NEARGRID_MPI_COUNTER_FOF_ROUNDS 15

// Messages that this rank sent for that.
#define NEARGRID_MPI_COUNTER_FOF_MESSAGES 16

// Their bytes.
#define NEARGRID_MPI_COUNTER_FOF_BYTES 17

// Points of this rank before the migration that is planned; 0 where none is.
#define NEARGRID_MPI_COUNTER_MIGRATION_BEFORE 18

// Points of this rank after it.
#define NEARGRID_MPI_COUNTER_MIGRATION_AFTER 19

// Messages that this rank sent in the last call about a migration: planning one, or moving a field.
#define NEARGRID_MPI_COUNTER_MIGRATION_MESSAGES 20

// Their bytes.
#define NEARGRID_MPI_COUNTER_MIGRATION_BYTES 21

// A neighbor search across the ranks of a communicator: settings, points and results, reused from call to call. Made by
// `neargrid_mpi_search_create`, freed by `neargrid_mpi_search_destroy`, used by one thread at a time. A call on a handle that
// another call is still using does nothing and returns BUSY, on this rank alone.
typedef struct neargrid_mpi_search neargrid_mpi_search;

// An MPI call failed; ranks may be waiting for each other, so that only destroying the handle is left.
#define NEARGRID_MPI_STATUS_COMMUNICATION 150

// Ranks gave different values where they must give the same, or called different functions.
#define NEARGRID_MPI_STATUS_DISAGREEMENT 151

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The name of a status, those of neargrid.h too; "unknown status" for any other number. Static: never free it. Callable
// always, from any thread.
const char *neargrid_mpi_status_name(neargrid_status status);

// Copies the text of the calling thread's last failed call to this library: which rank, argument, value and what is allowed.
// A later success does not clear it.
//
// `buffer`: `capacity` bytes, filled with the text cut to fit and a NUL; may be NULL where capacity is 0.
// `length`: the text's full length without the NUL; may be NULL.
// Status: OK, NULL_POINTER. Not collective.
//
// # Safety
// `buffer` is writable for `capacity` bytes and `length` is writable, where they are not NULL.
neargrid_status neargrid_mpi_last_error(char *buffer,
                                        size_t capacity,
                                        size_t *length);

// Gives the group of friends of friends of each of this rank's points in memory of the library, as by neargrid_fof_view: two
// points are friends if they are a pair within the cutoff, which is the linking length; a group is what chains of friends
// connect, through any ranks. The label of a group is the smallest global id of its points. Asked for again, labels are not
// searched again. Collective.
//
// `n`: receives the number of this rank's points. `labels`: receives an array of n global ids, which belongs to the handle and is
// valid until points or settings change. `ngroups`: receives the number of groups over all ranks, points alone among them;
// this rank's points that are their own label count its part of them.
// Status: as neargrid_mpi_pairs_view.
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_mpi_fof_view(struct neargrid_mpi_search *search,
                                      int64_t *n,
                                      const int64_t **labels,
                                      int64_t *ngroups);

// Writes the labels of this rank's points into the caller's array, as by neargrid_mpi_fof_view. Collective.
//
// `n`: number of this rank's points. `labels`: n elements; may be NULL where n is 0. `ngroups`: as there.
// Status: as neargrid_mpi_fof_view; BAD_COUNT (n). On failure `labels` is untouched.
//
// # Safety
// `search` is NULL or a valid handle; `labels` is NULL or writable for `n` elements, `ngroups` NULL
// or writable.
neargrid_status neargrid_mpi_fof_copy(struct neargrid_mpi_search *search,
                                      int64_t n,
                                      int64_t *labels,
                                      int64_t *ngroups);

// Finds the groups of neargrid_mpi_fof_view that have at least so many points over all ranks, to be looked at by
// neargrid_mpi_groups_view_sizes and neargrid_mpi_groups_view_sums, where each point's mass is 1 and there are no velocities.
// Each group is in the catalogue of one rank, that which owns the point that its label names. Collective.
//
// `min_size`: 1 or more, the same on all ranks. `ngroups`: receives the number of such groups in this rank's catalogue.
// Status: as neargrid_mpi_fof_view, and BAD_COUNT (min_size).
//
// # Safety
// `search` is NULL or a valid handle; `ngroups` is NULL or writable.
neargrid_status neargrid_mpi_groups_find(struct neargrid_mpi_search *search,
                                         int64_t min_size,
                                         int64_t *ngroups);

// As neargrid_mpi_groups_find, with masses and velocities in real64, that of the points set.
//
// `n`: number of this rank's points. `masses`: n masses, finite and greater than 0, or NULL: each point's is 1. `vx`, `vy`, `vz`:
// the first point's velocity, or vx NULL: none; vy is not read for dim 1, vz not below dim 3. `stride`: bytes from one velocity
// to the next. All are read during the call only. All ranks that have points give masses, or none; and velocities likewise.
// Status: as neargrid_mpi_groups_find, and BAD_COUNT (n), BAD_VALUE (a mass, the stride, or the points set are real32), NON_FINITE
// (a velocity), DISAGREEMENT (given on some ranks only).
//
// # Safety
// `search` is NULL or a valid handle; `masses` is NULL or readable for `n` elements, the velocities
// NULL or readable as `stride` says; `ngroups` is NULL or writable.
neargrid_status neargrid_mpi_groups_find_f64(struct neargrid_mpi_search *search,
                                             int64_t min_size,
                                             int64_t n,
                                             const double *masses,
                                             const double *vx,
                                             const double *vy,
                                             const double *vz,
                                             int64_t stride,
                                             int64_t *ngroups);

// As neargrid_mpi_groups_find_f64, in real32.
//
// # Safety
// As for neargrid_mpi_groups_find_f64.
neargrid_status neargrid_mpi_groups_find_f32(struct neargrid_mpi_search *search,
                                             int64_t min_size,
                                             int64_t n,
                                             const float *masses,
                                             const float *vx,
                                             const float *vy,
                                             const float *vz,
                                             int64_t stride,
                                             int64_t *ngroups);

// Gives this rank's part of the groups found last: the largest first, of equally large ones that with the smaller label. Not
// collective.
//
// `ngroups`: receives the number of groups. `labels`, `sizes`: receive arrays of ngroups elements: smallest global ids, and numbers
// of points over all ranks. Members are the points with that label (neargrid_mpi_fof_view). They belong to the handle and are valid
// until groups are found anew, or points or settings change.
// Status: OK, NULL_POINTER, BAD_STATE (no groups found for the points and settings of now).
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_mpi_groups_view_sizes(struct neargrid_mpi_search *search,
                                               int64_t *ngroups,
                                               const int64_t **labels,
                                               const int64_t **sizes);

// Gives sums over the members, on all ranks, of this rank's part of the groups found last, in the order of
// neargrid_mpi_groups_view_sizes: the same bits as neargrid_groups_view_sums, however points are spread over ranks. Not collective.
//
// `ngroups`: receives the number of groups, `dim` that of axes. `masses`: receives an array of ngroups sums of masses.
// `centers`: ngroups times dim elements, the centers of mass. `velocities`: likewise, the mean velocities weighted by mass, or
// NULL where no velocities were given. `radii`: ngroups roots of the mean distance squared from the center, weighted by
// mass. `wide`: ngroups flags, 0 or 1: as wide as half the box along a periodic axis, or wider, so that center and radius depend
// on the label. They are valid as long as the sizes.
// Status: as neargrid_mpi_groups_view_sizes.
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_mpi_groups_view_sums(struct neargrid_mpi_search *search,
                                              int64_t *ngroups,
                                              int32_t *dim,
                                              const double **masses,
                                              const double **centers,
                                              const double **velocities,
                                              const double **radii,
                                              const int32_t **wide);

// Sends a field of this rank's points to their ghosts on other ranks, and receives that of its own ghosts, along the plan of
// the last query. Collective. One message to each rank that has ghosts of this one.
//
// `element_bytes`: what a point has of the field, such as 24 for three real64, or the size of a structure; the same on all
// ranks. `owned`: an element for each of this rank's points. `ghosts`: receives one for each ghost, in their order; it may be
// the end of the array that `owned` is the front of. They may be NULL where there are none.
// Status: OK, NULL_POINTER, BAD_COUNT (element_bytes), BAD_STATE (no query since points or settings changed, or an exchange is
// under way), OUT_OF_MEMORY, COMMUNICATION, DISAGREEMENT. On failure `ghosts` is untouched.
//
// # Safety
// `search` is NULL or a valid handle; `owned` is NULL or readable and `ghosts` NULL or writable for
// that many elements; they do not overlap.
neargrid_status neargrid_mpi_halo_exchange(struct neargrid_mpi_search *search,
                                           int64_t element_bytes,
                                           const void *owned,
                                           void *ghosts);

// Begins a halo exchange and returns while it is under way: `owned` is free again, and every rank may compute what needs no
// ghosts. Until neargrid_mpi_halo_finish nothing else may be asked of the handle but counters. Collective. All else as for
// neargrid_mpi_halo_exchange.
//
// # Safety
// As for neargrid_mpi_halo_exchange.
neargrid_status neargrid_mpi_halo_begin(struct neargrid_mpi_search *search,
                                        int64_t element_bytes,
                                        const void *owned);

// Waits for the halo exchange that was begun, and writes what came to `ghosts`. Collective.
// Status: OK, NULL_POINTER, BAD_STATE (none was begun), COMMUNICATION. After NULL_POINTER it can be called again.
//
// # Safety
// `search` is NULL or a valid handle; `ghosts` is NULL or writable for an element for each ghost.
neargrid_status neargrid_mpi_halo_finish(struct neargrid_mpi_search *search,
                                         void *ghosts);

// Adds what ghosts have gathered, in real64, to the points that they are of, on the ranks that own those. Collective. A point
// that is a ghost on several ranks gets theirs in the order of these, so that sums are the same in every run.
//
// `components`: numbers of each point, the same on all ranks. `ghosts`: components numbers for each ghost, in their order.
// `owned`: components numbers for each of this rank's points, to which is added. They may be NULL where there are none.
// Status: as for neargrid_mpi_halo_exchange. On failure `owned` is untouched.
//
// # Safety
// `search` is NULL or a valid handle; `ghosts` is NULL or readable and `owned` NULL or writable for
// that many numbers; they do not overlap.
neargrid_status neargrid_mpi_halo_sum_f64(struct neargrid_mpi_search *search,
                                          int64_t components,
                                          const double *ghosts,
                                          double *owned);

// As neargrid_mpi_halo_sum_f64, in real32.
//
// # Safety
// As for neargrid_mpi_halo_sum_f64.
neargrid_status neargrid_mpi_halo_sum_f32(struct neargrid_mpi_search *search,
                                          int64_t components,
                                          const float *ghosts,
                                          float *owned);

// As neargrid_mpi_halo_sum_f64, in int32; sums wrap around.
//
// # Safety
// As for neargrid_mpi_halo_sum_f64.
neargrid_status neargrid_mpi_halo_sum_i32(struct neargrid_mpi_search *search,
                                          int64_t components,
                                          const int32_t *ghosts,
                                          int32_t *owned);

// As neargrid_mpi_halo_sum_f64, in int64; sums wrap around.
//
// # Safety
// As for neargrid_mpi_halo_sum_f64.
neargrid_status neargrid_mpi_halo_sum_i64(struct neargrid_mpi_search *search,
                                          int64_t components,
                                          const int64_t *ghosts,
                                          int64_t *owned);

// Gives the k nearest of each of this rank's points among those of all ranks, in memory of the library, for points in real64:
// row i is `ids[i * k]` to `ids[i * k + k - 1]`, ordered by distance squared, and where those are equal by global id. All as by
// neargrid_knn_view_f64, which the rows of all ranks together are those of. Needs no cutoff. Collective.
//
// Numbers of points are from the index base on those of this rank's own, and behind them those of the ghosts of this query
// (neargrid_mpi_knn_ghosts_view_f64), which are others than those of pairs. Where all ranks together have less than k points,
// the missing ids are the index base less one, and their distances infinite.
//
// `kind`: NEARGRID_KNN_OTHERS or NEARGRID_KNN_ALL (a point is its own neighbor). `k`: 1 to NEARGRID_KNN_MAX. `measure`:
// NEARGRID_KNN_DISTANCE or NEARGRID_KNN_SQUARE. All three are the same on all ranks. `n`: receives the number of rows, that of
// this rank's points. `ids`, `distances`: receive arrays of n * k elements, `counts`: one of n, how many neighbors each row
// has. They belong to the handle and are valid until the next query for k nearest, or until points or settings change.
// Status: OK, NULL_POINTER, BAD_COUNT (k), BAD_VALUE (kind, measure, or the points set are real32), BAD_STATE (no points set, or
// a halo exchange is under way), BAD_DOMAIN, NOT_SUPPORTED (with NEARGRID_BACKEND_GPU, as neargrid_knn_copy_f64), NO_DEVICE,
// DEVICE_LOST, OUT_OF_MEMORY, THREADS, COMMUNICATION, DISAGREEMENT.
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_mpi_knn_view_f64(struct neargrid_mpi_search *search,
                                          int32_t kind,
                                          int32_t k,
                                          int32_t measure,
                                          int64_t *n,
                                          const int32_t **ids,
                                          const double **distances,
                                          const int32_t **counts);

// As neargrid_mpi_knn_view_f64, for points in real32.
//
// # Safety
// As for neargrid_mpi_knn_view_f64.
neargrid_status neargrid_mpi_knn_view_f32(struct neargrid_mpi_search *search,
                                          int32_t kind,
                                          int32_t k,
                                          int32_t measure,
                                          int64_t *n,
                                          const int32_t **ids,
                                          const float **distances,
                                          const int32_t **counts);

// Writes the k nearest of this rank's points into the caller's arrays, as by neargrid_mpi_knn_view_f64. Collective.
//
// `n`: rows that the arrays have, as many as this rank has points. `ids`: n * k elements. `distances`: n * k elements, or NULL
// where they are not wanted. `counts`: n elements, or NULL. All may be NULL where n is 0.
// Status: as neargrid_mpi_knn_view_f64; BAD_COUNT (n). On failure the arrays are untouched.
//
// # Safety
// `search` is NULL or a valid handle; the arrays are NULL or writable for that many elements, and
// do not overlap.
neargrid_status neargrid_mpi_knn_copy_f64(struct neargrid_mpi_search *search,
                                          int32_t kind,
                                          int32_t k,
                                          int32_t measure,
                                          int64_t n,
                                          int32_t *ids,
                                          double *distances,
                                          int32_t *counts);

// As neargrid_mpi_knn_copy_f64, for points in real32.
//
// # Safety
// As for neargrid_mpi_knn_copy_f64.
neargrid_status neargrid_mpi_knn_copy_f32(struct neargrid_mpi_search *search,
                                          int32_t kind,
                                          int32_t k,
                                          int32_t measure,
                                          int64_t n,
                                          int32_t *ids,
                                          float *distances,
                                          int32_t *counts);

// Gives the ghosts of the last query for k nearest in memory of the library, for points in real64: all points of other ranks
// that its rows name, and some that they do not; the g-th has number n_owned + g, from the index base on. They stand in the
// order of the ranks that own them, and of their numbers there. Halo exchanges know nothing of them. Collective.
//
// `n`: receives their number. `ids`, `ranks`: receive arrays of n global ids, and of the ranks that own them. `positions`:
// receives an array of n times dim coordinates, point after point, as their owners gave them. They are valid as long as the rows.
// Status: OK, NULL_POINTER, BAD_VALUE (the points set are real32), BAD_STATE (no k nearest for the points and settings of now),
// COMMUNICATION, DISAGREEMENT.
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_mpi_knn_ghosts_view_f64(struct neargrid_mpi_search *search,
                                                 int64_t *n,
                                                 const int64_t **ids,
                                                 const int32_t **ranks,
                                                 const double **positions);

// As neargrid_mpi_knn_ghosts_view_f64, for points in real32.
//
// # Safety
// As for neargrid_mpi_knn_ghosts_view_f64.
neargrid_status neargrid_mpi_knn_ghosts_view_f32(struct neargrid_mpi_search *search,
                                                 int64_t *n,
                                                 const int64_t **ids,
                                                 const int32_t **ranks,
                                                 const float **positions);

// Plans where points go so that each rank has as many, up to one, and these are near each other in space: along Hilbert's curve
// through a cube around all points of all ranks, cut into equal parts. Points at the same place of it stand in the order of their
// global ids. So which rank gets which points, and in which order, does not depend on how they were spread before; without ids it
// does. Collective. Nothing moves yet, and the points of the search (neargrid_mpi_search_set_points_f64) stay what they are.
//
// `dim`, `n`, `x`, `y`, `z`, `stride`: this rank's points, as for neargrid_mpi_search_set_points_f64; along periodic axes of the
// box they count where they are wrapped to. `ids`: n global ids, or NULL on all ranks. `n_after`: receives how many points
// this rank will have.
// Status: OK, NULL_POINTER, BAD_DIM, BAD_COUNT, BAD_VALUE (stride), NON_FINITE (a coordinate that cannot be wrapped, too), BAD_DOMAIN,
// BAD_STATE (a halo exchange is under way), OUT_OF_MEMORY, COMMUNICATION, DISAGREEMENT. On failure an earlier plan stays.
//
// # Safety
// `search` is NULL or a valid handle; coordinates and ids are readable and unchanged during the
// call; `n_after` is NULL or writable.
neargrid_status neargrid_mpi_migration_plan_f64(struct neargrid_mpi_search *search,
                                                int32_t dim,
                                                int64_t n,
                                                const double *x,
                                                const double *y,
                                                const double *z,
                                                int64_t stride,
                                                const int64_t *ids,
                                                int64_t *n_after);

// As neargrid_mpi_migration_plan_f64, in real32.
//
// # Safety
// As for neargrid_mpi_migration_plan_f64.
neargrid_status neargrid_mpi_migration_plan_f32(struct neargrid_mpi_search *search,
                                                int32_t dim,
                                                int64_t n,
                                                const float *x,
                                                const float *y,
                                                const float *z,
                                                int64_t stride,
                                                const int64_t *ids,
                                                int64_t *n_after);

// Moves a field of the points to where the plan of neargrid_mpi_migration_plan_f64 has them go: coordinates, global ids, whatever
// belongs to them, a call each, or one for structures of it all. Collective. One message to each rank that gets points of this
// one. The plan stays, for any number of fields.
//
// `element_bytes`: what a point has of the field, such as 24 for three real64; the same on all ranks. `before`: an element for
// each point that the migration was planned for, in their order. `after`: receives one for each point that this rank will have
// (n_after), in their new order. They may be NULL where there are none.
// Status: OK, NULL_POINTER, BAD_COUNT (element_bytes), BAD_STATE (no plan, or a halo exchange is under way), OUT_OF_MEMORY,
// COMMUNICATION, DISAGREEMENT. On failure `after` is untouched.
//
// # Safety
// `search` is NULL or a valid handle; `before` is NULL or readable and `after` NULL or writable for
// that many elements; they do not overlap.
neargrid_status neargrid_mpi_migrate(struct neargrid_mpi_search *search,
                                     int64_t element_bytes,
                                     const void *before,
                                     void *after);

// Gives this rank's pairs in memory of the library, by numbers of points: those of its own in the order that they were given
// in, and behind them the ghosts (neargrid_mpi_ghosts_view_f64). Collective. The first query after points or settings changed
// makes the plan: who is near whom, and which points are ghosts where.
//
// `sides`: NEARGRID_MPI_SIDES_ONCE or _BOTH, the same on all ranks. `npairs`: receives the number of pairs of this rank.
// `pair_i`, `pair_j`: receive arrays of npairs elements, ordered by the global ids of the left points, then of the right; left
// is an owned point, of two owned ones that of the smaller id. They belong to the handle and are valid until the next call on
// it that is not about halos or counters.
// Status: as neargrid_pairs_count, on all ranks that of the first that fails; BAD_VALUE (sides), NULL_POINTER, COMMUNICATION,
// DISAGREEMENT.
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_mpi_pairs_view(struct neargrid_mpi_search *search,
                                        int32_t sides,
                                        int64_t *npairs,
                                        const int32_t **pair_i,
                                        const int32_t **pair_j);

// Writes this rank's pairs into the caller's arrays, as by neargrid_mpi_pairs_view. Collective.
//
// `capacity`: elements that each array has. `npairs`: receives the number of pairs. `pair_i`, `pair_j`: filled up to npairs;
// elements beyond are not touched; may be NULL where capacity is 0.
// Status: as neargrid_mpi_pairs_view, and BAD_COUNT, CAPACITY (the arrays of one rank are too small): then npairs is the need
// of each rank, all arrays are untouched, and calling again with larger ones does not search again.
//
// # Safety
// `search` is NULL or a valid handle; `npairs` is NULL or writable; the arrays are NULL or
// writable for `capacity` elements and do not overlap.
neargrid_status neargrid_mpi_pairs_copy(struct neargrid_mpi_search *search,
                                        int32_t sides,
                                        int64_t capacity,
                                        int64_t *npairs,
                                        int32_t *pair_i,
                                        int32_t *pair_j);

// Gives the rows of this rank's points in memory of the library: in index base b, that of point i is `ids[offsets[i] - b]` to
// `ids[offsets[i + 1] - 1 - b]`, numbers of points as for neargrid_mpi_pairs_view, ascending by global id. Collective.
//
// `kind`: NEARGRID_NEIGHBORS_HALF, the points of larger global ids, or NEARGRID_NEIGHBORS_FULL, all; the same on all ranks.
// `n`: receives the number of rows, that of this rank's points. `total`: the number of ids. `offsets`, `ids`: receive arrays of
// n + 1 and total elements, which belong to the handle and are valid until the next call on it that is not about halos or
// counters.
// Status: as neargrid_mpi_pairs_view; BAD_VALUE (kind).
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_mpi_neighbors_view(struct neargrid_mpi_search *search,
                                            int32_t kind,
                                            int64_t *n,
                                            int64_t *total,
                                            const int64_t **offsets,
                                            const int32_t **ids);

// Writes the rows of this rank's points into the caller's arrays, as by neargrid_mpi_neighbors_view. Collective.
//
// `capacity`: elements that ids has. `total`: receives the number of ids. `offsets`: n + 1 elements, n the number of this rank's
// points. `ids`: filled up to total; elements beyond are not touched; may be NULL where capacity is 0.
// Status: as neargrid_mpi_neighbors_view, and BAD_COUNT, CAPACITY (the array of one rank is too small): then total is the need
// of each rank, all arrays are untouched, and calling again with larger ones does not search again.
//
// # Safety
// `search` is NULL or a valid handle; `total` is NULL or writable; `offsets` is NULL or
// writable for n + 1, `ids` for `capacity` elements.
neargrid_status neargrid_mpi_neighbors_copy(struct neargrid_mpi_search *search,
                                            int32_t kind,
                                            int64_t capacity,
                                            int64_t *total,
                                            int64_t *offsets,
                                            int32_t *ids);

// Gives the ghosts of this rank in memory of the library, for points in real64: the k-th has number n_owned + k, from the
// index base on. They stand in the order of the ranks that own them, those behind this rank first and then those before it, and
// of their numbers there. Collective.
//
// `n`: receives their number. `ids`, `ranks`: receive arrays of n global ids, and of the ranks that own them. `positions`:
// receives an array of n times dim coordinates, point after point, as their owners gave them: not moved to the nearest image.
// They belong to the handle and are valid until the next call on it that sets points or settings, or searches for others.
// Status: as neargrid_mpi_pairs_view; BAD_VALUE (the points set are real32).
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_mpi_ghosts_view_f64(struct neargrid_mpi_search *search,
                                             int64_t *n,
                                             const int64_t **ids,
                                             const int32_t **ranks,
                                             const double **positions);

// As neargrid_mpi_ghosts_view_f64, for points in real32.
//
// # Safety
// As for neargrid_mpi_ghosts_view_f64.
neargrid_status neargrid_mpi_ghosts_view_f32(struct neargrid_mpi_search *search,
                                             int64_t *n,
                                             const int64_t **ids,
                                             const int32_t **ranks,
                                             const float **positions);

// The ABI version of the library at run time. Callable always, from any thread.
int32_t neargrid_mpi_abi_version(void);

// The library's version, "major.minor.patch". Static: never free it. Callable always, from any thread.
const char *neargrid_mpi_version(void);

// Makes a search of all ranks of a communicator, with default settings and no points. Collective. C programs call
// neargrid_mpi_search_create, which takes an MPI_Comm.
//
// `abi_version`: NEARGRID_MPI_ABI_VERSION of the header compiled against. `comm`: the communicator as Fortran knows it, `comm`
// of module mpi or `comm%MPI_VAL` of mpi_f08. It is duplicated, and MPI's errors on the duplicate are returned. `search`:
// receives the handle, NULL on failure; the caller owns it and frees it with neargrid_mpi_search_destroy.
// MPI_Init or MPI_Init_thread was called; with several threads the one that calls may call MPI.
// Status: OK, NULL_POINTER, ABI_MISMATCH, BAD_STATE (no MPI), BAD_VALUE (comm), BAD_ENVIRONMENT, OUT_OF_MEMORY,
// COMMUNICATION. NULL_POINTER, ABI_MISMATCH, BAD_STATE and BAD_VALUE are not agreed on: they are this rank's alone.
//
// # Safety
// `search` is NULL or writable.
neargrid_status neargrid_mpi_search_create_f(int32_t abi_version,
                                             int32_t comm,
                                             struct neargrid_mpi_search **search);

// Frees a handle and all it holds; its views become invalid. Collective, and to be called before MPI_Finalize: afterwards
// the duplicated communicator is MPI's to clean up. A halo exchange under way is waited for. NULL is nothing to free. Where a call of
// another thread on the handle is under way, that call frees it at its end.
//
// # Safety
// `search` is NULL or a handle not freed before, and no call on it begins any more.
void neargrid_mpi_search_destroy(struct neargrid_mpi_search *search);

// Sets the search radius: as neargrid_search_set_cutoff. Not collective, as all settings; ranks that have different ones are
// refused by the next query (DISAGREEMENT). Threads and backend are each rank's own.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_mpi_search_set_cutoff(struct neargrid_mpi_search *search,
                                               double cutoff);

// Sets whether points exactly one cutoff apart are a pair: as neargrid_search_set_tie_rule.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_mpi_search_set_tie_rule(struct neargrid_mpi_search *search, int32_t rule);

// Sets where numbers of points start, 0 (default) or 1: as neargrid_search_set_index_base. Global ids that are given by this
// library start there too; set it before the points.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_mpi_search_set_index_base(struct neargrid_mpi_search *search,
                                                   int32_t base);

// Sets how many threads this rank searches with: as neargrid_search_set_threads.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_mpi_search_set_threads(struct neargrid_mpi_search *search, int32_t threads);

// Sets who searches on this rank: as neargrid_search_set_backend. NEARGRID_BACKEND_AUTO, the default, takes the CPU on ranks
// without a GPU.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_mpi_search_set_backend(struct neargrid_mpi_search *search,
                                                int32_t backend);

// Sets which GPU this rank searches on, where it searches on one: an index as for neargrid_search_set_device, or
// NEARGRID_DEVICE_AUTO (default): the ranks of a node (MPI_COMM_TYPE_SHARED) take its GPUs in turn, by their number there
// (neargrid_search_set_device_turn). The variable NEARGRID_DEVICE overrides this.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_mpi_search_set_device(struct neargrid_mpi_search *search,
                                               int32_t device);

// Sets an axis-aligned box, the same on all ranks: as neargrid_search_set_box, but points are kept.
//
// # Safety
// `search` is NULL or a valid handle; the arrays are NULL or readable for `dim` elements.
neargrid_status neargrid_mpi_search_set_box(struct neargrid_mpi_search *search,
                                            int32_t dim,
                                            const double *lo,
                                            const double *length,
                                            const int32_t *periodic);

// Makes this rank fail in the next collective call on the handle, and with it all ranks: for bindings to other languages, which
// find out what C cannot, such as arrays of the wrong size. Of several before one call the first counts. Not collective.
//
// `number`: the status that the call will return, not OK. `text`: NUL-terminated UTF-8, what the text will be.
// Status: OK, NULL_POINTER, BAD_VALUE.
//
// # Safety
// `search` is NULL or a valid handle; `text` is NULL or NUL-terminated.
neargrid_status neargrid_mpi_search_refuse(struct neargrid_mpi_search *search,
                                           neargrid_status number,
                                           const char *text);

// Gives this rank's points, in real64, and their global ids. They are copied. Collective; a rank may have none.
//
// `dim`: 1, 2 or 3, the same on all ranks. `n`: 0 to 2^31 - 1. `x`, `y`, `z`, `stride`: as for neargrid_search_set_points_f64.
// `ids`: n global ids, any int64 values, each on one point of one rank; or NULL on all ranks: points are numbered from the
// index base on, rank by rank. Pairs, order and ties follow them. Unless ids ascend on each rank, and those of no rank are
// among another's, each travels once to be compared.
// Status: OK, NULL_POINTER, BAD_DIM, BAD_COUNT, BAD_VALUE (stride; an id that is there twice), NON_FINITE, BAD_STATE (a halo
// exchange is under way), OUT_OF_MEMORY, COMMUNICATION, DISAGREEMENT. On failure the handle keeps what it had.
//
// # Safety
// `search` is NULL or a valid handle; coordinates and ids are readable and unchanged during the
// call.
neargrid_status neargrid_mpi_search_set_points_f64(struct neargrid_mpi_search *search,
                                                   int32_t dim,
                                                   int64_t n,
                                                   const double *x,
                                                   const double *y,
                                                   const double *z,
                                                   int64_t stride,
                                                   const int64_t *ids);

// As neargrid_mpi_search_set_points_f64, in real32.
//
// # Safety
// As for neargrid_mpi_search_set_points_f64.
neargrid_status neargrid_mpi_search_set_points_f32(struct neargrid_mpi_search *search,
                                                   int32_t dim,
                                                   int64_t n,
                                                   const float *x,
                                                   const float *y,
                                                   const float *z,
                                                   int64_t stride,
                                                   const int64_t *ids);

// Tells a number about the search on this rank: `counter` is one of NEARGRID_MPI_COUNTER_*. Not collective. Those of a plan
// are 0 where there is none for the points and settings of now.
// Status: OK, NULL_POINTER, BAD_VALUE.
//
// # Safety
// `search` is NULL or a valid handle; `value` is NULL or writable.
neargrid_status neargrid_mpi_search_counter(struct neargrid_mpi_search *search,
                                            int32_t counter,
                                            int64_t *value);

// Sets a skin, in the unit of the coordinates: finite and at least 0; 0 (default) is none. Plan and lists are then made for cutoff
// plus skin, and kept by neargrid_mpi_search_update_f64 as long as no point of any rank has moved by more than half the skin. What
// queries deliver is exact for the points of now. Along a periodic axis the box must be at least two cutoffs and two skins
// long. As all settings it is not collective, but ranks that have different ones are refused by the next query.
// Status: OK, NULL_POINTER, BAD_VALUE.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_mpi_search_set_skin(struct neargrid_mpi_search *search,
                                             double skin);

// Gives this rank's points of the next time step, in real64: as neargrid_mpi_search_set_points_f64, but plan, ghosts and the list
// made with the skin are kept if no point of any rank has moved too far since the plan was made. Then the ghosts get their positions
// of now, in one message from each rank that owns some. Another number of points, dim, precision or other ids on any rank, or a
// setting that changed since, gives them up; without a skin, or before the first query, this is
// neargrid_mpi_search_set_points_f64. Collective.
//
// `dim`, `n`, `x`, `y`, `z`, `stride`, `ids`: as for neargrid_mpi_search_set_points_f64, the points in the same order as before.
// `rebuilt`: receives 1 if the next query must make plan and list anew, otherwise 0; the same on all ranks.
// Status: as neargrid_mpi_search_set_points_f64.
//
// # Safety
// `search` is NULL or a valid handle; coordinates and ids are readable and unchanged during the
// call; `rebuilt` is NULL or writable.
neargrid_status neargrid_mpi_search_update_f64(struct neargrid_mpi_search *search,
                                               int32_t dim,
                                               int64_t n,
                                               const double *x,
                                               const double *y,
                                               const double *z,
                                               int64_t stride,
                                               const int64_t *ids,
                                               int32_t *rebuilt);

// As neargrid_mpi_search_update_f64, in real32.
//
// # Safety
// As for neargrid_mpi_search_update_f64.
neargrid_status neargrid_mpi_search_update_f32(struct neargrid_mpi_search *search,
                                               int32_t dim,
                                               int64_t n,
                                               const float *x,
                                               const float *y,
                                               const float *z,
                                               int64_t stride,
                                               const int64_t *ids,
                                               int32_t *rebuilt);

// Tells how close the last neargrid_mpi_search_update came to a new plan: twice the largest displacement of a point of any rank since
// the plan was made, as a share of the skin. 0 where there was no plan. Not collective, but the same on all ranks.
//
// `share`: receives it; above 1 plan and list were given up.
// Status: OK, NULL_POINTER.
//
// # Safety
// `search` is NULL or a valid handle; `share` is NULL or writable.
neargrid_status neargrid_mpi_search_skin_used(struct neargrid_mpi_search *search,
                                              double *share);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

/* As neargrid_mpi_search_create_f, for C programs. */
static inline neargrid_status neargrid_mpi_search_create(int32_t abi_version, MPI_Comm comm,
                                                         neargrid_mpi_search **search) {
    return neargrid_mpi_search_create_f(abi_version, (int32_t)MPI_Comm_c2f(comm), search);
}

#endif /* NEARGRID_MPI_H */
