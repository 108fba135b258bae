/* Lists that values of contacts are not carried between. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

/* Rows 0: 1, 2 and 1: 2, in index base 0. */
static const int64_t OFFSETS[4] = {0, 2, 3, 3}, IDS[3] = {7, 8, 9};
static const int32_t ROWS[3] = {1, 2, 2};
static double values[8];

static neargrid_status call(neargrid_search *search, const int64_t *offsets, const int32_t *rows_ids, int64_t n,
                            int64_t columns, double *to) {
  static const double old_values[3] = {1, 2, 3};
  return neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, n, offsets, rows_ids, 0, NULL, columns, NULL, old_values,
                            to, NULL, NULL);
}

/* Texts name the argument; nothing is written. */
static void refusals(void) {
  neargrid_search *search = new_search(1);
  const int32_t turned[3] = {2, 1, 2}, sign = 3;
  const int64_t late[4] = {1, 2, 3, 3}, high[4] = {0, 2, 3, INT64_MAX};
  union {
    double real[3];
    int64_t whole[3];
  } shared = {{1, 2, 3}};
  int64_t lost[3] = {GUARD, GUARD, GUARD}, nlost = GUARD;
  for (int k = 0; k < 8; k++) values[k] = GUARD;
  REFUSED(call(NULL, OFFSETS, ROWS, 3, 1, values), NULL_POINTER, "search");
  REFUSED(call(search, OFFSETS, ROWS, -1, 1, values), BAD_COUNT, "n = -1");
  REFUSED(call(search, OFFSETS, ROWS, 3, -1, values), BAD_COUNT, "columns = -1");
  REFUSED(call(search, OFFSETS, ROWS, 3, INT64_MAX, values), BAD_COUNT, "columns = 9223372036854775807");
  REFUSED(call(search, NULL, ROWS, 3, 1, values), NULL_POINTER, "offsets is NULL");
  REFUSED(call(search, OFFSETS, NULL, 3, 1, values), NULL_POINTER, "ids is NULL");
  REFUSED(call(search, OFFSETS, ROWS, 3, 1, NULL), NULL_POINTER, "values is NULL");
  REFUSED(call(search, late, ROWS, 3, 1, values), BAD_VALUE, "element 0 of offsets is 1");
  REFUSED(call(search, high, ROWS, 3, 1, values), BAD_VALUE, "offsets = |9223372036854775807");
  REFUSED(call(search, OFFSETS, turned, 3, 1, values), BAD_VALUE, "element 1 of ids is 1|row 0");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, turned, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 0, NULL, NULL, NULL, &nlost, lost),
          BAD_VALUE, "element 1 of old_ids is 1|row 0");
  REFUSED(neargrid_carry_f64(search, 5, 3, OFFSETS, ROWS, 3, IDS, 0, 3, OFFSETS, ROWS, 3, IDS, 0, NULL, NULL, NULL, &nlost, lost),
          BAD_VALUE, "old_first_row = 5");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 3, IDS, 0, 3, OFFSETS, ROWS, 3, NULL, 0, NULL, NULL, NULL, &nlost, lost),
          BAD_VALUE, "global_ids = no array");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, -3, IDS, 0, 3, OFFSETS, ROWS, 3, IDS, 0, NULL, NULL, NULL, &nlost, lost),
          BAD_COUNT, "old_npoints = -3");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 1, &sign, shared.real, values, NULL, NULL),
          BAD_VALUE, "element 0 of signs is 3");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 1, NULL, NULL, values, NULL, NULL),
          NULL_POINTER, "old_values is NULL");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 1, NULL, shared.real, shared.real, NULL, NULL),
          BAD_VALUE, "values = an array that overlaps old_values");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 1, NULL, shared.real, values, NULL, shared.whole),
          BAD_VALUE, "lost = an array that overlaps old_values");
  REFUSED(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 1, NULL, shared.real, values, lost + 1, lost),
          BAD_VALUE, "lost = an array that overlaps nlost");
  CHECK(nlost == GUARD && lost[0] == GUARD && lost[1] == GUARD && lost[2] == GUARD);
  for (int k = 0; k < 8; k++) CHECK(values[k] == GUARD);
  CHECK(shared.real[0] == 1 && shared.real[2] == 3);

  /* Lists without rows have no arrays; all that was is lost, and all that is new is 0. */
  OK(neargrid_carry_f64(search, 0, 3, OFFSETS, ROWS, 0, NULL, 0, 0, NULL, NULL, 0, NULL, 1, NULL, shared.real, NULL, &nlost, lost));
  CHECK(nlost == 3 && lost[0] == 0 && lost[1] == 1 && lost[2] == 2);
  OK(neargrid_carry_f64(search, 0, 0, NULL, NULL, 0, NULL, 0, 3, OFFSETS, ROWS, 0, NULL, 1, NULL, NULL, values, &nlost, NULL));
  CHECK(nlost == 0 && values[0] == 0 && values[2] == 0 && values[3] == GUARD);
  OK(call(search, OFFSETS, ROWS, 3, 1, values));
  CHECK(values[0] == 1 && values[2] == 3 && values[3] == GUARD);
  neargrid_search_destroy(search);
}

int main(void) {
  refusals();
  return finish("carry", 40);
}
