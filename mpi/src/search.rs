//! The handle: settings, this rank's points, the plan and its ghosts, and results, all kept from step to step.
//!
//! A collective call takes its checked arguments as a `Result`. If this rank's arguments are invalid, it still takes part in
//! the agreement, and all ranks fail with the same error.

use crate::agree::{agree, agree_on};
use crate::boxes::Reach;
use crate::comm::{Comm, Steady};
use crate::core::{Core, DEVICE_TURN, Kind};
use crate::error::{Error, Result, status};
use crate::fof::Clusters;
use crate::held::{Ghosts, Held, Spare, no_points};
use crate::ids;
use crate::intake::Intake;
use crate::knn::Finder;
use crate::list::{Neighbors, Pairs, Sides};
use crate::migration::Migration;
use crate::plan::{self, Plan, Scene, Workshop};
use crate::points::{Coords, Domain, Given, Real, lengths};
use crate::settings::Settings;
use crate::skin::reference;
use crate::stats::Traffic;
use crate::supply::{Need, Supply, beside};
use crate::team::{Team, Threads};

/// A halo exchange in progress.
pub(crate) struct Flight<P> {
    pub(crate) posted: P,
    pub(crate) bytes: usize,
}

/// A neighbor search across the ranks of a communicator.
pub struct Search<C: Comm> {
    pub(crate) flight: Option<Flight<C::Posted>>, // before the communicator, which must outlive it
    pub(crate) comm: Steady<C>,
    pub(crate) core: Core,
    pub(crate) settings: Settings,
    pub(crate) held: Option<Held>,
    pub(crate) threads: Threads,
    pub(crate) spare: Spare,
    pub(crate) workshop: Workshop,
    /// Facts about the points that came last.
    pub(crate) intake: Option<Intake>,
    /// The coarse cells are those of the points held, in this box.
    pub(crate) laid: Option<Domain>,
    /// The points held have a plan, or had one: so will the next.
    pub(crate) plan_follows: bool,
    pub(crate) finder: Finder,
    pub(crate) plan: Option<Plan>,
    pub(crate) supplied: Option<Supply>,
    /// The core was given the points held: so it will be the next.
    pub(crate) supply_follows: bool,
    pub(crate) clusters: Clusters,
    /// With a skin: where this rank's points were when the plan was made.
    pub(crate) reference: Option<Coords>,
    pub(crate) skin_used: f64,
    pub(crate) plans: i64,
    pub(crate) halo: Traffic,
    pub(crate) migration: Option<Migration>,
    pub(crate) migrated: Traffic,
    refusal: Option<Error>,
}

impl<C: Comm> Search<C> {
    /// Creates a search on all ranks of a communicator. Collective.
    pub fn create(comm: C) -> Result<Search<C>> {
        let comm = Steady::new(comm);
        let turn = comm.node_rank() as i32;
        let made = || {
            let (mut core, mut finder) = (Core::new()?, Finder::new()?);
            core.set_device(DEVICE_TURN, turn)?;
            finder.core.set_device(DEVICE_TURN, turn)?;
            Ok((core, finder))
        };
        let (core, finder) = agree(&comm, made())?;
        Ok(Search {
            flight: None,
            comm,
            core,
            settings: Settings::default(),
            threads: Threads::new(),
            held: None,
            finder,
            spare: Spare::default(),
            workshop: Workshop::default(),
            intake: None,
            laid: None,
            plan_follows: false,
            plan: None,
            supplied: None,
            supply_follows: false,
            clusters: Clusters::default(),
            reference: None,
            skin_used: 0.0,
            plans: 0,
            halo: Traffic::default(),
            migration: None,
            migrated: Traffic::default(),
            refusal: None,
        })
    }

    /// Makes this rank fail in the next collective call, for errors that a language binding finds.
    pub fn refuse_next(&mut self, error: Error) {
        self.refusal.get_or_insert(error);
    }

    /// The request, unless this rank is to fail.
    pub(crate) fn admit<A>(&mut self, asked: Result<A>) -> Result<A> {
        let asked = self.refusal.take().map_or(asked, Err);
        if asked.is_err() {
            self.intake = None; // whatever came is gone
        }
        asked
    }

    pub(crate) fn forget_plan(&mut self) {
        self.plan = None;
        self.reference = None;
        self.supplied = None;
        self.forget_clusters();
    }

    /// Discards groups and their catalogue, but keeps memory for the next ones.
    pub(crate) fn forget_clusters(&mut self) {
        if let Some(friends) = std::mem::take(&mut self.clusters).friends {
            self.spare.labels = friends.labels;
        }
    }

