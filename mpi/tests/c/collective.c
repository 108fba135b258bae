/* The collective calls of a search across ranks by neargrid_comm_mpi, against the plain loop and a search of all points on one rank.
 * Every rank knows the whole cloud and sets its part, whose global ids are places in the cloud. What calls find in all settings is
 * tested on ranks that are threads; here messages go through MPI. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "ranks.h"

enum { N = 500 };
static const double CUTOFF = 0.15;

static double cloud[N][3], masses[N];
static double mine[N][3], my_masses[N];
static int64_t my_ids[N], n_mine;
static int64_t known[N]; /* global ids of this rank's points and, behind them, of its ghosts */
static pair_list want;   /* all pairs, the smaller id first */

static void spread(int way) {
  n_mine = 0;
  for (int64_t id = 0; id < N; id++) {
    const int owner[] = {(int)(id * 7 % 11 % size), (int)(cloud[id][0] * size), size - 1};
    if (owner[way] != rank) continue;
    memcpy(mine[n_mine], cloud[id], sizeof mine[0]);
    my_masses[n_mine] = masses[id];
    my_ids[n_mine++] = id;
  }
}

static void set_mine(neargrid_search *search) {
  OK(neargrid_search_set_cutoff(search, CUTOFF));
  OK(neargrid_search_set_points_f64(search, 3, n_mine, mine[0], mine[0] + 1, mine[0] + 2, sizeof mine[0]));
  OK(neargrid_search_set_ids(search, n_mine, my_ids, sizeof my_ids[0]));
}

static neargrid_search *across(neargrid_comm *comm) {
  neargrid_search *search = NULL;
  if (!OK(neargrid_search_create_across(NEARGRID_ABI_VERSION, comm, &search))) MPI_Abort(MPI_COMM_WORLD, 1);
  return search;
}

/* Ghosts are what the cloud has under their ids, and a field that travels to them arrives in their order. */
static void check_ghosts(neargrid_search *search) {
  int64_t n = GUARD;
  const int64_t *ids = NULL;
  const int32_t *ranks = NULL;
  const double *positions = NULL;
  static int64_t received[N];
  if (!OK(neargrid_ghosts_view_f64(search, &n, &ids, &ranks, &positions))) return;
  if (!CHECK(n >= 0 && n_mine + n <= N && (size > 1 || n == 0))) return;
  int same = 1;
  for (int64_t k = 0; k < n; k++) {
    known[n_mine + k] = ids[k];
    same &= ranks[k] != rank && memcmp(positions + 3 * k, cloud[ids[k]], sizeof cloud[0]) == 0;
  }
  CHECK(same);
  memcpy(known, my_ids, (size_t)n_mine * sizeof my_ids[0]);
  OK(neargrid_halo_exchange(search, sizeof my_ids[0], n_mine, (const void *)my_ids, n, (void *)received));
  CHECK(memcmp(received, known + n_mine, (size_t)n * sizeof received[0]) == 0);
}

static void check_pairs(neargrid_search *search) {
  static int found[N][N], all[N][N];
  int64_t n = GUARD, total = 0;
  const int32_t *i = NULL, *j = NULL;
  memset(found, 0, sizeof found);
  if (!OK(neargrid_pairs_view(search, &n, &i, &j))) return;
  for (int64_t k = 0; k < n; k++) {
    const int64_t one = known[i[k]], other = known[j[k]];
    found[one < other ? one : other][one < other ? other : one]++;
  }
  MPI_Allreduce(&n, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(found, all, N * N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(total == want.n);
  int once = 1;
  for (int64_t k = 0; k < want.n; k++) once &= all[want.i[k]][want.j[k]] == 1;
  CHECK(once);
}

static void check_rows(neargrid_search *search, neargrid_search *serial) {
  int64_t n = GUARD, total = GUARD, n_all = GUARD;
  const int64_t *offsets = NULL, *all_offsets = NULL;
  const int32_t *ids = NULL, *all_ids = NULL;
  if (!OK(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_FULL, &n, &total, &offsets, &ids))) return;
  OK(neargrid_neighbors_view(serial, NEARGRID_NEIGHBORS_FULL, &n_all, &total, &all_offsets, &all_ids));
  CHECK(n == n_mine && n_all == N);
  int same = 1;
  for (int64_t row = 0; row < n; row++) {
    const int64_t start = offsets[row], length = offsets[row + 1] - start, all_start = all_offsets[my_ids[row]];
    same &= length == all_offsets[my_ids[row] + 1] - all_start;
    for (int64_t k = 0; same && k < length; k++) same &= known[ids[start + k]] == all_ids[all_start + k];
  }
  CHECK(same);
}

/* Runs both formulas: `rho` of the first `n` points, and its total. */
static double run(neargrid_search *search, const double *mass, int64_t n, double *rho) {
  neargrid_formula *formula = NULL;
  double total = GUARD;
  OK(neargrid_search_set_field_f64(search, "m", NEARGRID_OF_POINTS, 1, n, mass, NULL, NULL, sizeof(double)));
  OK(neargrid_formula_create("rho += m_j*(1 - r/c)\ntotal all+= rho_i", &formula));
  OK(neargrid_formula_set_precision(formula, NEARGRID_PRECISION_DOUBLE));
  OK(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_FULL, 1));
  OK(neargrid_field_copy_f64(search, "rho", NEARGRID_OF_POINTS, 1, n, rho, NULL, NULL, sizeof(double)));
  OK(neargrid_formula_number(formula, "total", &total));
  neargrid_formula_destroy(formula);
  return total;
}

