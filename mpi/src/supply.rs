//! The points that the core has: this rank's and all ghosts with global ids, or only as much as a list needs.
//!
//! If points are numbered rank by rank, or the ids of ranks are in separate ranges, ghosts with smaller ids than this rank's own
//! are in no pair of its own when pairs are on one rank: the core does without these, and without ids, for numbers order the
//! rest as well.

use crate::agree::agree;
use crate::comm::Comm;
use crate::core::Core;
use crate::error::{Error, Result, status};
use crate::held::{Held, no_points};
use crate::search::Search;

/// The pairs with ghosts that half lists are to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Those where the ghost has the larger id: a pair is on one rank.
    LargerIds,
    /// All; also for what is no half list.
    All,
    /// Groups, named by any point where this rank's ids ascend by number: of its own points the first has the smallest.
    Groups,
}

/// The part of the points and ghosts held that the core has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply {
    /// So many ghosts, from the first.
    ghosts: usize,
    /// Whether with their ids.
    ids: bool,
}

impl Supply {
    /// This rank's points alone, without ids.
    const OWNED: Supply = Supply { ghosts: 0, ids: false };
}

/// Gives the core this rank's points while `work` is done, if it is `wanted` and there is a thread for it. `None`: it was not
/// tried.
pub fn beside<R>(core: &mut Core, held: &Held, wanted: bool, work: impl FnOnce() -> R) -> (R, Option<Result<Supply>>) {
    std::thread::scope(|scope| {
        let give = || {
            crate::quiet::silence_thread();
            core.set_first_points(held.dim, &held.coords, held.owned)
        };
        let thread = std::thread::Builder::new().name("neargrid-mpi-supply".to_owned());
        let giving = wanted.then(|| thread.spawn_scoped(scope, give).ok()).flatten();
        let done = work();
        let given = giving.map(|giving| match giving.join() {
            Ok(given) => given.map(|()| Supply::OWNED),
            Err(_) => Err(Error::new(status::INTERNAL, "giving points to the core failed")),
        });
        (done, given)
    })
}

impl<C: Comm> Search<C> {
    /// Comes before a query of points and all ghosts: [`prepare_plan`](Search::prepare_plan), and the core has them.
    pub(crate) fn prepare<A: std::fmt::Debug>(&mut self, call: &'static str, asked: Result<A>) -> Result<A> {
        let asked = self.prepare_plan(call, asked)?;
        let local = self.supply(Need::All);
        agree(&self.comm, local)?;
        Ok(asked)
    }

    /// Gives the core what it needs of the points and ghosts held, unless it has that.
    pub(crate) fn supply(&mut self, need: Need) -> Result<()> {
        let held = self.held.as_ref().ok_or_else(no_points)?;
        let all = held.ids.len() - held.owned;
        let wanted = match held.above() {
            Some(above) if need == Need::LargerIds || above == all => Supply {
                ghosts: above,
                ids: false,
            },
            _ if need == Need::Groups && held.ascend => Supply {
                ghosts: all,
                ids: false,
            },
            _ => Supply { ghosts: all, ids: true },
        };
        self.supply_follows = true;
        if self.supplied != Some(wanted) {
            let n = held.owned + wanted.ghosts;
            match self.supplied.take().filter(|has| has.ghosts <= wanted.ghosts) {
                Some(has) => self
                    .core
                    .add_points(held.dim, &held.coords, held.owned + has.ghosts..n)?,
                None => self.core.set_first_points(held.dim, &held.coords, n)?,
            }
            self.core.set_ids(if wanted.ids { &held.ids } else { &[] })?;
            self.core.set_active(held.owned)?;
            self.supplied = Some(wanted);
        }
        self.core.set_ghost_pairs(need == Need::LargerIds)
    }

    /// Gives the core the current positions of its points and ghosts.
    pub(crate) fn move_supply(&mut self) -> Result<()> {
        match (&self.held, self.supplied) {
            (Some(held), Some(supplied)) => self.core.update(held.dim, &held.coords, held.owned + supplied.ghosts),
            _ => Ok(()),
        }
    }
}
