/* Points that are added, active points, types, queries and the skin: what they do, and what is refused, with outputs untouched and a handle that
 * works as before. All clouds with them are run by cases.c. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <math.h>

static const double LINE[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const float SINGLE[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
enum { PAIRS = 9 }; /* of LINE within 1.5 */

static neargrid_search *line(void) {
  neargrid_search *search = new_search(1.5);
  OK(neargrid_search_set_points_f64(search, 1, 10, LINE, NULL, NULL, 8));
  return search;
}

static int64_t pairs_of(neargrid_search *search) {
  int64_t npairs = GUARD;
  OK(neargrid_pairs_count(search, &npairs));
  return npairs;
}

static void no_handle(void) {
  int64_t count = GUARD, offset = GUARD;
  int32_t id = GUARD;
  const int32_t *ids = &id;
  const int64_t *offsets = &offset;
  double share = GUARD;
#define NULL_HANDLE(call) REFUSED(call, NULL_POINTER, "search is NULL|neargrid_search_create")
  NULL_HANDLE(neargrid_search_add_points_f64(NULL, 1, 1, LINE, NULL, NULL, 8));
  NULL_HANDLE(neargrid_search_add_points_f32(NULL, 1, 1, SINGLE, NULL, NULL, 4));
  NULL_HANDLE(neargrid_search_set_active(NULL, 1));
  NULL_HANDLE(neargrid_search_set_ghost_pairs(NULL, NEARGRID_GHOST_PAIRS_ALL));
  NULL_HANDLE(neargrid_search_set_roles(NULL, 1, &id, sizeof(int32_t)));
  NULL_HANDLE(neargrid_search_set_ghost_rows(NULL, NEARGRID_GHOST_ROWS_ALL));
  NULL_HANDLE(neargrid_search_set_types(NULL, 1, &id, sizeof(int32_t), 1, &id));
  NULL_HANDLE(neargrid_search_set_type_cutoffs(NULL, 1, LINE));
  NULL_HANDLE(neargrid_search_set_queries_f64(NULL, 1, 1, LINE, NULL, NULL, 8));
  NULL_HANDLE(neargrid_search_set_queries_f32(NULL, 1, 1, SINGLE, NULL, NULL, 4));
  NULL_HANDLE(neargrid_neighbors_count(NULL, NEARGRID_NEIGHBORS_QUERIES, &count));
  NULL_HANDLE(neargrid_neighbors_copy(NULL, NEARGRID_NEIGHBORS_QUERIES, 1, 1, &count, &offset, &id));
  NULL_HANDLE(neargrid_neighbors_view(NULL, NEARGRID_NEIGHBORS_QUERIES, &count, &count, &offsets, &ids));
  NULL_HANDLE(neargrid_search_set_skin(NULL, 1.0));
  NULL_HANDLE(neargrid_search_update_f64(NULL, 1, 1, LINE, NULL, NULL, 8, &id));
  NULL_HANDLE(neargrid_search_update_f32(NULL, 1, 1, SINGLE, NULL, NULL, 4, &id));
  NULL_HANDLE(neargrid_search_skin_used(NULL, &share));
#undef NULL_HANDLE
  CHECK(count == GUARD && offset == GUARD && id == GUARD && ids == &id && offsets == &offset && share == GUARD);
}

