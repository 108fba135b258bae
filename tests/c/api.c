/* Promises of neargrid.h where nothing goes wrong: layouts, sizes, capacity, reuse, settings, questions. Its
 * refusals are in refusals.c. Compiled with the version expected: -DVERSION="x.y.z". */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { N = 300 };
static const double CUTOFF = 0.2;

/* The pairs of a handle are `want`, as a view and as a copy. */
static void expect_pairs(neargrid_search *search, const pair_list *want, int base) {
  int64_t npairs = GUARD;
  const int32_t *i = NULL, *j = NULL;
  int32_t *copy_i = guarded(want->n + 2), *copy_j = guarded(want->n + 2);
  if (OK(neargrid_pairs_copy(search, want->n + 2, &npairs, copy_i, copy_j)) && CHECK(npairs == want->n)) {
    CHECK(same(copy_i, want->i, npairs, base) && same(copy_j, want->j, npairs, base));
    CHECK(untouched(copy_i, npairs, npairs + 2) && untouched(copy_j, npairs, npairs + 2));
  }
  if (OK(neargrid_pairs_view(search, &npairs, &i, &j)) && CHECK(npairs == want->n))
    CHECK(same(i, want->i, npairs, base) && same(j, want->j, npairs, base));
  free(copy_i);
  free(copy_j);
}

static void cloud(double *x, int n, uint64_t seed) {
  for (int k = 0; k < n; k++) x[k] = uniform(&seed) - 0.5;
}

static void versions(void) {
  CHECK(neargrid_abi_version() == NEARGRID_ABI_VERSION);
  CHECK(strcmp(neargrid_version(), VERSION) == 0);
#define NAME(status) CHECK(strcmp(neargrid_status_name(status), #status) == 0)
  NAME(NEARGRID_STATUS_OK);
  NAME(NEARGRID_STATUS_NULL_POINTER);
  NAME(NEARGRID_STATUS_BAD_DIM);
  NAME(NEARGRID_STATUS_BAD_COUNT);
  NAME(NEARGRID_STATUS_BAD_CUTOFF);
  NAME(NEARGRID_STATUS_NON_FINITE);
  NAME(NEARGRID_STATUS_BAD_VALUE);
  NAME(NEARGRID_STATUS_BAD_STATE);
  NAME(NEARGRID_STATUS_CAPACITY);
  NAME(NEARGRID_STATUS_BAD_ENVIRONMENT);
  NAME(NEARGRID_STATUS_BAD_DOMAIN);
  NAME(NEARGRID_STATUS_BAD_RADIUS);
  NAME(NEARGRID_STATUS_BUSY);
  NAME(NEARGRID_STATUS_NOT_SUPPORTED);
  NAME(NEARGRID_STATUS_OUT_OF_MEMORY);
  NAME(NEARGRID_STATUS_TOO_MANY_PAIRS);
  NAME(NEARGRID_STATUS_NO_DEVICE);
  NAME(NEARGRID_STATUS_DEVICE_LOST);
  NAME(NEARGRID_STATUS_THREADS);
  NAME(NEARGRID_STATUS_MEMORY_LIMIT);
  NAME(NEARGRID_STATUS_ABI_MISMATCH);
  NAME(NEARGRID_STATUS_INTERNAL);
#undef NAME
  const int unknown[] = {-1, 13, 49, 51, 99, 106, 253, 256, INT32_MIN, INT32_MAX};
  for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
    CHECK(strcmp(neargrid_status_name(unknown[k]), "unknown status") == 0);
}

