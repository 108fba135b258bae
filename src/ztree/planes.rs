//! Planes of nodes, found bottom-up from how finely the curve parts each point from the one before it.

use super::node::{GROWTH, LEAF, Node, WHAT, greater, lesser};
use super::tree::ZTree;
use crate::error::Result;
use crate::list::{push, resize_discarding};
use crate::order::COINCIDENT;
use crate::real::Real;
use crate::threads::Team;

/// Nodes of the finer plane, or points, of which nodes are made.
struct Parts<'a> {
    /// The first point of each and an end; none where the parts are points.
    begins: &'a [u32],
    splits: &'a [u16],
    count: usize,
}

impl Parts<'_> {
    /// The first point of a part.
    fn begin(&self, part: usize) -> usize {
        self.begins.get(part).map_or(part, |&begin| begin as usize)
    }

    /// The fineness with which a part is parted from the one before it.
    fn split(&self, part: usize) -> u16 {
        self.splits[self.begin(part)]
    }

    /// The end of the node of at most `most` points that begins with part `first`.
    ///
    /// Parts `first .. end` are all that share some beginning of their keys if the curve parts them less coarsely
    /// inside than at both ends. Such runs nest, so the longest ones tile the curve, and each begins where the one
    /// before it ends.
    fn end(&self, first: usize, most: usize) -> usize {
        let (start, left) = (self.begin(first), self.split(first));
        let fits = |end: usize| end <= self.count && self.begin(end) - start <= most;
        let mut run = first + 1;
        while self.split(run) == COINCIDENT && fits(run + 1) {
            run += 1;
        }
        if left == COINCIDENT || self.split(run) == COINCIDENT {
            return run; // too many that coincide, or what is left of those
        }
        let (mut longest, mut coarsest) = (run, COINCIDENT);
        for end in first + 1.. {
            let right = self.split(end);
            if right < coarsest {
                longest = end;
            }
            coarsest = coarsest.min(right);
            if coarsest <= left || !fits(end + 1) {
                return longest;
            }
        }
        longest
    }
}

impl<T: Real> ZTree<T> {
    /// Makes all planes over the sorted points.
    pub(super) fn cut_planes(&mut self, team: &Team) -> Result<()> {
        let (len, mut most, mut depth) = (self.len(), LEAF, 0);
        let mut begins = Vec::new();
        if len == 0 {
            self.planes.clear();
            return Ok(());
        }
        loop {
            let count = if depth == 0 { len } else { begins.len() - 1 };
            let parts = Parts {
                begins: &begins,
                splits: &self.splits,
                count,
            };
            self.firsts.clear();
            let mut first = 0;
            while first < count {
                push(&mut self.firsts, first as u32, WHAT)?;
                first = parts.end(first, most);
            }
            push(&mut self.firsts, count as u32, WHAT)?;
            let mut coarser = Vec::new();
            for &first in &self.firsts {
                push(&mut coarser, parts.begin(first as usize) as u32, WHAT)?;
            }
            begins = coarser;
            self.make_plane(depth, team)?;
            (depth, most) = (depth + 1, most.saturating_mul(GROWTH));
            if self.firsts.len() == self.groups.len() + 1 {
                break;
            }
        }
        self.planes.truncate(depth);
        Ok(())
    }

    /// Makes the nodes whose parts begin at `firsts`.
    fn make_plane(&mut self, depth: usize, team: &Team) -> Result<()> {
        if self.planes.len() == depth {
            push(&mut self.planes, Vec::new(), WHAT)?;
        }
        let mut nodes = std::mem::take(&mut self.planes[depth]);
        resize_discarding(&mut nodes, self.firsts.len(), Node::default(), WHAT)?;
        let last = nodes.len() - 1;
        nodes[last].first = self.firsts[last];
        let share = last.div_ceil(team.threads()).max(1);
        let (firsts, tree) = (&self.firsts, &*self);
        team.share(nodes[..last].chunks_mut(share).enumerate(), |(piece, nodes)| {
            for (node, firsts) in nodes.iter_mut().zip(firsts[piece * share..].windows(2)) {
                let parts = firsts[0] as usize..firsts[1] as usize;
                *node = match depth {
                    0 => tree.leaf_of(parts),
                    _ => tree.node_of(&tree.planes[depth - 1][parts]),
                };
                node.first = firsts[0];
            }
        });
        self.planes[depth] = nodes;
        Ok(())
    }

