/* Refusals of neargrid.h: the right status, a text that names argument, value and what is allowed, outputs untouched,
 * and a handle that works as before. The drop-ins' refusals are in dropin.c, those of lists in displacement.c and order.c,
 * those of active points, types, queries and the skin in kinds.c, environment variables in environment.c, memory in
 * memory.c. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <math.h>
#include <stdlib.h>

static const double LINE[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
enum { PAIRS = 9 }; /* of LINE within 1.5 */

static neargrid_search *line(void) {
  neargrid_search *search = new_search(1.5);
  OK(neargrid_search_set_points_f64(search, 1, 10, LINE, NULL, NULL, 8));
  return search;
}

static void still_works(neargrid_search *search) {
  int64_t npairs = GUARD;
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(npairs == PAIRS);
}

static void creation(void) {
  neargrid_search *search = (neargrid_search *)&search;
  REFUSED(neargrid_search_create(NEARGRID_ABI_VERSION, NULL), NULL_POINTER, "search is NULL");
  REFUSED(neargrid_search_create(NEARGRID_ABI_VERSION + 1, &search), ABI_MISMATCH, "abi_version = 2|1");
  CHECK(search == NULL);
  search = (neargrid_search *)&search;
  REFUSED(neargrid_search_create(0, &search), ABI_MISMATCH, "abi_version = 0");
  CHECK(search == NULL);
  REFUSED(neargrid_search_create(-7, &search), ABI_MISMATCH, "abi_version = -7");
  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  CHECK(search != NULL);
  neargrid_search_destroy(search);
}

/* Every function that takes a handle, without one. */
static void no_handle(void) {
  int64_t count = GUARD, *offsets = &count;
  int32_t id = GUARD;
  const int32_t *i = &id, *j = &id;
  const int64_t *view = &count;
  const double x = 0, corner[3] = {0, 0, 0};
  const float single = 0;
  double seconds = GUARD;
  char text[4] = "***";
  size_t length = 99;
#define NULL_HANDLE(call) REFUSED(call, NULL_POINTER, "search is NULL|neargrid_search_create")
  NULL_HANDLE(neargrid_search_set_points_f64(NULL, 1, 1, &x, NULL, NULL, 8));
  NULL_HANDLE(neargrid_search_set_points_f32(NULL, 1, 1, &single, NULL, NULL, 4));
  NULL_HANDLE(neargrid_search_set_cutoff(NULL, 1.0));
  NULL_HANDLE(neargrid_search_set_tie_rule(NULL, 0));
  NULL_HANDLE(neargrid_search_set_index_base(NULL, 0));
  NULL_HANDLE(neargrid_search_set_threads(NULL, 1));
  NULL_HANDLE(neargrid_search_set_backend(NULL, 0));
  NULL_HANDLE(neargrid_search_set_device(NULL, NEARGRID_DEVICE_INDEX, 0));
  NULL_HANDLE(neargrid_search_set_device(NULL, NEARGRID_DEVICE_TURN, 0));
  NULL_HANDLE(neargrid_search_set_memory_limit(NULL, 0));
  NULL_HANDLE(neargrid_search_set_box(NULL, 3, corner, corner, &id));
  NULL_HANDLE(neargrid_search_set_ids(NULL, 1, &count, sizeof(int64_t)));
  NULL_HANDLE(neargrid_search_set_radii_f64(NULL, NEARGRID_OF_POINTS, 1, &x, sizeof(double), 0));
  NULL_HANDLE(neargrid_search_set_radii_f32(NULL, NEARGRID_OF_POINTS, 1, &single, sizeof(float), 0));
  NULL_HANDLE(neargrid_search_set_radii_f64(NULL, NEARGRID_OF_QUERIES, 1, &x, sizeof(double), 0));
  NULL_HANDLE(neargrid_search_set_radii_f32(NULL, NEARGRID_OF_QUERIES, 1, &single, sizeof(float), 0));
  NULL_HANDLE(neargrid_search_set_radii_f64(NULL, NEARGRID_OF_POINTS, 0, NULL, 0, 0));
  double d = GUARD;
  float d32 = GUARD;
  NULL_HANDLE(neargrid_search_trim(NULL));
  NULL_HANDLE(neargrid_search_order(NULL, 1, &id));
  NULL_HANDLE(neargrid_pairs_distances_f64(NULL, 1, &id, &id, &d, NULL));
  NULL_HANDLE(neargrid_pairs_distances_f32(NULL, 1, &id, &id, &d32, NULL));
  NULL_HANDLE(neargrid_pairs_distances_f64(NULL, 1, &id, &id, NULL, &d));
  NULL_HANDLE(neargrid_pairs_distances_f32(NULL, 1, &id, &id, NULL, &d32));
  NULL_HANDLE(neargrid_neighbors_distances_f64(NULL, 1, 1, &count, &id, &d, NULL));
  NULL_HANDLE(neargrid_neighbors_distances_f32(NULL, 1, 1, &count, &id, &d32, NULL));
  NULL_HANDLE(neargrid_neighbors_distances_f64(NULL, 1, 1, &count, &id, NULL, &d));
  NULL_HANDLE(neargrid_neighbors_distances_f32(NULL, 1, 1, &count, &id, NULL, &d32));
  CHECK(d == GUARD && d32 == GUARD);
  NULL_HANDLE(neargrid_search_info(NULL, text, 4, &length));
  NULL_HANDLE(neargrid_search_counter(NULL, 0, &count));
  NULL_HANDLE(neargrid_search_timing(NULL, 0, &seconds));
  NULL_HANDLE(neargrid_pairs_count(NULL, &count));
  NULL_HANDLE(neargrid_pairs_copy(NULL, 1, &count, &id, &id));
  NULL_HANDLE(neargrid_pairs_view(NULL, &count, &i, &j));
  NULL_HANDLE(neargrid_neighbors_count(NULL, 0, &count));
  NULL_HANDLE(neargrid_neighbors_copy(NULL, 0, 10, 1, &count, offsets, &id));
  NULL_HANDLE(neargrid_neighbors_view(NULL, 0, &count, &count, &view, &i));
#undef NULL_HANDLE
  CHECK(count == GUARD && id == GUARD && i == &id && j == &id && view == &count);
  CHECK(seconds == GUARD && strcmp(text, "***") == 0 && length == 99);
}

