//! Errors. Each [`Error`] names the argument, its value and what is allowed, and has one [`Status`] number in the C
//! interface.

use std::borrow::Cow;
use std::fmt::{self, Display, LowerExp, Write};

/// The status numbers of the C interface. A number keeps its meaning in all later versions.
///
/// 1 to 49: errors in the caller's arguments. 50 to 99: not supported. 100 to 149: resources. 150 to 199: ranks. 254
/// and 255: versions and bugs.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The call succeeded.
    Ok = 0,
    /// A required pointer is NULL.
    NullPointer = 1,
    /// The dimension is not 1, 2 or 3, or does not match the points or the box.
    BadDim = 2,
    /// A count or a capacity is negative, above its limit, or does not match the number of points.
    BadCount = 3,
    /// The cutoff is not finite, not positive, or its square is outside the range of the points' precision.
    BadCutoff = 4,
    /// A coordinate or another number is NaN or infinite.
    NonFinite = 5,
    /// A setting or an array element is outside its allowed range.
    BadValue = 6,
    /// The call needs something that has not been set yet, such as points or a cutoff.
    BadState = 7,
    /// The caller's arrays are too small. The size needed is reported; nothing is written.
    Capacity = 8,
    /// An environment variable `NEARGRID_*` has a value that is not allowed.
    BadEnvironment = 9,
    /// The box is not valid, or a periodic axis is too short for the search.
    BadDomain = 10,
    /// A radius is outside its allowed range.
    BadRadius = 11,
    /// Another call on the handle is in progress.
    Busy = 12,
    /// This version of neargrid cannot do this yet.
    NotSupported = 50,
    /// Memory allocation failed.
    OutOfMemory = 100,
    /// The number of pairs does not fit into a 32-bit count.
    TooManyPairs = 101,
    /// The backend is set to GPU, and no usable GPU was found.
    NoDevice = 102,
    /// The GPU failed during the call.
    DeviceLost = 103,
    /// The operating system refused to start threads.
    Threads = 104,
    /// The result needs more memory than the limit set on the handle.
    MemoryLimit = 105,
    /// An operation of the communicator failed.
    Communication = 150,
    /// Ranks passed different values where all must pass the same, or called different functions.
    Disagreement = 151,
    /// The header or Fortran module and the library have different ABI versions.
    AbiMismatch = 254,
    /// A bug in neargrid. Please report the error text.
    Internal = 255,
}

impl Status {
    const ALL: [Status; 24] = [
        Status::Ok,
        Status::NullPointer,
        Status::BadDim,
        Status::BadCount,
        Status::BadCutoff,
        Status::NonFinite,
        Status::BadValue,
        Status::BadState,
        Status::Capacity,
        Status::BadEnvironment,
        Status::BadDomain,
        Status::BadRadius,
        Status::Busy,
        Status::NotSupported,
        Status::OutOfMemory,
        Status::TooManyPairs,
        Status::NoDevice,
        Status::DeviceLost,
        Status::Threads,
        Status::MemoryLimit,
        Status::Communication,
        Status::Disagreement,
        Status::AbiMismatch,
        Status::Internal,
    ];

    /// The status of a number, which another rank sent.
    pub(crate) const fn of(number: i32) -> Status {
        let mut k = 0;
        while k < Status::ALL.len() {
            if Status::ALL[k] as i32 == number {
                return Status::ALL[k];
            }
            k += 1;
        }
        Status::Internal
    }
}

