/* Reads the file of cases that the Rust tests write.
 *
 * The file, in native byte order and without padding: int64 ncases; then per case int32 dim, int32 bytes of a real,
 * int32 rule (0 inclusive, 1 exclusive), int64 n, real64 cutoff, int32 periodic[3], real64 lo[3], real64 length[3],
 * int64 n_active (-1 for all), int32 ntypes (0 for none), with types int32 types[n] from 0 on and
 * int32 mask[ntypes * ntypes], n * dim reals, point after point, int64 npairs, int32 pair_i[npairs],
 * int32 pair_j[npairs], both 0-based. */
#ifndef CASEFILE_H
#define CASEFILE_H

#include "check.h"

typedef struct {
  int64_t number;
  int32_t dim, width, rule;
  int64_t n;
  double cutoff, lo[3], length[3];
  int32_t periodic[3], ntypes, *types, *mask;
  int64_t n_active;
  fenced coords;
  pair_list want;
  int64_t *offsets[3]; /* 0-based, of the half rows, the full ones, and those of the points as queries */
  int32_t *ids[3];
} test_case;

enum { QUERIES = 2 }; /* the third kind of rows */

static inline int is_periodic(const test_case *c) { return c->periodic[0] || c->periodic[1] || c->periodic[2]; }

static inline int has_kinds(const test_case *c) { return c->n_active >= 0 || c->ntypes > 0; }

static inline void must_read(void *to, size_t size, size_t count, FILE *file) {
  if (fread(to, size, count, file) == count) return;
  fprintf(stderr, "the file of cases ends too early\n");
  exit(1);
}

/* Rows out of the pairs: for full rows each pair is listed by both, in an order that sorts every row; queries that are
 * the points list themselves too. */
static inline void rows_of_pairs(test_case *c, int kind) {
  const int full = kind > 0, own = kind == QUERIES;
  const pair_list *want = &c->want;
  int64_t *offsets = calloc((size_t)c->n + 2, sizeof *offsets);
  int32_t *ids = guarded(want->n * (full ? 2 : 1) + (own ? c->n : 0));
  if (!offsets) exit(1);
  for (int64_t k = 0; k < want->n; k++) {
    offsets[want->i[k] + 2]++;
    if (full) offsets[want->j[k] + 2]++;
  }
  for (int64_t i = 2; i <= c->n + 1; i++) offsets[i] += offsets[i - 1] + own;
  /* offsets[i + 1] is the place of row i's next id; smaller neighbors first, ascending, since pairs are. */
  if (full)
    for (int64_t k = 0; k < want->n; k++) ids[offsets[want->j[k] + 1]++] = want->i[k];
  for (int32_t i = 0; i < c->n && own; i++) ids[offsets[i + 1]++] = i;
  for (int64_t k = 0; k < want->n; k++) ids[offsets[want->i[k] + 1]++] = want->j[k];
  c->offsets[kind] = offsets;
  c->ids[kind] = ids;
}

static inline int32_t *read_ids(int64_t n, FILE *file) {
  int32_t *ids = guarded(n);
  must_read(ids, sizeof *ids, (size_t)n, file);
  return ids;
}

static inline test_case read_case(FILE *file, int64_t number) {
  test_case c;
  c.number = number;
  must_read(&c.dim, sizeof c.dim, 1, file);
  must_read(&c.width, sizeof c.width, 1, file);
  must_read(&c.rule, sizeof c.rule, 1, file);
  must_read(&c.n, sizeof c.n, 1, file);
  must_read(&c.cutoff, sizeof c.cutoff, 1, file);
  must_read(c.periodic, sizeof *c.periodic, 3, file);
  must_read(c.lo, sizeof *c.lo, 3, file);
  must_read(c.length, sizeof *c.length, 3, file);
  must_read(&c.n_active, sizeof c.n_active, 1, file);
  must_read(&c.ntypes, sizeof c.ntypes, 1, file);
  c.types = read_ids(c.ntypes > 0 ? c.n : 0, file);
  c.mask = read_ids((int64_t)c.ntypes * c.ntypes, file);
  const size_t reals = (size_t)c.n * (size_t)c.dim;
  c.coords = fence(reals * (size_t)c.width);
  must_read(c.coords.start, (size_t)c.width, reals, file);
  freeze(c.coords);
  must_read(&c.want.n, sizeof c.want.n, 1, file);
  c.want.i = read_ids(c.want.n, file);
  c.want.j = read_ids(c.want.n, file);
  for (int kind = 0; kind < 3; kind++) rows_of_pairs(&c, kind);
  return c;
}

static inline void free_case(test_case *c) {
  unfence(c->coords);
  free_pairs(c->want);
  free(c->types);
  free(c->mask);
  for (int kind = 0; kind < 3; kind++) {
    free(c->offsets[kind]);
    free(c->ids[kind]);
  }
}

#endif
