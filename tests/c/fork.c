/* Processes that fork: the child searches with handles of its own and with those it inherits, with as many threads as its
 * parent, whatever threads of the parent did at that moment. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, usleep */
#include "child.h"

#include <pthread.h>
#include <unistd.h>

#include <celllist.h>

enum { N = 20000, FORKS = 40, WORKERS = 2 };

static double x[3 * N];
static const double CUTOFF = 0.04;
static int64_t want;
static neargrid_search *shared; /* of the thread that forks */
static volatile int stop;

static neargrid_status ask(neargrid_search *search, int threads, int64_t *npairs) {
  neargrid_status status = neargrid_search_set_threads(search, threads);
  if (!status) status = neargrid_search_set_points_f64(search, 3, N, x, x + 1, x + 2, 24);
  return status ? status : neargrid_pairs_count(search, npairs);
}

static int is_right(neargrid_search *search, int threads) {
  int64_t npairs = GUARD, used = GUARD;
  return ask(search, threads, &npairs) == 0 && npairs == want &&
         neargrid_search_counter(search, NEARGRID_COUNTER_THREADS, &used) == 0 && used == threads;
}

/* The work of a child. */
static int search_all(void) {
  int npairs = GUARD;
  neargrid_search *own = NULL;
  if (!is_right(shared, 3)) return 2;
  if (neargrid_search_create(NEARGRID_ABI_VERSION, &own) || neargrid_search_set_cutoff(own, CUTOFF)) return 3;
  if (!is_right(own, 4) || !is_right(own, 1)) return 4;
  neargrid_search_destroy(own);
  if (cellList(3, N, 27, x, CUTOFF, 0, &npairs, NULL, NULL) != NEARGRID_STATUS_CAPACITY || npairs != want) return 5;
  cellList_release();
  neargrid_search_destroy(shared);
  return 0;
}

/* A child of the child. */
static int search_in_grandchild(void) {
  if (!is_right(shared, 3)) return 2;
  in_child(search_all);
  return failures == 0 && is_right(shared, 4) ? 0 : 6;
}

/* A thread that searches all the time, with helpers. */
static void *worker(void *argument) {
  neargrid_search *search = new_search(CUTOFF);
  (void)argument;
  while (!stop)
    if (!is_right(search, 3)) return NULL;
  neargrid_search_destroy(search);
  return search;
}

static void forks_amid_searches(void) {
  pthread_t threads[WORKERS];
  stop = 0;
  for (int k = 0; k < WORKERS; k++)
    if (pthread_create(&threads[k], NULL, worker, NULL) != 0) exit(1);
  for (int k = 0; k < FORKS; k++) in_child(search_all);
  stop = 1;
  for (int k = 0; k < WORKERS; k++) {
    void *right = NULL;
    pthread_join(threads[k], &right);
    CHECK(right != NULL);
  }
}

static void *search_shared(void *right) {
  while (!stop) {
    int64_t npairs = GUARD;
    const neargrid_status status = ask(shared, 2, &npairs);
    if (status != 0 || npairs != want) return NULL;
  }
  return right;
}

/* In the child the handle of a thread that is not there: BUSY forever, or not entered at that moment. */
static int busy_or_right(void) {
  int64_t npairs = GUARD;
  const neargrid_status status = ask(shared, 2, &npairs);
  if (status == NEARGRID_STATUS_BUSY) {
    if (npairs != GUARD || neargrid_pairs_count(shared, &npairs) != NEARGRID_STATUS_BUSY) return 2;
    neargrid_search_destroy(shared); /* harmless */
    return 100;
  }
  return status == 0 && npairs == want ? 0 : 3;
}

static void forks_amid_a_call(void) {
  pthread_t thread;
  void *right = NULL;
  int busy = 0;
  stop = 0;
  if (pthread_create(&thread, NULL, search_shared, x) != 0) exit(1);
  for (int k = 0; k < 100 && (k < 10 || busy == 0); k++) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      _exit(busy_or_right());
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 100);
    busy += WEXITSTATUS(status) == 100;
  }
  CHECK(busy > 0);
  stop = 1;
  pthread_join(thread, &right);
  CHECK(right != NULL);
}

int main(void) {
  uint64_t seed = 5;
  for (int k = 0; k < 3 * N; k++) x[k] = uniform(&seed);
  shared = new_search(CUTOFF);
  OK(ask(shared, 1, &want));
  CHECK(want > N / 4);
  in_child(search_all); /* before any other thread was started */
  CHECK(is_right(shared, 4));
  in_child(search_all);
  in_child(search_in_grandchild);
  CHECK(is_right(shared, 4));
  forks_amid_searches();
  forks_amid_a_call();
  CHECK(is_right(shared, 4)); /* the parent goes on */
  neargrid_search_destroy(shared);
  return finish("fork", 100);
}