/// The reason why a call failed. Its text is what `neargrid_last_error` and Fortran's `errmsg` return.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A required pointer is NULL.
    #[error("{argument} is NULL: it must point to {expected}")]
    NullPointer {
        /// The name of the argument.
        argument: &'static str,
        /// The things it must point to.
        expected: &'static str,
    },
    /// An argument has a value that is not allowed.
    #[error("{argument} = {value} is not allowed: it must be {allowed}")]
    NotAllowed {
        /// Its status in the C interface.
        status: Status,
        /// The name of the argument.
        argument: &'static str,
        /// Its value.
        value: Words,
        /// The allowed values.
        allowed: Words,
    },
    /// An element of an array has a value that is not allowed.
    #[error("element {position} of {argument} is {value}: it must be {allowed}")]
    Element {
        /// The name of the array.
        argument: &'static str,
        /// The number of the element, in the caller's index base.
        position: i64,
        /// Its value.
        value: i64,
        /// The allowed values.
        allowed: Words,
    },
    /// A formula is wrong, or what it reads is missing or does not fit.
    #[error("the formula, line {line}, column {column}: {text}")]
    Formula {
        /// Its status in the C interface.
        status: Status,
        /// The line, from 1 on.
        line: u32,
        /// The column in the line, from 1 on.
        column: u32,
        /// The fault, and what to write or call instead.
        text: Words,
    },
    /// A coordinate is NaN or infinite.
    #[error("the {axis} coordinate of point {point} is {value}: coordinates must be finite")]
    NonFinite {
        /// The number of the point, in the caller's index base.
        point: i64,
        /// The axis: x, y or z.
        axis: char,
        /// NaN, inf or -inf.
        value: f64,
    },
    /// Another call on the handle is in progress.
    #[error(
        "the handle is in use by another call: only one thread at a time may use a handle; a handle that was in use during a fork \
         remains so in the child process, which must create its own"
    )]
    Busy,
    /// The call needs something that has not been set yet.
    #[error("no {missing} yet: first call {remedy}")]
    BadState {
        /// The missing input, such as points or a cutoff.
        missing: &'static str,
        /// The call that provides it.
        remedy: &'static str,
    },
    /// No field has that name.
    #[error("no field '{name}' of {of}: set it, or run a statement that makes it")]
    NoField {
        /// The name.
        name: Words,
        /// Points or queries.
        of: &'static str,
    },
    /// The caller's arrays cannot hold the result.
    #[error("{argument} = {capacity} is too small: {need} are needed; nothing was written to the arrays")]
    Capacity {
        /// The name of the argument.
        argument: &'static str,
        /// The capacity of the caller's arrays.
        capacity: i64,
        /// The capacity needed.
        need: i64,
    },
    /// The number of pairs does not fit into the caller's integer.
    #[error("{need} pairs were found, but a 32-bit count can hold only {limit}: use the 64-bit interface")]
    TooManyPairs {
        /// The number of pairs.
        need: i64,
        /// The largest number that fits.
        limit: i64,
    },
    /// An environment variable `NEARGRID_*` has an invalid value.
    #[error("environment variable {variable} = \"{value}\" is not allowed: it must be {allowed}")]
    BadEnvironment {
        /// The name of the variable.
        variable: &'static str,
        /// Its value.
        value: Words,
        /// The allowed values.
        allowed: &'static str,
    },
    /// This version of neargrid cannot do this yet.
    #[error("{what} is not supported in this version of neargrid")]
    NotSupported {
        /// The setting or query.
        what: &'static str,
    },
    /// Memory allocation failed.
    #[error("out of memory: cannot allocate {bytes} bytes for {what}")]
    OutOfMemory {
        /// The purpose of the memory.
        what: &'static str,
        /// The number of bytes requested.
        bytes: u64,
    },
    /// The backend is set to GPU, and no usable GPU was found.
    #[error("backend {backend} is not available: {reason}")]
    NoDevice {
        /// The backend set by the caller or the environment.
        backend: &'static str,
        /// Why it is not available.
        reason: Words,
    },
    /// The GPU failed during the call.
    #[error("the GPU was lost: {reason}")]
    DeviceLost {
        /// The reason given by the driver.
        reason: Words,
    },
    /// The operating system refused to start threads.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// The number of threads requested.
        threads: usize,
        /// The reason given by the system.
        reason: &'static str,
    },
    /// The result needs more memory than the limit set on the handle.
    #[error(
        "{what} needs {need} bytes, more than the memory limit of {limit} bytes: raise the limit, or use smaller chunks or arrays \
         of your own"
    )]
    MemoryLimit {
        /// The part that needs the memory.
        what: &'static str,
        /// The number of bytes needed.
        need: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Ranks differ, their communicator failed, or the caller refused its own arguments.
    #[error("{text}")]
    Refused {
        /// Its status in the C interface.
        status: Status,
        /// The values, calls and ranks, the reason of the communicator, or the caller's text.
        text: Words,
    },
    /// A call failed on a rank, this one or another.
    #[error("rank {rank}: {text}")]
    OnRank {
        /// The rank.
        rank: usize,
        /// The status there.
        status: Status,
        /// The text there.
        text: Words,
    },
    /// The header or Fortran module and the library have different ABI versions.
    #[error(
        "abi_version = {compiled} does not match this library, whose ABI version is {library}: recompile with its header or module"
    )]
    AbiMismatch {
        /// The ABI version that the caller was compiled with.
        compiled: i32,
        /// The ABI version of the library.
        library: i32,
    },
    /// A bug in neargrid.
    #[error("internal error, please report it: {text}")]
    Internal {
        /// The text of the panic.
        text: Words,
    },
}