static void added(void) {
  const double bad[2] = {1, NAN};
  neargrid_search *search = new_search(1.5);
  REFUSED(neargrid_search_add_points_f64(search, 1, 1, LINE, NULL, NULL, 8), BAD_STATE, "points|set_points");
  OK(neargrid_search_set_points_f64(search, 1, 4, LINE, NULL, NULL, 8));
  OK(neargrid_search_add_points_f64(search, 1, 0, NULL, NULL, NULL, 8));
  CHECK(pairs_of(search) == 3 && counter(search, NEARGRID_COUNTER_POINTS) == 4);
  OK(neargrid_search_set_queries_f64(search, 1, 1, LINE, NULL, NULL, 8));
  OK(neargrid_search_add_points_f64(search, 1, 3, LINE + 9, NULL, NULL, -8)); /* 9, 8, 7 */
  CHECK(pairs_of(search) == 5 && counter(search, NEARGRID_COUNTER_QUERIES) == 0);
  OK(neargrid_search_add_points_f64(search, 1, 3, LINE + 4, NULL, NULL, 8));
  CHECK(pairs_of(search) == PAIRS);
  REFUSED(neargrid_search_add_points_f64(search, 2, 1, LINE, LINE, NULL, 8), BAD_DIM, "dim = 2 |1, the dimension of the points");
  REFUSED(neargrid_search_add_points_f64(search, 1, -1, LINE, NULL, NULL, 8), BAD_COUNT, "n = -1 ");
  REFUSED(neargrid_search_add_points_f64(search, 1, 2147483638, LINE, NULL, NULL, 8), BAD_COUNT, /* before any is read */
          "n = 2147483638 |0 to 2147483637");
  REFUSED(neargrid_search_add_points_f64(search, 1, 3, NULL, NULL, NULL, 8), NULL_POINTER, "x is NULL");
  REFUSED(neargrid_search_add_points_f32(search, 1, 3, SINGLE, NULL, NULL, 4), BAD_VALUE, "real32|the precision of the points");
  REFUSED(neargrid_search_add_points_f64(search, 1, 2, bad, NULL, NULL, 8), NON_FINITE, "x coordinate of point 1 is NaN");
  CHECK(pairs_of(search) == PAIRS && counter(search, NEARGRID_COUNTER_POINTS) == 10);
  OK(neargrid_search_set_points_f32(search, 1, 5, SINGLE, NULL, NULL, 4));
  OK(neargrid_search_add_points_f32(search, 1, 5, SINGLE + 5, NULL, NULL, 4));
  CHECK(pairs_of(search) == PAIRS);
  neargrid_search_destroy(search);
}

static void active(void) {
  neargrid_search *search = line();
  int64_t count = GUARD;
  CHECK(pairs_of(search) == PAIRS);
  const int64_t bad[] = {-2, 2147483648, INT64_MIN, INT64_MAX};
  for (int k = 0; k < 4; k++) {
    char words[60];
    snprintf(words, sizeof words, "n_active = %lld |0 to 2147483647", (long long)bad[k]);
    REFUSED(neargrid_search_set_active(search, bad[k]), BAD_COUNT, words);
  }
  CHECK(pairs_of(search) == PAIRS);
  for (int64_t n = 0; n <= 10; n++) { /* point i < n has the pair (i, i + 1) */
    OK(neargrid_search_set_active(search, n));
    CHECK(pairs_of(search) == (n < PAIRS ? n : PAIRS));
  }
  OK(neargrid_search_set_active(search, 11)); /* there may be more points later */
  REFUSED(neargrid_pairs_count(search, &count), BAD_COUNT, "n_active = 11|0 to 10, the number of points");
  CHECK(count == GUARD);
  OK(neargrid_search_set_active(search, NEARGRID_ALL_ACTIVE));
  CHECK(pairs_of(search) == PAIRS);
  neargrid_search_destroy(search);
}

