/* Values of contacts of points that move, carried from list to list and bit for bit those of a plain loop over all pairs of
 * entries; what was lost; lists that are refused. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { N = 300, COLUMNS = 3 };

static const int32_t SIGNS[COLUMNS] = {1, -1, -1};

/* A list in memory of its own. Point k has the global id `global[k]`. */
typedef struct {
  int64_t n, total, offsets[N + 1], global[N];
  fenced ids, f64, f32;
} rows;

static void take(neargrid_search *search, int32_t kind, int n, rows *list) {
  const int64_t *offsets;
  const int32_t *ids;
  OK(neargrid_neighbors_view(search, kind, &list->n, &list->total, &offsets, &ids));
  CHECK(list->n == n);
  memcpy(list->offsets, offsets, (size_t)(n + 1) * sizeof *offsets);
  list->ids = fence((size_t)list->total * sizeof *ids);
  memcpy(list->ids.start, ids, (size_t)list->total * sizeof *ids);
  freeze(list->ids);
  list->f64 = fence((size_t)(list->total * COLUMNS) * sizeof(double));
  list->f32 = fence((size_t)(list->total * COLUMNS) * sizeof(float));
}

static void drop(rows *list) {
  unfence(list->ids);
  unfence(list->f64);
  unfence(list->f32);
}

/* The position of the entry of a pair of global ids, or -1. */
static int64_t place(const rows *list, int base, int64_t a, int64_t b) {
  const int32_t *ids = list->ids.start;
  for (int64_t i = 0; i < list->n; i++)
    if (list->global[i] == a)
      for (int64_t k = list->offsets[i] - base; k < list->offsets[i + 1] - base; k++)
        if (list->global[ids[k] - base] == b) return k;
  return -1;
}

/* Checks the values of the new list. Returns how many entries have values of the old one. */
static int64_t compare(const rows *old, const rows *now, int base, int with_signs) {
  const int32_t *ids = now->ids.start;
  const double *old64 = old->f64.start, *f64 = now->f64.start;
  const float *old32 = old->f32.start, *f32 = now->f32.start;
  int64_t wrong = 0, kept = 0;
  for (int64_t i = 0; i < now->n; i++)
    for (int64_t k = now->offsets[i] - base; k < now->offsets[i + 1] - base; k++) {
      const int64_t a = now->global[i], b = now->global[ids[k] - base];
      const int64_t same = place(old, base, a, b), turned = same < 0 ? place(old, base, b, a) : -1;
      const int64_t at = same < 0 ? turned : same;
      kept += at >= 0;
      for (int c = 0; c < COLUMNS; c++) {
        const int flips = turned >= 0 && with_signs && SIGNS[c] < 0;
        const double want64 = at < 0 ? 0 : flips ? -old64[at * COLUMNS + c] : old64[at * COLUMNS + c];
        const float want32 = at < 0 ? 0 : flips ? -old32[at * COLUMNS + c] : old32[at * COLUMNS + c];
        wrong += memcmp(&want64, &f64[k * COLUMNS + c], sizeof want64) != 0;
        wrong += memcmp(&want32, &f32[k * COLUMNS + c], sizeof want32) != 0;
      }
    }
  CHECK(wrong == 0);
  return kept;
}

static int64_t compare_lost(const rows *old, const rows *now, int base, int64_t nlost, const int64_t *lost) {
  const int32_t *ids = old->ids.start;
  int64_t count = 0, wrong = 0;
  for (int64_t i = 0; i < old->n; i++)
    for (int64_t k = old->offsets[i] - base; k < old->offsets[i + 1] - base; k++) {
      const int64_t a = old->global[i], b = old->global[ids[k] - base];
      if (place(now, base, a, b) >= 0 || place(now, base, b, a) >= 0) continue;
      wrong += count >= nlost || lost[count] != k + base;
      count++;
    }
  CHECK(wrong == 0 && count == nlost);
  return count;
}