static void null_outputs(void) {
  neargrid_search *search = line();
  int64_t count = GUARD, n = GUARD, offsets[11];
  int32_t id = GUARD;
  const int32_t *i = &id, *j = &id;
  const int64_t *view = &count;
  for (int k = 0; k < 11; k++) offsets[k] = GUARD;
  REFUSED(neargrid_pairs_count(search, NULL), NULL_POINTER, "npairs is NULL");
  REFUSED(neargrid_pairs_copy(search, 0, NULL, NULL, NULL), NULL_POINTER, "npairs is NULL");
  REFUSED(neargrid_pairs_copy(search, 1, &count, NULL, &id), NULL_POINTER, "pair_i is NULL");
  REFUSED(neargrid_pairs_copy(search, 1, &count, &id, NULL), NULL_POINTER, "pair_j is NULL");
  REFUSED(neargrid_pairs_view(search, NULL, &i, &j), NULL_POINTER, "npairs is NULL");
  REFUSED(neargrid_pairs_view(search, &count, NULL, &j), NULL_POINTER, "pair_i is NULL");
  REFUSED(neargrid_pairs_view(search, &count, &i, NULL), NULL_POINTER, "pair_j is NULL");
  REFUSED(neargrid_neighbors_count(search, 0, NULL), NULL_POINTER, "total is NULL");
  REFUSED(neargrid_neighbors_copy(search, 0, 10, 0, NULL, offsets, NULL), NULL_POINTER, "total is NULL");
  REFUSED(neargrid_neighbors_copy(search, 0, 10, 0, &count, NULL, NULL), NULL_POINTER, "offsets is NULL");
  REFUSED(neargrid_neighbors_copy(search, 0, 10, 1, &count, offsets, NULL), NULL_POINTER, "ids is NULL");
  REFUSED(neargrid_neighbors_view(search, 0, NULL, &count, &view, &i), NULL_POINTER, "n is NULL");
  REFUSED(neargrid_neighbors_view(search, 0, &n, NULL, &view, &i), NULL_POINTER, "total is NULL");
  REFUSED(neargrid_neighbors_view(search, 0, &n, &count, NULL, &i), NULL_POINTER, "offsets is NULL");
  REFUSED(neargrid_neighbors_view(search, 0, &n, &count, &view, NULL), NULL_POINTER, "ids is NULL");
  REFUSED(neargrid_search_counter(search, 0, NULL), NULL_POINTER, "value is NULL");
  REFUSED(neargrid_search_timing(search, 0, NULL), NULL_POINTER, "seconds is NULL");
  REFUSED(neargrid_search_info(search, NULL, 1, NULL), NULL_POINTER, "buffer is NULL");
  REFUSED(neargrid_last_error(NULL, 1, NULL), NULL_POINTER, "buffer is NULL"); /* the text before this call */
  CHECK(count == GUARD && n == GUARD && id == GUARD && i == &id && j == &id && view == &count);
  for (int k = 0; k < 11; k++) CHECK(offsets[k] == GUARD);
  CHECK(counter(search, NEARGRID_COUNTER_COUNTS) == 0); /* refused before any search */
  still_works(search);
  neargrid_search_destroy(search);
}

