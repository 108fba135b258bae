/* celllist.h, the Fortran symbols and neargrid_celllist_*: points in messages, fetching, and too many pairs. That they find the right
 * pairs is in cases.c and tests/model. With the argument "short", all but the search for more than 2^31 pairs. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <math.h>

#include <celllist.h>
#include <neargrid_celllist.h>

void celllist_(const int32_t *dim, const int32_t *npoints, const int32_t *maxpercell, const double *x,
               const double *cutoff, const int32_t *maxnpair, int32_t *npairs, int32_t *pair_i, int32_t *pair_j);
void scelllist_(const int32_t *dim, const int32_t *npoints, const int32_t *maxpercell, const float *x,
                const float *cutoff, const int32_t *maxnpair, int32_t *npairs, int32_t *pair_i, int32_t *pair_j);

enum { N = 10, PAIRS = 9, ROOM = 12 }; /* a line of points, 1 apart, cutoff 1.5 */
static double x[N];
static float single[N];
static int i[ROOM], j[ROOM];

static void clear(void) {
  for (int k = 0; k < ROOM; k++) i[k] = j[k] = GUARD;
}

static int is_line(int npairs, int base) {
  int right = npairs == PAIRS && untouched(i, PAIRS, ROOM) && untouched(j, PAIRS, ROOM);
  for (int k = 0; k < PAIRS; k++) right = right && i[k] == k + base && j[k] == k + 1 + base;
  clear();
  return right;
}

static void still_works(void) {
  int npairs = GUARD;
  OK(cellList(1, N, 27, x, 1.5, ROOM, &npairs, i, j));
  CHECK(is_line(npairs, 0));
}

/* Points in messages are numbered as the caller numbers them. */
static void non_finite(void) {
  const int dim = 2, n = N / 2, maxpercell = 0, room = ROOM;
  const double cutoff = 1.5;
  const float cutoff32 = 1.5f;
  int npairs = GUARD;
  const double kept = x[7];
  x[7] = NAN;
  single[7] = -INFINITY;
  REFUSED(cellList(dim, n, 0, x, cutoff, room, &npairs, i, j), NON_FINITE, "y coordinate of point 3 is NaN");
  REFUSED(cellListf(dim, n, 0, single, cutoff32, room, &npairs, i, j), NON_FINITE, "y coordinate of point 3 is -inf");
  CHECK(npairs == GUARD);
  celllist_(&dim, &n, &maxpercell, x, &cutoff, &room, &npairs, i, j);
  CHECK(npairs == -NEARGRID_STATUS_NON_FINITE);
  REFUSED(-npairs, NON_FINITE, "y coordinate of point 4 is NaN");
  scelllist_(&dim, &n, &maxpercell, single, &cutoff32, &room, &npairs, i, j);
  CHECK(npairs == -NEARGRID_STATUS_NON_FINITE && untouched(i, 0, ROOM) && untouched(j, 0, ROOM));
  REFUSED(-npairs, NON_FINITE, "y coordinate of point 4 is -inf");
  x[7] = single[7] = (float)kept;
  still_works();
}

/* Arguments by reference that refer to nothing. */
static void null_references(void) {
  const int dim = 1, n = N, maxpercell = 0, room = ROOM;
  const double cutoff = 1.5;
  int npairs = GUARD;
#define MISSING(word, ...)                                                                                             \
  celllist_(__VA_ARGS__);                                                                                              \
  CHECK(npairs == -NEARGRID_STATUS_NULL_POINTER);                                                                      \
  REFUSED(-npairs, NULL_POINTER, word " is NULL")
  MISSING("dim", NULL, &n, &maxpercell, x, &cutoff, &room, &npairs, i, j);
  MISSING("npoints", &dim, NULL, &maxpercell, x, &cutoff, &room, &npairs, i, j);
  MISSING("cutoff", &dim, &n, &maxpercell, x, NULL, &room, &npairs, i, j);
  MISSING("maxnpair", &dim, &n, &maxpercell, x, &cutoff, NULL, &npairs, i, j);
#undef MISSING
  CHECK(untouched(i, 0, ROOM) && untouched(j, 0, ROOM));
  celllist_(&dim, &n, NULL, x, &cutoff, &room, &npairs, i, j); /* not needed, not looked at */
  CHECK(is_line(npairs, 1));
}

