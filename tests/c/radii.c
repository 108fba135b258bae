/* A radius per point: full rows, half rows, pairs and queries by each rule against the plain double loop, in both precisions
 * and both index bases, open and periodic; in chunks and by global ids; then what is refused. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <math.h>

enum { N = 300, Q = 90, RULES = 5 };

static const int32_t RULE[RULES] = {NEARGRID_RADIUS_GATHER, NEARGRID_RADIUS_SCATTER, NEARGRID_RADIUS_MAX,
                                    NEARGRID_RADIUS_MIN, NEARGRID_RADIUS_MEAN};

/* The points, and after them the queries. */
static double x[N + Q][3], radii[N + Q];
static float x32[N + Q][3], radii32[N + Q];

static void make_cloud(void) {
  uint64_t state = 5;
  for (int k = 0; k < N + Q; k++) {
    for (int axis = 0; axis < 3; axis++) x[k][axis] = x32[k][axis] = (float)uniform(&state);
    radii[k] = radii32[k] = (float)(0.4 * pow(0.01, uniform(&state)));
  }
}

/* Whether the plain loop lists j in the row of i; of halves of the periodic box [0, 1) the nearest. */
#define PLAIN(name, real, x, radii)                                                                                    \
  static int name(int32_t rule, int periodic, int i, int j) {                                                          \
    const real a = radii[i], b = radii[j];                                                                             \
    const real larger = a < b ? b : a, smaller = a < b ? a : b, sum = a + b;                                           \
    const real c = rule == 0 ? a : rule == 1 ? b : rule == 2 ? larger : rule == 3 ? smaller : (real)0.5 * sum;         \
    real d2 = 0;                                                                                                       \
    for (int axis = 0; axis < 3; axis++) {                                                                             \
      real d = x[i][axis] - x[j][axis];                                                                                \
      if (periodic && d > (real)0.5) d = d - 1;                                                                        \
      if (periodic && d < (real)-0.5) d = d + 1;                                                                       \
      const real square = d * d;                                                                                       \
      d2 = axis == 0 ? square : d2 + square;                                                                           \
    }                                                                                                                  \
    const real c2 = c * c;                                                                                             \
    return d2 <= c2;                                                                                                   \
  }
PLAIN(plain_f64, double, x, radii)
PLAIN(plain_f32, float, x32, radii32)

typedef int (*plain)(int32_t rule, int periodic, int i, int j);

/* Rows of points `first .. last` against those of the plain loop, `after`: only ids above the row's own. */
static void rows_are(const int64_t *offsets, const int32_t *ids, int64_t total, plain is_near, int32_t rule, int periodic,
                     int first, int last, int behind, int base) {
  int64_t at = 0;
  int right = offsets[0] == base;
  for (int i = first; i < last && right; i++) {
    for (int j = behind ? i + 1 : 0; j < N; j++)
      if (j != i && is_near(rule, periodic, i, j)) right = right && at < total && ids[at++] == j + base;
    right = right && offsets[i - first + 1] == at + base;
  }
  CHECK(right && at == total);
}

/* Pairs in chunks are those of the list. */
static void in_chunks(neargrid_search *search, int64_t total) {
  int32_t *i = malloc((size_t)total * sizeof *i), *j = malloc((size_t)total * sizeof *j);
  const int32_t *left, *right;
  int64_t n = GUARD, at = 0, all = GUARD;
  OK(neargrid_pairs_copy(search, total, &n, i, j));
  OK(neargrid_chunks_begin(search, NEARGRID_NEIGHBORS_HALF, total / 3 + N, &all));
  CHECK(n == total && all == total);
  for (;;) {
    OK(neargrid_chunks_next_pairs(search, &n, &left, &right));
    if (n == 0 || at + n > total) break;
    CHECK(same(left, i + at, n, 0) && same(right, j + at, n, 0));
    at += n;
  }
  CHECK(at == total);
  free(i);
  free(j);
}

