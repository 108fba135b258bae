/* Many independent clouds on many OpenMP threads: each thread has a handle of its own. Inside a parallel region a search runs
 * on the calling thread only, so that the threads do not compete. The result does not depend on their number.
 *
 *     cc -fopenmp threads.c $(pkg-config --cflags --libs neargrid) -lm -o threads && ./threads */
#include <stdio.h>
#include <stdlib.h>

#include <neargrid.h>

enum { CLOUDS = 64, N = 1000 };

static void must(neargrid_status status) {
  char text[300];
  if (status == NEARGRID_STATUS_OK) return;
  neargrid_last_error(text, sizeof text, NULL); /* the text of this thread's last failure */
  fprintf(stderr, "neargrid: %s\n", text);
  exit(1);
}

/* A number from 0 to 1 that depends on its arguments only: rand() belongs to all threads together. */
static double unit(uint64_t cloud, uint64_t k) {
  uint64_t z = (cloud * 1000003 + k + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

int main(void) {
  long long total = 0;

#pragma omp parallel reduction(+ : total)
  {
    neargrid_search *search; /* one handle a thread, kept from cloud to cloud */
    double x[N][3];
    must(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
    must(neargrid_search_set_cutoff(search, 0.1));
#pragma omp for schedule(dynamic)
    for (int cloud = 0; cloud < CLOUDS; cloud++) {
      int64_t npairs;
      const int32_t *i, *j;
      for (int k = 0; k < 3 * N; k++) x[k / 3][k % 3] = unit((uint64_t)cloud, (uint64_t)k);
      must(neargrid_search_set_points_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof *x));
      must(neargrid_pairs_view(search, &npairs, &i, &j)); /* i and j belong to this thread's handle */
      total += npairs;
    }
    neargrid_search_destroy(search);
  }
  printf("%d clouds of %d points have %lld pairs\n", CLOUDS, N, total);
  return 0;
}
