/* The C drop-in from a foreign project, a plane of points: first too little room, then a fetch. */
#include <celllist.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 20, N = SIDE * SIDE, ROOM = 16 * N };
static double x[2 * N];
static int pair_i[ROOM], pair_j[ROOM];

int main(void) {
  const double cutoff = 2.0; /* many pairs of this lattice lie exactly on it */
  int npairs = 0, k = 0;

  for (int i = 0; i < N; i++) {
    x[2 * i] = i % SIDE;
    x[2 * i + 1] = i / SIDE;
  }
  if (cellList(2, N, 0, x, cutoff, 10, &npairs, pair_i, pair_j) == 0 || npairs <= 10 || npairs > ROOM) {
    fprintf(stderr, "ten pairs of room were enough, or the need is wrong: %d\n", npairs);
    return 1;
  }
  if (cellList_fetch(ROOM, &npairs, pair_i, pair_j) != 0) return 1;

  for (int i = 0; i < N; i++)
    for (int j = i + 1; j < N; j++) {
      const double dx = x[2 * i] - x[2 * j], dy = x[2 * i + 1] - x[2 * j + 1];
      if (dx * dx + dy * dy > cutoff * cutoff) continue;
      if (k >= npairs || pair_i[k] != i || pair_j[k] != j) {
        fprintf(stderr, "pair %d is not (%d, %d)\n", k, i, j);
        return 1;
      }
      k++;
    }
  cellList_release();
  if (k != npairs) return 1;
  printf("dropin.c: %d pairs agree\n", npairs);
  return 0;
}
