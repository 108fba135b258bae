/* Global ids: pairs, rows and queries against the plain loop, turned and sorted by ids; what is refused. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { N = 350, NQ = 50 };

static const double CUTOFF = 0.2;
static double x[N][3];
static int64_t ids[N]; /* of the points in hand */
static int n_active;

typedef struct {
  int32_t i, j;
} pair;

static int by_ids(const void *a, const void *b) {
  const pair *p = a, *q = b;
  if (p->i != q->i) return ids[p->i] < ids[q->i] ? -1 : 1;
  return p->j == q->j ? 0 : ids[p->j] < ids[q->j] ? -1 : 1;
}

static int is_ghost(int32_t i) { return i >= n_active; }

/* The pairs of the plain loop, but those of ghosts, as the ids would have them; the caller frees them. */
static pair *plain(int64_t *n) {
  const pair_list list = plain_pairs_f64(3, N, &x[0][0], CUTOFF, 0);
  pair *pairs = malloc((size_t)list.n * sizeof *pairs);
  if (!pairs) exit(1);
  *n = 0;
  for (int64_t k = 0; k < list.n; k++) {
    pair p = {list.i[k], list.j[k]};
    if (is_ghost(p.i) && is_ghost(p.j)) continue;
    const int turned = is_ghost(p.i) != is_ghost(p.j) ? is_ghost(p.i) : ids[p.i] > ids[p.j];
    if (turned) p = (pair){p.j, p.i};
    pairs[(*n)++] = p;
  }
  qsort(pairs, (size_t)*n, sizeof *pairs, by_ids);
  free_pairs(list);
  return pairs;
}

/* Row after row, from the pairs or their other side too. */
static void check_rows(neargrid_search *search, const pair *want, int64_t npairs, int full, int32_t base) {
  int64_t n = GUARD, total = GUARD, found = 0;
  const int64_t *offsets = NULL;
  const int32_t *row = NULL;
  const int32_t kind = full ? NEARGRID_NEIGHBORS_FULL : NEARGRID_NEIGHBORS_HALF;
  OK(neargrid_neighbors_view(search, kind, &n, &total, &offsets, &row));
  if (!CHECK(n == N && total == (full ? 2 * npairs : npairs) && offsets[0] == base)) return;
  for (int32_t i = 0; i < N; i++) {
    pair mine[N]; /* (0, neighbor), sorted by the neighbors' ids */
    int length = 0;
    for (int64_t k = 0; k < npairs; k++) {
      if (want[k].i == i) mine[length++] = (pair){0, want[k].j};
      if (want[k].j == i && full) mine[length++] = (pair){0, want[k].i};
    }
    qsort(mine, (size_t)length, sizeof *mine, by_ids);
    int ok = offsets[i + 1] - offsets[i] == length;
    for (int k = 0; k < length && ok; k++) ok = row[found + k] == mine[k].j + base;
    CHECK(ok);
    found += length;
  }
}

static void check_all(neargrid_search *search, int32_t base) {
  int64_t npairs, n = GUARD;
  pair *want = plain(&npairs);
  const int32_t *i = NULL, *j = NULL;
  OK(neargrid_pairs_count(search, &n));
  CHECK(n == npairs && n > N);
  OK(neargrid_pairs_view(search, &n, &i, &j));
  int ok = n == npairs;
  for (int64_t k = 0; k < npairs && ok; k++) ok = i[k] == want[k].i + base && j[k] == want[k].j + base;
  CHECK(ok);
  check_rows(search, want, npairs, 0, base);
  check_rows(search, want, npairs, 1, base);
  int32_t *pair_i = guarded(npairs + 2), *pair_j = guarded(npairs + 2);
  n = GUARD;
  REFUSED(neargrid_pairs_copy(search, npairs - 1, &n, pair_i, pair_j), CAPACITY, "capacity");
  CHECK(n == npairs && untouched(pair_i, 0, npairs + 2) && untouched(pair_j, 0, npairs + 2));
  OK(neargrid_pairs_copy(search, npairs, &n, pair_i, pair_j));
  OK(neargrid_pairs_view(search, &n, &i, &j));
  CHECK(same(pair_i, i, npairs, 0) && same(pair_j, j, npairs, 0));
  CHECK(untouched(pair_i, npairs, npairs + 2) && untouched(pair_j, npairs, npairs + 2));
  free(pair_i);
  free(pair_j);
  free(want);
}

