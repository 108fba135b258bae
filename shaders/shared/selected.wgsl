// `Rows` of shared/rows.wgsl while they are being selected.
struct Selected {
    short_workgroups: vec3<u32>,
    shorts: atomic<u32>,
    long_workgroups: vec3<u32>,
    longs: atomic<u32>,
    places: array<u32>,
}

@group(0) @binding(14) var<storage, read_write> selected: Selected;
