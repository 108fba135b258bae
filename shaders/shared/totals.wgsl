// Sums, the largest and the smallest of the terms that the points of a workgroup have. Sums are exact. The host joins the workgroups. CPU
// twin: `Total` in src/formula/evaluate/points.rs.
#import digits

const WIDTH = 256u;

// Words of a workgroup: flags, then of each sum its flags and digits, then the bounds.
@group(0) @binding(33) var<storage, read_write> totals: array<u32>;

// The digits of sums, each of 16 bits and as large as their terms have made it.
var<workgroup> digits: array<atomic<i32>, max(DIGITS, 1u)>;
// Of each sum the kinds of its terms that are not finite; and first 1: the host has to look at some point.
var<workgroup> flags: array<atomic<u32>, FLAGS>;
var<workgroup> bounds: array<Number, WIDTH>;

const HAS_NAN = 1u;
const HAS_INFINITY = 2u;
const HAS_NEGATIVE_INFINITY = 4u;

fn begin_totals(lane: u32) {
    for (var k = lane; k < DIGITS; k += WIDTH) {
        atomicStore(&digits[k], 0);
    }
    for (var k = lane; k < FLAGS; k += WIDTH) {
        atomicStore(&flags[k], 0u);
    }
    begin_bounds();
    workgroupBarrier();
}

fn end_totals(share: u32, lane: u32) {
    workgroupBarrier();
    let at = share * (FLAGS + DIGITS + BOUND_WORDS);
    for (var k = lane; k < FLAGS; k += WIDTH) {
        totals[at + k] = atomicLoad(&flags[k]);
    }
    for (var k = lane; k < DIGITS; k += WIDTH) {
        totals[at + FLAGS + k] = bitcast<u32>(atomicLoad(&digits[k]));
    }
    end_bounds(at + FLAGS + DIGITS, lane);
}

fn ask_host() {
    atomicOr(&flags[0], 1u);
}

// Adds a term to the sum of that number.
fn add_term(sum: u32, term: Number) {
    if is_finite(term) {
        add_digits(sum, term);
        return;
    }
    let kind = select(select(HAS_INFINITY, HAS_NEGATIVE_INFINITY, is_negative(term)), HAS_NAN, is_nan(term));
    atomicOr(&flags[1u + sum], kind);
}

// Adds 32 bits, of which the lowest is `bit` bits above the lowest of all.
fn add_word(sum: u32, word: u32, bit: u32, subtracts: bool) {
    let at = sum * SUM_DIGITS + bit / 16u;
    let shift = bit % 16u;
    let low = word << shift;
    let high = select(0u, word >> (32u - shift), shift > 0u);
    let sign = select(1, -1, subtracts);
    atomicAdd(&digits[at], sign * i32(low & 0xffffu));
    atomicAdd(&digits[at + 1u], sign * i32(low >> 16u));
    atomicAdd(&digits[at + 2u], sign * i32(high));
}

// Whether a number is before another one. -0 is before 0.
fn is_before(a: Number, b: Number) -> bool {
    return is_less(a, b) || (is_equal(a, b) && is_negative(a) && !is_negative(b));
}

// Brings the largest bound of all lanes, or the smallest, to the first one.
fn join_bounds(bound: Number, largest: bool, lane: u32) -> Number {
    bounds[lane] = bound;
    workgroupBarrier();
    for (var half = WIDTH / 2u; half > 0u; half /= 2u) {
        if lane < half {
            let own = bounds[lane];
            let other = bounds[lane + half];
            bounds[lane] = select(own, other, select(is_before(other, own), is_before(own, other), largest));
        }
        workgroupBarrier();
    }
    let joined = bounds[0];
    workgroupBarrier();
    return joined;
}
