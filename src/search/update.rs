//! Points that move: a list made with a skin is kept while no point has moved by more than half the skin, and filtered by the
//! exact test at every query (Verlet 1967, "Computer experiments on classical fluids").

use super::ids::Layout;
use super::session::{Precision, Sessions};
use super::{NeighborsKind, Purpose, Search};
use crate::error::{Error, Result, Status, number};
use crate::points::PointsView;
use crate::threads::Team;

impl Search {
    /// Sets a skin, in the unit of the coordinates; 0 (default): none. Queries for pairs and neighbors then make a list of all
    /// within cutoff plus skin, and after [`update`](Search::update) answer from it as long as that is exact. What they
    /// deliver is always exact for the points of now.
    pub fn set_skin(&mut self, skin: f64) -> Result<()> {
        if !(skin.is_finite() && skin >= 0.0) {
            let allowed = "finite and at least 0";
            return Err(Error::not_allowed(Status::BadValue, "skin", number(skin), allowed));
        }
        if self.settings.skin != skin {
            self.settings.skin = skin;
            self.drop_skin();
            self.forget(true);
        }
        Ok(())
    }

    /// Sets the points like [`set_points`](Search::set_points), but keeps the list made with the skin if no point has moved too
    /// far since; returns whether it must be made anew. A changed number, dim or precision of points makes it anew, as does
    /// a changed setting.
    pub fn update<T: Precision>(&mut self, view: &PointsView<T>) -> Result<bool> {
        if self.queries > 0 || self.borrowed || !self.can_keep(view)? {
            self.set_points(view)?;
            return Ok(true);
        }
        let periods = *T::session(self).points.periods();
        self.checked(view)?;
        view.check_wraps(&periods, self.settings.index_base)?;
        let moved = self.largest_displacement(view)?;
        self.skin_used = 2.0 * moved / self.settings.skin;
        if 2.0 * moved > self.allowance::<T>()? {
            self.set_points(view)?;
            return Ok(true);
        }
        self.forget(true);
        let team = Team::new(self.settings.threads(view.len(), self.in_parallel).0)?;
        let copied = T::session(self).points.set(view, &periods, &team);
        if copied.is_err() {
            self.session = Sessions::None;
            self.len = 0;
        }
        copied.map(|()| false)
    }

    /// How close the last update came to a new list: twice the largest displacement since the list was made, as a share of the
    /// skin.
    pub fn skin_used(&self) -> f64 {
        self.skin_used
    }

    /// Whether there is a list, and `view` is like the points it was made of.
    fn can_keep<T: Precision>(&self, view: &PointsView<T>) -> Result<bool> {
        let Some(session) = T::session_held(self) else {
            return Ok(false);
        };
        let reference = &session.skin.reference;
        Ok(session.skin.kind.is_some() && (reference.len(), reference.dim()) == (view.len(), view.dim()))
    }

    /// The largest distance of a point from where it was when the list was made, to its nearest image.
    fn largest_displacement<T: Precision>(&mut self, view: &PointsView<T>) -> Result<f64> {
        const POINTS: usize = 1 << 14;
        let team = Team::new(self.settings.threads(view.len(), self.in_parallel).0)?;
        let unit = unit_of(self.settings.skin);
        let per_unit = 1.0 / unit;
        let reference = &T::session(self).skin.reference;
        let lengths = reference.periods().lengths();
        let mut largest: Vec<f64> = vec![0.0; team.threads()];
        team.run(&mut largest, view.len().div_ceil(POINTS), |largest, task| {
            for i in task * POINTS..((task + 1) * POINTS).min(view.len()) {
                let mut square = 0.0;
                for (axis, length) in lengths.iter().enumerate().take(view.dim()) {
                    let now = reference.periods().wrap(axis, view.get(axis, i)).to_f64();
                    let d = (now - reference.axes()[axis][i].to_f64()).abs();
                    let d = length.map_or(d, |length| d.min(length - d));
                    square += (d * per_unit) * (d * per_unit);
                }
                *largest = largest.max(square);
            }
            Ok(())
        })?;
        Ok(largest.into_iter().fold(0.0, f64::max).sqrt() * unit)
    }

    /// What twice the largest displacement may be: the skin, less what rounding may add to the distances of two points then and
    /// now (each is wrong by some units of roundoff of itself, and of a periodic axis' length), and to the displacement.
    fn allowance<T: Precision>(&mut self) -> Result<f64> {
        let (cutoff, skin) = (self.settings.cutoff()?, self.settings.skin);
        let slack = T::session(self).points.periods().slack();
        Ok(skin - 32.0 * T::ROUNDOFF * (cutoff + skin) - 16.0 * slack)
    }

    /// Forgets the list, keeps its memory.
    pub(super) fn drop_skin(&mut self) {
        self.skin_used = 0.0;
        match &mut self.session {
            Sessions::F32(s) => s.skin.kind = None,
            Sessions::F64(s) => s.skin.kind = None,
            Sessions::None => {}
        }
    }

    /// Whether queries for `kind` are answered from a list with a skin.
    pub(super) fn has_skin(&self, kind: NeighborsKind) -> bool {
        self.settings.skin > 0.0 && !self.radii.are_set() && !self.borrowed && kind != NeighborsKind::Queries
    }

    /// Makes the list with the skin where none serves `kind`.
    pub(super) fn make_skin(&mut self, kind: NeighborsKind) -> Result<()> {
        let serves = match &self.session {
            Sessions::F32(s) => s.skin.serves(kind),
            Sessions::F64(s) => s.skin.serves(kind),
            Sessions::None => true,
        };
        if serves {
            return Ok(());
        }
        let (cutoff, skin, base) = (self.settings.cutoff()?, self.settings.skin, self.settings.index_base);
        self.drop_skin();
        self.forget(true);
        self.swap_lists();
        (self.settings.cutoff, self.settings.skin, self.settings.index_base) = (Some(cutoff + skin), 0.0, 0);
        let made = self.query(kind, Purpose::Fill(Layout::Searched), |search, team, total| {
            search.fill_lists(team, kind, total, Layout::Searched)
        });
        (self.settings.cutoff, self.settings.skin, self.settings.index_base) = (Some(cutoff), skin, base);
        self.forget(true); // the index is that of another cutoff
        self.swap_lists();
        made?;
        self.lists_made += 1;
        match &mut self.session {
            Sessions::F32(s) => s.keep_skin(kind),
            Sessions::F64(s) => s.keep_skin(kind),
            Sessions::None => Ok(()),
        }
    }

    fn swap_lists(&mut self) {
        let (offsets, ids) = match &mut self.session {
            Sessions::F32(s) => (&mut s.skin.offsets, &mut s.skin.ids),
            Sessions::F64(s) => (&mut s.skin.offsets, &mut s.skin.ids),
            Sessions::None => return,
        };
        std::mem::swap(&mut self.offsets, offsets);
        std::mem::swap(&mut self.ids, ids);
    }
}

/// The power of two that displacements are measured in, about as large as the skin: the square of one that matters then does
/// not vanish, and one whose square overflows is far beyond the skin.
fn unit_of(skin: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    const LEAST: f64 = f64::MIN_POSITIVE * (1u64 << 32) as f64;
    f64::from_bits(skin.to_bits() & EXPONENT).clamp(LEAST, 1.0 / LEAST)
}
