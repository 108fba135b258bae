/* A program without a dynamic loader (cc -static): `auto` searches on the CPU and says why, `gpu` is refused, also where the
 * number of points would make a GPU worth it. Nothing looks for a driver, which would end the program. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { N = 20000 };

int main(void) {
  static double x[3 * N];
  uint64_t state = 3;
  char info[1000] = "";
  int64_t on_cpu = GUARD, by_choice = GUARD, untouched = GUARD;
  for (int k = 0; k < 3 * N; k++) x[k] = uniform(&state);
  neargrid_search *search = new_search(0.03);
  OK(neargrid_search_set_points_f64(search, 3, N, x, x + 1, x + 2, 24));
  OK(neargrid_pairs_count(search, &by_choice));
  OK(neargrid_search_info(search, info, sizeof info, NULL));
  CHECK(strstr(info, "backend: cpu") != NULL && strstr(info, "-static") != NULL);
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  OK(neargrid_pairs_count(search, &on_cpu));
  CHECK(on_cpu == by_choice && on_cpu > 0);
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_GPU));
  REFUSED(neargrid_pairs_count(search, &untouched), NO_DEVICE, "-static");
  CHECK(untouched == GUARD);
  neargrid_search_destroy(search);
  return finish("static", 8);
}
