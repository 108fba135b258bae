// The neighbors that `seek_count` found, kept for `seek_fill` as far as there is room: blocks of up to 32 entries, chained from the last of a
// team's blocks to its first. A block begins with where the one before is, and how many entries it has. An entry has a row
// of the leaf in the upper five bits of a word and below them a leaf near it, and in the other a bit for each of that leaf's
// points that was found.

// Before the last blocks of all teams: how much of the blocks is taken, and the low and the high word of all tests.
const TAKEN = 0u;
const TESTS_LOW = 1u;
const TESTS_HIGH = 2u;
const LAST_BLOCKS = 3u;

// There is no block; the blocks had no room.
const NO_BLOCK = 0xffffffffu;
const NO_ROOM = 0xfffffffeu;
