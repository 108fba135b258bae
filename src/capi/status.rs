//! The numbers of statuses in C, checked against the core's.

use std::ffi::CStr;

use crate::error::Status;

/// What every fallible function returns: NEARGRID_STATUS_OK or what went wrong. Numbers are never reused.
#[allow(non_camel_case_types)]
pub type neargrid_status = i32;

/// The version of the binary interface this header describes; pass it to neargrid_search_create.
pub const NEARGRID_ABI_VERSION: i32 = 1;

/// The call did what it says.
pub const NEARGRID_STATUS_OK: neargrid_status = 0;
/// A pointer that must point to something is NULL.
pub const NEARGRID_STATUS_NULL_POINTER: neargrid_status = 1;
/// dim is not 1, 2 or 3.
pub const NEARGRID_STATUS_BAD_DIM: neargrid_status = 2;
/// A count or capacity is negative or above its limit.
pub const NEARGRID_STATUS_BAD_COUNT: neargrid_status = 3;
/// The cutoff is not finite, not positive, or its square leaves the range of the precision.
pub const NEARGRID_STATUS_BAD_CUTOFF: neargrid_status = 4;
/// A coordinate is NaN or infinite.
pub const NEARGRID_STATUS_NON_FINITE: neargrid_status = 5;
/// A setting, or an element of an array, is outside its range.
pub const NEARGRID_STATUS_BAD_VALUE: neargrid_status = 6;
/// The call needs something that was not set before: points or a cutoff.
pub const NEARGRID_STATUS_BAD_STATE: neargrid_status = 7;
/// The caller's arrays are too small: the need is reported, the arrays are untouched.
pub const NEARGRID_STATUS_CAPACITY: neargrid_status = 8;
/// A NEARGRID_* environment variable has a value that is not allowed.
pub const NEARGRID_STATUS_BAD_ENVIRONMENT: neargrid_status = 9;
/// The domain or box is not usable.
pub const NEARGRID_STATUS_BAD_DOMAIN: neargrid_status = 10;
/// A radius is not finite or not positive.
pub const NEARGRID_STATUS_BAD_RADIUS: neargrid_status = 11;
/// Another call on the handle is under way: one thread at a time uses a handle. Nothing was done.
pub const NEARGRID_STATUS_BUSY: neargrid_status = 12;
/// Known, but not in this version.
pub const NEARGRID_STATUS_NOT_SUPPORTED: neargrid_status = 50;
/// Memory for the index or the result cannot be had.
pub const NEARGRID_STATUS_OUT_OF_MEMORY: neargrid_status = 100;
/// More pairs than the caller's 32-bit count can hold.
pub const NEARGRID_STATUS_TOO_MANY_PAIRS: neargrid_status = 101;
/// The backend asked for has no device here.
pub const NEARGRID_STATUS_NO_DEVICE: neargrid_status = 102;
/// The device was lost during the call.
pub const NEARGRID_STATUS_DEVICE_LOST: neargrid_status = 103;
/// The operating system refused threads.
pub const NEARGRID_STATUS_THREADS: neargrid_status = 104;
/// The result would take more memory than the limit set on the handle: take it in chunks, or in arrays of the caller's.
pub const NEARGRID_STATUS_MEMORY_LIMIT: neargrid_status = 105;
/// Header or module and library are of different ABI versions.
pub const NEARGRID_STATUS_ABI_MISMATCH: neargrid_status = 254;
/// A bug in neargrid: please report the text.
pub const NEARGRID_STATUS_INTERNAL: neargrid_status = 255;

/// Every status: the number in the header, the core's, and the name.
pub(super) const STATUSES: [(neargrid_status, Status, &CStr); 21] = [
    (NEARGRID_STATUS_OK, Status::Ok, c"NEARGRID_STATUS_OK"),
    (
        NEARGRID_STATUS_NULL_POINTER,
        Status::NullPointer,
        c"NEARGRID_STATUS_NULL_POINTER",
    ),
    (NEARGRID_STATUS_BAD_DIM, Status::BadDim, c"NEARGRID_STATUS_BAD_DIM"),
    (
        NEARGRID_STATUS_BAD_COUNT,
        Status::BadCount,
        c"NEARGRID_STATUS_BAD_COUNT",
    ),
    (
        NEARGRID_STATUS_BAD_CUTOFF,
        Status::BadCutoff,
        c"NEARGRID_STATUS_BAD_CUTOFF",
    ),
    (
        NEARGRID_STATUS_NON_FINITE,
        Status::NonFinite,
        c"NEARGRID_STATUS_NON_FINITE",
    ),
    (
        NEARGRID_STATUS_BAD_VALUE,
        Status::BadValue,
        c"NEARGRID_STATUS_BAD_VALUE",
    ),
    (
        NEARGRID_STATUS_BAD_STATE,
        Status::BadState,
        c"NEARGRID_STATUS_BAD_STATE",
    ),
    (NEARGRID_STATUS_CAPACITY, Status::Capacity, c"NEARGRID_STATUS_CAPACITY"),
    (
        NEARGRID_STATUS_BAD_ENVIRONMENT,
        Status::BadEnvironment,
        c"NEARGRID_STATUS_BAD_ENVIRONMENT",
    ),
    (
        NEARGRID_STATUS_BAD_DOMAIN,
        Status::BadDomain,
        c"NEARGRID_STATUS_BAD_DOMAIN",
    ),
    (
        NEARGRID_STATUS_BAD_RADIUS,
        Status::BadRadius,
        c"NEARGRID_STATUS_BAD_RADIUS",
    ),
    (NEARGRID_STATUS_BUSY, Status::Busy, c"NEARGRID_STATUS_BUSY"),
    (
        NEARGRID_STATUS_NOT_SUPPORTED,
        Status::NotSupported,
        c"NEARGRID_STATUS_NOT_SUPPORTED",
    ),
    (
        NEARGRID_STATUS_OUT_OF_MEMORY,
        Status::OutOfMemory,
        c"NEARGRID_STATUS_OUT_OF_MEMORY",
    ),
    (
        NEARGRID_STATUS_TOO_MANY_PAIRS,
        Status::TooManyPairs,
        c"NEARGRID_STATUS_TOO_MANY_PAIRS",
    ),
    (
        NEARGRID_STATUS_NO_DEVICE,
        Status::NoDevice,
        c"NEARGRID_STATUS_NO_DEVICE",
    ),
    (
        NEARGRID_STATUS_DEVICE_LOST,
        Status::DeviceLost,
        c"NEARGRID_STATUS_DEVICE_LOST",
    ),
    (NEARGRID_STATUS_THREADS, Status::Threads, c"NEARGRID_STATUS_THREADS"),
    (
        NEARGRID_STATUS_MEMORY_LIMIT,
        Status::MemoryLimit,
        c"NEARGRID_STATUS_MEMORY_LIMIT",
    ),
    (
        NEARGRID_STATUS_ABI_MISMATCH,
        Status::AbiMismatch,
        c"NEARGRID_STATUS_ABI_MISMATCH",
    ),
];

const _: () = {
    let mut k = 0;
    while k < STATUSES.len() {
        assert!(STATUSES[k].0 == STATUSES[k].1 as neargrid_status);
        k += 1;
    }
    assert!(NEARGRID_STATUS_INTERNAL == Status::Internal as neargrid_status);
};
