//! The boundary: an error or panic becomes a status and a text; nothing is printed and nothing unwinds into C.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::status::neargrid_status;
use crate::error::{Error, Result, status};
use crate::quiet::quietly;

thread_local! {
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `body`; its error or panic becomes the status returned, and the text of this thread's last error.
pub fn guard(body: impl FnOnce() -> Result<()>) -> neargrid_status {
    let outcome = quietly(|| catch_unwind(AssertUnwindSafe(body))).unwrap_or_else(|payload| {
        let text = (payload.downcast_ref::<String>().cloned())
            .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_else(|| "panic without a text".to_owned());
        Err(Error::new(
            status::INTERNAL,
            format!("internal error, please report it: {text}"),
        ))
    });
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
