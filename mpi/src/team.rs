//! Threads of a rank that make its part of the plan: as many as its search has, in pools of the process.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::error::{Error, Result, status};

/// One pool for each number of threads in use.
static POOLS: Mutex<BTreeMap<usize, Arc<rayon::ThreadPool>>> = Mutex::new(BTreeMap::new());

/// Elements that are not worth waking another thread for.
const FEW: usize = 1 << 13;

/// The calling thread alone, or a pool.
#[derive(Clone, Default)]
pub struct Team {
    pool: Option<Arc<rayon::ThreadPool>>,
}

/// How many threads a search may have.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// By the environment, which has the last word here as in the core.
    told: Option<usize>,
    /// By the caller; 0: all that the process may use.
    pub asked: i32,
}

impl Threads {
    /// As the environment has it; the core refuses what is wrong there.
    pub fn new() -> Threads {
        let told = std::env::var("NEARGRID_THREADS").ok();
        let told = told.and_then(|told| told.trim().parse().ok());
        Threads { told, asked: 0 }
    }

    /// A team for arrays of so many `elements`.
    pub fn team(&self, elements: usize) -> Result<Team> {
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        Team::of(match (self.told, self.asked) {
            _ if elements < FEW => 1,
            (Some(told), _) => told,
            (None, 0) => available(),
            (None, asked) => asked as usize,
        })
    }
}

impl Team {
    /// So many threads.
    fn of(threads: usize) -> Result<Team> {
        if threads <= 1 {
            return Ok(Team::default());
        }
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&threads) {
            return Ok(Team {
                pool: Some(pool.clone()),
            });
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|k| format!("neargrid-mpi-{k}"))
            .start_handler(|_| crate::quiet::silence_thread())
            .build()
            .map_err(|reason| Error::new(status::THREADS, format!("cannot start {threads} threads: {reason}")))?;
        let pool = pools.entry(threads).or_insert(Arc::new(pool)).clone();
        Ok(Team { pool: Some(pool) })
    }

    /// How many threads work at once.
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.current_num_threads())
    }

    /// Ranges of `n` elements, one for each thread.
    pub fn ranges(&self, n: usize) -> Vec<Range<usize>> {
        let share = n.div_ceil(self.threads()).max(FEW);
        (0..n).step_by(share).map(|first| first..n.min(first + share)).collect()
    }

    /// What `work` makes of each of the [`ranges`](Team::ranges) of `n` elements, in their order.
    pub fn shares<R: Send>(&self, n: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        self.map(&self.ranges(n), |range| work(range.clone()))
    }

    /// What `work` makes of each of `items`, in their order; it may change them.
    pub fn map_mut<S: Send, R: Send>(&self, items: &mut [S], work: impl Fn(&mut S) -> R + Sync) -> Vec<R> {
        match &self.pool {
            Some(pool) => pool.install(|| items.par_iter_mut().map(&work).collect()),
            None => items.iter_mut().map(work).collect(),
        }
    }

    /// Has threads, each with one of `states`, take item after item; the first failure, in the order of items, is all that is
    /// told of it.
    pub fn in_turns<S: Send, I: Send>(
        &self,
        states: &mut [S],
        items: impl Iterator<Item = I> + Send,
        work: impl Fn(&mut S, I) -> Result<()> + Sync,
    ) -> Result<()> {
        let items = Mutex::new(items.enumerate());
        let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
        let turns = |state: &mut S| {
            while let Some((k, item)) = next() {
                work(state, item).map_err(|error| (k, error))?;
            }
            Ok(())
        };
        // Who fails stops, but all that was taken before is done by others.
        let failed = self
            .map_mut(states, turns)
            .into_iter()
            .filter_map(|done: std::result::Result<(), _>| done.err());
        failed.min_by_key(|&(k, _)| k).map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Does `work` to pieces of `items`, at most so many long, beside the number of each piece's first.
    pub fn pieces<S: Send>(&self, items: &mut [S], most: usize, work: impl Fn(usize, &mut [S]) + Sync) {
        let first = |k: usize| k * most;
        match &self.pool {
            Some(pool) => pool.install(|| {
                let pieces = items.par_chunks_mut(most).enumerate();
                pieces.for_each(|(k, piece)| work(first(k), piece));
            }),
            None => (items.chunks_mut(most).enumerate()).for_each(|(k, piece)| work(first(k), piece)),
        }
    }

    /// What `work` makes of each of `items`, in their order.
    pub fn map<S: Sync, R: Send>(&self, items: &[S], work: impl Fn(&S) -> R + Sync) -> Vec<R> {
        match &self.pool {
            Some(pool) => pool.install(|| items.par_iter().map(&work).collect()),
            None => items.iter().map(work).collect(),
        }
    }

    /// Both results.
    pub fn both<A: Send, B: Send>(&self, a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        match &self.pool {
            Some(pool) => pool.install(|| rayon::join(a, b)),
            None => (a(), b()),
        }
    }

    /// Sorts; what is equal stands in any order.
    pub fn sort<S: Send, K: Ord>(&self, items: &mut [S], key: impl Fn(&S) -> K + Sync + Send) {
        match &self.pool {
            Some(pool) if items.len() >= FEW => pool.install(|| items.par_sort_unstable_by_key(key)),
            _ => items.sort_unstable_by_key(key),
        }
    }
}
