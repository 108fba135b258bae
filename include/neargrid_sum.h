/* neargrid: exact sums.
 *
 * Written by `make header` from src/capi/sum.rs; do not edit. The rules of neargrid.h hold. A sum is memory of the caller and
 * needs no handle.
 */

#ifndef NEARGRID_SUM_H
#define NEARGRID_SUM_H

#include "neargrid.h"

/**
 * Number of int64 words in an exact sum.
 */
#define NEARGRID_SUM_WORDS 136

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Adds numbers to an exact sum. An exact sum is never rounded until neargrid_sum_round reads it, so that the result has the
 * same bits for any order of the terms, and for any division of them among threads or processes. neargrid_groups_view_sums
 * uses the same sums.
 *
 * - `words`: the sum, NEARGRID_SUM_WORDS integers in the caller's memory. Set all to 0 for an empty sum.
 * - `n`: number of terms.
 * - `values`: `n` finite numbers. May be NULL if `n` is 0.
 *
 * The words may be copied and sent to processes on the same kind of machine; words that are 0 at both ends need not be sent.
 * A sum holds fewer than 2^32 terms. Any thread may call, but only one thread at a time may change a sum.
 *
 * Returns OK, NULL_POINTER, BAD_COUNT (`n`), BAD_VALUE (the words are not a sum), NON_FINITE. On failure the sum is not
 * changed.
 */
NEARGRID_NODISCARD NEARGRID_EXPORT
neargrid_status neargrid_sum_add(int64_t *words,
                                 int64_t n,
                                 const double *values);

/**
 * Adds the products `x[i]` * `y[i]` to an exact sum. The products are not rounded either.
 *
 * - `words`: the sum.
 * - `n`: number of products.
 * - `x`, `y`: `n` finite numbers each. May be NULL if `n` is 0.
 *
 * Returns the statuses of neargrid_sum_add.
 */
NEARGRID_NODISCARD NEARGRID_EXPORT
neargrid_status neargrid_sum_add_products(int64_t *words,
                                          int64_t n,
                                          const double *x,
                                          const double *y);

/**
 * Adds one exact sum to another.
 *
 * - `words`: the sum that is changed.
 * - `other`: the sum that is added to it. It is not changed.
 *
 * Returns the statuses of neargrid_sum_add.
 */
NEARGRID_NODISCARD NEARGRID_EXPORT neargrid_status neargrid_sum_merge(int64_t *words, const int64_t *other);

/**
 * Rounds an exact sum to the nearest real64, with ties to even. The result is infinite if it overflows.
 *
 * - `words`: the sum. It is not changed.
 * - `value`: receives the result.
 *
 * Returns OK, NULL_POINTER, BAD_VALUE.
 */
NEARGRID_NODISCARD NEARGRID_EXPORT neargrid_status neargrid_sum_round(const int64_t *words, double *value);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* NEARGRID_SUM_H */
