// The difference of two points along an axis, by the caller's arithmetic.
#import real
#import coords

fn difference(i: u32, j: u32, axis: u32, format: Format) -> Real {
    return real_subtract(coord(i, axis), coord(j, axis), format);
}
