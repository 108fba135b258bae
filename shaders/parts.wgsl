// The sizes of dispatches of work by radii, once it is listed.
#import parts
#import far
#import direct
#import rows
#import lay_out

@group(0) @binding(37) var<storage, read_write> far: Far;

@compute @workgroup_size(1)
fn size_far() {
    far.workgroups = lay_out(far.count * far_parts());
}

@compute @workgroup_size(1)
fn size_selected() {
    far.direct_workgroups = lay_out(atomicLoad(&direct.count) * direct_parts());
    far.long_workgroups = lay_out(atomicLoad(&rows.count));
}
