//! Settings of a search: those that must be the same on all ranks, and those of each rank.

use crate::agree::Fact;
use crate::comm::Comm;
use crate::core::DEVICE_TURN;
use crate::error::Result;
use crate::points::Domain;
use crate::search::Search;

/// The settings that must be the same on all ranks.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub cutoff: Option<f64>,
    pub tie_rule: i32,
    pub base: i32,
    pub domain: Option<Domain>,
    pub skin: f64,
}

impl<C: Comm> Search<C> {
    /// Sets the cutoff. Like the other setters it is not collective, but the values must agree at the next query.
    pub fn set_cutoff(&mut self, cutoff: f64) -> Result<()> {
        self.core.set_cutoff(cutoff)?;
        if self.settings.cutoff != Some(cutoff) {
            self.settings.cutoff = Some(cutoff);
            self.forget_plan();
        }
        Ok(())
    }

    /// Sets the tie rule, a NEARGRID_TIE_* number.
    pub fn set_tie_rule(&mut self, rule: i32) -> Result<()> {
        self.core.set_tie_rule(rule)?;
        self.settings.tie_rule = rule;
        self.forget_clusters();
        Ok(())
    }

    /// Sets the number of the first point, 0 or 1.
    pub fn set_index_base(&mut self, base: i32) -> Result<()> {
        self.core.set_index_base(base)?;
        self.finder.core.set_index_base(base)?;
        self.finder.found = None;
        self.settings.base = base;
        self.forget_clusters();
        Ok(())
    }

    /// Sets an axis-aligned box, which may be periodic along any axis. Corner and length of an open axis mean nothing.
    pub fn set_box(&mut self, mut domain: Domain) -> Result<()> {
        self.core.set_box(&domain)?;
        // Ranks need not agree on what means nothing, and it may be no number, which differs from itself.
        for axis in (0..domain.lo.len()).filter(|&axis| !domain.periodic[axis]) {
            (domain.lo[axis], domain.length[axis]) = (0.0, 0.0);
        }
        self.finder.core.set_box(&domain)?;
        if self.settings.domain.as_ref() != Some(&domain) {
            self.settings.domain = Some(domain);
            self.finder.forget();
            self.forget_plan();
        }
        Ok(())
    }

    /// Sets a skin: plan and lists reach that much farther than the cutoff, and [`update`](Search::update) keeps them while
    /// results from them are exact.
    pub fn set_skin(&mut self, skin: f64) -> Result<()> {
        self.core.set_skin(skin)?;
        if self.settings.skin != skin {
            self.settings.skin = skin;
            self.forget_plan();
        }
        Ok(())
    }

    /// The cutoff, if it was set, and the skin.
    pub(crate) fn cutoff_and_skin(&self) -> (Option<f64>, f64) {
        (self.settings.cutoff, self.settings.skin)
    }

    /// Sets the number of threads of this rank. It may differ between ranks.
    pub fn set_threads(&mut self, threads: i32) -> Result<()> {
        self.core.set_threads(threads)?;
        self.threads.asked = threads;
        self.finder.core.set_threads(threads)
    }

    /// Sets where queries of this rank run, a NEARGRID_BACKEND_* number. It may differ between ranks.
    pub fn set_backend(&mut self, backend: i32) -> Result<()> {
        self.core.set_backend(backend)?;
        self.finder.core.set_backend(backend)
    }

    /// Selects the GPU of this rank, by one of NEARGRID_DEVICE_* and a number; in turn, the number is that of the rank on its node.
    pub fn set_device(&mut self, choice: i32, number: i32) -> Result<()> {
        let number = match choice {
            DEVICE_TURN => self.comm.node_rank() as i32,
            _ => number,
        };
        for core in [&mut self.core, &mut self.finder.core] {
            core.set_device(choice, number)?;
        }
        Ok(())
    }

    /// The number of the first point.
    pub fn base(&self) -> i32 {
        self.settings.base
    }

    /// The box; without axes if none was set.
    pub(crate) fn domain(&self) -> Domain {
        self.settings.domain.clone().unwrap_or_default()
    }

    /// The call, what it asks for, and all settings that ranks must agree on.
    pub(crate) fn facts<A: std::fmt::Debug>(&self, call: &'static str, asked: &Result<A>) -> [Fact; 6] {
        let Settings {
            cutoff,
            tie_rule,
            base,
            domain,
            skin,
        } = &self.settings;
        let domain = domain
            .as_ref()
            .map_or("none".to_owned(), |domain| format!("{domain:?}"));
        [
            (call, asked.as_ref().map_or(String::new(), |asked| format!("{asked:?}"))),
            ("cutoff", cutoff.unwrap_or(0.0).to_string()),
            ("tie rule", tie_rule.to_string()),
            ("index base", base.to_string()),
            ("box", domain),
            ("skin", skin.to_string()),
        ]
    }
}
