//! The index: its points in z-order and the planes of its nodes.

use std::ops::Range;

use super::node::{Node, WHAT};
use crate::error::Result;
use crate::list::{holds, prefetch, push, resize_discarding};
use crate::memory::PADDING;
use crate::order::{Entry, SortScratch, spatial_sort, spatial_sort_in_groups};
use crate::real::Real;
use crate::threads::Team;

/// The index of points of one precision.
#[derive(Debug, Default)]
pub struct ZTree<T> {
    pub(super) dim: usize,
    /// The points in z-order, an array an axis, and their numbers, each with [`PADDING`].
    pub(super) coords: [Vec<T>; 3],
    pub(super) ids: Vec<i32>,
    /// From the leaves to the root; after each plane's nodes a last one that says where they end.
    pub(super) planes: Vec<Vec<Node<T>>>,
    /// The groups of points, each of which has a root.
    pub(super) groups: Vec<u8>,
    /// Radii of points, where they have them, in z-order, and the largest and the smallest one of each node.
    pub(super) radii: Vec<T>,
    pub(super) largest: Vec<Vec<T>>,
    pub(super) smallest: Vec<Vec<T>>,
    /// Kept for the next build.
    scratch: SortScratch,
    pub(super) entries: Vec<Entry>,
    pub(super) splits: Vec<u16>,
    pub(super) firsts: Vec<u32>,
}

holds! { ZTree<T> { coords, ids, planes, groups, radii, largest, smallest, scratch, entries, splits, firsts; dim } }

impl<T: Real> ZTree<T> {
    /// An index that takes points for coincident in cells of the curve no larger than `finest`.
    pub fn with_cells_of(finest: f64) -> ZTree<T> {
        let mut tree = ZTree::default();
        tree.scratch.finest = finest;
        tree
    }

    /// Builds the index of the points of `range`, whose numbers count from its start, or are those of `ranks`.
    pub fn build(&mut self, axes: &[Vec<T>], range: Range<usize>, ranks: Option<&[u32]>, team: &Team) -> Result<()> {
        let len = range.len();
        self.dim = axes.len();
        resize_discarding(&mut self.splits, len + 1, 0, WHAT)?;
        let (entries, splits) = (&mut self.entries, &mut self.splits);
        spatial_sort(axes, range.clone(), team, &mut self.scratch, entries, splits)?;
        self.groups.clear();
        push(&mut self.groups, 0, WHAT)?;
        self.finish(axes, range.start, ranks, team)
    }

    /// Builds the index of the first `len` points, which are in groups: no node holds points of two groups, so that
    /// each group has a root.
    pub fn build_in_groups(
        &mut self,
        axes: &[Vec<T>],
        len: usize,
        group: &(dyn Fn(usize) -> u8 + Sync),
        team: &Team,
    ) -> Result<()> {
        self.dim = axes.len();
        resize_discarding(&mut self.splits, len + 1, 0, WHAT)?;
        let sorted = (&mut self.entries, &mut self.splits[..]);
        spatial_sort_in_groups(axes, group, team, &mut self.scratch, sorted, &mut self.groups)?;
        self.finish(axes, 0, None, team)
    }

    /// Builds what is left once the points are sorted.
    fn finish(&mut self, axes: &[Vec<T>], start: usize, ranks: Option<&[u32]>, team: &Team) -> Result<()> {
        let len = self.entries.len();
        resize_discarding(&mut self.ids, len + PADDING, -1, WHAT)?;
        for coords in &mut self.coords[..axes.len()] {
            resize_discarding(coords, len + PADDING, T::INFINITY, WHAT)?;
            coords[len..].fill(T::INFINITY);
        }
        self.gather(axes, start, ranks, team)?;
        self.cut_planes(team)
    }

    /// Brings the points into z-order.
    fn gather(&mut self, axes: &[Vec<T>], start: usize, ranks: Option<&[u32]>, team: &Team) -> Result<()> {
        const AHEAD: usize = 16;
        let (entries, len) = (&self.entries, self.entries.len());
        let share = len.div_ceil(team.threads()).max(1);
        let mut shares = self.coords.each_mut().map(|coords| coords.chunks_mut(share));
        let mut pieces = Vec::new();
        for (first, ids) in (0..len).step_by(share).zip(self.ids.chunks_mut(share)) {
            let coords = shares.each_mut().map(|share| share.next().unwrap_or_default());
            push(&mut pieces, (first, ids, coords), WHAT)?;
        }
        team.each(&mut pieces, |(first, ids, coords)| {
            let here = &entries[*first..(*first + ids.len()).min(len)];
            for (k, entry) in here.iter().enumerate() {
                let ahead = here.get(k + AHEAD).unwrap_or(entry);
                for (axis, to) in axes.iter().zip(coords.iter_mut()) {
                    prefetch(&axis[start + ahead.point as usize]);
                    to[k] = axis[start + entry.point as usize];
                }
                ids[k] = ranks.map_or(entry.point, |ranks| ranks[entry.point as usize]) as i32;
            }
        });
        Ok(())
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.planes.first().map_or(0, |leaves| leaves.len() - 1)
    }

    /// Number of planes: the last one has the roots, one for each group of points. None where there are no points.
    pub fn planes(&self) -> usize {
        self.planes.len()
    }

    /// A node of a plane; the leaves are plane 0.
    #[inline(always)]
    pub fn node(&self, plane: usize, node: usize) -> &Node<T> {
        &self.planes[plane][node]
    }

    /// Parts of a node: nodes of the finer plane, or points.
    #[inline(always)]
    pub fn parts(&self, plane: usize, node: usize) -> Range<usize> {
        let nodes = &self.planes[plane];
        nodes[node].first as usize..nodes[node + 1].first as usize
    }

    /// The points of a node, where they are in z-order.
    pub fn points(&self, plane: usize, node: usize) -> Range<usize> {
        let begin = |node: usize| {
            let down = (0..=plane).rev();
            down.fold(node, |node, plane| self.planes[plane][node].first as usize)
        };
        begin(node)..begin(node + 1)
    }

    /// Number of nodes of a plane.
    pub fn nodes(&self, plane: usize) -> usize {
        self.planes[plane].len() - 1
    }

    /// Coordinates in z-order, an array an axis: as many as the points have, each with [`PADDING`].
    pub fn coords(&self) -> &[Vec<T>; 3] {
        &self.coords
    }

    /// Numbers of the points in z-order, with [`PADDING`].
    pub fn ids(&self) -> &[i32] {
        &self.ids
    }

    /// Number of axes.
    pub fn dim(&self) -> usize {
        self.dim
    }
}
