/* Every collective call with one argument that is wrong, on one rank: all ranks get the same status and text, which names that
 * rank, and the same call works afterwards. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "ranks.h"

enum { N = 40, K = 4 };

static neargrid_mpi_search *search;
static double x[N][3], field[N][3], fresh[N * 2][3];
static float xf[N][3], fieldf[N][3];
static int32_t field32[N], pairs[2][100 * N];
static int64_t ids[N], field64[N], offsets[N + 1];
static void *room; /* for what ghosts have */
static int in_flight;

/* The argument of this number, where it is not the wrong one. */
#define ARG(number, good, bad) (which == (number) ? (bad) : (good))
/* A place where no value of this type can be. */
#define ODD(pointer) ((void *)((char *)(pointer) + 1))

static neargrid_status set_points_f64(int which) {
  const double kept = x[3][2];
  x[3][2] = ARG(8, kept, 1.0 / (double)(rank < 0));
  const neargrid_status status = neargrid_mpi_search_set_points_f64(
      search, ARG(1, 3, 4), ARG(2, N, -1), ARG(3, x[0], NULL), ARG(4, x[0] + 1, NULL), ARG(5, x[0] + 2, NULL),
      ARG(6, (int64_t)sizeof x[0], 3), ARG(7, ids, ODD(ids)));
  x[3][2] = kept;
  return status;
}

static neargrid_status set_points_f32(int which) {
  return neargrid_mpi_search_set_points_f32(search, ARG(1, 3, 0), ARG(2, N, INT64_MAX), ARG(3, xf[0], NULL),
                                            ARG(4, xf[0] + 1, NULL), ARG(5, xf[0] + 2, NULL),
                                            ARG(6, (int64_t)sizeof xf[0], INT64_MAX), ARG(7, ids, ODD(ids)));
}

static neargrid_status update_f64(int which) {
  int32_t rebuilt = GUARD;
  return neargrid_mpi_search_update_f64(search, ARG(1, 3, -3), ARG(2, N, -1), ARG(3, x[0], NULL), ARG(4, x[0] + 1, NULL),
                                        ARG(5, x[0] + 2, NULL), ARG(6, (int64_t)sizeof x[0], 0), ARG(7, ids, ODD(ids)),
                                        ARG(8, &rebuilt, NULL));
}

static neargrid_status update_f32(int which) {
  int32_t rebuilt = GUARD;
  return neargrid_mpi_search_update_f32(search, ARG(1, 3, 9), ARG(2, N, -1), ARG(3, xf[0], NULL), ARG(4, xf[0] + 1, NULL),
                                        ARG(5, xf[0] + 2, NULL), ARG(6, (int64_t)sizeof xf[0], 1), ARG(7, ids, ODD(ids)),
                                        ARG(8, &rebuilt, NULL));
}

static neargrid_status pairs_view(int which) {
  int64_t n;
  const int32_t *i, *j;
  return neargrid_mpi_pairs_view(search, ARG(1, 1, 2), ARG(2, &n, NULL), ARG(3, &i, NULL), ARG(4, &j, ODD(&j)));
}

static neargrid_status pairs_copy(int which) {
  int64_t n;
  return neargrid_mpi_pairs_copy(search, ARG(1, 0, -1), ARG(2, 100 * N, -1), ARG(3, &n, NULL), ARG(4, pairs[0], NULL),
                                 ARG(5, pairs[1], ODD(pairs[1])));
}

static neargrid_status neighbors_view(int which) {
  int64_t n, total;
  const int64_t *rows;
  const int32_t *row;
  return neargrid_mpi_neighbors_view(search, ARG(1, 0, 3), ARG(2, &n, NULL), ARG(3, &total, ODD(&total)), ARG(4, &rows, NULL),
                                     ARG(5, &row, NULL));
}

static neargrid_status neighbors_copy(int which) {
  int64_t total;
  return neargrid_mpi_neighbors_copy(search, ARG(1, 0, -1), ARG(2, 100 * N, INT64_MAX), ARG(3, &total, NULL),
                                     ARG(4, offsets, NULL), ARG(5, pairs[0], NULL));
}

