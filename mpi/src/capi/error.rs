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

/// The name of a status, those of neargrid.h too; "unknown status" for any other number. Static: never free it. Callable
/// always, from any thread.
#[unsafe(no_mangle)]
pub extern "C" fn neargrid_mpi_status_name(status: neargrid_status) -> *const c_char {
    match status {
        NEARGRID_MPI_STATUS_COMMUNICATION => c"NEARGRID_MPI_STATUS_COMMUNICATION".as_ptr(),
        NEARGRID_MPI_STATUS_DISAGREEMENT => c"NEARGRID_MPI_STATUS_DISAGREEMENT".as_ptr(),
        // SAFETY: callable always, says its documentation.
        other => unsafe { raw::neargrid_status_name(other) },
    }
}

/// Copies the text of the calling thread's last failed call to this library: which rank, argument, value and what is allowed.
/// A later success does not clear it.
///
/// `buffer`: `capacity` bytes, filled with the text cut to fit and a NUL; may be NULL where capacity is 0.
/// `length`: the text's full length without the NUL; may be NULL.
/// Status: OK, NULL_POINTER. Not collective.
///
/// # Safety
/// `buffer` is writable for `capacity` bytes and `length` is writable, where they are not NULL.
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
