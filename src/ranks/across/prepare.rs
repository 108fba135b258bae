//! The ghosts of a search: made again where the points, the ids or the reach are others.

use super::{Need, NumberedOf, OfGhosts, PlanOf, Ranks};
use crate::error::{Error, Result, Status};
use crate::memory::{push, reserve_keeping, resize_keeping};
use crate::points::{Points, Precision};
use crate::ranks::agree::{agree, exchange};
use crate::ranks::boxes::Reach;
use crate::ranks::cloud::Cloud;
use crate::ranks::comm::{Comm, Mail};
use crate::ranks::ids;
use crate::ranks::plan::{self, Arrived, Scene};
use crate::real::Real;
use crate::search::Search;
use crate::threads::Team;

const WHAT: &str = "the ghosts";

/// Steps that are done for a call: the points are numbered, the plan is made, and ghosts have types, roles and radii.
pub type MadeSteps = [bool; 3];

impl Ranks {
    /// The steps that this rank need not do again.
    pub(super) fn made(&self, search: &mut Search, need: Need) -> MadeSteps {
        if need == Need::Nothing {
            return [true; 3];
        }
        let is_numbered = self.numbered.is_of(&self.numbered_of(search));
        let (Some(reach), Some(distance)) = (need.reach(search), need.distance(search)) else {
            return [is_numbered, true, true];
        };
        let moved = self.moved();
        let reach = match moved {
            Some(skin) => distance.map(|distance| search.rounded(distance + skin)),
            None => reach,
        };
        let is_planned = is_numbered && self.is_planned(search, reach.unwrap_or(0.0));
        let has_all = is_planned && self.of_ghosts.is_of(&self.of_ghosts(search));
        // A list is made where its ghosts were found, so that both last equally long.
        let is_planned = match need {
            Need::Rows(kind) if moved.is_some() => is_planned && (has_all && search.lists_rows(kind, false)),
            Need::Verlet(kind) if moved.is_some() => is_planned && (has_all && search.lists_rows(kind, true)),
            _ => is_planned,
        };
        [is_numbered, is_planned, is_planned && has_all]
    }

    /// Whether the search has the ghosts that were within a distance of its points when the plan was made.
    pub(super) fn is_planned(&self, search: &Search, reach: f64) -> bool {
        let numbered = self.numbered.version();
        let is_of = |of: &PlanOf| {
            (of.lineage, of.numbered, of.cell) == (search.lineage(), numbered, search.cell()) && of.reach >= reach
        };
        self.plan.of().is_some_and(is_of)
    }

    /// The skin within which points have moved since the plan was made; `None`: they are where they were.
    fn moved(&self) -> Option<f64> {
        self.moved.is_of(&self.plan.version()).then(|| *self.moved.get())
    }

    fn numbered_of(&self, search: &Search) -> NumberedOf {
        NumberedOf {
            points: search.len(),
            given: self.given_version,
            base: search.index_base(),
        }
    }

    fn of_ghosts(&self, search: &Search) -> OfGhosts {
        OfGhosts {
            plan: self.plan.version(),
            kinds_and_radii: search.versions_of_ghosts(),
            excluded: self.excluded.version(),
        }
    }

    /// Does the steps that some rank needs. All ranks know which.
    pub(super) fn prepare(
        &mut self,
        search: &mut Search,
        need: Need,
        [is_numbered, is_planned, has_all]: MadeSteps,
    ) -> Result<()> {
        if !is_numbered {
            self.number(search)?;
        }
        let Some(reach) = need.reach(search) else { return Ok(()) };
        if !is_planned {
            // A rank without points may have no reach. The plan fails where points are not there.
            let mine = [reach.unwrap_or(0.0), search.farthest().unwrap_or(0.0)];
            let of_all = most(&self.comm, mine)?;
            match search.is_single() {
                Some(true) => self.plan::<f32>(search, of_all)?,
                _ => self.plan::<f64>(search, of_all)?,
            }
        }
        if !has_all {
            let any_excluded = self.bring_kinds(search)?;
            self.exclude_pairs(search, any_excluded)?;
            let of = self.of_ghosts(search);
            self.of_ghosts.begin();
            self.of_ghosts.finish(of);
        }
        Ok(())
    }