/* Strides that no array of points has: none, less than a coordinate, elements instead of bytes. */
static void strides(const double *x, const float *single) {
  neargrid_search *search = line();
  const int64_t none[] = {0, 1, 3, 7, -1, -7}, elements[] = {9, 10, 12, 15, -9, -15};
  const double *last = x + 9;
  double record[32] = {0};
  int32_t rebuilt = GUARD;
  int64_t ngroups = GUARD;
  char words[80];
  for (int k = 0; k < 6; k++) {
    snprintf(words, sizeof words, "stride = %d |bytes, not elements|8 or more, or -8 or less", (int)none[k]);
    REFUSED(neargrid_search_set_points_f64(search, 3, 4, last, last + 1, last + 2, none[k]), BAD_VALUE, words);
    REFUSED(neargrid_search_set_points_f64(search, 1, 2, last, NULL, NULL, none[k]), BAD_VALUE, words);
    REFUSED(neargrid_search_add_points_f64(search, 1, 2, last, NULL, NULL, none[k]), BAD_VALUE, words);
    REFUSED(neargrid_search_set_queries_f64(search, 1, 2, last, NULL, NULL, none[k]), BAD_VALUE, words);
    REFUSED(neargrid_search_update_f64(search, 1, 2, last, NULL, NULL, none[k], &rebuilt), BAD_VALUE, words);
    REFUSED(neargrid_groups_find_f64(search, 1, 10, NULL, sizeof(double), x, NULL, NULL, none[k], &ngroups), BAD_VALUE, words);
    snprintf(words, sizeof words, "stride = %d |bytes, not elements, for|x and y", (int)elements[k]);
    REFUSED(neargrid_search_set_points_f64(search, 3, 2, record + 16, record + 17, record + 18, elements[k]), BAD_VALUE,
            words);
  }
  REFUSED(neargrid_search_set_points_f32(search, 1, 2, single, NULL, NULL, 3), BAD_VALUE, "stride = 3 |4 or more");
  REFUSED(neargrid_search_set_points_f32(search, 2, 4, single, single + 5, NULL, 6), BAD_VALUE,
          "stride = 6 |not elements, for|x and y");
  REFUSED(neargrid_search_set_points_f64(search, 3, 2, record, record + 31, record + 2, 9), BAD_VALUE,
          "stride = 9 |x and z");
  /* The stride of one number, and every other one by which points share coordinates. */
  REFUSED(neargrid_search_set_points_f64(search, 3, 4, x, x + 1, x + 2, 8), BAD_VALUE,
          "stride = 8 |bytes, not elements, for|x and y|is 8 bytes|the stride is 24");
  REFUSED(neargrid_search_set_points_f64(search, 3, 4, x, x + 1, x + 2, 16), BAD_VALUE, "stride = 16 |x and z|16 bytes");
  REFUSED(neargrid_search_set_points_f64(search, 3, 4, last, last + 1, last + 2, -8), BAD_VALUE, "stride = -8 |x and y");
  REFUSED(neargrid_search_set_points_f64(search, 3, 4, x + 2, x + 1, x, 8), BAD_VALUE, "x and y|is -8 bytes");
  REFUSED(neargrid_search_set_points_f64(search, 3, 4, x, x, x + 3, 8), BAD_VALUE, "stride = 8 |x and z|24 bytes");
  REFUSED(neargrid_search_set_points_f64(search, 2, 3, x, x + 2, NULL, 8), BAD_VALUE, "stride = 8 |the stride is 16");
  REFUSED(neargrid_search_set_points_f32(search, 2, 6, single, single + 1, NULL, 4), BAD_VALUE, "the stride is 8");
  REFUSED(neargrid_search_add_points_f64(search, 2, 3, x, x + 1, NULL, 8), BAD_VALUE, "stride = 8 |x and y");
  REFUSED(neargrid_search_set_queries_f64(search, 2, 3, x, x + 1, NULL, 8), BAD_VALUE, "stride = 8 |x and y");
  REFUSED(neargrid_search_update_f64(search, 2, 3, x, x + 1, NULL, 8, &rebuilt), BAD_VALUE, "stride = 8 |x and y");
  CHECK(rebuilt == GUARD && ngroups == GUARD);
  still_works(search);
  /* One point has no next one; axes may share coordinates, and lie beside each other with gaps of any size. */
  OK(neargrid_search_set_points_f64(search, 3, 1, x, x + 1, x + 2, 0));
  OK(neargrid_search_set_points_f64(search, 2, 3, x, x, NULL, 8));
  OK(neargrid_search_set_points_f64(search, 3, 1, x, x + 1, x + 2, 8));
  OK(neargrid_search_set_points_f64(search, 3, 3, x, x, x, 8));
  OK(neargrid_search_set_points_f64(search, 3, 4, x, x + 4, x + 8, 8));
  OK(neargrid_search_set_points_f64(search, 3, 4, x + 8, x + 4, x, 8));
  OK(neargrid_search_set_points_f64(search, 3, 4, x + 3, x + 7, x + 11, -8));
  OK(neargrid_search_set_points_f64(search, 3, 2, x, x + 1, x + 2, 48));
  OK(neargrid_search_set_points_f64(search, 2, 2, record, record + 16, NULL, 9));
  OK(neargrid_search_set_points_f64(search, 2, 2, record + 16, record + 2, NULL, -9));
  neargrid_search_destroy(search);
}

