/* When one rank makes an error, all ranks learn of it: the same status and text everywhere, and the handle works
 * afterwards. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "ranks.h"

enum { N = 40 };

static neargrid_mpi_search *search;
static double x[N][3];

/* All ranks begin together. */
static void set_out(void) { MPI_Barrier(MPI_COMM_WORLD); }

/* All ranks got the same error. Where one waits for the others instead, the alarm of ranks.h ends the program. */
static void expect_same(void) {
  char text[512] = "", first[512];
  neargrid_mpi_last_error(text, sizeof text, NULL);
  memcpy(first, text, sizeof text);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK(strcmp(first, text) == 0);
}

static neargrid_status set_points(const int64_t *ids) {
  return neargrid_mpi_search_set_points_f64(search, 3, N, x[0], x[0] + 1, x[0] + 2, sizeof x[0], ids);
}

/* The pairs of all ranks, as many as there must be. */
static int64_t all_pairs(void) {
  int64_t npairs = 0, all = 0;
  const int32_t *i = NULL, *j = NULL;
  OK_MPI(neargrid_mpi_pairs_view(search, NEARGRID_MPI_SIDES_ONCE, &npairs, &i, &j));
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
  REFUSED_MPI(set_points(NULL), NEARGRID_STATUS_NON_FINITE, words);
  expect_same();
  x[7][1] = kept;
  CHECK(all_pairs() == want); /* those of before */
  for (int k = 0; k < N; k++) ids[k] = (int64_t)(N - k) * size + rank;
  if (rank == size - 1) ids[3] = (int64_t)N * size; /* that of point 0 on rank 0 */
  set_out();
  REFUSED_MPI(set_points(ids), NEARGRID_STATUS_BAD_VALUE,
              "global id |belongs to point 0 on rank 0| and to point 3 |unique");
  expect_same();
  if (size > 1) {
    set_out();
    REFUSED_MPI(set_points(rank == 0 ? NULL : ids), NEARGRID_MPI_STATUS_DISAGREEMENT, "given on rank 1|not on rank 0");
    expect_same();
    set_out();
    REFUSED_MPI(neargrid_mpi_search_set_points_f64(search, rank == 1 ? 2 : 3, N, x[0], x[0] + 1, x[0] + 2, sizeof x[0], NULL),
                NEARGRID_MPI_STATUS_DISAGREEMENT, "dim = 3 on rank 0, 2 on rank 1");
    expect_same();
  }
  set_out();
  REFUSED_MPI(neargrid_mpi_search_set_points_f64(search, 3, rank == 0 ? -1 : N, x[0], x[0] + 1, x[0] + 2, sizeof x[0], NULL),
              NEARGRID_STATUS_BAD_COUNT, "rank 0: |n = -1");
  expect_same();
  const int64_t elements[] = {0, 3, 8, 9, 16}; /* 8 and 16: the stride of one number or two */
  for (int k = 0; k < 5; k++) {
    const int64_t stride = rank == size - 1 ? elements[k] : (int64_t)sizeof x[0];
    snprintf(words, sizeof words, "rank %d: |stride = %d |bytes, not elements", size - 1, (int)elements[k]);
    set_out();
    REFUSED_MPI(neargrid_mpi_search_set_points_f64(search, 3, N, x[0], x[0] + 1, x[0] + 2, stride, NULL),
                NEARGRID_STATUS_BAD_VALUE, words);
    expect_same();
  }
  CHECK(all_pairs() == want);
}

