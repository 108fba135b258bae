// shared/difference.wgsl for formulas in real64: the difference itself, to the nearest image. CPU twin: `Periods::difference` in
// src/domain.rs.
#import double

fn difference_of(a: vec2<u32>, b: vec2<u32>, whole: vec2<u32>) -> f64 {
    let difference = double(a) - double(b);
    if all(whole == vec2(0u)) {
        return difference;
    }
    let length = double(whole);
    let half = length * 0.5lf;
    if difference > half {
        return difference - length;
    }
    return select(difference, difference + length, difference < -half);
}
