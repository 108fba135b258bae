//! Errors: a status number of the C interface, and a text that names the argument, its value and what is allowed.

/// The statuses that this layer returns itself. It passes on other statuses of the core.
pub mod status {
    /// A required pointer is NULL.
    pub const NULL_POINTER: i32 = 1;
    /// The dimension is not 1, 2 or 3, or does not match the box.
    pub const BAD_DIM: i32 = 2;
    /// A count or a capacity is negative, above its limit, or does not match the number of points.
    pub const BAD_COUNT: i32 = 3;
    /// The cutoff is not finite or not positive.
    pub const BAD_CUTOFF: i32 = 4;
    /// A coordinate is NaN or infinite.
    pub const NON_FINITE: i32 = 5;
    /// A setting or an array element is outside its allowed range.
    pub const BAD_VALUE: i32 = 6;
    /// The call needs something that has not been done yet.
    pub const BAD_STATE: i32 = 7;
    /// The caller's arrays are too small.
    pub const CAPACITY: i32 = 8;
    /// The box is not valid.
    pub const BAD_DOMAIN: i32 = 10;
    /// Another call on the handle is in progress.
    pub const BUSY: i32 = 12;
    /// Memory allocation failed.
    pub const OUT_OF_MEMORY: i32 = 100;
    /// The operating system refused to start threads.
    pub const THREADS: i32 = 104;
    /// An MPI call failed.
    pub const COMMUNICATION: i32 = 150;
    /// Ranks passed different values where all must pass the same, or called different functions.
    pub const DISAGREEMENT: i32 = 151;
    /// The header or Fortran module and the library have different ABI versions.
    pub const ABI_MISMATCH: i32 = 254;
    /// A bug in neargrid.
    pub const INTERNAL: i32 = 255;
}

/// The reason why a call failed, the same on all ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Its status in the C interface.
    pub status: i32,
    /// Its text, which names the rank that failed.
    pub text: String,
}

/// The result of every function here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error with its status and text.
    pub fn new(status: i32, text: impl Into<String>) -> Error {
        Error {
            status,
            text: text.into(),
        }
    }

    /// The error for an argument whose value is not allowed.
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

/// Reserves memory for `more` elements at the end of a list, or returns OUT_OF_MEMORY.
pub fn reserve<T>(list: &mut Vec<T>, more: usize, what: &str) -> Result<()> {
    list.try_reserve(more).map_err(|_| {
        let bytes = more.saturating_mul(size_of::<T>());
        Error::new(
            status::OUT_OF_MEMORY,
            format!("out of memory: cannot allocate {bytes} bytes for {what}"),
        )
    })
}

/// Appends an element, and reserves memory if the list is full.
pub fn push<T>(list: &mut Vec<T>, element: T, what: &str) -> Result<()> {
    if list.len() == list.capacity() {
        reserve(list, 1 << 10, what)?;
    }
    list.push(element);
    Ok(())
}

/// Makes a list `n` elements long; new elements are `value`.
pub fn resize<T: Clone>(list: &mut Vec<T>, n: usize, value: T, what: &str) -> Result<()> {
    reserve(list, n.saturating_sub(list.len()), what)?;
    list.resize(n, value);
    Ok(())
}

/// An empty list with memory for `n` elements.
pub fn room<T>(n: usize, what: &str) -> Result<Vec<T>> {
    let mut list = Vec::new();
    reserve(&mut list, n, what)?;
    Ok(list)
}

/// A copy of `list`.
pub fn copied<T: Copy>(list: &[T], what: &str) -> Result<Vec<T>> {
    let mut copy = room(list.len(), what)?;
    copy.extend_from_slice(list);
    Ok(copy)
}

/// A list of `n` times `value`.
pub fn filled<T: Clone>(n: usize, value: T, what: &str) -> Result<Vec<T>> {
    let mut list = room(n, what)?;
    list.resize(n, value);
    Ok(list)
}