static void capacity(int64_t want) {
  int64_t npairs = GUARD, need = 0;
  const int32_t *i = NULL, *j = NULL;
  OK_MPI(neargrid_mpi_pairs_view(search, NEARGRID_MPI_SIDES_BOTH, &need, &i, &j));
  const int64_t room = rank == 0 ? need - 1 : need;
  int32_t *pair_i = guarded(need), *pair_j = guarded(need);
  set_out();
  REFUSED_MPI(neargrid_mpi_pairs_copy(search, NEARGRID_MPI_SIDES_BOTH, room, &npairs, pair_i, pair_j),
              NEARGRID_STATUS_CAPACITY, "rank 0: capacity = |too small");
  expect_same();
  CHECK(npairs == need && untouched(pair_i, 0, need) && untouched(pair_j, 0, need));
  npairs = GUARD;
  set_out();
  REFUSED_MPI(neargrid_mpi_pairs_copy(search, NEARGRID_MPI_SIDES_BOTH, need, &npairs, rank == 0 ? NULL : pair_i, pair_j),
              NEARGRID_STATUS_NULL_POINTER, "rank 0: pair_i is NULL");
  expect_same();
  CHECK(npairs == GUARD && untouched(pair_i, 0, need));
  set_out();
  REFUSED_MPI(neargrid_mpi_pairs_copy(search, NEARGRID_MPI_SIDES_BOTH, need, &npairs, pair_i,
                                      rank == 0 ? pair_i + need - 1 : pair_j),
              NEARGRID_STATUS_BAD_VALUE, "rank 0: pair_j = |overlaps pair_i");
  expect_same();
  CHECK(npairs == GUARD && untouched(pair_i, 0, need) && untouched(pair_j, 0, need));
  OK_MPI(neargrid_mpi_pairs_copy(search, NEARGRID_MPI_SIDES_BOTH, need, &npairs, pair_i, pair_j));
  CHECK(npairs == need && pair_i[need - 1] != GUARD);
  free(pair_i);
  free(pair_j);
  int64_t total = GUARD, offsets[N + 1];
  int32_t *row = guarded(1);
  set_out();
  REFUSED_MPI(neargrid_mpi_neighbors_copy(search, NEARGRID_NEIGHBORS_FULL, 0, &total, offsets, row),
              NEARGRID_STATUS_CAPACITY, "rank 0: capacity = 0 ");
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
    OK_MPI(neargrid_mpi_search_set_cutoff(search, rank == 1 ? 0.25 : 0.2));
    set_out();
    REFUSED_MPI(neargrid_mpi_pairs_view(search, NEARGRID_MPI_SIDES_ONCE, &npairs, &i, &j),
                NEARGRID_MPI_STATUS_DISAGREEMENT, "cutoff = 0.2 on rank 0, 0.25 on rank 1");
    expect_same();
    OK_MPI(neargrid_mpi_search_set_cutoff(search, 0.2));
    set_out();
    REFUSED_MPI(neargrid_mpi_pairs_view(search, rank == 1, &npairs, &i, &j), NEARGRID_MPI_STATUS_DISAGREEMENT,
                "Once on rank 0, Both on rank 1");
    expect_same();
    OK_MPI(neargrid_mpi_search_set_box(search, 3, lo, length, rank == 1 ? periodic : open));
    set_out();
    REFUSED_MPI(neargrid_mpi_pairs_view(search, NEARGRID_MPI_SIDES_ONCE, &npairs, &i, &j),
                NEARGRID_MPI_STATUS_DISAGREEMENT, "box = |on rank 1");
    expect_same();
  }
  OK_MPI(neargrid_mpi_search_set_box(search, 3, lo, length, periodic));
  OK_MPI(neargrid_mpi_search_set_cutoff(search, 0.6));
  set_out();
  REFUSED_MPI(neargrid_mpi_pairs_view(search, NEARGRID_MPI_SIDES_ONCE, &npairs, &i, &j), NEARGRID_STATUS_BAD_DOMAIN,
              "rank 0: length of axis x = 1 |at least 1.2, twice the cutoff (0.6)");
  expect_same();
  CHECK(npairs == GUARD);
  OK_MPI(neargrid_mpi_search_set_box(search, 3, lo, length, open));
  OK_MPI(neargrid_mpi_search_set_cutoff(search, 0.2));
  set_out();
  REFUSED_MPI(neargrid_mpi_pairs_view(search, rank == 0 ? 7 : 0, &npairs, &i, &j), NEARGRID_STATUS_BAD_VALUE,
              "rank 0: sides = 7 |0 (once) or 1 (both)");
  expect_same();
  CHECK(all_pairs() == want);
}

