//! What can go wrong: a status number of the C interface and a text that names argument, value and what is allowed.

/// The statuses that this layer gives itself; others come from the core as they are.
pub mod status {
    /// A pointer that must point to something is NULL.
    pub const NULL_POINTER: i32 = 1;
    /// dim is not 1, 2 or 3.
    pub const BAD_DIM: i32 = 2;
    /// A count or capacity is negative or above its limit.
    pub const BAD_COUNT: i32 = 3;
    /// The cutoff is not finite or not positive.
    pub const BAD_CUTOFF: i32 = 4;
    /// A coordinate is NaN or infinite.
    pub const NON_FINITE: i32 = 5;
    /// A setting, or an element of an array, is outside its range.
    pub const BAD_VALUE: i32 = 6;
    /// The call needs something that was not done before.
    pub const BAD_STATE: i32 = 7;
    /// The caller's arrays are too small.
    pub const CAPACITY: i32 = 8;
    /// The box is not usable.
    pub const BAD_DOMAIN: i32 = 10;
    /// Another call on the handle is under way.
    pub const BUSY: i32 = 12;
    /// Memory cannot be had.
    pub const OUT_OF_MEMORY: i32 = 100;
    /// Threads cannot be started.
    pub const THREADS: i32 = 104;
    /// An MPI call failed.
    pub const COMMUNICATION: i32 = 150;
    /// Ranks gave different values where they must give the same.
    pub const DISAGREEMENT: i32 = 151;
    /// Header or module and library are of different ABI versions.
    pub const ABI_MISMATCH: i32 = 254;
    /// A bug in neargrid.
    pub const INTERNAL: i32 = 255;
}

/// A failed call: on all ranks the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Its number in the C interface.
    pub status: i32,
    /// What went wrong, and where ranks are many, on which.
    pub text: String,
}

/// Shorthand of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A failure with its status and text.
    pub fn new(status: i32, text: impl Into<String>) -> Error {
        Error {
            status,
            text: text.into(),
        }
    }

    /// An argument refused with its value and what is allowed.
    pub fn not_allowed(status: i32, argument: &str, value: impl std::fmt::Display, allowed: &str) -> Error {
        let text = format!("{argument} = {value} is not allowed: it must be {allowed}");
        Error::new(status, text)
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

/// Makes room for `more` elements behind those of a list, or says that there is none.
pub fn reserve<T>(list: &mut Vec<T>, more: usize, what: &str) -> Result<()> {
    list.try_reserve(more).map_err(|_| {
        let bytes = more.saturating_mul(size_of::<T>());
        Error::new(
            status::OUT_OF_MEMORY,
            format!("out of memory: cannot allocate {bytes} bytes for {what}"),
        )
    })
}

/// One more element, whose room is made where there is none left.
pub fn push<T>(list: &mut Vec<T>, element: T, what: &str) -> Result<()> {
    if list.len() == list.capacity() {
        reserve(list, 1 << 10, what)?;
    }
    list.push(element);
    Ok(())
}

/// Makes a list that long; elements behind those it had become `value`.
pub fn resize<T: Clone>(list: &mut Vec<T>, n: usize, value: T, what: &str) -> Result<()> {
    reserve(list, n.saturating_sub(list.len()), what)?;
    list.resize(n, value);
    Ok(())
}

/// An empty list with room for `n` elements, or a status.
pub fn room<T>(n: usize, what: &str) -> Result<Vec<T>> {
    let mut list = Vec::new();
    reserve(&mut list, n, what)?;
    Ok(list)
}

/// `n` times `value`, or a status.
pub fn filled<T: Clone>(n: usize, value: T, what: &str) -> Result<Vec<T>> {
    let mut list = room(n, what)?;
    list.resize(n, value);
    Ok(list)
}
