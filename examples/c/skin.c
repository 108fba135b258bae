/* Molecular dynamics with a skin (a Verlet list): argon-like atoms in a periodic box. The search keeps a list of all pairs
 * within cutoff plus skin while no atom has moved far. What neargrid_pairs_view gives is exact at every step.
 *
 *     cc -O2 skin.c $(pkg-config --cflags --libs neargrid) -lm -o skin && ./skin */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <neargrid.h>

enum { EDGE = 8, N = EDGE * EDGE * EDGE, STEPS = 500 };

static const double BOX = 9.5, CUTOFF = 2.5, SKIN = 0.4, DT = 0.004; /* Lennard-Jones units */

static double x[N][3], v[N][3], f[N][3];

static void must(neargrid_status status) {
  char text[300];
  if (status == NEARGRID_STATUS_OK) return;
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "neargrid: %s\n", text);
  exit(1);
}

/* Fills f and returns the potential energy, which is shifted to 0 at the cutoff. */
static double forces(neargrid_search *search) {
  static double(*r)[3];
  static int64_t room;
  const double at_cutoff = 4 * (pow(CUTOFF, -12) - pow(CUTOFF, -6));
  const int32_t *i, *j;
  int64_t npairs;
  double energy = 0;

  must(neargrid_pairs_view(search, &npairs, &i, &j));
  if (npairs > room) {
    room = 2 * npairs;
    free(r);
    r = malloc((size_t)room * sizeof *r);
    if (!r) exit(1);
  }
  must(neargrid_pairs_distances_f64(search, npairs, i, j, NULL, r ? r[0] : NULL)); /* from j to i, by the nearest image */
  for (int k = 0; k < N; k++) f[k][0] = f[k][1] = f[k][2] = 0;
  for (int64_t k = 0; k < npairs; k++) {
    const double d2 = r[k][0] * r[k][0] + r[k][1] * r[k][1] + r[k][2] * r[k][2], s6 = 1 / (d2 * d2 * d2);
    const double push = 24 * s6 * (2 * s6 - 1) / d2;
    energy += 4 * s6 * (s6 - 1) - at_cutoff;
    for (int axis = 0; axis < 3; axis++) {
      f[i[k]][axis] += push * r[k][axis];
      f[j[k]][axis] -= push * r[k][axis];
    }
  }
  return energy;
}

static double kinetic(void) {
  double sum = 0;
  for (int k = 0; k < N; k++) sum += (v[k][0] * v[k][0] + v[k][1] * v[k][1] + v[k][2] * v[k][2]) / 2;
  return sum;
}

int main(void) {
  const double corner[3] = {0, 0, 0}, length[3] = {BOX, BOX, BOX};
  const int32_t periodic[3] = {1, 1, 1};
  neargrid_search *search;
  int64_t lists;
  int32_t rebuilt;

  srand(1);
  for (int k = 0; k < N; k++) {
    const int site[3] = {k % EDGE, k / EDGE % EDGE, k / EDGE / EDGE};
    for (int axis = 0; axis < 3; axis++) {
      x[k][axis] = (site[axis] + 0.5) * BOX / EDGE;
      v[k][axis] = 2 * (rand() / (RAND_MAX + 1.0)) - 1;
    }
  }

  must(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  must(neargrid_search_set_cutoff(search, CUTOFF));
  must(neargrid_search_set_box(search, 3, corner, length, periodic));
  must(neargrid_search_set_skin(search, SKIN));
  must(neargrid_search_set_points_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof *x));
  double potential = forces(search);
  const double first = potential + kinetic();

  for (int step = 0; step < STEPS; step++) { /* velocity Verlet */
    for (int k = 0; k < N; k++)
      for (int axis = 0; axis < 3; axis++) {
        v[k][axis] += DT / 2 * f[k][axis];
        x[k][axis] += DT * v[k][axis]; /* atoms may leave the box: the search wraps its own copy */
      }
    must(neargrid_search_update_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof *x, &rebuilt)); /* not set_points */
    potential = forces(search);
    for (int k = 0; k < N; k++)
      for (int axis = 0; axis < 3; axis++) v[k][axis] += DT / 2 * f[k][axis];
  }

  const double last = potential + kinetic();
  must(neargrid_search_counter(search, NEARGRID_COUNTER_SKIN_LISTS, &lists));
  printf("%d atoms, %d steps with %lld lists; energy a particle %.4f, then %.4f\n", N, STEPS, (long long)lists, first / N,
         last / N);
  neargrid_search_destroy(search);
  return fabs(last - first) > 0.01 * N || lists >= STEPS;
}
