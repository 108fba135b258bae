/* Groups of friends of friends by global ids, and exact sums in memory of the caller's. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <neargrid_sum.h>

enum { TYPES = 2 };

/* Labels and sizes by global ids. */
static void by_ids(void) {
  const float line[5] = {0, 1, 2.5F, 7, 3.4F};
  const int32_t types[5] = {0, 0, 1, 1, 0}, primary[TYPES] = {1, 0}, mask[TYPES * TYPES] = {1, 1, 1, 1};
  const int64_t ids[5] = {70, 60, 50, 40, 30}, groups_by_id[5] = {60, 60, 30, 40, 30};
  int64_t ngroups = GUARD, count, by_id[5], sizes_by_id[3];
  neargrid_search *search = new_search(1.5);
  OK(neargrid_search_set_points_f32(search, 1, 5, line, NULL, NULL, 4));
  OK(neargrid_search_set_types(search, 5, types, sizeof(int32_t), TYPES, mask));
  OK(neargrid_search_set_primary_types(search, TYPES, primary));
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
  neargrid_search_destroy(search);
}

/* Sums that catalogues round, in memory of the caller's: parts in any order, and what a plain sum loses. */
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
}

int main(void) {
  by_ids();
  sums();
  return finish("fof", 80);
}
