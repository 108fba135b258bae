/* Memory that runs out anywhere: each allocation of a call is refused in turn, the small ones too, and address space is limited
 * in steps. Every call ends with OUT_OF_MEMORY (or THREADS, where a stack cannot be had) or its right result, never with the
 * process, and the handle works as soon as there is memory.
 *
 * The allocator of this program stands in for the C library's, also for the shared library (glibc). Each run is a child process,
 * so that its end is seen. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <celllist.h>

enum { N = 1200, MOST = 100000 };

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static volatile int starving; /* allocations are counted */
static volatile long failing, counted; /* the first that fails, from 1: all later ones do too, or not */
static volatile int for_good;

static int refused(void) {
  if (!starving) return 0;
  const long number = __sync_add_and_fetch(&counted, 1);
  const int is_refused = for_good ? number >= failing : number == failing;
  if (is_refused) errno = ENOMEM;
  return is_refused;
}

void *malloc(size_t size) { return refused() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return refused() ? NULL : __libc_calloc(n, size); }
void *realloc(void *memory, size_t size) { return refused() ? NULL : __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return refused() ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = refused() ? NULL : __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

/* The end of a child. */
enum { DONE = 0, REFUSED_MEMORY = 50, NOT_REACHED = 51, OTHER = 52 };

/* Clouds whose indexes differ: a dense box, one with strays, occupied cells only. */
enum { CLOUDS = 3 };
static double clouds[CLOUDS][3 * N];
static double radii[N], masses[N];
static int32_t types[N];
static int64_t ids[N];
static const double CUTOFF = 0.07;
static int64_t pairs_of[CLOUDS], radius_pairs_of[CLOUDS], groups_of[CLOUDS], linked_of[CLOUDS];
static int32_t left[MOST], right[MOST], near[N * 8];
static double distances[N * 8], ages[MOST];
static int32_t lengths[N];
static int64_t offsets_of[N + 1], partners[MOST];
/* Each point with the ones before and after it. */
static int64_t chain[N + 1];
static int32_t linked[2 * N];

static void fill_clouds(void) {
  uint64_t seed = 3;
  for (int k = 0; k < 3 * N; k++) {
    const double c = uniform(&seed);
    clouds[0][k] = c;
    clouds[1][k] = k < 6 ? 1e300 : c;
    clouds[2][k] = c + (k / 3 % 6) * 1e4;
  }
  for (int k = 0; k < N; k++) {
    radii[k] = CUTOFF * (k % 3 + 1) / 3;
    masses[k] = 1 + k % 5;
    types[k] = k % 2;
    ids[k] = 3 * (k * 7919LL % N) - N;
    chain[k + 1] = chain[k];
    if (k > 0) linked[chain[k + 1]++] = k - 1;
    if (k < N - 1) linked[chain[k + 1]++] = k + 1;
  }
}

#define TRY(call)                    \
  do {                               \
    const int got = (call);          \
    if (got != 0) return got;        \
  } while (0)
#define MUST(condition)                                                         \
  do {                                                                          \
    if (!(condition)) {                                                         \
      starving = 0;                                                             \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
      _exit(OTHER);                                                             \
    }                                                                           \
  } while (0)

static neargrid_status set_cloud(neargrid_search *search, int cloud, int n) {
  const double *x = clouds[cloud];
  return neargrid_search_set_points_f64(search, 3, n, x, x + 1, x + 2, 24);
}

/* Asks a handle, one way after the other; a success with a wrong result ends the process. */
enum { WAYS = 19 };
static const char *ways[WAYS] = {"pairs",   "copy",  "full", "chunks", "nearest", "groups",          "fof",
                                 "ids",     "queries", "radii", "skin",   "lists",   "kinds",           "forms",
                                 "cutoffs", "cell",  "systems", "pair fields", "order and texts"};

/* Exclusions and cutoffs by types. */
static int ask_kinds(neargrid_search *search, int cloud) {
  const int32_t mask[4] = {1, 1, 1, 1};
  const double cutoffs[4] = {CUTOFF, CUTOFF, CUTOFF, CUTOFF};
  int64_t count = GUARD;
  TRY(neargrid_search_set_types(search, N, types, sizeof(int32_t), 2, mask));
  TRY(neargrid_search_set_type_cutoffs(search, 2, cutoffs));
  TRY(neargrid_pairs_count(search, &count));
  MUST(count == pairs_of[cloud]);
  TRY(neargrid_search_set_exclusions(search, N, chain, linked, NULL));
  TRY(neargrid_pairs_count(search, &count));
  MUST(count <= pairs_of[cloud]);
  TRY(neargrid_search_set_exclusions(search, 0, NULL, NULL, NULL));
  TRY(neargrid_search_set_type_cutoffs(search, 0, NULL));
  return neargrid_search_set_types(search, 0, NULL, sizeof(int32_t), 0, NULL);
}

/* Rows in other forms. */
static int ask_forms(neargrid_search *search, int cloud) {
  const double edges[3] = {0, CUTOFF / 2, CUTOFF};
  int64_t longest = GUARD, counts[2] = {GUARD, GUARD};
  int status = neargrid_neighbors_padded(search, NEARGRID_NEIGHBORS_HALF, N, 0, &longest, NULL, lengths);
  if (status != NEARGRID_STATUS_CAPACITY) return status;
  MUST(longest > 0 && N * longest <= MOST);
  TRY(neargrid_neighbors_padded(search, NEARGRID_NEIGHBORS_HALF, N, longest, &longest, left, lengths));
  status = neargrid_neighbors_histogram(search, NEARGRID_NEIGHBORS_HALF, 2, edges, counts);
  if (status) MUST(counts[0] == GUARD && counts[1] == GUARD);
  if (!status) MUST(counts[0] > 0 && counts[0] + counts[1] == pairs_of[cloud]);
  return status;
}

/* Lists by several cutoffs: all of them are made, or none. */
static int ask_cutoffs(neargrid_search *search, int cloud) {
  const double cutoffs[3] = {CUTOFF / 2, CUTOFF, CUTOFF / 4};
  neargrid_list *lists[3] = {NULL, NULL, NULL};
  int64_t rows = GUARD, total = GUARD;
  const int64_t *offsets = NULL;
  const int32_t *near_ids = NULL;
  const int status = neargrid_neighbors_take_by_cutoffs(search, NEARGRID_NEIGHBORS_HALF, 3, cutoffs, lists);
  for (int k = 0; k < 3; k++) MUST(!lists[k] == (status != 0));
  if (!status) {
    MUST(neargrid_list_view(lists[1], &rows, &total, &offsets, &near_ids) == 0);
    MUST(rows == N && total == pairs_of[cloud]);
  }
  for (int k = 0; k < 3; k++) neargrid_list_destroy(lists[k]);
  return status;
}

/* A cell in which a point has few images. */
static int ask_cell(neargrid_search *search, int cloud) {
  const double vectors[9] = {4, 0.5, 0, 0, 4, 0.5, 0.5, 0, 4};
  const int32_t periodic[3] = {1, 1, 1}, *near_ids = NULL, *shifts = NULL;
  const int64_t *offsets = NULL;
  int64_t rows = GUARD, total = GUARD;
  if (cloud == 1) return 0; /* its strays are too far */
  TRY(neargrid_search_set_cell(search, vectors, periodic));
  TRY(neargrid_images_view(search, NEARGRID_NEIGHBORS_HALF, &rows, &total, &offsets, &near_ids, &shifts));
  MUST(rows == N && total >= pairs_of[cloud] && offsets[N] == total);
  return neargrid_search_set_cell(search, NULL, NULL);
}

/* The two halves of the points as systems. */
static int ask_systems(neargrid_search *search, int cloud) {
  const double *x = clouds[cloud], cutoffs[2] = {CUTOFF, CUTOFF / 2};
  const int64_t firsts[3] = {0, N / 2, N}, *offsets = NULL;
  const int32_t *near_ids = NULL;
  int64_t total = GUARD;
  TRY(neargrid_systems_view_f64(search, NEARGRID_NEIGHBORS_HALF, 3, 2, firsts, x, x + 1, x + 2, 24, cutoffs, NULL, NULL, NULL, &total,
                                &offsets, &near_ids));
  MUST(total > 0 && total < pairs_of[cloud] && offsets[N] == total);
  return 0;
}

/* Pair fields of a run, carried to rows of other points, and radii that a sum decides. A failure leaves the values of before. */
static int ask_pair_fields(neargrid_search *search, int cloud) {
  neargrid_formula *age = NULL, *count = NULL;
  int32_t components = GUARD, outcomes[N];
  int64_t rows = GUARD, entries = GUARD, unsolved = GUARD;
  int status = neargrid_formula_create("age_ij = age_ij + 1; oldest max= age_ij", &age);
  if (!status) status = neargrid_formula_create("n += 1", &count);
  if (!status) status = neargrid_search_run(search, age, NEARGRID_NEIGHBORS_FULL, 1);
  if (!status) {
    status = neargrid_search_run(search, age, NEARGRID_NEIGHBORS_FULL, 1);
    MUST(neargrid_pair_field_size(search, "age", &components, &rows, &entries) == 0);
    MUST(components == 1 && rows == N && entries == 2 * pairs_of[cloud]);
    int copied = neargrid_pair_field_copy_f64(search, "age", 1, N, entries, offsets_of, left, ages);
    if (copied == 0) MUST(ages[0] == (status ? 1 : 2) && ages[entries - 1] == ages[0]);
    if (!status) status = copied;
  }
  if (!status) status = neargrid_search_set_pair_field_f64(search, "age", 1, N, offsets_of, left, ages);
  if (!status) status = neargrid_pair_field_copy_ids_f64(search, "age", 1, N, entries, offsets_of, partners, ages);
  if (!status) status = neargrid_search_set_pair_field_by_ids_f64(search, "age", 1, N, offsets_of, partners, ages);
  if (!status)
    status = neargrid_solve_radii_f64(search, count, NEARGRID_NEIGHBORS_FULL, "n", 1, CUTOFF / 8, CUTOFF, 0.5, 3, N, &rows, distances,
                                      outcomes, &unsolved);
  neargrid_formula_destroy(age);
  neargrid_formula_destroy(count);
  return status;
}

static int ask(neargrid_search *search, int cloud, int way) {
  int64_t count = GUARD, rows = GUARD, total = GUARD;
  const int32_t *i = NULL, *j = NULL;
  const int64_t *offsets = NULL;
  char text[2000];
  TRY(neargrid_search_set_cutoff(search, CUTOFF));
  TRY(set_cloud(search, cloud, N));
  switch (way) {
    case 0:
      TRY(neargrid_pairs_view(search, &count, &i, &j));
      MUST(count == pairs_of[cloud] && i[0] < j[0]);
      return 0;
    case 1:
      TRY(neargrid_pairs_copy(search, MOST, &count, left, right));
      MUST(count == pairs_of[cloud] && left[0] < right[0]);
      TRY(neargrid_pairs_distances_f64(search, 100, left, right, distances, NULL));
      MUST(distances[99] <= CUTOFF);
      return 0;
    case 2:
      TRY(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_FULL, &rows, &total, &offsets, &i));
      MUST(rows == N && total == 2 * pairs_of[cloud] && offsets[N] == total);
      return 0;
    case 3:
      TRY(neargrid_chunks_begin(search, NEARGRID_NEIGHBORS_HALF, 300, &total));
      MUST(total == pairs_of[cloud]);
      for (int64_t first, sum = 0;;) {
        TRY(neargrid_chunks_next(search, &first, &rows, &offsets, &i));
        if (rows > 0) sum += offsets[rows];
        if (rows > 0) continue;
        MUST(sum == pairs_of[cloud]);
        return 0;
      }
    case 4:
      TRY(neargrid_knn_copy_f64(search, NEARGRID_KNN_OTHERS, 8, NEARGRID_MEASURE_DISTANCE, N, &(int64_t){0}, near, distances, NULL));
      MUST(distances[0] >= 0 && distances[0] <= distances[7]); /* two strays coincide */
      return 0;
    case 5:
      TRY(neargrid_groups_find_f64(search, 2, N, masses, sizeof(double), NULL, NULL, NULL, 0, &count));
      MUST(count == groups_of[cloud]);
      return 0;
    case 6:
      TRY(neargrid_fof_copy(search, N, near, &count));
      MUST(count == linked_of[cloud]);
      return 0;
    case 7:
      TRY(neargrid_search_set_ids(search, N, ids, sizeof(int64_t)));
      TRY(neargrid_search_set_active(search, N / 2));
      TRY(neargrid_pairs_view(search, &count, &i, &j));
      TRY(neargrid_search_set_active(search, NEARGRID_ALL_ACTIVE));
      TRY(neargrid_pairs_view(search, &count, &i, &j));
      MUST(count == pairs_of[cloud]);
      return neargrid_search_set_ids(search, 0, NULL, sizeof(int64_t));
    case 8: {
      const int32_t mask[4] = {0, 1, 1, 1};
      const double *x = clouds[cloud];
      TRY(neargrid_search_set_types(search, N, types, sizeof(int32_t), 2, mask));
      TRY(neargrid_pairs_count(search, &count));
      MUST(count < pairs_of[cloud]);
      TRY(neargrid_search_set_types(search, 0, NULL, sizeof(int32_t), 0, NULL));
      TRY(neargrid_search_set_queries_f64(search, 3, N / 2, x, x + 1, x + 2, 24));
      TRY(neargrid_neighbors_view(search, NEARGRID_NEIGHBORS_QUERIES, &rows, &total, &offsets, &i));
      MUST(rows == N / 2);
      return 0;
    }
    case 9:
      TRY(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, N, radii, sizeof(double), NEARGRID_RADIUS_MIN));
      TRY(neargrid_pairs_view(search, &count, &i, &j));
      MUST(count == radius_pairs_of[cloud]);
      TRY(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, 0, NULL, 0, 0));
      return 0;
    case 10: {
      int32_t rebuilt;
      const double *x = clouds[cloud];
      TRY(neargrid_search_set_skin(search, CUTOFF / 4));
      TRY(neargrid_pairs_count(search, &count));
      MUST(count == pairs_of[cloud]);
      TRY(neargrid_search_update_f64(search, 3, N, x, x + 1, x + 2, 24, &rebuilt));
      TRY(neargrid_pairs_view(search, &count, &i, &j));
      MUST(count == pairs_of[cloud]);
      return neargrid_search_set_skin(search, 0);
    }
    case 11: { /* a list that is there keeps its rows, and one that is not made stays NULL */
      neargrid_list *list = NULL, *other = NULL;
      int status = neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_FULL, &list);
      if (status) MUST(!list);
      if (!status) status = neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_HALF, &other);
      if (!other && list) MUST(status != 0);
      if (!status) status = set_cloud(search, cloud, N / 2);
      if (!status) status = neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_HALF, &list);
      if (status && list) {
        MUST(neargrid_list_view(list, &rows, &total, &offsets, &i) == 0);
        MUST(rows == N && total == 2 * pairs_of[cloud] && offsets[N] == total);
      }
      if (other) {
        MUST(neargrid_list_view(other, &rows, &total, &offsets, &i) == 0);
        MUST(rows == N && total == pairs_of[cloud]);
      }
      neargrid_list_destroy(list);
      neargrid_list_destroy(other);
      return status;
    }
    case 12:
      return ask_kinds(search, cloud);
    case 13:
      return ask_forms(search, cloud);
    case 14:
      return ask_cutoffs(search, cloud);
    case 15:
      return ask_cell(search, cloud);
    case 16:
      return ask_systems(search, cloud);
    case 17:
      return ask_pair_fields(search, cloud);
    default:
      TRY(neargrid_search_order(search, N, near));
      TRY(neargrid_search_info(search, text, sizeof text, NULL));
      TRY(neargrid_search_trim(search));
      /* a failure has its status and a text, whatever memory there is */
      MUST(neargrid_search_set_cutoff(search, -1) == NEARGRID_STATUS_BAD_CUTOFF);
      MUST(neargrid_last_error(text, sizeof text, NULL) == 0 && strstr(text, "cutoff = "));
      MUST(neargrid_search_set_tie_rule(search, 7) == NEARGRID_STATUS_BAD_VALUE);
      MUST(neargrid_last_error(text, sizeof text, NULL) == 0 && strstr(text, "rule = "));
      return neargrid_pairs_view(search, &count, &i, &j);
  }
}

