// shared/row.wgsl for searches by radii, which are done with places: rows go by number, and those found in order are left out.
#import params
#import chunk
#import direct

fn row_of(i: u32) -> u32 {
    return i;
}

fn length_of_row(i: u32) -> u32 {
    if is_direct(i) {
        return 0u;
    }
    let length = row_start(i + 1u) - row_start(i);
    return length | select(0u, 0x80000000u, length > params.longest);
}
