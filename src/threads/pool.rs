//! The process's helper threads: started when a search first needs them, shared by all searches, asleep in between.
//!
//! In: how many helpers are wanted, and work that any number of threads do together. Out: the work is done. A thread
//! that calls [`share`] takes part itself, so it never waits for helpers that others hold: it does with those that
//! are idle. Nor does it wait for a helper that has not begun when nothing is left to do: it takes the call back.
//!
//! After a fork the child has none of its parent's threads, and locks that they held stay locked forever. So a pool
//! belongs to a process: the child finds that the pool is not its own, and makes another.

#![allow(unsafe_code)]

use std::any::Any;
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most helpers there are: with the calling thread they are 1024.
pub(super) const MAX_HELPERS: usize = 1023;

/// Bytes of a helper's stack, of which only what is used is ever backed by memory.
const STACK: usize = 2 << 20;

/// Words with a bit for each helper.
const WORDS: usize = MAX_HELPERS.div_ceil(64);

/// The time that the calling thread waits awake for helpers that are nearly done: waking it would take as long.
const AWAKE: Duration = Duration::from_micros(100);

/// The number of times that a helper gives way to others before it falls asleep: the next step of a query often follows at once.
const ROUNDS: usize = 32;

/// The same while a call with a device goes on, which has the next step for all helpers when the device is done.
const VIGIL: Duration = Duration::from_millis(5);

/// A thread that gives way for so long has let another run on its core.
const CROWDED: Duration = Duration::from_micros(50);

/// Calls with a device that go on.
static VIGILS: AtomicUsize = AtomicUsize::new(0);

/// Fewer items than these are sorted by the thread that has them.
const SORTED_BY_ONE: usize = 1 << 13;

/// The pool of this process, or of the one that it was forked from.
static CURRENT: AtomicPtr<Pool> = AtomicPtr::new(std::ptr::null_mut());

/// Why there are fewer helpers than wanted, in words that need no memory.
pub type Refusal = &'static str;

const NO_MEMORY: Refusal = "there is no memory for them";

/// Helper threads of one process; never freed, for threads use it until the process ends.
#[derive(Debug)]
pub struct Pool {
    process: u32,
    /// Helpers that run: those of the first desks.
    started: AtomicUsize,
    starting: Mutex<()>,
    /// A bit for each helper that no thread has called: the one that clears it may give the helper a job.
    idle: [AtomicU64; WORDS],
    desks: Vec<Desk>,
}

/// The place where a helper waits for its next job.
#[derive(Debug, Default)]
#[repr(align(128))] // no line of it is another helper's too
struct Desk {
    /// There is a call in the post: a helper that is awake looks here, without writing to memory that others read.
    called: AtomicBool,
    post: Mutex<Post>,
    bell: Condvar,
    /// The system's name of the helper's thread.
    thread: AtomicUsize,
}

#[derive(Debug, Default)]
struct Post {
    call: Option<Call>,
    asleep: bool,
}

/// A job that a helper is called to, and how many other helpers it calls first; without a job the helper ends.
#[derive(Debug)]
struct Call {
    job: Option<NonNull<SharedWork<'static>>>,
    others: usize,
}

// SAFETY: a job may be shared among threads (its parts are `Sync`), and it outlives all calls to it: see `Pool::run`.
unsafe impl Send for Call {}

/// Does the next part of some work, told whether the thread is the one that has the work done; false where no part is left. One
/// function for each kind of work, and a call through a pointer for each part: all else of a pool is compiled once.
type Step<'a> = &'a (dyn Fn(bool) -> bool + Sync);

/// Work that several threads do together. It is on the stack of the thread that calls [`share`].
struct SharedWork<'a> {
    step: Step<'a>,
    /// Helpers that were called and have not left yet.
    helpers: AtomicUsize,
    /// A bit for each helper that was called.
    called: [AtomicU64; WORDS],
    /// The calling thread has nothing left to do: no other is called.
    done: AtomicBool,
    /// The first panic of a helper.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// Held by the last helper while it leaves.
    leaving: Mutex<()>,
    left: Condvar,
}

/// While one lives, helpers do not fall asleep between two steps of a query that soon follow each other.
#[derive(Debug)]
#[allow(dead_code)] // the MPI layer has this pool too, and no device
pub struct Vigil(());

impl Vigil {
    #[allow(dead_code)]
    pub fn begin() -> Vigil {
        VIGILS.fetch_add(1, Relaxed);
        Vigil(())
    }
}

impl Drop for Vigil {
    fn drop(&mut self) {
        VIGILS.fetch_sub(1, Relaxed);
    }
}