static struct rlimit there_was; /* of address space, before it was limited */

/* One run on a handle of its own, or through the drop-in; its status. */
static int search_once(int cloud, int way, int threads) {
  neargrid_search *search = NULL;
  if (way == WAYS) {
    int npairs = GUARD;
    const int status = cellList(3, N, 27, clouds[cloud], CUTOFF, 0, &npairs, NULL, NULL);
    if (status != NEARGRID_STATUS_CAPACITY) return status;
    MUST(npairs == pairs_of[cloud]);
    cellList_release();
    return 0;
  }
  TRY(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  int status = neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU);
  if (!status) status = neargrid_search_set_threads(search, threads);
  if (!status) status = ask(search, cloud, way);
  /* The starved handle must work as soon as there is memory. */
  const int was_starving = starving;
  starving = 0;
  if (there_was.rlim_max) MUST(setrlimit(RLIMIT_AS, &there_was) == 0);
  if (status) {
    int64_t count = GUARD;
    const double lo[3] = {0, 0, 0}, length[3] = {1, 1, 1};
    const int32_t open[3] = {0, 0, 0};
    MUST(neargrid_search_set_ids(search, 0, NULL, sizeof(int64_t)) == 0);
    MUST(neargrid_search_set_types(search, 0, NULL, sizeof(int32_t), 0, NULL) == 0);
    MUST(neargrid_search_set_type_cutoffs(search, 0, NULL) == 0);
    MUST(neargrid_search_set_exclusions(search, 0, NULL, NULL, NULL) == 0);
    MUST(neargrid_search_set_active(search, NEARGRID_ALL_ACTIVE) == 0);
    MUST(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, 0, NULL, 0, 0) == 0);
    MUST(neargrid_search_set_skin(search, 0) == 0);
    MUST(neargrid_search_set_box(search, 3, lo, length, open) == 0);
    MUST(neargrid_search_set_cutoff(search, CUTOFF) == 0);
    MUST(neargrid_search_set_threads(search, 1) == 0);
    MUST(set_cloud(search, cloud, N) == 0);
    MUST(neargrid_pairs_count(search, &count) == 0);
    MUST(count == pairs_of[cloud]);
  }
  starving = was_starving;
  neargrid_search_destroy(search);
  return status;
}

