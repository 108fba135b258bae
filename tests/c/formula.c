/* Fields in structures. tests/suite/sum.rs tests formulas of all sorts. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <stddef.h>

enum { N = 400 };

static neargrid_formula *formula_of(const char *text) {
  neargrid_formula *formula = NULL;
  if (!OK(neargrid_formula_create(text, &formula))) exit(1);
  return formula;
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
  return finish("formula", 60);
}
