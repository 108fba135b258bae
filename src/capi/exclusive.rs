//! A value at a raw pointer that C code holds. Only one call at a time can use it. The MPI layer includes this file.
//!
//! C cannot express that a handle belongs to one thread at a time, so the handle itself records whether a call is in progress.
//! A second call is refused and never sees the value.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// The target of a handle.
pub struct Exclusive<T> {
    state: AtomicU32,
    value: UnsafeCell<T>,
}

/// No call is in progress. Numbers that memory of other uses hardly has, so that a handle that was destroyed is noticed in most cases.
const FREE: u32 = 0x6e65_6172;
/// A call is in progress.
const ENTERED: u32 = FREE + 1;
/// A call is in progress, and frees the value when it ends.
const DOOMED: u32 = FREE + 2;
/// The value was freed.
const GONE: u32 = FREE + 3;

/// Why a call gets no value.
pub enum Refused {
    /// Another call is in progress.
    Busy,
    /// The handle was destroyed, or is no handle.
    Gone,
}

// SAFETY: only the one call that entered has a reference to the value, and each call acquires what the one before released.
unsafe impl<T: Send> Sync for Exclusive<T> {}

/// The value, for one call. Others are refused until this is dropped. It holds a pointer and no reference, as what it points to
/// may be freed when it is dropped.
pub struct Entered<'a, T: Send>(NonNull<Exclusive<T>>, PhantomData<&'a Exclusive<T>>);

impl<T: Send> Deref for Entered<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: no other call has entered, and nobody frees it before this is dropped.
        unsafe { &*self.0.as_ref().value.get() }
    }
}

impl<T: Send> DerefMut for Entered<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: no other call has entered, nobody frees it before this is dropped, and this is borrowed mutably.
        unsafe { &mut *self.0.as_ref().value.get() }
    }
}

impl<T: Send> Drop for Entered<'_, T> {
    fn drop(&mut self) {
        // SAFETY: nobody frees it before the state says that this call has left.
        let state = unsafe { &(*self.0.as_ptr()).state };
        if state.compare_exchange(ENTERED, FREE, Release, Acquire).is_err() {
            // SAFETY: it was freed during this call, so that nobody uses it from now on.
            unsafe { release(self.0.as_ptr()) };
        }
    }
}

/// Moves `value` to memory that the caller owns; `None` if the allocation fails.
pub fn into_raw<T: Send>(value: T) -> Option<*mut Exclusive<T>> {
    let mut made = Vec::new();
    made.try_reserve_exact(1).ok()?;
    made.push(Exclusive {
        state: AtomicU32::new(FREE),
        value: UnsafeCell::new(value),
    });
    Some(Box::into_raw(made.into_boxed_slice()).cast())
}

/// Gives the memory back.
///
/// # Safety
/// `pointer` came from [`into_raw`], and nobody uses it again.
unsafe fn release<T>(pointer: *mut Exclusive<T>) {
    // SAFETY: it is there still, says the caller.
    unsafe { (*pointer).state.store(GONE, Release) };
    let boxed = std::ptr::slice_from_raw_parts_mut(pointer, 1);
    // SAFETY: a box of one, says the caller.
    drop(unsafe { Box::from_raw(boxed) });
}

/// Frees what `pointer` points to. If a call is in progress, that call does so when it ends.
///
/// # Safety
/// `pointer` came from [`into_raw`], was not freed before, and no call begins to use it any more.
pub unsafe fn free<T: Send>(pointer: *mut Exclusive<T>) {
    loop {
        // SAFETY: the caller's promise; whoever frees it ends the loop.
        let state = unsafe { &(*pointer).state };
        if state.compare_exchange(FREE, ENTERED, Acquire, Relaxed).is_ok() {
            // SAFETY: no call is in progress, and none follows, by the caller's promise.
            return unsafe { release(pointer) };
        }
        if state.compare_exchange(ENTERED, DOOMED, Release, Relaxed) != Err(FREE) {
            return;
        }
    }
}

/// The value, for this call alone; refused if another call is in progress.
///
/// # Safety
/// `pointer` came from [`into_raw`], and is not freed before this returns.
pub unsafe fn enter<'a, T: Send>(pointer: *const Exclusive<T>) -> Result<Entered<'a, T>, Refused> {
    // SAFETY: the caller's promise.
    let state = unsafe { &(*pointer).state };
    match (
        state.compare_exchange(FREE, ENTERED, Acquire, Relaxed),
        NonNull::new(pointer.cast_mut()),
    ) {
        (Ok(_), Some(pointer)) => Ok(Entered(pointer, PhantomData)),
        (Err(ENTERED | DOOMED), _) => Err(Refused::Busy),
        _ => Err(Refused::Gone),
    }
}

/// The value, for any number of calls that only read it; refused while a call is in progress that may change it.
///
/// # Safety
/// `pointer` came from [`into_raw`]. No call frees it or enters before the value was read.
#[allow(dead_code)] // the layer across ranks has nothing that many calls read
pub unsafe fn read<'a, T: Send + Sync>(pointer: *const Exclusive<T>) -> Result<&'a T, Refused> {
    // SAFETY: the caller's promise.
    let held = unsafe { &*pointer };
    match held.state.load(Acquire) {
        // SAFETY: no call is in progress, and none begins, by the caller's promise.
        FREE => Ok(unsafe { &*held.value.get() }),
        ENTERED | DOOMED => Err(Refused::Busy),
        _ => Err(Refused::Gone),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call on a value that another call uses is told so; one on a value that is gone, or on memory of another use, is told that.
    #[test]
    fn refusals() {
        for (state, is_busy) in [
            (ENTERED, true),
            (DOOMED, true),
            (GONE, false),
            (0, false),
            (1, false),
            (u32::MAX, false),
        ] {
            let held = Exclusive {
                state: AtomicU32::new(state),
                value: UnsafeCell::new(0u8),
            };
            // SAFETY: it is there.
            let refused = unsafe { enter(&raw const held) }.err();
            assert_eq!(matches!(refused, Some(Refused::Busy)), is_busy, "{state:x}");
            assert_eq!(matches!(refused, Some(Refused::Gone)), !is_busy, "{state:x}");
            // SAFETY: the same, and no call changes it.
            let unread = unsafe { read(&raw const held) }.err();
            assert_eq!(matches!(unread, Some(Refused::Busy)), is_busy, "{state:x}");
            assert_eq!(matches!(unread, Some(Refused::Gone)), !is_busy, "{state:x}");
        }
    }
}
