/* Checks the C API and the drop-ins against a file of cases, bit for bit: cases FILE [whole]
 *
 * The file is that of casefile.h; a whole one has boxes, types and ghosts.
 *
 * Coordinates are in memory that cannot be written and ends where they end; results go to arrays that end where the
 * capacity says, with guard words where the result is shorter. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "casefile.h"

#include <math.h>

#include <celllist.h>
#include <neargrid_celllist.h>

/* The old Fortran symbols, by reference. */
void celllist_(const int32_t *dim, const int32_t *npoints, const int32_t *maxpercell, const double *x,
               const double *cutoff, const int32_t *maxnpair, int32_t *npairs, int32_t *pair_i, int32_t *pair_j);
void scelllist_(const int32_t *dim, const int32_t *npoints, const int32_t *maxpercell, const float *x,
                const float *cutoff, const int32_t *maxnpair, int32_t *npairs, int32_t *pair_i, int32_t *pair_j);

static const test_case *now; /* the case in hand, for messages */

static void compare(int ok, const char *what, int base) {
  char text[300];
  if (ok) {
    checks++;
    return;
  }
  snprintf(text, sizeof text, "case %lld, %s, base %d: dim %d, real%d, rule %d, n %lld, cutoff %.17g, npairs %lld",
           (long long)now->number, what, base, now->dim, 8 * now->width, now->rule, (long long)now->n, now->cutoff,
           (long long)now->want.n);
  verdict(0, text, __FILE__, __LINE__);
}

static fenced guarded_fence(int64_t n) {
  fenced memory = fence((size_t)n * sizeof(int32_t));
  for (int64_t k = 0; k < n; k++) ((int32_t *)memory.start)[k] = GUARD;
  return memory;
}

/* Pairs as a copy, with `room` more than needed (or less, where it is negative). */
static void pairs_copy(neargrid_search *search, int base, int64_t room) {
  const pair_list *want = &now->want;
  const int64_t capacity = want->n + room;
  int64_t npairs = GUARD;
  fenced fi = guarded_fence(capacity), fj = guarded_fence(capacity);
  int32_t *i = fi.start, *j = fj.start;
  const neargrid_status status = neargrid_pairs_copy(search, capacity, &npairs, i, j);
  compare(npairs == want->n, "need of pairs_copy", base);
  if (room < 0) {
    compare(status == NEARGRID_STATUS_CAPACITY, "pairs_copy: too small", base);
    compare(untouched(i, 0, capacity) && untouched(j, 0, capacity), "pairs_copy: arrays too small were touched", base);
  } else {
    compare(status == 0 && same(i, want->i, want->n, base) && same(j, want->j, want->n, base), "pairs_copy", base);
    compare(untouched(i, want->n, capacity) && untouched(j, want->n, capacity), "pairs_copy: past the pairs", base);
  }
  unfence(fi);
  unfence(fj);
}

static void pairs(neargrid_search *search, int base) {
  const pair_list *want = &now->want;
  int64_t npairs = GUARD;
  const int32_t *i = NULL, *j = NULL;
  compare(neargrid_pairs_count(search, &npairs) == 0 && npairs == want->n, "pairs_count", base);
  if (want->n > 0) pairs_copy(search, base, -1);
  pairs_copy(search, base, 0);
  pairs_copy(search, base, 3);
  npairs = GUARD;
  compare(neargrid_pairs_view(search, &npairs, &i, &j) == 0 && npairs == want->n, "length of pairs_view", base);
  compare(npairs == want->n && same(i, want->i, npairs, base) && same(j, want->j, npairs, base), "pairs_view", base);
}

static int same_offsets(const int64_t *offsets, int kind, int base) {
  for (int64_t i = 0; i <= now->n; i++)
    if (offsets[i] != now->offsets[kind][i] + base) return 0;
  return 1;
}


static const char *const KINDS[] = {"half rows", "full rows", "rows of queries"};

static void rows_copy(neargrid_search *search, int kind, int base, int64_t room) {
  const int64_t total = now->offsets[kind][now->n], capacity = total + room;
  int64_t need = GUARD;
  fenced fo = fence((size_t)(now->n + 1) * sizeof(int64_t)), fids = guarded_fence(capacity);
  int64_t *offsets = fo.start;
  int32_t *ids = fids.start;
  for (int64_t i = 0; i <= now->n; i++) offsets[i] = GUARD;
  const neargrid_status status = neargrid_neighbors_copy(search, kind, now->n, capacity, &need, offsets, ids);
  compare(need == total, KINDS[kind], base);
  if (room < 0) {
    int kept = 1;
    for (int64_t i = 0; i <= now->n; i++) kept = kept && offsets[i] == GUARD;
    compare(status == NEARGRID_STATUS_CAPACITY, "copy of rows: too small", base);
    compare(kept && untouched(ids, 0, capacity), "copy of rows: arrays too small were touched", base);
  } else {
    compare(status == 0 && same_offsets(offsets, kind, base), KINDS[kind], base);
    compare(same(ids, now->ids[kind], total, base), KINDS[kind], base);
    compare(untouched(ids, total, capacity), "copy of rows: past the ids", base);
  }
  unfence(fo);
  unfence(fids);
}

