/* A library that is closed while its helper threads sleep: they run on, for it stays loaded.
 *
 * Arguments: the library's file. */
#define _GNU_SOURCE /* usleep, MAP_ANONYMOUS */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 20000 };

static double x[3 * N];

/* The address of a function; a cast would not be of the standard. */
#define FIND(function, name) (*(void **)&function = dlsym(library, name))

static int64_t search(const char *file) {
  int (*create)(int32_t, void **), (*set_threads)(void *, int32_t), (*set_backend)(void *, int32_t);
  int (*set_cutoff)(void *, double), (*count)(void *, int64_t *);
  int (*set_points)(void *, int32_t, int64_t, const double *, const double *, const double *, int64_t);
  int32_t (*version)(void);
  void (*destroy)(void *), *handle = NULL, *library = dlopen(file, RTLD_NOW);
  int64_t found = -1;
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  if (!FIND(create, "neargrid_search_create") || !FIND(set_threads, "neargrid_search_set_threads") ||
      !FIND(set_backend, "neargrid_search_set_backend") || !FIND(set_cutoff, "neargrid_search_set_cutoff") ||
      !FIND(set_points, "neargrid_search_set_points_f64") || !FIND(count, "neargrid_pairs_count") ||
      !FIND(version, "neargrid_abi_version") || !FIND(destroy, "neargrid_search_destroy"))
    exit(3);
  if (create(version(), &handle) || set_threads(handle, 2) || set_backend(handle, 1) || set_cutoff(handle, 0.03) ||
      set_points(handle, 3, N, x, x + 1, x + 2, 24) || count(handle, &found))
    exit(4);
  destroy(handle);
  dlclose(library);
  return found;
}

int main(int argc, char **argv) {
  if (argc < 2) return 5;
  for (int k = 0; k < 3 * N; k++) x[k] = rand() / (double)RAND_MAX;
  const int64_t found = search(argv[1]);
  usleep(200000); /* helpers would wake in memory that is gone */
  if (found <= 0 || search(argv[1]) != found) return 6;
  usleep(200000);
  puts("dlclose: 2 checks passed");
  return 0;
}
