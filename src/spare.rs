//! A little memory in reserve. The standard library and the C library make small allocations that must not fail, or
//! they end the process. In: nothing. Out: success if such memory is available, otherwise an error.

use crate::error::{Error, Result};

/// Bytes that are enough for what is done next.
const SPARE: usize = 32 << 10;

/// Fails if memory is almost used up. Call it before a library call that allocates and cannot fail.
pub fn check(what: &'static str) -> Result<()> {
    let mut spare: Vec<u8> = Vec::new();
    spare.try_reserve_exact(SPARE).map_err(|_| Error::OutOfMemory {
        what,
        bytes: SPARE as u64,
    })
}
