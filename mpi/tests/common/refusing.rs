//! Memory that is refused: a thread can have one of its larger requests fail.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Requests of fewer bytes are never refused.
const LEAST: usize = 4096;

thread_local! {
    /// The number of larger requests of this thread that succeed before one fails; none fails while it is `None`.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The system's memory, which refuses what a test asks it to refuse.
pub struct Refusing;

/// Whether this request is the one to fail.
fn is_refused(bytes: usize) -> bool {
    let left = LEFT.try_with(Cell::get).ok().flatten().filter(|_| bytes >= LEAST);
    left.is_some_and(|left| {
        LEFT.set(left.checked_sub(1));
        left == 0
    })
}

// SAFETY: what is not refused is the system's, and a null pointer says that there is no memory.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_refused(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Has this thread's request after `left` others fail, or none.
pub fn refuse(left: Option<usize>) {
    LEFT.set(left);
}

/// Whether the request to fail is still to come.
pub fn is_pending() -> bool {
    LEFT.get().is_some()
}

/// Does what must not fail.
pub fn granted<R>(work: impl FnOnce() -> R) -> R {
    let left = LEFT.take();
    let made = work();
    LEFT.set(left);
    made
}
