//! Ranks that are threads of one process: a communicator for tests. Whoever waits for a minute ends the test.

#![allow(unsafe_code)]

use std::collections::{HashMap, VecDeque};
use std::ffi::{c_char, c_void};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use super::comm::{Comm, Functions};
use crate::error::Result;

const PATIENCE: Duration = Duration::from_secs(60);

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
    mail: HashMap<(usize, usize), VecDeque<Vec<u8>>>,
    released: usize,
}

/// A rank: the context of its functions.
struct Fake {
    world: Arc<World>,
    rank: usize,
    size: usize,
    /// Calls before the first that fails.
    left: AtomicUsize,
}

/// The code of calls that fail, and what it means.
const FAILURE: i32 = 7;
const OTHER_SIZE: i32 = -1;
const MEANING: &[u8] = b"it fails on purpose\0";

/// Messages that are to come: ranks, places and sizes.
type Expected = Vec<(usize, *mut u8, usize)>;

impl Fake {
    /// Whether this call fails, and all after it.
    fn fails(&self) -> bool {
        self.left
            .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1))
            .is_err()
    }

    fn wait_while(&self, mut busy: impl FnMut(&mut State) -> bool) -> MutexGuard<'_, State> {
        let state = self.world.state.lock().unwrap();
        let (state, late) = self
            .world
            .changed
            .wait_timeout_while(state, PATIENCE, |state| busy(state))
            .unwrap();
        assert!(!late.timed_out(), "rank {} of {} waits in vain", self.rank, self.size);
        state
    }

    /// All lay something down, and all see all of it.
    fn meet(&self, mine: Vec<u8>) -> Arc<Vec<Vec<u8>>> {
        let mut state = self.world.state.lock().unwrap();
        state.laid.resize(self.size, None);
        assert!(state.laid[self.rank].replace(mine).is_none());
        if state.laid.iter().all(Option::is_some) {
            state.met = Arc::new(state.laid.iter_mut().map(|laid| laid.take().unwrap()).collect());
            state.meetings += 1;
            self.world.changed.notify_all();
        } else {
            let now = state.meetings;
            drop(state);
            state = self.wait_while(|state| state.meetings == now);
        }
        state.met.clone()
    }
}

/// The rank that a context is.
///
/// # Safety
/// [`on_ranks`] made the context, and it is not released.
unsafe fn fake<'a>(context: *mut c_void) -> &'a Fake {
    // SAFETY: the caller's promise.
    unsafe { &*context.cast::<Fake>() }
}

/// An array that may have no address where it has no elements.
///
/// # Safety
/// It has `len` elements.
unsafe fn list<'a, T>(first: *const T, len: usize) -> &'a [T] {
    if len == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(first, len) }
}

unsafe extern "C" fn min(context: *mut c_void, n: i32, values: *mut i64) -> i32 {
    // SAFETY: here and below, the functions are called as `Functions` says, with a context of `on_ranks`.
    let (fake, values) = unsafe { (fake(context), std::slice::from_raw_parts_mut(values, n as usize)) };
    if fake.fails() {
        return FAILURE;
    }
    for other in fake.meet(bytemuck::cast_slice(values).to_vec()).iter() {
        assert_eq!(other.len(), 8 * values.len(), "another call on another rank");
        let others = other.chunks_exact(8).map(bytemuck::pod_read_unaligned::<i64>);
        values
            .iter_mut()
            .zip(others)
            .for_each(|(value, other)| *value = other.min(*value));
    }
    0
}

unsafe extern "C" fn all_gather(
    context: *mut c_void,
    mine: *const c_void,
    bytes: i32,
    all: *mut c_void,
    counts: *const i32,
    starts: *const i32,
) -> i32 {
    // SAFETY: as above.
    unsafe {
        let fake = fake(context);
        if fake.fails() {
            return FAILURE;
        }
        let met = fake.meet(list(mine.cast::<u8>(), bytes as usize).to_vec());
        for (rank, came) in met.iter().enumerate() {
            assert_eq!(came.len(), *counts.add(rank) as usize);
            let to = all.cast::<u8>().add(*starts.add(rank) as usize);
            std::ptr::copy_nonoverlapping(came.as_ptr(), to, came.len());
        }
    }
    0
}

unsafe extern "C" fn all_to_all(context: *mut c_void, out: *const i64, received: *mut i64) -> i32 {
    // SAFETY: as above.
    unsafe {
        let fake = fake(context);
        if fake.fails() {
            return FAILURE;
        }
        let met = fake.meet(bytemuck::cast_slice(list(out, fake.size)).to_vec());
        for (rank, came) in met.iter().enumerate() {
            let came = &came[8 * fake.rank..8 * fake.rank + 8];
            *received.add(rank) = bytemuck::pod_read_unaligned(came);
        }
    }
    0
}

