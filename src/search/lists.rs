//! The handle's own list: its ids, in our memory or where a device has written them, and its left points.

use std::time::Instant;

use super::counted::Query;
use super::list_ids::Ids;
use super::made_from::ListOf;
use super::neighbors::Layout;
use super::report::Phase;
use crate::error::Result;
use crate::list::{Rows, holds, resize_discarding};
use crate::points::Precision;
use crate::version::Derived;

/// The handle's own lists, and what they were made from.
#[derive(Debug, Default)]
pub struct Lists {
    pub ids: Derived<ListOf, Ids>,
    pub left: Derived<ListOf, Vec<i32>>,
}

holds! { Lists { ids, left } }

impl Lists {
    /// Fills the lists, of ids and where they are wanted of left points, unless they are those wanted already. `in_memory`: not
    /// where a device has written them.
    pub fn fill<T: Precision>(&mut self, query: &mut Query<T>, layout: Layout, in_memory: bool) -> Result<()> {
        let Lists { ids, left } = self;
        let of = ListOf {
            counts: query.counted.counts.version(),
            layout: query.job.plainest(layout),
        };
        let has_left = left.is_of(&of);
        let needs_left = layout == Layout::Pairs && !has_left;
        check_list(query, 1 + u64::from(needs_left || has_left))?;
        let lefts = match needs_left {
            true => {
                resize_discarding(
                    left.begin(),
                    query.counted.total() as usize,
                    0,
                    "the list of left points",
                )?;
                Some(Rows::new(left.begin()))
            }
            false => None,
        };
        if !ids.is_of(&of) || in_memory && ids.get().mapped.is_some() {
            match in_memory {
                true => fill_in_memory(ids.begin(), query, layout, lefts)?,
                false => fill_ids(ids.begin(), query, layout, lefts)?,
            }
            ids.finish(of);
        } else if needs_left {
            query.fill(layout, [None, lefts])?;
        }
        if needs_left {
            left.finish(of);
        }
        Ok(())
    }
}

/// Refuses a list of the whole result, with that many columns, if it needs more than the memory limit.
pub fn check_list<T>(query: &Query<T>, columns: u64) -> Result<()> {
    let counts = query.counted.counts.get();
    let list = 8 * counts.offsets.len() as u64 + 4 * columns * counts.total as u64;
    let need = list + query.counted.kept_bytes() as u64;
    query.job.inputs.check_limit("a list of the whole result", need)
}

/// Fills a list of ids in memory of the handle, and left points where there is a column for them.
pub fn fill_ids<T: Precision>(
    ids: &mut Ids,
    query: &mut Query<T>,
    layout: Layout,
    mut left: Option<Rows>,
) -> Result<()> {
    match fill_mapped(ids, query, layout, left.as_mut().map(Rows::again))? {
        true => Ok(()),
        false => fill_in_memory(ids, query, layout, left),
    }
}

/// The same in our memory.
fn fill_in_memory<T: Precision>(ids: &mut Ids, query: &mut Query<T>, layout: Layout, left: Option<Rows>) -> Result<()> {
    resize_discarding(ids.memory(), query.counted.total() as usize, 0, "the list of ids")?;
    query.fill(layout, [Some(Rows::new(ids.memory())), left])
}

/// Leaves ids where a GPU puts them, if it fills a list whose ids it delivers as they are found or brings to their places, and says so. Not the
/// first list of a handle: the driver takes a quarter of a second to make a gigabyte of such memory, which a program that
/// wants one list would wait for.
fn fill_mapped<T>(ids: &mut Ids, query: &mut Query<T>, layout: Layout, left: Option<Rows>) -> Result<bool> {
    let (job, counted) = (&query.job, &query.counted);
    let Some(device) = query.device.as_mut().filter(|_| query.skin.is_none()) else {
        return Ok(false);
    };
    let is_first = ids.mapped.is_none() && ids.memory.capacity() == 0;
    if is_first || ids.refused || counted.total() == 0 {
        return Ok(false);
    }
    let as_found = job.plainest(layout) == Layout::Searched;
    if !as_found && !device.gpu()?.brings_all_lower(&counted.counts.get().offsets, job.team) {
        return Ok(false);
    }
    let start = Instant::now();
    let kept = ids.mapped.take();
    ids.memory = Vec::new();
    ids.mapped = device
        .gpu()?
        .fill_mapped(job.team, counted.output(job, layout), left, kept)?;
    ids.refused = ids.mapped.is_none();
    query.report.fills += i64::from(!ids.refused);
    query.report.took(Phase::Fill, start);
    Ok(!ids.refused)
}
