/* Arrays of elements of any size, moved by an order and back, in place and apart. */
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

int main(void) {
  for (int base = 0; base <= 1; base++) sizes(base);
  return finish("order", 200);
}
