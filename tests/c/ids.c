/* Global ids: what is refused, and images of points, which have their ids. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

static void refused(void) {
  const double line[4] = {0, 1, 2, 3};
  const int64_t good[5] = {4, 3, 2, 1, 0}, twice[4] = {7, -8, 7, -8};
  int64_t n = GUARD;
  const int32_t *i = NULL, *j = NULL;
  neargrid_search *search = new_search(1.5);
  OK(neargrid_search_set_points_f64(search, 1, 4, line, NULL, NULL, 8));
  OK(neargrid_search_set_ids(search, 4, good, sizeof(int64_t)));
  REFUSED(neargrid_search_set_ghost_pairs(search, 2), BAD_VALUE, "which = 2 |0 (all)|1 (larger ids)");
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
  shared_ids();
  refused();
  return finish("ids", 25);
}
