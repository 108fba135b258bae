//! A list made with a skin: rows that hold more than is in reach, filtered by the exact test at every query.

use super::job::Job;
use super::list_ids::Ids;
use super::session::Session;
use crate::cpu::verlet::{Decided, Verlet, Within};
use crate::error::Result;
use crate::ids::{Offsets, OutputMap};
use crate::list::{Rows, holds, scan};
use crate::points::{Points, Precision};

/// A list that holds more than is in reach, and where the points were when it was made.
#[derive(Debug, Default)]
pub struct SkinList<T> {
    pub offsets: Offsets,
    pub ids: Ids,
    pub reference: Points<T>,
    /// The findings of the last count.
    decided: Decided<T>,
}

holds! { SkinList<T> { offsets, ids, reference, decided } }

impl<T: Precision> SkinList<T> {
    /// Counts the rows that the list has into `offsets`; returns the total.
    pub fn count(&mut self, session: &Session<T>, job: &Job, offsets: &mut [i64]) -> Result<i64> {
        let (rows, decided) = (verlet(&self.offsets, &self.ids, session, job)?, &mut self.decided);
        rows.count(job.team, decided, &mut offsets[1..])?;
        Ok(scan(offsets, job.base()))
    }

    /// Fills the rows counted last.
    pub fn fill(&self, session: &Session<T>, job: &Job, output: OutputMap, ids: Rows) -> Result<()> {
        verlet(&self.offsets, &self.ids, session, job)?.fill(job.team, &self.decided, output, ids)
    }
}

/// The rows of a job out of a list.
fn verlet<'a, T: Precision>(
    offsets: &'a [i64],
    ids: &'a [i32],
    session: &'a Session<T>,
    job: &'a Job,
) -> Result<Verlet<'a, T>> {
    let by_types = job
        .classes
        .as_ref()
        .and_then(|classes| Some((classes, classes.bounds.as_ref()?)));
    let within = match by_types {
        _ if job.is_by_radii() => Within::Radii(job.reach()?, job.order().points()),
        Some((classes, bounds)) => Within::Types(classes, bounds),
        None => Within::Bound(job.bound()?),
    };
    Ok(Verlet {
        points: session.searched(job.order()),
        offsets,
        ids,
        within,
        full: job.is_full(),
        classes: job.classes.as_ref(),
    })
}
