//! Panics that print nothing: while the guard of the C interface runs, and on threads of this library's pools, whose panics
//! reach that guard. Panics elsewhere keep the hook they had.

use std::cell::Cell;
use std::sync::Once;

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body` with panics of this thread silenced.
#[cfg(feature = "shim")]
pub fn quietly<R>(body: impl FnOnce() -> R) -> R {
    install_hook();
    let outer = SILENT.try_with(|silent| silent.replace(true)).unwrap_or(true);
    let result = body();
    let _ = SILENT.try_with(|silent| silent.set(outer));
    result
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
