//! Lists by several cutoffs: rows by the largest one, and those by smaller ones out of them.

use super::inputs::Inputs;
use super::neighbor_list::NeighborList;
use super::neighbors::NeighborsKind;
use crate::cpu::narrow::{Found, Narrow, fill, lengths};
use crate::domain::bound;
use crate::error::{Error, Result, Status, number, words};
use crate::list::{holds, push};
use crate::points::{Points, Precision, Real};
use crate::threads::Team;

/// The most cutoffs of a call.
pub const MAX_CUTOFFS: usize = 64;

/// Lists on their way to the caller, in the order of the cutoffs, and scratch of the threads. Afterwards they are the memory of the
/// lists that the caller had.
#[derive(Debug, Default)]
pub struct ByCutoffs {
    pub lists: Vec<NeighborList>,
    found: Vec<Found>,
}

holds! { ByCutoffs { lists, found } }

/// The cutoffs of a call, the largest first, and the place of each in the order of the caller.
#[derive(Clone, Copy, Debug)]
pub struct Descending {
    cutoffs: [(f64, usize); MAX_CUTOFFS],
    len: usize,
}

impl Descending {
    /// The cutoffs of points in a precision; refused where one could not be set.
    pub fn new<T: Real>(inputs: &Inputs, cutoffs: &[f64]) -> Result<Descending> {
        if !(1..=MAX_CUTOFFS).contains(&cutoffs.len()) {
            let allowed = format_args!("1 to {MAX_CUTOFFS}");
            return Err(Error::not_allowed(
                Status::BadCount,
                "the number of cutoffs",
                cutoffs.len(),
                allowed,
            ));
        }
        let mut all = [(0.0, 0); MAX_CUTOFFS];
        for (k, (to, &cutoff)) in all.iter_mut().zip(cutoffs).enumerate() {
            let list = k as i64 + inputs.settings.index_base;
            bound::<T>(cutoff, inputs.settings.tie_rule).map_err(|error| of_list(error, cutoff, list))?;
            *to = (cutoff, k);
        }
        let len = cutoffs.len();
        all[..len].sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(Descending { cutoffs: all, len })
    }

    /// All of them, each with its place.
    pub fn all(&self) -> &[(f64, usize)] {
        &self.cutoffs[..self.len]
    }
}

/// The refusal of a cutoff, which names its list.
fn of_list(error: Error, cutoff: f64, list: i64) -> Error {
    match error {
        Error::NotAllowed {
            status,
            argument,
            allowed,
            ..
        } => Error::NotAllowed {
            status,
            argument,
            value: words(format_args!("{} of list {list}", number(cutoff))),
            allowed,
        },
        other => other,
    }
}

impl ByCutoffs {
    /// Makes room for the lists of so many cutoffs.
    pub fn begin(&mut self, cutoffs: &Descending) -> Result<()> {
        self.lists.truncate(cutoffs.len);
        while self.lists.len() < cutoffs.len {
            push(&mut self.lists, NeighborList::new(), "lists by several cutoffs")?;
        }
        Ok(())
    }

    /// Makes the lists of all cutoffs from the list of the largest, which must be there. Returns false and makes none if
    /// searches take less time, or if the memory limit leaves room only for searches.
    pub fn narrow<T: Precision>(
        &mut self,
        inputs: &Inputs,
        points: &Points<T>,
        (kind, cutoffs): (NeighborsKind, &Descending),
        team: &Team,
    ) -> Result<bool> {
        let (first, tie_rule) = (cutoffs.all()[0].1, inputs.settings.tie_rule);
        let mut bounds = [T::default(); MAX_CUTOFFS];
        let smaller = &cutoffs.all()[1..];
        for (to, &(cutoff, _)) in bounds.iter_mut().zip(smaller) {
            *to = bound(cutoff, tie_rule)?;
        }
        if smaller.is_empty() {
            return Ok(true);
        }
        let widest_bytes = self.lists[first].bytes_of_rows();
        let widest = self.lists[first].neighbors();
        let narrow = Narrow {
            points,
            first: inputs.rows_of(kind).start,
            offsets: widest.offsets,
            ids: widest.ids,
            bounds: &bounds[..smaller.len()],
        };
        // The widest list, the ids that threads find with room to grow, and the other lists.
        let most = widest_bytes.saturating_mul(1 + 3 * smaller.len() as u64);
        if !narrow.pays() || inputs.settings.memory_limit.is_some_and(|limit| most > limit) {
            return Ok(false);
        }
        let (rows, base) = (narrow.rows(), widest.offsets[0]);
        narrow.find(team, &mut self.found)?;
        for (k, &(_, place)) in smaller.iter().enumerate() {
            let found = &self.found[..];
            self.lists[place].make(
                (rows, base),
                team,
                |to| lengths(found, k, to),
                |offsets, ids| fill(team, found, k, offsets, ids),
            )?;
        }
        Ok(true)
    }
}
