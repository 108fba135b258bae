// Three integers of 64 bits, one an axis, in two's complement.
struct Triple {
    low: vec3<u32>,
    high: vec3<u32>,
}

fn triple_add(a: Triple, b: Triple) -> Triple {
    let low = a.low + b.low;
    return Triple(low, a.high + b.high + select(vec3(0u), vec3(1u), low < a.low));
}

fn triple_subtract(a: Triple, b: Triple) -> Triple {
    return Triple(a.low - b.low, a.high - b.high - select(vec3(0u), vec3(1u), a.low < b.low));
}

// Those of `a` that `wanted` says, 0 for the others.
fn triple_where(a: Triple, wanted: vec3<bool>) -> Triple {
    return Triple(select(vec3(0u), a.low, wanted), select(vec3(0u), a.high, wanted));
}

// In real32, each but for a part of less than 2^-21, however a device rounds.
fn triple_real(a: Triple) -> vec3<f32> {
    let negative = vec3<i32>(a.high) < vec3(0);
    let minus = triple_subtract(Triple(vec3(0u), vec3(0u)), a);
    let low = select(a.low, minus.low, negative);
    let high = select(a.high, minus.high, negative);
    let size = vec3<f32>(high) * 4294967296.0 + vec3<f32>(low);
    return select(size, -size, negative);
}