/* The same cloud in every shape that a code may hold it in. */
static void layouts_f64(int dim) {
  typedef struct {
    char kind;
    double mass, at[3], speed;
  } particle;
  static double x[3 * N], axes[3][N];
  static particle particles[N];
  static char bytes[29 * N + 1];
  neargrid_search *search = new_search(CUTOFF);
  cloud(x, dim * N, 5);
  const pair_list want = plain_pairs_f64(dim, N, x, CUTOFF, 0);
  CHECK(want.n > N / 4);
  for (int k = 0; k < N; k++)
    for (int axis = 0; axis < dim; axis++) {
      axes[axis][k] = particles[k].at[axis] = x[dim * k + axis];
      memcpy(bytes + 1 + 29 * (N - 1 - k) + 8 * axis, &x[dim * k + axis], 8); /* backwards, unaligned */
    }
  /* Axes that are not read may be anything. */
  const double *y = dim > 1 ? x + 1 : NULL, *z = dim > 2 ? x + 2 : NULL;
  OK(neargrid_search_set_points_f64(search, dim, N, x, y, z, 8 * dim));
  expect_pairs(search, &want, 0);
  OK(neargrid_search_set_points_f64(search, dim, N, axes[0], dim > 1 ? axes[1] : NULL, dim > 2 ? axes[2] : NULL, 8));
  expect_pairs(search, &want, 0);
  const double *at = particles[0].at;
  OK(neargrid_search_set_points_f64(search, dim, N, at, at + 1, at + 2, (int64_t)sizeof *particles));
  expect_pairs(search, &want, 0);
  const char *last = bytes + 1 + 29 * (N - 1);
  const void *bx = last, *by = last + 8, *bz = last + 16;
  OK(neargrid_search_set_points_f64(search, dim, N, bx, by, bz, -29));
  expect_pairs(search, &want, 0);
  free_pairs(want);
  neargrid_search_destroy(search);
}

static void layouts_f32(int dim) {
  static float x[3 * N], axes[3][N];
  static char bytes[13 * N + 3];
  uint64_t seed = 6;
  neargrid_search *search = new_search(CUTOFF);
  for (int k = 0; k < dim * N; k++) x[k] = (float)uniform(&seed);
  const pair_list want = plain_pairs_f32(dim, N, x, (float)CUTOFF, 0);
  CHECK(want.n > N / 4);
  for (int k = 0; k < N; k++)
    for (int axis = 0; axis < dim; axis++) {
      axes[axis][N - 1 - k] = x[dim * k + axis];
      memcpy(bytes + 3 + 13 * k + 4 * axis, &x[dim * k + axis], 4);
    }
  OK(neargrid_search_set_points_f32(search, dim, N, x, dim > 1 ? x + 1 : NULL, dim > 2 ? x + 2 : NULL, 4 * dim));
  expect_pairs(search, &want, 0);
  const float *back = axes[0] + N - 1;
  OK(neargrid_search_set_points_f32(search, dim, N, back, back + N, back + 2 * N, -4));
  expect_pairs(search, &want, 0);
  const void *bx = bytes + 3, *by = bytes + 7, *bz = bytes + 11;
  OK(neargrid_search_set_points_f32(search, dim, N, bx, by, bz, 13));
  expect_pairs(search, &want, 0);
  free_pairs(want);
  neargrid_search_destroy(search);
}

/* All points in one place, and one array for all axes. */
static void one_place(void) {
  double here[1000];
  int64_t npairs = GUARD;
  neargrid_search *search = new_search(1e-3);
  for (int k = 0; k < 1000; k++) here[k] = 0.25;
  OK(neargrid_search_set_points_f64(search, 3, 1000, here, here, here, 8));
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(npairs == 1000 * 999 / 2);
  neargrid_search_destroy(search);
}

/* No point, one point, two points. */
static void sizes(void) {
  const double x[6] = {0, 0, 0, 0.1, 0, 0};
  neargrid_search *search = new_search(CUTOFF);
  for (int n = 0; n <= 2; n++)
    for (int base = 0; base <= 1; base++) {
      const int64_t want = n == 2;
      int64_t npairs = GUARD, total = GUARD, rows = GUARD, offsets[4] = {GUARD, GUARD, GUARD, GUARD};
      int32_t i[1] = {GUARD}, j[1] = {GUARD}, ids[2] = {GUARD, GUARD};
      const int32_t *view_i, *view_j, *view_ids;
      const int64_t *view_offsets;
      const double *p = n ? x : NULL;
      OK(neargrid_search_set_index_base(search, base));
      OK(neargrid_search_set_points_f64(search, 3, n, p, p ? p + 1 : NULL, p ? p + 2 : NULL, 24));
      CHECK(counter(search, NEARGRID_COUNTER_POINTS) == n);
      OK(neargrid_pairs_count(search, &npairs));
      CHECK(npairs == want);
      OK(neargrid_pairs_copy(search, want, &npairs, want ? i : NULL, want ? j : NULL));
      CHECK(npairs == want && i[0] == (want ? base : GUARD) && j[0] == (want ? 1 + base : GUARD));
      OK(neargrid_pairs_view(search, &npairs, &view_i, &view_j));
      CHECK(npairs == want);
      for (int full = 0; full <= 1; full++) {
        const int64_t length = want * (1 + full);
        OK(neargrid_neighbors_count(search, full, &total));
        CHECK(total == length);
        OK(neargrid_neighbors_copy(search, full, n, length, &total, offsets, length ? ids : NULL));
        CHECK(total == length && offsets[0] == base && offsets[n] == base + length && offsets[n + 1] == GUARD);
        OK(neargrid_neighbors_view(search, full, &rows, &total, &view_offsets, &view_ids));
        CHECK(rows == n && total == length && view_offsets[0] == base && view_offsets[n] == base + length);
      }
      if (want) CHECK(ids[0] == 1 + base && ids[1] == base);
    }
  neargrid_search_destroy(search);
}

