//! The result of work that a device may refuse.

/// The result, or the reason why the device does not do the work.
pub type Attempt<N = i64> = std::result::Result<N, &'static str>;
