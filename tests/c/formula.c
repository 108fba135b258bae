/* Fields in structures, and what is refused of formulas and fields, with outputs untouched. tests/suite/sum.rs tests formulas of all
 * sorts. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <stddef.h>

enum { N = 400 };

static neargrid_formula *formula_of(const char *text) {
  neargrid_formula *formula = NULL;
  if (!OK(neargrid_formula_create(text, &formula))) exit(1);
  return formula;
}

static void refusals(void) {
  neargrid_formula *formula = (neargrid_formula *)&checks;
  REFUSED(neargrid_formula_create("rho += m_j*(1 - r/c", &formula), BAD_VALUE, "line 1, column 20|')' is missing");
  CHECK(formula == NULL);
  REFUSED(neargrid_formula_create(NULL, &formula), NULL_POINTER, "text");
  REFUSED(neargrid_formula_create("n += 1", NULL), NULL_POINTER, "formula");
  REFUSED(neargrid_formula_create("n += 1 # \xff", &formula), BAD_VALUE, "text|UTF-8");
  REFUSED(neargrid_formula_set_constant(NULL, "a", 1), NULL_POINTER, "neargrid_formula_create");
  formula = formula_of("rho += m_j*a + W(r)\nv += d");
  const double values[4] = {1, 2, 3, 4};
  double out[4] = {GUARD, GUARD, GUARD, GUARD};
  neargrid_search *search = new_search(2);
  REFUSED(neargrid_formula_set_constant(formula, "b", 1), BAD_VALUE, "'b'|constants of the formula: a");
  REFUSED(neargrid_formula_set_constant(formula, NULL, 1), NULL_POINTER, "name");
  REFUSED(neargrid_search_set_field_f64(search, "m", NEARGRID_OF_POINTS, 4, 1, values, NULL, NULL, sizeof(double)), BAD_DIM, "components = 4");
  REFUSED(neargrid_search_set_field_f64(search, "m", NEARGRID_OF_POINTS, -1, 1, values, NULL, NULL, sizeof(double)), BAD_DIM, "components = -1");
  REFUSED(neargrid_search_set_field_f64(search, "m", NEARGRID_OF_POINTS, 1, -1, values, NULL, NULL, sizeof(double)), BAD_COUNT, "n = -1");
  REFUSED(neargrid_search_set_field_f64(search, "m", NEARGRID_OF_POINTS, 1, 3, NULL, NULL, NULL, sizeof(double)), NULL_POINTER, "x is NULL");
  REFUSED(neargrid_search_set_field_f64(search, "m", 2, 1, 3, values, NULL, NULL, 8), BAD_VALUE, "of = 2|1 (queries)");
  REFUSED(neargrid_search_set_field_f64(search, "m", 0, 2, 3, values, NULL, NULL, 16), NULL_POINTER, "y is NULL");
  REFUSED(neargrid_search_set_field_f64(search, "m", 0, 1, 3, values, NULL, NULL, 1), BAD_VALUE, "stride = 1 |bytes, not elements");
  REFUSED(neargrid_search_set_field_f64(search, "x", 0, 1, 3, values, NULL, NULL, 8), BAD_VALUE, "'x' is the field of the points");
  REFUSED(neargrid_search_set_field_f64(search, NULL, 0, 1, 3, values, NULL, NULL, 8), NULL_POINTER, "name");
  REFUSED(neargrid_search_set_field_f64(NULL, "m", 0, 1, 3, values, NULL, NULL, 8), NULL_POINTER, "search");
  REFUSED(neargrid_field_copy_f64(search, "x", 0, 1, 4, out, NULL, NULL, 8), BAD_STATE, "no points");
  REFUSED(neargrid_formula_set_table(formula, "W", 3, 0, 1, 4, values), BAD_VALUE, "of = 3|2 (r/c)");
  REFUSED(neargrid_formula_set_table(formula, "W", NEARGRID_TABLE_R2, 0, 1, 4, values), BAD_VALUE, "table of = r2");
  REFUSED(neargrid_formula_set_table(formula, "W", NEARGRID_TABLE_R, 0, 1, 1, values), BAD_COUNT, "number of values = 1");
  REFUSED(neargrid_formula_set_cubic_table(formula, "W", NEARGRID_TABLE_R_OVER_C, 0, 1, 4, values), BAD_VALUE, "table of = r/c");
  REFUSED(neargrid_formula_set_cubic_table(formula, "W", NEARGRID_TABLE_R, 0, 1, 3, values), BAD_COUNT, "number of values = 3");
  REFUSED(neargrid_formula_set_cubic_table(formula, "W", NEARGRID_TABLE_R, 0, 1, 4, NULL), NULL_POINTER, "values");
  REFUSED(neargrid_formula_set_cubic_table(NULL, "W", NEARGRID_TABLE_R, 0, 1, 4, values), NULL_POINTER, "formula");
  REFUSED(neargrid_formula_set_precision(formula, 2), BAD_VALUE, "precision = 2");
  REFUSED(neargrid_formula_set_include_self(formula, 2), BAD_VALUE, "include = 2");
  REFUSED(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_FULL, 1), BAD_STATE, "no points");
  OK(neargrid_search_set_points_f64(search, 1, 4, values, NULL, NULL, sizeof(double)));
  REFUSED(neargrid_search_run(search, NULL, NEARGRID_NEIGHBORS_FULL, 1), NULL_POINTER, "formula");
  REFUSED(neargrid_search_run(search, formula, 7, 1), BAD_VALUE, "kind = 7");
  REFUSED(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_FULL, -1), BAD_COUNT, "times = -1 |0 or more");
  REFUSED(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_FULL, 1), BAD_STATE, "'a' has no value");
  OK(neargrid_formula_set_constant(formula, "a", 1));
  OK(neargrid_formula_set_table(formula, "W", NEARGRID_TABLE_R, 0, 1, 4, values));
  OK(neargrid_search_set_field_f64(search, "m", NEARGRID_OF_POINTS, 1, 3, values, NULL, NULL, sizeof(double)));
  REFUSED(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_FULL, 1), BAD_COUNT, "line 1, column 8|values of 3 points; there are 4 points now");
  REFUSED(neargrid_field_copy_f64(search, "rho", NEARGRID_OF_POINTS, 1, 4, out, NULL, NULL, sizeof(double)), BAD_STATE, "no field 'rho' of points");
  OK(neargrid_search_set_field_f64(search, "m", NEARGRID_OF_POINTS, 1, 4, values, NULL, NULL, sizeof(double)));
  OK(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_FULL, 1));
  OK(neargrid_formula_set_precision(formula, NEARGRID_PRECISION_DOUBLE));
  OK(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_FULL, 1));
  REFUSED(neargrid_field_copy_f64(search, "rho", NEARGRID_OF_POINTS, 1, 3, out, NULL, NULL, sizeof(double)), BAD_COUNT, "n = 3|4, as many as rho has values");
  REFUSED(neargrid_field_copy_f64(search, "mu", NEARGRID_OF_POINTS, 1, 4, out, NULL, NULL, sizeof(double)), BAD_STATE, "no field 'mu' of points");
  REFUSED(neargrid_field_copy_f64(search, "rho", NEARGRID_OF_POINTS, 1, 4, NULL, NULL, NULL, sizeof(double)), NULL_POINTER, "x is NULL");
  REFUSED(neargrid_field_copy_f64(search, "rho", NEARGRID_OF_POINTS, 2, 4, out, out, NULL, 16), BAD_DIM, "components = 2|1, as many as rho has");
  REFUSED(neargrid_field_copy_f64(search, "rho", NEARGRID_OF_POINTS, 1, 4, out, NULL, NULL, 1), BAD_VALUE, "stride = 1 |bytes, not elements");
  CHECK(out[0] == GUARD && out[3] == GUARD);
  OK(neargrid_field_copy_f64(search, "rho", NEARGRID_OF_POINTS, 1, 4, out, NULL, NULL, sizeof(double)));
  CHECK(out[0] == 2 + 4 + 3 + 4);
  double number = GUARD;
  neargrid_formula *move = formula_of("t := t + 1\nx_i = x_i + t\nsum += 1");
  REFUSED(neargrid_formula_number(move, "t", &number), BAD_STATE, "no number of that name");
  REFUSED(neargrid_search_run(search, move, NEARGRID_NEIGHBORS_FULL, 3), BAD_STATE, "'t' has no value");
  REFUSED(neargrid_formula_number(move, "sum", &number), BAD_VALUE, "'sum' is a field");
  REFUSED(neargrid_formula_number(move, "t", NULL), NULL_POINTER, "value");
  neargrid_formula_destroy(move);
  neargrid_formula_destroy(formula);
  formula = formula_of("n += 1");
  OK(neargrid_formula_set_include_self(formula, 1));
  OK(neargrid_search_set_queries_f64(search, 1, 1, values, NULL, NULL, sizeof(double)));
  REFUSED(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_QUERIES, 1), BAD_VALUE, "include_self");
  CHECK(number == GUARD);
  neargrid_search_destroy(search);
  neargrid_formula_destroy(formula);
  neargrid_formula_destroy(NULL);
}

/* A particle as codes keep it, with numbers at odd addresses. */
#pragma pack(push, 1)
typedef struct {
  char tag;
  double x[2], u[2], mass;
  int64_t id;
  int32_t type;
  double radius, sum[2];
} particle;
#pragma pack(pop)

