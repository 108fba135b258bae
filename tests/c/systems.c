/* Many systems of points in one call: rows as a handle for each system alone gives them, in all precisions and forms of arrays, and what
 * is refused. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { SYSTEMS = 60, N = 1500 };

typedef struct {
  double x[3];
  float single[3];
} particle;

static particle particles[N];
static int64_t firsts[SYSTEMS + 1];
static double cutoffs[SYSTEMS], lo[3 * SYSTEMS], length[3 * SYSTEMS];
static int32_t periodic[3 * SYSTEMS];

static void fill(int base) {
  uint64_t seed = 31;
  for (int k = 0; k < N; k++)
    for (int axis = 0; axis < 3; axis++) {
      particles[k].single[axis] = (float)uniform(&seed);
      particles[k].x[axis] = particles[k].single[axis];
    }
  for (int k = 0; k <= SYSTEMS; k++) firsts[k] = base + (int64_t)k * k * N / (SYSTEMS * SYSTEMS);
  for (int k = 0; k < SYSTEMS; k++) {
    cutoffs[k] = 0.1 + 0.3 * uniform(&seed);
    for (int axis = 0; axis < 3; axis++) {
      lo[3 * k + axis] = -0.25;
      length[3 * k + axis] = 1.0;
      periodic[3 * k + axis] = (k + axis) % 2;
    }
  }
}

static int32_t find(neargrid_search *search, int32_t kind, int is_single, int64_t *total, const int64_t **offsets,
                    const int32_t **ids) {
  const particle *p = particles;
  if (is_single)
    return neargrid_systems_view_f32(search, kind, 3, SYSTEMS, firsts, &p->single[0], &p->single[1], &p->single[2],
                                     sizeof *p, cutoffs, lo, length, periodic, total, offsets, ids);
  return neargrid_systems_view_f64(search, kind, 3, SYSTEMS, firsts, &p->x[0], &p->x[1], &p->x[2], sizeof *p, cutoffs,
                                   lo, length, periodic, total, offsets, ids);
}

static void compare(int base, int32_t kind, int is_single) {
  neargrid_search *search = new_search(1.0), *alone = new_search(1.0);
  int64_t total = GUARD, entries = 0;
  const int64_t *offsets = NULL;
  const int32_t *ids = NULL;
  fill(base);
  OK(neargrid_search_set_index_base(search, base));
  OK(find(search, kind, is_single, &total, &offsets, &ids));
  CHECK(offsets[0] == base && offsets[N] == base + total);
  CHECK(counter(search, NEARGRID_COUNTER_ENTRIES) == total && counter(search, NEARGRID_COUNTER_POINTS) == 0);
  for (int k = 0; k < SYSTEMS; k++) {
    const int64_t first = firsts[k] - base, n = firsts[k + 1] - firsts[k];
    const particle *p = particles + first;
    const int64_t *own_offsets = NULL;
    const int32_t *own_ids = NULL;
    int64_t rows = GUARD, own = GUARD, wrong = 0;
    OK(neargrid_search_set_box(alone, 3, lo + 3 * k, length + 3 * k, periodic + 3 * k));
    OK(neargrid_search_set_cutoff(alone, cutoffs[k]));
    if (is_single)
      OK(neargrid_search_set_points_f32(alone, 3, n, &p->single[0], &p->single[1], &p->single[2], sizeof *p));
    else
      OK(neargrid_search_set_points_f64(alone, 3, n, &p->x[0], &p->x[1], &p->x[2], sizeof *p));
    OK(neargrid_neighbors_view(alone, kind, &rows, &own, &own_offsets, &own_ids));
    for (int64_t i = 0; i <= n; i++) wrong += offsets[first + i] - base - entries != own_offsets[i];
    for (int64_t e = 0; e < own; e++) wrong += ids[entries + e] != own_ids[e] + first + base;
    CHECK(wrong == 0);
    entries += own;
  }
  CHECK(entries == total && total > N);
  neargrid_search_destroy(search);
  neargrid_search_destroy(alone);
}

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
  for (int way = 0; way < 8; way++)
    compare(way & 1, way & 2 ? NEARGRID_NEIGHBORS_HALF : NEARGRID_NEIGHBORS_FULL, way & 4);
  refusals();
  return finish("systems", 600);
}
