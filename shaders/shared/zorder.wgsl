// The state of the work on the index along the z-order curve; the device alone decides.
//
// A coordinate is a sign and bits at places: the bit of 2^b is at place b + 2048, so a place above 0 is one of a number. The
// curve goes by a window of bits, the same for all axes, and parts points by their highest differing bit. Signs are a bit too, above all others.
struct Zorder {
    // The highest place of a bit of any coordinate.
    magnitude: atomic<u32>,
    // The highest place at which the bits of any two points differ, signs aside.
    differs: atomic<u32>,
    // 1: signs differ on some axis.
    signs: atomic<u32>,
    // The highest place at which points of crowded cells differ; 0: there are none, or they coincide.
    crowd: atomic<u32>,
    // Coordinates too large for their unit.
    saturated: atomic<u32>,
    // The window: its highest place, and its lowest, which may be below that of any bit.
    top: u32,
    bottom: i32,
    // The place of signs, 0 where they are all the same.
    sign: u32,
    // The number of times that points were parted by a window.
    rounds: u32,
    // The digit to sort by next.
    shift: u32,
    // The plane to make next.
    plane: u32,
    // Windows so far.
    windows: u32,
    // Low bits of keys that do not count.
    drops: u32,
    // Points are sorted by all bits of the window's cell from this place on.
    sorted: i32,
    reserved_1: u32,
    reserved_2: u32,
}

@group(0) @binding(21) var<storage, read_write> zorder: Zorder;