/* Points that move, and at times change their numbers: half rows, then full ones, and back. */
static void moving(int base, int threads) {
  static double x[N][3];
  static int64_t lost[40 * N];
  static rows lists[2];
  uint64_t state = 5;
  int64_t kept = 0, gone = 0;
  neargrid_search *search = new_search(0.2);
  OK(neargrid_search_set_index_base(search, base));
  OK(neargrid_search_set_threads(search, threads));
  for (int k = 0; k < N; k++)
    for (int axis = 0; axis < 3; axis++) x[k][axis] = uniform(&state);
  for (int step = 0; step < 6; step++) {
    rows *old = &lists[step % 2], *now = &lists[1 - step % 2];
    const int n = step % 3 == 2 ? N - 20 : N, renumbers = step >= 3;
    for (int k = 0; k < N; k++) now->global[k] = step == 4 ? N - 1 - k : k;
    static double moved[N][3];
    for (int k = 0; k < N; k++) memcpy(moved[k], x[now->global[k]], sizeof moved[k]);
    OK(neargrid_search_set_points_f64(search, 3, n, &moved[0][0], &moved[0][1], &moved[0][2], sizeof *moved));
    take(search, step % 4 < 2 ? NEARGRID_NEIGHBORS_HALF : NEARGRID_NEIGHBORS_FULL, n, now);
    if (step == 0) {
      for (int64_t k = 0; k < now->total * COLUMNS; k++) {
        ((double *)now->f64.start)[k] = k % 7 ? uniform(&state) - 0.5 : 0;
        ((float *)now->f32.start)[k] = k % 5 ? (float)uniform(&state) : 0;
      }
    } else {
      const int32_t *signs = step == 1 ? NULL : SIGNS;
      const int64_t *a = renumbers ? old->global : NULL, *b = renumbers ? now->global : NULL;
      int64_t nlost = GUARD, again = GUARD;
      CHECK(old->total < 40 * N);
      for (int k = 0; k < 40 * N; k++) lost[k] = GUARD;
      freeze(old->f64);
      freeze(old->f32);
      OK(neargrid_carry_f64(search, base, old->n, old->offsets, old->ids.start, old->n, a, base, n, now->offsets,
                            now->ids.start, n, b, COLUMNS, signs, old->f64.start, now->f64.start, &nlost, lost));
      OK(neargrid_carry_f32(search, base, old->n, old->offsets, old->ids.start, old->n, a, base, n, now->offsets,
                            now->ids.start, n, b, COLUMNS, signs, old->f32.start, now->f32.start, &again, NULL));
      CHECK(nlost == again && lost[nlost] == GUARD);
      kept += compare(old, now, base, signs != NULL);
      gone += compare_lost(old, now, base, nlost, lost);
      drop(old);
    }
    for (int k = 0; k < N; k++)
      for (int axis = 0; axis < 3; axis++) x[k][axis] += 0.02 * (uniform(&state) - 0.5);
  }
  drop(&lists[0]);
  CHECK(kept > 5000 && gone > 200);
  neargrid_search_destroy(search);
}

/* Rows 0: 1, 2 and 1: 2, in index base 0. */
static const int64_t OFFSETS[4] = {0, 2, 3, 3}, IDS[3] = {7, 8, 9};
static const int32_t ROWS[3] = {1, 2, 2};
static double values[8];

static neargrid_status call(neargrid_search *search, const int64_t *offsets, const int32_t *rows_ids, int64_t n,
                            int64_t columns, double *to) {
  static const double old_values[3] = {1, 2, 3};
  return neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, n, offsets, rows_ids, 0, NULL, columns, NULL, old_values,
                            to, NULL, NULL);
}

