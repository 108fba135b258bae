//! Threads: the helpers belong to the process (`pool`); a [`Team`] is the part of them one query uses.

mod pool;

use std::cmp::Ordering;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use crate::cost::Cost;
use crate::error::{Error, Result};
pub use pool::Vigil;
#[cfg(feature = "gpu")]
pub use pool::wait_awake;
use pool::{MAX_HELPERS, Pool};

/// The most threads one search may use.
pub(crate) const MAX_THREADS: usize = MAX_HELPERS + 1;

/// The threads of one query: the calling thread, and helpers of the process; and how many distances they tested.
pub struct Team {
    threads: usize,
    helpers: Option<&'static Pool>,
    cost: Cost,
}

impl Team {
    /// The calling thread alone: wakes no other.
    pub fn caller() -> Team {
        Team {
            threads: 1,
            helpers: None,
            cost: Cost::default(),
        }
    }

    /// A team of `threads`. Helpers that the process lacks are started.
    pub fn new(threads: usize) -> Result<Team> {
        if threads <= 1 {
            return Ok(Team::caller());
        }
        let helpers = pool::with_helpers(threads - 1).map_err(|reason| Error::Threads { threads, reason })?;
        Ok(Team {
            threads,
            helpers: Some(helpers),
            cost: Cost::default(),
        })
    }

    /// The number of threads that work at once.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The distance tests of the query.
    pub fn cost(&self) -> &Cost {
        &self.cost
    }

    /// Does `work` to each of `items`, taken in order by the thread that is free. The calling thread is one of the
    /// team.
    pub fn each<S: Send>(&self, items: &mut [S], work: impl Fn(&mut S) + Sync) {
        self.share(items.iter_mut(), work);
    }

    /// [`each`](Team::each) for items that are in no slice.
    pub fn share<I: ExactSizeIterator<Item: Send> + Send>(&self, items: I, work: impl Fn(I::Item) + Sync) {
        pool::share(self.helpers, self.threads - 1, items, work);
    }

    /// Sorts; what is equal is in any order. Takes no memory.
    pub fn sort<S: Ord + Send>(&self, items: &mut [S]) {
        self.sort_by(items, S::cmp);
    }

    /// The same by another order.
    pub fn sort_by<S: Send>(&self, items: &mut [S], compare: impl Fn(&S, &S) -> Ordering + Sync) {
        pool::sort(self.helpers, self.threads - 1, items, compare);
    }

    /// Does tasks `0 .. tasks`, each once, handed out in order to the thread that is free. Every worker has a state of
    /// its own out of `states`, which must hold at least one. The first error stops the rest and is returned.
    pub fn run<S: Send>(
        &self,
        states: &mut [S],
        tasks: usize,
        work: impl Fn(&mut S, usize) -> Result<()> + Sync,
    ) -> Result<()> {
        self.run_shares(states, &Shares::new(tasks, 1)?, work)
    }

    /// [`run`](Team::run) for what is done again and again: each worker begins with a share of the tasks that is the
    /// same each time, for what they need may still be in its caches, and takes from those of others when it is done.
    pub fn run_in_shares<S: Send>(
        &self,
        states: &mut [S],
        tasks: usize,
        work: impl Fn(&mut S, usize) -> Result<()> + Sync,
    ) -> Result<()> {
        let workers = states.len().min(tasks).max(1);
        self.run_shares(states, &Shares::new(tasks, workers)?, work)
    }