static void halos(int64_t want) {
  double field[N] = {0}, *ghosts = NULL;
  OK_MPI(set_points(NULL));
  set_out();
  REFUSED_MPI(neargrid_mpi_halo_exchange(search, 8, field, NULL), NEARGRID_STATUS_BAD_STATE, "rank 0: no ghosts for the current");
  expect_same();
  CHECK(all_pairs() == want);
  ghosts = malloc((size_t)(counter_mpi(search, NEARGRID_MPI_COUNTER_GHOSTS) + 1) * sizeof *ghosts);
  if (!ghosts) exit(1);
  if (size > 1) {
    set_out();
    REFUSED_MPI(neargrid_mpi_halo_exchange(search, rank == 1 ? 4 : 8, field, ghosts), NEARGRID_MPI_STATUS_DISAGREEMENT,
                "bytes of an element = 8 on rank 0, 4 on rank 1");
    expect_same();
  }
  set_out();
  REFUSED_MPI(neargrid_mpi_halo_exchange(search, rank == 0 ? 0 : 8, field, ghosts), NEARGRID_STATUS_BAD_COUNT,
              "rank 0: element_bytes = 0 ");
  expect_same();
  set_out();
  REFUSED_MPI(neargrid_mpi_halo_finish(search, ghosts), NEARGRID_STATUS_BAD_STATE, "rank 0: no halo exchange is in progress");
  expect_same();
  OK_MPI(neargrid_mpi_halo_begin(search, 8, field));
  set_out();
  REFUSED_MPI(neargrid_mpi_halo_sum_f64(search, 1, ghosts, field), NEARGRID_STATUS_BAD_STATE, "rank 0: |in progress|finish");
  expect_same();
  OK_MPI(neargrid_mpi_halo_finish(search, ghosts));
  if (size > 1) { /* different calls */
    int64_t npairs = GUARD;
    const int32_t *i = NULL, *j = NULL;
    set_out();
    const neargrid_status status = rank == 0 ? neargrid_mpi_halo_exchange(search, 8, field, ghosts)
                                             : neargrid_mpi_pairs_view(search, 0, &npairs, &i, &j);
    REFUSED_MPI(status, NEARGRID_MPI_STATUS_DISAGREEMENT, "rank 0 called halo exchange, rank 1 called pairs");
    expect_same();
  }
  free(ghosts);
  CHECK(all_pairs() == want);
}

/* A rank finds out by itself that there is no handle, or none yet. */
static void alone(void) {
  neargrid_mpi_search *none = NULL;
  int64_t value = GUARD;
  REFUSED_MPI(neargrid_mpi_search_create(99, MPI_COMM_WORLD, &none), NEARGRID_STATUS_ABI_MISMATCH, "abi_version = 99");
  REFUSED_MPI(neargrid_mpi_search_create(NEARGRID_MPI_ABI_VERSION, MPI_COMM_NULL, &none), NEARGRID_STATUS_BAD_VALUE,
              "comm = MPI_COMM_NULL");
  REFUSED_MPI(neargrid_mpi_search_create(NEARGRID_MPI_ABI_VERSION, MPI_COMM_WORLD, NULL), NEARGRID_STATUS_NULL_POINTER,
              "search is NULL");
  REFUSED_MPI(neargrid_mpi_search_set_cutoff(NULL, 1), NEARGRID_STATUS_NULL_POINTER, "search is NULL");
  REFUSED_MPI(neargrid_mpi_search_set_cutoff(search, -1), NEARGRID_STATUS_BAD_CUTOFF, "cutoff = -1");
  REFUSED_MPI(neargrid_mpi_search_counter(search, 99, &value), NEARGRID_STATUS_BAD_VALUE, "counter = 99 |0 (owned)");
  CHECK(none == NULL && value == GUARD);
  neargrid_mpi_search_destroy(NULL);
}

int main(int argc, char **argv) {
  int64_t npairs = GUARD;
  const int32_t *i = NULL, *j = NULL;
  uint64_t seed = 77;
  REFUSED_MPI(neargrid_mpi_search_create_f(NEARGRID_MPI_ABI_VERSION, 0, &search), NEARGRID_STATUS_BAD_STATE,
              "MPI_Init");
  begin(&argc, &argv);
  for (int k = 0; k < N * (rank + 1); k++)
    for (int axis = 0; axis < 3; axis++) x[k % N][axis] = uniform(&seed);
  OK_MPI(neargrid_mpi_search_create(NEARGRID_MPI_ABI_VERSION, MPI_COMM_WORLD, &search));
  OK_MPI(neargrid_mpi_search_set_threads(search, 1));
  set_out();
  REFUSED_MPI(neargrid_mpi_pairs_view(search, NEARGRID_MPI_SIDES_ONCE, &npairs, &i, &j), NEARGRID_STATUS_BAD_STATE,
              "rank 0: no points yet");
  expect_same();
  OK_MPI(set_points(NULL));
  set_out();
  REFUSED_MPI(neargrid_mpi_pairs_view(search, NEARGRID_MPI_SIDES_ONCE, &npairs, &i, &j), NEARGRID_STATUS_BAD_STATE,
              "rank 0: no cutoff yet");
  expect_same();
  OK_MPI(neargrid_mpi_search_set_cutoff(search, 0.2));
  const int64_t want = all_pairs();
  CHECK(want > size);
  points(want);
  capacity(want);
  settings(want);
  halos(want);
  alone();
  neargrid_mpi_search_destroy(search);
  return finish_all("failures", 60 * size);
}
