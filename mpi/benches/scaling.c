/* Weak scaling: the same number of points on every rank, however many ranks there are.
 *
 *   mpirun -n RANKS scaling [points per rank] [rounds] [pairs|rows|fof] [apart]
 *
 * Ranks are blocks of one uniform cloud, of the density of case C1 (10^6 points in a unit cube, cutoff 0.03: 109 neighbors).
 * Each round sets the points anew on a warm handle and finds all pairs, each on one rank, or half rows of neighbors, or groups of
 * friends (of 0.2 mean distances between points). With
 * `apart` every rank searches alone, with the core's search and in turn on the GPUs of its node, all at the same time: what the
 * machine shares then costs, and nothing else does.
 *
 * Each line: milliseconds, medians over rounds of the slowest rank's, in all and by phase: points set, plan made (with the
 * ghosts' exchange), query answered; the most ghosts, messages and bytes of the plan on a rank; pairs of all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <neargrid_mpi.h>

enum { POINTS, PLAN, QUERY, TOTAL, PHASES, MOST_ROUNDS = 1000 };
enum { QUERY_PAIRS, QUERY_ROWS, QUERY_FOF, QUERIES };
static const char *const queries[QUERIES] = {"pairs", "rows", "fof"};

static int rank, size;
static neargrid_mpi_search *together;
static neargrid_search *alone; /* with `apart`, and `together` is NULL */

