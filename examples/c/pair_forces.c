/* Forces of soft spheres on each other: pairs from a handle, their displacements and distances, a sum.
 *
 *     cc pair_forces.c $(pkg-config --cflags --libs neargrid) -lm -o pair_forces && ./pair_forces */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <neargrid.h>

enum { N = 2000 };

static void must(neargrid_status status) {
  char text[300];
  if (status == NEARGRID_STATUS_OK) return;
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "neargrid: %s\n", text);
  exit(1);
}

int main(void) {
  static double x[N][3], force[N][3];
  const double diameter = 0.1; /* spheres that are nearer push each other apart, the harder the deeper they overlap */
  neargrid_search *search;
  const int32_t *i, *j;
  int64_t npairs;

  srand(1);
  for (int k = 0; k < N; k++)
    for (int axis = 0; axis < 3; axis++) x[k][axis] = rand() / (RAND_MAX + 1.0);

  must(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  must(neargrid_search_set_cutoff(search, diameter));
  must(neargrid_search_set_points_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof *x));
  must(neargrid_pairs_view(search, &npairs, &i, &j));

  /* The views go straight back: i and j stay valid, for this searches nothing. */
  double *distance = malloc((size_t)npairs * sizeof *distance);
  double(*r)[3] = malloc((size_t)npairs * sizeof *r);
  if (npairs > 0 && (!distance || !r)) return 1;
  must(neargrid_pairs_distances_f64(search, npairs, i, j, distance, &r[0][0])); /* r: from j to i */

  double largest = 0, sum[3] = {0, 0, 0};
  for (int64_t k = 0; k < npairs; k++) {
    if (distance[k] == 0) continue; /* no direction to push in */
    const double push = (diameter - distance[k]) / distance[k];
    for (int axis = 0; axis < 3; axis++) {
      force[i[k]][axis] += push * r[k][axis];
      force[j[k]][axis] -= push * r[k][axis];
    }
  }
  for (int k = 0; k < N; k++) {
    const double *f = force[k], size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    if (size > largest) largest = size;
    for (int axis = 0; axis < 3; axis++) sum[axis] += f[axis];
  }
  printf("%lld pairs overlap; the largest force is %.3f, the sum of all %.0e\n", (long long)npairs, largest,
         fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]));

  neargrid_search_destroy(search);
  free(distance);
  free(r);
  return 0;
}
