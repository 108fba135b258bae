// The error function and its complement. CPU twin: src/formula/functions/erf.rs.
#import arithmetic
#import wide_exponential

fn error_function(x: f32) -> f32 {
    let magnitude = magnitude_of(x);
    if magnitude < 0.5 || is_nan(x) {
        return near_erf(x).x;
    }
    return negated_if(1.0 - upper_erfc(magnitude), bitcast<u32>(x) >= SIGN_BIT);
}

fn complementary_error(x: f32) -> f32 {
    let magnitude = magnitude_of(x);
    if magnitude < 0.5 || is_nan(x) {
        let value = near_erf(x);
        let rest = wide_sum(1.0, negated(value.x));
        return rest.x + (rest.y - value.y);
    }
    let upper = upper_erfc(magnitude);
    if bitcast<u32>(x) >= SIGN_BIT {
        return 2.0 - upper;
    }
    return upper;
}

// erf of a number of up to 0.5, as the sum of two.
fn near_erf(x: f32) -> vec2<f32> {
    return wide_sum(x, x * erf_series(x * x));
}

// erfc of a number of 0.5 or more: (1 + 2x) exp(x^2) erfc(x) lies between 1.1 and 1.3.
fn upper_erfc(x: f32) -> f32 {
    if x > 10.1f {
        return 0.0;
    }
    let square = wide_product(x, x);
    let e = wide_exp(-square.x, negated(square.y));
    let t = divide(x - 3.0, x + 3.0);
    let factor = wide_sum(1.253008f, t * erfc_series(t));
    let factor_low = factor.y + 5.0817512e-8f;
    let product = wide_product(e.power.x, factor.x);
    let low = product.y + (e.power.x * factor_low + e.power.y * factor.x);
    let value = wide_quotient(vec2(product.x, low), wide_sum(1.0, x + x));
    return scaled(value.x + value.y, e.k);
}

fn erf_series(x: f32) -> f32 {
    var series = 0.0047190827f;
    series = series * x - 0.026757732f;
    series = series * x + 0.112828314f;
    series = series * x - 0.37612608f;
    return series * x + 0.12837917f;
}

fn erfc_series(x: f32) -> f32 {
    var series = -0.00019257423f;
    series = series * x - 0.0006990824f;
    series = series * x + 0.0019580105f;
    series = series * x + 0.0025105278f;
    series = series * x - 0.023789601f;
    series = series * x + 0.06830984f;
    series = series * x - 0.1192715f;
    series = series * x + 0.1296451f;
    series = series * x - 0.04756238f;
    return series * x - 0.1356211f;
}