/* Fields, ids, types, radii and outputs in structures, in separate arrays and backwards, against arrays without gaps. */
static void structures(void) {
  static particle p[N];
  static double x[N][2], u[N][2], mass[N], radius[N], want[N][2], one[N], two[N];
  static int64_t id[N];
  static int32_t type[N];
  const int32_t mask[4] = {1, 1, 1, 0};
  uint64_t state = 5;
  for (int i = 0; i < N; i++) {
    for (int axis = 0; axis < 2; axis++) x[i][axis] = uniform(&state), u[i][axis] = uniform(&state) - 0.5;
    mass[i] = uniform(&state), radius[i] = 0.05 + 0.05 * uniform(&state), id[i] = (i * 7) % N, type[i] = i % 2;
    memcpy((char *)&p[i].mass, &mass[i], sizeof mass[i]);
    memcpy((char *)p[i].x, x[i], sizeof x[i]), memcpy((char *)p[i].u, u[i], sizeof u[i]);
    p[i].id = id[i], p[i].type = type[i], p[i].radius = radius[i], p[i].tag = 'x';
  }
  const int64_t gap = sizeof *p;
  const double *px = (const double *)((const char *)p + offsetof(particle, x));
  const double *pu = (const double *)((const char *)p + offsetof(particle, u));
  const double *pm = (const double *)((const char *)p + offsetof(particle, mass));
  const double *pr = (const double *)((const char *)p + offsetof(particle, radius));
  const int64_t *pid = (const int64_t *)((const char *)p + offsetof(particle, id));
  const int32_t *pt = (const int32_t *)((const char *)p + offsetof(particle, type));
  double *ps = (double *)((char *)p + offsetof(particle, sum));
  neargrid_formula *f = formula_of("s += m_j*(u_i - u_j)");
  OK(neargrid_formula_set_precision(f, NEARGRID_PRECISION_DOUBLE));
  for (int apart = 0; apart < 2; apart++) {
    neargrid_search *search = new_search(0.1);
    OK(neargrid_search_set_points_f64(search, 2, N, apart ? px : x[0], apart ? px + 1 : x[0] + 1, NULL,
                                      apart ? gap : (int64_t)sizeof x[0]));
    OK(neargrid_search_set_ids(search, N, apart ? pid : id, apart ? gap : 8));
    OK(neargrid_search_set_types(search, N, apart ? pt : type, apart ? gap : 4, 2, mask));
    OK(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, N, apart ? pr : radius, apart ? gap : 8, NEARGRID_RADIUS_MAX));
    OK(neargrid_search_set_field_f64(search, "m", NEARGRID_OF_POINTS, 1, N, apart ? pm : mass, NULL, NULL, apart ? gap : 8));
    OK(neargrid_search_set_field_f64(search, "u", NEARGRID_OF_POINTS, 2, N, apart ? pu : u[0], apart ? pu + 1 : u[0] + 1, NULL,
                                      apart ? gap : (int64_t)sizeof u[0]));
    OK(neargrid_search_run(search, f, NEARGRID_NEIGHBORS_FULL, 1));
    if (apart) {
      OK(neargrid_field_copy_f64(search, "s", NEARGRID_OF_POINTS, 2, N, ps, ps + 1, NULL, gap));
      for (int i = 0; i < N; i++) CHECK(memcmp((const char *)p[i].sum, want[i], sizeof want[i]) == 0 && p[i].tag == 'x');
      OK(neargrid_field_copy_f64(search, "s", NEARGRID_OF_POINTS, 2, N, one, two, NULL, 8));
      for (int i = 0; i < N; i++) CHECK(one[i] == want[i][0] && two[i] == want[i][1]);
      OK(neargrid_field_copy_f64(search, "s", NEARGRID_OF_POINTS, 2, N, one + N - 1, two + N - 1, NULL, -8));
      for (int i = 0; i < N; i++) CHECK(one[N - 1 - i] == want[i][0] && two[N - 1 - i] == want[i][1]);
      REFUSED(neargrid_field_copy_f64(search, "s", NEARGRID_OF_POINTS, 2, N, one, one + 1, NULL, 8), BAD_VALUE, "stride = 8 |x and y do not overlap");
    } else {
      OK(neargrid_field_copy_f64(search, "s", NEARGRID_OF_POINTS, 2, N, want[0], want[0] + 1, NULL, sizeof want[0]));
    }
    neargrid_search_destroy(search);
  }
  neargrid_formula_destroy(f);
}

int main(void) {
  structures();
  refusals();
  return finish("formula", 60);
}
