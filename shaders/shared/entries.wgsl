// The entries of a sort: for each place of the curve a key and the number of a point.
@group(0) @binding(22) var<storage, read_write> entries: array<vec2<u32>>;
