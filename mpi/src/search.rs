//! The handle: settings, this rank's points, the plan and its ghosts, results. Kept from step to step.
//!
//! A collective call takes what the caller asked for as a result: where this rank's arguments were no good, it still takes part
//! in the agreement, and all ranks fail alike.

use crate::agree::{agree, agree_on};
use crate::boxes::Reach;
use crate::comm::Comm;
use crate::core::{Core, Kind};
use crate::error::{Error, Result, status};
use crate::fof::Clusters;
use crate::held::{Ghosts, Held, check_points, no_points};
use crate::ids;
use crate::knn::Finder;
use crate::list::{Lists, Neighbors, Owners, Pairs, Sides};
use crate::migration::Migration;
use crate::plan::{self, Plan, Scene};
use crate::points::{Coords, Given, Real, lengths};
use crate::settings::Settings;
use crate::skin::reference;
use crate::stats::Traffic;

/// A halo exchange under way.
pub(crate) struct Flight<P> {
    pub(crate) posted: P,
    pub(crate) bytes: usize,
}

/// A search across ranks.
pub struct Search<C: Comm> {
    pub(crate) flight: Option<Flight<C::Posted>>, // before the communicator, which must outlive it
    pub(crate) comm: C,
    pub(crate) core: Core,
    pub(crate) settings: Settings,
    pub(crate) held: Option<Held>,
    pub(crate) finder: Finder,
    pub(crate) plan: Option<Plan>,
    pub(crate) lists: Lists,
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
    /// A search of all ranks of a communicator; collective.
    pub fn create(comm: C) -> Result<Search<C>> {
        let made = Core::new().and_then(|core| Ok((core, Finder::new()?)));
        let (mut core, mut finder) = agree(&comm, made)?;
        for core in [&mut core, &mut finder.core] {
            core.set_device_turn(comm.node_rank() as i32)?;
        }
        Ok(Search {
            flight: None,
            comm,
            core,
            settings: Settings::default(),
            held: None,
            finder,
            plan: None,
            lists: Lists::default(),
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

    /// Makes this rank take part in the next collective call as one that fails: for what a language binding finds wrong.
    pub fn refuse_next(&mut self, error: Error) {
        self.refusal = Some(error);
    }

    /// What is asked for, unless this rank is to fail.
    pub(crate) fn admit<A>(&mut self, asked: Result<A>) -> Result<A> {
        self.refusal.take().map_or(asked, Err)
    }

    pub(crate) fn forget_plan(&mut self) {
        self.plan = None;
        self.reference = None;
        self.forget_lists();
    }

    /// What was found along the plan.
    pub(crate) fn forget_lists(&mut self) {
        self.lists = Lists::default();
        self.clusters = Clusters::default();
    }

    /// Sets this rank's points. Collective; a rank may have none, and gives ids or none then. On failure nothing changes.
    pub fn set_points<T: Real>(&mut self, asked: Result<Given<T>>) -> Result<()> {
        let base = i64::from(self.settings.base);
        let local = self.admit(asked).and_then(|given| {
            self.check_idle()?;
            check_points(&given, base)?;
            Ok(given)
        });
        let dim = local.as_ref().map_or(0, |given| given.dim);
        let facts = [
            ("set_points", String::new()),
            ("dim", dim.to_string()),
            ("precision", T::NAME.to_owned()),
            ("index base", base.to_string()),
        ];
        let (given, _) = agree_on(&self.comm, local, true, &facts)?;
        self.replace_points(given)
    }

    /// The same once all ranks agree.
    pub(crate) fn replace_points<T: Real>(&mut self, given: Given<T>) -> Result<()> {
        let (Given { dim, coords, ids }, base) = (given, i64::from(self.settings.base));
        let owned = coords.len() / dim;
        let ids_given = ids.is_some();
        let ids = ids::number(&self.comm, owned, ids, base)?;
        self.forget_plan();
        self.finder.forget();
        self.held = Some(Held {
            dim,
            owned,
            coords: T::hold(coords),
            ids,
            ids_given,
            ranks: Vec::new(),
        });
        Ok(())
    }

    /// Pairs of this rank, by numbers of owned points and, behind them, ghosts. Collective.
    pub fn pairs(&mut self, asked: Result<Sides>) -> Result<Pairs<'_>> {
        let sides = self.prepare("pairs", asked)?;
        let local = self.find_pairs(sides);
        agree(&self.comm, local)?;
        self.held_pairs(sides)
    }

    /// The pairs that were found last. Not collective.
    pub fn held_pairs(&mut self, sides: Sides) -> Result<Pairs<'_>> {
        match (sides, &self.lists.pairs) {
            (Sides::Once, Some((left, right))) => Ok(Pairs { left, right }),
            _ => self.core.pairs().map(|(left, right)| Pairs { left, right }),
        }
    }

    fn find_pairs(&mut self, sides: Sides) -> Result<()> {
        let Some(held) = &self.held else {
            return Err(no_points());
        };
        if sides == Sides::Both {
            return self.core.pairs().map(|_| ());
        }
        if self.lists.pairs.is_none() {
            let (left, right) = self.core.pairs()?;
            let owners = Owners {
                owned: held.owned,
                base: self.settings.base,
                ids: &held.ids,
            };
            self.lists.pairs = Some(owners.pairs(left, right)?);
        }
        Ok(())
    }

    /// Rows of this rank's points. Collective.
    pub fn neighbors(&mut self, asked: Result<Kind>) -> Result<Neighbors<'_>> {
        let kind = self.prepare("neighbors", asked)?;
        let local = self.find_neighbors(kind);
        agree(&self.comm, local)?;
        self.held_neighbors(kind)
    }

