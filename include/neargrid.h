/* neargrid: exact, canonical neighbor search for particle codes.
 *
 * Written by `make header` from src/capi; do not edit.
 *
 * Every fallible function returns a neargrid_status; outputs come last and are untouched on failure, except a count
 * that reports the need where arrays are too small, and the front of arrays that a result was arriving in when a GPU
 * was lost. The text of each function lists its statuses, except two: any function may return NEARGRID_STATUS_INTERNAL,
 * a bug, and any that takes a handle NEARGRID_STATUS_BUSY, where another thread is inside a call on that handle; then
 * nothing happens. neargrid_last_error gives the text of the calling thread's last failure.
 *
 * Any thread may call; a handle is used by one thread at a time, and distinct handles are independent. Nothing prints or
 * exits. Not for signal handlers.
 *
 * After fork, the child may search with any number of threads, with handles of its own and with those it inherited; one that
 * another thread of the parent was using at that moment is BUSY in the child for ever. A GPU that the parent opened stays the
 * parent's: in the child backend auto takes the CPU, and backend gpu fails with NO_DEVICE.
 */

#ifndef NEARGRID_H
#define NEARGRID_H

#include <stddef.h>
#include <stdint.h>

// The default rule of the drop-ins: that of NEARGRID_TIE in the environment, or else inclusive.
#define NEARGRID_TIE_DEFAULT -1

// The nearest of each active point among all others.
#define NEARGRID_KNN_OTHERS 0

// The nearest of each active point among all points, itself included.
#define NEARGRID_KNN_ALL 1

// The nearest points of each query.
#define NEARGRID_KNN_QUERIES 2

// Distances.
#define NEARGRID_KNN_DISTANCE 0

// Distances squared.
#define NEARGRID_KNN_SQUARE 1

// The largest k.
#define NEARGRID_KNN_MAX 1024

// Row i lists j > i: each pair once.
#define NEARGRID_NEIGHBORS_HALF 0

// Row i lists all j: each pair twice.
#define NEARGRID_NEIGHBORS_FULL 1

// Row q lists every point within the cutoff of query q, also one that coincides with it.
#define NEARGRID_NEIGHBORS_QUERIES 2

// The cutoff of a pair is the radius of the point whose row it is listed in; full rows and queries only.
#define NEARGRID_RADIUS_GATHER 0

// It is the radius of the point that is listed; full rows and queries only.
#define NEARGRID_RADIUS_SCATTER 1

// It is the larger of both radii.
#define NEARGRID_RADIUS_MAX 2

// It is the smaller of both radii.
#define NEARGRID_RADIUS_MIN 3

// It is half of the sum of both radii: 0.5 * (r_i + r_j), each operation rounded in the precision of the points.
#define NEARGRID_RADIUS_MEAN 4

// Points set.
#define NEARGRID_COUNTER_POINTS 0

// Entries of the last result: pairs, or ids of neighbors.
#define NEARGRID_COUNTER_ENTRIES 1

// Indexes built since the handle was created.
#define NEARGRID_COUNTER_INDEX_BUILDS 2

// Searches that counted.
#define NEARGRID_COUNTER_COUNTS 3

// Lists filled.
#define NEARGRID_COUNTER_FILLS 4

// Threads of the last query, the calling one included.
#define NEARGRID_COUNTER_THREADS 5

// Cells of the index; 0 for one on a GPU, which alone knows them.
#define NEARGRID_COUNTER_CELLS 6

// Bytes the handle holds: points, index and its own lists.
#define NEARGRID_COUNTER_BYTES_HELD 7

// Backend of the last query, a NEARGRID_BACKEND_* number (AUTO before the first).
#define NEARGRID_COUNTER_BACKEND 8

// Bytes the handle holds on a GPU.
#define NEARGRID_COUNTER_DEVICE_BYTES 9

// Buffers made for a GPU since the handle was created; a search like the one before makes none.
#define NEARGRID_COUNTER_DEVICE_ALLOCATIONS 10

// Axes of the points set; 0 where none are.
#define NEARGRID_COUNTER_DIM 11

// Lists made with a skin since the handle was created.
#define NEARGRID_COUNTER_SKIN_LISTS 12

// Queries set.
#define NEARGRID_COUNTER_QUERIES 13

// Points to the device.
#define NEARGRID_PHASE_UPLOAD 0

// Building the index.
#define NEARGRID_PHASE_INDEX 1

// Counting rows.
#define NEARGRID_PHASE_COUNT 2

// Filling rows.
#define NEARGRID_PHASE_FILL 3

// Result to the host.
#define NEARGRID_PHASE_DOWNLOAD 4

// All of the query.
#define NEARGRID_PHASE_TOTAL 5

// A pair is two points with d2 <= c2: the default.
#define NEARGRID_TIE_INCLUSIVE 0

// A pair is two points with d2 < c2.
#define NEARGRID_TIE_EXCLUSIVE 1

// A GPU where there is one and the problem is large enough to win, otherwise the CPU: the default.
#define NEARGRID_BACKEND_AUTO 0

// The CPU.
#define NEARGRID_BACKEND_CPU 1

// A GPU; where there is none, queries fail with NO_DEVICE.
#define NEARGRID_BACKEND_GPU 2

// The best GPU there is: the default.
#define NEARGRID_DEVICE_AUTO -1

// All points are active, none is a ghost: the default.
#define NEARGRID_ALL_ACTIVE -1

// Pairs and half rows hold all pairs of an active point and a ghost: the default.
#define NEARGRID_GHOST_PAIRS_ALL 0

// Pairs and half rows hold those of an active point and a ghost of larger global id.
#define NEARGRID_GHOST_PAIRS_LARGER_IDS 1

// The version of the binary interface this header describes; pass it to neargrid_search_create.
#define NEARGRID_ABI_VERSION 1

// Words of a sum.
#define NEARGRID_SUM_WORDS 136

// A neighbor search over one set of points: settings, index and results, reused from call to call. Made by
// `neargrid_search_create`, freed by `neargrid_search_destroy`. Distinct handles are independent; one handle is used by
// one thread at a time, not always the same. A call on a handle that another call is still using does nothing and returns
// BUSY, as does any call on a handle that another thread was using when the process was forked.
typedef struct neargrid_search neargrid_search;

// What every fallible function returns: NEARGRID_STATUS_OK or what went wrong. Numbers are never reused.
typedef int32_t neargrid_status;

// The call did what it says.
#define NEARGRID_STATUS_OK 0

// A pointer that must point to something is NULL.
#define NEARGRID_STATUS_NULL_POINTER 1

// dim is not 1, 2 or 3.
#define NEARGRID_STATUS_BAD_DIM 2

// A count or capacity is negative or above its limit.
#define NEARGRID_STATUS_BAD_COUNT 3

// The cutoff is not finite, not positive, or its square leaves the range of the precision.
#define NEARGRID_STATUS_BAD_CUTOFF 4

// A coordinate is NaN or infinite.
#define NEARGRID_STATUS_NON_FINITE 5

// A setting, or an element of an array, is outside its range.
#define NEARGRID_STATUS_BAD_VALUE 6

// The call needs something that was not set before: points or a cutoff.
#define NEARGRID_STATUS_BAD_STATE 7

// The caller's arrays are too small: the need is reported, the arrays are untouched.
#define NEARGRID_STATUS_CAPACITY 8

// A NEARGRID_* environment variable has a value that is not allowed.
#define NEARGRID_STATUS_BAD_ENVIRONMENT 9

// The domain or box is not usable.
#define NEARGRID_STATUS_BAD_DOMAIN 10

// A radius is not finite or not positive.
#define NEARGRID_STATUS_BAD_RADIUS 11

// Another call on the handle is under way: one thread at a time uses a handle. Nothing was done.
#define NEARGRID_STATUS_BUSY 12

