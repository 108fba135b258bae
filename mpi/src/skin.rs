//! Points that move: plan and lists made with a skin are kept while no point of any rank has moved by more than half of it.
//!
//! The core keeps its list and filters it by the exact test (ADR 0010), ghosts included; what is decided here is whether they still
//! are all that may be near. Where they were when the plan was made is known of own points alone: each rank looks at these, and
//! all agree. Ghosts' positions come in one message from each rank that has some.

/// The core's source: how far points may move is decided alike.
mod drift;

use crate::agree::{agree, agree_on};
use crate::comm::{Comm, Mail};
use crate::error::{Result, copied};
use crate::halo::{expect_ghosts, pack, traffic};
use crate::held::Held;
use crate::points::{Coords, Given, Placing, Real, lengths};
use crate::search::Search;
use drift::Drift;

/// Positions of ghosts, to others and from them.
struct Step {
    out: Vec<Mail>,
    expected: Vec<Mail>,
}

/// The places of this rank's points, if there is a skin that will ask for it.
pub fn reference<T: Real>(held: &Held, skin: f64) -> Result<Option<Coords>> {
    if skin == 0.0 {
        return Ok(None);
    }
    let coords = &T::held(&held.coords)[..held.owned * held.dim];
    Ok(Some(T::hold(copied(coords, "a copy of the points")?)))
}

impl<C: Comm> Search<C> {
    /// Sets this rank's points of the next time step as [`set_points`](Search::set_points) does, but keeps plan, ghosts and the
    /// list built with the skin if no point of any rank has moved too far since the plan was made. Returns whether they were
    /// discarded, the same on all ranks. They are also discarded if the number or the ids of the points changed on any rank, or a
    /// setting. Collective.
    pub fn update<T: Real>(&mut self, asked: Result<Given<T>>) -> Result<bool> {
        let base = i64::from(self.base());
        let mut used = 0.0;
        let local = self.admit(asked).and_then(|given| {
            self.check_idle()?;
            self.check_given(&given)?;
            let keeps;
            (used, keeps) = self.used(&given);
            let step = if keeps { self.prepare_step(&given)? } else { None };
            Ok((given, step))
        });
        let keeps = local.as_ref().is_ok_and(|(_, step)| step.is_some());
        let facts = [
            ("update", String::new()),
            ("dim", local.as_ref().map_or(0, |(given, _)| given.dim).to_string()),
            ("precision", T::NAME.to_owned()),
            ("index base", base.to_string()),
        ];
        let ((given, step), keep) = agree_on(&self.comm, local, keeps, &facts)?;
        let mut largest = [!(used.to_bits() as i64)]; // not negative, so that bits are ordered as numbers
        self.comm.min(&mut largest)?;
        match step.filter(|_| keep) {
            None => self.replace_points(given)?,
            Some(step) => {
                self.take_step(&given.coords, step)?;
                self.spare.coords = Some(T::hold(given.coords));
            }
        }
        self.skin_used = f64::from_bits(!largest[0] as u64);
        Ok(!keep)
    }

    /// The part of the skin that the last update used: twice the largest displacement on any rank since the plan was made, divided by
    /// the skin. It is 0 if there was no plan. Not collective.
    pub fn skin_used(&self) -> f64 {
        self.skin_used
    }

    /// Twice the largest displacement of a point of this rank since the plan was made, divided by the skin, and whether that is
    /// little enough to keep the plan; 0 where there is none.
    fn used<T: Real>(&self, given: &Given<T>) -> (f64, bool) {
        let (Some(held), Some(reference), (Some(cutoff), skin)) = (&self.held, &self.reference, self.cutoff_and_skin())
        else {
            return (0.0, false);
        };
        let reference = T::held(reference);
        if held.dim != given.dim || reference.len() != given.coords.len() {
            return (0.0, false);
        }
        let domain = self.domain();
        let (placing, lengths) = (Placing::new(given.dim, &domain), lengths::<T>(&domain, given.dim));
        let longest = lengths
            .iter()
            .flatten()
            .fold(0.0, |longest: f64, &length| longest.max(length));
        let drift = Drift::new([cutoff, skin], T::ROUNDOFF, T::ROUNDOFF * longest, 0.0);
        let square = largest_displacement(&drift, given.dim, [reference, &given.coords], &placing, &lengths);
        (drift.used(square), drift.is_allowed(square))
    }

    /// The coordinates that travel if this rank can keep its plan; none if it cannot.
    fn prepare_step<T: Real>(&self, given: &Given<T>) -> Result<Option<Step>> {
        let (Some(held), Some(plan)) = (&self.held, &self.plan) else {
            return Ok(None);
        };
        let same_points = held.is_in::<T>() && held.dim == given.dim && held.owned * held.dim == given.coords.len();
        let owned = &held.ids[..held.owned];
        let same_ids = given.ids.map_or(held.is_numbered_from(i64::from(self.base())), |ids| {
            held.first.is_none() && ids == owned
        }) || owned.is_empty();
        if !(same_points && same_ids) {
            return Ok(None);
        }
        let bytes = held.dim * size_of::<T>();
        Ok(Some(Step {
            out: pack(plan, bytes, bytemuck::cast_slice(&given.coords))?,
            expected: expect_ghosts(plan, bytes)?,
        }))
    }

    /// Moves own points, and ghosts to where their owners have them.
    fn take_step<T: Real>(&mut self, coords: &[T], step: Step) -> Result<()> {
        self.halo = traffic(&step.out);
        let came = self.comm.exchange(step.out, step.expected)?;
        self.forget_clusters();
        self.finder.forget();
        let Some(held) = &mut self.held else { return Ok(()) };
        let (own, ghosts) = T::held_mut(&mut held.coords).split_at_mut(coords.len());
        own.copy_from_slice(coords);
        let numbers = came.iter().flat_map(|mail| mail.bytes.chunks_exact(size_of::<T>()));
        ghosts
            .iter_mut()
            .zip(numbers.map(bytemuck::pod_read_unaligned))
            .for_each(|(ghost, now)| *ghost = now);
        let local = self.move_supply();
        let moved = agree(&self.comm, local);
        if moved.is_err() {
            self.forget_plan();
        }
        moved
    }
}

/// The square of the largest distance of a point from where it was, to its nearest image.
fn largest_displacement<T: Real>(
    drift: &Drift,
    dim: usize,
    [then, now]: [&[T]; 2],
    placing: &Placing<T>,
    lengths: &[Option<f64>; 3],
) -> f64 {
    let square = |(then, now): (&[T], &[T])| {
        let (then, now) = (placing.at(then), placing.at(now));
        let square = (0..dim)
            .map(|axis| drift.square(then[axis], now[axis], lengths[axis]))
            .sum();
        // one that is not a number is that of a point infinitely far from the box
        if f64::is_nan(square) { f64::INFINITY } else { square }
    };
    then.chunks_exact(dim)
        .zip(now.chunks_exact(dim))
        .map(square)
        .fold(0.0, f64::max)
}