    fn number(&mut self, search: &Search) -> Result<()> {
        let of = self.numbered_of(search);
        let team = search.team_for(of.points);
        let local = match &self.given {
            Some(ids) if ids.len() != of.points => Err(ids_of_other_points(ids.len(), of.points)),
            _ => team,
        };
        let team = agree(&self.comm, local)?;
        let numbering = ids::number(&self.comm, of.points, self.given.as_deref(), of.base, &team)?;
        let ids = self.numbered.begin();
        let made = numbering.ids(of.points, self.given.as_deref(), std::mem::take(ids), &team);
        *ids = agree(&self.comm, made)?;
        self.numbered.finish(of);
        Ok(())
    }

    /// Makes the plan for neighbors within `reach` of each other; all points are at most `farthest` from the origin.
    fn plan<T: Precision>(&mut self, search: &mut Search, [reach, farthest]: [f64; 2]) -> Result<()> {
        if self.moved().is_some() {
            search.forget_lineage(); // a list of where the points were ends on all ranks, also where no ghosts are
        }
        let local = search.set_ghosts::<T>(&[]).and_then(|()| search.farthest());
        let none = Points::default();
        let points = search.held::<T>().unwrap_or(&none);
        let local = local.and_then(|_| {
            let torus = search.torus::<T>(reach, farthest)?;
            let places = torus.as_ref().map(|torus| torus.places(points.axes()));
            Ok((search.team_for(search.len())?, torus, places.transpose()?))
        });
        let ((team, torus, places), local) = match local {
            Ok(made) => (made, Ok(())),
            Err(error) => ((Team::caller(), None, None), Err(error)),
        };
        let (cutoff, roundoff, lengths) = match &torus {
            Some(torus) => (torus.reach(), f64::ROUNDOFF, torus.lengths()),
            None => (reach, T::ROUNDOFF, points.periods().lengths()),
        };
        let scene = Scene {
            cloud: Cloud::new(points, 0..points.len()),
            places: places.as_ref().map(Cloud::of_places),
            ids: self.numbered.get(),
            cutoff,
            reach: Reach::new(cutoff, roundoff, lengths),
            team: &team,
        };
        let (plan, arrived) = plan::make(&self.comm, &scene, &mut self.workshop, local)?;
        let local = self.take_ghosts::<T>(search, &arrived);
        self.workshop.keep(arrived);
        agree(&self.comm, local)?;
        self.plans += 1;
        *self.plan.begin() = plan;
        self.plan.finish(PlanOf {
            lineage: search.lineage(),
            numbered: self.numbered.version(),
            reach,
            cell: search.cell(),
        });
        Ok(())
    }

    /// Gives the search its ghosts, and all points their ids.
    fn take_ghosts<T: Precision>(&mut self, search: &mut Search, arrived: &Arrived) -> Result<()> {
        let (dim, mut parts) = (search.dim(), Vec::new());
        self.ghost_ids.clear();
        self.ghost_ranks.clear();
        for part in arrived.parts::<T>(dim) {
            let (rank, ids, part) = part?;
            let ghosts = self.ghost_ids.len() + part.len();
            push(&mut parts, part, WHAT)?;
            reserve_keeping(&mut self.ghost_ids, ghosts, WHAT)?;
            let ids = ids.chunks_exact(size_of::<i64>());
            self.ghost_ids.extend(ids.map(bytemuck::pod_read_unaligned::<i64>));
            resize_keeping(&mut self.ghost_ranks, ghosts, rank as i32, WHAT)?;
        }
        search.set_ghosts::<T>(&parts)?;
        let (own, version) = (self.numbered.get(), self.numbered.version());
        if !self.named.is_of(&(version, search.version_of_ids())) {
            search.set_ids(own)?;
            self.named.begin();
            self.named.finish((version, search.version_of_ids()));
        }
        search.set_ghost_ids(&self.ghost_ids)
    }