/* Arrays too small: the need, nothing touched, and the list then costs no second search. */
static void capacity(void) {
  static double x[3 * N];
  neargrid_search *search = new_search(CUTOFF);
  int64_t npairs = GUARD, total = GUARD;
  cloud(x, 3 * N, 7);
  const pair_list want = plain_pairs_f64(3, N, x, CUTOFF, 0);
  int32_t *i = guarded(2 * want.n + 1), *j = guarded(2 * want.n + 1);
  static int64_t offsets[N + 1];
  OK(neargrid_search_set_points_f64(search, 3, N, x, x + 1, x + 2, 24));
  REFUSED(neargrid_pairs_copy(search, 5, &npairs, i, j), CAPACITY, "capacity = 5|needed");
  CHECK(npairs == want.n && untouched(i, 0, want.n + 1) && untouched(j, 0, want.n + 1));
  npairs = GUARD;
  REFUSED(neargrid_pairs_copy(search, 0, &npairs, NULL, NULL), CAPACITY, "capacity = 0");
  CHECK(npairs == want.n);
  CHECK(counter(search, NEARGRID_COUNTER_INDEX_BUILDS) == 1 && counter(search, NEARGRID_COUNTER_COUNTS) == 1);
  CHECK(counter(search, NEARGRID_COUNTER_FILLS) == 0 && counter(search, NEARGRID_COUNTER_ENTRIES) == want.n);
  OK(neargrid_pairs_copy(search, want.n, &npairs, i, j));
  CHECK(npairs == want.n && same(i, want.i, want.n, 0) && same(j, want.j, want.n, 0));
  CHECK(untouched(i, want.n, 2 * want.n + 1) && untouched(j, want.n, 2 * want.n + 1));
  CHECK(counter(search, NEARGRID_COUNTER_INDEX_BUILDS) == 1 && counter(search, NEARGRID_COUNTER_COUNTS) == 1);
  CHECK(counter(search, NEARGRID_COUNTER_FILLS) == 1);
  for (int64_t k = 0; k <= 2 * want.n; k++) j[k] = GUARD;
  for (int k = 0; k <= N; k++) offsets[k] = GUARD;
  REFUSED(neargrid_neighbors_copy(search, NEARGRID_NEIGHBORS_FULL, N, 2 * want.n - 1, &total, offsets, j), CAPACITY, "");
  CHECK(total == 2 * want.n && offsets[0] == GUARD && offsets[N] == GUARD && untouched(j, 0, 2 * want.n + 1));
  OK(neargrid_neighbors_copy(search, NEARGRID_NEIGHBORS_FULL, N, 2 * want.n, &total, offsets, j));
  CHECK(total == 2 * want.n && offsets[N] == 2 * want.n && j[2 * want.n] == GUARD);
  CHECK(counter(search, NEARGRID_COUNTER_INDEX_BUILDS) == 1 && counter(search, NEARGRID_COUNTER_COUNTS) == 2);
  CHECK(counter(search, NEARGRID_COUNTER_FILLS) == 2 && counter(search, NEARGRID_COUNTER_ENTRIES) == 2 * want.n);
  free(i);
  free(j);
  free_pairs(want);
  neargrid_search_destroy(search);
}

