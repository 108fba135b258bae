//! Points as the search keeps them: this rank's own, and behind them the ghosts of the plan.

use crate::error::{Error, Result, reserve, status};
use crate::plan::Arrived;
use crate::points::{Coords, Given, Real};

/// Points of this rank, and behind them the ghosts of the plan.
#[derive(Debug)]
pub struct Held {
    pub dim: usize,
    pub owned: usize,
    pub coords: Coords,
    pub ids: Vec<i64>,
    /// Whether the caller gave them.
    pub ids_given: bool,
    pub ranks: Vec<i32>,
}

/// Points of other ranks that may be near this one's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ghosts<'a> {
    /// Global ids.
    pub ids: &'a [i64],
    /// Ranks that own them, ascending.
    pub ranks: &'a [i32],
    /// Coordinates of the owned points and behind them of the ghosts, as their owners gave them.
    pub coords: &'a Coords,
    /// Where in them the ghosts begin.
    pub start: usize,
}

impl Held {
    /// Those that the plan brought.
    pub fn ghosts(&self) -> Ghosts<'_> {
        Ghosts {
            ids: &self.ids[self.owned..],
            ranks: &self.ranks,
            coords: &self.coords,
            start: self.owned * self.dim,
        }
    }

    /// Whether they are of precision `T`.
    pub fn is_in<T: Real>(&self) -> bool {
        std::mem::discriminant(&self.coords) == std::mem::discriminant(&T::hold(Vec::new()))
    }

    pub fn drop_ghosts(&mut self) {
        self.coords.truncate(self.owned * self.dim);
        self.ids.truncate(self.owned);
        self.ranks.clear();
    }

    pub fn add_ghosts<T: Real>(&mut self, arrived: Arrived<T>) -> Result<()> {
        let coords = T::held_mut(&mut self.coords);
        reserve(coords, arrived.coords.len(), "ghosts")?;
        reserve(&mut self.ids, arrived.ids.len(), "ghosts")?;
        coords.extend_from_slice(&arrived.coords);
        self.ids.extend_from_slice(&arrived.ids);
        self.ranks = arrived.ranks;
        Ok(())
    }
}

/// Refuses points that no search could take. `base` is where numbers of points start.
pub fn check_points<T: Real>(given: &Given<T>, base: i64) -> Result<()> {
    let Given { dim, ref coords, ids } = *given;
    if !(1..=3).contains(&dim) {
        return Err(Error::not_allowed(status::BAD_DIM, "dim", dim, "1, 2 or 3"));
    }
    let n = coords.len() / dim;
    if n > i32::MAX as usize {
        return Err(Error::not_allowed(status::BAD_COUNT, "n", n, "0 to 2147483647"));
    }
    if let Some(ids) = ids.filter(|ids| ids.len() != n) {
        let allowed = format!("{n}, as there are points");
        return Err(Error::not_allowed(
            status::BAD_COUNT,
            "number of ids",
            ids.len(),
            &allowed,
        ));
    }
    if let Some(k) = coords.iter().position(|c| !c.to_f64().is_finite()) {
        let (axis, point, value) = (["x", "y", "z"][k % dim], (k / dim) as i64 + base, coords[k].to_f64());
        let text = format!("the {axis} coordinate of point {point} is {value}: coordinates must be finite");
        return Err(Error::new(status::NON_FINITE, text));
    }
    Ok(())
}

/// A query came too early.
pub fn no_points() -> Error {
    Error::new(status::BAD_STATE, "no points yet: call set_points first")
}
