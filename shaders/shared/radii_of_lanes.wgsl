// The largest and smallest radius of what the lanes of a workgroup have, and whether a coordinate of it is saturated.
var<workgroup> largest: array<f32, WIDTH>;
var<workgroup> smallest: array<f32, WIDTH>;
var<workgroup> vague: array<u32, WIDTH>;

// Reduces each run of `lanes` lanes, a power of two, to the first lane of the run.
fn gather_radii(lane: u32, lanes: u32) {
    for (var half = lanes / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane % lanes < half {
            largest[lane] = max(largest[lane], largest[lane + half]);
            smallest[lane] = min(smallest[lane], smallest[lane + half]);
            vague[lane] |= vague[lane + half];
        }
    }
}
