//! The functions of C that a communicator is.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_void};

use crate::error::{Error, Result, Status, words};

/// The operations of a communicator. Each returns 0, or a code that `text` puts into words. All but `wait`, `text` and `release` are
/// called by all ranks, in the same order; of `post`, each rank expects what the others send.
#[derive(Clone, Copy, Debug)]
pub struct Functions {
    /// Replaces each of `n` values by its minimum over all ranks.
    pub min: unsafe extern "C" fn(context: *mut c_void, n: i32, values: *mut i64) -> i32,
    /// Gathers the bytes of all ranks, `counts` of each, from `starts` on.
    pub all_gather: unsafe extern "C" fn(
        context: *mut c_void,
        mine: *const c_void,
        bytes: i32,
        all: *mut c_void,
        counts: *const i32,
        starts: *const i32,
    ) -> i32,
    /// Sends a number to each rank, and receives one from each.
    pub all_to_all: unsafe extern "C" fn(context: *mut c_void, out: *const i64, received: *mut i64) -> i32,
    /// Starts to send and to receive messages. The buffers stay until `wait`.
    pub post: unsafe extern "C" fn(
        context: *mut c_void,
        nout: i32,
        to: *const i32,
        out: *const *const c_void,
        out_bytes: *const i64,
        nin: i32,
        from: *const i32,
        received: *const *mut c_void,
        received_bytes: *const i64,
        request: *mut *mut c_void,
    ) -> i32,
    /// Waits until the messages of a request were received and sent, and frees the request. The code -1 says that this was done,
    /// but a message did not have the expected size.
    pub wait: unsafe extern "C" fn(context: *mut c_void, request: *mut c_void) -> i32,
    /// Writes what a code means, ended by NUL.
    pub text: unsafe extern "C" fn(context: *mut c_void, code: i32, text: *mut c_char, capacity: i32),
    /// Frees the communicator: nothing uses it any more.
    pub release: unsafe extern "C" fn(context: *mut c_void),
}

/// The functions, and what they are called with.
#[derive(Debug)]
pub struct Link {
    pub functions: Functions,
    pub context: *mut c_void,
}

impl Link {
    /// The verdict of an operation as a result.
    pub fn check(&self, code: i32, operation: &str) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        let mut text = [0u8; 512];
        // SAFETY: the buffer has that many bytes, the last of which stays NUL whatever is written.
        unsafe { (self.functions.text)(self.context, code, text.as_mut_ptr().cast(), text.len() as i32 - 1) };
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(0);
        let text = std::str::from_utf8(&text[..end]).unwrap_or("its text is not UTF-8");
        let text = words(format_args!("{operation} failed: {text}"));
        Err(Error::Refused {
            status: Status::Communication,
            text,
        })
    }

    /// Replaces each value by its minimum over all ranks.
    pub fn min(&self, values: &mut [i64]) -> Result<()> {
        // SAFETY: the array has that many elements.
        let code = unsafe { (self.functions.min)(self.context, values.len() as i32, values.as_mut_ptr()) };
        self.check(code, "the minimum over all ranks")
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // SAFETY: the last use.
        unsafe { (self.functions.release)(self.context) }
    }
}
