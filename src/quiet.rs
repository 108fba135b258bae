//! Panics that print nothing: those inside a guard of the C layer, and those on threads of our pools, which reach that guard.
//! Other panics keep their hook.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

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

/// Takes no memory, because a hook that keeps nothing needs none, and waits for no other thread, which a forked process may
/// not have.
fn install_hook() {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    static OUTER: OnceLock<Hook> = OnceLock::new();
    if INSTALLED.load(Relaxed) || INSTALLED.swap(true, Relaxed) {
        return;
    }
    let _ = OUTER.set(std::panic::take_hook());
    std::panic::set_hook(Box::new(|info| {
        if !SILENT.try_with(Cell::get).unwrap_or(true)
            && let Some(outer) = OUTER.get()
        {
            outer(info);
        }
    }));
}
