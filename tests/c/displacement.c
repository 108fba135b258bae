/* Distances and displacements of all pairs of points in open and periodic boxes, bit for bit those of the plain loop; in
 * one order and the other, and of points with themselves; lists that are refused. The clouds of the Rust tests go through
 * cases.c. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <math.h>

enum { N = 90, ALL = N * N };

static const double LO = -0.3, LENGTH = 0.9;
static int dim, periodic[3], base;

/* The rule, in the words of neargrid.h. */
#define PLAIN(kind, real, modulo, root)                                                                                \
  static real points_##kind[N * 3];                                                                                    \
  static real wrapped_##kind(real x) {                                                                                 \
    const real lo = (real)LO, length = (real)LENGTH, hi = lo + length;                                                 \
    if (lo <= x && x < hi) return x;                                                                                   \
    real t = modulo(x - lo, length);                                                                                   \
    if (t < 0) t = t + length;                                                                                         \
    const real w = lo + t;                                                                                             \
    return w >= hi ? lo : w;                                                                                           \
  }                                                                                                                    \
  static real plain_##kind(int i, int j, real *r) {                                                                    \
    const real length = (real)LENGTH;                                                                                  \
    real d2 = 0;                                                                                                       \
    for (int axis = 0; axis < dim; axis++) {                                                                           \
      const real a = points_##kind[i * dim + axis], b = points_##kind[j * dim + axis];                                 \
      real d = a - b;                                                                                                  \
      if (periodic[axis]) {                                                                                            \
        d = wrapped_##kind(a) - wrapped_##kind(b);                                                                     \
        if (d > length / 2)                                                                                            \
          d = d - length;                                                                                              \
        else if (d < -(length / 2))                                                                                    \
          d = d + length;                                                                                              \
      }                                                                                                                \
      const real square = d * d;                                                                                       \
      d2 = axis == 0 ? square : d2 + square;                                                                           \
      r[axis] = d;                                                                                                     \
    }                                                                                                                  \
    return root(d2);                                                                                                   \
  }                                                                                                                    \
  static void check_##kind(neargrid_search *search) {                                                                  \
    int32_t *i = guarded(ALL), *j = guarded(ALL);                                                                      \
    int64_t offsets[N + 1];                                                                                            \
    fenced fd = fence(ALL * sizeof(real)), fr = fence((size_t)(ALL * dim) * sizeof(real));                             \
    int right = 1;                                                                                                     \
    for (int k = 0; k < ALL; k++) i[k] = k / N + base, j[k] = k % N + base;                                            \
    for (int k = 0; k <= N; k++) offsets[k] = k * N + base;                                                            \
    const real *p = points_##kind;                                                                                     \
    OK(neargrid_search_set_points_##kind(search, dim, N, p, p + 1, p + 2, dim * (int64_t)sizeof(real)));               \
    for (int rows = 0; rows < 3; rows++) { /* columns, rows of points, rows of queries at the points */                \
      if (rows == 2) OK(neargrid_search_set_queries_##kind(search, dim, N, p, p + 1, p + 2, dim * (int64_t)sizeof(real)));\
      memset(fd.start, 0x7f, ALL * sizeof(real));                                                                      \
      memset(fr.start, 0x7f, (size_t)(ALL * dim) * sizeof(real));                                                      \
      real *both[2] = {fd.start, fr.start};                                                                            \
      for (int turn = 0; turn < 2; turn++) { /* both at once, or one at a time */                                      \
        real *d = dim == 3 || turn == 0 ? both[0] : NULL, *r = dim == 3 || turn == 1 ? both[1] : NULL;                 \
        OK(rows == 0   ? neargrid_pairs_distances_##kind(search, ALL, i, j, d, r)                                      \
           : rows == 1 ? neargrid_neighbors_distances_##kind(search, N, ALL, offsets, j, d, r)                         \
                       : neargrid_queries_distances_##kind(search, N, ALL, offsets, j, d, r));                         \
      }                                                                                                                \
      for (int k = 0; k < ALL && right; k++) {                                                                         \
        real r[3], d = plain_##kind(k / N, k % N, r);                                                                  \
        right = memcmp((real *)fd.start + k, &d, sizeof d) == 0 &&                                                     \
                memcmp((real *)fr.start + k * dim, r, sizeof *r * (size_t)dim) == 0;                                   \
        if (!right) fprintf(stderr, "%s, %dD, base %d, pair %d: %.17g\n", #kind, dim, base, k, (double)d);             \
      }                                                                                                                \
      CHECK(right);                                                                                                    \
    }                                                                                                                  \
    unfence(fd);                                                                                                       \
    unfence(fr);                                                                                                       \
    free(i);                                                                                                           \
    free(j);                                                                                                           \
  }
PLAIN(f64, double, fmod, sqrt)
PLAIN(f32, float, fmodf, sqrtf)

/* Points in the box and in other images, on its faces, and half a box apart. */
static void fill(void) {
  uint64_t seed = 5;
  for (int k = 0; k < N * dim; k++) {
    const double at = uniform(&seed);
    const int image = k % 7 - 3, face = k % 11;
    double x = LO + (at + (k % 3 ? 0 : image)) * LENGTH;
    if (face < 3) x = LO + face * 0.5 * LENGTH;
    points_f64[k] = x;
    points_f32[k] = (float)x;
  }
}

static const double LINE[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

static neargrid_search *line(void) {
  neargrid_search *search = new_search(1.5);
  OK(neargrid_search_set_points_f64(search, 1, 10, LINE, NULL, NULL, 8));
  return search;
}

/* Lists for distances and displacements: the text names array, position and value; nothing is written. */
static void pair_data(void) {
  neargrid_search *search = line();
  const int32_t zero[3] = {0, 1, 2}, ids[3] = {4, 9, 10}, low[3] = {-1, 0, 0};
  double d[6];
  float d32[6];
  char words[80];
  for (int k = 0; k < 6; k++) d[k] = d32[k] = GUARD;
  REFUSED(neargrid_pairs_distances_f64(search, -1, zero, zero, d, NULL), BAD_COUNT, "npairs = -1");
  REFUSED(neargrid_pairs_distances_f64(search, INT64_MAX, zero, zero, NULL, d), BAD_COUNT, "npairs = 9223372036854775807");
  REFUSED(neargrid_pairs_distances_f64(search, 3, NULL, zero, d, NULL), NULL_POINTER, "pair_i is NULL");
  REFUSED(neargrid_pairs_distances_f64(search, 3, zero, NULL, d, NULL), NULL_POINTER, "pair_j is NULL");
  REFUSED(neargrid_pairs_distances_f64(search, 3, zero, zero, NULL, NULL), NULL_POINTER, "distances is NULL");
  REFUSED(neargrid_pairs_distances_f64(search, 3, zero, zero, d, d + 2), BAD_VALUE, "displacements = |overlaps distances");
  REFUSED(neargrid_pairs_distances_f32(search, 3, zero, zero, d32, NULL), BAD_VALUE, "precision = real32|real64");
  REFUSED(neargrid_pairs_distances_f32(search, 3, zero, zero, NULL, d32), BAD_VALUE, "precision = real32|real64");
  for (int base = 0; base <= 1; base++) {
    int64_t offsets[11] = {0};
    OK(neargrid_search_set_index_base(search, base));
    for (int k = 0; k < 11; k++) offsets[k] = base + (k > 5 ? 3 : 0);
    if (base == 0) {
      REFUSED(neargrid_pairs_distances_f64(search, 3, zero, ids, d, NULL), BAD_VALUE, "element 2 of pair_j is 10|0 to 9");
      REFUSED(neargrid_pairs_distances_f64(search, 3, ids, low, NULL, d), BAD_VALUE, "element 2 of pair_i is 10");
      REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, offsets, ids, d, NULL), BAD_VALUE, "element 2 of ids is 10|0 to 9");
    } else {
      REFUSED(neargrid_pairs_distances_f64(search, 3, ids, zero, d, NULL), BAD_VALUE, "element 1 of pair_j is 0|1 to 10");
      REFUSED(neargrid_pairs_distances_f64(search, 3, low, ids, NULL, d), BAD_VALUE, "element 1 of pair_i is -1");
      REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, offsets, zero, NULL, d), BAD_VALUE, "element 1 of ids is 0");
    }
    REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, NULL, ids, d, NULL), NULL_POINTER, "offsets is NULL");
    REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, offsets, NULL, d, NULL), NULL_POINTER, "ids is NULL");
    REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, offsets, ids, NULL, NULL), NULL_POINTER, "distances is NULL");
    REFUSED(neargrid_neighbors_distances_f64(search, 10, 2, offsets, ids, d, NULL), BAD_COUNT, "total = 2|3, as many as offsets");
    REFUSED(neargrid_neighbors_distances_f64(search, 9, 3, offsets, ids, d, NULL), BAD_COUNT, "n = 9|10, the number of points");
    REFUSED(neargrid_neighbors_distances_f32(search, 10, 3, offsets, ids, d32, NULL), BAD_VALUE, "precision = real32");
    REFUSED(neargrid_neighbors_distances_f32(search, 10, 3, offsets, ids, NULL, d32), BAD_VALUE, "precision = real32");
    snprintf(words, sizeof words, "element %d of offsets is %d|at least %d", 7 + base, 1 + base, 3 + base);
    offsets[7] = 1 + base;
    REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, offsets, ids, d, NULL), BAD_VALUE, words);
    offsets[7] = 3 + base;
    offsets[0] = 2;
    snprintf(words, sizeof words, "element %d of offsets is 2|%d, the index base", base, base);
    REFUSED(neargrid_neighbors_distances_f64(search, 10, 3, offsets, ids, NULL, d), BAD_VALUE, words);
    offsets[0] = base;
    offsets[10] = INT64_MAX;
    REFUSED(neargrid_neighbors_distances_f64(search, 10, INT64_MAX, offsets, ids, d, NULL), BAD_COUNT, "total = 9223372036854775807");
    for (int k = 0; k < 11; k++) offsets[k] = base; /* rows without an id: arrays may be NULL */
    OK(neargrid_neighbors_distances_f64(search, 10, 0, offsets, NULL, NULL, NULL));
  }
  OK(neargrid_pairs_distances_f64(search, 0, NULL, NULL, NULL, NULL));
  OK(neargrid_pairs_distances_f64(search, 0, NULL, NULL, NULL, NULL));
  for (int k = 0; k < 6; k++) CHECK(d[k] == GUARD && d32[k] == GUARD);
  int64_t npairs = GUARD;
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(npairs == 9);
  neargrid_search_destroy(search);
  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  REFUSED(neargrid_pairs_distances_f64(search, 3, zero, zero, d, NULL), BAD_STATE, "points|set_points");
  REFUSED(neargrid_neighbors_distances_f32(search, 0, 0, NULL, zero, NULL, d32), BAD_STATE, "points|set_points");
  neargrid_search_destroy(search);
}

