// Groups as trees: every point has a parent of a lower number, and the lowest of a group is its own.
//
// Links are never taken back, and whoever finds another's half done goes on from there: nobody waits.
@group(0) @binding(40) var<storage, read_write> parents: array<atomic<u32>>;

// Steps of one loop: some devices end loops that take longer.
const CLIMB = 32768u;

// The lowest of a group as far as it is known.
fn find(i: u32) -> u32 {
    var at = climb(i);
    while at.x != at.y {
        at = climb(at.x);
    }
    return at.x;
}

// So many steps up, and where the next leads. Who is passed gets its parent's parent for its own.
fn climb(i: u32) -> vec2<u32> {
    var at = vec2(i, atomicLoad(&parents[i]));
    for (var k = 0u; k < CLIMB && at.x != at.y; k++) {
        let above = atomicLoad(&parents[at.y]);
        if above != at.y {
            atomicStore(&parents[at.x], above);
        }
        at = vec2(at.y, above);
    }
    return at;
}

// Makes the groups of two points one; the lowest of it.
fn unite(i: u32, j: u32) -> u32 {
    var a = find(i);
    var b = find(j);
    while a != b {
        let high = max(a, b);
        b = min(a, b);
        if atomicCompareExchangeWeak(&parents[high], high, b).exchanged {
            return b;
        }
        a = find(high);
    }
    return a;
}
