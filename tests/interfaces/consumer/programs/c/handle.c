/* The handle API from a foreign project: every pair must be the double loop's, in its order. */
#include <neargrid.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 400 };
static double pos[N][3];
static const double cutoff = 0.2;

static void must(neargrid_status status, const char *what) {
  char text[256];
  if (status == NEARGRID_STATUS_OK) return;
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "%s: %s: %s\n", what, neargrid_status_name(status), text);
  exit(1);
}

int main(void) {
  uint32_t seed = 12345u;
  neargrid_search *search = NULL;
  const int32_t *pair_i, *pair_j;
  int64_t npairs, k = 0;

  for (int i = 0; i < N; i++)
    for (int axis = 0; axis < 3; axis++) {
      seed = seed * 1664525u + 1013904223u;
      pos[i][axis] = (double)(seed >> 8) / 16777216.0;
    }

  must(neargrid_search_create(NEARGRID_ABI_VERSION, &search), "create");
  must(neargrid_search_set_cutoff(search, cutoff), "set_cutoff");
  must(neargrid_search_set_points_f64(search, 3, N, &pos[0][0], &pos[0][1], &pos[0][2], (int64_t)sizeof pos[0]),
       "set_points");
  must(neargrid_pairs_view(search, &npairs, &pair_i, &pair_j), "pairs_view");

  for (int i = 0; i < N; i++)
    for (int j = i + 1; j < N; j++) {
      const double dx = pos[i][0] - pos[j][0], dy = pos[i][1] - pos[j][1], dz = pos[i][2] - pos[j][2];
      if (dx * dx + dy * dy + dz * dz > cutoff * cutoff) continue;
      if (k >= npairs || pair_i[k] != i || pair_j[k] != j) {
        fprintf(stderr, "pair %lld is not (%d, %d)\n", (long long)k, i, j);
        return 1;
      }
      k++;
    }
  neargrid_search_destroy(search);
  if (k != npairs || k == 0) {
    fprintf(stderr, "%lld pairs, the double loop has %lld\n", (long long)npairs, (long long)k);
    return 1;
  }
  printf("handle.c: %lld pairs agree\n", (long long)npairs);
  return 0;
}