static void queries_refused(void) {
  const double line[3] = {0, 1, 2};
  const int64_t offsets[3] = {0, 1, 1};
  const int32_t id = 2;
  double d = 7;
  neargrid_search *search = new_search(1.5);
  REFUSED(neargrid_queries_distances_f64(NULL, 2, 1, offsets, &id, &d, NULL), NULL_POINTER, "search is NULL");
  OK(neargrid_search_set_points_f64(search, 1, 3, line, NULL, NULL, 8));
  REFUSED(neargrid_queries_distances_f64(search, 2, 1, offsets, &id, &d, NULL), BAD_STATE, "queries|set_queries");
  OK(neargrid_search_set_queries_f64(search, 1, 2, line, NULL, NULL, 8));
  REFUSED(neargrid_queries_distances_f64(search, 3, 1, offsets, &id, &d, NULL), BAD_COUNT, "n = 3 |2, the number of queries");
  REFUSED(neargrid_queries_distances_f64(search, 2, 2, offsets, &id, &d, NULL), BAD_COUNT, "total = 2 |1, as many as offsets say");
  CHECK(d == 7);
  OK(neargrid_queries_distances_f64(search, 2, 1, offsets, &id, &d, NULL));
  CHECK(d == 2);
  neargrid_search_destroy(search);
}

int main(void) {
  neargrid_search *search = new_search(0.1);
  const double lo[3] = {LO, LO, LO}, length[3] = {LENGTH, LENGTH, LENGTH};
  for (dim = 1; dim <= 3; dim++) {
    fill();
    for (int mask = 0; mask < 1 << dim; mask++) {
      int32_t flags[3];
      for (int axis = 0; axis < 3; axis++) flags[axis] = periodic[axis] = mask >> axis & 1;
      OK(neargrid_search_set_box(search, dim, lo, length, flags));
      for (base = 0; base <= 1; base++) {
        OK(neargrid_search_set_index_base(search, base));
        OK(neargrid_search_set_threads(search, 1 + 2 * base));
        check_f64(search);
        check_f32(search);
      }
    }
  }
  neargrid_search_destroy(search);
  pair_data();
  queries_refused();
  return finish("displacement", 400);
}
