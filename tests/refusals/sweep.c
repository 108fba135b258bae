/* The frame of the program that sweep.py makes of the headers: arrays, a handle that has all that calls ask for, and the judge. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <celllist.h>
#include <neargrid_celllist.h>
#include <neargrid_sum.h>

#include "../c/check.h"

enum { N = 10, ROOM = 32 * 1024 };

/* Where calls write, an argument each 1024 bytes. */
static union {
  char bytes[ROOM];
  int64_t aligned;
} outputs;
static char *const arena = outputs.bytes, before[ROOM];

static double NUMBERS64[64], ONES64[64], ZEROS64[64], EDGES[4] = {0, 0.5, 1, 1.5}, CELL[9] = {30, 0, 0, 0, 30, 0, 0, 0, 30};
static float NUMBERSF[64], ONESF[64];
static int32_t NUMBERS32[64], ONES32[64], ZEROS32[64], PARITY[64], NEXT[64], BACK[2] = {1, 0};
static int64_t NUMBERS64I[64], NEXT64[64], BACK64[2] = {1, 0}, ROWS[N + 1], PAIRED[N + 1] = {0, 1}, FIRSTS[2] = {0, N};
static int64_t sum[NEARGRID_SUM_WORDS];
static neargrid_list *lists[2];
static neargrid_formula *formula, *counted, *made_formula;
static neargrid_search *search, *made;
static neargrid_comm *made_comm;

static void fill(void) {
  for (int k = 0; k < 64; k++) {
    NUMBERS64[k] = NUMBERS32[k] = k, NUMBERSF[k] = (float)k, NUMBERS64I[k] = k;
    ONES64[k] = ONESF[k] = ONES32[k] = 1, PARITY[k] = k % 2, NEXT[k] = k < 9 ? k + 1 : 0, NEXT64[k] = NEXT[k];
  }
  for (int k = 0; k <= N; k++) ROWS[k] = k < N ? k : 9;
  for (int k = 2; k <= N; k++) PAIRED[k] = 2;
}

static void judge(int status, int is_refused, const char *words, const char *call, int line) {
  char text[512] = "", message[1400];
  if (status != 0) neargrid_last_error(text, sizeof text, NULL);
  snprintf(message, sizeof message, "%s: %s \"%s\", wanted \"%s\"", call, neargrid_status_name(status), text, words);
  verdict(is_refused ? status != 0 && text[0] && strstr(text, words) : 1, message, __FILE__, line);
  if (status != 0 && status != NEARGRID_STATUS_CAPACITY) verdict(memcmp(arena, before, ROOM) == 0, message, "wrote", line);
}
#define ATTEMPT(call, is_refused, words)                                                                               \
  do {                                                                                                                 \
    memset(arena, 0xa5, ROOM);                                                                                         \
    memset(before, 0xa5, ROOM);                                                                                        \
    judge(call, is_refused, words, #call, __LINE__);                                                                   \
  } while (0)
#define WRONG(call, words) ATTEMPT(call, 1, words)
#define OPEN(call) ATTEMPT(call, 0, "")
#define GOOD(call) OK(call)

/* A handle with points, queries, fields, groups, a list and chunks, for one function. */
static void prepared(void (*check)(void), int single) {
  search = new_search(1.8);
  int64_t total = 0;
  OK(neargrid_search_set_backend(search, NEARGRID_BACKEND_CPU));
  if (single) {
    const float *x = NUMBERSF;
    OK(neargrid_search_set_points_f32(search, 3, N, x, x, x, 4));
    OK(neargrid_search_set_queries_f32(search, 3, N, x, x, x, 4));
  } else {
    const double *x = NUMBERS64;
    OK(neargrid_search_set_points_f64(search, 3, N, x, x, x, 8));
    OK(neargrid_search_set_queries_f64(search, 3, N, x, x, x, 8));
  }
  OK(neargrid_search_set_skin(search, 0.1));
  OK(neargrid_search_set_ids(search, N, NUMBERS64I, 8));
  OK(neargrid_search_set_field_f64(search, "m", NEARGRID_OF_POINTS, 1, N, ONES64, NULL, NULL, 8));
  OK(neargrid_search_set_field_f64(search, "v", NEARGRID_OF_POINTS, 3, N, ONES64, ONES64, ONES64, 8));
  OK(neargrid_search_set_pair_field_f64(search, "a", 1, N, ROWS, NEXT, ONES64));
  OK(neargrid_formula_create("n += m_j*W(r)*h", &formula));
  OK(neargrid_formula_create("n += 1", &counted));
  OK(neargrid_formula_set_constant(formula, "h", 1));
  OK(neargrid_formula_set_table(formula, "W", NEARGRID_TABLE_R, 0, 2, 4, ONES64));
  OK(neargrid_groups_find_f64(search, 1, N, NULL, 0, NULL, NULL, NULL, 0, &total));
  OK(neargrid_neighbors_take(search, NEARGRID_NEIGHBORS_FULL, &lists[0]));
  OK(neargrid_celllist_count_f64(3, N, NUMBERS64, 1.8, -1, 0, &total));
  OK(neargrid_chunks_begin(search, NEARGRID_NEIGHBORS_FULL, 100, &total));
  memset(sum, 0, sizeof sum);
  check();
  neargrid_search_destroy(search);
  neargrid_search_destroy(made);
  neargrid_comm_destroy(made_comm);
  neargrid_formula_destroy(formula);
  neargrid_formula_destroy(counted);
  neargrid_formula_destroy(made_formula);
  for (int k = 0; k < 2; k++) neargrid_list_destroy(lists[k]), lists[k] = NULL;
  made = NULL, made_formula = NULL;
}

@FUNCTIONS@
int main(void) {
  setenv("VK_DRIVER_FILES", "/nonexistent", 1);
  fill();
@CALLS@
  return finish("sweep", 1500);
}
