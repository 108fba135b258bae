/* Lists that are taken out of a handle: their memory goes round; and what is refused.
 *
 * The allocator of this program counts (glibc), so that a loop with two lists is seen to take no memory. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { N = 3000, STEPS = 12 };

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static volatile int64_t taken; /* bytes, in pieces of a size that a result has; what a query needs for itself is smaller */

static void took(size_t size) {
  if (size >= 4096) __sync_add_and_fetch(&taken, (int64_t)size);
}

void *malloc(size_t size) { return took(size), __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return took(n * size), __libc_calloc(n, size); }
void *realloc(void *memory, size_t size) { return took(size), __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return took(size), __libc_memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  took(size);
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12;
}

static double x[3 * N];

static void set(neargrid_search *search, uint64_t seed) {
  for (int k = 0; k < 3 * N; k++) x[k] = uniform(&seed);
  OK(neargrid_search_set_points_f64(search, 3, N, x, x + 1, x + 2, 24));
}

/* Rows, copied. */
typedef struct {
  int64_t n, total, *offsets;
  int32_t *ids;
} rows;

static rows copy_of(int64_t n, int64_t total, const int64_t *offsets, const int32_t *ids) {
  rows copy = {n, total, malloc((size_t)(n + 1) * sizeof *offsets), malloc((size_t)(total + 1) * sizeof *ids)};
  if (!copy.offsets || !copy.ids) exit(1);
  memcpy(copy.offsets, offsets, (size_t)(n + 1) * sizeof *offsets);
  memcpy(copy.ids, ids, (size_t)total * sizeof *ids);
  return copy;
}

static rows of_view(neargrid_search *search, int32_t kind) {
  int64_t n = GUARD, total = GUARD;
  const int64_t *offsets = NULL;
  const int32_t *ids = NULL;
  OK(neargrid_neighbors_view(search, kind, &n, &total, &offsets, &ids));
  return copy_of(n, total, offsets, ids);
}

static void free_rows(rows list) {
  free(list.offsets);
  free(list.ids);
}

static int is(const neargrid_list *list, rows want) {
  int64_t n = GUARD, total = GUARD;
  const int64_t *offsets = NULL;
  const int32_t *ids = NULL;
  if (!OK(neargrid_list_view(list, &n, &total, &offsets, &ids))) return 0;
  return n == want.n && total == want.total && memcmp(offsets, want.offsets, (size_t)(n + 1) * sizeof *offsets) == 0 &&
         memcmp(ids, want.ids, (size_t)total * sizeof *ids) == 0;
}

/* Two lists that take turns: once both and the handle have had memory it only goes round, and the old list is there beside the new
 * one. */
static void turns(void) {
  neargrid_search *search = new_search(0.1);
  neargrid_list *lists[2] = {NULL, NULL};
  rows before = {0, 0, NULL, NULL};
  OK(neargrid_search_set_threads(search, 1));
  for (int step = 0; step < STEPS; step++) {
    set(search, 7 + (uint64_t)step % 2);
    const rows want = of_view(search, NEARGRID_NEIGHBORS_FULL);
    taken = 0;
    OK(neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_FULL, &lists[step % 2]));
    if (step > 2) CHECK(taken == 0);
    CHECK(is(lists[step % 2], want));
    if (step > 0) CHECK(is(lists[1 - step % 2], before));
    free_rows(before);
    before = want;
  }
  /* the same without a view before it, so that all the memory is of lists */
  for (int step = 0; step < STEPS; step++) {
    set(search, 7 + (uint64_t)step % 2);
    taken = 0;
    OK(neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_FULL, &lists[step % 2]));
    CHECK(taken == 0);
  }
  free_rows(before);
  neargrid_list_destroy(lists[0]);
  neargrid_list_destroy(lists[1]);
  neargrid_search_destroy(search);
}