static void shuffle(uint64_t *seed) {
  for (int k = 0; k < N; k++) ids[k] = k < 2 ? (k ? INT64_MAX : INT64_MIN) : (k - N / 2) * ((int64_t)1 << 40);
  for (int k = N - 1; k > 0; k--) {
    const int other = (int)(uniform(seed) * (k + 1));
    const int64_t id = ids[k];
    ids[k] = ids[other];
    ids[other] = id;
  }
}

static void check_queries(neargrid_search *search, int32_t base) {
  int64_t n = GUARD, total = GUARD, found = 0;
  const int64_t *offsets = NULL;
  const int32_t *row = NULL;
  OK(neargrid_search_set_queries_f64(search, 3, NQ, x[3], x[3] + 1, x[3] + 2, sizeof x[0]));
  OK(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_QUERIES, &n, &total, &offsets, &row));
  if (!CHECK(n == NQ && total > NQ && offsets[0] == base)) return;
  for (int q = 0; q < NQ; q++) {
    int ok = 1, length = 0;
    for (int32_t k = 0; k < N; k++) {
      double d2 = 0;
      for (int axis = 0; axis < 3; axis++) d2 += (x[q + 3][axis] - x[k][axis]) * (x[q + 3][axis] - x[k][axis]);
      length += d2 <= CUTOFF * CUTOFF;
    }
    ok = offsets[q + 1] - offsets[q] == length && length > 0;
    for (int k = 1; k < length && ok; k++) ok = ids[row[found + k - 1] - base] < ids[row[found + k] - base];
    CHECK(ok);
    found += length;
  }
}

static void found_by_ids(int32_t base) {
  static float narrow[N][3];
  uint64_t seed = 5 + (uint64_t)base;
  int32_t rebuilt = GUARD;
  /* Multiples of 1/64, so that real32 gives the same. */
  for (int k = 0; k < 3 * N; k++) x[k / 3][k % 3] = narrow[k / 3][k % 3] = (float)(int)(64 * uniform(&seed)) / 64;
  neargrid_search *search = new_search(CUTOFF);
  OK(neargrid_search_set_index_base(search, base));
  OK(neargrid_search_set_points_f64(search, 3, N, x[0], x[0] + 1, x[0] + 2, sizeof x[0]));
  for (int round = 0; round < 3; round++) {
    shuffle(&seed);
    OK(neargrid_search_set_ids(search, N, ids, sizeof(int64_t)));
    n_active = round ? N / (1 + round) : N;
    OK(neargrid_search_set_active(search, n_active));
    check_all(search, base);
    if (round == 1) OK(neargrid_search_set_points_f32(search, 3, N, narrow[0], narrow[0] + 1, narrow[0] + 2, 12));
    if (round == 1) check_all(search, base);
    OK(neargrid_search_set_points_f64(search, 3, N, x[0], x[0] + 1, x[0] + 2, sizeof x[0]));
    check_queries(search, base);
  }
  OK(neargrid_search_set_skin(search, 0.05));
  check_all(search, base);
  for (int k = 0; k < N; k++) x[k][1] += 0.01 * uniform(&seed);
  OK(neargrid_search_set_points_f64(search, 3, N, x[0], x[0] + 1, x[0] + 2, sizeof x[0]));
  check_all(search, base);
  for (int k = 0; k < N; k++) x[k][0] += 0.01 * uniform(&seed);
  OK(neargrid_search_update_f64(search, 3, N, x[0], x[0] + 1, x[0] + 2, sizeof x[0], &rebuilt));
  CHECK(rebuilt == 0);
  check_all(search, base);
  for (int k = 0; k < N; k++) ids[k] = 3 * k - 100; /* as the points are */
  OK(neargrid_search_set_active(search, n_active = N));
  OK(neargrid_search_set_ids(search, 0, NULL, sizeof(int64_t)));
  check_all(search, base);
  OK(neargrid_search_set_ids(search, N, ids, sizeof(int64_t)));
  check_all(search, base);
  neargrid_search_destroy(search);
}

