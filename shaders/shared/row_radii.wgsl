// shared/row.wgsl for searches by radii, which are done with places: rows go by number.
#import params
#import chunk

fn row_of(i: u32) -> u32 {
    return i;
}

fn length_of_row(i: u32) -> u32 {
    let length = offsets[i + 1u].x - offsets[i].x;
    return length | select(0u, 0x80000000u, length > params.longest);
}
