//! A little memory for others: the standard library and the C library take small pieces that they cannot do without, and end
//! the process where those cannot be had. In: nothing. Out: that there is some, or an error.

use crate::error::{Error, Result};

/// Bytes that are enough for what is done next.
const SPARE: usize = 32 << 10;

/// Refuses to go on where memory is all but used up. To be asked before a call that takes memory for itself.
pub fn check(what: &'static str) -> Result<()> {
    let mut spare: Vec<u8> = Vec::new();
    spare.try_reserve_exact(SPARE).map_err(|_| Error::OutOfMemory {
        what,
        bytes: SPARE as u64,
    })
}
