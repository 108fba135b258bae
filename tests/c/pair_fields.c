/* Pair fields: values that are refused. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

static void refusals(neargrid_search *search, neargrid_formula *formula) {
  int32_t components;
  int64_t n, entries, offsets[3] = {0, 1, 2}, falls[3] = {0, 2, 1};
  int32_t ids[2] = {1, 0}, far[2] = {1, -1};
  float values[2] = {1, 2};
  OK(neargrid_search_set_index_base(search, 0));
  OK(neargrid_search_set_pair_field_f32(search, "a", 1, 2, offsets, ids, values));
  REFUSED(neargrid_search_set_pair_field_f32(search, "a", 4, 2, offsets, ids, values), BAD_DIM, "components = 4");
  REFUSED(neargrid_search_set_pair_field_f32(search, "a", 1, -1, offsets, ids, values), BAD_COUNT, "n = -1");
  REFUSED(neargrid_search_set_pair_field_f32(search, "a", 1, 2, falls, ids, values), BAD_VALUE, "element 2 of offsets is 1");
  REFUSED(neargrid_search_set_pair_field_f32(search, "a", 1, 2, offsets, far, values), BAD_VALUE, "element 1 of ids is -1");
  REFUSED(neargrid_search_set_pair_field_f32(search, "a", 1, 2, NULL, ids, values), NULL_POINTER, "offsets is NULL");
  REFUSED(neargrid_search_set_pair_field_f32(search, "a", 1, 2, offsets, NULL, values), NULL_POINTER, "ids is NULL");
  REFUSED(neargrid_search_set_pair_field_f32(search, "a", 1, 2, offsets, ids, NULL), NULL_POINTER, "values is NULL");
  REFUSED(neargrid_search_set_pair_field_f32(search, NULL, 1, 2, offsets, ids, values), NULL_POINTER, "name is NULL");
  REFUSED(neargrid_pair_field_size(search, "b", &components, &n, &entries), BAD_STATE, "no field 'b' of pairs");
  OK(neargrid_pair_field_size(search, "a", &components, &n, &entries));
  CHECK(components == 1 && n == 2 && entries == 2);
  int64_t to[3] = {GUARD, GUARD, GUARD};
  int32_t to_ids[2];
  float out[2];
  REFUSED(neargrid_pair_field_copy_f32(search, "a", 3, 2, 2, to, to_ids, out), BAD_DIM, "components = 3|1, as many");
  REFUSED(neargrid_pair_field_copy_f32(search, "a", 1, 3, 2, to, to_ids, out), BAD_COUNT, "n = 3|2, as many");
  REFUSED(neargrid_pair_field_copy_f32(search, "a", 1, 2, 1, to, to_ids, out), BAD_COUNT, "entries = 1");
  REFUSED(neargrid_pair_field_copy_f32(search, "a", 1, 2, 2, to, (int32_t *)to, out), BAD_VALUE, "overlaps");
  REFUSED(neargrid_pair_field_copy_f32(search, "a", 1, 2, 2, NULL, to_ids, out), NULL_POINTER, "offsets is NULL");
  CHECK(to[0] == GUARD && to[2] == GUARD);
  OK(neargrid_pair_field_copy_f32(search, "a", 1, 2, 2, to, to_ids, out));
  CHECK(to[2] == 2 && to_ids[0] == 1 && out[1] == 2);
  OK(neargrid_search_set_pair_field_f64(search, "a", 2, 0, NULL, NULL, NULL));
  OK(neargrid_pair_field_copy_f64(search, "a", 2, 0, 0, to, NULL, NULL));
  CHECK(to[0] == 0);
  int64_t names[2] = {7, 9}, to_names[2];
  OK(neargrid_search_set_ids(search, 0, NULL, 0));
  OK(neargrid_search_set_pair_field_by_ids_f32(search, "a", 1, 2, offsets, names, values));
  REFUSED(neargrid_search_set_pair_field_by_ids_f32(search, "a", 4, 2, offsets, names, values), BAD_DIM, "components = 4");
  REFUSED(neargrid_search_set_pair_field_by_ids_f32(search, "a", 1, 1, offsets + 1, names, values), BAD_VALUE, "element 0 of offsets");
  REFUSED(neargrid_search_set_pair_field_by_ids_f32(search, "a", 1, 2, offsets, NULL, values), NULL_POINTER, "ids is NULL");
  names[0] = -1;
  REFUSED(neargrid_search_set_pair_field_by_ids_f64(search, "a", 2, 2, offsets, names, NULL), NULL_POINTER, "values is NULL");
  REFUSED(neargrid_search_set_pair_field_by_ids_f32(search, "a", 1, 2, offsets, names, values), BAD_VALUE, "element 0 of ids is -1");
  REFUSED(neargrid_pair_field_copy_ids_f32(search, "a", 1, 2, 2, to, to, out), BAD_VALUE, "overlaps");
  OK(neargrid_pair_field_copy_ids_f32(search, "a", 1, 2, 2, to, to_names, out));
  CHECK(to[2] == 2 && to_names[0] == 7 && to_names[1] == 9 && out[1] == 2);
  REFUSED(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_HALF, 1), NOT_SUPPORTED, "pair fields are of full rows");
}

int main(void) {
  const double line[3] = {0, 1, 2};
  neargrid_formula *formula;
  neargrid_search *search = new_search(1.0);
  OK(neargrid_formula_create("age_ij = age_ij + 1", &formula));
  OK(neargrid_search_set_points_f64(search, 1, 3, line, NULL, NULL, sizeof(double)));
  refusals(search, formula);
  neargrid_formula_destroy(formula);
  neargrid_search_destroy(search);
  return finish("pair_fields", 40);
}