static neargrid_status ghosts_view(int which) {
  int64_t n;
  const int64_t *names;
  const int32_t *ranks;
  const double *at;
  return neargrid_mpi_ghosts_view_f64(search, ARG(1, &n, NULL), ARG(2, &names, NULL), ARG(3, &ranks, NULL), ARG(4, &at, NULL));
}

static neargrid_status halo_exchange(int which) {
  return neargrid_mpi_halo_exchange(search, ARG(1, 8, -8), ARG(2, field64, NULL), ARG(3, room, NULL));
}

/* A failed end can be made again. */
static neargrid_status halo_begin_finish(int which) {
  if (!in_flight) {
    const neargrid_status status = neargrid_mpi_halo_begin(search, ARG(1, 24, INT64_MAX), ARG(2, field, NULL));
    if (status != 0) return status;
    in_flight = 1;
  }
  const neargrid_status status = neargrid_mpi_halo_finish(search, ARG(3, room, NULL));
  if (status == 0) in_flight = 0;
  return status;
}

static neargrid_status halo_sum_f64(int which) {
  return neargrid_mpi_halo_sum_f64(search, ARG(1, 3, 0), ARG(2, room, NULL), ARG(3, field[0], ODD(field[0])));
}

static neargrid_status halo_sum_f32(int which) {
  return neargrid_mpi_halo_sum_f32(search, ARG(1, 3, -1), ARG(2, room, NULL), ARG(3, fieldf[0], ODD(fieldf[0])));
}

static neargrid_status halo_sum_i32(int which) {
  return neargrid_mpi_halo_sum_i32(search, ARG(1, 1, 0), ARG(2, room, ODD(room)), ARG(3, field32, NULL));
}

static neargrid_status halo_sum_i64(int which) {
  return neargrid_mpi_halo_sum_i64(search, ARG(1, 1, INT64_MAX), ARG(2, room, ODD(room)), ARG(3, field64, NULL));
}

static neargrid_status knn_view(int which) {
  int64_t n;
  const int32_t *row, *counts;
  const double *distances;
  return neargrid_mpi_knn_view_f64(search, ARG(1, 0, 2), ARG(2, K, 0), ARG(3, 0, 9), ARG(4, &n, NULL), ARG(5, &row, NULL),
                                   ARG(6, &distances, NULL), ARG(7, &counts, NULL));
}

static neargrid_status knn_copy(int which) {
  return neargrid_mpi_knn_copy_f64(search, ARG(1, 0, -1), ARG(2, K, 1025), ARG(3, 1, -1), ARG(4, N, N + 1),
                                   ARG(5, pairs[0], NULL), ARG(6, fresh[0], ODD(fresh[0])), ARG(7, pairs[1], ODD(pairs[1])));
}

static neargrid_status knn_ghosts_view(int which) {
  int64_t n;
  const int64_t *names;
  const int32_t *ranks;
  const double *at;
  return neargrid_mpi_knn_ghosts_view_f64(search, ARG(1, &n, NULL), ARG(2, &names, NULL), ARG(3, &ranks, NULL),
                                          ARG(4, &at, NULL));
}

static neargrid_status fof_view(int which) {
  int64_t n, groups;
  const int64_t *labels;
  return neargrid_mpi_fof_view(search, ARG(1, &n, NULL), ARG(2, &labels, NULL), ARG(3, &groups, NULL));
}

static neargrid_status fof_copy(int which) {
  int64_t groups;
  return neargrid_mpi_fof_copy(search, ARG(1, N, N - 1), ARG(2, field64, NULL), ARG(3, &groups, NULL));
}

static neargrid_status groups_find(int which) {
  int64_t groups;
  return neargrid_mpi_groups_find(search, ARG(1, 1, 0), ARG(2, &groups, NULL));
}

