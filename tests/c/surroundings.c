/* Surroundings that a library may find: closed standard streams, small stacks, threads that end without a word.
 *
 * With the argument "gpu": on a thread with 512 KiB of stack, where a GPU is opened. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "child.h"

#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

#include <celllist.h>

enum { N = 20000 };

static double x[3 * N];
static const double CUTOFF = 0.03;
static int64_t want;
static neargrid_backend backend = NEARGRID_BACKEND_AUTO;

static int64_t count_pairs(int threads) {
  neargrid_search *search = NULL;
  int64_t npairs = GUARD;
  const int32_t *i, *j;
  if (neargrid_search_create(NEARGRID_ABI_VERSION, &search) || neargrid_search_set_cutoff(search, CUTOFF) ||
      neargrid_search_set_threads(search, threads) || neargrid_search_set_backend(search, backend) ||
      neargrid_search_set_points_f64(search, 3, N, x, x + 1, x + 2, 24) ||
      neargrid_pairs_view(search, &npairs, &i, &j))
    return -1;
  neargrid_search_destroy(search);
  return npairs;
}

/* Nothing is read from or written to descriptors 0, 1 and 2, whoever has them now. */
static int without_streams(void) {
  int ends[2], again[2];
  char byte;
  close(0), close(1), close(2);
  if (pipe(ends) != 0 || ends[0] != 0 || ends[1] != 1) return 2;
  if (dup(1) != 2) return 3; /* what is printed or told as an error comes out at 0 */
  if (pipe(again) != 0 || fcntl(0, F_SETFL, O_NONBLOCK) != 0) return 4;
  int64_t npairs = GUARD;
  if (count_pairs(3) != want) return 5;
  if (neargrid_pairs_count(NULL, &npairs) != NEARGRID_STATUS_NULL_POINTER) return 6;
  if (cellList(0, 1, 27, x, CUTOFF, 0, NULL, NULL, NULL) == 0) return 7;
  return read(0, &byte, 1) == -1 ? 0 : 8;
}

static int without_descriptors(void) {
  close(0), close(1), close(2);
  return count_pairs(3) == want && count_pairs(0) == want ? 0 : 2;
}

static void *search_here(void *threads) {
  return (void *)(intptr_t)(count_pairs((int)(intptr_t)threads) == want);
}

static void on_stack(size_t bytes, int threads) {
  pthread_t thread;
  pthread_attr_t attributes;
  void *right = NULL;
  CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, bytes) == 0);
  CHECK(pthread_create(&thread, &attributes, search_here, (void *)(intptr_t)threads) == 0);
  pthread_join(thread, &right);
  if (!CHECK(right != NULL)) fprintf(stderr, "%zu bytes of stack, %d threads\n", bytes, threads);
  pthread_attr_destroy(&attributes);
}

static void *drop_in(void *argument) {
  int npairs = GUARD;
  (void)argument;
  if (cellList(3, N, 27, x, CUTOFF, 0, &npairs, NULL, NULL) != NEARGRID_STATUS_CAPACITY || npairs != want) return x;
  return NULL; /* never releases its handle */
}

/* The hidden handle of a thread goes with it: many threads, one after the other, need the memory of a few. */
static void ends_of_threads(void) {
  struct mallinfo2 early = {0}, late;
  for (int k = 0; k < 60; k++) {
    pthread_t thread;
    void *wrong = x;
    CHECK(pthread_create(&thread, NULL, drop_in, NULL) == 0);
    pthread_join(thread, &wrong);
    CHECK(wrong == NULL);
    if (k == 19) early = mallinfo2();
  }
  late = mallinfo2();
  const size_t before = early.uordblks + early.hblkhd, after = late.uordblks + late.hblkhd;
  if (!CHECK(after < before + 8 * N)) fprintf(stderr, "%zu bytes after 20 threads, %zu after 60\n", before, after);
}

int main(int argc, char **argv) {
  uint64_t seed = 21;
  for (int k = 0; k < 3 * N; k++) x[k] = uniform(&seed);
  if (argc > 1 && strcmp(argv[1], "gpu") == 0) {
    neargrid_search *search = new_search(CUTOFF);
    OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
    OK(neargrid_search_set_points_f64(search, 3, N, x, x + 1, x + 2, 24));
    OK(neargrid_pairs_count(search, &want));
    neargrid_search_destroy(search);
    backend = NEARGRID_BACKEND_GPU;
    on_stack(argc > 2 ? (size_t)atol(argv[2]) << 10 : 512 << 10, 2);
    return finish("surroundings", 5);
  }
  want = count_pairs(1);
  CHECK(want > N / 4);
  in_child(without_streams);
  in_child(without_descriptors);
  on_stack(argc > 1 ? (size_t)atol(argv[1]) << 10 : 64 << 10, 1);
  on_stack(argc > 1 ? (size_t)atol(argv[1]) << 10 : 64 << 10, 3);
  ends_of_threads();
  return finish("surroundings", 120);
}