    /// Brings the types, radii and roles of ghosts. Returns whether any rank has excluded pairs, too.
    fn bring_kinds(&mut self, search: &mut Search) -> Result<bool> {
        let own = search
            .own_types_and_radii()
            .and_then(|own| Ok((own, search.own_roles()?)));
        let (plan, ((types, radii), mut roles)) = (self.plan.get(), agree(&self.comm, own)?);
        // A rank without points may have ghosts near its queries, and says nothing of its own.
        let widths = [
            usize::from(!types.is_empty()),
            if search.is_empty() { 0 } else { radii.width() },
            usize::from(!roles.is_empty()),
            usize::from(self.excluded.are_set()),
        ];
        let mut widths = widths.map(|width| -(width as i64));
        self.comm.min(&mut widths)?;
        let [types_width, radii_width, roles_width, any_excluded] = widths.map(|width| -width as usize);
        let widths = [types_width, radii_width, roles_width];
        let mut pack = || {
            if roles_width > 0 && roles.is_empty() {
                resize_keeping(&mut roles, search.len(), 0, WHAT)?;
            }
            let columns = [(types, widths[0]), (radii.as_bytes(), widths[1]), (&roles, widths[2])];
            Ok((plan.pack_columns(&columns)?, plan.expect_ghosts(widths.iter().sum())?))
        };
        let (out, expected) = agree(&self.comm, pack())?;
        let came = exchange(&self.comm, out, expected)?.came;
        let local = take_columns(&came, &widths).and_then(|columns| {
            search.set_types_and_radii(&columns[0], &columns[1])?;
            search.set_foreign_roles((roles_width > 0).then_some(&columns[2]))
        });
        agree(&self.comm, local)?;
        Ok(any_excluded > 0)
    }

    /// Gives the excluded pairs the numbers of points and ghosts.
    fn exclude_pairs(&mut self, search: &mut Search, any: bool) -> Result<()> {
        if !any {
            search.put_exclusions(None);
            return Ok(());
        }
        let own = self.numbered.get();
        let pairs = self.excluded.pairs(own, &self.ghost_ids, (search.index_base(), false));
        let pairs = agree(&self.comm, pairs)?;
        let all = self.comm.all_gather(&self.excluded.imbalance(own).to_ne_bytes())?;
        let each = all.iter().map(bytemuck::pod_read_unaligned::<u64>);
        if each.fold(0, u64::wrapping_add) != 0 {
            let (value, allowed) = (
                "a pair of points of two ranks in one row alone",
                "symmetric: both rows have the pair",
            );
            return Err(Error::not_allowed(Status::BadValue, "ids", value, allowed));
        }
        search.put_exclusions(Some(pairs));
        Ok(())
    }
}

/// Columns of ghosts, each with its bytes for a ghost. A mail brings the columns of a rank one after the other.
pub(super) fn take_columns(came: &[Mail], widths: &[usize]) -> Result<Vec<Vec<u8>>> {
    let (each, mut first, mut columns) = (widths.iter().sum::<usize>(), 0, Vec::new());
    for &width in widths {
        let mut column = Vec::new();
        for mail in came {
            let count = mail.bytes.len().checked_div(each).unwrap_or(0);
            let part = &mail.bytes[first * count..(first + width) * count];
            let len = column.len() + part.len();
            reserve_keeping(&mut column, len, WHAT)?;
            column.extend_from_slice(part);
        }
        first += width;
        push(&mut columns, column, WHAT)?;
    }
    Ok(columns)
}

fn ids_of_other_points(ids: usize, points: usize) -> Error {
    let allowed = format_args!("{points}, the number of points");
    Error::not_allowed(Status::BadCount, "number of ids", ids, allowed)
}

/// The largest number of all ranks, for each of some that are not negative.
pub(super) fn most<const COUNT: usize>(comm: &Comm, mine: [f64; COUNT]) -> Result<[f64; COUNT]> {
    // Such numbers and their bits have the same order.
    let mut all = mine.map(|number| !(number.to_bits() as i64));
    comm.min(&mut all)?;
    Ok(all.map(|bits| f64::from_bits(!bits as u64)))
}
