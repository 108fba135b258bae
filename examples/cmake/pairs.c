/* The pairs of four points. CMakeLists.txt beside this file says how to build it. */
#include <stdio.h>

#include <neargrid.h>

int main(void) {
  const double x[4][3] = {{0, 0, 0}, {0.05, 0, 0}, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.58}};
  neargrid_search *search = NULL;
  int64_t npairs = 0;
  const int32_t *i, *j;

  neargrid_status status = neargrid_search_create(NEARGRID_ABI_VERSION, &search);
  if (status == 0) status = neargrid_search_set_cutoff(search, 0.1);
  if (status == 0) status = neargrid_search_set_points_f64(search, 3, 4, &x[0][0], &x[0][1], &x[0][2], sizeof x[0]);
  if (status == 0) status = neargrid_pairs_view(search, &npairs, &i, &j);
  for (int64_t k = 0; k < npairs; k++) printf("%d %d\n", (int)i[k], (int)j[k]);
  neargrid_search_destroy(search);
  return status;
}