/// Waits awake for what a device will soon have done: to wake all threads takes about as long as one of them then works. Says whether
/// it is done. Where other threads want the core, it is theirs: one that has waited awake would be the last of them when it has work.
pub fn wait_awake(is_done: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while !is_done() {
        let now = Instant::now();
        if now - begun > VIGIL {
            return false;
        }
        std::thread::yield_now();
        if now.elapsed() > CROWDED {
            return is_done();
        }
    }
    true
}

/// This process's pool, with at least that many helpers started.
pub fn with_helpers(helpers: usize) -> Result<&'static Pool, Refusal> {
    let pool = current()?;
    pool.start(helpers)?;
    Ok(pool)
}

fn current() -> Result<&'static Pool, Refusal> {
    let process = std::process::id();
    let mut seen = CURRENT.load(Acquire);
    loop {
        // SAFETY: what is in `CURRENT` is never freed.
        if let Some(pool) = unsafe { seen.as_ref() }.filter(|pool| pool.process == process) {
            return Ok(pool);
        }
        let mut made = Vec::new();
        made.try_reserve_exact(1).map_err(|_| NO_MEMORY)?;
        made.push(Pool::new(process)?);
        match CURRENT.compare_exchange(seen, made.as_mut_ptr(), AcqRel, Acquire) {
            Ok(_) => return Ok(&made.leak()[0]),
            Err(another) => seen = another, // of another thread, which was faster
        }
    }
}

/// Does `work` to each of `items`, taken in order by the thread that is free: the calling thread, which begins with the first
/// while others wake, and up to `helpers` idle ones of a pool.
pub fn share<I>(pool: Option<&Pool>, helpers: usize, mut items: I, work: impl Fn(I::Item) + Sync)
where
    I: ExactSizeIterator<Item: Send> + Send,
{
    let helpers = helpers.min(items.len().saturating_sub(1));
    let items = Mutex::new((items.next(), items));
    let step = |own: bool| {
        let mut left = lock(&items);
        let first = left.0.take_if(|_| own);
        let item = first.or_else(|| left.1.next());
        drop(left);
        item.map(&work).is_some()
    };
    match pool {
        Some(pool) if helpers > 0 => pool.run(helpers, &step),
        _ => while step(true) {},
    }
}

/// Sorts, where that pays with up to `helpers` helpers; what is equal comes to be in any order. Takes no memory: halves are
/// parted until each thread has two pieces, which are then sorted.
pub fn sort<S: Send>(
    pool: Option<&Pool>,
    helpers: usize,
    items: &mut [S],
    compare: impl Fn(&S, &S) -> Ordering + Sync,
) {
    let sort_alone = |piece: &mut [S]| piece.sort_unstable_by(&compare);
    if helpers == 0 || items.len() < SORTED_BY_ONE {
        return sort_alone(items);
    }
    let levels = (2 * (helpers + 1)).ilog2();
    let piece = items.len().div_ceil(1 << levels);
    for level in (0..levels).rev() {
        let half = piece << level;
        share(pool, helpers, items.chunks_mut(2 * half), |halves| {
            if halves.len() > half {
                halves.select_nth_unstable_by(half, &compare);
            }
        });
    }
    share(pool, helpers, items.chunks_mut(piece), sort_alone);
}

impl Pool {
    fn new(process: u32) -> Result<Pool, Refusal> {
        let mut desks = Vec::new();
        desks.try_reserve_exact(MAX_HELPERS).map_err(|_| NO_MEMORY)?;
        desks.resize_with(MAX_HELPERS, Desk::default);
        Ok(Pool {
            process,
            started: AtomicUsize::new(0),
            starting: Mutex::new(()),
            idle: [const { AtomicU64::new(0) }; WORDS],
            desks,
        })
    }

    /// Has at least that many helpers run. Where the system refuses some, those that were started here end again: the
    /// memory of their stacks may be all there is.
    fn start(&self, helpers: usize) -> Result<(), Refusal> {
        if self.started.load(Acquire) >= helpers {
            return Ok(());
        }
        let _one_at_a_time = lock(&self.starting);
        let before = self.started.load(Relaxed);
        for number in before..helpers.min(MAX_HELPERS) {
            match start_thread(number) {
                Ok(thread) => self.desks[number].thread.store(thread, Relaxed),
                Err(refusal) => {
                    self.end(before);
                    return Err(refusal);
                }
            }
            self.rest(number); // it can be called at once, and finds the call when it runs
            self.started.store(number + 1, Release);
        }
        Ok(())
    }

    /// Ends helpers from the last one down to number `first`, or to one that is at work.
    fn end(&self, first: usize) {
        for number in (first..self.started.load(Relaxed)).rev() {
            let bit = 1 << (number % 64);
            if self.idle[number / 64].fetch_and(!bit, AcqRel) & bit == 0 {
                return;
            }
            self.started.store(number, Release);
            let desk = &self.desks[number];
            desk.put(Call { job: None, others: 0 });
            wait_for_thread(desk.thread.load(Relaxed));
        }
    }

