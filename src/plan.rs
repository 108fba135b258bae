//! All decisions of a search, in one place: settings in, environment over them, [`Plan`] out.

use crate::domain::{Domain, TieRule, check_cutoff};
pub use crate::environment::{Backend, Environment};
use crate::error::{Error, Result, Status};
use crate::simd::Isa;
use crate::threads::MAX_THREADS;

/// From this many points on a GPU wins, points and pairs moved over the bus and back; and sums, of which only results
/// come back.
const GPU_FROM: usize = 20_000;
const GPU_FROM_FOR_SUMS: usize = 5_000;

/// The purpose of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Neighbors.
    Neighbors,
    /// Sums over them, which a GPU evaluates.
    Sums,
}

impl Purpose {
    fn gpu_from(self) -> usize {
        match self {
            Purpose::Neighbors => GPU_FROM,
            Purpose::Sums => GPU_FROM_FOR_SUMS,
        }
    }
}

/// The GPU that a handle is to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WantedDevice<'a> {
    /// The best.
    #[default]
    Best,
    /// That of this index, address, UUID or part of a name, by the environment.
    Named(&'a str),
    /// That of this index.
    Index(usize),
    /// The one whose turn it is, of those that are of the best kind: searches of turns that follow each other share
    /// them evenly.
    Turn(usize),
}

/// Settings that the caller set on a handle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Search radius; `None` until set.
    pub cutoff: Option<f64>,
    /// The length by which a list that is kept while points move reaches farther than the cutoff; 0 for none.
    pub skin: f64,
    /// The radius within which the k nearest are searched; `None`: at any distance.
    pub knn_within: Option<f64>,
    /// The meaning of a distance equal to the cutoff.
    pub tie_rule: TieRule,
    /// The periodic axes.
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
    /// Variables of the environment, which override the above.
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
        self.environment.threads_for(self.threads, len, in_parallel)
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

/// Whether a GPU was asked for that is not among those of this machine.
pub fn is_refusal(error: &Error) -> bool {
    matches!(error.status(), Status::BadEnvironment | Status::BadValue)
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
    /// Decides for a search among `len` points, which asks for `query`. `in_parallel` returns whether the call comes
    /// from inside the caller's own parallel region, where a search stays on the calling thread unless a thread count
    /// was set. `cpu_only`: why a GPU will not do. `find_gpu` makes sure that there is one, a software one only if
    /// forced; where none is forced, it may say why the CPU is to answer this time.
    pub fn new(
        settings: &Settings,
        (len, query): (usize, Purpose),
        in_parallel: impl Fn() -> bool,
        cpu_only: Option<&'static str>,
        find_gpu: impl FnOnce(bool) -> Result<Option<&'static str>>,
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
                Ok(Some(why)) => (Backend::Cpu, why),
                Ok(None) => (Backend::Gpu, "auto: enough points for a GPU to win"),
                // a GPU that is not among those of this machine, by the environment or the caller
                Err(error) if is_refusal(&error) => return Err(error),
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
