/* When one rank makes an error, all ranks learn of it: the same status and text everywhere, and the handle works
 * afterwards. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "ranks.h"

enum { N = 40 };

static neargrid_search *search;
static double x[N][3];

/* All ranks begin together. */
static void set_out(void) { MPI_Barrier(MPI_COMM_WORLD); }

static neargrid_status set_points(void) {
  return neargrid_search_set_points_f64(search, 3, N, x[0], x[0] + 1, x[0] + 2, sizeof x[0]);
}

/* Ids, or none, and a query that needs them. */
static neargrid_status count_with(const int64_t *ids) {
  int64_t npairs = GUARD;
  OK(neargrid_search_set_ids(search, ids ? N : 0, ids, sizeof *ids));
  return neargrid_pairs_count(search, &npairs);
}

/* The pairs of all ranks, as many as there must be. */
static int64_t all_pairs(void) {
  int64_t npairs = 0, all = 0;
  const int32_t *i = NULL, *j = NULL;
  OK(neargrid_pairs_view(search, &npairs, &i, &j));
  MPI_Allreduce(&npairs, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void points(int64_t want) {
  const double kept = x[7][1];
  int64_t ids[N];
  x[7][1] = rank == size - 1 ? 0.0 / (double)(rank < 0) : kept;
  char words[100];
  snprintf(words, sizeof words, "rank %d: |the y coordinate of point 7 is NaN|finite", size - 1);
  set_out();
  REFUSED(set_points(), NON_FINITE, words);
  expect_same();
  x[7][1] = kept;
  CHECK(all_pairs() == want); /* those of before */
  for (int k = 0; k < N; k++) ids[k] = (int64_t)(N - k) * size + rank;
  if (rank == size - 1) ids[3] = (int64_t)N * size; /* that of point 0 on rank 0 */
  set_out();
  REFUSED(count_with(ids), BAD_VALUE, "global id = |unique: point 0 on rank 0 and point 3 on rank ");
  expect_same();
  if (size > 1) {
    set_out();
    REFUSED(count_with(rank == 0 ? NULL : ids), DISAGREEMENT, "given on rank 1|not on rank 0");
    expect_same();
    OK(neargrid_search_set_ids(search, 0, NULL, 0));
    OK(neargrid_search_set_points_f64(search, rank == 1 ? 2 : 3, N, x[0], x[0] + 1, x[0] + 2, sizeof x[0]));
    set_out();
    REFUSED(count_with(NULL), DISAGREEMENT, "dim = 3 on rank 0, 2 on rank 1");
    expect_same();
    OK(set_points());
  }
  OK(neargrid_search_set_ids(search, 0, NULL, 0));
  set_out();
  REFUSED(neargrid_search_set_points_f64(search, 3, rank == 0 ? -1 : N, x[0], x[0] + 1, x[0] + 2, sizeof x[0]),
          BAD_COUNT, "rank 0: |n = -1");
  expect_same();
  const int64_t elements[] = {0, 3, 8, 9, 16}; /* 8 and 16: the stride of one number or two */
  for (int k = 0; k < 5; k++) {
    const int64_t stride = rank == size - 1 ? elements[k] : (int64_t)sizeof x[0];
    snprintf(words, sizeof words, "rank %d: |stride = %d |bytes, not elements", size - 1, (int)elements[k]);
    set_out();
    REFUSED(neargrid_search_set_points_f64(search, 3, N, x[0], x[0] + 1, x[0] + 2, stride), BAD_VALUE, words);
    expect_same();
  }
  CHECK(all_pairs() == want);
}

static void capacity(int64_t want) {
  int64_t npairs = GUARD, need = 0;
  const int32_t *i = NULL, *j = NULL;
  OK(neargrid_pairs_view(search, &need, &i, &j));
  const int64_t room = rank == 0 ? need - 1 : need;
  int32_t *pair_i = guarded(need), *pair_j = guarded(need);
  set_out();
  REFUSED(neargrid_pairs_copy(search, room, &npairs, pair_i, pair_j),
              CAPACITY, "rank 0: capacity = |too small");
  expect_same();
  CHECK(npairs == need && untouched(pair_i, 0, need) && untouched(pair_j, 0, need));
  npairs = GUARD;
  set_out();
  REFUSED(neargrid_pairs_copy(search, need, &npairs, rank == 0 ? NULL : pair_i, pair_j),
              NULL_POINTER, "rank 0: pair_i is NULL");
  expect_same();
  CHECK(npairs == GUARD && untouched(pair_i, 0, need));
  set_out();
  REFUSED(neargrid_pairs_copy(search, need, &npairs, pair_i,
                                      rank == 0 ? pair_i + need - 1 : pair_j),
              BAD_VALUE, "rank 0: pair_j = |overlaps pair_i");
  expect_same();
  CHECK(npairs == GUARD && untouched(pair_i, 0, need) && untouched(pair_j, 0, need));
  OK(neargrid_pairs_copy(search, need, &npairs, pair_i, pair_j));
  CHECK(npairs == need && pair_i[need - 1] != GUARD);
  free(pair_i);
  free(pair_j);
  int64_t total = GUARD, offsets[N + 1];
  int32_t *row = guarded(1);
  set_out();
  REFUSED(neargrid_neighbors_copy(search, NEARGRID_NEIGHBORS_FULL, N, 0, &total, offsets, row),
              CAPACITY, "rank 0: capacity = 0 ");
  expect_same();
  CHECK(total > 0);
  free(row);
  CHECK(all_pairs() == want);
}

static void settings(int64_t want) {
  const double lo[3] = {0, 0, 0}, length[3] = {1, 1, 1};
  const int32_t periodic[3] = {1, 1, 1}, open[3] = {0, 0, 0};
  int64_t npairs = GUARD;
  const int32_t *i = NULL, *j = NULL;
  if (size > 1) {
    OK(neargrid_search_set_cutoff(search, rank == 1 ? 0.25 : 0.2));
    set_out();
    REFUSED(neargrid_pairs_view(search, &npairs, &i, &j), DISAGREEMENT, "cutoff = 0.2 on rank 0, 0.25 on rank 1");
    expect_same();
    OK(neargrid_search_set_cutoff(search, 0.2));
    OK(neargrid_search_set_box(search, 3, lo, length, rank == 1 ? periodic : open));
    OK(set_points());
    set_out();
    REFUSED(neargrid_pairs_view(search, &npairs, &i, &j), DISAGREEMENT, "box = |on rank 1");
    expect_same();
  }
  OK(neargrid_search_set_box(search, 3, lo, length, periodic));
  OK(set_points());
  OK(neargrid_search_set_cutoff(search, 0.6));
  set_out();
  REFUSED(neargrid_pairs_view(search, &npairs, &i, &j), BAD_DOMAIN,
              "rank 0: length of axis x = 1 |at least 1.2, twice the cutoff (0.6)");
  expect_same();
  CHECK(npairs == GUARD);
  OK(neargrid_search_set_box(search, 3, lo, length, open));
  OK(set_points());
  OK(neargrid_search_set_cutoff(search, 0.2));
  CHECK(all_pairs() == want);
}

static void halos(int64_t want) {
  static double field[N], ghosts[8 * N];
  int64_t n = GUARD, npairs = GUARD;
  const int64_t *ids = NULL;
  const int32_t *ranks = NULL, *i = NULL, *j = NULL;
  const double *positions = NULL;
  OK(set_points());
  set_out();
  REFUSED(neargrid_halo_exchange(search, 8, N, field, 0, ghosts), BAD_STATE, "rank 0: no ghosts of the current points");
  expect_same();
  CHECK(all_pairs() == want);
  OK(neargrid_ghosts_view_f64(search, &n, &ids, &ranks, &positions));
  if (!CHECK(n <= 8 * N)) return;
  set_out();
  REFUSED(neargrid_halo_exchange(search, 8, N, field, rank == 0 ? n + 1 : n, ghosts), BAD_COUNT, "rank 0: ");
  expect_same();
  set_out();
  REFUSED(neargrid_halo_exchange(search, rank == 0 ? 0 : 8, N, field, n, ghosts), BAD_COUNT, "rank 0: bytes = 0 ");
  expect_same();
  if (size > 1) {
    set_out();
    REFUSED(neargrid_halo_exchange(search, rank == 1 ? 4 : 8, N, field, n, ghosts), DISAGREEMENT,
            "bytes of an element = 8 on rank 0, 4 on rank 1");
    expect_same();
    set_out(); /* different calls */
    REFUSED(rank == 0 ? neargrid_halo_exchange(search, 8, N, field, n, ghosts) : neargrid_pairs_view(search, &npairs, &i, &j),
            DISAGREEMENT, "rank 0 called halo_exchange, rank 1 called pairs");
    expect_same();
    set_out(); /* a rank that refuses its arguments itself */
    REFUSED(rank == 1 ? neargrid_search_refuse(search, NEARGRID_STATUS_BAD_COUNT, "size(x) = 3")
                      : neargrid_pairs_view(search, &npairs, &i, &j),
            BAD_COUNT, "rank 1: size(x) = 3");
    expect_same();
  }
  CHECK(all_pairs() == want);
}

int main(int argc, char **argv) {
  int64_t npairs = GUARD;
  const int32_t *i = NULL, *j = NULL;
  uint64_t seed = 77;
  begin(&argc, &argv);
  for (int k = 0; k < N * (rank + 1); k++)
    for (int axis = 0; axis < 3; axis++) x[k % N][axis] = uniform(&seed);
  search = new_across();
  set_out();
  REFUSED(neargrid_pairs_view(search, &npairs, &i, &j), BAD_STATE,
              "rank 0: no points yet");
  expect_same();
  OK(set_points());
  set_out();
  REFUSED(neargrid_pairs_view(search, &npairs, &i, &j), BAD_STATE,
              "rank 0: no cutoff yet");
  expect_same();
  OK(neargrid_search_set_cutoff(search, 0.2));
  const int64_t want = all_pairs();
  CHECK(want > size);
  points(want);
  capacity(want);
  settings(want);
  halos(want);
  neargrid_search_destroy(search);
  return finish_all("failures", 60 * size);
}