    /// Takes steps until none is left, on the calling thread and up to `helpers` idle ones, and returns when all that began
    /// are done. A panic of any of them goes on in the caller.
    fn run(&self, helpers: usize, step: Step) {
        let job = SharedWork {
            step,
            helpers: AtomicUsize::new(0),
            called: [const { AtomicU64::new(0) }; WORDS],
            done: AtomicBool::new(false),
            panic: Mutex::new(None),
            leaving: Mutex::new(()),
            left: Condvar::new(),
        };
        let own = catch_unwind(AssertUnwindSafe(|| {
            self.call(&job, helpers);
            while step(true) {}
        }));
        self.take_calls_back(&job);
        job.wait();
        let panic = own.err().or_else(|| lock(&job.panic).take());
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Calls up to `helpers` idle helpers to `job`. Each calls half of those that are left, because waking all of them
    /// takes one thread long. The caller has not left the job.
    fn call(&self, job: &SharedWork, helpers: usize) {
        let mut left = helpers;
        while left > 0
            && !job.done.load(Relaxed)
            && let Some(number) = self.claim()
        {
            let others = left / 2;
            job.helpers.fetch_add(1, Relaxed);
            job.called[number / 64].fetch_or(1 << (number % 64), Relaxed);
            self.desks[number].put(Call {
                job: Some(NonNull::from(job).cast()),
                others,
            });
            left -= others + 1;
        }
    }

    /// Takes the calls back of helpers that have not begun: they may wake late, and nothing is left for them. A helper
    /// that is called meanwhile by another is waited for.
    fn take_calls_back(&self, job: &SharedWork) {
        job.done.store(true, Relaxed);
        for (word, called) in job.called.iter().enumerate() {
            for bit in bits(called.load(Relaxed)) {
                let number = 64 * word + bit;
                if self.desks[number].take_back(NonNull::from(job).cast()) {
                    job.helpers.fetch_sub(1, Relaxed);
                    self.rest(number);
                }
            }
        }
    }

    /// An idle helper, which is idle no more.
    fn claim(&self) -> Option<usize> {
        self.idle.iter().enumerate().find_map(|(word, idle)| {
            let is_claimed = |bit: &usize| idle.fetch_and(!(1 << bit), AcqRel) >> bit & 1 == 1;
            bits(idle.load(Relaxed)).find(is_claimed).map(|bit| 64 * word + bit)
        })
    }

    /// Has a helper idle.
    fn rest(&self, number: usize) {
        self.idle[number / 64].fetch_or(1 << (number % 64), AcqRel);
    }

    /// The life of a helper.
    fn serve(&self, number: usize) {
        loop {
            let call = self.desks[number].next();
            let Some(job) = call.job else { return };
            // SAFETY: the thread that made the job waits until this helper has left it.
            let job = unsafe { job.as_ref() };
            let done = catch_unwind(AssertUnwindSafe(|| {
                self.call(job, call.others);
                while (job.step)(false) {}
            }));
            if let Err(panic) = done {
                lock(&job.panic).get_or_insert(panic);
            }
            self.rest(number); // before it leaves: the next step of the same query shall find it
            job.leave();
        }
    }
}

impl Desk {
    /// Leaves a call to the helper, and wakes it where it sleeps.
    fn put(&self, call: Call) {
        let mut post = lock(&self.post);
        post.call = Some(call);
        self.called.store(true, Release);
        let asleep = post.asleep;
        drop(post);
        if asleep {
            self.bell.notify_one();
        }
    }

    /// Takes a call to `job` back; false where the helper has begun, or is called by another.
    fn take_back(&self, job: NonNull<SharedWork<'static>>) -> bool {
        self.called.load(Relaxed) && {
            let mut post = lock(&self.post);
            let is_there = post.call.as_ref().is_some_and(|call| call.job == Some(job));
            if is_there {
                post.call = None;
                self.called.store(false, Relaxed);
            }
            is_there
        }
    }