static void types(void) {
  neargrid_search *search = line();
  int64_t count = GUARD;
  int32_t kind[10] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, mask[4] = {1, 1, 1, 0}, large[33 * 33] = {0};
  REFUSED(neargrid_search_set_types(search, -1, kind, sizeof(int32_t), 2, mask), BAD_COUNT, "n = -1 |0 to 2147483647");
  REFUSED(neargrid_search_set_types(search, INT64_MAX, kind, sizeof(int32_t), 2, mask), BAD_COUNT, "n = 9223372036854775807 ");
  REFUSED(neargrid_search_set_types(search, 10, NULL, sizeof(int32_t), 2, mask), NULL_POINTER, "types is NULL");
  REFUSED(neargrid_search_set_types(search, 10, kind, sizeof(int32_t), 2, NULL), NULL_POINTER, "mask is NULL");
  const int32_t ntypes[] = {0, -1, 33, INT32_MIN, INT32_MAX};
  for (int k = 0; k < 5; k++) {
    char words[60];
    snprintf(words, sizeof words, "ntypes = %d |1 to 32", ntypes[k]);
    REFUSED(neargrid_search_set_types(search, 10, kind, sizeof(int32_t), ntypes[k], large), BAD_COUNT, words);
  }
  for (int base = 1; base >= 0; base--) {
    OK(neargrid_search_set_index_base(search, base));
    for (int k = 0; k < 10; k++) kind[k] = (k >= 5) + base;
    kind[7] = 2 + base;
    REFUSED(neargrid_search_set_types(search, 10, kind, sizeof(int32_t), 2, mask), BAD_VALUE,
            base ? "element 8 of types is 3|1 to 2" : "element 7 of types is 2|0 to 1");
    kind[7] = base - 1;
    REFUSED(neargrid_search_set_types(search, 10, kind, sizeof(int32_t), 2, mask), BAD_VALUE, base ? "of types is 0:" : "of types is -1:");
    kind[7] = 1 + base;
    mask[1] = 0;
    REFUSED(neargrid_search_set_types(search, 10, kind, sizeof(int32_t), 2, mask), BAD_VALUE,
            base ? "mask(2, 1)|symmetric" : "mask(1, 0)|symmetric");
    mask[1] = 2;
    REFUSED(neargrid_search_set_types(search, 10, kind, sizeof(int32_t), 2, mask), BAD_VALUE, "mask = 2 |0 (no)|1 (yes)");
    mask[1] = 1;
    CHECK(pairs_of(search) == PAIRS);
  }
  OK(neargrid_search_set_types(search, 10, kind, sizeof(int32_t), 2, mask));
  CHECK(pairs_of(search) == 5); /* without those of points 5 to 9 */
  OK(neargrid_search_set_types(search, 9, kind, sizeof(int32_t), 2, mask));
  REFUSED(neargrid_pairs_count(search, &count), BAD_COUNT, "number of types = 9|10, the number of points");
  CHECK(count == GUARD);
  OK(neargrid_search_set_points_f64(search, 1, 9, LINE, NULL, NULL, 8)); /* the types stay */
  CHECK(pairs_of(search) == 5);
  OK(neargrid_search_set_types(search, 0, NULL, sizeof(int32_t), -7, NULL));
  CHECK(pairs_of(search) == PAIRS - 1);
  neargrid_search_destroy(search);
}

static void type_cutoffs(void) {
  neargrid_search *search = line();
  int64_t count = GUARD;
  const int32_t kind[10] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, mask[4] = {1, 1, 1, 1};
  const double cutoffs[4] = {1, 0, 0, 2.5}, skewed[4] = {1, 0.5, 0.25, 1}, below[4] = {1, -1, -1, 1}, none[4] = {0, 0, 0, 0};
  const int32_t ntypes[] = {-1, 33, INT32_MIN, INT32_MAX};
  for (int k = 0; k < 4; k++) {
    char words[60];
    snprintf(words, sizeof words, "ntypes = %d |0 to 32", ntypes[k]);
    REFUSED(neargrid_search_set_type_cutoffs(search, ntypes[k], cutoffs), BAD_COUNT, words);
  }
  REFUSED(neargrid_search_set_type_cutoffs(search, 2, NULL), NULL_POINTER, "cutoffs is NULL");
  REFUSED(neargrid_search_set_type_cutoffs(search, 2, skewed), BAD_VALUE, "cutoffs(1, 0)|symmetric");
  REFUSED(neargrid_search_set_type_cutoffs(search, 2, below), BAD_CUTOFF, "cutoffs = -1 at (0, 1)|finite and greater than 0");
  REFUSED(neargrid_search_set_type_cutoffs(search, 2, none), BAD_CUTOFF, "cutoffs = 0 everywhere");
  CHECK(pairs_of(search) == PAIRS);
  OK(neargrid_search_set_type_cutoffs(search, 2, cutoffs));
  REFUSED(neargrid_pairs_count(search, &count), BAD_STATE, "types|set_types");
  OK(neargrid_search_set_types(search, 10, kind, sizeof(int32_t), 2, mask));
  CHECK(pairs_of(search) == 4 + 4 + 3); /* 0 to 4 by 1, 5 to 9 by 1 and 2 */
  OK(neargrid_search_set_type_cutoffs(search, 1, cutoffs));
  REFUSED(neargrid_pairs_count(search, &count), BAD_COUNT, "number of types that points may have = 2|1, the number of types of the cutoffs");
  CHECK(count == GUARD);
  OK(neargrid_search_set_type_cutoffs(search, 0, NULL));
  CHECK(pairs_of(search) == PAIRS);
  neargrid_search_destroy(search);
}

