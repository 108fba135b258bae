/* The same sums, bit for bit, whoever computes them. A cloud is held whole, then by two halves that each have the other's
 * points near the cut as ghosts, in any order. Rows follow the points' global ids, so that every sum over a row adds the same
 * numbers in the same order.
 *
 *     cc global_ids.c $(pkg-config --cflags --libs neargrid) -lm -o global_ids && ./global_ids */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <neargrid.h>

enum { N = 3000 };

static const double CUTOFF = 0.08;

/* Points that somebody holds: active ones, then ghosts. */
typedef struct {
  int n, active;
  double x[N][2];
  int64_t id[N];
} part;

static void must(neargrid_status status) {
  char text[300];
  if (status == NEARGRID_STATUS_OK) return;
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "neargrid: %s\n", text);
  exit(1);
}

static void take(part *p, const double *x, int64_t id) {
  memcpy(p->x[p->n], x, sizeof p->x[0]);
  p->id[p->n++] = id;
}

/* Adds up the density at each active point, and stores it by id. */
static void densities(neargrid_search *search, const part *p, double *density) {
  const int64_t *offsets;
  const int32_t *row;
  int64_t n, total;
  must(neargrid_search_set_points_f64(search, 2, p->n, p->x[0], p->x[0] + 1, NULL, sizeof p->x[0]));
  must(neargrid_search_set_active(search, p->active));
  must(neargrid_search_set_ids(search, p->n, p->id, sizeof(int64_t)));
  must(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_FULL, &n, &total, &offsets, &row));
  for (int i = 0; i < p->active; i++) {
    double sum = 1;
    for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
      const double dx = p->x[i][0] - p->x[row[k]][0], dy = p->x[i][1] - p->x[row[k]][1];
      sum += 1 - sqrt(dx * dx + dy * dy) / CUTOFF;
    }
    density[p->id[i]] = sum;
  }
}

int main(void) {
  static part whole, half[2];
  static double by_one[N], by_two[N];
  neargrid_search *search;
  srand(1);
  for (int k = 0; k < N; k++) {
    const double x[2] = {rand() / (RAND_MAX + 1.0), rand() / (RAND_MAX + 1.0)};
    take(&whole, x, k);
  }
  whole.active = N;
  for (int side = 0; side < 2; side++) {
    part *p = &half[side];
    for (int k = N - 1; k >= 0; k--) /* in another order, for good measure */
      if ((whole.x[k][0] >= 0.5) == side) take(p, whole.x[k], k);
    p->active = p->n;
    for (int k = 0; k < N; k++)
      if ((whole.x[k][0] >= 0.5) != side && fabs(whole.x[k][0] - 0.5) <= CUTOFF) take(p, whole.x[k], k);
  }
  must(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  must(neargrid_search_set_cutoff(search, CUTOFF));
  densities(search, &whole, by_one);
  for (int side = 0; side < 2; side++) densities(search, &half[side], by_two);
  neargrid_search_destroy(search);

  int differing = 0;
  for (int k = 0; k < N; k++) differing += memcmp(&by_one[k], &by_two[k], sizeof(double)) != 0;
  printf("%d points, halves of %d and %d with %d and %d ghosts: %d sums differ\n", N, half[0].active, half[1].active,
         half[0].n - half[0].active, half[1].n - half[1].active, differing);
  return differing != 0;
}