    /// The next call.
    fn next(&self) -> Call {
        let called = || self.called.load(Acquire);
        for _ in 0..ROUNDS {
            if called() {
                break;
            }
            std::thread::yield_now();
        }
        wait_awake(|| called() || VIGILS.load(Relaxed) == 0);
        let mut post = lock(&self.post);
        loop {
            if let Some(call) = post.call.take() {
                post.asleep = false;
                self.called.store(false, Relaxed);
                return call;
            }
            post.asleep = true;
            post = self.bell.wait(post).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl SharedWork<'_> {
    /// The last thing that a helper does with the job, which may be gone when this returns.
    fn leave(&self) {
        let not_last = |helpers| (helpers > 1).then(|| helpers - 1);
        if self.helpers.fetch_update(Release, Relaxed, not_last).is_err() {
            let _until_told = lock(&self.leaving);
            if self.helpers.fetch_sub(1, Release) == 1 {
                self.left.notify_one();
            }
        }
    }

    /// Waits until all helpers have left.
    fn wait(&self) {
        let begun = Instant::now();
        while self.helpers.load(Acquire) > 0 && begun.elapsed() < AWAKE {
            std::thread::yield_now();
        }
        // The lock is taken in any case: the last helper may still hold it.
        let waiting = self
            .left
            .wait_while(lock(&self.leaving), |()| self.helpers.load(Acquire) > 0);
        drop(waiting);
    }
}

/// Starts helper `number`. The standard library would abort where memory for what it keeps of a thread cannot be had.
#[cfg(unix)]
fn start_thread(number: usize) -> Result<usize, Refusal> {
    use std::mem::MaybeUninit;

    extern "C" fn entry(number: *mut libc::c_void) -> *mut libc::c_void {
        #[cfg(target_os = "linux")]
        // SAFETY: a name of less than 16 bytes for the calling thread.
        unsafe {
            libc::pthread_setname_np(libc::pthread_self(), c"neargrid".as_ptr());
        }
        live(number.addr());
        std::ptr::null_mut()
    }

    fn check(result: libc::c_int) -> Result<(), Refusal> {
        match result {
            0 => Ok(()),
            libc::EAGAIN | libc::ENOMEM => {
                Err("the system refuses: a limit of processes or threads is reached, or there is no memory for a stack")
            }
            _ => Err("the system refuses"),
        }
    }

    let mut attributes = MaybeUninit::uninit();
    let attributes = attributes.as_mut_ptr();
    let mut thread = MaybeUninit::uninit();
    // SAFETY: initialised here, used by the calls below, destroyed by the last of them.
    unsafe {
        check(libc::pthread_attr_init(attributes))?;
        let stack = STACK + taken_of_stacks(attributes);
        let started = check(libc::pthread_attr_setstacksize(attributes, stack)).and_then(|()| {
            let number = std::ptr::without_provenance_mut(number);
            check(libc::pthread_create(thread.as_mut_ptr(), attributes, entry, number))
        });
        libc::pthread_attr_destroy(attributes);
        started.map(|()| thread.assume_init() as usize)
    }
}

/// Waits until a thread that was called to its end has given its stack back.
#[cfg(unix)]
fn wait_for_thread(thread: usize) {
    // SAFETY: a thread of `start_thread` that no other waits for.
    unsafe { libc::pthread_join(thread as libc::pthread_t, std::ptr::null_mut()) };
}

/// The part of each stack that glibc takes for itself, all thread-local variables of the program among it: a stack that is not larger
/// is refused.
///
/// # Safety
/// `attributes` are initialised.
#[cfg(unix)]
unsafe fn taken_of_stacks(attributes: *const libc::pthread_attr_t) -> usize {
    type Least = unsafe extern "C" fn(*const libc::pthread_attr_t) -> libc::size_t;
    // SAFETY: looks a name up; where glibc has the function, it is of that type and reads the attributes.
    unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, c"__pthread_get_minstack".as_ptr());
        if found.is_null() {
            return 0;
        }
        std::mem::transmute::<*mut libc::c_void, Least>(found)(attributes)
    }
}

#[cfg(not(unix))]
fn start_thread(number: usize) -> Result<usize, Refusal> {
    let started = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || live(number));
    started.map(|_| number).map_err(|_| "the system refuses")
}

#[cfg(not(unix))]
fn wait_for_thread(_: usize) {}

/// A helper's life.
fn live(number: usize) {
    crate::quiet::silence_thread();
    crate::fenv::set_default();
    // SAFETY: the pool that started this thread is there before the thread is started, and is never freed.
    if let Some(pool) = unsafe { CURRENT.load(Acquire).as_ref() } {
        pool.serve(number);
    }
}

/// The bits that are set, from the lowest.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// The data under these locks is whole at every moment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pool whose helpers never wake does the work on the calling thread, and has them idle again.
    #[test]
    fn no_wait_for_helpers_that_have_not_begun() {
        let pool = Pool::new(std::process::id()).unwrap();
        for helpers in [1, 3, 70] {
            (0..helpers).for_each(|number| pool.rest(number));
            for _ in 0..3 {
                let done = AtomicUsize::new(0);
                share(Some(&pool), helpers, 0..100, |_: i32| {
                    done.fetch_add(1, Relaxed);
                });
                assert_eq!(done.into_inner(), 100);
                let idle: u32 = pool.idle.iter().map(|word| word.load(Relaxed).count_ones()).sum();
                assert_eq!(idle as usize, helpers);
            }
        }
    }
}