static void must(int status, const char *call) {
  if (status == 0) return;
  char text[512] = "";
  if (alone) neargrid_last_error(text, sizeof text, NULL);
  else neargrid_mpi_last_error(text, sizeof text, NULL);
  fprintf(stderr, "rank %d: %s: %s\n", rank, call, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define MUST(call) must((call), #call)

static double uniform(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) / 9007199254740992.0;
}

/* n points of this rank's block, a cube of that edge. */
static double *block(int64_t n, double edge) {
  int blocks[3] = {0, 0, 0};
  MPI_Dims_create(size, 3, blocks);
  const int at[3] = {rank % blocks[0], rank / blocks[0] % blocks[1], rank / blocks[0] / blocks[1]};
  uint64_t state = 88172645463325252u + 1000003u * (uint64_t)rank;
  double *points = malloc((size_t)n * 3 * sizeof *points);
  if (!points) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int64_t i = 0; i < 3 * n; ++i) points[i] = (at[i % 3] + uniform(&state)) * edge;
  return points;
}

/* Answers a query; returns how many pairs this rank has. */
static int64_t answer(int query) {
  int64_t n = 0, npairs = 0;
  const int64_t *offsets = NULL, *labels = NULL;
  const int32_t *pair_i = NULL, *pair_j = NULL, *label = NULL;
  if (query == QUERY_PAIRS) {
    if (alone) MUST(neargrid_pairs_view(alone, &npairs, &pair_i, &pair_j));
    else MUST(neargrid_mpi_pairs_view(together, NEARGRID_MPI_SIDES_ONCE, &npairs, &pair_i, &pair_j));
  } else if (query == QUERY_FOF) {
    if (alone) MUST(neargrid_fof_view(alone, &n, &label, &npairs));
    else MUST(neargrid_mpi_fof_view(together, &n, &labels, &npairs));
    npairs = rank == 0 || alone ? npairs : 0;
  } else if (alone) {
    MUST(neargrid_neighbors_view(alone, NEARGRID_NEIGHBORS_HALF, &n, &npairs, &offsets, &pair_j));
  } else {
    MUST(neargrid_mpi_neighbors_view(together, NEARGRID_NEIGHBORS_HALF, &n, &npairs, &offsets, &pair_j));
  }
  return npairs;
}

/* Sets the points and, across ranks, makes the plan. */
static void set_points(int64_t n, const double *points) {
  if (alone) MUST(neargrid_search_set_points_f64(alone, 3, n, points, points + 1, points + 2, 24));
  else MUST(neargrid_mpi_search_set_points_f64(together, 3, n, points, points + 1, points + 2, 24, NULL));
}

static void make_plan(void) {
  int64_t nghosts = 0;
  const double *coords = NULL;
  const int64_t *ids = NULL;
  const int32_t *owners = NULL;
  if (together) MUST(neargrid_mpi_ghosts_view_f64(together, &nghosts, &ids, &owners, &coords));
}

/* One round on all ranks: the slowest rank's seconds of each phase; returns what this rank found. */
static int64_t round_of(int query, int64_t n, const double *points, double seconds[PHASES]) {
  double at[PHASES], mine[PHASES];
  MPI_Barrier(MPI_COMM_WORLD);
  at[0] = MPI_Wtime();
  set_points(n, points);
  at[1] = MPI_Wtime();
  make_plan();
  at[2] = MPI_Wtime();
  const int64_t found = answer(query);
  at[3] = MPI_Wtime();
  for (int phase = POINTS; phase <= QUERY; ++phase) mine[phase] = at[phase + 1] - at[phase];
  mine[TOTAL] = at[3] - at[0];
  MPI_Allreduce(mine, seconds, PHASES, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return found;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The largest over ranks; 0 for what a search alone does not have. */
static int64_t counter(int32_t which, int32_t which_alone) {
  int64_t mine = 0, all = 0;
  if (together) MUST(neargrid_mpi_search_counter(together, which, &mine));
  else if (which_alone >= 0) MUST(neargrid_search_counter(alone, which_alone, &mine));
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/* Makes the search, with its cutoff. */
static void begin(int apart, double cutoff) {
  if (apart) {
    MPI_Comm node;
    int turn = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &turn);
    MPI_Comm_free(&node);
    MUST(neargrid_search_create(NEARGRID_ABI_VERSION, &alone));
    MUST(neargrid_search_set_device(alone, NEARGRID_DEVICE_TURN, turn));
    MUST(neargrid_search_set_cutoff(alone, cutoff));
  } else {
    MUST(neargrid_mpi_search_create(NEARGRID_MPI_ABI_VERSION, MPI_COMM_WORLD, &together));
    MUST(neargrid_mpi_search_set_cutoff(together, cutoff));
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int64_t n = argc > 1 ? atoll(argv[1]) : 1000000;
  int rounds = argc > 2 ? atoi(argv[2]) : 9;
  int query = argc > 3 ? 0 : QUERY_PAIRS;
  while (argc > 3 && query < QUERIES && strcmp(argv[3], queries[query])) ++query;
  const int apart = argc > 4 && strcmp(argv[4], "apart") == 0;
  if (n < 1 || rounds < 1 || rounds > MOST_ROUNDS || query == QUERIES || (argc > 4 && !apart)) {
    if (rank == 0) fprintf(stderr, "scaling [points per rank] [rounds, 1 to %d] [pairs|rows|fof] [apart]\n", MOST_ROUNDS);
    MPI_Finalize();
    return 2;
  }
  double edge = 1.0; /* the cube root of n / 10^6, by Newton */
  for (int k = 0; k < 60; ++k) edge -= (edge * edge * edge - (double)n / 1e6) / (3 * edge * edge);
  double *points = block(n, edge);
  begin(apart, query == QUERY_FOF ? 0.002 : 0.03);
  static double each[PHASES][MOST_ROUNDS];
  double seconds[PHASES], median[PHASES];
  int64_t mine = 0, pairs = 0;
  for (int k = -2; k < rounds; ++k) { /* the first two warm up */
    mine = round_of(query, n, points, seconds);
    for (int phase = 0; phase < PHASES && k >= 0; ++phase) each[phase][k] = seconds[phase];
  }
  for (int phase = 0; phase < PHASES; ++phase) {
    qsort(each[phase], (size_t)rounds, sizeof(double), ascending);
    median[phase] = 1e3 * each[phase][rounds / 2];
  }
  MPI_Allreduce(&mine, &pairs, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  const int64_t ghosts = counter(NEARGRID_MPI_COUNTER_GHOSTS, -1);
  const int64_t messages = counter(NEARGRID_MPI_COUNTER_PLAN_MESSAGES, -1);
  const int64_t bytes = counter(NEARGRID_MPI_COUNTER_PLAN_BYTES, -1);
  const int64_t backend = counter(NEARGRID_MPI_COUNTER_BACKEND, NEARGRID_COUNTER_BACKEND);
  if (rank == 0) {
    printf("%s%s: ranks %d points %lld total %.2f set %.2f plan %.2f query %.2f fastest %.2f ghosts %lld messages %lld "
           "bytes %lld found %lld backend %lld\n",
           queries[query], apart ? " apart" : "", size, (long long)n, median[TOTAL], median[POINTS], median[PLAN],
           median[QUERY], 1e3 * each[TOTAL][0],
           (long long)ghosts, (long long)messages, (long long)bytes, (long long)pairs, (long long)backend);
  }
  neargrid_mpi_search_destroy(together);
  neargrid_search_destroy(alone);
  free(points);
  MPI_Finalize();
  return 0;
}
