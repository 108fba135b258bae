// Whether two points with radii are neighbors: the last word.
#import params
#import real
#import radius
#import separation

// Decides by the caller's arithmetic, as the oracle does. `i` is the owner.
fn is_pair(i: u32, j: u32) -> bool {
    let format = format();
    var d2 = Real();
    for (var axis = 0u; axis < params.dim; axis++) {
        d2 = real_add_square(d2, difference(i, j, axis, format), axis, format);
    }
    let c = cutoff(i, j, format);
    let bound = real_multiply(c, c, format);
    if params.exclusive == 1u {
        return !real_at_most(bound, d2);
    }
    return real_at_most(d2, bound);
}
