//! Panics that print nothing: those inside the guard of the C interface, and those on threads of this library's pools, which
//! reach that guard. Other panics keep their hook.

use std::cell::Cell;
#[cfg(feature = "mpi")]
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body`; a panic becomes its text and prints nothing.
#[cfg(feature = "mpi")]
pub fn calmly<R>(body: impl FnOnce() -> R) -> Result<R, String> {
    install_hook();
    let outer = SILENT.try_with(|silent| silent.replace(true)).unwrap_or(true);
    let outcome = catch_unwind(AssertUnwindSafe(body));
    let _ = SILENT.try_with(|silent| silent.set(outer));
    outcome.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a panic without a text".to_owned())
    })
}

/// Silences panics of this thread for good.
pub fn silence_thread() {
    install_hook();
    let _ = SILENT.try_with(|silent| silent.set(true));
}

fn install_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let outer = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !SILENT.try_with(Cell::get).unwrap_or(true) {
                outer(info);
            }
        }));
    });
}
