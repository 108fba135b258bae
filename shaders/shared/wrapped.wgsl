// A coordinate brought into a periodic axis. One that is not finite, or farther than a length from the axis, is left to the host. CPU
// twin: `Periods::wrap` in src/domain.rs.
fn wrapped(x: Number, axis: u32) -> Number {
    let length = of_words(params.length_low[axis], params.length_high[axis]);
    if is_zero(length) || !is_finite(x) {
        if !is_finite(x) {
            ask_host();
        }
        return x;
    }
    let lo = of_words(params.lo_low[axis], params.lo_high[axis]);
    let hi = lo + length;
    if !is_less(x, lo) && is_less(x, hi) {
        return x;
    }
    var above = x - lo;
    let magnitude = magnitude_of(above);
    if !is_less(magnitude, length) {
        let rest = magnitude - length; // exact below another length
        if !is_less(rest, length) || is_zero(rest) {
            ask_host();
            return x;
        }
        above = select(rest, negated(rest), is_negative(above));
    }
    if is_negative(above) && !is_zero(above) {
        above += length;
    }
    let moved = lo + above;
    return select(lo, moved, is_less(moved, hi));
}
