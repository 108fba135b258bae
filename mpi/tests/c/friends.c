/* K nearest, groups and their catalogue across ranks against the core's own search on one rank, bit for bit; and refusals. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "ranks.h"

enum { N = 500, K = 7 };
static const double LINK = 0.075;

static double x[N][3], v[N][3], mass[N];
static float narrow[N][3];
static int64_t id[N];

static double mine[N][3], my_v[N][3], my_mass[N]; /* this rank's points */
static float my_narrow[N][3];
static int64_t known[2 * N];                      /* their ids, and behind them those of ghosts */
static int64_t n_mine;

static neargrid_search *core, *search;

static void compare(int ok, const char *what, int way) {
  char text[100];
  snprintf(text, sizeof text, "rank %d of %d, spread %d: %s", rank, size, way, what);
  verdict(ok, text, __FILE__, __LINE__);
}

static int place_of(int64_t wanted) {
  for (int k = 0; k < N; k++)
    if (id[k] == wanted) return k;
  return -1;
}

/* The rank that has a point: dice, blocks, or all on the last. */
static int rank_of(int k, int way) {
  if (way == 0) return (int)((unsigned)(k + 1) * 2654435761u % 1000003u % (unsigned)size);
  return way == 1 ? k * size / N : size - 1;
}

static void spread(int way) {
  n_mine = 0;
  for (int k = 0; k < N; k++) {
    if (rank_of(k, way) != rank) continue;
    memcpy(mine[n_mine], x[k], sizeof x[k]);
    memcpy(my_narrow[n_mine], narrow[k], sizeof narrow[k]);
    memcpy(my_v[n_mine], v[k], sizeof v[k]);
    my_mass[n_mine] = mass[k];
    known[n_mine++] = id[k];
  }
  OK(neargrid_search_set_points_f64(search, 3, n_mine, mine[0], mine[0] + 1, mine[0] + 2, sizeof mine[0]));
  OK(neargrid_search_set_ids(search, n_mine, known, sizeof known[0]));
}

static void learn_ghosts(int is_narrow, int way) {
  int64_t n = GUARD;
  const int64_t *ids = NULL;
  const int32_t *ranks = NULL;
  const double *at = NULL;
  const float *narrow_at = NULL;
  if (is_narrow) OK(neargrid_knn_ghosts_view_f32(search, &n, &ids, &ranks, &narrow_at));
  else OK(neargrid_knn_ghosts_view_f64(search, &n, &ids, &ranks, &at));
  int ok = n >= 0 && n <= N;
  for (int64_t g = 0; g < n && ok; g++) {
    const int k = place_of(ids[g]);
    ok = k >= 0 && rank_of(k, way) == ranks[g] && ranks[g] != rank;
    ok = ok && (is_narrow ? memcmp(narrow_at + 3 * g, narrow[k], sizeof narrow[k]) : memcmp(at + 3 * g, x[k], sizeof x[k])) == 0;
    known[n_mine + g] = ids[g];
  }
  compare(ok, "ghosts of k nearest", way);
}

static void nearest(int way) {
  static int32_t want[N * K], got[N * K], counts[N];
  static double want_d[N * K], got_d[N * K];
  const int32_t *ids = NULL, *view_counts = NULL;
  const double *distances = NULL;
  int64_t n = GUARD;
  OK(neargrid_search_set_points_f64(core, 3, N, x[0], x[0] + 1, x[0] + 2, sizeof x[0]));
  OK(neargrid_search_set_ids(core, N, id, sizeof(int64_t)));
  OK(neargrid_knn_copy_f64(core, NEARGRID_KNN_OTHERS, K, NEARGRID_MEASURE_DISTANCE, N, &(int64_t){0}, want, want_d, NULL));
  OK(neargrid_knn_view_f64(search, NEARGRID_KNN_OTHERS, K, NEARGRID_MEASURE_DISTANCE, &n, &ids, &distances, &view_counts));
  learn_ghosts(0, way);
  int ok = n == n_mine;
  for (int64_t k = 0; k < n_mine && ok; k++) {
    const int at = place_of(known[k]);
    ok = view_counts[k] == K && memcmp(distances + k * K, want_d + at * K, K * sizeof *want_d) == 0;
    for (int64_t e = 0; e < K && ok; e++) ok = known[ids[k * K + e]] == id[want[at * K + e]];
  }
  compare(ok, "k nearest", way);
  OK(neargrid_knn_copy_f64(search, NEARGRID_KNN_OTHERS, K, NEARGRID_MEASURE_DISTANCE, n_mine, &n, got, got_d, counts));
  ok = n == n_mine;
  for (int64_t k = 0; k < n_mine && ok; k++) {
    const int at = place_of(known[k]);
    ok = counts[k] == K && memcmp(got_d + k * K, want_d + at * K, K * sizeof *want_d) == 0;
    for (int64_t e = 0; e < K && ok; e++) ok = known[got[k * K + e]] == id[want[at * K + e]];
  }
  compare(ok, "copy of k nearest", way);
  OK(neargrid_knn_copy_f64(core, NEARGRID_KNN_ALL, 1, NEARGRID_MEASURE_SQUARE, N, &(int64_t){0}, want, NULL, NULL));
  OK(neargrid_knn_copy_f64(search, NEARGRID_KNN_ALL, 1, NEARGRID_MEASURE_SQUARE, n_mine, &n, got, NULL, NULL));
  learn_ghosts(0, way);
  ok = 1;
  for (int64_t k = 0; k < n_mine && ok; k++) ok = known[got[k]] == id[want[place_of(known[k])]];
  compare(ok, "nearest, itself included", way);
}

