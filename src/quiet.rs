//! Panics that print nothing: those inside a guard of the C layer, and those on threads of our pools, which reach that
//! guard. Other panics keep their hook.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::RwLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Release};

use crate::error::Words;

type Hook = Box<dyn Fn(&PanicHookInfo) + Send + Sync>;

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body`; a panic becomes its text and prints nothing.
pub fn calmly<R>(body: impl FnOnce() -> R) -> Result<R, Words> {
    let (mut body, mut result) = (Some(body), None);
    run_calmly(&mut || result = body.take().map(|body| body()))?;
    result.ok_or(Words::Borrowed("the call did not run"))
}

/// [`calmly`] without a type parameter, so that it is compiled once.
fn run_calmly(body: &mut dyn FnMut()) -> Result<(), Words> {
    install_hook();
    let outer = SILENT.try_with(|silent| silent.replace(true)).unwrap_or(true);
    let outcome = catch_unwind(AssertUnwindSafe(body));
    let _ = SILENT.try_with(|silent| silent.set(outer));
    outcome.map_err(|panic| match panic.downcast::<&str>() {
        Ok(text) => Words::Borrowed(*text),
        Err(panic) => match panic.downcast::<String>() {
            Ok(text) => Words::Owned(*text),
            Err(_) => Words::Borrowed("a panic without a text"),
        },
    })
}

/// Silences panics of this thread for good.
pub fn silence_thread() {
    let _ = SILENT.try_with(|silent| silent.set(true));
}

/// Takes no memory, because a hook that keeps nothing needs none. A thread that enters while another thread installs
/// the hook waits for it: a panic would print until then.
fn install_hook() {
    static STATE: AtomicU64 = AtomicU64::new(NOT_DONE);
    // No thread waits for this lock either: it is written once, before the hook that reads it is there.
    static OUTER: RwLock<Option<Hook>> = RwLock::new(None);
    once(&STATE, || {
        let outer = std::panic::take_hook();
        if let Ok(mut place) = OUTER.try_write() {
            place.get_or_insert(outer);
        }
        std::panic::set_hook(Box::new(|info| {
            if !SILENT.try_with(Cell::get).unwrap_or(true)
                && let Ok(outer) = OUTER.try_read()
                && let Some(outer) = &*outer
            {
                outer(info);
            }
        }));
    });
}

/// States of what is done once. Between them it has the number of the process whose thread does it.
const NOT_DONE: u64 = 0;
const DONE: u64 = u64::MAX;

/// Does `work` once in a process, and returns when it is done. A forked process does not wait for a thread that it does
/// not have.
fn once(state: &AtomicU64, work: impl FnOnce()) {
    let mut seen = state.load(Acquire);
    while seen != DONE {
        let process = u64::from(std::process::id());
        if seen == process {
            std::thread::yield_now();
            seen = state.load(Acquire);
            continue;
        }
        match state.compare_exchange(seen, process, Acquire, Acquire) {
            Ok(_) => {
                work();
                return state.store(DONE, Release);
            }
            Err(now) => seen = now,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::Relaxed;
    use std::time::Duration;

    use super::*;

    /// It is done by one of many threads, and none goes on before; also where a process was forked while a thread did
    /// it.
    #[test]
    fn nobody_goes_on_before_it_is_done() {
        for begun in [NOT_DONE, u64::from(std::process::id()) + 1] {
            let (state, done) = (AtomicU64::new(begun), AtomicUsize::new(0));
            let work = || {
                std::thread::sleep(Duration::from_millis(20));
                done.fetch_add(1, Relaxed);
            };
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        once(&state, work);
                        assert_eq!(done.load(Relaxed), 1);
                    });
                }
            });
        }
    }
}
