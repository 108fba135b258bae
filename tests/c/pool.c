/* The threads of the process: one pool, whatever numbers of threads searches ask for; helpers that sleep; and a system that
 * starts no more threads, which is a status. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, usleep */
#include "child.h"

#include <dirent.h>
#include <sys/resource.h>
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

/* Counts how often threads of this process have begun to run; -1 if one besides the caller's runs or waits for a core. */
static long long runs(void) {
  DIR *folder = opendir("/proc/self/task");
  long long sum = 0, count;
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char path[300], line[200], state = 'S';
    if (entry->d_name[0] == '.' || atol(entry->d_name) == (long)getpid()) continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
      sscanf(line, "State: %c", &state);
      if (sscanf(line, "voluntary_ctxt_switches: %lld", &count) == 1) sum += count;
      if (sscanf(line, "nonvoluntary_ctxt_switches: %lld", &count) == 1) sum += count;
    }
    if (file) fclose(file);
    if (state != 'S') sum = -1;
    if (sum < 0) break;
  }
  if (folder) closedir(folder);
  return sum;
}

/* Helpers that nobody needs fall asleep, and nothing wakes them. */
static void asleep(void) {
  long long before = -1;
  for (int tries = 0; before < 0 && tries < 600; tries++) {
    usleep(100000);
    before = runs();
  }
  CHECK(before >= 0); /* or hung: one of them has been busy for a minute */
  usleep(300000);
  CHECK(runs() == before);
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
