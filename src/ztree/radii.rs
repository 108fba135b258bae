//! A radius for each point, and for each node the largest of its points.

use super::{WHAT, ZTree, greater};
use crate::error::Result;
use crate::list::{Out, push, resize_discarding};
use crate::points::Real;
use crate::threads::Team;

impl<T: Real> ZTree<T> {
    /// Gives each point the radius that `radius` returns for its number.
    pub fn set_radii(&mut self, radius: impl Fn(usize) -> T + Sync, team: &Team) -> Result<()> {
        resize_discarding(&mut self.radii, self.entries.len(), T::default(), WHAT)?;
        let ids = &self.ids;
        Out::new(&mut self.radii).in_pieces(team, 1, |first, radii| {
            for k in 0..radii.len() {
                radii.write(k, radius(ids[first + k] as usize));
            }
        })?;
        while self.largest.len() < self.planes.len() {
            push(&mut self.largest, Vec::new(), WHAT)?;
        }
        self.largest.truncate(self.planes.len());
        for plane in 0..self.planes.len() {
            let (finer, largest) = self.largest.split_at_mut(plane);
            let of_parts = finer.last().unwrap_or(&self.radii);
            resize_discarding(&mut largest[0], self.planes[plane].len() - 1, T::default(), WHAT)?;
            for (to, ends) in largest[0].iter_mut().zip(self.planes[plane].windows(2)) {
                let parts = &of_parts[ends[0].first as usize..ends[1].first as usize];
                *to = parts.iter().fold(T::default(), |most, &radius| greater(most, radius));
            }
        }
        Ok(())
    }

    /// The points' radii in z-order.
    pub fn radii(&self) -> &[T] {
        &self.radii
    }

    /// The largest radius of a node's points.
    #[inline]
    pub fn largest_radius(&self, plane: usize, node: usize) -> T {
        self.largest[plane][node]
    }
}
