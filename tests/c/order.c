/* Spatial order and moving arrays: a permutation that is the curve's, the same for any number of threads, and arrays of any
 * type moved by it and back, in place and apart. Clouds are compared with a plain construction in the Rust tests. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { N = 20000 };

typedef struct {
  double x[3];
  float mass;
  char kind;
} particle; /* with padding */

static particle particles[N], moved[N];
static int32_t order[N], again[N];

static void fill(void) {
  uint64_t seed = 21;
  for (int k = 0; k < N; k++) {
    for (int axis = 0; axis < 3; axis++) particles[k].x[axis] = uniform(&seed);
    particles[k].mass = (float)k;
    particles[k].kind = (char)('a' + k % 20);
  }
  for (int axis = 0; axis < 3; axis++) particles[7].x[axis] = -1e300; /* a stray stands first */
}

static void set(neargrid_search *search) {
  OK(neargrid_search_set_points_f64(search, 3, N, &particles[0].x[0], &particles[0].x[1], &particles[0].x[2],
                                    sizeof *particles));
}

/* The permutation is one, and brings near points together. */
static void curve(neargrid_search *search, int base) {
  char *seen = calloc(N, 1);
  int distinct = 0, near = 0;
  if (!seen) exit(1);
  OK(neargrid_search_set_index_base(search, base));
  set(search);
  OK(neargrid_search_order(search, N, order));
  for (int k = 0; k < N; k++) {
    const int32_t number = order[k] - base;
    if (number < 0 || number >= N) break;
    distinct += !seen[number];
    seen[number] = 1;
  }
  CHECK(distinct == N && order[0] == 7 + base);
  for (int k = 2; k < N && distinct == N; k++) {
    const double *a = particles[order[k - 1] - base].x, *b = particles[order[k] - base].x;
    const double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
    near += dx * dx + dy * dy + dz * dz < 0.1 * 0.1; /* 2.7 spacings */
  }
  if (!CHECK(near > 9 * N / 10)) fprintf(stderr, "only %d of %d steps along the curve are short\n", near, N);
  for (int threads = 1; threads <= 4; threads += 3) {
    OK(neargrid_search_set_threads(search, threads));
    OK(neargrid_search_order(search, N, again));
    CHECK(memcmp(again, order, sizeof order) == 0);
  }
  free(seen);
}

static int same_particle(const particle *a, const particle *b) {
  return a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->x[2] == b->x[2] && a->mass == b->mass && a->kind == b->kind;
}

/* Structures, apart and in place, with `order` in that base. */
static void structures(int base) {
  int right = 1, back = 1;
  OK(neargrid_reorder(N, order, base, sizeof *particles, particles, moved));
  for (int k = 0; k < N; k++) right = right && same_particle(&moved[k], &particles[order[k] - base]);
  CHECK(right);
  OK(neargrid_restore(N, order, base, sizeof *particles, moved, moved)); /* in place */
  for (int k = 0; k < N; k++) back = back && same_particle(&moved[k], &particles[k]);
  CHECK(back);
}

/* Elements of any size stand between fences; nothing beside them is touched. */
static void sizes(int base) {
  enum { FEW = 300 };
  int32_t few[FEW];
  for (int k = 0; k < FEW; k++) few[k] = (k * 7 + 5) % FEW + base;
  for (int64_t bytes = 1; bytes <= 33; bytes++) {
    fenced ff = fence((size_t)(FEW * bytes)), ft = fence((size_t)(FEW * bytes)), fo = fence(sizeof few);
    unsigned char *from = ff.start, *to = ft.start;
    int right = 1, back = 1;
    memcpy(fo.start, few, sizeof few);
    for (int64_t k = 0; k < FEW * bytes; k++) from[k] = (unsigned char)(k * 31 + k / 256);
    OK(neargrid_reorder(FEW, fo.start, base, bytes, from, to));
    for (int64_t k = 0; k < FEW; k++)
      right = right && memcmp(to + k * bytes, from + (few[k] - base) * bytes, (size_t)bytes) == 0;
    CHECK(right);
    OK(neargrid_reorder(FEW, fo.start, base, bytes, from, from));
    CHECK(memcmp(from, to, (size_t)(FEW * bytes)) == 0);
    OK(neargrid_restore(FEW, fo.start, base, bytes, to, from));
    for (int64_t k = 0; k < FEW * bytes; k++) back = back && from[k] == (unsigned char)(k * 31 + k / 256);
    CHECK(back);
    unfence(ff);
    unfence(ft);
    unfence(fo);
  }
}

/* Pairs of reordered points are the same pairs, under their new numbers. */
static void same_pairs(neargrid_search *search, int base) {
  int64_t before = 0, after = 0;
  OK(neargrid_search_set_cutoff(search, 0.05));
  set(search);
  OK(neargrid_pairs_count(search, &before));
  OK(neargrid_reorder(N, order, base, sizeof *particles, particles, particles));
  set(search);
  OK(neargrid_pairs_count(search, &after));
  CHECK(before == after && before > N);
  OK(neargrid_search_order(search, N, again));
  for (int k = 0; k < N; k++)
    if (again[k] != k + base) { /* they stand in order already */
      CHECK(again[k] == k + base);
      break;
    }
  OK(neargrid_restore(N, order, base, sizeof *particles, particles, particles));
  CHECK(particles[N - 1].mass == (float)(N - 1));
}

int main(void) {
  neargrid_search *search = new_search(0.05);
  fill();
  for (int base = 0; base <= 1; base++) {
    curve(search, base);
    structures(base);
    sizes(base);
    same_pairs(search, base);
  }
  neargrid_search_destroy(search);
  return finish("order", 300);
}
