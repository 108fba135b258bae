// Points that reach so far that a team leaves part of what is near them to others, who share it.
struct Far {
    count: u32,
    // The place of each, and the group of leaves from which on others look.
    rows: array<vec2<u32>>,
}
