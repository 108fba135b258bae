/* Many threads: hidden handles of their own, texts of their own, one pool for all; a handle that changes hands; OpenMP
 * regions; a child process. Compiled with -fopenmp. With the argument "short", all but the child: valgrind takes what
 * only the pool's threads refer to for lost there. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <celllist.h>
#include <omp.h>

enum { THREADS = 64, ROUNDS = 5, FEW = 120, MANY = 20000 };

static double many[3 * MANY]; /* read by all threads */
static const double MANY_CUTOFF = 0.03;
static int64_t many_pairs;
static pthread_barrier_t barrier;

static int kernel_threads(void) {
  DIR *folder = opendir("/proc/self/task");
  int count = 0;
  if (!folder) return -1;
  while (readdir(folder)) count++;
  closedir(folder);
  return count - 2; /* . and .. */
}

/* A thread's own cloud through the drop-in, a failure with its own text in between; NULL or what went wrong. */
static const char *dropin(int number) {
  double x[2 * FEW];
  int i[FEW * FEW], j[FEW * FEW], npairs = GUARD;
  char text[300], word[40];
  uint64_t seed = (uint64_t)number;
  const double cutoff = 0.05 + 0.002 * number;
  for (int k = 0; k < 2 * FEW; k++) x[k] = uniform(&seed);
  const pair_list want = plain_pairs_f64(2, FEW, x, cutoff, 0);
  const char *wrong = NULL;
  for (int round = 0; round < ROUNDS && !wrong; round++) {
    neargrid_last_error(text, sizeof text, NULL);
    if (round == 0 && text[0]) wrong = "another thread's text";
    if (cellList(2, FEW, 27, x, -1.0 - number, FEW * FEW, &npairs, i, j) != NEARGRID_STATUS_BAD_CUTOFF)
      wrong = "a negative cutoff passed";
    if (cellList(2, FEW, 27, x, cutoff, 0, &npairs, i, j) != NEARGRID_STATUS_CAPACITY || npairs != want.n)
      wrong = "wrong need";
    pthread_barrier_wait(&barrier); /* all others search now too */
    if (cellList_fetch(FEW * FEW, &npairs, i, j) != 0 || npairs != want.n) wrong = "wrong number of pairs";
    if (!wrong && !(same(i, want.i, want.n, 0) && same(j, want.j, want.n, 0))) wrong = "wrong pairs";
    cellListf(-number, 0, 0, NULL, 1.0f, 0, &npairs, NULL, NULL);
    pthread_barrier_wait(&barrier);
    neargrid_last_error(text, sizeof text, NULL);
    snprintf(word, sizeof word, "dim = %d ", -number);
    if (!strstr(text, word)) wrong = "the text is not this thread's";
  }
  free_pairs(want);
  return wrong;
}

/* Enough points for the pool that all threads share. */
static const char *pooled(void) {
  int npairs = GUARD;
  neargrid_search *search = NULL;
  int64_t count = GUARD;
  const char *wrong = NULL;
  if (cellList(3, MANY, 27, many, MANY_CUTOFF, 0, &npairs, NULL, NULL) != NEARGRID_STATUS_CAPACITY ||
      npairs != many_pairs)
    wrong = "wrong need of many points";
  if (neargrid_search_create(NEARGRID_ABI_VERSION, &search) || neargrid_search_set_cutoff(search, MANY_CUTOFF) ||
      neargrid_search_set_points_f64(search, 3, MANY, many, many + 1, many + 2, 24) ||
      neargrid_neighbors_count(search, NEARGRID_NEIGHBORS_FULL, &count) || count != 2 * many_pairs)
    wrong = "wrong number of neighbors";
  neargrid_search_destroy(search);
  return wrong;
}

/* Half of the threads clean up, half leave it to their end. */
static void *worker(void *argument) {
  const int number = *(const int *)argument;
  const char *wrong = dropin(number);
  if (!wrong) wrong = pooled();
  pthread_barrier_wait(&barrier);
  if (number == 1 && !wrong && kernel_threads() > 1 + THREADS + 2 * (int)sysconf(_SC_NPROCESSORS_ONLN))
    wrong = "more threads than one pool explains";
  pthread_barrier_wait(&barrier);
  if (number % 2) cellList_release();
  return (void *)wrong;
}

