//! Labels by global ids, from groups known by their lowest numbers.

use std::sync::atomic::Ordering::Relaxed;

use super::{CHUNK, NONE, Scratch, WHAT};
use crate::error::Result;
use crate::list::{Rows, as_atomic_u32, resize_discarding};
use crate::threads::Team;

impl Scratch {
    /// Has `find` write the lowest number of each point's group, and writes to `labels` which point of it has the lowest id.
    pub fn relabel<R>(
        &mut self,
        team: &Team,
        ids: &[i64],
        base: i32,
        mut labels: Rows,
        find: impl FnOnce(Rows) -> Result<R>,
    ) -> Result<R> {
        let len = ids.len();
        resize_discarding(&mut self.parents, len, 0, WHAT)?;
        resize_discarding(&mut self.lowest, len, NONE, WHAT)?;
        self.lowest.fill(NONE);
        let found = find(Rows::new(bytemuck::cast_slice_mut(&mut self.parents)))?;
        let (roots, lowest) = (&self.parents, as_atomic_u32(&mut self.lowest));
        let tasks = len.div_ceil(CHUNK);
        let chunk = |task: usize| task * CHUNK..((task + 1) * CHUNK).min(len);
        let mut nothing = vec![(); team.threads()];
        team.run(&mut nothing, tasks, |(), task| {
            for i in chunk(task) {
                let lower = |of_now| (of_now == NONE || ids[i] < ids[of_now as usize]).then_some(i as u32);
                let _ = lowest[roots[i] as usize].fetch_update(Relaxed, Relaxed, lower); // or it is lower already
            }
            Ok(())
        })?;
        let labels = labels.cells();
        team.run(&mut nothing, tasks, |(), task| {
            for i in chunk(task) {
                let label = lowest[roots[i] as usize].load(Relaxed);
                labels.put(i, label as i32 + base);
            }
            Ok(())
        })?;
        Ok(found)
    }
}