// Known, but not in this version.
#define NEARGRID_STATUS_NOT_SUPPORTED 50

// Memory for the index or the result cannot be had.
#define NEARGRID_STATUS_OUT_OF_MEMORY 100

// More pairs than the caller's 32-bit count can hold.
#define NEARGRID_STATUS_TOO_MANY_PAIRS 101

// The backend asked for has no device here.
#define NEARGRID_STATUS_NO_DEVICE 102

// The device was lost during the call.
#define NEARGRID_STATUS_DEVICE_LOST 103

// The operating system refused threads.
#define NEARGRID_STATUS_THREADS 104

// The result would take more memory than the limit set on the handle: take it in chunks, or in arrays of the caller's.
#define NEARGRID_STATUS_MEMORY_LIMIT 105

// Header or module and library are of different ABI versions.
#define NEARGRID_STATUS_ABI_MISMATCH 254

// A bug in neargrid: please report the text.
#define NEARGRID_STATUS_INTERNAL 255



#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Searches the pairs of `npoints` points within `cutoff` with the calling thread's hidden handle, and counts them. The list is made by neargrid_celllist_fetch or _fetch_compact, without a second search.
//
// `dim`: 1, 2 or 3. `x`: dim coordinates for each point, point after point; may be NULL where npoints is 0.
// `tie_rule`: NEARGRID_TIE_INCLUSIVE, NEARGRID_TIE_EXCLUSIVE, or NEARGRID_TIE_DEFAULT: what NEARGRID_TIE in the environment says,
// or else inclusive. `index_base`: 0 or 1, of the ids fetched and of points in messages. `npairs`: receives the number of pairs.
// Status: OK, NULL_POINTER, BAD_DIM, BAD_COUNT, BAD_CUTOFF, NON_FINITE, BAD_VALUE, BAD_ENVIRONMENT, OUT_OF_MEMORY,
// NO_DEVICE, DEVICE_LOST, THREADS. A failure discards this thread's earlier result, unless only `npairs` is NULL.
// Thread: any; each has a result of its own. Memory is held until neargrid_celllist_release or the thread's end.
//
// # Safety
// `x` is NULL or readable for dim * npoints elements; `npairs` is NULL or writable.
neargrid_status neargrid_celllist_count_f64(int32_t dim,
                                            int64_t npoints,
                                            const double *x,
                                            double cutoff,
                                            int32_t tie_rule,
                                            int32_t index_base,
                                            int64_t *npairs);

// As neargrid_celllist_count_f64, in real32.
//
// # Safety
// As for neargrid_celllist_count_f64.
neargrid_status neargrid_celllist_count_f32(int32_t dim,
                                            int64_t npoints,
                                            const float *x,
                                            float cutoff,
                                            int32_t tie_rule,
                                            int32_t index_base,
                                            int64_t *npairs);

// Writes the pairs of this thread's last search, ordered by (i, j), i < j.
//
// `maxnpair`: elements that each array has. `npairs`: receives the number of pairs. `pair_i`, `pair_j`: filled up to
// npairs; elements beyond are not touched; may be NULL where maxnpair is 0.
// Status: OK, NULL_POINTER, BAD_COUNT, BAD_STATE (no search by this thread), CAPACITY: then npairs is the need, the
// arrays are untouched and the call can be repeated with larger ones; OUT_OF_MEMORY, DEVICE_LOST (search again).
//
// # Safety
// `npairs` is NULL or writable; the arrays are NULL or writable for maxnpair elements and do not overlap.
neargrid_status neargrid_celllist_fetch(int64_t maxnpair,
                                        int64_t *npairs,
                                        int32_t *pair_i,
                                        int32_t *pair_j);

// Writes the pairs of this thread's last search with their left points compressed: `endpos[i]` is the number of pairs
// whose left point is at or before the i-th.
//
// `endpos`: one element for each point; may be NULL where there is none. The rest as for neargrid_celllist_fetch.
// Status: as neargrid_celllist_fetch, and TOO_MANY_PAIRS where endpos could not hold the number of pairs.
//
// # Safety
// `npairs` is NULL or writable; `endpos` is NULL or writable for npoints elements, `pair_j` for maxnpair.
neargrid_status neargrid_celllist_fetch_compact(int64_t maxnpair,
                                                int64_t *npairs,
                                                int32_t *endpos,
                                                int32_t *pair_j);

// Frees the memory of the calling thread's hidden handle; its last result is gone. The next search makes a new one.
void neargrid_celllist_release(void);

// Begins to deliver rows in chunks, whose memory is bounded by the number of points and by max_entries, whatever the result:
// lists may be larger than memory. Each chunk has whole rows, in order, as many as have max_entries entries together at the
// most. The skin is not used. The chunks end with the last one, with a change of points or of any setting, with
// another query, and with neargrid_search_trim. Setting what is set already changes nothing, except for arrays. Questions (info,
// counter, timing, distances, displacements, order) leave them alone.
//
// `kind`: NEARGRID_NEIGHBORS_HALF (the rows, or pairs, of each pair once), NEARGRID_NEIGHBORS_FULL or
// NEARGRID_NEIGHBORS_QUERIES. `max_entries`: greater than 0. `total`: receives the entries of all chunks.
// Status: as neargrid_pairs_count, and BAD_VALUE (kind), BAD_COUNT (max_entries), MEMORY_LIMIT (a chunk of max_entries takes
// more), CAPACITY: a row has more entries than max_entries; the text says how many. Chunks begun before go on if
// this call is refused before it searches: after every status except CAPACITY, OUT_OF_MEMORY, NO_DEVICE, DEVICE_LOST and THREADS.
//
// # Safety
// `search` is NULL or a valid handle; `total` is NULL or writable.
neargrid_status neargrid_chunks_begin(struct neargrid_search *search,
                                      int32_t kind,
                                      int64_t max_entries,
                                      int64_t *total);

// Gives the next rows. In index base b, row first_row + k is `ids[offsets[k] - b]` to `ids[offsets[k + 1] - 1 - b]`, ascending.
//
// `first_row`: receives the number of the first row (of a point, or of a query), from the index base on. `nrows`: the number
// of rows; 0 behind the last, then the others are untouched but for NULL in offsets and ids. `offsets`, `ids`: receive arrays
// of nrows + 1 elements, the first of which is the index base, and of as many as the last of those says; they belong to the
// handle and are valid until the next call on it that is not a question.
// Status: OK, NULL_POINTER, BAD_STATE (no chunks begun with the points and settings of now), OUT_OF_MEMORY, DEVICE_LOST,
// THREADS. NULL_POINTER and BAD_STATE leave the chunks alone; any other failure ends them.
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_chunks_next(struct neargrid_search *search,
                                     int64_t *first_row,
                                     int64_t *nrows,
                                     const int64_t **offsets,
                                     const int32_t **ids);

// Gives the next rows as pairs: pair_i of a row (for NEARGRID_NEIGHBORS_QUERIES the number of the query), pair_j one of its
// ids, ordered by both. May be called in turns with neargrid_chunks_next, but not where points have global ids, by which pairs
// come in another order than rows (BAD_STATE).
//
// `npairs`: receives the number of pairs; 0 behind the last, then the others receive NULL. `pair_i`, `pair_j`: receive arrays
// of npairs elements, which belong to the handle and are valid until the next call on it that is not a question.
// Status: as neargrid_chunks_next.
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_chunks_next_pairs(struct neargrid_search *search,
                                           int64_t *npairs,
                                           const int32_t **pair_i,
                                           const int32_t **pair_j);

// The ABI version of the library at run time. Callable always, from any thread.
int32_t neargrid_abi_version(void);

// The library's version, "major.minor.patch". Static: never free it. Callable always, from any thread.
const char *neargrid_version(void);

// The name of a status, such as "NEARGRID_STATUS_CAPACITY"; "unknown status" for any other number. Static: never free
// it. Callable always, from any thread.
const char *neargrid_status_name(neargrid_status status);

