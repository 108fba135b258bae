/* The frame of the program that programs.py makes of calls.txt: outputs of all kinds, arrays, and the handles that are prepared. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <float.h>
#include <math.h>

#include <celllist.h>
#include <neargrid_celllist.h>
#include <neargrid_sum.h>

#include "../c/check.h"

static const double X[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, ROOM[33] = {0};
static const float X32[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const int32_t I[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const int64_t ZERO64[4] = {0, 0, 0, 0};

/* All outputs, which one comparison judges. */
static struct {
  int64_t n, total, count, npairs, ngroups, row, offsets[64];
  int32_t id, rebuilt, ids[64], counts[64];
  double d[64], seconds;
  float f[64];
  const int64_t *offsets_at;
  const int32_t *ids_at, *more_at;
  const double *d_at;
  neargrid_list *list;
} out, before;

static void guard(void) {
  int32_t *words = (int32_t *)(void *)&out;
  memset(&out, 0, sizeof out);
  for (size_t k = 0; k < sizeof out / sizeof *words; k++) words[k] = GUARD;
  out.n = out.total = out.count = out.npairs = out.ngroups = out.row = GUARD;
  for (int k = 0; k < 64; k++) out.offsets[k] = GUARD;
  out.list = NULL;
}
static int same_outputs(void) { return memcmp(&out, &before, sizeof out) == 0; }
#define n out.n
#define total out.total
#define count out.count
#define npairs out.npairs
#define ngroups out.ngroups
#define row out.row
#define offsets out.offsets
#define id out.id
#define rebuilt out.rebuilt
#define ids out.ids
#define counts out.counts
#define d out.d
#define seconds out.seconds
#define f out.f
#define offsets_at out.offsets_at
#define ids_at out.ids_at
#define more_at out.more_at
#define d_at out.d_at
#define list out.list

/* A refused call. Where room is missing, what is needed was written. */
#define REFUSE(call, status, words)                                                                                    \
  do {                                                                                                                 \
    guard();                                                                                                           \
    before = out;                                                                                                      \
    REFUSED(call, status, words);                                                                                      \
    CHECK(NEARGRID_STATUS_##status == NEARGRID_STATUS_CAPACITY || same_outputs());                                     \
  } while (0)

static void fresh(neargrid_search *search) { (void)search; }
static void fresh_ends(neargrid_search *search) { (void)search; }

/* Ten points in a row, each with its next one in reach. */
static void line(neargrid_search *search) {
  OK(neargrid_search_set_cutoff(search, 1.5));
  OK(neargrid_search_set_points_f64(search, 1, 10, X, NULL, NULL, 8));
}
static void line_ends(neargrid_search *search) {
  OK(neargrid_pairs_count(search, &npairs));
  CHECK(npairs == 9);
}

/* The text of the last failure: cut to fit, kept by successes and by questions about it. */
static void texts(void) {
  char text[300], cut[300];
  size_t length = 0, full = 0;
  REFUSED(neargrid_reorder(7, 0, NULL, 0, 8, NULL, NULL), BAD_VALUE, "direction = 7");
  OK(neargrid_reorder(0, 0, NULL, 0, 8, NULL, NULL));
  OK(neargrid_last_error(text, sizeof text, &full));
  CHECK(full == strlen(text) && full > 20 && strstr(text, "direction = 7"));
  for (size_t capacity = 0; capacity <= full + 2; capacity++) {
    const size_t kept = capacity == 0 ? 0 : capacity - 1 < full ? capacity - 1 : full;
    memset(cut, '*', sizeof cut);
    length = 0;
    OK(neargrid_last_error(cut, capacity, &length));
    CHECK(length == full && memcmp(cut, text, kept) == 0);
    CHECK(capacity == 0 ? cut[0] == '*' : cut[kept] == 0 && cut[kept + 1] == '*');
  }
  length = 99;
  OK(neargrid_last_error(NULL, 0, NULL));
  CHECK(neargrid_last_error(NULL, 3, &length) == NEARGRID_STATUS_NULL_POINTER && length == 99);
  OK(neargrid_last_error(cut, sizeof cut, NULL));
  CHECK(strcmp(cut, text) == 0);
}

@SECTIONS@
int main(void) {
  char text[2] = "*";
  size_t length = 99;
  OK(neargrid_last_error(text, sizeof text, &length)); /* nothing has failed yet */
  CHECK(length == 0 && text[0] == 0);
  setenv("VK_DRIVER_FILES", "/nonexistent", 1); /* a machine without a GPU */
  texts();
@CALLS@
  return finish("refusals", @CHECKS@);
}
