/* Molecular dynamics as a text: velocity Verlet with Lennard-Jones forces in a periodic box. A step is one text, and the library
 * repeats it. Energy and momentum of all atoms come back as numbers; positions and velocities stay with the search.
 *
 *     cc md_step.c $(pkg-config --cflags --libs neargrid) -lm -o md_step && ./md_step */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <neargrid.h>

enum { EDGE = 8, N = EDGE * EDGE * EDGE, ROUNDS = 10, STEPS = 40 };

static const double BOX = 9.5, CUTOFF = 2.5, DT = 0.004; /* Lennard-Jones units */

/* Full rows have each pair twice, so half of its energy goes to each atom. The energy of a pair is 0 at the cutoff. */
#define FORCES                           \
  "s6 = 1/r2^3\n"                        \
  "force += 24*(2*s6^2 - s6)/r2*d\n"     \
  "half  += 2*(s6^2 - s6) - 0.5*at_cutoff\n"
#define ENERGY                           \
  "kinetic   all+= 0.5*dot(v_i, v_i)\n"  \
  "potential all+= half_i\n"             \
  "energy := kinetic + potential\n"

static const char *const STEP = "v_i = v_i + 0.5*dt*force_i\n"
                                "x_i = x_i + dt*v_i\n" /* moves the atoms, and wraps them */
                                FORCES
                                "v_i = v_i + 0.5*dt*force_i\n"
                                ENERGY
                                "drift := max(drift, abs(energy - first))\n"
                                "px all+= v_i.x; py all+= v_i.y; pz all+= v_i.z\n";

static double x[N][3], v[N][3];

static void must(neargrid_status status) {
  char text[300];
  if (status == NEARGRID_STATUS_OK) return;
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "neargrid: %s\n", text);
  exit(1);
}

static neargrid_formula *formula(const char *text) {
  neargrid_formula *made;
  must(neargrid_formula_create(text, &made));
  must(neargrid_formula_set_precision(made, NEARGRID_PRECISION_DOUBLE));
  must(neargrid_formula_set_constant(made, "at_cutoff", 4 * (pow(CUTOFF, -12) - pow(CUTOFF, -6))));
  return made;
}

static double number(const neargrid_formula *formula, const char *name) {
  double value;
  must(neargrid_formula_number(formula, name, &value));
  return value;
}

int main(void) {
  const double corner[3] = {0, 0, 0}, length[3] = {BOX, BOX, BOX};
  const int32_t periodic[3] = {1, 1, 1};
  neargrid_search *search;

  srand(1);
  for (int k = 0; k < N; k++) { /* a lattice; each other atom has the opposite velocity of the one before it */
    const int site[3] = {k % EDGE, k / EDGE % EDGE, k / EDGE / EDGE};
    for (int axis = 0; axis < 3; axis++) {
      x[k][axis] = (site[axis] + 0.5) * BOX / EDGE;
      v[k][axis] = k % 2 ? -v[k - 1][axis] : 2 * (rand() / (RAND_MAX + 1.0)) - 1;
    }
  }
  must(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  must(neargrid_search_set_cutoff(search, CUTOFF));
  must(neargrid_search_set_box(search, 3, corner, length, periodic));
  must(neargrid_search_set_points_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof *x));
  must(neargrid_search_set_field_f64(search, "v", NEARGRID_OF_POINTS, 3, N, &v[0][0], &v[0][1], &v[0][2], sizeof *v));

  neargrid_formula *begin = formula(FORCES ENERGY), *step = formula(STEP);
  must(neargrid_search_run(search, begin, NEARGRID_NEIGHBORS_FULL, 1)); /* the first half kick reads its forces */
  const double first = number(begin, "energy");
  must(neargrid_formula_set_constant(step, "dt", DT));
  must(neargrid_formula_set_constant(step, "first", first));
  must(neargrid_formula_set_constant(step, "drift", 0)); /* the statement goes on from here */

  printf("%6s %12s %12s %14s\n", "time", "temperature", "energy", "momentum");
  for (int round = 1; round <= ROUNDS; round++) {
    must(neargrid_search_run(search, step, NEARGRID_NEIGHBORS_FULL, STEPS));
    const double momentum = fabs(number(step, "px")) + fabs(number(step, "py")) + fabs(number(step, "pz"));
    printf("%6.2f %12.4f %12.6f %14.1e\n", round * STEPS * DT, number(step, "kinetic") * 2 / (3 * N),
           number(step, "energy") / N, momentum);
  }
  must(neargrid_field_copy_f64(search, "x", NEARGRID_OF_POINTS, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof *x));
  const double drift = number(step, "drift") / N;
  printf("%d atoms, %d steps; the first is at %.3f %.3f %.3f\n", N, ROUNDS * STEPS, x[0][0], x[0][1], x[0][2]);
  printf("energy an atom %.6f at the beginning; largest drift %.1e\n", first / N, drift);
  neargrid_formula_destroy(begin);
  neargrid_formula_destroy(step);
  neargrid_search_destroy(search);
  return drift > 1e-3;
}
