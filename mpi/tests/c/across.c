/* All results across ranks against a file of cases (tests/c/casefile.h), bit for bit: across FILE
 *
 * Every rank reads the file and takes its part of each case; what it finds is compared with what the plain loop found in all
 * of it. The way points are spread over ranks changes from case to case. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "ranks.h"

#include "casefile.h"

typedef struct {
  int64_t left, right; /* global ids */
} id_pair;

static const test_case *now;
static int *owner;       /* the rank of each point */
static int64_t n_mine;   /* points of this rank */
static int64_t n_ghosts;
static int64_t *known;   /* global ids of this rank's points, and behind them of its ghosts */
static char *mine;       /* coordinates of this rank's points */
static id_pair *want;    /* all pairs of the plain loop, the smaller id left, ordered by ids */

static void compare(int ok, const char *what) {
  char text[300];
  snprintf(text, sizeof text, "rank %d of %d, case %lld, %s: dim %d, real%d, rule %d, n %lld, cutoff %.17g", rank, size,
           (long long)now->number, what, now->dim, 8 * now->width, now->rule, (long long)now->n, now->cutoff);
  verdict(ok, text, __FILE__, __LINE__);
}

/* The global id of a point: its place in the cloud, or backwards. */
static int64_t id_of(int64_t k) { return now->number % 2 ? 3 * (now->n - k) - 7 : k; }

static int by_ids(const void *a, const void *b) {
  const id_pair *p = a, *q = b;
  if (p->left != q->left) return p->left < q->left ? -1 : 1;
  return p->right == q->right ? 0 : p->right < q->right ? -1 : 1;
}

static int rank_of(int64_t k) {
  const int64_t block = k * size / (now->n > 0 ? now->n : 1);
  switch (now->number % 5) {
    case 0: return (int)block;
    case 1: return (int)((uint64_t)(k + 1) * 2654435761u % 1000003u % (uint64_t)size);
    case 2: return size - 1;
    case 3: return (int)(block / 2 * 2);
    default: return k % 10 ? 0 : (int)(k / 10 % size);
  }
}

static double real(const void *coords, int64_t k, int axis) {
  const int64_t at = k * now->dim + axis;
  return now->width == 4 ? (double)((const float *)coords)[at] : ((const double *)coords)[at];
}

static void spread(void) {
  const size_t bytes = (size_t)now->dim * (size_t)now->width, n = (size_t)now->n;
  owner = malloc((n + 1) * sizeof *owner);
  known = malloc((2 * n + 1) * sizeof *known);
  mine = malloc(n * bytes + 1);
  want = malloc(((size_t)now->want.n + 1) * sizeof *want);
  if (!owner || !known || !mine || !want) exit(1);
  n_mine = n_ghosts = 0;
  for (int64_t k = 0; k < now->n; k++) {
    owner[k] = rank_of(k);
    if (owner[k] != rank) continue;
    memcpy(mine + (size_t)n_mine * bytes, (char *)now->coords.start + (size_t)k * bytes, bytes);
    known[n_mine++] = id_of(k);
  }
  for (int64_t k = 0; k < now->want.n; k++) {
    const int64_t i = id_of(now->want.i[k]), j = id_of(now->want.j[k]);
    want[k] = (id_pair){i < j ? i : j, i < j ? j : i};
  }
  qsort(want, (size_t)now->want.n, sizeof *want, by_ids);
}

static int64_t place_of(int64_t id) { return now->number % 2 ? now->n - (id + 7) / 3 : id; }

static int is_mine(int64_t id) { return owner[place_of(id)] == rank; }

/* Whether the coordinate of a ghost is that of its point, which may be wrapped. */
static int is_at(double ghost, double point, int axis) {
  const double lo = now->lo[axis], length = now->length[axis];
  if (memcmp(&ghost, &point, sizeof ghost) == 0) return 1;
  const double times = (point - ghost) / length, whole = (double)(int64_t)(times + (times < 0 ? -0.5 : 0.5));
  const double of_box = 1e-7 * (lo < 0 ? -lo : lo); /* numbers of real32 are so far apart there */
  const double off = point - ghost - whole * length, bound = 1e-4 * (length + (point < 0 ? -point : point)) + of_box;
  return now->periodic[axis] && ghost >= lo - bound && ghost <= lo + length + bound && off <= bound && off >= -bound;
}

static void ghosts(neargrid_search *search) {
  const int64_t *ids = NULL;
  const int32_t *ranks = NULL;
  const void *positions = NULL;
  const neargrid_status status =
      now->width == 4 ? neargrid_ghosts_view_f32(search, &n_ghosts, &ids, &ranks, (const float **)&positions)
                      : neargrid_ghosts_view_f64(search, &n_ghosts, &ids, &ranks, (const double **)&positions);
  OK(status);
  int ok = n_ghosts >= 0 && n_ghosts <= now->n;
  for (int64_t g = 0; g < n_ghosts && ok; g++) {
    const int64_t k = place_of(ids[g]);
    ok = k >= 0 && k < now->n && owner[k] == ranks[g] && ranks[g] != rank;
    for (int axis = 0; axis < now->dim && ok; axis++) ok = is_at(real(positions, g, axis), real(now->coords.start, k, axis), axis);
    known[n_mine + g] = ids[g];
  }
  compare(ok, "ghosts");
}

