// What the stages are made for: `Form` in src/gpu/shader.rs fills this in.

// Coordinates along the z-order curve have two words, the second of what the first leaves.
const WIDE = $wide;
// Some axis is periodic.
const PERIODIC = $periodic;