/* Texts name the argument; nothing is written. */
static void refusals(void) {
  neargrid_search *search = new_search(1);
  const int32_t turned[3] = {2, 1, 2}, sign = 3;
  const int64_t late[4] = {1, 2, 3, 3}, high[4] = {0, 2, 3, INT64_MAX};
  union {
    double real[3];
    int64_t whole[3];
  } shared = {{1, 2, 3}};
  int64_t lost[3] = {GUARD, GUARD, GUARD}, nlost = GUARD;
  for (int k = 0; k < 8; k++) values[k] = GUARD;
  REFUSED(call(NULL, OFFSETS, ROWS, 3, 1, values), NULL_POINTER, "search");
  REFUSED(call(search, OFFSETS, ROWS, -1, 1, values), BAD_COUNT, "n = -1");
  REFUSED(call(search, OFFSETS, ROWS, 3, -1, values), BAD_COUNT, "columns = -1");
  REFUSED(call(search, OFFSETS, ROWS, 3, INT64_MAX, values), BAD_COUNT, "columns = 9223372036854775807");
  REFUSED(call(search, NULL, ROWS, 3, 1, values), NULL_POINTER, "offsets is NULL");
  REFUSED(call(search, OFFSETS, NULL, 3, 1, values), NULL_POINTER, "ids is NULL");
  REFUSED(call(search, OFFSETS, ROWS, 3, 1, NULL), NULL_POINTER, "values is NULL");
  REFUSED(call(search, late, ROWS, 3, 1, values), BAD_VALUE, "element 0 of offsets is 1");
  REFUSED(call(search, high, ROWS, 3, 1, values), BAD_VALUE, "offsets = |9223372036854775807");
  REFUSED(call(search, OFFSETS, turned, 3, 1, values), BAD_VALUE, "element 1 of ids is 1|row 0");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, turned, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 0, NULL, NULL, NULL, &nlost, lost),
          BAD_VALUE, "element 1 of old_ids is 1|row 0");
  REFUSED(neargrid_carry_f64(search, 5, 3, OFFSETS, ROWS, 3, IDS, 0, 3, OFFSETS, ROWS, 3, IDS, 0, NULL, NULL, NULL, &nlost, lost),
          BAD_VALUE, "old_first_row = 5");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 3, IDS, 0, 3, OFFSETS, ROWS, 3, NULL, 0, NULL, NULL, NULL, &nlost, lost),
          BAD_VALUE, "global_ids = no array");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, -3, IDS, 0, 3, OFFSETS, ROWS, 3, IDS, 0, NULL, NULL, NULL, &nlost, lost),
          BAD_COUNT, "old_npoints = -3");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 1, &sign, shared.real, values, NULL, NULL),
          BAD_VALUE, "element 0 of signs is 3");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 1, NULL, NULL, values, NULL, NULL),
          NULL_POINTER, "old_values is NULL");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 1, NULL, shared.real, shared.real, NULL, NULL),
          BAD_VALUE, "values = an array that overlaps old_values");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 1, NULL, shared.real, values, NULL, shared.whole),
          BAD_VALUE, "lost = an array that overlaps old_values");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 1, NULL, shared.real, values, lost + 1, lost),
          BAD_VALUE, "lost = an array that overlaps nlost");
  CHECK(nlost == GUARD && lost[0] == GUARD && lost[1] == GUARD && lost[2] == GUARD);
  for (int k = 0; k < 8; k++) CHECK(values[k] == GUARD);
  CHECK(shared.real[0] == 1 && shared.real[2] == 3);

  /* Lists without rows have no arrays; all that was is lost, and all that is new is 0. */
  OK(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, 0, NULL, NULL, 0, NULL, 1, NULL, shared.real, NULL, &nlost, lost));
  CHECK(nlost == 3 && lost[0] == 0 && lost[1] == 1 && lost[2] == 2);
  OK(neargrid_carry_f64(search, 0, 0, NULL, NULL, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 1, NULL, NULL, values, &nlost, NULL));
  CHECK(nlost == 0 && values[0] == 0 && values[2] == 0 && values[3] == GUARD);
  OK(call(search, OFFSETS, ROWS, 3, 1, values));
  CHECK(values[0] == 1 && values[2] == 3 && values[3] == GUARD);
  neargrid_search_destroy(search);
}

int main(void) {
  for (int base = 0; base <= 1; base++)
    for (int threads = 1; threads <= 3; threads += 2) moving(base, threads);
  refusals();
  return finish("carry", 100);
}
