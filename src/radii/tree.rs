//! The index of points with a radius each: a binary tree over the points in z-order. A node has the box of its points and the
//! largest of their radii, so that who is near a box is found whatever the radii are, and memory is O(n) for any positions.
//!
//! in: points and radii; out: [`Tree`], read by `cpu/varied`.

use std::ops::Range;

use crate::axes::per_axis;
use crate::cpu::sorted::Sorted;
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{Out, prefetch_all, push, resize_discarding};
use crate::order::Frame;
use crate::points::{Points, Real};
use crate::threads::Team;

/// A node has more points than this, or no children.
const LEAF: usize = 16;

/// The upper bits of a key that are sorted by.
const KEY_BITS: u32 = 31;

const WHAT: &str = "the index";

/// Points of a tree, each with its radius.
#[derive(Debug, Default)]
pub struct Tree<T> {
    dim: usize,
    /// The upper bits of each point's key, and its number: `key << 32 | number`.
    sorted: Sorted,
    keys: Vec<u32>,
    nodes: Vec<Node<T>>,
    places: Vec<Place<T>>,
}

/// A point, where it stands in the tree; of coordinates beyond dim, 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place<T> {
    pub at: [T; 3],
    pub radius: T,
}

/// Points `first .. first + len` and where they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Node<T> {
    first: u32,
    len: u32,
    /// The first node that is neither this one nor below it. Nodes stand before those below them.
    next: u32,
    pub lo: [T; 3],
    pub hi: [T; 3],
    /// The largest radius of its points.
    pub radius: T,
}

impl<T> Node<T> {
    /// The places of its points.
    pub fn places(&self) -> Range<usize> {
        self.first as usize..(self.first + self.len) as usize
    }

    /// How many points it has.
    pub fn len(&self) -> usize {
        self.len as usize
    }
}

impl<T: Real> Node<T> {
    fn include(&mut self, lo: [T; 3], hi: [T; 3], radius: T) {
        // Most branches would be guessed wrong.
        let lesser = |a: T, b: T| if b < a { b } else { a };
        let greater = |a: T, b: T| if b > a { b } else { a };
        for axis in 0..3 {
            self.lo[axis] = lesser(self.lo[axis], lo[axis]);
            self.hi[axis] = greater(self.hi[axis], hi[axis]);
        }
        self.radius = greater(self.radius, radius);
    }
}

impl<T: Real> Tree<T> {
    /// Indexes `points`, whose radii `radius` returns.
    pub fn build(&mut self, points: &Points<T>, radius: impl Fn(usize) -> T + Sync, team: &Team) -> Result<()> {
        let len = points.len();
        self.dim = points.dim();
        resize_discarding(&mut self.keys, len, 0, WHAT)?;
        resize_discarding(&mut self.places, len, Place::default(), WHAT)?;
        self.nodes.clear();
        match points.axes() {
            [x] => self.sort([&x[..]], team)?,
            [x, y] => self.sort([&x[..], y], team)?,
            [x, y, z] => self.sort([&x[..], y, z], team)?,
            _ => {}
        }
        let (order, axes) = (self.sorted.order(), points.axes());
        Out::new(&mut self.places).in_pieces(team, 1, |first, places| {
            for k in 0..places.len() {
                let point = order[first + k] as u32 as usize;
                let coord = |axis: usize| axes.get(axis).map_or(T::default(), |coords| coords[point]);
                let place = Place {
                    at: per_axis(coord),
                    radius: radius(point),
                };
                places.write(k, place);
            }
        })?;
        self.measure(team);
        Ok(())
    }

    /// Brings the points into z-order and divides them.
    fn sort<const DIM: usize>(&mut self, axes: [&[T]; DIM], team: &Team) -> Result<()> {
        let len = axes[0].len();
        self.keys.fill(0); // where they coincide
        if let Some(frame) = Frame::of(axes, 0..len) {
            Out::new(&mut self.keys).in_pieces(team, 1, |first, keys| {
                for k in 0..keys.len() {
                    keys.write(k, key_of(&frame, axes, first + k));
                }
            })?;
        }
        self.sorted.sort_ids(&self.keys, 1 << KEY_BITS)?;
        self.divide(axes, 0..len)
    }

    /// Appends the nodes of `range`, whose points are sorted by keys of one frame.
    fn divide<const DIM: usize>(&mut self, axes: [&[T]; DIM], range: Range<usize>) -> Result<()> {
        // The nodes still to be appended, and of which node each is the second child.
        let mut waiting: Vec<(Range<usize>, Option<usize>)> = Vec::new();
        if !range.is_empty() {
            push(&mut waiting, (range, None), WHAT)?;
        }
        while let Some((range, parent)) = waiting.pop() {
            let number = self.nodes.len();
            if let Some(parent) = parent {
                self.nodes[parent + 1].next = number as u32;
            }
            let node = Node {
                first: range.start as u32,
                len: range.len() as u32,
                ..Node::default()
            };
            push(&mut self.nodes, node, WHAT)?;
            if range.len() > LEAF {
                let middle = self.middle(axes, range.clone());
                push(&mut waiting, (middle..range.end, Some(number)), WHAT)?;
                push(&mut waiting, (range.start..middle, None), WHAT)?;
            }
        }
        let end = self.nodes.len() as u32;
        if let Some(root) = self.nodes.first_mut() {
            root.next = end;
        }
        for number in 0..self.nodes.len() {
            if let Some([_, second]) = self.children(number) {
                self.nodes[second].next = self.nodes[number].next;
            }
        }
        Ok(())
    }

