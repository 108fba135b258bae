// Sums of words: for shared/scan_lanes.wgsl.
#import scan_lanes

alias Sum = u32;

fn add(a: u32, b: u32) -> u32 {
    return a + b;
}
