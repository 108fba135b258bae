//! What can go wrong, said once: every failure is an [`Error`] that names the argument, its value and what is
//! allowed, and maps to one [`Status`] number of the C ABI.

use std::borrow::Cow;
use std::fmt::{self, Display, LowerExp, Write};

/// The numbers of the C ABI. Grouped, never reused; a retired number stays listed here.
///
/// 1 to 49: the caller's arguments; 50 to 99: not supported; 100 to 149: resources; 150 to 199: the MPI layer;
/// 254 and 255: versions and bugs.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The call did what it says.
    Ok = 0,
    /// A pointer that must point to something is NULL.
    NullPointer = 1,
    /// `dim` is not 1, 2 or 3.
    BadDim = 2,
    /// A count or capacity is negative or above its limit.
    BadCount = 3,
    /// The cutoff is not finite, not positive, or its square leaves the range of the precision.
    BadCutoff = 4,
    /// A coordinate is NaN or infinite.
    NonFinite = 5,
    /// A setting, or an element of an array, is outside its range.
    BadValue = 6,
    /// The call needs something that was not set before: points or a cutoff.
    BadState = 7,
    /// The caller's arrays are too small; the need is reported and nothing is written.
    Capacity = 8,
    /// A `NEARGRID_*` environment variable has a value that is not allowed.
    BadEnvironment = 9,
    /// The domain or box is not usable.
    BadDomain = 10,
    /// A radius is not finite or not positive.
    BadRadius = 11,
    /// Another call on the handle is under way.
    Busy = 12,
    /// Known, but not in this version.
    NotSupported = 50,
    /// Memory for the index or the result cannot be had.
    OutOfMemory = 100,
    /// More pairs than the caller's 32-bit count can hold.
    TooManyPairs = 101,
    /// The backend asked for has no device here.
    NoDevice = 102,
    /// The device was lost during the call.
    DeviceLost = 103,
    /// The operating system refused threads.
    Threads = 104,
    /// The result would take more memory than the limit set on the handle.
    MemoryLimit = 105,
    /// Header or module and library are of different ABI versions.
    AbiMismatch = 254,
    /// A bug in neargrid: please report the text.
    Internal = 255,
}