/* With ids that descend, rows do so too. */
static void by_ids(void) {
  int64_t n = GUARD, total = GUARD, global[N];
  const int64_t *offsets;
  const int32_t *ids;
  neargrid_search *search = new_search(0.1);
  OK(neargrid_search_set_points_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof *x));
  OK(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, N, radii, sizeof(double), NEARGRID_RADIUS_GATHER));
  OK(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_FULL, &n, &total, &offsets, &ids));
  int32_t *rows = malloc((size_t)total * sizeof *rows);
  for (int i = 0; i < N; i++) {
    for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) rows[k] = ids[offsets[i] + offsets[i + 1] - 1 - k];
    global[i] = -7 * i;
  }
  OK(neargrid_search_set_ids(search, N, global, sizeof(int64_t)));
  OK(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_FULL, &n, &total, &offsets, &ids));
  CHECK(total == offsets[N] && same(rows, ids, total, 0));
  free(rows);
  neargrid_search_destroy(search);
}

static void check_rule(neargrid_search *search, plain is_near, int32_t rule, int periodic, int base) {
  int64_t n = GUARD, total = GUARD, npairs = GUARD;
  const int64_t *offsets;
  const int32_t *ids, *i, *j;
  OK(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_FULL, &n, &total, &offsets, &ids));
  CHECK(n == N);
  rows_are(offsets, ids, total, is_near, rule, periodic, 0, N, 0, base);
  OK(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_QUERIES, &n, &total, &offsets, &ids));
  CHECK(n == Q);
  rows_are(offsets, ids, total, is_near, rule, periodic, N, N + Q, 0, base);
  if (rule < NEARGRID_RADIUS_MAX) {
    npairs = GUARD;
    const char *words = rule == 0 ? "radius rule = gather|max, min or mean" : "radius rule = scatter|max, min or mean";
    REFUSED(neargrid_pairs_count(search, &npairs), BAD_VALUE, words);
    REFUSED(neargrid_neighbors_count(search, NEARGRID_NEIGHBORS_HALF, &npairs), BAD_VALUE, words);
    CHECK(npairs == GUARD);
    return;
  }
  OK(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_HALF, &n, &total, &offsets, &ids));
  rows_are(offsets, ids, total, is_near, rule, periodic, 0, N, 1, base);
  OK(neargrid_pairs_view(search, &npairs, &i, &j));
  CHECK(npairs == total && same(j, ids, total, 0));
  in_chunks(search, total);
}

static void rules(int periodic, int base) {
  neargrid_search *search = NULL;
  const double lo[3] = {0, 0, 0}, length[3] = {1, 1, 1};
  const int32_t flags[3] = {periodic, periodic, periodic};
  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  OK(neargrid_search_set_box(search, 3, lo, length, flags));
  OK(neargrid_search_set_index_base(search, base));
  for (int k = 0; k < RULES; k++) {
    OK(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, N, radii, sizeof(double), RULE[k])); /* before the points or after them */
    OK(neargrid_search_set_points_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof *x));
    OK(neargrid_search_set_queries_f64(search, 3, Q, &x[N][0], &x[N][1], &x[N][2], sizeof *x));
    OK(neargrid_search_set_radii_f64(search, NEARGRID_OF_QUERIES, Q, radii + N, sizeof(double), 0));
    check_rule(search, plain_f64, RULE[k], periodic, base);
    OK(neargrid_search_set_points_f32(search, 3, N, &x32[0][0], &x32[0][1], &x32[0][2], sizeof *x32));
    OK(neargrid_search_set_queries_f32(search, 3, Q, &x32[N][0], &x32[N][1], &x32[N][2], sizeof *x32));
    OK(neargrid_search_set_radii_f32(search, NEARGRID_OF_POINTS, N, radii32, sizeof(float), RULE[k]));
    OK(neargrid_search_set_radii_f32(search, NEARGRID_OF_QUERIES, Q, radii32 + N, sizeof(float), 0));
    check_rule(search, plain_f32, RULE[k], periodic, base);
  }
  neargrid_search_destroy(search);
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
  for (int base = 0; base <= 1; base++) {
    rules(0, base);
    rules(1, base);
  }
  by_ids();
  solved();
  refusals();
  return finish("radii", 400);
}
