// shared/separation.wgsl where axes are periodic.
#import params
#import real
#import coords
#import nearest_image
#import triple

// The share of what a distance is made of by which it may err: twice as much, for what is taken from a period.
const HAZE = 1.0 / 524288.0;

// That of the image whose middle is nearest to the other box's. Points of the two are less than one and a half periods apart then,
// and a point may be nearer still by another image: `nearest` says.
fn nearest_corner(corner: Triple, size: vec3<f32>, own_size: vec3<f32>) -> Triple {
    let whole = Triple(params.period_low, params.period_high);
    let half = 0.5 * triple_real(whole);
    let middle = triple_real(corner) + 0.5 * (size - own_size);
    let lower = triple_subtract(corner, triple_where(whole, middle > half));
    return triple_add(lower, triple_where(whole, middle < -half));
}

fn nearest(d: vec3<f32>) -> vec3<f32> {
    let whole = triple_real(Triple(params.period_low, params.period_high));
    return select(abs(d), min(abs(d), abs(whole - abs(d))), whole > vec3(0.0));
}

fn difference(i: u32, j: u32, axis: u32, format: Format) -> Real {
    return to_nearest_image(real_subtract(coord(i, axis), coord(j, axis), format), axis, format);
}
