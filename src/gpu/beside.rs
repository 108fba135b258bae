//! Work beside searches: a thread of our own opens a GPU and compiles kernels while the CPU answers.
//!
//! in: work, and the reason that searches report until it is done; out: the work is done, or its error.
//!
//! The first work starts the thread, which sleeps between works until the process ends. An exit runs destructors of the
//! driver that the thread may be in, and a fork copies the locks that it holds there. So both wait until the thread has
//! left the driver: [`check`] breaks the work off at its next step. A forked process has no such thread, and touches
//! nothing of it.
//!
//! An exit runs first what was registered last, and a driver registers destructors in the middle of its work. So an exit is
//! hooked again after each step. Before all hooks it runs the destructors of its own thread: each thread that has wanted
//! work has one.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result, Words};
use crate::quiet::{calmly, silence_thread};

/// Why the CPU answers a search that a GPU would win.
pub(crate) const FIRST: &str = "auto: a GPU is opened from the second search of the process on";
pub(crate) const OPENING: &str = "auto: a GPU is being opened; the CPU answers until it is ready";
pub(crate) const COMPILING: &str = "auto: kernels for the GPU are being compiled; the CPU answers until they are ready";
const NO_THREAD: &str = "auto: no thread could be started that opens a GPU; the CPU answers";

/// Why a work was broken off. It may be wanted again.
const BROKEN_OFF: &str = "the process exits or forks";

/// The time that a fork waits at most: a driver might fork on a thread of its own.
const PATIENCE: Duration = Duration::from_secs(10);

/// The same for an exit: a driver might hang. On a busy machine one step can take many seconds, and an exit in it can crash.
const PATIENCE_AT_EXIT: Duration = Duration::from_secs(60);

/// Hooks that an exit gets: the C library keeps each for ever, in 32 bytes.
const MOST_HOOKS: usize = 4096;

/// Bytes of the thread's stack. Drivers compile on it.
const STACK: usize = 4 << 20;

/// Something that is made beside searches.
#[derive(Debug, Default)]
pub struct Later(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    /// It was never wanted, or was made, or broken off.
    #[default]
    Idle,
    Wanted,
    Failed(Error),
}

type Work = Box<dyn FnOnce() -> Result<()> + Send>;

struct Queue {
    works: VecDeque<(Arc<Later>, Work)>,
    is_started: bool,
    /// The thread is at work, and may be in a driver.
    is_busy: bool,
}

impl Queue {
    fn is_at_work(&self) -> bool {
        self.is_busy || !self.works.is_empty()
    }
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue {
    works: VecDeque::new(),
    is_started: false,
    is_busy: false,
});
static CHANGED: Condvar = Condvar::new();

/// The process that started the thread.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Reasons to stay out of drivers: an exit, forks.
static PAUSES: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static IS_BESIDE: Cell<bool> = const { Cell::new(false) };
    static IN_HURRY: Cell<bool> = const { Cell::new(false) };
    static LEAVING: Leaving = const { Leaving };
}

impl Later {
    /// Has `work` done, unless that is wanted already. Returns the error that searches get meanwhile, which says `why`
    /// the CPU answers, or how the work failed before: it is not done again then.
    pub fn ask(self: &Arc<Later>, why: &'static str, work: impl FnOnce() -> Result<()> + Send + 'static) -> Error {
        let _ = LEAVING.try_with(|_| ()); // its destructor runs only if it was used
        let mut state = lock(&self.0);
        match &*state {
            State::Failed(error) => return error.clone(),
            State::Wanted => return late(why),
            State::Idle => {}
        }
        if !hand_over(self, work) {
            return late(NO_THREAD);
        }
        *state = State::Wanted;
        late(why)
    }
}

/// The error of a search that does not wait for a GPU.
pub fn late(why: &'static str) -> Error {
    Error::NoDevice {
        backend: "gpu",
        reason: Words::Borrowed(why),
    }
}

/// Why the CPU is to answer, where `error` is that of a search that does not wait for a GPU.
pub fn late_reason(error: &Error) -> Option<&'static str> {
    let Error::NoDevice { reason, .. } = error else {
        return None;
    };
    let reasons = [FIRST, OPENING, COMPILING, NO_THREAD];
    reasons.into_iter().find(|why| reason == why)
}

/// While this lives, its thread does not wait for kernels that are not compiled.
#[derive(Debug)]
pub struct Hurry(bool);

impl Hurry {
    pub fn begin() -> Hurry {
        Hurry(IN_HURRY.replace(true))
    }
}

impl Drop for Hurry {
    fn drop(&mut self) {
        IN_HURRY.set(self.0);
    }
}

/// Whether this thread does not wait.
pub fn is_in_hurry() -> bool {
    IN_HURRY.get()
}

/// Whether this is the thread that works beside searches, or one that helps it.
pub fn is_here() -> bool {
    IS_BESIDE.get()
}

/// Makes this thread one that helps the one that works beside searches.
pub fn help(is_wanted: bool) {
    IS_BESIDE.set(is_wanted);
}

/// The end of a step of the work beside searches, which it breaks off where the process exits or forks.
pub fn check() -> Result<()> {
    if !is_here() {
        return Ok(());
    }
    if PAUSES.load(Acquire) > 0 {
        return Err(late(BROKEN_OFF));
    }
    leave_at_exit();
    Ok(())
}