/* The pairs of this rank: those in which its point has the smaller id, or all that have a point of it. */
static void pairs(neargrid_search *search, int which, int base) {
  int64_t npairs = GUARD, count = 0;
  const int32_t *i = NULL, *j = NULL;
  OK(neargrid_search_set_ghost_pairs(search, which));
  OK(neargrid_pairs_view(search, &npairs, &i, &j));
  id_pair *wanted = malloc(((size_t)now->want.n + 1) * sizeof *wanted);
  if (!wanted) exit(1);
  for (int64_t k = 0; k < now->want.n; k++) {
    const id_pair p = want[k];
    if (is_mine(p.left)) wanted[count++] = p;
    else if (is_mine(p.right) && which == NEARGRID_GHOST_PAIRS_ALL) wanted[count++] = (id_pair){p.right, p.left};
  }
  qsort(wanted, (size_t)count, sizeof *wanted, by_ids);
  int ok = npairs == count;
  for (int64_t k = 0; k < count && ok; k++)
    ok = known[i[k] - base] == wanted[k].left && known[j[k] - base] == wanted[k].right && i[k] - base < n_mine;
  compare(ok, which == NEARGRID_GHOST_PAIRS_ALL ? "pairs on both sides" : "pairs once");
  int32_t *copy_i = guarded(count + 1), *copy_j = guarded(count + 1);
  int64_t need = GUARD;
  OK(neargrid_pairs_copy(search, count + 1, &need, copy_i, copy_j));
  compare(need == count && same(copy_i, i, count, 0) && same(copy_j, j, count, 0), "copy of pairs");
  compare(copy_i[count] == GUARD && copy_j[count] == GUARD, "past the pairs");
  free(copy_i);
  free(copy_j);
  free(wanted);
}

static int64_t length_of(int64_t id, int full) {
  int64_t length = 0;
  for (int64_t k = 0; k < now->want.n; k++) length += want[k].left == id || (full && want[k].right == id);
  return length;
}

static void rows(neargrid_search *search, int full, int base) {
  int64_t n = GUARD, total = GUARD, sum = 0, all = 0;
  const int64_t *offsets = NULL;
  const int32_t *ids = NULL;
  OK(neargrid_neighbors_view(search, full ? NEARGRID_NEIGHBORS_FULL : NEARGRID_NEIGHBORS_HALF, &n, &total, &offsets, &ids));
  int ok = n == n_mine && offsets[0] == base && offsets[n] == total + base;
  for (int64_t k = 0; k < n && ok; k++) {
    const int64_t length = offsets[k + 1] - offsets[k];
    if (k % 50 == 0) ok = length == length_of(known[k], full);
    for (int64_t e = offsets[k] - base; e < offsets[k + 1] - base && ok; e++) {
      const int64_t id = known[ids[e] - base], self = known[k];
      const id_pair p = {id < self ? id : self, id < self ? self : id};
      ok = bsearch(&p, want, (size_t)now->want.n, sizeof p, by_ids) != NULL && (full || id > self);
      ok = ok && (e == offsets[k] - base || known[ids[e - 1] - base] < id);
    }
  }
  MPI_Allreduce(&total, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  sum = (full ? 2 : 1) * now->want.n;
  compare(ok && all == sum, full ? "full rows" : "half rows");
}

/* Global ids travel to the ghosts as a field. */
static void halo(neargrid_search *search) {
  int64_t *field = malloc(((size_t)(n_mine + n_ghosts) + 1) * sizeof *field);
  if (!field) exit(1);
  memcpy(field, known, (size_t)n_mine * sizeof *field);
  OK(neargrid_halo_exchange(search, sizeof *field, n_mine, field, n_ghosts, field + n_mine));
  compare(memcmp(field, known, (size_t)(n_mine + n_ghosts) * sizeof *field) == 0, "halo exchange");
  free(field);
}

static void run_case(neargrid_search *search) {
  const int base = (int)(now->number / 3 % 2);
  const int64_t stride = (int64_t)now->dim * now->width;
  OK(neargrid_search_set_index_base(search, base));
  OK(neargrid_search_set_cutoff(search, now->cutoff));
  OK(neargrid_search_set_tie_rule(search, now->rule));
  OK(neargrid_search_set_box(search, now->dim, now->lo, now->length, now->periodic));
  spread();
  if (now->width == 4) {
    const float *x = (const float *)mine;
    OK(neargrid_search_set_points_f32(search, now->dim, n_mine, x, x + 1, x + 2, stride));
  } else {
    const double *x = (const double *)mine;
    OK(neargrid_search_set_points_f64(search, now->dim, n_mine, x, x + 1, x + 2, stride));
  }
  OK(neargrid_search_set_ids(search, n_mine, known, sizeof *known));
  ghosts(search);
  pairs(search, NEARGRID_GHOST_PAIRS_LARGER_IDS, base);
  pairs(search, NEARGRID_GHOST_PAIRS_ALL, base);
  OK(neargrid_search_set_ghost_pairs(search, NEARGRID_GHOST_PAIRS_LARGER_IDS));
  rows(search, 0, base);
  rows(search, 1, base);
  halo(search);
  free(owner);
  free(known);
  free(mine);
  free(want);
}

int main(int argc, char **argv) {
  int64_t ncases = 0;
  begin(&argc, &argv);
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file) {
    fprintf(stderr, "no file of cases\n");
    return 1;
  }
  neargrid_search *search = new_across();
  must_read(&ncases, sizeof ncases, 1, file);
  for (int64_t k = 0; k < ncases; k++) {
    test_case c = read_case(file, k);
    now = &c;
    run_case(search);
    free_case(&c);
  }
  fclose(file);
  neargrid_search_destroy(search);
  return finish_all("across", (int)(10 * ncases));
}
