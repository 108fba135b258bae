//! The boundary: an error or panic becomes a status and a text; nothing is printed and nothing unwinds into C.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::status::neargrid_status;
use crate::error::{Error, Result, status};

thread_local! {
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body`; its error or panic becomes the status returned, and the text of this thread's last error.
pub fn guard(body: impl FnOnce() -> Result<()>) -> neargrid_status {
    silence_guarded();
    let outer = SILENT.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let text = (payload.downcast_ref::<String>().cloned())
            .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_else(|| "panic without a text".to_owned());
        Err(Error::new(
            status::INTERNAL,
            format!("internal error, please report it: {text}"),
        ))
    });
    SILENT.set(outer);
    match outcome {
        Ok(()) => 0,
        Err(error) => {
            let _ = LAST_ERROR.try_with(|last| *last.borrow_mut() = error.text);
            error.status
        }
    }
}

/// The text of this thread's last failure.
pub fn with_last_error<R>(read: impl FnOnce(&str) -> R) -> Option<R> {
    LAST_ERROR.try_with(|last| read(&last.borrow())).ok()
}

/// Panics inside the guard print nothing; others keep the hook they had.
fn silence_guarded() {
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
