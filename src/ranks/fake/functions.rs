//! A communicator whose ranks are threads of one process: its functions of C, for tests here and in tests/model/. A rank that waits for
//! others in vain gets a failure, and so do all after it.

#![allow(unsafe_code)]
#![allow(missing_docs)]

use std::collections::{HashMap, VecDeque};
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// Data that all ranks share.
pub struct World {
    state: Mutex<State>,
    changed: Condvar,
    patience: Duration,
}

#[derive(Default)]
struct State {
    /// Data that ranks have laid down for the meeting that is under way, and the outcome of the last.
    laid: Vec<Option<Vec<u8>>>,
    met: Arc<Vec<Vec<u8>>>,
    meetings: usize,
    mail: HashMap<(usize, usize), VecDeque<Vec<u8>>>,
    released: usize,
    /// The rank that has waited in vain.
    late: Option<usize>,
}

/// A rank: the context of its functions.
struct Fake {
    world: Arc<World>,
    rank: usize,
    size: usize,
    /// Calls before the first that fails.
    left: AtomicUsize,
}

/// The codes of calls that fail, and what the first means.
const FAILURE: i32 = 7;
const LATE: i32 = 8;
const OTHER_SIZE: i32 = -1;
const MEANING: &CStr = c"it fails on purpose";

/// Messages that are to come: ranks, places and sizes.
type Expected = Vec<(usize, *mut u8, usize)>;

impl World {
    /// Ranks that wait for each other so long.
    pub fn new(patience: Duration) -> Arc<World> {
        Arc::new(World {
            state: Mutex::default(),
            changed: Condvar::new(),
            patience,
        })
    }

    /// The context of a rank. Its calls fail once it has made this many.
    pub fn context(self: &Arc<World>, rank: usize, size: usize, calls: usize) -> *mut c_void {
        let left = AtomicUsize::new(calls);
        let world = self.clone();
        let fake = Fake {
            world,
            rank,
            size,
            left,
        };
        Box::into_raw(Box::new(fake)).cast()
    }

    /// A complaint about what is left when all ranks are done: `size` contexts were released, and all mail was fetched unless
    /// calls have failed.
    pub fn check_end(&self, size: usize, has_failed: bool) -> Result<(), String> {
        let state = self.state.lock().unwrap();
        if let Some(rank) = state.late {
            return Err(format!("rank {rank} of {size} waited in vain"));
        }
        if !has_failed && !state.mail.values().all(VecDeque::is_empty) {
            return Err("mail that nobody fetched".to_owned());
        }
        match state.released == size {
            true => Ok(()),
            false => Err(format!("{} of {size} communicators were released", state.released)),
        }
    }
}

fn bytes_of(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

fn numbers_of(bytes: &[u8]) -> impl Iterator<Item = i64> {
    let numbers = bytes.chunks_exact(8);
    numbers.map(|bytes| i64::from_ne_bytes(bytes.try_into().unwrap()))
}

impl Fake {
    /// Whether this call fails, and all after it.
    fn fails(&self) -> bool {
        self.left
            .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1))
            .is_err()
    }

    /// The state once it is not busy; none where a rank waits in vain.
    fn wait_while(&self, mut busy: impl FnMut(&mut State) -> bool) -> Option<MutexGuard<'_, State>> {
        let state = self.world.state.lock().unwrap();
        let waits = |state: &mut State| state.late.is_none() && busy(state);
        let (mut state, late) = (self.world.changed)
            .wait_timeout_while(state, self.world.patience, waits)
            .unwrap();
        if late.timed_out() && state.late.is_none() {
            state.late = Some(self.rank);
            self.world.changed.notify_all();
        }
        match state.late {
            Some(_) => None,
            None => Some(state),
        }
    }

    /// All lay something down, and all see all of it.
    fn meet(&self, mine: Vec<u8>) -> Option<Arc<Vec<Vec<u8>>>> {
        let mut state = self.world.state.lock().unwrap();
        state.laid.resize(self.size, None);
        if state.late.is_some() {
            return None;
        }
        assert!(state.laid[self.rank].replace(mine).is_none());
        if state.laid.iter().all(Option::is_some) {
            state.met = Arc::new(state.laid.iter_mut().map(|laid| laid.take().unwrap()).collect());
            state.meetings += 1;
            self.world.changed.notify_all();
        } else {
            let now = state.meetings;
            drop(state);
            state = self.wait_while(|state| state.meetings == now)?;
        }
        Some(state.met.clone())
    }
}