static void nearest_f32(int way) {
  static int32_t want[N * K], got[N * K];
  static float want_d[N * K], got_d[N * K];
  const int32_t *ids = NULL, *counts = NULL;
  const float *squares = NULL;
  int64_t n = GUARD;
  OK(neargrid_search_set_points_f32(core, 3, N, narrow[0], narrow[0] + 1, narrow[0] + 2, sizeof narrow[0]));
  OK(neargrid_knn_copy_f32(core, NEARGRID_KNN_OTHERS, K, NEARGRID_MEASURE_SQUARE, N, &(int64_t){0}, want, want_d, NULL));
  OK(neargrid_search_set_points_f32(search, 3, n_mine, my_narrow[0], my_narrow[0] + 1, my_narrow[0] + 2, sizeof my_narrow[0]));
  OK(neargrid_knn_view_f32(search, NEARGRID_KNN_OTHERS, K, NEARGRID_MEASURE_SQUARE, &n, &ids, &squares, &counts));
  learn_ghosts(1, way);
  int ok = n == n_mine;
  for (int64_t k = 0; k < n_mine && ok; k++) {
    const int at = place_of(known[k]);
    ok = memcmp(squares + k * K, want_d + at * K, K * sizeof *want_d) == 0 && counts[k] == K;
    for (int64_t e = 0; e < K && ok; e++) ok = known[ids[k * K + e]] == id[want[at * K + e]];
  }
  compare(ok, "k nearest in real32", way);
  OK(neargrid_knn_copy_f32(search, NEARGRID_KNN_OTHERS, K, NEARGRID_MEASURE_SQUARE, n_mine, &n, got, got_d, NULL));
  for (int64_t k = 0; k < n_mine && ok; k++)
    ok = memcmp(got_d + k * K, want_d + place_of(known[k]) * K, K * sizeof *want_d) == 0;
  compare(ok, "copy of k nearest in real32", way);
}

static void friends(int way) {
  static int32_t want[N];
  static int64_t got[N];
  int64_t want_groups = GUARD, groups = GUARD;
  OK(neargrid_fof_copy(core, N, want, &want_groups));
  OK(neargrid_fof_copy_ids(search, n_mine, got, &groups));
  int ok = groups == want_groups;
  for (int64_t k = 0; k < n_mine && ok; k++) ok = got[k] == id[want[place_of(known[k])]];
  compare(ok, "labels", way);
}