static void roles(void) {
  neargrid_search *search = line();
  int64_t count = GUARD;
  int32_t role[10] = {2, 1, 2, 1, 0, 1, 1, 2, 2, 1}, wide[20];
  for (int k = 0; k < 10; k++) wide[2 * k] = role[k], wide[2 * k + 1] = -9;
  REFUSED(neargrid_search_set_roles(search, -1, role, sizeof(int32_t)), BAD_COUNT, "n = -1 |0 to 2147483647");
  REFUSED(neargrid_search_set_roles(search, 10, NULL, sizeof(int32_t)), NULL_POINTER, "roles is NULL");
  REFUSED(neargrid_search_set_roles(search, 10, role, 1), BAD_VALUE, "stride = 1 ");
  REFUSED(neargrid_search_set_roles(search, 20, wide, sizeof(int32_t)), BAD_VALUE,
          "element 1 of roles is -9|0 (absent), 1 (active) or 2 (ghost)");
  REFUSED(neargrid_search_set_ghost_rows(search, 3), BAD_VALUE, "which = 3 |0 (active points)|1 (all points)|2 (no points)");
  CHECK(pairs_of(search) == PAIRS);
  OK(neargrid_search_set_roles(search, 10, wide, 2 * sizeof(int32_t)));
  CHECK(pairs_of(search) < PAIRS);
  OK(neargrid_search_set_roles(search, 9, role, sizeof(int32_t)));
  REFUSED(neargrid_pairs_count(search, &count), BAD_COUNT, "number of roles = 9|10, the number of points");
  CHECK(count == GUARD);
  OK(neargrid_search_set_active(search, 2)); /* a number replaces roles */
  CHECK(pairs_of(search) == 2);
  OK(neargrid_search_set_roles(search, 0, NULL, 0)); /* and no roles replace a number */
  CHECK(pairs_of(search) == PAIRS);
  neargrid_search_destroy(search);
}

