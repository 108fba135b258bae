/* Lists of which distances and displacements are refused. The clouds of the Rust tests go through cases.c. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

static const double LINE[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

static neargrid_search *line(void) {
  neargrid_search *search = new_search(1.5);
  OK(neargrid_search_set_points_f64(search, 1, 10, LINE, NULL, NULL, 8));
  return search;
}

/* Lists for distances and displacements: the text names array, position and value; nothing is written. */
static void pair_data(void) {
  neargrid_search *search = line();
  const int32_t zero[3] = {0, 1, 2}, ids[3] = {4, 9, 10}, low[3] = {-1, 0, 0};
  double d[6];
  float d32[6];
  char words[80];
  for (int k = 0; k < 6; k++) d[k] = d32[k] = GUARD;
  REFUSED(neargrid_pairs_distances_f64(search, -1, zero, zero, d, NULL), BAD_COUNT, "npairs = -1");
  REFUSED(neargrid_pairs_distances_f64(search, INT64_MAX, zero, zero, NULL, d), BAD_COUNT, "npairs = 9223372036854775807");
  REFUSED(neargrid_pairs_distances_f64(search, 3, NULL, zero, d, NULL), NULL_POINTER, "pair_i is NULL");
  REFUSED(neargrid_pairs_distances_f64(search, 3, zero, NULL, d, NULL), NULL_POINTER, "pair_j is NULL");
  REFUSED(neargrid_pairs_distances_f64(search, 3, zero, zero, NULL, NULL), NULL_POINTER, "distances is NULL");
  REFUSED(neargrid_pairs_distances_f64(search, 3, zero, zero, d, d + 2), BAD_VALUE, "displacements = |overlaps distances");
  REFUSED(neargrid_pairs_distances_f32(search, 3, zero, zero, d32, NULL), BAD_VALUE, "precision = real32|real64");
  REFUSED(neargrid_pairs_distances_f32(search, 3, zero, zero, NULL, d32), BAD_VALUE, "precision = real32|real64");
  for (int base = 0; base <= 1; base++) {
    int64_t offsets[11] = {0};
    OK(neargrid_search_set_index_base(search, base));
    for (int k = 0; k < 11; k++) offsets[k] = base + (k > 5 ? 3 : 0);
    if (base == 0) {
      REFUSED(neargrid_pairs_distances_f64(search, 3, zero, ids, d, NULL), BAD_VALUE, "element 2 of pair_j is 10|0 to 9");
      REFUSED(neargrid_pairs_distances_f64(search, 3, ids, low, NULL, d), BAD_VALUE, "element 2 of pair_i is 10");
      REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, offsets, ids, d, NULL), BAD_VALUE, "element 2 of ids is 10|0 to 9");
    } else {
      REFUSED(neargrid_pairs_distances_f64(search, 3, ids, zero, d, NULL), BAD_VALUE, "element 1 of pair_j is 0|1 to 10");
      REFUSED(neargrid_pairs_distances_f64(search, 3, low, ids, NULL, d), BAD_VALUE, "element 1 of pair_i is -1");
      REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, offsets, zero, NULL, d), BAD_VALUE, "element 1 of ids is 0");
    }
    REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, NULL, ids, d, NULL), NULL_POINTER, "offsets is NULL");
    REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, offsets, NULL, d, NULL), NULL_POINTER, "ids is NULL");
    REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, offsets, ids, NULL, NULL), NULL_POINTER, "distances is NULL");
    REFUSED(neargrid_neighbors_distances_f64(search, 10, 2, offsets, ids, d, NULL), BAD_COUNT, "total = 2|3, as many as offsets");
    REFUSED(neargrid_neighbors_distances_f64(search, 9, 3, offsets, ids, d, NULL), BAD_COUNT, "n = 9|10, the number of points");
    REFUSED(neargrid_neighbors_distances_f32(search, 10, 3, offsets, ids, d32, NULL), BAD_VALUE, "precision = real32");
    REFUSED(neargrid_neighbors_distances_f32(search, 10, 3, offsets, ids, NULL, d32), BAD_VALUE, "precision = real32");
    snprintf(words, sizeof words, "element %d of offsets is %d|at least %d", 7 + base, 1 + base, 3 + base);
    offsets[7] = 1 + base;
    REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, offsets, ids, d, NULL), BAD_VALUE, words);
    offsets[7] = 3 + base;
    offsets[0] = 2;
    snprintf(words, sizeof words, "element %d of offsets is 2|%d, the index base", base, base);
    REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, offsets, ids, NULL, d), BAD_VALUE, words);
    offsets[0] = base;
    offsets[10] = INT64_MAX;
    REFUSED(neargrid_neighbors_distances_f64(search, 10, INT64_MAX, offsets, ids, d, NULL), BAD_COUNT, "total = 9223372036854775807");
    for (int k = 0; k < 11; k++) offsets[k] = base; /* rows without an id: arrays may be NULL */
    OK(neargrid_neighbors_distances_f64(search, 10, 0, offsets, NULL, NULL, NULL));
  }
  OK(neargrid_pairs_distances_f64(search, 0, NULL, NULL, NULL, NULL));
  OK(neargrid_pairs_distances_f64(search, 0, NULL, NULL, NULL, NULL));
  for (int k = 0; k < 6; k++) CHECK(d[k] == GUARD && d32[k] == GUARD);
  int64_t npairs = GUARD;
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(npairs == 9);
  neargrid_search_destroy(search);
  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  REFUSED(neargrid_pairs_distances_f64(search, 3, zero, zero, d, NULL), BAD_STATE, "points|set_points");
  REFUSED(neargrid_neighbors_distances_f32(search, 0, 0, NULL, zero, NULL, d32), BAD_STATE, "points|set_points");
  neargrid_search_destroy(search);
}

static void queries_refused(void) {
  const double line[3] = {0, 1, 2};
  const int64_t offsets[3] = {0, 1, 1};
  const int32_t id = 2;
  double d = 7;
  neargrid_search *search = new_search(1.5);
  REFUSED(neargrid_queries_distances_f64(NULL, 2, 1, offsets, &id, &d, NULL), NULL_POINTER, "search is NULL");
  OK(neargrid_search_set_points_f64(search, 1, 3, line, NULL, NULL, 8));
  REFUSED(neargrid_queries_distances_f64(search, 2, 1, offsets, &id, &d, NULL), BAD_STATE, "queries|set_queries");
  OK(neargrid_search_set_queries_f64(search, 1, 2, line, NULL, NULL, 8));
  REFUSED(neargrid_queries_distances_f64(search, 3, 1, offsets, &id, &d, NULL), BAD_COUNT, "n = 3 |2, the number of queries");
  REFUSED(neargrid_queries_distances_f64(search, 2, 2, offsets, &id, &d, NULL), BAD_COUNT, "total = 2 |1, as many as offsets say");
  CHECK(d == 7);
  OK(neargrid_queries_distances_f64(search, 2, 1, offsets, &id, &d, NULL));
  CHECK(d == 2);
  neargrid_search_destroy(search);
}

int main(void) {
  pair_data();
  queries_refused();
  return finish("displacement", 50);
}
