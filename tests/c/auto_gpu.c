/* A process that ends or forks while another thread opens a GPU for the automatic backend. Run with NEARGRID_GPU_MASK=software, so
 * that `auto` takes a GPU in software too. Prints nothing unless a check fails.
 *
 * Arguments: `exit` MILLISECONDS, `exit-in-thread` MILLISECONDS: exits so long after the search that has the GPU opened, on the
 * thread that searched or on another. `fork`: forks at many moments; children search, and exit. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, usleep */
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 20000, CHILDREN = 25 };

static double line[N];

/* Searches with a new handle; returns the backend that answered, or -1. */
static int64_t search_once(const char *says) {
  char info[1000] = "";
  int64_t count = GUARD, backend = -1;
  neargrid_search *search = new_search(1.5);
  OK(neargrid_search_set_points_f64(search, 1, N, line, NULL, NULL, 8));
  OK(neargrid_pairs_count(search, &count));
  CHECK(count == N - 1);
  OK(neargrid_search_counter(search, NEARGRID_COUNTER_BACKEND, &backend));
  OK(neargrid_search_info(search, info, sizeof info, NULL));
  if (!CHECK(strstr(info, says) != NULL)) fprintf(stderr, "%s\n", info);
  neargrid_search_destroy(search);
  return backend;
}

static void *leave(void *unused) {
  (void)unused;
  exit(failures > 0);
}

/* A child has no GPU, and does not wait for a thread that it does not have, neither when it searches nor when it exits. */
static void child(void) {
  alarm(60);
  CHECK(search_once("this process was forked after") == NEARGRID_BACKEND_CPU);
  CHECK(search_once("this process was forked after") == NEARGRID_BACKEND_CPU);
  exit(failures > 0);
}

static void fork_often(void) {
  for (int k = 0; k < CHILDREN; k++) {
    int status = -1;
    const pid_t process = fork();
    if (process == 0) child();
    CHECK(process > 0 && waitpid(process, &status, 0) == process);
    if (!CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0)) fprintf(stderr, "child %d: status %d\n", k, status);
    usleep(500 * (useconds_t)k);
  }
  int64_t backend = NEARGRID_BACKEND_CPU;
  for (int k = 0; k < 6000 && backend != NEARGRID_BACKEND_GPU; k++) {
    backend = search_once("auto");
    usleep(10000);
  }
  CHECK(backend == NEARGRID_BACKEND_GPU);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  for (int k = 0; k < N; k++) line[k] = k;
  CHECK(search_once("from the second search") == NEARGRID_BACKEND_CPU);
  CHECK(search_once("a GPU is being opened") == NEARGRID_BACKEND_CPU);
  if (strcmp(argv[1], "fork") == 0) fork_often();
  if (argc > 2) usleep(1000 * (useconds_t)atol(argv[2]));
  if (strcmp(argv[1], "exit-in-thread") == 0) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, leave, NULL) == 0);
    pthread_join(thread, NULL);
  }
  return failures > 0;
}
