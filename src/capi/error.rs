//! The text of the last failure, the names of statuses, versions.

use std::ffi::c_char;

use super::status::{NEARGRID_ABI_VERSION, NEARGRID_STATUS_INTERNAL, STATUSES, neargrid_status};
use super::{checks, guard};
use crate::error::{Error, Status};

/// Returns the ABI version of the library at run time. Any thread may call this at any time.
#[unsafe(no_mangle)]
pub extern "C" fn neargrid_abi_version() -> i32 {
    NEARGRID_ABI_VERSION
}

/// Returns the version of the library as "major.minor.patch". The string is static; do not free it. Any thread may call this
/// at any time.
#[unsafe(no_mangle)]
pub extern "C" fn neargrid_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Returns the name of a status, such as "NEARGRID_STATUS_CAPACITY", or "unknown status" for any other number. The string is
/// static; do not free it. Any thread may call this at any time.
#[unsafe(no_mangle)]
pub extern "C" fn neargrid_status_name(status: neargrid_status) -> *const c_char {
    if status == NEARGRID_STATUS_INTERNAL {
        return c"NEARGRID_STATUS_INTERNAL".as_ptr();
    }
    STATUSES
        .iter()
        .find(|s| s.0 == status)
        .map_or(c"unknown status", |s| s.2)
        .as_ptr()
}

/// Copies the text of the calling thread's last failed call. The text names the argument, its value and what is allowed. A
/// later success does not clear it. Each thread has its own text.
///
/// - `buffer`: receives the text and a terminating NUL, truncated to `capacity` bytes. May be NULL if `capacity` is 0.
/// - `capacity`: size of `buffer` in bytes.
/// - `length`: receives the length of the whole text without the NUL. May be NULL.
///
/// Returns OK, NULL_POINTER.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_last_error(
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    let copy = |text: &str| guard::catch(|| unsafe { checks::text(text, buffer, capacity, length) });
    let copied = guard::with_last_error(copy).unwrap_or_else(|| copy(""));
    // The guard proper would replace the very text that is asked for.
    copied.map_or_else(|error: Error| error.status(), |()| Status::Ok) as neargrid_status
}