/* One handle for everything: fewer points and more, other dims, precisions, cutoffs, rules and bases. */
/* Rows of one length, and with offsets of 32 bits, are those of a view. */
static void other_forms(void) {
  enum { ROWS = 200, WIDTH = 60 };
  static double x[3 * ROWS];
  static int32_t table[ROWS * WIDTH], counts[ROWS], narrow[ROWS + 1], copied[ROWS * WIDTH];
  cloud(x, 3 * ROWS, 12);
  neargrid_search *search = new_search(0.2);
  OK(neargrid_search_set_points_f64(search, 3, ROWS, x, x + 1, x + 2, 24));
  for (int32_t base = 0; base <= 1; base++) {
    OK(neargrid_search_set_index_base(search, base));
    int64_t n = GUARD, total = GUARD, longest = GUARD;
    int32_t few = GUARD;
    const int64_t *offsets = NULL;
    const int32_t *ids = NULL;
    OK(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_FULL, &n, &total, &offsets, &ids));
    memset(table, 0x7f, sizeof table);
    REFUSED(neargrid_neighbors_padded(search, NEARGRID_NEIGHBORS_FULL, ROWS, 1, &longest, table, counts), CAPACITY,
            "width = 1 is too small|nothing was written");
    CHECK(longest > 1 && longest < WIDTH && table[0] == 0x7f7f7f7f);
    OK(neargrid_neighbors_padded(search, NEARGRID_NEIGHBORS_FULL, ROWS, WIDTH, &longest, table, counts));
    OK(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_FULL, &n, &total, &offsets, &ids));
    for (int i = 0; i < ROWS; i++) {
      const int64_t first = offsets[i] - base, len = offsets[i + 1] - offsets[i];
      int right = counts[i] == len;
      for (int k = 0; k < WIDTH; k++) right = right && table[i * WIDTH + k] == (k < len ? ids[first + k] : base - 1);
      CHECK(right);
    }
    REFUSED(neargrid_neighbors_copy_32(search, NEARGRID_NEIGHBORS_FULL, ROWS, 1, &few, narrow, copied), CAPACITY, "capacity = 1 ");
    CHECK(few == total);
    OK(neargrid_neighbors_copy_32(search, NEARGRID_NEIGHBORS_FULL, ROWS, ROWS * WIDTH, &few, narrow, copied));
    OK(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_FULL, &n, &total, &offsets, &ids));
    int right = few == total && memcmp(copied, ids, (size_t)total * sizeof *ids) == 0;
    for (int i = 0; i <= ROWS; i++) right = right && narrow[i] == offsets[i];
    CHECK(right);
    REFUSED(neargrid_neighbors_padded(search, NEARGRID_NEIGHBORS_FULL, ROWS + 1, WIDTH, &longest, table, counts), BAD_COUNT,
            "n = 201 |200, the number of points");
    REFUSED(neargrid_neighbors_padded(search, NEARGRID_NEIGHBORS_FULL, ROWS, -1, &longest, table, counts), BAD_COUNT, "width = -1 ");
    REFUSED(neargrid_neighbors_padded(search, NEARGRID_NEIGHBORS_FULL, ROWS, WIDTH, &longest, table, table), BAD_VALUE, "overlaps ids");
    REFUSED(neargrid_neighbors_padded(search, NEARGRID_NEIGHBORS_FULL, ROWS, WIDTH, &longest, NULL, counts), NULL_POINTER, "ids is NULL");
    REFUSED(neargrid_neighbors_copy_32(search, NEARGRID_NEIGHBORS_FULL, ROWS, 1, &few, NULL, copied), NULL_POINTER, "offsets is NULL");
  }
  const double edges[3] = {0, 0.1, 0.2};
  int64_t bins[2] = {GUARD, GUARD}, npairs = GUARD;
  REFUSED(neargrid_neighbors_histogram(search, NEARGRID_NEIGHBORS_HALF, 0, edges, bins), BAD_COUNT, "nbins = 0 |1 to");
  REFUSED(neargrid_neighbors_histogram(search, NEARGRID_NEIGHBORS_HALF, 2, NULL, bins), NULL_POINTER, "edges is NULL");
  REFUSED(neargrid_neighbors_histogram(search, NEARGRID_NEIGHBORS_HALF, 2, edges, NULL), NULL_POINTER, "counts is NULL");
  REFUSED(neargrid_neighbors_histogram(NULL, NEARGRID_NEIGHBORS_HALF, 2, edges, bins), NULL_POINTER, "search is NULL");
  CHECK(bins[0] == GUARD && bins[1] == GUARD);
  OK(neargrid_neighbors_histogram(search, NEARGRID_NEIGHBORS_HALF, 2, edges, bins));
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(bins[0] > 0 && bins[0] < bins[1] && bins[0] + bins[1] == npairs);
  REFUSED(neargrid_neighbors_padded(NULL, 0, ROWS, WIDTH, NULL, table, counts), NULL_POINTER, "search is NULL");
  REFUSED(neargrid_neighbors_copy_32(NULL, 0, ROWS, 1, NULL, narrow, copied), NULL_POINTER, "search is NULL");
  neargrid_search_destroy(search);
}

