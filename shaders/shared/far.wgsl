// Teams whose points reach so far that they leave part of what is near to others, who share it.
struct Far {
    // Workgroups for them, one for each part of a team's, for rows that are found in order (shared/direct.wgsl), and for long ones.
    workgroups: vec3<u32>,
    count: u32,
    direct_workgroups: vec3<u32>,
    reserved: u32,
    long_workgroups: vec3<u32>,
    reserved_2: u32,
    // The number of each, and the group of leaves from which on others look.
    teams: array<vec2<u32>>,
}
