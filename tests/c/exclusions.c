/* Exclusions: pairs and rows against the plain loop without the excluded pairs, formulas that read classes, what is refused. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { N = 300, BONDS = 2, MOST = 2 * BONDS * N };

static const double CUTOFF = 0.25;
static double x[N][3];
static int64_t offsets[N + 1];
static int32_t ids[MOST], classes[MOST];

/* The class of a pair: points whose numbers are up to two apart are bonded, but for every seventh one. */
static int32_t class_of(int32_t i, int32_t j) {
  const int32_t apart = i < j ? j - i : i - j, first = i < j ? i : j;
  return apart > 0 && apart <= BONDS && first % 7 != 0 ? apart : 0;
}

/* The rows, from the last entry to the first. */
static void make_rows(int32_t base) {
  int64_t end = 0;
  offsets[0] = base;
  for (int32_t i = 0; i < N; i++) {
    for (int32_t j = N - 1; j >= 0; j--)
      if (class_of(i, j) > 0) {
        ids[end] = j + base;
        classes[end++] = class_of(i, j);
      }
    offsets[i + 1] = end + base;
  }
}

static void check_pairs(neargrid_search *search, const pair_list *all, int32_t base, int excludes) {
  int64_t npairs = GUARD, found = 0;
  const int32_t *i = NULL, *j = NULL;
  OK(neargrid_pairs_view(search, &npairs, &i, &j));
  int same = 1;
  for (int64_t k = 0; k < all->n; k++) {
    if (excludes && class_of(all->i[k], all->j[k]) > 0) continue;
    same = same && found < npairs && i[found] == all->i[k] + base && j[found] == all->j[k] + base;
    found++;
  }
  CHECK(same && found == npairs);
  int64_t count = GUARD;
  OK(neargrid_pairs_count(search, &count));
  CHECK(count == npairs);
}

static void check_formula(neargrid_search *search, const pair_list *all) {
  static double few[N], scaled[N], want_few[N], want_scaled[N];
  neargrid_formula *formula = NULL;
  OK(neargrid_formula_create("few += 1; scaled += select(0.5, 1, class == 2) + class", &formula));
  OK(neargrid_formula_set_precision(formula, NEARGRID_PRECISION_DOUBLE));
  OK(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_FULL, 1));
  OK(neargrid_field_copy_f64(search, "few", NEARGRID_OF_POINTS, 1, N, few, NULL, NULL, sizeof(double)));
  OK(neargrid_field_copy_f64(search, "scaled", NEARGRID_OF_POINTS, 1, N, scaled, NULL, NULL, sizeof(double)));
  memset(want_few, 0, sizeof want_few);
  memset(want_scaled, 0, sizeof want_scaled);
  for (int64_t k = 0; k < all->n; k++) {
    const int32_t both[2] = {all->i[k], all->j[k]}, class = class_of(both[0], both[1]);
    for (int side = 0; side < 2; side++) {
      want_few[both[side]] += class == 0;
      want_scaled[both[side]] += (class == 2 ? 0.5 : 1.0) + class; /* exact in any order */
    }
  }
  CHECK(memcmp(few, want_few, sizeof few) == 0 && memcmp(scaled, want_scaled, sizeof scaled) == 0);
  neargrid_formula_destroy(formula);
}

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
  const pair_list all = plain_pairs_f64(3, N, &x[0][0], CUTOFF, 0);
  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  OK(neargrid_search_set_cutoff(search, CUTOFF));
  OK(neargrid_search_set_points_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof x[0]));
  for (int32_t base = 0; base < 2; base++) {
    OK(neargrid_search_set_index_base(search, base));
    make_rows(base);
    OK(neargrid_search_set_exclusions(search, N, offsets, ids, classes));
    check_pairs(search, &all, base, 1);
    check_formula(search, &all);
    OK(neargrid_search_set_exclusions(search, N, offsets, ids, NULL));
    check_pairs(search, &all, base, 1);
  }
  OK(neargrid_search_set_index_base(search, 0));
  make_rows(0);
  static int64_t wide[MOST];
  for (int64_t k = 0; k < offsets[N]; k++) wide[k] = ids[k];
  OK(neargrid_search_set_exclusions(search, 0, NULL, NULL, NULL));
  OK(neargrid_search_set_exclusions_by_ids(search, N, offsets, wide, classes));
  check_pairs(search, &all, 0, 1);
  check_formula(search, &all);
  check_refusals(search);
  check_images();
  int64_t count = GUARD;
  const int64_t none[2] = {0, 0};
  OK(neargrid_search_set_exclusions(search, 1, none, NULL, NULL));
  REFUSED(neargrid_pairs_count(search, &count), BAD_COUNT, "exclusions|300");
  OK(neargrid_search_set_exclusions(search, 0, NULL, NULL, NULL));
  check_pairs(search, &all, 0, 0);
  neargrid_search_destroy(search);
  free_pairs(all);
  return finish("exclusions", 40);
}
