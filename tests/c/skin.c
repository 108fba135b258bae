/* A column of water that falls over in a box, its list kept by a skin: at every step the pairs and rows are those of a
 * fresh search, and the list is made far less often than there are steps. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <math.h>

enum { WIDE = 12, HIGH = 24, N = WIDE * HIGH, STEPS = 400 };

typedef struct {
  double x[N][2], v[N][2];
} column;

static column at_rest(void) {
  column c = {{{0}}, {{0}}};
  for (int k = 0; k < N; k++) {
    c.x[k][0] = 0.5 + k % WIDE + 0.1 * (k / WIDE % 2);
    c.x[k][1] = 0.5 + k / WIDE;
  }
  return c;
}

/* Gravity, soft repulsion between the pairs with some friction, and walls that reflect; across a periodic x there are none. */
static void step(column *c, int64_t npairs, const int32_t *i, const int32_t *j, double width, int periodic) {
  const double dt = 0.02;
  for (int64_t k = 0; k < npairs; k++) {
    double *a = c->v[i[k]], *b = c->v[j[k]], r[2];
    for (int axis = 0; axis < 2; axis++) r[axis] = c->x[i[k]][axis] - c->x[j[k]][axis];
    if (periodic) r[0] -= width * floor(r[0] / width + 0.5);
    const double distance = sqrt(r[0] * r[0] + r[1] * r[1]) + 1e-9, push = 60 * (1.3 - distance) * dt / distance;
    for (int axis = 0; axis < 2; axis++) {
      const double kick = (distance < 1.3 ? push * r[axis] : 0) - 0.02 * (a[axis] - b[axis]);
      a[axis] += kick;
      b[axis] -= kick;
    }
  }
  for (int k = 0; k < N; k++) {
    c->v[k][1] -= dt;
    for (int axis = 0; axis < 2; axis++) c->x[k][axis] += dt * c->v[k][axis];
    if (c->x[k][1] < 0) c->x[k][1] = -c->x[k][1], c->v[k][1] = -c->v[k][1];
    if (periodic) continue;
    if (c->x[k][0] < 0) c->x[k][0] = -c->x[k][0], c->v[k][0] = -c->v[k][0];
    if (c->x[k][0] > width) c->x[k][0] = 2 * width - c->x[k][0], c->v[k][0] = -c->v[k][0];
  }
}

static void same_rows(neargrid_search *kept, neargrid_search *fresh, int32_t kind) {
  int64_t n[2], total[2];
  const int64_t *offsets[2];
  const int32_t *ids[2];
  OK(neargrid_neighbors_view(kept, kind, &n[0], &total[0], &offsets[0], &ids[0]));
  OK(neargrid_neighbors_view(fresh, kind, &n[1], &total[1], &offsets[1], &ids[1]));
  if (!CHECK(n[0] == n[1] && total[0] == total[1])) return;
  CHECK(memcmp(offsets[0], offsets[1], (size_t)(n[0] + 1) * sizeof(int64_t)) == 0);
  CHECK(memcmp(ids[0], ids[1], (size_t)total[0] * sizeof(int32_t)) == 0);
}

/* The Verlet list stays the same until it is said to be another, and has every pair that there is now. */
static void verlet(neargrid_search *kept, int32_t changed, int64_t npairs, const int32_t *i, const int32_t *j) {
  static const int64_t *last_offsets;
  static int64_t last_total;
  const int64_t *offsets;
  const int32_t *ids;
  int64_t n = 0, total = 0;
  int32_t rebuilt = GUARD;
  OK(neargrid_verlet_view(kept, NEARGRID_NEIGHBORS_HALF, &n, &total, &offsets, &ids, &rebuilt));
  CHECK(rebuilt == changed && n == N && total >= npairs && offsets[0] == 0 && offsets[N] == total);
  if (rebuilt == 0) CHECK(offsets == last_offsets && total == last_total);
  last_offsets = offsets, last_total = total;
  for (int64_t k = 0; k < npairs; k++) {
    int found = 0;
    for (int64_t at = offsets[i[k]]; at < offsets[i[k] + 1]; at++) found |= ids[at] == j[k];
    if (!CHECK(found)) return;
  }
}

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

static void fall(int width, int periodic, int single) {
  column c = at_rest();
  static float x32[N][2];
  neargrid_search *kept = new_search(2.0), *fresh = new_search(2.0);
  const double lo[2] = {0, 0}, length[2] = {width, 100};
  const int32_t flags[2] = {periodic, 0};
  int64_t rebuilds = 0, lists = 0;
  double share = 0, largest = 0;
  for (int k = 0; k < 2; k++) OK(neargrid_search_set_box(k ? kept : fresh, 2, lo, length, flags));
  OK(neargrid_search_set_skin(kept, 0.6));
  for (int now = 0; now < STEPS; now++) {
    int32_t rebuilt = GUARD;
    int64_t npairs[2];
    const int32_t *i[2], *j[2];
    if (single) {
      for (int k = 0; k < N; k++) x32[k][0] = (float)c.x[k][0], x32[k][1] = (float)c.x[k][1];
      OK(neargrid_search_update_f32(kept, 2, N, &x32[0][0], &x32[0][1], NULL, sizeof *x32, &rebuilt));
      OK(neargrid_search_set_points_f32(fresh, 2, N, &x32[0][0], &x32[0][1], NULL, sizeof *x32));
    } else {
      OK(neargrid_search_update_f64(kept, 2, N, &c.x[0][0], &c.x[0][1], NULL, sizeof *c.x, &rebuilt));
      OK(neargrid_search_set_points_f64(fresh, 2, N, &c.x[0][0], &c.x[0][1], NULL, sizeof *c.x));
    }
    CHECK(rebuilt == 0 || rebuilt == 1);
    rebuilds += rebuilt;
    OK(neargrid_search_skin_used(kept, &share));
    CHECK(share >= 0 && (share <= 1 || rebuilt == 1));
    if (rebuilt == 0 && share > largest) largest = share;
    if (now % 10 == 9) same_rows(kept, fresh, now % 20 == 9 ? NEARGRID_NEIGHBORS_HALF : NEARGRID_NEIGHBORS_FULL);
    OK(neargrid_pairs_view(kept, &npairs[0], &i[0], &j[0]));
    OK(neargrid_pairs_view(fresh, &npairs[1], &i[1], &j[1]));
    if (!CHECK(npairs[0] == npairs[1])) break;
    const int64_t made = counter(kept, NEARGRID_COUNTER_SKIN_LISTS);
    verlet(kept, made > lists, npairs[1], i[1], j[1]);
    lists = counter(kept, NEARGRID_COUNTER_SKIN_LISTS);
    CHECK(same(i[0], i[1], npairs[1], 0) && same(j[0], j[1], npairs[1], 0));
    step(&c, npairs[1], i[1], j[1], width, periodic);
  }
  lists = counter(kept, NEARGRID_COUNTER_SKIN_LISTS);
  CHECK(rebuilds > 3 && rebuilds < STEPS / 2 && lists >= rebuilds && lists < STEPS / 2 + 60 && largest > 0.3);
  neargrid_search_destroy(kept);
  neargrid_search_destroy(fresh);
}

int main(void) {
  verlet_refused();
  fall(3 * WIDE, 0, 0);
  fall(3 * WIDE, 1, 0);
  fall(3 * WIDE, 0, 1);
  return finish("skin", 10 * STEPS);
}