    /// Sets the points of this rank. A rank may have none, with or without ids. On failure the previous points remain.
    /// Collective.
    pub fn set_points<T: Real>(&mut self, asked: Result<Given<T>>) -> Result<()> {
        let base = i64::from(self.settings.base);
        let local = self.admit(asked).and_then(|given| {
            self.check_idle()?;
            let laid = self.check_given(&given)?;
            Ok((given, laid))
        });
        let dim = local.as_ref().map_or(0, |(given, _)| given.dim);
        let facts = [
            ("set_points", String::new()),
            ("dim", dim.to_string()),
            ("precision", T::NAME.to_owned()),
            ("index base", base.to_string()),
        ];
        let ((given, laid), _) = agree_on(&self.comm, local, true, &facts)?;
        self.replace_points(given)?;
        self.laid = laid;
        Ok(())
    }

    /// The same once all ranks agree.
    pub(crate) fn replace_points<T: Real>(&mut self, given: Given<T>) -> Result<()> {
        let (Given { dim, coords, ids }, base) = (given, i64::from(self.settings.base));
        let owned = coords.len() / dim;
        let team = agree(&self.comm, self.team(coords.len()))?;
        let numbering = ids::number(&self.comm, owned, ids, base, &team)?;
        let held = self.held.as_ref();
        let stays =
            numbering.first.is_some() && held.is_some_and(|held| held.owned == owned && held.first == numbering.first);
        let ids = match stays {
            true => Ok(Vec::new()),
            false => numbering.ids(owned, ids, std::mem::take(&mut self.spare.ids), &team),
        };
        let mut ids = agree(&self.comm, ids)?;
        self.forget_plan();
        self.laid = None;
        self.finder.forget();
        if let Some(before) = self.held.take() {
            (self.spare.coords, self.spare.ids) = (Some(before.coords), before.ids);
            self.spare.ranks = before.ranks;
            self.spare.ranks.clear();
        }
        if stays {
            ids = std::mem::take(&mut self.spare.ids);
            ids.truncate(owned);
        }
        self.held = Some(Held {
            dim,
            owned,
            coords: T::hold(coords),
            ids,
            ranks: std::mem::take(&mut self.spare.ranks),
            first: numbering.first,
            base,
            ascend: numbering.ascend,
        });
        Ok(())
    }

    /// Threads for arrays of that many `elements`.
    pub(crate) fn team(&self, elements: usize) -> Result<Team> {
        self.threads.team(elements)
    }

    /// Memory of earlier points, for new coordinates.
    pub fn spare_coords<T: Real>(&mut self) -> Vec<T> {
        let mut spare = self.spare.coords.take().unwrap_or(T::hold(Vec::new()));
        std::mem::take(T::held_mut(&mut spare))
    }

