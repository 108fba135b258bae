/* A radius per point: what is refused; and radii at which sums reach a target. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <math.h>

enum { N = 300, Q = 90 };

/* The points, and after them the queries. */
static double x[N + Q][3], radii[N + Q];
static float radii32[N + Q];

static void make_cloud(void) {
  uint64_t state = 5;
  for (int k = 0; k < N + Q; k++) {
    for (int axis = 0; axis < 3; axis++) x[k][axis] = (float)uniform(&state);
    radii[k] = radii32[k] = (float)(0.4 * pow(0.01, uniform(&state)));
  }
}

static void refusals(void) {
  neargrid_search *search = new_search(0.1);
  int64_t npairs = GUARD, before = GUARD;
  const double bad[] = {-2.5, NAN, INFINITY, 1e-160, 1e160};
  const char *words[] = {"radii = -2.5 |greater than 0|point 7", "radii = NaN |point 7",
                         "radii = inf |point 7", "radii = 1e-160 |real64|point 7", "radii = 1e160 |real64|point 7"};
  OK(neargrid_search_set_points_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof *x));
  OK(neargrid_pairs_count(search, &before));
  for (int k = 0; k < 5; k++) {
    double some[10] = {1, 1, 0, 1, 1, 1, 1, -1, 1, 1};
    some[7] = bad[k];
    REFUSED(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, 10, some, sizeof(double), NEARGRID_RADIUS_MAX), BAD_RADIUS, words[k]);
    REFUSED(neargrid_search_set_radii_f64(search, NEARGRID_OF_QUERIES, 10, some, sizeof(double), 0), BAD_RADIUS, words[k]);
  }
  const float narrow[2] = {1, 1e-20f};
  REFUSED(neargrid_search_set_radii_f32(search, NEARGRID_OF_POINTS, 2, narrow, sizeof(float), NEARGRID_RADIUS_MAX), BAD_RADIUS, "real32|point 1");
  REFUSED(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, N, radii, sizeof(double), 5), BAD_VALUE, "rule = 5|0 (gather)|4 (mean)");
  REFUSED(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, N, radii, sizeof(double), -1), BAD_VALUE, "rule = -1 ");
  REFUSED(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, -1, radii, sizeof(double), 0), BAD_COUNT, "n = -1 |0 to 2147483647");
  REFUSED(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, N, NULL, sizeof(double), 0), NULL_POINTER, "radii is NULL");
  REFUSED(neargrid_search_set_radii_f32(search, NEARGRID_OF_QUERIES, N, NULL, sizeof(float), 0), NULL_POINTER, "radii is NULL");
  REFUSED(neargrid_search_set_radii_f64(NULL, NEARGRID_OF_POINTS, N, radii, sizeof(double), 0), NULL_POINTER, "search is NULL");
  REFUSED(neargrid_search_set_radii_f64(NULL, NEARGRID_OF_QUERIES, N, radii, sizeof(double), 0), NULL_POINTER, "search is NULL");
  REFUSED(neargrid_search_set_radii_f64(NULL, NEARGRID_OF_POINTS, 0, NULL, 0, 0), NULL_POINTER, "search is NULL");
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(npairs == before);
  npairs = GUARD;
  for (int32_t rule = NEARGRID_RADIUS_GATHER; rule <= NEARGRID_RADIUS_SCATTER; rule++) {
    const char *of_rule = rule == 0 ? "radius rule = gather|max, min or mean" : "radius rule = scatter|max, min or mean";
    OK(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, N, radii, sizeof(double), rule));
    REFUSED(neargrid_pairs_count(search, &npairs), BAD_VALUE, of_rule);
    REFUSED(neargrid_neighbors_count(search, NEARGRID_NEIGHBORS_HALF, &npairs), BAD_VALUE, of_rule);
  }
  OK(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, N - 1, radii, sizeof(double), NEARGRID_RADIUS_MAX));
  REFUSED(neargrid_pairs_count(search, &npairs), BAD_COUNT, "number of radii = 299|300");
  OK(neargrid_search_set_radii_f32(search, NEARGRID_OF_POINTS, N, radii32, sizeof(float), NEARGRID_RADIUS_MAX));
  REFUSED(neargrid_pairs_count(search, &npairs), BAD_VALUE, "precision of radii = real32|real64");
  OK(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, N, radii, sizeof(double), NEARGRID_RADIUS_MAX));
  OK(neargrid_search_set_queries_f64(search, 3, Q, &x[N][0], &x[N][1], &x[N][2], sizeof *x));
  REFUSED(neargrid_neighbors_count(search, NEARGRID_NEIGHBORS_QUERIES, &npairs), BAD_STATE, "radii of the queries|set_query_radii");
  OK(neargrid_search_set_radii_f64(search, NEARGRID_OF_QUERIES, Q + 1, radii, sizeof(double), 0));
  REFUSED(neargrid_neighbors_count(search, NEARGRID_NEIGHBORS_QUERIES, &npairs), BAD_COUNT, "number of query radii = 91|90");
  CHECK(npairs == GUARD);
  OK(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, 0, NULL, 0, -1)); /* removed: rule and stride are not read */
  OK(neargrid_search_set_radii_f32(search, NEARGRID_OF_QUERIES, 0, NULL, 0, -1));
  REFUSED(neargrid_search_set_radii_f64(search, 2, N, radii, sizeof(double), 0), BAD_VALUE, "of = 2|0 (points)|1 (queries)");
  REFUSED(neargrid_search_set_radii_f64(search, 0, N, radii, 1, 0), BAD_VALUE, "stride = 1 |bytes, not elements");
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(npairs == before);
  neargrid_search_destroy(search);
}

