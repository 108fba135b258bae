/* Every collective call with one argument that is wrong, on one rank: all ranks get the same status and text, which names that
 * rank, and the same call works afterwards. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "ranks.h"

enum { N = 40, K = 4 };

static neargrid_search *search;
static double x[N][3], fresh[N * 2][3];
static float xf[N][3];
static int32_t pairs[2][100 * N];
static int64_t ids[N], field64[N], offsets[N + 1];
static int64_t n_ghosts;
static void *room; /* for what ghosts have */
static double extra[3] = {0.5, 0.5, 0.5};
static neargrid_formula *formula;

/* The argument of this number, where it is not the wrong one. */
#define ARG(number, good, bad) (which == (number) ? (bad) : (good))
/* A place where no value of this type can be. */
#define ODD(pointer) ((void *)((char *)(pointer) + 1))

static neargrid_status set_points_f64(int which) {
  const double kept = x[3][2];
  x[3][2] = ARG(7, kept, 1.0 / (double)(rank < 0));
  const neargrid_status status =
      neargrid_search_set_points_f64(search, ARG(1, 3, 4), ARG(2, N, -1), ARG(3, x[0], NULL), ARG(4, x[0] + 1, NULL),
                                     ARG(5, x[0] + 2, NULL), ARG(6, (int64_t)sizeof x[0], 3));
  x[3][2] = kept;
  return status;
}

static neargrid_status set_points_f32(int which) {
  return neargrid_search_set_points_f32(search, ARG(1, 3, 0), ARG(2, N, INT64_MAX), ARG(3, xf[0], NULL),
                                        ARG(4, xf[0] + 1, NULL), ARG(5, xf[0] + 2, NULL),
                                        ARG(6, (int64_t)sizeof xf[0], INT64_MAX));
}

static neargrid_status add_points_f64(int which) {
  const neargrid_status status =
      neargrid_search_add_points_f64(search, ARG(1, 3, 2), ARG(2, 1, -1), ARG(3, extra, NULL), ARG(4, extra + 1, NULL),
                                     ARG(5, extra + 2, NULL), sizeof extra);
  return status == 0 ? set_points_f64(0) : status;
}

static neargrid_status set_queries_f64(int which) {
  return neargrid_search_set_queries_f64(search, ARG(1, 3, 2), ARG(2, N, -1), ARG(3, x[0], NULL), ARG(4, x[0] + 1, NULL),
                                         ARG(5, x[0] + 2, NULL), ARG(6, (int64_t)sizeof x[0], 3));
}

static neargrid_status update_f64(int which) {
  int32_t rebuilt = GUARD;
  return neargrid_search_update_f64(search, ARG(1, 3, -3), ARG(2, N, -1), ARG(3, x[0], NULL), ARG(4, x[0] + 1, NULL),
                                    ARG(5, x[0] + 2, NULL), ARG(6, (int64_t)sizeof x[0], 0), ARG(7, &rebuilt, NULL));
}

static neargrid_status pairs_count(int which) {
  int64_t n;
  return neargrid_pairs_count(search, ARG(1, &n, NULL));
}

static neargrid_status pairs_view(int which) {
  int64_t n;
  const int32_t *i, *j;
  return neargrid_pairs_view(search, ARG(1, &n, NULL), ARG(2, &i, NULL), ARG(3, &j, NULL));
}

static neargrid_status pairs_copy(int which) {
  int64_t n;
  return neargrid_pairs_copy(search, ARG(1, 100 * N, -1), ARG(2, &n, NULL), ARG(3, pairs[0], NULL), ARG(4, pairs[1], NULL));
}

static neargrid_status neighbors_count(int which) {
  int64_t total;
  return neargrid_neighbors_count(search, ARG(1, 0, 9), ARG(2, &total, NULL));
}

static neargrid_status neighbors_view(int which) {
  int64_t n, total;
  const int64_t *rows;
  const int32_t *row;
  return neargrid_neighbors_view(search, ARG(1, 0, 9), ARG(2, &n, NULL), ARG(3, &total, NULL), ARG(4, &rows, NULL),
                                 ARG(5, &row, NULL));
}

static neargrid_status neighbors_copy(int which) {
  int64_t total;
  return neargrid_neighbors_copy(search, ARG(1, 0, -1), ARG(2, N, N - 1), ARG(3, 100 * N, -1), ARG(4, &total, NULL),
                                 ARG(5, offsets, NULL), ARG(6, pairs[0], NULL));
}

static neargrid_status chunks_begin(int which) {
  int64_t total;
  return neargrid_chunks_begin(search, ARG(1, 0, 9), ARG(2, 1000, 0), ARG(3, &total, NULL));
}

static neargrid_status ghosts_view(int which) {
  const int64_t *names;
  const int32_t *ranks;
  const double *at;
  return neargrid_ghosts_view_f64(search, ARG(1, &n_ghosts, NULL), ARG(2, &names, NULL), ARG(3, &ranks, NULL),
                                  ARG(4, &at, NULL));
}

static neargrid_status halo_exchange(int which) {
  return neargrid_halo_exchange(search, ARG(1, 8, -8), ARG(2, N, N + 1), ARG(3, field64, NULL), ARG(4, n_ghosts, -1),
                                ARG(5, room, NULL));
}

