/* The k nearest: rows against a plain loop, views, and what is refused, with outputs untouched. All clouds are searched by
 * tests/suite/knn.rs. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <math.h>
#include <stdlib.h>

enum { N = 500, QUERIES = 77, K = 9 };

static double unit(void) { return rand() / (RAND_MAX + 1.0); }

/* Row of `point` among points 0 .. n - 1, `skipped` left out: insertion in order of (d2, id). */
static int nearest(int n, const double (*pos)[3], const double *point, int skipped, int k, int32_t *ids, double *squares) {
  int len = 0;
  for (int j = 0; j < n; j++) {
    if (j == skipped) continue;
    const volatile double xx = (point[0] - pos[j][0]) * (point[0] - pos[j][0]);
    const volatile double yy = (point[1] - pos[j][1]) * (point[1] - pos[j][1]);
    const volatile double zz = (point[2] - pos[j][2]) * (point[2] - pos[j][2]);
    const volatile double xy = xx + yy;
    const double d2 = xy + zz;
    int at = len < k ? len++ : k;
    while (at > 0 && squares[at - 1] > d2) { /* of equally near ones the first stays first */
      if (at < k) squares[at] = squares[at - 1], ids[at] = ids[at - 1];
      at--;
    }
    if (at < k) squares[at] = d2, ids[at] = j;
  }
  return len;
}

static void rows(void) {
  static double pos[N + QUERIES][3], squares[N * K], distances[N * K], radii[N * K];
  static int32_t ids[N * K], counts[N];
  for (int i = 0; i < N + QUERIES; i++)
    for (int axis = 0; axis < 3; axis++) pos[i][axis] = i % 5 ? unit() : floor(4 * unit()) / 4;
  neargrid_search *search = new_search(1.0);
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  OK(neargrid_search_set_points_f64(search, 3, N, &pos[0][0], &pos[0][1], &pos[0][2], sizeof pos[0]));
  OK(neargrid_search_set_queries_f64(search, 3, QUERIES, &pos[N][0], &pos[N][1], &pos[N][2], sizeof pos[0]));
  for (int kind = NEARGRID_KNN_OTHERS; kind <= NEARGRID_KNN_QUERIES; kind++) {
    int64_t n = GUARD, seen = GUARD;
    const int of_queries = kind == NEARGRID_KNN_QUERIES;
    const int32_t *view_ids, *view_counts;
    const double *view_distances;
    REFUSED(neargrid_knn_copy_f64(search, kind, K, NEARGRID_MEASURE_SQUARE, 0, &n, NULL, NULL, NULL), CAPACITY, "capacity = 0");
    CHECK(n == (of_queries ? QUERIES : N));
    OK(neargrid_knn_copy_f64(search, kind, K, NEARGRID_MEASURE_SQUARE, n, &seen, ids, squares, counts));
    OK(neargrid_knn_copy_f64(search, kind, K, NEARGRID_MEASURE_RADIUS, n + 5, &seen, ids, radii, NULL));
    OK(neargrid_knn_copy_f64(search, kind, K, NEARGRID_MEASURE_DISTANCE, n, &seen, ids, distances, NULL));
    OK(neargrid_knn_view_f64(search, kind, K, NEARGRID_MEASURE_DISTANCE, &seen, &view_ids, &view_distances, &view_counts));
    CHECK(seen == n);
    for (int64_t i = 0; i < n; i++) {
      int32_t true_ids[K];
      double true_squares[K];
      const double *point = pos[of_queries ? N + i : i];
      CHECK(nearest(N, (const double(*)[3])pos, point, kind == NEARGRID_KNN_OTHERS ? (int)i : -1, K, true_ids,
                    true_squares) == K);
      CHECK(counts[i] == K && view_counts[i] == K);
      for (int k = 0; k < K; k++) {
        const int64_t at = i * K + k;
        const double less = nextafter(radii[at], 0);
        CHECK(radii[at] * radii[at] >= true_squares[k] && (radii[at] == 0 || less * less < true_squares[k]));
        CHECK(ids[at] == true_ids[k] && view_ids[at] == true_ids[k]);
        CHECK(squares[at] == true_squares[k] && distances[at] == sqrt(true_squares[k]));
        CHECK(view_distances[at] == distances[at]);
      }
    }
  }
  OK(neargrid_knn_copy_f64(search, NEARGRID_KNN_QUERIES, K, NEARGRID_MEASURE_DISTANCE, QUERIES, &(int64_t){0}, ids, NULL, NULL));
  neargrid_search_destroy(search);
}