static void queries_refused(void) {
  neargrid_search *search = NULL;
  int64_t count = GUARD, n = GUARD, offsets[4] = {GUARD, GUARD, GUARD, GUARD};
  int32_t id = GUARD;
  const int32_t *ids = &id;
  const int64_t *view = &count;
  const double where[3] = {0.5, 0.5, 20}, bad[2] = {1, NAN};
  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  REFUSED(neargrid_search_set_queries_f64(search, 1, 3, where, NULL, NULL, 8), BAD_STATE, "points|set_points");
  REFUSED(neargrid_neighbors_count(search, NEARGRID_NEIGHBORS_QUERIES, &count), BAD_STATE, "points|set_points");
  OK(neargrid_search_set_points_f64(search, 1, 10, LINE, NULL, NULL, 8));
  OK(neargrid_search_set_queries_f64(search, 1, 3, where, NULL, NULL, 8));
  REFUSED(neargrid_neighbors_count(search, NEARGRID_NEIGHBORS_QUERIES, &count), BAD_STATE, "cutoff|set_cutoff");
  REFUSED(neargrid_neighbors_copy(search, NEARGRID_NEIGHBORS_QUERIES, 3, 0, &count, offsets, NULL), BAD_STATE, "cutoff|set_cutoff");
  REFUSED(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_QUERIES, &n, &count, &view, &ids), BAD_STATE, "cutoff|set_cutoff");
  OK(neargrid_search_set_cutoff(search, 1.0));
  REFUSED(neargrid_search_set_queries_f64(search, 0, 3, where, NULL, NULL, 8), BAD_DIM, "dim = 0 |1, 2 or 3");
  REFUSED(neargrid_search_set_queries_f64(search, 2, 1, where, where, NULL, 8), BAD_DIM, "dim = 2 |1, the dimension of the points");
  REFUSED(neargrid_search_set_queries_f64(search, 1, -1, where, NULL, NULL, 8), BAD_COUNT, "n = -1 ");
  REFUSED(neargrid_search_set_queries_f64(search, 1, 2147483638, where, NULL, NULL, 8), BAD_COUNT,
          "n = 2147483638 |0 to 2147483637");
  REFUSED(neargrid_search_set_queries_f64(search, 1, 3, NULL, NULL, NULL, 8), NULL_POINTER, "x is NULL");
  REFUSED(neargrid_search_set_queries_f64(search, 1, 3, where, NULL, NULL, INT64_MAX), BAD_VALUE, "stride = ");
  REFUSED(neargrid_search_set_queries_f32(search, 1, 3, SINGLE, NULL, NULL, 4), BAD_VALUE, "real32|the precision of the points");
  REFUSED(neargrid_search_set_queries_f64(search, 1, 2, bad, NULL, NULL, 8), NON_FINITE, "x coordinate of point 1 is NaN");
  REFUSED(neargrid_neighbors_count(search, NEARGRID_NEIGHBORS_QUERIES, NULL), NULL_POINTER, "total is NULL");
  REFUSED(neargrid_neighbors_copy(search, NEARGRID_NEIGHBORS_QUERIES, 3, 0, NULL, offsets, NULL), NULL_POINTER, "total is NULL");
  REFUSED(neargrid_neighbors_copy(search, NEARGRID_NEIGHBORS_QUERIES, 3, 0, &count, NULL, NULL), NULL_POINTER, "offsets is NULL");
  REFUSED(neargrid_neighbors_copy(search, NEARGRID_NEIGHBORS_QUERIES, 3, 1, &count, offsets, NULL), NULL_POINTER, "ids is NULL");
  REFUSED(neargrid_neighbors_copy(search, NEARGRID_NEIGHBORS_QUERIES, 3, -1, &count, offsets, &id), BAD_COUNT, "capacity = -1");
  REFUSED(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_QUERIES, NULL, &count, &view, &ids), NULL_POINTER, "n is NULL");
  REFUSED(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_QUERIES, &n, NULL, &view, &ids), NULL_POINTER, "total is NULL");
  REFUSED(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_QUERIES, &n, &count, NULL, &ids), NULL_POINTER, "offsets is NULL");
  REFUSED(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_QUERIES, &n, &count, &view, NULL), NULL_POINTER, "ids is NULL");
  CHECK(count == GUARD && n == GUARD && id == GUARD && ids == &id && view == &count && offsets[0] == GUARD);
  REFUSED(neargrid_neighbors_copy(search, NEARGRID_NEIGHBORS_QUERIES, 3, 1, &count, offsets, &id), CAPACITY, "capacity = 1 |4 are needed");
  CHECK(count == 4 && id == GUARD && offsets[0] == GUARD && offsets[3] == GUARD);
  CHECK(counter(search, NEARGRID_COUNTER_QUERIES) == 3); /* those it had */
  OK(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_QUERIES, &n, &count, &view, &ids));
  CHECK(n == 3 && count == 4 && view[0] == 0 && view[1] == 2 && view[2] == 4 && view[3] == 4);
  CHECK(ids[0] == 0 && ids[1] == 1 && ids[2] == 0 && ids[3] == 1);
  OK(neargrid_search_set_points_f64(search, 1, 10, LINE, NULL, NULL, 8)); /* forgets them */
  n = count = GUARD;
  REFUSED(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_QUERIES, &n, &count, &view, &ids), BAD_STATE, "no queries yet|set_queries");
  REFUSED(neargrid_knn_copy_f64(search, NEARGRID_KNN_QUERIES, 1, NEARGRID_MEASURE_SQUARE, 0, &n, NULL, NULL, NULL), BAD_STATE,
          "no queries yet|set_queries");
  CHECK(n == GUARD && count == GUARD && counter(search, NEARGRID_COUNTER_QUERIES) == 0);
  OK(neargrid_search_set_queries_f64(search, 1, 0, NULL, NULL, NULL, 8)); /* none are fine */
  OK(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_QUERIES, &n, &count, &view, &ids));
  CHECK(n == 0 && count == 0 && view[0] == 0);
  neargrid_search_destroy(search);
}

