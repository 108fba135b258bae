//! The adaptive index: points in z-order, and planes of nodes over them with tight boxes.
//!
//! in: points; out: [`ZTree`], walked by the searches for k nearest, for groups and by radii. The points are sorted
//! along a z-order curve ([`order`](crate::order)); a leaf is the longest run of them that begins with the same bits of
//! their keys and has at most [`LEAF`] points, and each coarser plane allows `GROWTH` times more. So nodes are cells of
//! an octree, as small as there are points, and the nodes of a plane are runs of nodes of the finer one. Points that
//! coincide, more of them than a node may have, are cut into runs by number. Memory is linear in the points, whatever
//! their positions, and nothing is guessed. Here no cutoff is known, and no pair is decided.

mod bounds;
mod node;
mod planes;
mod radii;
mod runs;
mod tree;

pub use bounds::{diagonal2, extend, gap2, lengths};
pub(crate) use node::LEAF;
pub use node::{Node, greater, lesser};
pub use runs::Corners;
pub use tree::ZTree;
