// Exponentials with twice the digits, and the hyperbolic tangent. CPU twin: src/formula/functions/exponential.rs.
#import arithmetic

// The sum of two numbers times 2^k.
struct Exponential {
    power: vec2<f32>,
    k: f32,
}

// e to the power of the sum of two numbers, of which the second is at most a rounding error of the first. It is finite and not 0.
fn wide_exp(x: f32, low: f32) -> Exponential {
    let k = floor(x * LOG2_E + 0.5);
    let rest = wide_sum(x - k * LN_2_HIGH, low - k * LN_2_LOW);
    let more = rest.x * rest.x * exp_series(rest.x) + (rest.y + rest.y * rest.x);
    let above_one = wide_sum(rest.x, more);
    let power = wide_sum(1.0, above_one.x);
    return Exponential(vec2(power.x, power.y + above_one.y), k);
}

fn hyperbolic_tangent(x: f32) -> f32 {
    let magnitude = magnitude_of(x);
    if magnitude < 6.103515625e-5f || is_nan(x) {
        return x;
    }
    if magnitude < 0.55f {
        let x2 = x * x;
        return x + x * x2 * tanh_series(x2);
    }
    // 1 - 2 / (e^2x + 1), which is 1 from 20 on.
    let e = wide_exp(2.0 * select(20.0, magnitude, magnitude < 20.0), 0.0);
    let sum = wide_sum(scaled(e.power.x, e.k), 1.0);
    let value = 1.0 - divide(2.0, sum.x + (sum.y + scaled(e.power.y, e.k)));
    return negated_if(value, bitcast<u32>(x) >= SIGN_BIT);
}

fn tanh_series(x: f32) -> f32 {
    var series = -0.0066102277f;
    series = series * x + 0.021309389f;
    series = series * x - 0.05390943f;
    series = series * x + 0.13333113f;
    return series * x - 0.3333333f;
}
