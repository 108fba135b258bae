/* A process that forks after it searched on a GPU: the child has a status with a reason where a GPU is forced, and the CPU where
 * the backend is chosen automatically; the parent goes on. Run with NEARGRID_GPU_MASK=software, so that `auto` takes a GPU in
 * software too. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "child.h"

#include <unistd.h>

#include <celllist.h>

enum { N = 20000 };

static double x[3 * N];
static const double CUTOFF = 0.03;
static int64_t want;
static neargrid_search *forced, *automatic;

static neargrid_status ask(neargrid_search *search, int64_t *npairs) {
  const int32_t *i, *j;
  const neargrid_status status = neargrid_search_set_points_f64(search, 3, N, x, x + 1, x + 2, 24);
  return status ? status : neargrid_pairs_view(search, npairs, &i, &j);
}

/* Whether an automatic search is right, on the CPU, and says why. */
static int is_on_cpu(neargrid_search *search) {
  char info[1000] = "";
  int64_t npairs = GUARD;
  if (ask(search, &npairs) != 0 || npairs != want) return 0;
  neargrid_search_info(search, info, sizeof info, NULL);
  return strstr(info, "backend: cpu (auto: no GPU that can be used)") && strstr(info, "this process was forked after");
}

static int is_refused(neargrid_search *search) {
  char text[300] = "";
  int64_t npairs = GUARD;
  if (ask(search, &npairs) != NEARGRID_STATUS_NO_DEVICE || npairs != GUARD) return 0;
  neargrid_last_error(text, sizeof text, NULL);
  return strstr(text, "backend gpu is not available: this process was forked after its parent had looked for GPUs") != NULL;
}

static int search_all(void) {
  neargrid_search *own = NULL;
  int npairs = GUARD;
  int64_t count = GUARD, counted = GUARD;
  if (!is_refused(forced) || !is_on_cpu(automatic)) return 2;
  if (neargrid_search_counter(forced, NEARGRID_COUNTER_DEVICE_BYTES, &counted) != 0) return 3;
  if (neargrid_search_set_backend(forced, NEARGRID_BACKEND_CPU) || neargrid_pairs_count(forced, &count) || count != want) return 4;
  if (neargrid_search_create(NEARGRID_ABI_VERSION, &own) || neargrid_search_set_cutoff(own, CUTOFF)) return 5;
  if (!is_on_cpu(own)) return 6;
  if (neargrid_search_set_backend(own, NEARGRID_BACKEND_GPU) || !is_refused(own)) return 7;
  if (cellList(3, N, 27, x, CUTOFF, 0, &npairs, NULL, NULL) != NEARGRID_STATUS_CAPACITY || npairs != want) return 8;
  cellList_release();
  neargrid_search_destroy(own);
  neargrid_search_destroy(forced);
  neargrid_search_destroy(automatic);
  return 0;
}

static int trim_first(void) {
  if (neargrid_search_trim(forced) || neargrid_search_trim(automatic)) return 2;
  return is_refused(forced) && is_on_cpu(automatic) ? 0 : 3;
}

static int destroy_only(void) {
  neargrid_search_destroy(forced);
  neargrid_search_destroy(automatic);
  return 0;
}

int main(void) {
  int64_t npairs = GUARD;
  uint64_t seed = 9;
  for (int k = 0; k < 3 * N; k++) x[k] = uniform(&seed);
  neargrid_search *plain = new_search(CUTOFF);
  OK(neargrid_search_set_backend(plain, NEARGRID_BACKEND_CPU));
  OK(ask(plain, &want));
  forced = new_search(CUTOFF);
  OK(neargrid_search_set_backend(forced, NEARGRID_BACKEND_GPU));
  automatic = new_search(CUTOFF);
  for (int round = 0; round < 3; round++) { /* from the second list on it lies where the device puts it */
    OK(ask(forced, &npairs));
    CHECK(npairs == want && counter(forced, NEARGRID_COUNTER_BACKEND) == NEARGRID_BACKEND_GPU);
    OK(ask(automatic, &npairs));
    CHECK(npairs == want && counter(automatic, NEARGRID_COUNTER_BACKEND) == NEARGRID_BACKEND_GPU);
  }
  in_child(search_all);
  in_child(trim_first);
  in_child(destroy_only);
  OK(ask(forced, &npairs));
  CHECK(npairs == want && counter(forced, NEARGRID_COUNTER_BACKEND) == NEARGRID_BACKEND_GPU);
  OK(ask(plain, &npairs));
  CHECK(npairs == want);
  neargrid_search_destroy(forced);
  neargrid_search_destroy(automatic);
  neargrid_search_destroy(plain);
  return finish("fork_gpu", 30);
}
