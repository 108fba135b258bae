//! Threads of a rank that make its part of the plan: as many as its search has, out of the process's pool.

/// The core's source: the pool of this library is one of its own, because the core's C interface has none.
mod pool;

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result, status};
use pool::{MAX_HELPERS, Pool};

/// Elements that are not worth waking another thread for.
const FEW: usize = 1 << 13;

/// The calling thread alone, or with helpers out of the pool.
#[derive(Clone, Copy, Default)]
pub struct Team {
    helpers: usize,
    pool: Option<&'static Pool>,
}

/// The number of threads that a search may have.
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

    /// A team for arrays of that many `elements`.
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
        let helpers = (threads - 1).min(MAX_HELPERS);
        let pool = pool::with_helpers(helpers)
            .map_err(|reason| Error::new(status::THREADS, format!("cannot start {threads} threads: {reason}")))?;
        Ok(Team {
            helpers,
            pool: Some(pool),
        })
    }

    /// The number of threads that work at once.
    pub fn threads(&self) -> usize {
        self.helpers + 1
    }

    /// Ranges of `n` elements, one for each thread.
    pub fn ranges(&self, n: usize) -> Vec<Range<usize>> {
        let share = n.div_ceil(self.threads()).max(FEW);
        (0..n).step_by(share).map(|first| first..n.min(first + share)).collect()
    }

    /// The results of `work` for each of the [`ranges`](Team::ranges) of `n` elements, in their order.
    pub fn shares<R: Send>(&self, n: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        self.map_mut(&mut self.ranges(n), |range| work(range.clone()))
    }

    /// Does `work` to each of `items`, taken in order by whoever is free.
    fn share<I: ExactSizeIterator<Item: Send> + Send>(&self, items: I, work: impl Fn(I::Item) + Sync) {
        match self.pool {
            Some(pool) => pool.share(self.helpers, items, work),
            None => items.for_each(work),
        }
    }

    /// The results of `work` for each of `items`, in their order; it may change them.
    pub fn map_mut<S: Send, R: Send>(&self, items: &mut [S], work: impl Fn(&mut S) -> R + Sync) -> Vec<R> {
        let mut made: Vec<_> = items.iter().map(|_| None).collect();
        self.share(items.iter_mut().zip(&mut made), |(item, made)| *made = Some(work(item)));
        made.into_iter().flatten().collect()
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
        // A thread that fails stops, but all that was taken before is done by others.
        let failed = self
            .map_mut(states, turns)
            .into_iter()
            .filter_map(|done: std::result::Result<(), _>| done.err());
        failed.min_by_key(|&(k, _)| k).map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Does `work` to pieces of `items`, at most that many long, beside the number of each piece's first.
    pub fn pieces<S: Send>(&self, items: &mut [S], most: usize, work: impl Fn(usize, &mut [S]) + Sync) {
        self.share(items.chunks_mut(most).enumerate(), |(k, piece)| work(k * most, piece));
    }

    /// Both results.
    pub fn both<A: Send, B: Send>(&self, a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        enum Half<A, B> {
            A(A),
            B(B),
        }
        let (mut made_a, mut made_b) = (None, None);
        let halves = [Half::A((a, &mut made_a)), Half::B((b, &mut made_b))];
        self.share(halves.into_iter(), |half| match half {
            Half::A((work, made)) => *made = Some(work()),
            Half::B((work, made)) => *made = Some(work()),
        });
        made_a.zip(made_b).unwrap_or_else(|| unreachable!("each half is done"))
    }

    /// Sorts; what is equal is in any order.
    pub fn sort<S: Send, K: Ord>(&self, items: &mut [S], key: impl Fn(&S) -> K + Sync + Send) {
        match self.pool {
            Some(pool) => pool.sort(self.helpers, items, |a, b| key(a).cmp(&key(b))),
            None => items.sort_unstable_by_key(key),
        }
    }
}
