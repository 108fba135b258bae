//! A radius for each point, and for each node the largest and the smallest of its points.

use super::node::{Node, WHAT, greater, lesser};
use super::tree::ZTree;
use crate::error::Result;
use crate::list::{Out, push, resize_discarding};
use crate::real::Real;
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
        fold_up(&self.planes, &self.radii, &mut self.largest, greater)?;
        fold_up(&self.planes, &self.radii, &mut self.smallest, lesser)
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

    /// The smallest radius of a node's points.
    #[inline]
    pub fn smallest_radius(&self, plane: usize, node: usize) -> T {
        self.smallest[plane][node]
    }
}

/// Makes one number for each node out of those of its points.
fn fold_up<T: Real>(
    planes: &[Vec<Node<T>>],
    of_points: &[T],
    folded: &mut Vec<Vec<T>>,
    fold: impl Fn(T, T) -> T,
) -> Result<()> {
    while folded.len() < planes.len() {
        push(folded, Vec::new(), WHAT)?;
    }
    folded.truncate(planes.len());
    for (plane, nodes) in planes.iter().enumerate() {
        let (finer, here) = folded.split_at_mut(plane);
        let of_parts = finer.last().map_or(of_points, |finer| finer);
        resize_discarding(&mut here[0], nodes.len() - 1, T::default(), WHAT)?;
        for (to, ends) in here[0].iter_mut().zip(nodes.windows(2)) {
            let parts = &of_parts[ends[0].first as usize..ends[1].first as usize];
            *to = parts[1..].iter().fold(parts[0], |sum, &part| fold(sum, part));
        }
    }
    Ok(())
}
