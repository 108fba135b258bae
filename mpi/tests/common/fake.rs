//! Ranks that are threads of one process: a communicator without MPI. Whoever waits for a minute ends the test. It can fail.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use neargrid_mpi::{Comm, Delivered, Error, Mail, Result, status};

use super::refusing::granted;

const PATIENCE: Duration = Duration::from_secs(60);

/// The communicator's call that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// None.
    Never,
    /// The one of this number on all ranks.
    OnAll(usize),
    /// The one of this number on this rank alone. Others learn of it where they wait for that rank, and whenever they call.
    OnOne(usize, usize),
}

/// Data that all ranks share.
#[derive(Default)]
struct World {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Data that ranks have laid down for the meeting that is under way, and the outcome of the last.
    laid: Vec<Option<Vec<u8>>>,
    met: Arc<Vec<Vec<u8>>>,
    meetings: usize,
    /// One rank takes part in nothing any more.
    is_broken: bool,
    mail: HashMap<(usize, usize), VecDeque<Vec<u8>>>,
}

pub struct Fake {
    world: Arc<World>,
    rank: usize,
    size: usize,
    fault: Fault,
    calls: Cell<usize>,
}

fn lost(text: String) -> Error {
    Error::new(status::COMMUNICATION, text)
}

impl Fake {
    /// Begins a call, unless it is one that fails.
    fn begin(&self) -> Result<()> {
        let call = self.calls.replace(self.calls.get() + 1);
        let fails = match self.fault {
            Fault::Never => false,
            Fault::OnAll(number) => number == call,
            Fault::OnOne(rank, number) => (rank, number) == (self.rank, call),
        };
        let mut state = self.lock();
        if fails && self.fault != Fault::OnAll(call) {
            state.is_broken = true;
            self.world.changed.notify_all();
        }
        match fails || state.is_broken {
            true => Err(lost(format!("call {call} of the communicator fails"))),
            false => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.world.state.lock().unwrap()
    }

    fn wait_while<'a>(
        &self,
        state: MutexGuard<'a, State>,
        mut busy: impl FnMut(&mut State) -> bool,
    ) -> Result<MutexGuard<'a, State>> {
        let waits = |state: &mut State| busy(state) && !state.is_broken;
        let (mut state, late) = self.world.changed.wait_timeout_while(state, PATIENCE, waits).unwrap();
        assert!(!late.timed_out(), "rank {} of {} waits in vain", self.rank, self.size);
        match busy(&mut state) {
            true => Err(lost(format!("rank {} waits for a rank that has failed", self.rank))),
            false => Ok(state),
        }
    }

    /// All lay something down, and all see all of it.
    fn meet(&self, mine: Vec<u8>) -> Result<Arc<Vec<Vec<u8>>>> {
        self.begin()?;
        let mut state = self.lock();
        state.laid.resize(self.size, None);
        assert!(state.laid[self.rank].replace(mine).is_none());
        if state.laid.iter().all(Option::is_some) {
            state.met = Arc::new(state.laid.iter_mut().map(|laid| laid.take().unwrap()).collect());
            state.meetings += 1;
            self.world.changed.notify_all();
        } else {
            let now = state.meetings;
            state = self.wait_while(state, |state| state.meetings == now)?;
        }
        Ok(state.met.clone())
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
        granted(|| {
            for other in self.meet(bytes(values))?.iter() {
                assert_eq!(other.len(), 8 * values.len(), "another call on another rank");
                values
                    .iter_mut()
                    .zip(numbers(other))
                    .for_each(|(value, other)| *value = other.min(*value));
            }
            Ok(())
        })
    }

    fn all_gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
        granted(|| Ok(self.meet(mine.to_vec())?.to_vec()))
    }

    fn all_to_all(&self, values: &[i64]) -> Result<Vec<i64>> {
        assert_eq!(values.len(), self.size);
        granted(|| {
            let all = self.meet(bytes(values))?;
            Ok(all.iter().map(|other| numbers(other).nth(self.rank).unwrap()).collect())
        })
    }

    fn post(&self, out: Vec<Mail>, expected: Vec<Mail>) -> Result<Vec<Mail>> {
        granted(|| {
            self.begin()?;
            let mut state = self.lock();
            for mail in out.into_iter().filter(|mail| !mail.bytes.is_empty()) {
                let way = (self.rank, mail.rank);
                state.mail.entry(way).or_default().push_back(mail.bytes);
            }
            self.world.changed.notify_all();
            Ok(expected)
        })
    }

    fn wait(&self, mut expected: Vec<Mail>) -> Result<Delivered> {
        granted(|| {
            self.begin()?;
            for mail in expected.iter_mut().filter(|mail| !mail.bytes.is_empty()) {
                let way = (mail.rank, self.rank);
                let is_empty = |state: &mut State| state.mail.get(&way).is_none_or(VecDeque::is_empty);
                let mut state = self.wait_while(self.lock(), is_empty)?;
                let came = state.mail.get_mut(&way).unwrap().pop_front().unwrap();
                assert_eq!(came.len(), mail.bytes.len(), "mail from {} to {}", way.0, way.1);
                mail.bytes = came;
            }
            Ok(Delivered {
                came: expected,
                sent: Vec::new(),
            })
        })
    }
}

/// Runs `body` on `size` ranks and returns what each made of it. Mail that nobody fetched ends the test.
pub fn on_ranks<R: Send>(size: usize, body: impl Fn(Fake) -> R + Sync) -> Vec<R> {
    on_faulty_ranks(size, Fault::Never, body)
}

/// The same with a communicator that fails.
pub fn on_faulty_ranks<R: Send>(size: usize, fault: Fault, body: impl Fn(Fake) -> R + Sync) -> Vec<R> {
    let world = Arc::new(World::default());
    let made = std::thread::scope(|scope| {
        let ranks: Vec<_> = (0..size)
            .map(|rank| {
                let (world, body) = (world.clone(), &body);
                scope.spawn(move || {
                    let calls = Cell::new(0);
                    body(Fake {
                        world,
                        rank,
                        size,
                        fault,
                        calls,
                    })
                })
            })
            .collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    });
    let state = world.state.lock().unwrap();
    let is_empty = state.mail.values().all(VecDeque::is_empty);
    assert!(is_empty || fault != Fault::Never, "mail that nobody fetched");
    made
}
