//! Whether the program has a dynamic loader. Drivers are shared libraries. A program that is linked with `-static` has the C
//! library's functions that load one, but another C library would come with the driver, and the program would crash.

#![allow(unsafe_code)]

/// Whether drivers can be loaded: the program itself, which is the first object that the C library lists, names a loader.
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
pub fn has_loader() -> bool {
    use std::ffi::{c_int, c_void};

    /// Looks at the first object alone.
    unsafe extern "C" fn look(object: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
        // SAFETY: the C library gives a valid object whose headers are in memory, and passes on a pointer to a bool.
        unsafe {
            let (headers, count) = ((*object).dlpi_phdr, usize::from((*object).dlpi_phnum));
            let names_loader = (0..count).any(|k| (*headers.add(k)).p_type == libc::PT_INTERP);
            found.cast::<bool>().write(names_loader);
        }
        1
    }

    let mut found = false;
    // SAFETY: `look` is such a callback, and `found` outlives the call.
    let called = unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut found).cast()) };
    found || called == 0 // no object at all: nothing is known
}

/// Everywhere else programs have one.
#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
pub fn has_loader() -> bool {
    true
}