// Copies the text of the calling thread's last failed call: argument, value and what is allowed. A later success does
// not clear it.
//
// `buffer`: `capacity` bytes, filled with the text cut to fit and a NUL; may be NULL where capacity is 0.
// `length`: the text's full length without the NUL; may be NULL.
// Status: OK, NULL_POINTER. Thread: each has its own text.
//
// # Safety
// `buffer` is writable for `capacity` bytes and `length` is writable, where they are not NULL.
neargrid_status neargrid_last_error(char *buffer,
                                    size_t capacity,
                                    size_t *length);

// Writes which group of friends of friends each point is in. Two points are friends if they are a pair within the cutoff,
// which is the linking length, by the tie rule of the handle; a group is what chains of friends connect. The label of a
// group is its point with the smallest number, or where points have global ids the one with the smallest of these; labels
// are numbers of points in the index base, the same for any number of threads.
//
// Every point is in a group, ghosts as well, whatever types interact; but see neargrid_search_set_primary_types. Queries are
// no points. Skin and radii are not used: a handle with a radius per point refuses. Groups of primary types
// are searched on the CPU, for now: with the backend NEARGRID_BACKEND_GPU they are refused.
//
// `n`: number of points set. `labels`: n elements; may be NULL where n is 0. `ngroups`: receives the number of groups, points
// alone among them.
// Status: OK, NULL_POINTER, BAD_COUNT (n; types or ids set for another number of points, or types of which
// others are primary), BAD_STATE (no points or no cutoff set, or no types where some are primary), BAD_CUTOFF, BAD_DOMAIN (a
// periodic axis shorter than two cutoffs), BAD_VALUE (a device that is not there), BAD_ENVIRONMENT (a wrong NEARGRID_DEVICE or
// NEARGRID_GPU_MASK), NOT_SUPPORTED (radii, or primary types with backend gpu), OUT_OF_MEMORY, NO_DEVICE, DEVICE_LOST, THREADS.
//
// # Safety
// `search` is NULL or a valid handle; `labels` is NULL or writable for `n` elements, `ngroups` NULL
// or writable.
neargrid_status neargrid_fof_copy(struct neargrid_search *search,
                                  int64_t n,
                                  int32_t *labels,
                                  int64_t *ngroups);

// Gives the labels in memory of the library, as by neargrid_fof_copy. Asked for again, they are not searched again.
//
// `n`: receives the number of points. `labels`: receives an array of n elements, which belongs to the handle and is valid
// until the next call on it that is not a question (info, counter, timing, distances, displacements, order, views of
// groups). `ngroups`: receives the number of groups.
// Status: as neargrid_fof_copy, and MEMORY_LIMIT.
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_fof_view(struct neargrid_search *search,
                                  int64_t *n,
                                  const int32_t **labels,
                                  int64_t *ngroups);

// Sets which types of points (neargrid_search_set_types) link into groups, as dark matter does. Points of the other types, as
// gas and stars, connect nothing: each attaches to the group of the nearest point that links, if that is within the cutoff by
// the tie rule, and of equally near ones to that of the smaller number or global id; where none is, it is a group of its
// own. Other queries do not know of it. No types (ntypes = 0) undo it: points of all types link.
//
// `ntypes`: 0 to 32; another number than that of the types is refused by the search for groups. `primary`: ntypes flags (0
// or 1); not read where ntypes is 0.
// Status: OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (a flag). On failure nothing changes.
//
// # Safety
// `search` is NULL or a valid handle; `primary` is NULL or readable for `ntypes` elements.
neargrid_status neargrid_search_set_primary_types(struct neargrid_search *search,
                                                  int32_t ntypes,
                                                  const int32_t *primary);

// Finds the groups of neargrid_fof_copy that have at least so many points, to be looked at by neargrid_groups_view_members and
// neargrid_groups_view_sums, where each point's mass is 1 and there are no velocities.
//
// `min_size`: 1 or more. `ngroups`: receives the number of such groups.
// Status: as neargrid_fof_view, and BAD_COUNT (min_size).
//
// # Safety
// `search` is NULL or a valid handle; `ngroups` is NULL or writable.
neargrid_status neargrid_groups_find(struct neargrid_search *search,
                                     int64_t min_size,
                                     int64_t *ngroups);

// As neargrid_groups_find, with masses and velocities in real64, that of the points set.
//
// `n`: number of points set. `masses`: n masses, finite and greater than 0, or NULL: each point's is 1. `vx`, `vy`, `vz`: the
// first point's velocity, or vx NULL: none; vy is not read for dim 1, vz not below dim 3. `stride`: bytes from one velocity
// to the next, as in neargrid_search_set_points_f64. All are read during the call only.
// Status: as neargrid_groups_find, and BAD_COUNT (n), BAD_VALUE (a mass, the stride, or the points set are real32), NON_FINITE (a
// velocity).
//
// # Safety
// `search` is NULL or a valid handle; `masses` is NULL or readable for `n` elements, the velocities
// NULL or readable as `stride` says; `ngroups` is NULL or writable.
neargrid_status neargrid_groups_find_f64(struct neargrid_search *search,
                                         int64_t min_size,
                                         int64_t n,
                                         const double *masses,
                                         const double *vx,
                                         const double *vy,
                                         const double *vz,
                                         int64_t stride,
                                         int64_t *ngroups);

// As neargrid_groups_find_f64, in real32.
//
// # Safety
// As for neargrid_groups_find_f64.
neargrid_status neargrid_groups_find_f32(struct neargrid_search *search,
                                         int64_t min_size,
                                         int64_t n,
                                         const float *masses,
                                         const float *vx,
                                         const float *vy,
                                         const float *vz,
                                         int64_t stride,
                                         int64_t *ngroups);

// Gives the groups found last and who is in them: the largest group first, of equally large ones that with the smaller label,
// or label of the smaller global id. In index base b, the members of group g are `order[offsets[g] - b]` to
// `order[offsets[g + 1] - 1 - b]`, by number. `order` holds all points, so that it is one for neargrid_reorder: behind the
// members of the groups come the points of groups that are too small, by number.
//
// `ngroups`: receives the number of groups. `labels`, `sizes`: receive arrays of ngroups elements, `offsets` of ngroups + 1,
// `order` of as many as there are points. They belong to the handle and are valid until the next call on it that is not a
// question.
// Status: OK, NULL_POINTER, BAD_STATE (no groups found for the points and settings of now).
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_groups_view_members(const struct neargrid_search *search,
                                             int64_t *ngroups,
                                             const int32_t **labels,
                                             const int64_t **sizes,
                                             const int64_t **offsets,
                                             const int32_t **order);

// Gives sums over the members of the groups found last, in the order of neargrid_groups_view_members, all in real64. Positions
// are taken relative to the label, along a periodic axis to the nearest image; a center is brought back into the box. Sums of
// masses, and of masses times positions, velocities and distances squared, are exact and rounded once, so that they do not
// depend on threads or on how points are numbered; they may be infinite. A group that is as wide as half the box along a
// periodic axis, or wider, has its flag set: its center and radius depend on the label.
//
// `ngroups`: receives the number of groups, `dim` that of axes. `masses`: receives an array of ngroups sums of masses.
// `centers`: ngroups times dim elements, the centers of mass. `velocities`: likewise, the mean velocities weighted by mass, or
// NULL where no velocities were given. `radii`: ngroups roots of the mean distance squared from the center, weighted by
// mass. `wide`: ngroups flags, 0 or 1. They belong to the handle and are valid until the next call on it that is not a question.
// Status: as neargrid_groups_view_members.
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_groups_view_sums(const struct neargrid_search *search,
                                          int64_t *ngroups,
                                          int32_t *dim,
                                          const double **masses,
                                          const double **centers,
                                          const double **velocities,
                                          const double **radii,
                                          const int32_t **wide);

