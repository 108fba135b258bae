/* Pair fields: springs of contacts that are made and lost, bit for bit those of a plain loop over a table of all pairs; a restart
 * from what was read; values that are refused. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

enum { N = 60, STEPS = 60 };

static const char *const TEXT = "spring_ij = spring_ij + dt*(v_i - v_j)\n"
                                "age_ij = age_ij + 1\n"
                                "f += -d - 2*spring_ij\n"
                                "v_i = v_i + dt*f_i\n"
                                "x_i = x_i + dt*v_i\n";

static const double CUTOFF = 0.2, DT = 0.0625;

static double x[N][3], v[N][3], springs[N][N][3];
static int ages[N][N];
static int made, lost;

static void start(void) {
  unsigned state = 7;
  for (int i = 0; i < N; i++)
    for (int axis = 0; axis < 3; axis++) {
      state = state * 1664525u + 1013904223u;
      x[i][axis] = (state >> 8) / 16777216.0;
      state = state * 1664525u + 1013904223u;
      v[i][axis] = 0.5 * ((state >> 8) / 16777216.0) - 0.25;
    }
}

static void step(void) {
  static double f[N][3];
  for (int i = 0; i < N; i++) {
    f[i][0] = f[i][1] = f[i][2] = 0;
    for (int j = 0; j < N; j++) {
      double d[3];
      for (int axis = 0; axis < 3; axis++) d[axis] = x[i][axis] - x[j][axis];
      const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      const int touch = i != j && r2 <= CUTOFF * CUTOFF;
      made += touch && ages[i][j] == 0;
      lost += !touch && ages[i][j] > 0;
      ages[i][j] = touch ? ages[i][j] + 1 : 0;
      for (int axis = 0; axis < 3; axis++) {
        double *spring = &springs[i][j][axis];
        *spring = touch ? *spring + DT * (v[i][axis] - v[j][axis]) : 0;
        if (touch) f[i][axis] = f[i][axis] + (-d[axis] - 2 * *spring);
      }
    }
  }
  for (int i = 0; i < N; i++)
    for (int axis = 0; axis < 3; axis++) {
      v[i][axis] = v[i][axis] + DT * f[i][axis];
      x[i][axis] = x[i][axis] + DT * v[i][axis];
    }
}

/* Values of a pair field, in memory of their own. */
typedef struct {
  int32_t components;
  int64_t n, entries;
  int64_t offsets[N + 1];
  fenced ids, values;
} pairs;

static void take(neargrid_search *search, const char *name, pairs *list) {
  OK(neargrid_pair_field_size(search, name, &list->components, &list->n, &list->entries));
  CHECK(list->n == N);
  list->ids = fence((size_t)list->entries * sizeof(int32_t));
  list->values = fence((size_t)(list->entries * list->components) * sizeof(double));
  OK(neargrid_pair_field_copy_f64(search, name, list->components, list->n, list->entries, list->offsets, list->ids.start,
                                  list->values.start));
}

static void drop(pairs *list) {
  unfence(list->ids);
  unfence(list->values);
}

/* Checks all entries of both pair fields against the table; returns how many there are. */
static int64_t compare(neargrid_search *search, int base) {
  pairs spring, age;
  int64_t wrong = 0, entries = 0;
  take(search, "spring", &spring);
  take(search, "age", &age);
  CHECK(spring.components == 3 && age.components == 1 && spring.offsets[0] == base);
  const int32_t *ids = spring.ids.start;
  const double *of_spring = spring.values.start, *of_age = age.values.start;
  CHECK(memcmp(ids, age.ids.start, (size_t)age.entries * sizeof *ids) == 0);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      if (ages[i][j] == 0) continue;
      const int64_t k = entries++;
      wrong += k < spring.offsets[i] - base || k >= spring.offsets[i + 1] - base || ids[k] - base != j;
      wrong += of_age[k] != ages[i][j] || memcmp(of_spring + 3 * k, springs[i][j], sizeof springs[i][j]) != 0;
    }
  CHECK(entries == spring.entries && entries == age.entries);
  CHECK(wrong == 0);
  drop(&spring);
  drop(&age);
  return entries;
}

static neargrid_search *search_of_points(void) {
  neargrid_search *search;
  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  OK(neargrid_search_set_cutoff(search, CUTOFF));
  OK(neargrid_search_set_points_f64(search, 3, N, &x[0][0], &x[0][1], &x[0][2], sizeof x[0]));
  OK(neargrid_search_set_field_f64(search, "v", NEARGRID_OF_POINTS, 3, N, &v[0][0], &v[0][1], &v[0][2], sizeof v[0]));
  return search;
}

/* Another search goes on with the springs of the first one. */
static void restart(neargrid_search *first, neargrid_formula *formula) {
  neargrid_search *search = search_of_points();
  OK(neargrid_search_set_index_base(search, 1));
  OK(neargrid_search_set_index_base(first, 1));
  const char *const names[] = {"spring", "age"};
  for (int k = 0; k < 2; k++) {
    pairs list;
    take(first, names[k], &list);
    OK(neargrid_search_set_pair_field_f64(search, names[k], list.components, list.n, list.offsets, list.ids.start,
                                          list.values.start));
    drop(&list);
  }
  OK(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_FULL, STEPS));
  for (int k = 0; k < STEPS; k++) step();
  CHECK(compare(search, 1) > N);
  neargrid_search_destroy(search);
}

