/* The k nearest: what is refused, with outputs untouched. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <math.h>

static void refused(void) {
  const double line[3] = {0, 1, 3};
  int32_t ids[3] = {GUARD, GUARD, GUARD}, counts[3] = {GUARD, GUARD, GUARD};
  double distances[3] = {GUARD, GUARD, GUARD};
  float single[3] = {GUARD, GUARD, GUARD};
  int64_t n = GUARD;
  const int32_t *at_ids = ids, *at_counts = counts;
  const double *at_distances = distances;
  REFUSED(neargrid_knn_copy_f64(NULL, 0, 1, 0, 3, NULL, ids, distances, counts), NULL_POINTER, "search is NULL");
  REFUSED(neargrid_knn_copy_f64(NULL, 0, 1, 0, 3, &n, ids, distances, counts), NULL_POINTER, "search is NULL");
  neargrid_search *search = new_search(1.0);
  REFUSED(neargrid_knn_copy_f64(search, 0, 1, 0, 3, &n, ids, distances, counts), BAD_STATE, "points|set_points");
  OK(neargrid_search_set_points_f64(search, 1, 3, line, NULL, NULL, 8));
  REFUSED(neargrid_knn_copy_f64(search, 3, 1, 0, 3, &n, ids, distances, counts), BAD_VALUE, "kind = 3|2 (queries)");
  REFUSED(neargrid_knn_copy_f64(search, 0, 1, -1, 3, &n, ids, distances, counts), BAD_VALUE, "measure = -1|1 (square)");
  REFUSED(neargrid_knn_copy_f64(search, 0, 0, 0, 3, &n, ids, distances, counts), BAD_COUNT, "k = 0|1 to 1024");
  REFUSED(neargrid_knn_copy_f64(search, 0, INT32_MIN, 0, 3, &n, ids, distances, counts), BAD_COUNT, "k = -2147483648");
  REFUSED(neargrid_knn_copy_f64(search, 0, NEARGRID_KNN_MAX + 1, 0, 3, &n, ids, distances, counts), BAD_COUNT, "k = 1025");
  REFUSED(neargrid_knn_copy_f64(search, 0, 1, 0, -1, &n, ids, distances, counts), BAD_COUNT, "capacity = -1");
  REFUSED(neargrid_knn_copy_f64(search, 0, 1, 0, 3, NULL, ids, distances, counts), NULL_POINTER, "n is NULL");
  int64_t need = GUARD;
  REFUSED(neargrid_knn_copy_f64(search, 0, 1, 0, 2, &need, ids, distances, counts), CAPACITY, "capacity = 2 |3 are needed");
  CHECK(need == 3);
  REFUSED(neargrid_knn_copy_f64(search, 2, 1, 0, 3, &n, ids, distances, counts), BAD_STATE, "no queries yet|set_queries");
  OK(neargrid_search_set_queries_f64(search, 1, 0, NULL, NULL, NULL, 8));
  need = GUARD;
  OK(neargrid_knn_copy_f64(search, 2, 1, 0, 3, &need, ids, distances, counts));
  CHECK(need == 0);
  REFUSED(neargrid_knn_copy_f64(search, 0, 1, 0, 3, &n, NULL, distances, counts), NULL_POINTER, "ids is NULL");
  REFUSED(neargrid_knn_copy_f32(search, 0, 1, 0, 3, &n, ids, single, counts), BAD_VALUE, "precision = real32|real64");
  REFUSED(neargrid_knn_view_f64(search, 0, 1, 0, &n, &at_ids, NULL, &at_counts), NULL_POINTER, "distances is NULL");
  REFUSED(neargrid_knn_view_f64(search, 0, -1, 0, &n, &at_ids, &at_distances, &at_counts), BAD_COUNT, "k = -1");
  const int64_t descending[3] = {3, 2, 1};
  OK(neargrid_search_set_ids(search, 3, descending, sizeof(int64_t)));
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_GPU));
  REFUSED(neargrid_knn_copy_f64(search, 0, 1, 0, 3, &n, ids, distances, counts), NOT_SUPPORTED,
          "backend gpu for k nearest neighbors with global ids that do not ascend");
  OK(neargrid_search_set_ids(search, 0, NULL, sizeof(int64_t)));
  for (int k = 0; k < 3; k++) CHECK(ids[k] == GUARD && counts[k] == GUARD && distances[k] == GUARD && single[k] == GUARD);
  CHECK(n == GUARD && at_ids == ids && at_counts == counts && at_distances == distances);
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  OK(neargrid_knn_copy_f64(search, 0, 1, 0, 3, &n, ids, distances, counts));
  CHECK(ids[2] == 1 && distances[2] == 2 && counts[2] == 1);
  neargrid_search_destroy(search);
}

static void within_refused(void) {
  const double line[5] = {0, 1, 3, 6, 6.5};
  int32_t ids[10], counts[5];
  double squares[10];
  int64_t n = GUARD;
  neargrid_search *search = new_search(1.0);
  OK(neargrid_search_set_points_f64(search, 1, 5, line, NULL, NULL, sizeof(double)));
  REFUSED(neargrid_search_set_knn_within(search, -1), BAD_RADIUS, "radius = -1 is not allowed");
  REFUSED(neargrid_search_set_knn_within(search, NAN), BAD_RADIUS, "radius = NaN");
  OK(neargrid_search_set_knn_within(search, 1e-300));
  REFUSED(neargrid_knn_copy_f64(search, NEARGRID_KNN_OTHERS, 2, 0, 5, &n, ids, squares, counts), BAD_RADIUS,
          "the radius of set_knn_within = 1e-300");
  neargrid_search_destroy(search);
}

int main(void) {
  refused();
  within_refused();
  return finish("knn", 40);
}
