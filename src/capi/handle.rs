//! Handles: the one place that turns a `neargrid_search *` into a Rust reference and back.

use crate::error::{Error, Result};
use crate::search::Search;

/// A neighbor search over one set of points: settings, index and results, reused from call to call. Made by
/// `neargrid_search_create`, freed by `neargrid_search_destroy`. Distinct handles are independent; one handle is used by
/// one thread at a time, not always the same.
#[allow(non_camel_case_types)]
pub struct neargrid_search {
    search: Search,
}

const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<neargrid_search>()
};

/// A handle for the caller, who owns it from now on.
pub fn into_raw(search: Search) -> *mut neargrid_search {
    Box::into_raw(Box::new(neargrid_search { search }))
}

/// Frees a handle; NULL is nothing to free.
///
/// # Safety
/// `handle` is NULL or came from [`into_raw`] and is not used again.
pub unsafe fn free(handle: *mut neargrid_search) {
    if !handle.is_null() {
        // SAFETY: it came from `Box::into_raw` and nobody else has it, says the caller.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// The search behind a handle.
///
/// # Safety
/// `handle` is NULL or valid, and no other thread uses it during the call.
pub unsafe fn borrow_mut<'a>(handle: *mut neargrid_search) -> Result<&'a mut Search> {
    // SAFETY: the caller's promise.
    unsafe { handle.as_mut() }
        .map(|handle| &mut handle.search)
        .ok_or(NULL_HANDLE)
}

/// The search behind a handle, to be read.
///
/// # Safety
/// As for [`borrow_mut`].
pub unsafe fn borrow<'a>(handle: *const neargrid_search) -> Result<&'a Search> {
    // SAFETY: the caller's promise.
    unsafe { handle.as_ref() }
        .map(|handle| &handle.search)
        .ok_or(NULL_HANDLE)
}

const NULL_HANDLE: Error = Error::NullPointer {
    argument: "search",
    expected: "a handle made by neargrid_search_create",
};