static int in_child(int (*run)(void)) {
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    _exit(run());
  }
  if (child < 0 || waitpid(child, &status, 0) != child) return OTHER;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int the_cloud, the_way, the_threads;
static rlim_t the_limit;

static int verdict_of(int status) {
  if (status == 0) return DONE;
  if (status == NEARGRID_STATUS_OUT_OF_MEMORY || status == NEARGRID_STATUS_THREADS) return REFUSED_MEMORY;
  char text[300] = "";
  neargrid_last_error(text, sizeof text, NULL);
  fprintf(stderr, "%s: %s\n", neargrid_status_name(status), text);
  return OTHER;
}

/* The failing-th allocation is refused, and for_good all that follow. */
static int starved(void) {
  counted = 0;
  starving = 1;
  const int status = search_once(the_cloud, the_way, the_threads);
  starving = 0;
  if (counted < failing) return status == 0 ? NOT_REACHED : OTHER;
  return verdict_of(status);
}

/* Limits the address space to that many bytes more than are in use. */
static int limited(void) {
  struct rlimit limit;
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld", &pages) != 1 || getrlimit(RLIMIT_AS, &there_was) != 0) return OTHER;
  fclose(file);
  limit = there_was;
  limit.rlim_cur = (rlim_t)pages * 4096 + the_limit;
  if (setrlimit(RLIMIT_AS, &limit) != 0) return OTHER;
  return verdict_of(search_once(the_cloud, the_way, the_threads));
}

