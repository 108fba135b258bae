/* neargrid: what the drop-ins are made of, for those who write a drop-in for another language. C programs use celllist.h.
 *
 * Written by `make header` from src/capi/celllist; do not edit. The rules of neargrid.h hold. The handle is a hidden one of
 * the calling thread.
 */

#ifndef NEARGRID_CELLLIST_FUNCTIONS_H
#define NEARGRID_CELLLIST_FUNCTIONS_H

#include "neargrid.h"

/**
 * The rule given by the environment variable NEARGRID_TIE, or inclusive if it is not set.
 */
#define NEARGRID_TIE_DEFAULT -1

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Searches the pairs of points within a cutoff and counts them. The search belongs to the calling thread: each thread has
 * its own hidden handle and result. neargrid_celllist_fetch and neargrid_celllist_fetch_compact then return the pairs
 * without another search.
 *
 * - `dim`: 1, 2 or 3.
 * - `npoints`: number of points.
 * - `x`: `dim` coordinates for each point, point after point. May be NULL if `npoints` is 0.
 * - `cutoff`: finite and greater than 0, in the unit of `x`.
 * - `tie_rule`: NEARGRID_TIE_INCLUSIVE, NEARGRID_TIE_EXCLUSIVE, or NEARGRID_TIE_DEFAULT.
 * - `index_base`: 0 or 1, the number of the first point in pairs and error texts.
 * - `npairs`: receives the number of pairs.
 *
 * The handle keeps its memory until neargrid_celllist_release or until the thread ends. A failure discards the thread's
 * earlier result, unless only `npairs` is NULL.
 *
 * Returns OK, NULL_POINTER, BAD_DIM, BAD_COUNT, BAD_CUTOFF, NON_FINITE, BAD_VALUE, BAD_ENVIRONMENT, OUT_OF_MEMORY,
 * NO_DEVICE, DEVICE_LOST, THREADS.
 */
NEARGRID_NODISCARD NEARGRID_EXPORT
neargrid_status neargrid_celllist_count_f64(int32_t dim,
                                            int64_t npoints,
                                            const double *x,
                                            double cutoff,
                                            int32_t tie_rule,
                                            int32_t index_base,
                                            int64_t *npairs);

/**
 * As neargrid_celllist_count_f64, in real32.
 */
NEARGRID_NODISCARD NEARGRID_EXPORT
neargrid_status neargrid_celllist_count_f32(int32_t dim,
                                            int64_t npoints,
                                            const float *x,
                                            float cutoff,
                                            int32_t tie_rule,
                                            int32_t index_base,
                                            int64_t *npairs);

/**
 * Copies the pairs of the calling thread's last search, with i < j and ordered by (i, j).
 *
 * - `maxnpair`: number of elements of each array.
 * - `npairs`: receives the number of pairs.
 * - `pair_i`, `pair_j`: receive the pairs; elements after the first `npairs` are not changed. May be NULL if `maxnpair` is
 *   0.
 *
 * Returns OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (the results would overlap), BAD_STATE (no search by this thread),
 * CAPACITY, OUT_OF_MEMORY, DEVICE_LOST (search again). After CAPACITY, `npairs` is the size needed and the arrays are
 * unchanged; the call can be repeated with larger arrays.
 */
NEARGRID_NODISCARD NEARGRID_EXPORT
neargrid_status neargrid_celllist_fetch(int64_t maxnpair,
                                        int64_t *npairs,
                                        int32_t *pair_i,
                                        int32_t *pair_j);

/**
 * Copies the pairs of the calling thread's last search with compressed left points: `endpos[i]` is the number of pairs whose
 * left point is one of the first i + 1 points.
 *
 * - `maxnpair`: number of elements of `pair_j`.
 * - `npairs`: receives the number of pairs.
 * - `endpos`: receives one element for each point. May be NULL if there are no points.
 * - `pair_j`: receives the right points; elements after the first `npairs` are not changed. May be NULL if `maxnpair` is 0.
 *
 * Returns the statuses of neargrid_celllist_fetch, and also TOO_MANY_PAIRS (`endpos` cannot hold the number of pairs).
 */
NEARGRID_NODISCARD NEARGRID_EXPORT
neargrid_status neargrid_celllist_fetch_compact(int64_t maxnpair,
                                                int64_t *npairs,
                                                int32_t *endpos,
                                                int32_t *pair_j);

/**
 * Frees the memory of the calling thread's hidden handle, and discards its result. The next search creates a new handle.
 */
NEARGRID_EXPORT
void neargrid_celllist_release(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* NEARGRID_CELLLIST_FUNCTIONS_H */
