/* All pairs of nearby points in a random cloud, through the drop-in `cellList`.
 *
 *     cc find_pairs.c $(pkg-config --cflags --libs neargrid) -lm -o find_pairs && ./find_pairs */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <celllist.h>
#include <neargrid.h>

enum { DIM = 3, N = 100 };

int main(void) {
  static double x[N][DIM];
  const double cutoff = 2 * pow(N, -1.0 / DIM); /* twice the spacing of as many points on a lattice */
  int npairs, *pair_i, *pair_j;

  srand(1);
  for (int i = 0; i < N; i++)
    for (int axis = 0; axis < DIM; axis++) x[i][axis] = rand() / (RAND_MAX + 1.0);

  /* Without room for any pair, npairs is the need; the search is done all the same, and its result kept. */
  int status = cellList(DIM, N, 0, &x[0][0], cutoff, 0, &npairs, NULL, NULL);
  if (status == NEARGRID_STATUS_CAPACITY || status == NEARGRID_STATUS_OK) {
    pair_i = malloc((size_t)npairs * sizeof *pair_i);
    pair_j = malloc((size_t)npairs * sizeof *pair_j);
    if (npairs > 0 && (!pair_i || !pair_j)) return 1;
    status = cellList_fetch(npairs, &npairs, pair_i, pair_j);
  }
  if (status != NEARGRID_STATUS_OK) {
    char text[300];
    neargrid_last_error(text, sizeof text, NULL);
    fprintf(stderr, "cellList: %s\n", text);
    return 1;
  }

  printf("%d pairs among %d points are closer than %.4f; the first and the last five:\n", npairs, N, cutoff);
  printf("%6s%6s%6s\n", "pair", "i", "j");
  for (int k = 0; k < npairs; k++) {
    if (k == 5 && npairs > 10) printf("%6s\n", "...");
    if (k < 5 || k >= npairs - 5) printf("%6d%6d%6d\n", k, pair_i[k], pair_j[k]);
  }
  cellList_release();
  free(pair_i);
  free(pair_j);
  return 0;
}