static void check_formula(neargrid_search *search, neargrid_search *serial) {
  static double rho[N], all_rho[N];
  const double total = run(search, my_masses, n_mine, rho), all_total = run(serial, masses, N, all_rho);
  int same = 1;
  for (int64_t k = 0; k < n_mine; k++) same &= memcmp(&rho[k], &all_rho[my_ids[k]], sizeof rho[0]) == 0;
  CHECK(same);
  CHECK(memcmp(&total, &all_total, sizeof total) == 0 && total > 0);
}

/* The k nearest, whose rows have their own points of other ranks. */
static void check_nearest(neargrid_search *search, neargrid_search *serial) {
  enum { K = 7 };
  static int64_t named[N];
  static int32_t ids[N * K], counts[N];
  static double squares[N * K];
  int64_t n = GUARD, n_all = GUARD, ghosts = GUARD;
  const int64_t *ghost_ids = NULL;
  const int32_t *all_ids = NULL, *all_counts = NULL, *ranks = NULL;
  const double *all_squares = NULL, *positions = NULL;
  const int32_t room = rank == size - 1 && n_mine > 0 ? (int32_t)n_mine - 1 : (int32_t)n_mine;
  if (n_mine > 0 || rank < size - 1)
    REFUSED(neargrid_knn_copy_f64(search, NEARGRID_KNN_OTHERS, K, NEARGRID_MEASURE_SQUARE, room, &n, ids, squares, counts),
            CAPACITY, "capacity = ");
  if (!OK(neargrid_knn_copy_f64(search, NEARGRID_KNN_OTHERS, K, NEARGRID_MEASURE_SQUARE, n_mine, &n, ids, squares, counts))) return;
  OK(neargrid_knn_ghosts_view_f64(search, &ghosts, &ghost_ids, &ranks, &positions));
  OK(neargrid_knn_view_f64(serial, NEARGRID_KNN_OTHERS, K, NEARGRID_MEASURE_SQUARE, &n_all, &all_ids, &all_squares, &all_counts));
  if (!CHECK(n == n_mine && n_all == N && ghosts >= 0 && n + ghosts <= N)) return;
  memcpy(named, my_ids, (size_t)n * sizeof named[0]);
  int same = 1;
  for (int64_t k = 0; k < ghosts; k++) {
    named[n + k] = ghost_ids[k];
    same &= ranks[k] != rank && memcmp(positions + 3 * k, cloud[ghost_ids[k]], sizeof cloud[0]) == 0;
  }
  for (int64_t row = 0; row < n; row++) {
    const int64_t all = my_ids[row];
    same &= counts[row] == all_counts[all];
    for (int64_t k = 0; k < K; k++) same &= named[ids[row * K + k]] == all_ids[all * K + k];
    same &= memcmp(squares + row * K, all_squares + all * K, K * sizeof squares[0]) == 0;
  }
  CHECK(same);
  if (size > 1)
    REFUSED(neargrid_knn_copy_f64(search, NEARGRID_KNN_OTHERS, rank == size - 1 ? 4 : 3, 0, n_mine, &n, ids, squares, counts),
            DISAGREEMENT, "k = 3 on rank 0, 4 on rank ");
  const double *distances = NULL;
  const int32_t *found_ids = NULL, *found_counts = NULL;
  OK(neargrid_knn_view_f64(search, NEARGRID_KNN_ALL, 1, NEARGRID_MEASURE_DISTANCE, &n, &found_ids, &distances, &found_counts));
  for (int64_t row = 0; row < n; row++) same &= found_ids[row] == row && distances[row] == 0;
  CHECK(n == n_mine && same);
}

