//! Groups of friends across ranks, and their catalogue.

use super::{Need, Ranks};
use crate::error::{Error, Result, Words, words};
use crate::groups::Properties;
use crate::points::Precision;
use crate::ranks::agree::meet;
use crate::ranks::fof::{self, Friends, Known};
use crate::ranks::groups::{self, Catalogue, Groups};
use crate::search::Search;
use crate::version::{Derived, Version};

/// The groups found last, by the plan, and their catalogue.
#[derive(Debug, Default)]
pub struct State {
    friends: Derived<Option<Version>, Option<Friends>>,
    catalogue: Derived<Option<Version>, Option<Catalogue>>,
}

impl Ranks {
    /// Finds the group of each point of this rank. Returns what came with the question, too.
    pub fn fof<A>(&mut self, search: &mut Search, asked: Result<A>) -> Result<(A, &Friends)> {
        let asked = asked.map(|asked| (Need::Links, asked));
        let asked = self.meet(search, "fof", &[], asked)?;
        self.find_friends(search)?;
        Ok((asked, self.friends(search)?))
    }

    /// The groups found last, if they are those of the current points and settings.
    pub fn friends(&self, search: &Search) -> Result<&Friends> {
        let is_of = search.has_labels() && self.groups.friends.is_of(&self.plan.version());
        let friends = self.groups.friends.get().as_ref().filter(|_| is_of);
        friends.ok_or(Error::BadState {
            missing: "groups for the current points and settings",
            remedy: "fof",
        })
    }

    /// Finds the groups where they are not there yet. All have their ghosts.
    fn find_friends(&mut self, search: &mut Search) -> Result<()> {
        let mut are_there = [self.friends(search).is_ok()];
        meet(&self.comm, Ok(()), [&[], &[]], None, &mut are_there)?;
        if are_there == [true] {
            return Ok(());
        }
        let friends = &mut self.groups.friends;
        let spare = friends.begin().take().map_or(Vec::new(), |friends| friends.labels);
        let known = Known {
            plan: self.plan.get(),
            own: self.numbered.get(),
            ghosts: &self.ghost_ids,
            ranks: &self.ghost_ranks,
            attaches: search.has_primary_types(),
        };
        *friends.scratch() = Some(match search.is_single() {
            Some(true) => fof::find::<f32>(&self.comm, search, &known, spare)?,
            _ => fof::find::<f64>(&self.comm, search, &known, spare)?,
        });
        friends.finish(self.plan.version());
        Ok(())
    }

    /// Finds the groups with at least so many points, with sums over their members.
    pub fn groups<T: Precision>(
        &mut self,
        search: &mut Search,
        asked: Result<(i64, &Properties<T>)>,
    ) -> Result<Groups<'_>> {
        let least = asked.as_ref().map_or(Words::Borrowed(""), |(least, _)| words(least));
        let asked = asked.and_then(|asked| {
            search.held::<T>()?;
            groups::check(search, asked.0, asked.1)?;
            Ok((Need::Links, asked))
        });
        let asked = self.meet(search, "groups", &[("min_size", least)], asked)?;
        self.find_friends(search)?;
        let state = &mut self.groups;
        *state.catalogue.begin() = None;
        if let Some(friends) = state.friends.get() {
            let ids = &self.numbered.get()[..];
            let (catalogue, _) = groups::find(&self.comm, search, (ids, friends), asked)?;
            *state.catalogue.begin() = Some(catalogue);
            state.catalogue.finish(state.friends.version());
        }
        self.catalogue(search)
    }

    /// The catalogue made last, if it is of the current points and settings.
    pub fn catalogue(&self, search: &Search) -> Result<Groups<'_>> {
        let is_of = self.friends(search).is_ok() && self.groups.catalogue.is_of(&self.groups.friends.version());
        let catalogue = self.groups.catalogue.get().as_ref().filter(|_| is_of);
        catalogue.map(Catalogue::show).ok_or(Error::BadState {
            missing: "groups for the current points and settings",
            remedy: "groups_find",
        })
    }
}
