/* The caller's floating-point environment: whatever it is, every answer has the same bits on one thread and on two, no trap
 * springs, and the environment, with the flags in it, is as it was after each call.
 *
 * Arguments: the backend (1 CPU, 2 GPU); the number of the environment in which the first answers are made, for helpers, a
 * device and the driver's threads start there; and how many environments are tried from that one on, all by default. */
#define _GNU_SOURCE /* feenableexcept, MAP_ANONYMOUS */
#include "check.h"

#include <fenv.h>

#include <celllist.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { N = 4500, FEW = 300, K = 4, ANSWERS = 100, ROOM = 400000 };

typedef struct {
  int n;
  uint64_t of[ANSWERS];
} answers;

/* FNV-1a of what an answer consists of. */
static void add(answers *all, const void *start, int64_t bytes) {
  const unsigned char *at = start;
  uint64_t hash = 14695981039346656037u;
  for (int64_t k = 0; k < bytes; k++) hash = (hash ^ at[k]) * 1099511628211u;
  all->of[all->n++ % ANSWERS] = hash;
}

/* A GPU in software is slow: it gets a part of the questions, in real32. */
static int on_gpu;

static double x64[N][3], m64[N], radii64[N], outside64[N][3];
static float x32[N][3], m32[N], radii32[N], outside32[N][3], near32[FEW][3];
static int32_t pair_i[ROOM], pair_j[ROOM], ids[N * K], counts[N];
static int64_t offsets[N + 1];
static double values64[3 * ROOM];
static float values32[3 * ROOM];
static const double table[5] = {4, 2, 1e-300, 0, -1};
/* Terms that are subnormal in real32, functions, a quotient that is 0/0 in a lane without a pair. */
static const char *const texts[] = {"s += m_i*m_j*1e-21", "s += (m_i/m_j^2 + m_j/m_i^2)*d",
                                    "s += exp(-r2)/r*log(m_j)\nt max= pow(r, m_j)*sqrt(m_i)",
                                    "s += W(r)*m_j", "s += max(0, 0.02 - r)*m_j/r2"};

static void make_points(void) {
  uint64_t state = 7;
  for (int i = 0; i < N; i++) {
    for (int axis = 0; axis < 3; axis++) {
      x64[i][axis] = uniform(&state), outside64[i][axis] = 5 * x64[i][axis] - 2;
      x32[i][axis] = (float)x64[i][axis], outside32[i][axis] = (float)outside64[i][axis];
      if (i < FEW) near32[i][axis] = 1e-20f * (float)uniform(&state); /* squares of distances are subnormal */
    }
    m64[i] = 0.5 + uniform(&state), radii64[i] = 0.03 + 0.02 * uniform(&state);
    m32[i] = (float)m64[i] * 1e-10f, radii32[i] = (float)radii64[i];
  }
}

