// The index that searches read: the box of cells, where each cell starts, and the cell of each place.
#import shape

@group(0) @binding(1) var<storage, read> shape: Shape;
@group(0) @binding(5) var<storage, read> starts: array<u32>;
@group(0) @binding(8) var<storage, read> cells: array<u32>;

// Coordinates of a cell.
fn cell_coords(cell: u32) -> vec3<u32> {
    let row = cell / shape.dims.x;
    return vec3(cell % shape.dims.x, row % shape.dims.y, row / shape.dims.y);
}