/* On a line 0..3 with two ghosts: pairs with both, or with that of a larger id alone. */
static void larger_ids(void) {
  const double line[4] = {0, 1, 2, 3};
  const int64_t mine[4] = {10, 20, 15, 25};
  int64_t n = GUARD;
  const int32_t *i = NULL, *j = NULL;
  neargrid_search *search = new_search(1.5);
  OK(neargrid_search_set_points_f64(search, 1, 4, line, NULL, NULL, 8));
  OK(neargrid_search_set_ids(search, 4, mine, sizeof(int64_t)));
  OK(neargrid_search_set_active(search, 2));
  OK(neargrid_pairs_view(search, &n, &i, &j));
  CHECK(n == 2 && i[0] == 0 && j[0] == 1 && i[1] == 1 && j[1] == 2);
  OK(neargrid_search_set_ghost_pairs(search, NEARGRID_GHOST_PAIRS_LARGER_IDS));
  REFUSED(neargrid_search_set_ghost_pairs(search, 2), BAD_VALUE, "which = 2 |0 (all)|1 (larger ids)");
  OK(neargrid_pairs_view(search, &n, &i, &j));
  CHECK(n == 1 && i[0] == 0 && j[0] == 1); /* 15 is below 20 */
  OK(neargrid_search_set_ghost_pairs(search, NEARGRID_GHOST_PAIRS_ALL));
  OK(neargrid_pairs_view(search, &n, &i, &j));
  CHECK(n == 2);
  neargrid_search_destroy(search);
}

static void refused(void) {
  const double line[4] = {0, 1, 2, 3};
  const int64_t good[5] = {4, 3, 2, 1, 0}, twice[4] = {7, -8, 7, -8};
  int64_t n = GUARD;
  const int32_t *i = NULL, *j = NULL;
  neargrid_search *search = new_search(1.5);
  OK(neargrid_search_set_points_f64(search, 1, 4, line, NULL, NULL, 8));
  OK(neargrid_search_set_ids(search, 4, good, sizeof(int64_t)));
  REFUSED(neargrid_search_set_ids(NULL, 4, good, sizeof(int64_t)), NULL_POINTER, "search");
  REFUSED(neargrid_search_set_ids(search, 4, NULL, sizeof(int64_t)), NULL_POINTER, "ids is NULL");
  REFUSED(neargrid_search_set_ids(search, -1, good, sizeof(int64_t)), BAD_COUNT, "n = -1 ");
  REFUSED(neargrid_search_set_ids(search, (int64_t)1 << 31, good, sizeof(int64_t)), BAD_COUNT, "n = 2147483648");
  REFUSED(neargrid_search_set_ids(search, 4, twice, sizeof(int64_t)), BAD_VALUE, "element 2 of ids is 7|unique|point 0 ");
  OK(neargrid_pairs_view(search, &n, &i, &j));
  CHECK(n == 3 && i[0] == 3 && j[0] == 2 && i[2] == 1 && j[2] == 0);
  n = GUARD;
  OK(neargrid_search_set_ids(search, 5, good, sizeof(int64_t)));
  REFUSED(neargrid_pairs_count(search, &n), BAD_COUNT, "number of ids = 5 |4, the number of points");
  CHECK(n == GUARD);
  neargrid_search_destroy(search);
}

/* Images of points, which have their ids. */
static void shared_ids(void) {
  const double line[6] = {0, 1, 2, 3, -1, 4}; /* the last two are images of points 3 and 0 in a box of length 4 */
  const int64_t id[6] = {30, 10, 20, 40, 40, 30};
  const int32_t want[4][2] = {{1, 2}, {1, 0}, {2, 3}, {0, 4}};
  int64_t npairs = GUARD;
  const int32_t *pair_i = NULL, *pair_j = NULL;
  neargrid_search *search = new_search(1.5);
  OK(neargrid_search_set_points_f64(search, 1, 6, line, NULL, NULL, 8));
  REFUSED(neargrid_search_set_ids(search, 6, id, 8), BAD_VALUE, "element 4 of ids is 40|unique, but point 3 has it too");
  OK(neargrid_search_set_active(search, 4));
  OK(neargrid_search_set_ids(search, 6, id, 8));
  OK(neargrid_search_set_ghost_pairs(search, NEARGRID_GHOST_PAIRS_LARGER_IDS)); /* each pair of the box once */
  OK(neargrid_pairs_view(search, &npairs, &pair_i, &pair_j));
  CHECK(npairs == 4);
  for (int k = 0; k < 4 && npairs == 4; k++) {
    int64_t from = id[want[k][0]], to = id[want[k][1]];
    CHECK(id[pair_i[k]] == from && id[pair_j[k]] == to && pair_i[k] == want[k][0] && pair_j[k] == want[k][1]);
  }
  OK(neargrid_search_set_active(search, NEARGRID_ALL_ACTIVE));
  REFUSED(neargrid_pairs_count(search, &npairs), BAD_VALUE, "element 4 of ids is 40|unique, but point 3 has it too");
  neargrid_search_destroy(search);
}

int main(void) {
  found_by_ids(0);
  found_by_ids(1);
  larger_ids();
  shared_ids();
  refused();
  return finish("ids", 8000);
}
