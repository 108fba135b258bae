//! Threads: the pools belong to the process and live until it exits; a [`Team`] is the part of them one query uses.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rayon::slice::ParallelSliceMut;

use crate::error::{Error, Result};

/// The most threads one search may use.
pub(crate) const MAX_THREADS: usize = 1024;

/// So long the calling thread waits for helpers that are nearly done before it sleeps: to be woken takes as long.
const AWAKE: Duration = Duration::from_micros(100);

/// A pool for each number of threads in use: searches of as many share one, and each has exactly its own number, whatever
/// others ask for.
static POOLS: Mutex<BTreeMap<usize, Arc<rayon::ThreadPool>>> = Mutex::new(BTreeMap::new());

/// The threads of one query: the calling thread and its helpers out of a pool of the process, which has no more than those,
/// for one that is idle takes time from those that work.
pub struct Team {
    threads: usize,
    helpers: Option<Arc<rayon::ThreadPool>>,
}

impl Team {
    /// The calling thread alone: wakes nobody.
    pub fn caller() -> Team {
        Team {
            threads: 1,
            helpers: None,
        }
    }

    /// A team of `threads`, whose helpers are started at its first use in the process.
    pub fn new(threads: usize) -> Result<Team> {
        if threads <= 1 {
            return Ok(Team::caller());
        }
        Ok(Team {
            threads,
            helpers: Some(pool(threads - 1)?),
        })
    }

    /// How many threads work at once.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// What sorts as this team would.
    pub fn sorter(&self) -> Result<Sorter> {
        let pool = (self.threads > 1).then(|| pool(self.threads)).transpose()?;
        Ok(Sorter { pool })
    }

    /// Does `work` to each of `items`, taken in order by whoever is free. The calling thread is one of the team: it begins with
    /// the first while others are woken, and sleeps at the end only if one of them is much later.
    pub fn each<S: Send>(&self, items: &mut [S], work: impl Fn(&mut S) + Sync) {
        let helpers = self.threads.min(items.len()).saturating_sub(1);
        let Some(pool) = self.helpers.as_ref().filter(|_| helpers > 0) else {
            return items.iter_mut().for_each(work);
        };
        let mut rest = items.iter_mut();
        let first = rest.next();
        let rest = Mutex::new(rest);
        let next = || rest.lock().unwrap_or_else(PoisonError::into_inner).next();
        let take_part = |mut item: Option<_>| {
            while let Some(taken) = item {
                work(taken);
                item = next();
            }
        };
        let left = AtomicUsize::new(helpers);
        let help = || {
            take_part(next());
            left.fetch_sub(1, Relaxed);
        };
        pool.in_place_scope(|scope| {
            recruit(scope, helpers, &help);
            take_part(first);
            let begun = Instant::now();
            while left.load(Relaxed) > 0 && begun.elapsed() < AWAKE {
                std::thread::yield_now();
            }
        });
    }

    /// Does tasks `0 .. tasks`, each once, handed out in order to whoever is free. Every worker has a state of its own
    /// out of `states`, which must hold at least one. The first error stops the rest and is returned.
    pub fn run<S: Send>(
        &self,
        states: &mut [S],
        tasks: usize,
        work: impl Fn(&mut S, usize) -> Result<()> + Sync,
    ) -> Result<()> {
        self.run_shares(states, &Shares::new(tasks, 1), work)
    }

    /// [`run`](Team::run) for what is done again and again: each worker begins with a share of the tasks that is the same each
    /// time, for what they need may still be in its caches, and takes from those of others when it is done.
    pub fn run_in_shares<S: Send>(
        &self,
        states: &mut [S],
        tasks: usize,
        work: impl Fn(&mut S, usize) -> Result<()> + Sync,
    ) -> Result<()> {
        let workers = states.len().min(tasks).max(1);
        self.run_shares(states, &Shares::new(tasks, workers), work)
    }

    fn run_shares<S: Send>(
        &self,
        states: &mut [S],
        shares: &Shares,
        work: impl Fn(&mut S, usize) -> Result<()> + Sync,
    ) -> Result<()> {
        let failure = Mutex::new(None);
        let workers = states.len().min(shares.tasks);
        let mut workers: Vec<_> = states[..workers].iter_mut().enumerate().collect();
        self.each(&mut workers, |(worker, state)| {
            while let Some(task) = shares.take(*worker) {
                if let Err(error) = work(state, task) {
                    shares.stop();
                    let mut first = failure.lock().unwrap_or_else(PoisonError::into_inner);
                    first.get_or_insert(error);
                }
            }
        });
        failure
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .map_or(Ok(()), Err)
    }
}

