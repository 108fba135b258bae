// Sines, cosines, tangents and angles. CPU twin: src/formula/functions/trigonometric.rs.
#import arithmetic
#import real

// Numbers of a smaller magnitude are their own sine and tangent.
const TINY = 6.103515625e-5f;
const TINY_EXPONENT = -15.0f;
const PI_4 = 0.78539818525314331f;
const PI_2_HIGH = 1.5707950592041016f;
const PI_2_LOW = 1.2675908465098473e-6f;

// A number of quarter turns, modulo 4, and a rest as the sum of two numbers.
struct Turns {
    quarters: u32,
    rest: vec2<f32>,
}

fn sine(x: f32) -> f32 {
    let magnitude = magnitude_of(x);
    if magnitude < TINY {
        return x;
    }
    if bitcast<u32>(magnitude) >= INFINITY_BITS {
        return number_of(NAN_BITS);
    }
    let turns = reduced(magnitude);
    var value = wide_sine(turns.rest).x;
    if (turns.quarters & 1u) == 1u {
        value = wide_cosine(turns.rest).x;
    }
    return negated_if(value, ((turns.quarters & 2u) != 0u) != (bitcast<u32>(x) >= SIGN_BIT));
}

fn cosine(x: f32) -> f32 {
    let magnitude = magnitude_of(x);
    if bitcast<u32>(magnitude) >= INFINITY_BITS {
        return number_of(NAN_BITS);
    }
    let turns = reduced(magnitude);
    var value = wide_cosine(turns.rest).x;
    if (turns.quarters & 1u) == 1u {
        value = wide_sine(turns.rest).x;
    }
    return negated_if(value, ((turns.quarters + 1u) & 2u) != 0u);
}

fn tangent(x: f32) -> f32 {
    let magnitude = magnitude_of(x);
    if magnitude < TINY {
        return x;
    }
    if bitcast<u32>(magnitude) >= INFINITY_BITS {
        return number_of(NAN_BITS);
    }
    let turns = reduced(magnitude);
    let s = wide_sine(turns.rest);
    let c = wide_cosine(turns.rest);
    let is_even = (turns.quarters & 1u) == 0u;
    let value = wide_quotient(select(c, s, is_even), select(s, c, is_even));
    return negated_if(value.x + value.y, is_even == (bitcast<u32>(x) >= SIGN_BIT));
}

// The quarter turns nearest to a finite number, which is not negative, and the rest.
fn reduced(x: f32) -> Turns {
    if x < PI_4 {
        return Turns(0u, vec2(x, 0.0));
    }
    let turns = quarter_turns(x);
    let product = wide_product(turns.rest.x, PI_2_HIGH);
    let low = product.y + (turns.rest.x * PI_2_LOW + turns.rest.y * PI_2_HIGH);
    return Turns(turns.quarters, wide_sum(product.x, low));
}

// The same in quarter turns, of a number from pi/4 up, by integers.
fn quarter_turns(x: f32) -> Turns {
    // x = m * 2^e. Of the digits of 2/pi, those whose product with 2^e is a multiple of 4 do not matter. The three words from there
    // on make the product right to 2^-70, and the rest of no number is below 2^-31.
    var digits = array<u32, 8>(
        0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu
    );
    let bits = bitcast<u32>(x);
    let m = (bits & FRACTION) | HIDDEN_BIT;
    let first = (bits >> 23u) - 120u;
    let at = first >> 5u;
    let skipped = first & 31u;
    let a = digits[at];
    let b = digits[at + 1u];
    let c = digits[at + 2u];
    let d = digits[at + 3u];
    let low = multiply_wide(m, (c << skipped) | ((d >> 1u) >> (31u - skipped)));
    let middle = add64(multiply_wide(m, (b << skipped) | ((c >> 1u) >> (31u - skipped))), vec2(low.y, 0u));
    let high = m * ((a << skipped) | ((b >> 1u) >> (31u - skipped))) + middle.y;
    // In quarter turns: two digits before the point, and then those of a rest that is negative from 1/2 on.
    let quarters = ((high >> 29u) + 1u) >> 1u;
    let rest = vec2((middle.x << 2u) | (low.x >> 30u), (high << 2u) | (middle.x >> 30u));
    let is_negative = rest.y >= SIGN_BIT;
    let magnitude = select(rest, subtract64(vec2(0u), rest), is_negative) | vec2(1u, 0u);
    let zeros = select(countLeadingZeros(magnitude.y), 32u + countLeadingZeros(magnitude.x), magnitude.y == 0u);
    let shifted = shift_left64(magnitude, zeros);
    let k = -i32(zeros);
    let turns = f32(shifted.y >> 8u) * power_of_2(k - 24);
    let more = f32(((shifted.y & 0xffu) << 16u) | (shifted.x >> 16u)) * power_of_2(k - 48);
    return Turns(quarters & 3u, vec2(negated_if(turns, is_negative), negated_if(more, is_negative)));
}