static neargrid_status groups_find_f64(int which) {
  int64_t groups;
  double masses[N];
  for (int k = 0; k < N; k++) masses[k] = ARG(8, 1.5, -1.5);
  const double kept = x[3][2];
  x[3][2] = ARG(9, kept, 1.0 / (double)(rank < 0));
  const neargrid_status status = neargrid_mpi_groups_find_f64(search, ARG(1, 1, -1), ARG(2, N, 0), ARG(3, masses, ODD(masses)),
                                                              x[0], ARG(4, x[0] + 1, NULL), ARG(5, x[0] + 2, NULL),
                                                              ARG(6, (int64_t)sizeof x[0], 3), ARG(7, &groups, NULL));
  x[3][2] = kept;
  return status;
}

static neargrid_status migration_plan(int which) {
  int64_t after;
  return neargrid_mpi_migration_plan_f64(search, ARG(1, 3, 7), ARG(2, N, -1), ARG(3, x[0], NULL), ARG(4, x[0] + 1, NULL),
                                         ARG(5, x[0] + 2, NULL), ARG(6, (int64_t)sizeof x[0], 4), ARG(7, ids, ODD(ids)),
                                         ARG(8, &after, NULL));
}

static neargrid_status migrate(int which) {
  return neargrid_mpi_migrate(search, ARG(1, (int64_t)sizeof x[0], 0), ARG(2, x[0], NULL), ARG(3, fresh[0], NULL));
}

/* The calls, in an order in which each is possible; how many arguments can be wrong, and how many where there are no ghosts. */
static const struct {
  const char *name;
  neargrid_status (*call)(int which);
  int arguments, alone;
} calls[] = {
    {"set_points_f32", set_points_f32, 7, 7},
    {"update_f32", update_f32, 8, 8},
    {"set_points_f64", set_points_f64, 8, 8},
    {"pairs_view", pairs_view, 4, 4},
    {"pairs_copy", pairs_copy, 5, 5},
    {"neighbors_view", neighbors_view, 5, 5},
    {"neighbors_copy", neighbors_copy, 5, 5},
    {"ghosts_view", ghosts_view, 4, 4},
    {"halo_exchange", halo_exchange, 3, 2},
    {"halo_begin, halo_finish", halo_begin_finish, 3, 2},
    {"halo_sum_f64", halo_sum_f64, 3, 1},
    {"halo_sum_f32", halo_sum_f32, 3, 1},
    {"halo_sum_i32", halo_sum_i32, 3, 1},
    {"halo_sum_i64", halo_sum_i64, 3, 1},
    {"knn_view", knn_view, 7, 7},
    {"knn_copy", knn_copy, 7, 7},
    {"knn_ghosts_view", knn_ghosts_view, 4, 4},
    {"fof_view", fof_view, 3, 3},
    {"fof_copy", fof_copy, 3, 3},
    {"groups_find", groups_find, 2, 2},
    {"groups_find_f64", groups_find_f64, 9, 9},
    {"migration_plan", migration_plan, 8, 8},
    {"migrate", migrate, 3, 3},
    {"update_f64", update_f64, 8, 8},
};

/* All ranks got the same refusal, of this rank's argument. */
static void expect_refusal(neargrid_status got, int wrong, const char *name, int which) {
  char text[512] = "", first[512], start[32], what[700];
  int status = got;
  neargrid_mpi_last_error(text, sizeof text, NULL);
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
  OK_MPI(neargrid_mpi_search_create(NEARGRID_MPI_ABI_VERSION, MPI_COMM_WORLD, &search));
  OK_MPI(neargrid_mpi_search_set_threads(search, 1));
  OK_MPI(neargrid_mpi_search_set_cutoff(search, 0.2));
  for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) {
    const int arguments = size > 1 ? calls[k].arguments : calls[k].alone;
    for (int wrong = 0; wrong < size; wrong++) {
      for (int which = 1; which <= arguments; which++) {
        alarm(100);
        expect_refusal(calls[k].call(rank == wrong ? which : 0), wrong, calls[k].name, which);
        OK_MPI(calls[k].call(0));
      }
    }
  }
  neargrid_mpi_search_destroy(search);
  free(room);
  return finish_all("wrong", 100 * size);
}
