//! Threads: the pools belong to the process and live until it exits; a [`Team`] is the part of them one query uses.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use crate::error::{Error, Result};

/// The most threads one search may use.
pub(crate) const MAX_THREADS: usize = 1024;

/// One pool per thread count in use: a search of `t` threads has exactly `t`, whatever others ask for, and two
/// searches of the same count share a pool.
static POOLS: Mutex<BTreeMap<usize, Arc<rayon::ThreadPool>>> = Mutex::new(BTreeMap::new());

/// The threads of one query: the calling thread alone, or a pool of the process.
pub struct Team {
    threads: usize,
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Team {
    /// The calling thread alone: wakes nobody.
    pub fn caller() -> Team {
        Team { threads: 1, pool: None }
    }

    /// A team of `threads`, whose pool is started at its first use in the process.
    pub fn new(threads: usize) -> Result<Team> {
        if threads <= 1 {
            return Ok(Team::caller());
        }
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&threads) {
            return Ok(Team {
                threads,
                pool: Some(pool.clone()),
            });
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|k| format!("neargrid-{k}"))
            .start_handler(|_| crate::quiet::silence_thread())
            .build()
            .map_err(|reason| Error::Threads {
                threads,
                reason: reason.to_string(),
            })?;
        let pool = pools.entry(threads).or_insert(Arc::new(pool)).clone();
        Ok(Team {
            threads,
            pool: Some(pool),
        })
    }

    /// How many threads work at once.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `work`, whose rayon iterators then use this team's threads. Not for a team of one: they would start rayon's
    /// global pool, which belongs to nobody here, and wait for it.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => unreachable!("a team of one has no pool"),
        }
    }

    /// Does `work` to each of `items`, in parallel where the team has more than one thread.
    pub fn each<S: Send>(&self, items: &mut [S], work: impl Fn(&mut S) + Sync) {
        match &self.pool {
            Some(pool) => pool.install(|| items.par_iter_mut().for_each(&work)),
            None => items.iter_mut().for_each(work),
        }
    }

    /// Does tasks `0 .. tasks`, each once, handed out in order to whoever is free. Every worker has a state of its own
    /// out of `states`, which must hold at least one. The first error stops the rest and is returned.
    pub fn run<S: Send>(
        &self,
        states: &mut [S],
        tasks: usize,
        work: impl Fn(&mut S, usize) -> Result<()> + Sync,
    ) -> Result<()> {
        let next = AtomicUsize::new(0);
        let failure = Mutex::new(None);
        let workers = states.len().min(tasks);
        self.each(&mut states[..workers], |state| {
            loop {
                let task = next.fetch_add(1, Ordering::Relaxed);
                if task >= tasks {
                    return;
                }
                if let Err(error) = work(state, task) {
                    next.store(tasks, Ordering::Relaxed);
                    failure
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .get_or_insert(error);
                    return;
                }
            }
        });
        failure
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .map_or(Ok(()), Err)
    }
}

/// Threads this process may run on: affinity and container limits respected, asked once, for asking reads files.
pub fn available() -> usize {
    static AVAILABLE: OnceLock<usize> = OnceLock::new();
    *AVAILABLE.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS)))
}
