//! The boundary: an error or panic becomes a status and a text; nothing is printed and nothing unwinds into C. Calls run in the
//! default floating-point environment, and leave the caller's as it was.

use std::cell::RefCell;
use std::fmt::{self, Write};

use super::status::neargrid_status;
use crate::error::{Error, Result, Status};
use crate::fenv::Callers;
use crate::quiet::calmly;

thread_local! {
    /// It takes no memory when a call fails, and needs no destructor, which the C library would take memory for.
    static LAST_ERROR: RefCell<Text> = const { RefCell::new(Text { bytes: [0; TEXT], len: 0 }) };
}

/// Bytes of the longest text that is kept.
const TEXT: usize = 2048;

/// The front of a text.
struct Text {
    bytes: [u8; TEXT],
    len: usize,
}

impl Write for Text {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let mut cut = more.len().min(TEXT - self.len);
        while !more.is_char_boundary(cut) {
            cut -= 1;
        }
        self.bytes[self.len..self.len + cut].copy_from_slice(&more.as_bytes()[..cut]);
        self.len += cut;
        if cut == more.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

/// Runs `body`; its error or panic becomes the status returned, and the text of this thread's last error.
pub fn guard(body: impl FnOnce() -> Result<()>) -> neargrid_status {
    let mut body = Some(body);
    status_of(&mut || body.take().map_or(Ok(()), |body| body()))
}

/// [`guard`] without a type parameter, so that it is compiled once. Never inlined, or arithmetic of `body` could move out of the
/// default environment.
#[inline(never)]
fn status_of(body: &mut dyn FnMut() -> Result<()>) -> neargrid_status {
    let _back_at_the_end = Callers::save();
    match catch(body) {
        Ok(()) => Status::Ok as neargrid_status,
        Err(error) => {
            let _ = LAST_ERROR.try_with(|last| {
                let mut last = last.borrow_mut();
                last.len = 0;
                let _ = write!(last, "{error}"); // cut where it is longer
            });
            error.status() as neargrid_status
        }
    }
}

/// Runs `body` with panics silenced and caught.
pub fn catch<R>(body: impl FnOnce() -> Result<R>) -> Result<R> {
    calmly(body).unwrap_or_else(|text| Err(Error::Internal { text }))
}

/// The text of this thread's last failure.
pub fn with_last_error<R>(read: impl FnOnce(&str) -> R) -> Option<R> {
    let text = |last: &RefCell<Text>| {
        let last = last.borrow();
        read(str::from_utf8(&last.bytes[..last.len]).unwrap_or_default()) // whole characters were written
    };
    LAST_ERROR.try_with(text).ok()
}