unsafe extern "C" fn post(
    context: *mut c_void,
    nout: i32,
    to: *const i32,
    out: *const *const c_void,
    out_bytes: *const i64,
    nin: i32,
    from: *const i32,
    received: *const *mut c_void,
    received_bytes: *const i64,
    request: *mut *mut c_void,
) -> i32 {
    // SAFETY: as above.
    unsafe {
        let fake = fake(context);
        if fake.fails() {
            return FAILURE;
        }
        let mut state = fake.world.state.lock().unwrap();
        for k in 0..nout as usize {
            let bytes = list((*out.add(k)).cast::<u8>(), *out_bytes.add(k) as usize).to_vec();
            if !bytes.is_empty() {
                let way = (fake.rank, *to.add(k) as usize);
                state.mail.entry(way).or_default().push_back(bytes);
            }
        }
        fake.world.changed.notify_all();
        let one = |k: usize| {
            (
                *from.add(k) as usize,
                (*received.add(k)).cast(),
                *received_bytes.add(k) as usize,
            )
        };
        let expected: Expected = (0..nin as usize).map(one).collect();
        *request = Box::into_raw(Box::new(expected)).cast();
    }
    0
}

unsafe extern "C" fn wait(context: *mut c_void, request: *mut c_void) -> i32 {
    // SAFETY: as above.
    unsafe {
        let fake = fake(context);
        if fake.fails() {
            return FAILURE;
        }
        let (expected, mut code) = (Box::from_raw(request.cast::<Expected>()), 0);
        for (from, to, size) in expected.into_iter().filter(|(_, _, size)| *size > 0) {
            let way = (from, fake.rank);
            let mut state = fake.wait_while(|state| state.mail.get(&way).is_none_or(VecDeque::is_empty));
            let came = state.mail.get_mut(&way).unwrap().pop_front().unwrap();
            std::ptr::copy_nonoverlapping(came.as_ptr(), to, size.min(came.len()));
            if came.len() != size {
                code = OTHER_SIZE;
            }
        }
        code
    }
}

unsafe extern "C" fn text(_: *mut c_void, code: i32, text: *mut c_char, capacity: i32) {
    assert!(code == FAILURE && capacity as usize > MEANING.len());
    // SAFETY: as above.
    unsafe { std::ptr::copy_nonoverlapping(MEANING.as_ptr().cast(), text, MEANING.len()) }
}

unsafe extern "C" fn release(context: *mut c_void) {
    // SAFETY: as above, and the last use.
    let fake = unsafe { Box::from_raw(context.cast::<Fake>()) };
    fake.world.state.lock().unwrap().released += 1;
}

const FUNCTIONS: Functions = Functions {
    min,
    all_gather,
    all_to_all,
    post,
    wait,
    text,
    release,
};

/// Runs `body` on `size` ranks and returns what each made of it. Mail that nobody fetched ends the test.
pub fn on_ranks<R: Send>(size: usize, body: impl Fn(&Comm) -> R + Sync) -> Vec<R> {
    on_failing_ranks(size, usize::MAX, |comm| body(&comm.unwrap()))
}

/// The same with communicators that fail after some calls.
pub fn on_failing_ranks<R: Send>(size: usize, calls: usize, body: impl Fn(Result<Comm>) -> R + Sync) -> Vec<R> {
    let world = Arc::new(World::default());
    let made = std::thread::scope(|scope| {
        let run = |rank| {
            let (world, body) = (world.clone(), &body);
            scope.spawn(move || {
                let left = AtomicUsize::new(calls);
                let context = Box::into_raw(Box::new(Fake {
                    world,
                    rank,
                    size,
                    left,
                }))
                .cast();
                // SAFETY: the functions do what they say with this context, which `release` frees.
                let comm = unsafe { Comm::new(FUNCTIONS, context, rank, size, rank) };
                if comm.is_err() {
                    // SAFETY: a communicator that was not made does not use it.
                    unsafe { release(context) };
                }
                body(comm)
            })
        };
        let ranks: Vec<_> = (0..size).map(run).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    });
    let state = world.state.lock().unwrap();
    let is_empty = state.mail.values().all(VecDeque::is_empty);
    assert!(is_empty || calls < usize::MAX, "mail that nobody fetched");
    assert_eq!(state.released, size, "communicators are released once");
    made
}
