// Radii in fixed-point units, in real32.
#import params
#import real
#import radius
#import node

// The radius of point `i` in units, rounded up, and at least one.
fn radius_units(i: u32) -> f32 {
    let r = radius(i);
    let exponent = r.exponent + params.shift;
    if exponent < -100 {
        return 1.0;
    }
    let unit = bitcast<f32>(u32(exponent + 127) << 23u);
    return max(rounded_up(real_of(r.mantissa)) * unit, 1.0);
}
