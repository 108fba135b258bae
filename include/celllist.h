/* The cell list drop-in: one call that takes points and gives all pairs within a cutoff.
 *
 * Pairs are 0-based with pair_i < pair_j, ordered by (pair_i, pair_j); points exactly one cutoff apart are a pair.
 * Each thread has a hidden search of its own, which keeps memory and result between calls: a second call starts nothing
 * and allocates nothing as long as sizes do not grow. The interface of record, with handles, counts above 2^31 - 1 and
 * texts for errors (neargrid_last_error), is neargrid.h. */
#ifndef NEARGRID_CELLLIST_H
#define NEARGRID_CELLLIST_H

#ifdef __cplusplus
extern "C" {
#endif

/* Finds all pairs of npoints points within cutoff.
 *
 * dim: 1, 2 or 3. x: dim coordinates for each point, point after point; may be NULL where npoints is 0; not changed.
 * maxpercell: accepted for compatibility and not needed. cutoff: > 0, in the unit of x. maxnpair: elements that pair_i
 * and pair_j have. npairs: receives the number of pairs. pair_i, pair_j: filled up to npairs; elements beyond are not
 * touched; may be NULL where maxnpair is 0.
 *
 * Returns 0, or a neargrid_status (neargrid.h) with npairs and arrays untouched, except NEARGRID_STATUS_CAPACITY (8):
 * then npairs is the need, and cellList_fetch gets the pairs into larger arrays without a second search; and
 * NEARGRID_STATUS_DEVICE_LOST (103): a result may have been arriving in the arrays. More than 2^31 - 1 pairs:
 * NEARGRID_STATUS_TOO_MANY_PAIRS (101). A search that fails leaves nothing to fetch, unless it is for capacity. */
int cellList(int dim, int npoints, int maxpercell, const double *x, double cutoff, int maxnpair, int *npairs,
             int *pair_i, int *pair_j);

/* The same in single precision. */
int cellListf(int dim, int npoints, int maxpercell, const float *x, float cutoff, int maxnpair, int *npairs,
              int *pair_i, int *pair_j);

/* Writes the pairs of the calling thread's last search again, without searching; arguments and result as above. */
int cellList_fetch(int maxnpair, int *npairs, int *pair_i, int *pair_j);

/* Sets whether points exactly one cutoff apart are a pair, for later searches of the calling thread: 0 yes, 1 no (the test
 * is then d2 < cutoff^2), -1 the default: NEARGRID_TIE=inclusive or exclusive in the environment says so, or else yes.
 * Returns 0, or NEARGRID_STATUS_BAD_VALUE with nothing changed. */
int cellList_set_tie_rule(int rule);

/* Frees the memory of the calling thread's hidden search, which is otherwise held until the thread ends. */
void cellList_release(void);

#ifdef __cplusplus
}
#endif

#endif