/// Waits until all that is wanted is made, or has failed: for tests and benchmarks.
pub fn wait_for_gpus() {
    if PROCESS.load(Relaxed) == std::process::id() {
        drop(CHANGED.wait_while(lock(&QUEUE), |queue| queue.is_at_work()));
    }
}

/// Leaves `work` to the thread, if there is one, and memory.
fn hand_over(later: &Arc<Later>, work: impl FnOnce() -> Result<()> + Send + 'static) -> bool {
    if crate::spare::check("work beside searches").is_err() {
        return false;
    }
    let mut queue = lock(&QUEUE);
    queue.is_started |= start_if(!queue.is_started);
    if !queue.is_started || queue.works.try_reserve(1).is_err() {
        return false;
    }
    queue.works.push_back((later.clone(), Box::new(work)));
    CHANGED.notify_all();
    true
}

/// Starts the thread. No signal of the program is handled there.
fn start_if(is_wanted: bool) -> bool {
    if !is_wanted {
        return false;
    }
    PROCESS.store(std::process::id(), Relaxed);
    leave_at_exit(); // later than what drivers registered when they were loaded
    leave_at_fork();
    without_signals(|| {
        let thread = std::thread::Builder::new().name("neargrid-gpu".to_owned());
        thread.stack_size(STACK).spawn(live).is_ok()
    })
}

fn live() {
    silence_thread();
    crate::fenv::set_default();
    IS_BESIDE.set(true);
    loop {
        let (later, work) = next();
        let done = calmly(work).unwrap_or_else(|text| Err(Error::Internal { text }));
        *lock(&later.0) = match done {
            Err(error) if error != late(BROKEN_OFF) => State::Failed(error),
            _ => State::Idle,
        };
        leave_at_exit();
    }
}

/// The next work, when there is no reason to stay out of drivers.
fn next() -> (Arc<Later>, Work) {
    let mut queue = lock(&QUEUE);
    queue.is_busy = false;
    CHANGED.notify_all();
    loop {
        if PAUSES.load(Acquire) == 0
            && let Some(next) = queue.works.pop_front()
        {
            queue.is_busy = true;
            return next;
        }
        queue = CHANGED.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Has the thread leave the driver for good, and waits until it has, once. The process exits next.
extern "C" fn leave() {
    static HAS_LEFT: AtomicBool = AtomicBool::new(false);
    if is_elsewhere() && !HAS_LEFT.swap(true, Relaxed) {
        pause_within(PATIENCE_AT_EXIT);
    }
}

/// The same before a fork.
extern "C" fn pause() {
    if is_elsewhere() {
        pause_within(PATIENCE);
    }
}

fn pause_within(patience: Duration) {
    PAUSES.fetch_add(1, Release);
    drop(CHANGED.wait_timeout_while(lock(&QUEUE), patience, |queue| queue.is_busy));
}

/// Has the thread go on, after a fork.
extern "C" fn go_on() {
    if is_elsewhere() {
        PAUSES.fetch_sub(1, Release);
        let _awake = lock(&QUEUE); // or it might fall asleep after the call
        CHANGED.notify_all();
    }
}

/// Whether there is a thread, which is another one than this.
fn is_elsewhere() -> bool {
    !is_here() && PROCESS.load(Relaxed) == std::process::id()
}

/// Has an exit [`leave`] before it runs what drivers registered up to now.
fn leave_at_exit() {
    static HOOKS: AtomicUsize = AtomicUsize::new(0);
    if HOOKS.load(Relaxed) < MOST_HOOKS {
        HOOKS.fetch_add(1, Relaxed);
        at_exit(leave);
    }
}

fn at_exit(hook: extern "C" fn()) {
    #[cfg(unix)]
    // SAFETY: the function may be called at any time, and the library stays loaded.
    unsafe {
        libc::atexit(hook);
    }
}

/// Has forks [`pause`] the thread.
fn leave_at_fork() {
    #[cfg(unix)]
    // SAFETY: the functions may be called at any time, and the library stays loaded.
    unsafe {
        libc::pthread_atfork(Some(pause), Some(go_on), None);
    }
}

/// The sign of a thread that has wanted work. It is dropped when the thread ends, and before all hooks when it exits.
struct Leaving;

impl Drop for Leaving {
    /// The end of the main thread is an exit. Another thread may only end, and waits for nobody then: if it exits, the hook
    /// that it sets now is the first that runs.
    fn drop(&mut self) {
        if is_main() {
            leave();
        } else if is_elsewhere() && lock(&QUEUE).is_at_work() {
            leave_at_exit();
        }
    }
}

fn is_main() -> bool {
    #[cfg(target_os = "linux")]
    // SAFETY: two questions about this thread.
    return unsafe { libc::syscall(libc::SYS_gettid) == libc::c_long::from(libc::getpid()) };
    #[cfg(not(target_os = "linux"))]
    false
}

/// Runs `start` with all signals blocked, which threads inherit that are started there.
fn without_signals(start: impl FnOnce() -> bool) -> bool {
    #[cfg(unix)]
    {
        use std::mem::MaybeUninit;
        let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: both sets are made by the calls that are given them, before they are read.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
            let started = start();
            libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut());
            started
        }
    }
    #[cfg(not(unix))]
    start()
}

/// The data under these locks is whole at every moment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod exits;

#[cfg(test)]
mod tests;