static void by_cutoffs_refused(void) {
  enum { LISTS = 3 };
  const double cutoffs[LISTS] = {0.05, 0.1, 0.08}, wrong[2] = {0.1, -1};
  neargrid_search *search = new_search(0.08);
  neargrid_list *lists[LISTS] = {NULL, NULL, NULL}, *twice[2];
  set(search, 11);
  OK(neargrid_neighbors_take_by_cutoffs(search, NEARGRID_NEIGHBORS_FULL, LISTS, cutoffs, lists));
  neargrid_list_destroy(lists[1]);
  lists[1] = NULL;
  const rows want = of_view(search, NEARGRID_NEIGHBORS_FULL);
  REFUSED(neargrid_neighbors_take_by_cutoffs(search, 0, 2, wrong, lists), BAD_CUTOFF, "cutoff = -1 of list 1 is not allowed");
  REFUSED(neargrid_neighbors_take_by_cutoffs(search, 0, 0, cutoffs, lists), BAD_COUNT, "n = 0 is not allowed: it must be 1 to 64");
  REFUSED(neargrid_neighbors_take_by_cutoffs(search, 0, -1, cutoffs, lists), BAD_COUNT, "n = -1");
  REFUSED(neargrid_neighbors_take_by_cutoffs(search, 0, 65, cutoffs, lists), BAD_COUNT, "n = 65");
  REFUSED(neargrid_neighbors_take_by_cutoffs(search, 3, 1, cutoffs, lists), BAD_VALUE, "kind = 3");
  REFUSED(neargrid_neighbors_take_by_cutoffs(search, 0, 1, NULL, lists), NULL_POINTER, "cutoffs is NULL");
  REFUSED(neargrid_neighbors_take_by_cutoffs(search, 0, 1, cutoffs, NULL), NULL_POINTER, "lists is NULL");
  twice[0] = twice[1] = lists[0];
  REFUSED(neargrid_neighbors_take_by_cutoffs(search, 0, 2, cutoffs, twice), BUSY, "which are one list");
  double radii[N];
  for (int i = 0; i < N; i++) radii[i] = 0.05;
  OK(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, N, radii, sizeof(double), NEARGRID_RADIUS_MAX));
  REFUSED(neargrid_neighbors_take_by_cutoffs(search, 0, 2, cutoffs, lists), NOT_SUPPORTED, "lists by several cutoffs with radii");
  CHECK(!lists[1] && is(lists[2], want));
  free_rows(want);
  for (int k = 0; k < LISTS; k++) neargrid_list_destroy(lists[k]);
  neargrid_search_destroy(search);
}

static void refusals(void) {
  neargrid_search *search = new_search(0.1);
  neargrid_list *list = NULL, *none = NULL;
  int64_t n = GUARD, total = GUARD;
  const int64_t *offsets = NULL;
  const int32_t *ids = NULL;
  REFUSED(neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_FULL, &list), BAD_STATE, "set_points");
  CHECK(!list);
  set(search, 3);
  const rows want = of_view(search, NEARGRID_NEIGHBORS_FULL);
  OK(neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_FULL, &list));
  REFUSED(neargrid_neighbors_take(NULL, NEARGRID_NEIGHBORS_FULL, &list), NULL_POINTER, "search is NULL|neargrid_search_create");
  REFUSED(neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_FULL, NULL), NULL_POINTER, "list is NULL");
  REFUSED(neargrid_neighbors_take(search, 3, &list), BAD_VALUE, "kind = 3");
  REFUSED(neargrid_neighbors_take(search, 3, &none), BAD_VALUE, "kind = 3");
  REFUSED(neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_QUERIES, &list), BAD_STATE, "queries");
  OK(neargrid_search_set_memory_limit(search, 8 * N + 8 + 1000));
  REFUSED(neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_FULL, &list), MEMORY_LIMIT, "bytes");
  REFUSED(neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_FULL, &none), MEMORY_LIMIT, "bytes");
  CHECK(!none && is(list, want));
  REFUSED(neargrid_list_view(NULL, &n, &total, &offsets, &ids), NULL_POINTER, "list is NULL|neargrid_neighbors_take");
  REFUSED(neargrid_list_view(list, NULL, &total, &offsets, &ids), NULL_POINTER, "n is NULL");
  REFUSED(neargrid_list_view(list, &n, NULL, &offsets, &ids), NULL_POINTER, "total is NULL");
  REFUSED(neargrid_list_view(list, &n, &total, NULL, &ids), NULL_POINTER, "offsets is NULL");
  REFUSED(neargrid_list_view(list, &n, &total, &offsets, NULL), NULL_POINTER, "ids is NULL");
  CHECK(n == GUARD && total == GUARD && !offsets && !ids);
  int64_t memory[64] = {0}; /* no list */
  neargrid_list *wrong = (neargrid_list *)(void *)memory;
  REFUSED(neargrid_list_view(wrong, &n, &total, &offsets, &ids), BAD_VALUE, "list|neargrid_neighbors_take");
  REFUSED(neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_FULL, &wrong), BAD_VALUE, "list|neargrid_neighbors_take");
  OK(neargrid_search_set_memory_limit(search, 0));
  OK(neargrid_search_set_points_f64(search, 3, 0, x, x + 1, x + 2, 24)); /* no points: no rows */
  OK(neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_FULL, &list));
  OK(neargrid_list_view(list, &n, &total, &offsets, &ids));
  CHECK(n == 0 && total == 0 && offsets[0] == 0);
  free_rows(want);
  neargrid_list_destroy(list);
  neargrid_search_destroy(search);
}

int main(void) {
  turns();
  by_cutoffs_refused();
  refusals();
  return finish("list", 100);
}
