/* Memory. What is held stays flat from step to step. Memory that the system refuses:
 * a status, a handle that works afterwards, outputs untouched; for that the address space is limited to a little more
 * than the program has. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <sys/resource.h>

#include <celllist.h>

static const double LINE[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
enum { MIB = 1 << 20, CROWD = 12000 }; /* CROWD points in one place: 72 million pairs, 275 MiB a list */

static void limit_to(size_t more) {
  size_t pages = 0;
  struct rlimit limit;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%zu", &pages) != 1 || getrlimit(RLIMIT_AS, &limit) != 0) exit(1);
  fclose(file);
  limit.rlim_cur = more ? pages * 4096 + more : limit.rlim_max;
  if (setrlimit(RLIMIT_AS, &limit) != 0) exit(1);
}

static void still_works(neargrid_search *search) {
  int64_t npairs = GUARD;
  const int32_t *i, *j;
  OK(neargrid_search_set_points_f64(search, 1, 10, LINE, NULL, NULL, 8));
  OK(neargrid_pairs_view(search, &npairs, &i, &j));
  CHECK(npairs == 9 && i[8] == 8 && j[8] == 9);
}

/* The result does not fit: it can still be counted, and what fits is given. */
static void result(neargrid_search *search) {
  double here[CROWD];
  const int64_t need = (int64_t)CROWD * (CROWD - 1) / 2;
  int64_t npairs = GUARD, n = GUARD, total = GUARD;
  const int32_t *i = NULL, *j = NULL;
  const int64_t *offsets = NULL;
  for (int k = 0; k < CROWD; k++) here[k] = 1;
  OK(neargrid_search_set_points_f64(search, 1, CROWD, here, NULL, NULL, 8));
  REFUSED(neargrid_pairs_view(search, &npairs, &i, &j), OUT_OF_MEMORY, "out of memory|bytes");
  REFUSED(neargrid_neighbors_view(search, 1, &n, &total, &offsets, &i), OUT_OF_MEMORY, "out of memory|575952000 bytes");
  CHECK(npairs == GUARD && n == GUARD && total == GUARD && !i && !j && !offsets);
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(npairs == need);
  still_works(search);
}

/* The points do not fit: then the handle has none. */
static void points(neargrid_search *search, const double *x, int n) {
  int64_t npairs = GUARD;
  still_works(search);
  REFUSED(neargrid_search_set_points_f64(search, 3, n, x, x, x, 8), OUT_OF_MEMORY, "points");
  CHECK(counter(search, NEARGRID_COUNTER_POINTS) == 0);
  REFUSED(neargrid_pairs_count(search, &npairs), BAD_STATE, "points");
  CHECK(npairs == GUARD);
  still_works(search);
}

/* A field does not fit: it has the values that it had. */
static void field(neargrid_search *search, const double *x, int n) {
  const int of = NEARGRID_OF_POINTS;
  double had[10] = {0};
  still_works(search);
  OK(neargrid_search_set_field_f64(search, "m", of, 1, 10, LINE, NULL, NULL, 8));
  REFUSED(neargrid_search_set_field_f64(search, "m", of, 1, n, x, NULL, NULL, 8), OUT_OF_MEMORY, "a field");
  OK(neargrid_field_copy_f64(search, "m", of, 1, 10, had, NULL, NULL, 8));
  CHECK(memcmp(had, LINE, sizeof had) == 0);
  still_works(search);
}

/* The index does not fit. */
static void index_of(neargrid_search *search, const double *x, int n) {
  int64_t npairs = GUARD;
  int found = GUARD, i[9], j[9];
  REFUSED(cellList(1, n, 27, x, 1e-9, 0, &found, NULL, NULL), OUT_OF_MEMORY, "out of memory");
  CHECK(found == GUARD);
  REFUSED(cellList_fetch(0, &found, NULL, NULL), BAD_STATE, "");
  OK(cellList(1, 10, 27, LINE, 1.5, 9, &found, i, j));
  CHECK(found == 9 && i[8] == 8 && j[8] == 9);
  limit_to((size_t)n * 8 + 8 * MIB); /* enough for the copy of the points */
  OK(neargrid_search_set_points_f64(search, 1, n, x, NULL, NULL, 8));
  for (int again = 0; again < 2; again++) {
    REFUSED(neargrid_pairs_count(search, &npairs), OUT_OF_MEMORY, "out of memory");
    CHECK(npairs == GUARD);
  }
  limit_to(0);
  OK(neargrid_search_set_cutoff(search, 1e-9));
  OK(neargrid_pairs_count(search, &npairs)); /* the points are still there */
  CHECK(npairs == 0);
}

static int64_t resident_kib(void) {
  char line[200];
  long kib = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "VmRSS:", 6) == 0) kib = strtol(line + 6, NULL, 10);
  if (!file || kib == 0) exit(1);
  fclose(file);
  return kib;
}

/* A thousand steps with n going up and down, every fifty of them trimmed: resident memory stays what it was, and so do
 * the bytes held once the largest n was seen. */
static void steps(void) {
  enum { MOST = 30000 };
  double *x = malloc(3 * MOST * sizeof *x), *d = malloc(60 * MOST * sizeof *d);
  int32_t *order = malloc(MOST * sizeof *order);
  neargrid_search *search = new_search(0.05);
  uint64_t seed = 11;
  int64_t first = 0, most = 0, held = 0;
  if (!x || !d || !order) exit(1);
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  for (int k = 0; k < 3 * MOST; k++) x[k] = uniform(&seed);
  for (int k = 0; k < 60 * MOST; k++) d[k] = 0; /* touched: counted from the beginning */
  for (int step = 0; step < 1000; step++) {
    const int wave = step % 20 < 10 ? step % 20 : 20 - step % 20, n = MOST / 10 * (wave == 0 ? 10 : wave);
    int64_t npairs;
    const int32_t *i, *j;
    if (step % 50 == 40) OK(neargrid_search_trim(search));
    OK(neargrid_search_set_points_f64(search, 3, n, x, x + 1, x + 2, 24));
    OK(neargrid_pairs_view(search, &npairs, &i, &j));
    CHECK(npairs < 60 * MOST);
    OK(neargrid_pairs_distances_f64(search, npairs, i, j, d, NULL));
    if (step % 10 == 0) OK(neargrid_search_order(search, n, order));
    const int64_t kib = resident_kib(), bytes = counter(search, NEARGRID_COUNTER_BYTES_HELD);
    if (step == 99) first = kib;
    if (step == 99) held = bytes;
    if (step > 99 && kib > most) most = kib;
    if (step == 999) CHECK(bytes <= held + held / 16);
  }
  if (!CHECK(most <= first + 4096))
    fprintf(stderr, "resident: %lld KiB after 100 steps, up to %lld KiB later\n", (long long)first, (long long)most);
  if (getenv("NEARGRID_TEST_NUMBERS"))
    fprintf(stderr, "resident: %lld KiB after 100 steps, up to %lld KiB later\n", (long long)first, (long long)most);
  neargrid_search_destroy(search);
  free(x);
  free(d);
  free(order);
}

int main(void) {
  enum { N = 8 * MIB };
  double *x = malloc(N * sizeof *x);
  if (!x) return 1;
  for (int k = 0; k < N; k++) x[k] = k;
  steps();
  neargrid_search *search = new_search(1.5);
  still_works(search);
  limit_to(100 * MIB);
  result(search);
  points(search, x, N);
  limit_to(16 * MIB);
  field(search, x, N);
  index_of(search, x, N);
  neargrid_search_destroy(search);
  cellList_release();
  free(x);
  return finish("memory", 3000);
}