static neargrid_status knn_copy(int which) {
  static double squares[N * K];
  int64_t n;
  return neargrid_knn_copy_f64(search, ARG(1, 0, 9), ARG(2, K, 1025), ARG(3, 0, -1), ARG(4, N, -1), ARG(5, &n, NULL),
                               ARG(6, pairs[0], NULL), squares, NULL);
}

static neargrid_status groups_find(int which) {
  const double mass = ARG(3, 1, -1);
  static double masses[N];
  int64_t n;
  for (int k = 0; k < N; k++) masses[k] = mass;
  return neargrid_groups_find_f64(search, ARG(1, 1, 0), ARG(2, N, N + 1), masses, ARG(4, 8, 4), NULL, NULL, NULL, 0,
                                  ARG(5, &n, NULL));
}

static neargrid_status fof_copy_ids(int which) {
  int64_t n;
  return neargrid_fof_copy_ids(search, ARG(1, N, N - 1), ARG(2, offsets, NULL), ARG(3, &n, NULL));
}

static neargrid_status run(int which) {
  return neargrid_search_run(search, ARG(1, formula, NULL), ARG(2, NEARGRID_NEIGHBORS_FULL, 9), ARG(3, 1, -1));
}

static neargrid_status migration_plan(int which) {
  int64_t after;
  return neargrid_migration_plan_f64(search, ARG(1, 3, 7), ARG(2, N, -1), ARG(3, x[0], NULL), ARG(4, x[0] + 1, NULL),
                                     ARG(5, x[0] + 2, NULL), ARG(6, (int64_t)sizeof x[0], 4), ARG(7, ids, ODD(ids)),
                                     ARG(8, &after, NULL));
}

static neargrid_status migration_move(int which) {
  return neargrid_migration_move(search, ARG(1, (int64_t)sizeof x[0], 0), ARG(2, N, N + 1), ARG(3, x[0], NULL),
                                 ARG(4, N, N - 1), ARG(5, fresh[0], NULL));
}

/* The calls, in an order in which each is possible; how many arguments can be wrong, and how many where there are no ghosts. */
static const struct {
  const char *name;
  neargrid_status (*call)(int which);
  int arguments, alone;
} calls[] = {
    {"set_points_f32", set_points_f32, 6, 6},
    {"set_points_f64", set_points_f64, 7, 7},
    {"add_points_f64", add_points_f64, 5, 5},
    {"set_queries_f64", set_queries_f64, 6, 6},
    {"pairs_count", pairs_count, 1, 1},
    {"pairs_view", pairs_view, 3, 3},
    {"pairs_copy", pairs_copy, 4, 4},
    {"neighbors_count", neighbors_count, 2, 2},
    {"neighbors_view", neighbors_view, 5, 5},
    {"neighbors_copy", neighbors_copy, 6, 6},
    {"chunks_begin", chunks_begin, 3, 3},
    {"ghosts_view", ghosts_view, 4, 4},
    {"halo_exchange", halo_exchange, 5, 4},
    {"knn_copy", knn_copy, 6, 6},
    {"groups_find", groups_find, 5, 5},
    {"fof_copy_ids", fof_copy_ids, 3, 3},
    {"run", run, 3, 3},
    {"migration_plan", migration_plan, 8, 8},
    {"migration_move", migration_move, 5, 5},
    {"update_f64", update_f64, 7, 7},
};

/* All ranks got the same refusal, of this rank's argument. */
static void expect_refusal(neargrid_status got, int wrong, const char *name, int which) {
  char text[512] = "", first[512], start[32], what[700];
  int status = got;
  neargrid_last_error(text, sizeof text, NULL);
  memcpy(first, text, sizeof text);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(start, sizeof start, "rank %d: ", wrong);
  snprintf(what, sizeof what, "%s, argument %d wrong on rank %d: status %d: %s", name, which, wrong, got, text);
  const int is_known = got == NEARGRID_STATUS_NULL_POINTER || got == NEARGRID_STATUS_BAD_VALUE ||
                       got == NEARGRID_STATUS_BAD_COUNT || got == NEARGRID_STATUS_BAD_DIM ||
                       got == NEARGRID_STATUS_NON_FINITE;
  verdict(is_known && got == status && strcmp(first, text) == 0 && strncmp(text, start, strlen(start)) == 0, what, __FILE__,
          __LINE__);
}

int main(int argc, char **argv) {
  uint64_t seed = 78;
  begin(&argc, &argv);
  for (int k = 0; k < N * (rank + 1); k++)
    for (int axis = 0; axis < 3; axis++) x[k % N][axis] = uniform(&seed);
  for (int k = 0; k < N; k++) {
    ids[k] = (int64_t)k * size + rank;
    for (int axis = 0; axis < 3; axis++) xf[k][axis] = (float)x[k][axis];
  }
  room = calloc((size_t)(N * size), sizeof x[0]);
  if (!room) return 1;
  search = new_across();
  OK(neargrid_formula_create("n += 1", &formula));
  OK(neargrid_search_set_cutoff(search, 0.2));
  for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) {
    const int arguments = size > 1 ? calls[k].arguments : calls[k].alone;
    for (int wrong = 0; wrong < size; wrong++) {
      for (int which = 1; which <= arguments; which++) {
        alarm(100);
        expect_refusal(calls[k].call(rank == wrong ? which : 0), wrong, calls[k].name, which);
        OK(calls[k].call(0));
      }
    }
  }
  neargrid_formula_destroy(formula);
  neargrid_search_destroy(search);
  free(room);
  return finish_all("wrong", 100 * size);
}
