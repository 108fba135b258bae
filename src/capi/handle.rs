//! Handles: the one place that turns a `neargrid_search *` into a Rust reference and back.

use super::exclusive::{self, Exclusive, Refused};
use crate::error::{Error, Result, Status};
use crate::search::Search;

/// A neighbor search: settings, points, index and results, all reused from call to call.
///
/// neargrid_search_create makes a handle and neargrid_search_destroy frees it. Handles are independent of each other.
/// Different threads may use the same handle, but only one at a time.
#[allow(non_camel_case_types)]
pub struct neargrid_search {
    _opaque: [u8; 0],
}

/// The search behind a handle while a call uses it.
pub type Entered<'a> = exclusive::Entered<'a, Search>;

/// A handle for the caller, who owns it from now on.
pub fn into_raw(search: Search) -> Result<*mut neargrid_search> {
    let made = exclusive::into_raw(search).ok_or(Error::OutOfMemory {
        what: "a handle",
        bytes: size_of::<Exclusive<Search>>() as u64,
    })?;
    Ok(made.cast())
}

/// Frees a handle, unless it is NULL. If a call on it is in progress, that call frees it when it ends.
///
/// # Safety
/// `handle` is NULL or came from [`into_raw`], was not freed before, and no call on it begins any more.
pub unsafe fn free(handle: *mut neargrid_search) {
    if !handle.is_null() {
        // SAFETY: the caller's promise.
        unsafe { exclusive::free(handle.cast::<Exclusive<Search>>()) };
    }
}

/// The search behind a handle, for this call alone.
///
/// # Safety
/// `handle` is NULL or came from [`into_raw`], and is not freed before the call has begun.
pub unsafe fn enter<'a>(handle: *const neargrid_search) -> Result<Entered<'a>> {
    if handle.is_null() {
        return Err(Error::NullPointer {
            argument: "search",
            expected: "a handle made by neargrid_search_create",
        });
    }
    // SAFETY: not NULL, and the caller's promise.
    let entered = unsafe { exclusive::enter(handle.cast::<Exclusive<Search>>()) };
    entered.map_err(|refused| not_entered(refused, "search", "neargrid_search_create"))
}

/// Why a call does not get what is behind a handle that `create` makes.
pub fn not_entered(refused: Refused, argument: &'static str, create: &str) -> Error {
    match refused {
        Refused::Busy => Error::Busy,
        Refused::Gone => {
            let allowed = format_args!("a handle made by {create}");
            let value = "a handle that was destroyed, or no handle,";
            Error::not_allowed(Status::BadValue, argument, value, allowed)
        }
    }
}
