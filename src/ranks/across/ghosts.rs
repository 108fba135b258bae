//! Ghosts as the caller sees them, and fields that travel to them.

use super::{Need, Ranks};
use crate::error::{Error, Result, Words, words};
use crate::list::Out;
use crate::memory::resize_discarding;
use crate::points::Precision;
use crate::ranks::agree::{agree, meet};
use crate::ranks::halo::check_field;
use crate::search::Search;

/// The ghosts of a rank.
pub struct Ghosts<'a, T> {
    /// Their global ids.
    pub ids: &'a [i64],
    /// The ranks that own them.
    pub ranks: &'a [i32],
    /// Their coordinates, point after point.
    pub positions: &'a [T],
}

impl Ranks {
    /// The ghosts that a query needs, and what else the call was given. Collective.
    pub fn ghosts<T: Precision, A>(
        &mut self,
        search: &mut Search,
        asked: Result<(Need, A)>,
    ) -> Result<(A, Ghosts<'_, T>)> {
        let given = self.meet(search, "ghosts", &[], asked)?;
        let local = self.copy_positions::<T>(search);
        agree(&self.comm, local)?;
        let ghosts = Ghosts {
            ids: &self.ghost_ids,
            ranks: &self.ghost_ranks,
            positions: T::held(&self.positions).unwrap_or_default(),
        };
        Ok((given, ghosts))
    }

    fn copy_positions<T: Precision>(&mut self, search: &mut Search) -> Result<()> {
        search.points_home()?;
        let (held, owned) = (search.held::<T>()?, search.len());
        let mut positions = T::held_mut(&mut self.positions).map(std::mem::take).unwrap_or_default();
        let (dim, ghosts) = (held.dim(), self.ghost_ids.len());
        resize_discarding(&mut positions, dim * ghosts, T::default(), "the positions of ghosts")?;
        for (k, axis) in held.axes().iter().enumerate() {
            let to = positions.iter_mut().skip(k).step_by(dim);
            to.zip(&axis[owned..]).for_each(|(to, &coord)| *to = coord);
        }
        self.positions = T::hold(positions);
        Ok(())
    }

    /// Sends a field of the points, so many bytes for each, to their ghosts, and receives that of this rank's ghosts. Collective.
    pub fn halo_exchange(&mut self, search: &Search, asked: Result<(usize, &[u8], Out<u8>)>) -> Result<()> {
        let bytes = asked.as_ref().map_or(0, |&(bytes, _, _)| bytes);
        let facts = [
            ("halo_exchange", Words::Borrowed("")),
            ("bytes of an element", words(bytes)),
        ];
        let local = asked.and_then(|(bytes, points, ghosts)| {
            if !self.is_planned(search, 0.0) {
                return Err(Error::BadState {
                    missing: "ghosts of the current points",
                    remedy: "a query for pairs or neighbors",
                });
            }
            let plan = self.plan.get();
            check_field(points.len(), bytes, search.len())?;
            check_field(ghosts.len(), bytes, plan.ghosts())?;
            Ok((plan.pack(bytes, points)?, plan.expect_ghosts(bytes)?, ghosts))
        });
        let (out, expected, mut ghosts) = meet(&self.comm, local, [&facts, &[]], None, &mut [])?;
        let mut at = 0;
        for mail in self.comm.exchange(out, expected)? {
            ghosts.write_all(at, &mail.bytes);
            at += mail.bytes.len();
        }
        Ok(())
    }
}
