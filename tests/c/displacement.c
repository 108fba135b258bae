/* Distances and displacements of all pairs of points in open and periodic boxes, bit for bit those of the plain loop; in
 * the drop-in order i < j, in the other, and of points with themselves. The clouds of the Rust tests, which are open, go
 * through cases.c. */
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
    const real length = (real)LENGTH;                                                                                  \
    real w = x - (real)LO;                                                                                             \
    if (w < 0 || w >= length) w = modulo(w, length);                                                                   \
    if (w < 0) w = w + length;                                                                                         \
    return w >= length ? 0 : w;                                                                                        \
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
    for (int rows = 0; rows < 2; rows++) {                                                                             \
      memset(fd.start, 0x7f, ALL * sizeof(real));                                                                      \
      memset(fr.start, 0x7f, (size_t)(ALL * dim) * sizeof(real));                                                      \
      OK(rows ? neargrid_neighbors_distances_##kind(search, offsets, j, fd.start)                                      \
              : neargrid_pairs_distances_##kind(search, ALL, i, j, fd.start));                                         \
      OK(rows ? neargrid_neighbors_displacements_##kind(search, offsets, j, fr.start)                                  \
              : neargrid_pairs_displacements_##kind(search, ALL, i, j, fr.start));                                     \
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
  return finish("displacement", 300);
}
