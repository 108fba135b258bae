/* A wall in a fluid: which fluid points each wall point feels, and how crowded they are. The wall's points are queries, so
 * neither pairs within the wall nor within the fluid are looked for.
 *
 *     cc queries.c $(pkg-config --cflags --libs neargrid) -lm -o queries && ./queries */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <neargrid.h>

enum { FLUID = 4000, WALL = 11 };

static void must(neargrid_status status) {
  char text[300];
  if (status == NEARGRID_STATUS_OK) return;
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "neargrid: %s\n", text);
  exit(1);
}

int main(void) {
  static double fluid[FLUID][2], wall[WALL][2];
  const double reach = 0.1;
  neargrid_search *search;
  const int64_t *offsets;
  const int32_t *ids;
  int64_t n, total;

  srand(1);
  for (int k = 0; k < FLUID; k++)
    for (int axis = 0; axis < 2; axis++) fluid[k][axis] = rand() / (RAND_MAX + 1.0);
  for (int q = 0; q < WALL; q++) wall[q][0] = 0.5, wall[q][1] = q / (WALL - 1.0); /* across the middle */

  must(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  must(neargrid_search_set_cutoff(search, reach));
  must(neargrid_search_set_points_f64(search, 2, FLUID, &fluid[0][0], &fluid[0][1], NULL, sizeof *fluid));
  must(neargrid_search_set_queries_f64(search, 2, WALL, &wall[0][0], &wall[0][1], NULL, sizeof *wall));
  must(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_QUERIES, &n, &total, &offsets, &ids));

  printf("%lld wall points among %d fluid points\n", (long long)n, FLUID);
  for (int64_t q = 0; q < n; q++) {
    double weight = 0;
    for (int64_t k = offsets[q]; k < offsets[q + 1]; k++) {
      const double *x = fluid[ids[k]], dx = wall[q][0] - x[0], dy = wall[q][1] - x[1];
      weight += 1 - sqrt(dx * dx + dy * dy) / reach;
    }
    printf("wall %lld: %lld neighbors, %.2f weighted\n", (long long)q, (long long)(offsets[q + 1] - offsets[q]), weight);
  }
  neargrid_search_destroy(search);
  return 0;
}
