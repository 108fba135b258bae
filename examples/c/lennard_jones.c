/* Energy and forces of Lennard-Jones atoms in a periodic box: sums over neighbors by a formula, without a list.
 *
 *     cc lennard_jones.c $(pkg-config --cflags --libs neargrid) -lm -o lennard_jones && ./lennard_jones */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <neargrid.h>

enum { EDGE = 12, N = EDGE * EDGE * EDGE };

static void must(neargrid_status status) {
  char text[300];
  if (status == NEARGRID_STATUS_OK) return;
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "neargrid: %s\n", text);
  exit(1);
}

int main(void) {
  static double x[N][3], force[N][3], energy[N];
  const double spacing = 1.1, low[3] = {0, 0, 0}, length[3] = {EDGE * spacing, EDGE * spacing, EDGE * spacing};
  const int32_t periodic[3] = {1, 1, 1};
  /* Full rows have each pair twice, so half of its energy goes to each atom. d is the vector from the neighbor to the atom. */
  const char *text = "s6 = (sigma^2/r2)^3\n"
                     "energy += 2*epsilon*(s6^2 - s6)\n"
                     "force  += 24*epsilon*(2*s6^2 - s6)/r2 * d\n";
  neargrid_search *search;
  neargrid_formula *formula;

  srand(1);
  for (int k = 0; k < N; k++) { /* a lattice, not quite regular */
    const int place[3] = {k % EDGE, k / EDGE % EDGE, k / (EDGE * EDGE)};
    for (int axis = 0; axis < 3; axis++) x[k][axis] = (place[axis] + 0.1 * rand() / (RAND_MAX + 1.0)) * spacing;
  }
  must(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  must(neargrid_search_set_cutoff(search, 2.5));
  must(neargrid_search_set_box(search, 3, low, length, periodic));
  must(neargrid_search_set_points_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof *x));

  must(neargrid_formula_create(text, &formula));
  must(neargrid_formula_set_precision(formula, NEARGRID_PRECISION_DOUBLE));
  must(neargrid_formula_set_constant(formula, "sigma", 1.0));
  must(neargrid_formula_set_constant(formula, "epsilon", 1.0));
  must(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_FULL, 1));
  must(neargrid_field_copy_f64(search, "energy", NEARGRID_OF_POINTS, 1, N, energy, NULL, NULL, sizeof(double)));
  must(neargrid_field_copy_f64(search, "force", NEARGRID_OF_POINTS, 3, N, &force[0][0], &force[0][1], &force[0][2],
                               sizeof force[0]));

  double total = 0, largest = 0, sum[3] = {0, 0, 0};
  for (int k = 0; k < N; k++) {
    const double *f = force[k], size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    total += energy[k];
    if (size > largest) largest = size;
    for (int axis = 0; axis < 3; axis++) sum[axis] += f[axis];
  }
  printf("energy %.3f per atom; the largest force is %.3f, the sum of all %.0e\n", total / N, largest,
         fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]));

  neargrid_formula_destroy(formula);
  neargrid_search_destroy(search);
  return 0;
}
