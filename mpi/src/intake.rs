//! Incoming points: copied from the caller's memory and, while they are in the caches, examined for later steps.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::comm::Comm;
use crate::error::{Result, resize};
use crate::held::{check_counts, check_finite};
use crate::points::{Domain, Given, Placing, Real, are_finite};
use crate::search::Search;

/// Coordinates that a thread copies at once.
const AT_ONCE: usize = 1 << 14;

/// Facts about coordinates that came, all of them finite.
#[derive(Debug)]
pub(crate) struct Intake {
    /// Their place in memory and their number.
    place: (usize, usize),
    /// The box that the coarse cells are laid for.
    laid: Option<Domain>,
}

fn place<T>(coords: &[T]) -> (usize, usize) {
    (coords.as_ptr().addr(), coords.len())
}

impl<C: Comm> Search<C> {
    /// Takes `n` points in, of which `copy` brings the coordinates of those from a number on, as many as there is room for. Where
    /// the points before had a plan, these will have one, and their coarse cells are laid.
    pub fn take_in<T: Real>(&mut self, dim: usize, n: usize, copy: impl Fn(usize, &mut [T]) + Sync) -> Result<Vec<T>> {
        (self.intake, self.laid) = (None, None);
        let (mut coords, team) = (self.spare_coords(), self.team(n)?);
        coords.truncate(n * dim);
        resize(&mut coords, n * dim, T::default(), "the points")?;
        let domain = Some(self.domain()).filter(|_| std::mem::take(&mut self.plan_follows));
        let [is_finite, is_laid] = match &domain {
            Some(domain) => {
                let placing = Placing::new(dim, domain);
                (self.workshop.coarse).lay_coming(&team, (dim, &mut coords), &placing, copy)
            }
            None => {
                let is_finite = AtomicBool::new(true);
                team.pieces(&mut coords, AT_ONCE / dim * dim, |first, piece| {
                    copy(first / dim, piece);
                    is_finite.fetch_and(are_finite(piece), Relaxed);
                });
                [is_finite.into_inner(), false]
            }
        };
        self.intake = is_finite.then(|| Intake {
            place: place(&coords),
            laid: domain.filter(|_| is_laid),
        });
        Ok(coords)
    }

    /// Refuses points that no search could take; returns the box that coarse cells are laid for, if they are.
    pub(crate) fn check_given<T: Real>(&mut self, given: &Given<T>) -> Result<Option<Domain>> {
        check_counts(given)?;
        match self.intake.take() {
            Some(intake) if intake.place == place(&given.coords) => Ok(intake.laid),
            _ => {
                check_finite(given, i64::from(self.base()), &self.team(given.coords.len())?)?;
                Ok(None)
            }
        }
    }
}
