/* Chooses the processor that searches: a GPU by its number, or the best one, and the CPU where there is no GPU. The example
 * device_info lists the numbers. A program that cannot be changed is told by NEARGRID_BACKEND and NEARGRID_DEVICE in the
 * environment.
 *
 *     cc choose_gpu.c $(pkg-config --cflags --libs neargrid) -o choose_gpu && ./choose_gpu
 *
 * With a number as its argument, such as ./choose_gpu 1, it takes that GPU. */
#include <stdio.h>
#include <stdlib.h>

#include <neargrid.h>

enum { N = 50000 };

static void must(neargrid_status status) {
  char text[300];
  if (status == NEARGRID_STATUS_OK) return;
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "neargrid: %s\n", text);
  exit(1);
}

int main(int count, char **arguments) {
  static double x[N][3];
  neargrid_search *search;
  int64_t npairs;
  char text[2000];

  srand(1);
  for (int k = 0; k < N; k++)
    for (int axis = 0; axis < 3; axis++) x[k][axis] = rand() / (RAND_MAX + 1.0);

  must(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  must(neargrid_search_set_cutoff(search, 0.03));
  must(neargrid_search_set_points_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof *x));

  /* NEARGRID_BACKEND_AUTO, the default, would take a GPU or the CPU by itself. This asks for a GPU. */
  must(neargrid_search_set_backend(search, NEARGRID_BACKEND_GPU));
  if (count > 1) must(neargrid_search_set_device(search, NEARGRID_DEVICE_INDEX, atoi(arguments[1])));
  neargrid_status status = neargrid_pairs_count(search, &npairs); /* the first query opens the device */
  if (status == NEARGRID_STATUS_NO_DEVICE) {
    must(neargrid_last_error(text, sizeof text, NULL));
    printf("no GPU: %s\n", text);
    must(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU)); /* points and cutoff are still set */
    status = neargrid_pairs_count(search, &npairs);
  }
  must(status);

  must(neargrid_search_info(search, text, sizeof text, NULL)); /* what searched, and why */
  printf("%lld pairs\n%s\n", (long long)npairs, text);
  neargrid_search_destroy(search);
  return 0;
}