static void rows(neargrid_search *search, int kind, int base) {
  const int64_t total = now->offsets[kind][now->n];
  int64_t count = GUARD, n = GUARD, length = GUARD;
  const int64_t *offsets = NULL;
  const int32_t *ids = NULL;
  compare(neargrid_neighbors_count(search, kind, &count) == 0 && count == total, KINDS[kind], base);
  if (total > 0) rows_copy(search, kind, base, -1);
  rows_copy(search, kind, base, 0);
  rows_copy(search, kind, base, 3);
  const neargrid_status status = neargrid_neighbors_view(search, kind, &n, &length, &offsets, &ids);
  compare(status == 0 && n == now->n && length == total, "lengths of a view of rows", base);
  compare(status == 0 && same_offsets(offsets, kind, base), "offsets of a view of rows", base);
  compare(length == total && same(ids, now->ids[kind], total, base), "ids of a view of rows", base);
}

/* Distances and displacements of the case's pairs and rows, against the plain loop. */
#define VALUES(kind, real, root, mod)                                                                                  \
  static real wrapped_##kind(real x, real lo, real length) {                                                           \
    const real hi = lo + length;                                                                                       \
    if (lo <= x && x < hi) return x;                                                                                   \
    real t = mod(x - lo, length);                                                                                      \
    if (t < 0) t = t + length;                                                                                         \
    const real w = lo + t;                                                                                             \
    return w >= hi ? lo : w;                                                                                           \
  }                                                                                                                    \
  static real difference_##kind(int axis, real a, real b) {                                                            \
    const real lo = (real)now->lo[axis], length = (real)now->length[axis], half = length / 2;                          \
    if (!now->periodic[axis]) return a - b;                                                                            \
    const real d = wrapped_##kind(a, lo, length) - wrapped_##kind(b, lo, length);                                      \
    return d > half ? d - length : d < -half ? d + length : d;                                                         \
  }                                                                                                                    \
  /* The displacement of a pair, and its distance. */                                                                  \
  static real plain_##kind(int32_t i, int32_t j, real *r) {                                                            \
    const real *x = now->coords.start;                                                                                 \
    real d2 = 0;                                                                                                       \
    for (int axis = 0; axis < now->dim; axis++) {                                                                      \
      r[axis] = difference_##kind(axis, x[(int64_t)i * now->dim + axis], x[(int64_t)j * now->dim + axis]);             \
      const real square = r[axis] * r[axis];                                                                           \
      d2 = axis == 0 ? square : d2 + square;                                                                           \
    }                                                                                                                  \
    return root(d2);                                                                                                   \
  }                                                                                                                    \
  static void pair_values_##kind(neargrid_search *search, int base) {                                                  \
    const int64_t n = now->want.n, bytes = n * (int64_t)sizeof(real);                                                  \
    int32_t *i = guarded(n), *j = guarded(n);                                                                          \
    fenced fd = fence((size_t)bytes), fr = fence((size_t)(bytes * now->dim));                                          \
    for (int64_t k = 0; k < n; k++) i[k] = now->want.i[k] + base, j[k] = now->want.j[k] + base;                        \
    int ok = neargrid_pairs_distances_##kind(search, n, i, j, fd.start, fr.start) == 0;                                \
    for (int64_t k = 0; k < n && ok; k++) {                                                                            \
      real r[3], d = plain_##kind(now->want.i[k], now->want.j[k], r);                                                  \
      ok = memcmp((real *)fd.start + k, &d, sizeof d) == 0 &&                                                          \
           memcmp((real *)fr.start + k * now->dim, r, sizeof *r * (size_t)now->dim) == 0;                              \
    }                                                                                                                  \
    compare(ok, "distances and displacements of pairs", base);                                                         \
    unfence(fd);                                                                                                       \
    unfence(fr);                                                                                                       \
    free(i);                                                                                                           \
    free(j);                                                                                                           \
  }                                                                                                                    \
  static void row_values_##kind(neargrid_search *search, int full, int base) {                                         \
    const int64_t total = now->offsets[full][now->n], bytes = total * (int64_t)sizeof(real);                           \
    int64_t n, length;                                                                                                 \
    const int64_t *offsets;                                                                                            \
    const int32_t *ids;                                                                                                \
    fenced fd = fence((size_t)bytes), fr = fence((size_t)(bytes * now->dim));                                          \
    int ok = neargrid_neighbors_view(search, full, &n, &length, &offsets, &ids) == 0 && length == total &&             \
             neargrid_neighbors_distances_##kind(search, n, total, offsets, ids, fd.start, fr.start) == 0;             \
    for (int32_t i = 0; i < now->n; i++)                                                                               \
      for (int64_t k = now->offsets[full][i]; k < now->offsets[full][i + 1] && ok; k++) {                              \
        real r[3], d = plain_##kind(i, now->ids[full][k], r);                                                          \
        ok = memcmp((real *)fd.start + k, &d, sizeof d) == 0 &&                                                        \
             memcmp((real *)fr.start + k * now->dim, r, sizeof *r * (size_t)now->dim) == 0;                            \
      }                                                                                                                \
    compare(ok, "distances and displacements of rows", base);                                                          \
    unfence(fd);                                                                                                       \
    unfence(fr);                                                                                                       \
  }
