/* Takes away memory: for each large allocation of a search, a run in which it fails, one in which the next fails too,
 * and one in which all later ones do. Each run must end with OUT_OF_MEMORY, or with the right result where the library
 * makes do with less, and the next search works.
 *
 * The allocator of this program stands in for the C library's, also for the shared library (glibc). */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <errno.h>
#include <limits.h>

#include <celllist.h>

enum { LARGE = 8 * 1024, N = 6000 };
/* Threads get other parts in each round. */
static int rounds(void) { return getenv("NEARGRID_TEST_ALL") ? 60 : 20; }

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static volatile int starving; /* large allocations are counted */
static volatile long failing, failures_in_a_row; /* the first that fails, from 1, and how many do */
static volatile long counted, counted_small;

static int refused(size_t size) {
  if (starving && size < LARGE) __sync_add_and_fetch(&counted_small, 1);
  if (!starving || size < LARGE) return 0;
  const long number = __sync_add_and_fetch(&counted, 1);
  return number >= failing && number - failing < failures_in_a_row;
}

void *malloc(size_t size) { return refused(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return refused(n * size) ? NULL : __libc_calloc(n, size); }
void *realloc(void *memory, size_t size) { return refused(size) ? NULL : __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return refused(size) ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = refused(size) ? NULL : __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

/* Clouds whose indexes differ: a dense box, one with strays, occupied cells only, one crowded cell. */
static double clouds[4][3 * N];
static const char *names[4] = {"cube", "strays", "scattered", "crowded"};
static int sizes[4] = {N, N, N, 2100};
static const double CUTOFF = 0.07;

static pair_list want; /* of the cloud in hand */

static void fill_clouds(void) {
  uint64_t seed = 3;
  for (int k = 0; k < 3 * N; k++) {
    const double c = uniform(&seed);
    clouds[0][k] = c;
    clouds[1][k] = k < 6 ? 1e300 : c;
    clouds[2][k] = c + (k / 3 % 60) * 1e4;
    clouds[3][k] = 0.01 * c;
  }
}

static const int64_t *ids_of(int n) {
  static int64_t ids[N];
  for (int k = 0; k < n; k++) ids[k] = -k;
  return ids;
}

/* One search in one of five ways. Its status; a success with a wrong result fails a check. */
static int search_once(int cloud, int way) {
  const double *x = clouds[cloud];
  const int n = sizes[cloud];
  int status, npairs = GUARD;
  int64_t count = GUARD, rows = GUARD;
  const int32_t *i = NULL, *j = NULL;
  const int64_t *offsets = NULL;
  neargrid_search *search = NULL;
  if (way == 3) {
    status = cellList(3, n, 27, x, CUTOFF, 0, &npairs, NULL, NULL);
    cellList_release();
    if (status == NEARGRID_STATUS_CAPACITY) status = npairs == want.n ? 0 : NEARGRID_STATUS_INTERNAL;
    return status;
  }
  status = neargrid_search_create(NEARGRID_ABI_VERSION, &search);
  if (!status) status = neargrid_search_set_threads(search, 2);
  if (!status) status = neargrid_search_set_cutoff(search, CUTOFF);
  if (!status) status = neargrid_search_set_points_f64(search, 3, n, x, x + 1, x + 2, 24);
  if (!status && way == 0) {
    status = neargrid_pairs_count(search, &count);
    if (!status) CHECK(count == want.n);
  } else if (!status && way == 1) {
    status = neargrid_pairs_view(search, &count, &i, &j);
    if (!status) CHECK(count == want.n && same(i, want.i, count, 0) && same(j, want.j, count, 0));
  } else if (!status && way == 4) { /* by ids that descend */
    status = neargrid_search_set_ids(search, n, ids_of(n), sizeof(int64_t));
    if (!status) status = neargrid_pairs_view(search, &count, &i, &j);
    if (!status) CHECK(count == want.n && i[0] > j[0] && i[0] > i[count - 1]);
    if (status) CHECK(count == GUARD && !i && !j);
    count = GUARD;
    i = j = NULL;
    if (!status) status = neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_FULL, &rows, &count, &offsets, &i);
    if (!status) CHECK(rows == n && count == 2 * want.n && offsets[n] == count);
  } else if (!status) {
    status = neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_FULL, &rows, &count, &offsets, &i);
    if (!status) CHECK(rows == n && count == 2 * want.n && offsets[n] == count);
  }
  if (status) CHECK(count == GUARD && rows == GUARD && !i && !j && !offsets);
  /* The starved handle must work as soon as there is memory. */
  starving = 0;
  if (status && search) {
    OK(neargrid_search_set_ids(search, 0, NULL, sizeof(int64_t)));
    OK(neargrid_search_set_points_f64(search, 3, n, x, x + 1, x + 2, 24));
    if (cloud == 3) { /* millions of pairs: counting is quicker */
      OK(neargrid_pairs_count(search, &count));
      CHECK(count == want.n);
    } else {
      OK(neargrid_pairs_view(search, &count, &i, &j));
      CHECK(count == want.n && same(i, want.i, count, 0) && same(j, want.j, count, 0));
    }
  }
  neargrid_search_destroy(search);
  return status;
}