/* A third search, whose points have other numbers, goes on from rows of global ids. */
static void renumbered(neargrid_search *first, neargrid_formula *formula) {
  static double back[2][N][3];
  int64_t ids[N], here[N], offsets[N + 1], turned[N + 1] = {0}, n, entries;
  int32_t components;
  for (int i = 0; i < N; i++) {
    ids[i] = 7 * i - 100;
    here[N - 1 - i] = ids[i];
    memcpy(back[0][N - 1 - i], x[i], sizeof x[i]);
    memcpy(back[1][N - 1 - i], v[i], sizeof v[i]);
  }
  neargrid_search *search = search_of_points();
  OK(neargrid_search_set_points_f64(search, 3, N, &back[0][0][0], &back[0][0][1], &back[0][0][2], sizeof back[0][0]));
  OK(neargrid_search_set_field_f64(search, "v", NEARGRID_OF_POINTS, 3, N, &back[1][0][0], &back[1][0][1], &back[1][0][2],
                                   sizeof back[1][0]));
  OK(neargrid_search_set_ids(search, N, here, sizeof *here));
  const char *const names[] = {"spring", "age"};
  for (int k = 0; k < 2; k++) {
    OK(neargrid_pair_field_size(first, names[k], &components, &n, &entries));
    fenced rows = fence((size_t)entries * sizeof(int64_t)), values = fence((size_t)(entries * components) * sizeof(double));
    int64_t *names_of = malloc((size_t)(entries + 1) * sizeof *names_of);
    double *numbers = malloc((size_t)(entries * components + 1) * sizeof *numbers);
    OK(neargrid_pair_field_copy_ids_f64(first, names[k], components, N, entries, offsets, rows.start, values.start));
    for (int i = 0; i < N; i++) {
      const int from = N - 1 - i;
      const size_t begin = (size_t)offsets[from], end = (size_t)offsets[from + 1], to = (size_t)turned[i], width = (size_t)components;
      memcpy(names_of + to, (int64_t *)rows.start + begin, (end - begin) * sizeof *names_of);
      memcpy(numbers + to * width, (double *)values.start + begin * width, (end - begin) * width * sizeof *numbers);
      turned[i + 1] = turned[i] + (int64_t)(end - begin);
    }
    OK(neargrid_search_set_pair_field_by_ids_f64(search, names[k], components, N, turned, names_of, numbers));
    free(names_of);
    free(numbers);
    unfence(rows);
    unfence(values);
  }
  int64_t wrong = 0, seen = 0;
  for (int k = 0; k < STEPS; k++) step();
  OK(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_FULL, STEPS));
  OK(neargrid_pair_field_size(search, "age", &components, &n, &entries));
  float *numbers = malloc((size_t)(entries + 1) * sizeof *numbers);
  int64_t *partners = malloc((size_t)(entries + 1) * sizeof *partners);
  OK(neargrid_pair_field_copy_ids_f32(search, "age", 1, N, entries, offsets, partners, numbers));
  for (int i = 0; i < N; i++)
    for (int64_t k = offsets[i]; k < offsets[i + 1]; k++, seen++)
      wrong += numbers[k] != (float)ages[N - 1 - i][(partners[k] + 100) / 7];
  CHECK(seen == entries && seen > N && wrong == 0);
  free(numbers);
  free(partners);
  neargrid_search_destroy(search);
}

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
  neargrid_formula *formula;
  OK(neargrid_formula_create(TEXT, &formula));
  OK(neargrid_formula_set_precision(formula, NEARGRID_PRECISION_DOUBLE));
  OK(neargrid_formula_set_constant(formula, "dt", DT));
  start();
  neargrid_search *search = search_of_points();
  for (int k = 0; k < STEPS; k++) {
    OK(neargrid_search_run(search, formula, NEARGRID_NEIGHBORS_FULL, 1));
    step();
    compare(search, 0);
  }
  CHECK(made > 4 * N && lost > 2 * N);
  restart(search, formula);
  neargrid_search *named = search_of_points();
  int64_t ids[N];
  for (int i = 0; i < N; i++) ids[i] = 7 * i - 100;
  OK(neargrid_search_set_ids(named, N, ids, sizeof *ids));
  memset(ages, 0, sizeof ages);
  memset(springs, 0, sizeof springs);
  OK(neargrid_search_run(named, formula, NEARGRID_NEIGHBORS_FULL, STEPS));
  for (int k = 0; k < STEPS; k++) step();
  renumbered(named, formula);
  neargrid_search_destroy(named);
  refusals(search, formula);
  neargrid_formula_destroy(formula);
  neargrid_search_destroy(search);
  return finish("pair_fields", 700);
}
