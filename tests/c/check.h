/* Means that the C test programs share: verdicts, failures with their texts, clouds, the plain double loop, and memory that
 * ends at a fence.
 *
 * Programs print one line on success, and on failure a line per failed check to stderr. Verdicts are for one thread. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <neargrid.h>

enum { GUARD = -77777 }; /* fills what must not be written */

static int checks, failures;

static inline int verdict(int ok, const char *what, const char *file, int line) {
  checks++;
  if (!ok) {
    failures++;
    fprintf(stderr, "FAILED %s:%d: %s\n", file, line, what);
  }
  return ok;
}
#define CHECK(condition) verdict((condition) != 0, #condition, __FILE__, __LINE__)

/* That a call returned `want`, and on failure that this thread's text has all of `words`, separated by `|`. */
static inline int ended(int got, int want, const char *words, const char *call, const char *file, int line) {
  char text[512] = "", message[1400];
  if (got != 0) neargrid_last_error(text, sizeof text, NULL);
  snprintf(message, sizeof message, "%s: %s, wanted %s: %s", call, neargrid_status_name(got), neargrid_status_name(want),
           text);
  if (!verdict(got == want, message, file, line)) return 0;
  while (*words) {
    const size_t length = strcspn(words, "|");
    char word[200];
    snprintf(word, sizeof word, "%.*s", (int)length, words);
    snprintf(message, sizeof message, "%s: no \"%s\" in \"%s\"", call, word, text);
    verdict(strstr(text, word) != NULL, message, file, line);
    words += length + (words[length] == '|');
  }
  return 1;
}
#define OK(call) ended((call), NEARGRID_STATUS_OK, "", #call, __FILE__, __LINE__)
#define REFUSED(call, status, words) ended((call), NEARGRID_STATUS_##status, words, #call, __FILE__, __LINE__)

/* The last line of a program: fewer checks than `at_least` mean that some were skipped. */
static inline int finish(const char *name, int at_least) {
  if (checks < at_least) {
    fprintf(stderr, "%s: only %d checks, wanted %d\n", name, checks, at_least);
    return 1;
  }
  if (failures > 0) {
    fprintf(stderr, "%s: %d of %d checks failed\n", name, failures, checks);
    return 1;
  }
  printf("%s: %d checks passed\n", name, checks);
  return 0;
}

static inline neargrid_search *new_search(double cutoff) {
  neargrid_search *search = NULL;
  if (neargrid_search_create(NEARGRID_ABI_VERSION, &search) != 0 || neargrid_search_set_cutoff(search, cutoff) != 0) {
    char said[300] = "";
    neargrid_last_error(said, sizeof said, NULL);
    fprintf(stderr, "no handle: %s\n", said);
    exit(1);
  }
  return search;
}

static inline int64_t counter(const neargrid_search *search, int32_t which) {
  int64_t value = GUARD;
  CHECK(neargrid_search_counter(search, which, &value) == 0);
  return value;
}

/* Memory whose end is the end of a page that is followed by one that cannot be touched: one element too far, read or
 * written, ends the program. */
typedef struct {
  void *start; /* `bytes` long, at the fence */
  char *pages;
  size_t length;
} fenced;

static inline fenced fence(size_t bytes) {
  const size_t page = 4096, length = (bytes + page - 1) / page * page;
  fenced memory;
  memory.length = length + page;
  memory.pages = (char *)mmap(NULL, memory.length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory.pages == MAP_FAILED || mprotect(memory.pages + length, page, PROT_NONE) != 0) {
    fprintf(stderr, "no memory for a test\n");
    exit(1);
  }
  memory.start = memory.pages + length - bytes;
  return memory;
}

/* From now on a write ends the program too. */
static inline void freeze(fenced memory) {
  if (memory.length > 4096 && mprotect(memory.pages, memory.length - 4096, PROT_READ) != 0) exit(1);
}

static inline void unfence(fenced memory) { munmap(memory.pages, memory.length); }

static inline int32_t *guarded(int64_t n) {
  int32_t *array = (int32_t *)malloc((size_t)(n > 0 ? n : 1) * sizeof *array);
  if (!array) exit(1);
  for (int64_t k = 0; k < n; k++) array[k] = GUARD;
  return array;
}

/* Whether array[from .. to) is as `guarded` left it. */
static inline int untouched(const int32_t *array, int64_t from, int64_t to) {
  for (int64_t k = from; k < to; k++)
    if (array[k] != GUARD) return 0;
  return 1;
}

/* Uniform in [0, 1). */
static inline double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 40) / 16777216.0;
}

/* All pairs i < j, 0-based, that the plain loop finds; the caller frees both arrays. */
typedef struct {
  int64_t n;
  int32_t *i, *j;
} pair_list;

#define PLAIN_PAIRS(name, real)                                                                                        \
  static inline pair_list name(int dim, int n, const real *x, real cutoff, int exclusive) {                            \
    pair_list list = {0, (int32_t *)malloc(sizeof(int32_t)), (int32_t *)malloc(sizeof(int32_t))};                      \
    int64_t room = 1;                                                                                                  \
    for (int i = 0; i < n; i++)                                                                                        \
      for (int j = i + 1; j < n; j++) {                                                                                \
        real d2 = 0;                                                                                                   \
        for (int axis = 0; axis < dim; axis++) {                                                                       \
          const real d = x[i * dim + axis] - x[j * dim + axis], square = d * d;                                        \
          d2 = axis == 0 ? square : d2 + square;                                                                       \
        }                                                                                                              \
        if (exclusive ? d2 >= cutoff * cutoff : d2 > cutoff * cutoff) continue;                                        \
        if (list.n == room) {                                                                                          \
          room *= 2;                                                                                                   \
          list.i = (int32_t *)realloc(list.i, (size_t)room * sizeof(int32_t));                                         \
          list.j = (int32_t *)realloc(list.j, (size_t)room * sizeof(int32_t));                                         \
        }                                                                                                              \
        if (!list.i || !list.j) exit(1);                                                                               \
        list.i[list.n] = i;                                                                                            \
        list.j[list.n++] = j;                                                                                          \
      }                                                                                                                \
    return list;                                                                                                       \
  }
PLAIN_PAIRS(plain_pairs_f64, double)
PLAIN_PAIRS(plain_pairs_f32, float)

static inline void free_pairs(pair_list list) {
  free(list.i);
  free(list.j);
}

/* Whether n elements of `array` are those of `want`, each plus `base`. */
static inline int same(const int32_t *array, const int32_t *want, int64_t n, int32_t base) {
  for (int64_t k = 0; k < n; k++)
    if (array[k] != want[k] + base) return 0;
  return 1;
}

#endif