    fn run_shares<S: Send>(
        &self,
        states: &mut [S],
        shares: &Shares,
        work: impl Fn(&mut S, usize) -> Result<()> + Sync,
    ) -> Result<()> {
        let failure = Mutex::new(None);
        let workers = states.len().min(shares.tasks);
        self.share(states[..workers].iter_mut().enumerate(), |(worker, state)| {
            shares.work(worker, &mut |task| work(state, task), &failure);
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
    fn new(tasks: usize, shares: usize) -> Result<Shares> {
        let mut next = Vec::new();
        next.try_reserve_exact(shares).map_err(|_| Error::OutOfMemory {
            what: "the division of work among threads",
            bytes: (shares * size_of::<AtomicUsize>()) as u64,
        })?;
        next.extend((0..shares).map(|share| AtomicUsize::new(share * tasks / shares)));
        Ok(Shares { tasks, next })
    }

    fn end(&self, share: usize) -> usize {
        (share + 1) * self.tasks / self.next.len()
    }

    /// The next task of a worker's share, or else of one after it.
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

    /// Does tasks until none is left. The first failure of any worker stops all.
    fn work(&self, worker: usize, work: &mut dyn FnMut(usize) -> Result<()>, failure: &Mutex<Option<Error>>) {
        while let Some(task) = self.take(worker) {
            if let Err(error) = work(task) {
                self.stop();
                let mut first = failure.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(error);
            }
        }
    }

    /// Has no more tasks taken.
    fn stop(&self) {
        for (share, next) in self.next.iter().enumerate() {
            next.store(self.end(share), Relaxed);
        }
    }
}

/// Threads this process may run on: affinity and container limits respected, asked once, for asking reads files.
pub fn available() -> usize {
    // No lock: a process that is forked while another thread asks would wait forever.
    static AVAILABLE: AtomicUsize = AtomicUsize::new(0);
    match AVAILABLE.load(Relaxed) {
        0 if crate::spare::check("the number of threads").is_err() => 1, // asked again the next time
        0 => {
            let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS));
            AVAILABLE.store(threads, Relaxed);
            threads
        }
        threads => threads,
    }
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
                let reason = "on purpose";
                Err(Error::Threads { threads, reason })
            });
            assert!(matches!(failed, Err(Error::Threads { .. })));
            assert!(done.load(Relaxed) <= threads);
        }
    }

    /// Sorted as by one thread, whatever the numbers of items and threads, equal items and all.
    #[test]
    fn a_team_sorts_as_one_thread_does() {
        for threads in [1, 2, 3, 7] {
            let team = Team::new(threads).unwrap();
            for (len, kinds) in [
                (0, 1),
                (100, 7),
                (8191, 9),
                (8192, 1),
                (50_001, 1000),
                (100_003, usize::MAX),
            ] {
                let mut items: Vec<_> = (0..len)
                    .map(|k: usize| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) % kinds)
                    .collect();
                let mut expected = items.clone();
                expected.sort_unstable();
                team.sort(&mut items);
                assert!(items == expected, "{len} items of {kinds} kinds, {threads} threads");
            }
        }
    }

    /// A panic of any thread continues in the caller with its own text, each time, and the team remains usable.
    #[test]
    fn a_panic_reaches_the_caller() {
        let team = Team::new(4).unwrap();
        for round in 0..50 {
            let failed = crate::quiet::calmly(|| {
                team.each(&mut [0, 1, 2, 3, 4, 5, 6, 7], |item| {
                    std::thread::sleep(std::time::Duration::from_micros(50));
                    assert!(*item != round % 8, "item {item} on purpose");
                });
            });
            assert_eq!(failed.unwrap_err(), format!("item {} on purpose", round % 8));
        }
        let mut items = [1; 100];
        team.each(&mut items, |item| *item += 1);
        assert_eq!(items, [2; 100]);
    }

    /// Many teams at once, each of which calls others, share the helpers; none waits for those that others hold.
    #[test]
    fn teams_share_helpers_and_never_wait_for_them() {
        let inner = |_: &mut u64| {
            let mut numbers: Vec<u64> = (0..100).collect();
            Team::new(4).unwrap().each(&mut numbers, |number| *number *= 2);
            assert_eq!(numbers.iter().sum::<u64>(), 9900);
        };
        let outer = || (0..50).for_each(|_| Team::new(4).unwrap().each(&mut [0; 16], inner));
        std::thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(outer))));
    }
}
