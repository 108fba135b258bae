/* Exclusions: what is refused, and those of images by numbers and by ids. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { N = 300 };

static double x[N][3];

static void check_refusals(neargrid_search *search) {
  const int64_t good[3] = {0, 1, 2}, falling[3] = {0, 2, 1}, early[3] = {1, 1, 2};
  const int32_t two[2] = {1, 0}, far[2] = {1, 2}, itself[2] = {0, 1}, bad[2] = {1, 4}, unlike[2] = {1, 2};
  REFUSED(neargrid_search_set_exclusions(search, -1, good, two, NULL), BAD_COUNT, "n|-1");
  REFUSED(neargrid_search_set_exclusions(search, 2, good, NULL, NULL), NULL_POINTER, "ids");
  REFUSED(neargrid_search_set_exclusions(search, 2, falling, two, NULL), BAD_VALUE, "offsets|element 2");
  REFUSED(neargrid_search_set_exclusions(search, 2, early, two, NULL), BAD_VALUE, "offsets|index base");
  REFUSED(neargrid_search_set_exclusions(search, 2, good, far, NULL), BAD_VALUE, "ids|element 1 |0 to 1");
  const int64_t strange[2] = {1, 2};
  REFUSED(neargrid_search_set_exclusions_by_ids(search, 2, good, strange, NULL), BAD_COUNT, "rows of exclusions = 2");
  REFUSED(neargrid_search_set_exclusions_by_ids(search, 2, good, NULL, NULL), NULL_POINTER, "ids");
  REFUSED(neargrid_search_set_exclusions(search, 2, good, itself, NULL), BAD_VALUE, "row 0|itself");
  REFUSED(neargrid_search_set_exclusions(search, 2, good, two, bad), BAD_VALUE, "classes|1 to 3");
  REFUSED(neargrid_search_set_exclusions(search, 2, good, two, unlike), BAD_VALUE, "classes|symmetric");
  REFUSED(neargrid_search_set_exclusions(NULL, 2, good, two, NULL), NULL_POINTER, "search");
  const int32_t alike[6] = {1, 0, 0, 1, 0, 0}, apart[6] = {1, 0, 0, -1, 0, 0};
  const int64_t wide[2] = {1, 0};
  REFUSED(neargrid_search_set_exclusions_shifts(search, 2, good, two, alike, NULL), BAD_VALUE, "shift (1, 0, 0)|symmetric");
  REFUSED(neargrid_search_set_exclusions_by_ids_shifts(search, 2, good, wide, apart, NULL), BAD_COUNT, "rows of exclusions = 2");
  REFUSED(neargrid_search_set_exclusions_shifts(search, 2, good, two, apart, bad), BAD_VALUE, "classes|1 to 3");
  REFUSED(neargrid_search_set_exclusions_shifts(NULL, 2, good, two, apart, NULL), NULL_POINTER, "search");
}

/* A point that is bonded to its own images, by numbers and by ids. */
static void check_images(void) {
  const double cell[9] = {1.5, 0, 0, 0, 0, 0, 0, 0, 0}, x = 0.25;
  const int32_t periodic[3] = {1, 0, 0}, itself[2] = {0, 0}, shifts[6] = {1, 0, 0, -1, 0, 0};
  const int64_t rows[2] = {0, 2}, wide[2] = {0, 0};
  int64_t total = 0;
  neargrid_search *search = NULL;
  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  OK(neargrid_search_set_cutoff(search, 10.0));
  OK(neargrid_search_set_cell(search, cell, periodic));
  OK(neargrid_search_set_points_f64(search, 1, 1, &x, NULL, NULL, sizeof x));
  OK(neargrid_images_count(search, NEARGRID_NEIGHBORS_FULL, &total));
  CHECK(total == 12);
  OK(neargrid_search_set_exclusions_shifts(search, 1, rows, itself, shifts, NULL));
  OK(neargrid_images_count(search, NEARGRID_NEIGHBORS_FULL, &total));
  CHECK(total == 10);
  OK(neargrid_search_set_exclusions_by_ids_shifts(search, 0, NULL, NULL, NULL, NULL));
  OK(neargrid_images_count(search, NEARGRID_NEIGHBORS_FULL, &total));
  CHECK(total == 12);
  OK(neargrid_search_set_exclusions_by_ids_shifts(search, 1, rows, wide, shifts, NULL));
  OK(neargrid_images_count(search, NEARGRID_NEIGHBORS_HALF, &total));
  CHECK(total == 5);
  OK(neargrid_search_set_cell(search, NULL, NULL));
  REFUSED(neargrid_pairs_count(search, &total), BAD_VALUE, "shifts of exclusions|(-1, 0, 0)");
  neargrid_search_destroy(search);
}

int main(void) {
  neargrid_search *search = NULL;
  uint64_t state = 91;
  for (int i = 0; i < N; i++)
    for (int axis = 0; axis < 3; axis++) x[i][axis] = uniform(&state);
  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  OK(neargrid_search_set_cutoff(search, 0.25));
  OK(neargrid_search_set_points_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof x[0]));
  check_refusals(search);
  check_images();
  int64_t count = GUARD;
  const int64_t none[2] = {0, 0};
  OK(neargrid_search_set_exclusions(search, 1, none, NULL, NULL));
  REFUSED(neargrid_pairs_count(search, &count), BAD_COUNT, "exclusions|300");
  OK(neargrid_search_set_exclusions(search, 0, NULL, NULL, NULL));
  OK(neargrid_pairs_count(search, &count));
  neargrid_search_destroy(search);
  return finish("exclusions", 30);
}
