//! Code that parses text or gives it: the variables that tests and bisecting set for a GPU, and messages cut to any length.
#![no_main]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use libfuzzer_sys::fuzz_target;
use neargrid::Status;
use neargrid::capi::error::neargrid_last_error;
use neargrid::capi::search::neargrid_search_create;

mod error {
    pub use neargrid::{Error, Result};
}

#[path = "../../src/gpu/fault.rs"]
#[allow(dead_code)] // devices use the rest
mod fault;

fuzz_target!(|bytes: &[u8]| {
    let Some((&cut, bytes)) = bytes.split_first() else {
        return;
    };
    let value: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0).collect();
    for name in ["NEARGRID_GPU_MASK", "NEARGRID_GPU_FAULT", "NEARGRID_BACKEND"] {
        // SAFETY: no other thread of this process reads the environment meanwhile.
        unsafe { std::env::set_var(name, OsStr::from_bytes(&value)) };
    }
    let text = String::from_utf8_lossy(&value).into_owned();
    match fault::Mask::read() {
        Ok(mask) => {
            assert!(mask.binding.is_none_or(|bytes| bytes >= 4096 && bytes % 256 == 0));
            let is_known = |word: &str| {
                let words = [
                    "no-subgroups",
                    "no-timestamps",
                    "no-f64",
                    "slow-f64",
                    "guarded",
                    "batches",
                    "software",
                    "wrong-loops",
                    "wrong-rows",
                    "inexact",
                ];
                words.contains(&word) || word.starts_with("binding=")
            };
            assert!(
                text.is_empty() || text.split(',').all(|word| is_known(word.trim())),
                "{text:?}"
            );
        }
        Err(error) => assert_eq!(error.status(), Status::BadEnvironment),
    }
    match fault::Fault::take() {
        Ok(_) => {
            let is_known = |word: &str| ["lost", "memory", "hang"].contains(&word.split('=').next().unwrap_or_default());
            assert!(
                text.is_empty() || text.split(',').all(|word| is_known(word.trim())),
                "{text:?}"
            );
        }
        Err(error) => assert_eq!(error.status(), Status::BadEnvironment),
    }
    let mut handle = std::ptr::null_mut();
    // SAFETY: a place for a handle.
    if unsafe { neargrid_search_create(1, &mut handle) } == 0 {
        // SAFETY: just made.
        return unsafe { neargrid::capi::search::neargrid_search_destroy(handle) };
    }
    // The message holds the value: it is cut between characters, and ends with a NUL.
    let (mut buffer, mut length) = (vec![b'!'; usize::from(cut)], 0);
    // SAFETY: a buffer of that many bytes.
    assert_eq!(
        unsafe { neargrid_last_error(buffer.as_mut_ptr().cast(), buffer.len(), &mut length) },
        0
    );
    if let Some(end) = buffer.iter().position(|&byte| byte == 0) {
        assert!(end <= length && end + 4 >= buffer.len().min(length + 1));
        assert!(std::str::from_utf8(&buffer[..end]).is_ok());
    } else {
        assert!(buffer.is_empty());
    }
});