// Sets a global id per point, any int64 values, each once: ties and order then follow the ids, not the points' numbers, so that
// the same points held in another order, or by another process, give the same pairs in the same order. What is delivered
// stays the points' numbers in the index base. Of a pair, `pair_i` is the point of the smaller id, or of an active point and
// a ghost the active one; pairs ascend by the id of `pair_i`, then of `pair_j`. Row i of neighbors and queries remains that
// of point or query i; its ids ascend by their points' global ids. A half row lists the points whose id is larger than its
// own, that of an active point all its ghosts too (unless neargrid_search_set_ghost_pairs says otherwise).
// The ids are copied, and stay when points are set anew. No ids (n = 0) undo them.
//
// `n`: number of points; another number than that of the points set is refused by the query. `ids`: n ids; not read where n
// is 0.
// Status: OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (two points have one id), OUT_OF_MEMORY. On failure nothing changes.
//
// # Safety
// `search` is NULL or a valid handle; `ids` is NULL or readable for `n` elements.
neargrid_status neargrid_search_set_ids(struct neargrid_search *search,
                                        int64_t n,
                                        const int64_t *ids);

// Tells how many rows there are of a kind: as many as active points (all, where their number was not set), or queries.
//
// `kind`: NEARGRID_KNN_OTHERS, NEARGRID_KNN_ALL or NEARGRID_KNN_QUERIES. `n`: receives the number of rows.
// Status: OK, NULL_POINTER, BAD_VALUE, BAD_STATE (no points set), BAD_COUNT (more active points than points).
//
// # Safety
// `search` is NULL or a valid handle; `n` is NULL or writable.
neargrid_status neargrid_knn_rows(const struct neargrid_search *search,
                                  int32_t kind,
                                  int64_t *n);

// Writes the k nearest points of each active point, or of each query, into the caller's arrays: row i is `ids[i * k]` to
// `ids[i * k + k - 1]`, ordered by distance squared, and where those are equal by id, in the handle's index base. Distances
// are those of neargrid_pairs_distances_f64, correctly rounded roots of dx*dx + dy*dy + dz*dz summed left to right with
// every operation rounded; infinite where that sum overflows. Where there are less than k points, the missing ids are the
// index base less one, and their distances infinite.
//
// Needs no cutoff. Along a periodic axis, of any length, each point counts once, where it is nearest. Every point may be a
// neighbor, a ghost too, whatever its type; ghosts have no row. A point that coincides with another is its neighbor.
// The same rows on the CPU and on a GPU.
//
// `kind`: NEARGRID_KNN_OTHERS, NEARGRID_KNN_ALL or NEARGRID_KNN_QUERIES. `k`: 1 to NEARGRID_KNN_MAX. `measure`:
// NEARGRID_KNN_DISTANCE or NEARGRID_KNN_SQUARE. `n`: rows that the arrays have, as many as
// neargrid_knn_rows tells. `ids`: n * k elements. `distances`: n * k elements, or NULL where they are not
// wanted. `counts`: n elements, receives how many neighbors each row has, or NULL. All may be NULL where n is 0.
// Status: OK, NULL_POINTER, BAD_COUNT (n, k, more active points than points, ids set for another number of points), BAD_VALUE
// (kind, measure, a device that is not there, or the points set are real32), BAD_STATE (no points set), BAD_ENVIRONMENT (a wrong
// NEARGRID_DEVICE or NEARGRID_GPU_MASK), NOT_SUPPORTED (with NEARGRID_BACKEND_GPU: global ids that do not ascend, or a cloud on
// more scales than real32 has), OUT_OF_MEMORY, NO_DEVICE, DEVICE_LOST, THREADS.
//
// # Safety
// `search` is NULL or a valid handle; the arrays are NULL or writable for that many elements, and
// do not overlap.
neargrid_status neargrid_knn_copy_f64(struct neargrid_search *search,
                                      int32_t kind,
                                      int32_t k,
                                      int32_t measure,
                                      int64_t n,
                                      int32_t *ids,
                                      double *distances,
                                      int32_t *counts);

// As neargrid_knn_copy_f64, for points in real32.
//
// # Safety
// As for neargrid_knn_copy_f64.
neargrid_status neargrid_knn_copy_f32(struct neargrid_search *search,
                                      int32_t kind,
                                      int32_t k,
                                      int32_t measure,
                                      int64_t n,
                                      int32_t *ids,
                                      float *distances,
                                      int32_t *counts);

// Gives the k nearest in memory of the library, laid out as by neargrid_knn_copy_f64.
//
// `n`: receives the number of rows. `ids`, `distances`: receive arrays of n * k elements, `counts`: one of n, which belong to
// the handle and are valid until the next call on it that is not a question (info, counter, timing, distances, displacements,
// order). All else as for neargrid_knn_copy_f64; and MEMORY_LIMIT.
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_knn_view_f64(struct neargrid_search *search,
                                      int32_t kind,
                                      int32_t k,
                                      int32_t measure,
                                      int64_t *n,
                                      const int32_t **ids,
                                      const double **distances,
                                      const int32_t **counts);

// As neargrid_knn_view_f64, for points in real32.
//
// # Safety
// As for neargrid_knn_view_f64.
neargrid_status neargrid_knn_view_f32(struct neargrid_search *search,
                                      int32_t kind,
                                      int32_t k,
                                      int32_t measure,
                                      int64_t *n,
                                      const int32_t **ids,
                                      const float **distances,
                                      const int32_t **counts);

// Counts the ids in all rows without making a list.
//
// `kind`: NEARGRID_NEIGHBORS_HALF, NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES. `total`: receives the number of ids;
// without queries their rows are none.
// Status: as neargrid_pairs_count, and BAD_VALUE (kind). Rows of queries allow every rule of radii, and return BAD_STATE where
// queries need radii and have none.
//
// # Safety
// `search` is NULL or a valid handle; `total` is NULL or writable.
neargrid_status neargrid_neighbors_count(struct neargrid_search *search,
                                         int32_t kind,
                                         int64_t *total);

// Writes the rows into the caller's arrays. In index base b, row i is `ids[offsets[i] - b]` to `ids[offsets[i + 1] - 1 - b]`,
// ascending, or by global ids (neargrid_search_set_ids).
//
// `kind`: NEARGRID_NEIGHBORS_HALF, NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES. `capacity`: elements that ids has.
// `total`: receives the number of ids. `offsets`: n + 1 elements, n the number of points set, or of queries. `ids`: filled up
// to total, always with numbers of points; elements beyond are not touched; may be NULL where capacity is 0.
// Status: as neargrid_neighbors_count, and BAD_COUNT (capacity), CAPACITY: then total is the need and both arrays are untouched;
// calling again with a larger array only fills it and does not search again.
//
// # Safety
// `search` is NULL or a valid handle; `total` is NULL or writable; `offsets` is NULL or
// writable for n + 1, `ids` for `capacity` elements.
neargrid_status neargrid_neighbors_copy(struct neargrid_search *search,
                                        int32_t kind,
                                        int64_t capacity,
                                        int64_t *total,
                                        int64_t *offsets,
                                        int32_t *ids);

// Gives the rows in memory of the library, laid out as by neargrid_neighbors_copy.
//
// `n`: receives the number of rows. `total`: the number of ids. `offsets`, `ids`: receive arrays of n + 1 and total
// elements, which belong to the handle and are valid until the next call on it that is not a question (info, counter,
// timing, distances, displacements, order).
// Status: as neargrid_neighbors_count; MEMORY_LIMIT also where the list itself takes more.
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_neighbors_view(struct neargrid_search *search,
                                        int32_t kind,
                                        int64_t *n,
                                        int64_t *total,
                                        const int64_t **offsets,
                                        const int32_t **ids);