VALUES(f64, double, sqrt, fmod)
VALUES(f32, float, sqrtf, fmodf)

static void values(neargrid_search *search, int base) {
  if (now->width == 8) {
    pair_values_f64(search, base);
    for (int full = 0; full < 2; full++) row_values_f64(search, full, base);
  } else {
    pair_values_f32(search, base);
    for (int full = 0; full < 2; full++) row_values_f32(search, full, base);
  }
}

static neargrid_status send(neargrid_search *search, int as_queries) {
  const int64_t stride = (int64_t)now->dim * now->width;
  if (now->width == 8) {
    const double *x = now->coords.start;
    return (as_queries ? neargrid_search_set_queries_f64 : neargrid_search_set_points_f64)(search, now->dim, now->n, x,
                                                                                           x + 1, x + 2, stride);
  }
  const float *x = now->coords.start;
  return (as_queries ? neargrid_search_set_queries_f32 : neargrid_search_set_points_f32)(search, now->dim, now->n, x,
                                                                                         x + 1, x + 2, stride);
}

/* The case's types, in the current index base. */
static neargrid_status set_types(neargrid_search *search, int base) {
  const int64_t n = now->ntypes > 0 ? now->n : 0;
  int32_t *types = guarded(n);
  for (int64_t k = 0; k < n; k++) types[k] = now->types[k] + base;
  const neargrid_status status = neargrid_search_set_types(search, n, types, sizeof(int32_t), now->ntypes, now->mask);
  free(types);
  return status;
}

static void handle(neargrid_search *search) {
  neargrid_status status = neargrid_search_set_tie_rule(search, now->rule);
  if (!status) status = neargrid_search_set_cutoff(search, now->cutoff);
  if (!status) status = neargrid_search_set_box(search, now->dim, now->lo, now->length, now->periodic);
  if (!status) status = neargrid_search_set_active(search, now->n_active);
  if (!status) status = send(search, 0);
  compare(status == 0, "settings and points", 0);
  for (int base = 0; base <= 1; base++) {
    compare(neargrid_search_set_index_base(search, base) == 0, "set_index_base", base);
    compare(set_types(search, base) == 0, "set_types", base);
    pairs(search, base);
    rows(search, NEARGRID_NEIGHBORS_HALF, base);
    rows(search, NEARGRID_NEIGHBORS_FULL, base);
    values(search, base);
  }
  /* The points once more, as queries: the points themselves know nothing of them. */
  compare(send(search, 1) == 0 && counter(search, NEARGRID_COUNTER_QUERIES) == now->n, "queries", 1);
  for (int base = 0; base <= 1 && !has_kinds(now); base++) {
    compare(neargrid_search_set_index_base(search, base) == 0, "set_index_base", base);
    rows(search, QUERIES, base);
  }
  compare(neargrid_search_set_index_base(search, 1) == 0, "set_index_base", 1);
  pairs(search, 1);
}

/* The drop-in in the case's precision; base 1 means the Fortran symbol, whose status is in npairs. */
static int call_dropin(int base, int32_t capacity, int32_t *npairs, int32_t *i, int32_t *j) {
  const int32_t n = (int32_t)now->n, maxpercell = 27;
  const void *x = now->coords.start;
  const float cutoff = (float)now->cutoff;
  if (base == 0 && now->width == 8)
    return cellList(now->dim, n, maxpercell, x, now->cutoff, capacity, npairs, i, j);
  if (base == 0) return cellListf(now->dim, n, maxpercell, x, cutoff, capacity, npairs, i, j);
  if (now->width == 8)
    celllist_(&now->dim, &n, &maxpercell, x, &now->cutoff, &capacity, npairs, i, j);
  else
    scelllist_(&now->dim, &n, &maxpercell, x, &cutoff, &capacity, npairs, i, j);
  return *npairs > capacity ? NEARGRID_STATUS_CAPACITY : *npairs < 0 ? -*npairs : 0;
}

