//! The boundary: an error or panic becomes a status and a text; nothing is printed and nothing unwinds into C. Calls run in the
//! default floating-point environment, and leave the caller's as it was.

use std::cell::RefCell;

use super::status::neargrid_status;
use crate::error::{Error, Result, status};
use crate::fenv::Callers;
use crate::quiet::calmly;

thread_local! {
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `body`; its error or panic becomes the status returned, and the text of this thread's last error.
pub fn guard(body: impl FnOnce() -> Result<()>) -> neargrid_status {
    let mut body = Some(body);
    status_of(&mut || body.take().map_or(Ok(()), |body| body()))
}

/// [`guard`] without a type parameter. Never inlined, or arithmetic of `body` could move out of the default environment.
#[inline(never)]
fn status_of(body: &mut dyn FnMut() -> Result<()>) -> neargrid_status {
    let _back_at_the_end = Callers::save();
    let outcome = calmly(body).unwrap_or_else(|text| {
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