/* Groups by global ids, and their catalogue: each group is on one rank. */
static void check_groups(neargrid_search *search, neargrid_search *serial) {
  static int64_t labels[N], all_labels[N], own[N], all_own[N], sizes[N], all_sizes[N];
  const double *mass, *all_mass, *centers, *all_centers, *velocities, *radii, *all_radii;
  const int32_t *wide;
  int64_t n = GUARD, n_all = GUARD, groups = GUARD, all_groups = GUARD;
  int32_t dim = 0;
  set_mine(search); /* no query between points and groups */
  OK(neargrid_search_set_cutoff(search, 0.06));
  OK(neargrid_search_set_cutoff(serial, 0.06));
  REFUSED(neargrid_fof_copy_ids(search, n_mine + (rank == 0), labels, &n), BAD_COUNT, "n = ");
  if (!OK(neargrid_fof_copy_ids(search, n_mine, labels, &n))) return;
  OK(neargrid_fof_copy_ids(serial, N, all_labels, &n_all));
  int same = n == n_all && n > 10 && n < N;
  for (int64_t k = 0; k < n_mine; k++) same &= labels[k] == all_labels[my_ids[k]];
  CHECK(same);
  OK(neargrid_groups_find_f64(search, 2, n_mine, my_masses, sizeof(double), NULL, NULL, NULL, 0, &groups));
  OK(neargrid_groups_find_f64(serial, 2, N, masses, sizeof(double), NULL, NULL, NULL, 0, &all_groups));
  OK(neargrid_groups_copy_ids(search, N, &n, own, sizes));
  OK(neargrid_groups_copy_ids(serial, N, &n_all, all_own, all_sizes));
  OK(neargrid_groups_view_sums(search, &n, &dim, &mass, &centers, &velocities, &radii, &wide));
  OK(neargrid_groups_view_sums(serial, &n_all, &dim, &all_mass, &all_centers, &velocities, &all_radii, &wide));
  same = n == groups && n_all == all_groups && dim == 3;
  for (int64_t g = 0, all = 0; same && g < n; g++, all++) {
    while (all < n_all && all_own[all] != own[g]) all++; /* in the same order, with groups of other ranks between */
    same &= all < n_all && sizes[g] == all_sizes[all] && radii[g] == all_radii[all] && mass[g] == all_mass[all] &&
            memcmp(centers + 3 * g, all_centers + 3 * all, 3 * sizeof(double)) == 0;
  }
  CHECK(same);
  MPI_Allreduce(&groups, &n, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(n == all_groups);
  int32_t none = 0;
  REFUSED(neargrid_fof_copy(search, n_mine, &none, &n), NOT_SUPPORTED, "neargrid_fof_copy_ids");
  OK(neargrid_search_set_cutoff(search, CUTOFF));
  OK(neargrid_search_set_cutoff(serial, CUTOFF));
}

/* Points go to the ranks that are near to them, and one of them moves, within a skin and beyond it. */
static void check_steps(neargrid_search *search) {
  static double moved[N][3];
  int64_t after = GUARD, n = GUARD, total = 0;
  int32_t rebuilt = GUARD;
  double share = GUARD;
  const int64_t stride = sizeof mine[0];
  OK(neargrid_migration_plan_f64(search, 3, n_mine, mine[0], mine[0] + 1, mine[0] + 2, stride, my_ids, &after));
  CHECK(after == (int64_t)N * (rank + 1) / size - (int64_t)N * rank / size);
  OK(neargrid_migration_move(search, stride, n_mine, mine, after, moved));
  OK(neargrid_migration_move(search, sizeof my_ids[0], n_mine, my_ids, after, known));
  n_mine = after;
  memcpy(mine, moved, sizeof mine);
  memcpy(my_ids, known, sizeof my_ids);
  int same = 1;
  for (int64_t k = 0; k < n_mine; k++) same &= memcmp(mine[k], cloud[my_ids[k]], sizeof mine[0]) == 0;
  CHECK(same);
  OK(neargrid_search_set_skin(search, 0.05));
  set_mine(search);
  for (int step = 0; step < 3; step++) {
    OK(neargrid_search_update_f64(search, 3, n_mine, mine[0], mine[0] + 1, mine[0] + 2, stride, &rebuilt));
    OK(neargrid_search_skin_used(search, &share));
    CHECK(step == 0 || (rebuilt == (step == 2) && (share > 1) == (step == 2)));
    OK(neargrid_pairs_count(search, &n));
    MPI_Allreduce(&n, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(total == want.n || step > 0);
    if (rank == 0 && n_mine > 0) mine[0][0] += step == 0 ? 0.01 : 0.5; /* of one rank, and all know of it */
  }
  OK(neargrid_search_set_skin(search, 0));
}

/* One rank has no room for its pairs: no rank's arrays are touched, and the call may be repeated. */
static void check_capacity(neargrid_search *search) {
  int64_t n = GUARD, needed = GUARD;
  if (!OK(neargrid_pairs_count(search, &needed))) return;
  const int64_t room = rank == size - 1 ? needed - 1 : needed;
  int32_t *i = guarded(needed), *j = guarded(needed);
  if (!CHECK(rank < size - 1 || needed > 0)) return;
  REFUSED(neargrid_pairs_copy(search, room, &n, i, j), CAPACITY, "capacity = ");
  CHECK(untouched(i, 0, needed) && untouched(j, 0, needed));
  OK(neargrid_pairs_copy(search, needed, &n, i, j));
  CHECK(n == needed && (needed == 0 || !untouched(i, 0, 1)));
  free(i);
  free(j);
}

static void check_refusals(void) {
  neargrid_comm *made = NULL;
  MPI_Comm inter = MPI_COMM_NULL, half = MPI_COMM_NULL;
  CHECK(neargrid_comm_of_mpi(NEARGRID_ABI_VERSION, MPI_COMM_WORLD, NULL) == NEARGRID_STATUS_NULL_POINTER);
  CHECK(neargrid_comm_of_mpi(NEARGRID_ABI_VERSION, MPI_COMM_NULL, &made) == NEARGRID_STATUS_BAD_VALUE && !made);
  REFUSED(neargrid_comm_of_mpi(NEARGRID_ABI_VERSION + 1, MPI_COMM_WORLD, &made), ABI_MISMATCH, "");
  CHECK(!made);
  if (size < 2) return;
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 5, &inter);
  CHECK(neargrid_comm_of_mpi(NEARGRID_ABI_VERSION, inter, &made) == NEARGRID_STATUS_BAD_VALUE && !made);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/* A search outlives its communicator and that of MPI, and ranks destroy searches in any order. */
static void check_lives(void) {
  neargrid_comm *first = NULL, *second = NULL;
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  if (!OK(neargrid_comm_of_mpi(NEARGRID_ABI_VERSION, own, &first))) return;
  if (!OK(neargrid_comm_of_mpi_f(NEARGRID_ABI_VERSION, MPI_Comm_c2f(own), &second))) return;
  neargrid_search *searches[] = {across(first), across(second)};
  neargrid_comm_destroy(first);
  neargrid_comm_destroy(second);
  MPI_Comm_free(&own);
  for (int k = 0; k < 2; k++) {
    int64_t n = GUARD, total = 0;
    set_mine(searches[k]);
    OK(neargrid_pairs_count(searches[k], &n));
    MPI_Allreduce(&n, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(total == want.n);
  }
  neargrid_search_destroy(searches[rank % 2]);
  neargrid_search_destroy(searches[1 - rank % 2]);
}

int main(int argc, char **argv) {
  neargrid_comm *comm = NULL;
  uint64_t state = 5;
  CHECK(neargrid_comm_of_mpi(NEARGRID_ABI_VERSION, MPI_COMM_WORLD, &comm) == NEARGRID_STATUS_BAD_STATE);
  begin(&argc, &argv);
  for (int k = 0; k < N; k++) {
    for (int axis = 0; axis < 3; axis++) cloud[k][axis] = uniform(&state);
    masses[k] = 0.5 + uniform(&state);
  }
  want = plain_pairs_f64(3, N, cloud[0], CUTOFF, 0);
  CHECK(want.n > N);
  check_refusals();
  if (!OK(neargrid_comm_of_mpi(NEARGRID_ABI_VERSION, MPI_COMM_WORLD, &comm))) MPI_Abort(MPI_COMM_WORLD, 1);
  neargrid_search *search = across(comm), *serial = new_search(CUTOFF);
  OK(neargrid_search_set_points_f64(serial, 3, N, cloud[0], cloud[0] + 1, cloud[0] + 2, sizeof cloud[0]));
  for (int way = 0; way < 3; way++) {
    spread(way);
    set_mine(search);
    check_ghosts(search);
    check_pairs(search);
    check_rows(search, serial);
    check_formula(search, serial);
    check_capacity(search);
    check_nearest(search, serial);
    check_groups(search, serial);
    check_steps(search);
  }
  spread(0);
  check_lives();
  neargrid_comm_destroy(comm); /* the search goes on, until after MPI_Finalize */
  int here[2] = {checks, failures}, all[2] = {0, 0};
  MPI_Reduce(here, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) checks = all[0], failures = all[1];
  MPI_Finalize();
  CHECK(neargrid_comm_of_mpi(NEARGRID_ABI_VERSION, MPI_COMM_WORLD, &comm) == NEARGRID_STATUS_BAD_STATE && !comm);
  neargrid_search_destroy(search);
  neargrid_search_destroy(serial);
  free_pairs(want);
  if (rank > 0) return failures > 0;
  return finish("collective", 50 * size);
}
