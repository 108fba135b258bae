// The places whose rows are to be filled: short rows from the front on, long rows from the back. The counts, and the
// workgroups of the indirect dispatches that fill them.
struct Rows {
    // Workgroups for the short rows.
    short_workgroups: vec3<u32>,
    shorts: u32,
    // Workgroups for the long rows, one each.
    long_workgroups: vec3<u32>,
    longs: u32,
    places: array<u32>,
}
