/* A time loop: points move, plan and lists are kept with a skin, and now and then the points migrate. Pairs are those of the plain
 * loop at every step, and failures are everybody's. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "ranks.h"

enum { N = 300, STEPS = 12, SPREAD_EVERY = 5 };
static const double CUTOFF = 0.11, SKIN = 0.04;

typedef struct {
  double x[3];
  int64_t id;
} point;

static neargrid_search *search;
static point mine[N], after[N];
static int64_t n_mine;
static double all[N][3];

/* Anything from 0 to 1, the same on every rank. */
static double dice(void) {
  static uint64_t state = 5;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) / 9007199254740992.0;
}

static void move(double far) {
  for (int k = 0; k < N; k++)
    for (int axis = 0; axis < 3; axis++) all[k][axis] += far * (2 * dice() - 1);
  for (int64_t k = 0; k < n_mine; k++) memcpy(mine[k].x, all[mine[k].id], sizeof mine[k].x);
}

static int near(const double *a, const double *b) {
  double square = 0;
  for (int axis = 0; axis < 3; axis++) {
    double d = a[axis] - b[axis];
    if (axis < 2) { /* x and y are periodic */
      while (d > 0.5) d -= 1;
      while (d < -0.5) d += 1;
    }
    square += d * d;
  }
  return square <= CUTOFF * CUTOFF;
}

static neargrid_status update(int32_t *rebuilt) {
  const double *x = mine[0].x;
  return neargrid_search_update_f64(search, 3, n_mine, x, x + 1, x + 2, sizeof mine[0], rebuilt);
}

/* Whether a ghost is at a point, wrapped along x and y. */
static int is_at(const double *ghost, const double *point) {
  for (int axis = 0; axis < 3; axis++) {
    double off = ghost[axis] - point[axis];
    if (axis < 2 && off != 0) off -= off > 0 ? 1 : -1;
    if (off > 1e-15 || off < -1e-15) return 0;
  }
  return 1;
}

/* Each pair of the plain loop on one rank, and no other. */
static void expect_pairs(void) {
  int64_t npairs = 0, n_ghosts = 0, sums[2] = {0, 0}, want[2] = {0, 0};
  const int32_t *i = NULL, *j = NULL, *owners = NULL;
  const int64_t *ids = NULL;
  const double *positions = NULL;
  OK(neargrid_ghosts_view_f64(search, &n_ghosts, &ids, &owners, &positions));
  int ok = 1;
  for (int64_t g = 0; g < n_ghosts; g++) ok = ok && is_at(positions + 3 * g, all[ids[g]]);
  CHECK(ok); /* the current positions, even if nothing was rebuilt */
  OK(neargrid_pairs_view(search, &npairs, &i, &j));
  for (int64_t k = 0; k < npairs; k++) {
    const int64_t a = mine[i[k]].id, b = j[k] < n_mine ? mine[j[k]].id : ids[j[k] - n_mine];
    ok = ok && a < b && near(all[a], all[b]);
    sums[1] += a * N + b;
  }
  sums[0] = npairs;
  CHECK(ok);
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (int a = 0; a < N; a++)
    for (int b = a + 1; b < N; b++)
      if (near(all[a], all[b])) want[0]++, want[1] += a * N + b;
  CHECK(want[0] > N && sums[0] == want[0] && sums[1] == want[1]);
}

static void spread(void) {
  int64_t n_after = GUARD, ids[N];
  const double *x = mine[0].x;
  for (int64_t k = 0; k < n_mine; k++) ids[k] = mine[k].id;
  OK(neargrid_migration_plan_f64(search, 3, n_mine, x, x + 1, x + 2, sizeof mine[0], ids, &n_after));
  CHECK(n_after == (int64_t)N * (rank + 1) / size - (int64_t)N * rank / size);
  REFUSED(neargrid_migration_move(search, sizeof mine[0], n_mine, rank == size - 1 ? NULL : (void *)mine, n_after, after),
          NULL_POINTER, "before is NULL");
  OK(neargrid_migration_move(search, sizeof mine[0], n_mine, mine, n_after, after));
  n_mine = n_after;
  memcpy(mine, after, sizeof mine);
  for (int64_t k = 0; k < n_mine; k++) {
    CHECK(memcmp(mine[k].x, all[mine[k].id], sizeof mine[k].x) == 0);
    ids[k] = mine[k].id;
  }
  OK(neargrid_search_set_ids(search, n_mine, ids, sizeof ids[0]));
}

int main(int argc, char **argv) {
  const double lo[3] = {0, 0, 0}, length[3] = {1, 1, 1};
  const int32_t periodic[3] = {1, 1, 0};
  int kept = 0;
  begin(&argc, &argv);
  for (int k = 0; k < N; k++) {
    for (int axis = 0; axis < 3; axis++) all[k][axis] = (axis < 2 ? 1 : 0.3) * dice();
    if (k % (size + 1) == rank || (rank == 0 && k % (size + 1) == size)) mine[n_mine++].id = k;
  }
  search = new_across();
  OK(neargrid_search_set_cutoff(search, CUTOFF));
  OK(neargrid_search_set_skin(search, SKIN));
  OK(neargrid_search_set_box(search, 3, lo, length, periodic));
  move(0);
  spread();
  for (int step = 0; step < STEPS; step++) {
    int32_t rebuilt = GUARD;
    double share = GUARD;
    move(0.003);
    if (step % SPREAD_EVERY == SPREAD_EVERY - 1) spread();
    OK(update(&rebuilt));
    OK(neargrid_search_skin_used(search, &share));
    CHECK((rebuilt == 0 || rebuilt == 1) && share >= 0 && (rebuilt || (share > 0 && share <= 1)));
    CHECK(!rebuilt || step == 0 || step % SPREAD_EVERY == SPREAD_EVERY - 1 || share > 1);
    kept += !rebuilt;
    expect_pairs();
  }
  CHECK(kept > STEPS / 2);
  neargrid_search_destroy(search);
  return finish_all("steps", 100);
}