/* Less than k points, real32, numbers from 1, ghosts. */
static void few(void) {
  const float line[4] = {0, 1, 3, 3};
  int32_t ids[8] = {0}, counts[2] = {0};
  float distances[8] = {0};
  const int32_t true_ids[8] = {2, 3, 4, 0, 1, 3, 4, 0};
  const float true_distances[8] = {1, 3, 3, INFINITY, 1, 2, 2, INFINITY};
  neargrid_search *search = new_search(1.0);
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  OK(neargrid_search_set_index_base(search, 1));
  OK(neargrid_search_set_points_f32(search, 1, 4, line, NULL, NULL, 4));
  OK(neargrid_search_set_active(search, 2));
  OK(neargrid_knn_copy_f32(search, NEARGRID_KNN_OTHERS, 4, NEARGRID_MEASURE_DISTANCE, 2, &(int64_t){0}, ids, distances, counts));
  for (int k = 0; k < 8; k++) CHECK(ids[k] == true_ids[k] && distances[k] == true_distances[k]);
  CHECK(counts[0] == 3 && counts[1] == 3);
  int64_t n = GUARD;
  const int32_t *view_ids, *view_counts;
  const float *view_distances;
  OK(neargrid_knn_view_f32(search, NEARGRID_KNN_ALL, 2, NEARGRID_MEASURE_SQUARE, &n, &view_ids, &view_distances, &view_counts));
  CHECK(n == 2 && view_ids[0] == 1 && view_ids[1] == 2 && view_distances[1] == 1 && view_counts[1] == 2);
  OK(neargrid_search_set_points_f32(search, 1, 0, NULL, NULL, NULL, 4));
  OK(neargrid_search_set_active(search, NEARGRID_ALL_ACTIVE));
  OK(neargrid_knn_copy_f32(search, NEARGRID_KNN_OTHERS, 4, NEARGRID_MEASURE_DISTANCE, 0, &(int64_t){0}, NULL, NULL, NULL));
  OK(neargrid_search_set_points_f32(search, 1, 1, line, NULL, NULL, 4));
  OK(neargrid_knn_copy_f32(search, NEARGRID_KNN_OTHERS, 4, NEARGRID_MEASURE_DISTANCE, 1, &(int64_t){0}, ids, distances, counts));
  CHECK(ids[0] == 0 && ids[3] == 0 && isinf(distances[0]) && counts[0] == 0);
  neargrid_search_destroy(search);
}

/* Ties follow global ids. */
static void by_ids(void) {
  const double line[4] = {0, 1, 2, 3};
  const int64_t global[4] = {40, INT64_MAX, -20, INT64_MIN};
  const int32_t true_ids[8] = {1, 2, 2, 0, 3, 1, 2, 1};
  int32_t ids[8];
  double squares[8];
  neargrid_search *search = new_search(1.0);
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  OK(neargrid_search_set_points_f64(search, 1, 4, line, NULL, NULL, 8));
  OK(neargrid_search_set_ids(search, 4, global, sizeof(int64_t)));
  OK(neargrid_knn_copy_f64(search, NEARGRID_KNN_OTHERS, 2, NEARGRID_MEASURE_SQUARE, 4, &(int64_t){0}, ids, squares, NULL));
  for (int k = 0; k < 8; k++) CHECK(ids[k] == true_ids[k] && squares[k] == (k == 1 || k == 7 ? 4 : 1));
  OK(neargrid_search_set_ids(search, 0, NULL, sizeof(int64_t)));
  OK(neargrid_knn_copy_f64(search, NEARGRID_KNN_OTHERS, 1, NEARGRID_MEASURE_SQUARE, 4, &(int64_t){0}, ids, squares, NULL));
  CHECK(ids[0] == 1 && ids[1] == 0 && ids[2] == 1 && ids[3] == 2);
  neargrid_search_destroy(search);
}

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

/* Rows end where the radius does, the tie included or not. */
static void within(void) {
  const double line[5] = {0, 1, 3, 6, 6.5};
  const int32_t true_ids[10] = {1, -1, 0, 2, 1, -1, 4, -1, 3, -1}, true_counts[5] = {1, 2, 1, 1, 1};
  int32_t ids[10], counts[5];
  double squares[10];
  int64_t n = GUARD;
  neargrid_search *search = new_search(1.0);
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  OK(neargrid_search_set_points_f64(search, 1, 5, line, NULL, NULL, sizeof(double)));
  OK(neargrid_search_set_knn_within(search, 2.0));
  OK(neargrid_knn_copy_f64(search, NEARGRID_KNN_OTHERS, 2, NEARGRID_MEASURE_SQUARE, 5, &n, ids, squares, counts));
  for (int k = 0; k < 10; k++) CHECK(ids[k] == true_ids[k] && isinf(squares[k]) == (ids[k] == -1));
  for (int i = 0; i < 5; i++) CHECK(counts[i] == true_counts[i]);
  const int32_t *view_ids, *view_counts;
  const double *view_squares;
  OK(neargrid_search_set_tie_rule(search, NEARGRID_TIE_EXCLUSIVE));
  OK(neargrid_knn_view_f64(search, NEARGRID_KNN_OTHERS, 2, NEARGRID_MEASURE_SQUARE, &n, &view_ids, &view_squares, &view_counts));
  CHECK(n == 5 && view_counts[0] == 1 && view_counts[1] == 1 && view_counts[2] == 0 && view_ids[4] == -1);
  OK(neargrid_search_set_knn_within(search, 0));
  OK(neargrid_knn_copy_f64(search, NEARGRID_KNN_OTHERS, 2, NEARGRID_MEASURE_SQUARE, 5, &n, ids, squares, counts));
  CHECK(counts[2] == 2 && ids[4] == 1 && ids[5] == 0);
  REFUSED(neargrid_search_set_knn_within(search, -1), BAD_RADIUS, "radius = -1 is not allowed");
  REFUSED(neargrid_search_set_knn_within(search, NAN), BAD_RADIUS, "radius = NaN");
  OK(neargrid_search_set_knn_within(search, 1e-300));
  REFUSED(neargrid_knn_copy_f64(search, NEARGRID_KNN_OTHERS, 2, 0, 5, &n, ids, squares, counts), BAD_RADIUS,
          "the radius of set_knn_within = 1e-300");
  neargrid_search_destroy(search);
}

int main(void) {
  rows();
  within();
  few();
  by_ids();
  refused();
  return finish("knn", 30000);
}
