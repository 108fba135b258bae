/* Weak scaling: the same number of points on every rank, however many ranks there are.
 *
 *   mpirun -n RANKS scaling [points per rank] [rounds] [pairs|rows|fof] [apart]
 *
 * Ranks are blocks of one uniform cloud, of the density of case C1 (10^6 points in a unit cube, cutoff 0.03: 109 neighbors).
 * Each round sets the points anew on a warm handle and finds all pairs, each on one rank, or half rows of neighbors, or groups of
 * friends (of 0.2 mean distances between points). With
 * `apart` every rank searches alone, all at the same time: what the machine shares then costs, and nothing else does.
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

static void must(int status, const char *call) {
  if (status == 0) return;
  char text[512] = "";
  neargrid_mpi_last_error(text, sizeof text, NULL);
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
static int64_t answer(neargrid_mpi_search *search, int query) {
  int64_t n = 0, npairs = 0;
  const int64_t *offsets = NULL;
  const int32_t *pair_i = NULL, *pair_j = NULL;
  if (query == QUERY_PAIRS) {
    MUST(neargrid_mpi_pairs_view(search, NEARGRID_MPI_SIDES_ONCE, &npairs, &pair_i, &pair_j));
  } else if (query == QUERY_FOF) {
    const int64_t *labels = NULL;
    MUST(neargrid_mpi_fof_view(search, &n, &labels, &npairs));
    npairs = rank == 0 ? npairs : 0;
  } else {
    MUST(neargrid_mpi_neighbors_view(search, NEARGRID_NEIGHBORS_HALF, &n, &npairs, &offsets, &pair_j));
  }
  return npairs;
}

/* One round on all ranks: the slowest rank's seconds of each phase; returns what this rank found. */
static int64_t round_of(neargrid_mpi_search *search, int query, int64_t n, const double *points, double seconds[PHASES]) {
  double at[PHASES], mine[PHASES];
  int64_t nghosts = 0;
  const double *coords = NULL;
  const int64_t *ids = NULL;
  const int32_t *owners = NULL;
  MPI_Barrier(MPI_COMM_WORLD);
  at[0] = MPI_Wtime();
  MUST(neargrid_mpi_search_set_points_f64(search, 3, n, points, points + 1, points + 2, 24, NULL));
  at[1] = MPI_Wtime();
  MUST(neargrid_mpi_ghosts_view_f64(search, &nghosts, &ids, &owners, &coords));
  at[2] = MPI_Wtime();
  const int64_t found = answer(search, query);
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

static int64_t counter(neargrid_mpi_search *search, int32_t which) {
  int64_t mine = 0, all = 0;
  MUST(neargrid_mpi_search_counter(search, which, &mine));
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return all;
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
  neargrid_mpi_search *search = NULL;
  MUST(neargrid_mpi_search_create(NEARGRID_MPI_ABI_VERSION, apart ? MPI_COMM_SELF : MPI_COMM_WORLD, &search));
  MUST(neargrid_mpi_search_set_cutoff(search, query == QUERY_FOF ? 0.002 : 0.03));
  static double each[PHASES][MOST_ROUNDS];
  double seconds[PHASES], median[PHASES];
  int64_t mine = 0, pairs = 0;
  for (int k = -2; k < rounds; ++k) { /* the first two warm up */
    mine = round_of(search, query, n, points, seconds);
    for (int phase = 0; phase < PHASES && k >= 0; ++phase) each[phase][k] = seconds[phase];
  }
  for (int phase = 0; phase < PHASES; ++phase) {
    qsort(each[phase], (size_t)rounds, sizeof(double), ascending);
    median[phase] = 1e3 * each[phase][rounds / 2];
  }
  MPI_Allreduce(&mine, &pairs, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  const int64_t ghosts = counter(search, NEARGRID_MPI_COUNTER_GHOSTS);
  const int64_t messages = counter(search, NEARGRID_MPI_COUNTER_PLAN_MESSAGES);
  const int64_t bytes = counter(search, NEARGRID_MPI_COUNTER_PLAN_BYTES);
  const int64_t backend = counter(search, NEARGRID_MPI_COUNTER_BACKEND);
  if (rank == 0) {
    printf("%s%s: ranks %d points %lld total %.2f set %.2f plan %.2f query %.2f fastest %.2f ghosts %lld messages %lld "
           "bytes %lld found %lld backend %lld\n",
           queries[query], apart ? " apart" : "", size, (long long)n, median[TOTAL], median[POINTS], median[PLAN],
           median[QUERY], 1e3 * each[TOTAL][0],
           (long long)ghosts, (long long)messages, (long long)bytes, (long long)pairs, (long long)backend);
  }
  neargrid_mpi_search_destroy(search);
  free(points);
  MPI_Finalize();
  return 0;
}