static const char *name_of(int way) { return way == WAYS ? "drop-in" : ways[way]; }

static void refuse_each(int cloud, int way, int threads) {
  long refusals = 0;
  the_cloud = cloud, the_way = way, the_threads = threads;
  for (failing = 1;; failing++) {
    for_good = failing % 3 == 0;
    const int end = in_child(starved);
    refusals += end == REFUSED_MEMORY;
    if (end == NOT_REACHED) break;
    if (!CHECK(end == DONE || end == REFUSED_MEMORY)) {
      fprintf(stderr, "cloud %d, %s, %d threads, allocation %ld%s: ended with %d\n", cloud, name_of(way), threads, failing,
              for_good ? " and all later ones" : "", end);
      if (end == OTHER) break;
    }
  }
  if (!CHECK(refusals > 4)) fprintf(stderr, "cloud %d, %s: %ld refusals\n", cloud, name_of(way), refusals);
}

static void limit_address_space(int cloud, int way, int threads) {
  long refusals = 0;
  int done_in_a_row = 0;
  the_cloud = cloud, the_way = way, the_threads = threads;
  for (the_limit = 0; done_in_a_row < 8; the_limit += 100000) {
    const int end = in_child(limited);
    refusals += end == REFUSED_MEMORY;
    done_in_a_row = end == DONE ? done_in_a_row + 1 : 0;
    if (!CHECK(end == DONE || end == REFUSED_MEMORY)) {
      fprintf(stderr, "cloud %d, %s, %d threads, %ld bytes: ended with %d\n", cloud, name_of(way), threads, (long)the_limit, end);
      if (end == OTHER) break;
    }
    if (!CHECK(the_limit < 1000000000)) break;
  }
  if (way < WAYS && !CHECK(refusals > 4)) /* the drop-in starts no threads here, and may find room in the heap */
    fprintf(stderr, "cloud %d, %s: %ld refusals\n", cloud, name_of(way), refusals);
}