static void starve(int cloud, int way, long in_a_row) {
  long failed = 0, served = 0;
  failures_in_a_row = in_a_row;
  for (failing = 1;; failing++) {
    counted = 0;
    starving = 1;
    const int status = search_once(cloud, way);
    starving = 0;
    if (counted < failing) { /* nothing was left to refuse */
      CHECK(status == 0);
      break;
    }
    failed += status == NEARGRID_STATUS_OUT_OF_MEMORY;
    served += status == 0;
    if (!CHECK(status == 0 || status == NEARGRID_STATUS_OUT_OF_MEMORY)) {
      fprintf(stderr, "%s, way %d, allocation %ld: %s\n", names[cloud], way, failing, neargrid_status_name(status));
      break;
    }
  }
  if (!CHECK(in_a_row == 1 ? failed + served >= 4 : failed >= 4))
    fprintf(stderr, "%s, way %d: %ld refused, %ld did without\n", names[cloud], way, failed, served);
}

/* From the second search of a size on, the drop-in takes no more memory: none that grows with the points, be it one
 * large piece or many small ones. */
static void steady(int cloud) {
  const int n = sizes[cloud];
  int npairs = GUARD, *i = guarded(want.n), *j = guarded(want.n);
  failing = LONG_MAX; /* only counted */
  for (int round = 0; round < rounds(); round++) {
    counted = counted_small = 0;
    starving = 1;
    const int status = cellList(3, n, 27, clouds[cloud], CUTOFF, (int)want.n, &npairs, i, j);
    starving = 0;
    CHECK(status == 0 && npairs == want.n && same(i, want.i, want.n, 0) && same(j, want.j, want.n, 0));
    if (round == 0 && !CHECK(counted > 0)) fprintf(stderr, "%s: no allocation was seen\n", names[cloud]);
    if (round > 0 && !CHECK(counted == 0))
      fprintf(stderr, "%s: search %d made %ld large allocations\n", names[cloud], round + 1, counted);
    if (round > 0 && !CHECK(counted_small <= 64)) /* what handing work to threads takes */
      fprintf(stderr, "%s: search %d made %ld small allocations\n", names[cloud], round + 1, counted_small);
  }
  cellList_release();
  free(i);
  free(j);
}

/* So does a handle, with distances and displacements of its pairs. */
static void steady_handle(int cloud, int by_ids) {
  const double *x = clouds[cloud];
  const int n = sizes[cloud];
  double *d = malloc((size_t)want.n * 4 * sizeof *d);
  neargrid_search *search = new_search(CUTOFF);
  if (!d) exit(1);
  failing = LONG_MAX; /* only counted */
  for (int round = 0; round < rounds(); round++) {
    int64_t npairs = GUARD, rows, total;
    const int64_t *offsets;
    const int32_t *i = NULL, *j = NULL;
    counted = counted_small = 0;
    starving = 1;
    int status = neargrid_search_set_points_f64(search, 3, n, x, x + 1, x + 2, 24);
    if (!status && by_ids) status = neargrid_search_set_ids(search, n, ids_of(n), sizeof(int64_t));
    if (!status) status = neargrid_pairs_view(search, &npairs, &i, &j);
    if (!status) status = neargrid_pairs_distances_f64(search, npairs, i, j, d, NULL);
    if (!status) status = neargrid_pairs_distances_f64(search, npairs, i, j, NULL, d + npairs);
    if (!status) status = neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_HALF, &rows, &total, &offsets, &i);
    if (!status) status = neargrid_neighbors_distances_f64(search, rows, total, offsets, i, d, NULL);
    starving = 0;
    CHECK(status == 0 && npairs <= want.n && total == npairs);
    if (round == 0 && !CHECK(counted > 0)) fprintf(stderr, "%s: no allocation was seen\n", names[cloud]);
    if (round > 0 && !CHECK(counted == 0))
      fprintf(stderr, "%s: step %d made %ld large allocations\n", names[cloud], round + 1, counted);
    if (round > 0 && !CHECK(counted_small <= 256))
      fprintf(stderr, "%s: step %d made %ld small allocations\n", names[cloud], round + 1, counted_small);
  }
  neargrid_search_destroy(search);
  free(d);
}

/* So does one with radii that are set at each step, on one thread: several need some steps until each had the largest block. */
static void steady_radii(int cloud) {
  const double *x = clouds[cloud];
  const int n = sizes[cloud];
  double *radii = malloc((size_t)n * sizeof *radii);
  neargrid_search *search = new_search(CUTOFF);
  if (!radii) exit(1);
  OK(neargrid_search_set_threads(search, 1));
  failing = LONG_MAX; /* only counted */
  for (int round = 0; round < 4; round++) {
    int64_t npairs = GUARD;
    const int32_t *i = NULL, *j = NULL;
    for (int k = 0; k < n; k++) radii[k] = CUTOFF * (k % 3 + 1 - 0.01 * round) / 3;
    counted = 0;
    starving = 1;
    int status = neargrid_search_set_points_f64(search, 3, n, x, x + 1, x + 2, 24);
    if (!status) status = neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, n, radii, sizeof(double), NEARGRID_RADIUS_MIN);
    if (!status) status = neargrid_pairs_view(search, &npairs, &i, &j);
    starving = 0;
    CHECK(status == 0 && npairs > 0 && npairs < 2 * want.n);
    if (round == 0 && !CHECK(counted > 0)) fprintf(stderr, "%s: no allocation was seen\n", names[cloud]);
    if (round > 0 && !CHECK(counted == 0))
      fprintf(stderr, "%s: step %d by radii made %ld large allocations\n", names[cloud], round + 1, counted);
  }
  neargrid_search_destroy(search);
  free(radii);
}

