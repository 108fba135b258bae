//! The boundary: an error or panic becomes a status and a text; nothing is printed and nothing unwinds into C.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::error::neargrid_status;
use crate::error::{Error, Result, Status};

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `body`; its error or panic becomes the status returned, and the text of this thread's last error.
pub fn guard(body: impl FnOnce() -> Result<()>) -> neargrid_status {
    match catch(body) {
        Ok(()) => Status::Ok as neargrid_status,
        Err(error) => {
            let text = error.to_string();
            let _ = LAST_ERROR.try_with(|last| *last.borrow_mut() = text);
            error.status() as neargrid_status
        }
    }
}

/// Runs `body` with panics silenced and caught.
pub fn catch<R>(body: impl FnOnce() -> Result<R>) -> Result<R> {
    install_hook();
    let outer = SILENT.try_with(|silent| silent.replace(true)).unwrap_or(true);
    let outcome = catch_unwind(AssertUnwindSafe(body));
    let _ = SILENT.try_with(|silent| silent.set(outer));
    outcome.unwrap_or_else(|payload| {
        let text = (payload.downcast_ref::<String>().cloned())
            .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_else(|| "panic without a text".to_owned());
        Err(Error::Internal { text })
    })
}

/// The text of this thread's last failure.
pub fn with_last_error<R>(read: impl FnOnce(&str) -> R) -> Option<R> {
    LAST_ERROR.try_with(|last| read(&last.borrow())).ok()
}

/// Panics on this thread print nothing: for the threads of our own pools, whose panics reach the caller's guard.
pub fn silence_thread() {
    let _ = SILENT.try_with(|silent| silent.set(true));
}

/// Panics outside our guards keep the hook they had.
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
