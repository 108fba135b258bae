//! The walk of one query: it visits nodes from the nearest on, until the next one is farther than the k-th point found.

use std::collections::BinaryHeap;

use super::ahead::Ahead;
use super::row::WHAT;
use super::{KnnSearch, KnnWorker};
use crate::cpu::kernels::exact::{Ball, Targets};
use crate::error::{Error, Result};
use crate::list::push;
use crate::simd::Width;
use crate::ztree::{LEAF, Node};

impl<T: Width, const DIM: usize> KnnSearch<'_, T, DIM> {
    /// Makes the row of `point`, which lists none beyond `sure`, squared, and returns the distance squared of the last.
    pub(super) fn walk(&self, worker: &mut KnnWorker<T>, sure: T, point: [T; 3], skipped: Option<i32>) -> Result<T> {
        let (tree, found) = (self.knn.tree, self.found);
        let KnnWorker { ahead, hits, .. } = worker;
        let targets = Targets {
            coords: tree.coords().each_ref().map(|coords| &coords[..]),
            ids: tree.ids(),
            bounds: &[],
        };
        let place = Node {
            lo: point,
            hi: point,
            ..Node::default()
        };
        // Sorting out what is too far pays once in a while only.
        let full = found + LEAF.max(found / 2);
        let mut last = (sure, i32::MAX);
        hits.pairs.clear();
        ahead.clear();
        let mut next = Some(Ahead {
            bound: T::default(),
            lowest: 0,
            plane: tree.planes() as u32 - 1,
            node: 0,
        });
        while let Some(node) = next.filter(|node| !node.is_behind(last)) {
            if node.plane > 0 {
                self.push_parts(ahead, &node, &place, last)?;
            } else {
                let parts = tree.parts(0, node.node as usize);
                let reach = Ball {
                    point,
                    bound: last.0,
                    periods: self.knn.periods,
                };
                hits.measure((self.simd, DIM), targets, parts, &reach, skipped);
                for at in 0..hits.len() {
                    let hit = hits.hit(at);
                    push(&mut hits.pairs, hit, WHAT)?;
                }
                if hits.pairs.len() >= full || hits.pairs.len() >= found && last.1 == i32::MAX {
                    hits.keep_least(found);
                    last = hits.pairs[found - 1];
                }
            }
            next = ahead.pop();
        }
        hits.sort(found);
        Ok(hits.take_sorted(found.min(hits.pairs.len())))
    }

    /// Adds those parts of `node` to what is `ahead` that may hold a point before `last`; `place` is the query's.
    fn push_parts(
        &self,
        ahead: &mut BinaryHeap<Ahead<T>>,
        node: &Ahead<T>,
        place: &Node<T>,
        last: (T, i32),
    ) -> Result<()> {
        let (tree, plane) = (self.knn.tree, node.plane as usize);
        let parts = tree.parts(plane, node.node as usize);
        let room = ahead.try_reserve(parts.len());
        room.map_err(|_| Error::OutOfMemory {
            what: WHAT,
            bytes: (parts.len() * size_of::<Ahead<T>>()) as u64,
        })?;
        for part in parts {
            let finer = tree.node(plane - 1, part);
            let part = Ahead {
                bound: self.gap2(place, finer),
                lowest: finer.lowest,
                plane: node.plane - 1,
                node: part as u32,
            };
            if !part.is_behind(last) {
                ahead.push(part);
            }
        }
        Ok(())
    }
}
