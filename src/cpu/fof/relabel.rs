//! Labels of points whose groups are known.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::scratch::{CHUNK, NONE, Scratch, WHAT};
use crate::error::Result;
use crate::list::{Rows, as_atomic_u32, resize_discarding};
use crate::threads::Team;

/// Members of groups.
pub(super) struct Labeling<'a, R, P, L> {
    pub len: usize,
    /// The member that represents the group of a member.
    pub root: R,
    /// The number of a member's point.
    pub point: P,
    /// Whether a point is the label rather than another.
    pub is_lower: L,
    /// For each root the lowest of its group; [`NONE`] of all, to begin with.
    pub lowest: &'a [AtomicU32],
}

impl<R, P, L> Labeling<'_, R, P, L>
where
    R: Fn(usize) -> usize + Sync,
    P: Fn(usize) -> u32 + Sync,
    L: Fn(u32, u32) -> bool + Sync,
{
    /// Writes the label of each point, the lowest of its group, and returns how many groups there are.
    pub fn label(&self, team: &Team, base: i32, mut labels: Rows) -> Result<usize> {
        let Labeling {
            len,
            root,
            point,
            is_lower,
            lowest,
        } = self;
        let tasks = len.div_ceil(CHUNK);
        let chunk = |task: usize| task * CHUNK..((task + 1) * CHUNK).min(*len);
        let mut groups = Vec::new();
        resize_discarding(&mut groups, team.threads(), 0, WHAT)?;
        team.run(&mut groups, tasks, |groups, task| {
            for k in chunk(task) {
                let (root, id) = (root(k), point(k));
                *groups += usize::from(root == k);
                let lower = |of_now| (of_now == NONE || is_lower(id, of_now)).then_some(id);
                let _ = lowest[root].fetch_update(Relaxed, Relaxed, lower); // or it is lower already
            }
            Ok(())
        })?;
        let labels = labels.cells();
        team.run(&mut vec![(); team.threads()], tasks, |(), task| {
            for k in chunk(task) {
                let label = lowest[root(k)].load(Relaxed);
                labels.put(point(k) as usize, label as i32 + base);
            }
            Ok(())
        })?;
        Ok(groups.iter().sum())
    }
}

#[cfg_attr(not(feature = "gpu"), allow(dead_code))]
impl Scratch {
    /// Has `find` write the lowest number of each point's group, and writes to `labels` which point of it has the
    /// lowest id.
    pub fn relabel<R>(
        &mut self,
        team: &Team,
        ids: &[i64],
        base: i32,
        labels: Rows,
        find: impl FnOnce(Rows) -> Result<R>,
    ) -> Result<R> {
        let len = ids.len();
        resize_discarding(&mut self.parents, len, 0, WHAT)?;
        resize_discarding(&mut self.lowest, len, NONE, WHAT)?;
        self.lowest.fill(NONE);
        let found = find(Rows::new(bytemuck::cast_slice_mut(&mut self.parents)))?;
        let roots = &self.parents;
        let groups = Labeling {
            len,
            root: |k| roots[k] as usize,
            point: |k| k as u32,
            is_lower: |a: u32, b: u32| ids[a as usize] < ids[b as usize],
            lowest: as_atomic_u32(&mut self.lowest),
        };
        groups.label(team, base, labels)?;
        Ok(found)
    }
}