static void catalogue(int way) {
  int64_t want_n = GUARD, n = GUARD, g = 0;
  int32_t dim = 0;
  const int32_t *want_labels, *order, *want_wide, *wide;
  static int64_t labels[N], sizes[N], got[N];
  const int64_t *want_sizes, *offsets;
  const double *want_sums[4], *sums[4];
  OK(neargrid_groups_find_f64(core, 2, N, mass, sizeof(double), v[0], v[0] + 1, v[0] + 2, sizeof v[0], &want_n));
  OK(neargrid_groups_view_members(core, &want_n, &want_labels, &want_sizes, &offsets, &order));
  OK(neargrid_groups_view_sums(core, &want_n, &dim, &want_sums[0], &want_sums[1], &want_sums[2], &want_sums[3], &want_wide));
  OK(neargrid_groups_find_f64(search, 2, n_mine, my_mass, sizeof my_mass[0], my_v[0], my_v[0] + 1, my_v[0] + 2, sizeof my_v[0], &n));
  OK(neargrid_groups_copy_ids(search, N, &n, labels, sizes));
  OK(neargrid_groups_view_sums(search, &n, &dim, &sums[0], &sums[1], &sums[2], &sums[3], &wide));
  int ok = dim == 3;
  for (int64_t w = 0; w < want_n && ok; w++) {
    if (rank_of(want_labels[w], way) != rank) continue;
    ok = g < n && labels[g] == id[want_labels[w]] && sizes[g] == want_sizes[w] && wide[g] == want_wide[w];
    for (int s = 0; s < 4 && ok; s++) {
      const int each = s == 1 || s == 2 ? 3 : 1;
      ok = memcmp(sums[s] + each * g, want_sums[s] + each * w, (size_t)each * sizeof(double)) == 0;
    }
    g++;
  }
  compare(ok && g == n && want_n > 20, "catalogue", way);
  OK(neargrid_groups_find_f64(search, 1, n_mine, NULL, 0, NULL, NULL, NULL, 0, &n));
  int64_t all = 0, groups = 0;
  OK(neargrid_fof_copy_ids(search, n_mine, got, &groups));
  MPI_Allreduce(&n, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  OK(neargrid_groups_view_sums(search, &n, &dim, &sums[0], &sums[1], &sums[2], &sums[3], &wide));
  compare(all == groups && sums[2] == NULL, "all groups", way);
}

static void refused(void) {
  int64_t n = GUARD;
  const int32_t *ids = NULL, *counts = NULL;
  const double *distances = NULL;
  const int last = rank == size - 1;
  char words[80];
  snprintf(words, sizeof words, "rank %d: k = 1025 |1 to 1024", size - 1);
  REFUSED(neargrid_knn_view_f64(search, 0, last ? 1025 : 3, 0, &n, &ids, &distances, &counts),
              BAD_COUNT, words);
  REFUSED(neargrid_knn_view_f64(search, 0, 0, 0, &n, &ids, &distances, &counts), BAD_COUNT,
              "rank 0: k = 0 ");
  if (size > 1)
    REFUSED(neargrid_knn_view_f64(search, 0, last ? 4 : 3, 0, &n, &ids, &distances, &counts),
                DISAGREEMENT, "k = 3 on rank 0, 4 on rank ");
  REFUSED(neargrid_groups_find_f64(search, last ? 0 : 1, n_mine, NULL, 0, NULL, NULL, NULL, 0, &n), BAD_COUNT,
              "min_size = 0 ");
  REFUSED(neargrid_groups_find_f64(search, 1, n_mine + last, my_mass, 8, NULL, NULL, NULL, 8, &n), BAD_COUNT,
              "n = ");
  my_mass[0] = last ? -1 : my_mass[0];
  REFUSED(neargrid_groups_find_f64(search, 1, n_mine, my_mass, 8, NULL, NULL, NULL, 8, &n), BAD_VALUE,
              "mass = -1 |point 0");
  REFUSED(neargrid_fof_copy_ids(search, n_mine, known, last ? NULL : &n), NULL_POINTER, "ngroups is NULL");
  CHECK(n == GUARD && ids == NULL && distances == NULL && counts == NULL);
}

int main(int argc, char **argv) {
  const double lo[3] = {0, 0, 0}, length[3] = {1, 1, 1};
  const int32_t periodic[3] = {1, 0, 1};
  uint64_t seed = 41;
  begin(&argc, &argv);
  for (int k = 0; k < N; k++) {
    for (int axis = 0; axis < 3; axis++) {
      narrow[k][axis] = (float)(x[k][axis] = uniform(&seed));
      v[k][axis] = uniform(&seed) - 0.5;
    }
    if (k % 50 == 1) memcpy(x[k], x[k - 1], sizeof x[k]); /* ties */
    mass[k] = 0.1 + uniform(&seed);
    id[k] = (int64_t)k * 307 % N - 100;
  }
  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &core));
  OK(neargrid_search_set_threads(core, 1));
  OK(neargrid_search_set_cutoff(core, LINK));
  OK(neargrid_search_set_box(core, 3, lo, length, periodic));
  search = new_across();
  OK(neargrid_search_set_cutoff(search, LINK));
  OK(neargrid_search_set_box(search, 3, lo, length, periodic));
  for (int way = 0; way < 3; way++) {
    spread(way);
    nearest(way);
    friends(way);
    catalogue(way);
    if (way == 1) refused();
    nearest_f32(way);
  }
  neargrid_search_destroy(search);
  neargrid_search_destroy(core);
  return finish_all("friends", 30 * size);
}