// The sine and cosine of the sum of two numbers, from -pi/4 to pi/4.
fn wide_sine(x: vec2<f32>) -> vec2<f32> {
    let x2 = x.x * x.x;
    return wide_sum(x.x, x.x * x2 * sine_series(x2) + (x.y - x.y * (x2 * 0.5)));
}

fn wide_cosine(x: vec2<f32>) -> vec2<f32> {
    let x2 = x.x * x.x;
    let value = wide_sum(1.0, negated(x2 * 0.5));
    return wide_sum(value.x, value.y + (x2 * x2 * cosine_series(x2) - x.x * x.y));
}

fn sine_series(x: f32) -> f32 {
    var series = 1f / 362880f;
    series = series * x - 1f / 5040f;
    series = series * x + 1f / 120f;
    return series * x - 1f / 6f;
}

fn cosine_series(x: f32) -> f32 {
    var series = -1f / 3628800f;
    series = series * x + 1f / 40320f;
    series = series * x - 1f / 720f;
    return series * x + 1f / 24f;
}

// The angle from the first axis to the point (x, y).
fn angle_of(y: f32, x: f32) -> f32 {
    if is_nan(x) || is_nan(y) {
        return number_of(NAN_BITS);
    }
    let rise = magnitude_of(y);
    let run = magnitude_of(x);
    let is_steep = bitcast<u32>(run) < bitcast<u32>(rise);
    let angle = eighths_of_turn(select(rise, run, is_steep), select(run, rise, is_steep));
    let is_behind = bitcast<u32>(x) >= SIGN_BIT;
    let is_less = is_steep != is_behind; // than so many eighths of a turn
    let of_quarter = select(angle.eighths, 2.0 - angle.eighths, is_steep);
    let quarters = select(of_quarter, 4.0 - of_quarter, is_behind) * 0.5;
    let sum = wide_sum(quarters * PI_2_HIGH, negated_if(angle.more.x, is_less));
    let value = sum.x + (sum.y + (quarters * PI_2_LOW + negated_if(angle.more.y, is_less)));
    return negated_if(value, bitcast<u32>(y) >= SIGN_BIT);
}

// Eighths of a turn, and the sum of two numbers more.
struct Angle {
    eighths: f32,
    more: vec2<f32>,
}

// The angle whose tangent is a / b, for a from 0 to b.
fn eighths_of_turn(a: f32, b: f32) -> Angle {
    if is_zero(a) || bitcast<u32>(b) == INFINITY_BITS {
        return Angle(select(0.0, 1.0, bitcast<u32>(a) == INFINITY_BITS), vec2(0.0));
    }
    let m = parts_of(a);
    let n = parts_of(b);
    if m.k - n.k < TINY_EXPONENT {
        return Angle(0.0, vec2(divide(a, b), 0.0));
    }
    let rise = scaled(m.m, m.k - n.k);
    // Above tan(pi/8) it is pi/4 + atan((a - b)/(a + b)).
    let is_large = n.m * 0.4142f < rise;
    var dividend = vec2(rise, 0.0);
    var divisor = vec2(n.m, 0.0);
    if is_large {
        dividend = wide_sum(rise, -n.m);
        divisor = wide_sum(rise, n.m);
    }
    let z = wide_quotient(dividend, divisor);
    let z2 = z.x * z.x;
    let more = z.x * z2 * angle_series(z2) + (z.y - z.y * z2);
    return Angle(select(0.0, 1.0, is_large), vec2(z.x, more));
}

fn angle_series(x: f32) -> f32 {
    var series = -0.064513534f;
    series = series * x + 0.10743558f;
    series = series * x - 0.1426394f;
    series = series * x + 0.1999954f;
    return series * x - 0.3333333f;
}
