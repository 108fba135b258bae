// A question for groups. Rust twin: `Linking` in src/gpu/fof.rs.
//
// Lengths are in the units of the coordinates along the curve.
struct Linking {
    // Of periodic axes, in two words; 0 of open ones.
    period_high: vec3<f32>,
    // The linking length.
    radius: f32,
    period_low: vec3<f32>,
    // The error of a measured distance, beside its share in shared/near.wgsl: always;
    slack: f32,
    // so much for each unit that the points are away from 0;
    share: f32,
    // and where a period is taken off.
    around: f32,
    // Farther from 0 than this a coordinate may be cut off, and nothing is sure.
    border: f32,
    reserved: f32,
}

@group(0) @binding(39) var<uniform> linking: Linking;
