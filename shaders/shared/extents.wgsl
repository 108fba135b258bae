// Extents of shares of the points, three a workgroup (one per axis): biased lowest (x, y) and highest (z, w).
@group(0) @binding(3) var<storage, read_write> extents: array<vec4<u32>>;
