//! Variables of the environment that override settings, and the rule for numbers of threads.

use std::sync::Arc;

use crate::domain::TieRule;
use crate::error::{Error, Result, words};
use crate::simd::Isa;
use crate::threads::{MAX_THREADS, available};

/// Below this many points a search stays on the calling thread: waking others costs more than it saves.
const THREADS_FROM: usize = 4096;

/// The place where queries run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// On a GPU if there is one and the problem is large enough to gain from it, otherwise on the CPU.
    #[default]
    Auto,
    /// On the CPU.
    Cpu,
    /// On a GPU. It is an error if there is none.
    Gpu,
}

impl Backend {
    /// The name in `NEARGRID_BACKEND`, info and messages.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Auto => "auto",
            Backend::Cpu => "cpu",
            Backend::Gpu => "gpu",
        }
    }
}

/// The variables that override settings for users who cannot recompile. The tie rule is a default, which a setting
/// overrides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Environment {
    pub backend: Option<Backend>,
    pub device: Option<Arc<str>>,
    pub threads: Option<usize>,
    pub isa: Option<Isa>,
    tie_rule: Option<TieRule>,
}

impl Environment {
    /// Threads for a search among `len` points where the caller asked for `asked`, 0 for automatic, and the reason.
    /// `in_parallel` returns whether the call comes from inside the caller's own parallel region, where a search stays
    /// on the calling thread unless a number of threads was set.
    pub fn threads_for(&self, asked: usize, len: usize, in_parallel: impl Fn() -> bool) -> (usize, &'static str) {
        match (self.threads, asked) {
            (Some(threads), _) => (threads, "NEARGRID_THREADS"),
            (None, 0) if len < THREADS_FROM => (1, "auto: too few points to wake another thread"),
            (None, 0) if in_parallel() => (1, "auto: called from inside a parallel region"),
            (None, 0) => (available(), "auto: all threads available to this process"),
            (None, threads) => (threads, "asked for"),
        }
    }

    /// The meaning of a distance equal to the cutoff to a search whose caller does not say.
    pub fn tie_rule(&self) -> TieRule {
        self.tie_rule.unwrap_or_default()
    }

    /// Reads `NEARGRID_BACKEND`, `NEARGRID_DEVICE`, `NEARGRID_THREADS`, `NEARGRID_SIMD` and `NEARGRID_TIE`; an invalid
    /// value is an error.
    pub fn read() -> Result<Environment> {
        crate::spare::check("environment variables")?;
        Ok(Environment {
            backend: variable("NEARGRID_BACKEND", "auto, cpu or gpu", |value| {
                [Backend::Auto, Backend::Cpu, Backend::Gpu]
                    .into_iter()
                    .find(|b| b.name() == value)
            })?,
            device: variable(
                "NEARGRID_DEVICE",
                "an index, a PCI address, a UUID or a part of a device's name",
                |value| Some(value.into()),
            )?,
            threads: variable("NEARGRID_THREADS", "a number from 1 to 1024", |value| {
                value.parse().ok().filter(|threads| (1..=MAX_THREADS).contains(threads))
            })?,
            isa: variable(
                "NEARGRID_SIMD",
                "scalar, neon, avx2 or avx512, and available on this machine",
                |value| {
                    Isa::ALL
                        .into_iter()
                        .find(|isa| isa.name() == value && isa.is_available())
                },
            )?,
            tie_rule: variable("NEARGRID_TIE", "inclusive or exclusive", |value| {
                [TieRule::Inclusive, TieRule::Exclusive]
                    .into_iter()
                    .find(|rule| rule.name() == value)
            })?,
        })
    }
}

/// An unset or empty variable is ignored; any other value must be valid.
fn variable<R>(variable: &'static str, allowed: &'static str, parse: impl Fn(&str) -> Option<R>) -> Result<Option<R>> {
    let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    match value.to_str().and_then(|value| parse(value.trim())) {
        Some(parsed) => Ok(Some(parsed)),
        None => Err(Error::BadEnvironment {
            variable,
            value: words(value.display()),
            allowed,
        }),
    }
}
