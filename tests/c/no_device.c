/* A program on a machine without a GPU: silent, and the automatic backend works on the CPU as if nothing were missing.
 *
 * Argument: `missing` where there is no device at all, `any` where there may be one. Prints nothing unless a check fails. */
#define _DEFAULT_SOURCE
#include "check.h"

#include <unistd.h>

enum { MANY = 60000, FEW = 1000 }; /* points: enough for the automatic backend to ask for a GPU, and too few */

static double line[MANY];

/* Whether a library of this name is in the program's memory. */
static int is_loaded(const char *name) {
  char text[600];
  int found = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  if (!maps) exit(1);
  while (fgets(text, sizeof text, maps)) found |= strstr(text, name) != NULL;
  fclose(maps);
  return found;
}

static void expect_pairs(neargrid_search *search, int n, int backend) {
  int64_t count = GUARD;
  OK(neargrid_search_set_points_f64(search, 1, n, line, NULL, NULL, 8));
  OK(neargrid_pairs_count(search, &count));
  CHECK(count == n - 1);
  CHECK(counter(search, NEARGRID_COUNTER_BACKEND) == backend);
}

static int says(neargrid_search *search, const char *words) {
  char info[600] = "";
  OK(neargrid_search_info(search, info, sizeof info, NULL));
  return strstr(info, words) != NULL;
}

static void without_device(neargrid_search *search) {
  int64_t count = GUARD;
  for (int k = 0; k < 6000 && !says(search, "backend: cpu (auto: no GPU that can be used)"); k++) {
    expect_pairs(search, MANY, NEARGRID_BACKEND_CPU); /* while another thread looks for a GPU */
    usleep(10000);
  }
  CHECK(says(search, "backend: cpu (auto: no GPU that can be used)"));

  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_GPU));
  for (int k = 0; k < 2; k++) {
    REFUSED(neargrid_pairs_count(search, &count), NO_DEVICE, "backend gpu is not available|Vulkan");
    CHECK(count == GUARD);
  }
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  expect_pairs(search, MANY, NEARGRID_BACKEND_CPU);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  for (int k = 0; k < MANY; k++) line[k] = k;
  neargrid_search *search = new_search(1.5);
  expect_pairs(search, FEW, NEARGRID_BACKEND_CPU);
  CHECK(!is_loaded("libvulkan")); /* it may print, so nobody touches it for a few points */
  expect_pairs(search, MANY, NEARGRID_BACKEND_CPU);
  CHECK(!is_loaded("libvulkan") && says(search, "from the second search")); /* or for one search */
  if (strcmp(argv[1], "missing") == 0) without_device(search);
  neargrid_search_destroy(search);
  return failures > 0;
}
