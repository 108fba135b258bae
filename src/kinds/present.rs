//! Points of each type.
//!
//! in: types and roles; out: [`Present`], the number of points of each type.

use super::cutoffs::MAX_TYPES;
use super::roles::{ABSENT, Roles};

/// The number of points of each type: the points with rows, and all points that rows may list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Present {
    rows: [usize; MAX_TYPES],
    all: [usize; MAX_TYPES],
}

impl Present {
    /// Counts the points of each type. `of_ghosts`: ghosts have rows, too.
    pub fn new(types: &[u8], roles: &Roles, of_ghosts: bool) -> Present {
        let mut present = Present::default();
        for (i, &of) in types.iter().enumerate() {
            let is_there = roles.flags().get(i) != Some(&ABSENT);
            present.all[usize::from(of)] += usize::from(is_there);
            present.rows[usize::from(of)] += usize::from(roles.is_active(i));
        }
        if of_ghosts {
            present.rows = present.all;
        }
        present
    }

    /// The number of pairs of a row and a point of these types.
    pub fn pairs(&self, [a, b]: [usize; 2]) -> f64 {
        let pairs = |a: usize, b: usize| self.rows[a] as f64 * self.all[b] as f64;
        if a == b { pairs(a, b) } else { pairs(a, b) + pairs(b, a) }
    }

    /// Whether two points have these types, and one of them has a row. `with_images`: a point and its own periodic image count as
    /// two.
    pub fn has_pair(&self, [a, b]: [usize; 2], with_images: bool) -> bool {
        let is_there = |a: usize, b: usize| self.rows[a] > 0 && self.all[b] > usize::from(a == b && !with_images);
        is_there(a, b) || is_there(b, a)
    }
}