// Writes the distance of each neighbor in rows the caller holds, in real64: `distances[k]` is that of the point in whose
// row `ids[k]` stands and of this neighbor, computed as by neargrid_pairs_distances_f64. Half or full rows, or any other
// ids of points; not rows of queries. Views stay valid, and may be given as offsets and ids.
//
// `offsets`: n + 1 elements, n the number of points set; the first is the index base, and none is less than the one before.
// `ids`, `distances`: as many elements as the last of offsets says, less the index base; may be NULL where that is 0.
// Status: as neargrid_pairs_distances_f64; BAD_VALUE also for offsets that are none.
//
// # Safety
// `search` is NULL or a valid handle; the arrays are NULL or readable, `distances` writable, for
// that many elements, and `distances` does not overlap the others.
neargrid_status neargrid_neighbors_distances_f64(const struct neargrid_search *search,
                                                 const int64_t *offsets,
                                                 const int32_t *ids,
                                                 double *distances);

// As neargrid_neighbors_distances_f64, for points in real32.
//
// # Safety
// As for neargrid_neighbors_distances_f64.
neargrid_status neargrid_neighbors_distances_f32(const struct neargrid_search *search,
                                                 const int64_t *offsets,
                                                 const int32_t *ids,
                                                 float *distances);

// Writes the displacement of each neighbor in rows the caller holds, in real64: `displacements[k][axis]` is the coordinate
// of the point in whose row `ids[k]` stands minus that of this neighbor, as by neargrid_pairs_displacements_f64.
//
// `displacements`: dim elements an id, dim that of the points set. All else as for neargrid_neighbors_distances_f64.
//
// # Safety
// As for neargrid_neighbors_distances_f64, with `displacements` writable for dim elements an id.
neargrid_status neargrid_neighbors_displacements_f64(const struct neargrid_search *search,
                                                     const int64_t *offsets,
                                                     const int32_t *ids,
                                                     double *displacements);

// As neargrid_neighbors_displacements_f64, for points in real32.
//
// # Safety
// As for neargrid_neighbors_displacements_f64.
neargrid_status neargrid_neighbors_displacements_f32(const struct neargrid_search *search,
                                                     const int64_t *offsets,
                                                     const int32_t *ids,
                                                     float *displacements);

// Tells the numbers of the points in spatial order: `order[k]` is the number, in the handle's index base, of the point
// that stands k-th along a z-order curve (Morton) over them, wrapped along periodic axes. Coincident points go by number;
// strays and clusters do not coarsen the order of the others. The same for any backend and number of threads. Needs no
// cutoff, searches nothing, and takes 28 bytes a point while it runs. Views stay valid.
//
// `n`: elements that order has, as many as there are points.
// Status: OK, NULL_POINTER, BAD_COUNT, BAD_STATE (no points set), OUT_OF_MEMORY, THREADS.
//
// # Safety
// `search` is NULL or a valid handle; `order` is NULL or writable for `n` elements.
neargrid_status neargrid_search_order(const struct neargrid_search *search,
                                      int64_t n,
                                      int32_t *order);

// Brings an array of any type into the order that neargrid_search_order made: `to[k] = from[order[k]]`. On the calling
// thread.
//
// `n`: elements that each array has, 0 to 2^31 - 1. `order`: each number from base to base + n - 1 once, which is checked.
// `base`: 0 or 1, where those numbers begin. `element_bytes`: size of an element, such as 24 for three real64, or that of a
// structure. `from`: not changed, unless it is `to`. `to`: from itself, then a copy of it is made for the call, or an array
// apart from the others. All may be NULL where n is 0.
// Status: OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (base, element_bytes, a number out of range or twice, arrays that
// overlap), OUT_OF_MEMORY. On failure `to` is untouched.
//
// # Safety
// `order` is NULL or readable for `n` elements, `from` and `to` are NULL or readable and writable for
// `n * element_bytes` bytes; nobody else uses them during the call.
neargrid_status neargrid_reorder(int64_t n,
                                 const int32_t *order,
                                 int32_t base,
                                 int64_t element_bytes,
                                 const void *from,
                                 void *to);

// Undoes neargrid_reorder: `to[order[k]] = from[k]`. All else as there.
//
// # Safety
// As for neargrid_reorder.
neargrid_status neargrid_restore(int64_t n,
                                 const int32_t *order,
                                 int32_t base,
                                 int64_t element_bytes,
                                 const void *from,
                                 void *to);

// Counts the pairs without making a list: more than 2^31 of them are fine.
//
// `npairs`: receives the number of pairs.
// Status: OK, NULL_POINTER, BAD_STATE (no points or no cutoff set), BAD_CUTOFF, BAD_DOMAIN (a periodic axis shorter than two
// cutoffs and two skins, or than twice the largest radius), BAD_COUNT (types, ids or radii set for another number of points, or
// more active points than points), BAD_VALUE (radii in another precision, or by a rule that is not for pairs; a device that is
// not there), BAD_ENVIRONMENT (a wrong NEARGRID_DEVICE or NEARGRID_GPU_MASK), NOT_SUPPORTED (backend gpu with radii and global
// ids that do not ascend), MEMORY_LIMIT (8 bytes a row are more than it), OUT_OF_MEMORY, NO_DEVICE, DEVICE_LOST, THREADS.
//
// # Safety
// `search` is NULL or a valid handle; `npairs` is NULL or writable.
neargrid_status neargrid_pairs_count(struct neargrid_search *search,
                                     int64_t *npairs);

// Writes all pairs into the caller's arrays, ordered by (i, j), i < j, in the handle's index base; where points
// have global ids, those decide (neargrid_search_set_ids).
//
// `capacity`: elements that each array has. `npairs`: receives the number of pairs. `pair_i`, `pair_j`: filled up to
// npairs; elements beyond are not touched; may be NULL where capacity is 0.
// Status: as neargrid_pairs_count, and BAD_COUNT (capacity), CAPACITY: then npairs is the need and the arrays are untouched;
// calling again with larger arrays only fills them and does not search again.
//
// # Safety
// `search` is NULL or a valid handle; `npairs` is NULL or writable; the arrays are NULL or
// writable for `capacity` elements and do not overlap.
neargrid_status neargrid_pairs_copy(struct neargrid_search *search,
                                    int64_t capacity,
                                    int64_t *npairs,
                                    int32_t *pair_i,
                                    int32_t *pair_j);

// Gives all pairs in memory of the library, ordered and based as by neargrid_pairs_copy.
//
// `npairs`: receives the number of pairs. `pair_i`, `pair_j`: receive arrays of npairs elements, which belong to the
// handle and are valid until the next call on it that is not a question (info, counter, timing, distances,
// displacements, order).
// Status: as neargrid_pairs_count; MEMORY_LIMIT also where the list itself takes more.
//
// # Safety
// `search` is NULL or a valid handle; the other pointers are NULL or writable.
neargrid_status neargrid_pairs_view(struct neargrid_search *search,
                                    int64_t *npairs,
                                    const int32_t **pair_i,
                                    const int32_t **pair_j);

// Writes the distance of each pair the caller holds, in real64: `distances[k]` is the correctly rounded root of
// dx*dx + dy*dy + dz*dz for `pair_i[k]` and `pair_j[k]`, with dx as by neargrid_pairs_displacements_f64, summed left to right,
// every operation rounded, no fused multiply-add; infinite where that sum overflows. Needs no cutoff and searches
// nothing: any pairs will do, in any order. Views stay valid, and may be given as pair_i and pair_j.
//
// `npairs`: elements that each array has. `pair_i`, `pair_j`: numbers of points, in the handle's index base. All may be NULL
// where npairs is 0.
// Status: OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (the points set are real32, or an id is no point's: the text names the
// first), BAD_STATE (no points set), OUT_OF_MEMORY, THREADS. On failure nothing is written.
//
// # Safety
// `search` is NULL or a valid handle; the arrays are NULL or readable, `distances` writable, for
// `npairs` elements, and `distances` does not overlap the others.
neargrid_status neargrid_pairs_distances_f64(const struct neargrid_search *search,
                                             int64_t npairs,
                                             const int32_t *pair_i,
                                             const int32_t *pair_j,
                                             double *distances);

