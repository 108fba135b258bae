/* Arrays of elements of any size, moved by an order and back, in place and apart; what is refused. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

/* Elements of any size are between fences; nothing beside them is touched. */
static void sizes(int base) {
  enum { FEW = 300 };
  int32_t few[FEW];
  for (int k = 0; k < FEW; k++) few[k] = (k * 7 + 5) % FEW + base;
  for (int64_t bytes = 1; bytes <= 33; bytes++) {
    fenced ff = fence((size_t)(FEW * bytes)), ft = fence((size_t)(FEW * bytes)), fo = fence(sizeof few);
    unsigned char *from = ff.start, *to = ft.start;
    int right = 1, back = 1;
    memcpy(fo.start, few, sizeof few);
    for (int64_t k = 0; k < FEW * bytes; k++) from[k] = (unsigned char)(k * 31 + k / 256);
    OK(neargrid_reorder(NEARGRID_DIRECTION_REORDER, FEW, fo.start, base, bytes, from, to));
    for (int64_t k = 0; k < FEW; k++)
      right = right && memcmp(to + k * bytes, from + (few[k] - base) * bytes, (size_t)bytes) == 0;
    CHECK(right);
    OK(neargrid_reorder(NEARGRID_DIRECTION_REORDER, FEW, fo.start, base, bytes, from, from));
    CHECK(memcmp(from, to, (size_t)(FEW * bytes)) == 0);
    OK(neargrid_reorder(NEARGRID_DIRECTION_RESTORE, FEW, fo.start, base, bytes, to, from));
    for (int64_t k = 0; k < FEW * bytes; k++) back = back && from[k] == (unsigned char)(k * 31 + k / 256);
    CHECK(back);
    unfence(ff);
    unfence(ft);
    unfence(fo);
  }
}

static const double LINE[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

static neargrid_search *line(void) {
  neargrid_search *search = new_search(1.5);
  OK(neargrid_search_set_points_f64(search, 1, 10, LINE, NULL, NULL, 8));
  return search;
}

/* The text names the argument, its value and what is allowed; nothing is written. */
static void orders(void) {
  neargrid_search *search = line();
  int32_t order[11], to[10];
  for (int k = 0; k < 11; k++) order[k] = GUARD;
  for (int k = 0; k < 10; k++) to[k] = GUARD;
  REFUSED(neargrid_search_order(search, 9, order), BAD_COUNT, "n = 9|10, the number of points set");
  REFUSED(neargrid_search_order(search, 11, order), BAD_COUNT, "n = 11");
  REFUSED(neargrid_search_order(search, -1, order), BAD_COUNT, "n = -1");
  REFUSED(neargrid_search_order(search, 10, NULL), NULL_POINTER, "order is NULL");
  CHECK(untouched(order, 0, 11));
  OK(neargrid_search_order(search, 10, order));
  CHECK(order[0] == 0 && order[9] == 9 && order[10] == GUARD);
  neargrid_search_destroy(search);
  OK(neargrid_search_create(NEARGRID_ABI_VERSION, &search));
  REFUSED(neargrid_search_order(search, 0, NULL), BAD_STATE, "points|set_points");
  neargrid_search_destroy(search);
  for (int restoring = 0; restoring <= 1; restoring++) {
    const int32_t way = restoring ? NEARGRID_DIRECTION_RESTORE : NEARGRID_DIRECTION_REORDER;
    int32_t wrong[10];
    memcpy(wrong, order, sizeof wrong);
    REFUSED(neargrid_reorder(way, -1, order, 0, 4, order, to), BAD_COUNT, "n = -1");
    REFUSED(neargrid_reorder(way, INT64_MAX, order, 0, 4, order, to), BAD_COUNT, "n = 9223372036854775807");
    REFUSED(neargrid_reorder(way, 10, order, 0, 0, order, to), BAD_VALUE, "element_bytes = 0");
    REFUSED(neargrid_reorder(way, 10, order, 0, -8, order, to), BAD_VALUE, "element_bytes = -8");
    REFUSED(neargrid_reorder(way, 10, order, 0, INT64_MAX, order, to), BAD_VALUE, "element_bytes = 9223372036854775807");
    REFUSED(neargrid_reorder(way, 10, NULL, 0, 4, LINE, to), NULL_POINTER, "order is NULL");
    REFUSED(neargrid_reorder(way, 10, order, 0, 4, NULL, to), NULL_POINTER, "from is NULL");
    REFUSED(neargrid_reorder(way, 10, order, 0, 4, LINE, NULL), NULL_POINTER, "to is NULL");
    REFUSED(neargrid_reorder(way, 10, order, 2, 4, LINE, to), BAD_VALUE, "base = 2");
    REFUSED(neargrid_reorder(way, 10, order, -1, 4, LINE, to), BAD_VALUE, "base = -1");
    REFUSED(neargrid_reorder(way, 10, order, 1, 4, LINE, to), BAD_VALUE, "element 1 of order is 0|1 to 10, each once");
    REFUSED(neargrid_reorder(way, 9, order, 0, 4, order, order + 1), BAD_VALUE, "to = an array that overlaps from");
    REFUSED(neargrid_reorder(way, 9, order, 0, 4, order + 1, order), BAD_VALUE, "to = an array that overlaps from");
    REFUSED(neargrid_reorder(way, 10, order, 0, 4, LINE, order), BAD_VALUE, "to = an array that overlaps order");
    REFUSED(neargrid_reorder(way, 10, order, 0, 4, order, order), BAD_VALUE, "to = an array that overlaps order");
    wrong[7] = 3;
    REFUSED(neargrid_reorder(way, 10, wrong, 0, 4, LINE, to), BAD_VALUE, "element 7 of order is 3|0 to 9, each once");
    REFUSED(neargrid_reorder(way, 10, wrong, 0, 4, to, to), BAD_VALUE, "element 7 of order is 3");
    wrong[7] = 10;
    REFUSED(neargrid_reorder(way, 10, wrong, 0, 3, LINE, to), BAD_VALUE, "element 7 of order is 10");
    wrong[7] = INT32_MIN;
    REFUSED(neargrid_reorder(way, 10, wrong, 0, 1, LINE, to), BAD_VALUE, "element 7 of order is -2147483648");
    OK(neargrid_reorder(way, 0, NULL, 0, 4, NULL, NULL));
    REFUSED(neargrid_reorder(2 + way, 0, NULL, 0, 4, NULL, NULL), BAD_VALUE, "direction = |0 (reorder) or 1 (restore)");
    CHECK(untouched(to, 0, 10) && order[0] == 0 && order[9] == 9);
  }
}

int main(void) {
  for (int base = 0; base <= 1; base++) sizes(base);
  orders();
  return finish("order", 200);
}
