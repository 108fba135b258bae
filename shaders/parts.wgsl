// The sizes of dispatches of work that is divided in parts, once it is listed.
#import parts
#import far
#import direct
#import lay_out

struct Rows {
    count: u32,
    reserved: u32,
}

@group(0) @binding(37) var<storage, read_write> far: Far;
@group(0) @binding(38) var<storage, read> direct: Rows;

@compute @workgroup_size(1)
fn size_far() {
    far.workgroups = lay_out(far.count * far_parts());
}

@compute @workgroup_size(1)
fn size_direct() {
    far.direct_workgroups = lay_out(direct.count * direct_parts());
}