    /// The pairs of this rank. Points are numbered from the index base, first the owned points and then the ghosts. Collective.
    pub fn pairs(&mut self, asked: Result<Sides>) -> Result<Pairs<'_>> {
        let sides = self.prepare_plan("pairs", asked)?;
        let need = match sides {
            Sides::Once => Need::LargerIds,
            Sides::Both => Need::All,
        };
        let local = self.supply(need).and_then(|()| self.core.pairs().map(|_| ()));
        agree(&self.comm, local)?;
        self.held_pairs()
    }

    /// The pairs found last. Not collective.
    pub fn held_pairs(&mut self) -> Result<Pairs<'_>> {
        self.core.pairs().map(|(left, right)| Pairs { left, right })
    }

    /// The rows of this rank's points. Collective.
    pub fn neighbors(&mut self, asked: Result<Kind>) -> Result<Neighbors<'_>> {
        let kind = self.prepare_plan("neighbors", asked)?;
        let need = match kind {
            Kind::Half => Need::LargerIds,
            Kind::Full => Need::All,
        };
        let local = self.supply(need).and_then(|()| self.core.neighbors(kind).map(|_| ()));
        agree(&self.comm, local)?;
        self.held_neighbors(kind)
    }

    /// The rows found last. Not collective.
    pub fn held_neighbors(&mut self, kind: Kind) -> Result<Neighbors<'_>> {
        let owned = self.owned();
        let (offsets, ids) = self.core.neighbors(kind)?;
        let end = (offsets[owned] - offsets[0]) as usize; // rows of ghosts are after
        Ok(Neighbors {
            offsets: &offsets[..=owned],
            ids: &ids[..end],
        })
    }

    /// Fails on all ranks if the arrays of any rank are too small. Collective.
    pub fn check_capacity(&self, capacity: usize, need: usize) -> Result<()> {
        let local = match need <= capacity {
            true => Ok(()),
            false => {
                let text =
                    format!("capacity = {capacity} is too small: {need} are needed; nothing was written to the arrays");
                Err(Error::new(status::CAPACITY, text))
            }
        };
        agree(&self.comm, local)
    }

    /// The ghosts of this rank. Collective.
    pub fn ghosts(&mut self, asked: Result<()>) -> Result<Ghosts<'_>> {
        self.prepare_plan("ghosts", asked)?;
        self.held.as_ref().map(Held::ghosts).ok_or_else(no_points)
    }

    /// The number of points of this rank. Not collective, like the functions below.
    pub fn owned(&self) -> usize {
        self.held.as_ref().map_or(0, |held| held.owned)
    }

    /// The number of ghosts of this rank; 0 if there is no plan for the current points and settings.
    pub fn ghost_count(&self) -> usize {
        let receives = self.plan.iter().flat_map(|plan| &plan.receives);
        receives.map(|(_, count)| count).sum()
    }

    /// Dimension of the points; 0 if none are set.
    pub fn dim(&self) -> i32 {
        self.held.as_ref().map_or(0, |held| held.dim as i32)
    }

    /// This rank and the number of ranks.
    pub fn rank_and_size(&self) -> (usize, usize) {
        (self.comm.rank(), self.comm.size())
    }

    /// Refuses points of another precision than `T`.
    pub fn check_precision<T: Real>(&self) -> Result<()> {
        match &self.held {
            Some(held) if !held.is_in::<T>() => {
                let text = format!(
                    "the points set are not {}: call the function for the other precision",
                    T::NAME
                );
                Err(Error::new(status::BAD_VALUE, text))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a call in the middle of a halo exchange.
    pub(crate) fn check_idle(&self) -> Result<()> {
        match self.flight {
            None => Ok(()),
            Some(_) => Err(Error::new(
                status::BAD_STATE,
                "a halo exchange is in progress: finish it first",
            )),
        }
    }

    /// The plan for the current points and settings.
    pub(crate) fn check_plan(&self) -> Result<&Plan> {
        self.check_idle()?;
        let text = "no ghosts for the current points and settings yet: first call pairs, neighbors or ghosts";
        self.plan.as_ref().ok_or_else(|| Error::new(status::BAD_STATE, text))
    }

    /// Comes before a query: all ranks ask the same with the same settings, and have their ghosts.
    pub(crate) fn prepare_plan<A: std::fmt::Debug>(&mut self, call: &'static str, asked: Result<A>) -> Result<A> {
        let asked = self.admit(asked);
        let facts = self.facts(call, &asked);
        let local = asked.and_then(|asked| {
            self.check_idle()?;
            self.held.as_ref().ok_or_else(no_points)?;
            let no_cutoff = || Error::new(status::BAD_STATE, "no cutoff yet: first call set_cutoff");
            self.settings.cutoff.ok_or_else(no_cutoff)?;
            Ok(asked)
        });
        let (asked, ready) = agree_on(&self.comm, local, self.plan.is_some(), &facts)?;
        if !ready {
            self.forget_plan();
            match self.held.as_ref().map(|held| &held.coords) {
                Some(Coords::F32(_)) => self.make_plan::<f32>()?,
                _ => self.make_plan::<f64>()?,
            }
        }
        Ok(asked)
    }

    fn make_plan<T: Real>(&mut self) -> Result<()> {
        let (Some(held), Some(cutoff)) = (&mut self.held, self.settings.cutoff) else {
            return Err(no_points());
        };
        held.drop_ghosts();
        self.supplied = None;
        let (dim, base) = (held.dim, i64::from(self.settings.base));
        let domain = self.settings.domain.clone().unwrap_or_default();
        let cutoff = T::from_f64(cutoff + self.settings.skin).to_f64();
        let team = self.threads.team(held.coords.len());
        let checked = self.core.check_settings(dim, &held.coords);
        let (team, checked) = match team {
            Ok(team) => (team, checked),
            Err(error) => (Team::default(), Err(error)),
        };
        let scene = Scene {
            dim,
            coords: T::held(&held.coords),
            ids: &held.ids,
            domain: &domain,
            cutoff,
            reach: Reach::new(cutoff, T::ROUNDOFF, lengths::<T>(&domain, dim)),
            base,
            team: &team,
            is_laid: self.laid.take().is_some_and(|laid| laid == domain),
        };
        self.plan_follows = self.comm.size() > 1;
        // The core copies what it will search anyway, and a GPU gets it, while messages are on their way.
        let ahead =
            std::mem::take(&mut self.supply_follows) && self.plan_follows && team.threads() > 1 && checked.is_ok();
        let (made, supplied) = beside(&mut self.core, held, ahead, || {
            plan::make(&self.comm, &scene, &mut self.workshop, checked)
        });
        let (plan, arrived) = made?;
        let local = held.add_ghosts::<T>(&arrived);
        self.workshop.keep(arrived);
        let local = local.and_then(|()| supplied.transpose());
        let local = local.and_then(|supplied| Ok((supplied, reference::<T>(held, self.settings.skin)?)));
        (self.supplied, self.reference) = agree(&self.comm, local)?;
        self.plans += 1;
        self.plan = Some(plan);
        Ok(())
    }
}
