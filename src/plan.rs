//! All decisions of a search, in one place: settings in, environment over them, [`Plan`] out.

use crate::cpu::simd::Isa;
use crate::domain::{TieRule, check_cutoff};
use crate::error::{Error, Result, Status};
use crate::threads::{MAX_THREADS, available};

/// Below this many points a search stays on the calling thread: waking others costs more than it saves.
const THREADS_FROM: usize = 4096;

/// Who searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// A GPU where there is one and the problem is large enough to win, otherwise the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// A GPU; none is an error.
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

/// What the caller set on a handle.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Search radius; `None` until set.
    pub cutoff: Option<f64>,
    /// What a distance equal to the cutoff means.
    pub tie_rule: TieRule,
    /// 0 or 1: added to all that is an index.
    pub index_base: i64,
    /// Threads, 0 for automatic.
    pub threads: usize,
    /// The backend asked for.
    pub backend: Backend,
    /// What the environment says, which overrides the above.
    pub environment: Environment,
}

impl Settings {
    /// Refuses what is not a radius.
    pub fn set_cutoff(&mut self, cutoff: f64) -> Result<()> {
        self.cutoff = Some(check_cutoff(cutoff)?);
        Ok(())
    }

    /// 0 for automatic, else 1 to [`MAX_THREADS`].
    pub fn set_threads(&mut self, threads: i64) -> Result<()> {
        if !(0..=MAX_THREADS as i64).contains(&threads) {
            let allowed = format!("0 (automatic) to {MAX_THREADS}");
            return Err(Error::not_allowed(Status::BadValue, "threads", threads, allowed));
        }
        self.threads = threads as usize;
        Ok(())
    }

    /// 0 or 1.
    pub fn set_index_base(&mut self, base: i64) -> Result<()> {
        if !(0..=1).contains(&base) {
            return Err(Error::not_allowed(Status::BadValue, "base", base, "0 or 1"));
        }
        self.index_base = base;
        Ok(())
    }

    /// The cutoff, or the state error that it is missing.
    pub fn cutoff(&self) -> Result<f64> {
        self.cutoff.ok_or(Error::BadState {
            missing: "cutoff",
            remedy: "set_cutoff",
        })
    }
}

/// The variables that override settings for users who cannot recompile.
#[derive(Clone, Copy, Debug, Default)]
pub struct Environment {
    backend: Option<Backend>,
    threads: Option<usize>,
    isa: Option<Isa>,
}

impl Environment {
    /// Reads `NEARGRID_BACKEND`, `NEARGRID_THREADS` and `NEARGRID_SIMD`; an invalid value is an error.
    pub fn read() -> Result<Environment> {
        Ok(Environment {
            backend: variable("NEARGRID_BACKEND", "auto, cpu or gpu", |value| {
                [Backend::Auto, Backend::Cpu, Backend::Gpu]
                    .into_iter()
                    .find(|b| b.name() == value)
            })?,
            threads: variable("NEARGRID_THREADS", "a number from 1 to 1024", |value| {
                value.parse().ok().filter(|threads| (1..=MAX_THREADS).contains(threads))
            })?,
            isa: variable(
                "NEARGRID_SIMD",
                "scalar, avx2 or avx512, and available on this machine",
                |value| {
                    Isa::ALL
                        .into_iter()
                        .find(|isa| isa.name() == value && isa.is_available())
                },
            )?,
        })
    }
}

/// An unset or empty variable says nothing; any other value must parse.
fn variable<R>(variable: &'static str, allowed: &'static str, parse: impl Fn(&str) -> Option<R>) -> Result<Option<R>> {
    let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let value = value.to_string_lossy().into_owned();
    match parse(value.trim()) {
        Some(parsed) => Ok(Some(parsed)),
        None => Err(Error::BadEnvironment {
            variable,
            value,
            allowed,
        }),
    }
}

/// The decisions for one query.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Never `Auto`.
    pub backend: Backend,
    /// Why this backend.
    pub backend_reason: &'static str,
    /// Threads that search, the calling one included.
    pub threads: usize,
    /// Why this many.
    pub threads_reason: &'static str,
    /// The instruction set of the kernels.
    pub isa: Isa,
}

impl Plan {
    /// Decides for a search among `len` points. `in_parallel` tells whether the call comes from inside the caller's own
    /// parallel region, where a search stays on the calling thread unless a thread count was set.
    pub fn new(settings: &Settings, len: usize, in_parallel: impl Fn() -> bool) -> Result<Plan> {
        let (backend, backend_reason) = match settings.environment.backend.unwrap_or(settings.backend) {
            Backend::Gpu => {
                let reason = "this build of neargrid has no GPU backend".to_owned();
                return Err(Error::NoDevice {
                    backend: Backend::Gpu.name(),
                    reason,
                });
            }
            Backend::Cpu => (Backend::Cpu, "asked for"),
            Backend::Auto => (Backend::Cpu, "auto: this build has no GPU backend"),
        };
        let (threads, threads_reason) = match (settings.environment.threads, settings.threads) {
            (Some(threads), _) => (threads, "NEARGRID_THREADS"),
            (None, 0) if len < THREADS_FROM => (1, "auto: too few points to wake another thread"),
            (None, 0) if in_parallel() => (1, "auto: called from inside a parallel region"),
            (None, 0) => (available(), "auto: all that this process may use"),
            (None, threads) => (threads, "asked for"),
        };
        let isa = settings.environment.isa.unwrap_or_else(Isa::best);
        Ok(Plan {
            backend,
            backend_reason,
            threads,
            threads_reason,
            isa,
        })
    }
}
