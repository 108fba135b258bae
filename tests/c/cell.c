/* Rows of images in a cell, copied and viewed, against the plain loop over points and shifts; what is refused. Cells of
 * all kinds are compared in the Rust tests. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { N = 12, MOST = 5, WIDE = 2 * MOST + 1, LIMIT = N * N * WIDE * WIDE * WIDE };

static const double vectors[9] = {1.5, 0.1, 0.0, 0.75, -1.25, 0.2, -0.3, 0.6, 1.75};
static const int32_t all[3] = {1, 1, 1}, slab[3] = {1, 0, 1};
static double x[N][3];
static int64_t offsets[N + 1], wanted_offsets[N + 1];
static int32_t wanted_ids[LIMIT], wanted_shifts[3 * LIMIT];

/* Whether the image of j is within the cutoff of i; D = x_j - x_i + S * cell has the other sign. */
static int in_reach(int i, int j, const int s[3], const int32_t *periodic, double cutoff) {
  double d2 = 0.0;
  for (int axis = 0; axis < 3; axis++) {
    const double a = periodic[0] ? s[0] * vectors[axis] : 0.0, b = periodic[1] ? s[1] * vectors[3 + axis] : 0.0;
    const double c = periodic[2] ? s[2] * vectors[6 + axis] : 0.0;
    const double image = x[j][axis] + ((a + b) + c), d = x[i][axis] - image;
    d2 = d2 + d * d;
  }
  return d2 <= cutoff * cutoff;
}

/* Whether half rows list the entry, and not its opposite. */
static int is_once(int i, int j, const int s[3]) {
  const int sum = s[0] + s[1] + s[2];
  return i < j || (i == j && (sum > 0 || (sum == 0 && (s[2] > 0 || (s[2] == 0 && s[1] > 0)))));
}

static int64_t plain(int full, const int32_t *periodic, double cutoff, int base) {
  int64_t n = 0;
  wanted_offsets[0] = base;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      for (int k = 0; k < WIDE * WIDE * WIDE; k++) {
        const int s[3] = {k / (WIDE * WIDE) - MOST, k / WIDE % WIDE - MOST, k % WIDE - MOST};
        const int back[3] = {-s[0], -s[1], -s[2]};
        const int once = is_once(i, j, s), itself = i == j && s[0] == 0 && s[1] == 0 && s[2] == 0;
        if ((s[0] && !periodic[0]) || (s[1] && !periodic[1]) || (s[2] && !periodic[2]) || itself) continue;
        if (!once && (!full || !in_reach(j, i, back, periodic, cutoff))) continue;
        if (once && !in_reach(i, j, s, periodic, cutoff)) continue;
        wanted_ids[n] = j + base;
        for (int axis = 0; axis < 3; axis++) wanted_shifts[3 * n + axis] = s[axis];
        n++;
      }
    wanted_offsets[i + 1] = base + n;
  }
  return n;
}

static void rows(neargrid_search *search, int full, const int32_t *periodic, double cutoff, int base) {
  const int32_t kind = full ? NEARGRID_NEIGHBORS_FULL : NEARGRID_NEIGHBORS_HALF;
  int64_t total = GUARD, n = GUARD;
  const int64_t *at_offsets = NULL;
  const int32_t *at_ids = NULL, *at_shifts = NULL;
  OK(neargrid_search_set_index_base(search, base));
  OK(neargrid_search_set_cell(search, vectors, periodic));
  OK(neargrid_search_set_cutoff(search, cutoff));
  const int64_t wanted = plain(full, periodic, cutoff, base);
  OK(neargrid_images_count(search, kind, &total));
  CHECK(total == wanted && total > 0);
  int32_t *ids = guarded(wanted + 1), *shifts = guarded(3 * wanted + 1);
  REFUSED(neargrid_images_copy(search, kind, N, wanted - 1, &total, offsets, ids, shifts), CAPACITY, "capacity");
  CHECK(total == wanted && untouched(ids, 0, wanted + 1) && untouched(shifts, 0, 3 * wanted + 1));
  OK(neargrid_images_copy(search, kind, N, wanted, &total, offsets, ids, NULL));
  CHECK(memcmp(ids, wanted_ids, (size_t)wanted * sizeof *ids) == 0);
  OK(neargrid_images_copy(search, kind, N, wanted + 1, &total, offsets, ids, shifts));
  CHECK(total == wanted && memcmp(offsets, wanted_offsets, sizeof offsets) == 0);
  CHECK(memcmp(ids, wanted_ids, (size_t)wanted * sizeof *ids) == 0 && untouched(ids, wanted, wanted + 1));
  CHECK(memcmp(shifts, wanted_shifts, 3 * (size_t)wanted * sizeof *shifts) == 0);
  CHECK(untouched(shifts, 3 * wanted, 3 * wanted + 1));
  OK(neargrid_images_view(search, kind, &n, &total, &at_offsets, &at_ids, &at_shifts));
  CHECK(n == N && total == wanted && memcmp(at_offsets, wanted_offsets, sizeof offsets) == 0);
  CHECK(memcmp(at_ids, wanted_ids, (size_t)wanted * sizeof *ids) == 0);
  CHECK(memcmp(at_shifts, wanted_shifts, 3 * (size_t)wanted * sizeof *shifts) == 0);
  OK(neargrid_images_view(search, kind, &n, &total, &at_offsets, &at_ids, NULL));
  free(ids);
  free(shifts);
}

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
  for (int full = 0; full <= 1; full++)
    for (int base = 0; base <= 1; base++) {
      rows(search, full, all, 1.0, base);
      rows(search, full, slab, 2.25, base);
    }
  OK(neargrid_search_set_index_base(search, 0));
  OK(neargrid_search_set_cutoff(search, 1.0));
  refusals(search);
  neargrid_search_destroy(search);
  return finish("cell", 150);
}
