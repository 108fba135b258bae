/* Groups of friends of friends and their catalogue: labels against a plain union over all pairs, sums against plain ones,
 * views, and what is refused, with outputs untouched. All clouds are searched by tests/suite/fof.rs and tests/suite/groups.rs. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include <neargrid_sum.h>

enum { N = 600, TYPES = 2 };

static double unit(void) { return rand() / (RAND_MAX + 1.0); }

static int root(const int *parent, int i) {
  while (parent[i] != i) i = parent[i];
  return i;
}

/* Whether two points of a box of edge 1 are within the cutoff. */
static int near(const double *a, const double *b, double cutoff) {
  double d2 = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double d = a[axis] - b[axis];
    const volatile double image = d > 0.5 ? d - 1 : d < -0.5 ? d + 1 : d;
    const volatile double square = image * image;
    d2 += square;
  }
  return d2 <= cutoff * cutoff;
}

static int64_t plain_labels(const double (*pos)[3], double cutoff, int32_t *labels) {
  static int parent[N];
  int64_t count = N;
  for (int i = 0; i < N; i++) parent[i] = i;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++)
      if (near(pos[i], pos[j], cutoff)) {
        const int a = root(parent, i), b = root(parent, j);
        count -= a != b;
        parent[a > b ? a : b] = a > b ? b : a;
      }
  for (int i = 0; i < N; i++) labels[i] = root(parent, i);
  return count;
}

static neargrid_search *cloud(double (*pos)[3], double cutoff, int32_t base) {
  const double lo[3] = {0, 0, 0}, length[3] = {1, 1, 1};
  const int32_t periodic[3] = {1, 1, 1};
  for (int i = 0; i < N; i++)
    for (int axis = 0; axis < 3; axis++) pos[i][axis] = i % 3 ? unit() : fmod(1 + 0.1 * unit() - 0.05, 1);
  neargrid_search *search = new_search(cutoff);
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  OK(neargrid_search_set_index_base(search, base));
  OK(neargrid_search_set_box(search, 3, lo, length, periodic));
  OK(neargrid_search_set_points_f64(search, 3, N, &pos[0][0], &pos[0][1], &pos[0][2], sizeof pos[0]));
  return search;
}

static void labels(void) {
  static double pos[N][3];
  static int32_t truth[N], found[N];
  static int64_t by_id[N];
  for (int round = 0; round < 4; round++) {
    const double cutoff = 0.02 + 0.03 * round;
    const int32_t base = round % 2, *view;
    int64_t n = GUARD, ngroups = GUARD, again = GUARD;
    neargrid_search *search = cloud(pos, cutoff, base);
    const int64_t count = plain_labels((const double(*)[3])pos, cutoff, truth);
    OK(neargrid_fof_copy(search, N, found, &ngroups));
    OK(neargrid_fof_view(search, &n, &view, &again));
    CHECK(n == N && ngroups == count && again == count);
    OK(neargrid_fof_copy_ids(search, N, by_id, &ngroups));
    CHECK(ngroups == count);
    for (int i = 0; i < N; i++) CHECK(by_id[i] == found[i]);
    for (int i = 0; i < N; i++) CHECK(found[i] == truth[i] + base && view[i] == found[i]);
    neargrid_search_destroy(search);
  }
}

