//! All decisions of a search, in one place: settings in, environment over them, [`Plan`] out.

use std::sync::Arc;

use crate::simd::Isa;
use crate::domain::{Domain, TieRule, check_cutoff};
use crate::error::{Error, Result, Status, words};
use crate::threads::{MAX_THREADS, available};

/// Below this many points a search stays on the calling thread: waking others costs more than it saves.
const THREADS_FROM: usize = 4096;

/// From this many points on a GPU wins, points and pairs moved over the bus and back; and sums, of which only results come back.
const GPU_FROM: usize = 20_000;
const GPU_FROM_FOR_SUMS: usize = 5_000;

/// What is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Neighbors.
    Neighbors,
    /// Sums over them, which a GPU evaluates.
    Sums,
}

impl Query {
    fn gpu_from(self) -> usize {
        match self {
            Query::Neighbors => GPU_FROM,
            Query::Sums => GPU_FROM_FOR_SUMS,
        }
    }
}

/// Where queries run.
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

/// Which GPU a handle is to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WantedDevice<'a> {
    /// The best.
    #[default]
    Best,
    /// That of this index or part of a name, by the environment.
    Named(&'a str),
    /// That of this index.
    Index(usize),
    /// The one whose turn it is, of those that are of the best kind: searches of turns that follow each other share them evenly.
    Turn(usize),
}

/// What the caller set on a handle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Search radius; `None` until set.
    pub cutoff: Option<f64>,
    /// How much farther than the cutoff a list reaches that is kept while points move; 0 for none.
    pub skin: f64,
    /// What a distance equal to the cutoff means.
    pub tie_rule: TieRule,
    /// Which axes are periodic, and where.
    pub domain: Domain,
    /// 0 or 1: added to all that is an index.
    pub index_base: i64,
    /// Threads, 0 for automatic.
    pub threads: usize,
    /// The backend asked for.
    pub backend: Backend,
    /// The GPU wanted.
    pub device: WantedDevice<'static>,
    /// The most bytes that the handle takes for a result.
    pub memory_limit: Option<u64>,
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
            let allowed = format_args!("0 (automatic) to {MAX_THREADS}");
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

    /// Threads for a search among `len` points, and the reason; see [`Plan::new`].
    pub fn threads(&self, len: usize, in_parallel: impl Fn() -> bool) -> (usize, &'static str) {
        match (self.environment.threads, self.threads) {
            (Some(threads), _) => (threads, "NEARGRID_THREADS"),
            (None, 0) if len < THREADS_FROM => (1, "auto: too few points to wake another thread"),
            (None, 0) if in_parallel() => (1, "auto: called from inside a parallel region"),
            (None, 0) => (available(), "auto: all threads available to this process"),
            (None, threads) => (threads, "asked for"),
        }
    }

    /// The backend asked for, by the environment or the caller.
    pub fn asked_backend(&self) -> Backend {
        self.environment.backend.unwrap_or(self.backend)
    }

    /// The GPU wanted, by the environment or the caller.
    pub fn wanted_device(&self) -> WantedDevice<'_> {
        self.environment
            .device
            .as_deref()
            .map_or(self.device, WantedDevice::Named)
    }

    /// The cutoff, or the state error that it is missing.
    pub fn cutoff(&self) -> Result<f64> {
        self.cutoff.ok_or(Error::BadState {
            missing: "cutoff",
            remedy: "set_cutoff",
        })
    }
}

/// The variables that override settings for users who cannot recompile. The tie rule is a default, which a caller overrides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Environment {
    backend: Option<Backend>,
    device: Option<Arc<str>>,
    threads: Option<usize>,
    isa: Option<Isa>,
    tie_rule: Option<TieRule>,
}

impl Environment {
    /// What a distance equal to the cutoff means to a search whose caller does not say.
    pub fn tie_rule(&self) -> TieRule {
        self.tie_rule.unwrap_or_default()
    }

    /// Reads `NEARGRID_BACKEND`, `NEARGRID_DEVICE`, `NEARGRID_THREADS`, `NEARGRID_SIMD` and `NEARGRID_TIE`; an invalid value is an
    /// error.
    pub fn read() -> Result<Environment> {
        crate::spare::check("environment variables")?;
        Ok(Environment {
            backend: variable("NEARGRID_BACKEND", "auto, cpu or gpu", |value| {
                [Backend::Auto, Backend::Cpu, Backend::Gpu]
                    .into_iter()
                    .find(|b| b.name() == value)
            })?,
            device: variable("NEARGRID_DEVICE", "an index or a part of a device's name", |value| {
                Some(value.into())
            })?,
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

/// The decisions for one query.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Never `Auto`.
    pub backend: Backend,
    /// Why this backend.
    pub backend_reason: &'static str,
    /// The backend was asked for: where it fails, so does the query.
    pub forced: bool,
    /// Threads that search, the calling one included.
    pub threads: usize,
    /// Why this many.
    pub threads_reason: &'static str,
    /// The instruction set of the kernels.
    pub isa: Isa,
}

impl Plan {
    /// Decides for a search among `len` points, which asks for `query`. `in_parallel` returns whether the call comes from inside the caller's own
    /// parallel region, where a search stays on the calling thread unless a thread count was set. `cpu_only`: why a GPU
    /// will not do. `find_gpu` makes sure that there is one, a software one only if forced.
    pub fn new(
        settings: &Settings,
        (len, query): (usize, Query),
        in_parallel: impl Fn() -> bool,
        cpu_only: Option<&'static str>,
        find_gpu: impl FnOnce(bool) -> Result<()>,
    ) -> Result<Plan> {
        let asked = settings.asked_backend();
        let (backend, backend_reason) = match asked {
            Backend::Gpu => {
                find_gpu(true)?;
                (Backend::Gpu, "asked for")
            }
            Backend::Cpu => (Backend::Cpu, "asked for"),
            Backend::Auto if cpu_only.is_some() => (Backend::Cpu, cpu_only.unwrap_or_default()),
            Backend::Auto if len < query.gpu_from() => (Backend::Cpu, "auto: too few points for a GPU to win"),
            Backend::Auto => match find_gpu(false) {
                Ok(()) => (Backend::Gpu, "auto: enough points for a GPU to win"),
                // a GPU that is not among those of this machine, by the environment or the caller
                Err(error) if matches!(error.status(), Status::BadEnvironment | Status::BadValue) => return Err(error),
                Err(_) => (Backend::Cpu, "auto: no GPU that can be used"),
            },
        };
        let (threads, threads_reason) = settings.threads(len, in_parallel);
        let isa = settings.environment.isa.unwrap_or_else(Isa::best);
        Ok(Plan {
            backend,
            backend_reason,
            forced: asked != Backend::Auto,
            threads,
            threads_reason,
            isa,
        })
    }
}