// As neargrid_pairs_distances_f64, for points in real32.
//
// # Safety
// As for neargrid_pairs_distances_f64.
neargrid_status neargrid_pairs_distances_f32(const struct neargrid_search *search,
                                             int64_t npairs,
                                             const int32_t *pair_i,
                                             const int32_t *pair_j,
                                             float *distances);

// Writes the displacement of each pair the caller holds, in real64: `displacements[k][axis]` is the coordinate of
// `pair_i[k]` minus that of `pair_j[k]`. Along a periodic axis it is that of the wrapped coordinates to the nearest image: a
// difference above half a length less the length, one below minus half a length plus the length.
//
// `displacements`: npairs times dim elements, dim that of the points set. All else as for neargrid_pairs_distances_f64.
//
// # Safety
// As for neargrid_pairs_distances_f64, with `displacements` writable for `npairs` times dim elements.
neargrid_status neargrid_pairs_displacements_f64(const struct neargrid_search *search,
                                                 int64_t npairs,
                                                 const int32_t *pair_i,
                                                 const int32_t *pair_j,
                                                 double *displacements);

// As neargrid_pairs_displacements_f64, for points in real32.
//
// # Safety
// As for neargrid_pairs_displacements_f64.
neargrid_status neargrid_pairs_displacements_f32(const struct neargrid_search *search,
                                                 int64_t npairs,
                                                 const int32_t *pair_i,
                                                 const int32_t *pair_j,
                                                 float *displacements);

// Gives a handle the points to search among, in real64. They are copied: the arrays are free again at return and are
// never changed. Setting points again, also more or fewer or of another dim or precision, reuses memory.
//
// `dim`: 1, 2 or 3. `n`: 0 to 2^31 - 1. `x`, `y`, `z`: the first point's coordinates; y is not read for dim 1, z not
// below dim 3; may be NULL where n is 0. `stride`: bytes (not elements) from one point to the next, negative where points stand
// backwards, the size of a coordinate or more either way, alignment not needed: `pos[n][3]` and Fortran's `pos(3, n)` have
// y = x + 1, z = x + 2, stride 24; separate arrays have stride 8; arrays of structures their size. Axes may be one array, but
// may not overlap in part.
// Queries set before are forgotten; types and the number of active points stay.
// Status: OK, NULL_POINTER, BAD_DIM (with a periodic box also another dim than the box's), BAD_COUNT (n), BAD_VALUE (stride),
// NON_FINITE (with a periodic box also a coordinate that cannot be wrapped), BAD_DOMAIN, OUT_OF_MEMORY. On failure the handle
// keeps the points it had, except that OUT_OF_MEMORY leaves none.
//
// # Safety
// `search` is NULL or a valid handle; the coordinates are readable and unchanged during the
// call.
neargrid_status neargrid_search_set_points_f64(struct neargrid_search *search,
                                               int32_t dim,
                                               int64_t n,
                                               const double *x,
                                               const double *y,
                                               const double *z,
                                               int64_t stride);

// As neargrid_search_set_points_f64, in real32.
//
// # Safety
// As for neargrid_search_set_points_f64.
neargrid_status neargrid_search_set_points_f32(struct neargrid_search *search,
                                               int32_t dim,
                                               int64_t n,
                                               const float *x,
                                               const float *y,
                                               const float *z,
                                               int64_t stride);

// Gives a handle more points, in real64, behind those that it has: ghosts, say, that come later than a program's own points. A GPU
// that searched the points before has these already, and gets those behind them. Queries set before are forgotten; all else
// stays.
//
// `dim`, `n`, `x`, `y`, `z`, `stride`: as for neargrid_search_set_points_f64, of the dim and precision of the points that are
// there; all together are at most 2^31 - 1. Their numbers follow on those of the others.
// Status: as neargrid_search_set_points_f64, and BAD_STATE (no points set), BAD_VALUE (the points set are real32). On failure
// the handle keeps the points it had.
//
// # Safety
// `search` is NULL or a valid handle; the coordinates are readable and unchanged during the
// call.
neargrid_status neargrid_search_add_points_f64(struct neargrid_search *search,
                                               int32_t dim,
                                               int64_t n,
                                               const double *x,
                                               const double *y,
                                               const double *z,
                                               int64_t stride);

// As neargrid_search_add_points_f64, in real32.
//
// # Safety
// As for neargrid_search_add_points_f64.
neargrid_status neargrid_search_add_points_f32(struct neargrid_search *search,
                                               int32_t dim,
                                               int64_t n,
                                               const float *x,
                                               const float *y,
                                               const float *z,
                                               int64_t stride);

// Gives a handle queries, in real64: a second set of points whose neighbors among the points are sought. They are copied,
// and take memory as points do. neargrid_neighbors_* with NEARGRID_NEIGHBORS_QUERIES, neargrid_chunks_begin and neargrid_knn_* answer
// them. The points must be set before, in the same dim and precision; setting points anew, or
// neargrid_search_update, forgets the queries. Types and active points say nothing about queries: every point counts for them.
//
// `dim`, `n`, `x`, `y`, `z`, `stride`: as for neargrid_search_set_points_f64; points and queries together are at most
// 2^31 - 1. Queries may lie anywhere; in a periodic box their copies are wrapped.
// Status: as neargrid_search_set_points_f64, and BAD_STATE (no points set), BAD_VALUE (the points are in real32). On failure
// the handle keeps the queries it had, except that OUT_OF_MEMORY leaves none.
//
// # Safety
// `search` is NULL or a valid handle; the coordinates are readable and unchanged during the
// call.
neargrid_status neargrid_search_set_queries_f64(struct neargrid_search *search,
                                                int32_t dim,
                                                int64_t n,
                                                const double *x,
                                                const double *y,
                                                const double *z,
                                                int64_t stride);

// As neargrid_search_set_queries_f64, in real32.
//
// # Safety
// As for neargrid_search_set_queries_f64.
neargrid_status neargrid_search_set_queries_f32(struct neargrid_search *search,
                                                int32_t dim,
                                                int64_t n,
                                                const float *x,
                                                const float *y,
                                                const float *z,
                                                int64_t stride);

// Sets a radius per point, in real64, and the rule that makes a pair's cutoff c of two radii; a pair is then two points with
// d2 <= c * c, or by the exclusive tie rule d2 < c * c. As long as radii are set, cutoff and skin are not used, and none need
// be set. Radii are copied, and stay when points are set anew, as types do. The time of a search follows each point's own
// radius: a few large ones do not slow down the others.
//
// `n`: number of points; another number than that of the points set is refused by the query, and so are radii of another
// precision. `radii`: n radii in the unit of the coordinates, each finite and greater than 0, its square in the range of a
// cutoff's; where axes are periodic, none larger than half a length. `rule`: NEARGRID_RADIUS_GATHER, _SCATTER, _MAX, _MIN or
// _MEAN; by the first two i may be a neighbor of j and j none of i, so that they are for full rows and queries only.
// Status: OK, NULL_POINTER, BAD_COUNT (n), BAD_RADIUS (which names the first point refused), BAD_VALUE (rule), OUT_OF_MEMORY. On
// failure nothing changes. A query may return BAD_COUNT, BAD_VALUE (precision; half rows by gather or scatter), BAD_DOMAIN,
// NOT_SUPPORTED.
//
// # Safety
// `search` is NULL or a valid handle; `radii` is NULL or readable for `n` elements.
neargrid_status neargrid_search_set_radii_f64(struct neargrid_search *search,
                                              int64_t n,
                                              const double *radii,
                                              int32_t rule);