static void dropin(int base, int64_t room) {
  const pair_list *want = &now->want;
  const int64_t capacity = want->n + room;
  int32_t npairs = GUARD;
  fenced fi = guarded_fence(capacity), fj = guarded_fence(capacity);
  int32_t *i = fi.start, *j = fj.start;
  int status = call_dropin(base, (int32_t)capacity, &npairs, i, j);
  compare(npairs == want->n, "npairs of the drop-in", base);
  if (room < 0) {
    compare(status == NEARGRID_STATUS_CAPACITY, "drop-in: too small", base);
    compare(untouched(i, 0, capacity) && untouched(j, 0, capacity), "drop-in: arrays too small were touched", base);
  } else {
    compare(status == 0 && same(i, want->i, want->n, base) && same(j, want->j, want->n, base), "drop-in", base);
    compare(untouched(i, want->n, capacity) && untouched(j, want->n, capacity), "drop-in: past the pairs", base);
    for (int64_t k = 0; k < capacity; k++) i[k] = j[k] = GUARD;
    npairs = GUARD;
    status = cellList_fetch((int32_t)capacity, &npairs, i, j);
    compare(status == 0 && npairs == want->n, "cellList_fetch: npairs", base);
    compare(same(i, want->i, want->n, base) && same(j, want->j, want->n, base), "cellList_fetch", base);
    compare(untouched(i, want->n, capacity) && untouched(j, want->n, capacity), "cellList_fetch: past the pairs", base);
  }
  unfence(fi);
  unfence(fj);
}

static void compact(int base);

/* All of the drop-in. The Fortran symbol takes the tie rule of the environment, so that exclusive cases are for C. */
static void dropins(void) {
  compare(cellList_set_tie_rule(now->rule) == 0, "cellList_set_tie_rule", 0);
  for (int base = 0; base <= 1; base++) {
    compact(base);
    if (base == 1 && now->rule == 1) continue;
    if (now->want.n > 0) dropin(base, -1);
    dropin(base, 0);
    dropin(base, 3);
  }
}

/* neargrid_celllist_*: what the Fortran module is built on. */
static void compact(int base) {
  const pair_list *want = &now->want;
  int64_t npairs = GUARD;
  int ends = 1;
  fenced fe = guarded_fence(now->n), fj = guarded_fence(want->n);
  int32_t *endpos = fe.start, *j = fj.start;
  const void *x = now->coords.start;
  const neargrid_status status =
      now->width == 8 ? neargrid_celllist_count_f64(now->dim, now->n, x, now->cutoff, now->rule, base, &npairs)
                      : neargrid_celllist_count_f32(now->dim, now->n, x, (float)now->cutoff, now->rule, base, &npairs);
  compare(status == 0 && npairs == want->n, "celllist_count", base);
  npairs = GUARD;
  compare(neargrid_celllist_fetch_compact(want->n, &npairs, endpos, j) == 0 && npairs == want->n, "fetch_compact", base);
  for (int64_t i = 0; i < now->n; i++) ends = ends && endpos[i] == now->offsets[0][i + 1];
  compare(ends, "fetch_compact: endpos", base);
  compare(same(j, want->j, want->n, base), "fetch_compact: pair_j", base);
  unfence(fe);
  unfence(fj);
}

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  int64_t ncases = 0;
  int seen[2][2] = {{0, 0}, {0, 0}}, periodic = 0, types = 0, ghosts = 0;
  neargrid_search *search = new_search(1.0);
  if (!file) {
    fprintf(stderr, "usage: cases FILE\n");
    return 1;
  }
  must_read(&ncases, sizeof ncases, 1, file);
  for (int64_t number = 1; number <= ncases; number++) {
    test_case c = read_case(file, number);
    now = &c;
    seen[c.width == 8][c.rule]++;
    periodic += is_periodic(&c);
    types += c.ntypes > 0;
    ghosts += c.n_active >= 0;
    handle(search); /* one handle for all: each search finds the remains of another */
    if (!is_periodic(&c) && !has_kinds(&c)) dropins();
    free_case(&c);
  }
  if (fgetc(file) != EOF) {
    fprintf(stderr, "the file goes on after its last case\n");
    return 1;
  }
  fclose(file);
  neargrid_search_destroy(search);
  cellList_release();
  if (!seen[0][0] || !seen[0][1] || !seen[1][0] || !seen[1][1]) {
    fprintf(stderr, "not every precision and tie rule was in the file\n");
    return 1;
  }
  if (argc > 2 && (!periodic || !types || !ghosts)) {
    fprintf(stderr, "no periodic case, none with types or none with ghosts was in the file\n");
    return 1;
  }
  return finish("cases", 40 * (int)ncases);
}
