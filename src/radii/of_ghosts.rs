//! Radii of ghosts of other ranks, after those that the caller set.

use super::Radii;
use crate::error::Result;
use crate::points::Values;
use crate::version::Version;

impl Radii {
    /// The largest radius of all points and queries.
    pub fn most(&self) -> f64 {
        self.points.largest().max(self.queries.largest())
    }

    /// The radii of points, and how many of them the caller set: the first ones.
    pub fn own(&self) -> (&Values, usize) {
        (&self.points, self.points.len() - self.of_ghosts)
    }

    /// Makes the radii that `bytes` are those of ghosts, after those that the caller set.
    pub fn set_ghosts(&mut self, bytes: &[u8]) -> Result<()> {
        let (_, own) = self.own();
        self.points.truncate(own);
        (self.of_ghosts, self.version) = (0, Version::new());
        self.points.append_bytes(bytes, "the radii of ghosts")?;
        self.of_ghosts = self.points.len() - own;
        Ok(())
    }
}
