/* A program with a `celllist_` and a `cellList` of its own, as old codes have, that links the library for its handle
 * API: ours must stay out of its way. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <neargrid_celllist.h>

static int own_calls;

/* The names of the drop-ins, with other arguments. */
int celllist_(int answer);
int scelllist_(int answer);
int cellList(int answer);
int cellListf(int answer);
int cellList_fetch(int answer);
void cellList_release(void);

int celllist_(int answer) { return own_calls++, answer; }
int scelllist_(int answer) { return own_calls++, answer; }
int cellList(int answer) { return own_calls++, answer; }
int cellListf(int answer) { return own_calls++, answer; }
int cellList_fetch(int answer) { return own_calls++, answer; }
void cellList_release(void) { own_calls++; }

int main(void) {
  const double x[4] = {0, 1, 2, 9};
  const float single[4] = {0, 1, 2, 9};
  int64_t npairs = GUARD;
  const int32_t *i = NULL, *j = NULL;
  neargrid_search *search = new_search(1.5);
  OK(neargrid_search_set_points_f64(search, 1, 4, x, NULL, NULL, 8));
  OK(neargrid_pairs_view(search, &npairs, &i, &j));
  CHECK(npairs == 2 && i[1] == 1 && j[1] == 2);
  OK(neargrid_celllist_count_f64(1, 4, x, 1.5, NEARGRID_TIE_DEFAULT, 0, &npairs));
  CHECK(npairs == 2);
  OK(neargrid_celllist_count_f32(1, 4, single, 1.5f, NEARGRID_TIE_DEFAULT, 0, &npairs));
  CHECK(npairs == 2);
  REFUSED(neargrid_celllist_fetch(0, &npairs, NULL, NULL), CAPACITY, "maxnpair = 0 ");
  neargrid_celllist_release();
  neargrid_search_destroy(search);
  CHECK(own_calls == 0); /* the library calls none of them */
  CHECK(celllist_(1) + scelllist_(2) + cellList(3) + cellListf(4) + cellList_fetch(5) == 15);
  cellList_release();
  CHECK(own_calls == 6);
  return finish("own_symbols", 12);
}