/* Radii at which sums reach a target, and what is refused. */
static void solved(void) {
  const double line[4] = {0, 1, 3, 100};
  const float line32[4] = {0, 1, 3, 100};
  double found[4] = {GUARD, GUARD, GUARD, GUARD};
  float found32[4];
  int64_t n = GUARD, nunsolved = GUARD;
  neargrid_outcome outcomes[4];
  neargrid_search *search = new_search(0.1);
  neargrid_formula *formula = NULL, *step = NULL;
  const int32_t full = NEARGRID_NEIGHBORS_FULL;
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  OK(neargrid_search_set_points_f64(search, 1, 4, line, NULL, NULL, sizeof(double)));
  OK(neargrid_formula_create("n += 1", &formula));
  OK(neargrid_formula_create("n += 1; x_i = x_i + 1", &step));
  REFUSED(neargrid_solve_radii_f64(search, formula, full, "n", 1, 0.5, 8, 0, 99, 0, &n, NULL, NULL, &nunsolved), CAPACITY,
          "capacity = 0 is too small: 4 are needed");
  CHECK(n == 4 && nunsolved == GUARD);
  OK(neargrid_solve_radii_f64(search, formula, full, "n", 1, 0.5, 8, 0, 99, n, &n, found, outcomes, &nunsolved));
  CHECK(found[0] == 1 && found[1] == 1 && found[2] == 2 && found[3] == 8 && nunsolved == 1);
  CHECK(outcomes[2] == NEARGRID_OUTCOME_SOLVED && outcomes[3] == NEARGRID_OUTCOME_ABOVE_LARGEST);
  OK(neargrid_solve_radii_f64(search, formula, full, "n", 1, 1.5, 200, 0, 3, n, &n, found, NULL, &nunsolved));
  CHECK(nunsolved == 4);
  OK(neargrid_solve_radii_f64(search, formula, full, "n", 1, 1.5, 200, 1e-9, 99, n, &n, found, outcomes, &nunsolved));
  CHECK(outcomes[0] == NEARGRID_OUTCOME_BELOW_SMALLEST && found[0] == 1.5 && nunsolved == 2);
  CHECK(found[3] >= 97 && found[3] < 97.001);
  found[0] = nunsolved = GUARD;
  REFUSED(neargrid_solve_radii_f64(search, step, full, "n", 1, 0.5, 8, 0, 99, 4, &n, found, NULL, &nunsolved), NOT_SUPPORTED,
          "line 1, column 9|statements over neighbors only");
  REFUSED(neargrid_solve_radii_f64(search, formula, full, "m", 1, 0.5, 8, 0, 99, 4, &n, found, NULL, &nunsolved), BAD_VALUE, "'m'");
  REFUSED(neargrid_solve_radii_f64(search, formula, full, NULL, 1, 0.5, 8, 0, 99, 4, &n, found, NULL, &nunsolved), NULL_POINTER,
          "field is NULL");
  REFUSED(neargrid_solve_radii_f64(search, NULL, full, "n", 1, 0.5, 8, 0, 99, 4, &n, found, NULL, &nunsolved), NULL_POINTER, "formula");
  REFUSED(neargrid_solve_radii_f64(search, formula, 0, "n", 1, 0.5, 8, 0, 99, 4, &n, found, NULL, &nunsolved), BAD_VALUE, "half");
  REFUSED(neargrid_solve_radii_f64(search, formula, full, "n", 1, 8, 8, 0, 99, 4, &n, found, NULL, &nunsolved), BAD_RADIUS,
          "largest = 8");
  REFUSED(neargrid_solve_radii_f64(search, formula, full, "n", 1, 0.5, 8, -1, 99, 4, &n, found, NULL, &nunsolved), BAD_VALUE,
          "tolerance = -1");
  REFUSED(neargrid_solve_radii_f64(search, formula, full, "n", 1, 0.5, 8, 0, 0, 4, &n, found, NULL, &nunsolved), BAD_COUNT,
          "max_iterations = 0");
  REFUSED(neargrid_solve_radii_f64(search, formula, full, "n", 1, 0.5, 8, 0, 99, 4, &n, NULL, NULL, &nunsolved), NULL_POINTER,
          "radii is NULL");
  REFUSED(neargrid_solve_radii_f32(search, formula, full, "n", 1, 0.5, 8, 0, 99, 4, &n, found32, NULL, &nunsolved), BAD_VALUE,
          "real32|real64");
  CHECK(found[0] == GUARD && nunsolved == GUARD);
  OK(neargrid_search_set_points_f32(search, 1, 4, line32, NULL, NULL, sizeof(float)));
  OK(neargrid_solve_radii_f32(search, formula, full, "n", 2, 0.5, 8, 0, 99, 4, &n, found32, outcomes, &nunsolved));
  CHECK(found32[0] == 3 && found32[1] == 2 && found32[2] == 3 && found32[3] == 8 && nunsolved == 1);
  neargrid_formula_destroy(formula);
  neargrid_formula_destroy(step);
  neargrid_search_destroy(search);
}

int main(void) {
  make_cloud();
  solved();
  refusals();
  return finish("radii", 90);
}
