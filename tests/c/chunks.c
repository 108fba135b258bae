/* Results in chunks: the memory limit, and memory that does not grow with the result. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

/* Lists that a limit forbids can be had in chunks and in the caller's arrays; what is held stays below. */
static void limited(void) {
  enum { CROWD = 4000, MOST = 5000, LIMIT = 1 << 20 };
  double here[CROWD];
  const int64_t all = (int64_t)CROWD * (CROWD - 1) / 2;
  neargrid_search *search = new_search(1.5);
  int64_t total = GUARD, at = 0, npairs = GUARD, held = 0, n;
  const int64_t *offsets;
  const int32_t *i, *j;
  int32_t *left = guarded(all), *right = guarded(all);
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  OK(neargrid_search_set_memory_limit(search, LIMIT));
  for (int k = 0; k < CROWD; k++) here[k] = 1;
  OK(neargrid_search_set_points_f64(search, 1, CROWD, here, NULL, NULL, 8));
  REFUSED(neargrid_pairs_view(search, &npairs, &i, &j), MEMORY_LIMIT, "limit of 1048576|chunks");
  REFUSED(neargrid_neighbors_view(search, 1, &n, &total, &offsets, &i), MEMORY_LIMIT, "limit of 1048576|chunks");
  CHECK(npairs == GUARD && total == GUARD);
  OK(neargrid_pairs_copy(search, all, &npairs, left, right));
  CHECK(npairs == all);
  OK(neargrid_search_trim(search));
  REFUSED(neargrid_chunks_begin(search, 0, 1 << 20, &total), MEMORY_LIMIT, "max_entries|1048576");
  OK(neargrid_chunks_begin(search, 0, MOST, &total));
  CHECK(total == all);
  while (neargrid_chunks_next_pairs(search, &npairs, &i, &j) == 0 && npairs > 0) {
    if (!CHECK(same(i, left + at, npairs, 0) && same(j, right + at, npairs, 0))) break;
    at += npairs;
    if (counter(search, NEARGRID_COUNTER_BYTES_HELD) > held) held = counter(search, NEARGRID_COUNTER_BYTES_HELD);
  }
  CHECK(at == all);
  if (!CHECK(held < LIMIT + LIMIT / 16 + 4 * LIMIT)) fprintf(stderr, "%lld bytes held\n", (long long)held);
  OK(neargrid_search_set_memory_limit(search, 1000));
  REFUSED(neargrid_pairs_count(search, &npairs), MEMORY_LIMIT, "offsets|1000");
  OK(neargrid_search_set_memory_limit(search, 0));
  OK(neargrid_pairs_view(search, &npairs, &i, &j));
  CHECK(npairs == all);
  free(left);
  free(right);
  neargrid_search_destroy(search);
}

int main(void) {
  limited();
  return finish("chunks", 1000);
}
