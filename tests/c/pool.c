/* The threads of the process: one pool, whatever numbers of threads searches ask for; helpers that sleep; and a system that
 * starts no more threads, which is a status. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, usleep */
#include "child.h"

#include <dirent.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { N = 20000, MOST = 100 };

static double x[3 * N];
static const double CUTOFF = 0.03;
static int64_t want;

static int threads_of_process(void) {
  DIR *folder = opendir("/proc/self/task");
  int count = 0;
  if (!folder) return -1;
  while (readdir(folder)) count++;
  closedir(folder);
  return count - 2; /* . and .. */
}

/* A new search of all pairs with a number of threads. */
static neargrid_status ask(neargrid_search *search, int threads, int64_t *npairs) {
  neargrid_status status = neargrid_search_set_threads(search, threads);
  if (!status) status = neargrid_search_set_points_f64(search, 3, N, x, x + 1, x + 2, 24);
  return status ? status : neargrid_pairs_count(search, npairs);
}

/* Searches with 1 to 100 threads need no more helpers than the largest of them. */
static void one_pool(void) {
  neargrid_search *search = new_search(CUTOFF);
  int64_t npairs = GUARD;
  const int before = threads_of_process();
  CHECK(before >= 1);
  for (int threads = 1; threads <= MOST; threads++) {
    OK(ask(search, threads, &npairs));
    CHECK(npairs == want && counter(search, NEARGRID_COUNTER_THREADS) == threads);
    CHECK(threads_of_process() <= before + threads - 1);
  }
  CHECK(threads_of_process() == before + MOST - 1);
  neargrid_search_destroy(search);
}

/* Helpers that nobody needs take no time. */
static void asleep(void) {
  usleep(50000); /* the last of them falls asleep */
  const clock_t before = clock();
  usleep(300000);
  CHECK((double)(clock() - before) / CLOCKS_PER_SEC < 0.02);
}

/* In a process of its own whose address space has no room for stacks: a status, and the handle works with what there is. */
static int refused(void) {
  struct rlimit limit;
  char text[300] = "";
  int64_t npairs = GUARD;
  neargrid_search *search = new_search(CUTOFF);
  if (ask(search, 2, &npairs) != 0 || npairs != want) return 2;
  if (getrlimit(RLIMIT_AS, &limit) != 0) return 3;
  limit.rlim_cur = (rlim_t)1 << 30; /* 1023 stacks are twice as much */
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 4;
  npairs = GUARD;
  if (ask(search, 1024, &npairs) != NEARGRID_STATUS_THREADS || npairs != GUARD) return 5;
  neargrid_last_error(text, sizeof text, NULL);
  if (!strstr(text, "cannot start 1024 threads: the system refuses: a limit")) return 6;
  for (int threads = 1; threads <= 3; threads++)
    if (!OK(ask(search, threads, &npairs)) || npairs != want) return 7;
  neargrid_search_destroy(search);
  return 0;
}

/* The same where the system counts threads (RLIMIT_NPROC, which does not bind root). */
static int refused_by_number(void) {
  struct rlimit none = {0, 0};
  int64_t npairs = GUARD;
  if (setgid(65534) != 0 || setuid(65534) != 0) return getuid() == 0 ? 0 : 2; /* not in every container */
  if (setrlimit(RLIMIT_NPROC, &none) != 0) return 3;
  neargrid_search *search = new_search(CUTOFF);
  if (ask(search, 4, &npairs) != NEARGRID_STATUS_THREADS || npairs != GUARD) return 4;
  if (ask(search, 1, &npairs) != 0 || npairs != want) return 5;
  neargrid_search_destroy(search);
  return 0;
}

int main(void) {
  uint64_t seed = 7;
  for (int k = 0; k < 3 * N; k++) x[k] = uniform(&seed);
  neargrid_search *search = new_search(CUTOFF);
  OK(ask(search, 1, &want));
  CHECK(want > N / 4);
  neargrid_search_destroy(search);
  in_child(refused);
  in_child(refused_by_number);
  one_pool();
  asleep();
  return finish("pool", 300);
}