    /// The node of some points.
    fn leaf_of(&self, points: std::ops::Range<usize>) -> Node<T> {
        let mut node = Node {
            lowest: self.ids[points.clone()].iter().fold(i32::MAX, |low, &id| low.min(id)),
            ..Node::default()
        };
        for axis in 0..self.dim {
            let coords = &self.coords[axis][points.clone()];
            (node.lo[axis], node.hi[axis]) = (coords[0], coords[0]);
            for &c in coords {
                node.lo[axis] = lesser(node.lo[axis], c);
                node.hi[axis] = greater(node.hi[axis], c);
            }
        }
        node
    }

    /// The node of some nodes.
    fn node_of(&self, parts: &[Node<T>]) -> Node<T> {
        let mut node = parts[0];
        for part in parts {
            node.lowest = node.lowest.min(part.lowest);
            for axis in 0..self.dim {
                node.lo[axis] = lesser(node.lo[axis], part.lo[axis]);
                node.hi[axis] = greater(node.hi[axis], part.hi[axis]);
            }
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Every plane tiles the one below it, no node has too many points, and boxes and lowest numbers are those of its
    /// points.
    fn check(tree: &ZTree<f64>, axes: &[Vec<f64>], name: &str) {
        let len = axes[0].len();
        let mut numbers = tree.ids()[..len].to_vec();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..len as i32), "{name}: each point once");
        let mut begins: Vec<usize> = (0..=len).collect(); // of the plane below
        for plane in 0..tree.planes() {
            let (nodes, mut end, mut next) = (tree.planes[plane].len() - 1, 0, Vec::new());
            for node in 0..nodes {
                let parts = tree.parts(plane, node);
                assert!(
                    parts.start == end && !parts.is_empty(),
                    "{name}: node {node} of plane {plane}"
                );
                end = parts.end;
                let points = begins[parts.start]..begins[parts.end];
                next.push(points.start);
                assert!(points.len() <= LEAF * GROWTH.pow(plane as u32), "{name}: {points:?}");
                let ids = &tree.ids()[points.clone()];
                let found = tree.node(plane, node);
                assert_eq!(found.lowest, *ids.iter().min().unwrap(), "{name}");
                for (axis, coords) in axes.iter().enumerate() {
                    let held: Vec<f64> = ids.iter().map(|&id| coords[id as usize]).collect();
                    assert_eq!(held, tree.coords()[axis][points.clone()], "{name}");
                    let extent = held
                        .iter()
                        .fold([f64::MAX, f64::MIN], |[lo, hi], &c| [lo.min(c), hi.max(c)]);
                    assert_eq!([found.lo[axis], found.hi[axis]], extent, "{name}");
                }
            }
            assert_eq!(end, begins.len() - 1, "{name}: plane {plane} ends early");
            next.push(len);
            begins = next;
        }
        assert_eq!(begins.len(), 2, "{name}: one root");
    }

    #[test]
    fn planes_of_many_clouds() {
        let (mut tree, mut random, len) = (ZTree::default(), Random(1), 5000);
        let cloud = |each: &mut dyn FnMut(usize) -> f64| -> Vec<Vec<f64>> {
            (0..3).map(|_| (0..len).map(&mut *each).collect()).collect()
        };
        let clouds = [
            ("uniform", cloud(&mut |_| random.uniform()), len / 10),
            ("coincident", cloud(&mut |_| 0.25), len.div_ceil(LEAF)),
            ("places", cloud(&mut |k| (k % 7) as f64), 7 * (len / 7).div_ceil(LEAF)),
            ("scales", cloud(&mut |k| 0.5f64.powi(k as i32 % 900)), len),
        ];
        for threads in [1, 2] {
            for (name, axes, leaves) in &clouds {
                tree.build(axes, 0..len, None, &Team::new(threads).unwrap()).unwrap();
                check(&tree, axes, name);
                assert!(tree.leaves() <= *leaves, "{name}: {} leaves", tree.leaves());
            }
        }
        tree.build(&clouds[0].1, 0..0, None, &Team::caller()).unwrap();
        assert_eq!((tree.planes(), tree.leaves(), tree.len()), (0, 0, 0));
    }
}
