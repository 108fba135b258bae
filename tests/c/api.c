/* Versions and the names of statuses, what settings cost, questions, and arrays that are too small. Refusals are in tests/refusals,
 * and tests/model judges all results of calls. Compiled with the version expected: -DVERSION="x.y.z". */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { N = 300 };
static const double CUTOFF = 0.2;

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

/* One handle for everything: fewer points and more, other dims, precisions, cutoffs, rules and bases. */
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
  CHECK(i[0] == 0 && j[npairs - 1] < N); /* the view is still there */
  OK(neargrid_pairs_count(search, &npairs)); /* all is there already */
  OK(neargrid_search_timing(search, NEARGRID_PHASE_INDEX, &seconds[0]));
  CHECK(seconds[0] == 0);
  neargrid_search_destroy(search);
}

int main(void) {
  versions();
  settings();
  questions();
  return finish("api", 100);
}