/* Members and sums, plainly summed: near, not equal. */
static void catalogue(void) {
  static double pos[N][3], masses[N], velocities[N][3];
  const int32_t *labels, *group_labels, *order, *wide;
  const int64_t *sizes, *offsets;
  const double *mass, *centers, *means, *radii;
  int64_t n, ngroups, count = GUARD, seen = GUARD;
  int32_t dim = GUARD;
  neargrid_search *search = cloud(pos, 0.05, 1);
  for (int i = 0; i < N; i++) {
    masses[i] = 0.5 + unit();
    for (int axis = 0; axis < 3; axis++) velocities[i][axis] = unit() - 0.5;
  }
  OK(neargrid_groups_find_f64(search, 3, N, masses, sizeof(double), &velocities[0][0], &velocities[0][1], &velocities[0][2], 
                              sizeof velocities[0], &ngroups));
  OK(neargrid_fof_view(search, &n, &labels, &count));
  OK(neargrid_groups_view_members(search, &seen, &group_labels, &sizes, &offsets, &order));
  CHECK(seen == ngroups && ngroups > 3 && offsets[0] == 1 && sizes[0] > 100);
  OK(neargrid_groups_view_sums(search, &seen, &dim, &mass, &centers, &means, &radii, &wide));
  CHECK(seen == ngroups && dim == 3);
  for (int64_t g = 0; g < ngroups; g++) {
    double sum = 0, momentum = 0;
    CHECK(sizes[g] == offsets[g + 1] - offsets[g] && sizes[g] >= 3 && wide[g] == 0);
    CHECK(g == 0 || sizes[g] < sizes[g - 1] || (sizes[g] == sizes[g - 1] && group_labels[g] > group_labels[g - 1]));
    for (int64_t k = offsets[g]; k < offsets[g + 1]; k++) {
      const int32_t i = order[k - 1];
      CHECK(labels[i - 1] == group_labels[g] && (k == offsets[g] ? i == group_labels[g] : i > order[k - 2]));
      sum += masses[i - 1];
      momentum += masses[i - 1] * velocities[i - 1][2];
    }
    CHECK(fabs(mass[g] - sum) < 1e-12 * sum && fabs(means[3 * g + 2] - momentum / sum) < 1e-12);
    CHECK(radii[g] > 0 && radii[g] < 0.2);
    for (int axis = 0; axis < 3; axis++) CHECK(centers[3 * g + axis] >= 0 && centers[3 * g + axis] < 1);
  }
  /* the heap lies in the corners of the box: so does its center */
  for (int axis = 0; axis < 3; axis++) CHECK(centers[axis] < 0.02 || centers[axis] > 0.98);
  OK(neargrid_groups_find_f64(search, 3, N, NULL, 0, NULL, NULL, NULL, 0, &count));
  OK(neargrid_groups_view_sums(search, &seen, &dim, &mass, &centers, &means, &radii, &wide));
  CHECK(count == ngroups && means == NULL && mass[0] == (double)sizes[0]);
  neargrid_search_destroy(search);
}

/* Real32, points that attach, none and one. */
static void few(void) {
  const float line[5] = {0, 1, 2.5F, 7, 3.4F}, masses[5] = {1, 2, 4, 8, 8};
  const double *mass, *centers, *means, *radii;
  const int32_t types[5] = {0, 0, 1, 1, 0}, primary[TYPES] = {1, 0}, mask[TYPES * TYPES] = {1, 1, 1, 1};
  const int32_t linked[5] = {0, 0, 2, 3, 2}, *order, *wide;
  int32_t dim = GUARD;
  int32_t found[5];
  int64_t ngroups = GUARD, count;
  const int32_t *group_labels;
  const int64_t *sizes, *offsets;
  neargrid_search *search = new_search(1.5);
  OK(neargrid_search_set_points_f32(search, 1, 5, line, NULL, NULL, 4));
  OK(neargrid_search_set_types(search, 5, types, sizeof(int32_t), TYPES, mask));
  OK(neargrid_fof_copy(search, 5, found, &ngroups));
  CHECK(ngroups == 2 && found[2] == 0 && found[4] == 0);
  OK(neargrid_search_set_primary_types(search, TYPES, primary));
  OK(neargrid_fof_copy(search, 5, found, &ngroups));
  CHECK(ngroups == 3);
  const int64_t ids[5] = {70, 60, 50, 40, 30}, groups_by_id[5] = {60, 60, 30, 40, 30};
  int64_t by_id[5], sizes_by_id[3];
  OK(neargrid_search_set_ids(search, 5, ids, sizeof ids[0]));
  OK(neargrid_fof_copy_ids(search, 5, by_id, &ngroups));
  for (int i = 0; i < 5; i++) CHECK(by_id[i] == groups_by_id[i]);
  OK(neargrid_groups_find_f64(search, 1, 5, NULL, 0, NULL, NULL, NULL, 0, &ngroups));
  by_id[0] = GUARD;
  REFUSED(neargrid_groups_copy_ids(search, 2, &count, by_id, sizes_by_id), CAPACITY, "capacity = 2");
  CHECK(count == 3 && by_id[0] == GUARD);
  REFUSED(neargrid_groups_copy_ids(search, 3, &count, by_id, by_id), BAD_VALUE, "overlaps");
  OK(neargrid_groups_copy_ids(search, 3, &count, by_id, sizes_by_id));
  CHECK(by_id[0] == 30 && by_id[1] == 60 && by_id[2] == 40 && sizes_by_id[1] == 2 && sizes_by_id[2] == 1);
  OK(neargrid_search_set_ids(search, 0, NULL, 0));
  OK(neargrid_fof_copy(search, 5, found, &ngroups));
  for (int i = 0; i < 5; i++) CHECK(found[i] == linked[i]);
  OK(neargrid_groups_find_f32(search, 2, 5, masses, sizeof(float), NULL, NULL, NULL, 4, &ngroups));
  OK(neargrid_groups_view_sums(search, &count, &dim, &mass, &centers, &means, &radii, &wide));
  CHECK(ngroups == 2 && count == 2 && dim == 1 && mass[0] == 3 && mass[1] == 12 && means == NULL && wide[0] == 0);
  CHECK(fabs(centers[0] - 2 / 3.0) < 1e-15 && fabs(radii[0] - sqrt(2) / 3) < 1e-15);
  OK(neargrid_search_set_primary_types(search, 0, NULL));
  OK(neargrid_groups_find_f64(search, 1, 5, NULL, 0, NULL, NULL, NULL, 0, &ngroups));
  OK(neargrid_groups_view_members(search, &count, &group_labels, &sizes, &offsets, &order));
  CHECK(count == 2 && sizes[0] == 4 && sizes[1] == 1 && group_labels[1] == 3 && order[4] == 3);
  OK(neargrid_search_set_types(search, 0, NULL, sizeof(int32_t), 0, NULL));
  OK(neargrid_search_set_points_f32(search, 1, 0, NULL, NULL, NULL, 4));
  OK(neargrid_fof_copy(search, 0, NULL, &ngroups));
  CHECK(ngroups == 0);
  OK(neargrid_search_set_points_f32(search, 1, 1, line, NULL, NULL, 4));
  OK(neargrid_fof_copy(search, 1, found, &ngroups));
  CHECK(ngroups == 1 && found[0] == 0);
  neargrid_search_destroy(search);
}

