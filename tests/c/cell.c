/* What is refused of a cell, and of rows of images in it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { N = 12, LIMIT = 20 * N * N };

static const double vectors[9] = {1.5, 0.1, 0.0, 0.75, -1.25, 0.2, -0.3, 0.6, 1.75};
static const int32_t all[3] = {1, 1, 1};
static double x[N][3];
static int64_t offsets[N + 1];
static int32_t wanted_ids[LIMIT];

static void refusals(neargrid_search *search) {
  const double flat[9] = {1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0};
  const int32_t wrong[3] = {1, 2, 0};
  int32_t ids[9], type[N] = {0};
  int64_t total = GUARD, n = GUARD;
  const int64_t *at_offsets = NULL;
  const int32_t *at_ids = NULL;
  const int32_t half = NEARGRID_NEIGHBORS_HALF, mask = 1;
  REFUSED(neargrid_search_set_cell(NULL, vectors, all), NULL_POINTER, "search");
  REFUSED(neargrid_search_set_cell(search, vectors, NULL), NULL_POINTER, "periodic");
  REFUSED(neargrid_search_set_cell(search, vectors, wrong), BAD_VALUE, "periodic");
  REFUSED(neargrid_search_set_cell(search, flat, all), BAD_DOMAIN, "second cell vector|(2, 0, 0)");
  OK(neargrid_search_set_cell(search, vectors, all));
  REFUSED(neargrid_pairs_count(search, &total), NOT_SUPPORTED, "set_cell");
  REFUSED(neargrid_images_count(search, 17, &total), BAD_VALUE, "kind");
  REFUSED(neargrid_images_count(search, NEARGRID_NEIGHBORS_QUERIES, &total), NOT_SUPPORTED, "queries");
  REFUSED(neargrid_images_count(search, half, NULL), NULL_POINTER, "total");
  REFUSED(neargrid_images_copy(search, half, N + 1, 0, &total, offsets, ids, NULL), BAD_COUNT, "n = 13|12");
  REFUSED(neargrid_images_copy(search, half, N, -1, &total, offsets, ids, NULL), BAD_COUNT, "capacity");
  REFUSED(neargrid_images_copy(search, half, N, LIMIT, &total, NULL, wanted_ids, NULL), NULL_POINTER, "offsets");
  REFUSED(neargrid_images_copy(search, half, N, LIMIT, &total, offsets, NULL, NULL), NULL_POINTER, "ids");
  REFUSED(neargrid_images_copy(search, half, N, LIMIT, &total, offsets, wanted_ids, wanted_ids), BAD_VALUE, "overlaps");
  REFUSED(neargrid_images_view(search, half, &n, &total, &at_offsets, NULL, NULL), NULL_POINTER, "ids");
  OK(neargrid_search_set_types(search, N - 1, type, sizeof *type, 1, &mask));
  REFUSED(neargrid_images_count(search, half, &total), BAD_COUNT, "number of types");
  OK(neargrid_search_set_types(search, 0, NULL, 0, 0, NULL));
  OK(neargrid_search_set_active(search, N - 1));
  REFUSED(neargrid_images_count(search, half, &total), NOT_SUPPORTED, "ghosts");
  OK(neargrid_search_set_active(search, -1));
  OK(neargrid_search_set_cell(search, NULL, NULL));
  REFUSED(neargrid_images_count(search, half, &total), BAD_STATE, "cell");
  CHECK(total == GUARD && n == GUARD && at_offsets == NULL && at_ids == NULL);
  OK(neargrid_pairs_count(search, &total));
}

int main(void) {
  uint64_t seed = 5;
  neargrid_search *search = new_search(1.0);
  for (int i = 0; i < N; i++)
    for (int axis = 0; axis < 3; axis++) x[i][axis] = 2.0 * uniform(&seed) - 1.0;
  OK(neargrid_search_set_points_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof x[0]));
  refusals(search);
  neargrid_search_destroy(search);
  return finish("cell", 25);
}