static void reuse(void) {
  static double x[3 * N];
  static float single[3 * N];
  uint64_t seed = 8;
  neargrid_search *search = new_search(1.0);
  for (int k = 0; k < 3 * N; k++) x[k] = (double)(int)(uniform(&seed) * 12) * 0.125; /* ties are common */
  for (int k = 0; k < 3 * N; k++) single[k] = (float)x[k];
  for (int round = 0; round < 60; round++) {
    const int dim = 1 + round % 3, n = (int)(uniform(&seed) * N), rule = round / 2 % 2, base = round / 4 % 2;
    const double cutoff = 0.125 * (1 + round % 4);
    pair_list want;
    OK(neargrid_search_set_cutoff(search, cutoff));
    OK(neargrid_search_set_tie_rule(search, rule));
    OK(neargrid_search_set_index_base(search, base));
    if (round % 5 < 3) {
      want = plain_pairs_f64(dim, n, x, cutoff, rule);
      OK(neargrid_search_set_points_f64(search, dim, n, x, x + 1, x + 2, 8 * dim));
    } else {
      want = plain_pairs_f32(dim, n, single, (float)cutoff, rule);
      OK(neargrid_search_set_points_f32(search, dim, n, single, single + 1, single + 2, 4 * dim));
    }
    expect_pairs(search, &want, base);
    free_pairs(want);
  }
  neargrid_search_destroy(search);
}

/* A setting that does not change builds nothing; one that does is obeyed without new points. */
static void settings(void) {
  static double x[N];
  int64_t npairs;
  neargrid_search *search = new_search(2.0);
  for (int k = 0; k < N; k++) x[k] = k;
  OK(neargrid_search_set_points_f64(search, 1, N, x, NULL, NULL, 8));
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(npairs == N - 1 + N - 2);
  OK(neargrid_search_set_cutoff(search, 2.0));
  OK(neargrid_search_set_tie_rule(search, NEARGRID_TIE_INCLUSIVE));
  OK(neargrid_search_set_index_base(search, 0));
  OK(neargrid_search_set_threads(search, 1));
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  OK(neargrid_search_set_device(search, NEARGRID_DEVICE_INDEX, 1000)); /* no query wants a GPU */
  OK(neargrid_search_set_device(search, NEARGRID_DEVICE_TURN, 5));
  OK(neargrid_search_set_device(search, NEARGRID_DEVICE_BEST, 0));
  OK(neargrid_search_set_memory_limit(search, 0));
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(counter(search, NEARGRID_COUNTER_INDEX_BUILDS) == 1 && counter(search, NEARGRID_COUNTER_COUNTS) == 1);
  OK(neargrid_search_set_tie_rule(search, NEARGRID_TIE_EXCLUSIVE));
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(npairs == N - 1 && counter(search, NEARGRID_COUNTER_INDEX_BUILDS) == 1);
  OK(neargrid_search_set_cutoff(search, 3.5));
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(npairs == 3 * N - 6 && counter(search, NEARGRID_COUNTER_INDEX_BUILDS) == 2);
  for (int32_t threads = 1; threads <= 3; threads++) {
    OK(neargrid_search_set_threads(search, threads));
    OK(neargrid_pairs_count(search, &npairs));
    CHECK(npairs == 3 * N - 6 && counter(search, NEARGRID_COUNTER_THREADS) == threads);
  }
  OK(neargrid_search_set_threads(search, 0));
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(counter(search, NEARGRID_COUNTER_THREADS) == 1); /* too few points to wake another */
  const double lo[3] = {-1, -1, -1}, length[3] = {9, 9, 9};
  const int32_t open[3] = {0, 0, 0};
  OK(neargrid_search_set_box(search, 3, lo, length, open));
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(npairs == 3 * N - 6); /* an open box leaves points outside alone */
  neargrid_search_destroy(search);
  neargrid_search_destroy(NULL);
}