static void refused(void) {
  const double line[3] = {0, 1, 3}, masses[3] = {1, -2, 1}, bad[3] = {0, 0, INFINITY};
  const float single[3] = {1, 1, 1};
  const int32_t flags[2] = {1, 2}, types[4] = {0, 0, 0, 1}, *at = flags;
  const int64_t *at_counts = NULL;
  int32_t found[3] = {GUARD, GUARD, GUARD};
  int64_t n = GUARD, ngroups = GUARD;
  REFUSED(neargrid_fof_copy(NULL, 3, found, &ngroups), NULL_POINTER, "search is NULL");
  REFUSED(neargrid_groups_find_f64(NULL, 1, 3, NULL, 0, NULL, NULL, NULL, 0, &ngroups), NULL_POINTER, "search is NULL");
  neargrid_search *search = NULL;
  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  REFUSED(neargrid_fof_copy(search, 3, found, &ngroups), BAD_STATE, "points|set_points");
  OK(neargrid_search_set_points_f64(search, 1, 3, line, NULL, NULL, 8));
  REFUSED(neargrid_fof_copy(search, 3, found, &ngroups), BAD_STATE, "cutoff|set_cutoff");
  OK(neargrid_search_set_cutoff(search, 1));
  REFUSED(neargrid_fof_copy(search, 4, found, &ngroups), BAD_COUNT, "n = 4|3, the number of points");
  REFUSED(neargrid_fof_copy(search, 3, NULL, &ngroups), NULL_POINTER, "labels is NULL");
  REFUSED(neargrid_fof_copy_ids(search, 3, NULL, &ngroups), NULL_POINTER, "labels is NULL");
  REFUSED(neargrid_fof_copy(search, 3, found, NULL), NULL_POINTER, "ngroups is NULL");
  REFUSED(neargrid_fof_view(search, &n, NULL, &ngroups), NULL_POINTER, "labels is NULL");
  REFUSED(neargrid_groups_find_f64(search, 0, 3, NULL, 0, NULL, NULL, NULL, 0, &ngroups), BAD_COUNT, "min_size = 0|at least 1");
  REFUSED(neargrid_groups_find_f64(search, 1, 2, NULL, sizeof(double), NULL, NULL, NULL, 8, &ngroups), BAD_COUNT, "n = 2|3");
  REFUSED(neargrid_groups_find_f64(search, 1, 3, masses, sizeof(double), NULL, NULL, NULL, 8, &ngroups), BAD_VALUE, "mass = -2|point 1");
  REFUSED(neargrid_groups_find_f64(search, 1, 3, NULL, sizeof(double), bad, NULL, NULL, 8, &ngroups), NON_FINITE, "vx = inf|point 2");
  REFUSED(neargrid_groups_find_f64(search, 1, 3, masses, 4, NULL, NULL, NULL, 8, &ngroups), BAD_VALUE, "mass_stride = 4 |bytes");
  REFUSED(neargrid_groups_find_f32(search, 1, 3, single, sizeof(float), NULL, NULL, NULL, 4, &ngroups), BAD_VALUE, "real32|real64");
  REFUSED(neargrid_groups_view_members(search, &n, &at, &at_counts, &at_counts, &at), BAD_STATE, "groups|groups_find");
  REFUSED(neargrid_search_set_primary_types(search, 33, flags), BAD_COUNT, "ntypes = 33|0 to 32");
  REFUSED(neargrid_search_set_primary_types(search, -1, flags), BAD_COUNT, "ntypes = -1");
  REFUSED(neargrid_search_set_primary_types(search, 2, flags), BAD_VALUE, "primary = 2|1 (links)");
  REFUSED(neargrid_search_set_primary_types(search, 2, NULL), NULL_POINTER, "primary is NULL");
  OK(neargrid_search_set_types(search, 3, types, sizeof(int32_t), 1, types + 3));
  OK(neargrid_search_set_primary_types(search, 1, types + 3));
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_GPU));
  REFUSED(neargrid_fof_copy(search, 3, found, &ngroups), NOT_SUPPORTED, "backend gpu for groups with primary types");
  CHECK(n == GUARD && ngroups == GUARD && untouched(found, 0, 3) && at == flags && at_counts == NULL);
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  OK(neargrid_groups_find_f64(search, 1, 3, NULL, 0, NULL, NULL, NULL, 0, &ngroups));
  CHECK(ngroups == 2);
  OK(neargrid_groups_view_members(search, &n, &at, &at_counts, &at_counts, &at));
  OK(neargrid_search_set_cutoff(search, 2));
  REFUSED(neargrid_groups_view_members(search, &n, &at, &at_counts, &at_counts, &at), BAD_STATE, "groups|groups_find");
  neargrid_search_destroy(search);
}