    /// Where a range falls into two: at the highest bit in which its keys differ.
    fn middle<const DIM: usize>(&mut self, axes: [&[T]; DIM], range: Range<usize>) -> usize {
        let order = &mut self.sorted.order_mut()[range.clone()];
        let ends = |order: &[u64]| (order[0] >> 32, order[order.len() - 1] >> 32);
        let (mut first, mut last) = ends(order);
        if first == last {
            // They share a cell: a frame of their own.
            let points = order.iter().map(|&entry| entry as u32 as usize);
            if let Some(frame) = Frame::of(axes, points) {
                for entry in order.iter_mut() {
                    let point = *entry as u32;
                    *entry = u64::from(key_of(&frame, axes, point as usize)) << 32 | u64::from(point);
                }
                order.sort_unstable();
            }
            (first, last) = ends(order);
        }
        if first == last {
            return range.start + range.len() / 2; // they coincide
        }
        let bit = 1 << (first ^ last).ilog2();
        range.start + order.partition_point(|&entry| entry >> 32 & bit == 0)
    }

    /// Finds out the nodes' boxes and radii.
    fn measure(&mut self, team: &Team) {
        let places = &self.places;
        let of_points = |node: &mut Node<T>| {
            if node.len() <= LEAF {
                let mut all = Node {
                    lo: [T::INFINITY; 3],
                    hi: [T::NEG_INFINITY; 3],
                    radius: T::default(),
                    ..*node
                };
                for place in &places[node.places()] {
                    all.include(place.at, place.at, place.radius);
                }
                *node = all;
            }
        };
        let share = self.nodes.len().div_ceil(team.threads()).max(1);
        team.share(self.nodes.chunks_mut(share), |nodes| {
            nodes.iter_mut().for_each(of_points)
        });
        for number in (0..self.nodes.len()).rev() {
            if let Some([first, second]) = self.children(number) {
                let (mut node, other) = (self.nodes[first], self.nodes[second]);
                node.include(other.lo, other.hi, other.radius);
                let to = &mut self.nodes[number];
                (to.lo, to.hi, to.radius) = (node.lo, node.hi, node.radius);
            }
        }
    }

    /// Number of axes.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The root, if there are points.
    pub fn root(&self) -> Option<usize> {
        (!self.nodes.is_empty()).then_some(0)
    }

    /// A node.
    pub fn node(&self, number: usize) -> &Node<T> {
        &self.nodes[number]
    }

    /// A node's children.
    pub fn children(&self, number: usize) -> Option<[usize; 2]> {
        let has_children = self.nodes[number].len() > LEAF;
        has_children.then(|| [number + 1, self.nodes[number + 1].next as usize])
    }

    /// All points, in the tree's order.
    pub fn places(&self) -> &[Place<T>] {
        &self.places
    }

    /// The caller's number of a place.
    #[inline]
    pub fn id(&self, place: usize) -> u32 {
        self.sorted.order()[place] as u32
    }

    /// Has places fetched, and the caller's numbers of them, to be read soon.
    pub fn prefetch(&self, places: Range<usize>) {
        prefetch_all(&self.places[places.clone()]);
        prefetch_all(&self.sorted.order()[places]);
    }

    /// Calls `action` with the places of nodes that may have points within `reach` of the box `lo .. hi`, a run at a time;
    /// `reach` is asked for each node's largest radius, and grows with it.
    pub fn near(
        &self,
        [lo, hi]: [[T; 3]; 2],
        periods: &Periods<T>,
        reach: impl Fn(T) -> f64,
        mut action: impl FnMut(Range<usize>),
    ) {
        let lengths = periods.lengths();
        let (mut run, mut number) = (0..0, 0);
        let least = reach(T::default());
        while number < self.nodes.len() {
            let node = &self.nodes[number];
            let square = (0..self.dim).map(|axis| {
                let [a, b, c, d] = [node.lo[axis], node.hi[axis], lo[axis], hi[axis]].map(T::to_f64);
                let gap = |moved: f64| (c - b - moved).max(a + moved - d).max(0.0);
                let nearest = lengths[axis].map_or(gap(0.0), |length| gap(0.0).min(gap(length)).min(gap(-length)));
                nearest * nearest
            });
            let square = square.sum::<f64>();
            let most = reach(node.radius);
            let is_near = square <= most * most;
            // All of a node is taken at once where the farthest of its points is in reach whatever its radius.
            let is_all = || {
                let square = (0..self.dim).map(|axis| {
                    let [a, b, c, d] = [node.lo[axis], node.hi[axis], lo[axis], hi[axis]].map(T::to_f64);
                    let farthest = (c - a).max(b - d).max(0.0);
                    farthest * farthest
                });
                square.sum::<f64>() <= least * least
            };
            if is_near && node.len() > LEAF && !is_all() {
                number += 1;
                continue;
            }
            if is_near {
                let places = node.places();
                if run.end != places.start {
                    if !run.is_empty() {
                        action(run.clone());
                    }
                    run = places.clone();
                }
                run.end = places.end;
            }
            number = node.next as usize;
        }
        if !run.is_empty() {
            action(run);
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.sorted.bytes()
            + self.keys.capacity() * size_of::<u32>()
            + self.nodes.capacity() * size_of::<Node<T>>()
            + self.places.capacity() * size_of::<Place<T>>()
    }
}

/// The upper bits of a point's key.
fn key_of<T: Real, const DIM: usize>(frame: &Frame<DIM>, axes: [&[T]; DIM], point: usize) -> u32 {
    let key = frame.key(axes.map(|axis| axis[point].to_f64()));
    (key >> (Frame::<DIM>::BITS * DIM as u32 - KEY_BITS)) as u32
}
