//! Global ids: numbers of the caller that points keep wherever they are held, and that decide order and ties.
//!
//! in: the caller's ids, and which points are active; out: the [`Order`] in which the points are searched, in which a
//! half row is what follows its point, and [`OutputMap`], which brings rows in that order back to the places and
//! numbers of the caller.

mod global;
mod order;
mod output_map;

pub use global::{Entry, GlobalIds};
pub use order::{Arrangement, Order};
pub use output_map::{Labels, Offsets, OutputMap, Places};
