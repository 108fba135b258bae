//! The text of the last failure, and the names of statuses.

use std::ffi::c_char;

use super::status::{NEARGRID_MPI_STATUS_COMMUNICATION, NEARGRID_MPI_STATUS_DISAGREEMENT, neargrid_status};
use super::{checks, guard};

// The core's, whose statuses this library returns too.
/// cbindgen:ignore
mod raw {
    use std::ffi::c_char;

    unsafe extern "C" {
        pub fn neargrid_status_name(status: i32) -> *const c_char;
    }
}

/// Returns the name of a status of this header or of neargrid.h, or "unknown status" for any other number. The string is
/// static; do not free it. Any thread may call this at any time.
#[unsafe(no_mangle)]
pub extern "C" fn neargrid_mpi_status_name(status: neargrid_status) -> *const c_char {
    match status {
        NEARGRID_MPI_STATUS_COMMUNICATION => c"NEARGRID_MPI_STATUS_COMMUNICATION".as_ptr(),
        NEARGRID_MPI_STATUS_DISAGREEMENT => c"NEARGRID_MPI_STATUS_DISAGREEMENT".as_ptr(),
        // SAFETY: callable always, says its documentation.
        other => unsafe { raw::neargrid_status_name(other) },
    }
}

/// Copies the text of the calling thread's last failed call to this library. The text names the rank, the argument, its value
/// and what is allowed. A later success does not clear it. Not collective.
///
/// - `buffer`: receives the text and a terminating NUL, truncated to `capacity` bytes. May be NULL if `capacity` is 0.
/// - `capacity`: size of `buffer` in bytes.
/// - `length`: receives the length of the whole text without the NUL. May be NULL.
///
/// Returns OK, NULL_POINTER.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_last_error(
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> neargrid_status {
    let text = guard::with_last_error(str::to_owned).unwrap_or_default();
    // SAFETY: the caller's promise.
    let copied = unsafe { checks::text(&text, buffer, capacity, length) };
    copied.map_or_else(|error| error.status, |()| 0)
}