/* Results that share memory, or are where no value of their type can. */
static void overlaps(void) {
  neargrid_search *search = line();
  int64_t many[64], count = GUARD;
  int32_t *room = (int32_t *)many;
  for (int k = 0; k < 64; k++) many[k] = GUARD;
  REFUSED(neargrid_pairs_copy(search, 20, &count, room, room + 8), BAD_VALUE, "pair_j = |overlaps pair_i");
  REFUSED(neargrid_pairs_copy(search, 20, &count, room + 8, room), BAD_VALUE, "pair_j = |overlaps pair_i");
  REFUSED(neargrid_pairs_copy(search, 9, &many[1], room, room + 20), BAD_VALUE, "pair_i = |overlaps npairs");
  REFUSED(neargrid_pairs_copy(search, 9, &count, room, (int32_t *)((char *)room + 41)), BAD_VALUE, "pair_j = |multiple");
  REFUSED(neargrid_neighbors_copy(search, 0, 10, 9, &count, many, (int32_t *)&many[10]), BAD_VALUE, "ids = |overlaps offsets");
  REFUSED(neargrid_neighbors_copy(search, 0, 10, 9, &many[3], many, room + 40), BAD_VALUE, "offsets = |overlaps total");
  REFUSED(neargrid_neighbors_copy(search, 0, 10, 9, &count, (int64_t *)((char *)many + 4), room + 60), BAD_VALUE,
          "offsets = |a multiple of 8");
  REFUSED(neargrid_knn_copy_f64(search, NEARGRID_KNN_OTHERS, 1, NEARGRID_MEASURE_DISTANCE, 10, &(int64_t){0}, room, (double *)&many[4], NULL),
          BAD_VALUE, "distances = |overlaps ids");
  REFUSED(neargrid_knn_copy_f64(search, NEARGRID_KNN_OTHERS, 1, NEARGRID_MEASURE_DISTANCE, 10, &(int64_t){0}, room, NULL, room + 9), BAD_VALUE,
          "counts = |overlaps ids");
  REFUSED(neargrid_fof_copy(search, 10, room, &many[4]), BAD_VALUE, "labels = |overlaps ngroups");
  for (int k = 0; k < 64; k++) CHECK(many[k] == GUARD);
  CHECK(count == GUARD);
  /* More room than is used may overlap. */
  OK(neargrid_pairs_copy(search, 40, &count, room, room + 9));
  CHECK(count == 9 && room[8] == 8 && room[9] == 1);
  still_works(search);
  neargrid_search_destroy(search);
}

