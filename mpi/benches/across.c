/* Weak scaling: the same number of points on every rank, however many ranks there are.
 *
 *   mpirun -n RANKS across [points per rank] [rounds] [pairs|rows|fof|step] [apart]
 *
 * Ranks are blocks of one uniform cloud, of the density of case C1 (10^6 points in a unit cube, cutoff 0.03: 109 neighbors). A
 * round on a warm handle sets the points anew and finds all pairs, each on one rank, or half rows of neighbors, or groups of
 * friends (of 0.2 mean distances between points). Or it makes ten time steps of SPH particles by one text, whose points and
 * fields are set before the first round. With `apart` every rank searches alone, in turn on the GPUs of its node, all at the
 * same time: what the machine shares then costs, and nothing else does. NEARGRID_BACKEND and NEARGRID_DEVICE choose as always.
 *
 * A line: milliseconds, medians over rounds of the slowest rank's, in all and by phase: points set, ghosts found (for pairs and
 * rows), query answered; of a step a tenth of its round. Then the most ghosts on a rank, and the pairs or groups of all ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "neargrid_comm_mpi.h"

enum { POINTS, GHOSTS, QUERY, TOTAL, PHASES, MOST_ROUNDS = 1000, STEPS = 10 };
enum { QUERY_PAIRS, QUERY_ROWS, QUERY_FOF, QUERY_STEP, QUERIES };
static const char *const queries[QUERIES] = {"pairs", "rows", "fof", "step"};

/* Densities, pressures, accelerations, and a move so short that the cloud stays what it is. */
static const char *const step_text =
    "t = 1 - r/c\n"
    "rho += m_j*(t^4*(4*r/c + 1))\n"
    "p_i = 2*((rho_i/10)^7 - 1)\n"
    "dW = -20*t^3/c^2\n"
    "h = c/2\n"
    "mu = h*min(dot(v_i - v_j, d), 0)/(r2 + h^2/100)\n"
    "a += -m_j*(p_i/rho_i^2 + p_j/rho_j^2 - mu/((rho_i + rho_j)/2))*dW*d\n"
    "fastest all max= dot(v_i, v_i)\n"
    "dt := 1e-6/(1 + sqrt(fastest))\n"
    "v_i = v_i + dt*a_i\n"
    "x_i = x_i + dt*v_i";

static int rank, size;
static int64_t n;           /* points of a rank */
static double *points;      /* their coordinates */
static int64_t *labels;     /* of groups */
static neargrid_comm *comm; /* none with `apart` */
static neargrid_search *search;
static neargrid_formula *step;

static void must(neargrid_status status, const char *call) {
  if (status == NEARGRID_STATUS_OK) return;
  char text[512] = "";
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "rank %d: %s: %s\n", rank, call, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define MUST(call) must((call), #call)

static void *allocate(size_t elements) {
  void *memory = malloc(elements * sizeof(double));
  if (!memory) MPI_Abort(MPI_COMM_WORLD, 1);
  return memory;
}

static double uniform(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) / 9007199254740992.0;
}

/* Points of this rank's block, a cube of that edge. */
static void fill_block(double edge) {
  int blocks[3] = {0, 0, 0};
  MPI_Dims_create(size, 3, blocks);
  const int at[3] = {rank % blocks[0], rank / blocks[0] % blocks[1], rank / blocks[0] / blocks[1]};
  uint64_t state = 88172645463325252u + 1000003u * (uint64_t)rank;
  points = allocate((size_t)n * 3);
  for (int64_t i = 0; i < 3 * n; ++i) points[i] = (at[i % 3] + uniform(&state)) * edge;
}

static void set_points(void) {
  MUST(neargrid_search_set_points_f64(search, 3, n, points, points + 1, points + 2, 24));
}

/* Makes the search, with its cutoff. */
static void begin(int apart, double cutoff) {
  if (apart) {
    MPI_Comm node;
    int turn = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &turn);
    MPI_Comm_free(&node);
    MUST(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
    MUST(neargrid_search_set_device(search, NEARGRID_DEVICE_TURN, turn));
  } else {
    MUST(neargrid_comm_of_mpi(NEARGRID_ABI_VERSION, MPI_COMM_WORLD, &comm));
    MUST(neargrid_search_create_across(NEARGRID_ABI_VERSION, comm, &search));
  }
  MUST(neargrid_search_set_cutoff(search, cutoff));
}

static void begin_steps(void) {
  uint64_t state = 362436069u + 1000003u * (uint64_t)rank;
  double *v = allocate((size_t)n * 3), *m = allocate((size_t)n);
  for (int64_t i = 0; i < 3 * n; ++i) v[i] = uniform(&state) - 0.5;
  for (int64_t i = 0; i < n; ++i) m[i] = 0.5 + uniform(&state);
  set_points();
  MUST(neargrid_search_set_field_f64(search, "m", NEARGRID_OF_POINTS, 1, n, m, NULL, NULL, 8));
  MUST(neargrid_search_set_field_f64(search, "v", NEARGRID_OF_POINTS, 3, n, v, v + 1, v + 2, 24));
  MUST(neargrid_formula_create(step_text, &step));
  MUST(neargrid_formula_set_precision(step, NEARGRID_PRECISION_DOUBLE));
  MUST(neargrid_formula_set_include_self(step, 1));
  free(v);
  free(m);
}

static int64_t count_ghosts(void) {
  int64_t nghosts = 0;
  const double *coords = NULL;
  const int64_t *ids = NULL;
  const int32_t *owners = NULL;
  if (comm) MUST(neargrid_ghosts_view_f64(search, &nghosts, &ids, &owners, &coords));
  return nghosts;
}

/* Answers a query; returns how many pairs or groups this rank has. */
static int64_t answer(int query) {
  int64_t rows = 0, found = 0;
  const int64_t *offsets = NULL;
  const int32_t *pair_i = NULL, *pair_j = NULL;
  if (query == QUERY_PAIRS) {
    MUST(neargrid_pairs_view(search, &found, &pair_i, &pair_j));
  } else if (query == QUERY_ROWS) {
    MUST(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_HALF, &rows, &found, &offsets, &pair_j));
  } else if (query == QUERY_FOF) {
    MUST(neargrid_fof_copy_ids(search, n, labels, &found));
    if (comm && rank > 0) found = 0; /* each rank has the groups of all */
  } else {
    MUST(neargrid_search_run(search, step, NEARGRID_NEIGHBORS_FULL, STEPS));
  }
  return found;
}