#define QUERIES_OF(real, bits, first)                                                                                  \
  static void lists_##bits(neargrid_search *s, answers *all) {                                                         \
    int64_t n = 0, total = 0, points = 0;                                                                              \
    OK(neargrid_search_counter(s, NEARGRID_COUNTER_POINTS, &points));                                                  \
    OK(neargrid_pairs_copy(s, ROOM, &n, pair_i, pair_j));                                                              \
    add(all, pair_i, 4 * n), add(all, pair_j, 4 * n);                                                                  \
    OK(neargrid_pairs_distances_f##bits(s, n, pair_i, pair_j, values##bits, NULL));                                    \
    add(all, values##bits, n * (int64_t)sizeof(real));                                                                 \
    OK(neargrid_pairs_distances_f##bits(s, n, pair_i, pair_j, NULL, values##bits));                                    \
    add(all, values##bits, 3 * n * (int64_t)sizeof(real));                                                             \
    OK(neargrid_neighbors_copy(s, NEARGRID_NEIGHBORS_FULL, points, ROOM, &total, offsets, pair_j));                    \
    add(all, offsets, sizeof offsets), add(all, pair_j, 4 * total);                                                    \
  }                                                                                                                    \
  static void nearest_##bits(neargrid_search *s, int64_t n, answers *all) {                                            \
    for (int measure = NEARGRID_MEASURE_DISTANCE; measure <= NEARGRID_MEASURE_SQUARE; measure++) {                     \
      OK(neargrid_knn_copy_f##bits(s, NEARGRID_KNN_OTHERS, K, measure, n, &(int64_t){0}, ids, values##bits, counts));  \
      add(all, ids, 4 * K * n), add(all, values##bits, K * n * (int64_t)sizeof(real));                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  static void sums_##bits(neargrid_search *s, answers *all) {                                                          \
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)                                                          \
      for (int precision = NEARGRID_PRECISION_SINGLE; precision <= NEARGRID_PRECISION_DOUBLE; precision++) {           \
        if (on_gpu && (k != 0 || precision != NEARGRID_PRECISION_SINGLE)) continue;                                    \
        neargrid_formula *f = NULL;                                                                                    \
        int32_t width = 0;                                                                                             \
        int64_t n = 0;                                                                                                 \
        OK(neargrid_formula_create(texts[k], &f));                                                                     \
        OK(neargrid_formula_set_precision(f, precision));                                                              \
        OK(neargrid_search_set_field_f##bits(s, "m", NEARGRID_OF_POINTS, 1, N, m##bits, NULL, NULL, bits / 8));        \
        if (k == 3) OK(neargrid_formula_set_table(f, "W", NEARGRID_TABLE_R, 0.01, 0.05, 5, table));                    \
        OK(neargrid_search_run(s, f, NEARGRID_NEIGHBORS_FULL, 1));                                                     \
        OK(neargrid_field_size(s, "s", NEARGRID_OF_POINTS, &width, &n));                                               \
        if (precision == NEARGRID_PRECISION_DOUBLE) {                                                                  \
          OK(neargrid_field_copy_f64(s, "s", NEARGRID_OF_POINTS, width, n, values64, values64 + 1, values64 + 2,       \
                                     8 * width));                                                                      \
          add(all, values64, 8 * n * width);                                                                           \
        } else {                                                                                                       \
          OK(neargrid_field_copy_f32(s, "s", NEARGRID_OF_POINTS, width, n, values32, values32 + 1, values32 + 2,       \
                                     4 * width));                                                                      \
          add(all, values32, 4 * n * width);                                                                           \
        }                                                                                                              \
        neargrid_formula_destroy(f);                                                                                   \
      }                                                                                                                \
  }                                                                                                                    \
  static void groups_##bits(neargrid_search *s, answers *all) {                                                        \
    int64_t n = 0, groups = 0;                                                                                         \
    int32_t dim = 0;                                                                                                   \
    const int32_t *labels, *wide;                                                                                      \
    const double *masses, *centers, *velocities, *radii;                                                               \
    OK(neargrid_fof_view(s, &n, &labels, &groups));                                                                    \
    add(all, labels, 4 * n);                                                                                           \
    OK(neargrid_groups_find_f##bits(s, 2, N, m##bits, bits / 8, &x##bits[0][0], &x##bits[0][1], &x##bits[0][2],        \
                                    sizeof x##bits[0], &n));                                                           \
    OK(neargrid_groups_view_sums(s, &n, &dim, &masses, &centers, &velocities, &radii, &wide));                         \
    add(all, masses, 8 * n), add(all, centers, 24 * n), add(all, velocities, 24 * n), add(all, radii, 8 * n);          \
  }                                                                                                                    \
  static void ask_##bits(int32_t backend, int32_t threads, answers *all) {                                             \
    const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};                                                              \
    const int32_t periodic[3] = {1, 1, 1};                                                                             \
    int32_t n = 0;                                                                                                     \
    neargrid_search *s = new_search(0.04);                                                                             \
    OK(neargrid_search_set_backend(s, backend));                                                                       \
    OK(neargrid_search_set_threads(s, threads));                                                                       \
    OK(neargrid_search_set_points_f##bits(s, 3, N, first(x##bits), sizeof x##bits[0]));                                \
    lists_##bits(s, all), nearest_##bits(s, N, all), sums_##bits(s, all), groups_##bits(s, all);                       \
    OK(neargrid_search_order(s, N, ids));                                                                              \
    add(all, ids, 4 * N);                                                                                              \
    OK(neargrid_search_set_radii_f##bits(s, NEARGRID_OF_POINTS, N, radii##bits, bits / 8, NEARGRID_RADIUS_MEAN));      \
    lists_##bits(s, all);                                                                                              \
    OK(neargrid_search_set_radii_f64(s, NEARGRID_OF_POINTS, 0, NULL, 0, 0));                                           \
    OK(neargrid_search_set_box(s, 3, zero, one, periodic));                                                            \
    OK(neargrid_search_set_points_f##bits(s, 3, N, first(outside##bits), sizeof outside##bits[0]));                    \
    lists_##bits(s, all);                                                                                              \
    neargrid_search_destroy(s);                                                                                        \
    if (backend == NEARGRID_BACKEND_CPU) {                                                                             \
      OK(cellList##first##_drop_in(&n));                                                                               \
      add(all, pair_i, 4 * (int64_t)n), add(all, pair_j, 4 * (int64_t)n);                                              \
    }                                                                                                                  \
  }
#define F64(x) &x[0][0], &x[0][1], &x[0][2]
#define F32(x) &x[0][0], &x[0][1], &x[0][2]
#define cellListF64_drop_in(n) cellList(3, N, 27, &x64[0][0], 0.04, ROOM, n, pair_i, pair_j)
#define cellListF32_drop_in(n) cellListf(3, N, 27, &x32[0][0], 0.04f, ROOM, n, pair_i, pair_j)
QUERIES_OF(double, 64, F64)
QUERIES_OF(float, 32, F32)

/* All that is asked; the last is a cloud so small that squares of its distances are subnormal. */
static answers ask(int32_t backend, int32_t threads) {
  answers all = {0, {0}};
  if (!on_gpu) ask_64(backend, threads, &all);
  ask_32(backend, threads, &all);
  neargrid_search *s = new_search(1);
  OK(neargrid_search_set_backend(s, NEARGRID_BACKEND_CPU));
  OK(neargrid_search_set_threads(s, threads));
  OK(neargrid_search_set_points_f32(s, 3, FEW, &near32[0][0], &near32[0][1], &near32[0][2], sizeof near32[0]));
  nearest_32(s, FEW, &all);
  neargrid_search_destroy(s);
  CHECK(all.n <= ANSWERS);
  return all;
}

/* The environments. */
static void flush(void) {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
  uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  __asm__ volatile("msr fpcr, %0" : : "r"(fpcr | 1 << 24));
#endif
}
static void trap(void) { feenableexcept(FE_ALL_EXCEPT); }
static void as_started(void) {}
static void usual(void) { fesetenv(FE_DFL_ENV); }
static void upward(void) { fesetround(FE_UPWARD); }
static void downward(void) { fesetround(FE_DOWNWARD); }
static void to_zero(void) { fesetround(FE_TOWARDZERO); }
static void raised(void) { feraiseexcept(FE_DIVBYZERO | FE_INEXACT); }
static void all_at_once(void) { flush(), upward(), trap(); }

static void (*const environments[])(void) = {as_started, usual, flush, trap, upward, downward, to_zero, raised, all_at_once};
enum { ENVIRONMENTS = sizeof environments / sizeof *environments };

/* All that an environment consists of. */
typedef struct {
  uint32_t sse;
  int raised, trapped, round;
} state;

static state now(void) {
  state is = {0, fetestexcept(FE_ALL_EXCEPT), fegetexcept(), fegetround()};
#if defined(__x86_64__)
  is.sse = _mm_getcsr();
#elif defined(__aarch64__)
  uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  is.sse = (uint32_t)fpcr;
#endif
  return is;
}

int main(int argc, char **argv) {
  const int32_t backend = argc > 1 ? atoi(argv[1]) : NEARGRID_BACKEND_CPU;
  const int first = argc > 2 ? atoi(argv[2]) : 0, tried = argc > 3 ? atoi(argv[3]) : ENVIRONMENTS;
  fenv_t started;
  on_gpu = backend == NEARGRID_BACKEND_GPU;
  make_points();
  feclearexcept(FE_ALL_EXCEPT);
  fegetenv(&started);
  answers wanted = {0, {0}};
  for (int k = 0; k < tried; k++) {
    const int environment = (first + k) % ENVIRONMENTS;
    for (int threads = 2; threads > on_gpu; threads--) {
      fesetenv(&started);
      environments[environment]();
      const state before = now();
      const answers got = ask(backend, threads);
      const state after = now();
      fesetenv(&started);
      if (wanted.n == 0) wanted = got;
      int differ = -1;
      for (int a = got.n - 1; a >= 0; a--)
        if (got.of[a] != wanted.of[a]) differ = a;
      char what[100];
      snprintf(what, sizeof what, "environment %d, %d threads: answer %d of %d", environment, threads, differ, got.n);
      verdict(differ < 0, what, __FILE__, __LINE__);
      snprintf(what, sizeof what, "environment %d, %d threads: %x %x before, %x %x after", environment, threads, before.sse,
               (unsigned)before.raised, after.sse, (unsigned)after.raised);
      verdict(before.sse == after.sse && before.raised == after.raised && before.trapped == after.trapped &&
                  before.round == after.round, what, __FILE__, __LINE__);
    }
  }
  cellList_release();
  return finish("fenv", (on_gpu ? 30 : 360) * tried);
}
