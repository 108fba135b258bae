// Teams whose points reach so far that they leave part of what is near to others, who share it.
struct Far {
    count: u32,
    // The number of each, and the group of leaves from which on others look.
    teams: array<vec2<u32>>,
}
