// What `count` found, kept for `fill` as far as there is room: a bit for each candidate, 32 candidates of a run a word. The
// rows of a workgroup of `count` stand side by side: word `w` of a row is GROUP words behind word `w - 1`.
const GROUP = 64u;
// A row with more words has none.
const MOST_WORDS = 64u;
// Base of a group without room.
const NO_MASKS = 0xffffffffu;