static void points(void) {
  neargrid_search *search = line();
  double x[12];
  float single[12];
  const double *y = x + 1, *z = x + 2;
  for (int k = 0; k < 12; k++) x[k] = single[k] = (float)k;
  const int dims[] = {0, 4, -1, INT32_MIN, INT32_MAX};
  for (size_t k = 0; k < sizeof dims / sizeof *dims; k++) {
    char words[40];
    snprintf(words, sizeof words, "dim = %d |1, 2 or 3", dims[k]);
    REFUSED(neargrid_search_set_points_f64(search, dims[k], 4, x, y, z, 24), BAD_DIM, words);
    REFUSED(neargrid_search_set_points_f32(search, dims[k], 4, single, single, single, 4), BAD_DIM, words);
  }
  REFUSED(neargrid_search_set_points_f64(search, 3, -1, x, y, z, 24), BAD_COUNT, "n = -1|0 to 2147483647");
  REFUSED(neargrid_search_set_points_f64(search, 3, 2147483648, x, y, z, 24), BAD_COUNT, "n = 2147483648");
  REFUSED(neargrid_search_set_points_f64(search, 3, INT64_MIN, x, y, z, 24), BAD_COUNT, "n = -9223372036854775808");
  REFUSED(neargrid_search_set_points_f32(search, 3, INT64_MAX, NULL, NULL, NULL, 4), BAD_COUNT,
          "n = 9223372036854775807");
  REFUSED(neargrid_search_set_points_f64(search, 3, 4, NULL, y, z, 24), NULL_POINTER, "x is NULL");
  REFUSED(neargrid_search_set_points_f64(search, 3, 4, x, NULL, z, 24), NULL_POINTER, "y is NULL");
  REFUSED(neargrid_search_set_points_f64(search, 3, 4, x, y, NULL, 24), NULL_POINTER, "z is NULL");
  REFUSED(neargrid_search_set_points_f32(search, 1, 4, NULL, NULL, NULL, 4), NULL_POINTER, "x is NULL");
  REFUSED(neargrid_search_set_points_f64(search, 1, 4, x, NULL, NULL, INT64_MAX), BAD_VALUE,
          "stride = 9223372036854775807");
  REFUSED(neargrid_search_set_points_f64(search, 1, 4, x, NULL, NULL, INT64_MIN), BAD_VALUE,
          "stride = -9223372036854775808");
  strides(x, single);
  for (int k = 0; k < 12; k++)
    for (int base = 0; base <= 1; base++) {
      char words[60];
      OK(neargrid_search_set_index_base(search, base));
      const double bad[] = {NAN, INFINITY, -INFINITY};
      for (int b = 0; b < 3; b++) {
        snprintf(words, sizeof words, "%c coordinate of point %d is %s|finite", "xyz"[k % 3], k / 3 + base,
                 b == 0 ? "NaN" : b == 1 ? "inf" : "-inf");
        x[k] = bad[b];
        single[k] = (float)bad[b];
        REFUSED(neargrid_search_set_points_f64(search, 3, 4, x, y, z, 24), NON_FINITE, words);
        REFUSED(neargrid_search_set_points_f32(search, 3, 4, single, single + 1, single + 2, 12), NON_FINITE, words);
        x[k] = single[k] = (float)k;
      }
    }
  CHECK(counter(search, NEARGRID_COUNTER_POINTS) == 10);
  still_works(search); /* with the points it had */
  neargrid_search_destroy(search);
}

static void cutoffs(void) {
  neargrid_search *search = line();
  int64_t npairs = GUARD;
  const double bad[] = {0.0, -0.0, -1.0, NAN, INFINITY, -INFINITY};
  const char *words[] = {"cutoff = 0", "cutoff = -0", "cutoff = -1", "cutoff = NaN", "cutoff = inf", "cutoff = -inf"};
  for (int k = 0; k < 6; k++) REFUSED(neargrid_search_set_cutoff(search, bad[k]), BAD_CUTOFF, words[k]);
  still_works(search);
  /* In range, but its square is not: known when the precision is. */
  const double beyond64[] = {1e-160, 1.2e-150, 1e154, 1e300}, within64[] = {1.3e-150, 6e153};
  for (int k = 0; k < 4; k++) {
    OK(neargrid_search_set_cutoff(search, beyond64[k]));
    REFUSED(neargrid_pairs_count(search, &npairs), BAD_CUTOFF, "cutoff = |real64");
  }
  for (int k = 0; k < 2; k++) {
    OK(neargrid_search_set_cutoff(search, within64[k]));
    OK(neargrid_pairs_count(search, &npairs));
    CHECK(npairs == (k == 0 ? 0 : 45));
  }
  const float x[2] = {0, 1};
  const double beyond32[] = {1e-60, 8e-16, 1e19, 1e60}, within32[] = {9e-16, 9e18};
  OK(neargrid_search_set_points_f32(search, 1, 2, x, NULL, NULL, 4));
  npairs = GUARD;
  for (int k = 0; k < 4; k++) {
    OK(neargrid_search_set_cutoff(search, beyond32[k]));
    REFUSED(neargrid_pairs_count(search, &npairs), BAD_CUTOFF, "cutoff = |real32");
    CHECK(npairs == GUARD);
  }
  for (int k = 0; k < 2; k++) {
    OK(neargrid_search_set_cutoff(search, within32[k]));
    OK(neargrid_pairs_count(search, &npairs));
    CHECK(npairs == k);
  }
  neargrid_search_destroy(search);
}