static void skin_refused(void) {
  neargrid_search *search = line();
  int32_t rebuilt = GUARD;
  int64_t count = GUARD;
  double share = GUARD;
  const double bad[] = {-1, NAN, INFINITY, -INFINITY}, lo[1] = {0}, length[1] = {4};
  const int32_t periodic[1] = {1};
  const char *words[] = {"skin = -1", "skin = NaN", "skin = inf", "skin = -inf"};
  for (int k = 0; k < 4; k++) REFUSED(neargrid_search_set_skin(search, bad[k]), BAD_VALUE, words[k]);
  REFUSED(neargrid_search_skin_used(search, NULL), NULL_POINTER, "share is NULL");
  OK(neargrid_search_skin_used(search, &share));
  CHECK(share == 0);
  OK(neargrid_search_set_skin(search, 1.0));
  CHECK(pairs_of(search) == PAIRS && counter(search, NEARGRID_COUNTER_SKIN_LISTS) == 1);
  REFUSED(neargrid_search_update_f64(search, 1, 10, LINE, NULL, NULL, 8, NULL), NULL_POINTER, "rebuilt is NULL");
  REFUSED(neargrid_search_update_f64(search, 0, 10, LINE, NULL, NULL, 8, &rebuilt), BAD_DIM, "dim = 0 ");
  REFUSED(neargrid_search_update_f64(search, 1, -1, LINE, NULL, NULL, 8, &rebuilt), BAD_COUNT, "n = -1 ");
  REFUSED(neargrid_search_update_f64(search, 1, 10, NULL, NULL, NULL, 8, &rebuilt), NULL_POINTER, "x is NULL");
  REFUSED(neargrid_search_update_f64(search, 1, 4, bad, NULL, NULL, 8, &rebuilt), NON_FINITE, "point 1 is NaN");
  REFUSED(neargrid_search_update_f32(search, 2, 4, SINGLE, NULL, NULL, 4, &rebuilt), NULL_POINTER, "y is NULL");
  CHECK(rebuilt == GUARD);
  OK(neargrid_search_update_f64(search, 1, 10, LINE, NULL, NULL, 8, &rebuilt));
  CHECK(rebuilt == 0 && pairs_of(search) == PAIRS && counter(search, NEARGRID_COUNTER_SKIN_LISTS) == 1);
  OK(neargrid_search_update_f32(search, 1, 10, SINGLE, NULL, NULL, 4, &rebuilt)); /* another precision */
  CHECK(rebuilt == 1 && pairs_of(search) == PAIRS && counter(search, NEARGRID_COUNTER_SKIN_LISTS) == 2);
  /* Room for two cutoffs, but not with the skin. */
  OK(neargrid_search_set_box(search, 1, lo, length, periodic));
  REFUSED(neargrid_pairs_count(search, &count), BAD_STATE, "no points|set_points|set_box has changed the periodic axes");
  OK(neargrid_search_set_points_f64(search, 1, 4, LINE, NULL, NULL, 8));
  REFUSED(neargrid_pairs_count(search, &count), BAD_DOMAIN, "length of axis x = 4 |at least 5, twice the sum of cutoff and skin (2.5)");
  CHECK(count == GUARD);
  OK(neargrid_search_set_skin(search, 0.0));
  CHECK(pairs_of(search) == 4);
  OK(neargrid_search_update_f64(search, 1, 4, LINE, NULL, NULL, 8, &rebuilt));
  CHECK(rebuilt == 1); /* without a skin nothing is kept */
  neargrid_search_destroy(search);
}

int main(void) {
  no_handle();
  added();
  active();
  types();
  type_cutoffs();
  roles();
  queries_refused();
  skin_refused();
  return finish("kinds", 300);
}
