/* Says what the library makes of the NEARGRID_* variables, a line per call: name, status, then a number or the text.
 * The harness sets the variables and judges the lines. */
#include <inttypes.h>
#include <stdio.h>

#include <celllist.h>
#include <neargrid.h>

void celllist_(const int32_t *dim, const int32_t *npoints, const int32_t *maxpercell, const double *x,
               const double *cutoff, const int32_t *maxnpair, int32_t *npairs, int32_t *pair_i, int32_t *pair_j);

static const double LINE[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

static void say(const char *name, int status, int64_t number) {
  char text[400] = "";
  if (status == 0) {
    printf("%s 0 %" PRId64 "\n", name, number);
    return;
  }
  neargrid_last_error(text, sizeof text, NULL);
  printf("%s %d %s\n", name, status, text);
}

int main(void) {
  const int32_t dim = 1, n = 10, maxpercell = 27, room = 9;
  const double cutoff = 1.5;
  int32_t i[9] = {-5}, j[9] = {-5}, npairs = -5;
  int64_t count = -5, threads = -5, backend = -5;
  char cut[64];
  size_t length = 0;
  neargrid_search *search = (neargrid_search *)&search;

  const int created = neargrid_search_create(NEARGRID_ABI_VERSION, &search);
  say("create", created, search != NULL);
  if (created) {
    /* Cut at every byte, a text stays UTF-8: the harness fails on any other output. */
    neargrid_last_error(NULL, 0, &length);
    for (size_t capacity = 1; capacity <= sizeof cut && capacity <= length; capacity++) {
      neargrid_last_error(cut, capacity, NULL);
      printf("cut %s\n", cut);
    }
  } else {
    neargrid_search_set_cutoff(search, cutoff);
    neargrid_search_set_threads(search, 2);
    neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU);
    say("points", neargrid_search_set_points_f64(search, 1, 10, LINE, NULL, NULL, 8), 0);
    const int counted = neargrid_pairs_count(search, &count);
    say("count", counted, count);
    neargrid_search_counter(search, NEARGRID_COUNTER_THREADS, &threads);
    neargrid_search_counter(search, NEARGRID_COUNTER_BACKEND, &backend);
    printf("threads %" PRId64 "\nbackend %" PRId64 "\n", threads, backend);
  }
  neargrid_search_destroy(search);

  const int status = cellList(dim, n, maxpercell, LINE, cutoff, room, &npairs, i, j);
  say("cellList", status, npairs);
  printf("npairs %d %d %d\n", npairs, i[0], j[0]);
  npairs = -5;
  celllist_(&dim, &n, &maxpercell, LINE, &cutoff, &room, &npairs, i, j);
  printf("celllist_ %d\n", npairs);
  /* Neighbors of the line are exactly this far apart. */
  const double tie = 1.0;
  npairs = -5;
  celllist_(&dim, &n, &maxpercell, LINE, &tie, &room, &npairs, i, j);
  printf("ties %d\n", npairs);
  cellList_set_tie_rule(0);
  npairs = -5;
  const int inclusive = cellList(dim, n, maxpercell, LINE, tie, room, &npairs, i, j);
  say("inclusive", inclusive, npairs);
  cellList_release();
  return 0;
}