/* One round on all ranks: the slowest rank's milliseconds of each phase; returns what this rank found. */
static int64_t round_of(int query, double slowest[PHASES]) {
  double at[PHASES], mine[PHASES];
  const double unit = query == QUERY_STEP ? 1e3 / STEPS : 1e3;
  MPI_Barrier(MPI_COMM_WORLD);
  at[POINTS] = MPI_Wtime();
  if (query != QUERY_STEP) set_points();
  at[GHOSTS] = MPI_Wtime();
  if (query <= QUERY_ROWS) count_ghosts();
  at[QUERY] = MPI_Wtime();
  const int64_t found = answer(query);
  at[TOTAL] = MPI_Wtime();
  for (int phase = POINTS; phase <= QUERY; ++phase) mine[phase] = unit * (at[phase + 1] - at[phase]);
  mine[TOTAL] = unit * (at[TOTAL] - at[POINTS]);
  MPI_Allreduce(mine, slowest, PHASES, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return found;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int64_t of_all(int64_t mine, MPI_Op op) {
  int64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, op, MPI_COMM_WORLD);
  return all;
}

/* Times all rounds, and prints the line. */
static void measure(int query, int rounds) {
  static double each[PHASES][MOST_ROUNDS];
  double slowest[PHASES], median[PHASES];
  int64_t mine = 0, backend = 0;
  for (int k = -2; k < rounds; ++k) { /* the first two warm up */
    mine = round_of(query, slowest);
    for (int phase = 0; phase < PHASES && k >= 0; ++phase) each[phase][k] = slowest[phase];
  }
  for (int phase = 0; phase < PHASES; ++phase) {
    qsort(each[phase], (size_t)rounds, sizeof(double), ascending);
    median[phase] = each[phase][rounds / 2];
  }
  MUST(neargrid_search_counter(search, NEARGRID_COUNTER_BACKEND, &backend));
  const int64_t found = of_all(mine, MPI_SUM), ghosts = of_all(count_ghosts(), MPI_MAX);
  if (rank > 0) return;
  printf("%s%s: ranks %d points %lld total %.2f set %.2f ghosts %.2f query %.2f fastest %.2f most ghosts %lld found %lld "
         "backend %lld\n",
         queries[query], comm ? "" : " apart", size, (long long)n, median[TOTAL], median[POINTS], median[GHOSTS],
         median[QUERY], each[TOTAL][0], (long long)ghosts, (long long)found, (long long)backend);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  n = argc > 1 ? atoll(argv[1]) : 1000000;
  int rounds = argc > 2 ? atoi(argv[2]) : 9;
  int query = argc > 3 ? 0 : QUERY_PAIRS;
  while (argc > 3 && query < QUERIES && strcmp(argv[3], queries[query])) ++query;
  const int apart = argc > 4 && strcmp(argv[4], "apart") == 0;
  if (n < 1 || rounds < 1 || rounds > MOST_ROUNDS || query == QUERIES || (argc > 4 && !apart)) {
    if (rank == 0) fprintf(stderr, "across [points per rank] [rounds, 1 to %d] [pairs|rows|fof|step] [apart]\n", MOST_ROUNDS);
    MPI_Finalize();
    return 2;
  }
  double edge = 1.0; /* the cube root of n / 10^6, by Newton */
  for (int k = 0; k < 60; ++k) edge -= (edge * edge * edge - (double)n / 1e6) / (3 * edge * edge);
  fill_block(edge);
  labels = allocate(query == QUERY_FOF ? (size_t)n : 1);
  begin(apart, query == QUERY_FOF ? 0.002 : 0.03);
  if (query == QUERY_STEP) begin_steps();
  measure(query, rounds);
  neargrid_formula_destroy(step);
  neargrid_search_destroy(search);
  neargrid_comm_destroy(comm);
  free(points);
  free(labels);
  MPI_Finalize();
  return 0;
}
