/* What is refused of a Verlet list. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

static void verlet_refused(void) {
  const double x[3] = {0, 1, 2.2};
  neargrid_search *search = new_search(1.0);
  int64_t n = GUARD, total = GUARD;
  const int64_t *offsets = NULL;
  const int32_t *ids = NULL;
  int32_t rebuilt = GUARD;
#define VERLET(handle, kind) neargrid_verlet_view(handle, kind, &n, &total, &offsets, &ids, &rebuilt)
  REFUSED(VERLET(search, 0), BAD_STATE, "set_skin");
  OK(neargrid_search_set_skin(search, 0.25));
  REFUSED(VERLET(search, 0), BAD_STATE, "set_points");
  OK(neargrid_search_set_points_f64(search, 1, 3, x, NULL, NULL, sizeof *x));
  REFUSED(VERLET(search, NEARGRID_NEIGHBORS_QUERIES), BAD_VALUE, "kind = queries |half or full");
  REFUSED(VERLET(search, 3), BAD_VALUE, "kind = 3");
  REFUSED(neargrid_verlet_view(search, 0, NULL, &total, &offsets, &ids, &rebuilt), NULL_POINTER, "n is NULL");
  REFUSED(neargrid_verlet_view(search, 0, &n, NULL, &offsets, &ids, &rebuilt), NULL_POINTER, "total is NULL");
  REFUSED(neargrid_verlet_view(search, 0, &n, &total, NULL, &ids, &rebuilt), NULL_POINTER, "offsets is NULL");
  REFUSED(neargrid_verlet_view(search, 0, &n, &total, &offsets, NULL, &rebuilt), NULL_POINTER, "ids is NULL");
  REFUSED(neargrid_verlet_view(search, 0, &n, &total, &offsets, &ids, NULL), NULL_POINTER, "rebuilt is NULL");
  REFUSED(VERLET(NULL, 0), NULL_POINTER, "search is NULL");
  const double radii[3] = {1, 1, 1};
  OK(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, 3, radii, sizeof(double), NEARGRID_RADIUS_GATHER));
  REFUSED(VERLET(search, NEARGRID_NEIGHBORS_HALF), BAD_VALUE, "gather|max, min or mean");
  OK(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, 0, NULL, 0, 0));
  CHECK(n == GUARD && total == GUARD && offsets == NULL && ids == NULL && rebuilt == GUARD);
  OK(VERLET(search, NEARGRID_NEIGHBORS_FULL));
  CHECK(n == 3 && total == 4 && ids[0] == 1 && ids[1] == 0 && ids[2] == 2 && ids[3] == 1 && rebuilt == 1);
  neargrid_search_destroy(search);
#undef VERLET
}

int main(void) {
  verlet_refused();
  return finish("skin", 25);
}