static void values(void) {
  neargrid_search *search = line();
  const int32_t bad[] = {-1, 2, INT32_MIN, INT32_MAX};
  int64_t count = GUARD, n = GUARD, offsets[11] = {GUARD};
  double seconds = GUARD;
  const int64_t *view = &count;
  const int32_t *ids = NULL;
  for (int k = 0; k < 4; k++) {
    char words[60];
    const char *names[] = {"rule", "base", "kind"};
    for (int name = 0; name < 3; name++) {
      snprintf(words, sizeof words, "%s = %d |0|1", names[name], bad[k]);
      if (name == 0) REFUSED(neargrid_search_set_tie_rule(search, bad[k]), BAD_VALUE, words);
      if (name == 1) REFUSED(neargrid_search_set_index_base(search, bad[k]), BAD_VALUE, words);
      if (name == 2 && bad[k] != NEARGRID_NEIGHBORS_QUERIES) {
        REFUSED(neargrid_neighbors_count(search, bad[k], &count), BAD_VALUE, words);
        REFUSED(neargrid_neighbors_copy(search, bad[k], 10, 0, &count, offsets, NULL), BAD_VALUE, words);
        REFUSED(neargrid_neighbors_view(search, bad[k], &n, &count, &view, &ids), BAD_VALUE, words);
      }
    }
  }
  REFUSED(neargrid_search_set_threads(search, -1), BAD_VALUE, "threads = -1|1024");
  REFUSED(neargrid_search_set_threads(search, 1025), BAD_VALUE, "threads = 1025|1024");
  REFUSED(neargrid_search_set_backend(search, 3), BAD_VALUE, "backend = 3|cpu|gpu|auto");
  REFUSED(neargrid_search_set_backend(search, -1), BAD_VALUE, "backend = -1");
  REFUSED(neargrid_search_set_device(search, NEARGRID_DEVICE_INDEX, -2), BAD_VALUE, "number = -2|0 or greater");
  REFUSED(neargrid_search_set_device(search, 3, 0), BAD_VALUE, "choice = 3|0 (the best)|2 (in turn)");
  REFUSED(neargrid_search_set_device(search, NEARGRID_DEVICE_TURN, -1), BAD_VALUE, "number = -1");
  REFUSED(neargrid_search_counter(search, 17, &count), BAD_VALUE, "counter = 17");
  REFUSED(neargrid_search_counter(search, -1, &count), BAD_VALUE, "counter = -1");
  REFUSED(neargrid_search_timing(search, 6, &seconds), BAD_VALUE, "phase = 6");
  REFUSED(neargrid_search_timing(search, -1, &seconds), BAD_VALUE, "phase = -1");
  REFUSED(neargrid_pairs_copy(search, -1, &count, NULL, NULL), BAD_COUNT, "capacity = -1");
  REFUSED(neargrid_pairs_copy(search, INT64_MIN, &count, NULL, NULL), BAD_COUNT, "capacity = -9223372036854775808");
  REFUSED(neargrid_neighbors_copy(search, 0, 10, -3, &count, offsets, NULL), BAD_COUNT, "capacity = -3");
  REFUSED(neargrid_search_set_memory_limit(search, -1), BAD_COUNT, "bytes = -1");
  CHECK(count == GUARD && n == GUARD && offsets[0] == GUARD && seconds == GUARD && view == &count && ids == NULL);
  still_works(search);
  neargrid_search_destroy(search);
}