    /// The rows that were found last. Not collective.
    pub fn held_neighbors(&mut self, kind: Kind) -> Result<Neighbors<'_>> {
        match (kind, &self.lists.half) {
            (Kind::Half, Some((offsets, ids))) => Ok(Neighbors { offsets, ids }),
            _ => {
                let owned = self.owned();
                let (offsets, ids) = self.core.neighbors(kind)?;
                let end = (offsets[owned] - offsets[0]) as usize; // rows of ghosts stand behind
                Ok(Neighbors {
                    offsets: &offsets[..=owned],
                    ids: &ids[..end],
                })
            }
        }
    }

    fn find_neighbors(&mut self, kind: Kind) -> Result<()> {
        let Some(held) = &self.held else {
            return Err(no_points());
        };
        if kind == Kind::Full {
            return self.core.neighbors(kind).map(|_| ());
        }
        if self.lists.half.is_none() {
            let (offsets, ids) = self.core.neighbors(kind)?;
            let owners = Owners {
                owned: held.owned,
                base: self.settings.base,
                ids: &held.ids,
            };
            self.lists.half = Some(owners.rows(offsets, ids)?);
        }
        Ok(())
    }

    /// Agrees that the arrays of every rank hold what they must. Collective.
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
        self.prepare("ghosts", asked)?;
        self.held.as_ref().map(Held::ghosts).ok_or_else(no_points)
    }

    /// How many points this rank has. Not collective, as all below.
    pub fn owned(&self) -> usize {
        self.held.as_ref().map_or(0, |held| held.owned)
    }

    /// How many ghosts it has; none where there is no plan for the points and settings of now.
    pub fn ghost_count(&self) -> usize {
        let receives = self.plan.iter().flat_map(|plan| &plan.receives);
        receives.map(|(_, count)| count).sum()
    }

    /// Axes of the points; 0 where none are set.
    pub fn dim(&self) -> i32 {
        self.held.as_ref().map_or(0, |held| held.dim as i32)
    }

    /// This rank and how many there are.
    pub fn rank_and_size(&self) -> (usize, usize) {
        (self.comm.rank(), self.comm.size())
    }

    /// Refuses points of another precision than `T`.
    pub fn check_precision<T: Real>(&self) -> Result<()> {
        match &self.held {
            Some(held) if !held.is_in::<T>() => {
                let text = format!("the points set are not {}: call the other of both functions", T::NAME);
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
                "a halo exchange is under way: finish it first",
            )),
        }
    }

    /// The plan of the points and settings of now.
    pub(crate) fn check_plan(&self) -> Result<&Plan> {
        self.check_idle()?;
        let text = "no ghosts are known for these points and settings: ask for pairs, neighbors or ghosts first";
        self.plan.as_ref().ok_or_else(|| Error::new(status::BAD_STATE, text))
    }

    /// What comes before a query: all ranks ask the same with the same settings, and have their ghosts.
    pub(crate) fn prepare<A: std::fmt::Debug>(&mut self, call: &'static str, asked: Result<A>) -> Result<A> {
        let asked = self.admit(asked);
        let facts = self.facts(call, &asked);
        let local = asked.and_then(|asked| {
            self.check_idle()?;
            self.held.as_ref().ok_or_else(no_points)?;
            let no_cutoff = || Error::new(status::BAD_STATE, "no cutoff yet: set one first");
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
        let (dim, base) = (held.dim, i64::from(self.settings.base));
        let domain = self.settings.domain.clone().unwrap_or_default();
        let cutoff = T::from_f64(cutoff + self.settings.skin).to_f64();
        let coords = T::held(&held.coords);
        let checked = self.core.check_settings(dim, &held.coords);
        let reach = Reach::new(cutoff, T::ROUNDOFF, lengths::<T>(&domain, dim));
        let scene = Scene {
            dim,
            coords,
            ids: &held.ids,
            domain: &domain,
            cutoff,
            reach,
            base,
        };
        let (plan, arrived) = plan::make(&self.comm, &scene, checked)?;
        let local = held.add_ghosts(arrived);
        let local = local.and_then(|()| self.core.set_points(dim, &held.coords, &held.ids, held.owned));
        let local = local.and_then(|()| reference::<T>(held, self.settings.skin));
        self.reference = agree(&self.comm, local)?;
        self.plans += 1;
        self.plan = Some(plan);
        Ok(())
    }
}
