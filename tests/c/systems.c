/* Many systems of points in one call: what is refused. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

static void refusals(void) {
  neargrid_search *search = new_search(1.0);
  const double x[4] = {0, 1, 2, 3}, short_cutoffs[2] = {1, 1};
  const int64_t two[3] = {0, 1, 4}, down[3] = {0, 5, 4};
  const int32_t flags[2] = {1, 7};
  const double starts[2] = {0, 0}, ends[2] = {4, 4};
  int64_t total = GUARD;
  const int64_t *offsets = NULL;
  const int32_t *ids = NULL;
#define VIEW(nsystems, first, cut, low, high, axes)                                                                    \
  neargrid_systems_view_f64(search, NEARGRID_NEIGHBORS_FULL, 1, nsystems, first, x, NULL, NULL, 8, cut, low, high,     \
                            axes, &total, &offsets, &ids)
  REFUSED(VIEW(-1, two, short_cutoffs, NULL, NULL, NULL), BAD_COUNT, "nsystems = -1");
  REFUSED(VIEW(2, NULL, short_cutoffs, NULL, NULL, NULL), NULL_POINTER, "firsts");
  REFUSED(VIEW(2, two, NULL, NULL, NULL, NULL), NULL_POINTER, "cutoffs");
  REFUSED(VIEW(2, down, short_cutoffs, NULL, NULL, NULL), BAD_VALUE, "element 2 of firsts is 4");
  REFUSED(VIEW(2, two, short_cutoffs, starts, NULL, NULL), NULL_POINTER, "length");
  REFUSED(VIEW(2, two, short_cutoffs, starts, ends, flags), BAD_VALUE, "periodic = 7");
  REFUSED(VIEW(2, two, ends, starts, ends, flags), BAD_VALUE, "periodic = 7");
  CHECK(total == GUARD && offsets == NULL && ids == NULL);
  OK(VIEW(2, two, short_cutoffs, NULL, NULL, NULL));
  CHECK(total == 4 && offsets[4] == 4 && ids[0] == 2 && ids[1] == 1 && ids[2] == 3 && ids[3] == 2);
  OK(VIEW(0, two, NULL, NULL, NULL, NULL));
  CHECK(total == 0 && offsets[0] == 0);
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_GPU));
  REFUSED(VIEW(2, two, short_cutoffs, NULL, NULL, NULL), NOT_SUPPORTED, "backend gpu for many systems");
  neargrid_search_destroy(search);
}

int main(void) {
  refusals();
  return finish("systems", 20);
}
