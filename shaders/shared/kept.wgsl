// What `seek_count` found, kept for `seek_fill` as far as there is room: blocks of up to 32 leaves with a bit for each point that
// was found, chained from the last of a point's blocks to its first. A block begins with where the one before is, and how
// many leaves it has.

// There is no block; the blocks had no room.
const NO_BLOCK = 0xffffffffu;
const NO_ROOM = 0xfffffffeu;
