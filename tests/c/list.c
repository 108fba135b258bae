/* Lists that are taken out of a handle: their memory goes round.
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

int main(void) {
  turns();
  return finish("list", 100);
}
