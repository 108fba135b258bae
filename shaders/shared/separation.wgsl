// The separation of two points, where no axis is periodic.
#import real
#import coords
#import triple

// The share of what a distance is made of by which it may err.
const HAZE = 1.0 / 1048576.0;

// The corner of a box as seen from that of another one, by the sizes of both.
fn nearest_corner(corner: Triple, size: vec3<f32>, own_size: vec3<f32>) -> Triple {
    return corner;
}

// The part of a difference of two points that counts.
fn nearest(d: vec3<f32>) -> vec3<f32> {
    return d;
}

// The difference of two points along an axis, by the caller's arithmetic.
fn difference(i: u32, j: u32, axis: u32, format: Format) -> Real {
    return real_subtract(coord(i, axis), coord(j, axis), format);
}