/* Finds what is right, by one thread that has all the memory. */
static void find_truth(int cloud) {
  neargrid_search *search = new_search(CUTOFF);
  OK(neargrid_search_set_threads(search, 1));
  OK(set_cloud(search, cloud, N));
  OK(neargrid_pairs_count(search, &pairs_of[cloud]));
  CHECK(pairs_of[cloud] > 100 && pairs_of[cloud] < MOST);
  OK(neargrid_fof_copy(search, N, near, &linked_of[cloud]));
  OK(neargrid_groups_find_f64(search, 2, N, masses, sizeof(double), NULL, NULL, NULL, 0, &groups_of[cloud]));
  OK(neargrid_search_set_radii_f64(search, NEARGRID_OF_POINTS, N, radii, sizeof(double), NEARGRID_RADIUS_MIN));
  OK(neargrid_pairs_count(search, &radius_pairs_of[cloud]));
  neargrid_search_destroy(search);
}

/* Argument "short": a part of it. A number after it: that way alone. */
int main(int argc, char **argv) {
  const int is_short = argc > 1 && strcmp(argv[1], "short") == 0, only = argc > 2 ? atoi(argv[2]) : -1;
  int npairs = GUARD;
  fill_clouds();
  for (int cloud = 0; cloud < CLOUDS; cloud++) find_truth(cloud);
  /* The C library takes memory for the end of a thread at its first drop-in call, and cannot do without. */
  CHECK(cellList(3, N, 27, clouds[0], CUTOFF, 0, &npairs, NULL, NULL) == NEARGRID_STATUS_CAPACITY);
  cellList_release();
  for (int way = 0; way <= WAYS; way++) {
    if (only >= 0 && way != only) continue;
    refuse_each(0, way, 3);
    if (is_short) continue;
    refuse_each(1, way, 1);
    refuse_each(2, way, 4);
  }
  for (int way = 0; way <= WAYS; way += is_short ? 4 : 1) {
    if (only >= 0 && way != only) continue;
    limit_address_space(0, way, 3);
    if (!is_short) limit_address_space(2, way, 4);
  }
  return finish("exhausted", only >= 0 ? 20 : 1000);
}