/// Tasks that are yet to be done, in shares, each of those that follow each other.
struct Shares {
    tasks: usize,
    /// The next one of each share.
    next: Vec<AtomicUsize>,
}

impl Shares {
    fn new(tasks: usize, shares: usize) -> Shares {
        let next = (0..shares)
            .map(|share| AtomicUsize::new(share * tasks / shares))
            .collect();
        Shares { tasks, next }
    }

    fn end(&self, share: usize) -> usize {
        (share + 1) * self.tasks / self.next.len()
    }

    /// The next task of a worker's share, or else of one behind it.
    fn take(&self, worker: usize) -> Option<usize> {
        let shares = self.next.len();
        let mut behind = (worker..worker + shares).map(|share| share % shares);
        behind.find_map(|share| {
            let next = &self.next[share];
            let is_left = next.load(Relaxed) < self.end(share);
            let task = is_left.then(|| next.fetch_add(1, Relaxed));
            task.filter(|&task| task < self.end(share))
        })
    }

    /// Has no more tasks taken.
    fn stop(&self) {
        for (share, next) in self.next.iter().enumerate() {
            next.store(self.end(share), Relaxed);
        }
    }
}

/// Has `helpers` threads of a pool take part: each that is woken wakes half of those that are left to it, for to wake all takes
/// one thread long.
fn recruit<'scope>(scope: &rayon::Scope<'scope>, helpers: usize, take_part: &'scope (dyn Fn() + Sync)) {
    let mut left = helpers;
    while left > 0 {
        let others = left / 2;
        scope.spawn(move |scope| {
            recruit(scope, others, take_part);
            take_part();
        });
        left -= others + 1;
    }
}

/// Sorts with as many threads as a team has, all out of a pool, while the calling thread waits.
pub struct Sorter {
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Sorter {
    /// What is equal comes to stand in any order.
    pub fn sort<S: Ord + Send>(&self, items: &mut [S]) {
        match &self.pool {
            Some(pool) => pool.install(|| items.par_sort_unstable()),
            None => items.sort_unstable(),
        }
    }
}

/// The pool of so many threads.
fn pool(threads: usize) -> Result<Arc<rayon::ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&threads) {
        return Ok(pool.clone());
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
    Ok(pools.entry(threads).or_insert(Arc::new(pool)).clone())
}

/// Threads this process may run on: affinity and container limits respected, asked once, for asking reads files.
pub fn available() -> usize {
    static AVAILABLE: OnceLock<usize> = OnceLock::new();
    *AVAILABLE.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each task is done once, whatever there is of threads, states and tasks, in shares or not.
    #[test]
    fn each_task_is_done_once() {
        for (threads, tasks) in [(1, 0), (1, 7), (2, 1), (2, 1000), (3, 2), (3, 1000), (5, 7)] {
            let team = Team::new(threads).unwrap();
            for in_shares in [false, true] {
                let done: Vec<_> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
                let work = |count: &mut usize, task: usize| {
                    *count += 1;
                    done[task].fetch_add(1, Relaxed);
                    Ok(())
                };
                let mut states = vec![0; threads];
                match in_shares {
                    false => team.run(&mut states, tasks, work).unwrap(),
                    true => team.run_in_shares(&mut states, tasks, work).unwrap(),
                }
                assert_eq!(states.iter().sum::<usize>(), tasks);
                assert!(done.iter().all(|done| done.load(Relaxed) == 1));
            }
        }
    }

    /// After a failure, which is returned, no worker begins another task.
    #[test]
    fn a_failure_stops_all() {
        for threads in [1, 2, 4] {
            let (team, done) = (Team::new(threads).unwrap(), AtomicUsize::new(0));
            let failed = team.run_in_shares(&mut vec![(); threads], 1_000_000, |(), _| {
                done.fetch_add(1, Relaxed);
                let reason = String::from("on purpose");
                Err(Error::Threads { threads, reason })
            });
            assert!(matches!(failed, Err(Error::Threads { .. })));
            assert!(done.load(Relaxed) <= threads);
        }
    }
}
