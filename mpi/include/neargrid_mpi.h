/* neargrid across MPI ranks: pairs and rows of neighbors that do not depend on how points are spread over ranks.
 *
 * Written by `make header` from mpi/src/capi; do not edit.
 *
 * Functions said to be collective are called by all ranks of the communicator, in the same order. They fail on all ranks
 * alike, with the status and the text (neargrid_mpi_last_error) of the first rank that failed, and the handle stays usable;
 * but a NULL handle is found out by its own rank alone. Outputs are untouched on failure, except a count that reports the
 * need where arrays are too small. Nothing prints, exits or aborts; MPI is initialized and finalized by the caller. A handle
 * is used by one thread at a time.
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

// Points of this rank before the migration that is planned; 0 where none is.
#define NEARGRID_MPI_COUNTER_MIGRATION_BEFORE 18

// Points of this rank after it.
#define NEARGRID_MPI_COUNTER_MIGRATION_AFTER 19

// Messages that this rank sent in the last call about a migration: planning one, or moving a field.
#define NEARGRID_MPI_COUNTER_MIGRATION_MESSAGES 20

// Their bytes.
#define NEARGRID_MPI_COUNTER_MIGRATION_BYTES 21

// A neighbor search across the ranks of a communicator: settings, points and results, reused from call to call. Made by
// `neargrid_mpi_search_create`, freed by `neargrid_mpi_search_destroy`, used by one thread at a time.
typedef struct neargrid_mpi_search neargrid_mpi_search;

// An MPI call failed; ranks may be waiting for each other, so that only destroying the handle is left.
#define NEARGRID_MPI_STATUS_COMMUNICATION 150

// Ranks gave different values where they must give the same, or called different functions.
#define NEARGRID_MPI_STATUS_DISAGREEMENT 151

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

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
// `search` is NULL or a valid handle used by no other thread; `owned` is NULL or readable and `ghosts` NULL or writable for
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
// `search` is NULL or a valid handle used by no other thread; `ghosts` is NULL or writable for an element for each ghost.
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
// `search` is NULL or a valid handle used by no other thread; `ghosts` is NULL or readable and `owned` NULL or writable for
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

// Plans where points go so that each rank has as many, up to one, and these are near each other in space: along Hilbert's curve
// through a cube around all points of all ranks, cut into equal parts. Points at the same place of it stand in the order of their
// global ids. So which rank gets which points, and in which order, does not depend on how they were spread before; without ids it
// does. Collective. Nothing moves yet, and the points of the search (neargrid_mpi_search_set_points_f64) stay what they are.
//
// `dim`, `n`, `x`, `y`, `z`, `stride`: this rank's points, as for neargrid_mpi_search_set_points_f64; along periodic axes of the
// box they count where they are wrapped to. `ids`: n global ids, or NULL on all ranks. `n_after`: receives how many points
// this rank will have.
// Status: OK, NULL_POINTER, BAD_DIM, BAD_COUNT, BAD_VALUE (stride), NON_FINITE, BAD_DOMAIN (a point infinitely far from the box),
// BAD_STATE (a halo exchange is under way), OUT_OF_MEMORY, COMMUNICATION, DISAGREEMENT. On failure an earlier plan stays.
//
// # Safety
// `search` is NULL or a valid handle used by no other thread; coordinates and ids are readable and unchanged during the
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
// `search` is NULL or a valid handle used by no other thread; `before` is NULL or readable and `after` NULL or writable for
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
// `search` is NULL or a valid handle used by no other thread; the other pointers are NULL or writable.
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
// `search` is NULL or a valid handle used by no other thread; `npairs` is NULL or writable; the arrays are NULL or
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
// `search` is NULL or a valid handle used by no other thread; the other pointers are NULL or writable.
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
// `search` is NULL or a valid handle used by no other thread; `total` is NULL or writable; `offsets` is NULL or
// writable for n + 1, `ids` for `capacity` elements.
neargrid_status neargrid_mpi_neighbors_copy(struct neargrid_mpi_search *search,
                                            int32_t kind,
                                            int64_t capacity,
                                            int64_t *total,
                                            int64_t *offsets,
                                            int32_t *ids);

// Gives the ghosts of this rank in memory of the library, for points in real64: the k-th has number n_owned + k, from the
// index base on. They stand in the order of the ranks that own them, and of their numbers there. Collective.
//
// `n`: receives their number. `ids`, `ranks`: receive arrays of n global ids, and of the ranks that own them. `positions`:
// receives an array of n times dim coordinates, point after point, as their owners gave them: not moved to the nearest image.
// They belong to the handle and are valid until the next call on it that sets points or settings, or searches for others.
// Status: as neargrid_mpi_pairs_view; BAD_VALUE (the points set are real32).
//
// # Safety
// `search` is NULL or a valid handle used by no other thread; the other pointers are NULL or writable.
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
// the duplicated communicator is MPI's to clean up. A halo exchange under way is waited for. NULL is nothing to free.
//
// # Safety
// `search` is NULL or a handle not freed before; nobody uses it any more.
void neargrid_mpi_search_destroy(struct neargrid_mpi_search *search);

// Sets the search radius: as neargrid_search_set_cutoff. Not collective, as all settings; ranks that have different ones are
// refused by the next query (DISAGREEMENT). Threads and backend are each rank's own.
//
// # Safety
// `search` is NULL or a valid handle used by no other thread.
neargrid_status neargrid_mpi_search_set_cutoff(struct neargrid_mpi_search *search,
                                               double cutoff);

// Sets whether points exactly one cutoff apart are a pair: as neargrid_search_set_tie_rule.
//
// # Safety
// `search` is NULL or a valid handle used by no other thread.
neargrid_status neargrid_mpi_search_set_tie_rule(struct neargrid_mpi_search *search, int32_t rule);

// Sets where numbers of points start, 0 (default) or 1: as neargrid_search_set_index_base. Global ids that are given by this
// library start there too; set it before the points.
//
// # Safety
// `search` is NULL or a valid handle used by no other thread.
neargrid_status neargrid_mpi_search_set_index_base(struct neargrid_mpi_search *search,
                                                   int32_t base);

// Sets how many threads this rank searches with: as neargrid_search_set_threads.
//
// # Safety
// `search` is NULL or a valid handle used by no other thread.
neargrid_status neargrid_mpi_search_set_threads(struct neargrid_mpi_search *search, int32_t threads);

// Sets who searches on this rank: as neargrid_search_set_backend. NEARGRID_BACKEND_AUTO, the default, takes the CPU on ranks
// without a GPU.
//
// # Safety
// `search` is NULL or a valid handle used by no other thread.
neargrid_status neargrid_mpi_search_set_backend(struct neargrid_mpi_search *search,
                                                int32_t backend);

// Sets which GPU this rank searches on, where it searches on one: an index as for neargrid_search_set_device, or
// NEARGRID_DEVICE_AUTO (default): the ranks of a node (MPI_COMM_TYPE_SHARED) take its GPUs in turn, by their number there
// (neargrid_search_set_device_turn). The variable NEARGRID_DEVICE overrides this.
//
// # Safety
// `search` is NULL or a valid handle used by no other thread.
neargrid_status neargrid_mpi_search_set_device(struct neargrid_mpi_search *search,
                                               int32_t device);

// Sets an axis-aligned box, the same on all ranks: as neargrid_search_set_box, but points are kept.
//
// # Safety
// `search` is NULL or a valid handle used by no other thread; the arrays are NULL or readable for `dim` elements.
neargrid_status neargrid_mpi_search_set_box(struct neargrid_mpi_search *search,
                                            int32_t dim,
                                            const double *lo,
                                            const double *length,
                                            const int32_t *periodic);

// Makes this rank fail in the next collective call on the handle, and with it all ranks: for bindings to other languages, which
// find out what C cannot, such as arrays of the wrong size. Not collective.
//
// `number`: the status that the call will return, not OK. `text`: NUL-terminated UTF-8, what the text will be.
// Status: OK, NULL_POINTER, BAD_VALUE.
//
// # Safety
// `search` is NULL or a valid handle used by no other thread; `text` is NULL or NUL-terminated.
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
// `search` is NULL or a valid handle used by no other thread; coordinates and ids are readable and unchanged during the
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
// `search` is NULL or a valid handle used by no other thread; `value` is NULL or writable.
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
// `search` is NULL or a valid handle used by no other thread.
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
// `search` is NULL or a valid handle used by no other thread; coordinates and ids are readable and unchanged during the
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
// `search` is NULL or a valid handle used by no other thread; `share` is NULL or writable.
neargrid_status neargrid_mpi_search_skin_used(struct neargrid_mpi_search *search,
                                              double *share);

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

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

/* As neargrid_mpi_search_create_f, for C programs. */
static inline neargrid_status neargrid_mpi_search_create(int32_t abi_version, MPI_Comm comm,
                                                         neargrid_mpi_search **search) {
    return neargrid_mpi_search_create_f(abi_version, (int32_t)MPI_Comm_c2f(comm), search);
}

#endif /* NEARGRID_MPI_H */
