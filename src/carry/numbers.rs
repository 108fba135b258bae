//! The points that two numberings share, by their global ids.

use crate::error::{Error, Result, Status, words};
use crate::list::{reserve_discarding, resize_discarding};
use crate::threads::Team;

const WHAT: &str = "the numbers of the same points";

/// A point that the other numbering does not have.
const GONE: u32 = u32::MAX;

/// The numbers that points of one numbering have in another. All begin with 0.
#[derive(Debug)]
pub enum Numbers {
    /// The same.
    Same,
    /// By point.
    Other(Vec<u32>),
}

impl Numbers {
    /// Whether each point keeps its number.
    #[inline]
    pub fn are_same(&self) -> bool {
        matches!(self, Numbers::Same)
    }

    /// The other number of a point, if it has one.
    #[inline]
    pub fn of(&self, point: usize) -> Option<usize> {
        match self {
            Numbers::Same => Some(point),
            Numbers::Other(numbers) => Some(numbers[point] as usize).filter(|&number| number != GONE as usize),
        }
    }
}

/// The old numbers of new points, and the new numbers of old points, by the global ids of both. An id that is there twice
/// is refused.
pub fn between([old, new]: [Option<&[i64]>; 2], base: i64, team: &Team) -> Result<[Numbers; 2]> {
    let (old, new) = match (old, new) {
        (Some(old), Some(new)) => (old, new),
        (None, None) => return Ok([Numbers::Same, Numbers::Same]),
        (Some(_), None) => return Err(alone("global_ids", "old_global_ids")),
        (None, Some(_)) => return Err(alone("old_global_ids", "global_ids")),
    };
    let old_sorted = sorted(old, "old_global_ids", base, team)?;
    if old == new {
        return Ok([Numbers::Same, Numbers::Same]);
    }
    let new_sorted = sorted(new, "global_ids", base, team)?;
    let (mut to_old, mut to_new) = (Vec::new(), Vec::new());
    resize_discarding(&mut to_old, new.len(), GONE, WHAT)?;
    resize_discarding(&mut to_new, old.len(), GONE, WHAT)?;
    let mut rest = old_sorted.iter().peekable();
    for &(id, point) in &new_sorted {
        while rest.next_if(|(before, _)| *before < id).is_some() {}
        if let Some(&(_, number)) = rest.next_if(|(same, _)| *same == id) {
            to_old[point as usize] = number;
            to_new[number as usize] = point;
        }
    }
    Ok([Numbers::Other(to_old), Numbers::Other(to_new)])
}

/// The error for global ids of one list alone.
fn alone(argument: &'static str, other: &str) -> Error {
    let allowed = format_args!("global ids too, as {other} are given");
    Error::not_allowed(Status::BadValue, argument, "no array", allowed)
}

/// Global ids and the points that have them, in ascending order, each once.
fn sorted(ids: &[i64], argument: &'static str, base: i64, team: &Team) -> Result<Vec<(i64, u32)>> {
    let mut entries = Vec::new();
    reserve_discarding(&mut entries, ids.len(), WHAT)?;
    entries.extend(ids.iter().copied().zip(0..));
    if !ids.is_sorted() {
        team.sort(&mut entries);
    }
    let twice = entries.windows(2).filter(|two| two[0].0 == two[1].0);
    match twice.min_by_key(|two| two[1].1) {
        Some(two) => Err(Error::Element {
            argument,
            position: i64::from(two[1].1) + base,
            value: two[1].0,
            allowed: words(format_args!(
                "unique, but point {} has it too",
                i64::from(two[0].1) + base
            )),
        }),
        None => Ok(entries),
    }
}