/* Sums that catalogues round, in memory of the caller's: parts in any order, what a plain sum loses, refusals. */
static void sums(void) {
  enum { TERMS = 200 };
  double terms[TERMS], one = 1, value = GUARD;
  int64_t whole[NEARGRID_SUM_WORDS] = {0}, parts[2][NEARGRID_SUM_WORDS] = {{0}};
  uint64_t seed = 5;
  for (int k = 0; k < TERMS; k++) terms[k] = (uniform(&seed) - 0.5) * (k % 3 ? 1e-20 : 1e30);
  OK(neargrid_sum_add(whole, TERMS, terms));
  for (int k = TERMS; k-- > 0;) OK(neargrid_sum_add_products(parts[k % 2], 1, &terms[k], &one));
  OK(neargrid_sum_merge(parts[0], parts[1]));
  OK(neargrid_sum_round(whole, &value));
  double other = GUARD;
  OK(neargrid_sum_round(parts[0], &other));
  CHECK(memcmp(&value, &other, sizeof value) == 0);
  const double lost[3] = {1e300, 0.25, -1e300};
  memset(whole, 0, sizeof whole);
  OK(neargrid_sum_add(whole, 3, lost));
  OK(neargrid_sum_round(whole, &value));
  CHECK(value == 0.25);
  const double infinite = INFINITY;
  REFUSED(neargrid_sum_add(whole, 1, &infinite), NON_FINITE, "inf |finite");
  REFUSED(neargrid_sum_add(whole, -1, lost), BAD_COUNT, "n = -1");
  REFUSED(neargrid_sum_add(whole, 1, NULL), NULL_POINTER, "values is NULL");
  REFUSED(neargrid_sum_round(whole, NULL), NULL_POINTER, "value is NULL");
  whole[0] = INT64_MAX;
  REFUSED(neargrid_sum_merge(parts[0], whole), BAD_VALUE, "other = an invalid sum |all 0");
}

int main(void) {
  labels();
  catalogue();
  few();
  refused();
  sums();
  return finish("fof", 2900);
}
