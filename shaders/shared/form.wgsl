// The form of the stages: `Form` in src/gpu/shader.rs fills this in.

// Coordinates along the z-order curve have two words, the second of what the first leaves.
const WIDE = $wide;
// Some axis is periodic.
const PERIODIC = $periodic;
// Neighbors of a row, where they are few enough for lanes to keep.
const K = $k;
// Neighbors that a workgroup has room for, k and new ones, and for second words of distances.
const ROOM = $room;
const ROOM_LOW = $low_room;
