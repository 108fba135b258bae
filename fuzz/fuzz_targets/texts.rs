//! What parses text, and what gives it: formulas, the variables that tests and bisecting set for a GPU, and messages cut to any
//! length.
#![no_main]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use libfuzzer_sys::fuzz_target;
use neargrid::{Error, Formula, NeighborsKind, PointsView, Search, Status};
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
    sum(&String::from_utf8_lossy(&value));
    for name in ["NEARGRID_GPU_MASK", "NEARGRID_GPU_FAULT", "NEARGRID_BACKEND"] {
        // SAFETY: no other thread of this process reads the environment meanwhile.
        unsafe { std::env::set_var(name, OsStr::from_bytes(&value)) };
    }
    let text = String::from_utf8_lossy(&value).into_owned();
    match fault::Mask::read() {
        Ok(mask) => {
            assert!(mask.binding.is_none_or(|bytes| bytes >= 4096 && bytes % 256 == 0));
            let is_known = |word: &str| {
                ["no-subgroups", "no-timestamps", "guarded", "software"].contains(&word) || word.starts_with("binding=")
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
            let is_known = |word: &str| ["lost", "memory"].contains(&word.split('=').next().unwrap_or_default());
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

/// A formula is refused with a place in the text, or a sum by it works once its fields have values.
fn sum(text: &str) {
    let lines = text.split('\n').count();
    let check = |error: Error| match error {
        Error::Formula { line, column, .. } => assert!(line >= 1 && line as usize <= lines && column >= 1),
        error => assert!(text.len() > 1 << 16, "{error}"),
    };
    let mut formula = match Formula::new(text) {
        Ok(formula) => formula,
        Err(error) => return check(error),
    };
    for name in ["a", "b", "m", "v"] {
        let _ = formula.set_constant(name, 0.5);
        let components = if name == "v" { 2 } else { 1 };
        let _ = formula.set_field(name, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..3 * components], components);
    }
    // SAFETY: no other thread of this process reads the environment meanwhile.
    unsafe { std::env::remove_var("NEARGRID_BACKEND") };
    let Ok(mut search) = Search::new() else {
        return;
    };
    let points = PointsView::interleaved(2, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.5]);
    let set = search.set_cutoff(2.0).and_then(|()| search.set_points(&points?));
    set.expect("three points");
    if let Err(error) = search.sum(&mut formula, NeighborsKind::Full) {
        check(error);
    }
}
