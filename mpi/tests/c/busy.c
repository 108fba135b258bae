/* A handle that another thread of its rank is using: BUSY on that rank alone, which took no part and may call again. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "ranks.h"

#include <pthread.h>

enum { N = 2000, ROUNDS = 40 };

static neargrid_search *search;
static double x[N][3];
static volatile int stop;
static volatile long busy, served, wrong;

/* Asks without end what is not collective. */
static void *ask(void *nothing) {
  (void)nothing;
  while (!stop) {
    int64_t owned = GUARD;
    const neargrid_status status = neargrid_search_counter(search, NEARGRID_COUNTER_POINTS, &owned);
    busy += status == NEARGRID_STATUS_BUSY && owned == GUARD;
    served += status == 0 && owned == N;
    wrong += status != NEARGRID_STATUS_BUSY && !(status == 0 && owned == N);
  }
  return NULL;
}

/* Again, as long as the other thread is inside. */
#define INSIST(call)                            \
  do {                                          \
    neargrid_status got;                        \
    do got = (call);                            \
    while (got == NEARGRID_STATUS_BUSY);        \
    CHECK(got == 0);                            \
  } while (0)

int main(int argc, char **argv) {
  pthread_t thread;
  uint64_t seed = 5;
  int64_t npairs = 0, all = 0, want = 0;
  const int32_t *i, *j;
  int provided;
  alarm(300);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int other = 0; other <= rank; other++)
    for (int k = 0; k < N; k++)
      for (int axis = 0; axis < 3; axis++) x[k][axis] = uniform(&seed) + (axis == 0 ? rank : 0);
  search = new_across();
  OK(neargrid_search_set_threads(search, 0));
  OK(neargrid_search_set_cutoff(search, 0.1));
  OK(neargrid_search_set_points_f64(search, 3, N, x[0], x[0] + 1, x[0] + 2, sizeof x[0]));
  CHECK(pthread_create(&thread, NULL, ask, NULL) == 0);
  /* Until the other thread of each rank has been served and has been refused. */
  for (int round = 0, is_seen = 0; round < ROUNDS || !is_seen; round++) {
    const int is_seen_here = served > 0 && busy > 0;
    MPI_Allreduce(&is_seen_here, &is_seen, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    INSIST(neargrid_search_set_points_f64(search, 3, N, x[0], x[0] + 1, x[0] + 2, sizeof x[0]));
    INSIST(neargrid_pairs_view(search, &npairs, &i, &j));
    MPI_Allreduce(&npairs, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (round == 0) want = all;
    CHECK(all == want && want > 0);
  }
  stop = 1;
  pthread_join(thread, NULL);
  CHECK(wrong == 0);
  neargrid_search_destroy(search);
  return finish_all("busy", 3 * ROUNDS * size);
}
