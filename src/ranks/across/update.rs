//! Points that move: the plan and the lists of all ranks are kept while no point of any rank has moved too far.

use super::prepare::most;
use super::{Meeting, Ranks};
use crate::error::{Result, Words};
use crate::memory::reserve_keeping;
use crate::points::{PointsView, Precision};
use crate::ranks::agree::{exchange, meet};
use crate::ranks::comm::Mail;
use crate::ranks::plan::Plan;
use crate::search::{NeighborsKind, Search};

const WHAT: &str = "points that move";

impl Ranks {
    /// The call that does this: `asked` are its points, and what else it was given, which is returned.
    pub fn update_all<T: Precision, A>(
        &mut self,
        search: &mut Search,
        asked: Result<(PointsView<T>, A)>,
    ) -> Result<(bool, A)> {
        let facts = [("update", Words::Borrowed(""))];
        let (view, given) = meet(&self.comm, asked, [&facts, &[]], None, &mut [])?;
        let comm = self.comm.clone();
        Ok((self.update(search, &view, &Meeting::of(&comm))?, given))
    }

    /// Sets the points of all ranks as [`Search::update`] does; returns whether lists have to be rebuilt, which is the same on all ranks. All
    /// have agreed on the call.
    pub fn update<T: Precision>(
        &mut self,
        search: &mut Search,
        view: &PointsView<T>,
        meeting: &Meeting,
    ) -> Result<bool> {
        let local = search.check_points(view).map(|_| ());
        let is_same = search.held::<T>().is_ok() && [search.len(), search.dim()] == [view.len(), PointsView::dim(view)];
        let mut may_keep = [is_same && search.has_a_skin() && self.is_planned(search, 0.0)];
        meeting.by(|comm| meet(comm, local, [&[]; 2], None, &mut may_keep))?;
        if may_keep == [false] {
            let done = search.take_others(view, None);
            return meeting.agree(done).map(|()| true);
        }
        let plan = self.plan.get();
        let packed = pack(plan, view).and_then(|out| Ok((out, plan.expect_ghosts(bytes_of::<T>(view))?)));
        let (out, expected) = meeting.agree(packed)?;
        let came = meeting.by(|comm| exchange(comm, out, expected))?.came;
        let all = with_ghosts(view, &came);
        let local = all.and_then(|all| {
            let moved = search.moved(&PointsView::interleaved(view.dim(), &all)?)?;
            Ok((all, moved))
        });
        let keeps = |(all, moved): &(Vec<T>, Option<_>)| {
            all.is_empty()
                || moved.is_some_and(|(_, (drift, square)): (_, (crate::drift::Drift, f64))| drift.is_allowed(square))
        };
        let mut keep = [local.as_ref().is_ok_and(keeps)];
        let (all, moved) = meeting.by(|comm| meet(comm, local, [&[]; 2], None, &mut keep))?;
        let own = moved.map_or(0.0, |(_, (_, square))| square);
        let [farthest, skin] = meeting.by(|comm| most(comm, [own, search.skin_of(NeighborsKind::Full)]))?;
        let moved = moved.map(|(lineage, (drift, _))| (lineage, (drift, farthest)));
        if keep == [true] {
            *self.moved.begin() = skin;
            self.moved.finish(self.plan.version());
        }
        let done = match keep {
            [true] if all.is_empty() => Ok(()), // no other version of nothing
            [true] => search.move_with_ghosts(&PointsView::interleaved(view.dim(), &all)?, moved),
            _ => search.take_others(view, moved),
        };
        meeting.agree(done)?;
        Ok(keep == [false])
    }
}

fn bytes_of<T>(view: &PointsView<T>) -> usize
where
    T: Precision,
{
    view.dim() * size_of::<T>()
}

/// The coordinates of points that are ghosts elsewhere, by rank.
fn pack<T: Precision>(plan: &Plan, view: &PointsView<T>) -> Result<Vec<Mail>> {
    let mut out = Vec::new();
    for (rank, points) in &plan.sends {
        let mut bytes = Vec::new();
        reserve_keeping(&mut bytes, points.len() * bytes_of::<T>(view), WHAT)?;
        for &point in points {
            for axis in 0..view.dim() {
                bytes.extend_from_slice(bytemuck::bytes_of(&view.get(axis, point as usize)));
            }
        }
        crate::memory::push(&mut out, Mail { rank: *rank, bytes }, WHAT)?;
    }
    Ok(out)
}

/// The points of `view` and after them those that came, point after point.
fn with_ghosts<T: Precision>(view: &PointsView<T>, came: &[Mail]) -> Result<Vec<T>> {
    let ghosts: usize = came.iter().map(|mail| mail.bytes.len() / size_of::<T>()).sum();
    let mut all = Vec::new();
    reserve_keeping(&mut all, view.len() * view.dim() + ghosts, WHAT)?;
    for point in 0..view.len() {
        all.extend((0..view.dim()).map(|axis| view.get(axis, point)));
    }
    for mail in came {
        all.extend(
            mail.bytes
                .chunks_exact(size_of::<T>())
                .map(bytemuck::pod_read_unaligned::<T>),
        );
    }
    Ok(all)
}