/* Results that can be fetched: the last search's result, nothing after a failed one, nothing before the first. */
static void fetching(void) {
  int npairs = GUARD;
  cellList_release();
  REFUSED(cellList_fetch(ROOM, &npairs, i, j), BAD_STATE, "");
  cellList_release(); /* twice is fine */
  still_works();
  OK(cellList_fetch(ROOM, &npairs, i, j));
  CHECK(is_line(npairs, 0));
  REFUSED(cellList_fetch(-1, &npairs, i, j), BAD_COUNT, "maxnpair = -1 ");
  REFUSED(cellList_fetch(ROOM, NULL, i, j), NULL_POINTER, "npairs is NULL");
  REFUSED(cellList_fetch(ROOM, &npairs, NULL, j), NULL_POINTER, "pair_i is NULL");
  REFUSED(cellList_fetch(ROOM, &npairs, i, NULL), NULL_POINTER, "pair_j is NULL");
  OK(cellList_fetch(ROOM, &npairs, i, j)); /* those were no searches */
  CHECK(is_line(npairs, 0));

  const double bad[2] = {0, NAN};
  for (int way = 0; way < 6; way++) {
    still_works();
    npairs = GUARD;
    if (way == 0) REFUSED(cellList(1, 2, 27, bad, 1.5, ROOM, &npairs, i, j), NON_FINITE, "");
    if (way == 1) REFUSED(cellList(1, 2, 27, bad, 0.7, ROOM, &npairs, i, j), NON_FINITE, "");
    if (way == 2) REFUSED(cellList(1, N, 27, x, 1e200, ROOM, &npairs, i, j), BAD_CUTOFF, "");
    if (way == 3) REFUSED(cellList(1, N, 27, x, -1.0, ROOM, &npairs, i, j), BAD_CUTOFF, "");
    if (way == 4) REFUSED(cellList(9, N, 27, x, 1.5, ROOM, &npairs, i, j), BAD_DIM, "");
    if (way == 5) REFUSED(cellListf(1, N, 27, single, 1e-30f, ROOM, &npairs, i, j), BAD_CUTOFF, "");
    REFUSED(cellList_fetch(ROOM, &npairs, i, j), BAD_STATE, "");
    CHECK(npairs == GUARD && untouched(i, 0, ROOM) && untouched(j, 0, ROOM));
  }
  still_works();
}

/* 70,000 points in one place: 2,449,965,000 pairs, more than an int counts. */
static void too_many(void) {
  enum { MANY = 70000 };
  static double here[MANY]; /* all zero */
  static int32_t endpos[MANY];
  const int64_t need = (int64_t)MANY * (MANY - 1) / 2;
  const int dim = 1, n = MANY, maxpercell = 0, room = ROOM;
  const double cutoff = 1.0;
  int npairs = GUARD;
  int64_t wide_npairs = GUARD;
  REFUSED(cellList(dim, n, 0, here, cutoff, room, &npairs, i, j), TOO_MANY_PAIRS, "2449965000 |2147483647");
  CHECK(npairs == GUARD && untouched(i, 0, ROOM) && untouched(j, 0, ROOM));
  REFUSED(cellList_fetch(room, &npairs, i, j), CAPACITY, "2449965000");
  CHECK(npairs == GUARD && untouched(i, 0, ROOM) && untouched(j, 0, ROOM)); /* the need does not fit */
  REFUSED(neargrid_celllist_fetch(room, &wide_npairs, i, j), CAPACITY, "2449965000");
  CHECK(wide_npairs == need);
  wide_npairs = GUARD;
  REFUSED(neargrid_celllist_fetch_compact(room, &wide_npairs, endpos, j), TOO_MANY_PAIRS, "2449965000");
  CHECK(endpos[0] == 0 && untouched(j, 0, ROOM));
  celllist_(&dim, &n, &maxpercell, here, &cutoff, &room, &npairs, i, j);
  CHECK(npairs == -NEARGRID_STATUS_TOO_MANY_PAIRS && untouched(i, 0, ROOM) && untouched(j, 0, ROOM));
  still_works();

  neargrid_search *search = new_search(cutoff);
  OK(neargrid_search_set_points_f64(search, dim, n, here, NULL, NULL, 8));
  OK(neargrid_neighbors_count(search, NEARGRID_NEIGHBORS_FULL, &wide_npairs));
  CHECK(wide_npairs == 2 * need && counter(search, NEARGRID_COUNTER_ENTRIES) == 2 * need);
  OK(neargrid_pairs_count(search, &wide_npairs));
  CHECK(wide_npairs == need && counter(search, NEARGRID_COUNTER_ENTRIES) == need);
  wide_npairs = GUARD;
  REFUSED(neargrid_pairs_copy(search, room, &wide_npairs, i, j), CAPACITY, "capacity = 12 |2449965000");
  CHECK(wide_npairs == need && untouched(i, 0, ROOM) && untouched(j, 0, ROOM));
  neargrid_search_destroy(search);
}

int main(int argc, char **argv) {
  const int in_short = argc > 1 && strcmp(argv[1], "short") == 0;
  for (int k = 0; k < N; k++) x[k] = single[k] = (float)k;
  clear();
  non_finite();
  null_references();
  fetching();
  if (!in_short) too_many();
  cellList_release();
  return finish("dropin", in_short ? 60 : 80);
}
