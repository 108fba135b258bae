/* One search of a large cloud by one process, with what it took: scale SHAPE POINTS CUTOFF QUERY
 *
 * SHAPE: cube (uniform in the unit cube, scaled to constant density above a million points), stray (the same, its last
 * point at 1e300), plane (a lattice of spacing 1, in shuffled order), line (uniform on the diagonal of the unit cube).
 * QUERY: count (points into a handle, pairs counted), pairs (the drop-in, into arrays of just the size, after a call
 * that asked for it).
 *
 * Prints: npairs, peak resident KiB at the end of the search, KiB of input and of result. The number of pairs of plane and line
 * is checked against counts of their own. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <celllist.h>
#include <neargrid.h>

static void fail(const char *what) {
  char text[400] = "";
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "%s: %s\n", what, text);
  exit(1);
}

static long peak_kib(void) {
  char line[200];
  long kib = -1;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "VmHWM: %ld kB", &kib);
  if (file) fclose(file);
  return kib;
}

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

static void fill(const char *shape, double *x, int n) {
  uint64_t seed = 1;
  const double scale = n > 1000000 ? cbrt(n / 1e6) : 1;
  if (strcmp(shape, "plane") == 0) {
    const int side = (int)(sqrt(n) + 0.5);
    for (int k = 0; k < n; k++) {
      x[3 * k] = k % side;
      x[3 * k + 1] = k / side;
      x[3 * k + 2] = 0.5;
    }
    for (int k = n - 1; k > 0; k--) {
      const int other = (int)(uniform(&seed) * (k + 1));
      double point[3];
      memcpy(point, x + 3 * k, sizeof point);
      memcpy(x + 3 * k, x + 3 * other, sizeof point);
      memcpy(x + 3 * other, point, sizeof point);
    }
  } else if (strcmp(shape, "line") == 0) {
    for (int k = 0; k < n; k++) x[3 * k] = x[3 * k + 1] = x[3 * k + 2] = uniform(&seed);
  } else {
    for (int k = 0; k < 3 * n; k++) x[k] = uniform(&seed) * scale;
    if (strcmp(shape, "stray") == 0)
      for (int axis = 1; axis <= 3; axis++) x[3 * n - axis] = 1e300;
  }
}

/* A lattice of side * side points: each offset in reach is had by as many pairs as fit. Exact in integers. */
static int64_t plane_pairs(int n, double cutoff) {
  const int side = (int)(sqrt(n) + 0.5), reach = (int)cutoff + 1;
  int64_t pairs = 0;
  for (int dy = 0; dy <= reach; dy++)
    for (int dx = dy ? -reach : 1; dx <= reach; dx++)
      if ((double)(dx * dx + dy * dy) <= cutoff * cutoff) pairs += (int64_t)(side - abs(dx)) * (side - dy);
  return pairs;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* On the diagonal, sorted: a window that moves along. Rounding is monotone, so no pair beyond the first miss is one. */
static int64_t line_pairs(const double *x, int n, double cutoff) {
  double *t = malloc((size_t)n * sizeof *t);
  int64_t pairs = 0;
  int end = 0;
  if (!t) exit(1);
  for (int k = 0; k < n; k++) t[k] = x[3 * k];
  qsort(t, (size_t)n, sizeof *t, ascending);
  for (int k = 0; k < n; k++) {
    for (; end < n; end++) {
      const double d = t[end] - t[k], square = d * d, two = square + square;
      if (two + square > cutoff * cutoff) break;
    }
    pairs += end - k - 1;
  }
  free(t);
  return pairs;
}

static int64_t search(const char *query, const double *x, int n, double cutoff) {
  int *i = NULL, *j = NULL, capacity = 0, npairs = -1;
  int64_t count = -1;
  neargrid_search *handle = NULL;
  if (neargrid_search_create(NEARGRID_ABI_VERSION, &handle)) fail("create");
  if (neargrid_search_set_cutoff(handle, cutoff)) fail("set_cutoff");
  if (strcmp(query, "pairs") == 0) {
    if (cellList(3, n, 0, x, cutoff, 0, &capacity, NULL, NULL) != NEARGRID_STATUS_CAPACITY) fail("cellList");
    i = malloc((size_t)capacity * sizeof *i);
    j = malloc((size_t)capacity * sizeof *j);
    if (!i || !j) exit(1);
  }
  if (i) {
    if (cellList(3, n, 0, x, cutoff, capacity, &npairs, i, j)) fail("cellList");
    count = npairs;
  } else {
    if (neargrid_search_set_points_f64(handle, 3, n, x, x + 1, x + 2, 24)) fail("set_points");
    if (neargrid_pairs_count(handle, &count)) fail("pairs_count");
  }
  /* Sorted and in range, in the arrays it was written to: the search was no dry run. */
  for (int64_t k = 1; i && k < count; k++)
    if (i[k] >= j[k] || i[k] < i[k - 1] || (i[k] == i[k - 1] && j[k] <= j[k - 1])) fail("order of pairs");
  const long peak = peak_kib();
  printf("npairs %lld\npeak %ld\ninput %lld\nresult %lld\n", (long long)count, peak, 24LL * n / 1024,
         i ? 8LL * count / 1024 : 0);
  neargrid_search_destroy(handle);
  cellList_release();
  free(i);
  free(j);
  return count;
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: scale SHAPE POINTS CUTOFF QUERY\n");
    return 2;
  }
  const char *shape = argv[1];
  const int n = atoi(argv[2]);
  const double cutoff = atof(argv[3]);
  double *x = malloc((size_t)n * 3 * sizeof *x);
  if (!x) return 2;
  fill(shape, x, n);
  const int64_t npairs = search(argv[4], x, n, cutoff);
  int64_t want = npairs;
  if (strcmp(shape, "plane") == 0) want = plane_pairs(n, cutoff);
  if (strcmp(shape, "line") == 0) want = line_pairs(x, n, cutoff);
  free(x);
  if (npairs == want) return 0;
  fprintf(stderr, "%lld pairs, counted otherwise %lld\n", (long long)npairs, (long long)want);
  return 1;
}