/* Periodic boxes that a precision cannot hold, and coordinates that cannot be wrapped into those that it can. */
static void far_boxes(neargrid_search *search) {
  const int32_t periodic[2] = {0, 1}, open[2] = {0, 0};
  double lo[2] = {0, 1e17}, length[2] = {1, 1};
  REFUSED(neargrid_search_set_box(search, 2, lo, length, periodic), BAD_DOMAIN,
          "length = 1 |lo + length is above lo in real64, with lo = 1e17 along y");
  OK(neargrid_search_set_box(search, 2, lo, length, open)); /* says nothing */
  lo[1] = 1e308, length[1] = 1.7e308;
  REFUSED(neargrid_search_set_box(search, 2, lo, length, periodic), BAD_DOMAIN, "length = 1.7e308 |lo + length is finite|along y");
  lo[1] = 0, length[1] = 1e-310;
  REFUSED(neargrid_search_set_box(search, 2, lo, length, periodic), BAD_DOMAIN, "length = 1e-310 |at least |along y");
  const double x[4] = {0, 0, 0.5, 1.25}, far[2] = {0.5, -1.7e308};
  const float x32[4] = {0, 0, 0.5f, 1.25f}, far32[2] = {0.5f, -3e38f};
  const double los[] = {1e9, -1e39, 0, 3e38, 0}, lengths[] = {1, 1e38, 1e39, 1e38, 1e-38};
  const char *words[] = {"length = 1 |above lo in real32, with lo = 1e9 along y", "lo = -1e39 |finite in real32 along y",
                         "length = 1e39 |in real32", "length = 1e38 |lo + length is finite in real32", "length = 1e-38 |in real32"};
  for (int k = 0; k < 5; k++) {
    lo[1] = los[k], length[1] = lengths[k];
    OK(neargrid_search_set_box(search, 2, lo, length, periodic));
    REFUSED(neargrid_search_set_points_f32(search, 2, 2, x32, x32 + 1, NULL, 8), BAD_DOMAIN, words[k]);
    OK(neargrid_search_set_points_f64(search, 2, 2, x, x + 1, NULL, 16));
  }
  OK(neargrid_search_set_index_base(search, 1));
  lo[1] = 8e307, length[1] = 1e307;
  OK(neargrid_search_set_box(search, 2, lo, length, periodic));
  OK(neargrid_search_set_points_f64(search, 2, 2, x, x + 1, NULL, 16));
  REFUSED(neargrid_search_set_points_f64(search, 2, 1, far, far + 1, NULL, 16), NON_FINITE,
          "y = -1.7e308 |finite distance from lo = 8e307|point 1");
  REFUSED(neargrid_search_add_points_f64(search, 2, 1, far, far + 1, NULL, 16), NON_FINITE, "y = -1.7e308 ");
  REFUSED(neargrid_search_set_queries_f64(search, 2, 1, far, far + 1, NULL, 16), NON_FINITE, "y = -1.7e308 ");
  CHECK(counter(search, NEARGRID_COUNTER_POINTS) == 2);
  lo[1] = 2e38, length[1] = 1e37;
  OK(neargrid_search_set_box(search, 2, lo, length, periodic));
  REFUSED(neargrid_search_set_points_f32(search, 2, 1, far32, far32 + 1, NULL, 8), NON_FINITE, "y = -3");
}

static void domains(void) {
  neargrid_search *search = line();
  double lo[3] = {0, 0, 0}, length[3] = {10, 10, 10};
  int32_t open[3] = {0, 0, 0}, periodic[3] = {0, 1, 0};
  REFUSED(neargrid_search_set_box(search, 0, lo, length, open), BAD_DIM, "dim = 0");
  REFUSED(neargrid_search_set_box(search, 4, lo, length, open), BAD_DIM, "dim = 4");
  REFUSED(neargrid_search_set_box(search, 3, NULL, length, open), NULL_POINTER, "lo is NULL");
  REFUSED(neargrid_search_set_box(search, 3, lo, NULL, open), NULL_POINTER, "length is NULL");
  REFUSED(neargrid_search_set_box(search, 3, lo, length, NULL), NULL_POINTER, "periodic is NULL");
  OK(neargrid_search_set_box(search, 3, lo, length, periodic)); /* wrapped otherwise: the handle forgets its points */
  CHECK(counter(search, NEARGRID_COUNTER_POINTS) == 0 && counter(search, NEARGRID_COUNTER_DIM) == 0);
  OK(neargrid_search_set_box(search, 1, lo, length, periodic)); /* only the first axis is looked at */
  const double bad[] = {0.0, -1.0, NAN, INFINITY};
  const char *words[] = {"length = 0", "length = -1", "length = NaN", "length = inf"};
  for (int k = 0; k < 4; k++) {
    length[1] = bad[k];
    REFUSED(neargrid_search_set_box(search, 3, lo, length, periodic), BAD_DOMAIN, words[k]);
    OK(neargrid_search_set_box(search, 3, lo, length, open)); /* which says nothing of an open axis */
    length[1] = 10;
    for (int axis = 0; axis < 3; axis += 2) lo[axis] = -bad[k], length[axis] = bad[3 - k];
    OK(neargrid_search_set_box(search, 3, lo, length, periodic));
    for (int axis = 0; axis < 3; axis += 2) lo[axis] = 0, length[axis] = 10;
  }
  lo[1] = NAN;
  REFUSED(neargrid_search_set_box(search, 3, lo, length, periodic), BAD_DOMAIN, "lo = NaN|along y");
  OK(neargrid_search_set_box(search, 3, lo, length, open));
  lo[1] = 0;
  far_boxes(search);
  OK(neargrid_search_set_box(search, 3, lo, length, open));
  OK(neargrid_search_set_points_f64(search, 1, 10, LINE, NULL, NULL, 8));
  still_works(search);
  neargrid_search_destroy(search);
}