/// Part of an error text. It can be made even if no memory is left.
pub type Words = Cow<'static, str>;

/// `text` as part of an error text, or a fixed text if there is no memory for it.
pub fn words(text: impl fmt::Display) -> Words {
    let mut made = Growing(String::new());
    match write!(made, "{text}") {
        Ok(()) => Words::Owned(made.0),
        Err(_) => Words::Borrowed("(no memory for the text)"),
    }
}

/// A text that stops growing, with an error, when memory runs out.
pub struct Growing(pub String);

impl fmt::Write for Growing {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        self.0.try_reserve(more.len()).map_err(|_| fmt::Error)?;
        self.0.push_str(more);
        Ok(())
    }
}

/// A real number as error texts print it, in its own precision: with an exponent only if that is shorter to read.
pub fn number<T: Into<f64> + Copy + Display + LowerExp>(value: T) -> impl Display {
    struct Number<T>(T);
    impl<T: Into<f64> + Copy + Display + LowerExp> Display for Number<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self.0.into().abs() {
                0.0 | 1e-4..1e7 => Display::fmt(&self.0, f),
                _ => LowerExp::fmt(&self.0, f),
            }
        }
    }
    Number(value)
}

/// The result of every function here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// No points are set, or `set_box` has discarded them.
    pub(crate) const NO_POINTS: Error = Error::BadState {
        missing: "points",
        remedy: "set_points, also after set_box has changed the periodic axes, which discards the points",
    };

    /// Points that were lent for a count are needed again.
    pub(crate) const LENT_POINTS: Error = Error::BadState {
        missing: "copy of the points",
        remedy: "set_points; count_pairs_of keeps none, only the pairs, which can be requested with the settings of the count",
    };

    /// No queries are set, or what came after has discarded them.
    pub(crate) const NO_QUERIES: Error = Error::BadState {
        missing: "queries",
        remedy: "set_queries, also after set_points, add_points and update, which discard the queries",
    };

    /// The error for an argument whose value is not allowed.
    pub fn not_allowed(
        status: Status,
        argument: &'static str,
        value: impl fmt::Display,
        allowed: impl fmt::Display,
    ) -> Error {
        Error::NotAllowed {
            status,
            argument,
            value: words(value),
            allowed: words(allowed),
        }
    }

    /// The status of this error in the C interface.
    pub fn status(&self) -> Status {
        match self {
            Error::NullPointer { .. } => Status::NullPointer,
            Error::NotAllowed { status, .. } | Error::Formula { status, .. } => *status,
            Error::Refused { status, .. } | Error::OnRank { status, .. } => *status,
            Error::Element { .. } => Status::BadValue,
            Error::NonFinite { .. } => Status::NonFinite,
            Error::Busy => Status::Busy,
            Error::BadState { .. } | Error::NoField { .. } => Status::BadState,
            Error::Capacity { .. } => Status::Capacity,
            Error::TooManyPairs { .. } => Status::TooManyPairs,
            Error::BadEnvironment { .. } => Status::BadEnvironment,
            Error::NotSupported { .. } => Status::NotSupported,
            Error::OutOfMemory { .. } => Status::OutOfMemory,
            Error::NoDevice { .. } => Status::NoDevice,
            Error::DeviceLost { .. } => Status::DeviceLost,
            Error::Threads { .. } => Status::Threads,
            Error::MemoryLimit { .. } => Status::MemoryLimit,
            Error::AbiMismatch { .. } => Status::AbiMismatch,
            Error::Internal { .. } => Status::Internal,
        }
    }
}
