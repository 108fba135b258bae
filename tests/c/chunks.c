/* Results in chunks: what is refused; the memory limit; and memory that does not grow with the result. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { N = 3000, NQUERIES = 500, DIM = 3 };

static double x[N][DIM], queries[NQUERIES][DIM];

static neargrid_search *prepared(int32_t base) {
  neargrid_search *search = new_search(0.09);
  OK(neargrid_search_set_index_base(search, base));
  OK(neargrid_search_set_points_f64(search, DIM, N, &x[0][0], &x[0][1], &x[0][2], sizeof *x));
  OK(neargrid_search_set_queries_f64(search, DIM, NQUERIES, &queries[0][0], &queries[0][1], &queries[0][2], sizeof *queries));
  return search;
}

static void refused(void) {
  neargrid_search *search = prepared(0), *empty = new_search(1);
  int64_t total = GUARD, nrows = GUARD, row = GUARD;
  const int64_t *offsets = NULL;
  const int32_t *i = NULL, *j = NULL;
  REFUSED(neargrid_chunks_next(search, &row, &nrows, &offsets, &i), BAD_STATE, "chunks");
  REFUSED(neargrid_chunks_begin(NULL, 0, 1, &total), NULL_POINTER, "search");
  REFUSED(neargrid_chunks_begin(search, 0, 1, NULL), NULL_POINTER, "total");
  REFUSED(neargrid_chunks_begin(search, 3, 1, &total), BAD_VALUE, "kind = 3|half|full|queries");
  REFUSED(neargrid_chunks_begin(search, 0, -5, &total), BAD_COUNT, "max_entries = -5");
  REFUSED(neargrid_chunks_begin(search, 1, 2, &total), CAPACITY, "max_entries = 2 |at least 27, the length of the longest row");
  REFUSED(neargrid_chunks_begin(empty, 1, 2, &total), BAD_STATE, "points");
  REFUSED(neargrid_chunks_next(NULL, &row, &nrows, &offsets, &i), NULL_POINTER, "search");
  REFUSED(neargrid_chunks_next(search, NULL, &nrows, &offsets, &i), NULL_POINTER, "first_row");
  REFUSED(neargrid_chunks_next(search, &row, NULL, &offsets, &i), NULL_POINTER, "nrows");
  REFUSED(neargrid_chunks_next(search, &row, &nrows, NULL, &i), NULL_POINTER, "offsets");
  REFUSED(neargrid_chunks_next(search, &row, &nrows, &offsets, NULL), NULL_POINTER, "ids");
  REFUSED(neargrid_chunks_next_pairs(NULL, &nrows, &i, &j), NULL_POINTER, "search");
  REFUSED(neargrid_chunks_next_pairs(search, NULL, &i, &j), NULL_POINTER, "npairs");
  REFUSED(neargrid_chunks_next_pairs(search, &nrows, NULL, &j), NULL_POINTER, "pair_i");
  REFUSED(neargrid_chunks_next_pairs(search, &nrows, &i, NULL), NULL_POINTER, "pair_j");
  CHECK(total == GUARD && nrows == GUARD && row == GUARD && !offsets && !i && !j);
  OK(neargrid_search_set_points_f64(empty, 2, 0, NULL, NULL, NULL, 16));
  REFUSED(neargrid_chunks_begin(empty, NEARGRID_NEIGHBORS_QUERIES, 1, &total), BAD_STATE, "no queries yet|set_queries");
  OK(neargrid_search_set_queries_f64(empty, 2, 0, NULL, NULL, NULL, 16));
  for (int32_t kind = 0; kind < 3; kind++) {
    OK(neargrid_chunks_begin(empty, kind, 1, &total));
    CHECK(total == 0);
    OK(neargrid_chunks_next(empty, &row, &nrows, &offsets, &i));
    CHECK(nrows == 0);
  }
  OK(neargrid_search_set_points_f64(empty, 1, 1, &x[0][0], NULL, NULL, 8));
  OK(neargrid_chunks_begin(empty, 1, 1, &total));
  OK(neargrid_chunks_next(empty, &row, &nrows, &offsets, &i));
  CHECK(total == 0 && row == 0 && nrows == 1 && offsets[0] == 0 && offsets[1] == 0);
  OK(neargrid_chunks_next(empty, &row, &nrows, &offsets, &i));
  CHECK(nrows == 0);
  neargrid_search_destroy(search);
  neargrid_search_destroy(empty);
}

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
  uint64_t seed = 5;
  for (int k = 0; k < N * DIM; k++) (&x[0][0])[k] = uniform(&seed);
  for (int k = 0; k < NQUERIES * DIM; k++) (&queries[0][0])[k] = uniform(&seed);
  refused();
  limited();
  return finish("chunks", 1000);
}