/* A query before what it needs, and a device that is not there. */
static void states(void) {
  neargrid_search *search = NULL;
  int64_t count = GUARD, n = GUARD, offsets[11] = {GUARD};
  const int32_t *i = NULL, *j = NULL;
  const int64_t *view = NULL;
  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  for (int round = 0; round < 3; round++) {
    const int status = round < 2 ? NEARGRID_STATUS_BAD_STATE : NEARGRID_STATUS_NO_DEVICE;
    const char *words = round == 0 ? "points|set_points" : round == 1 ? "cutoff|set_cutoff" : "gpu|not available";
    if (round == 1) OK(neargrid_search_set_points_f64(search, 1, 10, LINE, NULL, NULL, 8));
    if (round == 2) {
      OK(neargrid_search_set_cutoff(search, 1.5));
      OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_GPU));
    }
#define CANNOT(call) ended((call), status, words, #call, __FILE__, __LINE__)
    CANNOT(neargrid_pairs_count(search, &count));
    CANNOT(neargrid_pairs_copy(search, 0, &count, NULL, NULL));
    CANNOT(neargrid_pairs_view(search, &count, &i, &j));
    CANNOT(neargrid_neighbors_count(search, 0, &count));
    CANNOT(neargrid_neighbors_copy(search, 0, 10, 0, &count, offsets, NULL));
    CANNOT(neargrid_neighbors_view(search, 0, &n, &count, &view, &i));
#undef CANNOT
  }
  CHECK(count == GUARD && n == GUARD && offsets[0] == GUARD && !i && !j && !view);
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  still_works(search);
  neargrid_search_destroy(search);
}

/* The text of the last failure: cut to fit, kept by successes and by questions about it. */
static void texts(void) {
  char text[300], cut[300];
  size_t length = 0, full = 0;
  int64_t npairs;
  neargrid_search *search = line();
  REFUSED(neargrid_search_set_threads(search, -5), BAD_VALUE, "threads = -5");
  OK(neargrid_pairs_count(search, &npairs));
  OK(neargrid_last_error(text, sizeof text, &full));
  CHECK(full == strlen(text) && full > 20 && strstr(text, "threads = -5"));
  for (size_t capacity = 0; capacity <= full + 2; capacity++) {
    const size_t kept = capacity == 0 ? 0 : capacity - 1 < full ? capacity - 1 : full;
    memset(cut, '*', sizeof cut);
    length = 0;
    OK(neargrid_last_error(cut, capacity, &length));
    CHECK(length == full && memcmp(cut, text, kept) == 0);
    CHECK(capacity == 0 ? cut[0] == '*' : cut[kept] == 0 && cut[kept + 1] == '*');
  }
  length = 0;
  OK(neargrid_last_error(NULL, 0, &length));
  OK(neargrid_last_error(NULL, 0, NULL));
  OK(neargrid_last_error(cut, sizeof cut, NULL));
  CHECK(length == full && strcmp(cut, text) == 0);
  length = 99;
  memset(cut, '*', 3);
  CHECK(neargrid_last_error(NULL, 3, &length) == NEARGRID_STATUS_NULL_POINTER && length == 99);
  OK(neargrid_last_error(cut, sizeof cut, NULL));
  CHECK(strcmp(cut, text) == 0);
  neargrid_search_destroy(search);
}

int main(void) {
  char text[2] = "*";
  size_t length = 99;
  setenv("VK_DRIVER_FILES", "/nonexistent", 1); /* a machine without a GPU: forced, it is refused */
  OK(neargrid_last_error(text, sizeof text, &length)); /* nothing has failed yet */
  CHECK(length == 0 && text[0] == 0);
  creation();
  no_handle();
  null_outputs();
  overlaps();
  points();
  cutoffs();
  values();
  domains();
  states();
  texts();
  return finish("refusals", 500);
}
