/* One handle that two threads enter at once: one call does its work, the other is BUSY and does nothing. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

enum { N = 6000, THREADS = 4, CALLS = 400 };

static double x[3 * N];
static const double CUTOFF = 0.08;
static pair_list want;
static neargrid_search *shared;

typedef struct {
  long served, busy;
  const char *wrong;
} outcome;

static int pairs_are_right(const int32_t *i, const int32_t *j, int64_t n) {
  return n == want.n && same(i, want.i, n, 0) && same(j, want.j, n, 0);
}

/* The same calls by each thread, so that whatever is served leaves the same state. NULL or what went wrong. */
static const char *call(int round, outcome *seen, int32_t *i, int32_t *j) {
  char text[300] = "";
  int64_t count = GUARD, value = GUARD;
  double seconds = GUARD;
  size_t length = 0;
  neargrid_status status;
  switch (round % 7) {
    case 0: status = neargrid_search_set_cutoff(shared, CUTOFF); break;
    case 1: status = neargrid_search_set_points_f64(shared, 3, N, x, x + 1, x + 2, 24); break;
    case 2:
      for (int k = 0; k < 10; k++) i[k] = j[k] = GUARD;
      status = neargrid_pairs_copy(shared, want.n, &count, i, j);
      if (status == 0 && !pairs_are_right(i, j, count)) return "wrong pairs";
      if (status != 0 && (count != GUARD || !untouched(i, 0, 10) || !untouched(j, 0, 10))) return "outputs were touched";
      break;
    case 3:
      status = neargrid_search_counter(shared, NEARGRID_COUNTER_POINTS, &value);
      if (value != (status ? GUARD : N)) return "a wrong number of points";
      break;
    case 4:
      status = neargrid_search_info(shared, text, sizeof text, &length);
      if (status == 0 && !strstr(text, "backend: cpu")) return "a wrong info";
      break;
    case 5:
      status = neargrid_search_timing(shared, NEARGRID_PHASE_TOTAL, &seconds);
      if (status == 0 && !(seconds >= 0 && seconds <= 1e300)) return "a wrong time";
      break;
    default:
      status = neargrid_search_trim(shared);
  }
  if (status == NEARGRID_STATUS_BUSY) {
    seen->busy++;
    neargrid_last_error(text, sizeof text, NULL);
    return strstr(text, "the handle is in use by another call: only one thread at a time may use a handle") ? NULL : "a wrong text";
  }
  seen->served++;
  if (status == 0) return NULL;
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "call %d: %s: %s\n", round % 7, neargrid_status_name(status), text);
  return "another failure than BUSY";
}

static void *worker(void *argument) {
  outcome *seen = argument;
  int32_t *i = guarded(want.n), *j = guarded(want.n);
  for (int round = 0; round < CALLS && !seen->wrong; round++) seen->wrong = call(round, seen, i, j);
  free(i);
  free(j);
  return NULL;
}

static void entered_by_many(void) {
  pthread_t threads[THREADS];
  outcome seen[THREADS] = {{0, 0, NULL}};
  long served = 0, busy = 0;
  shared = new_search(CUTOFF);
  OK(neargrid_search_set_threads(shared, 2));
  OK(neargrid_search_set_points_f64(shared, 3, N, x, x + 1, x + 2, 24));
  int64_t count = GUARD;
  OK(neargrid_pairs_count(shared, &count));
  for (int k = 0; k < THREADS; k++)
    if (pthread_create(&threads[k], NULL, worker, &seen[k]) != 0) exit(1);
  for (int k = 0; k < THREADS; k++) {
    pthread_join(threads[k], NULL);
    verdict(!seen[k].wrong, seen[k].wrong ? seen[k].wrong : "calls of many threads", __FILE__, __LINE__);
    served += seen[k].served;
    busy += seen[k].busy;
  }
  CHECK(served > 0);
  CHECK(busy > 0);
  OK(neargrid_pairs_count(shared, &count)); /* the handle goes on as if nothing had been */
  CHECK(count == want.n);
  neargrid_search_destroy(shared);
}

static void *search_long(void *search) {
  const int32_t *i, *j;
  int64_t npairs = GUARD;
  const neargrid_status status = neargrid_pairs_view(search, &npairs, &i, &j);
  return (void *)(intptr_t)(status == 0 || status == NEARGRID_STATUS_BUSY);
}

/* A handle that is destroyed while a call of another thread is under way: the call ends as it would have. */
static void destroyed_while_busy(void) {
  for (int round = 0; round < 60; round++) {
    pthread_t thread;
    void *right = NULL;
    int64_t value = GUARD;
    neargrid_status status = 0;
    neargrid_search *search = new_search(CUTOFF);
    OK(neargrid_search_set_points_f64(search, 3, N, x, x + 1, x + 2, 24));
    if (pthread_create(&thread, NULL, search_long, search) != 0) exit(1);
    for (int k = 0; k < 100000 && status != NEARGRID_STATUS_BUSY; k++)
      status = neargrid_search_counter(search, NEARGRID_COUNTER_DIM, &value); /* until the thread is in its call */
    if (status == NEARGRID_STATUS_BUSY) {
      neargrid_search_destroy(search);
      search = NULL;
    }
    pthread_join(thread, &right);
    CHECK(right != NULL);
    neargrid_search_destroy(search);
  }
}

int main(void) {
  uint64_t seed = 11;
  for (int k = 0; k < 3 * N; k++) x[k] = uniform(&seed);
  want = plain_pairs_f64(3, N, x, CUTOFF, 0);
  entered_by_many();
  destroyed_while_busy();
  free_pairs(want);
  return finish("busy", 130);
}