/// A failed call. Its text is what `neargrid_last_error` and Fortran's `errmsg` deliver.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A required pointer is NULL.
    #[error("{argument} is NULL: it must point to {expected}")]
    NullPointer {
        /// The argument's name in the interface called.
        argument: &'static str,
        /// What it must point to.
        expected: &'static str,
    },
    /// An argument has a value that is not allowed.
    #[error("{argument} = {value} is not allowed: it must be {allowed}")]
    NotAllowed {
        /// The number this refusal has in the C ABI.
        status: Status,
        /// The argument's name in the interface called.
        argument: &'static str,
        /// The value given.
        value: Words,
        /// What would be accepted.
        allowed: Words,
    },
    /// An element of an array has a value that is not allowed.
    #[error("element {position} of {argument} is {value}: it must be {allowed}")]
    Element {
        /// The array's name in the interface called.
        argument: &'static str,
        /// Which element, in the caller's index base.
        position: i64,
        /// Its value.
        value: i64,
        /// What would be accepted.
        allowed: Words,
    },
    /// A coordinate is NaN or infinite.
    #[error("the {axis} coordinate of point {point} is {value}: coordinates must be finite")]
    NonFinite {
        /// The point, in the caller's index base.
        point: i64,
        /// The axis: x, y or z.
        axis: char,
        /// NaN, inf or -inf.
        value: f64,
    },
    /// A handle was entered while another call on it was under way.
    #[error(
        "the handle is in use by another call: only one thread at a time may use a handle; a handle that was in use during a fork \
         remains so in the child process, which must create its own"
    )]
    Busy,
    /// A query came before what it needs.
    #[error("no {missing} yet: first call {remedy}")]
    BadState {
        /// Points or cutoff.
        missing: &'static str,
        /// The call that sets it.
        remedy: &'static str,
    },
    /// The caller's arrays cannot hold the result.
    #[error("{argument} = {capacity} is too small: {need} are needed; nothing was written to the arrays")]
    Capacity {
        /// The argument's name in the interface called.
        argument: &'static str,
        /// What the caller has.
        capacity: i64,
        /// What the result needs.
        need: i64,
    },
    /// The number of pairs does not fit the caller's integer.
    #[error("{need} pairs were found, but a 32-bit count can hold only {limit}: use the 64-bit interface")]
    TooManyPairs {
        /// What the result needs.
        need: i64,
        /// What the caller's count can hold.
        limit: i64,
    },
    /// A `NEARGRID_*` variable is invalid.
    #[error("environment variable {variable} = \"{value}\" is not allowed: it must be {allowed}")]
    BadEnvironment {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: Words,
        /// What would be accepted.
        allowed: &'static str,
    },
    /// Known, but not in this version.
    #[error("{what} is not supported in this version of neargrid")]
    NotSupported {
        /// The setting or query refused.
        what: &'static str,
    },
    /// The allocator refused.
    #[error("out of memory: cannot allocate {bytes} bytes for {what}")]
    OutOfMemory {
        /// What the memory was for.
        what: &'static str,
        /// How much was asked for.
        bytes: u64,
    },
    /// A forced backend has no device.
    #[error("backend {backend} is not available: {reason}")]
    NoDevice {
        /// The backend forced by the caller or the environment.
        backend: &'static str,
        /// Why it cannot be had.
        reason: Words,
    },
    /// The GPU went away during the call.
    #[error("the GPU was lost: {reason}")]
    DeviceLost {
        /// What the driver said.
        reason: Words,
    },
    /// The operating system refused threads.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: &'static str,
    },
    /// The handle's memory for a result would become larger than the limit that was set.
    #[error(
        "{what} needs {need} bytes, more than the memory limit of {limit} bytes: raise the limit, or use smaller chunks or arrays \
         of your own"
    )]
    MemoryLimit {
        /// What was asked for.
        what: &'static str,
        /// The bytes that it takes.
        need: u64,
        /// The limit.
        limit: u64,
    },
    /// Header or module and library do not belong together.
    #[error(
        "abi_version = {compiled} does not match this library, whose ABI version is {library}: recompile with its header or module"
    )]
    AbiMismatch {
        /// What the caller was compiled against.
        compiled: i32,
        /// What the library is.
        library: i32,
    },
    /// A bug in neargrid.
    #[error("internal error, please report it: {text}")]
    Internal {
        /// The panic's text.
        text: Words,
    },
}

/// Words of a message. They are made where memory may be what is missing, so they can do without.
pub type Words = Cow<'static, str>;

/// `text` as the words of a message; where there is no memory for it, words that say so.
pub fn words(text: impl fmt::Display) -> Words {
    let mut made = Growing(String::new());
    match write!(made, "{text}") {
        Ok(()) => Words::Owned(made.0),
        Err(_) => Words::Borrowed("(no memory for the text)"),
    }
}

/// A text that grows as long as there is memory.
pub struct Growing(pub String);

impl fmt::Write for Growing {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        self.0.try_reserve(more.len()).map_err(|_| fmt::Error)?;
        self.0.push_str(more);
        Ok(())
    }
}

/// A real number as messages print it, in its own precision: plainly where that is short, otherwise with an exponent.
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

/// Shorthand of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A query before there are points, or after `set_box` forgot them.
    pub(crate) const NO_POINTS: Error = Error::BadState {
        missing: "points",
        remedy: "set_points, also after set_box has changed the periodic axes, which discards the points",
    };

    /// An argument refused with its value and what is allowed.
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

    /// The status this failure has in the C ABI.
    pub fn status(&self) -> Status {
        match self {
            Error::NullPointer { .. } => Status::NullPointer,
            Error::NotAllowed { status, .. } => *status,
            Error::Element { .. } => Status::BadValue,
            Error::NonFinite { .. } => Status::NonFinite,
            Error::Busy => Status::Busy,
            Error::BadState { .. } => Status::BadState,
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