static void own_handles(void) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (int k = 0; k < THREADS; k++) {
    numbers[k] = k + 1;
    if (pthread_create(&threads[k], NULL, worker, &numbers[k]) != 0) exit(1);
  }
  for (int k = 0; k < THREADS; k++) {
    void *wrong = NULL;
    pthread_join(threads[k], &wrong);
    verdict(!wrong, wrong ? wrong : "a thread's searches", __FILE__, __LINE__);
  }
  pthread_barrier_destroy(&barrier);
}

static void *query_elsewhere(void *search) {
  int64_t npairs = GUARD;
  const neargrid_status status = neargrid_pairs_count(search, &npairs);
  return (void *)(intptr_t)(status == 0 && npairs == many_pairs);
}

static void *destroy_elsewhere(void *search) {
  neargrid_search_destroy(search);
  return NULL;
}

/* Made here, asked there, freed elsewhere: one thread at a time, not always the same. */
static void changes_hands(void) {
  pthread_t thread;
  void *right = NULL;
  neargrid_search *search = new_search(MANY_CUTOFF);
  OK(neargrid_search_set_points_f64(search, 3, MANY, many, many + 1, many + 2, 24));
  pthread_create(&thread, NULL, query_elsewhere, search);
  pthread_join(thread, &right);
  CHECK(right != NULL);
  pthread_create(&thread, NULL, destroy_elsewhere, search);
  pthread_join(thread, NULL);
}

/* In a parallel region a search stays on its thread, unless a number of threads was set. */
static void openmp(void) {
  int alone = 0, told = 0, right = 0;
  omp_set_dynamic(0);
#pragma omp parallel num_threads(4) reduction(+ : alone, told, right)
  {
    int64_t npairs = GUARD, threads = GUARD;
    neargrid_search *search = NULL;
    neargrid_search_create(NEARGRID_ABI_VERSION, &search);
    neargrid_search_set_cutoff(search, MANY_CUTOFF);
    neargrid_search_set_points_f64(search, 3, MANY, many, many + 1, many + 2, 24);
    neargrid_pairs_count(search, &npairs);
    neargrid_search_counter(search, NEARGRID_COUNTER_THREADS, &threads);
    alone += threads == 1;
    right += npairs == many_pairs;
    neargrid_search_set_threads(search, 2);
    neargrid_search_set_tie_rule(search, NEARGRID_TIE_EXCLUSIVE); /* so that it searches again */
    neargrid_pairs_count(search, &npairs);
    neargrid_search_counter(search, NEARGRID_COUNTER_THREADS, &threads);
    told += threads == 2;
    neargrid_search_destroy(search);
  }
  CHECK(alone == 4);
  CHECK(right == 4);
  CHECK(told == 4);
}

/* After fork the pool's threads are gone; a child searches with a handle and a thread of its own. */
static void forked(void) {
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    int64_t npairs = GUARD;
    neargrid_search *search = NULL;
    alarm(60);
    if (neargrid_search_create(NEARGRID_ABI_VERSION, &search) || neargrid_search_set_threads(search, 1) ||
        neargrid_search_set_cutoff(search, MANY_CUTOFF) ||
        neargrid_search_set_points_f64(search, 3, MANY, many, many + 1, many + 2, 24) ||
        neargrid_pairs_count(search, &npairs))
      _exit(2);
    neargrid_search_destroy(search);
    _exit(npairs == many_pairs ? 0 : 3);
  }
  CHECK(child > 0);
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv) {
  uint64_t seed = 42;
  for (int k = 0; k < 3 * MANY; k++) many[k] = uniform(&seed);
  neargrid_search *search = new_search(MANY_CUTOFF);
  OK(neargrid_search_set_threads(search, 1));
  OK(neargrid_search_set_points_f64(search, 3, MANY, many, many + 1, many + 2, 24));
  OK(neargrid_pairs_count(search, &many_pairs));
  CHECK(many_pairs > MANY / 4);
  neargrid_search_destroy(search);
  own_handles();
  changes_hands();
  if (argc < 2 || strcmp(argv[1], "short") != 0) forked();
  openmp();
  return finish("threads", 70);
}
