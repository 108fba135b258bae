//! The points that the search keeps: this rank's own, followed by the ghosts of the plan.

use crate::error::{Error, Result, reserve, status};
use crate::plan::{Arrived, bytes_of_ghost};
use crate::points::{Coords, Given, Real, are_finite, is_finite};
use crate::team::Team;

/// Points of this rank, and after them the ghosts of the plan.
#[derive(Debug)]
pub struct Held {
    pub dim: usize,
    pub owned: usize,
    pub coords: Coords,
    pub ids: Vec<i64>,
    pub ranks: Vec<i32>,
    /// The first of the owned points' ids, where these were numbered and not given.
    pub first: Option<i64>,
    /// The index base then.
    pub base: i64,
    /// Whether the owned points' ids ascend.
    pub ascend: bool,
}

/// Memory of points of before, for others.
#[derive(Debug, Default)]
pub struct Spare {
    pub coords: Option<Coords>,
    pub ids: Vec<i64>,
    pub ranks: Vec<i32>,
    pub labels: Vec<i64>,
}

/// Points of other ranks that may be near points of this rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ghosts<'a> {
    /// Global ids.
    pub ids: &'a [i64],
    /// The ranks that own them: first the ranks after this one and then those before it, both ascending.
    pub ranks: &'a [i32],
    /// Coordinates of the owned points, followed by those of the ghosts, as their owners passed them.
    pub coords: &'a Coords,
    /// The start of the ghosts in `coords`.
    pub start: usize,
}

impl Held {
    /// Whether the points were given no ids, and those they have count from `base`.
    pub fn is_numbered_from(&self, base: i64) -> bool {
        self.first.is_some() && self.base == base
    }

    /// Those that the plan brought.
    pub fn ghosts(&self) -> Ghosts<'_> {
        Ghosts {
            ids: &self.ids[self.owned..],
            ranks: &self.ranks,
            coords: &self.coords,
            start: self.owned * self.dim,
        }
    }

    /// If ids of this rank's points ascend, ghosts with larger ones that go on in that order, and the others' are all
    /// smaller: how many ghosts those are, the first.
    pub fn above(&self) -> Option<usize> {
        let (owned, ghosts) = self.ids.split_at(self.owned);
        let (Some(first), Some(last)) = (owned.first(), owned.last()) else {
            return Some(0); // no points, no pairs
        };
        let mut before = last;
        let above = ghosts
            .iter()
            .take_while(|&id| std::mem::replace(&mut before, id) < id)
            .count();
        let is_apart = self.ascend && ghosts[above..].iter().all(|id| id < first);
        is_apart.then_some(above)
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

    /// Takes ghosts in after the owned points, of which there are none yet.
    pub fn add_ghosts<T: Real>(&mut self, arrived: &Arrived) -> Result<()> {
        let (dim, bytes) = (self.dim, bytes_of_ghost::<T>(self.dim));
        let total = arrived.parts(bytes).map(|(_, count, ..)| count).sum::<usize>();
        let coords = T::held_mut(&mut self.coords);
        reserve(coords, total * dim, "ghosts")?;
        reserve(&mut self.ids, total, "ghosts")?;
        reserve(&mut self.ranks, total, "ghosts")?;
        for (rank, count, ids_of, coords_of) in arrived.parts(bytes) {
            extend(&mut self.ids, ids_of);
            extend(coords, coords_of);
            self.ranks.extend(std::iter::repeat_n(rank as i32, count));
        }
        Ok(())
    }
}

/// Appends numbers that came as bytes, wherever these begin; there is room.
fn extend<N: bytemuck::AnyBitPattern>(list: &mut Vec<N>, bytes: &[u8]) {
    match bytemuck::try_cast_slice(bytes) {
        Ok(numbers) => list.extend_from_slice(numbers),
        Err(_) => list.extend(
            bytes
                .chunks_exact(size_of::<N>())
                .map(bytemuck::pod_read_unaligned::<N>),
        ),
    }
}

/// Refuses a dimension or counts that no search can have.
pub fn check_counts<T: Real>(given: &Given<T>) -> Result<()> {
    let Given { dim, ref coords, ids } = *given;
    if !(1..=3).contains(&dim) {
        return Err(Error::not_allowed(status::BAD_DIM, "dim", dim, "1, 2 or 3"));
    }
    let n = coords.len() / dim;
    if n > i32::MAX as usize {
        return Err(Error::not_allowed(status::BAD_COUNT, "n", n, "0 to 2147483647"));
    }
    match ids.filter(|ids| ids.len() != n) {
        Some(ids) => {
            let allowed = format!("{n}, the number of points");
            Err(Error::not_allowed(
                status::BAD_COUNT,
                "number of ids",
                ids.len(),
                &allowed,
            ))
        }
        None => Ok(()),
    }
}

/// Refuses coordinates that are not finite. `base` is the number of the first point.
pub fn check_finite<T: Real>(given: &Given<T>, base: i64, team: &Team) -> Result<()> {
    let (dim, coords) = (given.dim, &given.coords);
    let first = team.shares(coords.len(), |share| {
        const AT_ONCE: usize = 1 << 10;
        let at = coords[share.clone()]
            .chunks(AT_ONCE)
            .position(|some| !are_finite(some))?
            * AT_ONCE;
        let wrong = coords[share.start + at..share.end].iter().position(|c| !is_finite(c));
        wrong.map(|k| share.start + at + k)
    });
    if let Some(k) = first.into_iter().flatten().next() {
        let (axis, point, value) = (["x", "y", "z"][k % dim], (k / dim) as i64 + base, coords[k].to_f64());
        let text = format!("the {axis} coordinate of point {point} is {value}: coordinates must be finite");
        return Err(Error::new(status::NON_FINITE, text));
    }
    Ok(())
}

/// The error of a query before points are set.
pub fn no_points() -> Error {
    Error::new(status::BAD_STATE, "no points yet: first call set_points")
}