/// The rank that a context is.
///
/// # Safety
/// [`World::context`] made the context, and it is not released.
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

/// Here and below: a function of a communicator.
pub unsafe extern "C" fn min(context: *mut c_void, n: i32, values: *mut i64) -> i32 {
    // SAFETY: here and below, the functions are called as `Functions` says, with a context of a world.
    let (fake, values) = unsafe { (fake(context), std::slice::from_raw_parts_mut(values, n as usize)) };
    if fake.fails() {
        return FAILURE;
    }
    let Some(met) = fake.meet(bytes_of(values)) else {
        return LATE;
    };
    for other in met.iter() {
        assert_eq!(other.len(), 8 * values.len(), "another call on another rank");
        let others = numbers_of(other);
        values
            .iter_mut()
            .zip(others)
            .for_each(|(value, other)| *value = other.min(*value));
    }
    0
}

pub unsafe extern "C" fn all_gather(
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
        let Some(met) = fake.meet(list(mine.cast::<u8>(), bytes as usize).to_vec()) else {
            return LATE;
        };
        for (rank, came) in met.iter().enumerate() {
            assert_eq!(came.len(), *counts.add(rank) as usize);
            let to = all.cast::<u8>().add(*starts.add(rank) as usize);
            std::ptr::copy_nonoverlapping(came.as_ptr(), to, came.len());
        }
    }
    0
}

pub unsafe extern "C" fn all_to_all(context: *mut c_void, out: *const i64, received: *mut i64) -> i32 {
    // SAFETY: as above.
    unsafe {
        let fake = fake(context);
        if fake.fails() {
            return FAILURE;
        }
        let Some(met) = fake.meet(bytes_of(list(out, fake.size))) else {
            return LATE;
        };
        for (rank, came) in met.iter().enumerate() {
            let came = numbers_of(&came[8 * fake.rank..8 * fake.rank + 8]).next();
            *received.add(rank) = came.unwrap();
        }
    }
    0
}

pub unsafe extern "C" fn post(
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

pub unsafe extern "C" fn wait(context: *mut c_void, request: *mut c_void) -> i32 {
    // SAFETY: as above.
    unsafe {
        let fake = fake(context);
        if fake.fails() {
            return FAILURE;
        }
        let (expected, mut code) = (Box::from_raw(request.cast::<Expected>()), 0);
        for (from, to, size) in expected.into_iter().filter(|(_, _, size)| *size > 0) {
            let way = (from, fake.rank);
            let Some(mut state) = fake.wait_while(|state| state.mail.get(&way).is_none_or(VecDeque::is_empty)) else {
                return LATE;
            };
            let came = state.mail.get_mut(&way).unwrap().pop_front().unwrap();
            std::ptr::copy_nonoverlapping(came.as_ptr(), to, size.min(came.len()));
            if came.len() != size {
                code = OTHER_SIZE;
            }
        }
        code
    }
}

pub unsafe extern "C" fn text(_: *mut c_void, code: i32, text: *mut c_char, capacity: i32) {
    let meaning = match code {
        FAILURE => MEANING,
        _ => c"a rank waits in vain",
    };
    let meaning = meaning.to_bytes_with_nul();
    assert!([FAILURE, LATE].contains(&code) && capacity as usize > meaning.len());
    // SAFETY: as above.
    unsafe { std::ptr::copy_nonoverlapping(meaning.as_ptr().cast(), text, meaning.len()) }
}

pub unsafe extern "C" fn release(context: *mut c_void) {
    // SAFETY: as above, and the last use.
    let fake = unsafe { Box::from_raw(context.cast::<Fake>()) };
    fake.world.state.lock().unwrap().released += 1;
}
