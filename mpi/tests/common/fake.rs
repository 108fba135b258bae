//! Ranks that are threads of one process: a communicator without MPI. Whoever waits for a minute ends the test.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use neargrid_mpi::{Comm, Delivered, Mail, Result};

const PATIENCE: Duration = Duration::from_secs(60);

/// What all ranks share.
#[derive(Default)]
struct World {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What ranks have laid down for the meeting that is under way, and what came of the last.
    laid: Vec<Option<Vec<u8>>>,
    met: Arc<Vec<Vec<u8>>>,
    meetings: usize,
    mail: HashMap<(usize, usize), VecDeque<Vec<u8>>>,
}

pub struct Fake {
    world: Arc<World>,
    rank: usize,
    size: usize,
}

impl Fake {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.world.state.lock().unwrap()
    }

    fn wait_while<'a>(
        &self,
        state: MutexGuard<'a, State>,
        busy: impl FnMut(&mut State) -> bool,
    ) -> MutexGuard<'a, State> {
        let (state, late) = self.world.changed.wait_timeout_while(state, PATIENCE, busy).unwrap();
        assert!(!late.timed_out(), "rank {} of {} waits in vain", self.rank, self.size);
        state
    }

    /// All lay something down, and all see all of it.
    fn meet(&self, mine: Vec<u8>) -> Arc<Vec<Vec<u8>>> {
        let mut state = self.lock();
        state.laid.resize(self.size, None);
        assert!(state.laid[self.rank].replace(mine).is_none());
        if state.laid.iter().all(Option::is_some) {
            state.met = Arc::new(state.laid.iter_mut().map(|laid| laid.take().unwrap()).collect());
            state.meetings += 1;
            self.world.changed.notify_all();
        } else {
            let now = state.meetings;
            state = self.wait_while(state, |state| state.meetings == now);
        }
        state.met.clone()
    }
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = i64> {
    bytes
        .chunks_exact(8)
        .map(|number| i64::from_ne_bytes(number.try_into().unwrap()))
}

fn bytes(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

impl Comm for Fake {
    type Posted = Vec<Mail>;

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn node_rank(&self) -> usize {
        self.rank
    }

    fn min(&self, values: &mut [i64]) -> Result<()> {
        for other in self.meet(bytes(values)).iter() {
            assert_eq!(other.len(), 8 * values.len(), "another call on another rank");
            values
                .iter_mut()
                .zip(numbers(other))
                .for_each(|(value, other)| *value = other.min(*value));
        }
        Ok(())
    }

    fn all_gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
        Ok(self.meet(mine.to_vec()).to_vec())
    }

    fn all_to_all(&self, values: &[i64]) -> Result<Vec<i64>> {
        assert_eq!(values.len(), self.size);
        Ok(self
            .meet(bytes(values))
            .iter()
            .map(|other| numbers(other).nth(self.rank).unwrap())
            .collect())
    }

    fn post(&self, out: Vec<Mail>, expected: Vec<Mail>) -> Result<Vec<Mail>> {
        let mut state = self.lock();
        for mail in out.into_iter().filter(|mail| !mail.bytes.is_empty()) {
            state
                .mail
                .entry((self.rank, mail.rank))
                .or_default()
                .push_back(mail.bytes);
        }
        self.world.changed.notify_all();
        Ok(expected)
    }

    fn wait(&self, mut expected: Vec<Mail>) -> Result<Delivered> {
        for mail in expected.iter_mut().filter(|mail| !mail.bytes.is_empty()) {
            let way = (mail.rank, self.rank);
            let is_empty = |state: &mut State| state.mail.get(&way).is_none_or(VecDeque::is_empty);
            let mut state = self.wait_while(self.lock(), is_empty);
            let came = state.mail.get_mut(&way).unwrap().pop_front().unwrap();
            assert_eq!(came.len(), mail.bytes.len(), "mail from {} to {}", way.0, way.1);
            mail.bytes = came;
        }
        Ok(Delivered {
            came: expected,
            sent: Vec::new(),
        })
    }
}

/// Runs `body` on `size` ranks and returns what each made of it. Mail that nobody fetched ends the test.
pub fn on_ranks<R: Send>(size: usize, body: impl Fn(Fake) -> R + Sync) -> Vec<R> {
    let world = Arc::new(World::default());
    let made = std::thread::scope(|scope| {
        let ranks: Vec<_> = (0..size)
            .map(|rank| {
                let (world, body) = (world.clone(), &body);
                scope.spawn(move || body(Fake { world, rank, size }))
            })
            .collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    });
    let state = world.state.lock().unwrap();
    assert!(state.mail.values().all(VecDeque::is_empty), "mail that nobody fetched");
    made
}