/* Info, counters and timings; none of them invalidates a view. */
static void questions(void) {
  static double x[3 * N];
  char text[1000], cut[10] = "*********";
  size_t length = 0, again = 0;
  int64_t npairs;
  const int32_t *i, *j;
  double seconds[6], sum = 0;
  neargrid_search *search = new_search(CUTOFF);
  CHECK(counter(search, NEARGRID_COUNTER_BACKEND) == NEARGRID_BACKEND_AUTO);
  for (int32_t which = 0; which <= 7; which++) CHECK(counter(search, which) == 0);
  OK(neargrid_search_info(search, text, sizeof text, &length));
  CHECK(length == strlen(text) && strstr(text, "backend: none yet"));
  cloud(x, 3 * N, 9);
  OK(neargrid_search_set_points_f64(search, 3, N, x, x + 1, x + 2, 24));
  OK(neargrid_pairs_view(search, &npairs, &i, &j));
  OK(neargrid_search_info(search, text, sizeof text, &length));
  CHECK(length == strlen(text) && text[length - 1] == '\n');
  CHECK(strstr(text, "backend: cpu (") && strstr(text, "threads: 1 (") && strstr(text, "simd: "));
  CHECK(strstr(text, "points: 300\n") && strstr(text, "index: ") && strstr(text, "bytes held: "));
  OK(neargrid_search_info(search, NULL, 0, &again));
  CHECK(again == length);
  OK(neargrid_search_info(search, cut, 5, NULL));
  CHECK(memcmp(cut, "back\0****", 9) == 0);
  CHECK(counter(search, NEARGRID_COUNTER_POINTS) == N && counter(search, NEARGRID_COUNTER_ENTRIES) == npairs);
  CHECK(counter(search, NEARGRID_COUNTER_CELLS) > 0);
  CHECK(counter(search, NEARGRID_COUNTER_BYTES_HELD) >= 3 * N * 8 + 8 * npairs);
  CHECK(counter(search, NEARGRID_COUNTER_BACKEND) == NEARGRID_BACKEND_CPU);
  for (int32_t phase = 0; phase < 6; phase++) {
    seconds[phase] = -1;
    OK(neargrid_search_timing(search, phase, &seconds[phase]));
    CHECK(seconds[phase] >= 0 && seconds[phase] < 60);
    if (phase < 5) sum += seconds[phase];
  }
  CHECK(seconds[NEARGRID_PHASE_UPLOAD] == 0 && seconds[NEARGRID_PHASE_DOWNLOAD] == 0); /* no device */
  CHECK(seconds[NEARGRID_PHASE_INDEX] > 0 && seconds[NEARGRID_PHASE_COUNT] > 0 && seconds[NEARGRID_PHASE_FILL] > 0);
  CHECK(sum <= seconds[NEARGRID_PHASE_TOTAL]);
  const pair_list want = plain_pairs_f64(3, N, x, CUTOFF, 0);
  CHECK(npairs == want.n && same(i, want.i, npairs, 0) && same(j, want.j, npairs, 0));
  OK(neargrid_pairs_count(search, &npairs)); /* all is there already */
  OK(neargrid_search_timing(search, NEARGRID_PHASE_INDEX, &seconds[0]));
  CHECK(seconds[0] == 0);
  free_pairs(want);
  neargrid_search_destroy(search);
}

int main(void) {
  versions();
  for (int dim = 1; dim <= 3; dim++) {
    layouts_f64(dim);
    layouts_f32(dim);
  }
  one_place();
  sizes();
  capacity();
  other_forms();
  reuse();
  settings();
  questions();
  return finish("api", 600);
}