// As neargrid_search_set_radii_f64, in real32.
//
// # Safety
// `search` is NULL or a valid handle; `radii` is NULL or readable for `n` elements.
neargrid_status neargrid_search_set_radii_f32(struct neargrid_search *search,
                                              int64_t n,
                                              const float *radii,
                                              int32_t rule);

// Sets a radius per query, in real64. Where points have radii, the rows of queries need them, but for NEARGRID_RADIUS_SCATTER,
// which asks for those of the points only. They stay when queries are set anew, and are compared with their number by the
// query; all else as for neargrid_search_set_radii_f64.
//
// `n`: number of queries. `radii`: n radii.
// Status: OK, NULL_POINTER, BAD_COUNT (n), BAD_RADIUS, OUT_OF_MEMORY. On failure nothing changes.
//
// # Safety
// `search` is NULL or a valid handle; `radii` is NULL or readable for `n` elements.
neargrid_status neargrid_search_set_query_radii_f64(struct neargrid_search *search,
                                                    int64_t n,
                                                    const double *radii);

// As neargrid_search_set_query_radii_f64, in real32.
//
// # Safety
// `search` is NULL or a valid handle; `radii` is NULL or readable for `n` elements.
neargrid_status neargrid_search_set_query_radii_f32(struct neargrid_search *search,
                                                    int64_t n,
                                                    const float *radii);

// Forgets all radii, those of queries too: the cutoff counts again.
// Status: OK, NULL_POINTER.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_search_clear_radii(struct neargrid_search *search);

// Makes a search handle with default settings and no points.
//
// `abi_version`: NEARGRID_ABI_VERSION of the header compiled against. `search`: receives the handle, NULL on failure;
// the caller owns it and frees it with neargrid_search_destroy.
// The variables NEARGRID_BACKEND (auto, cpu, gpu), NEARGRID_DEVICE (an index or a part of a GPU's name),
// NEARGRID_THREADS (1 to 1024) and NEARGRID_SIMD (scalar, neon, avx2, avx512) are read here and override the setters.
// Status: OK, NULL_POINTER, ABI_MISMATCH, BAD_ENVIRONMENT, OUT_OF_MEMORY.
//
// # Safety
// `search` is NULL or writable.
neargrid_status neargrid_search_create(int32_t abi_version,
                                       struct neargrid_search **search);

// Frees a handle and all it holds; its views become invalid. NULL is nothing to free. Where a call of another thread on the
// handle is under way, that call frees it at its end.
//
// # Safety
// `search` is NULL or a handle not freed before, and no call on it begins any more.
void neargrid_search_destroy(struct neargrid_search *search);

// Gives back all memory that points and settings do not need: index, lists, scratch, buffers on a GPU. The next query makes
// what it needs anew, with the same result. Views become invalid.
// Status: OK, NULL_POINTER.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_search_trim(struct neargrid_search *search);

// Tells in words what the last query ran on and why: one line each for backend, threads, simd, points, index, bytes.
//
// `buffer`: `capacity` bytes, filled with the text cut to fit and a NUL; may be NULL where capacity is 0.
// `length`: the text's full length without the NUL; may be NULL.
// Status: OK, NULL_POINTER, OUT_OF_MEMORY.
//
// # Safety
// `search` is NULL or a valid handle; `buffer` and `length` are NULL or writable.
neargrid_status neargrid_search_info(const struct neargrid_search *search,
                                     char *buffer,
                                     size_t capacity,
                                     size_t *length);

// Tells a number about the handle: `counter` is one of NEARGRID_COUNTER_*.
// Status: OK, NULL_POINTER, BAD_VALUE.
//
// # Safety
// `search` is NULL or a valid handle; `value` is NULL or writable.
neargrid_status neargrid_search_counter(const struct neargrid_search *search,
                                        int32_t counter,
                                        int64_t *value);

// Tells the seconds the last query spent in a phase, one of NEARGRID_PHASE_*; 0 for a phase it did not need.
// Status: OK, NULL_POINTER, BAD_VALUE.
//
// # Safety
// `search` is NULL or a valid handle; `seconds` is NULL or writable.
neargrid_status neargrid_search_timing(const struct neargrid_search *search, int32_t phase, double *seconds);

// Sets the search radius, in the unit of the coordinates: finite and greater than 0. For real32 points it is rounded
// to real32; the range of its square is checked by the query, which knows the precision. There is no default.
// Status: OK, NULL_POINTER, BAD_CUTOFF.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_search_set_cutoff(struct neargrid_search *search,
                                           double cutoff);

// Sets whether points exactly one cutoff apart are a pair: NEARGRID_TIE_INCLUSIVE (default) or NEARGRID_TIE_EXCLUSIVE.
// Status: OK, NULL_POINTER, BAD_VALUE.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_search_set_tie_rule(struct neargrid_search *search,
                                             int32_t rule);

// Sets where indices start, 0 (default) or 1: ids, offsets, and points named in messages.
// Status: OK, NULL_POINTER, BAD_VALUE.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_search_set_index_base(struct neargrid_search *search, int32_t base);

// Sets how many threads a query uses: 1 to 1024, or 0 (default) for all that the process may use, but only the calling
// one for few points and inside the caller's own OpenMP parallel region. Results do not depend on it. Helper threads belong to
// the process: all searches share one pool, which has no more of them than the largest search asked for, each with a stack of
// 2 MiB. They sleep while no search needs them, and live until the process exits.
// Status: OK, NULL_POINTER, BAD_VALUE; a query may return THREADS.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_search_set_threads(struct neargrid_search *search,
                                            int32_t threads);

// Sets who searches: NEARGRID_BACKEND_AUTO (default), _CPU or _GPU. A forced backend that is missing makes queries fail
// with NO_DEVICE; it is never changed in silence.
// Status: OK, NULL_POINTER, BAD_VALUE.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_search_set_backend(struct neargrid_search *search,
                                            int32_t backend);

// Sets which GPU the handle searches on, where it searches on one: an index from 0 on, as the example device_info lists them,
// or NEARGRID_DEVICE_AUTO (default) for the best by kind: discrete, integrated, virtual, other. Whether there is such a GPU
// turns out at the first query that wants one (BAD_VALUE). The variable NEARGRID_DEVICE overrides this. A process may use
// several GPUs, by a handle each.
// Status: OK, NULL_POINTER, BAD_VALUE.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_search_set_device(struct neargrid_search *search,
                                           int32_t device);

// Has the handle take its turn among the GPUs, for processes that share a machine: of those of the best kind that is there it
// takes number `turn`, from 0 on, counted round and round. The number of a process on its machine is a good one. This and
// neargrid_search_set_device undo each other; the variable NEARGRID_DEVICE overrides both.
// Status: OK, NULL_POINTER, BAD_VALUE (a negative turn).
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_search_set_device_turn(struct neargrid_search *search,
                                                int32_t turn);

// Sets the most memory in bytes that a handle takes for a result; 0 (default) is no limit. Counted are offsets, ids and left
// points in memory of the library, what a search keeps in order to fill them, and chunks (neargrid_chunks_begin), those on a
// GPU and on their way from it included, where they take at least 16 MiB each. Not counted are points, index, some megabytes
// for each thread, and the caller's arrays. A list that would take more is refused with MEMORY_LIMIT: it can be had in chunks
// or in the caller's arrays.
// Status: OK, NULL_POINTER, BAD_COUNT.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_search_set_memory_limit(struct neargrid_search *search,
                                                 int64_t bytes);