/* Spatial order and arrays moved in place take memory for the call: without it they are refused, outputs untouched. */
static void starved_order(int cloud) {
  const double *x = clouds[cloud];
  const int n = sizes[cloud];
  int32_t *order = guarded(n), *array = guarded(n);
  neargrid_search *search = new_search(CUTOFF);
  OK(neargrid_search_set_points_f64(search, 3, n, x, x + 1, x + 2, 24));
  failures_in_a_row = LONG_MAX;
  failing = 1;
  counted = 0;
  starving = 1;
  const int refused_order = neargrid_search_order(search, n, order);
  starving = 0;
  CHECK(refused_order == NEARGRID_STATUS_OUT_OF_MEMORY && untouched(order, 0, n));
  OK(neargrid_search_order(search, n, order));
  starving = 1;
  const int refused_move = neargrid_reorder(NEARGRID_DIRECTION_REORDER, n, order, 0, 4, array, array);
  starving = 0;
  CHECK(refused_move == NEARGRID_STATUS_OUT_OF_MEMORY || n * 4 < LARGE);
  CHECK(untouched(array, 0, n));
  starving = 1;
  const neargrid_status status = neargrid_search_trim(search); /* copies what it can, and keeps what it cannot */
  starving = 0;
  CHECK(status == 0 && counter(search, NEARGRID_COUNTER_POINTS) == n);
  OK(neargrid_search_order(search, n, array));
  CHECK(memcmp(array, order, (size_t)n * sizeof *order) == 0);
  neargrid_search_destroy(search);
  free(order);
  free(array);
}

/* Values of contacts by global ids take memory for the call: whichever allocation fails, nothing is written. */
static void starved_carry(int cloud) {
  const double *x = clouds[cloud];
  const int n = sizes[cloud];
  neargrid_search *search = new_search(CUTOFF);
  int64_t rows, total, *other = malloc((size_t)n * sizeof *other), refusals = 0;
  const int64_t *offsets, *global = ids_of(n);
  const int32_t *ids;
  OK(neargrid_search_set_points_f64(search, 3, n, x, x + 1, x + 2, 24));
  OK(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_HALF, &rows, &total, &offsets, &ids));
  int32_t *old_values = guarded(total), *values = guarded(total);
  int64_t *lost = (int64_t *)guarded(2 * total), nlost = GUARD;
  if (!other) exit(1);
  for (int k = 0; k < n; k++) other[k] = 2 * global[k] + (k % 9 == 0); /* some points are gone, and some new */
  int64_t *even = malloc((size_t)n * sizeof *even);
  if (!even) exit(1);
  for (int k = 0; k < n; k++) even[k] = 2 * global[k];
  failures_in_a_row = 2; /* the second is without slack */
  for (failing = 1; failing < 100; failing++) {
    counted = 0;
    starving = 1;
    const neargrid_status status =
        neargrid_carry_f32(search, 0, n, offsets, ids, n, even, 0, n, offsets, ids, n, other, 1, NULL,
                           (const float *)old_values, (float *)values, &nlost, lost);
    starving = 0;
    if (status == NEARGRID_STATUS_OK) break;
    refusals++;
    CHECK(status == NEARGRID_STATUS_OUT_OF_MEMORY && nlost == GUARD);
    CHECK(untouched(values, 0, total) && untouched((int32_t *)lost, 0, 2 * total));
  }
  CHECK(refusals >= 4 && refusals < 90 && nlost > 0);
  neargrid_search_destroy(search);
  free(old_values);
  free(values);
  free(lost);
  free(other);
  free(even);
}

int main(void) {
  fill_clouds();
  for (int cloud = 0; cloud < 4; cloud++) {
    want = plain_pairs_f64(3, sizes[cloud], clouds[cloud], CUTOFF, 0);
    CHECK(want.n > 100);
    search_once(cloud, 0); /* starts the pool */
    steady(cloud);
    for (int by_ids = 0; by_ids < 2 && cloud < 3; by_ids++) steady_handle(cloud, by_ids); /* the crowd's list is long */
    if (cloud < 3) steady_radii(cloud);
    starved_order(cloud);
    starved_carry(cloud);
    for (int way = 0; way < 5; way++) {
      starve(cloud, way, 1);
      starve(cloud, way, 2);
      starve(cloud, way, LONG_MAX);
    }
    free_pairs(want);
  }
  return finish("starve", 1000);
}
