// Points per cell become each cell's start, in place; the entry after the last cell becomes the number of points.
// CPU twin: `starts_from_histograms` in src/grid/build.rs.
#import shape
#import scan
#import sum_words

@group(0) @binding(1) var<storage, read> shape: Shape;
@group(0) @binding(5) var<storage, read_write> starts: array<u32>;
@group(0) @binding(9) var<storage, read_write> sums: array<u32>;

fn length() -> u32 {
    return shape.cells + 1u;
}

fn load(i: u32) -> u32 {
    return starts[i];
}

fn store(i: u32, sum: u32) {
    starts[i] = sum;
}