// Sets an axis-aligned box: `dim` lower corners, lengths (greater than 0) and periodic flags (0 or 1). With all flags 0
// the domain is open, as by default, and points may lie anywhere. Along a periodic axis they may lie anywhere too: a point
// inside, lo <= x < lo + length, keeps its coordinate, searches wrap copies of the others into the box, and take the nearest
// image of a pair. `dim` must be that of the points if an axis is periodic, and such an axis at least two cutoffs long, which
// queries check (BAD_DOMAIN). In the precision of the points lo + length must be finite and above lo, or they are refused
// (BAD_DOMAIN). A handle whose periodic axes change forgets its points: set the box, then the points.
// Status: OK, NULL_POINTER, BAD_DIM, BAD_VALUE, BAD_DOMAIN.
//
// # Safety
// `search` is NULL or a valid handle; the arrays are NULL or readable for `dim` elements.
neargrid_status neargrid_search_set_box(struct neargrid_search *search,
                                        int32_t dim,
                                        const double *lo,
                                        const double *length,
                                        const int32_t *periodic);

// Sets how many of the points, from the first, are active: 0 up to the number of points, or NEARGRID_ALL_ACTIVE (default).
// The rest are ghosts, neighbors of active points but not of one another: each pair of an active point and a ghost is there
// once, a pair of ghosts never, and in full rows those of ghosts list active points. Lists have rows of all points. More
// than there are points is refused by the query, which knows them. It stays when points are set anew.
// Status: OK, NULL_POINTER, BAD_COUNT.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_search_set_active(struct neargrid_search *search,
                                           int64_t n_active);

// Sets which pairs of an active point and a ghost are in pairs and half rows: NEARGRID_GHOST_PAIRS_ALL (default), or
// NEARGRID_GHOST_PAIRS_LARGER_IDS, only those where the ghost has the larger global id (neargrid_search_set_ids; points
// without ids are ordered by their numbers, where ghosts are behind). So processes that hold each other's points as ghosts
// have each pair once among them. Full rows hold all in either case. It stays when points are set anew.
// Status: OK, NULL_POINTER, BAD_VALUE.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_search_set_ghost_pairs(struct neargrid_search *search,
                                                int32_t which);

// Sets a type per point and which types interact: points of types that do not are no neighbors. Types and mask are copied,
// and stay when points are set anew. No types (n = 0) undo them: all points interact.
//
// `n`: number of points; another number than that of the points set is refused by the query. `types`: n types, counted from
// the index base on. `ntypes`: 1 to 32. `mask`: ntypes x ntypes flags (0 or 1), symmetric: whether type a interacts with b.
// `types` and `mask` are not read, and `ntypes` may be anything, where n is 0.
// Status: OK, NULL_POINTER, BAD_COUNT (n, ntypes), BAD_VALUE (a type, the mask), OUT_OF_MEMORY. On failure nothing changes.
//
// # Safety
// `search` is NULL or a valid handle; `types` is NULL or readable for `n`, `mask` for
// `ntypes` * `ntypes` elements.
neargrid_status neargrid_search_set_types(struct neargrid_search *search,
                                          int64_t n,
                                          const int32_t *types,
                                          int32_t ntypes,
                                          const int32_t *mask);

// Sets a skin, in the unit of the coordinates: finite and at least 0; 0 (default) is none. Queries for pairs and neighbors
// then make a list of all within cutoff plus skin, which neargrid_search_update keeps as long as no point has moved by more
// than half the skin, and answer from it. What they deliver is exact for the points of now, bit for bit that of a search
// without a skin. Along a periodic axis the box must be at least two cutoffs and two skins long. Queries
// (neargrid_search_set_queries_f64) are not answered from it.
// Status: OK, NULL_POINTER, BAD_VALUE.
//
// # Safety
// `search` is NULL or a valid handle.
neargrid_status neargrid_search_set_skin(struct neargrid_search *search,
                                         double skin);

// Gives a handle the points of the next time step, in real64: as neargrid_search_set_points_f64, but the list made with the
// skin is kept if no point has moved too far since it was made. A changed number, dim or precision of points, or a setting
// that changed since, makes it anew; without a skin, or before the first query, this is neargrid_search_set_points_f64.
//
// `dim`, `n`, `x`, `y`, `z`, `stride`: as for neargrid_search_set_points_f64, the points in the same order as before.
// `rebuilt`: receives 1 if the next query for pairs or neighbors must make the list anew, otherwise 0.
// Status: as neargrid_search_set_points_f64.
//
// # Safety
// `search` is NULL or a valid handle; the coordinates are readable and unchanged during the
// call; `rebuilt` is NULL or writable.
neargrid_status neargrid_search_update_f64(struct neargrid_search *search,
                                           int32_t dim,
                                           int64_t n,
                                           const double *x,
                                           const double *y,
                                           const double *z,
                                           int64_t stride,
                                           int32_t *rebuilt);

// As neargrid_search_update_f64, in real32.
//
// # Safety
// As for neargrid_search_update_f64.
neargrid_status neargrid_search_update_f32(struct neargrid_search *search,
                                           int32_t dim,
                                           int64_t n,
                                           const float *x,
                                           const float *y,
                                           const float *z,
                                           int64_t stride,
                                           int32_t *rebuilt);

// Tells how close the last neargrid_search_update came to a new list: twice the largest displacement since the list was made,
// as a share of the skin.
//
// `share`: receives it. Above 1 the update gave up the list; slightly below, too, where rounding might matter. 0 if there was
// no list to compare with, and as soon as the points are set otherwise, or cutoff, skin, kinds, ids or radii change.
// Status: OK, NULL_POINTER.
//
// # Safety
// `search` is NULL or a valid handle; `share` is NULL or writable.
neargrid_status neargrid_search_skin_used(const struct neargrid_search *search,
                                          double *share);

// Adds numbers to a sum that is never rounded: whatever the order of terms, and on however many threads or processes parts of it
// are summed, neargrid_sum_round gives the same bits. Such sums are what neargrid_groups_view_sums rounds.
//
// A sum is NEARGRID_SUM_WORDS integers of the caller's, all 0 for that of no terms. They may be copied, and sent to other
// processes of the same kind of machine; words that are 0 at both ends may be left out on the way. Less than 2^32 terms.
//
// `words`: the sum. `n`: number of terms. `values`: n finite numbers; may be NULL where n is 0. Any thread may call; one sum is
// changed by one at a time.
// Status: OK, NULL_POINTER, BAD_COUNT (n), BAD_VALUE (words that are no sum), NON_FINITE. On failure the sum is unchanged.
//
// # Safety
// `words` is NULL or writable for NEARGRID_SUM_WORDS elements, `values` NULL or readable for `n`; they do not overlap.
neargrid_status neargrid_sum_add(int64_t *words,
                                 int64_t n,
                                 const double *values);

// Adds products of two numbers each, which are not rounded either, as neargrid_sum_add.
//
// `words`: the sum. `n`: number of products. `x`, `y`: n finite numbers each; may be NULL where n is 0.
// Status: as neargrid_sum_add.
//
// # Safety
// `words` is NULL or writable for NEARGRID_SUM_WORDS elements, `x` and `y` NULL or readable for `n`; they do not overlap `words`.
neargrid_status neargrid_sum_add_products(int64_t *words,
                                          int64_t n,
                                          const double *x,
                                          const double *y);

// Adds one sum to another.
//
// `words`: the sum that is added to. `other`: the other one, which stays as it is.
// Status: as neargrid_sum_add.
//
// # Safety
// `words` is NULL or writable, `other` NULL or readable for NEARGRID_SUM_WORDS elements.
neargrid_status neargrid_sum_merge(int64_t *words, const int64_t *other);

// Tells the number in real64 that is nearest to a sum, of two equally near ones the even one; infinite where it overflows.
//
// `words`: the sum. `value`: receives the number.
// Status: OK, NULL_POINTER, BAD_VALUE.
//
// # Safety
// `words` is NULL or readable for NEARGRID_SUM_WORDS elements, `value` NULL or writable.
neargrid_status neargrid_sum_round(const int64_t *words,
                                   double *value);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* NEARGRID_H */
