//! The numbers of statuses in C, checked against the core's.

use std::ffi::CStr;

use crate::error::Status;

/// The result of every function that can fail: NEARGRID_STATUS_OK or the kind of failure. A number keeps its meaning in all
/// later versions.
#[allow(non_camel_case_types)]
pub type neargrid_status = i32;

/// The ABI version that this header describes. Pass it to neargrid_search_create.
pub const NEARGRID_ABI_VERSION: i32 = 1;

/// The call succeeded.
pub const NEARGRID_STATUS_OK: neargrid_status = 0;
/// A required pointer is NULL.
pub const NEARGRID_STATUS_NULL_POINTER: neargrid_status = 1;
/// `dim` is not 1, 2 or 3, or does not match the points or the box.
pub const NEARGRID_STATUS_BAD_DIM: neargrid_status = 2;
/// A count or a capacity is negative, above its limit, or does not match the number of points.
pub const NEARGRID_STATUS_BAD_COUNT: neargrid_status = 3;
/// The cutoff is not finite, not positive, or its square is outside the range of the points' precision.
pub const NEARGRID_STATUS_BAD_CUTOFF: neargrid_status = 4;
/// A coordinate or another number is NaN or infinite.
pub const NEARGRID_STATUS_NON_FINITE: neargrid_status = 5;
/// A setting or an array element is outside its allowed range.
pub const NEARGRID_STATUS_BAD_VALUE: neargrid_status = 6;
/// The call needs something that has not been set yet, such as points or a cutoff.
pub const NEARGRID_STATUS_BAD_STATE: neargrid_status = 7;
/// The caller's arrays are too small. The count reports the size needed; the arrays are unchanged.
pub const NEARGRID_STATUS_CAPACITY: neargrid_status = 8;
/// An environment variable NEARGRID_* has a value that is not allowed.
pub const NEARGRID_STATUS_BAD_ENVIRONMENT: neargrid_status = 9;
/// The box is not valid, or a periodic axis is too short for the search.
pub const NEARGRID_STATUS_BAD_DOMAIN: neargrid_status = 10;
/// A radius is outside its allowed range.
pub const NEARGRID_STATUS_BAD_RADIUS: neargrid_status = 11;
/// Another thread is inside a call on the same handle. The call did nothing.
pub const NEARGRID_STATUS_BUSY: neargrid_status = 12;
/// This version of neargrid cannot do this yet.
pub const NEARGRID_STATUS_NOT_SUPPORTED: neargrid_status = 50;
/// Memory allocation failed.
pub const NEARGRID_STATUS_OUT_OF_MEMORY: neargrid_status = 100;
/// The number of pairs does not fit into a 32-bit count.
pub const NEARGRID_STATUS_TOO_MANY_PAIRS: neargrid_status = 101;
/// The backend is set to GPU, and no usable GPU was found.
pub const NEARGRID_STATUS_NO_DEVICE: neargrid_status = 102;
/// The GPU failed during the call.
pub const NEARGRID_STATUS_DEVICE_LOST: neargrid_status = 103;
/// The operating system refused to start threads.
pub const NEARGRID_STATUS_THREADS: neargrid_status = 104;
/// The result needs more memory than the limit set on the handle. Use chunks, or arrays of your own.
pub const NEARGRID_STATUS_MEMORY_LIMIT: neargrid_status = 105;
/// An operation of the communicator failed, such as one of MPI.
pub const NEARGRID_STATUS_COMMUNICATION: neargrid_status = 150;
/// Ranks passed different values where all must pass the same, or called different functions.
pub const NEARGRID_STATUS_DISAGREEMENT: neargrid_status = 151;
/// The header or Fortran module and the library have different ABI versions.
pub const NEARGRID_STATUS_ABI_MISMATCH: neargrid_status = 254;
/// A bug in neargrid. Please report the error text.
pub const NEARGRID_STATUS_INTERNAL: neargrid_status = 255;

/// Every status: the number in the header, the core's, and the name.
pub(super) const STATUSES: [(neargrid_status, Status, &CStr); 23] = [
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
        NEARGRID_STATUS_COMMUNICATION,
        Status::Communication,
        c"NEARGRID_STATUS_COMMUNICATION",
    ),
    (
        NEARGRID_STATUS_DISAGREEMENT,
        Status::Disagreement,
        c"NEARGRID_STATUS_DISAGREEMENT",
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
        assert!(STATUSES[k].0 == Status::of(STATUSES[k].0) as neargrid_status);
        k += 1;
    }
    assert!(NEARGRID_STATUS_INTERNAL == Status::Internal as neargrid_status);
};
