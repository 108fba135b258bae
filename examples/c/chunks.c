/* A histogram of distances between the points of a cloud whose pairs are never all in memory: they come in chunks.
 *
 *     cc chunks.c $(pkg-config --cflags --libs neargrid) -lm -o chunks && ./chunks */
#include <stdio.h>
#include <stdlib.h>

#include <neargrid.h>

enum { POINTS = 20000, BINS = 5, AT_ONCE = 10000 };

static void must(neargrid_status status) {
  char text[300];
  if (status == NEARGRID_STATUS_OK) return;
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "neargrid: %s\n", text);
  exit(1);
}

int main(void) {
  static double x[POINTS][3], distance[AT_ONCE];
  const double reach = 0.08;
  neargrid_search *search;
  int64_t total, npairs, chunks = 0, count[BINS] = {0};
  const int32_t *i, *j;

  srand(1);
  for (int k = 0; k < POINTS; k++)
    for (int axis = 0; axis < 3; axis++) x[k][axis] = rand() / (RAND_MAX + 1.0);
  must(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  must(neargrid_search_set_cutoff(search, reach));
  must(neargrid_search_set_points_f64(search, 3, POINTS, &x[0][0], &x[0][1], &x[0][2], sizeof *x));

  must(neargrid_chunks_begin(search, NEARGRID_NEIGHBORS_HALF, AT_ONCE, &total));
  for (;;) {
    must(neargrid_chunks_next_pairs(search, &npairs, &i, &j));
    if (npairs == 0) break;
    must(neargrid_pairs_distances_f64(search, npairs, i, j, distance, NULL)); /* a question: the chunk stays */
    for (int64_t k = 0; k < npairs; k++) {
      const int bin = (int)(BINS * distance[k] / reach);
      count[bin < BINS ? bin : BINS - 1]++;
    }
    chunks++;
  }
  printf("%lld pairs in %lld chunks of at most %d\n", (long long)total, (long long)chunks, AT_ONCE);
  for (int bin = 0; bin < BINS; bin++) printf("up to %.3f: %lld\n", reach * (bin + 1) / BINS, (long long)count[bin]);
  neargrid_search_destroy(search);
  return 0;
}
