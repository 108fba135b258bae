// The rows by place: whose each is, and how long, with the top bit set where it is long.
#import sorted

@group(0) @binding(12) var<storage, read> found: array<u32>;

fn row_of(place: u32) -> u32 {
    return u32(point(place).w);
}

fn length_of_row(place: u32) -> u32 {
    return found[place];
}
